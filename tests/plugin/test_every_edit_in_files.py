"""Each output of a run shows every edit: report, page, sheet, audit, replay, baseline, export."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pytest_vqamt.cli import main
from pytest_vqamt.core.edits import Edit
from pytest_vqamt.relations import catalogue
from tests.imaging.every_edit import ALONE, PAIRS

CONFTEST = """
import os

import pytest_vqamt as vqamt
from tests.imaging.every_edit import ALONE, PAIRS, edited
from tests.reporting.running import world


def relation(kinds):
    @vqamt.relation("ours." + "_".join(kind.__name__ for kind in kinds).lower(), task="vqa", expect=vqamt.same_answer)
    def edits(scene, corpus, choose):
        source = world("pictures:20")
        picture = edited(scene, source.scene(choose.between(0, 19)), kinds, choose)
        if picture is None:
            return vqamt.NotApplicable("no such edit here")
        question = vqamt.ask.exists(choose.one(scene.objects))
        return vqamt.case(scene.picture, question, follow_up=(picture, question))


for kinds in PAIRS if "PAIRS" in os.environ else ALONE:
    relation(kinds)
"""

MODEL = """
from itertools import cycle

said = cycle(["yes", "no", "no", "yes"])


def answer(image, text):
    return next(said)
"""


@pytest.mark.parametrize("kinds", [ALONE, pytest.param(PAIRS, marks=pytest.mark.full)], ids=["alone", "in pairs"])
def test_a_run_with_every_edit_goes_all_the_way(
    pytester: pytest.Pytester,
    kinds: list[tuple[type[Edit], ...]],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if kinds is PAIRS:
        monkeypatch.setenv("PAIRS", "1")
    monkeypatch.setenv("PYTHONPATH", f"{Path(__file__).parents[2]}:{pytester.path}")
    monkeypatch.syspath_prepend(str(pytester.path))
    pytester.makeconftest(CONFTEST)
    pytester.makepyfile(model=MODEL)
    run = [
        "-pno:cacheprovider", "--vqamt-model=python:model:answer", "--vqamt-data=pictures:20", "--vqamt-no-cache",
        "--vqamt-relations=ours.*", "--vqamt-max-cases=1", "--vqamt-sampler=random",
    ]  # fmt: skip
    first = pytester.runpytest_inprocess(*run, "--vqamt-report=out", "--vqamt-report-images=all")
    assert first.ret == 0, "a card that cannot be drawn would fail the session"
    rows = [json.loads(line) for line in (pytester.path / "out/cases.jsonl").read_text().splitlines()]
    assert len(rows) == len(kinds), "one case for each edit, or each pair"
    page = (pytester.path / "out/report.html").read_text()
    assert "could not be drawn" not in page

    catalogue._registered.clear()  # as in another process
    assert main(["report", "out", "--report-images=all"]) == 0
    assert main(["audit", "out", "--of=all", "--sample=1000", "--out=sheets"]) == 0
    for row in rows[:: len(rows) // 20]:
        assert main(["replay", row["case_id"], "--report=out"]) in (0, 1), row
        assert (pytester.path / "vqamt-replay" / row["case_id"] / "sheet.png").is_file()
    assert main(["export", "out", "--of=all", "--out=exported", "--layout=jsonl"]) == 0
    assert main(["bless", "out"]) == 0
    capsys.readouterr()

    catalogue._registered.clear()  # as in another process
    again = pytester.runpytest_inprocess(*run, "--vqamt-baseline=vqamt-baseline.jsonl.gz", "--vqamt-report=again")
    again.stdout.no_fnmatch_line("*ERROR*")
    asked_again = [json.loads(line) for line in (pytester.path / "again/cases.jsonl").read_text().splitlines()]
    assert {row["case_id"] for row in asked_again} == {row["case_id"] for row in rows}
    pictures = {row["case_id"]: [query["picture"] for query in row["queries"]] for row in rows}
    assert {row["case_id"]: [query["picture"] for query in row["queries"]] for row in asked_again} == pictures
