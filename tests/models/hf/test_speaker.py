"""How the tasks are put to a checkpoint, and what its answers are filed under."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import torch
import transformers

from pytest_vqamt.core.meaning import Choice, Count, Exists, Group
from pytest_vqamt.core.query import Answer, ModelInput, Task
from pytest_vqamt.models.base import ModelOptions
from pytest_vqamt.models.prompts import INSTRUCTED, Prompts
from pytest_vqamt.models.transformers.prompted.adapter import Speaker, load
from pytest_vqamt.models.transformers.prompted.base import Heard, Said
from pytest_vqamt.models.transformers.runtime import Runtime
from tests.models.hf.conftest import CPU, about

if TYPE_CHECKING:
    from tests.models.hf.conftest import Checkpoint, Loaded


DOG = Group(name="dog")


class Parrot:
    """Says what it is told to say, and keeps what was said to it."""

    prompts = INSTRUCTED

    def __init__(self, answer: str = "yes", *, cut: bool = False) -> None:
        self.answer, self.cut = answer, cut
        self.said: list[Said] = []
        self.longest = 0

    def ready(self, shown: Sequence[ModelInput], said: Sequence[Said], longest: int) -> Callable[[], Heard]:
        self.said += said
        self.longest = longest
        return lambda: Heard(texts=(self.answer,) * len(shown), cut=(self.cut,) * len(shown))

    def give_up(self) -> bool:
        return False


def speaking(parrot: Parrot, prompts: Prompts = INSTRUCTED) -> Speaker:
    return Speaker(parrot, Runtime.of(CPU), prompts, lambda: "a parrot")


def test_the_form_of_a_question_chooses_its_prompt() -> None:
    parrot = Parrot()
    speaking(parrot).answer(
        [
            about(0, "Is there a dog?", meaning=Exists(group=DOG)),
            about(0, "How many dogs?", meaning=Count(groups=(DOG,))),
            about(0, "Is it red or blue?", meaning=Choice(what=DOG, options=("red", "blue"))),
            about(0, "Where is it?"),
        ]
    )
    assert [each.prompt for each in parrot.said] == [
        "Is there a dog?\nAnswer with yes or no.",
        "How many dogs?\nAnswer with a number.",
        "Is it red or blue?\nAnswer with one of the options that the question names.",
        "Where is it?\nAnswer the question using a single word or phrase.",
    ]
    assert [each.question for each in parrot.said] == [
        "Is there a dog?",
        "How many dogs?",
        "Is it red or blue?",
        "Where is it?",
    ]
    assert parrot.longest == INSTRUCTED.longest_answer


def test_hypotheses_and_descriptions_have_prompts_of_their_own() -> None:
    parrot = Parrot()
    speaker = speaking(parrot)
    speaker.entail([about(0, "A dog is there.", task=Task.ENTAILMENT)])
    speaker.caption([about(0, "", task=Task.CAPTIONING)])
    hypothesis, caption = parrot.said
    assert hypothesis.prompt.startswith("Hypothesis: A dog is there.\nDoes the picture entail")
    assert caption.prompt.startswith("Describe the picture")
    assert parrot.longest == INSTRUCTED.longest_caption


@pytest.mark.parametrize("said", ["Entailment.", "The answer is: Neutral", "I don't see any contradiction.", "no"])
def test_what_is_said_to_a_hypothesis_is_kept_as_it_is(said: str) -> None:
    asked = [about(0, "A dog is there.", task=Task.ENTAILMENT)]
    assert speaking(Parrot(said, cut=True)).entail(asked) == (Answer(said, truncated=True),)


def test_a_question_is_cut_in_its_place() -> None:
    said = Said(prompt="Question: red or blue? Answer:", question="red or blue?")
    assert said.cut(6) == Said(prompt="Question: red or Answer:", question="red or")


@pytest.mark.parametrize(
    "setting",
    [
        {"prompt_question": "{text} Say it."},
        {"prompt_yes_no": "{text} Yes or no?"},
        {"prompt_count": "{text} A number."},
        {"prompt_choice": "{text} One."},
        {"prompt_entailment": "{text} So?"},
        {"prompt_caption": "What is there?"},
        {"longest_answer": "5"},
        {"longest_caption": "5"},
    ],
)
def test_every_setting_is_part_of_what_answers_are_filed_under(loaded: Loaded, setting: dict[str, str]) -> None:
    assert loaded("llava", **setting).fingerprint != loaded("llava").fingerprint


def test_a_prompt_of_the_user_is_what_the_model_reads(loaded: Loaded) -> None:
    asked = [about(number, "Where is the dog?") for number in range(3)]
    usual, other = loaded("llava"), loaded("llava", prompt_question=r"Look!\n{text}")
    assert usual.answer(asked) != other.answer(asked)
    assert other._prompts.text(asked[0]) == "Look!\nWhere is the dog?"


def test_the_fingerprint_names_files_and_packages(checkpoint: Checkpoint, loaded: Loaded, tmp_path: Path) -> None:
    settings = ModelOptions(device="cpu", settings={"longest-answer": "6", "longest-caption": "6"})
    usual = loaded("instructblip")
    folder = Path(shutil.copytree(checkpoint("instructblip"), tmp_path / "copy"))
    assert load(str(folder), settings).fingerprint == usual.fingerprint
    assert f"torch=={torch.__version__} transformers=={transformers.__version__}" in usual.fingerprint
    asking = folder / "qformer_tokenizer" / "tokenizer_config.json"
    asking.write_text(asking.read_text().replace('"do_lower_case": true', '"do_lower_case": false') + " ")
    changed = load(str(folder), settings).fingerprint
    assert changed != usual.fingerprint
    (folder / "generation_config.json").write_text('{"eos_token_id": [2, 3]}')
    assert load(str(folder), settings).fingerprint not in (changed, usual.fingerprint)


def test_precision_is_part_of_it(checkpoint: Checkpoint, loaded: Loaded) -> None:
    halved = load(str(checkpoint("idefics3")), ModelOptions(device="cpu", dtype="bfloat16"))
    assert halved.fingerprint != load(str(checkpoint("idefics3")), CPU).fingerprint
    assert len(halved.answer([about(0, "Is there a dog?")])) == 1


@pytest.mark.parametrize("kind", ["llava_next", "qwen3_vl", "florence", "blip2_opt", "instructblip", "git", "idefics2"])
def test_every_sort_of_kind_runs_in_half_precision(checkpoint: Checkpoint, kind: str) -> None:
    settings = {"prompt-question": "{text}", "longest-answer": "3"}
    halved = load(str(checkpoint(kind)), ModelOptions(device="cpu", dtype="bfloat16", settings=settings))
    assert len(halved.answer([about(0, "Is there a dog?"), about(1, "red?")])) == 2
