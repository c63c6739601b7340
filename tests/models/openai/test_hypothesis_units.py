"""Hypotheses taken apart by a model behind a real server on this machine."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from itertools import islice

import pytest

from pytest_vqamt.core.errors import ModelError, OptionError
from pytest_vqamt.language.units import DescriptionUnit
from pytest_vqamt.models.http import retry
from pytest_vqamt.models.http.retry import QueryError
from pytest_vqamt.models.openai.hypothesis_units import read_units, units_by_model, units_prompt
from tests.models.openai.stub import Reply, Request, Script, Stub, always, failed, in_turn, said
from tests.rows import each_row

Serve = Callable[[Script], Stub]

HYPOTHESIS = "The cook is stirring soup in two pots."
GOOD = [{"object": "cook", "property": "is stirring soup in two pots"}, {"object": "two pots", "property": ""}]
UNITS = (
    DescriptionUnit(object="cook", property="is stirring soup in two pots"),
    DescriptionUnit(object="pots", is_plural=True),
)


def asked_of(server: Stub, *hypotheses: str) -> list[tuple[str, tuple[DescriptionUnit, ...]]]:
    return list(units_by_model(f"m@{server.url}", hypotheses))


def last_word_of(request: Request) -> Reply:
    """A reply with the last word of the hypothesis as its object."""
    hypothesis = str(request.fields["messages"][0]["content"]).rpartition("Sentence: ")[2].strip()
    return said(json.dumps([{"object": hypothesis.split()[-1], "property": ""}]))


def test_units_are_those_of_the_reply(serve: Serve) -> None:
    server = serve(always(said(json.dumps(GOOD))))
    assert asked_of(server, HYPOTHESIS) == [(HYPOTHESIS, UNITS)]
    [request] = server.requests
    assert request.path == "/v1/chat/completions"
    assert request.fields["model"] == "m"
    assert request.fields["temperature"] == 0
    [message] = request.fields["messages"]
    assert message == {"role": "user", "content": units_prompt(HYPOTHESIS)}


def test_many_are_asked_at_once_and_told_in_order(serve: Serve) -> None:
    server = serve(lambda request: Reply(body=last_word_of(request).body, delay_s=0.002 * (request.number % 7)))
    hypotheses = [f"Here is thing{number}" for number in range(80)]
    found = asked_of(server, *hypotheses)
    assert [hypothesis for hypothesis, _ in found] == hypotheses
    assert [units[0].object for _, units in found] == [f"thing{number}" for number in range(80)]
    assert len(server.requests) == 80
    assert server.peak > 1


def test_hypotheses_are_read_as_they_are_needed(serve: Serve) -> None:
    read: list[int] = []

    def endless() -> Iterator[str]:
        number = 0
        while True:
            read.append(number)
            yield f"Here is thing{number}"
            number += 1

    first = list(islice(units_by_model(f"m@{serve(last_word_of).url}", endless()), 3))
    assert [units[0].object for _, units in first] == ["thing0", "thing1", "thing2"]
    assert len(read) <= 128


def test_what_is_wrong_is_told_to_the_model_once(serve: Serve) -> None:
    server = serve(in_turn(said("Here you are!"), said(json.dumps(GOOD))))
    assert asked_of(server, HYPOTHESIS) == [(HYPOTHESIS, UNITS)]
    _, again = server.requests
    roles = [message["role"] for message in again.fields["messages"]]
    assert roles == ["user", "assistant", "user"]
    assert again.fields["messages"][1]["content"] == "Here you are!"
    assert "Expected a JSON list" in again.fields["messages"][2]["content"]


def test_a_second_wrong_reply_is_an_error_that_names_the_hypothesis(serve: Serve) -> None:
    server = serve(always(said("no")))
    with pytest.raises(ModelError) as failure:
        asked_of(server, "A cat sleeps.", HYPOTHESIS)
    told = str(failure.value)
    assert told.startswith(
        ("hypothesis='A cat sleeps.': Expected a JSON list, but got 'no'", f"hypothesis={HYPOTHESIS!r}: ")
    )
    assert "\n" not in str(failure.value)


def test_a_server_that_fails_once_is_asked_again(serve: Serve) -> None:
    server = serve(in_turn(failed(503), said(json.dumps(GOOD))))
    assert asked_of(server, HYPOTHESIS) == [(HYPOTHESIS, UNITS)]


def test_no_server_is_one_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retry, "_FIRST_ANSWER_BUDGET_S", 0.1)
    with pytest.raises(ModelError, match=r"check the URL, and that the server is running"):
        list(units_by_model("m@http://127.0.0.1:9", ["A cat sleeps."]))


def test_a_wrong_address_is_refused() -> None:
    with pytest.raises(OptionError, match="openai:MODEL@URL"):
        list(units_by_model("m", ["A cat sleeps."]))


def test_the_key_goes_to_the_server_and_nowhere_else(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VQAMT_OPENAI_KEY", "secret-of-mine")
    server = serve(always(said("secret-of-mine")))
    with pytest.raises(ModelError) as failure:
        asked_of(server, HYPOTHESIS)
    assert server.requests[0].headers["authorization"] == "Bearer secret-of-mine"
    assert "secret-of-mine" not in str(failure.value)


@each_row(
    "reply",
    [
        json.dumps(GOOD),
        f"```json\n{json.dumps(GOOD)}\n```",
        f"```\n{json.dumps(GOOD)}```",
        f"\n {json.dumps(GOOD, indent=2)}",
    ],
)
def test_replies_that_are_read(reply: str) -> None:
    assert read_units(reply, HYPOTHESIS) == UNITS


def test_no_units_are_a_reply_too() -> None:
    assert read_units("[]", "It is raining.") == ()


def test_is_may_be_added() -> None:
    [unit] = read_units('[{"object": "man", "property": "is outdoors"}]', "There was a man outdoors.")
    assert unit.property == "is outdoors"


@each_row(
    "reply, told",
    [
        ("", "Expected a JSON list"),
        ("{}", "Expected a JSON list"),
        (f"Sure: {json.dumps(GOOD)}", "Expected a JSON list"),
        ("[" * 100_000, "Expected a JSON list"),
        ('["cook"]', "Expected {"),
        ('[{"object": "cook"}]', "Expected {"),
        ('[{"object": "cook", "property": "", "box": 1}]', "Expected {"),
        ('[{"object": "cook", "property": null}]', "an object and a property in words"),
        ('[{"object": " ", "property": "is"}]', "an object and a property in words"),
        ('[{"object": "chef", "property": ""}]', "Expected words of the sentence, but got 'chef'"),
        ('[{"object": "cook", "property": "is stirring tea"}]', "Expected words of the sentence, but got 'tea'"),
    ],
)
def test_replies_that_are_refused(reply: str, told: str) -> None:
    with pytest.raises(QueryError) as refused:
        read_units(reply, HYPOTHESIS)
    assert told in str(refused.value)
    assert len(str(refused.value)) < 400


def test_our_own_examples_would_be_taken() -> None:
    """What the prompt shows a model as an answer is one."""
    text = units_prompt(HYPOTHESIS)
    examples = text[text.index("Sentence: ") :].split("\n\n")[:-1]
    assert len(examples) >= 3
    for example in examples:
        sentence, reply = example.removeprefix("Sentence: ").split("\n")
        assert read_units(reply, sentence)
