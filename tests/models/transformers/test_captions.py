"""BLIP describes pictures, continuing a prompt that is no part of the answer."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_vqamt.core.query import Task
from pytest_vqamt.models.protocol import ModelOptions
from pytest_vqamt.models.transformers.blip import BlipCaptions, load
from pytest_vqamt.models.wrapped import wrap_model
from tests.models.conftest import Written
from tests.models.small.blip import blip_captions
from tests.models.small.blip_said import exact, plainly_said, said
from tests.models.small.inputs import SIZES, asked

OPTIONS = ModelOptions(device="cpu")
ALL = [asked(name, "", Task.CAPTIONING) for name in SIZES]


SOME = ALL[::3]


@pytest.fixture(scope="module")
def folder(written: Written) -> Path:
    return written(blip_captions)


def captions_of(folder: Path, **settings: str) -> BlipCaptions:
    named = {name.replace("_", "-"): value for name, value in settings.items()}
    model = load(str(folder), ModelOptions(device="cpu", settings=named))
    assert isinstance(model, BlipCaptions)
    return model


@pytest.fixture(scope="module")
def captions(folder: Path) -> BlipCaptions:
    """Of at most eight tokens."""
    return captions_of(folder, longest_caption="8")


def test_each_picture_has_a_caption_of_its_own_without_the_prompt(captions: BlipCaptions) -> None:
    texts = said(captions, ALL)
    assert len(set(texts)) == len(SIZES)
    assert not any(text.startswith("a picture of") for text in texts)
    (first, *_) = captions.caption(ALL)
    assert (first.scores, first.truncated) == (None, False)


def test_the_class_itself_gives_the_same_caption(captions: BlipCaptions) -> None:
    for one in SOME:
        assert said(captions, [one]) == [plainly_said(captions, one, "a picture of", 8)]


def test_nothing_else_in_the_batch_changes_a_caption(folder: Path) -> None:
    model = captions_of(folder, longest_caption="4")
    exact(model)
    together = said(model, ALL)
    model._cache.release()
    assert said(model, ALL, 1) == together
    assert said(model, ALL[::-1], 4)[::-1] == together


def test_the_prompt_and_the_length_are_the_users(folder: Path, captions: BlipCaptions) -> None:
    shorter = captions_of(folder, prompt_caption="a photo of", longest_caption="3")
    for one in SOME:
        assert said(shorter, [one]) == [plainly_said(shorter, one, "a photo of", 3)]
    other_prompt, other_length = (
        captions_of(folder, prompt_caption="a photo of", longest_caption="8"),
        captions_of(folder),
    )
    fingerprints = {each.fingerprint for each in (captions, shorter, other_prompt, other_length)}
    assert len(fingerprints) == 4
    assert captions_of(folder, longest_answer="3", longest_caption="8").fingerprint == captions.fingerprint


def test_an_empty_prompt_leaves_the_caption_to_the_model(folder: Path) -> None:
    """As the class does where it is given no text."""
    model = captions_of(folder, prompt_caption="", longest_caption="5")
    for one in SOME:
        assert said(model, [one]) == [plainly_said(model, one, "", 5)]


def test_it_describes_pictures_and_does_nothing_else(captions: BlipCaptions) -> None:
    assert wrap_model("blip", captions, OPTIONS).tasks == (Task.CAPTIONING,)
    assert captions.caption([]) == ()
