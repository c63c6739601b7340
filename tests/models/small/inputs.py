"""Inputs that differ in all that a model may stumble over: sizes, shapes and colours of pictures, lengths of texts."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from PIL import Image

from pytest_vqamt.core.meaning import Describe
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.query import ModelInput, Query, Task
from pytest_vqamt.core.scene import Photo, Scene

SIZES = {
    "wide": (60, 40),
    "tall": (30, 70),
    "square": (64, 64),
    "grey": (48, 48),
    "tiny": (1, 1),
    "flat": (90, 1),
    "three rows": (50, 3),
    "very long": (400, 5),
    "very high": (3, 300),
}
"""The pictures by name, width and height in pixels. Rows and columns of three tell height from channels."""

QUESTIONS = (
    "Is there a dog?",
    "How many cats are there in the photo?",
    "What colour is the car that is left of the big green house?",
    "Is the man on the left or on the right?",
    "What is that? " * 12,
)
"""Of several lengths; the last is longer than the small models take."""


def asked(name: str, text: str, task: Task = Task.VQA) -> ModelInput:
    """One input about the picture of that name."""
    return ModelInput(query(name, text, task), render)


def mixed(texts: Sequence[str] = QUESTIONS, task: Task = Task.VQA) -> list[ModelInput]:
    """Every text about every picture, a picture's after each other."""
    return [asked(name, text, task) for name in SIZES for text in texts]


def query(name: str, text: str, task: Task = Task.VQA) -> Query:
    width, height = SIZES[name]
    scene = Scene(id=name, photo=Photo(id=name, digest=f"digest of {name}"), width=width, height=height)
    return Query(picture=scene.picture, text=text, meaning=Describe(), task=task)


def render(picture: Picture) -> Image.Image:
    """Blocks of random colours, always the same for the same name; RGB."""
    name, random = picture.photo.id, Random(picture.photo.id)
    image = Image.frombytes("RGB", (4, 4), random.randbytes(48))
    if name == "grey":
        image = image.convert("L").convert("RGB")
    return image.resize((picture.scene.width, picture.scene.height), Image.Resampling.BICUBIC)
