"""What was answered is there until the run has it, for whoever asks for it."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from pytest_vqamt.core.errors import ModelError
from pytest_vqamt.models.openai.requests import Answered


@pytest.mark.parametrize("on_disk", [False, True])
def test_answers_are_there_until_they_are_dropped(tmp_path: Path, on_disk: bool) -> None:
    answered = Answered(tmp_path / "folder" / "openai.sqlite" if on_disk else None, "F")
    names = [f"q{number}" for number in range(2000)]
    for name in names[::2]:
        answered.add(name, f"says {name}")
    assert answered.get(names) == {name: f"says {name}" for name in names[::2]}
    answered.drop(names[:1000])
    assert sorted(answered.get(names)) == sorted(names[1000::2])
    assert answered.get([]) == {}
    answered.close()


def test_without_a_file_they_end_with_the_model() -> None:
    Answered(None, "F").add("q", "yes")
    assert Answered(None, "F").get(["q"]) == {}


def test_a_file_keeps_models_apart(tmp_path: Path) -> None:
    one, other = (Answered(tmp_path / "f.sqlite", fingerprint) for fingerprint in ("one", "other"))
    one.add("q", "yes")
    assert other.get(["q"]) == {}
    assert Answered(tmp_path / "f.sqlite", "one").get(["q"]) == {"q": "yes"}


def test_many_threads_may_answer_at_once(tmp_path: Path) -> None:
    answered = Answered(tmp_path / "f.sqlite", "F")
    names = [f"q{number}" for number in range(300)]
    with ThreadPoolExecutor(16) as threads:
        list(threads.map(lambda name: answered.add(name, "yes"), names))
    assert len(answered.get(names)) == 300


def test_many_processes_may_open_it_at_once_and_be_killed(tmp_path: Path) -> None:
    code = (
        "import os, sys; from pathlib import Path; from pytest_vqamt.models.openai.requests import Answered\n"
        "answered = Answered(Path(sys.argv[1]), 'F')\n"
        "for number in range(20): answered.add(f'{sys.argv[2]}-{number}', 'yes')\n"
        "os.kill(os.getpid(), 9)"
    )
    file = tmp_path / "f.sqlite"
    started = [subprocess.Popen([sys.executable, "-c", code, str(file), str(number)]) for number in range(4)]
    assert [process.wait() for process in started] == [-9] * 4
    names = [f"{process}-{number}" for process in range(4) for number in range(20)]
    assert len(Answered(file, "F").get(names)) == 80


def test_a_file_that_is_none_of_ours_is_told(tmp_path: Path) -> None:
    (tmp_path / "f.sqlite").write_bytes(b"this is no database, but it is long enough to be one" * 100)
    with pytest.raises(ModelError, match=r"file='.*f\.sqlite' \(file is not a database\): delete it"):
        Answered(tmp_path / "f.sqlite", "F")
    (tmp_path / "file").touch()
    with pytest.raises(ModelError, match="name another folder with --vqamt-cache"):
        Answered(tmp_path / "file" / "f.sqlite", "F")


def test_a_file_that_breaks_later_is_told(tmp_path: Path) -> None:
    answered = Answered(tmp_path / "f.sqlite", "F")
    other = sqlite3.connect(tmp_path / "f.sqlite")
    other.execute("drop table answered")
    other.close()
    for touch in (lambda: answered.get(["q"]), lambda: answered.add("q", "yes"), lambda: answered.drop(["q"])):
        with pytest.raises(ModelError, match="no such table"):
            touch()
