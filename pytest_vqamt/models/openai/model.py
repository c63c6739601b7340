"""``openai:MODEL@URL``: a model behind an OpenAI-compatible HTTP API, many requests at a time."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field
from threading import BoundedSemaphore, Event, Thread, current_thread
from weakref import finalize

from pytest_vqamt.core.errors import ModelError
from pytest_vqamt.core.query import Answer, ModelInput
from pytest_vqamt.models.base import ModelOptions
from pytest_vqamt.models.http.key import redact_logs
from pytest_vqamt.models.http.responses import QueryError
from pytest_vqamt.models.http.retry import StoppedError, run_concurrently
from pytest_vqamt.models.openai.requests import ChatEndpoint, EncodedPictures, PendingAnswers
from pytest_vqamt.models.openai.settings import ModelAddress, api_key_for, openai_settings
from pytest_vqamt.models.prompts import Prompts, prompts_from


class OpenAIModel:
    """Answers questions, judges hypotheses and describes pictures, each by a prompt and a picture.

    Each distinct query of a batch is sent once. If some fail, the batch raises the first failure; when parts of it are
    sent again on the same thread, known answers and failures are returned without a request.

    Two threads may send a batch each, so that the slowest queries of one do not leave the server idle; they share the
    limit of requests in flight.
    """

    batches_at_once = 2

    def __init__(self, endpoint: ChatEndpoint, prompts: Prompts, pending: PendingAnswers, *, fingerprint: str) -> None:
        self.fingerprint = fingerprint
        self.batch_size = -(-endpoint.in_flight // self.batches_at_once)
        self.largest_batch = _BATCHES_PER_FLIGHT * endpoint.in_flight
        self._endpoint = endpoint
        self._prompts = prompts
        self._pending = pending
        self._batches: dict[Thread, _ThreadBatch] = {}
        self._slots = BoundedSemaphore(endpoint.in_flight)
        finalize(self, _close, endpoint, pending)

    @property
    def usage(self) -> dict[str, float]:
        """Requests, and the tokens and the cost that the server reported, since the model was made."""
        return self._endpoint.usage.sums()

    def answer(self, batch: Sequence[ModelInput]) -> tuple[Answer, ...]:
        return tuple(map(Answer, self._texts(batch)))

    def entail(self, batch: Sequence[ModelInput]) -> tuple[Answer, ...]:
        """The model's replies to the hypotheses; the judge reads the label in them."""
        return tuple(map(Answer, self._texts(batch)))

    def caption(self, batch: Sequence[ModelInput]) -> tuple[Answer, ...]:
        return tuple(map(Answer, self._texts(batch)))

    def _texts(self, batch: Sequence[ModelInput]) -> list[str]:
        """The text for each input; raises ModelError, or the failure of the first input without a text."""
        known = self._thread_batch()
        distinct = {item.query.id: item for item in batch}
        texts = self._pending.get(tuple(distinct))
        lacking = [item for name, item in distinct.items() if name not in texts and name not in known.failed]
        if lacking:
            known.failed = {name: failure for name, failure in known.failed.items() if name in distinct}
            texts.update(self._request(lacking, known.failed))
        if failed := [name for name in distinct if name not in texts]:
            # One that is asked alone is told of now; if it comes again, it is tried again.
            raise known.failed.pop(failed[0]) if len(distinct) == 1 else known.failed[failed[0]]
        known.returned = tuple(distinct)
        return [texts[item.query.id] for item in batch]

    def _thread_batch(self) -> _ThreadBatch:
        """The last batch of this thread. What its earlier batch, or an ended thread, was given is no longer pending."""
        thread = current_thread()
        for each in [each for each in tuple(self._batches) if each is thread or not each.is_alive()]:
            if kept := self._batches.get(each):
                self._pending.drop(kept.returned)
                kept.returned = ()
            if each is not thread:
                self._batches.pop(each, None)
        return self._batches.setdefault(thread, _ThreadBatch())

    def _request(self, lacking: Sequence[ModelInput], failed: dict[str, Exception]) -> dict[str, str]:
        """The server's texts by query id; failures are added to ``failed``."""
        pictures = EncodedPictures(lacking)
        texts: dict[str, str] = {}

        def ask(place: int, stop: Event) -> str:
            item = lacking[place]
            while not self._slots.acquire(timeout=_POLL_S):
                if stop.is_set():
                    raise StoppedError
            try:
                if stop.is_set():
                    raise StoppedError
                max_tokens = self._prompts.longest(item.query.task)
                prompt = self._prompts.text(item)
                text = self._endpoint.ask(item.query.id, prompt, pictures.data_uri(place), max_tokens, stop)
            except ModelError:
                stop.set()  # here, or the next request would leave before anybody knows
                raise
            finally:
                self._slots.release()
                pictures.release(place)
            # At once: whatever ends the run, what has been paid for is there for the next.
            self._pending.add(item.query.id, text)
            return text

        with closing(run_concurrently(len(lacking), self._endpoint.in_flight, ask)) as running:
            for place, found in running:
                name = lacking[place].query.id
                if isinstance(found, ModelError):
                    raise _without_context(found)
                if isinstance(found, Exception):
                    failed[name] = _without_context(found)
                else:
                    texts[name] = found
        return texts


@dataclass(slots=True)
class _ThreadBatch:
    """The last batch of a thread: the ids of queries whose answers it was given, and failures by query id."""

    returned: tuple[str, ...] = ()
    failed: dict[str, Exception] = field(default_factory=dict)


def _without_context(error: Exception) -> Exception:
    """The error without traceback and cause, which hold whole pictures and what the server sent."""
    return type(error)(str(error)) if isinstance(error, ModelError | QueryError) else error.with_traceback(None)


_POLL_S = 0.2
"""How often a thread that waits for a slot checks whether the answer is still wanted."""

_BATCHES_PER_FLIGHT = 4
"""The largest batch, in requests in flight: at the end of a batch some slots are idle."""


def _close(endpoint: ChatEndpoint, pending: PendingAnswers) -> None:
    endpoint.close()
    pending.close()


VERSION = 1
"""Goes up when answers change for the same model and settings."""


def check(argument: str, options: ModelOptions) -> None:
    """Checks argument, settings, prompts and key without a request.

    Raises:
        OptionError: one of them is invalid.
    """
    address = ModelAddress.parse(argument)
    openai_settings(options, address)
    prompts_from(options)
    api_key_for(address, os.environ)


def load(argument: str, options: ModelOptions) -> OpenAIModel:
    """The model of ``MODEL@URL``. Nothing is sent yet.

    Raises:
        OptionError: as ``check``.
        ModelError: the file of pending answers cannot be used.
    """
    # Here, for ``check`` has to do without the library that sends.
    from pytest_vqamt.models.http.client import HttpClient
    from pytest_vqamt.models.openai.requests import ChatEndpoint, PendingAnswers, retry_policy
    from pytest_vqamt.models.openai.settings import UsageCounter

    address = ModelAddress.parse(argument)
    settings = openai_settings(options, address)
    prompts = prompts_from(options)
    key = api_key_for(address, os.environ)
    fingerprint = (
        f"openai-{VERSION} model={address.model} url={address.url} prompts={prompts.digest} settings={settings.digest}"
    )
    if settings.revision:
        fingerprint += f" revision={settings.revision}"
    usage = UsageCounter()
    endpoint = ChatEndpoint(
        address=address,
        key=key,
        settings=settings,
        client=HttpClient(address.url, key, timeout_s=settings.timeout_s, connections=settings.in_flight),
        retry=retry_policy(address, settings, usage),
        usage=usage,
        on_close=redact_logs(key),
    )
    pending = PendingAnswers(options.cache / "openai.sqlite" if options.cache else None, fingerprint)
    return OpenAIModel(endpoint, prompts, pending, fingerprint=fingerprint)
