"""What stands where a thing was erased, as ``--vqamt-option erase=...`` and ``inpaint=...`` set it."""

from __future__ import annotations

from dataclasses import dataclass

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.case import NotApplicable, Setting
from pytest_vqamt.core.corpus import Corpus
from pytest_vqamt.core.edits import Colour, Fill
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.imaging.inpainting import lacking, method_of
from pytest_vqamt.relations.whole_pixels import covered

ERASE = Setting(
    name="erase",
    values=("white", "mean", "inpaint"),
    default="white",
    meaning="what stands where a thing was erased: white, the data's mean colour, or what an inpainter makes of it",
)
INPAINT = Setting(
    name="inpaint",
    values=("telea", "biharmonic", "lama:PATH"),
    default="telea",
    meaning="which inpainter fills in what was erased",
)

FLAT: frozenset[str] = frozenset({
    "bathtub", "bed", "billboard", "blanket", "board", "book", "box", "building", "cabinet", "cake", "card",
    "cell phone", "computer", "curtain", "dishwasher", "door", "envelope", "flag", "frame", "house", "keyboard",
    "laptop", "magazine", "mailbox", "microwave", "mirror", "monitor", "napkin", "newspaper", "notebook", "oven",
    "paper", "photo", "picture", "pillow", "plate", "poster", "refrigerator", "remote", "rug", "screen", "shelf",
    "sign", "sink", "suitcase", "surfboard", "table", "tablet", "television", "toaster", "toilet", "towel", "tray",
    "tv", "wall", "washing machine", "window",
})  # fmt: skip
"""Names by which a plain rectangle might go."""

_LOOKS: dict[str, Colour] = {
    "red": (220, 40, 40), "orange": (240, 140, 40), "yellow": (240, 220, 60), "green": (60, 150, 60),
    "blue": (60, 90, 200), "purple": (130, 60, 160), "pink": (240, 150, 180), "brown": (130, 90, 60),
    "black": (20, 20, 20), "white": (250, 250, 250), "gray": (140, 140, 140),
}  # fmt: skip
_NEAREST = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Eraser:
    """One way to cover a box.

    Attributes:
        barred: the words by which the colour of the patch may go: not to be asked about.
        barred_names: names by which the patch itself may go: not to be asked about.
    """

    fill: Fill
    colour: Colour | None = None
    method: str = ""
    barred: tuple[str, ...] = ()
    barred_names: frozenset[str] = frozenset()

    def erase(self, picture: Picture, box: Box) -> Picture:
        """``picture`` with ``box`` covered, rounded outwards to whole pixels and as far as it lies in the frame."""
        patch = covered(box, picture.scene) or box
        return picture.erase(patch, self.fill, self.colour, self.method)


def eraser(erase: str, inpaint: str, corpus: Corpus) -> Eraser | NotApplicable:
    """The eraser that the settings ``erase`` and ``inpaint`` name."""
    fill = Fill(erase)
    if fill is Fill.INPAINT:
        method = method_of(inpaint)
        if missing := lacking(method):
            return NotApplicable(reason=missing)
        return Eraser(fill=fill, method=method)
    if fill is Fill.WHITE:
        return Eraser(fill=fill, barred=("white", "gray"), barred_names=FLAT)
    colour = corpus.mean_colour
    if colour is None:
        return NotApplicable(reason="the data has no photos to take a mean colour from")
    return Eraser(fill=fill, colour=colour, barred=words_for(colour), barred_names=FLAT)


def words_for(colour: Colour) -> tuple[str, ...]:
    """The words that people might have for ``colour`` (RGB, 0 to 255): gray, and the three that are nearest.

    >>> words_for((200, 180, 150))
    ('gray', 'pink', 'yellow')
    """

    def distance(word: str) -> int:
        return sum((a - b) ** 2 for a, b in zip(colour, _LOOKS[word], strict=True))

    return tuple(dict.fromkeys(("gray", *sorted(_LOOKS, key=distance)[:_NEAREST])))
