"""The faulty server without its sockets: requests as ``openai:`` sends them, answered in this process."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor

from pytest_vqamt.core.query import Answer, ModelInput
from pytest_vqamt.models.http.picture_files import LOSSLESS
from pytest_vqamt.models.openai.requests import chat_message
from pytest_vqamt.models.protocol import ModelOptions
from pytest_vqamt.models.wrapped import LoadedModel, wrap_model
from tools.faulty_server import Bug, FaultyServer


class DirectModel:
    """Sends the batch at once, a thread each; reasoning stays in the answers."""

    def __init__(self, server: FaultyServer) -> None:
        self._server = server
        self._tokens = 0

    @property
    def usage(self) -> Mapping[str, float]:
        return {"tokens in": self._tokens}

    def answer(self, batch: Sequence[ModelInput]) -> list[Answer]:
        with ThreadPoolExecutor(len(batch)) as pool:
            return list(pool.map(self._one, batch) if len(batch) > 1 else map(self._one, batch))

    def _one(self, item: ModelInput) -> Answer:
        message = chat_message([item.file(LOSSLESS), item.text])
        reply = self._server.complete({"model": "cards", "messages": [message]})
        usage, choices = reply["usage"], reply["choices"]
        assert isinstance(usage, dict)
        assert isinstance(choices, list)
        self._tokens += usage["prompt_tokens"]
        return Answer(str(choices[0]["message"]["content"]))


def direct(bug: Bug | None, *, flips: float = 0.0, seed: int = 0) -> LoadedModel:
    """The model of a server with a bug."""
    server = FaultyServer(bug, flips=flips, seed=seed)
    server.server_close()
    return wrap_model("direct", DirectModel(server), ModelOptions())
