"""``--vqamt-option`` sets relations: checked before anything is loaded, told in the report, kept for a replay."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.plugin.conftest import WORKERS, Run
from tests.reporting.reported import report_in

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
    report = report_in(pytester.path / "out")
    assert report["settings"] == dict(option.removeprefix("--vqamt-option=").split("=") for option in options)


@pytest.mark.full
@pytest.mark.parametrize("workers", ["0", "1"])
def test_it_reaches_workers(pytester: pytest.Pytester, run: Run, workers: str) -> None:
    run(REMOVAL, *INPAINT, "-n", workers, "--vqamt-report=out").assert_outcomes(passed=1)
    assert edits(pytester.path / "out") == {"inpaint"}
    report = report_in(pytester.path / "out")
    assert report["settings"] == {"erase": "inpaint", "inpaint": "telea"}


def test_it_may_stand_in_the_ini_file(pytester: pytest.Pytester, run: Run) -> None:
    pytester.makeini("[pytest]\nvqamt_option =\n  erase=mean\n")
    run(REMOVAL, "--vqamt-report=out").assert_outcomes(passed=1)
    assert edits(pytester.path / "out") == {"mean"}


@pytest.mark.parametrize(
    ("option", "told"),
    [
        ("erase=blue", "*Expected --vqamt-option to give erase one of white, mean, inpaint, but got 'erase=blue'"),
        ("severity=6", "*--vqamt-option to give severity one of 1, 2, 3, 4, 5, but got 'severity=6'"),
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
    report = report_in(pytester.path / "out")
    assert {each["id"].partition(".")[0] for each in report["relations"]} == ids
    assert report["settings"] == settings


def test_a_wrong_preset_is_told_before_anything_runs(run: Run) -> None:
    result = run("--vqamt-preset=metavqq")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*Expected a preset, but got --vqamt-preset='metavqq'; did you mean *"])


# A mistake in the options is told in one line, before any model is loaded, and the session ends with status 4.

MISTAKES = {
    "an unknown model": (
        ("--vqamt-model=oracel",),
        "Expected --vqamt-model to begin with a kind of model, but got 'oracel'; did you mean 'oracle'?",
    ),
    "the file of a model": (("--vqamt-model=./own/m.py:load",), "; did you mean 'python:own.m:load'?"),
    "the folder of a checkpoint": (("--vqamt-model=./checkpoint",), "; did you mean 'hf:./checkpoint'?"),
    "the name of a checkpoint on the hub": (("--vqamt-model=org/name",), "; did you mean 'hf:org/name'?"),
    "a percentage": (("--vqamt-fail-under=80",), "but got --vqamt-fail-under='80'; 80 % is 0.8"),
    "a GPU": (("--vqamt-device=gpu",), "but got --vqamt-device='gpu'; did you mean 'cuda'?"),
    "a device in capitals": (("--vqamt-device= CUDA:0",), "but got --vqamt-device=' CUDA:0'; did you mean 'cuda:0'?"),
    "a model without its argument": (
        ("--vqamt-model=fault",),
        "Expected --vqamt-model=fault:NAME, but got 'fault'",
    ),
    "an unknown fault": (
        ("--vqamt-model=fault:always-zer",),
        "Expected a planted fault, but got model='fault:always-zer'; did you mean 'fault:always-zero'?",
    ),
    "two equal models": (
        ("--vqamt-model=oracle", "--vqamt-model=oracle"),
        "Expected each --vqamt-model once, but got 'oracle' 2 times",
    ),
    "unknown data": (
        ("--vqamt-data=picture",),
        "Expected data to begin with its kind, as in questions:FILE, but got data='picture'; did you mean 'pictures'?",
    ),
    "equal data": (("--vqamt-data=pictures:20",), "Expected each --vqamt-data once, but got 'pictures:20' 2 times"),
    "data with a wrong argument": (
        ("--vqamt-data=pictures:many",),
        "Expected --vqamt-data=pictures:N with N from 1 up, but got N='many'",
    ),
    "an unknown relation": (
        ("--vqamt-relations=metavqa.partion[object]",),
        "'metavqa.partion[object]' names none; did you mean 'metavqa.partition[object]'?",
    ),
    "an unknown relation left out": (
        ("--vqamt-exclude=controls.*",),
        "'controls.*' names none; did you mean 'control.*'?",
    ),
    "nothing left": (
        ("--vqamt-relations=control.*", "--vqamt-exclude=*"),
        "Expected a relation to be left, but --vqamt-exclude='*' excludes them all",
    ),
    "a rate above 1": (
        ("--vqamt-fail-under=80",),
        "Expected a pass rate from 0 to 1, as RATE or GLOB=RATE, but got --vqamt-fail-under='80'",
    ),
    "a rate below 0": (
        ("--vqamt-fail-under=metavqa.*=-0.5",),
        "Expected a pass rate from 0 to 1, as RATE or GLOB=RATE, but got --vqamt-fail-under='metavqa.*=-0.5'",
    ),
    "no rate": (
        ("--vqamt-fail-under=metavqa.*",),
        "Expected a pass rate from 0 to 1, as RATE or GLOB=RATE, but got --vqamt-fail-under='metavqa.*'",
    ),
    "a rate that is no number": (
        ("--vqamt-fail-under=nan",),
        "Expected a pass rate from 0 to 1, as RATE or GLOB=RATE, but got --vqamt-fail-under='nan'",
    ),
    "an error rate": (
        ("--vqamt-max-error-rate=2",),
        "Expected a rate from 0 to 1, but got --vqamt-max-error-rate='2'",
    ),
    "a gate": (
        ("--vqamt-gate=lower",),
        "Expected one of point, lower-bound, but got --vqamt-gate='lower'; did you mean 'lower-bound'?",
    ),
    "a number of cases": (
        ("--vqamt-cases=3",),
        "but got --vqamt-cases='3'; for so many cases give --vqamt-max-cases=3",
    ),
    "a sampler": (
        ("--vqamt-sampler=hypotesis",),
        "Expected one of hypothesis, random, but got --vqamt-sampler='hypotesis'; did you mean 'hypothesis'?",
    ),
    "no cases": (("--vqamt-max-cases=0",), "Expected a whole number from 1 up, but got --vqamt-max-cases='0'"),
    "cases in words": (
        ("--vqamt-max-cases=all",),
        "Expected a whole number from 1 up, but got --vqamt-max-cases='all'",
    ),
    "half a seed": (("--vqamt-seed=0.5",), "Expected a whole number from 0 up, but got --vqamt-seed='0.5'"),
    "a batch of none": (
        ("--vqamt-batch-size=0",),
        "Expected a whole number from 1 up, or auto, but got --vqamt-batch-size='0'",
    ),
    "a shard too many": (("--vqamt-shard=3/2",), "Expected I/N with I from 1 to N, but got --vqamt-shard='3/2'"),
    "a shard of none": (("--vqamt-shard=0/2",), "Expected I/N with I from 1 to N, but got --vqamt-shard='0/2'"),
    "a shard in words": (("--vqamt-shard=one",), "Expected I/N with I from 1 to N, but got --vqamt-shard='one'"),
    "an option without a value": (
        ("--vqamt-option=wordnet",),
        "Expected --vqamt-option=NAME=VALUE, but got 'wordnet'",
    ),
    "a device": (
        ("--vqamt-device=gpu",),
        "Expected auto, cpu, cuda, cuda:N, cuda:N+cuda:M or mps, but got --vqamt-device='gpu'",
    ),
    "more queries than allowed": (
        ("--vqamt-relations=control.repeat", "--vqamt-max-queries=7"),
        "Expected at most --vqamt-max-queries=7 distinct queries, but the run would have 8 for 4 cases: "
        "lower --vqamt-max-cases or name fewer relations",
    ),
    "a plan shared out": (
        ("--vqamt-plan", "-n", "2"),
        "Expected --vqamt-plan without -n: it runs no model, so workers cannot help",
    ),
    "a module that is not there": (
        ("--vqamt-model=python:no_such_module:Model",),
        "no_such_module",
    ),
}
BEFORE_ANY_WORKER = ("an unknown model", "an unknown fault", "unknown data", "a rate above 1", "two equal models")


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_told_in_one_line(run: Run, mistake: str) -> None:
    options, line = MISTAKES[mistake]
    result = run(*options, model=None if any("--vqamt-model" in option for option in options) else "oracle")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert line in result.stderr.str()
    assert len(result.stderr.str().strip().splitlines()) == 1
    assert "Traceback" not in result.stdout.str() + result.stderr.str()


@pytest.mark.parametrize("mistake", BEFORE_ANY_WORKER)
def test_it_is_told_before_any_worker_starts(run: Run, mistake: str) -> None:
    options, line = MISTAKES[mistake]
    result = run(*options, "-n", "2", model=None if "model" in mistake or "fault" in mistake else "oracle")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert line in result.stderr.str()
    assert "workers" not in result.stdout.str()


@pytest.mark.parametrize(
    ("model_type", "kind"), [("qwen2_vl", "hf"), ("vilt", "vilt"), ("visual_bert", "visualbert"), (None, "hf")]
)
def test_a_folder_with_a_configuration_is_a_checkpoint_of_its_kind(
    pytester: pytest.Pytester, run: Run, model_type: str | None, kind: str
) -> None:
    # The name is near that of another kind, and the folder says more.
    (pytester.path / "tinny").mkdir()
    (pytester.path / "tinny" / "config.json").write_text(json.dumps({"model_type": model_type}))
    assert f"; did you mean '{kind}:tinny'?" in run(model="tinny").stderr.str()


@pytest.mark.parametrize("option", ["--vqamt-max-case=3", "--vqamt-modle"])
def test_a_misspelt_option_is_named_rightly_below_pytests_error(pytester: pytest.Pytester, option: str) -> None:
    told = pytester.runpytest_inprocess(option, "oracle").stderr.str()
    assert f"unrecognized arguments: {option}" in told
    assert ("  did you mean: --vqamt-max-cases\n" in told) == ("case" in option)
    assert ("  did you mean: --vqamt-model\n" in told) == ("modle" in option)
    assert "did you mean" not in pytester.runpytest_inprocess("--vqamt-3x").stderr.str()


@pytest.mark.full
def test_what_only_workers_find_out_is_an_error_of_one_item(run: Run) -> None:
    # pytest under xdist collects on the workers alone, and from them nothing but reports is heard.
    result = run(*MISTAKES["more queries than allowed"][0], "-n", "2")
    result.assert_outcomes(errors=1)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert f"\n{MISTAKES['more queries than allowed'][1]}\n" in result.stdout.str()
    assert "INTERNALERROR" not in result.stdout.str()


@pytest.mark.parametrize("shared", WORKERS)
def test_the_same_with_a_test_that_takes_the_fixture(
    pytester: pytest.Pytester, run: Run, shared: tuple[str, ...]
) -> None:
    pytester.makepyfile(test_own="def test_own(vqamt_consistency): vqamt_consistency.check()")
    result = run("--vqamt-relations=metavqa.partion", *shared)
    line = "'metavqa.partion' names none; did you mean "
    assert "Traceback" not in result.stdout.str() + result.stderr.str()
    assert "start.py" not in result.stdout.str(), "no traceback"
    if "2" in shared:
        result.assert_outcomes(errors=1)
        assert result.ret == pytest.ExitCode.TESTS_FAILED
        assert line in result.stdout.str()
    else:
        assert result.ret == pytest.ExitCode.USAGE_ERROR
        assert line in result.stderr.str()


def test_no_model_is_loaded_where_data_or_relations_are_wrong(pytester: pytest.Pytester, run: Run) -> None:
    pytester.makepyfile(later="from pathlib import Path\n\ndef load(): Path('loaded').touch()\n")
    for mistake in ("--vqamt-data=pictures:many", "--vqamt-relations=none.such", "--vqamt-max-cases=0"):
        assert run(mistake, model="python:later:load").ret == pytest.ExitCode.USAGE_ERROR
    assert not (pytester.path / "loaded").exists()


WAIVERS = {
    "no such file": (None, "Expected --vqamt-waive to name a text file, but got "),
    "no reason": ("0123456789abcdef\n", "Expected a case id of 16 hexadecimal digits and a reason, but got '0123"),
    "no id": ("# a comment\n\nthe first of all\n", "and a reason, but got 'the first of all' ("),
}


@pytest.mark.parametrize("wrong", WAIVERS)
def test_a_file_of_waivers_that_cannot_be_used(pytester: pytest.Pytester, run: Run, wrong: str) -> None:
    content, line = WAIVERS[wrong]
    if content is not None:
        (pytester.path / "waived.txt").write_text(content)
    result = run("--vqamt-waive=waived.txt")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert line in result.stderr.str()
    assert "waived.txt" in result.stderr.str()
    assert len(result.stderr.str().strip().splitlines()) == 1
    if wrong == "no id":
        assert "waived.txt, line 3)" in result.stderr.str()


def test_a_mistake_in_the_ini_file(pytester: pytest.Pytester, run: Run) -> None:
    pytester.makeini("[pytest]\nvqamt_model = oracle\nvqamt_fail_under = 80\n")
    result = run(model=None)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "but got vqamt_fail_under='80'; 80 % is 0.8" in result.stderr.str()


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (
            ("--vqamt-model=vilt", "--vqamt-option=detecter=x"),
            "'detecter=x'; known: thought-tags, reader, wordings, wordnet",
        ),
        (("--vqamt-model=lxmert", "--vqamt-option=detecter=x"), "'detecter=x'; did you mean 'detector'?"),
        (("--vqamt-model=hf:a/b", "--vqamt-option=promt-count=x"), "'promt-count=x'; did you mean 'prompt-count'?"),
    ],
)
def test_a_setting_of_a_model_that_is_misspelt(pytester: pytest.Pytester, options: tuple[str, ...], told: str) -> None:
    result = pytester.runpytest_inprocess(*options)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert f"Expected --vqamt-option to name a setting, but got {told}" in result.stderr.str()
