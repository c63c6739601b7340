"""The process of ``vqamt serve`` that the user starts: it runs the server process, and ends it with all others."""

from __future__ import annotations

import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from shlex import quote
from types import FrameType
from typing import TypeAlias

import msgspec
import psutil

from pytest_vqamt.core.errors import ModelError, OptionError
from pytest_vqamt.core.text import count_noun
from pytest_vqamt.execution.leases import LockedFolder
from pytest_vqamt.models.served import TOKEN_VARIABLE
from pytest_vqamt.serving.config import ServeConfig
from pytest_vqamt.serving.ray_backend import process_environment

_GRACE_S = 3.0
"""Seconds that the server process has to end by itself before it is killed."""
_GRACE_AT_CLUSTER_S = 60.0
"""Ray Serve takes its time to end replicas at a cluster; a second signal ends the wait."""

_KILL_TIMEOUT_S = 20
"""After so many seconds processes that do not die are named and left."""
_MAX_RESTARTS = 5
"""A server that ends so often has a lasting fault."""
_WATCH_EVERY_S = 1.0
"""How often Ray's processes are looked at."""
_RAY_PROCESSES = ("raylet", "gcs_server")
"""Ray's own processes, without which no replica is reached."""

LOG_FILE = "server.log"
"""What Ray, models and the server process print, in the folder of the server."""

SHUTDOWN_COMMAND = "shutdown"
"""Shutdown command on stdin. EOF without it means that the parent process died."""

_STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

_FOLDER_PREFIX = "vqamt-serve-"
_MAX_FOLDER_LENGTH = 30
"""Ray's sockets have up to 72 characters more, and their paths at most 103 to 107, depending on the system."""


class Ready(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """The server accepts requests."""

    url: str
    """As ``served:`` takes it."""
    replicas: int
    data: tuple[str, ...]
    """The specs of the served scene sources."""


class StartupFailed(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """The server cannot start, for a reason that the user can fix."""

    reason: str
    """One line, with what to do."""


class Progress(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """The queries so far."""

    received: int
    """Queries of all requests since the start."""
    asked: int
    """Distinct queries that went to the model since the start."""
    recent: int
    """Those of the last ``since_s`` seconds."""
    since_s: float
    """Seconds since the last message of this kind."""


StatusMessage: TypeAlias = Ready | StartupFailed | Progress


def read_status_message(line: bytes) -> StatusMessage | None:
    """The message of a line; None for anything else, such as half a line of a killed process."""
    try:
        return msgspec.json.decode(line, type=Ready | StartupFailed | Progress)
    except ValueError:
        return None


class Supervisor:
    """The command's own process: it runs the server process, restarts it, and cleans up after it.

    Args:
        token: required with every request; "" for none.
        print_line: prints a line for the user.
        signals: end the server.
    """

    def __init__(
        self, config: ServeConfig, token: str, print_line: Callable[[str], None], signals: StopSignals
    ) -> None:
        self._config = config
        self._token = token
        self._print = print_line
        self._signals = signals
        self._was_ready = False
        self._needed: dict[str, psutil.Process] = {}
        self._lost = ""
        self._last: Progress | None = None
        self._asked_before = 0

    def run(self, listener: socket.socket, given: Mapping[str, str]) -> None:
        """Serves until a signal comes; ``given`` is the environment.

        Raises:
            ModelError: the server cannot start, or ended too often.
        """
        config = self._config
        where = f"at the cluster {config.cluster}" if config.cluster else "with a Ray of its own"
        self._print(f"vqamt: loading {config.model} {where}, which may take a while")
        variables = process_environment(given, config)
        for _ in range(_MAX_RESTARTS + 1):
            error = self._run_server(listener, variables)
            # First: a server that ends by a signal has not failed.
            if self._signals.count:
                asked = self._asked_before + (self._last.asked if self._last else 0)
                queries = f"{count_noun(asked, 'query was', 'queries were')} asked of the model"
                self._print(f"vqamt: stopped serving {config.model}; {queries}")
                return
            if error:
                raise ModelError(error)
            if not self._was_ready:
                raise ModelError(
                    f"Expected model={config.model!r} to be served, but the server process ended before it was ready: "
                    f"{self._last_log_line()}"
                )
            # It was ready once, so the model loads, and clients retry until it is back.
            ended = self._lost or "the server process"
            self._print(f"vqamt: {ended} ended, and the server is restarted; requests wait for it")
            self._asked_before += self._last.asked if self._last else 0
            self._last = None
        raise ModelError(
            f"Expected model={config.model!r} to be served, but its server process ended {_MAX_RESTARTS + 1} times"
        )

    def _run_server(self, listener: socket.socket, variables: dict[str, str]) -> str:
        """Runs one server process to its end; returns why it could not start, or ""."""
        process = subprocess.Popen(
            [sys.executable, "-m", "pytest_vqamt.serving.server", str(listener.fileno())],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=variables,
            pass_fds=[listener.fileno()],
            start_new_session=True,  # only this process gets Ctrl-C: it knows the order of the shutdown
        )
        assert process.stdin is not None
        assert process.stdout is not None
        self._needed, self._lost = {}, ""
        try:
            # It may have died at once, which the end of its output tells.
            with suppress(BrokenPipeError):
                process.stdin.write(f"{self._config.as_line()}\n{self._token}\n".encode())
                process.stdin.flush()
            return self._relay(process.stdout.fileno(), process.pid)
        finally:
            self._end(process)

    def _relay(self, out: int, session: int) -> str:
        """Prints the server's messages until it ends or a signal comes; returns why it could not start, or "".

        It also ends where one of Ray's own processes has ended, without which the server would answer that it is ready,
        and never a query: Ray waits for them for minutes, or for ever.
        """
        held = b""
        while not self._signals.count:
            readable, _, _ = select.select([out, self._signals.pipe], [], [], _WATCH_EVERY_S)
            if out in readable:
                received = os.read(out, 65536)
                if not received:
                    return ""
                # A read may end within a line.
                *lines, held = (held + received).split(b"\n")
                for line in lines:
                    if error := self._receive(line):
                        return error
            if lost := self._lost_process(session):
                self._lost = lost
                return ""
        return ""

    def _lost_process(self, session: int) -> str:
        """The name of a process of Ray that the server needs and that has ended; "" while all of them run.

        They are looked for from the start, so that one that ends right after the server is ready is missed, too.
        """
        # A cluster's processes belong to others, on machines of their own.
        if self._config.cluster:
            return ""
        for name in _RAY_PROCESSES:
            if name not in self._needed:
                found = next((each for each in session_processes(session) if _is_named(each, name)), None)
                if found is not None:
                    self._needed[name] = found
            elif self._was_ready and not _is_alive(self._needed[name]):
                return f"{name} (Ray)"
        return ""

    def _receive(self, line: bytes) -> str:
        """Prints a message of the server; returns why it could not start, or ""."""
        match read_status_message(line):
            case Ready() as ready:
                self._was_ready = True
                self._print(_ready_line(self._config.model, ready))
                self._print(client_command_line(ready, needs_token=bool(self._token)))
            case StartupFailed(reason=reason):
                return reason
            case Progress() as progress:
                self._last = progress
                if not self._signals.count:
                    self._print(progress_line(progress))
        return ""

    def _end(self, process: subprocess.Popen[bytes]) -> None:
        """Shuts the server down, and kills whatever is left of it."""
        assert process.stdin is not None
        with suppress(OSError):
            process.stdin.write(f"{SHUTDOWN_COMMAND}\n".encode())
        with suppress(OSError):
            process.stdin.close()
        signals = self._signals.count
        until = time.monotonic() + (_GRACE_AT_CLUSTER_S if self._config.cluster else _GRACE_S)
        # A second signal ends the wait: the user is in a hurry.
        while process.poll() is None and time.monotonic() < until and self._signals.count <= max(1, signals):
            time.sleep(0.02)
        # Workers of Ray are in the session of the server process, which started them all.
        left = end_session(process.pid)
        process.poll()
        assert process.stdout is not None
        with process.stdout as out:
            # What it sent before it ended: the reason why it could not start, or the last counts.
            for line in out:
                self._receive(line)
        if left:
            self._print(f"vqamt: could not end the processes {', '.join(map(str, left))}")

    def _last_log_line(self) -> str:
        with suppress(OSError):
            log = (Path(self._config.folder) / LOG_FILE).read_text(encoding="utf-8", errors="replace")
            if lines := log.strip().splitlines():
                return lines[-1][:300]
        return "its log is empty"


def _ready_line(model: str, ready: Ready) -> str:
    count = count_noun(ready.replicas, "replica")
    data = ", ".join(ready.data) or "no data"
    return f"vqamt: serving {model} at {ready.url} ({count}, {data}); stop with Ctrl-C"


def client_command_line(ready: Ready, *, needs_token: bool = False) -> str:
    """The line with the command that uses the server."""
    data = "".join(f" {quote(f'--vqamt-data={spec}')}" for spec in ready.data)
    # Other machines cannot connect to the wildcard address.
    url = ready.url.replace("//0.0.0.0:", f"//{socket.gethostname()}:").replace("//[::]:", f"//{socket.gethostname()}:")
    token = f"{TOKEN_VARIABLE}=... " if needs_token else ""
    return f"vqamt: use it with: {token}pytest --vqamt-model=served:{url}{data}"


def progress_line(progress: Progress) -> str:
    """The line on the queries so far."""
    rate = progress.recent / progress.since_s
    return (
        f"vqamt: {count_noun(progress.received, 'query', 'queries')} received, {progress.asked:,} asked of the model "
        f"({rate:,.{1 if 0 < rate < 10 else 0}f}/s in the last {progress.since_s:.0f} s)"
    )


class StopSignals:
    """Counts the signals that stop a server.

    Attributes:
        count: the number of signals so far.
        pipe: is readable once a signal has come.
    """

    def __init__(self) -> None:
        self.count = 0
        self.pipe, self._write = os.pipe()
        # A handler must not wait, even when the pipe is full of signals.
        os.set_blocking(self._write, False)

    def handle(self, _number: int, _frame: FrameType | None) -> None:
        self.count += 1
        # select() in `_relay` wakes up by it: a handler alone does not end its wait.
        with suppress(BlockingIOError):
            os.write(self._write, b"!")

    @contextmanager
    def handled(self) -> Iterator[StopSignals]:
        """Only counts the signals within the block; SIGHUP stays ignored under ``nohup``."""
        numbers = [n for n in _STOP_SIGNALS if n is not signal.SIGHUP or signal.getsignal(n) is not signal.SIG_IGN]
        before = {number: signal.signal(number, self.handle) for number in numbers}
        try:
            yield self
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
            os.close(self.pipe)
            os.close(self._write)


def server_folder() -> LockedFolder:
    """A folder for this user alone, with a short path; the next server removes it if this one is killed.

    Raises:
        OptionError: no folder for temporary files can be used.
    """
    # Eight random characters come after the prefix.
    longest = _MAX_FOLDER_LENGTH - len(_FOLDER_PREFIX) - 8
    tried = dict.fromkeys((tempfile.gettempdir(), "/tmp", "/var/tmp"))
    for name in tried:
        if len(os.fsencode(name)) <= longest and os.access(name, os.W_OK | os.X_OK):
            return LockedFolder(Path(name), _FOLDER_PREFIX)
    raise OptionError(
        f"Expected a folder for temporary files with a path of at most {longest} characters (Ray's sockets are in it) "
        f"that can be written to, but got {', '.join(tried)}: set TMPDIR to one"
    )


def _is_named(process: psutil.Process, name: str) -> bool:
    with suppress(psutil.Error):
        return bool(process.name() == name)
    return False


def session_processes(session: int) -> set[psutil.Process]:
    """The live processes of a session, orphans included, and their descendants, which may have left the session."""
    found: set[psutil.Process] = set()
    for process in psutil.process_iter():
        with suppress(psutil.NoSuchProcess, OSError):
            if os.getsid(process.pid) == session:
                found |= {process, *process.children(recursive=True)}
    return {process for process in found if _is_alive(process)}


def _is_alive(process: psutil.Process) -> bool:
    with suppress(psutil.NoSuchProcess):
        # A zombie has ended, and only waits for its parent.
        return bool(process.status() != psutil.STATUS_ZOMBIE)
    return False


def end_session(session: int) -> Sequence[int]:
    """Kills all processes of a session but this one; returns the ids of processes that survive."""
    deadline = time.monotonic() + _KILL_TIMEOUT_S
    # Again and again: a process may start another one before it is killed.
    while left := [process for process in session_processes(session) if process.pid != os.getpid()]:
        if time.monotonic() > deadline:
            break
        for process in left:
            with suppress(psutil.NoSuchProcess, psutil.AccessDenied):
                process.kill()
        psutil.wait_procs(left, timeout=0.05)
    return sorted(process.pid for process in left)


if __name__ == "__main__":  # started by a server process whose supervisor was killed
    end_session(int(sys.argv[1]))
    shutil.rmtree(sys.argv[2], ignore_errors=True)
