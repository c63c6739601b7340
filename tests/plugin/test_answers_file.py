"""``answers:FILE``: the session lists the queries it needs; once they are answered, it gives the report."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.plugin.conftest import WORKERS, Run
from tests.reporting.reported import report_in
from tests.reporting.running import run_into

RELATIONS = "--vqamt-relations=metavqa.reorder[object],metavqa.reversion[object],control.repeat"
MODEL = "answers:answers.jsonl"


def rows(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def write(file: Path, of: list[dict[str, Any]]) -> None:
    file.write_text("".join(json.dumps(row) + "\n" for row in of), encoding="utf-8")


@pytest.fixture(scope="module")
def oracle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of a perfect perceiver."""
    folder = tmp_path_factory.mktemp("oracle")
    run_into(folder, model="oracle", relations=RELATIONS.partition("=")[2].split(","), max_cases=4)
    return folder


@pytest.fixture
def known(oracle: Path) -> dict[str, str]:
    """What a perfect perceiver says, by query id."""
    return {
        query["id"]: answer
        for row in rows(oracle / "cases.jsonl")
        for query, answer in zip(row["queries"], row["answers"], strict=True)
    }


def told(folder: Path) -> list[dict[str, Any]]:
    report: dict[str, Any] = report_in(folder)
    return [{field: value for field, value in each.items() if field != "model"} for each in report["relations"]]


def test_from_the_list_of_queries_to_the_report(
    pytester: pytest.Pytester, run: Run, workers: tuple[str, ...], oracle: Path, known: dict[str, str]
) -> None:
    todo = pytester.path / "answers.jsonl.todo.jsonl"
    first = run(RELATIONS, "--vqamt-report=out", *workers, model=MODEL)
    first.assert_outcomes(errors=3)
    assert first.ret == pytest.ExitCode.TESTS_FAILED
    listed = rows(todo)
    assert {row["id"]: row["answer"] for row in listed} == dict.fromkeys(known)
    if not workers:
        assert len(listed) == len(known), "each is listed once"
    shown = first.stdout.str()
    named = re.findall(
        rf"^Expected model '{MODEL}' to hold an answer to every query, but it lacks 8 \(the first: (.*)\): "
        rf"they are listed in {re.escape(str(todo))}; add their answers and run again$",
        shown,
        re.MULTILINE,
    )
    in_words = [f"{row['text']!r} on {row['photo']}" for row in listed]
    threes = {", ".join(in_words[place : place + 3]) for place in range(len(in_words))}
    assert len(named) == 3
    assert set(named) <= threes
    assert "Traceback" not in shown

    write(pytester.path / "answers.jsonl", [{**row, "answer": known[row["id"]]} for row in listed])
    second = run(RELATIONS, "--vqamt-report=out", *workers, model=MODEL)
    second.assert_outcomes(passed=3)
    assert told(pytester.path / "out") == told(oracle)
    assert not todo.exists(), "nothing is left to be answered"


def test_what_is_still_missing_is_listed_again(pytester: pytest.Pytester, run: Run, known: dict[str, str]) -> None:
    todo = pytester.path / "answers.jsonl.todo.jsonl"
    run(RELATIONS, model=MODEL).assert_outcomes(errors=3)
    listed = rows(todo)
    missing = listed[-1]["id"]
    write(pytester.path / "answers.jsonl", [{**row, "answer": known[row["id"]]} for row in listed[:-1]])
    result = run(RELATIONS, model=MODEL)
    result.assert_outcomes(passed=2, errors=1)
    assert [row["id"] for row in rows(todo)] == [missing]
    named = f"(the first: {listed[-1]['text']!r} on {listed[-1]['photo']})"
    assert f"to hold an answer to every query, but it lacks 1 {named}: " in result.stdout.str()


def test_the_report_of_a_run_that_lacks_answers_has_the_other_items(
    pytester: pytest.Pytester, run: Run, workers: tuple[str, ...], oracle: Path, known: dict[str, str]
) -> None:
    (asked_again,) = [each for each in told(oracle) if each["id"] == "control.repeat"]
    repeated = [row for row in rows(oracle / "cases.jsonl") if row["relation"] == "control.repeat"]
    last = {row["relation"]: row["queries"][-1]["id"] for row in rows(oracle / "cases.jsonl")}
    del last["control.repeat"]
    answered = [{"id": name, "answer": answer} for name, answer in known.items() if name not in last.values()]
    write(pytester.path / "answers.jsonl", answered)
    result = run(RELATIONS, "--vqamt-report=out", *workers, model=MODEL)
    result.assert_outcomes(passed=1, errors=2)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    shown = result.stdout.str()
    lacking = re.findall(
        r"^Expected .* to hold an answer to every query, but it lacks 1 \(the first: ", shown, re.MULTILINE
    )
    assert len(lacking) == 2
    assert "no report was written" not in shown
    assert "this report is not complete: an item could not be run" in shown
    assert told(pytester.path / "out") == [asked_again]
    assert not report_in(pytester.path / "out")["complete"]
    written = rows(pytester.path / "out" / "cases.jsonl")
    assert [row["case_id"] for row in written] == [row["case_id"] for row in repeated]
    assert {path.name for path in (pytester.path / "out").iterdir()} == {
        "report.json", "cases.jsonl", "report.html", "summary.md", "badge.json"
    }  # fmt: skip


def test_answers_of_the_same_kind_of_session_are_of_no_use_to_another(
    pytester: pytest.Pytester, run: Run, known: dict[str, str]
) -> None:
    write(pytester.path / "answers.jsonl", [{"id": name, "answer": answer} for name, answer in known.items()])
    run(RELATIONS, model=MODEL).assert_outcomes(passed=3)
    run(RELATIONS, "--vqamt-seed=1", model=MODEL).assert_outcomes(errors=3)


def test_a_changed_answer_is_noticed_although_answers_are_kept(
    pytester: pytest.Pytester, run: Run, known: dict[str, str]
) -> None:
    write(pytester.path / "answers.jsonl", [{"id": name, "answer": answer} for name, answer in known.items()])
    gate = "--vqamt-fail-under=metavqa.reversion=1"
    run(RELATIONS, gate, model=MODEL).assert_outcomes(passed=3)
    write(pytester.path / "answers.jsonl", [{"id": name, "answer": "perhaps"} for name in known])
    run(RELATIONS, gate, model=MODEL, shrink=30).assert_outcomes(skipped=2, failed=1)


@pytest.mark.parametrize("workers", WORKERS)
def test_a_broken_line_is_named(pytester: pytest.Pytester, run: Run, workers: tuple[str, ...]) -> None:
    file = pytester.path / "answers.jsonl"
    file.write_text('{"id": "a", "answer": "yes"}\n{"id": "b", answer: no}\n')
    result = run(RELATIONS, *workers, model=MODEL)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert result.stderr.str().startswith(f"ERROR: {file}:2: Expected a JSON object, but got ")
    assert len(result.stderr.str().strip().splitlines()) == 1
