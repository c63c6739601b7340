"""Photos of the user's as cards: what is drawn, what is sent, and which photos are taken."""

from __future__ import annotations

from base64 import b64decode
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from pytest_vqamt.core.edits import FileForm
from pytest_vqamt.core.errors import DataError, OptionError
from pytest_vqamt.models.http.picture_files import FileEncoder, Form, ImageFormat
from pytest_vqamt.models.protocol import ModelOptions
from pytest_vqamt.models.wrapped import wrap_model
from pytest_vqamt.probing.asking import Request, RequestSender
from pytest_vqamt.probing.cards import COLOUR, Card, CardFile, OwnPhoto, card_file, render_card
from pytest_vqamt.probing.own_photos import check, take_photos


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for place in range(6):
        pixels = np.random.default_rng(place).integers(0, 255, (60, 80, 3), dtype=np.uint8)
        Image.fromarray(pixels).save(tmp_path / f"{place}.jpg", quality=90)
    return tmp_path


def photo_in(folder: Path) -> OwnPhoto:
    return take_photos([f"photos:{folder}"], seed=0).photos[0]


def pixels_of(card: Card) -> np.ndarray:
    return np.asarray(render_card(card)).astype(int)


def test_a_photo_is_drawn_as_it_is(folder: Path) -> None:
    photo = photo_in(folder)
    card = Card.of_photo(photo)
    with Image.open(folder / photo.picture.photo.id) as image:
        assert np.array_equal(pixels_of(card), np.asarray(image))
    assert card.look == f"photo {photo.picture.photo.id}, 80 x 60 px"
    assert card.right(COLOUR) == ""


def test_it_is_enlarged_and_padded(folder: Path) -> None:
    photo = photo_in(folder)
    own = pixels_of(Card.of_photo(photo))
    assert pixels_of(Card.of_photo(photo, (160, 120))).shape == (120, 160, 3)
    square = pixels_of(Card.of_photo(photo, (80, 80)))
    assert np.array_equal(square[10:70], own)
    assert (square[:10] == 127).all()
    assert (square[70:] == 127).all()


def test_its_nonce_changes_a_few_pixels_by_one_level(folder: Path) -> None:
    photo = photo_in(folder)
    card = Card(photo=photo, ground=(128,) * 3, size=photo.size, nonce=0b101)
    changed = np.abs(pixels_of(card) - pixels_of(Card.of_photo(photo)))
    assert changed.sum() == changed.max() * 2 == 2
    assert card.digest != Card.of_photo(photo).digest
    assert "2 pixels one level off" in card.look


@pytest.mark.parametrize("form", [FileForm.INTERLACED, FileForm.ALPHA, FileForm.SIXTEEN_BITS, FileForm.WEBP])
@pytest.mark.parametrize("orientation", [1, 6])
def test_forms_of_file_hold_its_pixels(folder: Path, form: FileForm, orientation: int) -> None:
    photo = photo_in(folder)
    if orientation != 1:
        form = FileForm.PNG
    card = Card.of_photo(photo, file=CardFile(form=form, orientation=orientation))
    file = card_file(card)
    assert file is not None
    with Image.open(BytesIO(b64decode(file.base64))) as image:
        from PIL import ImageOps

        shown = np.asarray(ImageOps.exif_transpose(image).convert("RGB"))
    assert np.array_equal(shown, pixels_of(Card.of_photo(photo)))


class Sees:
    """Keeps the media types of what it is sent as ``openai:`` sends it."""

    def __init__(self) -> None:
        self.media_types: list[str] = []

    def answer(self, batch):  # type: ignore[no-untyped-def] # a user's model
        encoder = FileEncoder(format=ImageFormat(form=Form.AUTO))
        self.media_types += [item.file(encoder).media_type for item in batch]
        return ["a dog"] * len(batch)


def test_the_adapter_sends_the_original_file_of_an_unchanged_photo_alone(folder: Path) -> None:
    photo, model = photo_in(folder), Sees()
    sender = RequestSender(wrap_model("sees", model, ModelOptions()), 10)
    for card in (
        Card.of_photo(photo),
        Card.of_photo(photo, file=CardFile()),
        Card.of_photo(photo, (160, 120)),
        Card.of_photo(photo, file=CardFile(form=FileForm.WEBP)),
    ):
        sender.send_alone(Request(card=card, text="What is it?"))
    assert model.media_types == ["image/jpeg", "image/png", "image/png", "image/webp"]


def test_photos_are_taken_by_seed_and_those_that_cannot_be_read_are_counted(folder: Path) -> None:
    (folder / "broken.jpg").write_bytes(b"no photo")
    taken = take_photos([f"photos:{folder}"], seed=3)
    assert len(taken.photos) == 6
    assert len(taken.unreadable) == 1
    assert "broken.jpg" in taken.unreadable[0]
    again, other = (take_photos([f"photos:{folder}"], seed=seed, most=4).photos for seed in (3, 4))
    assert again == taken.photos[:4]
    assert other != again


def test_photos_come_from_all_sources_and_data_may_ask(folder: Path) -> None:
    taken = take_photos([f"photos:{folder}", "pictures:40"], seed=0)
    named = [each.picture.photo.id for each in taken.photos]
    assert sum(name.endswith(".jpg") for name in named) == sum(name.startswith("pictures-") for name in named) == 6


def test_too_few_photos_and_unknown_data_are_errors(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="Expected 4 photos or more, but got 0 of --data="):
        take_photos([f"photos:{tmp_path}"], seed=0)
    with pytest.raises(OptionError, match="got --data="):
        check(["photo:DIR"])
