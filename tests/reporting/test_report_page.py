"""docs/reference/report.md names every field of cases.jsonl, and its example is what a run writes."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from pytest_vqamt.core.case import Case, Change, Contrast, ContrastVerdict, Grade, Outcome, Trials, Verdict
from pytest_vqamt.core.codec import replace
from pytest_vqamt.core.conversation import Role, Turn
from pytest_vqamt.core.meaning import Exists
from pytest_vqamt.core.query import Answer, Query
from pytest_vqamt.core.report_json import case_row
from tests.making import group_of, scene_of
from tests.reporting.reported import cases_in
from tests.reporting.running import run_into

PAGE = (Path(__file__).parents[2] / "docs" / "reference" / "report.md").read_text(encoding="utf-8")
EXAMPLE: dict[str, Any] = json.loads(re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL)[0])


def documented(heading: str) -> set[str]:
    """The fields in the first table below a heading."""
    below = re.search(rf"^#+ {re.escape(heading)}$(.*?)(^#|\Z)", PAGE, re.DOTALL | re.MULTILINE)
    assert below is not None
    firsts = re.findall(r"^\| (`[^|]*`) \|", below[1], re.MULTILINE)
    return {name for first in firsts for name in re.findall(r"`(\w+)`", first)}


def test_the_page_has_every_field_that_a_case_can_have() -> None:
    picture = scene_of("dog").picture
    turns = Turn((picture, "Look.")), Turn(("I see it.",), Role.ASSISTANT), Turn(("Is there a dog?",))
    query = replace(Query.of(*turns, meaning=Exists(group=group_of("dog"))), trial=1, reasoning=True)
    contrast = Contrast(of=0, query=query, scene="made", change=Change.NAMES, names=("dog",), presumed=True)
    case = Case(
        relation="ours.test",
        variant="",
        scene="made",
        queries=(query,),
        expected="none",
        facts=(),
        tags=("presumed",),
        contrast=contrast,
    )
    answer = Answer("yes", (("yes", 0.9),), truncated=True, declined="unknown words: dog", unknown_words=("dog",))
    changed = ContrastVerdict(answer=answer, outcome=Outcome.HOLDS)
    trials = Trials(answers=((answer,),), outcomes=(Outcome.HOLDS,))
    figures = (("clean", 1.0),)
    verdict = Verdict(
        outcome=Outcome.HOLDS,
        unread=("declined",),
        figures=figures,
        contrast=changed,
        trials=trials,
        grades=(Grade(0.9, 0.8, True),),
    )
    row = case_row(case, [answer], verdict, model="m", data="d", data_spec="s", waived=True, before=verdict)
    assert documented("cases.jsonl") == set(row)
    [asked] = row["queries"] if isinstance(row["queries"], list) else []
    assert isinstance(asked, dict)
    assert documented("An entry of `queries`") == set(asked)
    assert isinstance(row["contrast"], dict)
    assert documented("A contrast") == set(row["contrast"])


def test_the_example_has_the_fields_that_a_run_writes(tmp_path: Path) -> None:
    run_into(tmp_path)
    row = cases_in(tmp_path)[0]
    assert list(EXAMPLE) == list(row)
    assert [list(query) for query in EXAMPLE["queries"]] == [list(query) for query in row["queries"]]


def test_the_numbers_of_the_example_add_up() -> None:
    total, first, second = (int(answer) for answer in EXAMPLE["answers"])
    assert (total == first + second) == (EXAMPLE["verdict"] == "holds")
