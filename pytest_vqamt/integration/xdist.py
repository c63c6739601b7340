"""What the processes of a run share: which run it is, and a folder that is there as long as it lasts."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import pytest

from pytest_vqamt.execution.answer_cache import ANSWERS_FILE
from pytest_vqamt.execution.leases import LockedFolder, RunProcess, release_all

if TYPE_CHECKING:
    from pytest_vqamt.integration.settings import Settings


_RUN, _FOLDER = "vqamt_run", "vqamt_run_folder"
_PREFIX = "vqamt-run-"


class XdistNode(Protocol):
    """What is used here of a worker as xdist's controller knows it."""

    workerinput: dict[str, object]

    @property
    def gateway(self) -> XdistGateway: ...


class XdistGateway(Protocol):
    """How the controller reaches a worker."""

    @property
    def id(self) -> str: ...


def run_process_of(config: pytest.Config) -> RunProcess:
    """The run that this process is a part of: one that begins, or in a worker of xdist that of its controller."""
    told: dict[str, object] = getattr(config, "workerinput", {})
    if _RUN not in told:
        return RunProcess()
    folder = Path(str(told[_FOLDER]))
    # A worker on another machine has no such folder, and shares its answers with nobody.
    return RunProcess(id=str(told[_RUN]), process=str(told["workerid"]), folder=folder if folder.is_dir() else None)


class RunFolder:
    """Registered as a plugin of its own in xdist's controller: tells each worker of the run, and tidies up after it.

    The folder is this user's alone. It holds the answers of models that do not say what they are, and all answers
    where no cache is kept; they go with it when the run ends. Where this process is killed, the next run with workers
    takes the folder away.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._folder: LockedFolder | None = None

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: XdistNode) -> None:
        if self._folder is None:
            try:
                self._folder = LockedFolder(Path(tempfile.gettempdir()), _PREFIX)
            except OSError as error:
                raise pytest.UsageError(
                    f"Expected a folder for temporary files that can be written to, but got {tempfile.gettempdir()!r} "
                    f"({error}): set TMPDIR to one, or free some space"
                ) from error
        node.workerinput |= {_RUN: self._settings.run.id, _FOLDER: str(self._folder.path)}

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: XdistNode) -> None:
        """Frees what a worker was asking when it died, so that the others need not wait for its lease to end."""
        self._end_claims(f"{self._settings.run.id}.{node.gateway.id}.")

    def pytest_unconfigure(self) -> None:
        if self._folder is not None:
            self._end_claims(f"{self._settings.run.id}.")
            self._folder.remove()

    def _end_claims(self, owner: str) -> None:
        for folder in (self._settings.cache, self._folder.path if self._folder else None):
            if folder is not None:
                release_all(folder / ANSWERS_FILE, owner)
