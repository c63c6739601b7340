"""Pictures are sent without loss, encoded once, and dropped when they are needed no more."""

from __future__ import annotations

import random
from base64 import b64decode
from io import BytesIO

from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from pytest_vqamt.core.meaning import Describe
from pytest_vqamt.core.query import ModelInput, Query
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.models.openai.requests import Pictures, data_uri


@given(st.integers(1, 40), st.integers(1, 40), st.integers(0, 2**32))
def test_the_very_pixels_come_out_again(width: int, height: int, seed: int) -> None:
    image = Image.frombytes("RGB", (width, height), random.Random(seed).randbytes(width * height * 3))
    head, _, encoded = data_uri(image).partition(",")
    read = Image.open(BytesIO(b64decode(encoded, validate=True)))
    assert (head, read.format, read.mode, read.size) == ("data:image/png;base64", "PNG", "RGB", (width, height))
    assert read.tobytes() == image.tobytes()


def test_a_picture_is_kept_until_its_last_question(yard: Scene) -> None:
    drawn: list[str] = []

    def render(picture: object) -> Image.Image:
        drawn.append(str(getattr(picture, "digest", "")))
        return Image.new("RGB", (2, 2), "red")

    texts = ("a", "b", "c")
    batch = [ModelInput(Query(picture=yard.picture, text=text, meaning=Describe()), render) for text in texts]
    pictures = Pictures(batch)
    assert drawn == []
    assert pictures.uri(0) is pictures.uri(1) is pictures.uri(2)
    assert len(drawn) == 1
    pictures.done(0)
    pictures.done(2)
    kept = pictures._kept[0]
    assert kept._uri
    pictures.done(1)
    assert not kept._uri
