"""What is known of the first answer of each imitation, by the faulty server's own classes."""

from __future__ import annotations

import base64
from io import BytesIO
from typing import cast

import pytest

from pytest_vqamt.probing.cards import COLOURS, Card, render_card
from tests.probing.imitations_four import IMITATIONS
from tools.faulty_server import BUGS, Bug, FaultyServer, Stage


@pytest.mark.parametrize("name", IMITATIONS)
def test_a_first_plain_request_is_answered_as_known(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    imitation = IMITATIONS[name]
    bug = Bug(
        name=name,
        stage=Stage.HTTP,
        thread=imitation.thread,
        does=imitation.symptom,
        condition="any",
        share=1.0,
        make=imitation.stages,
    )
    monkeypatch.setitem(BUGS, name, bug)
    file = BytesIO()
    render_card(Card(number=417, ground=COLOURS["red"])).save(file, "PNG")
    url = "data:image/png;base64," + base64.b64encode(file.getvalue()).decode()
    parts = [
        {"type": "image_url", "image_url": {"url": url}},
        {"type": "text", "text": "What colour is the background of this picture?"},
    ]

    with FaultyServer(name) as server:
        reply = server.complete({"messages": [{"role": "user", "content": parts}]})

    choices = cast("list[dict[str, dict[str, str]]]", reply["choices"])
    assert (choices[0]["message"]["content"] == "red") == imitation.is_plain_right
