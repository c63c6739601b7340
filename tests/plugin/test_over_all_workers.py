"""However many processes a run has, each distinct query is asked once, and the report is that of one process."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from pytest_vqamt.core.query import Task
from tests.costs import without_costs
from tests.plugin.conftest import every_item
from tests.reporting.reported import report_in

pytestmark = pytest.mark.full

# Writes down what it is asked, process by process. Where it is told to, it answers only when so many processes have
# been asked something, and dies at its third batch, once.
MODEL = """
    import os, time
    from pathlib import Path

    class Model:
        fingerprint = "never asked twice"
        batch_size = 8

        def answer(self, batch):
            with Path(f"asked-{os.getpid()}.txt").open("a") as log:
                log.write("".join(f"{each.query.id}\\n" for each in batch))
            time.sleep(float(os.environ.get("SLOW_S", 0)))
            deadline = time.monotonic() + 60
            while len(list(Path().glob("asked-*.txt"))) < int(os.environ.get("AT_ONCE", 1)):
                assert time.monotonic() < deadline
                time.sleep(0.01)
            if "DIES" in os.environ and len(Path(f"asked-{os.getpid()}.txt").read_text().split()) > 16:
                try:
                    Path("has-died").touch(exist_ok=False)
                except FileExistsError:
                    pass
                else:
                    os._exit(1)
            return [("yes", "no", "1", "2")[len(each.text) % 4] for each in batch]

    class Undeclared(Model):
        fingerprint = None
"""
FOUR = "--vqamt-relations=metavqa.reversion,control.repeat,control.reencode[spaces]"
"""Relations of four items, which have questions in common."""
COUNTS = ("queries_needed", "queries_asked", "queries_cached", "queries_saved")


@pytest.fixture(autouse=True)
def temporary(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where a run keeps what lasts no longer than it does."""
    folder = pytester.mkdir("temporary")
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    pytester.makepyfile(logged=MODEL)
    return folder


def command(*arguments: str, model: str = "Model", relations: str = FOUR) -> list[str]:
    named = [f"--vqamt-model=python:logged:{model}", "--vqamt-data=pictures:20", *([relations] if relations else [])]
    drawn = ["--vqamt-max-cases=20", "--vqamt-sampler=random", "--vqamt-shrink=0", "--vqamt-cache=kept"]
    return [sys.executable, "-m", "pytest", *named, *drawn, *arguments]


def ran(pytester: pytest.Pytester, *arguments: str, model: str = "Model", relations: str = FOUR) -> int:
    return int(pytester.runpytest_inprocess(*command(*arguments, model=model, relations=relations)[3:]).ret)


def asked(pytester: pytest.Pytester) -> list[str]:
    """The ids of the queries that were asked since the last time, whoever was."""
    logs = list(pytester.path.glob("asked-*.txt"))
    ids = [name for log in logs for name in log.read_text().split()]
    for log in logs:
        log.unlink()
    return ids


def told(pytester: pytest.Pytester, folder: str) -> tuple[dict[str, Any], bytes, tuple[int, ...]]:
    """What a report says, its cases, and what of the model's answers was needed, asked, cached and saved."""
    out = pytester.path / folder
    report = report_in(out)
    (model,) = report["models"]
    counts = tuple(model[name] for name in COUNTS)
    return without_costs(report), (out / "cases.jsonl").read_bytes(), counts


def left(pytester: pytest.Pytester) -> list[tuple[object, ...]]:
    """Claims, and who held them."""
    with closing(sqlite3.connect(pytester.path / "kept" / "answers.sqlite")) as db:
        return db.execute("select * from leases").fetchall() + db.execute("select * from lease_holders").fetchall()


def check_each_was_asked_once(
    pytester: pytest.Pytester, workers: int, model: str, also: tuple[str, ...], relations: str
) -> None:
    def go(folder: str, *shared: str) -> Counter[str]:
        assert ran(pytester, f"--vqamt-report={folder}", *also, *shared, model=model, relations=relations) == 0
        return Counter(asked(pytester))

    alone = go("alone", "-n", "0")
    if (pytester.path / "kept").exists():
        (pytester.path / "kept" / "answers.sqlite").unlink()
    shared = go("shared", "-n", str(workers))
    assert set(alone.values()) == set(shared.values()) == {1}
    assert alone == shared
    assert told(pytester, "alone") == told(pytester, "shared")
    counts = dict(zip(COUNTS, told(pytester, "shared")[2], strict=True))
    assert counts["queries_asked"] == len(alone)
    assert counts["queries_cached"] == 0
    assert counts["queries_saved"] > 0


WAYS = {"a cache": ("Model", ()), "no cache": ("Model", ("--vqamt-no-cache",)), "undeclared": ("Undeclared", ())}


@pytest.mark.parametrize(
    "way", ["a cache", *(pytest.param(way, marks=pytest.mark.full) for way in ("no cache", "undeclared"))]
)
def test_two_workers_ask_each_query_once(pytester: pytest.Pytester, temporary: Path, way: str) -> None:
    check_each_was_asked_once(pytester, 2, *WAYS[way], FOUR)
    assert list(temporary.iterdir()) == []


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
def test_four_workers_ask_each_query_of_all_relations_once(pytester: pytest.Pytester, way: str) -> None:
    named, also = WAYS[way]
    check_each_was_asked_once(pytester, 4, named, (*also, "--vqamt-shrink=30"), "")
    assert len(every_item((Task.VQA,))) > 40


@pytest.mark.full
def test_a_cached_answer_counts_once_over_all_workers(pytester: pytest.Pytester) -> None:
    assert ran(pytester, "--vqamt-report=first") == 0
    first = asked(pytester)
    assert ran(pytester, "--vqamt-report=second", "-n", "2") == 0
    assert asked(pytester) == []
    (report, cases, (needed, asked_first, _, saved)), later = told(pytester, "first"), told(pytester, "second")
    assert (report, cases) == later[:2]
    assert asked_first == len(first)
    assert later[2] == (needed, 0, asked_first, saved)


@pytest.mark.full
def test_two_runs_at_once_share_one_cache(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AT_ONCE", "2")
    sessions = [
        subprocess.Popen(command(f"--vqamt-report={name}"), cwd=pytester.path, stdout=subprocess.DEVNULL)
        for name in ("one", "other")
    ]
    assert [session.wait(timeout=120) for session in sessions] == [0, 0]
    by_process = [log.read_text().split() for log in pytester.path.glob("asked-*.txt")]
    assert set(Counter(name for ids in by_process for name in ids).values()) == {1}
    assert len(by_process) == 2, "both asked some"
    one, other = told(pytester, "one"), told(pytester, "other")
    assert one[:2] == other[:2]
    assert one[2][1] + other[2][1] == sum(map(len, by_process))
    assert left(pytester) == []


@pytest.mark.full
def test_a_worker_that_dies_costs_its_item_and_what_it_was_asking(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DIES", "1")
    assert ran(pytester, "--vqamt-report=first", "-n", "2") == pytest.ExitCode.TESTS_FAILED
    first = Counter(asked(pytester))
    lost = {name for name, times in first.items() if times > 1}
    assert len(lost) <= 8, "one batch, which another worker has asked again"
    report = report_in(pytester.path / "first")
    assert report["complete"] is False
    assert left(pytester) == []

    assert ran(pytester, "--vqamt-report=again", "-n", "2") == 0
    again = asked(pytester)
    assert ran(pytester, "--vqamt-report=undisturbed", "--vqamt-no-cache") == 0
    assert set(asked(pytester)) == set(first) | set(again)
    assert told(pytester, "again")[:2] == told(pytester, "undisturbed")[:2]


@pytest.mark.full
def test_workers_with_two_models_of_one_name_make_no_report(pytester: pytest.Pytester) -> None:
    # As where a server was given another model after the first worker had asked what it has, and answers are a session
    # old. What is asked hangs on the worker alone.
    pytester.makepyfile(
        swapped="""
        import os
        from logged import Model

        class Swapped(Model):
            fingerprint = f"the model of {os.environ['PYTEST_XDIST_WORKER']}"
        """
    )
    arguments = [each.replace("logged:Model", "swapped:Swapped") for each in command("-n", "2", "--vqamt-report=out")]
    ended = pytester.runpytest_inprocess(*arguments[3:])
    assert ended.ret == pytest.ExitCode.TESTS_FAILED
    ended.stdout.re_match_lines(
        [
            r"ERROR: no report was made\. Expected model 'python:swapped:Swapped' to be one model all along, but it "
            r"was fingerprint='the model of gw\d' for some items and fingerprint='the model of gw\d' for others: .*"
        ]
    )
    assert "Traceback" not in ended.stdout.str()
    assert list((pytester.path / "out").iterdir()) == []


@pytest.fixture
def slow_session(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Iterator[subprocess.Popen[bytes]]:
    """Two workers, each in the middle of a batch that takes longer than anybody waits."""
    monkeypatch.setenv("SLOW_S", "60")
    with (pytester.path / "session.txt").open("w") as output:
        session: subprocess.Popen[bytes] = pytester.popen(
            command("-n", "2"), stdout=output, stderr=subprocess.STDOUT, start_new_session=True
        )
    deadline = time.monotonic() + 60
    while len(list(pytester.path.glob("asked-*.txt"))) < 2:
        assert session.poll() is None, (pytester.path / "session.txt").read_text()
        assert time.monotonic() < deadline
        time.sleep(0.02)
    yield session
    if session.poll() is None:
        os.killpg(session.pid, signal.SIGKILL)
        session.wait()


@pytest.mark.full
def test_ctrl_c_ends_a_run_soon_and_leaves_nothing_behind(
    pytester: pytest.Pytester, temporary: Path, slow_session: subprocess.Popen[bytes]
) -> None:
    assert len(list(temporary.iterdir())) == 1
    began = time.monotonic()
    os.killpg(slow_session.pid, signal.SIGINT)
    assert slow_session.wait(timeout=40) == pytest.ExitCode.INTERRUPTED
    assert time.monotonic() - began < 20
    assert left(pytester) == []
    assert list(temporary.iterdir()) == []


@pytest.mark.full
def test_what_a_killed_session_has_left_is_taken_away_by_the_next(
    pytester: pytest.Pytester,
    temporary: Path,
    slow_session: subprocess.Popen[bytes],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (left,) = temporary.iterdir()
    monkeypatch.setenv("SLOW_S", "0")
    assert ran(pytester, "-n", "1", "--vqamt-no-cache", relations="--vqamt-relations=control.repeat") == 0
    assert list(temporary.iterdir()) == [left], "it is in use"
    slow_session.kill()  # its workers end by themselves
    slow_session.wait()
    assert left.is_dir()
    assert ran(pytester, "-n", "1", "--vqamt-no-cache", relations="--vqamt-relations=control.repeat") == 0
    assert list(temporary.iterdir()) == []


@pytest.mark.full
def test_claims_end_before_anything_is_waited_for(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        interrupted="""
        import sqlite3, time
        from contextlib import closing
        from pathlib import Path
        from logged import Model

        class Interrupted(Model):
            def prepare(self, task, batch):
                Path("preparing").touch()
                deadline = time.monotonic() + 4
                with closing(sqlite3.connect("kept/answers.sqlite")) as db:
                    while db.execute("select * from lease_holders").fetchall():
                        if time.monotonic() > deadline:
                            return
                        time.sleep(0.01)
                Path("all-was-free").touch()

            def answer(self, batch):
                while not Path("preparing").exists():
                    time.sleep(0.01)
                raise KeyboardInterrupt
        """
    )
    arguments = [each.replace("logged:Model", "interrupted:Interrupted") for each in command()]
    ended = pytester.runpytest_inprocess(*arguments[3:], no_reraise_ctrlc=True)
    assert ended.ret == pytest.ExitCode.INTERRUPTED
    assert (pytester.path / "all-was-free").exists()
