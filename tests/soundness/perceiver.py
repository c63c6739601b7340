"""A perfect perceiver that looks at pixels: what it sees of an edited picture, and what it therefore says.

It knows what every thing of the unedited photo is, and makes out as much of it as is left. What it sees only half it
cannot be asked about: it says so, and the relation that asked is wrong.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.edits import Crop, Mask, Write
from pytest_vqamt.core.meaning import (
    ORDINALS,
    Describe,
    Exists,
    InAll,
    InPicture,
    Meaning,
    ShowSame,
    WhichPicture,
    Written,
)
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.query import Query
from pytest_vqamt.imaging.views import text_size_px
from pytest_vqamt.models.reference.oracle import answer_text
from tests.soundness.knowing import Doubtful, Knowing, Known
from tests.soundness.pixels import Bitmap, Outlines, Shown, View, view

SEEN_SHARE = 0.75
"""Of a thing that is surely seen, at least so much is left of what its photo shows.

Annotators name things of which far more is hidden by what stands before them, and of some the picture world itself
shows no more than 0.6. An edit that takes a quarter of that leaves 0.45 of the whole.
"""

NAMED_SHARE = 0.1
"""Of a thing that is surely named where everything is to be described, at least so much is left.

Nobody asks how many there are, or whether they are brown: it need only be told for what it is. MetaIC puts a thing
before 30 or 45 % of a box by design, as things stand before each other in any photo; of one that fills no more than
half of its box, that leaves a tenth.
"""

GONE_SHARE = 0.02
"""Of a thing that is surely not seen, at most so much is left: the rim of an outline drawn by hand, a pixel wide."""

LEAST_PX = 36
"""A remnant of fewer pixels, about 6 by 6, is taken for nothing."""

PIECE_SHARE = 0.1
"""A part that hangs together and has so much of a thing, or more, may be taken for a thing of its own."""

UNSURE = "I cannot tell."
"""What the perceiver says about what it sees half: no relation may ask that."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sight:
    """What is made of a view.

    Attributes:
        well: what is seen for what it is.
        crowds: those that are.
        badly: what is seen half, or blurred.
        split: those seen well that lie in more pieces than they did.
    """

    well: tuple[Shown, ...]
    crowds: tuple[Shown, ...]
    badly: tuple[Shown, ...]
    split: tuple[Shown, ...]


@dataclass(frozen=True, slots=True)
class Perceiver:
    """Sees the pictures of one source."""

    outlines: Outlines

    def answer(self, query: Query) -> str:
        """The right answer by what the picture shows, or UNSURE."""
        if isinstance(query.meaning, Written):
            return answer_text(query.meaning.text.casefold() in _read(query.picture))
        enough = NAMED_SHARE if isinstance(query.meaning, Describe) else SEEN_SHARE
        known = self._known(query.meaning, [self.knowing(picture, enough) for picture in query.pictures])
        return UNSURE if known is None else answer_text(known)

    def _known(self, meaning: Meaning, shown: Sequence[Knowing]) -> Known:
        """The right answer by what each of the pictures shows, if it can be told."""
        match meaning:
            case InPicture(which=which, meaning=inner):
                return shown[which].answer(inner)
            case WhichPicture(group=group):
                there = [each.answer(Exists(group=group)) for each in shown]
                return None if None in there or sum(map(bool, there)) != 1 else ORDINALS[there.index(True)]
            case InAll(meaning=inner):
                found = [each.answer(inner) for each in shown]
                if isinstance(inner, Exists):
                    return True if True in found else None if None in found else False
                return None if None in found else sum(each for each in found if isinstance(each, int))
            case ShowSame():
                first, second = ({thing.id for thing in each.things} for each in shown)
                return first == second
        (only,) = shown
        return only.answer(meaning)

    def knowing(self, picture: Picture, enough: float = SEEN_SHARE) -> Knowing:
        """What is known of the picture, where so much of a thing is enough to tell it."""
        sight = self.sight(view(picture, self.outlines), enough)
        return Knowing(
            things=tuple(replace(each.thing, box=_around(each.pixels)) for each in sight.well),
            doubtful=tuple(_doubtful(sight)),
            relationships=self.outlines.scene(picture.photo).relationships,
            kinds=self.outlines.kinds,
            compares=not any(isinstance(edit, Crop | Mask) for edit in picture.edits),
            alike=self.outlines.alike,
            parts=lambda thing, part: self.outlines.parts(picture, thing, part),
        )

    def sight(self, seen: View, enough: float = SEEN_SHARE) -> Sight:
        well, crowds, badly, split = [], [], [], []
        blurred = not seen.clear.all()
        for each in seen.shown:
            left = int(np.count_nonzero(each.pixels))
            # Of a crowd, the smallest part may be one of the many.
            if left == 0 or (left <= GONE_SHARE * each.had and not each.crowd):
                continue
            clear = int(np.count_nonzero(each.pixels & seen.clear)) if blurred else left
            if clear < enough * each.had:
                if left >= LEAST_PX:
                    badly.append(each)
            elif each.crowd:
                crowds.append(each)
            else:
                well.append(each)
                if left < np.count_nonzero(each.came_as) and _pieces(each.pixels, left) > _pieces(each.came_as, left):
                    split.append(each)
        return Sight(well=tuple(well), crowds=tuple(crowds), badly=tuple(badly), split=tuple(split))


LEAST_LETTER_PX = 9
"""The least size of letters that can be read."""


def _read(picture: Picture) -> set[str]:
    """The texts of the cards that can be read."""
    cards = (edit for edit in picture.edits if isinstance(edit, Write))
    return {
        card.text.casefold()
        for card in cards
        if text_size_px(card.text, round(card.box.w), round(card.box.h)) >= LEAST_LETTER_PX
    }


def _around(pixels: Bitmap) -> Box:
    """The smallest box around the pixels."""
    columns, rows = (np.flatnonzero(pixels.any(axis=axis)) for axis in (0, 1))
    return Box.from_corners(int(columns[0]), int(rows[0]), int(columns[-1]) + 1, int(rows[-1]) + 1)


def _doubtful(sight: Sight) -> Iterator[Doubtful]:
    """All that might be there besides what is seen well: some of a crowd, what is seen badly, parts as things."""
    for each in (*sight.split, *sight.crowds):
        yield Doubtful(thing=each.thing, badly=False)
    for each in sight.badly:
        yield Doubtful(thing=each.thing, badly=True)


def _pieces(pixels: Bitmap, whole: float) -> int:
    """In how many parts of some size the pixels hang together, corners included; the ``whole`` is so many pixels."""
    _, _, found, _ = cv2.connectedComponentsWithStats(pixels.astype(np.uint8), connectivity=8)
    return int((found[1:, cv2.CC_STAT_AREA] >= PIECE_SHARE * whole).sum())
