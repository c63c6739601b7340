"""What the door and the replicas tell each other."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import TypeAlias

from pytest_vqamt.core.query import Task
from pytest_vqamt.models.served.protocol import QueryResult, ServedData
from pytest_vqamt.models.served.requests import PictureRow, QueryRow


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """Queries of one task, at most a batch of them, and the pictures that they are about."""

    task: Task
    pictures: tuple[PictureRow, ...]
    queries: tuple[QueryRow, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkResult:
    """What became of a chunk.

    Attributes:
        told: one for each query.
        given_up: why the model can be asked no more; "" where it can.
        busy_s: for how long the model had a batch of which this is the first chunk, 0 for the others of the batch.
        batch_size: how many queries the model takes at once from now on.
    """

    told: tuple[QueryResult, ...]
    given_up: str = ""
    busy_s: float = 0.0
    batch_size: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplicaInfo:
    """What a replica says of its model; ``refused`` is why there is none, in one line."""

    refused: str = ""
    tasks: tuple[Task, ...] = ()
    fingerprint: str = ""
    persistent: bool = False
    batch_size: int = 1
    data: tuple[ServedData, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Ready:
    """The door is open."""

    url: str
    replicas: int
    data: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class StartupFailed:
    """There is nothing to serve, for a reason that the user can mend."""

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """What was done: the queries received and asked since the start, and those asked in the last ``since_s``."""

    received: int
    asked: int
    lately: int
    since_s: float


StatusMessage: TypeAlias = Ready | StartupFailed | Progress


def as_line(told: StatusMessage) -> str:
    """What is told, as one line."""
    return json.dumps({"is": type(told).__name__, **asdict(told)}) + "\n"


def from_line(line: str) -> StatusMessage | None:
    """What ``as_line`` wrote; None for anything else, such as half a line of a process that was killed."""
    try:
        row = json.loads(line)
    except ValueError:
        return None
    match row:
        case {"is": "Ready", "url": str(url), "replicas": int(replicas), "data": list(data)}:
            return Ready(url=url, replicas=replicas, data=tuple(map(str, data)))
        case {"is": "StartupFailed", "reason": str(reason)}:
            return StartupFailed(reason=reason)
        case {"is": "Progress", "received": int(received), "asked": int(asked), "lately": int(lately)}:
            return Progress(received=received, asked=asked, lately=lately, since_s=float(row["since_s"]))
    return None
