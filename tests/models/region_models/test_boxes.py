"""Boxes change as they were taught to."""

from __future__ import annotations

from math import log

import pytest
import torch

from pytest_vqamt.models.region_models.frcnn.ops import apply_deltas, clip_boxes, has_sides_above

ONE = (1.0, 1.0, 1.0, 1.0)


def test_a_box_moves_by_parts_of_itself_and_grows_by_exponentials() -> None:
    # 10 wide and 20 high around (15, 30): the centre moves to (20, 20), the width doubles, the height halves.
    boxes, deltas = torch.tensor([[10.0, 20, 20, 40]]), torch.tensor([[0.5, -0.5, log(2), log(0.5)]])
    assert apply_deltas(boxes, deltas, ONE)[0].tolist() == pytest.approx([10, 15, 30, 25])


def test_deltas_are_divided_first() -> None:
    boxes, deltas = torch.tensor([[10.0, 20, 20, 40]]), torch.tensor([[5, -5, 5 * log(2), 5 * log(0.5)]])
    assert apply_deltas(boxes, deltas, (10, 10, 5, 5))[0].tolist() == pytest.approx([10, 15, 30, 25])


def test_no_change_leaves_a_box_alone() -> None:
    boxes = torch.tensor([[1.0, 2, 5, 10]])
    assert apply_deltas(boxes, torch.zeros(1, 4), ONE).tolist() == boxes.tolist()


def test_a_box_grows_at_most_from_16_pixels_to_1000() -> None:
    grown = apply_deltas(torch.tensor([[0.0, 0, 16, 16]]), torch.tensor([[0.0, 0, 50, 50]]), ONE)
    assert grown[0].tolist() == pytest.approx([-492, -492, 508, 508], rel=1e-5)


def test_what_lies_outside_is_cut_off() -> None:
    boxes = torch.tensor([[-5.0, -6, 300, 400], [300, 10, 310, 20]])
    assert clip_boxes(boxes, width=200, height=100).tolist() == [[0, 0, 200, 100], [200, 10, 200, 20]]


def test_boxes_without_area_are_told() -> None:
    boxes = torch.tensor([[0.0, 0, 1, 1], [0, 0, 0, 1], [0, 0, 1, 0]])
    assert has_sides_above(boxes, 0).tolist() == [True, False, False]
    assert has_sides_above(boxes, 1).tolist() == [False, False, False]
