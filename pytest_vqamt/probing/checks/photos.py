"""Photos of the user's: the same photo and question in other files, sizes, texts and company gets the same answer.

Nobody says what is right on a photo, so all answers are compared with the model's own: the majority of three. How many
answers change by themselves, and where one grey level of a few pixels changes, is measured first. Only photos whose
answers stay are compared. A difference counts where it is seen twice, and a slighter change of its kind makes none.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from pytest_vqamt.core.conversation import Ability
from pytest_vqamt.core.edits import FileForm
from pytest_vqamt.core.query import FiledStore
from pytest_vqamt.core.text import count_noun, shortened
from pytest_vqamt.probing.asking import Request, RequestsSpentError, Said, SentRequest
from pytest_vqamt.probing.cards import OF_PICTURE, Card, CardFile
from pytest_vqamt.probing.checks.parts import Seen, pattern_of
from pytest_vqamt.probing.checks.reading import EMPTY
from pytest_vqamt.probing.filler import FILLER, LINES, with_filler
from pytest_vqamt.probing.findings import FLIPS, repeated_difference
from pytest_vqamt.probing.kinds import CACHES, FindingKind
from pytest_vqamt.probing.own_photos import LEAST_PHOTOS, OwnPhotos
from pytest_vqamt.probing.probing import Probing, Salted

NAME = "your photos"
REQUESTS = 120
"""The most about photos, beside those about cards."""

MAIN = "What is the main thing in this picture?"
DESCRIBE = "Describe this picture in one sentence."
MOST_COMMON = "Which colour is the most common in this picture?"

_OWN_QUESTIONS = 2
"""Questions of the data's that are tried, the most frequent first."""
_TRIED = 6
"""Photos on which a question is tried."""
_TOLD_APART = 3
"""Answers of so many kinds among them: two may be yes and no."""
_SEVERAL = 8
"""Photos that are sent together."""
_ENOUGH = 2
"""Photos whose answers stay the same end a comparison."""
_UNCLEAR = 3
"""So do photos whose answers a slighter change of the kind changes, too."""

_MOST_PX = 1024
"""The longer side of photos that are compared with each other: a PNG of 16 bits has 6 MB then."""
_EXACT_PIXELS = 4_000_000
"""A photo of more is compared with its pixels as JPEG of quality 95, which has a tenth of the bytes."""
_ENLARGED_PX = 2048
_LARGE_PX = 1448
"""A longer side from which on enlarging would less than double the pixels."""
_RATIO = 3
_A_LITTLE = 1.15
"""How much larger a picture is whose size must not matter."""
_SMALL_PX = 128
_FEW_PIXELS = 0b1000_0100_0010_0001
"""The nonce that changes four pixels."""

_FORMS = {
    FindingKind.FILE_FORM: (
        CardFile(form=FileForm.INTERLACED),
        CardFile(form=FileForm.ALPHA),
        CardFile(form=FileForm.SIXTEEN_BITS),
    ),
    FindingKind.WEBP: (CardFile(form=FileForm.WEBP),),
    FindingKind.EXIF: (CardFile(form=FileForm.PNG, orientation=6),),
}
"""The forms of file that hold the very pixels."""

_GROUPS = (
    frozenset(
        {
            *CACHES,
            *(FindingKind.PICTURE_UNUSED, FindingKind.FIRST_PICTURE, FindingKind.TEXT_IGNORED),
        }
    ),
    frozenset({FindingKind.NON_DETERMINISTIC, FindingKind.NOISY_DETAIL}),
    frozenset({FindingKind.FILE_FORM, FindingKind.JPEG, FindingKind.JPEG_COLOURS, FindingKind.ALPHA}),
    frozenset({FindingKind.WEBP}),
    frozenset({FindingKind.EXIF}),
    frozenset(
        {
            *(FindingKind.LARGE_PICTURE, FindingKind.ASPECT_RATIO, FindingKind.SIZE, FindingKind.TILES),
            *(FindingKind.CROPPED, FindingKind.TURNED, FindingKind.MIRRORED, FindingKind.DETAIL),
        }
    ),
    frozenset({FindingKind.LONG_TEXT, FindingKind.CUT_AT_THE_END, FindingKind.CUT_IN_THE_MIDDLE}),
    frozenset({FindingKind.BATCH, FindingKind.BATCH_PADDING, FindingKind.SWAPPED_ANSWERS}),
    frozenset({FindingKind.FIRST_ONLY, FindingKind.LAST_ONLY, FindingKind.MERGED, FindingKind.PERMUTED}),
)
"""Kinds that one fault may be found as: what the cards have shown is not found again. The first are of caches."""

_EMPTY_WORDS = frozenset(
    (
        *("a", "an", "the", "is", "are", "it", "its", "this", "that", "there", "of", "in", "on", "at", "with", "and"),
        *("to", "picture", "image", "photo", "main", "thing", "shows", "shown"),
    )
)
"""Words of a sentence around an answer."""


def photos(probing: Probing, taken: OwnPhotos) -> bool:
    """Makes all comparisons of the photos, in at most ``REQUESTS`` requests; True if the model tells them apart."""
    sender = probing.sender
    first, limit = len(sender.log), sender.limit
    sender.limit = first + REQUESTS
    compared = _Photos(probing, taken)
    if taken.unreadable:
        probing.note("photos that cannot be read", f"{len(taken.unreadable)}, the first: {taken.unreadable[0]}")
    told_apart = False
    try:
        told_apart = compared.measure()
        if told_apart and compared.has_enough():
            compared.compare()
            probing.result.checked.append(NAME)
    except RequestsSpentError:
        probing.skip(f"the rest of {NAME}", f"the {REQUESTS} requests were spent")
    probing.note(NAME, f"{compared.words}; {len(sender.log) - first} of at most {REQUESTS} requests")
    # What photos took is no request less for the cards, which may be asked again for what is undecided.
    sender.limit = limit + len(sender.log) - first
    return told_apart


class _Photos:
    """The photos of a probe, with what is measured of the answers about them."""

    def __init__(self, probing: Probing, taken: OwnPhotos) -> None:
        self.probing = probing
        self.taken = taken
        self.plain = [Card.of_photo(photo, _bounded(photo.size), CardFile()) for photo in taken.photos]
        self.question = ""
        self.reference: list[str] = []
        self.stable: list[int] = []
        """The places of the photos that are compared, those of different answers first."""
        self.rate = 1.0
        """The chance that an answer differs twice on a sane deployment."""
        self.words = count_noun(len(self.plain), "photo")

    # What the answers are

    def measure(self) -> bool:
        """Finds a question whose answers depend on the photo, its references, and how often these change."""
        first = self._told_apart()
        if first is None:
            return False
        rest = [self._ask(card) for card in self.plain[len(first) :]]
        given = [[each] for each in (*first, *rest)]
        for _ in range(2):
            for place in self.probing.random.sample(range(len(given)), len(given)):
                given[place].append(self._ask(self.plain[place]))
        self.reference = [Counter(each.reading for each in answers).most_common(1)[0][0] for answers in given]
        slight = [self._ask(replace(card, nonce=_FEW_PIXELS)) for card in self.plain]
        other = [[each for each in answers if not self.agrees(each, place)] for place, answers in enumerate(given)]
        moved = [place for place, each in enumerate(slight) if not self.agrees(each, place)]
        repeats = [each for answers in other for each in answers]
        changed = len(repeats) + len(moved)
        tries = sum(map(len, given)) + len(slight)
        flips = max(self.probing.flips, FLIPS if changed <= 1 else min(0.8, 1.5 * changed / tries + 0.05))
        # Half a photo more than was seen to hang on a gray level: few photos were tried.
        self.rate = min(0.9, repeated_difference(flips) + (len(moved) + 0.5) / (len(slight) + 1))
        failed = {place for place, answers in enumerate(given) if any(each.failure for each in answers)}
        stable = [
            place for place in range(len(given)) if not other[place] and place not in moved and place not in failed
        ]
        self.stable = sorted(stable, key=lambda place: (self._is_seen_before(place, stable), place))
        kinds = sum(not self._is_seen_before(place, stable) for place in stable)
        self.words += f", {shortened(self.question)!r}: {len(stable)} answers stay, of {count_noun(kinds, 'kind')}"
        self._add(FindingKind.NON_DETERMINISTIC, repeats, tries - len(slight), rate=FLIPS)
        return True

    def has_enough(self) -> bool:
        """True if there are photos to compare; says so if not."""
        distinct = sum(not self._is_seen_before(place, self.stable) for place in self.stable)
        if len(self.stable) >= LEAST_PHOTOS and distinct > 1:
            return True
        reason = f"{len(self.stable)} of {count_noun(len(self.plain), 'answer')} stay the same when asked again"
        self.probing.skip(NAME, reason if distinct > 1 else f"{reason}, and those are alike")
        return False

    def _told_apart(self) -> list[SentRequest] | None:
        """The answers about the first photos to the first question that tells them apart; None where none does."""
        asked = Counter(text for texts in self.taken.questions for text in texts)
        questions = (*(text for text, _ in asked.most_common(_OWN_QUESTIONS)), MAIN, DESCRIBE)
        alike: list[list[SentRequest]] = []
        if (given := self._first_apart(questions, alike)) is not None or self.probing.salted:
            return given
        # A cache by text shows itself where each text has a number of its own before it.
        self.probing.salted = Salted.IN_TEXT
        given = self._first_apart((MAIN, DESCRIBE), [])
        if given is None or _kinds(self._seen_again(given)) < _TOLD_APART:
            self.probing.salted = Salted.NOWHERE
            self._add_unused(alike)
            return None
        same = next(each for each in alike if each[0].text == self.question)
        repeated = [each for each in same[1:] if says_the_same(each.reading, same[0].reading)]
        detail = "with a number of its own before it, each text gets the answer to its own photo"
        self._add(FindingKind.TEXT_KEYED, repeated, len(same) - 1, rate=self.probing.rate, detail=detail)
        return given

    def _first_apart(self, questions: Sequence[str], alike: list[list[SentRequest]]) -> list[SentRequest] | None:
        """As above, of these questions; the answers of those that tell no photos apart are added to ``alike``."""
        best: list[SentRequest] = []
        subject = ""
        for self.question in questions:
            given = [self._ask(card) for card in self.plain[:_TRIED]]
            # The first may happen to show one thing.
            if _kinds(given) == 1:
                given += [self._ask(card) for card in self.plain[_TRIED:]]
            if _kinds(given) >= _TOLD_APART:
                return given
            if _kinds(given) > max(1, _kinds(best)):
                best, subject = given, self.question
            alike.append(given)
        self.question = subject or self.question
        return best or None

    def _seen_again(self, given: Sequence[SentRequest]) -> list[SentRequest]:
        """Those that are answered so a second time."""
        again = [self._ask(each.card) for each in given]
        return [each for each, other in zip(given, again, strict=True) if says_the_same(each.reading, other.reading)]

    def _add_unused(self, alike: Sequence[Sequence[SentRequest]]) -> None:
        said = alike[0][0].reading
        # Cards were told apart, so pictures arrive.
        if self.probing.subject:
            self.probing.skip(NAME, f"the answer about all of them is {shortened(said)!r}")
            return
        # A model may say one word of all photos and mean it: of blank pictures and noise, too, only a blind one does.
        empty = [(given, self.probing.send(card, given[0].text)) for given in alike for card in EMPTY.values()]
        if all(says_the_same(each.reading, given[0].reading) for given, each in empty):
            same = [*(each for given in alike for each in given), *(each for _, each in empty)]
            detail = "blank pictures and noise get the same answers"
            self._add(FindingKind.PICTURE_UNUSED, same[1:], rate=self.probing.rate, detail=detail)
        self.probing.skip(NAME, "the answers about them are alike")

    def _ask(self, card: Card) -> SentRequest:
        return self.probing.send(card, self.question)

    def agrees(self, seen: SentRequest, place: int) -> bool:
        return says_the_same(seen.reading, self.reference[place])

    def _is_seen_before(self, place: int, among: Sequence[int]) -> bool:
        earlier = (each for each in among if each < place)
        return any(says_the_same(self.reference[place], self.reference[each]) for each in earlier)

    # Comparisons

    def compare(self) -> None:
        """All comparisons, the cheapest and most telling first."""
        self._other_text()
        self._files()
        self._sizes()
        self._fillers()
        self._pairs()
        self._together()

    def _differing(
        self, changed: Callable[[int], Card | Request | None], control: Callable[[int], Card | Request] | None = None
    ) -> tuple[list[SentRequest], int]:
        """Requests whose answers differ, and how many were compared; none unless they are a finding.

        Args:
            changed: what is sent of a photo; None where it would hardly differ.
            control: a slighter change of the kind; where it changes the answer, too, the photo does not count.
        """
        found: list[SentRequest] = []
        agreed = unclear = 0
        for place in self.stable:
            request = changed(place)
            if request is None:
                continue
            seen = self._differs(place, request)
            if seen is None:
                agreed += 1
                if agreed == _ENOUGH:
                    break
            elif seen.failure or seen.truncated:
                break  # an honest answer
            elif control is None or self._differs(place, control(place)) is None:
                found.append(seen)
                if self.probing.is_finding(len(found), len(found) + agreed, self.rate):
                    return found, len(found) + agreed
            else:
                unclear += 1
                # Each has cost four requests.
                if unclear == _UNCLEAR:
                    break
        return [], agreed

    def _differs(self, place: int, request: Card | Request) -> SentRequest | None:
        """The last answer where two differ or one fails; None where one is the same."""
        if isinstance(request, Card):
            request = Request(card=request, text=self.question)
        last: SentRequest | None = None
        for _ in range(2):
            last = self.probing.sender.send_alone(self.probing.fresh(request))
            if last.failure or last.truncated:
                return last
            if self.agrees(last, place):
                return None
        return last

    def _add(
        self,
        kind: FindingKind,
        found: Sequence[SentRequest],
        compared: int = 0,
        *,
        rate: float | None = None,
        detail: str = "",
        ruled_out: Sequence[str] = (),
    ) -> None:
        tries, chance = compared or len(found), self.rate if rate is None else rate
        if not self.probing.is_finding(len(found), tries, chance):
            return
        detail = f"on {NAME}{': ' if detail else ''}{detail}"
        alike = next((group for group in _GROUPS if kind in group), frozenset({kind}))
        if self.probing.result.found(*alike):
            if f"{kind.value}, too" not in {each.name for each in self.probing.result.facts}:
                self.probing.note(f"{kind.value}, too", detail)
            return
        self.probing.add(kind, found, tries, detail=detail, rate=chance, ruled_out=ruled_out)

    def _other_text(self) -> None:
        """Another question about the same photo: the same answer is one that a cache by picture gives."""
        text = MOST_COMMON if self.question != MOST_COMMON else MAIN
        same: list[SentRequest] = []
        for place in self.stable:
            seen = self.probing.send(self.plain[place], text)
            # The very answer: "a red dog" may well be the answer to what and to which colour.
            if seen.failure or seen.reading != self.reference[place]:
                return
            same.append(seen)
            if self.probing.is_finding(len(same), len(same), self.rate):
                self._add(FindingKind.TEXT_IGNORED, same, detail=f"{text!r} gets the answer to {self.question!r}")
                return

    def _files(self) -> None:
        if not self.probing.sender.takes_files:
            return
        if self.probing.result.found(*_GROUPS[0]):
            self.probing.skip(f"files of {NAME}", "a cache takes one picture for another")
            return
        for kind, forms in _FORMS.items():
            for form in forms:
                found, tries = self._differing(lambda place, form=form: replace(self.plain[place], file=form))  # type: ignore[misc] # bound now
                self._add(kind, found, tries, detail=form.words, ruled_out=("the same pixels as plain PNG",))
        for media_type, places in self._originals().items():
            kind = {"image/jpeg": FindingKind.JPEG, "image/webp": FindingKind.WEBP}.get(
                media_type, FindingKind.FILE_FORM
            )
            kept, self.stable = self.stable, places
            found, tries = self._differing(
                lambda place: Card.of_photo(self.taken.photos[place]), lambda place: self._pixels(place)
            )
            self.stable = kept
            self._add(
                kind, found, tries, detail=f"the original files ({media_type})", ruled_out=("their pixels as PNG",)
            )

    def _originals(self) -> dict[str, list[int]]:
        """The places of the photos that a run may send as their own files, by media type."""
        found: dict[str, list[int]] = {}
        for place in self.stable:
            photo = self.taken.photos[place]
            own = photo.store.file(photo.picture.photo) if isinstance(photo.store, FiledStore) else None
            if own is not None:
                found.setdefault(own.media_type, []).append(place)
        return found

    def _pixels(self, place: int) -> Card:
        photo = self.taken.photos[place]
        is_large = photo.size[0] * photo.size[1] > _EXACT_PIXELS
        form = CardFile(form=FileForm.JPEG, quality=95) if is_large else CardFile()
        return Card.of_photo(photo, file=form)

    def _sizes(self) -> None:
        def scaled(place: int, factor: float) -> Card:
            width, height = self.plain[place].size
            return replace(self.plain[place], size=(round(width * factor), round(height * factor)))

        def enlarged(place: int) -> Card | None:
            longer = max(self.plain[place].size)
            return scaled(place, _ENLARGED_PX / longer) if longer < _LARGE_PX else None

        def padded(place: int, ratio: float) -> Card | None:
            width, height = self.plain[place].size
            size = max(width, round(ratio * height)), max(height, round(width / ratio))
            # One that has nearly this shape would hardly change.
            if size[0] * size[1] * 10 < width * height * 11:
                return None
            return replace(self.plain[place], size=size)

        found, tries = self._differing(enlarged, lambda place: scaled(place, _A_LITTLE))
        self._add(
            FindingKind.LARGE_PICTURE,
            found,
            tries,
            detail=f"enlarged to {_ENLARGED_PX:,} px",
            ruled_out=(f"{_A_LITTLE:g} times as large",),
        )
        for name, ratio in (("to squares", 1.0), (f"to {_RATIO} : 1", _RATIO), (f"to 1 : {_RATIO}", 1 / _RATIO)):
            found, tries = self._differing(
                lambda place, ratio=ratio: padded(place, ratio),  # type: ignore[misc] # bound now
                # A model that scales the padded picture down sees the photo as small as this.
                lambda place: scaled(place, min(1.0, _SMALL_PX / max(self.plain[place].size))),
            )
            self._add(
                FindingKind.ASPECT_RATIO,
                found,
                tries,
                detail=f"padded {name}",
                ruled_out=(f"{_SMALL_PX} px without a margin",),
            )

    def _fillers(self) -> None:
        def below(place: int, lines: int) -> Request:
            return Request(card=self.plain[place], text=with_filler(self.question, lines))

        for words, lines in LINES.items():
            found, tries = self._differing(
                lambda place, lines=lines: below(place, lines),  # type: ignore[misc] # bound now
                lambda place: below(place, 1),
            )
            if found:
                self._add(
                    FindingKind.LONG_TEXT,
                    found,
                    tries,
                    detail=f"below {words} of filler",
                    ruled_out=("one line of it",),
                )
                return

    def _pairs(self) -> None:
        """Two photos in one message, of different answers, with the question about each."""
        if self.probing.lacks(Ability.PICTURES):
            return
        seen: list[Seen] = []
        for places in self._unlike_pairs():
            now = [self._of_pair(places, asked) for asked in (0, 1)]
            if all(each.is_right for each in now):
                return
            seen += now
            wrong = [each.sent for each in seen if not each.is_right]
            if len(seen) > 2 and self.probing.is_finding(len(wrong), len(seen), self.rate):
                kind = pattern_of(seen)
                if kind is not None:
                    self._add(kind, wrong, len(seen), detail="two in a message", ruled_out=("one in a message",))
                return

    def _unlike_pairs(self) -> Iterator[tuple[int, int]]:
        order = self.stable
        for place, first in enumerate(order):
            unlike = (each for each in (*order[place + 1 :], *order[:place]) if not self._are_alike(first, each))
            if (second := next(unlike, None)) is not None:
                yield first, second

    def _are_alike(self, one: int, other: int) -> bool:
        return says_the_same(self.reference[one], self.reference[other])

    def _of_pair(self, places: tuple[int, int], asked: int) -> Seen:
        text = OF_PICTURE.format(("first", "second")[asked], self.question)
        shown = tuple(self.plain[place] for place in places)
        sent = self.probing.sender.send_alone(Request(card=shown[asked], text=text, turns=(Said((*shown, text)),)))
        named = next((at for at, place in enumerate(places) if self.agrees(sent, place)), -1)
        return Seen(sent, asked, named)

    def _together(self) -> None:
        """Photos in flight together, with texts of one length, and then beside two that are much longer."""
        places = self.stable[:_SEVERAL]
        plain = self._in_flight(places, "")
        if self.probing.is_finding(len(plain), len(places), self.rate):
            others = [self.reference[place] for place in places]
            swapped = sum(any(says_the_same(each.reading, other) for other in others) for each in plain)
            kind = FindingKind.SWAPPED_ANSWERS if swapped == len(plain) else FindingKind.BATCH
            self._add(kind, plain, len(places), detail=f"{len(places)} in flight", ruled_out=("sent alone",))
            return
        long = " ".join([FILLER] * 12)
        mixed = self._in_flight(places, f"{long}\n")
        self._add(
            FindingKind.BATCH_PADDING,
            mixed,
            len(places),
            detail=f"beside texts of {len(long.split())} words",
            ruled_out=("together, of one length",),
        )

    def _in_flight(self, places: Sequence[int], longer: str) -> list[SentRequest]:
        """Sends the photos at once, and again if any differs; the requests that differed both times."""
        wrong: dict[int, SentRequest] = {}
        for turn in range(2):
            requests = [self.probing.fresh(Request(card=self.plain[place], text=self.question)) for place in places]
            longest = [
                self.probing.fresh(Request(card=replace(self.plain[place], nonce=1), text=longer + self.question))
                for place in places[:2]
            ]
            sent = self.probing.sender.send_together([*(longest if longer else ()), *requests])[-len(places) :]
            now = {
                place: each
                for place, each in zip(places, sent, strict=True)
                if not each.failure and not self.agrees(each, place)
            }
            wrong = {place: each for place, each in now.items() if turn == 0 or place in wrong}
            if not wrong:
                break
        return list(wrong.values())


def _bounded(size: tuple[int, int]) -> tuple[int, int]:
    """The size, scaled so that the longer side has at most ``_MOST_PX``."""
    scale = min(1.0, _MOST_PX / max(size))
    return max(1, round(size[0] * scale)), max(1, round(size[1] * scale))


def _kinds(given: Sequence[SentRequest]) -> int:
    """How many of the answers are unlike all before them; failures do not count."""
    said = [each.reading for each in given if not each.failure]
    return sum(not any(says_the_same(each, other) for other in said[:place]) for place, each in enumerate(said))


def says_the_same(one: str, other: str) -> bool:
    """True if two answers say the same, or one says more: "a dog" and "a dog on the grass".

    >>> says_the_same("a dog", "the main thing in this picture is a dog"), says_the_same("yes", "no")
    (True, False)
    """
    if one == other:
        return True
    first, second = (set(re.findall(r"\w+", text)) - _EMPTY_WORDS for text in (one, other))
    return bool(first) and bool(second) and (first <= second or second <= first)
