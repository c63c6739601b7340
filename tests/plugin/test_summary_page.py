"""The summary of a session: beside its report, and in that of the CI job that runs it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.plugin.conftest import WORKERS, Run

ONE = "--vqamt-relations=control.repeat"


@pytest.fixture
def summaries(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(pytester.path / "summaries.md"))
    return pytester.path / "summaries.md"


@pytest.mark.parametrize("workers", WORKERS)
def test_it_is_written_once_whoever_runs_the_items(
    pytester: pytest.Pytester, run: Run, summaries: Path, workers: tuple[str, ...]
) -> None:
    run(ONE, "--vqamt-report=out", *workers).assert_outcomes(passed=1)
    beside = (pytester.path / "out" / "summary.md").read_text(encoding="utf-8")
    assert beside.startswith("## vqamt: No gate was set\n")
    assert "`control.repeat`" in beside
    in_job = summaries.read_text(encoding="utf-8")
    assert in_job.count("## vqamt: ") == 1
    assert "`report.html` in the folder `out` of `--vqamt-report`" in in_job
    differ = [pair for pair in zip(beside.splitlines(), in_job.splitlines(), strict=True) if pair[0] != pair[1]]
    assert len(differ) == 1, "they differ in where the whole report is"


def test_it_is_written_without_a_report(pytester: pytest.Pytester, run: Run, summaries: Path) -> None:
    run("--vqamt-relations=metavqa.reversion[object]", "--vqamt-fail-under=1").assert_outcomes(passed=1)
    text = summaries.read_text(encoding="utf-8")
    assert text.startswith("## vqamt: The gate is met\n")
    assert "No report was written: with `--vqamt-report=DIR` there is one" in text
    run(ONE)
    assert summaries.read_text(encoding="utf-8").count("## vqamt: ") == 2


def test_where_it_cannot_be_written_the_run_is_not_worse(
    pytester: pytest.Pytester, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(pytester.path / "no" / "such" / "folder"))
    result = run(ONE)
    result.assert_outcomes(passed=1)
    assert result.ret == pytest.ExitCode.OK
    result.stdout.fnmatch_lines(["*the summary was not added to GITHUB_STEP_SUMMARY=*"])


def test_a_session_that_tests_no_model_writes_none(pytester: pytest.Pytester, run: Run, summaries: Path) -> None:
    pytester.makepyfile("def test_unit(): pass")
    run(model=None).assert_outcomes(passed=1)
    run(ONE, "--vqamt-plan")
    run(ONE, "--collect-only")
    assert not summaries.exists()
