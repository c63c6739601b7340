"""Each inpainter fills the hole from what is around it, and no inpainter can change anything else."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from PIL import Image

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.errors import RenderError
from pytest_vqamt.imaging import inpainters
from pytest_vqamt.imaging.inpainting import inpaint
from tests.imaging.random_images import Values, boxes, images, touched, values
from tests.rows import each_row

cv2 = pytest.importorskip("cv2")
pytest.importorskip("skimage")

methods = pytest.mark.parametrize("method", ["telea", "biharmonic"])


@methods
@given(image=images(least=2), box=boxes())
def test_nothing_outside_the_hole_changes(method: str, image: Image.Image, box: Box) -> None:
    hole = touched((box,), image)
    assume(not hole.all())
    before = values(image).copy()
    after = values(inpaint(image, box, method))
    assert after.dtype == np.uint8
    assert (after[~hole] == before[~hole]).all()
    assert (values(image) == before).all()
    assert (values(inpaint(image, box, method)) == after).all()


# OpenCV rounds each pixel from pixels that it has rounded, which adds up on the way inwards.
@each_row("method, off_by", [("telea", 5), ("biharmonic", 1)])
@given(colour=st.tuples(*[st.integers(0, 255)] * 3), box=boxes())
def test_one_colour_goes_on(method: str, off_by: int, colour: tuple[int, int, int], box: Box) -> None:
    image = Image.new("RGB", (20, 15), colour)
    assume(not touched((box,), image).all())
    assert np.abs(values(inpaint(image, box, method)).astype(int) - colour).max() <= off_by


@given(
    st.integers(0, 2**32 - 1), st.integers(0, 80), st.integers(0, 60), st.integers(1, 40), st.integers(1, 30)
)  # fmt: skip
def test_telea_on_a_piece_is_telea_on_the_whole_picture(seed: int, x: int, y: int, width: int, height: int) -> None:
    noise = np.random.default_rng(seed).integers(0, 256, (60, 80, 3), dtype=np.uint8)
    hole = np.zeros((60, 80), np.uint8)
    hole[y : y + height, x : x + width] = 1
    expected = cv2.inpaint(noise, hole, inpainters.TELEA_RADIUS_PX, cv2.INPAINT_TELEA) if hole.any() else noise
    after = values(inpaint(Image.fromarray(noise), Box(x, y, width, height), "telea"))
    assert (after[hole == 1] == expected[hole == 1]).all()


def test_biharmonic_continues_a_slope() -> None:
    ys, xs = np.mgrid[:60, :80]
    slope = np.stack([2 * xs + ys, 3 * ys, 250 - xs - 2 * ys], axis=-1).astype(np.uint8)
    after = values(inpaint(Image.fromarray(slope), Box(30, 20, 25, 18), "biharmonic"))
    assert np.abs(after.astype(int) - slope).max() <= 1


def test_what_an_inpainter_gives_outside_the_hole_is_not_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inpainters, "telea", lambda image, _hole: 255 - image)
    image = Image.effect_noise((40, 30), 60).convert("RGB")
    after = values(inpaint(image, Box(5.5, 6, 10, 7.2), "telea"))
    hole = np.zeros((30, 40), np.bool_)
    hole[6:14, 5:16] = True
    assert (after[hole] == 255 - values(image)[hole]).all()
    assert (after[~hole] == values(image)[~hole]).all()


def _smaller(image: Values, _hole: Values) -> Values:
    return image[1:]


def _as_floats(image: Values, _hole: Values) -> object:
    return image / 255


@each_row("broken", [_smaller, _as_floats])
def test_an_inpainter_that_gives_no_picture_is_refused(broken: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inpainters, "telea", broken)
    with pytest.raises(
        RenderError, match=r"Expected the inpainter to give uint8 values of shape=\(14, 14, 3\), but got"
    ):
        inpaint(Image.new("RGB", (40, 30)), Box(0, 0, 7, 7), "telea")
