"""The process that the user starts: it keeps a server going, and leaves nothing of it behind."""

from __future__ import annotations

import os
import select
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from shlex import quote

from pytest_vqamt.core.errors import ModelError
from pytest_vqamt.execution.serving.leaving import LEAVE
from pytest_vqamt.execution.serving.processes import adopt_orphans, end_all
from pytest_vqamt.execution.serving.ray_environment import environment
from pytest_vqamt.execution.serving.signals import Signals
from pytest_vqamt.execution.serving.told import Progress, Ready, Refused, from_line
from pytest_vqamt.models.served.protocol import TOKEN_VARIABLE
from pytest_vqamt.serving.config import Offer

_GRACE_S = 3.0
_GRACE_AT_CLUSTER_S = 60.0
"""Replicas at a cluster are ended by Ray Serve, which takes its time; a second signal cuts it short."""

_AGAIN = 5
"""A door that ended without being told to is started anew, so often at most."""


class Keeper:
    """One server, from its start to its end.

    Args:
        offer: what is served.
        token: what every request must bring; "" for none.
        say: prints a line for the user.
        signals: what ends it.
    """

    def __init__(self, offer: Offer, token: str, say: Callable[[str], None], signals: Signals) -> None:
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
        adopt_orphans()
        offer = self._offer
        at = f"at the cluster {offer.cluster}" if offer.cluster else "with a Ray of its own"
        self._say(f"vqamt: loading {offer.model} {at}, which may take a while")
        made = environment(given, offer)
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
            [sys.executable, "-m", "pytest_vqamt.execution.serving.door_process", str(door.fileno())],
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
                self._say(how_to_ask(ready, wants_token=bool(self._token)))
            case Refused(reason=reason):
                return reason
            case Progress() as done:
                self._last = done
                if not self._signals.count:
                    self._say(progress(done))
        return ""

    def _end(self, process: subprocess.Popen[bytes]) -> None:
        """Tells the door to leave, and sees to it that nothing is left of it."""
        assert process.stdin is not None
        with suppress(OSError):
            process.stdin.write(f"{LEAVE}\n".encode())
        with suppress(OSError):
            process.stdin.close()
        signals = self._signals.count
        until = time.monotonic() + (_GRACE_AT_CLUSTER_S if self._offer.cluster else _GRACE_S)
        while process.poll() is None and time.monotonic() < until and self._signals.count <= max(1, signals):
            with suppress(subprocess.TimeoutExpired):
                process.wait(0.05)
        left = end_all(0.0)
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
        from pytest_vqamt.execution.serving.door_process import LOG

        with suppress(OSError):
            lines = (Path(self._offer.folder) / LOG).read_text(encoding="utf-8", errors="replace").strip().splitlines()
            if lines:
                return lines[-1][:300]
        return "it said nothing"


def _ready(model: str, ready: Ready) -> str:
    count = f"{ready.replicas} replica{'' if ready.replicas == 1 else 's'}"
    data = ", ".join(ready.data) or "no data"
    return f"vqamt: serving {model} at {ready.url} ({count}, {data}); stop with Ctrl-C"


def how_to_ask(ready: Ready, *, wants_token: bool = False) -> str:
    """The line that sessions ask the server with."""
    data = "".join(f" {quote(f'--vqamt-data={spec}')}" for spec in ready.data)
    # An address that stands for all of this machine's is none that another machine can ask.
    url = ready.url.replace("//0.0.0.0:", f"//{socket.gethostname()}:").replace("//[::]:", f"//{socket.gethostname()}:")
    token = f"{TOKEN_VARIABLE}=... " if wants_token else ""
    return f"vqamt: ask it with: {token}pytest --vqamt-model=served:{url}{data}"


def progress(done: Progress) -> str:
    """The line on what was done."""
    rate = done.lately / done.since_s
    return (
        f"vqamt: {done.received:,} queries received, {done.asked:,} asked of the model "
        f"({rate:,.{1 if 0 < rate < 10 else 0}f}/s in the last {done.since_s:.0f} s)"
    )
