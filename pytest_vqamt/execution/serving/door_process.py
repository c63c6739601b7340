"""The process of the door: it drives Ray, and answers HTTP. Started by ``keeper`` with ``python -m``."""

from __future__ import annotations

import asyncio
import os
import socket
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_vqamt.core.errors import VqamtError
from pytest_vqamt.execution.serving.account import Account
from pytest_vqamt.execution.serving.address import may_come_back
from pytest_vqamt.execution.serving.leaving import Leaving
from pytest_vqamt.execution.serving.once import Once
from pytest_vqamt.execution.serving.patient import Patient
from pytest_vqamt.execution.serving.processes import adopt_orphans
from pytest_vqamt.execution.serving.remembered import Remembered
from pytest_vqamt.execution.serving.silence import Silence
from pytest_vqamt.execution.serving.told import Ready, Refused, StatusMessage, as_line
from pytest_vqamt.models.served.protocol import Card, identity_of
from pytest_vqamt.serving.app import Door
from pytest_vqamt.serving.config import Offer
from pytest_vqamt.serving.messages import Introduction

if TYPE_CHECKING:
    from uvicorn import Server


LOG = "door.log"
ANSWERS = "answers.sqlite"

_TOLD_EVERY_S = 10
_BACKLOG = 256
_CONNECTIONS = 512
"""So many connections are served; more are told 503."""


def main() -> None:
    """Reads the offer and the token from standard input, a line each, and serves until standard input ends."""
    pipe = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8", buffering=1)
    offer, token = Offer.from_line(sys.stdin.readline()), sys.stdin.readline().strip()
    door = socket.socket(fileno=int(sys.argv[1]))
    door.set_inheritable(False)
    log = os.open(Path(offer.folder) / LOG, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    os.dup2(log, 1)  # Ray and models may print whatever they like
    os.dup2(log, 2)
    adopt_orphans()
    leaving = Leaving(offer, sys.stdin)

    def tell(told: StatusMessage) -> None:
        with suppress(OSError):  # nobody listens any more: standard input has ended, too
            pipe.write(as_line(told))

    try:
        _serve(offer, token, door, leaving, tell)
    except VqamtError as error:
        tell(Refused(reason=str(error)))
        leaving.leave(2)
    finally:
        while leaving.has_begun:  # Ray fails while it is taken down; the process is to last until that is done
            time.sleep(1)


def _serve(
    offer: Offer, token: str, door: socket.socket, leaving: Leaving, tell: Callable[[StatusMessage], None]
) -> None:
    from pytest_vqamt.serving.ray_backend import Engine

    # Ray's processes end with the thread that started them: this one, which lives as long as the process does.
    engine = Engine(offer)
    leaving.take_down = engine.take_down
    card = _card(offer, engine.deploy(), engine.replicas)
    assert engine.handle is not None
    once = Once(Patient(engine.handle).ask, Remembered(Path(offer.folder) / ANSWERS), card.batch_size)
    account = Account(once, tell)
    leaving.last_words = account.tell
    application = Door(card, once, token=token, alive=engine.alive)
    ready = Ready(url=offer.url, replicas=engine.replicas, data=tuple(each.spec for each in card.data))
    asyncio.run(_open(application, door, account, lambda: tell(ready)))


async def _open(application: Door, door: socket.socket, account: Account, opened: Callable[[], None]) -> None:
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
    may_come_back(door)
    telling = asyncio.create_task(_tell_of(server, account, opened))
    await server.serve([door])
    telling.cancel()


async def _tell_of(server: Server, account: Account, opened: Callable[[], None]) -> None:
    """Says that the door is open, and every now and then what was done, where something was."""
    silence = Silence()
    while not server.started:
        await asyncio.sleep(0.02)
    opened()
    while True:
        await asyncio.sleep(_TOLD_EVERY_S)
        account.tell()
        silence.end(server.server_state.connections, time.monotonic())  # type: ignore[arg-type] # all speak h11


def _card(offer: Offer, model: Introduction, replicas: int) -> Card:
    return Card(
        identity=identity_of(offer.model, model.fingerprint, "" if model.persistent else offer.session),
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
