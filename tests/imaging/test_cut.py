"""A piece of a picture is those pixels and no others."""

from __future__ import annotations

from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.edits import Crop, Cut
from pytest_vqamt.core.errors import RenderError
from pytest_vqamt.imaging.edits import crop, cut
from tests.imaging.random_images import images, scene_for, values, whole_boxes


@given(images(), st.data())
def test_a_crop_is_the_rectangle_of_pixels(image: Image.Image, data: st.DataObject) -> None:
    box = data.draw(whole_boxes(image.size))
    x, y, x1, y1 = int(box.x), int(box.y), int(box.x1), int(box.y1)
    piece = crop(image, Crop(box=box))
    assert (values(piece) == values(image)[y:y1, x:x1]).all()
    after = Crop(box=box).after(scene_for(image))
    assert piece.size == (after.width, after.height)


@given(images(), st.data())
def test_pieces_side_by_side_are_the_picture(image: Image.Image, data: st.DataObject) -> None:
    sides: tuple[tuple[Literal["x", "y"], int], ...] = (("x", image.width), ("y", image.height))
    for axis, length in sides:
        at = data.draw(st.integers(1, length - 1)) if length > 1 else length
        edits = [Cut(start=0, stop=at, axis=axis)] + [Cut(start=at, stop=length, axis=axis)] * (at < length)
        joined = Image.new("RGB", image.size)
        for edit in edits:
            piece = cut(image, edit)
            assert piece.size == (edit.after(scene_for(image)).width, edit.after(scene_for(image)).height)
            joined.paste(piece, (edit.start, 0) if axis == "x" else (0, edit.start))
        assert (values(joined) == values(image)).all()


@given(images(), st.data())
def test_a_piece_of_a_piece_is_a_piece(image: Image.Image, data: st.DataObject) -> None:
    outer = data.draw(whole_boxes(image.size))
    inner = data.draw(whole_boxes((int(outer.w), int(outer.h))))
    at_once = crop(image, Crop(box=inner.moved(outer.x, outer.y)))
    assert (values(crop(crop(image, Crop(box=outer)), Crop(box=inner))) == values(at_once)).all()


@pytest.mark.parametrize(
    "edit", [Cut(start=5, stop=5), Cut(start=6, stop=5), Cut(start=-1, stop=5), Cut(start=0, stop=9, axis="y")]
)
def test_a_cut_that_is_empty_or_outside_is_refused(edit: Cut) -> None:
    with pytest.raises(RenderError, match=r"Expected a piece inside the picture of 20 x 8 pixels, but got edit=Cut\("):
        cut(Image.new("RGB", (20, 8)), edit)


@pytest.mark.parametrize("box", [Box(15, 0, 6, 5), Box(-0.5, 0, 5, 5), Box(3, 3, 0.2, 2)])
def test_a_crop_that_is_empty_or_outside_is_refused(box: Box) -> None:
    with pytest.raises(RenderError, match=r"but got edit=Crop\(.*clip it to the scene's frame"):
        crop(Image.new("RGB", (20, 8)), Crop(box=box))
