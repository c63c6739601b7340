"""llama.cpp itself gets conversations as they are: roles and parts in order, and each picture at its place."""

from __future__ import annotations

import json
import re
import urllib.request
from collections.abc import Iterator
from functools import partial
from typing import TypeAlias

import pytest

from pytest_vqamt.core.conversation import Role, Turn
from pytest_vqamt.core.meaning import Describe
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.query import Answer, ModelInput, Query
from pytest_vqamt.data import catalogue
from pytest_vqamt.data.scene_source import SceneSource
from pytest_vqamt.imaging.render import render
from pytest_vqamt.models.http.picture_files import png_bytes
from pytest_vqamt.models.openai.chat_model import load
from pytest_vqamt.models.protocol import ModelOptions
from tests.models.openai.conftest import Serve
from tests.models.openai.small_llama import TOKENS_OF_A_PICTURE, llama_server
from tests.models.openai.stub import Reply, Request

pytest.importorskip("xllamacpp", exc_type=ImportError)
pytest.importorskip("gguf")

Three: TypeAlias = tuple[Picture, Picture, Picture]


@pytest.fixture(scope="module")
def llama(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with llama_server(tmp_path_factory.mktemp("llama")) as url:
        yield url


@pytest.fixture(scope="module")
def source() -> SceneSource:
    return catalogue.load("pictures:3")


def posted(url: str, content: bytes) -> bytes:
    request = urllib.request.Request(url, data=content, headers={"content-type": "application/json"})
    with urllib.request.urlopen(request, timeout=60) as reply:
        body: bytes = reply.read()
    return body


def conversation(source: SceneSource, first: Picture, second: Picture, third: Picture) -> ModelInput:
    query = Query.of(
        Turn(("Be brief.",), Role.SYSTEM),
        Turn(("one:", first, "two:", second)),
        Turn(("I see.",), Role.ASSISTANT),
        Turn((third, "Which is red?")),
        meaning=Describe(),
    )
    return ModelInput(query, partial(render, photos=source))


def test_roles_parts_and_pictures_are_where_they_were_put(serve: Serve, llama: str, source: SceneSource) -> None:
    def passed_on(request: Request) -> Reply:
        return Reply(body=posted(f"{llama}{request.path}", request.content))

    server = serve(passed_on)
    settings = {"prompt-question": "{text}", "body.ignore_eos": "true", "logprobs": "5", "image-format": "png"}
    stub = load(f"stub@{server.url}", ModelOptions(settings=settings))
    first, second, third = (source.scene(place).picture for place in range(3))

    def answer(*shown: Picture) -> Answer:
        (found,) = stub.answer([conversation(source, *shown)])
        return found

    # llama.cpp's own account of what it got.
    straight = answer(first, second, third)
    prompt = json.loads(posted(f"{llama}/apply-template", server.requests[0].content))["prompt"]
    assert re.sub(r"<__\w+__>", "[picture]", prompt) == (
        "<system>Be brief.</><user>one:[picture]two:[picture]</><assistant>I see.</><user>[picture]Which is red?</>"
        "<assistant>"
    )
    files = [part for _, parts in server.requests[0].conversation for part in parts if isinstance(part, bytes)]
    assert files == [png_bytes(render(each, source)) for each in (first, second, third)]

    # What its model sees differs by the order of the pictures alone.
    again, swapped = answer(first, second, third), answer(second, first, third)
    assert straight.tokens_in == again.tokens_in == swapped.tokens_in
    assert strongest(again) == pytest.approx(strongest(straight), abs=0.01)
    assert abs(strongest(swapped) - strongest(straight)) > 0.05

    plain = ModelInput(Query(picture=first, text="Which is red?", meaning=Describe()), partial(render, photos=source))
    (one,) = stub.answer([plain])
    letters = len("Be brief.") + len("one:") + len("two:") + len("I see.") + len("<system></><user></><assistant></>")
    assert straight.tokens_in is not None
    assert one.tokens_in is not None
    # The letters are tokens, and the text after each picture may begin with a blank of the tokenizer's own.
    assert 0 <= straight.tokens_in - one.tokens_in - 2 * TOKENS_OF_A_PICTURE - letters <= 3


def strongest(answer: Answer) -> float:
    assert answer.scores
    return max(score for _, score in answer.scores)
