"""Questions become the tokens that a model was trained on; a tokenizer comes from the checkpoint or is BERT's."""

from __future__ import annotations

from pathlib import Path

import huggingface_hub.constants
import pytest
from transformers import PreTrainedTokenizerBase

from pytest_vqamt.core.errors import ModelError
from pytest_vqamt.models.protocol import ModelOptions
from pytest_vqamt.models.region_models import lxmert, visualbert
from pytest_vqamt.models.region_models.adapter import BERT, QuestionLayout, bert_tokenizer, tokenize_questions
from pytest_vqamt.models.transformers.checkpoint import Checkpoint
from pytest_vqamt.models.transformers.runtime import Runtime
from tests.models.small import tokenizers
from tests.models.small.words import WORDS

RUNTIME = Runtime.of(ModelOptions(device="cpu"))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("words")
    tokenizers.bert_tokenizer(folder, WORDS)
    return folder


@pytest.fixture(scope="module")
def tokenizer(folder: Path) -> PreTrainedTokenizerBase:
    words = len((folder / "vocab.txt").read_text().splitlines())
    return bert_tokenizer(Checkpoint(folder=folder, name=str(folder)), words)


def written(text: str, form: QuestionLayout, tokenizer: PreTrainedTokenizerBase) -> tuple[str, int, bool]:
    """The tokens that count, how many there are with those that do not, and whether the text was cut."""
    tokens = tokenize_questions([text], tokenizer, form, RUNTIME)
    ids = tokens.ids[0][tokens.attended[0].bool()].tolist()
    return " ".join(tokenizer.convert_ids_to_tokens(ids)), len(tokens.ids[0]), tokens.cut[0]


def test_lxmert_reads_the_question_as_it_is_in_20_tokens(tokenizer: PreTrainedTokenizerBase) -> None:
    assert written("Is there a RED car?", lxmert.FORM, tokenizer) == ("[CLS] is there a red car ? [SEP]", 20, False)
    assert written("", lxmert.FORM, tokenizer) == ("[CLS] [SEP]", 20, False)
    red = " ".join(["red"] * 18)
    assert written("red " * 18, lxmert.FORM, tokenizer) == (f"[CLS] {red} [SEP]", 20, False)
    assert written("red " * 19, lxmert.FORM, tokenizer) == (f"[CLS] {red} [SEP]", 20, True)


def test_visualbert_reads_it_with_a_mask_at_its_end(tokenizer: PreTrainedTokenizerBase) -> None:
    """``vqa_dataset.py`` of uclanlp/visualbert: no commas and question marks, then "?" and [MASK]."""
    form = visualbert.FORM
    expected = "[CLS] is there a red car or a dog ? [MASK] [SEP]"
    assert written("Is there a red car, or a dog?", form, tokenizer) == (expected, 32, False)
    assert written("a dog", form, tokenizer) == ("[CLS] a dog ? [MASK] [SEP]", 32, False)
    assert written("red " * 40, form, tokenizer)[1:] == (64, False)
    text, length, cut = written("red " * 125, form, tokenizer)
    assert text.count("red") == 124
    assert text.endswith("red ? [MASK] [SEP]")
    assert (length, cut) == (128, True)


def test_all_questions_of_a_batch_are_filled_up_to_one_length(tokenizer: PreTrainedTokenizerBase) -> None:
    tokens = tokenize_questions(["red " * 40, "red"], tokenizer, visualbert.FORM, RUNTIME)
    assert [len(row) for row in tokens.ids] == [64, 64]
    assert tokens.attended.sum(1).tolist() == [44, 5]
    assert tokens.ids[1][5:].tolist() == [tokenizer.pad_token_id] * 59


@pytest.fixture
def hub(tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The hub's cache with BERT's vocabulary alone in it, and no network."""
    kept = tmp_path / f"models--{BERT.replace('/', '--')}"
    (kept / "refs").mkdir(parents=True)
    (kept / "refs" / "main").write_text("abc123")
    (kept / "snapshots" / "abc123").mkdir(parents=True)
    (kept / "snapshots" / "abc123" / "vocab.txt").write_bytes((folder / "vocab.txt").read_bytes())
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_CACHE", str(tmp_path))
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", True)
    return kept


def test_a_checkpoint_of_the_hub_without_tokenizer_takes_that_of_bert(
    hub: Path, tmp_path: Path, tokenizer: PreTrainedTokenizerBase
) -> None:
    """As uclanlp/visualbert-vqa is published."""
    (tmp_path / "fetched").mkdir()
    found = bert_tokenizer(Checkpoint(folder=tmp_path / "fetched", name="uclanlp/visualbert-vqa"), len(tokenizer))
    assert found.convert_tokens_to_ids("[MASK]") == tokenizer.convert_tokens_to_ids("[MASK]")
    assert written("a dog", visualbert.FORM, found) == written("a dog", visualbert.FORM, tokenizer)


def test_without_a_network_it_is_said_which_files_to_copy(hub: Path, tmp_path: Path) -> None:
    (hub / "snapshots" / "abc123" / "vocab.txt").unlink()
    (tmp_path / "fetched").mkdir()
    with pytest.raises(
        ModelError, match=r"Expected to fetch the tokenizer of google-bert/bert-base-uncased.* Copy .*vocab\.txt"
    ):
        bert_tokenizer(Checkpoint(folder=tmp_path / "fetched", name="uclanlp/visualbert-vqa"), 30522)


def test_a_vocabulary_that_happens_to_lie_in_the_current_folder_is_not_berts(
    folder: Path, tmp_path: Path, tokenizer: PreTrainedTokenizerBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_CACHE", str(tmp_path / "empty"))
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", True)
    with pytest.raises(ModelError, match="Expected to fetch the tokenizer"):
        bert_tokenizer(Checkpoint(folder=tmp_path, name="uclanlp/visualbert-vqa"), len(tokenizer))


def test_a_folder_of_the_users_without_tokenizer_is_refused(tmp_path: Path) -> None:
    """It would be guessed at what the model was trained with."""
    with pytest.raises(ModelError, match=r"has neither vocab\.txt nor tokenizer\.json"):
        bert_tokenizer(Checkpoint(folder=tmp_path, name=str(tmp_path)), 30522)
