"""BLIP judges whether a text fits a picture: entailment or contradiction, never neutral."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
import torch

from pytest_vqamt.core.query import ModelInput, Task
from pytest_vqamt.models.protocol import ModelOptions
from pytest_vqamt.models.transformers.blip import BlipMatches, load
from pytest_vqamt.models.wrapped import wrap_model
from tests.models.conftest import Written
from tests.models.small.blip import LONGEST, blip_matches
from tests.models.small.blip_said import exact, plain_inputs, said
from tests.models.small.inputs import asked, mixed

OPTIONS = ModelOptions(device="cpu")
ALL = mixed(task=Task.ENTAILMENT)


@pytest.fixture(scope="module")
def folder(written: Written) -> Path:
    return written(blip_matches)


def loaded(folder: Path) -> BlipMatches:
    model = load(str(folder), OPTIONS)
    assert isinstance(model, BlipMatches)
    return model


@pytest.fixture(scope="module")
def matches(folder: Path) -> BlipMatches:
    return loaded(folder)


def logits(model: BlipMatches, batch: Sequence[ModelInput]) -> torch.Tensor:
    with model._runtime.inference():
        pictures = model._cache.preprocess(batch)
        return model._logits(model._features(pictures), model._tokens(batch))


def test_texts_match_or_do_not(matches: BlipMatches) -> None:
    answers = matches.entail(ALL)
    assert {answer.text for answer in answers} == {"entailment", "contradiction"}
    of_one_picture = [{answer.text for answer in answers[start : start + 5]} for start in range(0, len(answers), 5)]
    assert sum(len(texts) == 2 for texts in of_one_picture) >= 4
    for answer in answers:
        assert answer.scores is not None
        assert answer.scores[0][0] == answer.text
        assert sum(score for _, score in answer.scores) == pytest.approx(1, abs=2e-3)


def test_the_class_itself_gives_the_same_probability_of_a_match(matches: BlipMatches) -> None:
    """The second of its two scores is that of a match; from a half on it is entailment."""
    for one in ALL[::3]:
        with torch.inference_mode():
            score = matches._model(**plain_inputs(matches, one, one.text)).itm_score.softmax(dim=1)[0, 1].item()
        (answer,) = matches.entail([one])
        assert answer.text == ("entailment" if score >= 0.5 else "contradiction")
        assert answer.scores is not None
        assert dict(answer.scores)["entailment"] == pytest.approx(score, abs=6e-4)


def test_nothing_else_in_the_batch_changes_a_score(folder: Path) -> None:
    model, some = loaded(folder), ALL[::3]
    exact(model)
    together = logits(model, some)
    model._cache.release()
    alone = torch.cat([logits(model, [one]) for one in some])
    torch.testing.assert_close(together, alone, atol=1e-6, rtol=1e-6)
    assert said(model, some[::-1], 7)[::-1] == said(model, some)


def test_a_hypothesis_that_is_cut_says_so(matches: BlipMatches) -> None:
    fits, cut = matches.entail([asked("wide", "dog " * (LONGEST - 2)), asked("wide", "dog " * (LONGEST - 1))])
    assert (fits.truncated, cut.truncated) == (False, True)
    assert fits.scores == cut.scores


def test_it_judges_hypotheses_and_does_nothing_else(matches: BlipMatches) -> None:
    assert wrap_model("blip", matches, OPTIONS).tasks == (Task.ENTAILMENT,)
    assert matches.entail([]) == ()
