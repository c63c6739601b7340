"""The summary is added to the file that CI names, within its size, and a run is not worse where it cannot be."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_vqamt.core.results import Report
from pytest_vqamt.reporting.markdown import append_step_summary
from tests.reporting.running import run_into


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Report:
    return run_into(tmp_path_factory.mktemp("run"), relations=["metavqa.partition[object]"], max_cases=5)


@pytest.fixture
def summaries(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summaries.md"))
    return tmp_path / "summaries.md"


def test_it_is_added_to_what_is_there(report: Report, summaries: Path) -> None:
    assert append_step_summary(report, None) == ""
    assert summaries.read_text(encoding="utf-8").startswith("## vqamt: ")
    assert "`--vqamt-report=DIR`" in summaries.read_text(encoding="utf-8")
    summaries.write_text("of another tool\n")
    assert append_step_summary(report, Path("/somewhere/deep/out")) == ""
    text = summaries.read_text(encoding="utf-8")
    assert text.startswith("of another tool\n\n## vqamt: ")
    assert "`report.html` in the folder `out` of `--vqamt-report`" in text
    assert "somewhere" not in text


@pytest.mark.parametrize("value", [None, ""])
def test_nothing_is_written_where_nothing_is_named(
    report: Report, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, value: str | None
) -> None:
    monkeypatch.chdir(tmp_path)
    if value is None:
        monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    else:
        monkeypatch.setenv("GITHUB_STEP_SUMMARY", value)
    assert append_step_summary(report, None) == ""
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_cannot_be_written_is_told_and_no_error(
    report: Report, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path))
    told = append_step_summary(report, None)
    assert told.startswith(f"the summary was not added to GITHUB_STEP_SUMMARY={str(tmp_path)!r}: ")
    assert "\n" not in told


def test_together_with_what_is_there_it_stays_within_the_size(report: Report, summaries: Path) -> None:
    summaries.write_text("x" * (2**20 - 400))
    assert append_step_summary(report, None) == ""
    assert 2**20 - 200 < summaries.stat().st_size <= 2**20
    assert summaries.read_text().endswith("the rest is in report.html and report.json)\n")
    summaries.write_text("x" * (2**20 - 10))
    assert append_step_summary(report, None).endswith(": it is full")
    assert summaries.stat().st_size == 2**20 - 10
