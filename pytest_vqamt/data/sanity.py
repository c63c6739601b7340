"""Sanity checks of well-formed data: each finding has a count, an example and what to do.

Readers feed ``SourceChecks`` with all that they read. Photos are sampled when a source is opened; ``vqamt check-data``
looks at all of them.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from math import inf
from statistics import median, quantiles
from typing import TYPE_CHECKING, Protocol
from unicodedata import category, normalize

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.errors import DataError
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.core.text import count_noun, short_repr, some_of
from pytest_vqamt.data.annotations import AnnotatedPhotos
from pytest_vqamt.data.masks import Extent
from pytest_vqamt.data.photo_io import PhotoFiles, PhotoHead, sample_indices
from pytest_vqamt.data.scene_source import SceneSource

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
_MASK_FACTOR = 2.5
"""An area may be smaller than the outlines of the mask by this factor: where these overlap they are counted twice."""
_SMALL_AREA_PX = 16
"""A mask of a few pixels is drawn larger or smaller by as many."""
_FEWEST_AREAS = 5
"""Of fewer annotations without a mask, the areas are not held against the boxes together."""
_SMALL_SHARE = 0.35
"""Half of the things of COCO cover less than 0.6 of their box. Wires and poles cover much less, of corners too."""
_USUAL_SHARE, _MOST_SHARE = 0.45, 1.1
"""Half of the things cover more of their true box than the one; nearly none, in rounded pixels, more than the other."""
_CONSTANT_SHARE = 0.3
"""A constant share below it is no shape: discs cover 0.79 of their box, triangles 0.5, stars 0.33."""
_FEWEST_CENTRES = 12
"""With so many boxes it is no chance that none begins near the top or the left, or that all end there."""
_SCALES = (100, 1000)
"""The ends of scales other than pixels: percent, as in Label Studio, and thousandths, as of Gemini and Qwen."""
_NEARLY_ALL = 0.9
"""The share of boxes in other units from which on the others count as slips, or as on pictures of another size."""
_UNLABELLED_SHARE = 0.03
"""The share of photos without annotations from which on it is odd. COCO, which is labelled in full, has 1 %."""
_FEWEST_UNLABELLED = 2
"""In a small set, one photo of nothing is above that share."""

_MARK = re.compile(
    r"<\|?/?(?:image|img|video|audio|image_pad|image_soft_token|start_of_image)(?:[ _-]?\d+)?\|?>"
    r"|<(?:ImageHere|im_start|im_patch|im_end|image_placeholder)>|\[IMG\]|\[image\]|\{image\}"
    r"|<\|[a-z_]+\|>|</?s>|\[/?INST\]|<(?:start|end)_of_turn>",
    re.IGNORECASE,
)
"""The marks that training files of chat models have for pictures, for turns and for their ends."""
_ENGLISH = frozenset((
    "a", "an", "the", "of", "on", "in", "with", "and", "is", "are", "to", "at", "by", "for", "from", "his", "her",
    "its", "their", "that", "this", "some", "two", "while", "sitting", "standing", "next", "near", "man", "woman",
    "people", "it", "there", "i", "you", "what", "how", "which", "do", "does", "where", "who", "why",
))  # fmt: skip
"""Words of which one stands in nearly every English sentence."""
_MOST_READ = 5_000
"""Reading words takes time: of more texts, ever fewer are read, spread over all of them."""
_FEWEST_TEXTS = 5
"""Of fewer texts, none with one of these words may be chance."""
_LEAST_ENGLISH = 0.3
"""The share of texts with an English word below which they count as of another language; captions of COCO have 99 %."""
_WORD = re.compile("[a-z]+")

_DARK = 16
"""The brightest pixel, of 255, up to which a photo shows nothing. At night lamps and stars are brighter."""
_DARK_OF_DEEP = 127
"""The same of a file of 16 bits a colour, of which the upper 8 are read: values of 12 bits end at 15, of 15 at 127."""
_HOT = 10_000
"""One in so many pixels may be brighter than all others: the sensor's hot ones are."""
_SAMPLED = 16
"""The photos looked at when a source is opened."""
_SAMPLED_PX = 32_000_000
"""The pixels decoded when a source is opened; it takes about half a second."""


@dataclass(slots=True)
class Oddity:
    """How many records are odd in one way, and the first of them."""

    count: int = 0
    first: str = ""
    """Its place and its value, as messages quote it; "" while there is none."""

    def add(self, example: str) -> None:
        self.count += 1
        self.first = self.first or example

    def subject(self, one: str, of: str, is_: str, are: str) -> str:
        """The count as the subject of a sentence: "1 mask of a.json shows", "2 masks of a.json show"."""
        many = f"{one}es" if one.endswith("x") else f"{one}s"
        return count_noun(self.count, f"{one} of {of} {is_}", f"{many} of {of} {are}")


class _Boxed(Protocol):
    """A thing of any source."""

    @property
    def id(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def box(self) -> Box: ...


@dataclass(slots=True)
class _Scale:
    """The boxes that may be in shares from 0 to ``end``: those within it on pictures at least twice as large."""

    end: int
    """100 for percent, 1000 for thousandths."""
    boxes: int = 0
    """How many boxes end within it."""
    right: float = 0
    """The farthest right edge of them."""
    low: float = 0
    """The farthest lower edge."""
    most_x: float = 0
    """The farthest left edge."""
    most_y: float = 0
    """The farthest upper edge."""
    least_side: float = inf
    """The shortest side of their pictures in pixels; infinite without a box."""

    def add(self, box: Box, right: float, low: float, side: float) -> None:
        self.boxes += 1
        self.right, self.low = max(right, self.right), max(low, self.low)
        self.most_x, self.most_y = max(box.x, self.most_x), max(box.y, self.most_y)
        self.least_side = min(side, self.least_side)

    @property
    def is_spread(self) -> bool:
        # Shares fill the range from 0 to their end; small things in one corner of large pictures do not.
        return min(self.right, self.low) > 0.7 * self.end and min(self.most_x, self.most_y) > 0.4 * self.end


@dataclass(slots=True)
class BoxChecks:
    """What is odd in the boxes of a file: units, corners instead of sizes, exchanged axes, masks elsewhere.

    All is kept as counts and extremes: a file has a million boxes.
    """

    file: str
    """The name of the file, for messages."""
    label: str = "{image}: object {id}"
    """How messages name a box."""
    tolerated: float = 0.0
    """The share of pictures whose boxes may leave them."""
    boxes: int = 0
    """All boxes, without those of crowds."""
    areas: int = 0
    """The areas that were compared with a box or a mask."""
    pictures: int = 0
    """Those with boxes; one may count again where its boxes do not come together, as in files of COCO."""
    are_like_centres: bool = True
    """The corner of each box is at least half of its size from the top and the left, as a centre always is."""
    in_shares: int = 0
    """Boxes of which all four numbers are 1 at most."""
    of_a_pixel: Oddity = field(default_factory=Oddity)
    """Others of a pixel at most."""
    scales: tuple[_Scale, ...] = field(default_factory=lambda: tuple(map(_Scale, _SCALES)))
    past_the_end: Oddity = field(default_factory=Oddity)
    """Boxes that end more than a pixel to the right of the picture or below it, and begin within."""
    outside: Oddity = field(default_factory=Oddity)
    """Boxes that lie wholly outside are refused, each with a message of its own; several may be in other units."""
    leaving: Oddity = field(default_factory=Oddity)
    """Boxes that leave the picture by more than ``_LEAVES`` of its side."""
    leaving_pictures: set[str] = field(default_factory=set)
    """The pictures of ``leaving`` and ``outside``."""
    wrong_area: Oddity = field(default_factory=Oddity)
    """Areas that are far from what the box or the mask covers."""
    shares: array[float] = field(default_factory=lambda: array("d"))
    """The share of its box that each thing without a mask covers, by its area."""
    shares_of_corners: array[float] = field(default_factory=lambda: array("d"))
    """The same where the four numbers are taken for two corners, if they can be."""
    first_area: str = ""
    """An example for messages about all areas together."""
    beside_mask: Oddity = field(default_factory=Oddity)
    """Boxes that overlap the box around their mask by less than ``_LEAST_OVERLAP``."""
    empty_masks: Oddity = field(default_factory=Oddity)
    """Masks without a pixel."""
    twice: Oddity = field(default_factory=Oddity)
    """Things with the name and the box of another one in the picture."""
    empty_boxes: Oddity = field(default_factory=Oddity)
    """Boxes of no width or height; readers count them."""
    unread_areas: Oddity = field(default_factory=Oddity)
    """Areas that are no number from 0 on; readers count them."""
    _picture: str = ""
    """The picture of the last box."""
    _may_be: tuple[_Scale, ...] = ()
    """The scales that are much smaller than the picture."""

    def add(self, image: str, id_: str, box: Box, frame: Box, area: float | None = None) -> None:
        """Records a box as it stands in the file, before it is clipped; ``area``: of a thing without a mask.

        Readers leave the boxes of crowds out: their masks are not those of single things.
        """
        x, y, w, h = box.x, box.y, box.w, box.h
        right, low = x + w, y + h
        self.boxes += 1
        if image != self._picture:
            self._picture = image
            self.pictures += 1
            self._may_be = tuple(each for each in self.scales if each.end <= min(frame.w, frame.h) / 2)
        for scale in self._may_be:
            if right <= scale.end and low <= scale.end:
                scale.add(box, right, low, min(frame.w, frame.h))
        if w <= 1 and h <= 1:
            if x <= 1 and y <= 1:
                self.in_shares += 1
            else:
                self.of_a_pixel.add(f"{self._named(image, id_)}: {_shown(box)}")
        if self.are_like_centres and (x < w / 2 or y < h / 2):
            self.are_like_centres = False
        if x < 0 or y < 0 or right > frame.w or low > frame.h:
            self._add_leaving(image, id_, box, frame)
        if area is not None and box.area > 0:
            self._add_area(image, id_, box, area)

    def add_mask(self, image: str, id_: str, box: Box, covered: Extent | None, area: float | None = None) -> None:
        """Compares a box, and an area if there is one, with what the mask covers (None if it is empty)."""
        if covered is None:
            self.empty_masks.add(self._named(image, id_))
            return
        is_small = max(min(covered.box.w, covered.box.h), min(box.w, box.h)) <= _SMALL_PX
        if not is_small and box.iou(covered.box) < _LEAST_OVERLAP:
            spans = _numbers(covered.box)
            self.beside_mask.add(f"{self._named(image, id_)}: {_shown(box)}, and a mask that spans {spans}")
        if area is not None:
            self.areas += 1
            # The area of the box passes, too, though there is a mask.
            is_more = area > _AREA_FACTOR * max(covered.area, box.area) + 1
            if is_more or _MASK_FACTOR * area + _SMALL_AREA_PX < covered.area:
                said = f"an area of {area:g}, and a mask of {covered.area:g} px"
                self.wrong_area.add(f"{self._named(image, id_)}: {said}")

    def add_things(self, image: str, things: Sequence[_Boxed]) -> None:
        """Records things that a picture has twice."""
        if len({each.box.x for each in things}) == len(things):  # as in most pictures, and found in no time
            return
        seen = set()
        for each in things:
            if (each.name, each.box) in seen:
                self.twice.add(f"{self._named(image, each.id)}, another {each.name} with {_shown(each.box)}")
            seen.add((each.name, each.box))

    def _named(self, image: str, id_: str) -> str:
        return self.label.format(image=image, id=id_)

    def _add_leaving(self, image: str, id_: str, box: Box, frame: Box) -> None:
        beyond = max(-box.x, box.x1 - frame.w) / frame.w, max(-box.y, box.y1 - frame.h) / frame.h
        said = f"{self._named(image, id_)}: {_shown(box)} on a picture of {frame.w:g} x {frame.h:g} px"
        is_outside = not box.overlaps(frame)  # its record is refused, with a message of its own
        if max(beyond) > _LEAVES:
            (self.outside if is_outside else self.leaving).add(said)
            self.leaving_pictures.add(image)
        # Only right and below: centres that are taken for corners move boxes there. A pixel is rounding.
        if not is_outside and max(box.x1 - frame.w, box.y1 - frame.h) > 1:
            self.past_the_end.add(said)

    def _add_area(self, image: str, id_: str, box: Box, area: float) -> None:
        self.areas += 1
        is_wrong = area > _AREA_FACTOR * box.area + 1
        if is_wrong or not self.shares:
            said = f"{self._named(image, id_)}: an area of {area:g}, and {_shown(box)}"
            self.first_area = self.first_area or said
            if is_wrong:
                self.wrong_area.add(said)
        self.shares.append(area / box.area)
        # If the four numbers are x0, y0, x1, y1, then "width" is x1.
        if box.w > box.x and box.h > box.y:
            self.shares_of_corners.append(area / ((box.w - box.x) * (box.h - box.y)))

    def _some(self, count: int) -> str:
        of_all = count_noun(self.boxes, "box", "boxes")
        return f"all {of_all}" if count == self.boxes else f"{count:,} of {of_all}"

    def _area_lines(self) -> Iterator[str]:
        """Lines on areas that do not fit the boxes: on single ones, else on all of a file together."""
        shares, of_corners = self.shares, self.shares_of_corners
        if self.wrong_area.count:  # single areas are wrong, so shares of all of them mean nothing
            yield (
                f"the area of {self.wrong_area.count:,} of {count_noun(self.areas, 'annotation')} of {self.file} is "
                f"not what the box or the mask covers ({self.wrong_area.first}): are the boxes in other units, or of "
                "half the size?"
            )
        elif len(shares) >= _FEWEST_AREAS and median(shares) < _SMALL_SHARE:
            low, *_, high = quantiles(shares, n=20)  # the ends of the middle 90 %
            could_be = len(of_corners) > 0.95 * len(shares) and quantiles(of_corners, n=20)[-1] < _MOST_SHARE
            if could_be and median(of_corners) > _USUAL_SHARE:
                yield (
                    f"the boxes of {self.file} are far larger than the areas, which fit two corners "
                    f"({self.first_area}): write [x, y, width, height] in pixels, from the top left corner"
                )
            elif high < _CONSTANT_SHARE and high - low < 0.01 * high:  # on a photo of half the size, 0.25
                yield (
                    f"the areas of {self.file} all are {median(shares):.2g} of their boxes ({self.first_area}): are "
                    "the boxes, or the areas, of another size of the photo?"
                )

    def lines(self) -> tuple[str, ...]:
        """A line for each oddity."""
        return (*self._unit_lines(), *self._place_lines(), *self._area_lines(), *self._annotation_lines())

    def _unit_lines(self) -> Iterator[str]:
        """Lines on units, where nearly all boxes of a file seem to be in others than pixels."""
        least = max(1, _NEARLY_ALL * self.boxes)
        if self.in_shares >= least:
            yield (
                f"{self._some(self.in_shares)} of {self.file} lie within 1 px of the corner: are they "
                "shares from 0 to 1? Multiply them by the width and the height of their picture"
            )
        if self.of_a_pixel.count >= least:
            yield (
                f"{self._some(self.of_a_pixel.count)} of {self.file} are of 1 px at most "
                f"({self.of_a_pixel.first}): write their sizes in pixels"
            )
        for scale in self.scales:
            if self.boxes >= _FEWEST_CENTRES and scale.boxes >= least and scale.is_spread:
                yield (
                    f"{self._some(scale.boxes)} of {self.file} end within {scale.end} px of the corner, and none of "
                    f"their pictures has a side below {scale.least_side:g} px: are they shares from 0 to {scale.end}? "
                    "Multiply them by the width and the height of their picture, and divide by "
                    f"{scale.end}"
                )

    def _place_lines(self) -> Iterator[str]:
        """Lines on boxes that leave their picture: perhaps the numbers are two corners, or a centre."""
        leaving = self.leaving.first or self.outside.first
        # One box outside is a slip, which its own message names; from two on the units may be wrong.
        if self.leaving.count + (self.outside.count > 1) and (
            len(self.leaving_pictures) > self.tolerated * self.pictures
        ):
            yield (
                f"boxes of {count_noun(len(self.leaving_pictures), 'picture')} of {self.file} leave it by more than "
                f"{_LEAVES:.0%} ({leaving}): are they two corners, or centres, or of another size of the "
                "photo, or are x and y exchanged? Write [x, y, width, height] in pixels, from the top left corner"
            )
        elif self.past_the_end.count and self.are_like_centres and self.boxes >= _FEWEST_CENTRES:
            ends = "ends" if self.past_the_end.count == 1 else "end"
            yield (
                f"all {self.boxes:,} boxes of {self.file} could be given by their centres, and "
                f"{self.past_the_end.count:,} of them {ends} outside of the picture ({self.past_the_end.first}): if x "
                "and y are centres, take half of the width and the height off"
            )

    def _annotation_lines(self) -> Iterator[str]:
        """Lines on single annotations."""
        if self.unread_areas.count:
            yield (
                f"{self.unread_areas.subject('area', self.file, 'is', 'are')} no number from 0 on "
                f"({self.unread_areas.first}): boxes and masks are not held against it; correct it, or leave it out"
            )
        if self.beside_mask.count:
            yield (
                f"{self.beside_mask.subject('mask', self.file, 'lies', 'lie')} elsewhere than the box "
                f"({self.beside_mask.first}): are x and y exchanged, is it in other units, or were the runs inverted, "
                "or written row by row?"
            )
        if self.empty_masks.count:
            yield (
                f"{self.empty_masks.subject('mask', self.file, 'shows', 'show')} no pixel ({self.empty_masks.first}): "
                "draw it, or leave the segmentation out"
            )
        if self.twice.count:
            yield (
                f"{self.twice.subject('annotation', self.file, 'is', 'are')} there twice ({self.twice.first}): "
                "things are counted by their boxes, so leave one out"
            )
        if self.empty_boxes.count:
            yield (
                f"{self.empty_boxes.subject('box', self.file, 'is', 'are')} empty ({self.empty_boxes.first}): "
                "the thing is left out, and no case takes others of its class for absent from that photo"
            )


def _numbers(box: Box) -> str:
    return f"[{box.x:g}, {box.y:g}, {box.w:g}, {box.h:g}]"


def _shown(box: Box) -> str:
    return f"the box {_numbers(box)}"


def are_unlabelled(without: int, photos: int) -> bool:
    """True if so many photos without annotations are too many to be pictures of nothing."""
    return without >= _FEWEST_UNLABELLED and without > _UNLABELLED_SHARE * photos


def unlabelled_line(spec: str, without: int, photos: int, first: str) -> str:
    """Asks what photos without annotations are."""
    return (
        f"{without:,} of {count_noun(photos, 'photo')} of {spec} have no annotation ({short_repr(first)}): is nothing "
        f"in them, or are they not labelled yet? Say which: {spec}?unlabelled=empty or {spec}?unlabelled=left-out. "
        "Until then, whatever rests on an absence there is presumed"
    )


@dataclass(slots=True)
class TextChecks:
    """What is odd in the texts of one kind."""

    one: str
    """The noun of one text: "caption"."""
    many: str
    is_free: bool = True
    """They may be in any language, as they are not read by words."""
    texts: int = 0
    words_read: int = 0
    """The texts whose words were read."""
    english: int = 0
    """Those of ``words_read`` that have an English word."""
    foreign: str = ""
    """The first that has none, with its place."""
    marked: Oddity = field(default_factory=Oddity)
    """Texts with a mark of a picture or of a turn."""

    def add(self, where: str, text: str) -> None:
        """Records a text; ``where`` is its file and line, or its photo."""
        self.texts += 1
        # A cheap look first: there may be a million texts, and hardly any has one of these characters.
        if ("<" in text or "[" in text or "{" in text) and (found := _MARK.search(text)):
            self.marked.add(f"{where}: {found[0]}")
        if not self.is_free and self.texts % (1 + self.texts // _MOST_READ) == 0:
            self.words_read += 1
            if _ENGLISH.isdisjoint(_WORD.findall(text.lower())):
                self.foreign = self.foreign or f"{where}: {short_repr(text)}"
            else:
                self.english += 1

    def lines(self) -> tuple[str, ...]:
        """A line for each oddity."""
        found = []
        if self.marked.count:
            found.append(
                f"{count_noun(self.marked.count, self.one, self.many)} {'holds' if self.marked.count == 1 else 'hold'} "
                f"the mark of a picture or of a turn ({self.marked.first}): models get both by themselves, and take "
                "the mark for a second one, or for text: remove it"
            )
        if self.words_read >= _FEWEST_TEXTS and self.english < _LEAST_ENGLISH * self.words_read:
            found.append(
                f"{self.many} are not in English ({self.foreign}): what they name is read in English alone, so give "
                f"English ones, or leave the relations of {self.many} out"
            )
        return tuple(found)


@dataclass(slots=True)
class SourceChecks:
    """What is odd in the records of a source: boxes, names and texts. Each reader feeds one while it reads."""

    boxes: BoxChecks
    names: set[str] = field(default_factory=set)
    """Of classes and things."""
    captions: TextChecks = field(default_factory=lambda: TextChecks("caption", "captions", is_free=False))
    questions: TextChecks = field(default_factory=lambda: TextChecks("question", "questions"))
    hypotheses: TextChecks = field(default_factory=lambda: TextChecks("hypothesis", "hypotheses", is_free=False))

    @classmethod
    def of(cls, file: str) -> SourceChecks:
        """The checks of a file of this name, which has nothing yet."""
        return cls(BoxChecks(file))

    def add_scene(self, scene: Scene, where: str) -> None:
        """Records the names and the texts of a scene."""
        self.names.update(thing.name for thing in scene.objects)
        for checks, texts in (
            (self.captions, scene.captions),
            (self.questions, (question.text for question in scene.questions)),
            (self.hypotheses, (hypothesis.text for hypothesis in scene.hypotheses)),
        ):
            for text in texts:
                checks.add(where, text)

    def lines(self) -> tuple[str, ...]:
        """A line for each oddity."""
        texts = (self.questions, self.captions, self.hypotheses)
        return (
            *self.boxes.lines(),
            *(line for each in texts for line in each.lines()),
            *name_lines(self.names, self.boxes.file),
        )


def name_lines(names: Iterable[str], file: str) -> tuple[str, ...]:
    """What is odd in the names of classes."""
    found, all_names = [], sorted(set(names))
    joined = [name for name in all_names if "_" in name]
    if joined:
        found.append(
            f"names of {file} are joined by _ ({_first_of(joined)}), which no question can say, so that no "
            "relation applies to them: write spaces"
        )
    # As NFKC they are other texts: full-width letters, ligatures. Format characters (Cf) have no width.
    unusual = [
        name
        for name in all_names
        if not name.isascii() and (normalize("NFKC", name) != name or "Cf" in map(category, name))
    ]
    if unusual:
        found.append(
            f"names of {file} have characters that are not seen, or have plain ones in their place "
            f"({_first_of(unusual, ascii)}): models read other words, and two names may look alike: "
            "write plain letters"
        )
    return tuple(found)


def _first_of(names: Sequence[str], shown: Callable[[str], str] = short_repr) -> str:
    return some_of([shown(names[0]), *names[1:]], 1)


@dataclass(slots=True)
class PhotoChecks:
    """What is odd in photos: black or transparent ones, and those that are turned without a change of size."""

    spec: str
    """The source, or some of it, as messages name it."""
    dark: Oddity = field(default_factory=Oddity)
    """Photos without a bright pixel."""
    white: Oddity = field(default_factory=Oddity)
    """Transparent photos, on white, without a dark pixel."""
    turned: Oddity = field(default_factory=Oddity)
    """Photos that EXIF turns or mirrors into a picture of the same size."""
    turns: set[int] = field(default_factory=set)
    """The orientations of ``turned``, from 2 to 8."""

    def add(self, source: SceneSource, index: int, *, most_px: float = inf) -> int:
        """Looks at the photo of a scene, and at its pixels if they are ``most_px`` at most; returns their number.

        Raises:
            DataError: the scene cannot be made, or the photo not be read.
        """
        if not isinstance(source, AnnotatedPhotos) or source.photos is None:  # photos that are no files
            scene = source.scene(index)
            self._add_pixels(scene.photo.id, source.photo(scene.photo))
            return scene.width * scene.height
        scene, name = source.annotations.scene(index), source.annotations.photo_file(index)
        head, size_px = source.photos.head(name), scene.width * scene.height
        self._add_orientation(name, head.orientation, scene)
        if size_px > most_px:
            return 0
        # Nothing is kept of a look: a photo that changes before a case needs it is read as it is then.
        self._add_pixels(name, source.photos.decoded(name), head)
        return size_px

    def add_beside(self, photos: PhotoFiles, name: str) -> None:
        """Looks at a photo that conversations alone show.

        Raises:
            DataError: it cannot be read.
        """
        self._add_pixels(name, photos.decoded(name), photos.head(name))

    def _add_pixels(self, name: str, image: Image, head: PhotoHead | None = None) -> None:
        counts, hot = image.histogram(), image.width * image.height // _HOT
        dark = _DARK_OF_DEEP if head and head.is_deep else _DARK
        brightest = _brightest(counts, hot)
        if brightest <= dark:
            self.dark.add(f"{short_repr(name)}: {brightest} of 255")
        if head and head.has_alpha and (lightness := _brightest(counts[::-1], hot)) <= dark:
            self.white.add(f"{short_repr(name)}: {255 - lightness} of 255")

    def _add_orientation(self, name: str, orientation: int, scene: Scene) -> None:
        # Where the size changes, ``check_size`` finds boxes that were drawn on the photo as it is stored.
        keeps_size = orientation in (2, 3, 4) or (orientation > 4 and scene.width == scene.height)
        if scene.objects and keeps_size:
            self.turned.add(short_repr(name))
            self.turns.add(orientation)

    def lines(self) -> tuple[str, ...]:
        """A line for each oddity."""
        found = []
        if self.dark.count:
            found.append(
                f"{self.dark.subject('photo', self.spec, 'is', 'are')} dark: the brightest pixel of {self.dark.first}. "
                "Has it values of fewer bits in a file of 16? Scale them"
            )
        if self.white.count:
            found.append(
                f"{self.white.subject('photo', self.spec, 'is', 'are')} white: the darkest pixel of "
                f"{self.white.first}. "
                "Is it transparent, or has it values of fewer bits in a file of 16? Take the alpha out, or scale them"
            )
        if self.turned.count:
            orientations = " or ".join(map(str, sorted(self.turns)))
            found.append(
                f"{self.turned.subject('photo', self.spec, 'is', 'are')} turned by EXIF (orientation {orientations}; "
                f"{self.turned.first}) and of the same size before and after: boxes must be drawn on the photo as "
                "viewers show it, turned; or take the EXIF out"
            )
        return tuple(found)


def _brightest(counts: Sequence[int], hot: int) -> int:
    """The brightest value of any channel by the counts of its 256 values, without ``hot`` pixels."""
    brightest = 0
    for start in range(0, len(counts), 256):  # one channel after the other
        left = hot
        for value in range(255, brightest, -1):
            left -= counts[start + value]
            if left < 0:
                brightest = value
                break
    return brightest


def sampled_photo_lines(source: SceneSource) -> tuple[str, ...]:
    """What is odd in some photos of a source, spread over it: a look at files that takes about half a second.

    Photos that cannot be read are left out: a case that needs one will name it. Photos that are no files, such as those
    that the picture world draws, are not looked at.
    """
    if not isinstance(source, AnnotatedPhotos) or source.photos is None:
        return ()
    indices = sample_indices(len(source), _SAMPLED)
    some = "" if len(indices) == len(source) else f"the {len(indices)} looked at in "
    checks, left_px = PhotoChecks(some + source.spec), _SAMPLED_PX
    for index in indices:
        with suppress(DataError):
            left_px -= checks.add(source, index, most_px=left_px)
    return checks.lines()
