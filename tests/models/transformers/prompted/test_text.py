"""Questions longer than a model takes are cut and counted; the rest of the prompt stays whole."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from pytest_vqamt.core.errors import DataError
from pytest_vqamt.models.protocol import ModelOptions
from pytest_vqamt.models.transformers.prompted.generative import load
from pytest_vqamt.models.transformers.prompted.prompt_text import Prompt, fit_prompt, tokenize_prompts
from pytest_vqamt.models.transformers.runtime import Runtime
from tests.models.transformers.prompted.conftest import BRIEF, CPU, QUESTIONS, about, batch, tiers
from tests.models.transformers.prompted.small import chat
from tests.models.transformers.prompted.small.tokenizers import byte_pairs
from tests.models.transformers.prompted.test_kinds import QUESTIONED
from tests.models.transformers.prompted.test_reference import module_of
from tests.rows import each_row

if TYPE_CHECKING:
    from pytest_vqamt.models.transformers.prompted.generative import GenerativeAdapter
    from tests.models.transformers.prompted.conftest import Checkpoint, Loaded


RUNTIME = Runtime.of(CPU)

WINDOW = 100

LONG = "Is there a dog " + "or a big cat " * 60 + "in the picture?"


@pytest.fixture(scope="module")
def narrow(tmp_path_factory: pytest.TempPathFactory) -> GenerativeAdapter:
    """A LLaVA that takes a hundred tokens, six of which are its answer's."""
    folder = chat.llava(tmp_path_factory.mktemp("narrow"), max_position_embeddings=WINDOW)
    return load(str(folder), ModelOptions(device="cpu", settings={"longest-answer": "6"}))


def test_a_long_question_is_cut_and_the_rest_of_its_prompt_is_not(
    narrow: GenerativeAdapter, monkeypatch: pytest.MonkeyPatch
) -> None:
    family: Any = narrow._family
    generate, given_ids = family.model.generate, list[torch.Tensor]()

    def watching(**inputs: Any) -> torch.Tensor:
        given_ids.append(inputs["input_ids"])
        found: torch.Tensor = generate(**inputs)
        return found

    monkeypatch.setattr(family.model, "generate", watching)
    answers = narrow.answer([about(0, LONG), about(1, QUESTIONS[0])])
    assert [answer.truncated for answer in answers] == [True, False]
    read = family.tokenizer.decode(given_ids[0][0])
    assert given_ids[0].shape[1] <= WINDOW - 6
    assert read.startswith("[user] <image><image>")
    assert "Is there a dog or a big cat or" in read
    assert read.endswith("\nAnswer with yes or no.</s>\n[assistant]")
    assert "in the picture?" not in read


def test_others_in_the_batch_are_answered_as_without_the_long_one(narrow: GenerativeAdapter) -> None:
    mixed = batch()
    mixed[4:4] = [about(2, LONG)]
    together = narrow.answer(mixed)
    assert [answer.truncated for answer in together] == [False] * 4 + [True] + [False] * 5
    assert together[:4] + together[5:] == narrow.answer(batch())
    assert narrow.answer([about(2, LONG)]) == together[4:5]


def test_a_prompt_that_does_not_fit_without_its_question_is_refused(narrow: GenerativeAdapter) -> None:
    """The picture and the prompt alone are too long, whatever is asked: an error of the query, which costs only it."""
    longest = {"longest-answer": str(WINDOW - 10)}
    with pytest.raises(DataError, match="give a shorter prompt or a smaller longest-answer"):
        load(str(_folder(narrow)), ModelOptions(device="cpu", settings=longest)).answer([about(0, "Red?")])


@pytest.mark.parametrize("kind", tiers("llava", "git", "vipllava", "blip2_t5"))
def test_every_kind_counts_what_it_cannot_read(loaded: Loaded, kind: str) -> None:
    """T5 counts how far words are apart, so that there is no last one."""
    model = loaded(kind, **QUESTIONED.get(kind, {}))
    usual, long = model.answer([about(0, QUESTIONS[0]), about(0, LONG * 3)])
    assert not usual.truncated
    assert long.truncated is (kind != "blip2_t5")
    assert usual == model.answer([about(0, QUESTIONS[0])])[0]


@each_row(
    "kind, word",
    [
        ("llava", "<image>"),
        ("idefics3", "<image>"),
        ("gemma3", "<start_of_image>"),
        ("gemma3", "<image_soft_token>"),
        ("qwen2_vl", "<|image_pad|>"),
        ("paligemma", "<image>"),
        ("florence", "<image>"),
    ],
)
def test_a_question_with_the_token_for_pictures_in_it_is_refused(loaded: Loaded, kind: str, word: str) -> None:
    """It would be read as one more picture. The error is about that question alone."""
    with pytest.raises(DataError, match=r"Expected a text without <.*>, which stands for a picture"):
        loaded(kind, **QUESTIONED.get(kind, {})).answer([about(0, f"Is there a {word} dog?")])


@pytest.mark.parametrize("kind", tiers("llava", "vipllava", of=("llava", "vipllava", "git", "blip2_opt")))
def test_what_a_tokenizer_file_says_of_cutting_and_filling_up_is_not_done(
    checkpoint: Checkpoint, loaded: Loaded, tmp_path: Path, kind: str
) -> None:
    """A tokenizer is saved with what it did last; cut off, a prompt would lose its end in silence."""
    folder = Path(shutil.copytree(checkpoint(kind), tmp_path / kind))
    file = folder / "tokenizer.json"
    held = json.loads(file.read_text())
    held["truncation"] = {"direction": "Right", "max_length": 8, "strategy": "LongestFirst", "stride": 0}
    held["padding"] = {
        "strategy": {"Fixed": 90}, "direction": "Right", "pad_to_multiple_of": None,
        "pad_id": 0, "pad_type_id": 0, "pad_token": "<pad>",
    }  # fmt: skip
    file.write_text(json.dumps(held))
    asked = batch()[:4]
    assert load(str(folder), BRIEF).answer(asked) == loaded(kind).answer(asked)


def test_prompts_are_filled_up_before_or_after() -> None:
    tokenizer = byte_pairs()
    said = [Prompt(prompt="a dog"), Prompt(prompt="a big dog and a cat")]
    before = tokenize_prompts(said, tokenizer, RUNTIME)
    after = tokenize_prompts(said, tokenizer, RUNTIME, pad_left=False)
    short, long = (len(tokenizer(each.prompt)["input_ids"]) for each in said)
    assert before.attended.tolist() == [[0] * (long - short) + [1] * short, [1] * long]
    assert after.attended.tolist() == [[1] * short + [0] * (long - short), [1] * long]
    assert before.ids[0, long - short :].tolist() == after.ids[0, :short].tolist()
    assert before.cut == after.cut == (False, False)


@given(st.text(st.sampled_from("abc de"), max_size=60), st.integers(0, 40))
def test_a_fitted_prompt_fits_and_keeps_the_beginning_of_its_question(question: str, room: int) -> None:
    """A token a character: what is cut is no more than what does not fit and the spaces before it."""
    said = Prompt(prompt=f"Q: {question} A:", question=question)
    frame = len("Q:  A:")
    if room < frame:
        with pytest.raises(DataError):
            fit_prompt(said, room, lambda each: len(each.prompt))
        return
    found = fit_prompt(said, room, lambda each: len(each.prompt))
    assert len(found.prompt) <= room or found == said
    assert found.prompt == f"Q: {found.question} A:"
    assert question.startswith(found.question)
    assert found == said or found.question == question[: room - frame].rstrip()


def _folder(speaker: GenerativeAdapter) -> Path:
    return Path(module_of(speaker).config._name_or_path)
