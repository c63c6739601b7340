"""The same pixels in other files: each must be decoded as the adapter's own file is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from pytest_vqamt.core.edits import FileForm
from pytest_vqamt.probing.asking import Request, SentRequest
from pytest_vqamt.probing.cards import COLOUR, COLOURS, INK, Card, CardFile, Hidden, says
from pytest_vqamt.probing.findings import FLIPS
from pytest_vqamt.probing.kinds import FindingKind
from pytest_vqamt.probing.probing import Probing

_TURNED = (6, 3, 8, 2, 4, 5, 7)
"""The orientations of EXIF that turn or mirror, those of phones first."""

FORMS: Mapping[FindingKind, tuple[CardFile, ...]] = MappingProxyType(
    {
        FindingKind.FILE_FORM: (
            CardFile(form=FileForm.ALPHA),
            CardFile(form=FileForm.PALETTE),
            CardFile(form=FileForm.GRAYSCALE),
            CardFile(form=FileForm.SIXTEEN_BITS),
            CardFile(form=FileForm.INTERLACED),
        ),
        FindingKind.JPEG: (
            CardFile(form=FileForm.JPEG, quality=95),
            CardFile(form=FileForm.JPEG, quality=30),
            CardFile(form=FileForm.PROGRESSIVE_JPEG, quality=85),
            CardFile(form=FileForm.GRAYSCALE_JPEG, quality=85),
            CardFile(form=FileForm.CMYK_JPEG, quality=95),
        ),
        FindingKind.WEBP: (CardFile(form=FileForm.WEBP), CardFile(form=FileForm.LOSSY_WEBP, quality=85)),
        FindingKind.EXIF: (
            *(CardFile(form=FileForm.JPEG, quality=95, orientation=each) for each in _TURNED),
            *(CardFile(form=FileForm.PNG, orientation=each) for each in _TURNED),
        ),
        FindingKind.MEDIA_TYPE: (
            CardFile(form=FileForm.JPEG, quality=95, media_type="image/png"),
            CardFile(form=FileForm.PNG, media_type="image/jpeg"),
            CardFile(form=FileForm.PNG, media_type=""),
        ),
    }
)
"""By the finding that a difference is."""

_GRAY = (FileForm.GRAYSCALE, FileForm.GRAYSCALE_JPEG)
_OPAQUE = ("the digits: on an opaque ground they are read",)
_TRANSPARENT = (Hidden.WHITE, Hidden.BLACK, Hidden.NOISE)


def forms(probing: Probing) -> None:
    """The cards in each form of file; gray ones as gray cards, which are first sent as they are."""
    if not probing.sender.takes_files:
        probing.skip("forms of file", "the model gets pixels, not files")
        return
    agreeing = _agreeing(probing)
    turned_away: list[tuple[CardFile, list[SentRequest]]] = []
    for kind, some in FORMS.items():
        found: list[SentRequest] = []
        differ: list[CardFile] = []
        for file in some:
            if file in agreeing:
                continue
            before = len(probing.sender.log)
            differing = _differing(probing, file)
            refused: list[SentRequest] = []
            if not differing and any(each.failure for each in probing.sender.log[before:]):
                refused = _refused(probing, file)
            found += differing
            differ += [file] if differing else []
            if refused and file.media_type is None:
                turned_away.append((file, refused))
            elif any(each.form is file.form for each, _ in turned_away):
                pass  # refused under any name
            elif refused and file.media_type:
                # Most servers look at the file itself.
                found += refused
                differ.append(file)
            elif refused:
                # A request without a media type is not one that a server must take.
                probing.note(file.words, f"refused: {refused[0].failure}")
        if found:
            ruled_out = ("the pixels: as plain PNG they are answered as always",)
            probing.add(kind, found, detail="; ".join(_names(differ)), ruled_out=ruled_out)
    if turned_away:
        failed = [each for _, some in turned_away for each in some]
        detail = f"{'; '.join(_names([file for file, _ in turned_away]))} ({failed[0].failure})"
        probing.add(FindingKind.FILE_REFUSED, failed, detail=detail, rate=FLIPS)
    transparency(probing)


def _names(files: Sequence[CardFile]) -> list[str]:
    """The forms in words, those that differ by their orientation alone as one."""
    turned: dict[str, list[int]] = {}
    for each in files:
        turned.setdefault(replace(each, orientation=1).words, []).append(each.orientation)
    return [
        name if orientations == [1] else f"{name}, EXIF orientation {', '.join(map(str, orientations))}"
        for name, orientations in turned.items()
    ]


def _agreeing(probing: Probing) -> set[CardFile]:
    """The forms in which the first card is answered as ever: looked at together, and no further."""
    some = [file for files in FORMS.values() for file in files]
    seen = probing.at_once([Request(card=_cards(probing, file)[0], text=probing.subject) for file in some])
    return {file for file, each in zip(some, seen, strict=True) if not each.failure and probing.agrees(each, 0)}


def _cards(probing: Probing, file: CardFile) -> list[Card]:
    cards = [replace(card, file=file) for card in probing.cards]
    levels = (40, 200, 90, 230, 60, 170)
    if file.form in _GRAY:
        cards = [replace(card, ground=(level,) * 3) for card, level in zip(cards, levels, strict=True)]
    return cards


def _differing(probing: Probing, file: CardFile) -> list[SentRequest]:
    if file.form in _GRAY and not probing.reads:
        return []
    cards = _cards(probing, file)
    found = _confirmed(probing, cards)
    # As RGB the same gray cards must be read, or it is the gray and not the file that is hard.
    return [] if file.form in _GRAY and found and _confirmed(probing, _plain(cards)) else found


def _plain(cards: list[Card]) -> list[Card]:
    return [replace(card, file=None) for card in cards]


def _refused(probing: Probing, file: CardFile) -> list[SentRequest]:
    """Requests that fail with this form of file and not without, of all cards."""
    sent = [probing.send(replace(card, file=file), probing.subject) for card in probing.cards[:3]]
    return sent if all(each.failure for each in sent) else []


def _confirmed(probing: Probing, cards: list[Card]) -> list[SentRequest]:
    return probing.confirmed((place, Request(card=card, text=probing.subject)) for place, card in enumerate(cards))


def transparency(probing: Probing) -> None:
    """Cards whose ground is transparent, over white, black and noise: what is hidden must not be seen."""
    if not probing.reads:
        return
    for hidden in _TRANSPARENT:
        cards = [
            replace(card, ground=COLOURS["white"], ink=INK, file=CardFile(hidden=hidden)) for card in probing.cards
        ]
        found = _confirmed(probing, cards)
        if found and not _confirmed(probing, _plain(cards)):
            probing.add(FindingKind.ALPHA, found, detail=f"{hidden.value} under transparent pixels", ruled_out=_OPAQUE)
            return
    if not probing.names_colours:
        return
    # Hidden black, so that a dropped alpha channel shows itself, too.
    for hidden in (Hidden.BLACK, Hidden.WHITE):
        shown = Card(number=probing.spare[0], ground=COLOURS["white"], ink=INK, file=CardFile(hidden=hidden))
        seen = [probing.send(shown, COLOUR)]
        if hidden is Hidden.BLACK and says(seen[0].reading, "white"):
            return
        seen += [probing.send(replace(shown, number=number), COLOUR) for number in probing.spare[1:3]]
        if all(says(each.reading, "black") for each in seen):
            # Black over hidden white is the server's own ground; over hidden black it may be what is hidden.
            if hidden is Hidden.BLACK:
                continue
            probing.add(FindingKind.TRANSPARENCY, seen, rate=probing.flips)
            return
        if hidden is Hidden.BLACK and not all(says(each.reading, "white") for each in seen):
            probing.note("transparent pixels", f"shown as {', '.join(sorted({each.reading for each in seen}))}")
            return
