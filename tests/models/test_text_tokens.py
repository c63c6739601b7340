"""Texts become tokens of one length, and those that were cut are known."""

from __future__ import annotations

import pytest
from transformers import BertTokenizer

from pytest_vqamt.models.base import ModelOptions
from pytest_vqamt.models.transformers.inputs import tokenize
from pytest_vqamt.models.transformers.runtime import Runtime
from tests.models.small.tokenizers import bert_tokenizer

CPU = Runtime.of(ModelOptions(device="cpu"))
PAD, CLS, SEP = 0, 2, 3


@pytest.fixture(scope="module")
def tokenizer(tmp_path_factory: pytest.TempPathFactory) -> BertTokenizer:
    return bert_tokenizer(tmp_path_factory.mktemp("words"), ("is", "there", "dog"), longest=8)


def number(tokenizer: BertTokenizer, word: str) -> int:
    found = tokenizer.convert_tokens_to_ids(word)
    assert isinstance(found, int)
    return found


def test_texts_are_padded_on_the_right_to_the_longest(tokenizer: BertTokenizer) -> None:
    is_, there, dog, mark = (number(tokenizer, word) for word in ("is", "there", "dog", "?"))
    tokens = tokenize(["Is there a dog?", "dog"], tokenizer, 40, CPU)
    a = number(tokenizer, "a")
    assert tokens.ids.tolist() == [[CLS, is_, there, a, dog, mark, SEP], [CLS, dog, SEP, PAD, PAD, PAD, PAD]]
    assert tokens.attended.tolist() == [[1] * 7, [1, 1, 1, 0, 0, 0, 0]]
    assert tokens.cut == (False, False)


@pytest.mark.parametrize(("longest", "room"), [(6, 4), (8, 6), (40, 6)])
def test_a_longer_text_is_cut_and_said_to_be(tokenizer: BertTokenizer, longest: int, room: int) -> None:
    """The shorter of what the model and what the tokenizer takes (8) counts, two tokens of which are added ones."""
    dog = number(tokenizer, "dog")
    tokens = tokenize(["dog " * room, "dog " * (room + 1), "dog"], tokenizer, longest, CPU)
    assert tokens.cut == (False, True, False)
    assert tokens.ids[:2].tolist() == [[CLS, *[dog] * room, SEP]] * 2


def test_no_word_is_unknown_to_the_small_tokenizer(tokenizer: BertTokenizer) -> None:
    ids = tokenizer("Zebra, 42 café!")["input_ids"]
    assert tokenizer.unk_token_id not in ids
    assert tokenizer.decode(ids, skip_special_tokens=True) == "zebra, 42 cafe!"
