"""A batch that fails is split down to what fails: one bad query costs itself, and memory that runs out costs a try."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from threading import Lock
from typing import TypeAlias

from pytest_vqamt.core.errors import ModelError
from pytest_vqamt.core.query import Answer, Failure, ModelInput, Task
from pytest_vqamt.execution.busy import Busy
from pytest_vqamt.models.batching import free_memory, is_out_of_memory
from pytest_vqamt.models.protocol import LoadedModel

_OUT_OF_MEMORY = (
    "memory ran out on a single query: give --vqamt-dtype=bfloat16, fewer workers on one device, or a smaller model"
)
_HOPELESS = 32
"""After so many queries that failed, with none answered, the model is given up."""

Keep: TypeAlias = Callable[[Sequence[ModelInput], Sequence[Answer]], object]
"""Is told what has been answered, a piece of a batch at a time."""


class OutOfMemoryError(Exception):
    """There was no room for a batch."""


class Splitting:
    """Asks a model batch by batch; several threads may do so at once.

    Attributes:
        succeeded, failed: queries that were answered, and that the model raised at.
    """

    def __init__(self, model: LoadedModel) -> None:
        self.succeeded = 0
        self.failed = 0
        self._model = model
        self._lock = Lock()
        self._busy = Busy()

    @property
    def busy_s(self) -> float:
        """For how long the model has had at least one batch, in seconds."""
        return self._busy.seconds

    def ask(self, task: Task, inputs: Sequence[ModelInput], keep: Keep | None = None) -> list[Answer | Failure]:
        """What became of each input, in their order; ``keep`` gets what is answered as soon as it is.

        Raises:
            ModelError: the model breaks its protocol, or has failed on everything it was asked.
        """
        return self._attempt(task, inputs, keep)[0]

    def hopeless(self, failed: int, reason: str) -> ModelError:
        """What is to be said of a model that has failed on all of so many queries, lastly because of ``reason``."""
        return ModelError(
            f"Expected model {self._model.name!r} to answer, but it failed on each of {failed} queries: {reason}"
        )

    def _attempt(
        self, task: Task, inputs: Sequence[ModelInput], keep: Keep | None
    ) -> tuple[list[Answer | Failure], int]:
        """What became of each, and how many of them are too large for memory on their own."""
        try:
            with self._busy:
                answers = self._model.ask(task, inputs)
        except ModelError:
            raise
        except Exception as error:  # a model may raise anything; the one bad query is found and reported
            ran_out = is_out_of_memory(error)
            failed = OutOfMemoryError(f"{_OUT_OF_MEMORY} ({error})") if ran_out else error
        else:
            with self._lock:
                self._model.batch.went_well(len(inputs))
                self.succeeded += len(answers)
                self._model.standing.answered += len(answers)
            if keep is not None:
                keep(inputs, answers)
            return list(answers), 0
        if ran_out:
            free_memory()  # out here the exception is gone, which holds on to all that the model had computed
        found, too_large = self._split(task, inputs, failed, keep)
        with self._lock:
            if ran_out and not too_large:
                self._model.batch.ran_out(len(inputs))  # it was too many, and no one of them too large
            elif not ran_out and 2 * sum(isinstance(each, Answer) for each in found) > len(inputs):
                self._model.batch.went_well(len(inputs))  # what failed was not for their number
        return found, too_large

    def _split(
        self, task: Task, inputs: Sequence[ModelInput], error: Exception, keep: Keep | None
    ) -> tuple[list[Answer | Failure], int]:
        if len(inputs) == 1:
            return [self._failure(error)], int(isinstance(error, OutOfMemoryError))
        middle = len(inputs) // 2
        first, of_first = self._attempt(task, inputs[:middle], keep)
        second, of_second = self._attempt(task, inputs[middle:], keep)
        return first + second, of_first + of_second

    def _failure(self, error: Exception) -> Failure:
        reason = f"{type(error).__name__}: {_one_line(str(error))}"
        standing = self._model.standing
        with self._lock:
            self.failed += 1
            standing.failed += 1
            if standing.failed >= _HOPELESS and not standing.answered:
                told = self.hopeless(standing.failed, reason)
                standing.given_up = str(told)
                raise told from error
        return Failure(reason=reason)


def _one_line(text: str, at_most: int = 300) -> str:
    line = " ".join(text.split())
    return line if len(line) <= at_most else f"{line[: at_most - 1]}…"
