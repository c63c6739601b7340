"""Likely causes: named where the cases that fail are those that they predict, and nowhere else."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import pytest

import pytest_vqamt as vqamt
from pytest_vqamt.core.codec import replace
from pytest_vqamt.core.conversation import Ability
from pytest_vqamt.core.meaning import InPicture
from pytest_vqamt.core.query import Answer, ModelInput, Query
from pytest_vqamt.models.reference.oracle import answer_text, true_answer
from pytest_vqamt.reporting.view.causes import CAUSES, likely_causes
from tests.rows import each_row

RELATIONS = "multi.*,turn.*,form.*,film.*,lead.pushback"


def causes_of(model: object, relations: str = RELATIONS, cases: int = 30) -> list[str]:
    report = vqamt.run(model=model, data="pictures:60", relations=relations, max_cases=cases, contrast=0, shrink=0)
    # Behind the cause come the numbers of cases.
    return [re.split(r": (?=\d)", each.removeprefix("Likely cause: "))[0] for each in likely_causes(report)]


@each_row(
    "fault, cause",
    [
        ("merges-equal-sizes", "pictures of one size are merged into one"),
        ("first-picture-only", "only the first of several pictures is seen"),
        ("first-picture-only@0.5", "only the first of several pictures is seen"),
        ("last-picture-only", "only the last of several pictures is seen"),
        ("mixes-up-pictures", "several pictures are seen in the opposite order"),
        (
            "order-by-content",
            "one of two: several pictures are seen in another order than sent, or their numbers are not understood",
        ),
        ("latest-turn-pictures", "a later picture replaces those of earlier turns"),
        ("moves-markers", "pictures of earlier turns are moved to another turn"),
        (
            "forgets-earlier-turns",
            "one of two: pictures of earlier turns are lost, or the model is weak after several turns",
        ),
        ("loses-text-before-pictures", "a text before a picture is lost"),
        ("caves-in", "the answer is taken back where the user doubts it, whatever the picture shows"),
        (
            "tires",
            "the answer changes once the talk goes on: the fourth message is answered otherwise than the first three",
        ),
        (
            "plays-backwards",
            "one of two: the frames of films are seen in the opposite order, or an event is not told from its reverse",
        ),
        ("one-frame", "one of two: a single frame of a film is seen, or the order of the frames is not"),
        ("four-pictures", "one of two: only the first few of many pictures are seen, or films are not followed"),
        # Its answers are yes and no, which do not tell what it lacks.
        ("loses-late-pictures", "one of two: a text before a picture is lost, or pictures behind a text are lost"),
        ("jpeg-swapped", "JPEG is decoded with other colors, as if red and blue were exchanged"),
        ("ignores-orientation", "the orientation in EXIF is ignored"),
    ],
)
def test_a_fault_is_named(fault: str, cause: str) -> None:
    assert causes_of(f"fault:{fault}") == [cause]


BLAMELESS = (
    "oracle fault:flips fault:always-yes fault:always-no fault:refuses fault:off-by-one "
    # Other words for a question.
    "fault:template-sensitive "
    # Models that look at nothing, or at half of the pictures.
    "fault:prior-only fault:half-blind"
)


@pytest.mark.parametrize("model", BLAMELESS.split())
def test_nothing_is_named_where_no_server_is_at_fault(model: str) -> None:
    assert causes_of(model) == []


class _Weak:
    """Sees all, and answers in its own way: a weakness of a model, and no fault of a server."""

    takes = tuple(Ability)

    def __init__(self, reply: Callable[[Query, str], str]) -> None:
        self.reply = reply

    def answer(self, batch: Sequence[ModelInput]) -> list[Answer]:
        return [Answer(self.reply(each.query, answer_text(true_answer(each.query)))) for each in batch]


def _wrong(right: str) -> str:
    if right in ("yes", "no"):
        return "no" if right == "yes" else "yes"
    return str(int(right) + 1) if right.isdigit() else "blue" if right == "red" else "red"


def _errs(rate: float, on: Callable[[Query, str], bool]) -> Callable[[Query, str], str]:
    """Wrong in ``rate`` of the queries that ``on`` takes, always the same."""

    def reply(query: Query, right: str) -> str:
        drawn = int(query.id[:8], 16) / 2**32
        return _wrong(right) if on(query, right) and drawn < rate else right

    return reply


def _refuses_after_turns(query: Query, right: str) -> str:
    return "I'm sorry, I can't help with that." if len(query.turns) > 1 else right


def _takes_the_first(query: Query, right: str) -> str:
    """Sees all pictures, and answers about the first whichever is named."""
    if not isinstance(query.meaning, InPicture):
        return right
    return answer_text(true_answer(replace(query, meaning=replace(query.meaning, which=0))))


@each_row(
    ("weakness", "reply"),
    [
        ("noise of 5 %", _errs(0.05, lambda _query, _right: True)),
        ("noise of 20 %", _errs(0.2, lambda _query, _right: True)),
        ("yes in place of no", _errs(0.4, lambda _query, right: right == "no")),
        ("counts", _errs(0.5, lambda _query, right: right.isdigit())),
        ("colors", _errs(0.5, lambda _query, right: not right.isdigit() and right not in ("yes", "no"))),
        ("more than two pictures", _errs(0.5, lambda query, _right: len(list(query.pictures)) > 2)),
        ("refuses after a turn", _refuses_after_turns),
        ("numbers of pictures", _takes_the_first),
    ],
)
def test_a_weak_model_is_not_accused(weakness: str, reply: Callable[[Query, str], str]) -> None:
    assert causes_of(_Weak(reply), cases=40) == [], weakness


def test_each_kind_of_cases_is_one_that_relations_have() -> None:
    """A cause that names an item or a fact of yesterday would never be found."""
    report = vqamt.run(model="oracle", data="pictures:60", relations=RELATIONS, max_cases=30, contrast=0, shrink=0)
    items = {each.item for each in report.relations}
    for kind in {kind for cause in CAUSES for kind in (*cause.fails, *cause.holds, *cause.lacks)}:
        assert kind.items <= items, kind
        assert kind.tally(report.relations).judged, kind
        # Each item has the fact, or its cases are not counted.
        assert all(kind.fact in each.strata[0].breakdown for each in report.relations if each.item in kind.items) or (
            not kind.fact
        ), kind


def test_few_cases_name_nothing() -> None:
    assert causes_of("fault:first-picture-only", cases=4) == []
