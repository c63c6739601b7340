"""``--vqamt-option`` sets relations: checked before anything is loaded, told in the report, kept for a replay."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.plugin.conftest import Run

REMOVAL = "--vqamt-relations=metavqa.removal[count]"
INPAINT = ("--vqamt-option=erase=inpaint", "--vqamt-option=inpaint=telea")


def edits(folder: Path) -> set[str]:
    """How the pictures of a run were edited, as its cases tell."""
    rows = (folder / "cases.jsonl").read_text(encoding="utf-8").splitlines()
    queries: list[Any] = [query for row in rows for query in json.loads(row)["queries"]]
    return {edit.get("fill", "white") for query in queries for edit in query["picture"]["edits"]}


@pytest.mark.parametrize(
    ("options", "fills"),
    [
        ((), {"white"}),
        (("--vqamt-option=erase=mean",), {"mean"}),
        (INPAINT, {"inpaint"}),
    ],
    ids=["paper", "mean", "inpaint"],
)
def test_a_setting_reaches_its_relation_and_the_report(
    pytester: pytest.Pytester, run: Run, options: tuple[str, ...], fills: set[str]
) -> None:
    run(REMOVAL, *options, "--vqamt-report=out").assert_outcomes(passed=1)
    assert edits(pytester.path / "out") == fills
    report = json.loads((pytester.path / "out" / "report.json").read_text(encoding="utf-8"))
    assert report["settings"] == dict(option.removeprefix("--vqamt-option=").split("=") for option in options)


@pytest.mark.full
@pytest.mark.parametrize("workers", ["0", "1"])
def test_it_reaches_workers(pytester: pytest.Pytester, run: Run, workers: str) -> None:
    run(REMOVAL, *INPAINT, "-n", workers, "--vqamt-report=out").assert_outcomes(passed=1)
    assert edits(pytester.path / "out") == {"inpaint"}
    report = json.loads((pytester.path / "out" / "report.json").read_text(encoding="utf-8"))
    assert report["settings"] == {"erase": "inpaint", "inpaint": "telea"}


def test_it_may_stand_in_the_ini_file(pytester: pytest.Pytester, run: Run) -> None:
    pytester.makeini("[pytest]\nvqamt_option =\n  erase=mean\n")
    run(REMOVAL, "--vqamt-report=out").assert_outcomes(passed=1)
    assert edits(pytester.path / "out") == {"mean"}


@pytest.mark.parametrize(
    ("option", "told"),
    [
        ("erase=blue", "*Expected --vqamt-option=erase=VALUE with one of white, mean, inpaint, but got 'erase=blue'"),
        ("severity=6", "*--vqamt-option=severity=VALUE with one of 1, 2, 3, 4, 5, but got 'severity=6'"),
        ("erse=mean", "*Expected --vqamt-option to name a setting, but got 'erse=mean'; did you mean 'erase'?"),
        ("erase", "*Expected --vqamt-option=NAME=VALUE, but got 'erase'"),
        ("inpaint=lama:no/such.pt", "*got inpaint='lama:no/such.pt' (No such file or directory): give a file that *"),
    ],
)
def test_a_wrong_one_is_told_before_anything_runs(run: Run, option: str, told: str) -> None:
    result = run(REMOVAL, f"--vqamt-option={option}")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([told])


def test_one_that_is_given_twice_is_refused(run: Run) -> None:
    result = run(REMOVAL, "--vqamt-option=erase=white", "--vqamt-option=erase=mean")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(
        ["*Expected --vqamt-option=erase=VALUE once, but got 'erase=mean' after 'erase=white': leave one of them off"]
    )


def test_the_command_that_replays_a_case_repeats_it(run: Run) -> None:
    result = run("--vqamt-relations=metavqa.removal_plus", "--vqamt-option=erase=mean", model="fault:always-zero")
    result.stdout.fnmatch_lines(["*replay: *--vqamt-option=erase=mean*"])


PRESET = "--vqamt-preset=metavqa"


@pytest.mark.parametrize(
    ("options", "ini", "ids", "settings"),
    [
        ((PRESET,), "", {"metavqa"}, {"erase": "white"}),
        ((), "vqamt_preset = metavqa", {"metavqa"}, {"erase": "white"}),
        ((PRESET, "--vqamt-option=erase=mean"), "", {"metavqa"}, {"erase": "mean"}),
        ((PRESET, "--vqamt-relations=veglue.vqa_mr3"), "", {"veglue"}, {"erase": "white"}),
    ],
    ids=["typed", "ini", "set-otherwise", "other-relations"],
)
def test_a_preset_names_the_relations_of_a_paper_and_sets_them(
    pytester: pytest.Pytester,
    run: Run,
    options: tuple[str, ...],
    ini: str,
    ids: set[str],
    settings: dict[str, str],
) -> None:
    pytester.makeini(f"[pytest]\n{ini}\n")
    run(*options, "--vqamt-max-cases=2", "--vqamt-report=out")
    report = json.loads((pytester.path / "out" / "report.json").read_text(encoding="utf-8"))
    assert {each["id"].partition(".")[0] for each in report["relations"]} == ids
    assert report["settings"] == settings


def test_a_wrong_preset_is_told_before_anything_runs(run: Run) -> None:
    result = run("--vqamt-preset=metavqq")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*Expected a preset (metavqa, carets, *), but got preset='metavqq'; did you mean *"])
