"""Queries that quote the model's own answer come after it, whatever ends a run, and say what it said."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest

import pytest_vqamt as vqamt
from pytest_vqamt.core.codec import replace
from pytest_vqamt.core.conversation import Reply, Role, Turn
from pytest_vqamt.core.meaning import Exists, Group
from pytest_vqamt.core.query import Answer, Failure, ModelInput, Query
from pytest_vqamt.execution.waves import ask_in_waves
from tests.costs import without_costs
from tests.making import scene_of
from tests.reporting.reported import report_in
from tests.rows import each_row

PICTURE = scene_of("dog").picture
IS_THERE = Exists(group=Group(name="dog"))
PLAIN = Query(picture=PICTURE, text="Is there a dog?", meaning=IS_THERE)
AGAIN = Query.of(
    Turn((PICTURE, PLAIN.text)), Turn((Reply(0),), Role.ASSISTANT), Turn(("Are you sure?",)), meaning=IS_THERE
)
DECLINED = Answer("", declined="not for me")


@each_row(
    "first, said, second",
    [
        (Answer("Yes, there is."), "Yes, there is.", Answer("sure")),
        (Answer("<think>A dog?</think>Yes."), "Yes.", Answer("sure")),
        (Answer("Yes.\nUser: And a cat?\nAssistant: No."), "Yes.", Answer("sure")),
        (Answer(""), "...", Answer("sure")),
        (Failure(reason="it broke"), None, Failure(reason="it broke")),
        (DECLINED, None, DECLINED),
        (None, None, None),
    ],
)
def test_what_is_quoted(first: Answer | Failure | None, said: str | None, second: Answer | Failure | None) -> None:
    waves: list[list[Query]] = []

    def ask(queries: Iterable[Query]) -> dict[str, Answer | Failure]:
        waves.append(list(queries))
        answers = {query.id: first if query == PLAIN else Answer("sure") for query in waves[-1]}
        return {name: answer for name, answer in answers.items() if answer is not None}

    assert ask_in_waves([((PLAIN,), (AGAIN,))], ask) == [((first,), (second,))]
    assert waves[0] == [PLAIN]
    assert [query.turns[1].parts for query in waves[1]] == ([] if said is None else [(said,)])
    assert all(not query.replies for query in waves[1])


def test_each_trial_quotes_its_own_answer() -> None:
    trials = tuple(replaced(PLAIN, trial=trial) for trial in range(3))
    again = tuple(replaced(AGAIN, trial=trial) for trial in range(3))

    def ask(queries: Iterable[Query]) -> dict[str, Answer | Failure]:
        return {each.id: Answer(f"{each.trial} to {each.turns[1].text if each.turns else ''}") for each in queries}

    (outcomes,) = ask_in_waves([(trials, again)], ask)
    assert [answer.text for answer in outcomes[1] if isinstance(answer, Answer)] == [
        "0 to 0 to",
        "1 to 1 to",
        "2 to 2 to",
    ]


def replaced(query: Query, **fields: Any) -> Query:
    return replace(query, **fields)


class Talker:
    """Says the number of its words to what it is asked, and more in a conversation."""

    fingerprint = "talker 1"
    takes = ("turns", "pictures", "interleaved")
    batch_size = 4

    def __init__(self, stops_at: int | None = None) -> None:
        self.asked: list[str] = []
        self.stops_at = stops_at

    def answer(self, batch: Sequence[ModelInput]) -> list[str]:
        for each in batch:
            if len(each.turns) > 1 and self.stops_at is not None and len(self.asked) >= self.stops_at:
                raise KeyboardInterrupt
            self.asked.append(each.query.id)
        return ["yes" if len(each.text) % 3 else "no" for each in batch]


def report(model: object, folder: Path, cache: Path) -> dict[str, Any]:
    relations = "lead.pushback,turn.*"
    vqamt.run(model=model, data="pictures:20", relations=relations, max_cases=10, shrink=0, cache=cache, report=folder)
    return without_costs(report_in(folder))


def test_a_run_that_was_stopped_between_the_waves_asks_nothing_again(tmp_path: Path) -> None:
    whole = Talker()
    expected = report(whole, tmp_path / "one", tmp_path / "whole")
    stopped = Talker(stops_at=8)
    with pytest.raises(KeyboardInterrupt):
        report(stopped, tmp_path / "none", tmp_path / "cache")
    resumed = Talker()
    assert report(resumed, tmp_path / "two", tmp_path / "cache") == expected
    assert stopped.asked, "some of the first wave"
    assert not {*stopped.asked} & {*resumed.asked}
    assert {*stopped.asked, *resumed.asked} == {*whole.asked}
    again = Talker()
    assert report(again, tmp_path / "three", tmp_path / "cache") == expected
    assert again.asked == []


def test_what_a_model_does_not_take_is_not_applicable_in_words() -> None:
    def blind(_image: object, _text: str) -> str:
        return "yes"

    found = vqamt.run(model=blind, data="pictures:20", preset="conversation", max_cases=5, shrink=0)
    talked = [each for each in found.relations if not each.item.startswith("form.")]  # which any model takes
    reasons = {reason for each in talked for reason in each.not_applicable}
    assert reasons == {
        "the model does not take several pictures",
        "the model does not take several pictures, text before a picture",
        "the model does not take several pictures, earlier turns",
        "the model does not take earlier turns",
    }
    assert {each.tally.cases for each in talked} == {0}
    assert len(found.relations) > len(talked)
