"""How a thing looks in its photo: sharpness, contrast, parts, and what touches it.

All is measured on the thing scaled so that its longer side has ``SIDE_PX``, since models and people see it about as
large: a thing of few pixels is blurred then, however sharp each of them is.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from PIL import Image

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.corpus import Neighbour, ThingLook

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Mask: TypeAlias = NDArray[np.bool_]

SIDE_PX = 128
"""The longer side of the scaled thing."""

_AROUND = 0.06
"""The share of the longer side that is looked at on each side of the thing."""
_LUMINANCE = (0.299, 0.587, 0.114)
"""The weights of red, green and blue (ITU-R 601)."""
_SHARP_PERCENTILE = 90
"""Most of a thing is smooth; the strongest tenth of its gradients are its details."""
_CORE_PX = 2
"""So far inside the outline the gradient is of the thing alone."""
_RIM_PX = 4
"""The width of the bands inside and outside of the outline whose colours are compared."""
_OPEN_DISTANCE = 30
"""Where the colours on both sides of the outline are nearer than this, the thing may go on beyond its mask."""
_REACH_PX = 3
"""Something so near the outline touches it: annotators leave gaps."""


def measure_look(photo: Image.Image, mask: Image.Image, others: Iterable[tuple[str, Image.Image]]) -> ThingLook | None:
    """The look of the thing that ``mask`` shows; None if the mask is empty.

    Args:
        photo: RGB, uint8.
        mask: mode L, 255 on the thing, of the photo's size.
        others: the name and the mask (in the form of ``mask``) of each other thing or crowd near it.

    Sharpness is the 90th percentile of the gradient of the luminance (0 to 255, per pixel) inside the thing; contrast
    the Euclidean distance of the mean RGB colours on both sides of the outline, without other things; the outline is
    open where the mean colours of the nearest pixels on both sides are less than 30 apart.
    """
    found = mask.getbbox()
    if found is None:
        return None
    box = Box.from_corners(*found)
    side = max(box.w, box.h)
    scale, around = SIDE_PX / side, round(_AROUND * side) + 1
    # All is measured in a window around the thing: a whole photo would take many times as long.
    window = (
        max(0, found[0] - around),
        max(0, found[1] - around),
        min(photo.width, found[2] + around),
        min(photo.height, found[3] + around),
    )
    size = max(1, round((window[2] - window[0]) * scale)), max(1, round((window[3] - window[1]) * scale))

    def scaled(image: Image.Image) -> Image.Image:
        return image.crop(window).resize(size, Image.Resampling.BILINEAR)

    colours = np.asarray(scaled(photo), dtype=np.float64)
    thing = np.asarray(scaled(mask)) > 127
    beside = [(name, np.asarray(scaled(other)) > 127) for name, other in others]
    # The background of the contrast is what no annotation covers.
    taken = np.logical_or.reduce([thing, *(other for _, other in beside)])
    inner = thing & ~_eroded(thing, _RIM_PX)
    outer = _dilated(thing, _RIM_PX + 1) & ~_dilated(thing, 1) & ~taken  # the ring between mixes both
    return ThingLook(
        box=box,
        area_px=int(np.count_nonzero(np.asarray(mask.crop(found)) > 127)),
        largest_part=_largest_part(thing) / max(1, int(np.count_nonzero(thing))),
        sharpness=_sharpness(colours, _eroded(thing, _CORE_PX)),
        contrast=_distance(colours, inner, outer),
        open_stretch=_open_stretch(colours, thing),
        neighbours=tuple(each for name, other in beside if (each := _neighbour(name, other, thing))),
    )


def _sharpness(colours: NDArray[np.float64], core: Mask) -> float:
    if not core.any() or min(core.shape) < 2:  # a thin thing has no core, and np.gradient needs two rows
        return 0.0
    down, across = np.gradient(colours @ np.array(_LUMINANCE))
    return float(np.percentile(np.hypot(down, across)[core], _SHARP_PERCENTILE))


def _distance(colours: NDArray[np.float64], inner: Mask, outer: Mask) -> float:
    if not (inner.any() and outer.any()):  # others surround it, or it fills the photo
        return 0.0
    return float(np.linalg.norm(colours[inner].mean(axis=0) - colours[outer].mean(axis=0)))


def _neighbour(name: str, other: Mask, thing: Mask) -> Neighbour | None:
    outline = thing & ~_eroded(thing, 1)
    touched = float((outline & _dilated(other, _REACH_PX)).sum() / max(1, outline.sum()))
    shared = float((other & thing).sum() / max(1, thing.sum()))
    return Neighbour(name=name, touched=touched, shared=shared) if touched or shared else None


def _open_stretch(colours: NDArray[np.float64], thing: Mask) -> float:
    """The share of the outline that its longest open stretch has."""
    outline = thing & ~_eroded(thing, 1)
    inside, outside = (_mean_around(colours, side, outline) for side in (_eroded(thing, 1), ~_dilated(thing, 1)))
    is_open = np.zeros_like(outline)
    # NaN, where one side has no pixel within reach, is not below the distance: such places count as closed.
    is_open[outline] = np.linalg.norm(inside - outside, axis=-1) < _OPEN_DISTANCE
    return _largest_part(is_open) / max(1, int(np.count_nonzero(outline)))


def _mean_around(colours: NDArray[np.float64], side: Mask, places: Mask) -> NDArray[np.float64]:
    """The mean colour of the pixels of ``side`` within reach of each of the places; NaN where there is none."""
    counted = np.concatenate((colours * side[..., None], side[..., None]), axis=-1)
    padded = np.pad(counted, ((_REACH_PX, _REACH_PX), (_REACH_PX, _REACH_PX), (0, 0)))
    # An outline is a few hundred of many thousand pixels: their windows are summed one by one.
    windows = np.lib.stride_tricks.sliding_window_view(padded, (2 * _REACH_PX + 1, 2 * _REACH_PX + 1), axis=(0, 1))
    sums = windows[places].sum(axis=(-2, -1))  # of whole numbers, so exact in any order
    total: NDArray[np.float64] = sums[:, :3]
    number: NDArray[np.float64] = sums[:, 3:]
    return np.where(number > 0, total, np.nan) / np.maximum(1, number)


def _largest_part(mask: Mask) -> int:
    """The number of pixels of the largest part, whose pixels share edges or corners."""
    # Rows are runs of pixels, and runs that touch those of the row above join their parts: hundreds of steps, where
    # growing a part pixel by pixel takes thousands.
    edges = np.diff(np.pad(mask, ((0, 0), (1, 1))).astype(np.int8), axis=1)
    rows, starts = np.nonzero(edges == 1)
    ends = np.nonzero(edges == -1)[1]
    part_of, sizes = list(range(len(rows))), (ends - starts).tolist()

    def root(run: int) -> int:
        while part_of[run] != run:
            part_of[run] = run = part_of[part_of[run]]
        return run

    above = 0  # the first run that may touch this one or a later one
    runs = list(zip(rows.tolist(), starts.tolist(), ends.tolist(), strict=True))
    for run, (row, start, end) in enumerate(runs):
        while runs[above][:1] < (row - 1,) or (runs[above][0] == row - 1 and runs[above][2] < start):
            above += 1
        other = above
        while runs[other][0] == row - 1 and runs[other][1] <= end:
            one, two = root(other), root(run)
            if one != two:
                part_of[two] = one
                sizes[one] += sizes[two]
            other += 1
    return max(sizes, default=0)


def _dilated(mask: Mask, steps: int) -> Mask:
    """The mask with its neighbours above, below, left and right, so many times."""
    for _ in range(steps):
        wider = mask.copy()
        wider[1:] |= mask[:-1]
        wider[:-1] |= mask[1:]
        wider[:, 1:] |= mask[:, :-1]
        wider[:, :-1] |= mask[:, 1:]
        mask = wider
    return mask


def _eroded(mask: Mask, steps: int) -> Mask:
    """The mask without its rim; the edge of the photo is no rim."""
    return ~_dilated(~mask, steps)
