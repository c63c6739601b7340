"""Of several processes that want to ask the same, one does: leases end with an answer, a failure, or their holder."""

from __future__ import annotations

import multiprocessing
import os
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from pytest_vqamt.core.query import Answer
from pytest_vqamt.execution import leases
from pytest_vqamt.execution.answer_cache import AnswerStore
from pytest_vqamt.execution.leases import RunProcess, release_all

IDS = ("a", "b", "c", "d")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "answers.sqlite"


@pytest.fixture
def one(file: Path) -> Iterator[AnswerStore]:
    with AnswerStore(file, run=RunProcess(id="run", process="gw0")) as store:
        yield store


@pytest.fixture
def other(file: Path) -> Iterator[AnswerStore]:
    with AnswerStore(file, run=RunProcess(id="run", process="gw1")) as store:
        yield store


def leased(store: AnswerStore, *ids: str) -> list[str]:
    return store.lease("F", ids)[1]


def rows(file: Path, table: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(file)) as db:
        return db.execute(f"select * from {table}").fetchall()


def test_what_one_process_has_leased_no_other_can(one: AnswerStore, other: AnswerStore) -> None:
    assert leased(one, "a", "b") == ["a", "b"]
    assert leased(other, "b", "c") == ["c"]
    assert other.released("F", IDS) == ["c", "d"]
    assert one.released("F", IDS) == ["a", "b", "d"]


def test_a_lease_is_on_the_query_of_one_model(one: AnswerStore, other: AnswerStore) -> None:
    assert leased(one, "a") == ["a"]
    assert other.lease("G", ("a",))[1] == ["a"]


def test_an_answer_ends_the_lease(file: Path, one: AnswerStore, other: AnswerStore) -> None:
    leased(one, "a", "b")
    one.put("F", {"a": Answer("yes")})
    assert other.released("F", ("a", "b")) == ["a"]
    found, mine = other.lease("F", ("a", "b"))
    assert (found.answers, found.cached, mine) == ({"a": Answer("yes")}, 0, [])
    assert len(rows(file, "leases")) == 1


def test_what_is_released_is_free(one: AnswerStore, other: AnswerStore) -> None:
    leased(one, *IDS)
    one.release("F", ("a", "b"))
    assert leased(other, *IDS) == ["a", "b"]


def test_nobody_ends_what_another_holds(one: AnswerStore, other: AnswerStore) -> None:
    leased(one, "a")
    leased(other, "b")
    other.release("F", ("a",))
    other.put("F", {"a": Answer("asked all the same")})
    assert other.released("F", ("a",)) == []


def test_closing_releases_all_and_leaves_nothing(file: Path, other: AnswerStore) -> None:
    with AnswerStore(file) as store:
        leased(store, *IDS)
        assert leased(other, *IDS) == []
    assert leased(other, *IDS) == list(IDS)
    other.close()
    assert rows(file, "leases") == rows(file, "lease_holders") == []
    assert [each.name for each in file.parent.iterdir()] == [file.name]


@pytest.mark.parametrize("lease_s", [-0.1, 2 * leases.LEASE_S + 1], ids=["run out", "of before the clock was put back"])
def test_the_leases_of_the_dead_are_free(
    file: Path, one: AnswerStore, other: AnswerStore, monkeypatch: pytest.MonkeyPatch, lease_s: float
) -> None:
    leased(one, "a")
    with closing(sqlite3.connect(file, isolation_level=None)) as db:
        db.execute("update lease_holders set until = ?", (time.time() + lease_s,))
    assert other.released("F", ("a",)) == ["a"]
    assert leased(other, "a") == ["a"]


@pytest.mark.skipif(os.name != "posix", reason="no way to ask whether a process is there")
def test_nobody_waits_for_a_process_that_is_certainly_gone(file: Path, other: AnswerStore) -> None:
    # Such a process never comes to its end: os._exit does nothing but end it.
    script = f"""
import os
from pathlib import Path
from pytest_vqamt.execution.answer_cache import AnswerStore
store = AnswerStore(Path({str(file)!r}))
assert store.lease("F", ("a",))[1] == ["a"]
os._exit(0)
"""
    assert subprocess.run([sys.executable, "-c", script], timeout=60, check=False).returncode == 0
    ((_, until),) = rows(file, "lease_holders")
    assert isinstance(until, float)
    assert until > time.time(), "its lease has not ended"
    assert other.released("F", ("a",)) == ["a"]
    assert leased(other, "a") == ["a"]


def test_one_that_was_taken_for_dead_can_go_on(file: Path, one: AnswerStore, other: AnswerStore) -> None:
    leased(one, "a")
    with closing(sqlite3.connect(file, isolation_level=None)) as db:
        db.execute("update lease_holders set until = 0")
    assert leased(other, "a") == ["a"], "which clears away what the dead have left"
    one.put("F", {"a": Answer("late")})
    assert other.released("F", ("a",)) == ["a"]
    assert leased(one, "b") == ["b"]
    assert leased(other, "b") == []


def test_a_lease_is_renewed_while_its_holder_lives(
    file: Path, one: AnswerStore, other: AnswerStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(leases, "_HEARTBEAT_S", 0.01)
    leased(one, "a")
    ((holder, until),) = rows(file, "lease_holders")
    deadline = time.monotonic() + 30
    while (holder, until) in rows(file, "lease_holders"):
        assert time.monotonic() < deadline
        time.sleep(0.01)
    assert leased(other, "a") == []


def test_a_heartbeat_never_disturbs_the_run(
    file: Path, one: AnswerStore, monkeypatch: pytest.MonkeyPatch, recwarn: pytest.WarningsRecorder
) -> None:
    monkeypatch.setattr(leases, "_HEARTBEAT_S", 0.01)
    monkeypatch.setattr(leases, "_BUSY_TIMEOUT_S", 0.01)
    leased(one, "a")
    with closing(sqlite3.connect(file, isolation_level=None)) as db:
        db.execute("drop table lease_holders")
        time.sleep(0.1)
        db.executescript(leases.LEASE_TABLES)
        db.execute("begin immediate")
        time.sleep(0.1)
        db.execute("rollback")
        deadline = time.monotonic() + 10
        while not db.execute("select * from lease_holders").fetchall():
            assert time.monotonic() < deadline
            time.sleep(0.01)
    assert not recwarn.list


def test_a_controller_frees_what_a_dead_worker_held(file: Path, one: AnswerStore, other: AnswerStore) -> None:
    leased(one, "a")
    leased(other, "b")
    release_all(file, "run.gw0.")
    assert one.released("F", ("a", "b")) == ["a"]
    release_all(file, "run.")
    assert rows(file, "leases") == rows(file, "lease_holders") == []


@pytest.mark.parametrize("file_is", ["absent", "garbage"])
def test_where_nothing_can_be_freed_nobody_is_troubled(file: Path, file_is: str) -> None:
    if file_is == "garbage":
        file.write_bytes(b"certainly not a database\n" * 99)
    release_all(file, "run.")
    assert file.exists() == (file_is == "garbage")


def test_a_store_that_is_not_shared_leases_nothing() -> None:
    with AnswerStore(None) as store:
        store.put("F", {"a": Answer("yes")})
        assert store.lease("F", IDS[1:])[1] == list(IDS[1:])
        assert store.released("F", IDS) == list(IDS)
        store.release("F", IDS)


def test_cached_answers_count_once_over_all_processes(file: Path, one: AnswerStore, other: AnswerStore) -> None:
    with AnswerStore(file, run=RunProcess(id="earlier")) as store:
        store.put("F", {name: Answer("yes") for name in IDS})
    assert one.use("F", ("a", "b"))[1:] == (2,)
    assert other.use("F", ("b", "c"))[1:] == (1,)
    assert other.lease("F", ("c", "d"))[0][1:] == (1,)


def test_any_number_is_leased_at_once(one: AnswerStore, other: AnswerStore) -> None:
    ids = [f"query {number}" for number in range(2000)]
    assert leased(one, *ids) == ids
    assert leased(other, *ids, "one more") == ["one more"]
    assert other.released("F", ids) == []
    one.put("F", {name: Answer("yes") for name in ids})
    assert other.lease("F", ids)[0].answers.keys() == set(ids)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no system with fork")
def test_a_fork_has_a_connection_and_leases_of_its_own(file: Path, one: AnswerStore) -> None:
    leased(one, "a")

    def child(told: multiprocessing.SimpleQueue[object]) -> None:
        mine = leased(one, "a", "b")
        one.put("F", {name: Answer("of the child") for name in mine})
        one.close()
        told.put(mine)

    context = multiprocessing.get_context("fork")
    told: multiprocessing.SimpleQueue[object] = context.SimpleQueue()
    process = context.Process(target=child, args=(told,))
    process.start()
    assert told.get() == ["b"]
    process.join()
    assert one.get("F", ("a", "b")) == {"b": Answer("of the child")}
    one.put("F", {"a": Answer("of the parent")})
    assert one.get("F", ("a",)) == {"a": Answer("of the parent")}


def test_a_fork_that_never_touched_it_leaves_it_alone(file: Path, one: AnswerStore, other: AnswerStore) -> None:
    leased(one, "a")
    if (child := os.fork()) == 0:
        one.close()
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    assert leased(other, "a") == []
