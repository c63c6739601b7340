"""The processes of a run under xdist: what its controller gives the workers, and what becomes of one without a device.

A worker whose device is lost fails faster than the others work, and would get nearly all items. It ends its process
instead: to xdist it has crashed, so its other items go to other workers, and a worker takes its place. The item that it
was running is put back, too, and not reported: nothing is known against it.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Timer
from typing import TYPE_CHECKING, Any, Protocol

import pytest
from _pytest.junitxml import xml_key
from _pytest.outcomes import Exit

from pytest_vqamt.core.errors import VqamtError
from pytest_vqamt.core.text import count_noun
from pytest_vqamt.execution.answer_cache import ANSWERS_FILE
from pytest_vqamt.execution.leases import LockedFolder, RunProcess, release_all
from pytest_vqamt.integration.aggregate import CRASH_PHASE

if TYPE_CHECKING:
    from pytest_vqamt.integration.settings import Settings


_RUN, _FOLDER, _PLACE, _AFTER = "vqamt_run", "vqamt_run_folder", "vqamt_place", "vqamt_after"
"""What the controller gives each worker: the id of the run, its folder, the worker's place in it, and the workers that
have to end before the place is free."""
_PREFIX = "vqamt-run-"
"""How the folders of runs begin, in the system's folder for temporary files."""
_NOTE = "lost-"
"""The beginning of the file in that folder in which a worker says that its device is lost."""
_ENDED = "ended-"
"""The beginning of the file there that says that a worker has ended."""

RERUN = "rerun"
"""The outcome of the report of an item that is run again, by the name that pytest-rerunfailures has for it."""

_MOST_LOSSES = 2
"""Workers in a row that have lost the device of one place without finishing a test: then it is given up."""
_MOST_PLACES = 2
"""Places on which the device is lost under one item: then the item is at fault."""
_RUNNING = "running-"
"""The beginning of the file there in which a worker writes the position of the item that it runs."""
SPENT = "vqamt_spent"
"""What a worker sends at its end of its model use for the items of others."""

_PAUSE_S = 0.2
"""Between two looks whether a place is free, or an item still runs."""
_LONG_S = 1.0
"""An item that has run for less is left to its worker: planning it once more takes time of the processor."""
_TEARDOWN_S = 10.0
"""How long fixtures may take to end a worker without a device: they may hang on it."""

_LONG_TO_LOAD_S = 20.0
"""The same, where a model must be loaded for it."""


class XdistNode(Protocol):
    """A worker in xdist's controller."""

    workerinput: dict[str, object]

    @property
    def gateway(self) -> XdistGateway: ...


class XdistScheduler(Protocol):
    """What divides the items among the workers."""

    def mark_test_pending(self, item: str) -> None: ...
    def schedule(self) -> None: ...


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
        # Made with the first worker: a session without xdist needs no folder.
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
        # xdist calls this for workers that ended as they should, too; these have no leases left.
        self._release(f"{self._settings.run.id}.{node.gateway.id}.")

    def loss_of(self, worker: str) -> str | None:
        """Why this worker has lost its device; None if it has not said so."""
        try:
            return (self._folder.path / f"{_NOTE}{worker}").read_text(encoding="utf-8") if self._folder else None
        except OSError:
            return None

    def note_end(self, worker: str) -> None:
        """Lets those know that wait for the worker's place."""
        if self._folder is not None:
            with suppress(OSError):
                (self._folder.path / f"{_ENDED}{worker}").touch()

    def pytest_unconfigure(self) -> None:
        if self._folder is not None:
            self._release(f"{self._settings.run.id}.")
            self._folder.remove()

    def _release(self, prefix: str) -> None:
        # Leases are in the cache, or in the folder of the run for models without a fingerprint.
        for folder in (self._settings.cache, self._folder.path if self._folder else None):
            if folder is not None:
                release_all(folder / ANSWERS_FILE, prefix)


def place_of(config: pytest.Config) -> tuple[int, int]:
    """The place of this worker among those that run at once, from 0, and their number; 0 and 1 without xdist.

    A worker that replaces another takes its place, and with it its device: counted by its name (gw4 of 4), it would
    take that of one that lives.
    """
    given: Mapping[str, object] = getattr(config, "workerinput", {})
    return (int(str(given[_PLACE])), int(str(given["workercount"]))) if _PLACE in given else (0, 1)


class LostDeviceExit(Exit):
    """Ends the session, since this process can use its device no more."""

    __module__, __qualname__ = "builtins", "LostDevice"  # what pytest prints before the message

    def __init__(self, error: VqamtError) -> None:
        super().__init__(
            f"{error}; the session ends, since this process can use it no more. Run again to go on: the answers that "
            "the cache keeps are not asked again (after an assert CUDA_LAUNCH_BLOCKING=1 shows its cause; after an Xid "
            "or ECC error see nvidia-smi and the kernel's log)"
        )
        self.reason = str(error)


class WorkerEnd:
    """A plugin of a worker that ends its process, so that another takes its items, when its device is lost."""

    def __init__(self, config: pytest.Config, run: RunProcess) -> None:
        given: Mapping[str, str | None] = getattr(config, "workerinput", {})
        self._after = given.get(_AFTER, "")
        self._run = run
        self._is_lost = False

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection(self) -> None:
        if self._after is None:
            # With status 0 this is no crash, so that no other worker replaces this one.
            pytest.exit("the devices of all places are given up", returncode=0)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtestloop(self) -> Generator[None, object, object]:
        """Waits until the place is free: two models may not fit on one device."""
        folder = self._run.folder
        for name in (self._after or "").split():
            while folder and folder.is_dir() and not (folder / f"{_ENDED}{name}").exists():
                time.sleep(_PAUSE_S)
        return (yield)

    @pytest.hookimpl
    def pytest_keyboard_interrupt(self, excinfo: pytest.ExceptionInfo[BaseException]) -> None:
        """Is called for every ``pytest.exit``, too."""
        # Without a folder, as on another machine, the controller can only take it for a crash.
        if isinstance(excinfo.value, LostDeviceExit) and self._run.folder is not None:
            self._is_lost = True
            with suppress(OSError):
                (self._run.folder / f"{_NOTE}{self._run.process}").write_text(excinfo.value.reason, encoding="utf-8")
            end = Timer(_TEARDOWN_S, os._exit, (1,))
            end.daemon = True
            end.start()

    @pytest.hookimpl(wrapper=True, trylast=True)
    def pytest_sessionfinish(self) -> Generator[None, object, object]:
        """Ends the process after the fixtures, and before xdist reports an orderly end, which leaves no items behind.

        With the process its part of the device's memory is free.
        """
        try:
            return (yield)
        finally:
            if self._is_lost:
                os._exit(1)


class RunningItems:
    """The items that the workers of a run are at: one without any more of its own asks queries of those of others."""

    def __init__(self, run: RunProcess) -> None:
        self._folder = run.folder
        self._file = run.folder and run.folder / f"{_RUNNING}{run.process}"

    @contextmanager
    def running(self, position: int) -> Iterator[None]:
        """Names the item of this position as that of this worker within the block."""
        if self._file is None:
            yield
            return
        with suppress(OSError):
            self._file.write_text(str(position))
        try:
            yield
        finally:
            with suppress(OSError):
                self._file.unlink(missing_ok=True)

    def of_others(self, is_ready: Callable[[int], bool]) -> Iterator[int]:
        """The positions of items that other workers have run for a while, each once, until none is running.

        ``is_ready`` is true for the items whose model this worker has; to load one in place of another takes a while.
        """
        seen: set[int] = set()
        quiet = 0
        # Twice: between two items of a worker there is none for a moment.
        while self._folder is not None and quiet < 2:
            running = list(self._now())
            quiet = 0 if running else quiet + 1
            long = [
                position
                for position, since in running
                if position not in seen and time.time() - since > (_LONG_S if is_ready(position) else _LONG_TO_LOAD_S)
            ]
            if long:
                seen.add(long[0])
                yield long[0]
            elif quiet < 2:
                time.sleep(_PAUSE_S)

    def is_running(self, position: int) -> bool:
        """True while another worker runs the item of this position."""
        return any(each == position for each, _ in self._now())

    def _now(self) -> Iterator[tuple[int, float]]:
        assert self._folder is not None, "looked at for the items of others alone"
        for file in sorted(self._folder.glob(f"{_RUNNING}*")):
            has_ended = (self._folder / f"{_ENDED}{file.name.removeprefix(_RUNNING)}").exists()
            with suppress(OSError, ValueError):  # it has just ended, or begun
                if not has_ended:
                    yield int(file.read_text()), file.stat().st_mtime


class Workers:
    """A plugin of the controller that gives each worker its place, and puts back the items of those without a device.

    Not by xdist's names, which go on: the place of a worker that died is free for the one that replaces it.
    """

    def __init__(self, config: pytest.Config, folder: RunFolder) -> None:
        self._config = config
        self._folder = folder
        self._places: dict[str, int] = {}
        self._losses: Counter[int] = Counter()
        self._busy: set[str] = set()
        self._lost: dict[str, tuple[int, str]] = {}
        self._lost_under: dict[str, set[int]] = {}
        self._collected: Sequence[str] = ()
        self._finished: set[str] = set()
        self._sends_two: XdistScheduler | None = None

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: XdistNode) -> None:
        places = range(int(str(node.workerinput["workercount"])))
        held = {place: [name for name, its in self._places.items() if its == place] for place in places}
        sound = [place for place in places if not self._is_retired(place)]
        # Where the devices of all free places are given up, it takes the place of a worker that ends before it begins:
        # xdist may have told that one to end already, and would have none for the items that are left.
        place = min(sound or places, key=lambda each: (len(held[each]), each))
        self._places[node.gateway.id] = place
        node.workerinput |= {_PLACE: place, _AFTER: " ".join(held[place]) if sound else None}

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: XdistNode) -> None:
        """Notes whether the worker has lost its device, and says so in a line."""
        name = node.gateway.id
        place = self._places.pop(name, 0)
        self._folder.note_end(name)
        if node.workerinput.get(_AFTER, "") is None:
            self._put_back(node)
        if (reason := self._folder.loss_of(name)) is None:
            return
        self._lost[name] = place, reason
        # A worker that had finished tests had a sound device: the next one may as well.
        self._losses[place] = 1 + (0 if name in self._busy else self._losses[place])
        rest = "; its device is used no more" if self._is_retired(place) else ""
        if reporter := self._config.pluginmanager.get_plugin("terminalreporter"):
            reporter.ensure_newline()
            line = f"vqamt: {reason}; worker {name} ends, and its tests go to other workers{rest}"
            reporter.write_line(line, yellow=True)

    def _put_back(self, node: XdistNode) -> None:
        """Takes back the items that xdist may have sent to a worker that ended before it ran any."""
        session: Any = self._config.pluginmanager.get_plugin("dsession")
        sched = session.sched
        if node in sched.nodes and (item := sched.remove_node(node)):
            with suppress(NotImplementedError):
                sched.mark_test_pending(item)

    def _is_retired(self, place: int) -> bool:
        return self._losses[place] >= _MOST_LOSSES

    @pytest.hookimpl(optionalhook=True)
    def pytest_handlecrashitem(self, crashitem: str, report: pytest.TestReport, sched: XdistScheduler) -> None:
        """Puts back the item that a worker without a device was running."""
        # With --dist=each it has run, or will run, on every other worker.
        if (found := self._lost.get(report.node.gateway.id)) and self._config.getvalue("dist") != "each":
            self._run_again(crashitem, report, sched, *found)
        self._keep_scopes_moving(sched)

    def _run_again(
        self, crashitem: str, report: pytest.TestReport, sched: XdistScheduler, place: int, reason: str
    ) -> None:
        places = self._lost_under.setdefault(crashitem, set())
        places.add(place)
        if len(places) >= _MOST_PLACES:
            report.longrepr = (
                f"{reason}. It was the second device that was lost while this test ran, so what it asks may be the "
                "cause: run it alone with CUDA_LAUNCH_BLOCKING=1"
            )
            # With its scope it would run again, and cost the other tests of the scope each further device.
            for finished in _scopes(sched).values():
                finished |= dict.fromkeys(finished.keys() & {crashitem}, True)
            return
        # The schedulers of scopes put the whole scope back by themselves.
        with suppress(NotImplementedError):
            sched.mark_test_pending(crashitem)
        report.outcome = RERUN  # type: ignore[assignment]  # the way of xdist's documentation of this hook

    def _keep_scopes_moving(self, sched: XdistScheduler) -> None:
        """Keeps the schedulers of scopes (loadgroup, loadscope, loadfile) of xdist 3.8 from waiting forever.

        They put back all scopes of a worker that has died, with those that it has finished: a worker that is sent one
        of these has nothing to run, and asks for no other. And they send a new worker one scope, but each worker waits
        for a second test before it runs the first.
        """
        queue = _scopes(sched)
        for scope in [scope for scope, finished in queue.items() if all(finished.values())]:
            del queue[scope]
        if hasattr(sched, "workqueue") and sched is not self._sends_two:
            self._sends_two = sched
            once = sched.schedule

            def twice() -> None:
                once()
                once()  # a further call sends each worker another scope, or that there is none

            sched.schedule = twice  # type: ignore[method-assign]  # there is no hook after it

    @pytest.hookimpl(tryfirst=True)
    def pytest_report_teststatus(self, report: pytest.TestReport) -> tuple[str, str, str] | None:
        """Shows nothing of the report of an item that is run again: neither a letter nor a count."""
        return ("", "", "") if is_rerun(report) else None

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> Generator[None, object, object]:
        done = yield
        if is_rerun(report):
            self._leave_out_of_junit(report)
        elif report.when == "teardown" or (report.when == CRASH_PHASE and report.failed):
            self._finished.add(report.nodeid)
            if node := getattr(report, "node", None):
                self._busy.add(node.gateway.id)
        return done

    def _leave_out_of_junit(self, report: pytest.TestReport) -> None:
        """A JUnit file has a test case for each worker that has reported something of it."""
        if junit := self._config.stash.get(xml_key, None):
            made = junit.node_reporter(report)
            junit.node_reporters_ordered.remove(made)
            for key in [key for key, each in junit.node_reporters.items() if each is made]:
                del junit.node_reporters[key]

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids: Sequence[str]) -> None:
        self._collected = ids

    @contextmanager
    def all_run(self, session: pytest.Session) -> Iterator[None]:
        """Fails the session in words if the workers within the block have lost their devices before all items ran."""
        try:
            yield
        except RuntimeError:  # of xdist: "Unexpectedly no active workers available"
            if not self._lost:
                raise
        if not self._lost or session.shouldstop or session.shouldfail:
            return
        left = [name for name in self._collected if name not in self._finished]
        if left:
            places = len({place for place, _ in self._lost.values()})
            _, reason = next(reversed(self._lost.values()))
            session.shouldfail = (
                f"{count_noun(len(left), 'test')} did not run, since {count_noun(places, 'device')} "
                f"{'was' if places == 1 else 'were'} lost and no worker is left; the last: {reason}. Run again to "
                "go on: the answers that the cache keeps are not asked again"
            )
            raise session.Failed(session.shouldfail)


def _scopes(sched: XdistScheduler) -> dict[str, dict[str, bool]]:
    """The scopes that a scheduler of xdist has still to send, and which of their tests have finished."""
    queue: dict[str, dict[str, bool]] = getattr(sched, "workqueue", {})
    return queue


def is_rerun(report: pytest.TestReport) -> bool:
    """True for the report that xdist makes of an item whose worker lost its device, which another worker runs."""
    return report.when == CRASH_PHASE and report.outcome == RERUN
