"""Every kind gives the same answers where batches are made ready on another thread, and encodes each picture once."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from inspect import signature
from threading import current_thread, main_thread
from typing import TYPE_CHECKING, Any

import pytest
import torch
from PIL import Image

from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.query import ModelInput, Task
from pytest_vqamt.models.transformers import runtime
from pytest_vqamt.models.transformers.inputs import TextTokens
from pytest_vqamt.models.transformers.prompted import image_token_model
from pytest_vqamt.models.transformers.prompted.generative import load
from pytest_vqamt.models.transformers.prompted.prompt_text import tokenize_prompts
from pytest_vqamt.models.wrapped import LoadedModel, wrap_model
from tests.models.transformers.prompted.conftest import BRIEF, CPU, KINDS, QUESTIONS, about, forget, shown, tiers
from tests.models.transformers.prompted.test_kinds import speaker
from tests.models.transformers.prompted.test_reference import module_of

if TYPE_CHECKING:
    from tests.models.transformers.prompted.conftest import Checkpoint, Loaded


ENCODED_APART = [kind for kind in KINDS if kind not in ("git", "vipllava", "idefics2", "instructblip")]
"""Kinds whose encoder is a method of its own."""


def by_picture(draw: Any = shown) -> list[list[ModelInput]]:
    """Nine questions about three pictures of different shapes, in batches of two that cut a picture's apart."""
    asked = [about(number, text, render=draw) for number in (0, 1, 2) for text in QUESTIONS]
    return [asked[start : start + 2] for start in range(0, len(asked), 2)]


def said(model: LoadedModel, batches: list[list[ModelInput]], *, ahead: bool) -> list[str]:
    """The answers; each batch made ready on another thread while the one before is answered, or not."""
    texts: list[str] = []
    with ThreadPoolExecutor(1) as pool:
        coming = pool.submit(model.prepare, Task.VQA, batches[0] if ahead else [])
        for place, batch in enumerate(batches):
            coming.result()
            if ahead and place + 1 < len(batches):
                coming = pool.submit(model.prepare, Task.VQA, batches[place + 1])
            texts += [answer.text for answer in model.ask(Task.VQA, batch)]
    return texts


@pytest.mark.parametrize("kind", tiers("llava", "instructblip", "git"))
def test_answers_are_those_without_and_pictures_are_drawn_on_the_other_thread(loaded: Loaded, kind: str) -> None:
    drawn_on_main: list[str] = []

    def draw(picture: Picture) -> Image.Image:
        if current_thread() is main_thread():
            drawn_on_main.append(picture.photo.id)
        return shown(picture)

    ours = speaker(loaded, kind)
    model = wrap_model(kind, ours, CPU)
    wanted = said(model, by_picture(), ahead=False)
    forget(ours)
    assert said(model, by_picture(draw), ahead=True) == wanted
    assert not drawn_on_main


@pytest.mark.parametrize("kind", tiers("qwen3_vl", of=ENCODED_APART))
def test_a_picture_whose_questions_are_spread_over_batches_is_encoded_once(
    loaded: Loaded, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    ours, seen = speaker(loaded, kind), list[int]()
    network = module_of(ours)
    encode = network.get_image_features

    def counting(**given: torch.Tensor) -> object:
        seen.append(len(given.get("image_grid_thw", given["pixel_values"])))
        return encode(**given)

    counting.__signature__ = signature(encode)  # type: ignore[attr-defined]  # the adapter gives what it names
    monkeypatch.setattr(network, "get_image_features", counting)
    model = wrap_model(kind, ours, CPU)
    said(model, by_picture(), ahead=True)
    assert sum(seen) == 3
    said(model, by_picture(), ahead=True)
    assert sum(seen) == 3, "and not for another item that asks about it again"


@pytest.mark.parametrize("kind", tiers("idefics3", of=("llava", "llava_next", "qwen2_vl", "idefics3")))
def test_prompts_are_read_ahead_where_it_is_known_how_many_tokens_pictures_of_that_form_take(
    loaded: Loaded, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    ours = speaker(loaded, kind)
    model = wrap_model(kind, ours, CPU)
    wanted = said(model, by_picture(), ahead=False)
    forget(ours)
    read_on_main: list[int] = []

    def noting(said: Any, *given: Any, **named: Any) -> TextTokens:
        if current_thread() is main_thread():
            read_on_main.append(len(said))
        return tokenize_prompts(said, *given, **named)

    monkeypatch.setattr(image_token_model, "tokenize_prompts", noting)
    assert said(model, by_picture(), ahead=True) == wanted
    assert not read_on_main


def test_a_length_that_was_wrong_is_found_out(loaded: Loaded, monkeypatch: pytest.MonkeyPatch) -> None:
    """Were another picture of the same form encoded in more tokens, its prompt would be read again."""
    ours = speaker(loaded, "llava")
    model = wrap_model("llava", ours, CPU)
    wanted = said(model, by_picture(), ahead=False)
    forget(ours)
    encoder = getattr(ours._family, "encoder")  # noqa: B009  # of this kind of family alone
    monkeypatch.setattr(encoder, "length", lambda _pixels: 3)
    assert said(model, by_picture(), ahead=True) == wanted


@pytest.mark.parametrize("kind", tiers("llava", of=("llava", "qwen3_vl", "blip2_opt")))
def test_where_memory_runs_out_pictures_that_are_kept_go_first(
    loaded: Loaded, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    ours = speaker(loaded, kind)
    model = wrap_model(kind, ours, CPU)
    wanted = said(model, by_picture(), ahead=False)
    network = module_of(ours)
    generator = network.language_model if kind == "blip2_opt" else network
    generate, tried = generator.generate, list[int]()
    monkeypatch.setattr(runtime, "free_memory", lambda: None)  # takes a second

    def short_of_memory(**given: object) -> object:
        tried.append(1)
        if len(tried) == 1:
            raise torch.OutOfMemoryError("CUDA out of memory")
        return generate(**given)

    monkeypatch.setattr(generator, "generate", short_of_memory)
    assert said(model, by_picture()[:1], ahead=True) == wanted[:2]
    assert len(tried) == 2
    assert ours._family.release() is True, "what the second try made is kept again"


@pytest.mark.parametrize("kind", tiers("llava", of=("llava", "qwen3_vl", "blip2_opt")))
def test_batches_that_never_fit_leave_as_much_room_for_pictures_as_before(
    checkpoint: Checkpoint, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    """A batch that fails is tried in halves, each of which may fail: ten halvings would keep a thousandth."""
    monkeypatch.setattr(runtime, "free_memory", lambda: None)  # takes a second
    ours = load(str(checkpoint(kind)), BRIEF)
    network = module_of(ours)
    generator = network.language_model if kind == "blip2_opt" else network

    def never_fits(**given: object) -> object:
        raise torch.OutOfMemoryError("CUDA out of memory")

    family: Any = ours._family
    caches = family.caches
    before = [limit_of(each) for each in caches]
    monkeypatch.setattr(generator, "generate", never_fits)
    for some in by_picture() * 2:
        with pytest.raises(torch.OutOfMemoryError):
            ours.answer(some)
    assert caches
    assert [limit_of(each) for each in caches] == before


def limit_of(cache: Any) -> int:
    """The most bytes that a cache of encodings or of beginnings keeps."""
    return int((cache._cache if hasattr(cache, "_cache") else cache._kept)._max_size)
