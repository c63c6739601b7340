"""The tiny model loads, sees, answers whatever the batch, and damaged checkpoints are refused."""

from __future__ import annotations

import re
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from PIL import Image
from safetensors.torch import load_file, save_file

from pytest_vqamt.core.errors import ModelError
from pytest_vqamt.core.meaning import Describe, Exists, Group, truth
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.query import ModelInput, Query, Task
from pytest_vqamt.language.questions import simple
from pytest_vqamt.models.prompts import PLAIN_PROMPTS
from pytest_vqamt.models.protocol import ModelOptions
from pytest_vqamt.models.transformers.tiny import WEIGHTS, TinyLlava, load
from pytest_vqamt.models.wrapped import wrap_model
from pytest_vqamt.picture_world.looks import NAMES
from pytest_vqamt.picture_world.source import PictureWorld
from tests.models.transformers.prompted.conftest import forget

WORLD = PictureWorld(count=400)
OPTIONS = ModelOptions(device="cpu")


@pytest.fixture(scope="module")
def once() -> TinyLlava:
    return load("", OPTIONS)


@pytest.fixture
def tiny(once: TinyLlava) -> TinyLlava:
    """It has seen no picture yet."""
    forget(once)
    return once


@pytest.fixture
def checkpoint(tmp_path: Path) -> Path:
    """A copy of the checkpoint, to be damaged."""
    return Path(shutil.copytree(WEIGHTS, tmp_path / "checkpoint"))


def about(index: int, text: str) -> ModelInput:
    return ModelInput(Query(picture=WORLD.scene(index).picture, text=text, meaning=Describe()), photo)


def photo(picture: Picture) -> Image.Image:
    return WORLD.photo(picture.photo)


def test_it_does_every_task(tiny: TinyLlava) -> None:
    model = wrap_model("tiny", tiny, OPTIONS)
    assert model.tasks == (Task.VQA, Task.ENTAILMENT, Task.CAPTIONING)
    assert model.persistent
    asked = [about(0, "Is there a dog in the picture?")]
    answer, label, caption = (model.ask(task, asked)[0].text for task in model.tasks)
    assert answer in ("yes", "no")
    assert label in ("entailment", "neutral", "contradiction")
    assert len(caption.split()) > 4


def test_it_sees_what_is_there(tiny: TinyLlava) -> None:
    """Three in four at least of 60 questions of existence, half of which are about what is not there."""
    asked, right = [], []
    for index in range(30):
        scene = WORLD.scene(index)
        here = [thing.name for thing in scene.objects]
        away = [name for name in NAMES if name not in here]
        for name in (here[index % len(here)], away[7 * index % len(away)]):
            question = simple.exists(Group(name=name), index % simple.EXISTS_WORDINGS)
            asked.append(about(index, question.text))
            right.append("yes" if truth(Exists(group=Group(name=name)), scene) else "no")
    assert right.count("yes") == 30
    said = [answer.text for answer in tiny.answer(asked)]
    assert sum(one == other for one, other in zip(said, right, strict=True)) >= 45


def test_captions_differ_from_picture_to_picture(tiny: TinyLlava) -> None:
    said = {answer.text for answer in tiny.caption([about(index, "") for index in range(12)])}
    assert len(said) >= 11


def test_answers_do_not_depend_on_the_batch(tiny: TinyLlava) -> None:
    texts = (
        "Is there a man in the picture?",
        "How many dogs and cats are there in the picture in total?",
        "What colour is the car?",
    )
    batch = [about(index, text) for index in range(4) for text in texts]
    together = [answer.text for answer in tiny.answer(batch)]
    assert [tiny.answer([asked])[0].text for asked in batch] == together
    assert [answer.text for answer in tiny.answer(batch[::-1])][::-1] == together


def test_a_picture_is_rendered_and_encoded_once_for_all_its_questions(
    tiny: TinyLlava, monkeypatch: pytest.MonkeyPatch
) -> None:
    rendered: list[str] = []
    encoded: list[int] = []
    encode = tiny._model.get_image_features

    def counting_render(picture: Picture) -> Image.Image:
        rendered.append(picture.photo.id)
        return photo(picture)

    def counting_encode(pixel_values: torch.Tensor) -> object:
        encoded.append(len(pixel_values))
        return encode(pixel_values=pixel_values)

    monkeypatch.setattr(tiny._model, "get_image_features", counting_encode)
    queries = [
        Query(picture=WORLD.scene(index).picture, text=f"How many {name}s are there?", meaning=Describe())
        for name in ("dog", "cat", "car")
        for index in (5, 6)
    ]
    tiny.answer([ModelInput(query, counting_render) for query in queries])
    assert rendered == ["pictures-0-5", "pictures-0-6"]
    assert encoded == [2]


def test_pictures_need_not_be_square(tiny: TinyLlava) -> None:
    whole = WORLD.scene(3).picture

    def left_half(picture: Picture) -> Image.Image:
        return photo(picture).crop((0, 0, 112, 224))

    said = tiny.answer([ModelInput(Query(picture=whole, text="Is there a dog?", meaning=Describe()), left_half)])
    assert said[0].text in ("yes", "no")


def test_it_answers_on_one_thread_and_leaves_the_threads_of_others_alone(
    tiny: TinyLlava, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads: list[int] = []
    encode = tiny._model.get_image_features

    def watching(pixel_values: torch.Tensor) -> object:
        threads.append(torch.get_num_threads())
        return encode(pixel_values=pixel_values)

    monkeypatch.setattr(tiny._model, "get_image_features", watching)
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        tiny.answer([about(0, "Is there a dog?")])
        assert threads == [1]
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(before)


def test_no_inputs_give_no_answers(tiny: TinyLlava) -> None:
    assert tiny.answer([]) == ()


def test_the_fingerprint_names_files_prompts_and_packages(tiny: TinyLlava, checkpoint: Path) -> None:
    same = TinyLlava(checkpoint, OPTIONS, PLAIN_PROMPTS, threads=1)
    assert same._fingerprint() == tiny.fingerprint
    assert f"torch=={torch.__version__}" in tiny.fingerprint
    assert "transformers==" in tiny.fingerprint
    asked_otherwise = TinyLlava(checkpoint, OPTIONS, replace(PLAIN_PROMPTS, question="{text} Please!"))
    assert asked_otherwise.fingerprint != tiny.fingerprint
    file = checkpoint / "model.safetensors"
    weights = load_file(file)
    weights["multi_modal_projector.linear_1.bias"] += 1
    save_file(weights, file, metadata={"format": "pt"})
    assert same._fingerprint() != tiny.fingerprint


@pytest.mark.parametrize("file", ["config.json", "model.safetensors", "tokenizer.json", "processor_config.json"])
def test_a_missing_file_is_refused(checkpoint: Path, file: str) -> None:
    (checkpoint / file).unlink()
    with pytest.raises(ModelError, match=re.escape(str(checkpoint))):
        TinyLlava(checkpoint, OPTIONS, PLAIN_PROMPTS, threads=1)


def test_the_weights_are_small() -> None:
    assert (WEIGHTS / "model.safetensors").stat().st_size <= 12_000_000
    assert (WEIGHTS / "MODEL_CARD.md").is_file()
