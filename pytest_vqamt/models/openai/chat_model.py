"""``openai:MODEL@URL``: a model behind an OpenAI-compatible HTTP API, many requests at a time."""

from __future__ import annotations

import os
from collections.abc import Generator, Sequence
from contextlib import closing, suppress
from dataclasses import replace
from threading import BoundedSemaphore, Event
from typing import ClassVar, NoReturn
from weakref import finalize

from pytest_vqamt.core.conversation import Ability, Role
from pytest_vqamt.core.errors import ModelError, VqamtError
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.query import Answer, ModelInput, PictureFile, Query, Task, cannot_take
from pytest_vqamt.core.spelling import setting
from pytest_vqamt.core.text import count_noun
from pytest_vqamt.models.budget import BudgetSpentError
from pytest_vqamt.models.http.picture_files import Form
from pytest_vqamt.models.http.retry import QueryError, StoppedError, run_concurrently
from pytest_vqamt.models.openai.openai_settings import ModelAddress, Prices, api_key_for, openai_settings, prices_from
from pytest_vqamt.models.openai.requests import (
    LARGE_BYTES,
    ChatEndpoint,
    Message,
    answer_schema,
    chat_message,
    refused_abilities,
)
from pytest_vqamt.models.prompts import Prompts, prompts_from
from pytest_vqamt.models.protocol import ModelOptions
from pytest_vqamt.models.token_forecast import TokenForecast, TokenForecaster

VERSION = 1
"""Goes up when answers change for the same model and settings."""

_POLL_S = 0.2
"""A thread that waits for a slot checks so often whether the answer is still wanted."""

_BATCHES_PER_FLIGHT = 4
"""The largest batch, in requests in flight: at the end of a batch some slots are idle."""


class OpenAIModel:
    """Answers questions, judges hypotheses and describes pictures, each by a prompt and a picture.

    Two threads may send a batch each, so that the slowest queries of one do not leave the server idle; they share the
    limit of requests in flight.
    """

    batches_at_once = 2
    takes: ClassVar[tuple[Ability, ...]] = tuple(Ability)

    def __init__(
        self,
        endpoint: ChatEndpoint,
        prompts: Prompts,
        *,
        fingerprint: str,
        lossless_fingerprint: str,
        forecaster: TokenForecaster,
        prices: Prices | None = None,
    ) -> None:
        self.fingerprint = fingerprint
        self.lossless_fingerprint = lossless_fingerprint
        self._forecaster = forecaster
        self._prices = prices
        # Two batches at once fill the slots.
        self.batch_size = -(-endpoint.in_flight // self.batches_at_once)
        self.largest_batch = _BATCHES_PER_FLIGHT * endpoint.in_flight
        self._endpoint = endpoint
        self._encoder = endpoint.settings.encoder
        self._prompts = prompts
        self._slots = BoundedSemaphore(endpoint.in_flight)
        # A model has no end of its own: connections and the filter of the logs go with the object.
        finalize(self, endpoint.close)

    @property
    def switches_reasoning(self) -> bool:
        """True if a field of the user's switches the reasoning (``ChatSettings.reasoning``)."""
        return bool(self._endpoint.settings.chat.reasoning(True))

    @property
    def usage(self) -> dict[str, float]:
        """Requests, and the tokens and the cost that the server reported, since the model was made."""
        return self._endpoint.usage.sums()

    def request_note(self, largest: Sequence[ModelInput]) -> str:
        """What is sent of pictures, with the size of the largest request; ``largest`` has its picture."""
        sizes: dict[int, ModelInput] = {}
        for item in largest:
            with suppress(VqamtError):  # the case that needs the photo will name it
                sizes.setdefault(sum(len(file.base64) for file in self._files(item)), item)
        words = self._encoder.format.words
        if not sizes:
            return words
        size_bytes = max(sizes)
        first, *others = sizes[size_bytes].query.pictures
        more = f" and {count_noun(len(others), 'other')}" if others else ""
        size = f"{first.scene.width} x {first.scene.height} px{more} has about {size_bytes / 1e6:.2f} MB"
        note = f"{words}; a request with a picture of {size}"
        if size_bytes <= LARGE_BYTES:
            return note
        return f"{note}, and many servers take 1 MB: {setting('max-pixels', '1000000')} sends smaller ones"

    def answer(self, batch: Sequence[ModelInput]) -> tuple[Answer, ...]:
        return self._answers(Task.VQA, batch)

    def entail(self, batch: Sequence[ModelInput]) -> tuple[Answer, ...]:
        """The model's replies to the hypotheses; the judge reads the label in them."""
        return self._answers(Task.ENTAILMENT, batch)

    def caption(self, batch: Sequence[ModelInput]) -> tuple[Answer, ...]:
        return self._answers(Task.CAPTIONING, batch)

    def forecast(self, queries: Sequence[Query], measured: Sequence[tuple[Query, Answer]]) -> TokenForecast:
        """The tokens and the cost that ``queries`` will take; ``measured`` are those that have an answer."""
        found = self._forecaster.forecast(queries, measured)
        if self._prices is None:
            return found
        cost, most = (
            self._prices.cost(found.tokens_in, tokens_out, requests=len(queries))
            for tokens_out in (found.tokens_out, found.tokens_out_most)
        )
        return replace(found, cost=cost, cost_most=most)

    def stream_answers(
        self, task: Task, batch: Sequence[ModelInput]
    ) -> Generator[tuple[int, Answer | Exception], None, None]:
        """Yields the index and the answer of each input as it arrives, or the reason why it has none.

        Raises:
            ModelError: the server cannot be used.
        """

        def ask(place: int, stop: Event) -> Answer:
            item = batch[place]
            # A semaphore cannot wait for an event, too.
            while not self._slots.acquire(timeout=_POLL_S):
                if stop.is_set():
                    raise StoppedError
            try:
                # It may have been set while this thread got its slot.
                if stop.is_set():
                    raise StoppedError
                # Within a slot: the requests of a whole batch never lie in memory at once.
                return self._completion(task, item, stop)
            except ModelError as error:
                # Where the budget is spent the requests in flight are paid for, and their answers wanted.
                if not isinstance(error, BudgetSpentError):
                    stop.set()  # at once: the thread that takes the results may be late
                raise
            finally:
                self._slots.release()

        spent: BudgetSpentError | None = None
        with closing(run_concurrently(len(batch), self._endpoint.in_flight, ask)) as results:
            for place, result in results:
                if isinstance(result, BudgetSpentError):
                    spent = result  # raised at the end: others of the batch may have been answered
                    continue
                if isinstance(result, ModelError):
                    raise _without_context(result)
                yield place, _without_context(result) if isinstance(result, Exception) else result

        if spent is not None:
            raise spent.with_traceback(None)

    def _completion(self, task: Task, item: ModelInput, stop: Event) -> Answer:
        schema = answer_schema(item) if self._endpoint.settings.is_json else None
        reasoning = item.query.reasoning
        longest = self._prompts.longest(task, reasoning=reasoning)
        messages = self._messages(item)
        try:
            return self._endpoint.complete(item.query.id, messages, longest, stop, schema, reasoning=reasoning)
        except QueryError as error:
            # One server takes what another does not, and only tells when it is asked.
            refused = refused_abilities(error) & item.query.abilities
            if not refused:
                raise
            return cannot_take(refused).answer

    def _messages(self, item: ModelInput) -> list[Message]:
        """The messages of a query, with its prompt and the files of its pictures."""
        detail = self._endpoint.settings.detail
        return [
            chat_message(
                [item.file(self._encoder, part) if isinstance(part, Picture) else str(part) for part in turn.parts],
                turn.role,
                detail,
            )
            for turn in item.query.with_prompt(self._prompts.text(item))
        ]

    def _files(self, item: ModelInput) -> list[PictureFile]:
        return [item.file(self._encoder, picture) for picture in item.query.pictures]

    def _answers(self, task: Task, batch: Sequence[ModelInput]) -> tuple[Answer, ...]:
        outcomes = dict(self.stream_answers(task, batch))
        answers: list[Answer] = []
        for place in range(len(batch)):
            outcome = outcomes[place]
            if isinstance(outcome, Exception):
                raise outcome
            answers.append(outcome)
        return tuple(answers)


def _without_context(error: Exception) -> Exception:
    """The error without traceback and cause, which hold whole pictures and what the server sent."""
    return type(error)(str(error)) if isinstance(error, ModelError | QueryError) else error.with_traceback(None)


def check(argument: str, options: ModelOptions) -> None:
    """Checks argument, settings, prompts and key without a request.

    Raises:
        OptionError: one of them is invalid.
    """
    address = ModelAddress.parse(argument)
    settings = openai_settings(options, address)
    prompts_from(options)
    prices_from(options, address.model)
    api_key_for(address, os.environ, settings.headers)


def load(argument: str, options: ModelOptions) -> OpenAIModel:
    """The model of ``MODEL@URL``. Nothing is sent yet.

    Raises:
        OptionError: as ``check``.
    """
    address = ModelAddress.parse(argument)
    settings = openai_settings(options, address)
    prompts = prompts_from(options)
    fingerprint = (
        f"openai-{VERSION} model={address.model} url={address.url} prompts={prompts.digest} settings={settings.digest}"
    )
    # Only where it is set: fingerprints of before have no such part.
    if settings.revision:
        fingerprint += f" revision={settings.revision}"
    sent = settings.encoder.format
    # PNG is what every picture was sent as before there was a choice, so it needs no name.
    of_format = fingerprint if sent.form is Form.PNG else f"{fingerprint} images={sent}"
    prices, chat = prices_from(options, address.model), settings.chat
    return OpenAIModel(
        ChatEndpoint(address, settings, prices, options.budget),
        prompts,
        fingerprint=of_format,
        # Without loss a lossy format sends PNG, whose answers it shares.
        lossless_fingerprint=fingerprint if sent.is_lossy else of_format,
        forecaster=TokenForecaster(
            address.model,
            lambda query: _texts(query, chat.system, prompts),
            lambda query: prompts.longest(query.task, reasoning=query.reasoning),
            (chat.min_pixels, chat.max_pixels),
        ),
        prices=prices,
    )


def _texts(query: Query, system: str, prompts: Prompts) -> str:
    """All that is sent of a query but its pictures; ``system`` is the user's message of the system."""
    turns = query.with_prompt(prompts.text(ModelInput(query, _no_picture)))
    own = "" if turns[0].role is Role.SYSTEM else system
    return own + "".join(turn.text for turn in turns)


def _no_picture(_picture: Picture) -> NoReturn:
    raise AssertionError("A prompt needs no picture")
