"""LXMERT and VisualBERT answer by their own list, whatever else is in the batch, and look at each picture once."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from copy import copy, deepcopy
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from threading import current_thread, main_thread

import pytest
import torch
from PIL import Image

from pytest_vqamt.core.codec import replace
from pytest_vqamt.core.errors import ModelError
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.query import Answer, Failure, ModelInput, Task
from pytest_vqamt.models.protocol import ModelOptions
from pytest_vqamt.models.region_models import lxmert, visualbert
from pytest_vqamt.models.region_models.adapter import RegionQuestionModel
from pytest_vqamt.models.region_models.region_source import DetectedRegions
from pytest_vqamt.models.wrapped import wrap_model
from tests.models.conftest import Written
from tests.models.small import region_models
from tests.models.small.asking import ask_all
from tests.models.small.damage import DAMAGES, with_setting
from tests.models.small.features import Looking
from tests.models.small.inputs import QUESTIONS, SIZES, asked, mixed, query, render
from tests.models.small.region_models import ANSWERS


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """One of the two: how it is loaded, how a small one is made, and the file of its answers."""

    load: Callable[[str, ModelOptions], RegionQuestionModel]
    write: Callable[..., Path]
    answers: str


KINDS = {
    "lxmert": Kind(load=lxmert.load, write=region_models.lxmert, answers="trainval_label2ans.json"),
    "visualbert": Kind(load=visualbert.load, write=region_models.visualbert, answers="answers.json"),
}


@pytest.fixture(scope="module")
def options(written: Written) -> ModelOptions:
    return ModelOptions(device="cpu", settings={"features": str(written(region_models.features_of_inputs))})


@pytest.fixture(scope="module", params=["lxmert", pytest.param("visualbert", marks=pytest.mark.full)])
def kind(request: pytest.FixtureRequest) -> Kind:
    return KINDS[request.param]


@pytest.fixture(scope="module")
def folder(kind: Kind, written: Written) -> Path:
    return written(kind.write)


@pytest.fixture(scope="module")
def model(kind: Kind, folder: Path, options: ModelOptions) -> RegionQuestionModel:
    return kind.load(str(folder), options)


def changed(model: RegionQuestionModel, **attributes: object) -> RegionQuestionModel:
    """A copy with these attributes."""
    other = copy(model)
    vars(other).pop("fingerprint", None)
    vars(other).update(attributes)
    return other


def exact(model: RegionQuestionModel) -> RegionQuestionModel:
    """A copy that computes in 64 bits, so that what is left of a difference is no rounding."""
    return changed(model, _model=deepcopy(model._model).double())


def logits(model: RegionQuestionModel, batch: Sequence[ModelInput]) -> torch.Tensor:
    with model._runtime.inference():
        ready = model._preprocess(Task.VQA, batch)
        assert isinstance(ready, partial)
        return model._logits(*ready.args)


def test_it_answers_questions_alone(model: RegionQuestionModel, options: ModelOptions) -> None:
    loaded = wrap_model("small", model, options)
    assert loaded.tasks == (Task.VQA,)
    assert loaded.persistent
    assert loaded.batch_size == 32


def test_every_question_gets_one_of_the_answers_and_answers_differ(model: RegionQuestionModel) -> None:
    said = [answer.text for answer in model.answer(mixed())]
    assert set(said) <= set(ANSWERS) - {""}
    assert len(set(said)) >= 5
    of_one_picture = [set(said[start : start + 5]) for start in range(0, len(said), 5)]
    assert all(len(texts) > 1 for texts in of_one_picture)
    of_one_question = [set(said[start::5]) for start in range(5)]
    assert all(len(texts) > 1 for texts in of_one_question)


def test_the_five_best_are_told_with_their_shares_among_what_can_be_said(model: RegionQuestionModel) -> None:
    """Worked out from the logits: the first answer of the list is empty and takes no share."""
    one = asked("wide", QUESTIONS[0])
    (said,) = model.answer([one])
    shares = logits(model, [one])[0][1:].double().softmax(0)
    best = shares.argsort(descending=True)[:5].tolist()
    assert said.scores is not None
    assert said.scores == tuple((ANSWERS[1 + place], round(shares[place].item(), 3)) for place in best)
    assert said.text == said.scores[0][0]


def test_an_empty_answer_is_never_given_however_likely(model: RegionQuestionModel) -> None:
    score = model.score

    def empty(batch: object) -> torch.Tensor:
        found = score(batch)  # type: ignore[arg-type]  # handed on as it comes
        found[:, 0] = 1000.0
        return found

    certain = changed(model, score=empty)
    assert certain.answer(mixed()) == model.answer(mixed())


def test_nothing_else_in_the_batch_changes_the_scores(model: RegionQuestionModel) -> None:
    """Pictures of 1, 5, 20 and 36 regions, and questions of several lengths, together, alone and backwards."""
    careful, batch = exact(model), mixed()[::2]
    together = logits(careful, batch)
    torch.testing.assert_close(together, torch.cat([logits(careful, [one]) for one in batch]), atol=1e-9, rtol=1e-9)
    torch.testing.assert_close(together, logits(careful, batch[::-1]).flip(0), atol=1e-9, rtol=1e-9)


@pytest.mark.parametrize("size", [pytest.param(1, marks=pytest.mark.full), 7])
def test_answers_do_not_depend_on_batch_size_or_order(model: RegionQuestionModel, size: int) -> None:
    expected = model.answer(mixed())
    batch = mixed()[::-1]
    parts = [batch[start : start + size] for start in range(0, len(batch), size)]
    answered = tuple(answer for part in parts for answer in model.answer(part))[::-1]
    assert [answer.text for answer in answered] == [answer.text for answer in expected]
    for one, other in zip(answered, expected, strict=True):
        assert one.truncated == other.truncated
        assert dict(one.scores or ()) == pytest.approx(dict(other.scores or ()), abs=1.1e-3)


def test_no_inputs_give_no_answers(model: RegionQuestionModel) -> None:
    assert model.answer([]) == ()


def test_the_regions_of_a_picture_are_asked_for_once_for_all_its_questions(model: RegionQuestionModel) -> None:
    looking = Looking()
    seeing = changed(model, _regions=DetectedRegions(looking, None))
    seeing.answer(mixed())
    seeing.answer(mixed(["How many dogs are there?", "Is it red?"])[::-1])
    assert sorted(looking.seen) == sorted(SIZES.values())
    assert seeing.usage == {"pictures through the detector": len(SIZES), "features from disk": 0}


def test_through_a_run_a_picture_is_looked_at_once_and_in_the_next_not_at_all(
    model: RegionQuestionModel, tmp_path: Path
) -> None:
    """Batches of four cut the questions about a picture apart; the second run finds the regions on the disk."""
    queries = [query(name, text) for text in QUESTIONS[:2] for name in SIZES]
    runs = []
    for expected in (len(SIZES), 0):
        looking = Looking()
        seeing = changed(model, _regions=DetectedRegions(looking, tmp_path))
        runs.append(ask_all(seeing, queries, batch_size=4))
        assert len(looking.seen) == expected
    assert runs[0] == runs[1]


def test_a_query_without_regions_costs_only_itself(model: RegionQuestionModel) -> None:
    """No detector is there, and the file has no features of the mirrored picture."""
    plain = [query(name, QUESTIONS[0]) for name in SIZES]
    bad = replace(plain[3], picture=plain[3].picture.mirror())
    found = ask_all(model, [*plain, bad])
    assert all(isinstance(each, Answer) for each in found[:-1])
    assert isinstance(found[-1], Failure)
    assert "DataError" in found[-1].reason
    assert "--vqamt-option detector=PATH" in found[-1].reason


def test_a_picture_that_cannot_be_drawn_costs_only_itself(model: RegionQuestionModel) -> None:
    def broken(_: object) -> None:
        raise OSError("no such photo")

    seeing = changed(model, _regions=DetectedRegions(Looking(), None))
    good, bad = asked("wide", QUESTIONS[0]), ModelInput(query("tall", ""), broken)  # type: ignore[arg-type]  # raises
    with pytest.raises(OSError, match="no such photo"):
        seeing.answer([good, bad])
    assert seeing.answer([good])[0].text in ANSWERS


def test_the_fingerprint_names_files_answers_regions_and_packages(
    kind: Kind, folder: Path, model: RegionQuestionModel, options: ModelOptions, tmp_path: Path
) -> None:
    assert kind.load(str(folder), options).fingerprint == model.fingerprint
    assert f"torch=={torch.__version__}" in model.fingerprint
    assert "transformers==" in model.fingerprint
    others = (
        kind.load(str(kind.write(tmp_path, seed=5)), options),
        kind.load(str(folder), replace(options, dtype="bfloat16")),
        changed(model, _answers=(*model._answers[:-1], "bush")),
        changed(model, _regions=DetectedRegions(Looking(), None)),
        changed(model, _regions=DetectedRegions(Looking("looking-2"), None)),
    )
    assert len({model.fingerprint, *(other.fingerprint for other in others)}) == 6


def test_half_precision_answers_too(kind: Kind, folder: Path, options: ModelOptions) -> None:
    said = kind.load(str(folder), replace(options, dtype="bfloat16")).answer(mixed())
    assert {answer.text for answer in said} <= set(ANSWERS) - {""}


def test_output_that_was_read_by_its_place_has_names(
    kind: Kind, tmp_path: Path, model: RegionQuestionModel, options: ModelOptions
) -> None:
    """A copy of LXMERT's published configuration says so."""
    folder = kind.write(tmp_path)
    with_setting("return_dict", value=False)(folder)
    assert kind.load(str(folder), options).answer(mixed()) == model.answer(mixed())


def test_batches_grow_on_an_accelerator_alone(model: RegionQuestionModel) -> None:
    assert model.largest_batch == model.batch_size
    there = replace(model._runtime, device=torch.device("cuda:0"))
    assert changed(model, _runtime=there).largest_batch == 1024


def test_rendering_is_left_out_where_regions_are_known(model: RegionQuestionModel) -> None:
    drawn: list[str] = []

    def counting(picture: object) -> object:
        drawn.append(str(picture))
        return render(picture)  # type: ignore[arg-type]  # handed on as it comes

    model.answer([ModelInput(query("wide", QUESTIONS[0]), counting)])  # type: ignore[arg-type]  # as above
    assert drawn == []


def test_pictures_are_drawn_ahead_of_the_detector_which_looks_when_its_turn_comes(model: RegionQuestionModel) -> None:
    """One of the two pictures it has seen before: neither is drawn by the thread that answers."""
    looking, drawn_on_main = Looking(), list[str]()
    seeing = changed(model, _regions=DetectedRegions(looking, None))
    seeing.answer([asked("wide", QUESTIONS[0])])

    def draw(picture: Picture) -> Image.Image:
        if current_thread() is main_thread():
            drawn_on_main.append(picture.photo.id)
        return render(picture)

    batch = [ModelInput(query(name, text), draw) for name in ("wide", "tall") for text in QUESTIONS[:2]]
    with ThreadPoolExecutor(1) as pool:
        pool.submit(seeing.prepare, Task.VQA, batch).result()
    assert len(looking.seen) == 1
    found = seeing.answer(batch)
    assert (len(looking.seen), drawn_on_main) == (2, [])
    fresh = changed(model, _regions=DetectedRegions(Looking(), None))
    assert [answer.text for answer in found] == [fresh.answer([each])[0].text for each in batch]


@pytest.fixture
def checkpoint(folder: Path, tmp_path: Path) -> Path:
    """A copy of the checkpoint, to be damaged."""
    return Path(shutil.copytree(folder, tmp_path / "checkpoint"))


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=() if name == "another model" else pytest.mark.full)
        for name in DAMAGES
        if name not in ("no image processor", "no class")
    ],
)
def test_a_broken_checkpoint_is_refused(kind: Kind, checkpoint: Path, options: ModelOptions, name: str) -> None:
    damage, message = DAMAGES[name]
    damage(checkpoint)
    with pytest.raises(ModelError, match=message) as raised:
        kind.load(str(checkpoint), options)
    assert str(checkpoint) in str(raised.value)
    assert "\n" not in str(raised.value)


def test_real_labels_are_answers(
    kind: Kind, checkpoint: Path, model: RegionQuestionModel, options: ModelOptions
) -> None:
    (checkpoint / kind.answers).unlink()
    with_setting("id2label", dict(enumerate(ANSWERS)))(checkpoint)
    assert kind.load(str(checkpoint), options).answer(mixed()[::5]) == model.answer(mixed()[::5])
