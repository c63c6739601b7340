"""Short names of models and data: ``--vqamt-model=NAME=SPEC`` and ``--vqamt-data=NAME=SPEC``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import pytest_vqamt as vqamt
from pytest_vqamt.cli import main
from pytest_vqamt.core.errors import OptionError
from pytest_vqamt.core.identity import name_of, split_name
from tests.plugin.conftest import COUNTED, WORKERS, Run

RELATIONS = "--vqamt-relations=carets.negation,metavqa.reorder[object]"


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("ours=tiny", ("ours", "tiny")),
        ("v2-final_x=python:mod:factory", ("v2-final_x", "python:mod:factory")),
        ("val=photos:/data/a=b", ("val", "photos:/data/a=b")),
        ("x=hf:repo,trust=1", ("x", "hf:repo,trust=1")),
        ("tiny", ("", "tiny")),
        ("hf:repo,trust=1", ("", "hf:repo,trust=1")),
        ("python:mod:factory?x=1", ("", "python:mod:factory?x=1")),
        ("openai:m@http://host/v1?key=value", ("", "openai:m@http://host/v1?key=value")),
        ("photos:/data/split=val", ("", "photos:/data/split=val")),
    ],
)
def test_a_name_stands_before_the_first_colon(text: str, parts: tuple[str, str]) -> None:
    assert split_name(text) == parts
    assert name_of(text) == (parts[0] or text)


@pytest.mark.parametrize("text", ["our model=tiny", "=tiny", "2nd=tiny", "a.b=tiny", "ä=tiny", "ours=", "-x=tiny"])
def test_a_name_of_other_characters_is_refused(text: str) -> None:
    with pytest.raises(OptionError, match="Expected NAME=SPEC"):
        split_name(text)


def results(folder: str) -> tuple[list[dict[str, object]], list[dict[str, object]]]:
    """The figures of the relations and the cases of a report, without the names of the model and the data."""
    report = json.loads(Path(folder, "report.json").read_text("utf-8"))
    cases = map(json.loads, Path(folder, "cases.jsonl").read_text("utf-8").splitlines())
    names = {"model", "data", "data_spec"}
    figures = [{key: value for key, value in each.items() if key not in names} for each in report["relations"]]
    return figures, [{key: value for key, value in each.items() if key not in names} for each in cases]


@pytest.mark.parametrize("workers", WORKERS)
def test_all_show_the_names_and_the_results_are_those_without(
    workers: tuple[str, ...], run: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    run(RELATIONS, "--vqamt-report=plain", *workers, model="fault:always-yes")
    named = run(
        RELATIONS, "--vqamt-report=out", "-rA", *workers, model="always=fault:always-yes", data=["few=pictures:20"]
    )
    assert results("out") == results("plain")
    assert results("out")[1]
    report = json.loads(Path("out/report.json").read_text("utf-8"))
    assert [(each["name"], each["spec"]) for each in report["models"]] == [("always", "fault:always-yes")]
    assert [(each["name"], each["spec"]) for each in report["data"]] == [("few", "pictures:20")]
    assert {(each["model"], each["data"]) for each in report["relations"]} == {("always", "few")}
    named.stdout.fnmatch_lines(["*vqamt::carets.negation-always-few*"])
    replay = next(line for line in named.outlines if "--vqamt-replay=" in line)
    assert "--vqamt-model=always=fault:always-yes --vqamt-data=few=pictures:20" in replay
    page = Path("out/report.html").read_text("utf-8")
    assert "data few=pictures:20" in page
    plain = json.loads(Path("plain/report.json").read_text("utf-8"))
    assert "name" not in plain["data"][0]
    assert "spec" not in plain["models"][0]
    if workers:
        return
    # What reads the files finds the data by its spec.
    violated = next(row for row in vqamt.Report.read("out").violations)
    assert (violated.model, violated.data) == ("always", "few")
    assert violated.pictures[0].size == (224, 224)
    capsys.readouterr()
    assert main(["replay", violated.id, "--report", "out", "--out", "shown"]) == 0
    assert "on always\n" in capsys.readouterr().out
    assert main(["bless", "out", "-o", "kept.gz"]) == 0
    again = run(
        "vqamt::carets.negation-always-few",
        "--vqamt-baseline=kept.gz",
        model="always=fault:always-yes",
        data=["few=pictures:20"],
    )
    again.stdout.fnmatch_lines(["1 rate cannot fall by more than the 0 points*(in the baseline: carets.negation 0 %)."])


def test_a_violation_that_was_shown_is_replayed_without_a_report(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    shown = run(RELATIONS, model="always=fault:always-yes", data=["few=pictures:20"])
    replay = next(line for line in shown.outlines if "--vqamt-replay=" in line)
    capsys.readouterr()
    assert main(["replay", replay.rpartition("=")[2]]) == 0
    assert ", scene pictures-0-" in capsys.readouterr().out


def test_the_answers_are_those_of_the_cache_without_a_name(run: Run, pytester: pytest.Pytester) -> None:
    pytester.makepyfile(yes=COUNTED)
    run(RELATIONS, model="python:yes:Model")
    asked = Path("asked.txt").read_text("utf-8")
    run(RELATIONS, model="ours=python:yes:Model", data=["few=pictures:20"])
    assert Path("asked.txt").read_text("utf-8") == asked != ""
    run(RELATIONS, "--vqamt-report=out", model="ours=python:yes:Undeclared")
    report = json.loads(Path("out/report.json").read_text("utf-8"))
    assert report["models"][0]["fingerprint"] == "undeclared:python:yes:Undeclared"


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        (["--vqamt-model=a=oracle", "--vqamt-model=a=tiny"], "got 'a' for a=oracle, a=tiny"),
        (["--vqamt-model=tiny=oracle", "--vqamt-model=tiny"], "got 'tiny' for tiny=oracle, tiny"),
        (["--vqamt-model=a=oracle", "--vqamt-model=oracle"], "Expected each --vqamt-model once, but got 'oracle' 2"),
        (["--vqamt-model=my model=oracle"], "Expected NAME=SPEC"),
        (["--vqamt-model=a=orakle"], "did you mean 'oracle'?"),
        (["--vqamt-model=a=oracle", "--vqamt-data=b=pictres"], "did you mean 'pictures'?"),
        (
            ["--vqamt-model=oracle", "--vqamt-data=b=pictures:5", "--vqamt-data=b=pictures:6"],
            "another name for each --vqamt-data",
        ),
    ],
)
def test_what_cannot_be_is_one_line(typed: list[str], told: str, run: Run) -> None:
    result = run(*typed, model=None, data=[])
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    [line] = [line for line in result.errlines if line.strip()]
    assert told in line


def test_fixtures_and_vqamt_run_know_the_names(run: Run, pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        def test_names(vqamt_models, vqamt_scenes, vqamt_consistency):
            assert list(vqamt_models) == ["perfect"]
            assert list(vqamt_scenes) == ["few"]
            assert (vqamt_consistency.model, vqamt_consistency.data) == ("perfect", "few")
        """
    )
    result = run("--vqamt-relations=carets.negation", model="perfect=oracle", data=["few=pictures:20"])
    result.assert_outcomes(passed=1)
    report = vqamt.run(model="perfect=oracle", data="few=pictures:5", relations="carets.negation", max_cases=2)
    assert (report.relations[0].model.name, report.relations[0].data.name) == ("perfect", "few")
