"""The server that holds the model: asked what it serves, and asked for answers, until there is a reply or none."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Event
from typing import TypeVar

from pytest_vqamt.core.errors import ModelError, VqamtError
from pytest_vqamt.core.identity import digest
from pytest_vqamt.models.http.client import Client
from pytest_vqamt.models.http.client import Reply as HttpReply
from pytest_vqamt.models.http.key import Key, hide_in_logs
from pytest_vqamt.models.http.responses import QueryError
from pytest_vqamt.models.http.retry import Patience, StoppedError
from pytest_vqamt.models.served.cards import Card, read_card
from pytest_vqamt.models.served.protocol import ANSWERS_PATH, MODEL_PATH, WireError
from pytest_vqamt.models.served.refusals import another_model, refused
from pytest_vqamt.models.served.replies import Told, read_reply
from pytest_vqamt.models.served.settings import Settings

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
