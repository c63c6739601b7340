"""Edits from outside stay within bounds."""

from __future__ import annotations

import math

import pytest

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.codec import decode, encode
from pytest_vqamt.core.edits import (
    Blur,
    Brightness,
    Contrast,
    Corrupt,
    Corruption,
    Crop,
    Cut,
    Cutout,
    Edit,
    Erase,
    Fill,
    Insert,
    Mask,
    Mirror,
    Reencode,
    Shear,
)
from pytest_vqamt.core.errors import DataError, RenderError
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.scene import Photo, Scene, Thing
from pytest_vqamt.serving.limits import MAX_PIXELS, check_edit, check_picture

BOX = Box(1, 2, 30, 40)
THING = Thing(id="0", name="dog", box=BOX, has_mask=True)
CUTOUT = Cutout(photo=Photo(id="a", digest="b"), thing=THING)

FAIR: list[Edit] = [
    Erase(box=BOX),
    Erase(box=BOX, fill=Fill.MEAN, colour=(1, 2, 255)),
    Erase(box=BOX, fill=Fill.INPAINT, method="telea"),
    Cut(start=0, stop=10),
    Crop(box=BOX),
    Insert(cutout=CUTOUT, box=Box(-5, -5, 20, 20)),
    Blur(keep=(BOX,), sigma_px=6),
    Blur(keep=(), sigma_px=0),
    Mask(keep=(BOX,), colour=(0, 0, 0)),
    Mirror(),
    Corrupt(kind=Corruption.SNOW, severity=5, boxes=(BOX,)),
    Brightness(offset=-40),
    Contrast(gain=1.5),
    Shear(factor=-0.3),
    Reencode(),
]


@pytest.mark.parametrize("edit", FAIR, ids=repr)
def test_what_relations_do_is_within_bounds_as_it_comes_over_the_wire(edit: Edit) -> None:
    assert check_edit(decode(encode(edit))) == edit


@pytest.mark.parametrize(
    "edit",
    [
        Blur(keep=(), sigma_px=1e9),
        Blur(keep=(), sigma_px=-1),
        Blur(keep=(), sigma_px=1001),
        Blur(keep=(BOX,) * 501, sigma_px=1),
        Blur(keep=(), sigma_px=math.nan),
        Contrast(gain=math.inf),
        Brightness(offset=10**9),
        Shear(factor=-1e6),
        Crop(box=Box(0, 0, 1e6, 1)),
        Crop(box=Box(0, 0, -1, 5)),
        Mask(keep=(), colour=(0, 0, 256)),
        Mask(keep=(), colour=(0, 0)),  # type: ignore[arg-type] # as a stranger may send it
        Insert(cutout=CUTOUT, box=Box(0, 0, 30_000, 40_000)),
        Corrupt(kind=Corruption.SNOW, severity=6),
        Corrupt(kind="rain", severity=1),  # type: ignore[arg-type] # as a stranger may send it
        Erase(box=BOX, fill="glue"),  # type: ignore[arg-type] # as a stranger may send it
        Erase(box=BOX, fill=Fill.INPAINT, method="/etc/passwd"),
        Erase(box=BOX, fill=Fill.INPAINT, method=""),
        Erase(box=BOX, fill=Fill.MEAN, colour=(1, 2, 1000)),
        Blur(keep=5, sigma_px=1),  # type: ignore[arg-type] # as a stranger may send it
        Mask(keep=(THING,), colour=(0, 0, 0)),  # type: ignore[arg-type] # as a stranger may send it
        Crop(box=None),  # type: ignore[arg-type] # as a stranger may send it
        Crop(box=Box("0", 0, 1, 1)),  # type: ignore[arg-type] # as a stranger may send it
        THING,
        None,
        7,
    ],
    ids=repr,
)
def test_what_is_out_of_bounds_is_refused_in_one_line(edit: object) -> None:
    with pytest.raises(DataError) as caught:
        check_edit(edit)
    assert "\n" not in str(caught.value)
    assert str(caught.value).startswith("Expected ")


def test_a_checkpoint_is_one_that_the_server_was_started_with() -> None:
    with pytest.raises(RenderError, match="digest='/etc/passwd', which is that of no file given in this run"):
        check_edit(Erase(box=BOX, fill=Fill.INPAINT, method="lama:/etc/passwd"))


@pytest.mark.parametrize("size", [(1, 1), (10_000, 5_000)])
def test_pictures_up_to_the_bound_are_drawn(size: tuple[int, int]) -> None:
    assert size[0] * size[1] <= MAX_PIXELS
    check_picture(_picture(*size))


@pytest.mark.parametrize("size", [(0, 10), (10, 0), (-5, -5), (10_001, 5_000), (10**9, 1)])
def test_no_other_is(size: tuple[int, int]) -> None:
    with pytest.raises(DataError, match="Expected a picture of 1 to 50000000 pixels"):
        check_picture(_picture(*size))


def _picture(width: int, height: int) -> Picture:
    photo = Photo(id="a", digest="b")
    return Picture(photo=photo, scene=Scene(id="a", photo=photo, width=width, height=height))
