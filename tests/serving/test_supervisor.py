"""What the command says of a server."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_vqamt.core.errors import OptionError
from pytest_vqamt.serving import supervisor
from pytest_vqamt.serving.supervisor import (
    Progress,
    Ready,
    StopSignals,
    client_command_line,
    end_session,
    progress_line,
    server_folder,
    session_processes,
)
from tests.rows import each_row


@each_row(
    "url, named",
    [
        ("http://127.0.0.1:8000", "http://127.0.0.1:8000"),
        ("http://0.0.0.0:8000", f"http://{socket.gethostname()}:8000"),
        ("http://[::]:8000", f"http://{socket.gethostname()}:8000"),
    ],
)
def test_it_tells_how_to_ask(url: str, named: str) -> None:
    ready = Ready(url=url, replicas=1, data=("pictures:20", "gqa:my data"))
    assert client_command_line(ready) == (
        f"vqamt: use it with: pytest --vqamt-model=served:{named} --vqamt-data=pictures:20 '--vqamt-data=gqa:my data'"
    )


def test_it_tells_that_a_token_is_wanted() -> None:
    ready = Ready(url="http://127.0.0.1:8000", replicas=1, data=())
    told = client_command_line(ready, needs_token=True)
    assert told == "vqamt: use it with: VQAMT_SERVE_TOKEN=... pytest --vqamt-model=served:http://127.0.0.1:8000"


@each_row("recent, rate", [(25_000, "2,500/s"), (104, "10/s"), (96, "9.6/s"), (3, "0.3/s"), (0, "0/s")])
def test_a_slow_model_has_a_rate_too(recent: int, rate: str) -> None:
    told = progress_line(Progress(received=1_234, asked=1_000, recent=recent, since_s=10.0))
    assert told == f"vqamt: 1,234 queries received, 1,000 asked of the model ({rate} in the last 10 s)"


MAKE_AND_DIE = """
import os, signal
from pytest_vqamt.serving.supervisor import server_folder
folder = server_folder()
(folder.path / "answers").write_text("x")
print(folder.path, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture(autouse=True)
def base(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for temporary files of this test's own; its path may be long."""
    monkeypatch.setattr(supervisor, "_MAX_FOLDER_LENGTH", 1000)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def test_it_is_for_this_user_alone_and_goes(base: Path) -> None:
    folder = server_folder()
    assert folder.path.parent == base
    assert folder.path.stat().st_mode & 0o777 == 0o700
    (folder.path / "sub").mkdir()
    (folder.path / "sub" / "file").write_text("x")
    folder.remove()
    assert list(base.iterdir()) == []


def test_what_a_killed_server_has_left_is_taken_away_by_the_next(base: Path) -> None:
    made = subprocess.run(
        [sys.executable, "-c", MAKE_AND_DIE],
        env={**os.environ, "TMPDIR": str(base)},
        capture_output=True,
        text=True,
        check=False,
    )
    # Its path is too long for Ray, but for the test: the folder is then elsewhere, and the claim the same.
    left = Path(made.stdout.strip())
    if left.parent != base:
        left = left.rename(base / left.name)
    assert (left / "answers").exists()
    folder = server_folder()
    assert list(base.iterdir()) == [folder.path]
    folder.remove()


def test_that_of_a_server_that_lives_stays(base: Path) -> None:
    first = server_folder()
    second = server_folder()
    assert sorted(base.iterdir()) == sorted([first.path, second.path])
    first.remove()
    second.remove()


def test_what_only_looks_like_one_stays(base: Path) -> None:
    (base / "elsewhere").mkdir()
    (base / "elsewhere" / "lock").write_text("")
    (base / "vqamt-serve-link").symlink_to(base / "elsewhere")
    (base / "vqamt-serve-file").write_text("mine")
    server_folder().remove()
    assert sorted(path.name for path in base.iterdir()) == ["elsewhere", "vqamt-serve-file", "vqamt-serve-link"]
    assert (base / "elsewhere" / "lock").exists()


def test_a_path_that_is_too_long_for_sockets_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supervisor, "_MAX_FOLDER_LENGTH", 21)
    with pytest.raises(OptionError, match="set TMPDIR to one"):
        server_folder()


TREE = """
import subprocess, sys, time
sleep = "import time; time.sleep(300)"
deaf = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print(flush=True); time.sleep(300)"
# One child ends at once and leaves two behind; another has a session of its own.
parent = (
    "import subprocess, sys; "
    f"subprocess.Popen([sys.executable, '-c', {sleep!r}]); "
    f"subprocess.Popen([sys.executable, '-c', {deaf!r}], stdout=subprocess.PIPE).stdout.readline()"
)
subprocess.run([sys.executable, "-c", parent], check=True)
subprocess.Popen([sys.executable, "-c", sleep], start_new_session=True)
print("ready", flush=True)
time.sleep(300)
"""


def test_nothing_of_a_session_is_left() -> None:
    leader = subprocess.Popen([sys.executable, "-c", TREE], stdout=subprocess.PIPE, start_new_session=True)
    assert leader.stdout is not None
    with leader.stdout as out:
        assert out.readline() == b"ready\n"
        assert len(session_processes(leader.pid)) == 4
        assert end_session(leader.pid) == []
    leader.wait()
    assert session_processes(leader.pid) == set()


@pytest.fixture(autouse=True)
def _as_before() -> Iterator[None]:
    before = signal.getsignal(signal.SIGHUP)
    yield
    signal.signal(signal.SIGHUP, before)


@each_row("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_is_counted_and_ends_nothing(number: signal.Signals) -> None:
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    with StopSignals().handled() as signals:
        os.kill(os.getpid(), number)
        assert signals.count == 1
        assert os.read(signals.pipe, 10) == b"!"


def test_nohup_is_heeded() -> None:
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    with StopSignals().handled() as signals:
        os.kill(os.getpid(), signal.SIGHUP)
        assert signals.count == 0
    assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
