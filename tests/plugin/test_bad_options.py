"""A mistake in the options is told in one line, before any model is loaded, and the session ends with status 4."""

from __future__ import annotations

import pytest

from tests.plugin.conftest import WORKERS, Run

MISTAKES = {
    "an unknown model": (
        ("--vqamt-model=oracel",),
        "Expected --vqamt-model to begin with a kind of model, but got model='oracel'; did you mean 'oracle'?",
    ),
    "a model without its argument": (
        ("--vqamt-model=fault",),
        "Expected --vqamt-model=fault:NAME, but got model='fault'",
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
        "Expected --vqamt-data to begin with a kind of source, but got data='picture'; did you mean 'pictures'?",
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
        "'controls.*' names none; did you mean 'control.repeat'?",
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
        "Expected --vqamt-max-error-rate to be a rate from 0 to 1, but got '2'",
    ),
    "a gate": (
        ("--vqamt-gate=lower",),
        "Expected --vqamt-gate to be one of point, lower-bound, but got 'lower'; did you mean 'lower-bound'?",
    ),
    "a sampler": (
        ("--vqamt-sampler=hypotesis",),
        "Expected --vqamt-sampler to be one of hypothesis, random, but got 'hypotesis'; did you mean 'hypothesis'?",
    ),
    "no cases": (("--vqamt-max-cases=0",), "Expected --vqamt-max-cases to be a whole number from 1 up, but got '0'"),
    "cases in words": (
        ("--vqamt-max-cases=all",),
        "Expected --vqamt-max-cases to be a whole number from 1 up, but got 'all'",
    ),
    "half a seed": (("--vqamt-seed=0.5",), "Expected --vqamt-seed to be a whole number from 0 up, but got '0.5'"),
    "a batch of none": (
        ("--vqamt-batch-size=0",),
        "Expected --vqamt-batch-size to be a whole number from 1 up, but got '0'",
    ),
    "a shard too many": (("--vqamt-shard=3/2",), "Expected --vqamt-shard to be I/N with I from 1 to N, but got '3/2'"),
    "a shard of none": (("--vqamt-shard=0/2",), "Expected --vqamt-shard to be I/N with I from 1 to N, but got '0/2'"),
    "a shard in words": (("--vqamt-shard=one",), "Expected --vqamt-shard to be I/N with I from 1 to N, but got 'one'"),
    "an option without a value": (
        ("--vqamt-option=wordnet",),
        "Expected --vqamt-option=NAME=VALUE, but got 'wordnet'",
    ),
    "a device": (
        ("--vqamt-device=gpu",),
        "Expected --vqamt-device to be auto, cpu, cuda or cuda:N, but got 'gpu'",
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
    if shared:
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
    assert "but got --vqamt-fail-under='80'" in result.stderr.str()


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--vqamt-model=vilt", "--vqamt-option=detecter=x"), "'detecter=x'; known: erase, inpaint"),
        (("--vqamt-model=lxmert", "--vqamt-option=detecter=x"), "'detecter=x'; did you mean 'detector'?"),
        (("--vqamt-model=hf:a/b", "--vqamt-option=promt-count=x"), "'promt-count=x'; did you mean 'prompt-count'?"),
    ],
)
def test_a_setting_of_a_model_that_is_misspelt(pytester: pytest.Pytester, options: tuple[str, ...], told: str) -> None:
    result = pytester.runpytest_inprocess(*options)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert f"Expected --vqamt-option to name a setting, but got {told}" in result.stderr.str()
