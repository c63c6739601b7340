"""The checks of ``vqamt probe``, in the order in which they are made.

All comparisons but those of colours and faint digits need no right answer: they compare answers about the same content.
A difference counts where it is seen twice in a row; ``findings`` has the rule that makes differences a finding.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from random import Random

from pytest_vqamt.models.wrapped import LoadedModel
from pytest_vqamt.probing.asking import Request, RequestSender, RequestsSpentError, SentRequest
from pytest_vqamt.probing.cards import COLOURS, HASHES, Card, CardForm, colliding_pairs, faint_card
from pytest_vqamt.probing.findings import FLIPS, FindingKind, ProbeFinding, is_finding, repeated_difference
from pytest_vqamt.relations.serving import FILLER, LINES, with_filler
from pytest_vqamt.stats.binomial import upper_tail

MOST_REQUESTS = 300
NUMBER = "Which number is written in this picture?"
COLOUR = "What colour is the background of this picture?"

_CARDS = 6
"""Cards that every check uses, the first six of ``COLOURS`` as grounds; ordinary cards are squares of 224 px."""
_SQUARES_PX = (96, 448, 1024, 1536, 2048)
_LARGE_PX = 1024
"""Differences at this side and above alone are a fault of large pictures."""
_RATIOS = ((672, 224), (224, 672), (896, 224), (160, 640))
"""Widths and heights in pixels: 3 to 4 times as wide as high, and as high as wide."""
_FAINT = (12, 18, 26, 38, 56)
"""Steps of 255 between digits and ground: some of them are hard to read for any encoder."""
_MORE = 5
"""Further requests about a faint card whose three answers differ."""
_MORE_ROUNDS = 7
"""Further rounds over all cards where answers to the same request differ, to measure how often."""
_NEAR, _FAR = 14, 42
"""Steps of 255: where a far one is unread at some levels and a near one is read at others, levels are coarse."""
_MOST_FAILED = 3
"""Failures of ordinary requests from which on they are a finding."""
_FORMS = 3
"""Forms of file that are compared: without transparency, with a palette, grayscale."""
_EMPTY = {
    "white": Card(number=None, ground=COLOURS["white"]),
    "black": Card(number=None, ground=COLOURS["black"]),
    "noise": Card(number=None, ground=COLOURS["white"], is_noise=True, nonce=1),
    "other noise": Card(number=None, ground=COLOURS["white"], is_noise=True, nonce=2),
}
"""Pictures of one colour, and noise: they show no number."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """An observation that is no finding, as how transparent pictures are handled."""

    name: str
    """What was observed: "EXIF rotation"."""
    value: str
    """The observation in words."""


@dataclass(slots=True)
class ProbeResult:
    """The result of a probe."""

    model: str
    """Its spec."""
    subject: str = ""
    """The question of the comparisons; "" where no question could be used."""
    flips: float = 0.0
    """The share of answers about easy cards that differed from the majority."""
    findings: list[ProbeFinding] = field(default_factory=list)
    """In the order of the checks; empty for a sane deployment."""
    facts: list[Fact] = field(default_factory=list)
    """Observations that decide nothing."""
    checked: list[str] = field(default_factory=list)
    """The checks that were made."""
    skipped: list[tuple[str, str]] = field(default_factory=list)
    """Checks that were not made, with the reason."""
    log: list[SentRequest] = field(default_factory=list)
    """All requests."""


def probe(model: LoadedModel, *, limit: int = MOST_REQUESTS, seed: int = 0) -> ProbeResult:
    """Probes a model that answers questions, in at most ``limit`` requests.

    Raises:
        ModelError: the model cannot be used, or most requests fail.
    """
    probing = _Probe(RequestSender(model, limit), seed)
    probing.run()
    return probing.result


class _Probe:
    def __init__(self, sender: RequestSender, seed: int) -> None:
        self.sender = sender
        self.random = Random(seed)
        numbers = clear_numbers(self.random, 2 * _CARDS)
        # Numbers on grounds, so that either question tells the cards apart.
        self.cards = [
            Card(number=number, ground=COLOURS[name])
            for number, name in zip(numbers, tuple(COLOURS)[:_CARDS], strict=False)
        ]
        # Six more numbers, that no answer about the six cards can be.
        self.spare = numbers[_CARDS:]
        self.result = ProbeResult(model=sender.model.name, log=sender.log)
        # True once texts need a number of their own; see `calibrate`.
        self.salted = False
        self.reference: dict[tuple[int, str], str] = {}
        self.repeats: list[tuple[int, str, SentRequest]] = []
        self.flips = FLIPS

    # What every check uses

    def salted_text(self, question: str) -> str:
        """The question; once a cache by text was found, with a unique number before it."""
        # A prefix before the question makes each request another one to a cache by text.
        if not self.salted:
            return question
        salt = self.random.randrange(10**6)
        return f"Request {salt:06}. {question}"

    def send(self, card: Card, question: str) -> SentRequest:
        return self.sender.send_alone(Request(card=card, text=self.salted_text(question)))

    def add_finding(
        self,
        kind: FindingKind,
        differing: Sequence[SentRequest],
        compared: int,
        rate: float,
        detail: str = "",
        *,
        forms: int = 1,
    ) -> None:
        self.result.findings.append(
            ProbeFinding(
                kind=kind,
                differing=len(differing),
                compared=compared,
                p_value=min(1.0, forms * upper_tail(len(differing), compared, rate)),
                detail=detail,
                requests=tuple(each.number for each in differing),
            )
        )

    @property
    def rate(self) -> float:
        # As measured by `check_repeats`, so a server that is not deterministic has that one finding, and not one for
        # each check.
        return min(0.9, repeated_difference(self.flips))

    def differs(self, place: int, card: Card, question: str = "") -> SentRequest | None:
        """Sends a variant of a card twice; None unless both answers differ from the card's reference."""
        asked = question or self.result.subject
        # Twice: one flip of a sane server must be no finding.
        for is_again in (False, True):
            seen = self.send(card, asked)
            # A refusal or a text that was cut with notice is honest.
            if seen.failure or seen.truncated or seen.reading == self.reference[place, self.result.subject]:
                return None
            if is_again:
                return seen
        return None

    def variants(self, variants: Iterable[tuple[int, Card]]) -> tuple[list[SentRequest], int]:
        """Sends variants with the index of their card; returns the differing requests and the number of variants."""
        given = list(variants)
        return [seen for place, card in given if (seen := self.differs(place, card))], len(given)

    # The checks

    def run(self) -> None:
        try:
            if not self.calibrate():
                return
        except RequestsSpentError:
            self.skip("all checks", "the requests were spent before the first comparison")
            return
        self.result.checked.append("sees at all")
        checks: tuple[tuple[str, Callable[[], None], bool], ...] = (
            ("blank and noise", self.check_empty, False),
            ("text", self.check_text, False),
            ("repeated", self.check_repeats, False),
            ("short image hashes", self.check_hashes, False),
            ("together", self.check_together, False),
            ("sizes and aspect ratios", self.check_sizes, False),
            ("forms of file", self.check_forms, False),
            ("colours", self.check_colours, False),
            ("long texts", self.check_long_texts, False),
            ("faint digits", self.check_faint, True),
            ("near colours", self.check_levels, True),
        )
        for name, check, reads in checks:
            # Near and faint digits need a model that reads the clear ones.
            if reads and self.result.subject != NUMBER:
                self.skip(name, "the model does not read the numbers on the cards")
                continue
            try:
                check()
                # A check may skip itself.
                if name not in dict(self.result.skipped):
                    self.result.checked.append(name)
            except RequestsSpentError:
                self.skip(name, f"the {self.sender.limit} requests were spent")
        self.check_reasoning()
        self.check_failures()
        self.note_tokens()

    def skip(self, name: str, reason: str) -> None:
        self.result.skipped.append((name, reason))

    def calibrate(self) -> bool:
        """Finds a question whose answers depend on the card, and the reference of each card; False where none does."""
        if self.find_subject():
            return True
        # All cards got the same answer to the same text. With a number before each text a cache by text shows itself.
        unsalted = self.sender.log[: 2 * _CARDS]
        self.salted = True
        if self.find_subject():
            self._add_text_keyed(unsalted)
            return True
        self.result.subject = ""
        self._add_unseen(unsalted[0])
        self.result.checked.append("sees at all")
        self.skip("all other checks", "they compare answers that depend on the picture")
        self.check_reasoning()
        self.note_tokens()
        return False

    def _add_text_keyed(self, unsalted: Sequence[SentRequest]) -> None:
        first = unsalted[0]
        # The first answer to each text was about the first card.
        given = {each.text: each.reading for each in reversed(unsalted)}
        others = [each for each in unsalted if each.card != first.card and each.text in (NUMBER, COLOUR)]
        repeated = [each for each in others if each.reading == given[each.text]]
        detail = "with a number of its own before it, each text gets the answer to its own picture"
        self.add_finding(FindingKind.TEXT_KEYED, repeated, len(others), self.rate, detail)

    def _add_unseen(self, first: SentRequest) -> None:
        # The number of the first card in the answer: that card was seen, and stays for all others.
        stuck = str(self.cards[0].number) in first.reading
        kind = FindingKind.FIRST_PICTURE if stuck else FindingKind.PICTURE_UNUSED
        # The requests about other cards, which got the same answer, are the evidence.
        same = [each for each in self.sender.log if each.card.number != self.cards[0].number][:_CARDS]
        empty = [self.send(card, first.text) for card in _EMPTY.values()]
        alike = [each for each in empty if each.reading == first.reading]
        of_empty = f"{len(alike)} of {len(empty)} blank or noise pictures"
        detail = f'"{first.reading}" is the answer to most cards, and to {of_empty}'
        self.add_finding(kind, [*same, *alike], len(same) + len(empty), self.rate, detail)

    def find_subject(self) -> bool:
        """Sends both questions about each card three times, in three orders; True if answers depend on the card."""
        self.repeats = []
        # Three orders, so that an answer that depends on the request before it differs from itself.
        orders = (range(_CARDS), reversed(range(_CARDS)), self.random.sample(range(_CARDS), _CARDS))
        answers: dict[tuple[int, str], list[str]] = {}
        for turn, order in enumerate(orders):
            for place in order:
                for question in (NUMBER, COLOUR) if turn % 2 == 0 else (COLOUR, NUMBER):
                    seen = self.send(self.cards[place], question)
                    self.repeats.append((place, question, seen))
                    answers.setdefault((place, question), []).append(seen.reading)
            # Two distinct answers of six may be a flip; without a third nothing depends on the card.
            if turn == 0 and all(self._distinct(answers, question) < 3 for question in (NUMBER, COLOUR)):
                return False
        self.reference = {key: Counter(given).most_common(1)[0][0] for key, given in answers.items()}
        majorities = {key: [answer] for key, answer in self.reference.items()}
        # Numbers first, as they say more than colours: all but one card told apart, else three colours, else three
        # numbers.
        for question, least in ((NUMBER, _CARDS - 1), (COLOUR, 3), (NUMBER, 3)):
            if self._distinct(majorities, question) >= least:
                self.result.subject = question
                return True
        return False

    @staticmethod
    def _distinct(answers: dict[tuple[int, str], list[str]], question: str) -> int:
        return len({given[0] for (_, asked), given in answers.items() if asked == question})

    def check_empty(self) -> None:
        """Pictures of one colour, and noise: no answer about them may be the number of a card."""
        seen = [self.send(card, self.result.subject) for card in _EMPTY.values()]
        self.result.facts.append(
            Fact(
                name="answers about blank and noise pictures",
                value=", ".join(
                    f"{each.failure or each.answer!r} (on {name})" for name, each in zip(_EMPTY, seen, strict=True)
                ),
            )
        )
        if self.result.subject == NUMBER:
            # Sent again: a model may guess a number once.
            again = [self.send(each.card, NUMBER) for each in seen if self._names_a_card(each)]
            wrong = [each for each in again if self._names_a_card(each)]
            if is_finding(len(wrong), len(_EMPTY), self.rate):
                self.add_finding(FindingKind.EMPTY_PICTURE, wrong, len(_EMPTY), self.rate)

    def _names_a_card(self, asked: SentRequest) -> bool:
        return any(str(card.number) in asked.reading for card in self.cards)

    def check_text(self) -> None:
        """The same picture with another text: number and colour must not get the same answer."""
        places = [place for place in range(_CARDS) if self.reference[place, NUMBER] == self.reference[place, COLOUR]]
        same = [each for place, question, each in self.repeats if place in places and question == COLOUR]
        # On all cards; where colours are not told apart either, the text proves nothing.
        if len(places) == _CARDS and self._distinct({k: [v] for k, v in self.reference.items()}, COLOUR) >= 3:
            self.add_finding(FindingKind.TEXT_IGNORED, same[:_CARDS], _CARDS, self.rate)

    def check_repeats(self) -> None:
        """The same request again: cold, warm, and in three orders."""
        tries = [each for each in self.repeats if each[1] == self.result.subject]
        other = [each for each in tries if each[2].reading != self.reference[each[0], each[1]]]
        # Only then: a deterministic server costs no further requests.
        if other:
            for _ in range(_MORE_ROUNDS):
                for place in range(_CARDS):
                    seen = self.send(self.cards[place], self.result.subject)
                    tries.append((place, self.result.subject, seen))
            for place in range(_CARDS):
                given = Counter(each.reading for at, _, each in tries if at == place)
                self.reference[place, self.result.subject] = given.most_common(1)[0][0]
            other = [each for each in tries if each[2].reading != self.reference[each[0], each[1]]]
        self.result.flips = len(other) / len(tries)
        if is_finding(len(other), len(tries), FLIPS):
            self.add_finding(FindingKind.NON_DETERMINISTIC, [each for _, _, each in other], len(tries), FLIPS)
            # An upper bound, since the rate was measured on few requests: all later checks allow for it.
            self.flips = min(0.8, 1.5 * self.result.flips + 0.05)

    def check_hashes(self) -> None:
        """Pairs of pictures that collide in 16 bits of a usual hash, one after the other with one text."""
        shown: list[SentRequest] = []
        names: list[str] = []
        tries = 0
        for name, pairs in colliding_pairs((self.cards[0], self.cards[2])).items():
            wrong = [seen for first, second in pairs if (seen := self._mistaken(first, second))]
            if is_finding(len(wrong), len(pairs), self.rate, len(HASHES)):
                names.append(name)
                shown += wrong
                tries += len(pairs)
        if shown:
            detail = f"they share {' and '.join(names)}"
            self.add_finding(FindingKind.SHORT_HASH, shown, tries, self.rate, detail, forms=len(HASHES))

    def _mistaken(self, first: Card, second: Card) -> SentRequest | None:
        """Sends two cards of one hash twice; the last request if ``second`` got the answer to ``first`` both times.

        None otherwise, and if the second card with another hash gets no answer of its own.
        """
        subject = self.result.subject
        text = self.salted_text(subject)
        for is_again in (False, True):
            self.sender.send_alone(Request(card=first, text=text))
            seen = self.sender.send_alone(Request(card=second, text=text))
            if seen.failure or seen.reading != self.reference[0, subject]:
                return None
            if is_again:
                # Another nonce is another hash: where that card gets its own answer, the hash was the reason.
                control = self.sender.send_alone(Request(card=replace(second, nonce=second.nonce + 1000), text=text))
                return seen if control.reading == self.reference[2, subject] else None
        return None

    def check_together(self) -> None:
        """All cards at once, with texts of one length, and with one that is much longer."""
        long = " ".join([FILLER] * 12)
        plain = self._together(lambda question: question)
        mixed = self._together(lambda question: f"{long}\n{question}", longer=True)
        # Mixed up already among equal lengths: padding is not needed to explain it.
        if is_finding(len(plain), _CARDS, self.rate):
            self.add_finding(FindingKind.BATCH, plain, _CARDS, self.rate, self._mix_up(plain))
        elif is_finding(len(mixed), _CARDS, self.rate):
            self.add_finding(
                FindingKind.BATCH_PADDING, mixed, _CARDS, self.rate, f"beside a text of {len(long.split())} words"
            )

    def _together(self, lengthen: Callable[[str], str], *, longer: bool = False) -> list[SentRequest]:
        """Sends one batch twice; the requests that differed both times. With ``longer`` two long texts go first."""
        subject = self.result.subject
        wrong: list[SentRequest] = []
        for _ in range(2):
            requests = [Request(card=card, text=self.salted_text(subject)) for card in self.cards]
            longest = [
                Request(card=replace(card, nonce=77), text=lengthen(self.salted_text(subject)))
                for card in self.cards[:2]
            ]
            sent = self.sender.send_together([*(longest if longer else ()), *requests])[-_CARDS:]
            differing = [
                each
                for place, each in enumerate(sent)
                if not each.failure and each.reading != self.reference[place, subject]
            ]
            if not differing:
                return []
            # Only cards that differed in both sendings.
            before = {each.card.digest for each in wrong}
            wrong = [each for each in differing if not before or each.card.digest in before]
        return wrong

    def _mix_up(self, differing: Sequence[SentRequest]) -> str:
        known = {self.reference[place, self.result.subject] for place in range(_CARDS)}
        swapped = sum(each.reading in known for each in differing)
        return f"{swapped} of {len(differing)} answers are those to another card of the batch" if swapped else ""

    def check_sizes(self) -> None:
        """The same cards as squares of many sizes, and in other aspect ratios."""
        squares = [(place, replace(self.cards[place], size=(px, px))) for px in _SQUARES_PX for place in (1, 4)]
        ratios = [(place, replace(self.cards[place], size=size)) for size in _RATIOS for place in (2, 5)]
        wrong, tries = self.variants(squares)
        oblong, of_ratios = self.variants(ratios)
        if is_finding(len(wrong), tries, self.rate):
            # All differing cards are large: a limit of size. Small ones among them: bad resizing.
            sides = {each.card.size[0] for each in wrong}
            kind = FindingKind.LARGE_PICTURE if min(sides) >= _LARGE_PX else FindingKind.SIZE
            self.add_finding(
                kind, wrong, tries, self.rate, f"sides of {', '.join(f'{px:,}' for px in sorted(sides))} px"
            )
        if is_finding(len(oblong), of_ratios, self.rate):
            sizes = sorted({each.card.size for each in oblong})
            detail = ", ".join(f"{width} x {height}" for width, height in sizes)
            self.add_finding(FindingKind.ASPECT_RATIO, oblong, of_ratios, self.rate, detail)

    def check_forms(self) -> None:
        """The same pixels as RGBA, with a palette, and as grayscale; transparency and EXIF rotation are facts."""
        for form in (CardForm.OPAQUE, CardForm.PALETTE):
            wrong, tries = self.variants((place, replace(self.cards[place], form=form)) for place in (0, 3, 5))
            if is_finding(len(wrong), tries, self.rate, _FORMS):
                self.add_finding(FindingKind.FILE_FORM, wrong, tries, self.rate, form.value, forms=_FORMS)
        if self.result.subject == NUMBER:
            greys = [
                (place, replace(self.cards[place], ground=(level,) * 3, form=CardForm.GREY))
                for place, level in ((0, 40), (3, 200), (5, 90))
            ]
            wrong, tries = self.variants(greys)
            # As RGB the same gray cards must be read, or it is the gray and not the file that is hard.
            plain, _ = self.variants((place, replace(card, form=CardForm.RGB)) for place, card in greys if wrong)
            if not plain and is_finding(len(wrong), tries, self.rate, _FORMS):
                self.add_finding(FindingKind.FILE_FORM, wrong, tries, self.rate, CardForm.GREY.value, forms=_FORMS)
        if self.result.subject != NUMBER:
            return
        for form, yes, no in (
            (
                CardForm.TRANSPARENT,
                "answered as the opaque cards are",
                "black or white digits are lost: what is transparent becomes black or white",
            ),
            (
                CardForm.TURNED,
                "answered as upright ones are: applied, or the model reads turned digits",
                "ignored: the model gets the turned pixels",
            ),
        ):
            agreeing = all(self.differs(place, replace(self.cards[place], form=form)) is None for place in (1, 4))
            self.result.facts.append(Fact(name=form.value, value=yes if agreeing else no))

    def check_colours(self) -> None:
        """New red and blue cards, three each, if the model names green rightly."""
        named = {name: self.reference[place, COLOUR] for place, name in enumerate(tuple(COLOURS)[:_CARDS])}
        wrongly = ", ".join(f"{name} as {seen!r}" for name, seen in named.items() if name not in seen)
        self.result.facts.append(
            Fact(name="colours named", value=f"{wrongly}; others rightly" if wrongly else "rightly")
        )
        # A model that names no colours rightly says nothing about channels: green is the same in RGB and BGR.
        if "green" not in named["green"] or "blue" not in named["red"] or "red" not in named["blue"]:
            return
        swaps = {"red": "blue", "blue": "red"}
        wrong = [
            seen
            # New cards, so that no cache answers.
            for number, (name, other) in zip(self.spare, 3 * tuple(swaps.items()), strict=False)
            if other in (seen := self.send(Card(number=number, ground=COLOURS[name]), COLOUR)).reading
        ]
        if is_finding(len(wrong), 6, self.flips):
            self.add_finding(FindingKind.SWAPPED_CHANNELS, wrong, 6, self.flips)

    def check_long_texts(self) -> None:
        """Filler before the question."""
        wrong, tries, lengths = [], 0, set()
        for lines in LINES.values():
            for place in (0, 3):
                tries += 1
                if seen := self.differs(place, self.cards[place], with_filler(self.result.subject, lines)):
                    wrong.append(seen)
                    lengths.add(len(seen.text.split()))
        if is_finding(len(wrong), tries, self.rate):
            detail = f"texts of {min(lengths):,} words and more"
            for large in [each for each in self.result.findings if each.kind is FindingKind.LARGE_PICTURE]:
                # Of one cause: large pictures have as many tokens as long texts.
                self.result.findings.remove(large)
                detail = f"{detail}; pictures with {large.detail}, too"
            self.add_finding(FindingKind.LONG_TEXT, wrong, tries, self.rate, detail)

    def check_faint(self) -> None:
        """Digits that hardly differ from their ground: the same request three times, and more where answers differ."""
        other: list[SentRequest] = []
        tries = 0
        for step in _FAINT:
            for place, number in enumerate(self.spare[:3]):
                level = 60 + 50 * place
                card = faint_card(number, level, step)
                given = [self.send(card, NUMBER) for _ in range(3)]
                if len({each.reading for each in given}) > 1:
                    given += [self.send(card, NUMBER) for _ in range(_MORE)]
                usual = Counter(each.reading for each in given).most_common(1)[0][0]
                other += [each for each in given if each.reading != usual]
                tries += len(given)
        if is_finding(len(other), tries, self.flips):
            self.add_finding(
                FindingKind.NOISY_DETAIL, other, tries, self.flips, f"of steps of {min(_FAINT)} to {max(_FAINT)} of 255"
            )

    def check_levels(self) -> None:
        """Digits a step above their ground, at many levels: which step is read must not depend on the level."""
        # With noise, which step is read is chance.
        if any(finding.kind is FindingKind.NOISY_DETAIL for finding in self.result.findings):
            return self.skip("near colours", "faint digits are read otherwise each time")
        unread = [seen for level in range(8, 212, 24) if (seen := self._unread(level, _FAR))]
        tries = len(range(8, 212, 24))
        if not is_finding(len(unread), tries, self.rate):
            return None
        read = [level for level in range(2, 240, 14) if not self._unread(level, _NEAR)]
        if len(read) >= 2:
            levels = ", ".join(str(each.card.ground[0]) for each in unread)
            seen_at = ", ".join(map(str, read))
            detail = f"a step of {_FAR} of 255 is not seen at {levels}; one of {_NEAR} is at {seen_at}"
            self.add_finding(FindingKind.COARSE_LEVELS, unread, tries, self.rate, detail)
        return None

    def _unread(self, level: int, step: int) -> SentRequest | None:
        last: SentRequest | None = None
        for number in self.spare[4:6]:
            card = faint_card(number, level, step)
            last = self.send(card, NUMBER)
            if str(number) in last.reading:
                return None
        return last

    def check_reasoning(self) -> None:
        wrong = [each for each in self.sender.log if each.has_reasoning]
        if is_finding(len(wrong), len(self.sender.log), FLIPS):
            self.add_finding(FindingKind.REASONING, wrong, len(self.sender.log), FLIPS)

    def check_failures(self) -> None:
        """Failures of ordinary requests; a server may refuse large pictures and long texts with an error."""
        failed = [each for each in self.sender.log if each.failure]
        for each in failed:
            self.result.facts.append(Fact(name=f"request {each.number} failed", value=each.failure))
        # A server may refuse large pictures and long texts, but not ordinary ones.
        plain = [each for each in failed if max(each.card.size) <= _LARGE_PX and len(each.text.split()) < 200]
        if len(plain) >= _MOST_FAILED:
            self.add_finding(FindingKind.FAILURES, plain, len(self.sender.log), FLIPS)

    def note_tokens(self) -> None:
        """Tokens of a request by the size of its picture."""
        seen: dict[tuple[int, int], int] = {}
        for each in self.sender.log:
            # Without the long texts the differences are those of the pictures.
            if each.tokens_in is not None and len(each.text.split()) < 20:
                seen.setdefault(each.card.size, each.tokens_in)
        if seen:
            counted = ", ".join(f"{w} x {h}: {n:,}" for (w, h), n in sorted(seen.items(), key=lambda each: each[1]))
            self.result.facts.append(Fact(name="prompt tokens, by the size of the picture in pixels", value=counted))


def clear_numbers(random: Random, count: int) -> list[int]:
    """Numbers of three different digits of which no two share more than one digit at its place."""
    found: list[int] = []
    while len(found) < count:
        number = random.randrange(100, 1000)
        digits = str(number)
        # Two misread digits are needed to turn one card into another.
        if len(set(digits)) == 3 and "0" not in digits and all(_apart(digits, str(each)) for each in found):
            found.append(number)
    return found


def _apart(digits: str, others: str) -> bool:
    return sum(a == b for a, b in zip(digits, others, strict=True)) <= 1
