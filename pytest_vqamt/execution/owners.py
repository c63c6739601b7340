"""Who holds a claim: a process of a run, on a machine."""

from __future__ import annotations

import os
import platform
import secrets
from dataclasses import dataclass, field
from pathlib import Path

_HOST = platform.node()


def _fresh() -> str:
    return secrets.token_hex(6)


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """A process, and the run that it is a part of.

    Attributes:
        id: which run; it is in no result.
        process: which of its processes.
        folder: where they keep what lasts no longer than the run does; None where there is but one process.
    """

    id: str = field(default_factory=_fresh)
    process: str = "main"
    folder: Path | None = None

    @property
    def owner(self) -> str:
        """How the names of all begin that hold something for this process."""
        return f"{self.id}.{self.process}."

    def new_owner(self) -> str:
        """A name that nothing else has, and that says on which machine it is which process."""
        return f"{self.owner}{_fresh()}@{_HOST}:{os.getpid()}"


def is_gone(owner: str) -> bool:
    """Whether it is certain that a process has ended, so that nobody need wait for its lease to end."""
    host, _, process = owner.rpartition("@")[2].rpartition(":")
    if os.name != "posix" or host != _HOST:
        return False
    try:
        os.kill(int(process), 0)  # sends nothing (POSIX, kill); on other systems it may end the process
    except ProcessLookupError:
        return True
    except (OSError, ValueError):
        return False
    return False
