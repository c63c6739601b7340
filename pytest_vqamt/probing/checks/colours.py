"""The names of grounds: exchanged channels, lost colours, and other wrong ones, in all files or in some forms."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from pytest_vqamt.core.edits import Colour, FileForm
from pytest_vqamt.probing.asking import Request, SentRequest
from pytest_vqamt.probing.cards import COLOUR, COLOURS, Card, CardFile, says
from pytest_vqamt.probing.kinds import FindingKind
from pytest_vqamt.probing.probing import CARDS, Probing

_EXCHANGED: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "red and blue": {"red": "blue", "blue": "red", "green": "green"},
        "green and blue": {"green": "blue", "blue": "green", "red": "red"},
        "red and green": {"red": "green", "green": "red", "blue": "blue"},
    }
)
"""What red, green and blue are called where two channels are exchanged."""

_OTHER_COLOURS = (
    *("gray", "grey", "brown", "pink", "magenta", "violet", "lavender", "maroon", "cyan", "teal", "turquoise"),
    *("navy", "lime", "olive", "gold", "beige", "tan", "cream", "silver"),
)
"""English names of colours that no ground has."""


def colours(probing: Probing) -> None:
    """All grounds by name; a pattern of wrong names that is seen on new cards again is a finding."""
    names = tuple(COLOURS)[:CARDS]
    named = {name: probing.reference[place, COLOUR] for place, name in enumerate(names)}
    wrongly = [name for name in names if not says(named[name], name)]
    said = ", ".join(f"{name} as {named[name]!r}" for name in wrongly)
    others = "; others rightly" if len(wrongly) < len(names) else ""
    probing.note("colours named", f"{said}{others}" if wrongly else "rightly", is_minor=not wrongly)
    if not wrongly:
        return
    again: list[SentRequest] = []
    for place, name in enumerate(names):
        # New numbers, so that no cache answers.
        seen = probing.send(Card(number=probing.spare[place], ground=COLOURS[name]), COLOUR)
        # Words that name no colour of ours are another language ("Rot"; orange is the same in many), or no name at all.
        if not seen.failure and not says(seen.reading, name) and _names_a_colour(seen.reading):
            again.append(seen)
    if not probing.is_finding(len(again), CARDS, probing.flips):
        if not any(map(_names_a_colour, (named[name] for name in wrongly))):
            probing.note("colours named", f"in words of the model's own: {said}{others}")
        return
    for channels, expected in _EXCHANGED.items():
        if all(says(named[name], other) for name, other in expected.items()):
            probing.add(FindingKind.SWAPPED_CHANNELS, again, CARDS, detail=channels, rate=probing.flips)
            return
    is_gray = _are_gray(probing, named)
    # Numbers are read and colours are not: not the model's eyes as such.
    if probing.reads:
        kind = FindingKind.COLOURS_LOST if is_gray else FindingKind.COLOURS_WRONG
        probing.add(kind, again, CARDS, detail=said, rate=probing.flips)


def _names_a_colour(reading: str) -> bool:
    return any(says(reading, name) for name in (*COLOURS, *_OTHER_COLOURS))


def _are_gray(probing: Probing, named: Mapping[str, str]) -> bool:
    """True if black and white are named rightly, and each colour is what a gray of its brightness is called."""
    if not all(says(_called(probing, COLOURS[name]), name) for name in ("black", "white")):
        return False
    # ITU-R 601, as most programs convert to gray; a step of brightness may change the name once.
    alike = sum(_called(probing, (_luma(COLOURS[name]),) * 3) == said for name, said in named.items())
    return alike >= len(named) - 1


def _called(probing: Probing, ground: Colour) -> str:
    return probing.send(Card(number=probing.spare[-1], ground=ground), COLOUR).reading


def _luma(colour: Colour) -> int:
    red, green, blue = colour
    return round(0.299 * red + 0.587 * green + 0.114 * blue)


def colours_of_files(probing: Probing) -> None:
    """The colours of files that decoders treat apart, where those of PNG are named rightly."""
    if not probing.sender.takes_files or not probing.names_colours:
        return
    readers: tuple[tuple[FindingKind, FindingKind, CardFile], ...] = (
        (FindingKind.JPEG_COLOURS, FindingKind.JPEG, CardFile(form=FileForm.JPEG, quality=95)),
        (FindingKind.JPEG_COLOURS, FindingKind.JPEG, CardFile(form=FileForm.CMYK_JPEG, quality=95)),
        (FindingKind.WEBP, FindingKind.WEBP, CardFile(form=FileForm.WEBP)),
        (FindingKind.FILE_FORM, FindingKind.FILE_FORM, CardFile(form=FileForm.PALETTE)),
        (FindingKind.FILE_FORM, FindingKind.FILE_FORM, CardFile(form=FileForm.SIXTEEN_BITS)),
    )
    names = tuple(COLOURS)[:CARDS]
    # What cannot be read at all has no colours; one fault is told once.
    left = [each for each in readers if not probing.result.found(*each[:2])]
    # New numbers, so that no cache answers.
    cards = {
        file: [Card(number=probing.spare[i], ground=COLOURS[name], file=file) for i, name in enumerate(names)]
        for *_, file in left
    }
    # Red and blue: each exchange of two channels changes one of them.
    first = [(file, cards[file][names.index(name)]) for *_, file in left for name in ("red", "blue")]
    seen = probing.at_once([Request(card=card, text=COLOUR) for _, card in first])
    suspect = {file for (file, _), each in zip(first, seen, strict=True) if not each.failure and not each.is_right}
    for kind, known, file in left:
        if file not in suspect or probing.result.found(kind, known):
            continue
        again = [probing.send(card, COLOUR) for card in cards[file]]
        wrong = [each for each in again if not each.failure and not each.is_right]
        if probing.is_finding(len(wrong), CARDS, probing.flips):
            answers = ", ".join(f"{each.request.right} as {each.reading!r}" for each in wrong)
            probing.add(kind, wrong, CARDS, detail=f"{file.words}: {answers}", rate=probing.flips)
