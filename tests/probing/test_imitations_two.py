"""Each imitation of the second author answers what its thread does not complain about."""

from __future__ import annotations

import base64
from io import BytesIO

import pytest

from pytest_vqamt.probing.cards import COLOURS, Card, render_card
from tests.probing.imitations_two import IMITATIONS
from tools.faulty_server import FaultyServer

_QUESTION = "Which number is written in this picture?"


def _url(card: Card) -> str:
    content = BytesIO()
    render_card(card).save(content, "PNG")
    return f"data:image/png;base64,{base64.b64encode(content.getvalue()).decode()}"


@pytest.mark.parametrize("name", IMITATIONS)
def test_the_first_plain_request_is_answered_rightly(name: str) -> None:
    picture = {"type": "image_url", "image_url": {"url": _url(Card(number=417, ground=COLOURS["blue"]))}}
    content = [picture, {"type": "text", "text": _QUESTION}]
    with FaultyServer() as server:
        server._stages = IMITATIONS[name].stages()
        reply = server.complete({"messages": [{"role": "user", "content": content}]})
    assert isinstance(reply["choices"], list)
    assert reply["choices"][0]["message"]["content"] == "417"
