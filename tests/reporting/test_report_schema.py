"""The schema that is packaged describes every field of a real report, and refuses what is none."""

from __future__ import annotations

import json
from collections.abc import Callable
from copy import deepcopy
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from pytest_vqamt.core.codec import to_row
from pytest_vqamt.core.report_json import baseline_row, change_row, difference_row
from pytest_vqamt.core.report_rows import SCHEMA
from pytest_vqamt.core.results import BaselineUse
from pytest_vqamt.core.tallies import PairedClusters, PairedSceneTally
from pytest_vqamt.stats.conclude import differences, rankings
from pytest_vqamt.stats.paired import change_of, with_holm_gates
from tests.reporting.reported import report_in
from tests.reporting.running import run_into
from tests.stats.judging import cases_of, result

Node = dict[str, Any]

TEXT: str = files("pytest_vqamt.reporting").joinpath("report.schema.json").read_text(encoding="utf-8")


def closed(schema: Node) -> Node:
    """The schema with no field allowed that it does not name."""
    changed = deepcopy(schema)

    def close(node: object) -> None:
        if isinstance(node, dict):
            if "properties" in node:
                node["unevaluatedProperties"] = False
            for child in node.values():
                close(child)
        elif isinstance(node, list):
            for child in node:
                close(child)

    close(changed)
    return changed


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Node:
    """A real report with a gate that is missed, one that is met, and a relation without a gate."""
    folder = tmp_path_factory.mktemp("report")
    run_into(folder, fail_under=["metavqa.partition[object]=0.99", "metavqa.partition[property]=0"])
    row: Node = report_in(folder)
    return row


def test_what_a_relation_drew_on_is_in_the_report(tmp_path: Path) -> None:
    run_into(tmp_path, relations=["carets.negation", "metavqa.cutting[count]"], max_cases=2)
    row: Node = report_in(tmp_path)
    cut, drew = row["relations"]
    assert list(drew["resources"]) == ["wordnet"]
    assert drew["resources"]["wordnet"].startswith("WordNet 3.0 (bundled, ")
    assert cut["resources"] == {}
    Draft202012Validator(closed(json.loads(TEXT))).validate(row)


def test_the_schema_is_one_and_of_this_version() -> None:
    Draft202012Validator.check_schema(json.loads(TEXT))
    assert json.loads(TEXT)["properties"]["schema"]["const"] == SCHEMA


def test_a_real_report_has_the_fields_of_the_schema_and_no_others(report: Node) -> None:
    assert {bool(each["gate"] and each["gate"]["met"]) for each in report["relations"]} == {True, False}
    Draft202012Validator(closed(json.loads(TEXT))).validate(report)


def test_every_field_is_described() -> None:
    schema = json.loads(TEXT)
    objects = [schema, *(each for each in schema["$defs"].values() if "properties" in each)]
    assert [
        name
        for each in objects
        for name, told in each["properties"].items()
        if not told.get("description", "").endswith(".")
    ] == []
    # Absent without a short name, without what is counted, and if all could be run.
    optional = {
        "DataUse": {"name"},
        "ModelRow": {"spec", "calls", "calls_raised", "raised_example", "answers_cut", "ran_on", "ran_on_example"},
        "": {"failure"},
    }
    for name, each in {"": schema, **schema["$defs"]}.items():
        if "properties" in each:
            assert set(each["properties"]) - optional.get(name, set()) == set(each["required"]), name


def paths_of(node: object, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    """Where each field of the report is that the schema requires, in the first of each list."""
    if isinstance(node, list):
        return paths_of(node[0], (*path, 0)) if node else []
    if (
        not isinstance(node, dict)
        or path[-1:]
        in [
            ("settings",),
            ("readings",),
            ("resources",),
            ("not_applicable",),
            ("breakdown",),
            ("metrics",),
            ("totals",),
        ]
        or path[-2:-1] == ("rows",)
    ):
        return []
    return [found for name, child in node.items() for found in ((*path, name), *paths_of(child, (*path, name)))]


def test_a_report_without_any_one_field_is_refused(report: Node) -> None:
    validator = Draft202012Validator(json.loads(TEXT))
    paths = paths_of(report)
    assert ("relations", 0, "gate", "met") in paths
    for path in paths:
        lacking = deepcopy(report)
        holder: Any = lacking
        for step in path[:-1]:
            holder = holder[step]
        del holder[path[-1]]
        assert not validator.is_valid(lacking), path


@pytest.mark.parametrize(
    "change",
    [
        lambda report: report.update(schema=2),
        lambda report: report.update(shard="0/2"),
        lambda report: report.update(relations=[]),
        lambda report: report["relations"][0].update(cases=-1),
        lambda report: report["relations"][0].update(resources={"wordnet": 3}),
        lambda report: report["relations"][0].update(pass_rate=1.5),
        lambda report: report["relations"][0].update(interval=[0.1]),
        lambda report: report["relations"][0].update(interval=[0.1, 0.2, 0.3]),
        lambda report: report["relations"][0].update(id="metavqa.partition[object"),
        lambda report: report["relations"][0]["gate"].update(on="median"),
        lambda report: report["relations"][0]["readings"].update(yes=0.5),
        lambda report: report["relations"][0]["breakdown"].update(wording={"1": {"cases": 1}}),
        lambda report: report["models"][0].update(tasks=["painting"]),
    ],
)
def test_a_wrong_value_is_refused(report: Node, change: Callable[[Node], object]) -> None:
    changed = deepcopy(report)
    change(changed)
    assert not Draft202012Validator(json.loads(TEXT)).is_valid(changed)


def test_nothing_judged_is_a_report_too(report: Node, tmp_path: Path) -> None:
    changed = deepcopy(report)
    changed["relations"][0].update(pass_rate=None, interval=[0.0, 1.0], gate=None, breakdown={}, readings={})
    Draft202012Validator(json.loads(TEXT)).validate(changed)


def test_what_only_some_reports_have_is_of_the_schema_too(report: Node) -> None:
    apart = cases_of("+-+-", start=10)
    results = [
        result("ours.rule", model, cases_of(verdicts), presumed=apart)
        for model, verdicts in (("one", "+++++"), ("two", "+----"))
    ]
    [held] = with_holm_gates([change_of(PairedClusters((PairedSceneTally(1, 2, 0, 1, 9),)))], [0.05])
    changed = deepcopy(report)
    changed["ranking"] = [to_row(each) for each in rankings(results)]
    changed["differences"] = [to_row(difference_row(each)) for each in differences(results)]
    changed["baseline"] = to_row(
        baseline_row(
            BaselineUse(file="base.gz", digest="b", models=(("one", "f"),), missing=("ours.gone-one-x",), new=())
        )
    )
    changed["waived"] = [{"case_id": "0" * 16, "reason": "two dogs"}]
    changed["relations"][0]["change"] = change_row(held)
    changed = json.loads(json.dumps(changed))  # tuples become lists
    assert [len(each["models"]) for each in changed["ranking"]] == [2, 2]
    assert [each["presumed"] for each in changed["differences"]] == [False, True]
    validator = Draft202012Validator(closed(json.loads(TEXT)))
    validator.validate(changed)
    for path in paths_of(changed):
        if path[:2] == ("baseline", "max_drop") and len(path) > 2:
            continue  # its members are the user's globs
        if path[0] in ("ranking", "differences", "baseline", "waived") or "change" in path:
            lacking = deepcopy(changed)
            holder: Any = lacking
            for step in path[:-1]:
                holder = holder[step]
            del holder[path[-1]]
            assert not validator.is_valid(lacking), path
