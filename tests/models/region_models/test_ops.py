"""Boxes are moved, dropped, selected and pooled as by independent implementations."""

from __future__ import annotations

from collections.abc import Sequence
from math import log

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from pytest_vqamt.models.region_models.frcnn import ops
from pytest_vqamt.models.region_models.frcnn.ops import (
    RoIPool,
    apply_deltas,
    clip_boxes,
    has_sides_above,
    nms,
    select_regions,
)
from tests.models.region_models.slow_forward import roi_pool as slow_roi_pool
from tests.rows import each_row

FLOAT = np.float32


def kept(
    boxes: Sequence[tuple[float, ...]], scores: list[float], overlap: float, limit: int | None = None
) -> list[int]:
    return [int(each) for each in nms(torch.tensor(boxes).float(), torch.tensor(scores), overlap, limit)]


def literal_nms(boxes: NDArray[np.float32], scores: NDArray[np.float32], overlap: float) -> list[int]:
    """The definition: from the best on, a box stays unless one that stays overlaps with it too much."""
    stays: list[int] = []
    for place in sorted(range(len(boxes)), key=lambda each: (-scores[each], each)):
        if not any(iou(boxes[better], boxes[place]) > FLOAT(overlap) for better in stays):
            stays.append(place)
    return stays


def iou(a: NDArray[np.float32], b: NDArray[np.float32]) -> np.float32:
    width, height = min(a[2], b[2]) - max(a[0], b[0]), min(a[3], b[3]) - max(a[1], b[1])
    shared = max(width, FLOAT(0)) * max(height, FLOAT(0))
    union = (a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1]) - shared
    return shared / union if union else FLOAT(0)


def test_the_better_of_two_that_overlap_stays() -> None:
    # 3 of the 5 units of width that they cover together are shared: 0.6.
    assert kept([(0, 0, 4, 1), (1, 0, 5, 1)], [0.1, 0.9], 0.5) == [1]
    assert kept([(0, 0, 4, 1), (1, 0, 5, 1)], [0.1, 0.9], 0.7) == [1, 0]


def test_an_overlap_of_exactly_the_threshold_is_allowed() -> None:
    halves = [(0.0, 0.0, 2.0, 1.0), (0.0, 0.0, 1.0, 1.0)]
    assert kept(halves, [0.9, 0.8], 0.5) == [0, 1]
    assert kept(halves, [0.9, 0.8], 0.49) == [0]


def test_it_is_so_among_many_boxes_too() -> None:
    wholes = [(0.0, 2.0 * place, 2.0, 2.0 * place + 1) for place in range(150)]
    halves = [(x1, y1, 1.0, y2) for x1, y1, _, y2 in wholes]
    falling = [float(-place) for place in range(300)]
    assert kept([*wholes, *halves], falling, 0.5) == list(range(300))
    assert kept([*wholes, *halves], falling, 0.49) == list(range(150))


def test_what_goes_takes_nothing_with_it() -> None:
    # Each overlaps with the next by 2/4 = 0.5, and with the one after it by 1/5.
    chain = [(float(x), 0.0, float(x + 3), 1.0) for x in range(6)]
    assert kept(chain, [0.9, 0.8, 0.7, 0.6, 0.5, 0.4], 0.4) == [0, 2, 4]


def test_of_equal_scores_the_first_stays() -> None:
    assert kept([(0, 0, 1, 1), (0, 0, 1, 1), (5, 5, 6, 6)], [0.5, 0.5, 0.5], 0.5) == [0, 2]


def test_no_more_than_the_limit_and_the_best_of_all() -> None:
    apart = [(10.0 * place, 0.0, 10.0 * place + 1, 1.0) for place in range(300)]
    scores = [float(place % 100) for place in range(300)]
    assert kept(apart, scores, 0.5, limit=4) == [99, 199, 299, 98]
    assert kept(apart, scores, 0.5) == sorted(range(300), key=lambda place: (-scores[place], place))


def test_boxes_without_area_overlap_with_none() -> None:
    assert kept([(1, 1, 1, 1), (1, 1, 1, 1), (0, 0, 2, 2)], [0.3, 0.2, 0.1], 0.0) == [0, 1, 2]


def test_no_boxes_stay_of_none() -> None:
    assert nms(torch.zeros(0, 4), torch.zeros(0), 0.5).tolist() == []


@settings(max_examples=50)
@given(
    seed=st.integers(0, 2**32 - 1),
    count=st.integers(1, 160),
    span=st.sampled_from([3, 10, 40]),
    overlap=st.sampled_from([0.0, 0.25, 0.5, 0.7, 1.0]),
)
def test_it_keeps_what_the_definition_keeps(seed: int, count: int, span: int, overlap: float) -> None:
    """On a grid, so that equal boxes, equal scores and overlaps of exactly the threshold come up."""
    random = np.random.default_rng(seed)
    corner = random.integers(0, span, (count, 2))
    boxes = np.concatenate((corner, corner + random.integers(1, span + 1, (count, 2))), axis=1).astype(FLOAT)
    scores = (random.integers(0, 20, count) / 20).astype(FLOAT)
    expected = literal_nms(boxes, scores, overlap)
    assert nms(torch.from_numpy(boxes), torch.from_numpy(scores), overlap).tolist() == expected
    assert nms(torch.from_numpy(boxes), torch.from_numpy(scores), overlap, limit=36).tolist() == expected[:36]


def test_six_thousand_boxes_are_held_against_each_other_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Which takes a tenth of a second; box by box it would be thousands of comparisons."""
    compared: list[int] = []
    iou = ops._iou

    def counting(some: torch.Tensor, others: torch.Tensor) -> torch.Tensor:
        compared.append(len(some))
        return iou(some, others)

    monkeypatch.setattr(ops, "_iou", counting)
    random = torch.Generator().manual_seed(0)
    corner = torch.rand(6000, 2, generator=random) * 1000
    boxes = torch.cat((corner, corner + torch.rand(6000, 2, generator=random) * 200 + 1), dim=1)
    scores = torch.rand(6000, generator=random)
    stays = nms(boxes, scores, 0.7)
    assert len(compared) <= 2 * -(-6000 // ops._BLOCK)
    assert 4000 < len(stays) < 6000


@each_row("limit", [1, 127, 128, 129])
def test_a_limit_cuts_at_any_place(limit: int) -> None:
    apart = torch.arange(200.0)[:, None] * 2 + torch.tensor([0.0, 0.0, 1.0, 1.0])
    assert nms(apart, -torch.arange(200.0), 0.5, limit).tolist() == list(range(limit))


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


OVERLAPS = (0.5, 0.6, 0.7)


def strips(*lengths: float, count: int) -> torch.Tensor:
    """``count`` groups of boxes far apart; those of a group are so long, of 20, and begin together."""
    return torch.tensor([(0, 10.0 * row, length, 10.0 * row + 1) for row in range(count) for length in lengths])


def chosen(boxes: torch.Tensor, scores: torch.Tensor) -> list[int]:
    return [int(each) for each in select_regions(boxes, scores, OVERLAPS)]


def falling(count: int) -> torch.Tensor:
    return torch.linspace(1, 0.1, count)


def test_the_first_overlap_that_leaves_36_counts() -> None:
    # 40 pairs that overlap by 11/20: at 0.5 one of each stays, the better one, although others score higher.
    boxes = strips(20, 11, count=40)
    assert chosen(boxes, falling(80)) == list(range(0, 72, 2))


def test_the_next_is_tried_where_it_leaves_fewer() -> None:
    # 35 pairs: at 0.5 only 35 stay, at 0.6 all 70, of which 36 are the best.
    assert chosen(strips(20, 11, count=35), falling(70)) == list(range(36))


@pytest.mark.parametrize("length", [15, 17])
def test_more_overlap_is_allowed_where_none_of_the_configuration_will_do(length: float) -> None:
    # 20 groups of a box, its copy and a part of it. Parts of 15/20 stay at 0.8, of 17/20 at 0.9; copies do not.
    apart = [place for place in range(60) if place % 3 != 1]
    assert chosen(strips(20, 20, length, count=20), falling(60)) == apart[:36]


def test_of_copies_the_surest_are_taken_at_last() -> None:
    boxes = torch.tensor([[0.0, 0, 9, 9]]).repeat(50, 1)
    assert chosen(boxes, falling(50).flip(0)) == list(range(49, 13, -1))


def test_all_are_taken_where_there_are_fewer() -> None:
    assert chosen(strips(20, count=12), falling(12)) == list(range(12))
    assert chosen(torch.zeros(0, 4), torch.zeros(0)) == []


def test_they_come_surest_first() -> None:
    scores = torch.tensor([0.3, 0.9, 0.5]).repeat(20)
    assert chosen(strips(20, count=60), scores) == [*range(1, 60, 3), *range(2, 48, 3)]


def test_a_configuration_that_goes_further_is_not_asked_to_go_back() -> None:
    # 40 pairs that overlap by 17/20; its only overlap leaves both of each.
    assert select_regions(strips(20, 17, count=40), falling(80), (0.95,)).tolist() == list(range(36))


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
        np.testing.assert_array_equal(cells.numpy(), slow_roi_pool(features, box / np.float32(16), size))
