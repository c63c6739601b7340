"""What xdist's controller and workers share: the id of the run and a temporary folder."""

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
    """A worker in xdist's controller."""

    workerinput: dict[str, object]

    @property
    def gateway(self) -> XdistGateway: ...


class XdistGateway(Protocol):
    """The connection to a worker."""

    @property
    def id(self) -> str: ...


def run_process_of(config: pytest.Config) -> RunProcess:
    """The process's run: in a worker of xdist its controller's, otherwise a new one."""
    given: dict[str, object] = getattr(config, "workerinput", {})
    if _RUN not in given:
        return RunProcess()
    folder = Path(str(given[_FOLDER]))
    # A worker on another machine has no such folder, and does not share its answers.
    return RunProcess(id=str(given[_RUN]), process=str(given["workerid"]), folder=folder if folder.is_dir() else None)


class RunFolder:
    """A plugin of xdist's controller that gives each worker the run and its folder, and removes the folder at the end.

    The folder is accessible to this user alone. It holds the answers of models without a fingerprint, and all answers
    if there is no cache. If this process is killed, the next run with workers removes the folder.
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
        """Releases the leases of a worker that died, so that others need not wait until they expire."""
        self._release(f"{self._settings.run.id}.{node.gateway.id}.")

    def pytest_unconfigure(self) -> None:
        if self._folder is not None:
            self._release(f"{self._settings.run.id}.")
            self._folder.remove()

    def _release(self, prefix: str) -> None:
        for folder in (self._settings.cache, self._folder.path if self._folder else None):
            if folder is not None:
                release_all(folder / ANSWERS_FILE, prefix)
