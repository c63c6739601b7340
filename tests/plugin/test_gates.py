"""Pass rates that are demanded: on the command line, by a marker of a test, or in the ini file."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pytest_vqamt.cli import main
from pytest_vqamt.reporting.files import read_report
from tests.plugin.conftest import WORKERS, Run
from tests.reporting.reported import cases_in, report_in

REVERSION = "--vqamt-relations=metavqa.reversion[object],metavqa.reorder[object]"
HALF = "fault:ignores-negation"
"""Holds on every case of metavqa.reorder, and on none of metavqa.reversion."""


def marked(marks: str, head: str = "") -> str:
    """A test of the user's own that takes the fixture."""
    lines = ["import pytest", head, *marks.splitlines(), "def test_own(vqamt_consistency):"]
    return "\n".join([*lines, "    vqamt_consistency.check()"])


def demanded(pytester: pytest.Pytester) -> dict[str, float | None]:
    """The rate that was demanded of each item."""
    report: dict[str, Any] = report_in(pytester.path / "out")
    return {each["id"]: each["gate"] and each["gate"]["threshold"] for each in report["relations"]}


def run_own(pytester: pytest.Pytester, run: Run, text: str, *more: str, ini: str = "") -> pytest.RunResult:
    pytester.makeini(f"[pytest]\naddopts = --strict-markers\n{ini}")
    pytester.makepyfile(test_own=text)
    return run(REVERSION, "--vqamt-report=out", *more, model=HALF)


@pytest.mark.parametrize(
    ("fail_under", "reversion", "reorder"),
    [
        ("0.5", 0.5, 0.5),
        ("1", 1, 1),
        ('"metavqa.reversion=0.5"', 0.5, None),
        ('{"metavqa.reversion*": 0.25, "*": 0.75}', 0.25, 0.75),
        ('[0.9, "metavqa.reversion[object]=0.1"]', 0.1, 0.9),
    ],
)
def test_a_marker_demands_rates(
    pytester: pytest.Pytester, run: Run, fail_under: str, reversion: float, reorder: float | None
) -> None:
    result = run_own(pytester, run, marked(f"@pytest.mark.vqamt(fail_under={fail_under})"))
    result.assert_outcomes(passed=1, failed=1)
    assert demanded(pytester) == {"metavqa.reversion[object]": reversion, "metavqa.reorder[object]": reorder}
    assert f"pass rate 0 % is below {100 * reversion:g} % (" in result.stdout.str()


def test_the_command_line_wins_over_a_marker_and_a_marker_over_the_ini_file(
    pytester: pytest.Pytester, run: Run
) -> None:
    text = marked('@pytest.mark.vqamt(fail_under={"metavqa.reversion": 0.2})')
    ini = "vqamt_fail_under =\n    0.3\n    metavqa.reversion[object]=0.4\n"
    run_own(pytester, run, text, ini=ini)
    assert demanded(pytester) == {"metavqa.reversion[object]": 0.2, "metavqa.reorder[object]": 0.3}
    run_own(pytester, run, text, "--vqamt-fail-under=metavqa.reorder=0.6", ini=ini)
    assert demanded(pytester) == {"metavqa.reversion[object]": None, "metavqa.reorder[object]": 0.6}


def test_the_closest_marker_wins(pytester: pytest.Pytester, run: Run) -> None:
    head = 'pytestmark = pytest.mark.vqamt(fail_under=[0.1, "metavqa.reversion=0.2"])'
    run_own(pytester, run, marked('@pytest.mark.vqamt(fail_under="metavqa.reorder=0.3")', head))
    assert demanded(pytester) == {"metavqa.reversion[object]": 0.2, "metavqa.reorder[object]": 0.3}


@pytest.mark.parametrize(
    ("mark", "told"),
    [
        ("fail_under=1.5", "with rates from 0 to 1, but got fail_under=1.5 on test_own.py::test_own"),
        ("fail_under=[]", "with rates from 0 to 1, but got fail_under=[] on test_own.py::test_own"),
        ("fail_under=True", "with rates from 0 to 1, but got fail_under=True on test_own.py::test_own"),
        ("fail_under=None", "with rates from 0 to 1, but got fail_under=None on test_own.py::test_own"),
        ("fail_under={'metavqa.*': 'all'}", "but got fail_under={'metavqa.*': 'all'} on test_own.py::test_own"),
        ("0.8", "but got @pytest.mark.vqamt(0.8) on test_own.py::test_own"),
        ("fail_over=0.8", "but got @pytest.mark.vqamt(fail_over=0.8) on test_own.py::test_own"),
        ("", "but got @pytest.mark.vqamt() on test_own.py::test_own"),
        ("fail_under='metavqa.revision=0.8'", "'metavqa.revision' names none; did you mean 'metavqa.reversion"),
    ],
)
def test_a_marker_that_demands_nothing_is_refused_before_anything_is_run(
    pytester: pytest.Pytester, run: Run, mark: str, told: str
) -> None:
    result = run_own(pytester, run, marked(f"@pytest.mark.vqamt({mark})"))
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    (line,) = result.stderr.str().strip().splitlines()
    assert line.startswith("ERROR: Expected ")
    assert told in line


def test_the_marker_is_known_without_a_model(pytester: pytest.Pytester, run: Run) -> None:
    pytester.makeini("[pytest]\naddopts = --strict-markers\n")
    pytester.makepyfile(test_own=marked("@pytest.mark.vqamt(fail_under=0.5)"))
    run(model=None).assert_outcomes(skipped=1)
    shown = run("--markers", model=None).stdout.str()
    assert "@pytest.mark.vqamt(fail_under, grounded_under): the pass rate and the grounded rate that" in shown


@pytest.mark.full
def test_a_marker_is_heard_from_a_worker_too(pytester: pytest.Pytester, run: Run) -> None:
    text = marked("@pytest.mark.vqamt(fail_under=0.5)")
    run_own(pytester, run, text, "-n", "2").assert_outcomes(passed=1, failed=1)
    assert demanded(pytester) == {"metavqa.reversion[object]": 0.5, "metavqa.reorder[object]": 0.5}


# Cases that a person judged invalid are left out of the rates, counted and listed.

OPTIONS = ("--vqamt-relations=metavqa.reversion[object]", "--vqamt-report=out")


def report(pytester: pytest.Pytester) -> dict[str, Any]:
    (told,) = report_in(pytester.path / "out")["relations"]
    assert isinstance(told, dict)
    return told


def test_a_waived_case_counts_as_nothing_else(pytester: pytest.Pytester, run: Run) -> None:
    run(*OPTIONS, "--vqamt-fail-under=0.1", model="fault:always-yes").assert_outcomes(failed=1)
    assert (report(pytester)["cases"], report(pytester)["violated"]) == (4, 4)
    lines = cases_in(pytester.path / "out")
    waived = sorted(line["case_id"] for line in lines)[:3]
    (pytester.path / "waived.txt").write_text(
        "# looked at on a Friday\n\n" + "".join(f"{case_id} the picture is cut off\n" for case_id in waived)
    )

    waive = "--vqamt-waive=waived.txt"
    result = run(*OPTIONS, "--vqamt-fail-under=0.1", waive, model="fault:always-yes", shrink=30)
    result.assert_outcomes(failed=1)
    told = report(pytester)
    assert (told["cases"], told["waived"], told["violated"], told["pass_rate"]) == (4, 3, 1, 0.0)
    result.stdout.fnmatch_lines(["metavqa.reversion?object? * 4 (3 waived) * 0.0 % *"])
    lines = cases_in(pytester.path / "out")
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


@pytest.mark.parametrize("shared", WORKERS)
def test_waived_ids_of_no_case_are_told(pytester: pytest.Pytester, run: Run, shared: tuple[str, ...]) -> None:
    run(*OPTIONS)
    case_id = json.loads((pytester.path / "out" / "cases.jsonl").read_text().splitlines()[0])["case_id"]
    (pytester.path / "waived.txt").write_text(f"{case_id} cut off\n{'0' * 16} gone\n")
    result = run(*OPTIONS, "--vqamt-waive=waived.txt", *shared)
    result.stdout.fnmatch_lines([f"1 of 2 waived ids is of no case of this run ({'0' * 16})"])


@pytest.mark.parametrize("shared", WORKERS)
def test_an_expired_waiver_is_told_and_its_case_counts(
    pytester: pytest.Pytester, run: Run, shared: tuple[str, ...]
) -> None:
    run(*OPTIONS)
    one, other, *_ = [line["case_id"] for line in cases_in(pytester.path / "out")]
    (pytester.path / "waived.txt").write_text(f"{one} until=2020-02-29 cut off\n{other} until=2999-12-31 gone\n")
    told = f"1 waiver has expired ({one} after 2020-02-29): this case counts again"
    for summary in ("short", "full"):
        result = run(*OPTIONS, "--vqamt-waive=waived.txt", *shared, summary=summary)
        assert result.outlines.count(told) == 1
    assert report(pytester)["waived"] == 1
    whole = report_in(pytester.path / "out")
    assert whole["expired_waivers"] == [{"case_id": one, "until": "2020-02-29"}]
    assert told in (pytester.path / "out" / "report.html").read_text(encoding="utf-8")
    assert told in (pytester.path / "out" / "summary.md").read_text(encoding="utf-8")
    assert read_report(pytester.path / "out").expired_waivers == ((one, "2020-02-29"),)


def tick(sheet: Path, said: Callable[[dict[str, str]], tuple[str, str]]) -> None:
    """Fills in the judgement and the note of each row, as a person does in a spreadsheet."""
    with sheet.open(encoding="utf-8-sig", newline="") as lines:
        rows = list(csv.DictReader(lines))
    for row in rows:
        row["judgement"], row["note"] = said(row)
    with sheet.open("w", encoding="utf-8", newline="") as lines:
        writer = csv.DictWriter(lines, rows[0])
        writer.writeheader()
        writer.writerows(rows)


def test_what_a_person_judged_invalid_is_left_out_of_the_next_run(
    pytester: pytest.Pytester, run: Run, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Run, draw a sheet, tick it, read it, and run again with the waivers that come of it."""
    monkeypatch.chdir(pytester.path)
    run(*OPTIONS, model="fault:always-yes", max_cases=8)
    before = report(pytester)
    assert (before["violated"], before["waived"]) == (8, 0)
    assert main(["audit", "out", "-o", "sheet"]) == 0
    with Path("sheet/audit.csv").open(encoding="utf-8-sig", newline="") as lines:
        wrong = [row["case_id"] for row in csv.DictReader(lines)][2:5]
    tick(Path("sheet/audit.csv"), lambda row: ("invalid", "cut off") if row["case_id"] in wrong else ("valid", ""))
    capsys.readouterr()
    assert main(["audit", "out", "--read", "sheet/audit.csv", "--waivers", "waivers.txt"]) == 0
    told = capsys.readouterr().out.splitlines()
    assert told[:2] == [
        "8 of 8 violations drawn, 8 judged: 5 valid, 3 invalid, 0 unsure",
        f"precision: 62.5 % (95 % interval {ends(told[1])})",
    ]
    assert "waivers: waivers.txt (3 new, 0 there before)" in told
    assert "audit" in (pytester.path / "out" / "report.html").read_text().lower()
    assert "62.5 %" in (pytester.path / "out" / "summary.md").read_text()

    result = run(*OPTIONS, "--vqamt-waive=waivers.txt", model="fault:always-yes", max_cases=8, shrink=30)
    after = report(pytester)
    assert (after["cases"], after["violated"], after["waived"]) == (8, 5, 3)
    assert not any(f"case {case_id}" in result.stdout.str() for case_id in wrong)
    waived = cases_in(pytester.path / "out")
    assert sorted(row["case_id"] for row in waived if row.get("waived")) == sorted(wrong)
    assert main(["audit", "out", "--read", "sheet/audit.csv"]) == 2
    assert "with 8 violations to draw from, but 'out' has 5: it was written anew since" in capsys.readouterr().err


def ends(line: str) -> str:
    """The interval as the line has it; other tests work it out."""
    low, _, high = line.rpartition("interval ")[2].removesuffix(" %)").partition(" to ")
    assert float(low) < 62.5 < float(high)
    return f"{low} to {high} %"
