"""The text of a reply, whatever form the server gives it."""

from __future__ import annotations

import json

import pytest

from pytest_vqamt.models.http.responses import QueryError
from pytest_vqamt.models.openai.requests import error_in, parsed, text_of


def of(content: object, reason: str | None = "stop", **message: object) -> dict[str, object]:
    return {"choices": [{"finish_reason": reason, "message": {"role": "assistant", "content": content, **message}}]}


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        (of("yes"), "yes"),
        (of("  Two dogs.\n"), "Two dogs."),
        (of("a long answer that was cut", "length"), "a long answer that was cut"),
        (of("half of it", "content_filter"), "half of it"),
        (of("", "stop"), ""),
        (of("  ", None), ""),
        (of([{"type": "text", "text": "a "}, {"type": "text", "text": "dog"}]), "a dog"),
        (
            of([{"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}, {"type": "text", "text": "no"}]),
            "no",
        ),
        (of(None, refusal="I cannot help with that."), "I cannot help with that."),
        (of("No.", refusal=None), "No."),
        (of("yes", reasoning_content="A dog is there."), "yes"),
        (of("<think>Is it?\nIt is.</think>\n\nyes"), "yes"),
        (of("Is it? It is.</think>yes"), "yes"),
        (of("<think></think>yes"), "yes"),
        (of("<think>a</think><think>b</think>no"), "no"),
        (of("[thinking]Is it?[/thinking]yes"), "yes"),
        (of("<reasoning>no</reasoning> yes <scratchpad>so"), "yes"),
        (of("I think so"), "I think so"),
        (of("half an emoji \ud83d"), "half an emoji ?"),
    ],
)
def test_the_answer_is_what_the_model_says_in_the_end(fields: dict[str, object], text: str) -> None:
    assert text_of(parsed(json.dumps(fields).encode(), "")) == text


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({}, "got null as choices"),
        ({"choices": None}, "got null as choices"),
        ({"choices": []}, "got an empty list as choices"),
        ({"choices": {"0": 1}}, "got dict as choices"),
        ({"choices": ["yes"]}, "got list as choices"),
        ({"choices": [{}]}, "got list as choices"),
        ({"choices": [{"index": 0}]}, "a choice with a message, but got null as message"),
        ({"choices": [{"message": None, "text": "old"}]}, "got null"),
        (of(None), "got null as content"),
        (of(7), "got int as content"),
        (of([]), "got an empty list as content"),
        (of([{"type": "image_url"}]), "got list as content"),
        (of(None, "length"), r"longest-answer=2048"),
        (of("", "length"), r"longest-answer=2048"),
        (of("<think>Let me see", "length"), r"longest-answer=2048"),
        (of("<thinking>Let me see", "length"), r"longest-answer=2048"),
        (of(None, "content_filter"), r"the server's filter took it away"),
        (of("", "content_filter"), r"the server's filter took it away"),
    ],
)
def test_what_holds_no_answer_is_an_error_of_its_query(fields: dict[str, object], told: str) -> None:
    with pytest.raises(QueryError, match=told):
        text_of(fields)


def test_thoughts_that_come_to_no_end_are_no_answer() -> None:
    assert text_of(of("<think>Let me see")) == ""


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        (of("yes"), None),
        ({"error": None, **of("yes")}, None),
        ({"error": {"code": 502}}, {"error": {"code": 502}}),
        ({"choices": [{"error": {"code": 429}}]}, {"error": {"code": 429}}),
    ],
)
def test_an_error_may_hide_in_a_reply(fields: dict[str, object], error: object) -> None:
    assert error_in(fields) == error
