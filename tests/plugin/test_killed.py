"""Where the disk of the report is full, a run says so in a line, ends with status 1, and loses no answer."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from pytest_vqamt.execution.answer_cache import AnswerStore
from tests.costs import without_costs
from tests.plugin.conftest import EIGHT, WORKERS, Run, asked
from tests.reporting.reported import report_in

pytestmark = pytest.mark.full

ASKS = (
    "--vqamt-model=python:counted:Model",
    "--vqamt-data=pictures:20",
    "--vqamt-relations=metavqa.partition,metavqa.insertion",
    "--vqamt-max-cases=20",
    "--vqamt-sampler=random",
    "--vqamt-shrink=0",
    "--vqamt-report=disk/out",
    "-p",
    "no:faulthandler",
)
"""Runs five items of 20 cases."""

ALL = {"cases.jsonl", "report.json", "report.html", "summary.md", "badge.json"}
SMALL_DISK = 'mount -t tmpfs -o size="$1" tmpfs disk && shift && "$@"; status=$?; cp -r disk/. left; exit $status'
"""Runs a command with a small disk, which is gone afterwards; what is on it is copied."""


def unshared(size_kb: int, *command: str) -> list[str]:
    """The command with a small disk of its own, which needs no rights but those that Linux gives its users."""
    return ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", SMALL_DISK, "sh", f"{size_kb}k", *command]


def can_unshare() -> bool:
    if not shutil.which("unshare"):
        return False
    script = "mount -t tmpfs -o size=4k tmpfs /tmp"
    tried = subprocess.run(["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", script], capture_output=True)
    return tried.returncode == 0


def session(pytester: pytest.Pytester) -> list[str]:
    (pytester.path / "disk").mkdir(exist_ok=True)
    shutil.rmtree(pytester.path / "left", ignore_errors=True)
    (pytester.path / "left").mkdir()
    return [sys.executable, "-m", "pytest", *ASKS]


def ran(pytester: pytest.Pytester, command: list[str]) -> tuple[int, str]:
    """Its status, and what it said; never a traceback."""
    ended = subprocess.run(command, cwd=pytester.path, capture_output=True, text=True, check=False)
    said = ended.stdout + ended.stderr
    assert "Traceback" not in said, said
    assert "INTERNALERROR" not in said, said
    return ended.returncode, said


def check_left(folder: Path) -> set[str]:
    """The names of the files of a report; each is whole."""
    names = {file.name for file in folder.iterdir() if not file.name.startswith(".")}
    assert names <= ALL
    if "report.json" in names:
        report = report_in(folder)
        lines = (folder / "cases.jsonl").read_text(encoding="utf-8").splitlines()
        assert len([json.loads(line) for line in lines]) == sum(each["cases"] for each in report["relations"])
    if "report.html" in names:
        assert (folder / "report.html").read_text(encoding="utf-8").endswith("</html>")
    return names


def told_once(said: str, error: str) -> None:
    """One line says that there is no report, what the system said, and what to do."""
    (line,) = [line for line in said.splitlines() if line.startswith("ERROR: ")]
    assert re.search(
        rf"Expected a folder that can be written to, but got --vqamt-report='.*disk/out': \[Errno \d+\] {error}.*; "
        r"free some space and run again: no answer that was kept is asked for again$",
        line,
    ), line


@pytest.mark.skipif(not can_unshare(), reason="needs a small disk, which Linux lets users mount in places")
def test_a_full_disk(pytester: pytest.Pytester, counted: str) -> None:
    # The cases take some 120 kB, twice while they are put together, and the page with its pictures 300.
    states = []
    for size_kb in (40, 340):
        status, said = ran(pytester, unshared(size_kb, *session(pytester)))
        assert status == pytest.ExitCode.TESTS_FAILED, said
        states.append(check_left(pytester.path / "left" / "out"))
        told_once(said, "No space left on device")
        items_failed = "ERROR at setup of" in said
        assert items_failed == (size_kb == 40), "there was no room for the cases while they were asked"
    assert states == [set(), {"cases.jsonl", "report.json", "summary.md", "badge.json"}]
    queries = asked(pytester)
    assert len(queries) == len(set(queries)) > 100, "nothing was asked twice"
    status, said = ran(pytester, unshared(4000, *session(pytester)))
    assert status == pytest.ExitCode.OK, said
    assert check_left(pytester.path / "left" / "out") == ALL
    assert asked(pytester) == []


@pytest.mark.skipif(sys.platform == "win32", reason="needs a limit to the sizes of files")
def test_a_page_that_may_not_be_as_large(pytester: pytest.Pytester, counted: str) -> None:
    limit = "import resource, os, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000)); "
    run = "os.execv(sys.argv[1], sys.argv[1:])"
    status, said = ran(pytester, [sys.executable, "-c", limit + run, *session(pytester), "--vqamt-no-cache"])
    assert status == pytest.ExitCode.TESTS_FAILED, said
    told_once(said, os.strerror(27))
    assert check_left(pytester.path / "disk" / "out") == {"cases.jsonl", "report.json", "summary.md", "badge.json"}


# A run that is killed half-way loses no answer that it had kept, and goes on from there.

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
            "report.json", "cases.jsonl", "report.html", "summary.md", "badge.json"
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
    report: dict[str, Any] = report_in(folder)
    return without_costs(report)


# A session that is killed while it writes its report: what is there is whole, and the next one asks nothing again.

TWO = "--vqamt-relations=metavqa.partition"
KILLER = """
    import os, signal, sys

    def heard(event, arguments):
        if event == "os.rename" and str(arguments[1]).endswith("{file}"):
            os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(heard)
"""
"""Ends the session, as a power cut would, before it puts a file in its place."""

LEFT = {
    "cases.jsonl": set[str](),
    "report.json": {"cases.jsonl"},
    "summary.md": {"cases.jsonl", "report.json"},
    "report.html": {"cases.jsonl", "report.json", "summary.md", "badge.json"},
}


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs a signal that nothing withstands")
@pytest.mark.parametrize("file", ["report.json", "report.html"])
def test_what_is_there_is_whole(pytester: pytest.Pytester, run: Run, counted: str, file: str) -> None:
    run(TWO, "--vqamt-report=out", model=counted, max_cases=2).assert_outcomes(passed=2)
    pytester.makepyfile(killer=KILLER.format(file=file))
    sampling = ("--vqamt-data=pictures:20", "--vqamt-max-cases=4", "--vqamt-sampler=random", "--vqamt-shrink=0")
    options = ("-p", "killer", TWO, f"--vqamt-model={counted}", *sampling, "--vqamt-report=out")
    session = subprocess.run(
        [sys.executable, "-m", "pytest", *options], cwd=pytester.path, capture_output=True, check=False
    )
    assert session.returncode == -signal.SIGKILL
    folder = pytester.path / "out"
    assert {each.name for each in folder.iterdir() if not each.name.startswith(".")} == LEFT[file]
    assert counts(folder, LEFT[file]) == ([4, 4] if "report.json" in LEFT[file] else [])
    assert len((folder / "cases.jsonl").read_text(encoding="utf-8").splitlines()) == 8
    assert asked(pytester)

    run(TWO, "--vqamt-report=out", model=counted).assert_outcomes(passed=2)
    assert asked(pytester) == []
    assert {each.name for each in folder.iterdir()} == {
        "cases.jsonl",
        "report.json",
        "report.html",
        "summary.md",
        "badge.json",
    }
    assert counts(folder, {"report.json"}) == [4, 4]


def counts(folder: Path, there: set[str]) -> list[int]:
    """How many cases the report counts of each item."""
    if "report.json" not in there:
        return []
    report = report_in(folder)
    return [each["cases"] for each in report["relations"]]
