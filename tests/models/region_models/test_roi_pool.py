"""RoIPool takes the largest in each cell of a box, and rounds as torchvision's does."""

from __future__ import annotations

import numpy as np
import torch
from hypothesis import given
from hypothesis import strategies as st

from pytest_vqamt.models.region_models.frcnn.ops import RoIPool
from tests.models.region_models.slow_forward import roi_pool as literal


def pooled(rows: list[list[float]], box: tuple[float, ...], size: int) -> list[list[float]]:
    """What is in a box in pixels of a map of one channel, 16 pixels a place."""
    cells = RoIPool(torch.tensor(rows)[None], torch.tensor([box]), size, 1 / 16).cells(0, 1)
    assert cells.shape == (1, 1, size, size)
    found: list[list[float]] = cells[0, 0].tolist()
    return found


def counted(rows: int, columns: int) -> list[list[float]]:
    """A map of 1, 2, 3, ... row by row."""
    return [[float(row * columns + column + 1) for column in range(columns)] for row in range(rows)]


def test_bins_share_the_place_between_them() -> None:
    # Places 0 to 2 in two bins of 1.5: from floor(0) to ceil(1.5), and from floor(1.5) to 3.
    assert pooled(counted(4, 4), (0, 0, 32, 32), 2) == [[6, 7], [10, 11]]


def test_a_box_smaller_than_the_grid_repeats_its_places() -> None:
    # Places 1 to 2 along x and 0 along y: bins of half a place, and of a quarter.
    assert pooled(counted(2, 4), (16, 0, 32, 0), 4) == [[2, 2, 3, 3]] * 4


def test_halves_round_away_from_zero() -> None:
    # 8, 24 and 40 pixels are 0.5, 1.5 and 2.5 places: 1, 2 and 3, whereas rounding to even would give 0, 2 and 2.
    assert pooled(counted(1, 6), (8, 0, 8, 0), 1) == [[2]]
    assert pooled(counted(1, 6), (24, 0, 24, 0), 1) == [[3]]
    assert pooled(counted(1, 6), (40, 0, 40, 0), 1) == [[4]]
    assert pooled(counted(1, 6), (39.9, 0, 39.9, 0), 1) == [[3]]
    assert pooled(counted(1, 6), (8, 0, 40, 0), 1) == [[4]]


def test_cells_beyond_the_map_are_empty() -> None:
    # Places 0 and 1 of a map that has only place 0.
    assert pooled([[7.0]], (0, 0, 16, 16), 2) == [[7, 0], [0, 0]]


def test_a_box_wholly_outside_is_empty() -> None:
    assert pooled(counted(3, 3), (160, 160, 200, 200), 2) == [[0, 0], [0, 0]]


def test_negative_features_are_not_mistaken_for_emptiness() -> None:
    assert pooled([[-5.0, -3.0], [-4.0, -2.0]], (0, 0, 16, 0), 1) == [[-3]]


def test_bins_are_cut_in_single_precision() -> None:
    # 57 places in 14 bins: in float32 14 * (57 / 14) is just above 57, so that the last bin has one place more.
    last = pooled(counted(1, 60), (0, 0, 56 * 16, 0), 14)[0][-1]
    assert last == 58
    assert pooled(counted(1, 60), (0, 0, 55 * 16, 0), 14)[0][-1] == 56


def test_boxes_are_taken_in_any_portions() -> None:
    generator = torch.Generator().manual_seed(1)
    features = torch.rand(3, 9, 11, generator=generator)
    low = torch.rand(7, 2, generator=generator) * 80
    boxes = torch.cat((low, low + torch.rand(7, 2, generator=generator) * 90), dim=1)
    pool = RoIPool(features, boxes, 4, 1 / 16)
    torch.testing.assert_close(torch.cat((pool.cells(0, 3), pool.cells(3, 10))), pool.cells(0, 7))
    assert RoIPool(features, boxes[:0], 4, 1 / 16).cells(0, 5).shape == (0, 3, 4, 4)


@given(
    seed=st.integers(0, 2**32 - 1),
    rows=st.integers(1, 70),
    columns=st.integers(1, 70),
    size=st.sampled_from([1, 2, 7, 14]),
)
def test_it_pools_what_the_definition_pools(seed: int, rows: int, columns: int, size: int) -> None:
    """Boxes within the map and beyond it, at whole pixels, so that halves come up."""
    random = np.random.default_rng(seed)
    features = random.normal(size=(2, rows, columns)).astype(np.float32)
    corners = random.integers(-8, 16 * max(rows, columns) + 8, (3, 2, 2))
    corners.sort(axis=1)
    boxes = corners.reshape(3, 4).astype(np.float32)
    fast = RoIPool(torch.from_numpy(features), torch.from_numpy(boxes), size, 1 / 16).cells(0, 3)
    for box, cells in zip(boxes, fast, strict=True):
        np.testing.assert_array_equal(cells.numpy(), literal(features, box / np.float32(16), size))
