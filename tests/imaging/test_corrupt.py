"""A corruption stays inside its boxes, and the same seed gives the same pixels."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.edits import Corrupt, Corruption
from pytest_vqamt.core.errors import RenderError
from pytest_vqamt.imaging.corruptions import corrupt
from tests.imaging.random_images import boxes, images, touched, values


@pytest.mark.parametrize("kind", Corruption)
@given(images(), st.integers(1, 5), st.lists(boxes(), min_size=1, max_size=3), st.integers(0, 2**128 - 1))
def test_inside_the_boxes_stands_the_corrupted_whole(
    kind: Corruption, image: Image.Image, severity: int, some: list[Box], seed: int
) -> None:
    before = values(image).copy()
    whole = values(corrupt(image, Corrupt(kind=kind, severity=severity), seed))
    after = values(corrupt(image, Corrupt(kind=kind, severity=severity, boxes=tuple(some)), seed))
    corrupted = touched(tuple(some), image)
    assert (after[~corrupted] == before[~corrupted]).all()
    assert (after[corrupted] == whole[corrupted]).all()
    assert (values(image) == before).all()


@pytest.mark.parametrize("kind", [Corruption.IMPULSE, Corruption.SNOW])
def test_another_seed_gives_other_noise(kind: Corruption) -> None:
    image, edit = Image.new("RGB", (60, 40), (99, 99, 99)), Corrupt(kind=kind, severity=3)
    assert (values(corrupt(image, edit, 1)) == values(corrupt(image, edit, 1))).all()
    assert not (values(corrupt(image, edit, 1)) == values(corrupt(image, edit, 2))).all()


@pytest.mark.parametrize("kind", Corruption)
def test_every_corruption_changes_the_picture(kind: Corruption) -> None:
    image = Image.effect_noise((60, 40), 80).convert("RGB")
    assert not (values(corrupt(image, Corrupt(kind=kind, severity=1), 1)) == values(image)).all()


@pytest.mark.parametrize("severity", [0, 6])
def test_a_severity_that_is_not_published_is_refused(severity: int) -> None:
    with pytest.raises(RenderError, match=rf"Expected a severity from 1 to 5, but got edit=Corrupt\(.*={severity}"):
        corrupt(Image.new("RGB", (5, 5)), Corrupt(kind=Corruption.SNOW, severity=severity), 1)
