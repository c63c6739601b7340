"""``vqamt serve`` as a process, for tests: started, asked over HTTP, and looked at from outside."""

from __future__ import annotations

import fcntl
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Thread

import httpx2
import psutil

from pytest_vqamt.core.query import Query
from pytest_vqamt.models.served.answer_requests import query_row, recipe_row, write_request
from pytest_vqamt.models.served.wire_format import (
    ModelCard,
    QueryResult,
    ServerStatus,
    read_answers_response,
    read_card,
    read_status,
)

MODEL = """
from __future__ import annotations
import os, time
from pathlib import Path
from pytest_vqamt import Answer

class Counting:
    batch_size = 8
    fingerprint = "counting-1"

    def answer(self, batch):
        with open("asked.txt", "a") as file:
            for each in batch:
                if each.text == "raise":
                    raise ValueError("this one cannot be answered")
                each.image.load()
                file.write(f"{each.query.id}\\n")
        if any(each.text.startswith("slow") for each in batch):
            time.sleep(2)
        return [Answer(f"{each.text} {each.image.size[0]}") for each in batch]

def broken():
    from pytest_vqamt.core.errors import ModelError
    raise ModelError("Expected weights, but there are none: get some")

def killed():
    os._exit(9)
"""
"""A model that writes down each query that it is asked."""

JSON = {"content-type": "application/json"}
"""What a body must say that it is."""

_COMMAND = """
import signal, sys
signal.signal(signal.SIGHUP, signal.SIG_DFL)  # under nohup it is ignored
from pytest_vqamt.cli import main
sys.exit(main())
"""

READY_S = 120
"""A machine that has much else to do takes long to start Ray."""


@dataclass
class Server:
    """A running ``vqamt serve``, and all that it has printed."""

    process: subprocess.Popen[str]
    lines: list[str]
    folder: Path
    started: float

    @property
    def url(self) -> str:
        line = next(line for line in self.lines if " at http" in line)
        return line.partition(" at ")[2].partition(" ")[0]

    @property
    def known(self) -> list[psutil.Process]:
        """Its processes, itself first."""
        me = psutil.Process(self.process.pid)
        return [me, *me.children(recursive=True)]

    def wait_ready(self) -> None:
        until = time.monotonic() + READY_S
        while not any(" at http" in line for line in self.lines):
            assert self.process.poll() is None, self.lines
            assert time.monotonic() < until, self.lines
            time.sleep(0.05)

    def ended(self, within_s: float = 30) -> int:
        """Its exit status."""
        return self.process.wait(within_s)

    def of_name(self, part: str) -> psutil.Process:
        """The process in whose command line ``part`` stands."""
        (found,) = [each for each in self.known if part in " ".join(each.cmdline())]
        return found


def inherited() -> dict[str, str]:
    """The environment without what might change a server."""
    return {name: value for name, value in os.environ.items() if not name.startswith(("RAY_", "VQAMT_"))}


@contextmanager
def serving(
    folder: Path, arguments: Sequence[str], environment: Mapping[str, str] | None = None, *, wait: bool = True
) -> Iterator[Server]:
    """A server that is started in ``folder`` and ended when this is left, killed if need be."""
    (folder / "our_models.py").write_text(MODEL)
    started = time.time()
    process = subprocess.Popen(
        [sys.executable, "-c", _COMMAND, "serve", "--port=0", *arguments],
        cwd=folder,
        env={**inherited(), "HOME": str(folder), **(environment or {})},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    lines: list[str] = []
    assert process.stdout is not None
    server = Server(process, lines, folder, started)

    def read(out: Iterator[str]) -> None:
        for line in out:
            lines.append(line.rstrip("\n"))

    reading = Thread(target=read, args=[process.stdout], daemon=True)
    reading.start()
    try:
        if wait:
            server.wait_ready()
        yield server
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                for each in server.known:
                    each.kill()
        reading.join(5)
        process.stdout.close()


def body_of(model: str, queries: Sequence[Query], *, with_meaning: bool = False) -> bytes:
    """A request about pictures by their recipes."""
    places = {picture.digest: picture for query in queries for picture in query.pictures}
    numbers = {digest: place for place, digest in enumerate(places)}
    rows = [query_row(query, numbers, with_meaning=with_meaning) for query in queries]
    return write_request(model, [recipe_row(picture) for picture in places.values()], rows)


def card(url: str, **headers: str) -> ModelCard:
    return read_card(httpx2.get(f"{url}/v1/model", headers=headers).raise_for_status().content)


def status(url: str) -> ServerStatus:
    return read_status(httpx2.get(f"{url}/v1/status", timeout=30).raise_for_status().content)


def ask(url: str, queries: Sequence[Query]) -> tuple[QueryResult, ...]:
    """What is told to each query; a server that is away is asked again for a minute, as clients do."""
    until = time.monotonic() + 60
    while True:
        try:
            body = body_of(card(url).identity, queries)
            reply = httpx2.post(f"{url}/v1/answers", content=body, headers=JSON, timeout=60)
            if reply.status_code == 200:
                return read_answers_response(reply.content, len(queries)).answers
            assert reply.status_code == 503, reply.text
        except httpx2.TransportError:
            assert time.monotonic() < until
        time.sleep(0.2)


def _is_of_another(folder: Path) -> bool:
    """Whether a server lives whose folder this is: one of another session, for ours has ended."""
    with suppress(FileNotFoundError, NotADirectoryError), (folder / "lock").open("r+") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


def traces(server: Server) -> list[str]:
    """What is left of a server that has ended: processes with its folder in their command line, files and folders."""
    left = [
        f"process {each.pid} {each.info['name']}"
        for each in psutil.process_iter(["name", "cwd"])
        if each.info["cwd"] == str(server.folder) and each.info["name"] != "pytest"
    ]
    for place in ("/tmp", "/dev/shm"):
        left += [
            str(path)
            for path in Path(place).glob("*")
            if path.name.startswith(("vqamt-serve-", "plasma", "ray"))
            and path.stat().st_ctime >= server.started
            and not _is_of_another(path)
        ]
    expected = {"our_models.py", "asked.txt", "__pycache__"}
    return left + [str(path) for path in server.folder.iterdir() if path.name not in expected]
