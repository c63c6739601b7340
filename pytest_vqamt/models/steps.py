"""A model's answer in two steps: what needs no device may be done ahead, on another thread, the rest comes after."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from pytest_vqamt.core.query import Answer, ModelInput, Task
from pytest_vqamt.models.batching import free_memory, is_out_of_memory
from pytest_vqamt.models.transformers.runtime import Runtime

Rest: TypeAlias = Callable[[], tuple[Answer, ...]]
"""The second step of a batch: one answer for each input."""


class Keeps(Protocol):
    """What holds memory of the device that can be given up."""

    def give_up(self) -> bool:
        """Lets all of it go; whether there was any."""
        ...


class Steps:
    """The two steps of one model. A batch that was not prepared, or not as this one, is made ready when it is asked."""

    def __init__(
        self, runtime: Runtime, ready: Callable[[Task, Sequence[ModelInput]], Rest], memory: Keeps | None = None
    ) -> None:
        """Takes the steps.

        Args:
            runtime: where the second step computes.
            ready: the first step; it gives the second.
            memory: what is given up where the second step runs out of memory, before the batch is.
        """
        self._runtime = runtime
        self._ready = ready
        self._memory = memory

    def prepare(self, task: Task, batch: Sequence[ModelInput]) -> None:
        """Leaves on each input what is ready of the batch: the pictures that are new, and the tokens.

        Raises:
            Exception: a picture cannot be drawn, or a text cannot be read; then nothing is left.
        """
        if not batch:
            return
        prepared = _Prepared(by=self, task=task, ids=_ids(batch), rest=self._made_ready(task, batch))
        for asked in batch:
            asked.prepared = prepared

    def answers(self, task: Task, batch: Sequence[ModelInput]) -> tuple[Answer, ...]:
        """One answer for each input."""
        if not batch:
            return ()
        found = batch[0].prepared
        is_ready = isinstance(found, _Prepared) and (found.by, found.task, found.ids) == (self, task, _ids(batch))
        rest = found.rest if isinstance(found, _Prepared) and is_ready else self._made_ready(task, batch)
        try:
            return self._computed(rest)
        except Exception as error:
            if self._memory is None or not is_out_of_memory(error) or not self._memory.give_up():
                raise
        free_memory()  # out here the exception is gone, which holds on to all that the model had computed
        return self._computed(rest)

    def _made_ready(self, task: Task, batch: Sequence[ModelInput]) -> Rest:
        with self._runtime.preparing():
            return self._ready(task, batch)

    def _computed(self, rest: Rest) -> tuple[Answer, ...]:
        with self._runtime.running():
            return rest()


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class _Prepared:
    """What each input of a batch has: the second step of all of them."""

    by: Steps
    task: Task
    ids: tuple[str, ...]
    rest: Rest


def _ids(batch: Sequence[ModelInput]) -> tuple[str, ...]:
    return tuple(asked.query.id for asked in batch)
