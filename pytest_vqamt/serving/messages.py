"""What the door and the replicas tell each other."""

from __future__ import annotations

from dataclasses import dataclass

from pytest_vqamt.core.query import Task
from pytest_vqamt.models.served.protocol import PictureRow, QueryRow, Served, Told


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """Queries of one task, at most a batch of them, and the pictures that they are about."""

    task: Task
    pictures: tuple[PictureRow, ...]
    queries: tuple[QueryRow, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What became of a chunk.

    Attributes:
        told: one for each query.
        given_up: why the model can be asked no more; "" where it can.
        busy_s: for how long the model had a batch of which this is the first chunk, 0 for the others of the batch.
        batch_size: how many queries the model takes at once from now on.
    """

    told: tuple[Told, ...]
    given_up: str = ""
    busy_s: float = 0.0
    batch_size: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Introduction:
    """What a replica says of its model; ``refused`` is why there is none, in one line."""

    refused: str = ""
    tasks: tuple[Task, ...] = ()
    fingerprint: str = ""
    persistent: bool = False
    batch_size: int = 1
    data: tuple[Served, ...] = ()
