"""Regions are always 36 rows, of which the first are real."""

from __future__ import annotations

import numpy as np

from pytest_vqamt.models.region_models.regions import Regions


def test_boxes_become_shares_of_the_picture() -> None:
    boxes = np.array([[0, 0, 200, 100], [50, 25, 100, 75]], np.float32)
    regions = Regions.of(boxes, np.ones((2, 2048), np.float32), width=200, height=100)
    assert regions.count == 2
    assert regions.boxes[:2].tolist() == [[0, 0, 1, 1], [0.25, 0.25, 0.5, 0.75]]
    assert regions.boxes.shape == (36, 4)
    assert regions.features.shape == (36, 2048)
    assert regions.boxes.dtype == regions.features.dtype == np.float32


def test_the_rows_that_are_missing_are_zero() -> None:
    regions = Regions.of(np.ones((2, 4), np.float32), np.ones((2, 2048), np.float32), width=9, height=9)
    assert regions.features[:2].all()
    assert not regions.features[2:].any()
    assert not regions.boxes[2:].any()
    none = Regions.of(np.zeros((0, 4), np.float32), np.zeros((0, 2048), np.float32), width=9, height=9)
    assert none.count == 0
    assert not none.features.any()


def test_rounding_leads_no_box_out_of_the_picture() -> None:
    boxes = np.array([[-1e-4, 0, 3.0000002, 3]], np.float32)
    regions = Regions.of(boxes, np.zeros((1, 2048), np.float32), width=3, height=3)
    assert regions.boxes[0].tolist() == [0, 0, 1, 1]
