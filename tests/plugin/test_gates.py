"""Pass rates that are demanded: on the command line, by a marker of a test, or in the ini file."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.plugin.conftest import Run

REVERSION = "--vqamt-relations=metavqa.reversion[object],metavqa.reorder[object]"
HALF = "fault:ignores-negation"
"""Holds on every case of metavqa.reorder, and on none of metavqa.reversion."""


def marked(marks: str, head: str = "") -> str:
    """A test of the user's own that takes the fixture."""
    lines = ["import pytest", head, *marks.splitlines(), "def test_own(vqamt_consistency):"]
    return "\n".join([*lines, "    vqamt_consistency.check()"])


def demanded(pytester: pytest.Pytester) -> dict[str, float | None]:
    """The rate that was demanded of each item."""
    report: dict[str, Any] = json.loads((pytester.path / "out" / "report.json").read_text())
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
    assert "pass rate 0.000" in result.stdout.str()


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
    assert "@pytest.mark.vqamt(fail_under): the pass rate that" in shown


@pytest.mark.full
def test_a_marker_is_heard_from_a_worker_too(pytester: pytest.Pytester, run: Run) -> None:
    text = marked("@pytest.mark.vqamt(fail_under=0.5)")
    run_own(pytester, run, text, "-n", "2").assert_outcomes(passed=1, failed=1)
    assert demanded(pytester) == {"metavqa.reversion[object]": 0.5, "metavqa.reorder[object]": 0.5}
