"""A report that was written can be read back whole."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from pytest_vqamt.core.errors import DataError
from pytest_vqamt.core.report_json import report_row
from pytest_vqamt.core.results import BaselineUse
from pytest_vqamt.core.tallies import AlikeTwice, PairedClusters
from pytest_vqamt.reporting.atomic_write import write_report
from pytest_vqamt.reporting.files import read_report
from pytest_vqamt.stats.model_ranking import differences, rankings
from pytest_vqamt.stats.paired import change, judged_together
from tests.reporting.running import run_into
from tests.stats.judging import cases_of, result


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


def test_a_result_that_is_not_whole_is_named_with_its_file(tmp_path: Path) -> None:
    run_into(tmp_path)
    row = json.loads((tmp_path / "report.json").read_text())
    del row["relations"][0]["version"]
    (tmp_path / "report.json").write_text(json.dumps(row))
    with pytest.raises(DataError, match=r"got id='metavqa\..*'version'.*, in .*report\.json: read it with the version"):
        read_report(tmp_path)


def test_what_only_some_reports_have_comes_back_too(tmp_path: Path) -> None:
    made = run_into(tmp_path, max_cases=3)
    [held] = judged_together([change(PairedClusters((AlikeTwice(1, 2, 0, 1, 9),)))], 0.05, [True])
    several = [
        result("ours.rule", model, cases_of(verdicts), presumed=cases_of("+-", start=10))
        for model, verdicts in (("one", "+++++"), ("two", "+----"))
    ]
    whole = replace(
        made,
        relations=(replace(made.relations[0], change=held), *made.relations[1:]),
        ranking=rankings(several),
        differences=differences(several),
        baseline=BaselineUse(file="base.gz", digest="b", models=(("one", "f"),), missing=(), new=("ours.new-one-x",)),
        waived=(("0" * 16, "two dogs"),),
    )
    write_report(whole, tmp_path)
    again = read_report(tmp_path)
    assert (again.ranking, again.differences) == (whole.ranking, whole.differences)
    assert (again.baseline, again.waived) == (whole.baseline, whole.waived)
    assert again.relations[0].change == held
    assert report_row(again) == json.loads((tmp_path / "report.json").read_text())
