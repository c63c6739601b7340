"""A run that is killed half-way loses no answer that it had kept, and goes on from there."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from pytest_vqamt.execution.answer_cache import AnswerStore
from tests.costs import without_costs
from tests.plugin.conftest import EIGHT, WORKERS

pytestmark = pytest.mark.full

FINGERPRINT = "slow and sure"
SLOW = f"""
    import os, time
    from pathlib import Path

    class Model:
        fingerprint = {FINGERPRINT!r}
        batch_size = 4

        def answer(self, batch):
            with Path(f"asked-{{os.getpid()}}.txt").open("a") as log:
                log.write(" ".join(each.query.id for each in batch) + "\\n")
            time.sleep(0.01)
            return [("yes", "no", "1", "2")[len(each.text) % 4] for each in batch]
"""
OPTIONS = (
    EIGHT,
    "--vqamt-model=python:slow:Model",
    "--vqamt-data=pictures:30",
    "--vqamt-max-cases=25",
    "--vqamt-sampler=random",
    "--vqamt-shrink=0",
)
HALF_WAY = 40
"""Batches, of the hundred or so that a whole run asks."""


@pytest.mark.full
@pytest.mark.parametrize("workers", WORKERS)
def test_a_killed_run_goes_on_where_it_stopped(pytester: pytest.Pytester, workers: tuple[str, ...]) -> None:
    pytester.makepyfile(slow=SLOW)
    _killed(pytester, "--vqamt-report=out", *workers)
    first = _batches(pytester.path)
    kept = _kept(pytester.path, {query_id for batches in first for batch in batches for query_id in batch})
    # A batch is kept before the next one is asked: each process can have lost its last, and no other.
    for batches in first:
        assert {query_id for batch in batches[:-1] for query_id in batch} <= kept
    assert not (pytester.path / "out" / "report.json").exists()

    _ended(pytester, "--vqamt-report=out", *workers)
    second = [query_id for batches in _batches(pytester.path) for batch in batches for query_id in batch]
    assert second, "it was killed before the end"
    assert kept.isdisjoint(second)

    _ended(pytester, "--vqamt-report=undisturbed", "--vqamt-no-cache")
    whole = {query_id for batches in _batches(pytester.path) for batch in batches for query_id in batch}
    assert whole == kept | set(second)
    assert _told(pytester.path / "out") == _told(pytester.path / "undisturbed")
    for folder in ("out", "undisturbed"):
        assert {each.name for each in (pytester.path / folder).iterdir()} == {
            "report.json", "cases.jsonl", "report.html", "summary.md"
        }  # fmt: skip
    assert (pytester.path / "out" / "cases.jsonl").read_bytes() == (
        pytester.path / "undisturbed" / "cases.jsonl"
    ).read_bytes()


def _killed(pytester: pytest.Pytester, *arguments: str) -> None:
    """Starts a session and ends it, with its workers, as a power cut would."""
    with (pytester.path / "session.txt").open("w") as output:
        session = pytester.popen(
            [sys.executable, "-m", "pytest", *OPTIONS, *arguments],
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        deadline = time.monotonic() + 120
        while sum(len(_lines(log)) for log in pytester.path.glob("asked-*.txt")) < HALF_WAY:
            assert session.poll() is None, (pytester.path / "session.txt").read_text()
            assert time.monotonic() < deadline, (pytester.path / "session.txt").read_text()
            time.sleep(0.005)
        os.killpg(session.pid, signal.SIGKILL)
        assert session.wait() == -signal.SIGKILL


def _ended(pytester: pytest.Pytester, *arguments: str) -> None:
    result = pytester.runpytest_inprocess(*OPTIONS, *arguments)
    result.assert_outcomes(passed=8)


def _lines(log: Path) -> list[str]:
    return log.read_text().splitlines()


def _batches(folder: Path) -> list[list[list[str]]]:
    """The queries asked since the last time, by process and batch."""
    logs = sorted(folder.glob("asked-*.txt"))
    batches = [[line.split() for line in _lines(log)] for log in logs]
    for log in logs:
        log.unlink()
    return batches


def _kept(folder: Path, query_ids: set[str]) -> set[str]:
    """Those that the cache answers."""
    with AnswerStore(folder / ".pytest_cache" / "d" / "vqamt" / "answers.sqlite") as store:
        return set(store.get(FINGERPRINT, tuple(query_ids)))


def _told(folder: Path) -> dict[str, Any]:
    report: dict[str, Any] = json.loads((folder / "report.json").read_text())
    return without_costs(report)
