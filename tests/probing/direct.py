"""The faulty server without its sockets: requests as ``openai:`` sends them, answered in this process."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from threading import Lock
from typing import Any, ClassVar

from pytest_vqamt.core.conversation import Ability, Part
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.query import Answer, ModelInput, PictureFile, Query, Task
from pytest_vqamt.core.results import ModelUse
from pytest_vqamt.models.budget import BROKEN, CUT_OFF
from pytest_vqamt.models.http.picture_files import FileEncoder
from pytest_vqamt.models.http.retry import QueryError
from pytest_vqamt.models.openai.requests import chat_message
from pytest_vqamt.models.prompts import prompts_from
from pytest_vqamt.models.protocol import ModelOptions
from pytest_vqamt.models.token_forecast import TokenForecast
from pytest_vqamt.models.wrapped import LoadedModel, wrap_model
from tools.faulty_server import FaultyServer, RefusedError

SPEC = "openai:cards@http://127.0.0.1:8123"
_ENCODER = FileEncoder()
_BUSY, _PASSING = (429, 503), (429, 500, 502, 503, 504)
_ATTEMPTS = 5
_PROMPTS = prompts_from(ModelOptions())


class DirectModel:
    """Sends the batch at once, a thread each, and what was refused again; reasoning stays in the answers."""

    takes: ClassVar[tuple[Ability, ...]] = tuple(Ability)

    def __init__(self, server: FaultyServer) -> None:
        self._server = server
        self._used: Counter[str] = Counter()
        self._lock = Lock()

    def forecast(self, queries: Sequence[Query], _measured: Sequence[tuple[Query, Answer]]) -> TokenForecast:
        most = _PROMPTS.longest(Task.VQA) * len(queries)
        return TokenForecast(tokens_in=0, tokens_out=0, tokens_out_most=most, basis="a guess")

    @property
    def usage(self) -> Mapping[str, float]:
        with self._lock:
            return dict(self._used)

    def answer(self, batch: Sequence[ModelInput]) -> list[Answer]:
        outcomes = dict(self.stream_answers(Task.VQA, batch))
        for outcome in outcomes.values():
            if isinstance(outcome, Exception):
                raise outcome
        return [outcome for _, outcome in sorted(outcomes.items()) if isinstance(outcome, Answer)]

    def stream_answers(self, task: Task, batch: Sequence[ModelInput]) -> Iterator[tuple[int, Answer | Exception]]:
        if len(batch) == 1:
            yield 0, self._outcome(batch[0])
            return
        with ThreadPoolExecutor(len(batch)) as pool:
            yield from enumerate(pool.map(self._outcome, batch))

    def _outcome(self, item: ModelInput) -> Answer | Exception:
        messages = [
            chat_message([_sent(item, part) for part in turn.parts], turn.role)
            for turn in item.query.with_prompt(_PROMPTS.text(item))
        ]
        fields = {"model": "cards", "messages": messages, "max_tokens": _PROMPTS.longest(Task.VQA), "temperature": 0}
        for attempt in range(_ATTEMPTS):
            try:
                return self._read(self._server.complete(fields))
            except RefusedError as error:
                with self._lock:
                    self._used["requests refused" if error.status in _BUSY else BROKEN] += error.status in _PASSING
                if error.status not in _PASSING or attempt == _ATTEMPTS - 1:
                    return QueryError(f"{error.status} ({error.message})")
        raise AssertionError

    def _read(self, reply: dict[str, Any]) -> Answer:
        (choice,) = reply["choices"]
        tokens, written = (int(reply["usage"][f"{name}_tokens"]) for name in ("prompt", "completion"))
        with self._lock:
            self._used["tokens in"] += tokens
            self._used[f"{ModelUse.ANSWERS_OF}{reply['model']}"] += 1
            self._used[CUT_OFF] += choice["finish_reason"] == "length"
        return Answer(str(choice["message"]["content"]), tokens_in=tokens, tokens_out=written)


def _sent(item: ModelInput, part: Part) -> str | PictureFile:
    return item.file(_ENCODER, part) if isinstance(part, Picture) else str(part)


def direct(bug: str | None, *, share: float | None = None, flips: float = 0.0, seed: int = 0) -> LoadedModel:
    """The model of a server with a bug."""
    server = FaultyServer(bug, share=share, flips=flips, seed=seed)
    server.server_close()
    # Its address is that of the cards' model: what a server names in its replies is compared with it.
    return replace(wrap_model("direct", DirectModel(server), ModelOptions()), spec=SPEC)
