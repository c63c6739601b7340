"""Answers are decoded greedily, and end where the checkpoint says, whatever else it says of generation."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from transformers import GenerationConfig

from pytest_vqamt.core.errors import ModelError
from pytest_vqamt.models.transformers.checkpoint import Checkpoint as Folder
from pytest_vqamt.models.transformers.prompted.generative import load
from pytest_vqamt.models.transformers.prompted.prompt_text import GreedyDecoding
from tests.models.transformers.prompted.conftest import BRIEF, CPU, batch, tiers
from tests.models.transformers.prompted.small.tokenizers import byte_pairs
from tests.rows import each_row

if TYPE_CHECKING:
    from pytest_vqamt.models.transformers.prompted.generative import GenerativeAdapter
    from tests.models.transformers.prompted.conftest import Checkpoint, Loaded


KINDS = ("llava", "idefics3", "qwen2_vl", "blip2_opt", "blip2_t5", "git", "vipllava")

SOME = tiers("llava", "blip2_t5", of=KINDS)

SAMPLED = {
    "do_sample": True,
    "temperature": 0.7,
    "top_k": 3,
    "top_p": 0.8,
    "num_beams": 3,
    "repetition_penalty": 1.5,
    "no_repeat_ngram_size": 2,
    "max_length": 7,
    "max_new_tokens": 3,
    "min_new_tokens": 2,
}


def changed(checkpoint: Path, folder: Path, name: str, **values: Any) -> Path:
    shutil.copytree(checkpoint, folder)
    held = json.loads((folder / name).read_text()) if (folder / name).is_file() else {}
    (folder / name).write_text(json.dumps({**held, **values}))
    return folder


def tokenizer_of(speaker: GenerativeAdapter) -> Any:
    """The one that makes words of what is said."""
    family: Any = speaker._family
    return family._decoding._tokenizer


@pytest.mark.parametrize("kind", SOME)
def test_how_a_checkpoint_samples_changes_nothing_and_nobody_is_told(
    checkpoint: Checkpoint, loaded: Loaded, tmp_path: Path, kind: str, capfd: pytest.CaptureFixture[str]
) -> None:
    expected = loaded(kind).answer(batch())
    capfd.readouterr()
    sampled = load(str(changed(checkpoint(kind), tmp_path / kind, "generation_config.json", **SAMPLED)), BRIEF)
    assert sampled.answer(batch()) == expected == sampled.answer(batch())
    assert "".join(capfd.readouterr()) == ""


@pytest.mark.parametrize("kind", tiers("git", of=("llava", "git")))
def test_settings_of_generation_in_an_old_configuration_change_nothing(
    checkpoint: Checkpoint, loaded: Loaded, tmp_path: Path, kind: str
) -> None:
    """As checkpoints of before 2023 have them."""
    folder = changed(checkpoint(kind), tmp_path / kind, "config.json", num_beams=3, max_length=9, temperature=0.2)
    (folder / "generation_config.json").unlink()
    assert load(str(folder), BRIEF).answer(batch()) == loaded(kind).answer(batch())


@pytest.mark.parametrize("kind", SOME)
def test_an_answer_ends_with_any_of_the_tokens_that_end_one(
    checkpoint: Checkpoint, loaded: Loaded, tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = loaded(kind, longest_answer="16")
    decode, decoded = tokenizer_of(plain).batch_decode, list[list[int]]()

    def watching(ids: list[list[int]], **settings: Any) -> list[str]:
        decoded.extend(ids)
        said: list[str] = decode(ids, **settings)
        return said

    monkeypatch.setattr(tokenizer_of(plain), "batch_decode", watching)
    asked = batch()
    plain.answer(asked)
    number, place = next(
        (number, place) for number, ids in enumerate(decoded) for place in range(2, 8) if ids[place] not in ids[:place]
    )
    held = json.loads((checkpoint(kind) / "generation_config.json").read_text())
    ends = {"eos_token_id": [held["eos_token_id"], decoded[number][place]]}
    folder = changed(checkpoint(kind), tmp_path / kind, "generation_config.json", **ends)
    (cut,) = load(str(folder), CPU).answer([asked[number]])
    before = decode([decoded[number][:place]], skip_special_tokens=True)
    assert cut.text == before[0].strip()


def test_a_checkpoint_whose_answers_never_end_is_refused(checkpoint: Checkpoint, tmp_path: Path) -> None:
    folder = changed(checkpoint("llava"), tmp_path / "endless", "tokenizer_config.json", eos_token=None)
    held = json.loads((folder / "config.json").read_text())
    held["text_config"]["eos_token_id"] = None
    (folder / "config.json").write_text(json.dumps({**held, "eos_token_id": None}))
    (folder / "generation_config.json").unlink()
    with pytest.raises(ModelError, match="so no answer would ever end"):
        load(str(folder), CPU)


@pytest.mark.parametrize("content", [b'{"eos_token_id": [1,', b"\xff"])
def test_a_damaged_file_that_says_where_an_answer_ends(checkpoint: Checkpoint, tmp_path: Path, content: bytes) -> None:
    """Transformers passes over it in silence."""
    folder = Path(shutil.copytree(checkpoint("llava"), tmp_path / "cut"))
    (folder / "generation_config.json").write_bytes(content)
    with pytest.raises(ModelError, match=r"Expected JSON in .*generation_config\.json.*copy the file again"):
        load(str(folder), CPU)


@pytest.mark.parametrize("kind", ["llava", "vipllava"])
def test_a_tokenizer_without_a_token_to_fill_up_with(
    checkpoint: Checkpoint, loaded: Loaded, tmp_path: Path, kind: str
) -> None:
    folder = changed(checkpoint(kind), tmp_path / kind, "tokenizer_config.json", pad_token=None)
    assert load(str(folder), BRIEF).answer(batch()) == loaded(kind).answer(batch())


@each_row(
    ("special", "said", "text"),
    [
        (("[THINK]", "[/THINK]"), "[THINK]a dog?[/THINK]yes</s>no", "[THINK]a dog?[/THINK]yes"),
        (("<|channel>", "<channel|>"), "<|channel>thought<channel|>yes</s>", "<|channel>thought<channel|>yes"),
        (("<|image|>",), "<|image|>yes</s>", "yes"),
        (("<|image|>", "[THINK]"), "<|image|>yes<pad></s>", "yes"),
    ],
)
def test_marks_of_reasoning_stay_and_other_special_tokens_do_not(
    tmp_path: Path, special: tuple[str, ...], said: str, text: str
) -> None:
    tokenizer = byte_pairs(special)
    model = SimpleNamespace(generation_config=GenerationConfig())  # type: ignore[no-untyped-call]  # not annotated
    decoding = GreedyDecoding(model, tokenizer, Folder(name="c", folder=tmp_path))
    tokens = tokenizer(said, return_tensors="pt", add_special_tokens=False)["input_ids"]
    assert decoding.texts(tokens) == ((text,), (True,))
    assert decoding.texts(tokens[:, :1])[1] == (False,)
