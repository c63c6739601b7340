"""A reader that goes away, as in ``vqamt compare A B | head -1``, changes no exit status of a gate."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from pytest_vqamt.cli import main
from pytest_vqamt.commands.main import ExitStatus
from tests.reporting.running import run_into

COMMAND = [sys.executable, "-c", "import sys; from pytest_vqamt.cli import main; sys.exit(main())"]


@pytest.mark.parametrize("reads", [False, pytest.param(True, marks=pytest.mark.full)])
def test_a_missed_gate_is_missed_whoever_reads(tmp_path: Path, reads: bool) -> None:
    for name, model in (("before", "oracle"), ("after", "fault:always-no")):
        run_into(tmp_path / name, model=model, relations=["metavqa.reversion*"], max_cases=40)
    reading, writing = os.pipe()
    if not reads:
        os.close(reading)
    with os.fdopen(writing, "wb") as output:
        done = subprocess.run(
            [*COMMAND, "compare", "before", "after", "--max-drop", "0.1"],
            cwd=tmp_path,
            stdout=output,
            stderr=subprocess.PIPE,
            check=False,
        )
    if reads:
        os.close(reading)
    assert (done.returncode, done.stderr) == (1, b"")


def test_no_word_says_that_a_gate_is_met_where_the_comparison_fails(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of 10 cases without a change no drop of 10 points can be ruled out."""
    for name in ("before", "after"):
        run_into(tmp_path / name, model="oracle", relations=["metavqa.reversion[object]"], max_cases=10)
    arguments = ["compare", str(tmp_path / "before"), str(tmp_path / "after"), "--max-drop=0.1"]
    assert main(arguments) == ExitStatus.OK
    assert "met: none of 1 relation variant has a significant drop" in capsys.readouterr().out
    assert main([*arguments, "--undecided=fail"]) == ExitStatus.FINDING
    told = " ".join(capsys.readouterr().out.split())
    assert "met: " not in told
    assert "MISSED: 1 of 1 relation variant cannot tell (too few cases), which fails here" in told
