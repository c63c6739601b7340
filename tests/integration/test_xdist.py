"""A worker is told which run it is a part of, and where its processes meet; nothing of that outlasts the run."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from pytest_vqamt.execution.answer_cache import ANSWERS_FILE, AnswerStore
from pytest_vqamt.execution.leases import RunProcess
from pytest_vqamt.integration.settings import RunFolder, Settings, XdistGateway, XdistNode, run_process_of


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
