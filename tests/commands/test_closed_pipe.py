"""A reader that goes away, as in ``vqamt compare A B | head -1``, changes no exit status of a gate."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.reporting.running import run_into

COMMAND = [sys.executable, "-c", "import sys; from pytest_vqamt.cli import main; sys.exit(main())"]


@pytest.mark.parametrize("reads", [False, True])
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
