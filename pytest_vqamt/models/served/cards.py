"""What a server says of itself: which model it serves, and what it has done so far."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from reprlib import repr as shortened

from pytest_vqamt.core.codec import Json
from pytest_vqamt.core.query import Task
from pytest_vqamt.models.served.json_fields import loaded, number, row_of, rows, text, truth, whole
from pytest_vqamt.models.served.protocol import MAX_BYTES, MAX_NAME, MAX_QUERIES, WIRE, WireError


@dataclass(frozen=True, slots=True, kw_only=True)
class Served:
    """A scene source that is served: recipes may name its photos."""

    spec: str
    digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """A served model.

    Attributes:
        identity: what requests and replies name it by; see ``wire.identity_of``.
        vqamt_version: of the package on the server.
        model: its spec, which is its name in items and reports.
        fingerprint, persistent, tasks: those of the loaded model.
        batch_size: how many queries one replica takes at once.
        reads_meaning: whether it may look at what a query means, which is sent along then.
        needs_scenes: whether it looks at scenes and not at pixels: a picture by its pixels alone says nothing to it.
        data: what is served.
        max_queries, max_bytes: the most that one request may have.
        replicas: how many there are.
    """

    identity: str
    vqamt_version: str
    model: str
    fingerprint: str
    persistent: bool
    tasks: tuple[Task, ...]
    batch_size: int
    reads_meaning: bool = True
    needs_scenes: bool = False
    data: tuple[Served, ...] = ()
    max_queries: int = MAX_QUERIES
    max_bytes: int = MAX_BYTES
    replicas: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """What a server has done since it was started.

    Attributes:
        queries_received: all queries of all requests.
        queries_asked: distinct ones that the model was asked.
        answers_remembered: how many are kept for whoever asks the same.
        uptime_s, busy_s: since the start, and of it with a batch at the model, summed over replicas.
        replicas_alive: how many answer now.
    """

    queries_received: int
    queries_asked: int
    answers_remembered: int
    uptime_s: float
    busy_s: float
    replicas_alive: int


class OtherWireError(WireError):
    """The server is of a version that speaks another format."""


def write_card(card: Card) -> bytes:
    """The body of the reply to ``GET /v1/model``."""
    return json.dumps({"wire": WIRE, **asdict(card)}).encode()


def read_card(body: bytes) -> Card:
    """The card that ``body`` holds; fields that are not read here may come with it.

    Raises:
        OtherWireError: it is of another version of the format.
        WireError: it is none.
    """
    found = loaded(body, "a card of a served model")
    where = "the card"
    wire = whole(found, "wire", where)
    if wire != WIRE:
        version = found.get("vqamt_version")
        told = f"wire={wire!r} of pytest-vqamt {shortened(version)}"
        raise OtherWireError(f"Expected wire={WIRE}, but got {told}: install the same version on both sides")
    tasks = rows(found, "tasks", where)
    if not tasks or not all(isinstance(task, str) and task in set(Task) for task in tasks):
        raise WireError(f"Expected 'tasks' of {where} to be some of {', '.join(Task)}, but got {shortened(tasks)}")
    return Card(
        identity=text(found, "identity", where),
        vqamt_version=text(found, "vqamt_version", where),
        model=text(found, "model", where),
        fingerprint=text(found, "fingerprint", where, most=16 * MAX_NAME),
        persistent=truth(found, "persistent", where),
        tasks=tuple(task for task in Task if task in tasks),
        batch_size=max(1, whole(found, "batch_size", where)),
        reads_meaning=truth(found, "reads_meaning", where),
        needs_scenes=truth(found, "needs_scenes", where),
        data=tuple(_served(row, f"data[{place}]") for place, row in enumerate(rows(found, "data", where))),
        max_queries=max(1, whole(found, "max_queries", where)),
        max_bytes=max(1, whole(found, "max_bytes", where)),
        replicas=whole(found, "replicas", where),
    )


def write_status(status: Status) -> bytes:
    """The body of the reply to ``GET /v1/status``."""
    row: dict[str, Json] = asdict(status)
    return json.dumps(row).encode()


def read_status(body: bytes) -> Status:
    """The status that ``body`` holds.

    Raises:
        WireError: it is none.
    """
    found = loaded(body, "a server's status")
    where = "the status"
    return Status(
        queries_received=whole(found, "queries_received", where),
        queries_asked=whole(found, "queries_asked", where),
        answers_remembered=whole(found, "answers_remembered", where),
        uptime_s=number(found, "uptime_s", where),
        busy_s=number(found, "busy_s", where),
        replicas_alive=whole(found, "replicas_alive", where),
    )


def _served(value: object, where: str) -> Served:
    row = row_of(value, where, required=("spec", "digest"), known=("spec", "digest"))
    return Served(spec=text(row, "spec", where), digest=text(row, "digest", where))
