"""What the process of the door tells the one that the user has started, a line of JSON each."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True, kw_only=True)
class Ready:
    """The door is open."""

    url: str
    replicas: int
    data: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """There is nothing to serve, for a reason that the user can mend."""

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """What was done: the queries received and asked since the start, and those asked in the last ``since_s``."""

    received: int
    asked: int
    lately: int
    since_s: float


StatusMessage: TypeAlias = Ready | Refused | Progress


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
        case {"is": "Refused", "reason": str(reason)}:
            return Refused(reason=reason)
        case {"is": "Progress", "received": int(received), "asked": int(asked), "lately": int(lately)}:
            return Progress(received=received, asked=asked, lately=lately, since_s=float(row["since_s"]))
    return None
