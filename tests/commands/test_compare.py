"""``vqamt compare`` prints or writes a comparison, and its status says whether the gate is met."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pytest_vqamt.cli import main
from tests.reporting.comparing import Made, write_run

Captured = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """``old`` and ``new``, in which nine of ten cases regressed; ``both`` has the two as models a and b."""
    monkeypatch.chdir(tmp_path)
    for name, verdicts in (("old", "+" * 10), ("new", "-" * 9 + "+")):
        write_run(Path(name), Made(verdicts=verdicts))
    write_run(Path("both"), Made(verdicts="+" * 10, model="a"), Made(verdicts="-" * 9 + "+", model="b"))


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        (["old", "new"], 0),
        (["old", "new", "--max-drop", "0.1"], 1),
        (["old", "new", "--max-drop", "0.95"], 0),
        (["new", "old", "--max-drop", "0"], 0),
        (["both", "--models", "a", "b", "--max-drop", "0.1"], 1),
        (["both", "both", "--models", "b", "a", "--max-drop", "0.1"], 0),
    ],
)
def test_the_status_is_1_only_where_a_demand_is_missed(arguments: list[str], status: int, capsys: Captured) -> None:
    assert main(["compare", *arguments]) == status
    shown = capsys.readouterr().out.splitlines()
    last = " ".join(shown[-2:])
    is_met = "met: none of 1" in last or "met: no rate can fall by more than" in last
    assert ("MISSED" in last, is_met) == (status == 1, status == 0 and "--max-drop" in arguments)


def test_the_ids_of_what_did_not_get_worse_are_listed_where_asked_for(capsys: Captured) -> None:
    assert main(["compare", "new", "old", "--show", "0"]) == 0
    assert "\n-v lists the ids of 1 relation variant\n" in capsys.readouterr().out
    assert main(["compare", "new", "old", "--show", "0", "-v"]) == 0
    told = capsys.readouterr().out
    assert "9 fixes: " in told
    assert "-v lists" not in told


def test_json_and_markdown_go_to_the_screen_or_into_a_file(capsys: Captured) -> None:
    assert main(["compare", "old", "new", "--format", "json"]) == 0
    printed = capsys.readouterr().out
    assert json.loads(printed)["relations"][0]["change"]["lost"] == 9
    assert main(["compare", "old", "new", "--format", "json", "-o", "out.json", "--max-drop", "0"]) == 1
    assert json.loads(Path("out.json").read_text())["met"] is False
    assert capsys.readouterr().out.endswith("comparison: out.json\n")
    assert main(["compare", "old", "new", "--format", "markdown", "--show", "0", "-o", "out.md"]) == 0
    assert Path("out.md").read_text().startswith("## vqamt: old and new compared\n")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["old"], "Expected two runs, OLD and NEW, or one with --models OLD NEW"),
        (["old", "nowhere"], "Expected a folder that --vqamt-report wrote, but got 'nowhere'"),
        (["nowhere", "new"], "or a file that `vqamt bless` wrote, but got 'nowhere', which is not there"),
        (["old", "new", "--max-drop", "5%"], "from 0 to 1, as RATE or GLOB=RATE, but got --max-drop='5%'"),
        (["old", "new", "--max-drop", "nan"], "or GLOB=RATE, but got --max-drop='nan'"),
        (["old", "new", "--undecided", "fail"], "Expected --max-drop=RATE with --undecided, but got --undecided=fail"),
        (["old", "new", "--show", "-1"], "Expected --show to be a whole number from 0 up, but got '-1'"),
        (["old", "new", "--models", "tiny", "big"], "Expected --models to name a model of new, but got 'big'"),
        (["old", "both"], "name one of each with --models OLD NEW"),
        (
            ["old", "new", "-o", "old/report.json/out.md"],
            "a file that can be written, but got --out='old/report.json/out.md'",
        ),
        (
            ["both", "--models", "tiny", "tiny"],
            "or two models of one, but got 'tiny' of 'both' twice: name another",
        ),
        (["old", "./old"], "Expected two runs, or two models of one, but got 'old' twice: name another"),
        (["both", "--models", "a", "nobody"], "but got 'nobody'; known: "),
    ],
)
def test_what_cannot_be_compared_is_one_line_and_status_2(arguments: list[str], told: str, capsys: Captured) -> None:
    assert main(["compare", *arguments]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert told in printed.err
    assert printed.err.startswith("vqamt: Expected")
    assert printed.err.count("\n") == 1
