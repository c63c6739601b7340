"""Proposals lie within the picture, apart from each other, and are as many as the configuration says."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from pytest_vqamt.models.region_models.frcnn.config import DetectorConfig
from pytest_vqamt.models.region_models.frcnn.network import ProposalGenerator

CONFIG = DetectorConfig(res2_channels=1, hidden_channels=4, proposals=60, anchor_sizes=(16.0,), anchor_ratios=(1.0,))


def generator_of(config: DetectorConfig) -> ProposalGenerator:
    """One that ranks the 16 x 16 boxes of all cells by the first of four features, and changes none."""
    made = ProposalGenerator(config)
    head = made.rpn_head
    for parameter in head.parameters():
        torch.nn.init.zeros_(parameter)
    with torch.no_grad():
        head.conv.weight[0, 0, 1, 1] = 1
        head.objectness_logits.weight[0, 0] = 1
    return made


def ranked(rows: int, columns: int) -> torch.Tensor:
    """A map whose first feature falls from cell to cell."""
    res4 = torch.zeros(1, 4, rows, columns)
    res4[0, 0] = torch.arange(rows * columns, 0, -1).view(rows, columns)
    return res4


@torch.no_grad()
@pytest.mark.parametrize("proposals", [3, 59, 60])
def test_the_best_come_first_and_no_more_than_asked_for(proposals: int) -> None:
    found = generator_of(replace(CONFIG, proposals=proposals))(ranked(8, 10), 160, 128)
    assert len(found) == proposals
    # The cell at the corner of the picture holds a quarter of its box, that beside it half.
    assert found[:3].tolist() == [[0, 0, 8, 8], [8, 0, 24, 8], [24, 0, 40, 8]]


@torch.no_grad()
def test_only_the_best_anchors_are_looked_at() -> None:
    assert len(generator_of(replace(CONFIG, best_anchors=7))(ranked(8, 10), 160, 128)) == 7


@torch.no_grad()
def test_boxes_outside_the_picture_are_dropped() -> None:
    # Of two columns the second begins where the picture, of 8 pixels, ends.
    found = generator_of(CONFIG)(ranked(1, 2), 8, 16)
    assert found.tolist() == [[0, 0, 8, 8]]


@torch.no_grad()
def test_sides_that_are_too_short_are_dropped() -> None:
    found = generator_of(replace(CONFIG, proposal_min_side=8.0))(ranked(2, 2), 32, 32)
    assert found.tolist() == [[8, 8, 24, 24]]


@torch.no_grad()
def test_of_boxes_that_overlap_the_better_stays() -> None:
    # Two anchors a cell, 16 and 18 pixels wide: 256 / 324 = 0.79 of the larger is shared.
    generator = generator_of(replace(CONFIG, anchor_sizes=(16.0, 18.0)))
    found = generator(ranked(1, 1), 100, 100)
    assert found.tolist() == [[0, 0, 8, 8]]
    apart = generator_of(replace(CONFIG, anchor_sizes=(16.0, 18.0), proposal_overlap=0.8))(ranked(1, 1), 100, 100)
    assert apart.tolist() == [[0, 0, 8, 8], [0, 0, 9, 9]]
