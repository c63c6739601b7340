"""Queries to answers: each distinct one once, in full batches, a failing batch split down to what fails."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice

from pytest_vqamt.core.errors import ModelError
from pytest_vqamt.core.query import Answer, Failure, ModelInput, Query, Task
from pytest_vqamt.execution.answer_store import AnswerStore
from pytest_vqamt.execution.render_ahead import RenderAhead
from pytest_vqamt.models.base import LoadedModel
from pytest_vqamt.models.batch_size import free_memory, is_out_of_memory

_OUT_OF_MEMORY = (
    "memory ran out on a single query: give --vqamt-dtype=bfloat16, fewer workers on one device, or a smaller model"
)
_HOPELESS = 32
"""After so many queries that failed, with none answered, the model is given up."""


class OutOfMemoryError(Exception):
    """There was no room for a batch."""


class Asker:
    """Gets the answers of one model, out of the store where they are there.

    Attributes:
        asked, cached: distinct queries that the model was asked, and that the store answered.
        last_failure: the latest exception of the model, in words; empty where it has answered something.
    """

    def __init__(
        self, model: LoadedModel, store: AnswerStore, pictures: RenderAhead, answered: Callable[[int], None]
    ) -> None:
        self.asked = 0
        self.cached = 0
        self._failed = 0
        self._succeeded = 0
        self._too_large = 0
        self._reason = ""
        self._model = model
        self._store = store
        self._pictures = pictures
        self._answered = answered

    @property
    def last_failure(self) -> str:
        return "" if self._succeeded else self._reason

    def look_up(self, queries: Iterable[Query]) -> tuple[dict[str, Answer], dict[str, Query]]:
        """What the store answers of ``queries``, by query id, and the distinct queries that it lacks."""
        distinct = {query.id: query for query in queries}
        known = self._store.get(self._model.fingerprint, tuple(distinct))
        self.cached += len(known)
        return known, {query_id: query for query_id, query in distinct.items() if query_id not in known}

    def ask(self, queries: dict[str, Query]) -> dict[str, Answer | Failure]:
        """The answers to distinct ``queries``, by query id; kept in the store a batch at a time.

        Raises:
            ModelError: the model breaks its protocol, or has failed on everything it was asked.
        """
        found: dict[str, Answer | Failure] = {}
        ordered = [_by_picture(queries, task) for task in Task]
        self._pictures.expect((query.picture for some in ordered for query in some), self._model.batch_size)
        for batch in (batch for some in ordered for batch in self._batches(some)):
            found.update(self._attempt(batch))
            self.asked += len(batch)
            self._answered(len(batch))
        return found

    def _batches(self, queries: Sequence[Query]) -> Iterator[dict[str, Query]]:
        """Full batches, each of as many as the model takes when its turn comes."""
        wanted = ((query.id, query) for query in queries)
        while batch := dict(islice(wanted, self._model.batch_size)):
            yield batch

    def _attempt(self, batch: dict[str, Query]) -> dict[str, Answer | Failure]:
        inputs = [ModelInput(query, self._pictures.image) for query in batch.values()]
        try:
            answers = self._model.ask(next(iter(batch.values())).task, inputs)
        except ModelError:
            raise
        except Exception as error:  # a model may raise anything; the one bad query is found and reported
            ran_out = is_out_of_memory(error)
            failed = OutOfMemoryError(f"{_OUT_OF_MEMORY} ({error})") if ran_out else error
        else:
            return self._answered_now(batch, answers)
        if not ran_out:
            found = self._split(batch, failed)
            if 2 * sum(isinstance(each, Answer) for each in found.values()) > len(batch):
                self._model.batch.went_well(len(batch))  # what failed was not for their number
            return found
        free_memory()  # out here the exception is gone, which holds on to all that the model had computed
        before = self._too_large
        found = self._split(batch, failed)
        if self._too_large == before:  # it was too many, and no one of them too large
            self._model.batch.ran_out(len(batch))
        return found

    def _answered_now(self, batch: dict[str, Query], answers: Sequence[Answer]) -> dict[str, Answer | Failure]:
        self._model.batch.went_well(len(batch))
        self._succeeded += len(answers)
        self._model.standing.answered += len(answers)
        found = dict(zip(batch, answers, strict=True))
        self._store.put(self._model.fingerprint, found)
        return dict(found)

    def _split(self, batch: dict[str, Query], error: Exception) -> dict[str, Answer | Failure]:
        ids = tuple(batch)
        if len(ids) == 1:
            return {ids[0]: self._failure(error)}
        middle = len(ids) // 2
        return {
            **self._attempt({query_id: batch[query_id] for query_id in ids[:middle]}),
            **self._attempt({query_id: batch[query_id] for query_id in ids[middle:]}),
        }

    def _failure(self, error: Exception) -> Failure:
        reason = f"{type(error).__name__}: {_one_line(str(error))}"
        self._failed += 1
        self._reason = reason
        self._too_large += isinstance(error, OutOfMemoryError)
        standing = self._model.standing
        standing.failed += 1
        if standing.failed >= _HOPELESS and not standing.answered:
            told = self._hopeless(standing.failed)
            standing.given_up = str(told)
            raise told from error
        return Failure(reason=reason)

    def hopeless(self) -> ModelError:
        """What is to be said of a model that has failed on everything in this item."""
        return self._hopeless(self._failed)

    def _hopeless(self, failed: int) -> ModelError:
        return ModelError(
            f"Expected model {self._model.name!r} to answer, but it failed on each of {failed} queries: {self._reason}"
        )


def _by_picture(queries: dict[str, Query], task: Task) -> list[Query]:
    """Those of a task, all that is asked of one picture in a row: it is drawn, and may be encoded, once."""
    of_picture: dict[str, list[Query]] = {}
    for query in queries.values():
        if query.task is task:
            of_picture.setdefault(query.picture.digest, []).append(query)
    return [query for some in of_picture.values() for query in some]


def _one_line(text: str, at_most: int = 300) -> str:
    line = " ".join(text.split())
    return line if len(line) <= at_most else f"{line[: at_most - 1]}…"


def missing(model: LoadedModel, queries: Sequence[Query]) -> list[Query]:
    """The queries that a model of written answers lacks; none for any other model."""
    return [query for query in queries if model.deferred.lacks(query)] if model.deferred else []
