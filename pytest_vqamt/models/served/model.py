"""A model that is served elsewhere, asked a batch a request."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from threading import Event
from typing import TYPE_CHECKING, TypeVar
from weakref import finalize

from pytest_vqamt.core.errors import ModelError, OptionError, VqamtError
from pytest_vqamt.core.identity import digest
from pytest_vqamt.core.query import Answer, Failure, ModelInput
from pytest_vqamt.models.base import METHODS, ModelOptions
from pytest_vqamt.models.http.key import Key, hide_in_logs, key_in
from pytest_vqamt.models.http.responses import QueryError
from pytest_vqamt.models.http.responses import Reply as HttpReply
from pytest_vqamt.models.http.retry import Patience, StoppedError
from pytest_vqamt.models.http.settings import number_of, parts_of
from pytest_vqamt.models.served.protocol import (
    ANSWERS_PATH,
    MODEL_PATH,
    TOKEN_VARIABLE,
    Card,
    Packing,
    Told,
    TooMuchError,
    WireError,
    another_model,
    read_card,
    read_reply,
    refused,
)

if TYPE_CHECKING:
    from pytest_vqamt.models.http.client import Client


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


T = TypeVar("T")

_ADVICE = (
    "check the server, or wait for it longer (--vqamt-option retries-s=N), and run again: what the answer cache holds "
    "is not asked for twice"
)

_LONGEST_REPLY = 512 * 2**20
"""Bytes. Models over a list of answers send a score of each of thousands, for each query."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """One server, asked by several threads at once.

    Attributes:
        ended: called when it is asked no more.
        stop: set when one of them has found out that there is no use in asking on, and then none waits any more.
    """

    url: str
    key: Key
    client: Client
    patience: Patience
    ended: Callable[[], None]
    stop: Event = field(default_factory=Event)

    @classmethod
    def at(cls, url: str, key: Key, settings: Settings, *, connections: int) -> Server:
        """The server at a URL; nothing is sent yet."""
        from pytest_vqamt.models.http.client import Client

        return cls(
            url=url,
            key=key,
            client=Client(
                url, key, timeout_s=settings.timeout_s, connections=connections, longest_reply=_LONGEST_REPLY
            ),
            patience=Patience(url, settings.retries_s, waits=_unheeded, hopeless_after=1, advice=_ADVICE),
            ended=hide_in_logs(key),
        )

    def card(self) -> Card:
        """What is served.

        Raises:
            ModelError: nobody answers, or something else than ``vqamt serve`` does.
        """
        try:
            return self._asked("card", lambda: read_card(self._body(self.client.get(MODEL_PATH))))
        except QueryError as error:
            raise ModelError(str(error)) from None

    def answers(self, identity: str, body: bytes, count: int) -> tuple[Told, ...]:
        """The answers of the model of this identity to a request of ``count`` queries.

        Raises:
            TooMuchError: the request is too large.
            QueryError: something in it cannot be asked.
            ModelError: nobody answers, or another model does.
        """

        def attempt() -> tuple[Told, ...]:
            reply = read_reply(self._body(self.client.post(body, ANSWERS_PATH)), count)
            if reply.model != identity:
                raise another_model(self.url)
            return reply.answers

        return self._asked(digest("request", str(len(body)), str(count)), attempt)

    def close(self) -> None:
        """Ends what is under way."""
        self.stop.set()
        self.client.close()
        self.ended()

    def _asked(self, name: str, attempt: Callable[[], T]) -> T:
        try:
            return self.patience.ask(name, attempt, self.stop)
        except StoppedError:
            told: VqamtError = ModelError(f"Expected {self.url} to answer, but it was given up meanwhile")
        except WireError as error:
            told = ModelError(
                f"Expected `vqamt serve` of this version at {self.url}, but got what cannot be read: {error}"
            )
        except (ModelError, QueryError) as error:
            told = type(error)(str(error))
        if isinstance(told, ModelError):
            self.stop.set()
        raise told  # out here, without where it came from: what the server sent hangs on that

    def _body(self, reply: HttpReply) -> bytes:
        """The body of a reply of success, without the token, should the server have put it in there."""
        if reply.status != 200:
            refused(reply, self.url, self.key)
        return self.key.hidden(reply.body.decode("utf-8", "replace")).encode() if self.key else reply.body


def _unheeded(_: float) -> None:
    """What a server that is being started wants to wait is no cost of the model's."""


_UNKNOWN_AT_FIRST = 64
"""After so many photos that the server has not, with none that it has, it is not asked about any other."""


class Sending:
    """What the server was found to have of the photos of this run. Several threads may tell and ask at once."""

    def __init__(self, send: Send, *, model: str, url: str, needs_scenes: bool) -> None:
        self._send = send
        self._model = model
        self._url = url
        self._needs_scenes = needs_scenes
        self._lacking: set[str] = set()
        self._has_any = False

    def as_pixels(self, asked: ModelInput) -> bool:
        """Whether the picture of an input travels as PNG."""
        if self._send is not Send.AUTO:
            return self._send is Send.PNG
        lacks_all = not self._has_any and len(self._lacking) >= _UNKNOWN_AT_FIRST
        return lacks_all or asked.query.picture.photo.digest in self._lacking

    def has(self, *, as_pixels: bool) -> None:
        """Tells that the server has made a picture of what was sent."""
        self._has_any = self._has_any or not as_pixels

    def lacks(self, asked: ModelInput, reason: str) -> None:
        """Tells that it has not a photo that the picture of an input is made of.

        Raises:
            ModelError: it is not sent as pixels, either.
        """
        to_do = "start `vqamt serve` with the --vqamt-data of this run"
        if self._needs_scenes:
            raise ModelError(
                f"Expected {self._url} to have the scenes of this run, for model {self._model!r} looks at scenes and "
                f"not at pixels, but got: {reason}: {to_do}"
            )
        if self._send is Send.RECIPE:
            raise ModelError(
                f"Expected {self._url} to have the photos of this run, as send=recipe says, but got: {reason}: "
                f"{to_do}, or leave send=recipe off"
            )
        self._lacking.add(asked.query.picture.photo.digest)


SETTINGS = ("send", "timeout-s", "retries-s")
"""The names of the settings."""

_LONGEST_S = 86_400


class Send(StrEnum):
    """As what pictures travel: as recipes, and as PNG where the server has not the photo; or always as one of them."""

    AUTO = "auto"
    RECIPE = "recipe"
    PNG = "png"


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How a server is asked.

    Attributes:
        send: as what pictures travel.
        timeout_s: how long one request, of a batch, may take.
        retries_s: how long one may be tried again and again after its first failure.
    """

    send: Send = Send.AUTO
    timeout_s: float = 600
    retries_s: float = 120


def settings_of(options: ModelOptions) -> Settings:
    """The settings that the user gives.

    Raises:
        OptionError: a value cannot be used.
    """
    given = options.settings
    send = given.get("send", Send.AUTO)
    if send not in set(Send):
        raise OptionError(f"Expected one of {', '.join(Send)}, but got send={send!r}")
    return Settings(
        send=Send(send),
        timeout_s=number_of(given.get("timeout-s", "600"), "timeout-s", at_least=0.1, most=_LONGEST_S),
        retries_s=number_of(given.get("retries-s", "120"), "retries-s", at_least=0, most=_LONGEST_S),
    )


_EXAMPLE = "such as served:http://127.0.0.1:8000"


def base_of(argument: str) -> str:
    """The URL that the paths of the wire format follow.

    >>> base_of("http://GPU-box:8000/")
    'http://gpu-box:8000'
    >>> base_of("https://host/models/lxmert/v1")
    'https://host/models/lxmert'

    Raises:
        OptionError: it is no http:// or https:// URL, or holds what might be a secret, which no message repeats.
    """
    if not re.match(r"https?://", argument, re.IGNORECASE):
        shown = argument if re.fullmatch(r"[\w.:\[\]-]*", argument) else "..."
        raise OptionError(f"Expected served:URL with an http:// or https:// URL, {_EXAMPLE}, but got served:{shown}")
    parts = parts_of(argument, example=_EXAMPLE, variable=TOKEN_VARIABLE)
    return f"{parts.scheme}://{parts.netloc.lower()}{parts.path.rstrip('/').removesuffix('/v1')}"


def check(argument: str, options: ModelOptions) -> None:
    """Refuses what no server has to be asked about. Sends nothing, and loads nothing that sends.

    Raises:
        OptionError: the URL, a setting or the token in the environment cannot be used.
    """
    base_of(argument)
    settings_of(options)
    key_in(os.environ, (TOKEN_VARIABLE,))


def load(argument: str, options: ModelOptions) -> ServedModel:
    """The model that is served at the URL, once the server has said which one that is.

    Raises:
        OptionError: as ``check``, or pixels are to be sent to a model that looks at scenes.
        ModelError: nobody answers there, or something else than ``vqamt serve`` does.
    """
    # Here, for ``check`` has to do without the library that sends.

    url, settings = base_of(argument), settings_of(options)
    server = Server.at(url, key_in(os.environ, (TOKEN_VARIABLE,)), settings, connections=MOST_AT_ONCE)
    try:
        card = server.card()
    except ModelError:
        server.close()
        raise
    if settings.send is Send.PNG and card.needs_scenes:
        server.close()
        raise OptionError(
            f"Expected pictures to travel as recipes to model {card.model!r}, which looks at scenes and not at pixels, "
            "but got send=png: leave it off"
        )
    sending = Sending(settings.send, model=card.model, url=url, needs_scenes=card.needs_scenes)
    return ServedModel(server, card, sending, workers=options.workers)
