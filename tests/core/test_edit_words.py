"""Every edit in words that people use."""

from __future__ import annotations

import pytest

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.edits import (
    EDITS,
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
    in_words,
)
from pytest_vqamt.core.scene import Photo, Scene
from tests.making import thing_of

BOX = Box(10, 20, 40, 60)
KITE = Cutout(photo=Photo(id="other", digest="f" * 16), thing=thing_of("red teddy_bear"))

WORDS: tuple[tuple[Edit, str], ...] = (
    (Erase(box=BOX), "erased (white)"),
    (Erase(box=BOX, fill=Fill.MEAN, colour=(1, 2, 3)), "erased (mean colour)"),
    (Erase(box=BOX, fill=Fill.INPAINT, method="telea"), "erased (inpainted by telea)"),
    (Erase(box=BOX, fill=Fill.INPAINT), "erased (inpainted)"),
    (Cut(start=120, stop=320), "cut x 120..320"),
    (Cut(start=0, stop=90, axis="y"), "cut y 0..90"),
    (Crop(box=BOX), "cropped to x 10..50, y 20..80"),
    (Insert(cutout=KITE, box=BOX), "inserted teddy bear"),
    (Blur(keep=(BOX, BOX), sigma_px=6), "blurred but for 2 boxes, sigma 6"),
    (Blur(keep=(BOX,), sigma_px=2.5), "blurred but for 1 box, sigma 2.5"),
    (Blur(keep=(), sigma_px=3.0), "blurred, sigma 3"),
    (Mask(keep=(BOX, BOX, BOX), colour=(0, 0, 0)), "masked but for 3 boxes"),
    (Mask(keep=(), colour=(0, 0, 0)), "masked"),
    (Mirror(), "mirrored"),
    (Corrupt(kind=Corruption.SNOW, severity=3), "corrupted (snow, severity 3)"),
    (Corrupt(kind=Corruption.ZOOM, severity=1, boxes=(BOX,)), "corrupted in 1 box (zoom, severity 1)"),
    (Brightness(offset=-20), "brightness -20"),
    (Brightness(offset=20), "brightness +20"),
    (Contrast(gain=1.5), "contrast x 1.5"),
    (Shear(factor=0.1), "sheared by 0.1"),
    (Reencode(), "re-encoded"),
)


@pytest.mark.parametrize(("edit", "words"), WORDS, ids=[words for _, words in WORDS])
def test_what_was_done(edit: Edit, words: str) -> None:
    assert in_words(edit) == words


def test_no_edit_is_without_words() -> None:
    assert {type(edit) for edit, _ in WORDS} == set(EDITS)


def test_an_edit_of_a_users_own_goes_by_its_name() -> None:
    class Sepia:
        def after(self, scene: Scene) -> Scene:
            return scene

    assert in_words(Sepia()) == "sepia"
