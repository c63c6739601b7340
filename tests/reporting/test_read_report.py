"""A report that was written can be read back whole."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pytest_vqamt.core.errors import DataError
from pytest_vqamt.core.result_rows import report_row
from pytest_vqamt.reporting.read_report import read_report
from tests.reporting.running import run_into


def test_a_report_read_back_writes_the_same_file(tmp_path: Path) -> None:
    run_into(tmp_path, fail_under=["metavqa.*=0.9"])
    assert report_row(read_report(tmp_path)) == json.loads((tmp_path / "report.json").read_text())


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("not json", "Expected a folder that --vqamt-report wrote"),
        ("[]", "Expected a report of schema 1, but got schema=None"),
        ('{"schema": 2}', "Expected a report of schema 1, but got schema=2 in .*report.json: read it with the version"),
        ('{"schema": 1}', "Expected a whole report, but got .*'models'"),
        (
            '{"schema": 1, "models": [], "data": [], "relations": [{"id": "a.b", "model": "x"}]}',
            "Expected a whole report",
        ),
        ('{"schema": 1, "models": 3}', "Expected a whole report"),
    ],
)
def test_a_file_that_is_no_report_is_refused(tmp_path: Path, text: str, told: str) -> None:
    (tmp_path / "report.json").write_text(text)
    with pytest.raises(DataError, match=told):
        read_report(tmp_path)
