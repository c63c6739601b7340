"""``transformers serve`` answers a conversation as transformers itself answers its turns."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from pytest_vqamt.core.conversation import Role, Turn
from pytest_vqamt.core.meaning import Describe
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.query import ModelInput, Query
from pytest_vqamt.data import catalogue
from pytest_vqamt.imaging.render import render
from pytest_vqamt.models.openai.chat_model import load
from pytest_vqamt.models.protocol import ModelOptions
from tests.models.openai.conftest import Serve
from tests.models.openai.stub import Reply, Request

pytestmark = pytest.mark.full

import_utils: Any = pytest.importorskip("transformers.utils.import_utils")
if not (import_utils.is_serve_available() and import_utils.is_accelerate_available()):
    pytest.skip("needs transformers[serving]", allow_module_level=True)

_TOKENS = 8


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from tests.models.transformers.prompted.small.chat import llava_next

    return llava_next(tmp_path_factory.mktemp("llava_next"))


@pytest.fixture(scope="module")
def url(checkpoint: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = int(free.getsockname()[1])
    script = "from transformers.cli.transformers import main; main()"
    command = [sys.executable, "-c", script, "serve", str(checkpoint), "--device=cpu", f"--port={port}"]
    log = tmp_path_factory.mktemp("serve") / "log.txt"
    with log.open("wb") as output:
        process = subprocess.Popen(
            [*command, "--host=127.0.0.1"],
            stdout=output,
            stderr=subprocess.STDOUT,
            env={**os.environ, "HF_HUB_OFFLINE": "1"},
        )
    address = f"http://127.0.0.1:{port}"
    try:
        until = time.monotonic() + 120
        while not _is_up(address):
            if process.poll() is not None or time.monotonic() > until:
                raise RuntimeError(f"Expected transformers to serve, but got:\n{log.read_text(errors='replace')}")
            time.sleep(0.2)
        yield address
    finally:
        process.kill()
        process.wait()


def _is_up(address: str) -> bool:
    with suppress(OSError), urllib.request.urlopen(f"{address}/health", timeout=5) as reply:
        return bool(reply.status == 200)
    return False


def test_a_conversation_is_answered_as_by_transformers(serve: Serve, url: str, checkpoint: Path) -> None:
    source = catalogue.load("pictures:3")
    replies: list[dict[str, Any]] = []

    def passed_on(request: Request) -> Reply:
        fields = json.dumps({**request.fields, "model": str(checkpoint)}).encode()
        sent = urllib.request.Request(f"{url}{request.path}", data=fields, headers={"content-type": "application/json"})
        with urllib.request.urlopen(sent, timeout=60) as reply:
            body: bytes = reply.read()
        replies.append(json.loads(body))
        return Reply(body=body)

    settings = {"prompt-question": "{text}", "longest-answer": str(_TOKENS), "image-format": "png"}
    model = load(f"stub@{serve(passed_on).url}", ModelOptions(settings=settings))
    first, second, third = (source.scene(place).picture for place in range(3))
    told = []
    for shown in ((first, second, third), (second, first, third)):
        turns = (
            Turn(("Be brief.",), Role.SYSTEM),
            Turn(("one:", shown[0], "two:", shown[1])),
            Turn(("I see.",), Role.ASSISTANT),
            Turn((shown[2], "Which is red?")),
        )
        model.answer([ModelInput(Query.of(*turns, meaning=Describe()), partial(render, photos=source))])
        text, tokens = _of_transformers(checkpoint, turns, partial(render, photos=source))
        assert replies[-1]["choices"][0]["message"]["content"] == text
        assert replies[-1]["usage"]["prompt_tokens"] == tokens
        told.append(text)
    assert told[0] != told[1], "the order of pictures matters"


def _of_transformers(checkpoint: Path, turns: tuple[Turn, ...], drawn: Any) -> tuple[str, int]:
    """The text that the model writes by itself, and the number of tokens that it is given."""
    import torch
    from transformers import AutoModelForImageTextToText, AutoProcessor

    def part(each: object) -> dict[str, object]:
        return {"type": "image", "image": drawn(each)} if isinstance(each, Picture) else {"type": "text", "text": each}

    processors: Any = AutoProcessor
    processor = processors.from_pretrained(checkpoint)
    model: Any = AutoModelForImageTextToText.from_pretrained(checkpoint)
    messages = [{"role": turn.role.value, "content": [part(each) for each in turn.parts]} for turn in turns]
    given = processor.apply_chat_template(
        messages, add_generation_prompt=True, tokenize=True, return_dict=True, return_tensors="pt"
    )
    with torch.inference_mode():
        made = model.generate(**given, max_new_tokens=_TOKENS, do_sample=False)
    length: int = given["input_ids"].shape[1]
    return str(processor.decode(made[0, length:], skip_special_tokens=True)), length
