"""A worker is told which run it is a part of, and where its processes meet; nothing of that outlasts the run."""

from __future__ import annotations

import tempfile
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from pytest_vqamt.execution.answer_cache import ANSWERS_FILE, AnswerStore
from pytest_vqamt.execution.leases import RunProcess
from pytest_vqamt.integration.settings import Settings
from pytest_vqamt.integration.xdist import (
    RunFolder,
    Workers,
    XdistGateway,
    XdistNode,
    place_of,
    run_process_of,
)


@dataclass
class Worker:
    """As xdist's controller knows it."""

    name: str
    workerinput: dict[str, object] = field(default_factory=dict)

    @property
    def gateway(self) -> XdistGateway:
        return cast("XdistGateway", SimpleNamespace(id=self.name))


def config_of(worker: Worker | None = None) -> pytest.Config:
    told = {} if worker is None else {"workerinput": {**worker.workerinput, "workerid": worker.name}}
    return cast("pytest.Config", SimpleNamespace(**told))


@pytest.fixture
def shared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> RunFolder:
    """What the controller of a run has whose answers are kept in ``kept``."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return RunFolder(cast("Settings", SimpleNamespace(run=RunProcess(id="now"), cache=tmp_path / "kept")))


def started(shared: RunFolder, name: str) -> RunProcess:
    worker = Worker(name)
    shared.pytest_configure_node(cast("XdistNode", worker))
    return run_process_of(config_of(worker))


def test_each_run_is_another() -> None:
    first, second = run_process_of(config_of()), run_process_of(config_of())
    assert first.id != second.id
    assert first.folder is second.folder is None


def test_workers_are_of_one_run_and_share_a_folder_of_their_user_alone(shared: RunFolder, tmp_path: Path) -> None:
    one, other = started(shared, "gw0"), started(shared, "gw1")
    assert (one.id, other.id) == ("now", "now")
    assert one.holder_prefix != other.holder_prefix
    assert one.folder == other.folder
    assert one.folder is not None
    assert one.folder.stat().st_mode & 0o077 == 0
    with AnswerStore(one.folder / ANSWERS_FILE):
        shared.pytest_unconfigure()
    assert list(tmp_path.iterdir()) == []


def test_a_worker_that_cannot_see_the_folder_does_without(shared: RunFolder) -> None:
    worker = Worker("gw0")
    shared.pytest_configure_node(cast("XdistNode", worker))
    shared.pytest_unconfigure()
    assert run_process_of(config_of(worker)).folder is None


def test_a_disk_without_room_for_it_is_told_in_a_line(shared: RunFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(Path("nowhere") / "at-all"))
    expected = r"that can be written to, but got .nowhere.at-all. .*set TMPDIR to one"
    with pytest.raises(pytest.UsageError, match=expected):
        started(shared, "gw0")


def test_without_workers_nothing_is_made(shared: RunFolder, tmp_path: Path) -> None:
    shared.pytest_unconfigure()
    assert list(tmp_path.iterdir()) == []


def test_what_a_dead_worker_held_is_free_at_once_in_both_files(shared: RunFolder, tmp_path: Path) -> None:
    dead, other = started(shared, "gw1"), started(shared, "gw10")
    assert dead.folder is not None
    for folder in (dead.folder, tmp_path / "kept"):
        with (
            AnswerStore(folder / ANSWERS_FILE, run=dead) as held,
            AnswerStore(folder / ANSWERS_FILE, run=other) as waits,
        ):
            held.lease("F", ("a",))
            waits.lease("F", ("b",))
            assert waits.released("F", ("a",)) == []
            shared.pytest_testnodedown(cast("XdistNode", Worker("gw1")))
            assert waits.released("F", ("a",)) == ["a"]
            assert held.released("F", ("b",)) == [], "whose name only begins like that"


class Pool:
    """The workers of a controller that begins with so many."""

    def __init__(self, shared: RunFolder, count: int) -> None:
        config = SimpleNamespace(pluginmanager=SimpleNamespace(get_plugin=lambda _name: None))
        self._workers = Workers(cast("pytest.Config", config), shared)
        self._shared = shared
        self._count = count

    def start(self, name: str) -> tuple[int, int]:
        self.last = Worker(name, {"workercount": self._count})
        for plugin in (self._shared, self._workers):
            plugin.pytest_configure_node(cast("XdistNode", self.last))
        return place_of(config_of(self.last))

    def end(self, name: str, *, lost: bool = False) -> None:
        if lost:
            (Path(str(self.last.workerinput["vqamt_run_folder"])) / f"lost-{name}").write_text("no device")
        self._workers.pytest_testnodedown(cast("XdistNode", Worker(name)))

    def finish(self, name: str) -> None:
        report = pytest.TestReport("t", ("t", 0, "t"), {}, "passed", None, "teardown")
        report.node = Worker(name)  # type: ignore[attr-defined]  # as xdist adds it
        run = self._workers.pytest_runtest_logreport(report)
        next(run)
        with suppress(StopIteration):
            run.send(None)


def test_a_worker_takes_the_place_of_the_one_that_it_replaces(shared: RunFolder) -> None:
    pool = Pool(shared, 4)
    assert [pool.start(f"gw{number}") for number in range(4)] == [(0, 4), (1, 4), (2, 4), (3, 4)]
    pool.end("gw2")
    assert pool.start("gw4") == (2, 4)
    pool.end("gw0")
    pool.end("gw3")
    assert [pool.start("gw5"), pool.start("gw6")] == [(0, 4), (3, 4)]
    assert place_of(config_of()) == (0, 1)


def test_a_device_that_is_lost_at_once_again_is_given_up(shared: RunFolder) -> None:
    pool = Pool(shared, 2)
    for name in ("gw0", "gw1"):
        pool.start(name)
    # One that had finished a test had a sound device, and so may the next.
    for name, after in (("gw0", "gw2"), ("gw2", "gw3")):
        pool.finish(name)
        pool.end(name, lost=True)
        assert pool.start(after) == (0, 2)
        assert pool.last.workerinput["vqamt_after"] == ""
    pool.end("gw3", lost=True)
    # The other place is that of gw1, which lives: the new worker begins when it ends.
    assert pool.start("gw4") == (1, 2)
    assert pool.last.workerinput["vqamt_after"] == "gw1"
    pool.end("gw1")
    assert (Path(str(pool.last.workerinput["vqamt_run_folder"])) / "ended-gw1").exists()
    pool.finish("gw4")
    for name in ("gw4", "gw5"):
        pool.end(name, lost=True)
        pool.start(f"gw{int(name[2:]) + 1}")
    assert pool.last.workerinput["vqamt_after"] is None, "no device is left"
