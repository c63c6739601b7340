"""``vqamt export`` from the command line: what it prints, and how it ends."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pytest_vqamt.cli import main
from tests.export.made_report import HOLDS, entailment, negation, row, write


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write(
        tmp_path / "found", *(row(negation(index)) for index in range(3)), row(entailment(0)), row(negation(4), HOLDS)
    )
    return tmp_path


def told(capsys: pytest.CaptureFixture[str], *typed: str) -> list[str]:
    assert main(["export", "found", "-o", "set", *typed]) == 0
    return capsys.readouterr().out.splitlines()


def refusal(capsys: pytest.CaptureFixture[str], *typed: str) -> str:
    assert main(["export", *typed]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.count("\n") == 1
    return printed.err.removeprefix("vqamt: ").rstrip()


def test_it_tells_what_there_is_and_what_was_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    assert told(capsys, "--split=1") == [
        "train: 8 rows on 3 pictures of 3 scenes",
        "entailment labels: entailment 100.0 %",
        "vqa labels: yes 50.0 %, no 50.0 %",
        "left out: cases that hold (1)",
        "written to set",
    ]
    assert Path("set/train/metadata.jsonl").read_text().count("\n") == 8
    assert not Path("set/test").exists()


def test_the_options_reach_the_export(capsys: pytest.CaptureFixture[str]) -> None:
    options = ("--of=all", "--layout=jsonl", "--relations=carets.*, nothing*,*", "--split=1", "--seed=3")
    assert "names none" in refusal(capsys, "found", "-o", "set", *options)
    assert "left out" not in "".join(told(capsys, *options[:2], "--relations=carets.*,text.*", *options[3:]))
    about = json.loads(Path("set/export.json").read_text())
    assert (about["only"], about["layout"], about["seed"], about["split"]) == ("all", "jsonl", 3, 1.0)
    assert about["sides"]["train"]["rows"] == 10
    assert Path("set/train.jsonl").read_text().count("\n") == 10


def test_evaluation_data_is_refused_in_a_line_and_status_2(capsys: pytest.CaptureFixture[str]) -> None:
    typed = ("found", "-o", "set", "--evaluation", "pictures-0-1", "--evaluation=pictures-0-2")
    assert refusal(capsys, *typed) == (
        "Expected no evaluation data to train on, but got 4 rows of it, the first of scene 'pictures-0-1' of "
        "pictures:40 (pictures-0-1): make the report on other scenes, or leave these rows out with --skip-evaluation"
    )
    assert not Path("set").exists()
    assert "left out: rows of evaluation data (4)" in told(capsys, *typed[3:], "--skip-evaluation")


def test_a_list_beside_the_report_is_heeded_whatever_is_allowed(capsys: pytest.CaptureFixture[str]) -> None:
    Path("vqamt-evaluation.txt").write_text("pictures:1\n")
    assert "pictures-0-0" in refusal(capsys, "found", "-o", "set", "--allow-evaluation-data")


@pytest.mark.parametrize(
    ("typed", "why"),
    [
        (("nowhere", "-o", "set"), "it has no cases.jsonl"),
        (("found", "-o", "found"), "Expected a new folder"),
        (("found", "-o", "set", "--split", "1.5"), "--split=1.5"),
        (("found", "-o", "set", "--split", "0"), "--split=0"),
        (("found", "-o", "set", "--evaluation", "ids.txt"), "there is no such file"),
        (("found", "-o", "set", "--data", "picures"), "did you mean 'pictures'?"),
        (("found", "-o", "set", "--option", "colour=red"), "colour=red"),
    ],
)
def test_a_mistake_is_one_line(capsys: pytest.CaptureFixture[str], typed: tuple[str, ...], why: str) -> None:
    assert why in refusal(capsys, *typed)
