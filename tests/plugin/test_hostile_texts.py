"""A model whose answers, names and exceptions would act on a terminal, a CI server, a page or a spreadsheet."""

from __future__ import annotations

import csv
import re
import shutil
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from pytest_vqamt.commands.main import run_command
from tests.plugin.conftest import Run
from tests.reporting.reported import cases_in

MODEL = """
    import os

    HOSTILE = "=cmd|'/c calc'!A0 \\x1b[2J\\x07\\u202e\\u2066\\u200b\\0\\n::error::x\\n"
    HOSTILE += "##[error]##vso[x]##teamcity[x]]>\\ud83d<script>"
    Evil = type("Evil\\x1b[2J\\u202e::error::", (Exception,), {})

    class Model:
        fingerprint = HOSTILE
        usage = {HOSTILE: 1.0}
        batch_size = 4
        length = 0

        def answer(self, batch):
            if any(int(each.query.id, 16) % 7 == 0 for each in batch):
                raise Evil(HOSTILE + "x" * self.length)
            return [HOSTILE + each.query.id + "x" * self.length for each in batch]

    class Long(Model):
        length = int(os.environ.get("LENGTH", "0"))

    class Ends(Model):
        def __init__(self):
            raise SystemExit(HOSTILE)

    class Quits(Model):
        def answer(self, batch):
            raise SystemExit(HOSTILE)

    class Raises(Model):
        def __init__(self):
            raise Evil(HOSTILE)

    class Mute(Model):
        def answer(self, batch):
            class Mute(Exception):
                def __str__(self):
                    raise Evil(HOSTILE)

            raise Mute
"""
RAW = re.compile(
    "[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u200b\u202a-\u202e\u2066-\u2069\ud800-\udfff]|::error|##\\[|##vso\\[|##teamcity\\["
)
SEEN = (r"\x1b[2J", r"\u202e", r"\x3a:error::", r"\ud83d")
OPTIONS = (
    "--vqamt-relations=metavqa.partition[object],metavqa.reversion[object],metavqa.reorder[object]",
    "--vqamt-max-error-rate=1", "--vqamt-report=out", "--junitxml=junit.xml", "--vqamt-fail-under=1", "-rA", "-v",
)  # fmt: skip


@pytest.fixture
def hostile(pytester: pytest.Pytester) -> str:
    pytester.makepyfile(hostile=MODEL)
    return "python:hostile"


def read(file: Path) -> str:
    return file.read_bytes().decode("utf-8")


def check_files(folder: Path) -> None:
    """Nothing acts in any file that a run has written, and what was there is seen."""
    for name in ("junit.xml", "out/summary.md", "out/report.html", "summary.md"):
        text = read(folder / name)
        assert not RAW.findall(text), name
    ET.parse(folder / "junit.xml")
    assert "]]>" not in read(folder / "junit.xml")
    for name in ("junit.xml", "out/report.html"):
        assert r"\x1b[2J" in read(folder / name), name
    assert "<script>" not in read(folder / "out/summary.md")


@pytest.mark.parametrize("workers", [pytest.param(()), pytest.param(("-n", "2"), marks=pytest.mark.full)])
def test_nothing_acts_and_nothing_is_lost(
    pytester: pytest.Pytester,
    run: Run,
    hostile: str,
    workers: tuple[str, ...],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(pytester.path / "summary.md"))
    result = run(*OPTIONS, *workers, model=f"{hostile}:Model", max_cases=8, shrink=4)
    outcomes = result.parseoutcomes()
    assert outcomes["failed"] >= 2
    assert not RAW.findall(result.stdout.str() + result.stderr.str())
    for seen in SEEN:
        assert seen in result.stdout.str()
    check_files(pytester.path)
    rows = cases_in(pytester.path / "out")
    answers = [answer for row in rows for answer in row["answers"] if answer is not None]
    assert answers
    assert {answer[: answer.index("<script>")] for answer in answers} == {
        "=cmd|'/c calc'!A0 \x1b[2J\x07\u202e\u2066\u200b\0\n::error::x\n##[error]##vso[x]##teamcity[x]]>\\ud83d"
    }
    assert any(row["verdict"] == "error" and "Evil\x1b[2J" in row["reason"] for row in rows)
    capsys.readouterr()
    case_id = rows[0]["case_id"]
    shutil.copytree("out", "again")
    for command in (
        ("report", "out", "--csv", "cases.csv"),
        ("compare", "out", "again"),
        ("replay", case_id, "--report", "out"),
        ("bless", "out", "--allow-errors"),
    ):
        assert run_command(command) == 0
        said = capsys.readouterr()
        assert not RAW.findall(said.out + said.err), command
    text = read(pytester.path / "cases.csv")
    assert not RAW.findall(text)
    table = list(csv.DictReader(text.splitlines(keepends=True)))
    assert all(row["answer_1"].startswith("'=cmd|") for row in table if row["answer_1"])
    assert len(table) == len(rows)


@pytest.mark.parametrize("length", [100_000, pytest.param(10_000_000, marks=pytest.mark.full)])
def test_long_answers_are_shortened_where_they_are_shown(
    pytester: pytest.Pytester, run: Run, hostile: str, length: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LENGTH", str(length))
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(pytester.path / "summary.md"))
    result = run(*OPTIONS[1:], "--vqamt-relations=metavqa.reorder[object]", model=f"{hostile}:Long", max_cases=2)
    assert len(result.stdout.str()) < 30_000
    assert re.search(rf"\.\.\. \({length // 1000:,},\d{{3}} characters\)", result.stdout.str())
    check_files(pytester.path)
    for name in ("junit.xml", "out/summary.md", "summary.md", "out/report.json"):
        assert (pytester.path / name).stat().st_size < 100_000, name
    assert (pytester.path / "out/report.html").stat().st_size < 2_000_000
    answers = [answer for row in cases_in(pytester.path / "out") for answer in row["answers"] if answer is not None]
    assert {len(answer) // 1000 for answer in answers} == {length // 1000}


@pytest.mark.parametrize("what", ["Ends", "Quits", "Raises", "Mute"])
def test_what_a_factory_or_an_exception_says_does_not_act(
    pytester: pytest.Pytester, run: Run, hostile: str, what: str
) -> None:
    result = run("--vqamt-relations=metavqa.reorder[object]", "--junitxml=junit.xml", model=f"{hostile}:{what}")
    shown = result.stdout.str() + result.stderr.str()
    assert not RAW.findall(shown)
    assert "INTERNALERROR" not in shown
    assert "Traceback" not in shown
    assert not RAW.findall(read(pytester.path / "junit.xml"))
    if what == "Quits":
        result.assert_outcomes(errors=1)
        told = shown.partition("vqamt: consistency")[0]  # the summaries have it once more
        assert told.count("but one ended the process (SystemExit: =cmd|") == 1
    if what == "Ends":
        assert shown.count("The factory of model='python:hostile:Ends' raised SystemExit: =cmd|") == 1
