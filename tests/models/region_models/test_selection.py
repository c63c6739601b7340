"""36 regions are kept, at the least overlap that gives so many."""

from __future__ import annotations

import pytest
import torch

from pytest_vqamt.models.region_models.frcnn.ops import select_regions

OVERLAPS = (0.5, 0.6, 0.7)


def strips(*lengths: float, count: int) -> torch.Tensor:
    """``count`` groups of boxes far apart; those of a group are so long, of 20, and begin together."""
    return torch.tensor([(0, 10.0 * row, length, 10.0 * row + 1) for row in range(count) for length in lengths])


def kept(boxes: torch.Tensor, scores: torch.Tensor) -> list[int]:
    return [int(each) for each in select_regions(boxes, scores, OVERLAPS)]


def falling(count: int) -> torch.Tensor:
    return torch.linspace(1, 0.1, count)


def test_the_first_overlap_that_leaves_36_counts() -> None:
    # 40 pairs that overlap by 11/20: at 0.5 one of each stays, the better one, although others score higher.
    boxes = strips(20, 11, count=40)
    assert kept(boxes, falling(80)) == list(range(0, 72, 2))


def test_the_next_is_tried_where_it_leaves_fewer() -> None:
    # 35 pairs: at 0.5 only 35 stay, at 0.6 all 70, of which 36 are the best.
    assert kept(strips(20, 11, count=35), falling(70)) == list(range(36))


@pytest.mark.parametrize("length", [15, 17])
def test_more_overlap_is_allowed_where_none_of_the_configuration_will_do(length: float) -> None:
    # 20 groups of a box, its copy and a part of it. Parts of 15/20 stay at 0.8, of 17/20 at 0.9; copies do not.
    apart = [place for place in range(60) if place % 3 != 1]
    assert kept(strips(20, 20, length, count=20), falling(60)) == apart[:36]


def test_of_copies_the_surest_are_taken_at_last() -> None:
    boxes = torch.tensor([[0.0, 0, 9, 9]]).repeat(50, 1)
    assert kept(boxes, falling(50).flip(0)) == list(range(49, 13, -1))


def test_all_are_taken_where_there_are_fewer() -> None:
    assert kept(strips(20, count=12), falling(12)) == list(range(12))
    assert kept(torch.zeros(0, 4), torch.zeros(0)) == []


def test_they_come_surest_first() -> None:
    scores = torch.tensor([0.3, 0.9, 0.5]).repeat(20)
    assert kept(strips(20, count=60), scores) == [*range(1, 60, 3), *range(2, 48, 3)]


def test_a_configuration_that_goes_further_is_not_asked_to_go_back() -> None:
    # 40 pairs that overlap by 17/20; its only overlap leaves both of each.
    assert select_regions(strips(20, 17, count=40), falling(80), (0.95,)).tolist() == list(range(36))
