"""Reports, baselines and answer caches that version 0.1.0 wrote before its modules were moved can still be read."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from pytest_vqamt.cli import main
from tests.reporting.reported import report_in

EARLIER = Path(__file__).with_name("written_by_0_1_0")
OPTIONS = (
    "--vqamt-model=python:kept:Model",
    "--vqamt-data=pictures:20",
    "--vqamt-max-cases=6",
    "--vqamt-relations=metavqa.partition,metavqa.reversion*,carets.negation,control.repeat",
    "--vqamt-cache=answers",
    "--vqamt-report=now",
    "--vqamt-report-images=none",
    "--vqamt-contrast=0",  # there were none then
)
MODEL = """
    from zlib import crc32

    class Model:
        fingerprint = "old"
        def answer(self, batch):
            return [("yes", "no", "2", "1")[crc32(each.text.encode()) % 4] for each in batch]
"""


@pytest.fixture
def earlier(pytester: pytest.Pytester) -> Path:
    """A folder with the files that were written then, and the model that they were written of."""
    folder = pytester.path
    shutil.copytree(EARLIER, folder, dirs_exist_ok=True)
    (folder / "earlier").mkdir()
    for name in ("report.json", "cases.jsonl"):
        (folder / name).rename(folder / "earlier" / name)
    pytester.makepyfile(kept=MODEL)
    return folder


def test_answers_that_were_kept_then_are_not_asked_for_again(earlier: Path, pytester: pytest.Pytester) -> None:
    assert pytester.runpytest_inprocess(*OPTIONS).ret == 0
    (model,) = report_in(earlier / "now")["models"]
    now, then = _cases(earlier / "now"), _cases(earlier / "earlier")
    # A few questions are worded otherwise now. What simplifies violations is asked, too.
    assert len(_queries(now) - _queries(then)) <= model["queries_asked"] <= 5
    assert model["queries_asked"] + model["queries_cached"] == 107
    same = now.keys() & then.keys()
    assert len(same) > 30
    assert {name: now[name] for name in same} == {name: then[name] for name in same}


def _cases(folder: Path) -> dict[str, dict[str, Any]]:
    """The cases by their ids, without the reasons for unread answers, which came later."""
    rows = map(json.loads, (folder / "cases.jsonl").read_text().splitlines())
    return {row["case_id"]: {name: value for name, value in row.items() if name != "unread"} for row in rows}


def _queries(cases: dict[str, dict[str, Any]]) -> set[str]:
    return {query["id"] for row in cases.values() for query in row["queries"]}


def test_a_baseline_of_then_is_compared_with(earlier: Path, pytester: pytest.Pytester) -> None:
    compared = ("--vqamt-baseline=baseline.gz", "--vqamt-max-drop=0", "--vqamt-max-unread=1")
    assert pytester.runpytest_inprocess(*OPTIONS, *compared).ret == 0
    changes = [each["change"] for each in report_in(earlier / "now")["relations"]]
    assert {change["shared"] for change in changes} == {6}
    assert {change["lost"] + change["won"] for change in changes} == {0}


def test_a_report_of_then_is_compared_merged_and_blessed(
    earlier: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(earlier)
    assert main(["compare", "baseline.gz", "earlier", "--format=json"]) == 0
    assert {each["change"]["shared"] for each in json.loads(capsys.readouterr().out)["relations"]} == {6}
    assert main(["bless", "earlier", "-o", "again.gz"]) == 0
    assert main(["report", "earlier"]) == 0
    assert (earlier / "earlier" / "report.html").is_file()
