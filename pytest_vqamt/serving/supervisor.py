"""The processes of ``vqamt serve``: the supervisor that the user starts, and the server process below it."""

from __future__ import annotations

import asyncio
import ctypes
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from importlib.metadata import version
from pathlib import Path
from shlex import quote
from threading import Thread
from types import FrameType
from typing import TYPE_CHECKING, TextIO

from pytest_vqamt.core.errors import ModelError, OptionError, VqamtError
from pytest_vqamt.execution.leases import LockedFolder
from pytest_vqamt.models.served import TOKEN_VARIABLE
from pytest_vqamt.models.served.protocol import ModelCard, model_identity
from pytest_vqamt.serving.app import BoundedAnswerCache, IdleConnections, InferenceApp, ProgressReporter, SingleFlight
from pytest_vqamt.serving.config import ServeConfig, allow_port_reuse
from pytest_vqamt.serving.messages import Progress, Ready, ReplicaInfo, StartupFailed, StatusMessage, as_line, from_line
from pytest_vqamt.serving.ray_backend import Failover, process_environment

if TYPE_CHECKING:
    from uvicorn import Server


_GRACE_S = 3.0
_GRACE_AT_CLUSTER_S = 60.0
"""Ray Serve takes its time to end replicas at a cluster; a second signal ends the wait."""

_MAX_RESTARTS = 5
_PROGRESS_EVERY_S = 10
_BACKLOG = 256
_MAX_CONNECTIONS = 512
"""Further connections get 503."""

LOG_FILE = "server.log"
ANSWERS_FILE = "answers.sqlite"

SHUTDOWN_COMMAND = "shutdown"
"""Shutdown command on stdin. EOF without it means that the parent process died."""

_STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

_SET_CHILD_SUBREAPER = 36
"""PR_SET_CHILD_SUBREAPER of prctl(2)."""

_POLL_S = 0.05
_PROC = Path("/proc")

_FOLDER_PREFIX = "vqamt-serve-"
_MAX_FOLDER_LENGTH = 30
"""Ray's sockets have up to 72 characters more, and their paths at most 103 to 107, depending on the system."""

_REMOVE_FOLDER = 'read -r eof; n=0; while rm -rf -- "$1"; [ -e "$1" ] && [ $n -lt 50 ]; do sleep 0.2; n=$((n+1)); done'
"""A shell script that waits for the end of its standard input, and then removes the folder.

Processes that are ending may still write to the folder, so it is removed until it stays away.
"""


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
        self._last: Progress | None = None
        self._asked_before = 0

    def run(self, listener: socket.socket, given: Mapping[str, str]) -> None:
        """Serves until a signal comes; ``given`` is the environment.

        Raises:
            ModelError: the server cannot start, or ended too often.
        """
        become_subreaper()
        config = self._config
        where = f"at the cluster {config.cluster}" if config.cluster else "with a Ray of its own"
        self._print(f"vqamt: loading {config.model} {where}, which may take a while")
        variables = process_environment(given, config)
        for _ in range(_MAX_RESTARTS + 1):
            error = self._run_server(listener, variables)
            if self._signals.count:
                asked = self._asked_before + (self._last.asked if self._last else 0)
                self._print(f"vqamt: stopped serving {config.model}; {asked:,} queries were asked of the model")
                return
            if error:
                raise ModelError(error)
            if not self._was_ready:
                raise ModelError(
                    f"Expected model={config.model!r} to be served, but the server process ended before it was ready: "
                    f"{self._last_log_line()}"
                )
            self._print("vqamt: the server process ended, and is restarted; requests wait for it")
            self._asked_before += self._last.asked if self._last else 0
            self._last = None
        raise ModelError(
            f"Expected model={config.model!r} to be served, but its server process ended {_MAX_RESTARTS + 1} times"
        )

    def _run_server(self, listener: socket.socket, variables: dict[str, str]) -> str:
        """Runs one server process to its end; returns why it could not start, or ""."""
        process = subprocess.Popen(
            [sys.executable, "-m", "pytest_vqamt.serving.supervisor", str(listener.fileno())],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=variables,
            pass_fds=[listener.fileno()],
            start_new_session=True,  # only this process gets Ctrl-C: it knows the order of the shutdown
        )
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            with suppress(BrokenPipeError):
                process.stdin.write(f"{self._config.as_line()}\n{self._token}\n".encode())
                process.stdin.flush()
            return self._relay(process.stdout.fileno())
        finally:
            self._end(process)

    def _relay(self, out: int) -> str:
        """Prints the server's messages until it ends or a signal comes; returns why it could not start, or ""."""
        held = b""
        while not self._signals.count:
            readable, _, _ = select.select([out, self._signals.pipe], [], [])
            if out not in readable:
                continue
            received = os.read(out, 65536)
            if not received:
                return ""
            *lines, held = (held + received).split(b"\n")
            for line in lines:
                if error := self._receive(line.decode("utf-8", "replace")):
                    return error
        return ""

    def _receive(self, line: str) -> str:
        """Prints a message of the server; returns why it could not start, or ""."""
        match from_line(line):
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
        while process.poll() is None and time.monotonic() < until and self._signals.count <= max(1, signals):
            with suppress(subprocess.TimeoutExpired):
                process.wait(0.05)
        left = terminate_descendants(0.0)
        process.poll()
        assert process.stdout is not None
        with process.stdout as out:
            for line in out:
                self._receive(line.decode("utf-8", "replace"))
        if left:
            self._print(f"vqamt: could not end the processes {', '.join(map(str, left))}")

    def _last_log_line(self) -> str:
        with suppress(OSError):
            log = (Path(self._config.folder) / LOG_FILE).read_text(encoding="utf-8", errors="replace")
            if lines := log.strip().splitlines():
                return lines[-1][:300]
        return "its log is empty"


def _ready_line(model: str, ready: Ready) -> str:
    count = f"{ready.replicas} replica{'' if ready.replicas == 1 else 's'}"
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
        f"vqamt: {progress.received:,} queries received, {progress.asked:,} asked of the model "
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
        os.set_blocking(self._write, False)

    def handle(self, _number: int, _frame: FrameType | None) -> None:
        self.count += 1
        with suppress(BlockingIOError):
            os.write(self._write, b"!")

    @contextmanager
    def handled(self) -> Iterator[StopSignals]:
        """Within, the signals are only counted. SIGHUP stays ignored under ``nohup``."""
        numbers = [n for n in _STOP_SIGNALS if n is not signal.SIGHUP or signal.getsignal(n) is not signal.SIG_IGN]
        before = {number: signal.signal(number, self.handle) for number in numbers}
        try:
            yield self
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
            os.close(self.pipe)
            os.close(self._write)


class ServerFolder(LockedFolder):
    """The folder of a server, for this user alone; the next server removes it if this one is killed."""

    def __init__(self) -> None:
        """Raises OptionError if no folder for temporary files can be used."""
        super().__init__(_temporary_folder(), _FOLDER_PREFIX)


def _temporary_folder() -> Path:
    """The first writable folder for temporary files with a short path."""
    longest = _MAX_FOLDER_LENGTH - len(_FOLDER_PREFIX) - 8
    tried = dict.fromkeys((tempfile.gettempdir(), "/tmp", "/var/tmp"))
    for name in tried:
        if len(os.fsencode(name)) <= longest and os.access(name, os.W_OK | os.X_OK):
            return Path(name)
    raise OptionError(
        f"Expected a folder for temporary files with a path of at most {longest} characters (Ray's sockets are in it) "
        f"that can be written to, but got {', '.join(tried)}: set TMPDIR to one"
    )


def become_subreaper() -> bool:
    """Makes this process the parent of its orphaned descendants; False if the system has no such way.

    Ray's processes start each other, and do not all end with the process that started them.
    """
    if not sys.platform.startswith("linux"):
        return False
    status: int = ctypes.CDLL(None, use_errno=True).prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    return status == 0


def terminate_descendants(grace_s: float, *, spared: Collection[int] = (), timeout_s: float = 20) -> tuple[int, ...]:
    """Ends all descendants of this process except those ``spared`` and theirs; returns those that are left.

    They get SIGTERM, and SIGKILL after ``grace_s``. Without ``become_subreaper``, orphans are not found.
    """
    me = os.getpid()
    known: set[int] = set()
    began = time.monotonic()
    terminated: set[int] = set()
    while True:
        known |= descendants(me, spared)
        known = {process for process in known if _is_alive(process)}
        if not known:
            return ()
        elapsed_s = time.monotonic() - began
        if elapsed_s > timeout_s:
            return tuple(sorted(known))
        for process in known if elapsed_s >= grace_s else known - terminated:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(process, signal.SIGKILL if elapsed_s >= grace_s else signal.SIGTERM)
            terminated.add(process)
        time.sleep(_POLL_S)


def descendants(of: int, spared: Collection[int] = ()) -> set[int]:
    """The ids of the descendants of the process ``of``, including zombies."""
    children: dict[int, list[int]] = {}
    for process, parent in _processes():
        children.setdefault(parent, []).append(process)
    found: set[int] = set()
    pending = [of]
    while pending:
        for child in children.get(pending.pop(), ()):
            if child not in found and child not in spared:
                found.add(child)
                pending.append(child)
    return found


def _is_alive(process: int) -> bool:
    """Whether a process runs; a child that has ended is reaped."""
    with suppress(ChildProcessError):
        if os.waitpid(process, os.WNOHANG)[0] == process:
            return False
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return _state(process) not in ("Z", "X")


def _state(process: int) -> str:
    """The state letter of a process on Linux; "" if it is unknown."""
    try:
        return (
            (_PROC / str(process) / "stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()[0]
        )
    except (OSError, IndexError):
        return ""


def _processes() -> Iterator[tuple[int, int]]:
    """Yields every process with its parent: from /proc on Linux, from ps elsewhere."""
    if _PROC.is_dir():
        for name in os.listdir(_PROC):  # noqa: PTH208 - only names are needed, of thousands of processes
            if name.isdecimal():
                with suppress(OSError, IndexError, ValueError):
                    stat = (_PROC / name / "stat").read_text(encoding="utf-8", errors="replace")
                    yield int(name), int(stat.rpartition(")")[2].split()[1])
        return
    listed = subprocess.run(["ps", "-A", "-o", "pid=,ppid="], capture_output=True, text=True, check=False).stdout
    for line in listed.splitlines():
        process, parent = line.split()
        yield int(process), int(parent)


class Shutdown:
    """Ends the server process and all below it on the shutdown command, or when its parent dies.

    Args:
        commands: a pipe from the parent.

    Attributes:
        take_down: removes the application from a cluster.
        report: sends the last progress.
    """

    def __init__(self, config: ServeConfig, commands: TextIO) -> None:
        self.take_down: Callable[[], None] | None = None
        self.report: Callable[[], None] | None = None
        self.has_begun = False
        self._cleaner: subprocess.Popen[bytes] | None = None
        self._config = config
        self._commands = commands
        Thread(target=self._wait, name="vqamt-shutdown", daemon=True).start()

    def _wait(self) -> None:
        self.exit(0, parent_died=self._commands.readline().strip() != SHUTDOWN_COMMAND)

    def exit(self, status: int, *, parent_died: bool = False) -> None:
        """Ends this process, and does not return. A private Ray is killed: nothing in it must be kept.

        If ``parent_died``, this process has the folder removed.
        """
        self.has_begun = True
        if self.report is not None:
            self.report()
        if self._config.cluster and self.take_down is not None:
            try:
                self.take_down()
            except Exception as error:  # Ray may raise anything, and the process ends all the same
                print(f"taking down: {error!r}", file=sys.stderr, flush=True)
        if parent_died:
            self._cleaner = _start_cleaner(self._config.folder)  # its standard input must stay open until the end
        spared = [] if self._cleaner is None else [self._cleaner.pid]
        terminate_descendants(2.0 if self._config.cluster else 0.0, spared=spared)
        os._exit(status)


def _start_cleaner(folder: str) -> subprocess.Popen[bytes]:
    """Starts a process that removes the folder when this one has ended.

    This process writes to the folder until it ends, and Ray ends it with the first of its other processes.
    """
    arguments = ["/bin/sh", "-c", _REMOVE_FOLDER, "sh", folder]
    return subprocess.Popen(arguments, start_new_session=True, stdin=subprocess.PIPE, cwd="/")


def main() -> None:
    """Runs the server process: reads the configuration and the token from stdin, a line each, and serves until EOF."""
    pipe = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8", buffering=1)
    config, token = ServeConfig.from_line(sys.stdin.readline()), sys.stdin.readline().strip()
    listener = socket.socket(fileno=int(sys.argv[1]))
    listener.set_inheritable(False)
    log = os.open(Path(config.folder) / LOG_FILE, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    os.dup2(log, 1)  # Ray and models may print
    os.dup2(log, 2)
    become_subreaper()
    shutdown = Shutdown(config, sys.stdin)

    def send(message: StatusMessage) -> None:
        with suppress(OSError):  # the parent died, and stdin has ended, too
            pipe.write(as_line(message))

    try:
        _serve(config, token, listener, shutdown, send)
    except VqamtError as error:
        send(StartupFailed(reason=str(error)))
        shutdown.exit(2)
    finally:
        while shutdown.has_begun:  # Ray fails during the shutdown, which this process must outlive
            time.sleep(1)


def _serve(
    config: ServeConfig,
    token: str,
    listener: socket.socket,
    shutdown: Shutdown,
    send: Callable[[StatusMessage], None],
) -> None:
    from pytest_vqamt.serving.ray_backend import RayBackend

    # Ray's processes end with the thread that started them: this one, which lives as long as the process.
    backend = RayBackend(config)
    shutdown.take_down = backend.take_down
    card = _card(config, backend.deploy(), backend.replicas)
    assert backend.handle is not None
    cache = BoundedAnswerCache(Path(config.folder) / ANSWERS_FILE)
    inference = SingleFlight(Failover(backend.handle).run, cache, card.batch_size)
    progress = ProgressReporter(inference, send)
    shutdown.report = progress.report
    app = InferenceApp(card, inference, token=token, replicas_alive=backend.replicas_alive)
    ready = Ready(url=config.url, replicas=backend.replicas, data=tuple(each.spec for each in card.data))
    asyncio.run(_run_uvicorn(app, listener, progress, lambda: send(ready)))


async def _run_uvicorn(
    app: InferenceApp, listener: socket.socket, progress: ProgressReporter, on_started: Callable[[], None]
) -> None:
    import uvicorn

    server = uvicorn.Server(
        uvicorn.Config(
            app,
            http="h11",  # which bounds the length of headers
            ws="none",
            lifespan="off",
            interface="asgi3",
            log_config=None,
            access_log=False,
            server_header=False,
            date_header=False,
            backlog=_BACKLOG,
            limit_concurrency=_MAX_CONNECTIONS,
            timeout_keep_alive=75,
        )
    )
    allow_port_reuse(listener)
    watching = asyncio.create_task(_watch(server, progress, on_started))
    await server.serve([listener])
    watching.cancel()


async def _watch(server: Server, progress: ProgressReporter, on_started: Callable[[], None]) -> None:
    """Reports the start and the progress, and closes idle connections."""
    idle = IdleConnections()
    while not server.started:
        await asyncio.sleep(0.02)
    on_started()
    while True:
        await asyncio.sleep(_PROGRESS_EVERY_S)
        progress.report()
        idle.close(server.server_state.connections, time.monotonic())  # type: ignore[arg-type] # all speak h11


def _card(config: ServeConfig, model: ReplicaInfo, replicas: int) -> ModelCard:
    return ModelCard(
        identity=model_identity(config.model, model.fingerprint, "" if model.persistent else config.session),
        vqamt_version=version("pytest-vqamt"),
        model=config.model,
        fingerprint=model.fingerprint,
        persistent=model.persistent,
        tasks=model.tasks,
        batch_size=model.batch_size,
        reads_meaning=config.reads_meaning,
        needs_scenes=config.needs_scenes,
        data=model.data,
        max_bytes=config.max_bytes,
        replicas=replicas,
    )


if __name__ == "__main__":
    main()
