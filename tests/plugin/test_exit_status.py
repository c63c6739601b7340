"""What a session and a command end with: the tables of docs/gates.md, line by line."""

from __future__ import annotations

import re

import pytest

from pytest_vqamt.cli import main
from pytest_vqamt.commands.main import ExitStatus
from tests.plugin.conftest import Run

REVERSION = "--vqamt-relations=metavqa.reversion[object]"
FAULTY = "fault:ignores-negation"

LOADS = "def load():\n    raise ValueError('no weights')"
RAISES = """
    class Model:
        def answer(self, batch):
            if any("no" in each.text.split() for each in batch):
                raise ConnectionError("reset")
            return ["2"] * len(batch)
"""
STOPS = """
    class Model:
        def answer(self, batch):
            raise KeyboardInterrupt
"""

SESSIONS: dict[str, tuple[str, tuple[str, ...], int]] = {
    "no gate": (FAULTY, (), 0),
    "a gate that is met": ("oracle", ("--vqamt-fail-under=1",), 0),
    "no baseline yet": (FAULTY, ("--vqamt-baseline=absent.gz",), 0),
    "nothing lost since the baseline": ("oracle", ("--vqamt-baseline=base.gz",), 0),
    "nothing applies": ("oracle", ("--vqamt-data=pictures:1", "--vqamt-relations=metavqa.insertion_plus"), 0),
    "the plan alone": ("oracle", ("--vqamt-plan",), 0),
    "a shard below a threshold": (FAULTY, ("--vqamt-fail-under=1", "--vqamt-shard=1/2"), 0),
    "a shard below its baseline": (FAULTY, ("--vqamt-baseline=base.gz", "--vqamt-shard=1/2"), 0),
    "errors that are tolerated": ("python:raises:Model", ("--vqamt-max-error-rate=0.9",), 0),
    "a threshold that is missed": (FAULTY, ("--vqamt-fail-under=0.5",), 1),
    "a drop since the baseline": (FAULTY, ("--vqamt-baseline=base.gz",), 1),
    "errors": ("python:raises:Model", (), 1),
    "errors, though the rates are good": ("python:raises:Model", ("--vqamt-baseline=base.gz",), 1),
    "stopped at the first failure": (FAULTY, ("--vqamt-fail-under=1", "-x"), 1),
    "no such model": ("tinny", (), 4),
    "no such relation": ("oracle", ("--vqamt-exclude=metavqa.revision",), 4),
    "a threshold that is none": ("oracle", ("--vqamt-fail-under=80%",), 4),
    "a drop without a baseline": ("oracle", ("--vqamt-max-drop=0.1",), 4),
    "a broken baseline": ("oracle", ("--vqamt-baseline=raises.py",), 4),
    "a model that cannot be loaded": ("python:loads:load", (), 4),
    "too many queries": ("oracle", ("--vqamt-max-queries=1",), 4),
}


@pytest.fixture
def models(pytester: pytest.Pytester) -> None:
    """Models of all kinds."""
    pytester.makepyfile(loads=LOADS, raises=RAISES, stops=STOPS)


def bless(run: Run) -> None:
    """Keeps the report of a perfect model as ``base.gz``."""
    run(REVERSION, "--vqamt-report=out", max_cases=10)
    assert main(["bless", "out", "-o", "base.gz"]) == ExitStatus.OK


@pytest.mark.usefixtures("models")
@pytest.mark.parametrize("case", SESSIONS)
def test_sessions(run: Run, case: str) -> None:
    model, options, status = SESSIONS[case]
    if "--vqamt-baseline=base.gz" in options:
        bless(run)
    result = run(REVERSION, *options, "--vqamt-cache=kept", model=model, max_cases=10)
    assert result.ret == status, result.stdout.str() + result.stderr.str()


def test_a_report_that_cannot_be_written_fails_the_run(pytester: pytest.Pytester, run: Run) -> None:
    pytester.makepyfile(
        test_own="""
        from pathlib import Path

        def test_own(vqamt_consistency):
            vqamt_consistency.check()
            Path("spoilt/report.json").mkdir(parents=True)
        """
    )
    assert run(REVERSION, "--vqamt-report=spoilt").ret == pytest.ExitCode.TESTS_FAILED


@pytest.mark.usefixtures("models")
def test_an_interrupted_session_is_pytests_own_2(pytester: pytest.Pytester) -> None:
    result = pytester.runpytest_subprocess(REVERSION, "--vqamt-model=python:stops:Model", "--vqamt-data=pictures:20")
    assert result.ret == pytest.ExitCode.INTERRUPTED


def test_no_tests_without_a_model_is_pytests_own_5(run: Run) -> None:
    assert run(model=None).ret == pytest.ExitCode.NO_TESTS_COLLECTED


def test_a_command_that_cannot_do_its_work_ends_with_2(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    bless(run)
    capsys.readouterr()
    assert main(["bless", "absent"]) == ExitStatus.USAGE
    assert re.fullmatch(r"vqamt: Expected .*\n", capsys.readouterr().err)


def test_a_merge_that_misses_a_gate_is_a_finding(pytester: pytest.Pytester, run: Run) -> None:
    for number in (1, 2):
        run(REVERSION, "--vqamt-fail-under=1", f"--vqamt-shard={number}/2", f"--vqamt-report={number}", model=FAULTY)
    assert main(["merge", "1", "2", "-o", "whole"]) == ExitStatus.FINDING
