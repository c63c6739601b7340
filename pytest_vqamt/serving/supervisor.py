"""The process that the user starts: it keeps a server going, and leaves nothing of it behind."""

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
from pytest_vqamt.models.served.protocol import TOKEN_VARIABLE, ModelCard, model_identity
from pytest_vqamt.serving.app import BoundedAnswerCache, IdleConnections, InferenceApp, ProgressReporter, SingleFlight
from pytest_vqamt.serving.config import ServeConfig, allow_port_reuse
from pytest_vqamt.serving.messages import Progress, Ready, ReplicaInfo, StartupFailed, StatusMessage, as_line, from_line
from pytest_vqamt.serving.ray_backend import Failover, process_environment

if TYPE_CHECKING:
    from uvicorn import Server


_GRACE_S = 3.0
_GRACE_AT_CLUSTER_S = 60.0
"""Replicas at a cluster are ended by Ray Serve, which takes its time; a second signal cuts it short."""

_AGAIN = 5
"""A door that ended without being told to is started anew, so often at most."""


class Supervisor:
    """One server, from its start to its end.

    Args:
        offer: what is served.
        token: what every request must bring; "" for none.
        say: prints a line for the user.
        signals: what ends it.
    """

    def __init__(self, offer: ServeConfig, token: str, say: Callable[[str], None], signals: StopSignals) -> None:
        self._offer = offer
        self._token = token
        self._say = say
        self._signals = signals
        self._was_ready = False
        self._last: Progress | None = None
        self._asked_before = 0

    def run(self, door: socket.socket, given: Mapping[str, str]) -> None:
        """Serves until a signal comes.

        Raises:
            ModelError: there is nothing to serve.
        """
        become_subreaper()
        offer = self._offer
        at = f"at the cluster {offer.cluster}" if offer.cluster else "with a Ray of its own"
        self._say(f"vqamt: loading {offer.model} {at}, which may take a while")
        made = process_environment(given, offer)
        for _ in range(_AGAIN + 1):
            refused = self._once(door, made)
            if self._signals.count:
                self._say(f"vqamt: stopped serving {offer.model}; {self._sum()}")
                return
            if refused:
                raise ModelError(refused)
            if not self._was_ready:
                raise ModelError(
                    f"Expected model={offer.model!r} to be served, but the process that was to do it ended before it "
                    f"was ready: {self._last_words()}"
                )
            self._say("vqamt: the server ended, and is started anew; requests wait for it")
            self._asked_before += self._last.asked if self._last else 0
            self._last = None
        raise ModelError(f"Expected model={offer.model!r} to be served, but its server ended {_AGAIN + 1} times")

    def _once(self, door: socket.socket, made: dict[str, str]) -> str:
        """Runs one process of the door to its end; why it refused to serve, or ""."""
        process = subprocess.Popen(
            [sys.executable, "-m", "pytest_vqamt.serving.supervisor", str(door.fileno())],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=made,
            pass_fds=[door.fileno()],
            start_new_session=True,  # Ctrl-C is for this process alone, which knows in which order to end
        )
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            with suppress(BrokenPipeError):
                process.stdin.write(f"{self._offer.as_line()}\n{self._token}\n".encode())
                process.stdin.flush()
            return self._listen(process.stdout.fileno())
        finally:
            self._end(process)

    def _listen(self, out: int) -> str:
        """Passes on what the door tells until it ends or a signal comes; why it refused to serve, or ""."""
        held = b""
        while not self._signals.count:
            readable, _, _ = select.select([out, self._signals.pipe], [], [])
            if out not in readable:
                continue
            got = os.read(out, 65536)
            if not got:
                return ""
            *lines, held = (held + got).split(b"\n")
            for line in lines:
                if refused := self._hear(line.decode("utf-8", "replace")):
                    return refused
        return ""

    def _hear(self, line: str) -> str:
        """Takes note of what the door tells, and passes it on; why it refuses to serve, or ""."""
        match from_line(line):
            case Ready() as ready:
                self._was_ready = True
                self._say(_ready(self._offer.model, ready))
                self._say(client_command_line(ready, wants_token=bool(self._token)))
            case StartupFailed(reason=reason):
                return reason
            case Progress() as done:
                self._last = done
                if not self._signals.count:
                    self._say(progress_line(done))
        return ""

    def _end(self, process: subprocess.Popen[bytes]) -> None:
        """Tells the door to leave, and sees to it that nothing is left of it."""
        assert process.stdin is not None
        with suppress(OSError):
            process.stdin.write(f"{SHUTDOWN_COMMAND}\n".encode())
        with suppress(OSError):
            process.stdin.close()
        signals = self._signals.count
        until = time.monotonic() + (_GRACE_AT_CLUSTER_S if self._offer.cluster else _GRACE_S)
        while process.poll() is None and time.monotonic() < until and self._signals.count <= max(1, signals):
            with suppress(subprocess.TimeoutExpired):
                process.wait(0.05)
        left = terminate_descendants(0.0)
        process.poll()
        assert process.stdout is not None
        with process.stdout as out:
            for line in out:
                self._hear(line.decode("utf-8", "replace"))
        if left:
            self._say(f"vqamt: could not end the processes {', '.join(map(str, left))}")

    def _sum(self) -> str:
        done = self._last
        asked = self._asked_before + (done.asked if done else 0)
        return f"it was asked {asked:,} queries"

    def _last_words(self) -> str:
        """The last line that the door has written, for what is no mistake of the user's."""
        with suppress(OSError):
            lines = (
                (Path(self._offer.folder) / LOG_FILE).read_text(encoding="utf-8", errors="replace").strip().splitlines()
            )
            if lines:
                return lines[-1][:300]
        return "it said nothing"


def _ready(model: str, ready: Ready) -> str:
    count = f"{ready.replicas} replica{'' if ready.replicas == 1 else 's'}"
    data = ", ".join(ready.data) or "no data"
    return f"vqamt: serving {model} at {ready.url} ({count}, {data}); stop with Ctrl-C"


def client_command_line(ready: Ready, *, wants_token: bool = False) -> str:
    """The line that sessions ask the server with."""
    data = "".join(f" {quote(f'--vqamt-data={spec}')}" for spec in ready.data)
    # An address that stands for all of this machine's is none that another machine can ask.
    url = ready.url.replace("//0.0.0.0:", f"//{socket.gethostname()}:").replace("//[::]:", f"//{socket.gethostname()}:")
    token = f"{TOKEN_VARIABLE}=... " if wants_token else ""
    return f"vqamt: ask it with: {token}pytest --vqamt-model=served:{url}{data}"


def progress_line(done: Progress) -> str:
    """The line on what was done."""
    rate = done.lately / done.since_s
    return (
        f"vqamt: {done.received:,} queries received, {done.asked:,} asked of the model "
        f"({rate:,.{1 if 0 < rate < 10 else 0}f}/s in the last {done.since_s:.0f} s)"
    )


_STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class StopSignals:
    """The signals that stop a server, counted; a pipe wakes up whoever waits.

    Attributes:
        count: how many came.
        pipe: can be read from once one has come.
    """

    def __init__(self) -> None:
        self.count = 0
        self.pipe, self._write = os.pipe()
        os.set_blocking(self._write, False)

    def came(self, _number: int, _frame: FrameType | None) -> None:
        self.count += 1
        with suppress(BlockingIOError):
            os.write(self._write, b"!")

    @contextmanager
    def heard(self) -> Iterator[StopSignals]:
        """They end nothing as long as this lasts. SIGHUP stays ignored where it is: ``nohup`` says so."""
        heard = [n for n in _STOPPING if n is not signal.SIGHUP or signal.getsignal(n) is not signal.SIG_IGN]
        before = {number: signal.signal(number, self.came) for number in heard}
        try:
            yield self
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
            os.close(self.pipe)
            os.close(self._write)


_SET_CHILD_SUBREAPER = 36
"""PR_SET_CHILD_SUBREAPER of prctl(2)."""

_POLL_S = 0.05

_PROCESSES = Path("/proc")
"""Where Linux tells of processes; other systems are asked with ps."""


def become_subreaper() -> bool:
    """Makes this process the parent of each of its descendants whose own parent ends; False where there is no such way.

    Ray's processes start each other, and not each of them ends with the one that started it: adopted, none is lost.
    """
    if not sys.platform.startswith("linux"):
        return False
    done: int = ctypes.CDLL(None, use_errno=True).prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    return done == 0


def terminate_descendants(grace_s: float, *, spared: Collection[int] = (), at_most_s: float = 20) -> tuple[int, ...]:
    """Ends all descendants of this process but those ``spared`` and theirs; gives those that are left.

    They are asked to end, and after ``grace_s`` made to. Those that were adopted are found, too; where there is
    no adoption, those that are still in the line.
    """
    me = os.getpid()
    known: set[int] = set()
    begun = time.monotonic()
    asked: set[int] = set()
    while True:
        known |= descendants(me, spared)
        known = {process for process in known if _lives(process)}
        if not known:
            return ()
        past_s = time.monotonic() - begun
        if past_s > at_most_s:
            return tuple(sorted(known))
        for process in known if past_s >= grace_s else known - asked:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(process, signal.SIGKILL if past_s >= grace_s else signal.SIGTERM)
            asked.add(process)
        time.sleep(_POLL_S)


def descendants(of: int, spared: Collection[int] = ()) -> set[int]:
    """The ids of the processes that descend from ``of``, and of those that have ended and that nobody has looked at."""
    children: dict[int, list[int]] = {}
    for process, parent in _processes():
        children.setdefault(parent, []).append(process)
    found: set[int] = set()
    waiting = [of]
    while waiting:
        for child in children.get(waiting.pop(), ()):
            if child not in found and child not in spared:
                found.add(child)
                waiting.append(child)
    return found


def _lives(process: int) -> bool:
    """Whether a process is there and has not ended; one of ours that has is taken note of, and gone."""
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
    """The letter that Linux has for what a process does; "" where it is not told."""
    try:
        return (
            (_PROCESSES / str(process) / "stat")
            .read_text(encoding="utf-8", errors="replace")
            .rpartition(")")[2]
            .split()[0]
        )
    except (OSError, IndexError):
        return ""


def _processes() -> Iterator[tuple[int, int]]:
    """Every process with its parent."""
    if _PROCESSES.is_dir():
        for name in os.listdir(_PROCESSES):  # noqa: PTH208 - names alone are wanted, of which there are thousands
            if name.isdecimal():
                with suppress(OSError, IndexError, ValueError):
                    stat = (_PROCESSES / name / "stat").read_text(encoding="utf-8", errors="replace")
                    yield int(name), int(stat.rpartition(")")[2].split()[1])
        return
    listed = subprocess.run(["ps", "-A", "-o", "pid=,ppid="], capture_output=True, text=True, check=False).stdout
    for line in listed.splitlines():
        process, parent = line.split()
        yield int(process), int(parent)


SHUTDOWN_COMMAND = "leave"
"""The line that says so; where none comes before the end, nobody is there who could have said it."""

_REMOVE = 'read -r nothing; n=0; while rm -rf -- "$1"; [ -e "$1" ] && [ $n -lt 50 ]; do sleep 0.2; n=$((n+1)); done'
"""For a shell, whose standard input ends with the process to wait for, and which is given the folder.

What is ended at that moment may still write to it, so it is taken away until it stays away.
"""


class Shutdown:
    """Ends the process and all below it when whoever started it says so, or is no more.

    Args:
        told_by: where that is heard: a pipe that ends with the process at its other end.
    """

    def __init__(self, offer: ServeConfig, told_by: TextIO) -> None:
        self.take_down: Callable[[], None] | None = None
        self.last_words: Callable[[], None] | None = None
        self.has_begun = False
        self._shell: subprocess.Popen[bytes] | None = None
        self._offer = offer
        self._told_by = told_by
        Thread(target=self._wait, name="vqamt-leave", daemon=True).start()

    def _wait(self) -> None:
        self.leave(0, is_last=self._told_by.readline().strip() != SHUTDOWN_COMMAND)

    def leave(self, status: int, *, is_last: bool = False) -> None:
        """Does not return. A Ray of our own is ended as it is: nothing in it is to be kept.

        ``is_last`` says that who would take the folder away is no more.
        """
        self.has_begun = True
        if self.last_words is not None:
            self.last_words()
        if self._offer.cluster and self.take_down is not None:
            try:
                self.take_down()
            except Exception as error:  # Ray raises whatever its parts do, and there is nobody left to mend it
                print(f"taking down: {error!r}", file=sys.stderr, flush=True)
        if is_last:
            self._shell = _removing(self._offer.folder)  # kept, or its standard input would end now
        terminate_descendants(
            2.0 if self._offer.cluster else 0.0, spared=[] if self._shell is None else [self._shell.pid]
        )
        os._exit(status)


def _removing(folder: str) -> subprocess.Popen[bytes]:
    """A process that takes the folder away as soon as this one is no more.

    This one cannot: it writes to the folder until it ends, and Ray ends it as soon as others of its processes have.
    """
    arguments = ["/bin/sh", "-c", _REMOVE, "sh", folder]
    return subprocess.Popen(arguments, start_new_session=True, stdin=subprocess.PIPE, cwd="/")


LOG_FILE = "door.log"
ANSWERS_FILE = "answers.sqlite"

_TOLD_EVERY_S = 10
_BACKLOG = 256
_CONNECTIONS = 512
"""So many connections are served; more are told 503."""


def main() -> None:
    """Reads the offer and the token from standard input, a line each, and serves until standard input ends."""
    pipe = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8", buffering=1)
    offer, token = ServeConfig.from_line(sys.stdin.readline()), sys.stdin.readline().strip()
    door = socket.socket(fileno=int(sys.argv[1]))
    door.set_inheritable(False)
    log = os.open(Path(offer.folder) / LOG_FILE, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    os.dup2(log, 1)  # Ray and models may print whatever they like
    os.dup2(log, 2)
    become_subreaper()
    leaving = Shutdown(offer, sys.stdin)

    def tell(told: StatusMessage) -> None:
        with suppress(OSError):  # nobody listens any more: standard input has ended, too
            pipe.write(as_line(told))

    try:
        _serve(offer, token, door, leaving, tell)
    except VqamtError as error:
        tell(StartupFailed(reason=str(error)))
        leaving.leave(2)
    finally:
        while leaving.has_begun:  # Ray fails while it is taken down; the process is to last until that is done
            time.sleep(1)


def _serve(
    offer: ServeConfig, token: str, door: socket.socket, leaving: Shutdown, tell: Callable[[StatusMessage], None]
) -> None:
    from pytest_vqamt.serving.ray_backend import RayBackend

    # Ray's processes end with the thread that started them: this one, which lives as long as the process does.
    engine = RayBackend(offer)
    leaving.take_down = engine.take_down
    card = _card(offer, engine.deploy(), engine.replicas)
    assert engine.handle is not None
    once = SingleFlight(
        Failover(engine.handle).ask, BoundedAnswerCache(Path(offer.folder) / ANSWERS_FILE), card.batch_size
    )
    account = ProgressReporter(once, tell)
    leaving.last_words = account.tell
    application = InferenceApp(card, once, token=token, alive=engine.alive)
    ready = Ready(url=offer.url, replicas=engine.replicas, data=tuple(each.spec for each in card.data))
    asyncio.run(_open(application, door, account, lambda: tell(ready)))


async def _open(
    application: InferenceApp, door: socket.socket, account: ProgressReporter, opened: Callable[[], None]
) -> None:
    import uvicorn

    server = uvicorn.Server(
        uvicorn.Config(
            application,
            http="h11",  # which bounds the length of headers
            ws="none",
            lifespan="off",
            interface="asgi3",
            log_config=None,
            access_log=False,
            server_header=False,
            date_header=False,
            backlog=_BACKLOG,
            limit_concurrency=_CONNECTIONS,
            timeout_keep_alive=75,
        )
    )
    allow_port_reuse(door)
    telling = asyncio.create_task(_tell_of(server, account, opened))
    await server.serve([door])
    telling.cancel()


async def _tell_of(server: Server, account: ProgressReporter, opened: Callable[[], None]) -> None:
    """Says that the door is open, and every now and then what was done, where something was."""
    silence = IdleConnections()
    while not server.started:
        await asyncio.sleep(0.02)
    opened()
    while True:
        await asyncio.sleep(_TOLD_EVERY_S)
        account.tell()
        silence.end(server.server_state.connections, time.monotonic())  # type: ignore[arg-type] # all speak h11


def _card(offer: ServeConfig, model: ReplicaInfo, replicas: int) -> ModelCard:
    return ModelCard(
        identity=model_identity(offer.model, model.fingerprint, "" if model.persistent else offer.session),
        vqamt_version=version("pytest-vqamt"),
        model=offer.model,
        fingerprint=model.fingerprint,
        persistent=model.persistent,
        tasks=model.tasks,
        batch_size=model.batch_size,
        reads_meaning=offer.reads_meaning,
        needs_scenes=offer.needs_scenes,
        data=model.data,
        max_bytes=offer.max_bytes,
        replicas=replicas,
    )


if __name__ == "__main__":
    main()


_PREFIX = "vqamt-serve-"

_LONGEST = 30
"""Ray's sockets have up to 72 characters more, and their paths may have 103 to 107, as the system is."""


class ServerFolder(LockedFolder):
    """A folder for this user alone; what a server that was killed has left is taken away when the next one starts."""

    def __init__(self) -> None:
        """Raises OptionError where there is no place for it."""
        super().__init__(_base(), _PREFIX)


def _base() -> Path:
    """The first folder for temporary files with a short path that can be written to."""
    tried = dict.fromkeys((tempfile.gettempdir(), "/tmp", "/var/tmp"))
    for name in tried:
        if len(os.fsencode(name)) + len(_PREFIX) + 8 <= _LONGEST and os.access(name, os.W_OK | os.X_OK):
            return Path(name)
    raise OptionError(
        f"Expected a folder for temporary files with a path of at most {_LONGEST - len(_PREFIX) - 8} characters (Ray's "
        f"sockets are in it) that can be written to, but got {', '.join(tried)}: set TMPDIR to one"
    )
