"""Sends the cards of a probe to a model, alone or together, and logs each request with its answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from pytest_vqamt.core.errors import ModelError
from pytest_vqamt.core.meaning import Exists, Group
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.query import Answer, ModelInput, Query, Task
from pytest_vqamt.core.scene import Photo, Scene
from pytest_vqamt.core.text import count_noun
from pytest_vqamt.language.answers.answer_text import prepare
from pytest_vqamt.language.answers.final import strip_traces
from pytest_vqamt.models.wrapped import LoadedModel
from pytest_vqamt.probing.cards import Card, render_card

_NO_MEANING = Exists(group=Group(name="number"))
"""A query has a meaning; the models that are probed read pixels and text alone."""

_MOST_FAILURES = 20
"""A server that refuses so many requests cannot be probed."""


class RequestsSpentError(Exception):
    """The probe may not send as many requests as it needs next."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A card and a text."""

    card: Card
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SentRequest:
    """A request that was sent, with its answer or failure."""

    number: int
    """Counts requests from 1."""
    card: Card
    text: str
    answer: str
    """As the model gave it; "" where it failed."""
    failure: str = ""
    """Why there is no answer; "" where there is one."""
    tokens_in: int | None = None
    """Of this request, where it was sent alone and the server counts them."""
    batch: int = 0
    """Requests of one number were sent together; 0 for those sent alone."""
    truncated: bool = False
    """True if the model says that it read only the beginning of the text."""
    reasoned: bool = False
    """True if the adapter has taken reasoning out of the answer."""

    @property
    def reading(self) -> str:
        """The answer without reasoning, case and punctuation at its ends, for comparisons."""
        return prepare(self.answer).plain.strip(" \n.,!:;*\"'`").casefold()

    @property
    def has_reasoning(self) -> bool:
        return self.reasoned or strip_traces(self.answer).text != self.answer.strip()


class RequestSender:
    """Sends one model at most ``limit`` requests; ``log`` has them all."""

    def __init__(self, model: LoadedModel, limit: int) -> None:
        self.model = model
        self.limit = limit
        self.log: list[SentRequest] = []
        self._batches = 0
        self._failures = 0

    @property
    def left(self) -> int:
        return self.limit - len(self.log)

    def send_alone(self, request: Request) -> SentRequest:
        """Sends one request and waits for its answer.

        Raises:
            RequestsSpentError: no request is left.
            ModelError: the model cannot be used.
        """
        # The usage of a model is a sum, so one request's share is a difference: known only where it is sent alone.
        before = self.model.used()
        (sent,) = self._send([request], batch=0)
        tokens, reasoned = (
            self.model.used().get(name, 0) - before.get(name, 0)
            for name in ("tokens in", "answers with reasoning in the text")
        )
        sent = replace(sent, tokens_in=round(tokens) or None, reasoned=reasoned > 0)
        self.log[-1] = sent
        return sent

    def send_together(self, requests: Sequence[Request]) -> list[SentRequest]:
        """Sends all requests at once: as a batch, or in as many connections."""
        self._batches += 1
        return self._send(requests, batch=self._batches)

    def _send(self, requests: Sequence[Request], batch: int) -> list[SentRequest]:
        # Before any is sent: half of a batch would be another batch.
        if len(requests) > self.left:
            raise RequestsSpentError
        first = len(self.log) + 1
        sent = [
            SentRequest(
                number=first + place,
                card=request.card,
                text=request.text,
                answer=outcome.text if isinstance(outcome, Answer) else "",
                failure="" if isinstance(outcome, Answer) else str(outcome) or type(outcome).__name__,
                batch=batch,
                truncated=isinstance(outcome, Answer) and outcome.truncated,
            )
            for place, (request, outcome) in enumerate(zip(requests, self._outcomes(requests), strict=True))
        ]
        self.log += sent
        self._failures += sum(bool(each.failure) for each in sent)
        # Half of all: a server may refuse the large pictures and long texts of a few checks, which is a finding.
        if self._failures >= _MOST_FAILURES and self._failures * 2 > len(self.log):
            last = next(each.failure for each in reversed(self.log) if each.failure)
            raise ModelError(
                f"Expected {self.model.name!r} to answer, but {self._failures} of "
                f"{count_noun(len(self.log), 'request')} failed; the last: {last}"
            )
        return sent

    def _outcomes(self, requests: Sequence[Request]) -> list[Answer | Exception]:
        inputs = [_input(request) for request in requests]
        # Each request of a stream has an outcome of its own; elsewhere one failure is that of the whole batch.
        if self.model.streamed is not None:
            found = dict(self.model.stream(Task.VQA, inputs))
            return [found[place] for place in range(len(inputs))]
        try:
            return list(self.model.ask(Task.VQA, inputs))
        except ModelError:
            raise
        except Exception as error:  # whatever the model's code raises concerns this batch
            return [error] * len(inputs)


def _input(request: Request) -> ModelInput:
    card = request.card
    # Cards of one look and another nonce are other pictures to all caches here.
    photo = Photo(id=card.look, digest=card.digest)
    scene = Scene(id=photo.id, photo=photo, width=card.size[0], height=card.size[1])
    query = Query(picture=Picture(photo=photo, scene=scene), text=request.text, meaning=_NO_MEANING)
    return ModelInput(query, lambda _picture: render_card(card))
