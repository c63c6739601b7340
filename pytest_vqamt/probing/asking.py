"""Sends the cards of a probe to a model, alone or together, and logs each request with its answer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from pytest_vqamt.core.conversation import Role, Turn
from pytest_vqamt.core.errors import ModelError
from pytest_vqamt.core.meaning import Describe, Exists, Group
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.query import Answer, ModelInput, PictureEncoder, PictureFile, Query, Task
from pytest_vqamt.core.results import ModelUse
from pytest_vqamt.core.scene import Photo, Scene
from pytest_vqamt.core.text import count_noun, quoted
from pytest_vqamt.language.answers.answer_text import Unreadable, prepare
from pytest_vqamt.language.answers.final import strip_traces
from pytest_vqamt.models.budget import CUT_OFF
from pytest_vqamt.models.wrapped import LoadedModel
from pytest_vqamt.probing.cards import GRAY, NUMBER, Card, card_file, render_card, says
from pytest_vqamt.probing.picture_server import PictureServer

if TYPE_CHECKING:
    from PIL.Image import Image

_NO_MEANING = Exists(group=Group(name="number"))
"""A query has a meaning; the models that are probed read pixels and text alone."""

_REASONED = "answers with reasoning in the text"

_MOST_FAILURES = 20
"""A server that refuses so many requests cannot be probed."""


Advance: TypeAlias = Callable[[int], object]
"""Is told how many requests more were answered, such as to move a bar of progress."""


class RequestsSpentError(Exception):
    """The probe may not send as many requests as it needs next."""


@dataclass(frozen=True, slots=True)
class Said:
    """A turn of a conversation about cards."""

    parts: tuple[Card | str, ...]
    role: Role = Role.USER


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A question about a card, mostly with the card before it."""

    card: Card
    """The card that is asked about; where no picture is sent, that of the request before."""
    text: str
    """The question."""
    turns: tuple[Said, ...] = ()
    """The whole conversation, where it is more than the card with the question behind it."""

    @property
    def conversation(self) -> tuple[Said, ...]:
        return self.turns or (Said((self.card, self.text)),)

    @property
    def cards(self) -> tuple[Card, ...]:
        """All cards, in the order in which they are sent."""
        return tuple(part for turn in self.conversation for part in turn.parts if isinstance(part, Card))

    @property
    def right(self) -> str:
        """What is right to answer; "" where it is not known, as without a picture."""
        return self.card.right(self.text) if self.cards else ""

    @property
    def look(self) -> str:
        """What is sent, in words."""
        if not self.turns:
            return self.card.look
        said = (
            f"{turn.role.value}: {' '.join(part if isinstance(part, str) else f'[{part.look}]' for part in turn.parts)}"
            for turn in self.turns
        )
        return " | ".join(said) if self.cards else f"no picture | {' | '.join(said)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class SentRequest:
    """A request that was sent, with its answer or failure."""

    number: int
    """Counts requests from 1."""
    request: Request
    answer: str
    """As the model gave it; "" where it failed."""
    failure: str = ""
    """Why there is no answer; "" where there is one."""
    tokens_in: int | None = None
    """Of this request, where the server counts them, and where it is known which are this request's."""
    tokens_out: int | None = None
    """Of this answer; as for ``tokens_in``."""
    answered_by: str = ""
    """The model that the server says it answered with; "" where it says nothing, or different ones of a batch."""
    cut_off: bool = False
    """True if the answer, which was asked for alone, was cut off at its longest length."""
    batch: int = 0
    """Requests of one number were sent together; 0 for those sent alone."""
    truncated: bool = False
    """True if the model says that it read only the beginning of the text."""
    reasoned: bool = False
    """True if the adapter has taken reasoning out of the answer."""
    steps: tuple[tuple[tuple[str, float], ...], ...] = ()
    """Candidates for each of the first tokens, or for the first of the answer, with natural log-probabilities; empty
    where the model gives none."""

    @property
    def card(self) -> Card:
        return self.request.card

    @property
    def text(self) -> str:
        return self.request.text

    @property
    def look(self) -> str:
        return self.request.look

    @property
    def reading(self) -> str:
        """The answer without reasoning, case and punctuation at its ends, for comparisons."""
        return prepare(self.answer).plain.strip(" \n.,!:;*\"'`").casefold()

    @property
    def is_right(self) -> bool:
        return not self.failure and says(self.reading, self.request.right)

    @property
    def is_refusal(self) -> bool:
        unreadable = prepare(self.answer).unreadable
        return unreadable is not None and unreadable.reason is Unreadable.REFUSAL

    @property
    def has_reasoning(self) -> bool:
        return self.reasoned or strip_traces(self.answer).text != self.answer.strip()


class RequestSender:
    """Sends one model at most ``limit`` requests; ``log`` has them all."""

    def __init__(
        self, model: LoadedModel, limit: int, task: Task = Task.VQA, *, advance: Advance | None = None
    ) -> None:
        """``advance`` is told of each number of requests that were answered."""
        self.model = model
        self._advance = advance
        self.task = task
        """Descriptions have no text: each request is its picture alone."""
        self.limit = limit
        self.log: list[SentRequest] = []
        self.answering: set[str] = set()
        """The models that the server says it answered with."""
        self.served: PictureServer | None = None
        """Where the files of cards are fetched from that are sent by URL."""
        self.takes_files = False
        """True once the model's adapter has asked for a file that it sends as it is."""
        self._batches = 0
        self._failures = 0

    @property
    def left(self) -> int:
        return self.limit - len(self.log)

    @property
    def longest(self) -> int:
        """The most tokens that the adapter asks an answer for; 0 where it does not tell."""
        if self.model.forecast is None:
            return 0
        # The forecast of one query without a measurement: what it takes at most is the limit of the request.
        query = self._input(Request(card=Card(ground=GRAY), text=NUMBER)).query
        return round(self.model.forecast([query], ()).tokens_out_most)

    def send_alone(self, request: Request) -> SentRequest:
        """Sends one request and waits for its answer.

        Raises:
            RequestsSpentError: no request is left.
            ModelError: the model cannot be used.
        """
        (sent,) = self._send([request], batch=0)
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
        # The usage of a model is a sum, so one request's share is a difference: known only where it is sent alone.
        before = self.model.used()
        try:
            outcomes = self._outcomes(requests)
        except ModelError as error:
            if not self.log:
                raise
            # What a server has died of is mostly the last that it was sent.
            where = f"request {first}, which was not answered: {requests[0].look}; {quoted(requests[0].text)}"
            raise ModelError(f"{error} ({where})") from error
        used = {name: value - before.get(name, 0) for name, value in self.model.used().items()}
        alone = len(requests) == 1
        names = {name.removeprefix(ModelUse.ANSWERS_OF) for name in used if name.startswith(ModelUse.ANSWERS_OF)}
        answered = {name for name in names if used[ModelUse.ANSWERS_OF + name] > 0}
        self.answering |= answered
        sent = [
            SentRequest(
                number=first + place,
                request=request,
                answer=outcome.text if isinstance(outcome, Answer) else "",
                failure="" if isinstance(outcome, Answer) else str(outcome) or type(outcome).__name__,
                batch=batch,
                truncated=isinstance(outcome, Answer) and outcome.truncated,
                steps=_steps(outcome) if isinstance(outcome, Answer) else (),
                tokens_in=_tokens(outcome, "tokens_in", used.get("tokens in") if alone else None),
                tokens_out=_tokens(outcome, "tokens_out", used.get("tokens out") if alone else None),
                answered_by=next(iter(answered)) if len(answered) == 1 else "",
                cut_off=alone and used.get(CUT_OFF, 0) > 0,
                reasoned=alone and used.get(_REASONED, 0) > 0,
            )
            for place, (request, outcome) in enumerate(zip(requests, outcomes, strict=True))
        ]
        self.log += sent
        if self._advance is not None:
            self._advance(len(sent))
        self._failures += sum(bool(each.failure) for each in sent)
        # Half of all: a server may refuse the large pictures and long texts of a few checks, which is a finding.
        if self._failures >= _MOST_FAILURES and self._failures * 2 > len(self.log):
            last = next(each.failure for each in reversed(self.log) if each.failure)
            raise ModelError(
                f"Expected {self.model.name!r} to answer, but {self._failures} of "
                f"{count_noun(len(self.log), 'request')} failed{self._since()}; the last: {last}"
            )
        return sent

    def _since(self) -> str:
        """From which request on none was answered, which may have ended the server; "" where some were."""
        answered = max((each.number for each in self.log if not each.failure), default=0)
        if not 0 < answered == len(self.log) - self._failures:
            return ""
        first = self.log[answered]
        return f", all from request {first.number} on ({first.look}; {quoted(first.text)})"

    def _outcomes(self, requests: Sequence[Request]) -> list[Answer | Exception]:
        inputs = [self._input(request) for request in requests]
        # Each request of a stream has an outcome of its own; elsewhere one failure is that of the whole batch.
        if self.model.streamed is not None:
            found = dict(self.model.stream(self.task, inputs))
            return [found[place] for place in range(len(inputs))]
        try:
            return list(self.model.ask(self.task, inputs))
        except ModelError:
            raise
        except Exception as error:  # whatever the model's code raises concerns this batch
            return [error] * len(inputs)

    def _input(self, request: Request) -> ModelInput:
        shown = {card.digest: card for card in request.cards}

        def render(picture: Picture) -> Image:
            return render_card(shown[picture.photo.digest])

        def encode(picture: Picture, encoder: PictureEncoder, _lossless: bool) -> PictureFile:
            card = shown[picture.photo.digest]
            self.takes_files |= not encoder.only_png
            if card.photo is not None and card.is_own_file:
                # Perhaps the photo's own file, as in a run.
                return encoder.encode(card.photo.picture, lambda: render_card(card), card.photo.store, lossless=False)
            own = card_file(card)
            if own is not None and (own.media_type == "image/png" or not encoder.only_png):
                return self.served.linked(own) if self.served and card.file and card.file.is_linked else own
            return encoder.encode(picture, lambda: render_card(card), None, lossless=True)

        if self.task is Task.CAPTIONING:
            query = Query(picture=_picture(request.card), meaning=Describe(), task=self.task)
            return ModelInput(query, render, encode, lossless=True)
        turns = (
            Turn(tuple(part if isinstance(part, str) else _picture(part) for part in turn.parts), turn.role)
            for turn in request.conversation
        )
        if not request.cards:
            # No case of a run is like that, so ``Query.of`` makes none; a server's adapter sends what the turns have.
            query = Query(picture=_picture(request.card), text=request.text, meaning=_NO_MEANING, turns=tuple(turns))
            return ModelInput(query, render, encode, lossless=True)
        return ModelInput(Query.of(*turns, meaning=_NO_MEANING), render, encode, lossless=True)


def _steps(answer: Answer) -> tuple[tuple[tuple[str, float], ...], ...]:
    return answer.steps or ((answer.scores,) if answer.scores else ())


def _tokens(outcome: Answer | Exception, name: str, used: float | None) -> int | None:
    """What the answer itself counts, else the difference of the model's sums."""
    own: float | None = getattr(outcome, name) if isinstance(outcome, Answer) else None
    return round(own or used or 0) or None


def _picture(card: Card) -> Picture:
    # Cards of one look and another nonce are other pictures to all caches here.
    photo = Photo(id=card.look, digest=card.digest)
    return Picture(photo=photo, scene=Scene(id=photo.id, photo=photo, width=card.size[0], height=card.size[1]))
