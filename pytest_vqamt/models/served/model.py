"""A model that is served elsewhere, asked a batch a request."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from weakref import finalize

from pytest_vqamt.core.query import Answer, Failure, ModelInput
from pytest_vqamt.models.http.responses import QueryError
from pytest_vqamt.models.protocol import METHODS
from pytest_vqamt.models.served.cards import Card
from pytest_vqamt.models.served.pieces import Packing
from pytest_vqamt.models.served.refusals import TooMuchError
from pytest_vqamt.models.served.sending import Sending
from pytest_vqamt.models.served.server import Server

_SMALLEST_BATCH = 32
"""A request costs some milliseconds, however little is in it."""

_BATCHES_FOR_A_REPLICA = 4
"""So many are under way over all workers: one is answered, one waits beside it, and two are on their way."""

MOST_AT_ONCE = 16


class ServedModel:
    """The model of a card: its name, its fingerprint, and a method for each of its tasks.

    Each distinct query of a batch is sent once. Where some have no answer the batch raises the first one's exception;
    whoever asks for parts of it again gets the others' answers, and the same exceptions, without a request.

    Attributes:
        name: the spec of the served model.
        fingerprint: its own; None where it declares none.
        batch_size, batches_at_once: how it is asked best.
    """

    def __init__(self, server: Server, card: Card, sending: Sending, *, workers: int) -> None:
        self.name = card.model
        self.fingerprint = card.fingerprint if card.persistent else None
        self.batch_size = min(max(_SMALLEST_BATCH, card.batch_size), card.max_queries)
        at_once = -(-_BATCHES_FOR_A_REPLICA * max(1, card.replicas) // workers)
        self.batches_at_once = min(MOST_AT_ONCE, max(2, at_once))
        self._server = server
        self._card = card
        self._sending = sending
        self._packing = Packing(
            as_pixels=sending.as_pixels,
            with_meaning=card.reads_meaning,
            max_queries=card.max_queries,
            max_bytes=card.max_bytes,
        )
        self._kept: dict[str, Answer | Exception] = {}
        for task in card.tasks:
            setattr(self, METHODS[task], self._method())
        finalize(self, server.close)

    def _method(self) -> Callable[[Sequence[ModelInput]], tuple[Answer, ...]]:
        def answer(batch: Sequence[ModelInput]) -> tuple[Answer, ...]:
            return self._answers(batch)

        return answer

    def _answers(self, batch: Sequence[ModelInput]) -> tuple[Answer, ...]:
        """The answer to each input.

        Raises:
            ModelError: the server cannot be asked at all, or serves another model by now.
            Exception: what the first input without an answer failed with.
        """
        distinct = {asked.query.id: asked for asked in batch}
        found = {name: self._kept.pop(name) for name in distinct if name in self._kept}
        found.update(self._asked([asked for name, asked in distinct.items() if name not in found]))
        if failed := [failure for name in distinct if isinstance(failure := found[name], Exception)]:
            if len(distinct) > 1:
                self._kept.update(found)
            raise failed[0]
        answers = {name: answer for name, answer in found.items() if isinstance(answer, Answer)}
        return tuple(answers[asked.query.id] for asked in batch)

    def _asked(self, inputs: Sequence[ModelInput]) -> dict[str, Answer | Exception]:
        """What the server makes of distinct inputs, by query id."""
        found: dict[str, Answer | Exception] = {}
        unknown: list[ModelInput] = []
        for piece in self._packing.pieces(inputs):
            try:
                told = self._server.answers(self._card.identity, piece.request(self._card.identity), len(piece.inputs))
            except TooMuchError:
                if len(piece.inputs) == 1:
                    raise
                for half in _halves(piece.inputs):
                    found.update(self._asked(half))
                continue
            for asked, each in zip(piece.inputs, told, strict=True):
                if isinstance(each, Answer):
                    found[asked.query.id] = each
                elif isinstance(each, Failure):
                    found[asked.query.id] = failure_of(each)
                elif piece.shows_pixels(asked):
                    found[asked.query.id] = QueryError(
                        f"Expected the pixels that were sent to do, but got: {each.reason}"
                    )
                else:
                    self._sending.lacks(asked, each.reason)
                    unknown.append(asked)
                    continue
                self._sending.has(as_pixels=piece.shows_pixels(asked))
        return {**found, **self._asked(unknown)} if unknown else found


class ServedError(Exception):
    """The served model has no answer to one query."""


def failure_of(failure: Failure) -> Exception:
    """What the served model raised, as an exception that reads the same: ``ValueError: too long``.

    Its class bears the name alone. The class itself may be of a package that is not here.
    """
    name, _, said = failure.reason.partition(":")
    if not name.isidentifier():
        return ServedError(failure.reason)
    named: type[ServedError] = type(name, (ServedError,), {})
    return named(said.strip())


def _halves(inputs: Sequence[ModelInput]) -> tuple[Sequence[ModelInput], Sequence[ModelInput]]:
    middle = len(inputs) // 2
    return inputs[:middle], inputs[middle:]
