"""Checks that other content moves the scores: pictures and places in them, texts, turns and long texts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations, pairwise
from math import fsum
from statistics import fmean, median

from pytest_vqamt.core.conversation import Ability, Role
from pytest_vqamt.core.edits import Colour
from pytest_vqamt.core.query import Task
from pytest_vqamt.probing.asking import Request, Said, SentRequest
from pytest_vqamt.probing.cards import COLOUR, COLOURS, LARGE_PX, NUMBER, Card, CardFile, alike_pairs, colliding_pairs
from pytest_vqamt.probing.filler import FILLER, LINES
from pytest_vqamt.probing.kinds import FindingKind
from pytest_vqamt.probing.outputs import distance
from pytest_vqamt.probing.probing import CARDS
from pytest_vqamt.probing.results import Figure
from pytest_vqamt.probing.scores.comparing import Comparing, Pair

_SIZES = ((96, 96), (448, 448), (1024, 1024), (2048, 2048), (672, 224), (224, 672))
_GROUND = 128
_STEPS = (64, 16, 4, 1)
_STRIPES_PX = (64, 32, 16, 8, 4, 2)
_SEEN = 0.1
"""Stripes are seen where exchanging black and white moves the scores by so much of what it does for the broadest."""
_FRESH = 12
_SHUFFLES = 400
"""Texts of their own for each of two cards, where all pictures of one text get one answer."""
_QUIET = 4
"""Another text moves the scores by more than so many times the noise, which sampling or a random answer is not."""
_EXPECTED = 10
"""A long text is cut where the scores should have moved by so many times what can be told."""
_MATCHES = (
    ("größe", "grosse", "żółw", "zolw"),
    ("東京", "京東", "привет", "пирвет"),
)
"""Words that differ in letters beyond ASCII alone."""
_PAIRS = ((0, 1), (2, 3), (4, 5), (1, 2), (3, 4), (5, 0))
_TRIPLES = ((0, 1, 2), (3, 4, 5), (1, 3, 5), (2, 4, 0), (4, 0, 3), (5, 2, 1))
"""The places of cards that are compared: as many as there are cards, as fewer decide nothing (``COMPARISONS``)."""
_UNPACKED = CardFile(unpacked=True)


def calibrate(state: Comparing) -> bool:
    """Measures the noise; False where the scores do not depend on the picture."""
    answers: list[list[SentRequest]] = [[] for _ in state.cards]
    # Three orders, so that an answer that depends on the request before it differs from itself.
    for order in (range(CARDS), reversed(range(CARDS)), state.random.sample(range(CARDS), CARDS)):
        for place in order:
            answers[place].append(state.send(state.cards[place]))
    state.take_references(answers)
    pairs = list(combinations(state.reference, 2))
    unmoved = [second for first, second in pairs if not state.is_moved(first, second)]
    if len(unmoved) <= len(pairs) // 2:
        odd = state.odd_repeats(answers)
        state.add_finding(FindingKind.NON_DETERMINISTIC, odd, 2 * CARDS, rate=0.02, detail=state.scale)
        return True
    if not _is_quiet(state):
        wavering = [each for reference, each in state.repeats(answers) if distance(reference, each) > 0]
        state.add_finding(FindingKind.NON_DETERMINISTIC, wavering, 2 * CARDS, rate=0.02, detail=state.scale)
        return False
    is_cached = state.sender.task is Task.VQA and _moves_with_fresh_texts(state)
    if not is_cached and not state.has_scores:
        return False  # whole answers of weights that say little may be the same for all pictures
    kind = FindingKind.TEXT_KEYED if is_cached else FindingKind.PICTURE_UNUSED
    detail = "all cards get equal scores: the picture is dropped, or a cache knows requests by their text"
    if is_cached:
        detail = "all cards get equal scores; with a letter of its own before it, a text gets those of its own picture"
    state.add_finding(kind, unmoved[:CARDS], rate=0.02, detail=detail)
    return False


def _is_quiet(state: Comparing) -> bool:
    """True if equal requests are much nearer than those with another text: else noise hides what pictures move."""
    if state.floor == 0:
        return True
    apart = [
        distance(reference, state.send(card, COLOUR))
        for reference, card in zip(state.reference[:3], state.cards, strict=False)
    ]
    return median(apart) > _QUIET * state.floor


def _moves_with_fresh_texts(state: Comparing) -> bool:
    """True if two cards are told apart by texts that were never sent: then a cache knows requests by their text.

    Each text has a letter of its own before it. That moves the scores, too, but less than another picture does.
    """
    letters = state.random.sample("abcdefghijklmnopqrstuvwxyz", 2 * _FRESH)
    sent = [state.send(state.cards[place % 2], f"{letter} {NUMBER}") for place, letter in enumerate(letters)]
    logs = [dict(each.steps[0]) for each in sent if each.steps]
    if len(logs) < len(sent):
        return False
    # What is not listed is at most as likely as the least that is.
    rows = [[log.get(label, min(log.values())) for label in sorted(set().union(*logs))] for log in logs]
    apart = _gap(rows)
    # By the same rows with cards that are exchanged at random: one in twenty is further apart by chance.
    shuffled = [_gap(state.random.sample(rows, len(rows))) for _ in range(_SHUFFLES)]
    return sum(each >= apart for each in shuffled) <= _SHUFFLES * 0.05


def _gap(rows: Sequence[Sequence[float]]) -> float:
    """How far the even and the odd rows are apart: the sum over columns of the squared difference of their means."""
    even, odd = ([fmean(column) for column in zip(*rows[start::2], strict=True)] for start in (0, 1))
    return fsum((one - other) ** 2 for one, other in zip(even, odd, strict=True))


def texts(state: Comparing) -> None:
    """The same picture with another question."""
    pairs = ((state.reference[place], state.send(card, COLOUR)) for place, card in enumerate(state.cards))
    if found := state.unmoved(pairs):
        state.add_finding(FindingKind.TEXT_IGNORED, found, rate=state.alike)


def blank(state: Comparing) -> None:
    """A picture of one colour behind a card: it must not get the card's scores."""

    def pairs() -> Iterator[Pair]:
        for place, name in enumerate(tuple(COLOURS)[:CARDS]):
            before = state.send(state.cards[place])
            yield before, state.send(Card(ground=COLOURS[name]))

    if found := state.unmoved(pairs()):
        state.add_finding(FindingKind.EMPTY_PICTURE, found, rate=state.alike)


def likenesses(state: Comparing) -> None:
    """Pairs of pictures that share a short hash, a length, a beginning, or their look when small."""
    for name, colliding in colliding_pairs((state.cards[0], state.cards[2])).items():
        if found := state.unmoved(_in_a_row(state, colliding * 3)):
            state.add_finding(FindingKind.SHORT_HASH, found, rate=state.alike, detail=f"they share {name}")
            return
    kinds = [(FindingKind.LOOK_KEYED, [*alike_pairs(state.cards, state.spare).values()])]
    if state.sender.takes_files:
        plain = [replace(card, file=_UNPACKED) for card in state.cards]
        kinds = [
            (FindingKind.LENGTH_KEYED, _in_pairs(plain)),
            (FindingKind.BEGINNING_KEYED, _in_pairs([replace(card, ground=COLOURS["white"]) for card in plain])),
            *kinds,
        ]
    for kind, pairs in kinds:
        # Digits of one ground may look alike to a model that sees few pixels; told apart when sent otherwise, not.
        if kind is not FindingKind.LENGTH_KEYED and not state.is_decisive:
            continue
        # Small digits of one ground, or a few pixels of noise, move the scores little.
        if found := state.unmoved(_in_a_row(state, pairs), faint=True):
            state.add_finding(kind, found, rate=state.alike)
            return


def _in_pairs(cards: Sequence[Card]) -> list[tuple[Card, Card]]:
    return [(cards[a], cards[b]) for a, b in _PAIRS]


def _in_a_row(state: Comparing, pairs: Iterable[tuple[Card, Card]]) -> Iterator[Pair]:
    return ((state.send(first), state.send(second)) for first, second in pairs)


def channels(state: Comparing) -> None:
    """Each colour channel alone, and colours of one brightness: gray pictures lose them."""

    def ground(number: int, *rgb: int) -> Card:
        return Card(number=state.spare[number], ground=(rgb[0], rgb[1], rgb[2]))

    unseen: list[SentRequest] = []
    names = []
    for channel, name in enumerate(("red", "green", "blue")):

        def pairs(channel: int = channel) -> Iterator[Pair]:
            for number in range(CARDS):
                other = [_GROUND] * 3
                other[channel] += 100
                yield state.send(ground(number, *[_GROUND] * 3)), state.send(ground(number, *other))

        if found := state.unmoved(pairs()):
            unseen += found
            names.append(name)
    if unseen:
        state.add_finding(
            FindingKind.COLOURS_WRONG, unseen, rate=state.alike, detail=f"{' and '.join(names)} is not seen"
        )
        return

    def of_one_brightness() -> Iterator[Pair]:
        for number, (first, second) in enumerate(_EQUALLY_BRIGHT * 2):
            yield state.send(ground(number, *first)), state.send(ground(number, *second))

    if found := state.unmoved(of_one_brightness()):
        detail = "colours of one brightness get equal scores"
        state.add_finding(FindingKind.COLOURS_LOST, found, rate=state.alike, detail=detail)


# By ITU-R 601, rounded to whole levels as Pillow does: 299 R + 587 G + 114 B.
_EQUALLY_BRIGHT: tuple[tuple[Colour, Colour], ...] = (
    ((210, 60, 60), (60, 136, 61)),
    ((60, 60, 220), (139, 60, 10)),
    ((40, 160, 40), (200, 78, 40)),
)


def edges(state: Comparing) -> None:
    """A band at each edge of a square: a picture that is cropped loses it."""
    if not state.is_decisive:
        state.skip("edges", state.why_not_decisive)
        return
    lost: list[SentRequest] = []
    names = []
    for edge in ("left", "right", "top", "bottom"):
        pairs = (
            (state.send(card), state.send(replace(card, changes=(f"with a band at the {edge}",))))
            for card in state.cards
        )
        if found := state.unmoved(pairs):
            lost += found
            names.append(edge)
    if lost:
        state.add_finding(FindingKind.CROPPED, lost, rate=state.alike, detail=f"a band at the {', '.join(names)} edge")


def sizes(state: Comparing) -> None:
    """Two cards at each of many sizes and shapes."""
    for size in _SIZES:
        cards = [replace(card, size=size) for card in state.cards]
        if found := state.unmoved(_in_a_row(state, _in_pairs(cards))):
            oblong = size[0] != size[1]
            large = FindingKind.LARGE_PICTURE if size[0] >= LARGE_PX else FindingKind.SIZE
            kind = FindingKind.ASPECT_RATIO if oblong else large
            state.add_finding(kind, found, rate=state.alike, detail=f"{size[0]:,} x {size[1]:,} px")
            return


def detail(state: Comparing) -> None:
    """Figures: the finest stripes of a large picture, and the faintest step of its ground, that move the scores."""
    if not state.is_decisive:
        state.skip("detail", state.why_not_decisive)
        return
    for px in (448, LARGE_PX):
        moved = {width: distance(*(state.send(each) for each in _striped(px, width))) for width in _STRIPES_PX}
        seen = [width for width in _STRIPES_PX if moved[width] > max(_SEEN * moved[_STRIPES_PX[0]], 2 * state.floor)]
        if seen:
            name = f"finest stripes that are seen at {px:,} px"
            state.measure(Figure(name=name, value=min(seen), unit="px", is_better_high=False))
    card = Card(number=state.spare[0], ground=(_GROUND,) * 3)
    plain = state.send(card)
    seen = [
        step
        for step in _STEPS
        if state.is_faintly_moved(plain, state.send(replace(card, ground=(_GROUND + step,) * 3)))
    ]
    if seen:
        figure = Figure(
            name="faintest step that moves the scores", value=min(seen), unit="of 255", is_better_high=False
        )
        state.measure(figure)


def _striped(px: int, width: int) -> tuple[Card, Card]:
    """Black and white stripes, and the same exchanged."""
    card = Card(ground=COLOURS["white"], size=(px, px), changes=(f"as stripes of {width} px",))
    return card, replace(card, changes=(*card.changes, "inverted"))


# Conversations


def pictures(state: Comparing) -> None:
    """Two pictures: each must count, and their order."""
    if why := state.lacks(Ability.PICTURES):
        state.skip("several pictures", why)
        return

    # Pictures of one size are what engines merge.
    sizes = dict.fromkeys(range(1, CARDS, 2), (224, 280))

    def shown(places: tuple[int, ...], *, sized: bool) -> SentRequest:
        cards = [
            replace(state.cards[place], size=sizes[place]) if sized and place in sizes else state.cards[place]
            for place in places
        ]
        return state.ask(Request(card=cards[0], text=NUMBER, turns=(Said((*cards, NUMBER)),)))

    def pairs(*changes: tuple[tuple[int, ...], tuple[int, ...]], sized: bool = False) -> Iterator[Pair]:
        return ((shown(first, sized=sized), shown(second, sized=sized)) for first, second in changes)

    orders = [((a, b), (b, a)) for a, b in _PAIRS]
    firsts = [((a, b), (c, b)) for a, b, c in _TRIPLES]
    seconds = [((b, a), (b, c)) for a, b, c in _TRIPLES]
    if found := state.unmoved(pairs(*seconds)):
        state.add_finding(FindingKind.FIRST_ONLY, found, rate=state.alike, ruled_out=("another first picture",))
    elif found := state.unmoved(pairs(*firsts)):
        state.add_finding(FindingKind.LAST_ONLY, found, rate=state.alike, ruled_out=("another second picture",))
    elif found := state.unmoved(pairs(*orders)):
        apart = state.unmoved(pairs(*orders, sized=True))
        kind = FindingKind.PERMUTED if apart else FindingKind.MERGED
        told = () if apart else ("pictures of two sizes",)
        state.add_finding(kind, found, rate=state.alike, detail="their order does not count", ruled_out=told)


def turns(state: Comparing) -> None:
    """A picture and a text of earlier turns, a system message, and what the model is said to have said."""
    greeting, reply = "Here is a picture.", "Thank you."

    def earlier(place: int, said: str = reply) -> SentRequest:
        card = state.cards[place]
        told = (Said((card, greeting)), Said((said,), Role.ASSISTANT), Said((NUMBER,)))
        return state.ask(Request(card=card, text=NUMBER, turns=told))

    def guided(place: int, wish: str) -> SentRequest:
        card = state.cards[place]
        return state.ask(Request(card=card, text=NUMBER, turns=(Said((wish,), Role.SYSTEM), Said((card, NUMBER)))))

    if why := state.lacks(Ability.TURNS):
        state.skip("turns", why)
    elif found := state.unmoved((earlier(place), earlier((place + 1) % CARDS)) for place in range(CARDS)):
        state.add_finding(FindingKind.EARLIER_LOST, found, rate=state.alike)
    elif found := state.unmoved((earlier(place), earlier(place, "I see nothing at all.")) for place in range(CARDS)):
        state.add_finding(FindingKind.ASSISTANT_LOST, found, rate=state.alike)
    if why := state.lacks(Ability.SYSTEM):
        state.skip("system messages", why)
        return
    brief, long = "Answer briefly.", "Tell a long story about the sea."
    if found := state.unmoved((guided(place, brief), guided((place + 1) % CARDS, brief)) for place in range(CARDS)):
        state.add_finding(FindingKind.SYSTEM, found, rate=state.alike, ruled_out=("no system message",))
    elif found := state.unmoved((guided(place, brief), guided(place, long)) for place in range(CARDS)):
        state.add_finding(FindingKind.SYSTEM_IGNORED, found, rate=state.alike)


def letters(state: Comparing) -> None:
    """Words that differ in letters beyond ASCII alone."""
    for words in _MATCHES:
        pairs = [(first, second) for first, second in combinations(words, 2)]
        sent = (
            (state.send(card, f"{first} {NUMBER}"), state.send(card, f"{second} {NUMBER}"))
            for card, (first, second) in zip(state.cards, pairs, strict=False)
        )
        if found := state.unmoved(sent):
            state.add_finding(FindingKind.NON_ASCII, found, rate=state.alike)
            return


def long_texts(state: Comparing) -> None:
    """The picture, and the first, the middle and the last line, of longer and longer texts."""
    if not state.is_decisive:
        state.skip("long texts", state.why_not_decisive)
        return
    before: dict[str, tuple[float, int]] = {}
    for lines in LINES.values():
        plain = _lined(lines)
        for part in _CUT:
            apart: list[float] = []
            found: list[SentRequest] = []
            for place, card in enumerate(state.cards):
                first, second = state.send(card, plain), _otherwise(state, place, lines, part)
                if honest := first.failure or second.failure or ("cut with notice" if second.truncated else ""):
                    state.note(f"a text of {len(plain.split()):,} words", honest)
                    return
                apart.append(distance(first, second))
                if state.is_faintly_moved(first, second):
                    break
                found.append(second)
                # What counts less and less in a longer text may count nothing: only a sudden loss is a finding.
                if not _is_sudden(state, before.get(part), lines):
                    break
                if state.add_finding(
                    _CUT[part], found, rate=state.alike, detail=f"{part} of {len(plain.split()):,} words"
                ):
                    return
            before[part] = (max(apart), lines)


_CUT = {
    "the picture": FindingKind.LONG_TEXT,
    "the first line": FindingKind.LONG_TEXT,
    "the middle": FindingKind.CUT_IN_THE_MIDDLE,
    "the last line": FindingKind.CUT_AT_THE_END,
}


def _otherwise(state: Comparing, place: int, lines: int, part: str) -> SentRequest:
    """Asks about a card behind so many lines, with another picture or another line."""
    if part == "the picture":
        return state.send(state.cards[place - 1], _lined(lines))
    other = {"the first line": 0, "the middle": lines // 2, "the last line": lines - 1}[part]
    return state.send(state.cards[place], _lined(lines, other))


def _is_sudden(state: Comparing, before: tuple[float, int] | None, lines: int) -> bool:
    if before is None:
        return True
    moved, shorter = before
    return moved * shorter / lines > _EXPECTED * max(state.floor, _resolution(state))


def _resolution(state: Comparing) -> float:
    """The smallest difference that was seen: scores in 16 bits go in steps."""
    log = [each for each in state.sender.log if not each.failure and each.card in state.cards]
    apart = [distance(first, second) for first, second in pairwise(log)]
    return min((each for each in apart if each > 0), default=0.0)


def _lined(lines: int, other: int | None = None) -> str:
    """A question behind lines of filler, of which one may be another."""
    all_lines: Sequence[str] = [FILLER if place != other else "Lamps and rivers." for place in range(lines)]
    return "\n".join((*all_lines, NUMBER))
