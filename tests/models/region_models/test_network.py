"""Anchors, proposals and heads of the network."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from pytest_vqamt.models.region_models.frcnn.detector_config import DetectorConfig
from pytest_vqamt.models.region_models.frcnn.network import Anchors, BoxPredictor, ProposalGenerator, cell_anchors
from tests.rows import each_row

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
@each_row("proposals", [3, 59, 60])
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


@pytest.fixture
def predictor() -> BoxPredictor:
    """Of 8 features, 2 classes and 2 attributes, all of whose weights are zero."""
    made = BoxPredictor(8, classes=2, attributes=2)
    for parameter in made.parameters():
        torch.nn.init.zeros_(parameter)
    return made


@each_row("first_features, likeliest, told", [((5.0, 0.0), 0, 10.0), ((0.0, 5.0), 1, 20.0), ((0.0, 0.0), 2, 30.0)])
@torch.no_grad()
def test_the_attribute_follows_the_likeliest_of_all_classes(
    predictor: BoxPredictor, first_features: tuple[float, float], likeliest: int, told: float
) -> None:
    # A class's logit is its feature, the background's 1; the only hidden unit that counts is the class's embedding.
    predictor.cls_score.weight[:2, :2] = torch.eye(2)
    predictor.cls_score.bias[2] = 1
    predictor.cls_embedding.weight[:, 0] = torch.tensor([10.0, 20.0, 30.0])
    predictor.fc_attr.weight[0, 8] = 1
    predictor.attr_score.weight[1, 0] = 1
    classes, attributes, _ = predictor(torch.tensor([[*first_features, 0, 0, 0, 0, 0, 0]]))
    assert int(classes.argmax()) == likeliest
    assert attributes.tolist() == [[0, told, 0]]


@torch.no_grad()
def test_every_class_has_four_deltas_of_its_own(predictor: BoxPredictor) -> None:
    predictor.bbox_pred.bias[:] = torch.arange(8.0)
    deltas = predictor(torch.zeros(3, 8))[2]
    assert deltas.shape == (3, 2, 4)
    assert deltas[2].tolist() == [[0, 1, 2, 3], [4, 5, 6, 7]]
