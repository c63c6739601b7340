"""Of boxes that overlap too much the best stays."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from pytest_vqamt.models.region_models.frcnn import ops
from pytest_vqamt.models.region_models.frcnn.ops import nms

FLOAT = np.float32


def kept(
    boxes: Sequence[tuple[float, ...]], scores: list[float], overlap: float, limit: int | None = None
) -> list[int]:
    return [int(each) for each in nms(torch.tensor(boxes).float(), torch.tensor(scores), overlap, limit)]


def literal(boxes: NDArray[np.float32], scores: NDArray[np.float32], overlap: float) -> list[int]:
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
    expected = literal(boxes, scores, overlap)
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


@pytest.mark.parametrize("limit", [1, 127, 128, 129])
def test_a_limit_cuts_at_any_place(limit: int) -> None:
    apart = torch.arange(200.0)[:, None] * 2 + torch.tensor([0.0, 0.0, 1.0, 1.0])
    assert nms(apart, -torch.arange(200.0), 0.5, limit).tolist() == list(range(limit))
