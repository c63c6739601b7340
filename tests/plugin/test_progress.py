"""A progress bar for people at a terminal; none in a pipe, none in CI, and never in what is reported."""

from __future__ import annotations

import os
import pty
import subprocess
import sys

import pytest

SLOW = """
    import time

    class Model:
        batch_size = 1

        def answer(self, batch):
            time.sleep(0.12)
            return ["yes" for each in batch]
"""
OPTIONS = (
    "--vqamt-model=python:slow:Model",
    "--vqamt-data=pictures:20",
    "--vqamt-relations=metavqa.reversion[object]",
    "--vqamt-max-cases=3",
    "--vqamt-sampler=random",
    "--vqamt-shrink=0",
    "--vqamt-fail-under=0.9",
    "--vqamt-report=out",
)
BAR = "metavqa.reversion[object]: 100%|"


def at_a_terminal(pytester: pytest.Pytester, *more: str) -> str:
    """What a session writes to the terminal that it runs at."""
    ours, theirs = pty.openpty()
    session = pytester.popen(
        [sys.executable, "-m", "pytest", *OPTIONS, *more],
        stdout=theirs,
        stderr=subprocess.STDOUT,
        stdin=subprocess.DEVNULL,
    )
    os.close(theirs)
    written = b""
    try:
        while some := os.read(ours, 65536):
            written += some
    except OSError:  # what reading a terminal that nobody has open any more gives on Linux
        pass
    os.close(ours)
    assert session.wait() == pytest.ExitCode.TESTS_FAILED, written.decode()
    return written.decode()


@pytest.fixture(autouse=True)
def _slow(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    pytester.makepyfile(slow=SLOW)
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.setenv("TERM", "xterm")


@pytest.mark.parametrize("capture", [(), pytest.param(("-s",), marks=pytest.mark.full)], ids=["captured", "-s"])
def test_a_bar_at_a_terminal(pytester: pytest.Pytester, capture: tuple[str, ...]) -> None:
    written = at_a_terminal(pytester, *capture)
    assert BAR in written
    # It goes to a line of its own, is wiped away, and the cursor is put back behind what pytest wrote: "vqamt ".
    before, _, after = written.rpartition(BAR)
    assert before.count("\r\nvqamt \r\n\r") == 1, repr(before)
    wiped = after.partition("\r")[2].lstrip(" ")
    assert wiped.startswith("\r\x1b[A\x1b[6C"), repr(wiped)
    # The failure that is told holds none of it.
    assert "Captured" not in written
    assert "6/6" not in written.partition("= FAILURES =")[2]
    for file in ("report.json", "cases.jsonl"):
        assert "%|" not in (pytester.path / "out" / file).read_text(encoding="utf-8")


@pytest.mark.full
def test_none_in_ci(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CI", "true")
    assert "%|" not in at_a_terminal(pytester)


@pytest.mark.full
def test_none_in_a_pipe_however_coloured(pytester: pytest.Pytester) -> None:
    result = pytester.runpytest_subprocess(*OPTIONS, "--color=yes")
    result.assert_outcomes(failed=1)
    assert "%|" not in result.stdout.str() + result.stderr.str()
