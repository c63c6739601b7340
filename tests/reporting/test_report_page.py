"""docs/reference/report.md names every field of the two files, and its examples are what a run writes."""

from __future__ import annotations

import json
import re
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from pytest_vqamt.core.case import Case, Change, Contrast, ContrastVerdict, Grade, Outcome, Trials, Verdict
from pytest_vqamt.core.meaning import Exists
from pytest_vqamt.core.query import Answer, Query
from pytest_vqamt.core.report_json import case_row
from tests.making import group_of, scene_of
from tests.reporting.reported import cases_in, report_in
from tests.reporting.running import run_into

PAGE = (Path(__file__).parents[2] / "docs" / "reference" / "report.md").read_text(encoding="utf-8")
EXAMPLES: list[dict[str, Any]] = [json.loads(text) for text in re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL)]


def documented(heading: str) -> set[str]:
    """The fields in the first table below a heading."""
    below = re.search(rf"^#+ {re.escape(heading)}$(.*?)(^#|\Z)", PAGE, re.DOTALL | re.MULTILINE)
    assert below is not None
    firsts = re.findall(r"^\| (`[^|]*`) \|", below[1], re.MULTILINE)
    return {name for first in firsts for name in re.findall(r"`(\w+)`", first)}


@pytest.mark.parametrize(
    ("heading", "where"),
    [
        ("report.json", None),
        ("An entry of `models`", "model"),
        ("An entry of `data`", "data"),
        ("An entry of `relations`", "relation"),
        ("An entry of `coverage`", "coverage"),
        ("An entry of `summaries`", "summary"),
        ("Metrics of pairs", "pair_metrics"),
        ("The grounded rate", "grounded"),
        ("A change", "change"),
        ("The baseline", "baseline"),
        ("An entry of `ranking`", "ranking"),
        ("A place in a ranking", "place"),
        ("An entry of `differences`", "difference"),
    ],
)
def test_the_page_has_the_fields_of_the_schema(heading: str, where: str | None) -> None:
    schema = json.loads(files("pytest_vqamt.reporting").joinpath("report.schema.json").read_text(encoding="utf-8"))
    told = schema["$defs"][where] if where else schema
    fields = set(told["properties"])
    if "$ref" in told:
        fields |= set(schema["$defs"][told["$ref"].rpartition("/")[2]]["properties"])
    assert documented(heading) == fields


def test_the_page_has_every_field_that_a_case_can_have() -> None:
    picture = scene_of("dog").picture
    query = Query(
        picture=picture, text="Is there a dog?", meaning=Exists(group=group_of("dog")), trial=1, reasoning=True
    )
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


def test_the_examples_have_the_fields_that_a_run_writes(tmp_path: Path) -> None:
    run_into(tmp_path, fail_under=["0.5"])
    report = report_in(tmp_path)
    relation, case = EXAMPLES
    assert list(relation) == list(report["relations"][0])
    rows = cases_in(tmp_path)
    assert list(case) == list(rows[0])
    assert [list(query) for query in case["queries"]] == [list(query) for query in rows[0]["queries"]]
    report["relations"] = [relation]
    schema = json.loads(files("pytest_vqamt.reporting").joinpath("report.schema.json").read_text(encoding="utf-8"))
    Draft202012Validator(schema).validate(report)


def test_the_numbers_of_the_example_add_up() -> None:
    relation, case = EXAMPLES
    parts = ("holds", "violated", "unparsed", "errors", "waived")
    assert relation["cases"] == sum(relation[part] for part in parts)
    for part in (*parts, "cases", "vacuous"):
        assert relation[part] == sum(tally[part] for tally in relation["breakdown"]["present_groups"].values())
    assert sum(relation["readings"].values()) == 3 * relation["cases"]
    total, first, second = (int(answer) for answer in case["answers"])
    assert (total == first + second) == (case["verdict"] == "holds")
