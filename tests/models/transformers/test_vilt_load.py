"""ViLT answers questions and judges statements, whatever else is in the batch and without chance."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from copy import copy, deepcopy
from pathlib import Path
from typing import TypeVar

import pytest
import torch
from PIL import Image

from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.query import Answer, Failure, ModelInput, Task
from pytest_vqamt.models.protocol import ModelOptions
from pytest_vqamt.models.transformers.inputs import PictureFeatureCache
from pytest_vqamt.models.transformers.vilt import ViltAnswers, ViltStatements, load, tasks
from pytest_vqamt.models.wrapped import wrap_model
from tests.models.conftest import Written
from tests.models.small.asking import ask_all
from tests.models.small.damage import with_setting
from tests.models.small.inputs import QUESTIONS, SIZES, asked, mixed, query, render
from tests.models.small.vilt import ANSWERS, LONGEST, vilt_nlvr, vilt_vqa

OPTIONS = ModelOptions(device="cpu")
T = TypeVar("T", ViltAnswers, ViltStatements)


@pytest.fixture(scope="module")
def vqa_folder(written: Written) -> Path:
    return written(vilt_vqa)


@pytest.fixture(scope="module")
def models(vqa_folder: Path, written: Written) -> tuple[ViltAnswers, ViltStatements]:
    vqa, nlvr = load(str(vqa_folder), OPTIONS), load(str(written(vilt_nlvr)), OPTIONS)
    assert isinstance(vqa, ViltAnswers)
    assert isinstance(nlvr, ViltStatements)
    return vqa, nlvr


def test_the_configuration_tells_the_task(vqa_folder: Path, written: Written, tmp_path: Path) -> None:
    assert tasks(str(vqa_folder), OPTIONS) == (Task.VQA,)
    assert tasks(str(written(vilt_nlvr)), OPTIONS) == (Task.ENTAILMENT,)
    # What is wrong is for loading to say.
    (tmp_path / "config.json").write_text('{"model_type": "vilt", "architectures": ["ViltForMaskedLM"]}')
    assert tasks(str(tmp_path), OPTIONS) is None
    (tmp_path / "config.json").unlink()
    assert tasks(str(tmp_path), OPTIONS) is None


@pytest.fixture
def vqa(models: tuple[ViltAnswers, ViltStatements]) -> ViltAnswers:
    """It remembers no picture."""
    models[0]._cache.release()
    return models[0]


@pytest.fixture
def nlvr(models: tuple[ViltAnswers, ViltStatements]) -> ViltStatements:
    models[1]._cache.release()
    return models[1]


def logits(model: ViltAnswers | ViltStatements, batch: Sequence[ModelInput]) -> torch.Tensor:
    with model._runtime.inference():
        return model._logits(*model._embed(model._cache.preprocess(batch), model._tokens(batch)))


def exact(model: T) -> T:
    """A copy that computes in 64 bits, so that what is left of a difference is no rounding."""
    other = copy(model)
    other._model = deepcopy(model._model).double()
    other._cache = PictureFeatureCache(other._preprocess_images, other._encode, lambda made: made.nbytes, 1 << 20)
    return other


def plain_inputs(model: ViltAnswers | ViltStatements, one: ModelInput) -> dict[str, torch.Tensor]:
    """As transformers' own processor makes them: the picture's edges in ratio, text cut, both padded."""
    text = model._tokenizer([one.text], truncation=True, max_length=LONGEST, return_tensors="pt")
    picture = model._processor(one.image, return_tensors="pt")
    return {**{name: text[name] for name in ("input_ids", "attention_mask")}, **picture}


ORDINARY = ("wide", "tall", "square", "grey", "tiny")
"""The pictures that transformers' own processor can resize: it gives the others no columns at all."""


def test_every_picture_gets_one_of_the_answers_and_answers_differ(vqa: ViltAnswers) -> None:
    said = vqa.answer(mixed())
    assert {answer.text for answer in said} <= set(ANSWERS)
    assert len({answer.text for answer in said}) >= 4
    of_one_picture = [{answer.text for answer in said[start : start + 5]} for start in range(0, len(said), 5)]
    assert sum(len(texts) > 1 for texts in of_one_picture) >= 4
    of_one_question = [{answer.text for answer in said[start::5]} for start in range(5)]
    assert all(len(texts) > 1 for texts in of_one_question)


def test_the_five_best_are_told_with_their_probabilities(vqa: ViltAnswers) -> None:
    (said,) = vqa.answer([asked("wide", QUESTIONS[0])])
    of_each = logits(vqa, [asked("wide", QUESTIONS[0])])[0].sigmoid()
    assert said.scores is not None
    assert len(said.scores) == 5
    assert said.scores[0][0] == said.text
    assert [score for _, score in said.scores] == [
        round(value, 3) for value in of_each.sort(descending=True)[0][:5].tolist()
    ]
    assert all(of_each[ANSWERS.index(name)].item() == pytest.approx(score, abs=6e-4) for name, score in said.scores)


def test_statements_are_true_or_false_and_never_neutral(nlvr: ViltStatements) -> None:
    said = nlvr.entail(mixed(task=Task.ENTAILMENT))
    assert {answer.text for answer in said} == {"entailment", "contradiction"}
    for answer in said:
        assert answer.scores is not None
        assert dict(answer.scores).keys() == {"entailment", "contradiction"}
        assert sum(score for _, score in answer.scores) == pytest.approx(1, abs=2e-3)


def test_the_class_itself_gives_the_same_for_a_question(vqa: ViltAnswers) -> None:
    model = exact(vqa)
    for place, name in enumerate(ORDINARY):
        for text in (QUESTIONS[place], QUESTIONS[place - 1]):
            one = asked(name, text)
            with torch.inference_mode():
                expected = model._model(**plain_inputs(model, one)).logits.float()
            torch.testing.assert_close(logits(model, [one]), expected, atol=1e-6, rtol=1e-6)


def test_the_class_itself_gives_the_same_for_a_statement(nlvr: ViltStatements) -> None:
    """True is the second output: 'False' and 'True' as in the published checkpoint."""
    model = exact(nlvr)
    for name in ORDINARY:
        one = asked(name, QUESTIONS[1], Task.ENTAILMENT)
        plain = plain_inputs(model, one)
        twice = {
            edge: plain[edge].unsqueeze(1).repeat(1, 2, *[1] * (plain[edge].ndim - 1))
            for edge in plain
            if "pixel" in edge
        }
        with torch.inference_mode():
            expected = model._model(**{**plain, **twice}).logits[0].float()
        torch.testing.assert_close(logits(model, [one])[0], expected, atol=1e-6, rtol=1e-6)
        (said,) = model.entail([one])
        assert said.text == ("entailment" if expected[1] > expected[0] else "contradiction")


def test_nothing_else_in_the_batch_changes_the_scores(vqa: ViltAnswers, nlvr: ViltStatements) -> None:
    some = mixed()[::2]
    for model in (exact(vqa), exact(nlvr)):
        together = logits(model, some)
        model._cache.release()
        alone = torch.cat([logits(model, [one]) for one in some])
        backwards = logits(model, some[::-1]).flip(0)
        torch.testing.assert_close(together, alone, atol=1e-6, rtol=1e-6)
        torch.testing.assert_close(together, backwards, atol=1e-6, rtol=1e-6)


@pytest.mark.parametrize("size", [pytest.param(1, marks=pytest.mark.full), 7])
def test_answers_do_not_depend_on_batch_size_or_order(vqa: ViltAnswers, nlvr: ViltStatements, size: int) -> None:
    expected = [answer.text for answer in (*vqa.answer(mixed()), *nlvr.entail(mixed()))]
    vqa._cache.release()
    nlvr._cache.release()
    batch = mixed()[::-1]
    parts = [batch[start : start + size] for start in range(0, len(batch), size)]
    answered = [answer.text for part in parts for answer in vqa.answer(part)]
    judged = [answer.text for part in parts for answer in nlvr.entail(part)]
    assert [*answered[::-1], *judged[::-1]] == expected


def test_torchs_random_state_is_neither_read_nor_changed(vqa: ViltAnswers) -> None:
    said = []
    for seed in (1, 2):
        vqa._cache.release()
        torch.manual_seed(seed)
        before = torch.random.get_rng_state()
        said.append(logits(vqa, mixed()))
        assert torch.equal(torch.random.get_rng_state(), before)
    assert torch.equal(*said)


def test_too_many_patches_are_chosen_alike_for_the_same_picture(tmp_path: Path) -> None:
    """4 x 4 to 4 x 6 patches, of which 10 are seen: transformers draws others each time, and gives other scores."""
    model = load(str(vilt_vqa(tmp_path / "few", most_patches=10)), OPTIONS)
    assert isinstance(model, ViltAnswers)
    model, batch = exact(model), mixed()[::2]
    patches, _ = model._embed(model._cache.preprocess(batch), model._tokens(batch))
    assert patches.embedded.shape[1] == 11
    together = logits(model, batch)
    model._cache.release()
    alone = torch.cat([logits(model, [one]) for one in batch])
    torch.testing.assert_close(together, alone, atol=1e-6, rtol=1e-6)
    plain = plain_inputs(model, asked("wide", QUESTIONS[0]))
    with torch.inference_mode(), torch.random.fork_rng(devices=[]):
        drawn = [model._model(**plain).logits for _ in range(2)]
    assert (drawn[0] - drawn[1]).abs().max() > 1e-2


def test_a_picture_is_rendered_and_embedded_once_for_all_its_questions(
    vqa: ViltAnswers, monkeypatch: pytest.MonkeyPatch
) -> None:
    rendered: list[str] = []
    embedded: list[int] = []
    embed = vqa._cache._encode

    def counting_render(picture: Picture) -> Image.Image:
        rendered.append(picture.photo.id)
        return render(picture)

    def counting_embed(pictures: Sequence[torch.Tensor]) -> Sequence[torch.Tensor]:
        embedded.append(len(pictures))
        return embed(pictures)

    monkeypatch.setattr(vqa._cache, "_encode", counting_embed)
    batch = [ModelInput(query(name, text), counting_render) for text in QUESTIONS for name in SIZES]
    vqa.answer(batch[:20])
    vqa.answer(batch[20:])
    assert rendered == list(SIZES)
    assert embedded == [len(SIZES)]


def test_a_text_that_is_cut_says_so(vqa: ViltAnswers, nlvr: ViltStatements) -> None:
    """LONGEST tokens with those that begin and end it: so many words are one too many when two fewer fill it."""
    fits, cut = "dog " * (LONGEST - 2), "dog " * (LONGEST - 1)
    for answer in (vqa.answer, nlvr.entail):
        assert [said.truncated for said in answer([asked("wide", fits), asked("wide", cut)])] == [False, True]
    said = vqa.answer([asked("wide", cut), asked("wide", fits)])
    assert said[0].scores == said[1].scores


def test_no_inputs_give_no_answers(vqa: ViltAnswers, nlvr: ViltStatements) -> None:
    assert vqa.answer([]) == nlvr.entail([]) == ()


def test_a_query_that_raises_costs_only_itself(vqa: ViltAnswers, monkeypatch: pytest.MonkeyPatch) -> None:
    queries = [query(name, text) for name in ("wide", "tiny", "tall") for text in QUESTIONS[:2]]
    whole = ask_all(vqa, queries)
    vqa._cache.release()
    memory = vqa._cache
    embed, (small,) = memory._encode, memory.preprocess([asked("tiny", "")]).preprocessed.values()

    def broken(pictures: Sequence[torch.Tensor]) -> Sequence[torch.Tensor]:
        if any(torch.equal(each, small) for each in pictures):
            raise RuntimeError("too small")
        return embed(pictures)

    monkeypatch.setattr(memory, "_encode", broken)
    found = ask_all(vqa, queries)
    for wanted, before, after in zip(queries, whole, found, strict=True):
        assert isinstance(before, Answer)
        if wanted.picture.photo.id == "tiny":
            assert after == Failure(reason="RuntimeError: too small")
        else:
            assert isinstance(after, Answer)
            assert after.text == before.text


def test_each_head_does_its_task(vqa: ViltAnswers, nlvr: ViltStatements) -> None:
    assert wrap_model("vilt", vqa, OPTIONS).tasks == (Task.VQA,)
    assert wrap_model("vilt", nlvr, OPTIONS).tasks == (Task.ENTAILMENT,)
    assert wrap_model("vilt", vqa, OPTIONS).persistent
    assert vqa.largest_batch == vqa.batch_size, "on the CPU a larger batch is no faster"


def test_the_fingerprint_names_weights_precision_and_packages(
    vqa: ViltAnswers, vqa_folder: Path, tmp_path: Path
) -> None:
    assert load(str(vqa_folder), OPTIONS).fingerprint == vqa.fingerprint
    assert f"torch=={torch.__version__}" in vqa.fingerprint
    other = load(str(vilt_vqa(tmp_path / "other", seed=1)), OPTIONS)
    halved = load(str(vqa_folder), ModelOptions(device="cpu", dtype="bfloat16"))
    assert len({vqa.fingerprint, other.fingerprint, halved.fingerprint}) == 3
    assert isinstance(halved, ViltAnswers)
    assert {answer.text for answer in halved.answer(mixed())} <= set(ANSWERS)


def test_output_that_was_read_by_its_place_has_names(vqa: ViltAnswers, vqa_folder: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(vqa_folder, tmp_path / "old"))
    with_setting("return_dict", value=False)(folder)
    model = load(str(folder), OPTIONS)
    assert isinstance(model, ViltAnswers)
    assert model.answer(mixed()) == vqa.answer(mixed())
