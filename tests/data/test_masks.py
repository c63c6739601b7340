"""Segmentations as COCO writes them, against pycocotools and by hand."""

from __future__ import annotations

from array import array

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from numpy.typing import NDArray
from pycocotools import mask as coco_mask  # type: ignore[import-untyped]  # it has neither types nor stubs

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.errors import DataError
from pytest_vqamt.data.masks import Polygons, Runs, is_fragmented, mask_image, pixels, read_segmentation
from pytest_vqamt.data.records import Record
from tests.rows import each_row

masks = arrays(np.bool_, array_shapes(min_dims=2, max_dims=2, max_side=12))


def shown_by(segmentation: object, width: int, height: int) -> NDArray[np.uint8]:
    found = read_segmentation(Record({"segmentation": segmentation}, "here"), width, height)
    assert found is not None
    return pixels(found, width, height)


def test_runs_go_down_the_columns() -> None:
    # Height 2, width 3: one px not shown, two shown, three not.
    by_hand = [[0, 1, 0], [1, 0, 0]]
    for counts in ([1, 2, 3], "123"):
        assert shown_by({"size": [2, 3], "counts": counts}, 3, 2).tolist() == by_hand


def test_a_compressed_length_is_told_from_the_one_two_before() -> None:
    # Runs 1, 2, 1, 2: the fourth is written as its difference to the second, 0.
    assert shown_by({"size": [2, 3], "counts": "1210"}, 3, 2).tolist() == [[0, 1, 1], [1, 0, 1]]


def test_a_size_may_be_left_out_where_the_runs_fit() -> None:
    assert shown_by({"counts": [1, 2, 3]}, 3, 2).sum() == 2


@given(masks)
def test_any_mask_comes_back_from_its_runs(mask: NDArray[np.bool_]) -> None:
    height, width = mask.shape
    compressed = coco_mask.encode(np.asfortranarray(mask.astype(np.uint8)))["counts"].decode()
    flat = mask.ravel(order="F")
    ends = [*(np.flatnonzero(np.diff(flat)) + 1).tolist(), flat.size]
    lengths = [end - start for start, end in zip([0, *ends], ends, strict=False)]
    counts = [0, *lengths] if flat[0] else lengths
    for written in (compressed, counts):
        assert (shown_by({"size": [height, width], "counts": written}, width, height) == mask).all()


@given(masks, st.data())
def test_runs_that_are_cut_off_never_pass(mask: NDArray[np.bool_], data: st.DataObject) -> None:
    height, width = mask.shape
    text = coco_mask.encode(np.asfortranarray(mask.astype(np.uint8)))["counts"].decode()
    cut = text[: data.draw(st.integers(0, len(text) - 1))]
    # A last length of 0 says nothing, so it may be missing.
    try:
        shown = shown_by({"size": [height, width], "counts": cut}, width, height)
    except DataError:
        return
    assert (shown == mask).all()


@given(st.text(st.characters(min_codepoint=48, max_codepoint=111), max_size=30), st.integers(1, 9), st.integers(1, 9))
def test_no_text_is_read_as_more_or_less_than_the_picture(text: str, width: int, height: int) -> None:
    try:
        shown = shown_by({"size": [height, width], "counts": text}, width, height)
    except DataError:
        return
    assert shown.shape == (height, width)


@given(st.lists(st.floats(-20, 40), min_size=6, max_size=12).filter(lambda points: len(points) % 2 == 0))
def test_any_polygon_about_the_picture_can_be_drawn(points: list[float]) -> None:
    shown = shown_by([points], 20, 15)
    assert shown.shape == (15, 20)
    assert set(np.unique(shown)) <= {0, 1}


def test_a_mask_is_white_where_pixels_are_shown() -> None:
    found = read_segmentation(Record({"segmentation": {"counts": [1, 2, 3]}}, "here"), 3, 2)
    assert found is not None
    image = mask_image(found, 3, 2)
    assert image is not None
    assert image.mode == "L"
    assert np.asarray(image).tolist() == [[0, 255, 0], [255, 0, 0]]


@each_row("segmentation", [None, []])
def test_none_is_none(segmentation: object) -> None:
    assert read_segmentation(Record({"segmentation": segmentation}, "here"), 3, 2) is None


@each_row(
    "segmentation, fragmented",
    [
        (Polygons((array("d", [0, 0, 10, 0, 10, 10, 0, 10]),)), False),
        # A triangle covers half of its box.
        (Polygons((array("d", [0, 0, 10, 0, 0, 10]),)), False),
        # 10 x 2 of 10 x 10.
        (Polygons((array("d", [0, 0, 10, 0, 10, 2, 0, 2]),)), True),
        (Polygons((array("d", [0, 0, 4, 0, 4, 10, 0, 10]), array("d", [6, 0, 10, 0, 10, 10, 6, 10]))), True),
        (Runs(array("l", [0, 40, 60])), False),
        (Runs(array("l", [0, 20, 80])), True),
    ],
)
def test_pieces_and_slivers_are_fragments(segmentation: Polygons | Runs, fragmented: bool) -> None:
    assert is_fragmented(segmentation, Box(0, 0, 10, 10)) is fragmented
