"""BLIP answers questions, whatever else is in the batch; each picture is looked at once."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
import torch
from PIL import Image

from pytest_vqamt.core.errors import ModelError
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.query import Answer, Failure, ModelInput, Task
from pytest_vqamt.models.protocol import ModelOptions
from pytest_vqamt.models.transformers.blip import BlipAnswers, load, tasks
from pytest_vqamt.models.wrapped import wrap_model
from tests.models.conftest import Written
from tests.models.small.asking import ask_all
from tests.models.small.blip import LONGEST, blip_captions, blip_vqa
from tests.models.small.blip_said import exact, plainly_said, said
from tests.models.small.inputs import QUESTIONS, SIZES, asked, mixed, query, render

OPTIONS = ModelOptions(device="cpu")


@pytest.fixture(scope="module")
def folder(written: Written) -> Path:
    return written(blip_vqa)


def loaded(folder: Path, **settings: str) -> BlipAnswers:
    model = load(str(folder), ModelOptions(device="cpu", settings=settings))
    assert isinstance(model, BlipAnswers)
    return model


@pytest.fixture(scope="module")
def models(folder: Path) -> tuple[BlipAnswers, BlipAnswers]:
    return loaded(folder), loaded(folder, **{"longest-answer": "4"})


@pytest.fixture
def vqa(models: tuple[BlipAnswers, BlipAnswers]) -> BlipAnswers:
    """It remembers no picture."""
    models[0]._cache.release()
    return models[0]


@pytest.fixture
def brief(models: tuple[BlipAnswers, BlipAnswers]) -> BlipAnswers:
    """The same, for answers of at most four tokens."""
    models[1]._cache.release()
    return models[1]


def test_answers_differ_between_questions_and_between_pictures(vqa: BlipAnswers) -> None:
    texts = said(vqa, mixed())
    assert len(set(texts)) >= 10
    assert sum(len(set(texts[start : start + 5])) > 1 for start in range(0, len(texts), 5)) >= 6
    assert all(len(set(texts[start::5])) > 3 for start in range(5))


def test_the_class_itself_gives_the_same_answer(brief: BlipAnswers) -> None:
    for one in mixed(QUESTIONS[2:])[::3]:
        assert said(brief, [one]) == [plainly_said(brief, one, one.text, 4)]


def test_nothing_else_in_the_batch_changes_an_answer(folder: Path) -> None:
    """Questions of several lengths are padded; transformers' own decoder looks at the padding."""
    model, batch = loaded(folder, **{"longest-answer": "4"}), mixed()[::3]
    exact(model)
    together = said(model, batch)
    model._cache.release()
    assert said(model, batch, 1) == together
    assert said(model, batch[::-1], 7)[::-1] == together


def test_padding_changes_no_token_of_what_is_generated(vqa: BlipAnswers) -> None:
    """The same question beside a short one and beside a long one, whose padding differs."""
    short, long = asked("tall", QUESTIONS[0]), asked("tall", QUESTIONS[2])
    for one in (asked("wide", QUESTIONS[0]), asked("square", QUESTIONS[1])):
        assert said(vqa, [one, short])[0] == said(vqa, [one, long])[0] == said(vqa, [one])[0]


def test_the_configuration_tells_the_task(folder: Path, written: Written) -> None:
    assert tasks(str(folder), OPTIONS) == (Task.VQA,)
    assert tasks(str(written(blip_captions)), OPTIONS) == (Task.CAPTIONING,)


def test_a_decoder_that_looks_at_padding_is_refused(
    folder: Path, written: Written, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As that of transformers does where nothing hands the mask on; for captions there is nothing to pad."""
    captions = written(blip_captions)
    monkeypatch.setattr(torch.nn.Module, "register_forward_pre_hook", lambda *_, **__: None)
    with pytest.raises(ModelError, match="Expected BLIP's decoder to leave padding out, but that of transformers 5"):
        load(str(folder), OPTIONS)
    load(str(captions), OPTIONS)


def test_a_picture_is_rendered_and_encoded_once_for_all_its_questions(
    vqa: BlipAnswers, monkeypatch: pytest.MonkeyPatch
) -> None:
    rendered: list[str] = []
    encoded: list[int] = []
    forward = vqa._model.vision_model.forward

    def counting_render(picture: Picture) -> Image.Image:
        rendered.append(picture.photo.id)
        return render(picture)

    def counting_forward(pixel_values: torch.Tensor) -> object:
        encoded.append(len(pixel_values))
        return forward(pixel_values=pixel_values)

    monkeypatch.setattr(vqa._model.vision_model, "forward", counting_forward)
    batch = [ModelInput(query(name, text), counting_render) for text in QUESTIONS for name in SIZES]
    vqa.answer(batch[:20])
    vqa.answer(batch[20:])
    assert rendered == list(SIZES)
    assert encoded == [len(SIZES)]


def test_a_question_that_is_cut_says_so(vqa: BlipAnswers) -> None:
    """LONGEST tokens with those that begin and end it: so many words are one too many when two fewer fill it."""
    fits, cut = vqa.answer([asked("wide", "dog " * (LONGEST - 2)), asked("wide", "dog " * (LONGEST - 1))])
    assert (fits.truncated, cut.truncated) == (False, True)
    assert fits.text == cut.text


def test_answers_are_as_long_as_the_user_says(vqa: BlipAnswers, brief: BlipAnswers) -> None:
    assert any(len(text.split()) == 10 for text in said(vqa, mixed()))
    assert all(len(text.split()) <= 4 for text in said(brief, mixed()))
    assert brief.fingerprint != vqa.fingerprint


def test_an_answer_ends_where_the_model_ends_it(vqa: BlipAnswers, monkeypatch: pytest.MonkeyPatch) -> None:
    """[SEP] ends it, and what fills up the batch's other answers is no part of it."""
    generated: list[list[int]] = []
    answers = vqa._decoded

    def watched(tokens: torch.Tensor, cut: Sequence[bool]) -> tuple[Answer, ...]:
        generated.extend(tokens.tolist())
        return answers(tokens, cut)

    monkeypatch.setattr(vqa, "_decoded", watched)
    texts = said(vqa, mixed())
    tokenizer = vqa._tokenizer
    ended = [row for row in generated if tokenizer.sep_token_id in row]
    assert 0 < len(ended) < len(generated)
    for row, text in zip(generated, texts, strict=True):
        end = row.index(tokenizer.sep_token_id) if row in ended else len(row)
        assert text == str(tokenizer.decode(row[:end])).strip().removeprefix("##")
        assert set(row[end + 1 :]) <= {tokenizer.pad_token_id}


def test_no_inputs_give_no_answers(vqa: BlipAnswers) -> None:
    assert vqa.answer([]) == ()


def test_torchs_random_state_is_left_alone(brief: BlipAnswers) -> None:
    before = torch.random.get_rng_state()
    said(brief, mixed()[:5])
    assert torch.equal(torch.random.get_rng_state(), before)


def test_a_query_that_raises_costs_only_itself(brief: BlipAnswers, monkeypatch: pytest.MonkeyPatch) -> None:
    queries = [query(name, text) for name in ("wide", "tiny", "tall") for text in QUESTIONS[:2]]
    whole = ask_all(brief, queries)
    brief._cache.release()
    memory = brief._cache
    encode, (small,) = memory._encode, memory.preprocess([asked("tiny", "")]).preprocessed.values()

    def broken(pictures: Sequence[torch.Tensor]) -> Sequence[torch.Tensor]:
        if any(torch.equal(each, small) for each in pictures):
            raise RuntimeError("too small")
        return encode(pictures)

    monkeypatch.setattr(memory, "_encode", broken)
    found = ask_all(brief, queries)
    for wanted, before, after in zip(queries, whole, found, strict=True):
        if wanted.picture.photo.id == "tiny":
            assert after == Failure(reason="RuntimeError: too small")
        else:
            assert after == before


def test_it_answers_questions_and_does_nothing_else(vqa: BlipAnswers) -> None:
    found = wrap_model("blip", vqa, OPTIONS)
    assert found.tasks == (Task.VQA,)
    assert found.persistent
    assert vqa.largest_batch == vqa.batch_size, "on the CPU a larger batch is no faster"


def test_the_fingerprint_names_weights_precision_and_packages(folder: Path, vqa: BlipAnswers, tmp_path: Path) -> None:
    assert load(str(folder), OPTIONS).fingerprint == vqa.fingerprint
    assert f"torch=={torch.__version__}" in vqa.fingerprint
    other = load(str(blip_vqa(tmp_path / "other", seed=1)), OPTIONS)
    halved = load(str(folder), ModelOptions(device="cpu", dtype="bfloat16"))
    assert isinstance(halved, BlipAnswers)
    assert len({vqa.fingerprint, other.fingerprint, halved.fingerprint}) == 3
    assert len(said(halved, mixed()[:5])) == 5
