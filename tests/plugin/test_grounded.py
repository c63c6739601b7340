"""--vqamt-contrast and --vqamt-grounded-under, on the command line, in an ini file and by a marker."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from tests.plugin.conftest import Run

RELATION = "--vqamt-relations=metavqa.insertion[exists]"
BLIND, SEEING = "fault:text-keyed-cache", "oracle"


def grounded_in(pytester: pytest.Pytester) -> dict[str, Any] | None:
    report = json.loads((pytester.path / "out" / "report.json").read_text(encoding="utf-8"))
    found: dict[str, Any] | None = report["relations"][0]["grounded"]
    return found


@pytest.mark.parametrize(
    ("options", "share", "cases"),
    [((), 0.5, range(5, 36)), (("--vqamt-contrast=1",), 1.0, range(36, 41)), (("--vqamt-preset=metavqa",), 0.0, None)],
    ids=["default", "all", "preset"],
)
def test_the_share_of_contrasts(
    pytester: pytest.Pytester, run: Run, options: tuple[str, ...], share: float, cases: range | None
) -> None:
    run(RELATION, *options, "--vqamt-report=out", max_cases=40, contrast=None).assert_outcomes(passed=1)
    report = json.loads((pytester.path / "out" / "report.json").read_text(encoding="utf-8"))
    found = report["relations"][0]["grounded"]
    assert report["contrast"] == share
    if cases is None:
        assert found is None
    else:
        assert found["cases"] in cases
        assert found["rate"] == 1


@pytest.mark.parametrize("model", [BLIND, SEEING])
@pytest.mark.parametrize("gate", ["0.5", "metavqa.*=0.5"])
def test_the_gate_on_the_grounded_rate(run: Run, model: str, gate: str) -> None:
    result = run(RELATION, f"--vqamt-grounded-under={gate}", "--vqamt-fail-under=0.9", model=model, contrast=1)
    result.assert_outcomes(**{"passed" if model == SEEING else "failed": 1})


def test_the_ini_file_gates_and_the_command_line_wins(pytester: pytest.Pytester, run: Run) -> None:
    pytester.makeini("[pytest]\nvqamt_grounded_under = 0.5\nvqamt_contrast = 1\n")
    run(RELATION, model=BLIND, contrast=None).assert_outcomes(failed=1)
    run(RELATION, "--vqamt-grounded-under=0", model=BLIND, contrast=None).assert_outcomes(passed=1)


def test_a_marker_gates_and_the_command_line_wins(pytester: pytest.Pytester, run: Run) -> None:
    pytester.makepyfile("""
        import pytest

        @pytest.mark.vqamt(fail_under=0.9, grounded_under={"metavqa.*": 0.5})
        def test_it(vqamt_consistency):
            vqamt_consistency.check()
    """)
    run(RELATION, model=BLIND, contrast=1).assert_outcomes(failed=1)
    run(RELATION, model=SEEING, contrast=1).assert_outcomes(passed=1)
    run(RELATION, "--vqamt-grounded-under=0", model=BLIND, contrast=1).assert_outcomes(passed=1)


@pytest.mark.parametrize(
    ("option", "line"),
    [
        ("--vqamt-contrast=2", "Expected a share from 0 to 1, but got --vqamt-contrast='2'; 2 % is 0.02"),
        ("--vqamt-grounded-under=2", "Expected a grounded rate from 0 to 1, as RATE or GLOB=RATE, but got *"),
        ("--vqamt-grounded-under=metavqe.*=0.5", "*--vqamt-grounded-under to name a relation or a glob*"),
    ],
)
def test_what_is_no_rate_is_refused(run: Run, option: str, line: str) -> None:
    result = run(RELATION, option)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"*{line}"])


@pytest.mark.parametrize("off", ["--vqamt-contrast=0", "--vqamt-preset=metavqa"])
def test_a_gate_without_contrasts_is_refused(pytester: pytest.Pytester, run: Run, off: str) -> None:
    line = "*Expected --vqamt-contrast above 0 with {}, but it is 0 (the default with a paper's preset), *"
    result = run(RELATION, off, "--vqamt-grounded-under=0.5", contrast=None)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([line.format("--vqamt-grounded-under")])
    pytester.makepyfile("""
        import pytest

        @pytest.mark.vqamt(grounded_under=0.5)
        def test_it(vqamt_consistency):
            vqamt_consistency.check()
    """)
    marked = run(RELATION, off, contrast=None)
    marked.stderr.fnmatch_lines([line.format("grounded_under of @pytest.mark.vqamt on *::test_it*")])


@pytest.mark.full
def test_a_gate_that_a_run_with_workers_misses(run: Run) -> None:
    run(RELATION, "--vqamt-grounded-under=0.5", "-n", "2", model=BLIND, contrast=1).assert_outcomes(failed=1)


def test_what_a_user_sees_of_a_model_that_does_not_look(pytester: pytest.Pytester, run: Run) -> None:
    result = run(RELATION, "--vqamt-grounded-under=0.5", "--junitxml=junit.xml", model=BLIND, contrast=1, max_cases=12)
    text = result.stdout.str()
    assert "grounded rate 0 % is below 50 % (95 % interval 0 to " in text
    assert "MISSED: grounded >= 50 %" in text
    assert "the model hardly looks" in " ".join(text.split())
    assert text.count("simplest violated contrast: scene ") == 1
    assert '<property name="vqamt_grounded_rate" value="0.0"' in (pytester.path / "junit.xml").read_text()
    found = re.search(r"--vqamt-replay=([0-9a-f]{16})", text)
    assert found
    replayed = run(f"--vqamt-replay={found[1]}", model=BLIND).stdout.str()
    assert f"case {found[1]}: metavqa.insertion[exists]" in replayed
    assert re.search(r"\n  contrast, scene \S+: .*  ->  ", replayed)
    assert "\n  violated: the answer must be another than about the case's picture, but got " in replayed
    seen = run(RELATION, model=SEEING, contrast=1).stdout.str()
    assert " 100.0 % " in next(line for line in seen.splitlines() if line.startswith("metavqa.insertion[exists]"))
    assert "violated contrast" not in seen
