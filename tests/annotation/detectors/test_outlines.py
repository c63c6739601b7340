"""Polygons cover the pixels that their mask does, as the reader of scene graphs draws them."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter  # type: ignore[import-untyped]  # its stubs are a package of their own

from pytest_vqamt.annotation.detectors.outlines import outlines
from pytest_vqamt.data.graphs import Polygons
from pytest_vqamt.data.masks import polygon_mask
from tests.rows import each_row

Mask = NDArray[np.bool_]


def covered(polygons: Polygons, mask: Mask) -> Mask:
    height, width = mask.shape
    return np.asarray(polygon_mask(polygons, width, height)) > 0


def iou(one: Mask, other: Mask) -> float:
    return float((one & other).sum() / (one | other).sum())


@st.composite
def blobs(draw: st.DrawFn) -> Mask:
    """Masks of any size, from single pixels to smooth shapes with holes."""
    height, width = draw(st.integers(1, 40)), draw(st.integers(1, 40))
    noise = np.random.default_rng(draw(st.integers(0, 2**32 - 1))).random((height, width))
    smooth = gaussian_filter(noise, draw(st.sampled_from([0.0, 1.0, 3.0])), mode="constant")
    mask: Mask = smooth >= np.quantile(smooth, draw(st.floats(0, 1)))
    return mask


@given(mask=blobs())
def test_they_cover_what_the_mask_covers(mask: Mask) -> None:
    assert iou(covered(outlines(mask), mask), mask) >= 0.95


@given(mask=blobs(), left=st.integers(0, 5), top=st.integers(0, 5))
def test_a_place_in_the_picture_moves_them(mask: Mask, left: int, top: int) -> None:
    moved = tuple(
        tuple(number + (left, top)[place % 2] for place, number in enumerate(polygon)) for polygon in outlines(mask)
    )
    assert outlines(mask, left=left, top=top) == moved


def test_one_pixel() -> None:
    mask = np.zeros((4, 5), np.bool_)
    mask[2, 3] = True
    ((*corners,),) = outlines(mask)
    # Its centre is at (3.5, 2.5); the line runs half way to the centres around it.
    assert set(zip(corners[::2], corners[1::2], strict=True)) == {(4.0, 2.5), (3.5, 3.0), (3.0, 2.5), (3.5, 2.0)}
    assert np.array_equal(covered(outlines(mask), mask), mask)


def test_a_hole_stays_open() -> None:
    mask = np.ones((30, 40), np.bool_)
    mask[10:20, 12:30] = False
    polygons = outlines(mask)
    assert len(polygons) == 1
    assert np.array_equal(covered(polygons, mask), mask)


def test_pieces_are_polygons_of_their_own_and_the_largest_comes_first() -> None:
    mask = np.zeros((30, 40), np.bool_)
    mask[2:6, 2:6] = mask[10:28, 10:38] = True
    small, large = [2, 2, 6, 6], [10, 10, 38, 28]
    extents = [[min(p[::2]), min(p[1::2]), max(p[::2]), max(p[1::2])] for p in outlines(mask)]
    assert extents == [large, small]


def test_specks_are_left_out() -> None:
    mask = np.zeros((60, 60), np.bool_)
    mask[5:55, 5:55] = mask[0, 0] = mask[58, 3] = True
    assert len(outlines(mask)) == 1


def test_they_are_simpler_than_the_mask() -> None:
    ys, xs = np.mgrid[:200, :300]
    ellipse = ((xs - 150) / 120) ** 2 + ((ys - 100) / 70) ** 2 <= 1
    (polygon,) = outlines(ellipse)
    assert len(polygon) // 2 < 60  # the line along its pixels has more than 600 corners
    assert iou(covered((polygon,), ellipse), ellipse) >= 0.98


@each_row("shape", [(1, 1), (7, 3)])
def test_nothing_has_no_outline(shape: tuple[int, int]) -> None:
    assert outlines(np.zeros(shape, np.bool_)) == ()
