"""Plans the next cases while the model works on these."""

from __future__ import annotations

import os
from concurrent.futures import Future

from pytest_vqamt.core.daemon_executor import DaemonExecutor
from pytest_vqamt.execution.plan import Job, PlannedCase, Sampling, planned_cases, windows

WINDOW = 1024
"""Cases that are planned, run and judged together; only these are in memory, and as many that come next."""


class PlannedItem:
    """The cases of an item, window by window.

    Attributes:
        plan: where they come from; what it counts is complete after the last window.
    """

    def __init__(self, job: Job, sampling: Sampling) -> None:
        self.plan = job.plan(sampling)
        self.job = job
        self.sampling = sampling
        self._windows = windows(planned_cases(self.plan), WINDOW)
        self._next: Future[list[PlannedCase]] | None = None

    def take(self) -> list[PlannedCase]:
        """The next window; empty after the last.

        Raises:
            VqamtError: the relation raised an error, or a scene cannot be read.
        """
        begun, self._next = self._next, None
        return self._plan_window() if begun is None else begun.result()

    def begin(self, executor: DaemonExecutor) -> None:
        """Plans the next window on a thread."""
        # The code of users may keep state of its own, or draw from the generators that all threads share. A relation
        # that restores these would turn back the one that a model draws from meanwhile.
        if self.job.is_ours and not self.job.relation.info.changes_globals:
            self._next = executor.submit(self._plan_window)

    def _plan_window(self) -> list[PlannedCase]:
        return next(self._windows, [])


class PlanAhead:
    """Plans the next window of cases on a thread of its own, of this item or the next; the same cases come out of it.

    It gains where a model leaves Python's lock alone, as on a GPU or a server; elsewhere the work is only done earlier.
    """

    def __init__(self) -> None:
        self._executor: DaemonExecutor | None = None
        self._process = os.getpid()
        self._upcoming: PlannedItem | None = None

    def take(self, job: Job, sampling: Sampling) -> PlannedItem:
        """The cases of an item, the first of them planned already if it is the one that came next."""
        begun, self._upcoming = self._upcoming, None
        is_begun = (
            begun is not None
            and self._process == os.getpid()  # a fork has none of its parent's threads
            and begun.sampling == sampling
            and begun.job.relation is job.relation
            and begun.job.variant == job.variant
            and begun.job.source is job.source
            and begun.job.baseline is job.baseline
            and begun.job.model.takes == job.model.takes
        )
        return begun if begun and is_begun else PlannedItem(job, sampling)

    def begin(self, now: PlannedItem, window: list[PlannedCase], upcoming: Job | None) -> None:
        """Begins to plan what comes after ``window`` of the item ``now``, and returns at once."""
        if self._process != os.getpid():
            return
        self._executor = self._executor or DaemonExecutor(1, "vqamt-plan")
        if len(window) == WINDOW:
            now.begin(self._executor)
        elif upcoming is not None and self._upcoming is None:
            self._upcoming = PlannedItem(upcoming, now.sampling)
            self._upcoming.begin(self._executor)

    def close(self) -> None:
        """Discards what was planned."""
        self._upcoming = None
        if self._executor is not None and self._process == os.getpid():
            self._executor.close()
        self._executor = None
