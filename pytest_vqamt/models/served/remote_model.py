"""``served:URL``: a model behind ``vqamt serve``, which answers a batch per request."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from threading import Event
from typing import NoReturn, TypeVar
from weakref import finalize

from pytest_vqamt.core.conversation import Ability
from pytest_vqamt.core.errors import ModelError, OptionError, VqamtError
from pytest_vqamt.core.identity import digest
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.query import Answer, Failure, ModelInput
from pytest_vqamt.core.spelling import option, setting
from pytest_vqamt.core.text import cut
from pytest_vqamt.models.budget import Budget, UsageCounter
from pytest_vqamt.models.http.client import HttpClient, HttpResponse
from pytest_vqamt.models.http.http_settings import ApiKey, key_from_environment, parse_seconds, redact_logs, split_url
from pytest_vqamt.models.http.retry import (
    QueryError,
    RetryPolicy,
    ServerState,
    StoppedError,
    TransientError,
    retry_after_s,
    status_text,
)
from pytest_vqamt.models.protocol import METHODS, ModelOptions
from pytest_vqamt.models.served import TOKEN_VARIABLE
from pytest_vqamt.models.served.answer_requests import PackedRequest, RequestPacker
from pytest_vqamt.models.served.wire_format import (
    ANSWERS_PATH,
    BAD_REQUEST,
    MAX_WORK,
    MODEL_DISABLED,
    MODEL_PATH,
    OTHER_MODEL,
    TOO_LARGE,
    ModelCard,
    PixelsNeeded,
    QueryResult,
    WireError,
    read_answers_response,
    read_card,
    read_error,
)

_SMALLEST_BATCH = 32
"""A request costs some milliseconds, however small it is."""

_BATCHES_FOR_A_REPLICA = 4
"""Batches in flight per replica, over all workers: one is answered, one waits beside it, and two are on their way."""

_MAX_AT_ONCE = 16
"""Batches in flight of one worker, whatever the number of replicas; also its connections."""

_MAX_UNKNOWN_PHOTOS = 64
"""After so many photos that the server does not have, and none that it has, all pictures are sent as pixels."""

_MAX_RESPONSE_BYTES = 512 * 2**20
"""Classifiers over a list of answers send thousands of scores per query."""

_LONGEST_QUOTE = 300
"""Characters of a server's message that are repeated."""

_EXAMPLE = "such as served:http://127.0.0.1:8000"

T = TypeVar("T")


def _advice() -> str:
    return (
        f"check the server, or wait for it longer ({setting('retries-s', 'N')}), and run again: what the answer cache "
        "holds is not asked for twice"
    )


class SendMode(StrEnum):
    """How pictures are sent."""

    AUTO = "auto"
    """As recipes, and as PNG where the server does not draw them."""
    RECIPE = "recipe"
    """Never as pixels: the run ends where the server does not draw a picture."""
    PNG = "png"
    """Always as pixels."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServedSettings:
    """The settings of requests."""

    send: SendMode = SendMode.AUTO
    timeout_s: float = 600
    """Of one request, which holds a batch and waits for those of others."""
    retries_s: float = 120
    """How long one request may be retried; a server that is restarted needs about ten seconds."""


def served_settings(options: ModelOptions) -> ServedSettings:
    """The settings from ``--vqamt-option``.

    Raises:
        OptionError: a value is invalid.
    """
    given = options.settings
    send = given.get("send", SendMode.AUTO)
    if send not in set(SendMode):
        raise OptionError(f"Expected one of {', '.join(SendMode)}, but got send={send!r}")
    return ServedSettings(
        send=SendMode(send),
        timeout_s=parse_seconds(given, "timeout-s", "600", at_least=0.1),
        retries_s=parse_seconds(given, "retries-s", "120", at_least=0),
    )


def base_url(argument: str) -> str:
    """The URL that the paths of the wire format are appended to.

    >>> base_url("http://GPU-box:8000/")
    'http://gpu-box:8000'
    >>> base_url("https://host/models/lxmert/v1")
    'https://host/models/lxmert'

    Raises:
        OptionError: it is no http:// or https:// URL, or holds what might be a secret, which no message repeats.
    """
    if not re.match(r"https?://", argument, re.IGNORECASE):
        # What has other characters may hold a password: "user:pw@host".
        shown = argument if re.fullmatch(r"[\w.:\[\]-]*", argument) else "..."
        raise OptionError(f"Expected served:URL with an http:// or https:// URL, {_EXAMPLE}, but got served:{shown}")
    parts = split_url(argument, example=_EXAMPLE, variable=TOKEN_VARIABLE)
    # The paths of the wire format begin with /v1.
    return f"{parts.scheme}://{parts.netloc.lower()}{parts.path.rstrip('/').removesuffix('/v1')}"


def check(argument: str, options: ModelOptions) -> None:
    """Checks URL, settings and token without a request, and without importing httpx2.

    Raises:
        OptionError: the URL, a setting or the token in the environment is invalid.
    """
    base_url(argument)
    served_settings(options)
    key_from_environment(os.environ, (TOKEN_VARIABLE,))


def load(argument: str, options: ModelOptions) -> ServedModel:
    """The model that is served at the URL; its model card is requested.

    Raises:
        OptionError: as ``check``, or pixels are to be sent to a model that looks at scenes.
        ModelError: no server answers, or it is not ``vqamt serve``.
    """
    url, settings = base_url(argument), served_settings(options)
    server = ServedConnection(url, settings)
    try:
        card = server.card()
    # Its threads and connections end with it; nothing else would end them.
    except ModelError:
        server.close()
        raise
    if settings.send is SendMode.PNG and card.needs_scenes:
        server.close()
        raise OptionError(
            f"Expected pictures to travel as recipes to model {card.model!r}, which looks at scenes and not at pixels, "
            "but got send=png: leave it off"
        )
    transport = PictureTransport(settings.send, model=card.model, url=url, needs_scenes=card.needs_scenes)
    return ServedModel(server, card, transport, workers=options.workers, budget=options.budget)


class ServedModel:
    """The model of a model card: its name, its fingerprint, and a method for each of its tasks.

    Each distinct query of a batch is sent once. If some fail, the batch raises the first failure; when parts of it are
    sent again, known answers and failures are returned without a request.

    Attributes:
        name: the spec of the served model.
        fingerprint: that of the served model; None where it declares none.
        batch_size: at least 32, as a request has a cost of its own, and at most what the server takes.
        batches_at_once: the share of this worker in four batches per replica, from 2 to 16.
    """

    def __init__(
        self,
        server: ServedConnection,
        card: ModelCard,
        transport: PictureTransport,
        *,
        workers: int,
        budget: Budget | None = None,
    ) -> None:
        self.name = card.model
        self.fingerprint = card.fingerprint if card.persistent else None
        self.batch_size = min(max(_SMALLEST_BATCH, card.batch_size), card.max_queries)
        at_once = -(-_BATCHES_FOR_A_REPLICA * max(1, card.replicas) // workers)
        self.batches_at_once = min(_MAX_AT_ONCE, max(2, at_once))
        self._server = server
        self._card = card
        self._transport = transport
        self._packer = RequestPacker(
            as_pixels=transport.as_pixels,
            with_meaning=card.reads_meaning,
            max_queries=card.max_queries,
            max_bytes=card.max_bytes,
        )
        self._usage = UsageCounter()
        self._budget = budget
        self._results: dict[str, Answer | Exception] = {}
        for task in card.tasks:
            # A run takes the tasks of a model from its methods, and this class is for any tasks.
            setattr(self, METHODS[task], self._answers)
        finalize(self, server.close)

    @property
    def switches_reasoning(self) -> bool:
        """True if the reasoning of the served model can be switched on and off."""
        return self._card.switches_reasoning

    @property
    def takes(self) -> tuple[Ability, ...]:
        """What the served model takes, and this version can send."""
        return tuple(ability for ability in Ability if ability in self._card.takes)

    @property
    def usage(self) -> dict[str, float]:
        """The tokens and the cost that the server reported with its answers, since this object was made."""
        return self._usage.sums()

    def _answers(self, batch: Sequence[ModelInput]) -> tuple[Answer, ...]:
        """One answer per input."""
        distinct = {item.query.id: item for item in batch}
        # A batch with failures raises the first; the run then sends its parts again, and most answers are known.
        found = {name: self._results.pop(name) for name in distinct if name in self._results}
        found.update(self._request([item for name, item in distinct.items() if name not in found]))
        if failed := [failure for name in distinct if isinstance(failure := found[name], Exception)]:
            # Of a single query there is no other answer to store, and a later try is a new request.
            if len(distinct) > 1:
                self._results.update(found)
            raise failed[0]
        answers = {name: answer for name, answer in found.items() if isinstance(answer, Answer)}
        return tuple(answers[item.query.id] for item in batch)

    def _request(self, inputs: Sequence[ModelInput]) -> dict[str, Answer | Exception]:
        found: dict[str, Answer | Exception] = {}
        unknown: list[ModelInput] = []
        identity = self._card.identity
        for request in self._packer.pack(inputs):
            try:
                results = self._paid_answers(identity, request)
            except SplitRequestError:
                if len(request.inputs) == 1:
                    raise
                middle = len(request.inputs) // 2
                # A proxy may have a lower limit than the model card says.
                for half in (request.inputs[:middle], request.inputs[middle:]):
                    found.update(self._request(half))
                continue
            for item, each in zip(request.inputs, results, strict=True):
                sent_pixels = request.sends_pixels(item)
                # The server lacks a photo, or would take too long: the same query goes again, with pixels.
                if isinstance(each, PixelsNeeded) and not sent_pixels:
                    self._transport.pixels_needed(item, each.reason)
                    unknown.append(item)
                    continue
                self._transport.picture_accepted(as_pixels=sent_pixels)
                match each:
                    case Answer():
                        found[item.query.id] = each
                    case Failure():
                        found[item.query.id] = failure_exception(each)
                    case PixelsNeeded(reason=reason):
                        message = f"Expected the pixels that were sent to do, but got: {reason}"
                        found[item.query.id] = QueryError(message)
        return {**found, **self._request(unknown)} if unknown else found

    def _paid_answers(self, identity: str, request: PackedRequest) -> tuple[QueryResult, ...]:
        """The answers to a request, if the budget allows for it."""
        if self._budget is not None:
            # The answers are always wanted: `_stop` ends the request itself.
            self._budget.start(lambda: True)
        costs: list[float] = []
        try:
            results = self._server.answers(identity, request.body(identity), len(request.inputs))
            answers = [each for each in results if isinstance(each, Answer)]
            costs = [each.cost for each in answers if each.cost is not None]
        finally:
            if self._budget is not None:
                self._budget.finish(sum(costs) if costs else None)
        for each in answers:
            self._usage.add_spent(each)
        if self._budget is not None and answers and not costs:
            raise ModelError(
                f"Expected the cost of each answer with {option('max-cost')}, but {self.name!r} at {self._server.url} "
                f"tells none: leave {option('max-cost')} off, or serve it with prices ({setting('price', 'FILE')})"
            )
        return results


class ServedError(Exception):
    """The served model has no answer to one query."""


def failure_exception(failure: Failure) -> Exception:
    """The exception of the served model by its name and message, such as ``ValueError: too long``.

    Its own class may belong to a package that is not installed here.
    """
    name, _, message = failure.reason.partition(":")
    if not name.isidentifier():
        return ServedError(failure.reason)
    # A class of the same name, so that reports show "ValueError: too long" as in process.
    named: type[ServedError] = type(name, (ServedError,), {})
    return named(message.strip())


class PictureTransport:
    """Decides how pictures are sent, by the time to draw them and the photos of the server. Threads share it."""

    def __init__(self, send: SendMode, *, model: str, url: str, needs_scenes: bool) -> None:
        self._send = send
        self._model = model
        self._url = url
        self._needs_scenes = needs_scenes
        self._missing_photos: set[str] = set()
        self._has_photos = False

    def as_pixels(self, picture: Picture) -> bool:
        """True if the picture is sent as PNG."""
        if self._send is not SendMode.AUTO:
            return self._send is SendMode.PNG
        # The server would refuse it and ask for pixels: they go at once.
        if picture.work > MAX_WORK:
            return not self._needs_scenes
        # Each unknown photo costs a request; a server without the data is asked no more after 64.
        lacks_all = not self._has_photos and len(self._missing_photos) >= _MAX_UNKNOWN_PHOTOS
        return lacks_all or picture.photo.digest in self._missing_photos

    def picture_accepted(self, *, as_pixels: bool) -> None:
        self._has_photos = self._has_photos or not as_pixels

    def pixels_needed(self, item: ModelInput, reason: str) -> None:
        """Records that the server does not draw the photos of an input.

        Raises:
            ModelError: its pixels are not to be sent, either.
        """
        to_do = f"start `vqamt serve` with the {option('data')} of this run"
        if self._needs_scenes:
            raise ModelError(
                f"Expected {self._url} to have the scenes of this run, for model {self._model!r} looks at scenes and "
                f"not at pixels, but got: {reason}: {to_do}"
            )
        if self._send is SendMode.RECIPE and any(picture.work > MAX_WORK for picture in item.query.pictures):
            raise ModelError(
                f"Expected {self._url} to draw the pictures of this run, as send=recipe says, but got: {reason}: "
                "leave send=recipe off"
            )
        if self._send is SendMode.RECIPE:
            raise ModelError(
                f"Expected {self._url} to have the photos of this run, as send=recipe says, but got: {reason}: "
                f"{to_do}, or leave send=recipe off"
            )
        # Which of several it lacks, it does not say.
        self._missing_photos.update(picture.photo.digest for picture in item.query.pictures)


class ServedConnection:
    """One server, shared by several threads; nothing is sent when it is made."""

    def __init__(self, url: str, settings: ServedSettings) -> None:
        self.url = url
        self._key = key_from_environment(os.environ, (TOKEN_VARIABLE,))
        self._client = HttpClient(
            url,
            self._key,
            timeout_s=settings.timeout_s,
            connections=_MAX_AT_ONCE,
            max_response_bytes=_MAX_RESPONSE_BYTES,
        )
        # The start-up time of a server is no cost of the model, so nothing is done with the waits.
        self._retry = RetryPolicy(url, settings.retries_s, on_wait=lambda _: None, disable_after=1, advice=_advice())
        self._stop = Event()  # set once the server cannot be used, which ends the waits of all threads
        self._stop_redacting = redact_logs(self._key)

    def card(self) -> ModelCard:
        """The model card of the server.

        Raises:
            ModelError: no server answers, or it is not ``vqamt serve``.
        """
        try:
            return self._request("card", lambda: read_card(self._body(self._client.get(MODEL_PATH))))
        except QueryError as error:
            raise ModelError(str(error)) from None

    def answers(self, identity: str, body: bytes, count: int) -> tuple[QueryResult, ...]:
        """The answers of the model of this identity to a request of ``count`` queries.

        Raises:
            SplitRequestError: the request is too large.
            QueryError: a query in it is invalid.
            ModelError: the server cannot be reached, or serves another model.
        """

        def attempt() -> tuple[QueryResult, ...]:
            reply = read_answers_response(self._body(self._client.post(body, ANSWERS_PATH)), count)
            if reply.model != identity:
                raise other_model_error(self.url)
            return reply.answers

        # The name only seeds the jitter of retries.
        return self._request(digest("request", str(len(body)), str(count)), attempt)

    def close(self) -> None:
        """Cancels what is in flight."""
        self._stop.set()
        self._client.close()
        self._stop_redacting()

    def _request(self, name: str, attempt: Callable[[], T]) -> T:
        try:
            return self._retry.call(name, attempt, self._stop)
        except StoppedError:
            failure: VqamtError = ModelError(f"Expected {self.url} to answer, but the model was disabled meanwhile")
        except WireError as error:
            failure = ModelError(
                f"Expected `vqamt serve` of this version at {self.url}, but got a response that cannot be read: "
                f"{error}: check the URL, and that `vqamt serve` runs there"
            )
        except (ModelError, QueryError) as error:
            failure = type(error)(str(error))
        if isinstance(failure, ModelError):
            self._stop.set()
        raise failure  # outside the handlers, without the traceback, which holds what the server sent

    def _body(self, reply: HttpResponse) -> bytes:
        """The body of a successful response, redacted: the server may have echoed the token."""
        if reply.status != 200:
            raise_served_error(reply, self.url, self._key)
        return self._key.redact(reply.body.decode("utf-8", "replace")).encode() if self._key else reply.body


class SplitRequestError(QueryError):
    """The request is too large; half of it may be accepted."""


def raise_served_error(response: HttpResponse, url: str, key: ApiKey) -> NoReturn:
    """Raises the exception of a status other than 200.

    Raises:
        TransientError: the request may be retried.
        SplitRequestError: the request must be split.
        QueryError: a query in it cannot be answered; the others may.
        ModelError: the server cannot be used.
    """
    status = response.status
    message = key.redact(read_error(response.body) or " ".join(response.body.decode("utf-8", "replace").split()))
    message = cut(message, _LONGEST_QUOTE)
    got = f"but got {status_text(status)}{f' ({message})' if message else ''}"
    # Statuses of the wire format first; all others come from a proxy, or from another program.
    if status == MODEL_DISABLED:
        raise ModelError(message or f"Expected {url} to answer, {got}")
    if status == OTHER_MODEL:
        raise other_model_error(url, message)
    if status == TOO_LARGE:
        raise SplitRequestError(
            f"Expected {url} to take the picture and the text of one query, {got}: start `vqamt serve` with a larger "
            "--max-request-mb"
        )
    if status == BAD_REQUEST:
        raise QueryError(f"Expected {url} to take the query, {got}")
    if status in (401, 403, 407):
        which = "one was sent: put the right one" if key else "none was sent: put it"
        raise ModelError(
            f"Expected {url} to take our token, {got}: {which}, which is that of `vqamt serve`, into the "
            f"environment variable {TOKEN_VARIABLE}"
        )
    if 300 <= status < 400:
        raise ModelError(
            f"Expected {url} to answer itself, {got}, which sends on to another address: name that in {option('model')}"
        )
    if status in (404, 408, 425, 429) or status >= 500:
        # A proxy that is up before what it leads to says 404.
        state = {404: ServerState.UNREACHABLE, 500: ServerState.BROKEN}.get(status, ServerState.BUSY)
        raise TransientError(got.removeprefix("but got "), state=state, wait_s=retry_after_s(response.headers))
    raise ModelError(f"Expected `vqamt serve` at {url}, {got}: check the URL")


def other_model_error(url: str, message: str = "") -> ModelError:
    """The error for a server that was restarted with another model."""
    result = f" ({message})" if message else ""
    return ModelError(
        f"Expected {url} to serve the model that it served when this run began, but it serves another one now{result}: "
        "run again; answers of two models are never mixed"
    )
