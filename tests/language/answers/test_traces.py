"""Reasoning traces of today's models are cut off, and nothing in them is an answer."""

from __future__ import annotations

import pytest

from pytest_vqamt.language.answers.text import prepare_answer
from pytest_vqamt.language.answers.traces import parse_tags, strip_traces
from tests.wrappers import WRAPPERS


@pytest.mark.parametrize("wrap", WRAPPERS.values(), ids=list(WRAPPERS))
def test_the_answer_is_what_follows_the_trace(wrap: str) -> None:
    assert prepare_answer(wrap.format(trace="maybe no, or 4", answer="Yes")) == "yes"


@pytest.mark.parametrize(
    "text",
    [
        "<think>maybe no",
        "Yes. <think>maybe no",
        "<think>a <think>b</think> maybe no",
        "\u25c1think\u25b7maybe no",
        "<|channel|>analysis<|message|>maybe no<|end|>",
        "<|channel>thought\nmaybe no",
        "[THINK]maybe no",
        "<seed:think>maybe no",
    ],
)
def test_a_trace_without_an_end_leaves_nothing(text: str) -> None:
    assert (strip_traces(text).text, strip_traces(text).is_cut_off) == ("", True)


@pytest.mark.parametrize(
    "text", ["a < b", "<thinker> yes", "[Reasoning] It barks. Yes", "<think/>Yes", "Yes</details>"]
)
def test_other_texts_have_no_trace(text: str) -> None:
    assert not strip_traces(text).is_cut_off


def test_further_marks_are_names_or_pairs() -> None:
    more = parse_tags("plan, <<T>> <</T>>")

    assert strip_traces("<plan>no</plan> <<T>>4<</T>> Yes", more).text == "Yes"
    assert strip_traces("<plan>no", more).is_cut_off
    assert strip_traces("<plan>no</plan> Yes").text == "<plan>no</plan> Yes"
