"""The server process of ``vqamt serve``: drives Ray, and runs the application on uvicorn."""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path
from threading import Thread
from typing import TextIO

import msgspec
import uvicorn
from starlette.types import ASGIApp

from pytest_vqamt.core.errors import VqamtError
from pytest_vqamt.execution.answer_cache import ANSWERS_FILE, AnswerStore
from pytest_vqamt.models.served.wire_format import ModelCard, model_identity
from pytest_vqamt.serving.app import LOOPBACK_HOSTS, SingleFlight, TimedH11Protocol, inference_app
from pytest_vqamt.serving.config import ServeConfig, allow_port_reuse
from pytest_vqamt.serving.ray_backend import Failover, RayBackend
from pytest_vqamt.serving.replica import ReplicaInfo
from pytest_vqamt.serving.supervisor import LOG_FILE, SHUTDOWN_COMMAND, Progress, Ready, StartupFailed, StatusMessage

_PROGRESS_EVERY_S = 10
"""How often the counts of queries are printed, if they have changed."""
_BACKLOG = 256
"""Connections that wait to be accepted."""
_MAX_CONNECTIONS = 512
"""Further connections get 503."""


class Shutdown:
    """Ends the server process on the shutdown command, or when its parent dies.

    The parent, or else a process for this alone, then kills all others and removes the folder: this process writes to
    the folder until it ends, and Ray ends it with the first of its other processes. The parent sends ``commands``.

    Attributes:
        take_down: removes the application from a cluster.
        report: sends the last progress.
        has_begun: True once this process is about to end.
    """

    def __init__(self, config: ServeConfig, commands: TextIO) -> None:
        self.take_down: Callable[[], None] | None = None
        self.report: Callable[[], None] | None = None
        self.has_begun = False
        self._config = config
        self._commands = commands
        Thread(target=self._wait, name="vqamt-shutdown", daemon=True).start()

    def _wait(self) -> None:
        # Blocks until there is a line, or the end of the input: the parent has died.
        self.exit(0, parent_died=self._commands.readline().strip() != SHUTDOWN_COMMAND)

    def exit(self, status: int, *, parent_died: bool = False) -> None:
        """Ends this process, and does not return."""
        self.has_begun = True
        if self.report is not None:
            self.report()
        if self._config.cluster and self.take_down is not None:
            try:
                self.take_down()
            except Exception as error:  # Ray may raise anything, and the process ends all the same
                print(f"taking down: {error!r}", file=sys.stderr, flush=True)
        if parent_died:
            clean_up = (sys.executable, "-m", "pytest_vqamt.serving.supervisor")
            command = [*clean_up, str(os.getpid()), self._config.folder]
            subprocess.Popen(command, start_new_session=True, stdin=subprocess.DEVNULL)
        # Not sys.exit(): this is a thread, and Ray's handlers at exit wait for processes that the supervisor kills.
        os._exit(status)


def main() -> None:
    """Serves until the shutdown; reads the configuration and the token from stdin, a line each."""
    # The pipe to the supervisor is kept aside, since standard output becomes the log.
    pipe = os.fdopen(os.dup(sys.stdout.fileno()), "wb", buffering=0)
    config, token = ServeConfig.from_line(sys.stdin.readline()), sys.stdin.readline().strip()
    listener = socket.socket(fileno=int(sys.argv[1]))
    # Ray's processes must not hold the port.
    listener.set_inheritable(False)
    log = os.open(Path(config.folder) / LOG_FILE, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    os.dup2(log, 1)  # Ray and models may print
    os.dup2(log, 2)
    shutdown = Shutdown(config, sys.stdin)

    def send(message: StatusMessage) -> None:
        with suppress(OSError):  # the parent died, and stdin has ended, too
            pipe.write(msgspec.json.encode(message) + b"\n")

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
    # Ray's processes end with the thread that started them: this one, which lives as long as the process.
    backend = RayBackend(config)
    shutdown.take_down = backend.take_down
    card = _card(config, backend.deploy(), backend.replicas)
    assert backend.handle is not None
    store = AnswerStore(Path(config.folder) / ANSWERS_FILE)
    inference = SingleFlight(Failover(backend.handle).run, store, card.batch_size)
    progress = ProgressReporter(inference, send)
    shutdown.report = progress.report
    hosts = (*LOOPBACK_HOSTS, f"[{config.host}]" if ":" in config.host else config.host)
    app = inference_app(card, inference, token=token, replicas_alive=backend.replicas_alive, hosts=hosts)
    ready = Ready(url=config.url, replicas=backend.replicas, data=tuple(each.spec for each in card.data))
    asyncio.run(_run_uvicorn(app, listener, progress, lambda: send(ready)))


async def _run_uvicorn(
    app: ASGIApp, listener: socket.socket, progress: ProgressReporter, on_started: Callable[[], None]
) -> None:
    server = uvicorn.Server(
        uvicorn.Config(
            app,
            http=TimedH11Protocol,  # h11 bounds the length of headers
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
    # Last: until it listens no other process may bind the port.
    allow_port_reuse(listener)
    watching = asyncio.create_task(_watch(server, progress, on_started))
    await server.serve([listener])
    watching.cancel()


async def _watch(server: uvicorn.Server, progress: ProgressReporter, on_started: Callable[[], None]) -> None:
    """Reports the start and the progress."""
    # uvicorn has no callback for it.
    while not server.started:
        await asyncio.sleep(0.02)
    on_started()
    while True:
        await asyncio.sleep(_PROGRESS_EVERY_S)
        progress.report()


class ProgressReporter:
    """Sends a ``Progress`` message when queries have come in since the last one."""

    def __init__(self, inference: SingleFlight, send: Callable[[StatusMessage], None]) -> None:
        self._inference = inference
        self._send = send
        self._last = (0, 0)
        self._since = time.monotonic()

    def report(self) -> None:
        now, counts = time.monotonic(), (self._inference.received, self._inference.asked)
        if counts != self._last:
            received, asked = counts
            recent = asked - self._last[1]
            self._send(Progress(received=received, asked=asked, recent=recent, since_s=now - self._since))
        self._last, self._since = counts, now


def _card(config: ServeConfig, model: ReplicaInfo, replicas: int) -> ModelCard:
    return ModelCard(
        identity=model_identity(config.model, model.fingerprint, "" if model.persistent else config.session),
        vqamt_version=version("pytest-vqamt"),
        model=config.model,
        fingerprint=model.fingerprint,
        persistent=model.persistent,
        switches_reasoning=model.switches_reasoning,
        takes=model.takes,
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
