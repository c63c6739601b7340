"""A picture of a form has the pixels of that form, and a server gets a file of it."""

from __future__ import annotations

from io import BytesIO

import numpy as np
import pytest
from PIL import Image

from pytest_vqamt.core.edits import FileForm, Store
from pytest_vqamt.imaging.file_forms import store
from pytest_vqamt.models.http.picture_files import png_bytes
from tests.imaging.random_images import values

NOISE = Image.fromarray(np.random.default_rng(7).integers(0, 256, (40, 60, 3), dtype=np.uint8))
MODES = {FileForm.ALPHA: "RGBA", FileForm.PALETTE: "P", FileForm.GRAYSCALE: "L"}


def sent(image: Image.Image) -> Image.Image:
    return Image.open(BytesIO(png_bytes(image)))


@pytest.mark.parametrize("form", FileForm)
def test_a_file_of_the_form_is_sent_with_the_pixels_that_all_models_see(form: FileForm) -> None:
    stored, plain = store(NOISE, Store(form=form)), store(NOISE, Store(form=form, plain=True))
    assert stored.mode == plain.mode == "RGB"
    assert (values(stored) == values(plain)).all()
    assert (sent(stored.copy()).mode, sent(plain).mode) == (MODES[form], "RGB")
    assert (values(sent(stored.copy()).convert("RGB")) == values(plain)).all()


def test_what_the_forms_hold() -> None:
    alpha, palette, grey = (values(store(NOISE, Store(form=form))) for form in MODES)
    assert (alpha == values(NOISE)).all()
    assert len(np.unique(palette.reshape(-1, 3), axis=0)) <= 256
    assert (grey == np.asarray(NOISE.convert("L"))[..., None]).all()
