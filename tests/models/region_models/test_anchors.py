"""Anchors are where the original has them."""

from __future__ import annotations

import pytest
import torch

from pytest_vqamt.models.region_models.frcnn.network import Anchors, cell_anchors

SIZES, RATIOS = (64.0, 128.0, 256.0, 512.0), (0.5, 1.0, 2.0)


def test_the_twelve_of_a_cell() -> None:
    anchors = cell_anchors(SIZES, RATIOS)
    assert anchors.shape == (12, 4)
    first = torch.tensor([[-45.25, -22.63, 45.25, 22.63], [-32, -32, 32, 32], [-22.63, -45.25, 22.63, 45.25]])
    torch.testing.assert_close(anchors[:3], first, atol=5e-3, rtol=0)
    # Each size twice the one before, its three together.
    for number in range(1, 4):
        torch.testing.assert_close(anchors[3 * number : 3 * number + 3], 2**number * anchors[:3])
    areas = (anchors[:, 2] - anchors[:, 0]) * (anchors[:, 3] - anchors[:, 1])
    assert areas.tolist() == pytest.approx([size**2 for size in SIZES for _ in RATIOS], rel=1e-6)


def test_cells_go_row_by_row_sixteen_pixels_apart() -> None:
    anchors = Anchors(cell_anchors([32], [1.0]), offset=0.0)(2, 3)
    assert anchors.tolist() == [
        [-16, -16, 16, 16], [0, -16, 32, 16], [16, -16, 48, 16],
        [-16, 0, 16, 32], [0, 0, 32, 32], [16, 0, 48, 32],
    ]  # fmt: skip


def test_the_anchors_of_a_cell_stand_together() -> None:
    anchors = Anchors(cell_anchors([16, 32], [1.0]), offset=0.0)(1, 2)
    assert anchors.tolist() == [[-8, -8, 8, 8], [-16, -16, 16, 16], [8, -8, 24, 8], [0, -16, 32, 16]]


def test_an_offset_moves_them_by_a_part_of_a_cell() -> None:
    assert Anchors(cell_anchors([16], [1.0]), offset=0.5)(1, 1).tolist() == [[0, 0, 16, 16]]
