"""Cases that a person judged invalid are left out of the rates, counted and listed."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.plugin.conftest import Run

OPTIONS = ("--vqamt-relations=metavqa.reversion[object]", "--vqamt-report=out")


def report(pytester: pytest.Pytester) -> dict[str, Any]:
    (told,) = json.loads((pytester.path / "out" / "report.json").read_text())["relations"]
    assert isinstance(told, dict)
    return told


def test_a_waived_case_counts_as_nothing_else(pytester: pytest.Pytester, run: Run) -> None:
    run(*OPTIONS, "--vqamt-fail-under=0.1", model="fault:always-yes").assert_outcomes(failed=1)
    assert (report(pytester)["cases"], report(pytester)["violated"]) == (4, 4)
    lines = [json.loads(line) for line in (pytester.path / "out" / "cases.jsonl").read_text().splitlines()]
    waived = sorted(line["case_id"] for line in lines)[:3]
    (pytester.path / "waived.txt").write_text(
        "# looked at on a Friday\n\n" + "".join(f"{case_id} the picture is cut off\n" for case_id in waived)
    )

    waive = "--vqamt-waive=waived.txt"
    result = run(*OPTIONS, "--vqamt-fail-under=0.1", waive, model="fault:always-yes", shrink=30)
    result.assert_outcomes(failed=1)
    told = report(pytester)
    assert (told["cases"], told["waived"], told["violated"], told["pass_rate"]) == (4, 3, 1, 0.0)
    result.stdout.fnmatch_lines(["metavqa.reversion?object? * 4 (3 waived) * 0.000 *"])
    lines = [json.loads(line) for line in (pytester.path / "out" / "cases.jsonl").read_text().splitlines()]
    assert sorted(line["case_id"] for line in lines if line.get("waived")) == waived
    assert not any(f"case {case_id}" in result.stdout.str() for case_id in waived), "shown as the simplest violation"


def test_waivers_may_stand_in_the_ini_file(pytester: pytest.Pytester, run: Run) -> None:
    pytester.makeini("[pytest]\nvqamt_waive = waived.txt\n")
    (pytester.path / "waived.txt").write_text("")
    run(*OPTIONS).assert_outcomes(passed=1)
    case_id = json.loads((pytester.path / "out" / "cases.jsonl").read_text().splitlines()[0])["case_id"]
    (pytester.path / "waived.txt").write_text(f"{case_id} upside down\n")
    run(*OPTIONS).assert_outcomes(passed=1)
    assert (report(pytester)["waived"], report(pytester)["holds"]) == (1, 3)
