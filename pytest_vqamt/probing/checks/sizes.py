"""The same cards in other sizes and shapes, what is where in them, and how fine a detail is seen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain

from pytest_vqamt.probing.acuity import DIGITS_PX, FAINT, SIDES_PX, faintest, resolutions, smallest_digits
from pytest_vqamt.probing.asking import Request, SentRequest
from pytest_vqamt.probing.cards import (
    COLOURS,
    CORNER,
    CORNER_COLOURS,
    CORNERS,
    GRAY,
    LARGE_PX,
    LARGER_PX,
    NUMBER,
    Card,
    faint_card,
    says,
)
from pytest_vqamt.probing.checks.reading import FRESH
from pytest_vqamt.probing.checks.replies import is_void
from pytest_vqamt.probing.findings import MOST_CHANCE, MOST_UNDECIDED
from pytest_vqamt.probing.kinds import CACHES, CUT_TEXTS, FindingKind
from pytest_vqamt.probing.probing import CARDS, Probing, Salted
from pytest_vqamt.probing.results import Undecided

_SQUARES_PX = (96, 300, 448, 800, LARGE_PX, LARGER_PX, 2048)
_RATIOS = ((672, 224), (224, 672), (896, 224), (160, 640), (641, 427))
"""Widths and heights in pixels: 3 to 4 times as wide as high, and as high as wide, and odd ones as of a photo."""
_CORNERED = ((448, 448), (1120, 448), (448, 1120), (1024, 1024))
_AT_HOME = (0, 1, 2, 3)

SIZES_NAME, ENDS_NAME, ACUITY_NAME = "sizes and aspect ratios", "dark and light grounds", "small digits"

_COARSE_PX = 512
"""The effective resolution of a picture of 1,024 px below which it is a finding."""

_BORDER = 2
"""Steps on either side of the faintest that is read, whose cards are asked about again."""
_ROUNDS = 6
"""The most rounds of further requests about cards whose answers differ."""
_PLAIN_CHANCE = 0.2
"""The p-value from which on faint digits are read no more otherwise than clear ones."""
_ENDS = {"dark": 4, "light": 251}
_GRAY_LEVEL = 110
_LOST_AT_ENDS = 2
"""A step that is so many times the faintest one on gray is read on dark and light grounds, too."""
_MORE = 6
"""Further requests about a faint card whose two answers differ."""
_UNSEEN = (
    *(FindingKind.TILES, FindingKind.PART_LOST, FindingKind.CROPPED),
    *(FindingKind.LARGE_PICTURE, FindingKind.SIZE),
)
"""Findings after which small digits on large cards are no measure of the resolution."""
_ORDINARY = ("the cards: as squares of 224 px they are answered as always",)
_NEAR, _FAR = 14, 42
"""Steps of 255: where a far one is unread at some levels and a near one is read at others, levels are coarse."""


def squares(probing: Probing) -> None:
    """The same cards as squares of many sizes, and in other aspect ratios."""
    if probing.result.found(*CACHES - {FindingKind.TEXT_KEYED}):
        # Texts of their own do not help here: a card of another size may be like one that was sent.
        probing.skip(SIZES_NAME, "a cache takes one picture for another")
        return
    sides: dict[int, list[SentRequest]] = {}
    for px in _SQUARES_PX:
        if found := _confirmed(probing, (px, px)):
            sides[px] = found
    if sides and not probing.result.found(FindingKind.TILES, FindingKind.PART_LOST):
        # All differing cards are large: a limit of size. Small ones among them: bad resizing.
        kind = FindingKind.LARGE_PICTURE if min(sides) >= LARGE_PX else FindingKind.SIZE
        shown = [each for found in sides.values() for each in found]
        detail = f"sides of {', '.join(f'{px:,}' for px in sides)} px"
        if probing.is_cured_by_fresh_texts(shown):
            if probing.add(FindingKind.TEXT_KEYED, shown, detail=f"{FRESH}; pictures with {detail}"):
                return
            probing.salted = Salted.NOWHERE
        probing.add(kind, shown, detail=detail, ruled_out=_ORDINARY)
    elif not sides:
        _strong(probing)
    oblong: dict[tuple[int, int], list[SentRequest]] = {}
    for size in _RATIOS:
        if found := _confirmed(probing, size):
            oblong[size] = found
    if oblong and not probing.result.found(FindingKind.TILES, FindingKind.CROPPED, FindingKind.PART_LOST):
        shown = [each for found in oblong.values() for each in found]
        detail = ", ".join(f"{width} x {height}" for width, height in sorted(oblong))
        probing.add(FindingKind.ASPECT_RATIO, shown, detail=detail, ruled_out=_ORDINARY)


def _strong(probing: Probing) -> None:
    """Large cards in black and white, whose values are the largest there are: sums of many overflow in 16 bits."""
    if not probing.reads:
        return
    white = [replace(card, ground=COLOURS["white"]) for card in probing.cards]
    sent = (
        # Small ones must be read, or it is no matter of the size.
        (probing.send(replace(card, size=(LARGER_PX, LARGER_PX)), NUMBER), card)
        for card in white
    )
    found = probing.until_right((seen, seen.is_right or not probing.send(card, NUMBER).is_right) for seen, card in sent)
    # One sign again and again has a finding of its own.
    if found and not all(is_void(each.answer) for each in found):
        detail = f"{LARGER_PX:,} x {LARGER_PX:,} px"
        ruled_out = ("the size: on other grounds they are read", "the ground: small ones are read")
        probing.add(FindingKind.STRONG_CONTRAST, found, detail=detail, rate=probing.flips, ruled_out=ruled_out)


def _confirmed(probing: Probing, size: tuple[int, int]) -> list[SentRequest]:
    return probing.confirmed(
        (place, Request(card=replace(card, size=size), text=probing.subject))
        for place, card in enumerate(probing.cards)
    )


def places(probing: Probing) -> None:
    """Coloured squares in the corners: mirrored, turned, cropped, and tiles in another order."""
    right, tries = probing.result.read.get("sides", (0, 0))
    # Of an ordinary card, which is smaller than these.
    sides_are_read = right == tries
    first = _corners(probing, *_CORNERED)
    for size, (seen, shown) in zip(_CORNERED, first, strict=True):
        if seen == _AT_HOME:
            continue
        # With the colours in other corners: a place is lost, or a colour is not known to the model.
        ((again, more),) = _corners(probing, size, turned=1)
        ((third, most),) = _corners(probing, size, turned=2)
        if not seen == again == third:
            continue
        kind = _PERMUTED.get(seen)
        if kind is None and not sides_are_read:
            probing.skip("places", "the model does not tell the corners of a picture apart")
            return
        if kind is None:
            kind = _of_lost_corners(probing, size, seen, [each.reading for each in shown])
        if kind is None:
            continue
        wrong = [each for each in (*shown, *more, *most) if not each.is_right]
        detail = f"{size[0]} x {size[1]} px: {_told(seen, [each.reading for each in shown])}"
        # Each of these corners was seen wrongly all three times.
        probing.add(kind, wrong, detail=detail, rate=probing.flips)
        return


def _told(seen: tuple[int, ...], readings: Sequence[str]) -> str:
    """What the corners are, in words."""
    named = [CORNER_COLOURS[place] if place >= 0 else reading for place, reading in zip(seen, readings, strict=True)]
    return f"the corners are {', '.join(named)}, not {', '.join(CORNER_COLOURS)}"


def _of_lost_corners(
    probing: Probing, size: tuple[int, int], seen: tuple[int, ...], readings: Sequence[str]
) -> FindingKind | None:
    """What it is where the corners are seen in no order; None where the check of sizes tells it."""
    if not any(says(each, name) for each in readings for name in (*CORNER_COLOURS, "gray", "grey")):
        return None  # neither squares nor the ground between them: the picture is not seen
    if any(place >= 0 for place in seen) and all(place in (-1, at) for at, place in enumerate(seen)):
        return FindingKind.PART_LOST
    if size[0] == size[1]:
        return FindingKind.TILES
    # A number in the middle is still read where the ends are cut off, and not where all is garbled.
    middle = probing.confirmed(
        (place, Request(card=replace(card, size=size, digit_px=60), text=probing.subject))
        for place, card in enumerate(probing.cards)
    )
    if middle:
        return None
    return FindingKind.TILES if any(place >= 0 for place in seen) else FindingKind.CROPPED


_PERMUTED: Mapping[tuple[int, ...], FindingKind] = {
    (1, 0, 3, 2): FindingKind.MIRRORED,
    (2, 3, 0, 1): FindingKind.MIRRORED,
    (3, 2, 1, 0): FindingKind.TURNED,
    (2, 0, 3, 1): FindingKind.TURNED,
    (1, 3, 0, 2): FindingKind.TURNED,
    (0, 2, 1, 3): FindingKind.TURNED,
}
"""By the colours of the corners that are seen: which of them stands where."""


def _corners(
    probing: Probing, *sizes: tuple[int, int], turned: int = 0
) -> list[tuple[tuple[int, ...], list[SentRequest]]]:
    """For each size where the colours stand that are seen in the corners, -1 for none of them, and the requests.

    ``turned`` moves each colour by so many corners.
    """
    colours = (*CORNER_COLOURS[turned:], *CORNER_COLOURS[:turned])
    cards = [Card(ground=GRAY, corners=colours, size=size) for size in sizes]
    sent = probing.at_once([Request(card=card, text=CORNER.format(corner)) for card in cards for corner in CORNERS])
    by_card = [sent[place : place + len(CORNERS)] for place in range(0, len(sent), len(CORNERS))]
    return [(tuple(_place(each, colours) for each in some), some) for some in by_card]


def _place(seen: SentRequest, colours: Sequence[str]) -> int:
    return next((place for place, name in enumerate(colours) if says(seen.reading, name)), -1)


def acuity(probing: Probing) -> None:
    """Digits that are smaller and smaller, on cards of several sizes: the effective resolution of a large picture."""
    before = len(probing.sender.log)
    least = smallest_digits(lambda card: probing.send(card, NUMBER), probing.spare)
    if any(each.failure for each in probing.sender.log[before:]):
        probing.skip(ACUITY_NAME, "requests about them failed")
        return
    shown = ", ".join(f"{found} px at {px:,} px" if found else f"none at {px:,} px" for px, found in least.items())
    probing.note("smallest digits that are read", shown, is_minor=True)
    own = min((found for found in least.values() if found), default=0)
    if not own:
        return
    for figure in resolutions(least):
        if figure.value:
            probing.measure(figure)
    large, found = SIDES_PX[-1], least[SIDES_PX[-1]]
    # A step above the smallest: read for sure, and lost where the picture is made half as large.
    probing.small_digits_px = min((px for px in DIGITS_PX if found < px < 1.6 * found), default=found)
    effective = round(large * own / found) if found else 0
    # Half of it: a step of the ladder is a quarter, and small digits are hard for any model.
    spoilt = probing.result.found(*_UNSEEN, *CUT_TEXTS)
    if effective < _COARSE_PX and not spoilt and own * 2 < (found or large):
        wrong = [
            each
            for each in probing.sender.log
            if each.card.digit_px and each.card.size[0] == large and each.card.digit_px < (found or large)
        ]
        as_through = f"as through {effective:,} px" if effective else f"digits of {DIGITS_PX[0]} px are not read"
        detail = f"{large:,} px: {as_through}"
        probing.add(FindingKind.DETAIL, wrong, rate=probing.flips, detail=detail)


def faint(probing: Probing) -> None:
    """Digits that hardly differ from their ground: the same request twice, and more where answers differ."""
    numbers = probing.spare[:2]
    cards = {
        step: [faint_card(number, 60 + 50 * place, step) for place, number in enumerate(numbers)] for step in FAINT
    }
    given = {step: [[probing.send(card, NUMBER)] for card in some] for step, some in cards.items()}
    # Noise shows where digits are just read, and just not.
    read = [step for step, seen in given.items() if all(each[0].is_right for each in seen)]
    border = [step for step in FAINT if step not in read][-_BORDER:] + read[:_BORDER]
    for step in border:
        for card, seen in zip(cards[step], given[step], strict=True):
            seen.append(probing.send(card, NUMBER))
            if len({each.reading for each in seen}) > 1:
                seen += [probing.send(card, NUMBER) for _ in range(_MORE)]
    other, tries = _unlike(given.values())
    unstable = [seen for some in given.values() for seen in some if len({each.reading for each in seen}) > 1]
    for _ in range(_ROUNDS if unstable else 0):
        chance = probing.chance_alone(len(other), tries)
        is_found = chance <= MOST_CHANCE and probing.is_finding(len(other), tries, probing.flips)
        if is_found or chance > _PLAIN_CHANCE or probing.spare_requests < _MORE + CARDS:
            break
        # It is open if faint digits alone are read otherwise: more of those that were, and as many clear ones.
        for place in range(_MORE):
            seen = unstable[place % len(unstable)]
            seen.append(probing.send(seen[0].card, NUMBER))
        probing.repeat_cards(1)
        probing.spend(_MORE + CARDS)
        other, tries = _unlike(given.values())
    usual = {step: [_usual(seen) for seen in some] for step, some in given.items()}
    read = [step for step in FAINT if all(map(says, usual[step], map(str, numbers)))]
    if read:
        probing.faintest_step = min(read)
        probing.measure(faintest(min(read)))
    # Where a picture without a number gets that of another card, so does one whose number is not seen.
    if probing.result.found(FindingKind.EMPTY_PICTURE):
        return
    # Where clear digits are read otherwise as often it is not the detail.
    chance = probing.chance_alone(len(other), tries)
    if MOST_CHANCE < chance <= MOST_UNDECIDED:
        probing.undecided[FindingKind.NOISY_DETAIL] = Undecided(tuple(other), tries, chance)
    if chance <= MOST_CHANCE:
        detail = f"of steps of {min(FAINT)} to {max(FAINT)} of 255"
        probing.add(FindingKind.NOISY_DETAIL, other, tries, detail=detail, rate=probing.flips)


def ends(probing: Probing) -> None:
    """Faint digits on dark and on light grounds: they must be read about as well as on gray ones."""
    of_middle = probing.faintest_step
    if not of_middle or probing.result.found(FindingKind.NOISY_DETAIL):
        probing.skip(ENDS_NAME, "faint digits on gray grounds are not read, or not each time")
        return
    steps = [step for step in FAINT if step >= of_middle]
    unread: list[SentRequest] = []
    faintest_of: dict[str, int] = {}
    for name, level in _ENDS.items():
        faintest_of[name] = next((step for step in steps if _is_read_at(probing, level, step)), 0)
        # Lost where twice the step is, and the next one, too.
        lost = [step for step in steps if step >= _LOST_AT_ENDS * of_middle][:2]
        if len(lost) < 2 or 0 < faintest_of[name] <= lost[1]:
            continue
        unread += _unread_at(probing, level, lost[0])
    said = ", ".join(f"{step or 'none'} on {name}" for name, step in faintest_of.items())
    probing.note("faintest step at the ends", f"{said}, {of_middle} of 255 between", is_minor=True)
    if unread:
        detail = f"faintest step: {said}, {of_middle} between"
        probing.add(FindingKind.CONTRAST, unread, detail=detail, rate=probing.flips)


def _at(probing: Probing, level: int, step: int, which: int) -> SentRequest:
    return probing.send(faint_card(probing.spare[which], level, step if level < 128 else -step), NUMBER)


def _is_read_at(probing: Probing, level: int, step: int) -> bool:
    return any(_at(probing, level, step, which).is_right for which in (2, 3))


def _unread_at(probing: Probing, level: int, step: int) -> list[SentRequest]:
    """Numbers that are read at this step on gray, and not at this level."""
    pairs = ((_at(probing, level, step, which), _at(probing, _GRAY_LEVEL, step, which)) for which in range(6, 10))
    return [seen for seen, on_gray in pairs if on_gray.is_right and not seen.is_right and not seen.failure]


def _unlike(given: Iterable[list[list[SentRequest]]]) -> tuple[list[SentRequest], int]:
    """The answers that differ from the usual one about their card, and the number of all."""
    other: list[SentRequest] = []
    tries = 0
    for seen in chain.from_iterable(given):
        usual = _usual(seen)
        other += [each for each in seen if each.reading != usual]
        tries += len(seen)
    return other, tries


def _usual(seen: list[SentRequest]) -> str:
    return Counter(each.reading for each in seen).most_common(1)[0][0]


def levels(probing: Probing) -> None:
    """Digits a step above their ground, at many levels: which step is read must not depend on the level."""
    # With noise, which step is read is chance.
    if probing.result.found(FindingKind.NOISY_DETAIL):
        probing.skip("near colours", "faint digits are read otherwise each time")
        return
    levels = range(8, 212, 24)
    number = probing.spare[4]
    first = probing.at_once([Request(card=faint_card(number, level, _FAR), text=NUMBER) for level in levels])
    missed = [level for level, each in zip(levels, first, strict=True) if not each.is_right]
    unread = [seen for level in missed if (seen := _unread(probing, level, _FAR))]
    tries = len(levels)
    if not probing.is_finding(len(unread), tries):
        return
    read = [level for level in range(2, 240, 14) if not _unread(probing, level, _NEAR)]
    if len(read) >= 2:
        at = ", ".join(str(each.card.ground[0]) for each in unread)
        detail = f"a step of {_FAR} of 255 is not seen at {at}; one of {_NEAR} is at {', '.join(map(str, read))}"
        probing.add(FindingKind.COARSE_LEVELS, unread, tries, detail=detail)


def _unread(probing: Probing, level: int, step: int) -> SentRequest | None:
    last: SentRequest | None = None
    for number in probing.spare[4:6]:
        card = faint_card(number, level, step)
        last = probing.send(card, NUMBER)
        if last.is_right:
            return None
    return last
