"""Answers and the lack of them are read back as they were written, and so is what a server says of itself."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vqamt.core.query import Answer, Failure, Task
from pytest_vqamt.models.served.protocol import (
    Card,
    OtherWireError,
    Served,
    Status,
    Told,
    Unknown,
    WireError,
    identity_of,
    read_card,
    read_error,
    read_reply,
    read_status,
    write_card,
    write_error,
    write_reply,
    write_status,
)

TEXTS = st.text(st.characters(codec="utf-8"), max_size=20)
SCORES = st.lists(st.tuples(TEXTS, st.floats(allow_nan=False, allow_infinity=False)), max_size=3).map(tuple)
ANSWERS = st.builds(Answer, TEXTS, st.none() | SCORES, st.booleans())
LINES = st.text(st.characters(codec="ascii", categories=["L", "N"]), min_size=1, max_size=20)
TOLD = ANSWERS | st.builds(Failure, reason=LINES) | st.builds(Unknown, reason=LINES)


@given(told=st.lists(TOLD, max_size=5))
def test_a_reply_is_read_back(told: list[Told]) -> None:
    reply = read_reply(write_reply("m", told), len(told))
    assert reply.model == "m"
    assert reply.answers == tuple(told)


def test_a_reason_is_one_line_that_every_file_can_hold() -> None:
    (told,) = read_reply(write_reply("m", [Failure(reason="ValueError: a\n  \ud83d" + "x" * 9000)]), 1).answers
    assert isinstance(told, Failure)
    assert told.reason.startswith("ValueError: a ?x")
    assert len(told.reason) == 4096


def test_an_error_is_read_back_and_what_is_none_is_empty() -> None:
    assert read_error(write_error("too\nlarge")) == "too large"
    assert [read_error(body) for body in (b"", b"<html>", b"[]", b'{"error": 1}', b"[" * 100_000)] == [""] * 5


CARD = Card(
    identity="00000000000000a1",
    vqamt_version="1.0",
    model="tiny",
    fingerprint="tiny weights=1",
    persistent=True,
    tasks=(Task.VQA, Task.CAPTIONING),
    batch_size=8,
    reads_meaning=False,
    needs_scenes=False,
    data=(Served(spec="pictures:5", digest="b"),),
    max_queries=7,
    max_bytes=70,
    replicas=2,
)


def test_a_card_is_read_back() -> None:
    assert read_card(write_card(CARD)) == CARD
    other = replace(CARD, persistent=False, reads_meaning=True, needs_scenes=True, data=())
    assert read_card(write_card(other)) == other


def test_a_card_may_have_more_than_is_read() -> None:
    assert read_card(json.dumps({**json.loads(write_card(CARD)), "more": [1]}).encode()) == CARD


@pytest.mark.parametrize(
    ("fields", "what"),
    [
        ({"wire": 2}, "Expected wire=1, but got wire=2 of pytest-vqamt '1.0': install the same version on both sides"),
        ({"wire": "1"}, "Expected 'wire' of the card to be a whole number"),
        ({"tasks": []}, "Expected 'tasks' of the card to be some of vqa, entailment, captioning, but got []"),
        ({"tasks": ["sing"]}, "Expected 'tasks' of the card"),
        ({"persistent": 1}, "Expected 'persistent' of the card to be true or false"),
        ({"data": [{"spec": "x"}]}, "Expected data[0] to have 'digest'"),
        ({"batch_size": -1}, "Expected 'batch_size' of the card"),
    ],
)
def test_a_card_that_is_none_is_told_in_one_line(fields: dict[str, object], what: str) -> None:
    with pytest.raises(WireError) as error:
        read_card(json.dumps({**json.loads(write_card(CARD)), **fields}).encode())
    assert what in str(error.value)
    assert isinstance(error.value, OtherWireError) == (fields == {"wire": 2})


def test_a_status_is_read_back() -> None:
    status = Status(
        queries_received=5, queries_asked=3, answers_remembered=3, uptime_s=1.5, busy_s=0.5, replicas_alive=0
    )
    assert read_status(write_status(status)) == status
    with pytest.raises(WireError, match=r"Expected 'busy_s' of the status to be a number from 0 up, but got busy_s=-1"):
        read_status(write_status(replace(status, busy_s=-1)))


def test_an_identity_is_of_all_that_may_change_an_answer() -> None:
    names = [
        identity_of("tiny", "f", ""),
        identity_of("tiny", "g", ""),
        identity_of("tinier", "f", ""),
        identity_of("tiny", "f", "s"),
    ]
    assert len(set(names)) == 4
    assert identity_of("tiny", "f", "") == names[0]
