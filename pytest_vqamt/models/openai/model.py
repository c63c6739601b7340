"""A model that is asked over HTTP, many queries at a time."""

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
    """Answers questions, judges hypotheses and describes pictures, each by a prompt and the picture beside it.

    Every distinct query of a batch is sent once. Where some have no answer the batch raises the first one's exception,
    and whoever asks for parts of it again, on the same thread, gets the others' answers, and the same exceptions,
    without a request.

    Two threads may ask a batch each, so that the slowest queries of one do not leave the server idle; so many requests
    as may be in flight are shared by both.
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
        """Requests, and the tokens and the cost that the server told of, since the model was made."""
        return self._endpoint.usage.sums()

    def answer(self, batch: Sequence[ModelInput]) -> tuple[Answer, ...]:
        """A word or a phrase for each question."""
        return tuple(map(Answer, self._texts(batch)))

    def entail(self, batch: Sequence[ModelInput]) -> tuple[Answer, ...]:
        """What is replied to each hypothesis; whoever judges it reads the label in it."""
        return tuple(map(Answer, self._texts(batch)))

    def caption(self, batch: Sequence[ModelInput]) -> tuple[Answer, ...]:
        """A description of each picture."""
        return tuple(map(Answer, self._texts(batch)))

    def _texts(self, batch: Sequence[ModelInput]) -> list[str]:
        """The text for each input.

        Raises:
            ModelError: the server cannot be asked at all.
            Exception: what the first input without an answer failed with.
        """
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
        """What is known of this thread's batch. A thread that asks on, or has ended, has kept what it was given."""
        thread = current_thread()
        for each in [each for each in tuple(self._batches) if each is thread or not each.is_alive()]:
            if kept := self._batches.get(each):
                self._pending.drop(kept.returned)
                kept.returned = ()
            if each is not thread:
                self._batches.pop(each, None)
        return self._batches.setdefault(thread, _ThreadBatch())

    def _request(self, lacking: Sequence[ModelInput], failed: dict[str, Exception]) -> dict[str, str]:
        """The texts that the server gives; why it gives no other is in ``failed`` afterwards."""
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
    """Of the batch that a thread asks last.

    Attributes:
        returned: the ids of the queries whose answers it was given.
        failed: why queries have none.
    """

    returned: tuple[str, ...] = ()
    failed: dict[str, Exception] = field(default_factory=dict)


def _without_context(error: Exception) -> Exception:
    """The error without where it came from: whole pictures hang on that, and what the server sent."""
    return type(error)(str(error)) if isinstance(error, ModelError | QueryError) else error.with_traceback(None)


_POLL_S = 0.2
"""How often whoever waits for his turn looks whether anybody still wants the answer."""

_BATCHES_PER_FLIGHT = 4
"""A batch grows to so many times what is in flight: at its end some wait for the last."""


def _close(endpoint: ChatEndpoint, pending: PendingAnswers) -> None:
    endpoint.close()
    pending.close()


VERSION = 1
"""Goes up when answers change for the same model and settings."""


def check(argument: str, options: ModelOptions) -> None:
    """Refuses what no server has to be asked about. Sends nothing, and loads nothing that sends.

    Raises:
        OptionError: the argument, a setting, a prompt or the key in the environment cannot be used.
    """
    address = ModelAddress.parse(argument)
    openai_settings(options, address)
    prompts_from(options)
    api_key_for(address, os.environ)


def load(argument: str, options: ModelOptions) -> OpenAIModel:
    """The model that ``MODEL@URL`` names. Nothing is sent before the first question.

    Raises:
        OptionError: as ``check``.
        ModelError: the file of unfinished batches cannot be used.
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
