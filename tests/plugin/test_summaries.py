"""The papers' figures of several items: below the relations on the terminal, and in the report, however it was made."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest

from pytest_vqamt.reporting.files import read_report
from pytest_vqamt.reporting.merge import merge_folders
from tests.plugin.conftest import Run

TASKS = "veglue.mr2_linked_erase,metaic.object_appearance[0],metaic.singular_plural[0],basic_questions.noise"
OURS = (f"--vqamt-relations={TASKS}", "--vqamt-option=ranking=bleu-1", "--vqamt-max-cases=12", "--vqamt-report=out")


def told(pytester: pytest.Pytester, folder: str = "out") -> dict[str, dict[str, Any]]:
    report = json.loads((pytester.path / folder / "report.json").read_text(encoding="utf-8"))
    return {each["kind"]: each for each in report["summaries"]}


def cases(pytester: pytest.Pytester, relation: str) -> list[dict[str, Any]]:
    lines = (pytester.path / "out" / "cases.jsonl").read_text(encoding="utf-8").splitlines()
    return [row for row in map(json.loads, lines) if row["relation"] == relation]


def test_each_task_has_its_table(pytester: pytest.Pytester, run: Run) -> None:
    result = run(*OURS, model="fault:omits-inserted")
    summaries = told(pytester)
    assert list(summaries) == ["entailment", "captioning", "noise"]
    for summary in summaries.values():
        head, *_ = summary["rows"]
        result.stdout.fnmatch_lines(
            [f"relation *{list(head)[-1]}", "---*", f"{head['relation'].replace('[', '[[]')} *"]
        )
    result.stdout.fnmatch_lines(["*(captioning)*  ->  *", "*(captioning) [[]inserted *[]]  ->  *"])


def test_the_figures_are_those_of_the_cases(pytester: pytest.Pytester, run: Run) -> None:
    run(*OURS, model="fault:omits-inserted")
    summaries = told(pytester)
    rows = {row["relation"]: row for summary in summaries.values() for row in summary["rows"]}
    kinds = Counter(row["reason"].partition(":")[0] for row in cases(pytester, "metaic.object_appearance[0]"))
    assert rows["metaic.object_appearance[0]"]["omission"] == kinds["omission"] > 0
    (mr2,) = (rows[name] for name in rows if name == "veglue.mr2_linked_erase")
    assert (mr2["GNUM"], mr2["INUM"], mr2["IFR"]) == (12, 0, 0.0)
    noisy = [rows[f"basic_questions.noise[{number}]"] for number in range(1, 8)]
    assert {(row["clean"], row["noisy"], row["R_score"]) for row in noisy} == {(100.0, 100.0, 1.0)}
    assert summaries["noise"]["totals"]["R_score"] == 1.0


def test_the_main_questions_of_all_partitions_are_asked_once(pytester: pytest.Pytester, run: Run) -> None:
    run(*OURS, model="oracle")
    asked = [
        {row["queries"][0]["id"] for row in cases(pytester, f"basic_questions.noise[{number}]")}
        for number in range(1, 8)
    ]
    assert all(each == asked[0] for each in asked)


@pytest.mark.full
def test_workers_and_shards_make_the_same(pytester: pytest.Pytester, run: Run) -> None:
    run(*OURS, model="fault:always-plural")
    whole = told(pytester)
    run(*OURS, "--vqamt-report=both", "-n", "2", model="fault:always-plural")
    assert told(pytester, "both") == whole
    for number in (1, 2):
        run(*OURS, f"--vqamt-report=s{number}", f"--vqamt-shard={number}/2", model="fault:always-plural")
    merge_folders([pytester.path / "s1", pytester.path / "s2"], pytester.path / "merged")
    assert told(pytester, "merged") == whole
    assert {each.kind for each in read_report(pytester.path / "merged").summaries} == set(whole)
