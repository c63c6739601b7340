"""Sanity checks of well-formed data: each finding has a count, an example and what to do.

Those of records run whenever a source is opened; ``vqamt check-data`` also checks every photo.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import islice
from math import inf
from typing import TYPE_CHECKING

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.plain_text import count_noun
from pytest_vqamt.data.masks import Segmentation, extent
from pytest_vqamt.data.messages import short_repr

if TYPE_CHECKING:
    from PIL.Image import Image


_LEAVES = 0.1
"""The share of the picture's side by which a box may leave it: annotators draw a little over the edge."""
_LEAST_OVERLAP = 0.5
"""The least IoU of a box and the box of its mask. On COCO they differ by a pixel; only slivers are below 0.8."""
_SMALL_PX = 12
"""Masks and boxes that both are of this side or less are not compared: a pixel more or less is half of them."""
_AREA_FACTOR = 1.5
"""An area may be larger than the box by this factor; a smaller one is that of a mask."""
_FEWEST_CENTRES = 12
"""With so many boxes it is no chance that none begins near the top or the left, or that all end there."""
_SCALES = (100, 1000)
"""The ends of scales other than pixels: percent, as in Label Studio, and thousandths, as of Gemini and Qwen."""
_UNLABELLED_SHARE = 0.03
"""The share of photos without annotations from which on it is odd. COCO, which is labelled in full, has 1 %."""
_FEWEST_UNLABELLED = 2


@dataclass(slots=True)
class Oddity:
    """How many records are odd in one way, and the first of them."""

    count: int = 0
    first: str = ""

    def add(self, example: str) -> None:
        self.count += 1
        self.first = self.first or example

    def told(self, one: str, of: str, is_: str, are: str) -> str:
        """Its count as the subject of a sentence: "1 mask of a.json shows", "2 masks of a.json show"."""
        many = f"{one}es" if one.endswith("x") else f"{one}s"
        return count_noun(self.count, f"{one} of {of} {is_}", f"{many} of {of} {are}")


@dataclass(slots=True)
class BoxChecks:
    """What is odd in the boxes of a file: units, corners instead of sizes, exchanged axes, masks elsewhere."""

    file: str
    boxes: int = 0
    areas: int = 0
    within_one_px: int = 0
    like_centres: int = 0
    """Boxes whose corner is at least half of their size from the top and the left, as a centre always is."""
    ends: tuple[float, float] = (0, 0)
    """The right and the lower end of all boxes together."""
    starts: tuple[float, float] = (0, 0)
    """The greatest x and the greatest y of a box."""
    least_side: float = inf
    """The shortest side of a picture."""
    past_the_end: Oddity = field(default_factory=Oddity)
    leaving: Oddity = field(default_factory=Oddity)
    leaving_pictures: set[str] = field(default_factory=set)
    wrong_area: Oddity = field(default_factory=Oddity)
    beside_mask: Oddity = field(default_factory=Oddity)
    empty_masks: Oddity = field(default_factory=Oddity)
    twice: Oddity = field(default_factory=Oddity)
    empty_boxes: Oddity = field(default_factory=Oddity)
    _seen: set[tuple[str, str, Box]] = field(default_factory=set)

    def add(
        self, id_: str, name: str, image: str, box: Box, frame: Box, area: float | None, mask: Segmentation | None
    ) -> None:
        """Takes note of a box as it stands in the file, before it is clipped; ``mask`` is not that of a crowd."""
        self.boxes += 1
        self.within_one_px += max(box.x, box.y, box.w, box.h) <= 1
        self.ends = max(self.ends[0], box.x1), max(self.ends[1], box.y1)
        self.starts = max(self.starts[0], box.x), max(self.starts[1], box.y)
        self.least_side = min(self.least_side, frame.w, frame.h)
        beyond = max(-box.x, box.x1 - frame.w) / frame.w, max(-box.y, box.y1 - frame.h) / frame.h
        if max(beyond) > _LEAVES:
            self.leaving.add(f"annotation {id_}: {_shown(box)} on a picture of {frame.w:g} x {frame.h:g} px")
            self.leaving_pictures.add(image)
        self.like_centres += box.x >= box.w / 2 and box.y >= box.h / 2
        if max(box.x1 - frame.w, box.y1 - frame.h) > 1:
            self.past_the_end.add(f"annotation {id_}: {_shown(box)} on a picture of {frame.w:g} x {frame.h:g} px")
        key = image, name, box
        if key in self._seen:
            self.twice.add(f"annotation {id_}, another {name} with {_shown(box)}")
        self._seen.add(key)
        covered = extent(mask, round(frame.h)) if mask is not None else None
        if covered is not None:
            self._compare(id_, box, frame, covered.box, area, covered.area)
        elif mask is not None:
            self.empty_masks.add(f"annotation {id_}")
        elif area is not None and box.area > 0:
            self.areas += 1
            if area > _AREA_FACTOR * box.area + 1:
                self.wrong_area.add(f"annotation {id_}: an area of {area:g}, and {_shown(box)}")

    def _compare(self, id_: str, box: Box, frame: Box, of_mask: Box, area: float | None, of_area: float) -> None:
        """Holds the box and the area against the mask."""
        is_small = max(min(of_mask.w, of_mask.h), min(box.w, box.h)) <= _SMALL_PX
        if not is_small and box.iou(of_mask) < _LEAST_OVERLAP:
            spans = f"[{of_mask.x:g}, {of_mask.y:g}, {of_mask.w:g}, {of_mask.h:g}]"
            self.beside_mask.add(f"annotation {id_}: {_shown(box)}, and a mask that spans {spans}")
        if area is not None:
            self.areas += 1
            if area > _AREA_FACTOR * max(of_area, box.area) + 1:
                self.wrong_area.add(f"annotation {id_}: an area of {area:g}, and a mask of {of_area:g} px")

    def lines(self) -> tuple[str, ...]:
        """A line for each oddity."""
        found: list[str] = []
        if self.boxes and self.within_one_px == self.boxes:
            found.append(
                f"all {count_noun(self.boxes, 'box', 'boxes')} of {self.file} lie within 1 px of the corner: are they "
                "shares from 0 to 1? Multiply them by the width and the height of their picture"
            )
        for scale in _SCALES if self.boxes >= _FEWEST_CENTRES else ():
            is_spread = min(self.ends) > 0.7 * scale and min(self.starts) > 0.4 * scale
            if is_spread and max(self.ends) <= scale <= self.least_side / 2:
                found.append(
                    f"all {self.boxes:,} boxes of {self.file} end within {scale} px of the corner, and no picture has "
                    f"a side below {self.least_side:g} px: are they shares from 0 to {scale}? Multiply them by the "
                    f"width and the height of their picture, and divide by {scale}"
                )
        if self.leaving.count:
            found.append(
                f"boxes of {count_noun(len(self.leaving_pictures), 'picture')} of {self.file} leave it by more than "
                f"{_LEAVES:.0%} ({self.leaving.first}): are they two corners, or centres, or of another size of the "
                "photo, or are x and y exchanged? Write [x, y, width, height] in pixels, from the top left corner"
            )
        elif self.past_the_end.count and self.like_centres == self.boxes >= _FEWEST_CENTRES:
            ends = "ends" if self.past_the_end.count == 1 else "end"
            found.append(
                f"all {self.boxes:,} boxes of {self.file} could be given by their centres, and "
                f"{self.past_the_end.count:,} of them {ends} outside of the picture ({self.past_the_end.first}): if x "
                "and y are centres, take half of the width and the height off"
            )
        if self.wrong_area.count:
            found.append(
                f"the area of {self.wrong_area.count:,} of {count_noun(self.areas, 'annotation')} of {self.file} is "
                f"not what the box or the mask covers ({self.wrong_area.first}): are the boxes in other units, or of "
                "half the size?"
            )
        if self.beside_mask.count:
            found.append(
                f"{self.beside_mask.told('mask', self.file, 'lies', 'lie')} elsewhere than the box "
                f"({self.beside_mask.first}): are x and y exchanged, is it in other units, or were the runs inverted, "
                "or written row by row?"
            )
        if self.empty_masks.count:
            found.append(
                f"{self.empty_masks.told('mask', self.file, 'shows', 'show')} no pixel ({self.empty_masks.first}): "
                "draw it, or leave the segmentation out"
            )
        if self.twice.count:
            found.append(
                f"{self.twice.told('annotation', self.file, 'is', 'are')} there twice ({self.twice.first}): "
                "things are counted by their boxes, so leave one out"
            )
        if self.empty_boxes.count:
            found.append(
                f"{self.empty_boxes.told('box', self.file, 'is', 'are')} empty ({self.empty_boxes.first}): "
                "the thing is left out, and no case takes others of its class for absent from that photo"
            )
        return tuple(found)


def _shown(box: Box) -> str:
    return f"the box [{box.x:g}, {box.y:g}, {box.w:g}, {box.h:g}]"


def are_unlabelled(without: int, photos: int) -> bool:
    """Whether so many photos without annotations are too many to be pictures of nothing."""
    return without >= _FEWEST_UNLABELLED and without > _UNLABELLED_SHARE * photos


def unlabelled_line(spec: str, without: int, photos: int, first: str) -> str:
    """Asks what photos without annotations are."""
    return (
        f"{without:,} of {count_noun(photos, 'photo')} of {spec} have no annotation ({short_repr(first)}): is nothing "
        f"in them, or are they not labelled yet? Say which: {spec}?unlabelled=empty or {spec}?unlabelled=left-out. "
        "Until then, whatever rests on an absence there is presumed"
    )


_MARK = re.compile(
    r"<\|?/?(?:image|img|video|audio|image_pad|image_soft_token|start_of_image)(?:[ _-]?\d+)?\|?>"
    r"|<(?:ImageHere|im_start|im_patch|im_end|image_placeholder)>|\[IMG\]|\[image\]|\{image\}"
    r"|<\|[a-z_]+\|>|</?s>|\[/?INST\]|<(?:start|end)_of_turn>",
    re.IGNORECASE,
)
_ENGLISH = frozenset((
    "a", "an", "the", "of", "on", "in", "with", "and", "is", "are", "to", "at", "by", "for", "from", "his", "her",
    "its", "their", "that", "this", "some", "two", "while", "sitting", "standing", "next", "near", "man", "woman",
    "people", "it", "there", "i", "you", "what", "how", "which", "do", "does", "where", "who", "why",
))  # fmt: skip
"""Words of which one stands in nearly every English sentence."""
MOST_TEXTS = 5_000
"""Of a source; reading words takes time, and an oddity of a file shows early."""
_FEWEST_TEXTS = 5
_LEAST_ENGLISH = 0.3
"""The share of texts with an English word below which they count as of another language; captions of COCO have 99 %."""


def text_lines(texts: Iterable[tuple[str, str]], what: str, *, is_free: bool = True) -> tuple[str, ...]:
    """What is odd in questions or captions; ``texts`` are pairs of a place and a text, ``what`` says of which kind.

    ``is_free`` is of texts that may be in any language, which are not read by words.
    """
    marked, foreign, count, english = Oddity(), "", 0, 0
    for where, text in islice(texts, MOST_TEXTS):
        count += 1
        if found := _MARK.search(text):
            marked.add(f"{where}: {found[0]}")
        if _ENGLISH.isdisjoint(re.findall(r"[a-z]+", text.lower())):
            foreign = foreign or f"{where}: {short_repr(text)}"
        else:
            english += 1
    lines = []
    if marked.count:
        lines.append(
            f"{count_noun(marked.count, what)} {'holds' if marked.count == 1 else 'hold'} the mark of a picture or of "
            f"a turn ({marked.first}): models get both by themselves, and take the mark for a second one, or for text: "
            "remove it"
        )
    if not is_free and count >= _FEWEST_TEXTS and english < _LEAST_ENGLISH * count:
        lines.append(
            f"{what}s are not in English ({foreign}): what they name is read in English alone, so give English ones, "
            "or leave the relations of captions out"
        )
    return tuple(lines)


def name_lines(names: Iterable[str], file: str) -> tuple[str, ...]:
    """What is odd in the names of classes."""
    joined = sorted({name for name in names if "_" in name})
    if not joined:
        return ()
    more = f" and {len(joined) - 1:,} more" if len(joined) > 1 else ""
    return (
        f"names of {file} are joined by _ ({short_repr(joined[0])}{more}), which no question can say, so that no "
        "relation applies to them: write spaces",
    )


_DARK = 16
"""The brightest pixel, of 255, below which a photo shows nothing. At night lamps and stars are brighter."""


@dataclass(slots=True)
class PhotoChecks:
    """What is odd in photos: black ones, and those that are turned without a change of size."""

    spec: str
    dark: Oddity = field(default_factory=Oddity)
    turned: Oddity = field(default_factory=Oddity)
    turns: set[int] = field(default_factory=set)

    def add(self, name: str, image: Image, orientation: int, *, has_boxes: bool) -> None:
        """Takes note of a decoded photo (RGB, uint8) and of its EXIF orientation, from 1 (upright) to 8."""
        brightest = max(high for _, high in image.getextrema())  # type: ignore[misc] # of RGB, a pair for each channel
        if brightest < _DARK:
            self.dark.add(f"{short_repr(name)}: {brightest} of 255")
        keeps_size = orientation in (2, 3, 4) or (orientation > 4 and image.width == image.height)
        if has_boxes and keeps_size:
            self.turned.add(short_repr(name))
            self.turns.add(orientation)

    def lines(self) -> tuple[str, ...]:
        """A line for each oddity."""
        found = []
        if self.dark.count:
            found.append(
                f"{self.dark.told('photo', self.spec, 'is', 'are')} black: the brightest pixel of {self.dark.first}. "
                "Are its values of 8 or 12 bits in a file of 16? Scale them"
            )
        if self.turned.count:
            orientations = " or ".join(map(str, sorted(self.turns)))
            found.append(
                f"{self.turned.told('photo', self.spec, 'is', 'are')} turned by EXIF (orientation {orientations}; "
                f"{self.turned.first}) and of the same size before and after: boxes must be drawn on the photo as "
                "viewers show it, turned; or take the EXIF out"
            )
        return tuple(found)
