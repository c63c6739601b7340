"""Outlines drawn onto an image: where they are, that they hide nothing, and that everybody can tell them apart."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from PIL import Image

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.edits import Colour
from pytest_vqamt.imaging.outlines import STROKES, Outline, Shows, draw_outlines

GREY = (128, 128, 128)
ONE = (1.0, 1.0)


def drawn(*outlines: Outline, size: tuple[int, int] = (200, 150)) -> NDArray[np.uint8]:
    """Height x width x RGB."""
    image = Image.new("RGB", size, GREY)
    draw_outlines(image, outlines, ONE)
    return np.asarray(image)


def outline(shows: Shows, box: Box = Box(60, 50, 80, 60), label: str = "") -> Outline:  # noqa: B008 - a frozen box
    return Outline(box=box, label=label, shows=shows)


def is_colour(pixels: NDArray[np.uint8], colour: Colour) -> NDArray[np.bool_]:
    same: NDArray[np.bool_] = np.all(pixels == np.array(colour, dtype=np.uint8), axis=-1, keepdims=True)
    return same[..., 0]


@pytest.mark.parametrize("shows", Shows)
def test_a_frame_runs_about_its_box_and_hides_nothing_inside(shows: Shows) -> None:
    pixels = drawn(outline(shows))
    assert is_colour(pixels[50:110, 60:140], GREY).all()
    rows, columns = np.nonzero(is_colour(pixels, STROKES[shows].colour))
    for gap in (60 - columns.min(), columns.max() - 139, 50 - rows.min(), rows.max() - 109):
        assert 1 <= gap <= 5


def test_what_was_edited_is_dashed_and_what_is_asked_about_is_not() -> None:
    def covered(shows: Shows) -> float:
        strip = drawn(outline(shows))[110:116, 64:136]
        return float(np.mean(is_colour(strip, STROKES[shows].colour).any(axis=0)))

    assert covered(Shows.ASKED) == 1
    assert 0.4 < covered(Shows.EDITED) < 0.8


def test_what_is_asked_about_and_edited_is_framed_twice() -> None:
    pixels = drawn(outline(Shows.ASKED), outline(Shows.EDITED))
    side = pixels[70:90]
    assert is_colour(side, STROKES[Shows.ASKED].colour).any(axis=1).all()
    assert is_colour(side, STROKES[Shows.EDITED].colour).any()
    assert is_colour(pixels[50:110, 60:140], GREY).all()


def test_a_box_of_less_than_a_pixel_is_seen() -> None:
    pixels = drawn(outline(Shows.ASKED, Box(100, 70, 0.2, 0.2)))
    assert is_colour(pixels[60:85, 90:110], STROKES[Shows.ASKED].colour).sum() > 20


def test_boxes_are_scaled() -> None:
    image = Image.new("RGB", (200, 150), GREY)
    draw_outlines(image, [outline(Shows.ASKED, Box(600, 1000, 800, 1200))], (0.1, 0.05))
    assert (np.asarray(image) == drawn(outline(Shows.ASKED, Box(60, 50, 80, 60)))).all()


LABELS = st.sampled_from(["", "dog", "a very long label of more than thirty letters", "貓", "\x00\ud800"])
BOXES = st.builds(Box, st.floats(-9, 220), st.floats(-9, 160), st.floats(0.01, 250), st.floats(0.01, 200))


@settings(max_examples=100)
@given(
    st.lists(st.builds(Outline, box=BOXES, label=LABELS, shows=st.sampled_from(Shows)), max_size=12),
    st.sampled_from([(200, 150), (30, 220), (1, 1), (9, 3), (340, 12)]),
)
def test_any_outlines_are_drawn_on_any_image(outlines: list[Outline], size: tuple[int, int]) -> None:
    assert drawn(*outlines, size=size).shape == (size[1], size[0], 3)


# Severity 1.0, for linear RGB. Machado, Oliveira and Fernandes (2009), table of their supplementary material.
MACHADO = {
    "no red": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "no green": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    "no blue": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900)),
}


def linear(colour: Colour) -> NDArray[np.float64]:
    value = np.array(colour) / 255
    return np.where(value <= 0.04045, value / 12.92, ((value + 0.055) / 1.055) ** 2.4)


def lab(light: NDArray[np.float64]) -> NDArray[np.float64]:
    """CIE L*a*b* of linear RGB, white D65."""
    to_xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
    scaled = (to_xyz @ np.clip(light, 0, 1)) / np.array([0.9505, 1.0, 1.089])
    root = np.where(scaled > 0.008856, np.cbrt(scaled), 7.787 * scaled + 16 / 116)
    return np.array([116 * root[1] - 16, 500 * (root[0] - root[1]), 200 * (root[1] - root[2])])


@pytest.mark.parametrize("sight", MACHADO)
def test_the_strong_colours_are_told_apart_by_everybody(sight: str) -> None:
    seen = [lab(np.array(MACHADO[sight]) @ linear(STROKES[shows].colour)) for shows in (Shows.EDITED, Shows.ASKED)]
    # A difference of 2.3 is just noticeable; ten times that is another colour at a glance.
    assert np.linalg.norm(seen[0] - seen[1]) > 23


@pytest.mark.parametrize("shows", [Shows.EDITED, Shows.ASKED])
def test_a_label_is_readable(shows: Shows) -> None:
    # WCAG 2: 4.5 for text, against the white of the letters.
    luminance = float(linear(STROKES[shows].colour) @ np.array([0.2126, 0.7152, 0.0722]))
    assert 1.05 / (luminance + 0.05) >= 4.5
