"""What holds for every kind of checkpoint, loaded from disk by the ordinary path."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PIL import Image

from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.query import Answer, ModelInput, Task
from pytest_vqamt.models.transformers.prompted import generative
from pytest_vqamt.models.wrapped import wrap_model
from tests.models.transformers.prompted.conftest import (
    CPU,
    ONE_A_CLASS,
    QUESTIONS,
    about,
    batch,
    forget,
    of_size,
    shown,
    tiers,
)

if TYPE_CHECKING:
    from pytest_vqamt.models.transformers.prompted.generative import GenerativeAdapter
    from tests.models.transformers.prompted.conftest import Checkpoint, Loaded


QUESTIONED = {"florence": {"prompt_question": "{text}"}}
"""The settings with which a checkpoint answers questions, where it does not without."""


def speaker(loaded: Loaded, kind: str) -> GenerativeAdapter:
    return loaded(kind, **QUESTIONED.get(kind, {}))


def alone(model: GenerativeAdapter, asked: ModelInput) -> Answer:
    """The answer to one input, by a model that has seen no picture before and forgets this one."""
    forget(model)
    (answer,) = model.answer([asked])
    forget(model)
    return answer


def texts(answers: tuple[Answer, ...]) -> list[str]:
    return [answer.text for answer in answers]


@pytest.mark.parametrize("kind", tiers(*ONE_A_CLASS))
def test_answers_do_not_depend_on_the_batch_or_its_order(loaded: Loaded, kind: str) -> None:
    model, asked = speaker(loaded, kind), batch()
    together = texts(model.answer(asked))
    assert [texts(model.answer([each]))[0] for each in asked[::4]] == together[::4], "with pictures that were kept"
    forget(model)
    assert [alone(model, each).text for each in asked[1::4]] == together[1::4]
    assert texts(model.answer(asked[::-1]))[::-1] == together


@pytest.mark.parametrize("kind", tiers(*ONE_A_CLASS))
def test_answers_differ_between_questions_and_between_pictures(loaded: Loaded, kind: str) -> None:
    answers = texts(speaker(loaded, kind).answer(batch()))
    assert len(set(answers[:3])) > 1, "three pictures, one question"
    assert len(set(answers[::3])) > 1, "one picture, three questions"
    assert all("dog?" not in answer for answer in answers), "the prompt is no part of the answer"


@pytest.mark.parametrize("kind", tiers(*ONE_A_CLASS))
def test_each_picture_is_rendered_once(loaded: Loaded, kind: str) -> None:
    rendered: list[str] = []

    def counting(picture: Picture) -> Image.Image:
        rendered.append(picture.photo.id)
        return shown(picture)

    speaker(loaded, kind).answer([about(number, text, render=counting) for text in QUESTIONS for number in (4, 5)])
    assert rendered == ["pictures-0-4", "pictures-0-5"]


@pytest.mark.parametrize("kind", tiers("llava_next", "idefics3", "qwen2_vl"))
def test_pictures_may_be_of_any_size(loaded: Loaded, kind: str) -> None:
    model = speaker(loaded, kind)
    sizes = ((1, 1), (3, 150), (150, 3), (1200, 900))
    odd = [about(number, QUESTIONS[0], render=of_size(*size)) for number, size in enumerate(sizes)]
    each_alone = [alone(model, each) for each in odd]
    assert model.answer(odd) == tuple(each_alone)
    assert not any(answer.truncated for answer in each_alone)


@pytest.mark.parametrize("kind", tiers("llava", "florence", "paligemma", "git"))
def test_which_tasks_it_does(loaded: Loaded, checkpoint: Checkpoint, kind: str) -> None:
    """Kinds that are not trained to judge hypotheses are tested on it only where a prompt for it is given."""
    tasks = {
        "florence": (Task.CAPTIONING,),
        "paligemma": (Task.VQA, Task.CAPTIONING),
        "git": (Task.VQA, Task.CAPTIONING),
    }
    model = wrap_model("hf", loaded(kind), CPU)
    assert model.tasks == tasks.get(kind, (Task.VQA, Task.ENTAILMENT, Task.CAPTIONING))
    assert generative.tasks(str(checkpoint(kind)), CPU) == model.tasks, "told by the configuration"
    assert model.persistent
    given = wrap_model("hf", loaded(kind, prompt_question="{text}", prompt_entailment="so? {text}"), CPU)
    assert given.tasks == (Task.VQA, Task.ENTAILMENT, Task.CAPTIONING)
    judged = given.ask(Task.ENTAILMENT, [about(0, "A dog is there.", task=Task.ENTAILMENT)])
    described = given.ask(Task.CAPTIONING, [about(number, "", task=Task.CAPTIONING) for number in (0, 1, 2)])
    assert len(judged) == 1
    assert len(set(described)) > 1


@pytest.mark.parametrize("kind", tiers("llava", "blip2_t5"))
def test_an_answer_is_no_longer_than_allowed(loaded: Loaded, kind: str) -> None:
    short = loaded(kind, prompt_question="{text}", longest_answer="2")
    long = loaded(kind, prompt_question="{text}")
    asked = batch()
    for shorter, longer in zip(texts(short.answer(asked)), texts(long.answer(asked)), strict=True):
        assert len(shorter) <= len(longer)
    assert texts(short.answer(asked)) != texts(long.answer(asked))


def test_no_inputs_give_no_answers(loaded: Loaded) -> None:
    assert loaded("llava").caption([]) == ()
