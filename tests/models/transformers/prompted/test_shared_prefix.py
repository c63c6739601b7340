"""The tokens of a picture are computed once for all questions about it in a batch, and nothing else changes."""

from __future__ import annotations

import json
import shutil
from copy import copy
from typing import TYPE_CHECKING, Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from pytest_vqamt.models.transformers.inputs import TextTokens
from pytest_vqamt.models.transformers.prompted.generative import load
from pytest_vqamt.models.transformers.prompted.shared_prefix import is_shareable, shared_prefix
from tests.models.transformers.prompted.conftest import BRIEF, batch, tiers
from tests.models.transformers.prompted.test_kinds import QUESTIONED
from tests.models.transformers.prompted.test_reference import Scores

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_vqamt.core.query import ModelInput
    from tests.models.transformers.prompted.conftest import Checkpoint, Loaded

SHARING = ("llava", "llava_next", "idefics3", "smolvlm", "qwen2_vl", "qwen2_5_vl", "qwen3_vl")
"""Kinds that read from the left to the right, with the picture before the text."""

WHOLE = ("gemma3", "paligemma", "florence")
"""Kinds that look at a window of the latest tokens, at what comes later, or at the prompt in an encoder."""

IMAGE = 7
"""The token of a part of a picture."""


class Run:
    """The answers of one batch, the scores of the first tokens and how many tokens went through the model."""

    def __init__(self, ours: Any, asked: list[ModelInput], monkeypatch: pytest.MonkeyPatch, *, shares: bool) -> None:
        self.tokens = 0
        model = ours._family.model

        def count(_module: object, _given: object, named: dict[str, Any], _returned: object) -> None:
            self.tokens += named["input_ids"].numel()

        with monkeypatch.context() as patch, Scores() as scores:
            patch.setattr(ours._family, "_shares_prefix", shares)
            hook = model.register_forward_hook(count, with_kwargs=True)
            try:
                self.answers = ours.answer(asked)
            finally:
                hook.remove()
        self.first = scores.first


@pytest.mark.parametrize("kind", tiers("llava_next", "idefics3", "qwen3_vl", of=SHARING))
@pytest.mark.parametrize("places", [range(9), (0, 3, 1, 6, 4), (5, 2, 8)])
def test_answers_and_scores_are_those_of_whole_prompts(
    loaded: Loaded, monkeypatch: pytest.MonkeyPatch, kind: str, places: tuple[int, ...]
) -> None:
    """Pictures of other shapes, some with one question, in any order."""
    ours = loaded(kind)
    asked = [batch()[place] for place in places]
    shared, whole = Run(ours, asked, monkeypatch, shares=True), Run(ours, asked, monkeypatch, shares=False)
    assert shared.answers == whole.answers
    torch.testing.assert_close(shared.first, whole.first, rtol=1e-4, atol=1e-4)
    assert whole.first.std(0).max() > 0.01, "the scores differ between questions"


@pytest.mark.parametrize("kind", tiers("llava_next", "qwen3_vl", of=SHARING))
def test_fewer_tokens_go_through_the_model(loaded: Loaded, monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    ours, asked = loaded(kind), batch()
    assert Run(ours, asked, monkeypatch, shares=True).tokens < Run(ours, asked, monkeypatch, shares=False).tokens


@pytest.mark.parametrize("kind", tiers("llava_next", "qwen3_vl", of=SHARING))
def test_a_later_batch_finds_the_pictures_of_an_earlier_one(
    loaded: Loaded, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    """The second batch has a new picture, too, and pads the known ones otherwise."""
    ours: Any = loaded(kind)
    first, second = [batch()[place] for place in (1, 4)], [batch()[place] for place in (0, 3, 1, 7)]
    ours._family.release()
    fresh = Run(ours, second, monkeypatch, shares=True)
    ours._family.release()
    Run(ours, first, monkeypatch, shares=True)
    again = Run(ours, second, monkeypatch, shares=True)
    assert again.answers == fresh.answers
    torch.testing.assert_close(again.first, fresh.first, rtol=1e-4, atol=1e-4)
    assert again.tokens < fresh.tokens
    assert ours._family.release()
    assert Run(ours, second, monkeypatch, shares=True).tokens == fresh.tokens, "released, they are computed again"


def test_a_picture_with_one_question_is_found_by_the_next_one(loaded: Loaded, monkeypatch: pytest.MonkeyPatch) -> None:
    """As from one relation to the next."""
    ours: Any = loaded("qwen3_vl")
    ours._family.release()
    _, second = (Run(ours, [batch()[place]], monkeypatch, shares=True) for place in (0, 3))
    whole = Run(ours, [batch()[3]], monkeypatch, shares=False)
    assert second.tokens < whole.tokens
    assert second.answers == whole.answers
    torch.testing.assert_close(second.first, whole.first, rtol=1e-4, atol=1e-4)


def test_a_checkpoint_that_was_saved_without_a_cache_answers_the_same(
    checkpoint: Checkpoint, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """As those that were fine-tuned with gradient checkpointing."""
    folder = shutil.copytree(checkpoint("qwen3_vl"), tmp_path / "saved")
    file = folder / "generation_config.json"
    file.write_text(json.dumps(json.loads(file.read_text(encoding="utf-8")) | {"use_cache": False}), encoding="utf-8")
    ours: Any = load(str(folder), BRIEF)
    shared, whole = Run(ours, batch(), monkeypatch, shares=True), Run(ours, batch(), monkeypatch, shares=False)
    assert shared.answers == whole.answers
    torch.testing.assert_close(shared.first, whole.first, rtol=1e-4, atol=1e-4)


def test_a_checkpoint_that_names_a_cache_of_another_kind_reads_whole_prompts(loaded: Loaded) -> None:
    ours: Any = loaded("qwen3_vl")
    named = copy(ours._family.model.generation_config)
    named.cache_implementation = "static"
    assert is_shareable(ours._family.config, ours._family.model.generation_config)
    assert not is_shareable(ours._family.config, named)


@pytest.mark.parametrize("kind", tiers("gemma3", "paligemma", of=WHOLE))
def test_other_kinds_read_whole_prompts(loaded: Loaded, kind: str) -> None:
    ours: Any = loaded(kind, **QUESTIONED.get(kind, {}))
    assert not ours._family._shares_prefix


@st.composite
def _prompts(draw: st.DrawFn) -> tuple[list[list[int]], list[int]]:
    """Rows of tokens, and the picture of each; every one begins alike."""
    word = st.integers(8, 11)
    system, after = draw(st.lists(word, max_size=3)), draw(st.lists(word, max_size=2))
    picture = st.lists(st.sampled_from([IMAGE, IMAGE, 1]), min_size=1, max_size=9)
    pictures = draw(st.lists(picture, min_size=1, max_size=3))
    numbered = [[*system, IMAGE, *inner, IMAGE, *after] for inner in pictures]
    which = draw(st.lists(st.sampled_from(range(len(pictures))), min_size=1, max_size=6))
    order = list(dict.fromkeys(which))
    rows = [[*numbered[place], *draw(st.lists(word, min_size=1, max_size=4))] for place in which]
    return rows, [order.index(place) for place in which]


def _padded(rows: list[list[int]]) -> TextTokens:
    size = max(map(len, rows))
    ids = torch.tensor([[*[0] * (size - len(row)), *row] for row in rows])
    attended = torch.tensor([[*[0] * (size - len(row)), *[1] * len(row)] for row in rows])
    return TextTokens(ids=ids, attended=attended, cut=(False,) * len(rows))


@given(_prompts())
def test_each_prompt_is_its_beginning_and_its_end(prompts: tuple[list[list[int]], list[int]]) -> None:
    rows, which = prompts
    found = shared_prefix(_padded(rows), which, IMAGE)
    assert found is not None
    again = [ids[kept == 1].tolist() for ids, kept in zip(found.whole.ids, found.whole.attended, strict=True)]
    assert again == rows
    for place in range(len(rows)):
        beginning = found.beginnings.ids[which[place]]
        assert found.whole.ids[place, : found.length].tolist() == beginning.tolist()
        assert IMAGE not in found.whole.ids[place, found.length :].tolist()
        assert found.whole.attended[place, -1] == 1, "the last token is the one that is continued"
    alone = [shared_prefix(_padded([row]), [0], IMAGE) for row in rows]
    assert [each and each.keys[0] for each in alone] == [found.keys[place] for place in which], "in every batch alike"


@pytest.mark.parametrize(
    ("rows", "which"),
    [
        pytest.param([[8, *[IMAGE] * 9, 10], [9, *[IMAGE] * 9, 10]], [0, 0], id="the text comes before the picture"),
        pytest.param([[8, 9], [8, 9]], [0, 0], id="no picture"),
        pytest.param([[IMAGE] * 9, [IMAGE] * 9], [0, 0], id="nothing behind the picture"),
    ],
)
def test_prompts_that_are_left_whole(rows: list[list[int]], which: list[int]) -> None:
    assert shared_prefix(_padded(rows), which, IMAGE) is None
