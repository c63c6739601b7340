"""The messages between the supervisor, the application and the replicas."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import TypeAlias

from pytest_vqamt.core.query import Task
from pytest_vqamt.models.served.protocol import QueryResult, ServedData
from pytest_vqamt.models.served.requests import PictureRow, QueryRow


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """At most a batch of queries of one task, and their pictures."""

    task: Task
    pictures: tuple[PictureRow, ...]
    queries: tuple[QueryRow, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkResult:
    """The result of a chunk.

    Attributes:
        answers: one for each query.
        disabled: why the model is disabled; "" if it is not.
        busy_s: how long the model had the batch, in the batch's first chunk; 0 in its others.
        batch_size: the model's batch size from now on.
    """

    answers: tuple[QueryResult, ...]
    disabled: str = ""
    busy_s: float = 0.0
    batch_size: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplicaInfo:
    """A replica's model; ``error`` is why it has none, in one line."""

    error: str = ""
    tasks: tuple[Task, ...] = ()
    fingerprint: str = ""
    persistent: bool = False
    batch_size: int = 1
    data: tuple[ServedData, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Ready:
    """The server accepts requests."""

    url: str
    replicas: int
    data: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class StartupFailed:
    """The server cannot start, for a reason that the user can fix."""

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """The queries received and asked since the start, and those asked in the last ``since_s`` seconds."""

    received: int
    asked: int
    recent: int
    since_s: float


StatusMessage: TypeAlias = Ready | StartupFailed | Progress


def as_line(message: StatusMessage) -> str:
    """The message as one line of JSON."""
    return json.dumps({"is": type(message).__name__, **asdict(message)}) + "\n"


def from_line(line: str) -> StatusMessage | None:
    """The message of a line; None for anything else, such as half a line of a killed process."""
    try:
        row = json.loads(line)
    except ValueError:
        return None
    match row:
        case {"is": "Ready", "url": str(url), "replicas": int(replicas), "data": list(data)}:
            return Ready(url=url, replicas=replicas, data=tuple(map(str, data)))
        case {"is": "StartupFailed", "reason": str(reason)}:
            return StartupFailed(reason=reason)
        case {"is": "Progress", "received": int(received), "asked": int(asked), "recent": int(recent)}:
            return Progress(received=received, asked=asked, recent=recent, since_s=float(row["since_s"]))
    return None
