"""One query put to the server, until there is an answer or a reason why there is none."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from threading import Event

from pytest_vqamt.models.http.client import Client, Reply
from pytest_vqamt.models.http.key import Key
from pytest_vqamt.models.http.responses import QueryError
from pytest_vqamt.models.http.retry import Patience
from pytest_vqamt.models.openai.address import Address
from pytest_vqamt.models.openai.refusals import Refusal, refused
from pytest_vqamt.models.openai.replies import error_in, is_cut_off, parsed, text_of
from pytest_vqamt.models.openai.request import body
from pytest_vqamt.models.openai.settings import Settings
from pytest_vqamt.models.openai.usage import Usage

_GIVEN_UP_AFTER = 8
"""So many queries given up in a row, with none answered in between, and the rest are not tried."""

_ADVICE = (
    "check the server, ask it less at once (--vqamt-option in-flight=N) or longer (retries-s=N), and run again: no "
    "answer is asked for twice"
)


def patience_with(address: Address, settings: Settings, usage: Usage) -> Patience:
    """How failures of the server are met."""
    return Patience(
        address.url,
        settings.retries_s,
        waits=usage.told_to_wait,
        hopeless_after=_GIVEN_UP_AFTER,
        advice=_ADVICE,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """A server, how it is asked, and what that has cost. Many threads share it.

    Attributes:
        ended: called when the server is asked no more.
    """

    address: Address
    key: Key
    settings: Settings
    client: Client
    patience: Patience
    usage: Usage
    ended: Callable[[], None]

    @property
    def in_flight(self) -> int:
        return self.settings.in_flight

    def ask(self, name: str, prompt: str, picture: str, longest: int, stop: Event) -> str:
        """The answer to one query, without the key, should the server have put it in there.

        Raises:
            QueryError: this query has no answer.
            ModelError: no query has.
            StoppedError: nobody waits for it any more.
        """
        content = body(self.address.model, prompt, picture, longest, self.settings)
        return self.key.hidden(self.patience.ask(name, lambda: self._attempt(content), stop))

    def close(self) -> None:
        self.client.close()
        self.ended()

    def _attempt(self, content: bytes) -> str:
        self.usage.sent()
        reply = self.client.post(content)
        if reply.status != 200:
            refused(_refusal(reply, self.address.url), self.address, self.key)
        fields = parsed(reply.body, self.address.url)
        self.usage.replied(fields.get("usage"))
        if (error := error_in(fields)) is not None:
            told = Refusal(status=_status(error), headers=reply.headers, fields=error)
            refused(told, self.address, self.key)
        try:
            text = text_of(fields)
        except QueryError as failure:
            raise QueryError(self.key.hidden(str(failure))) from None
        if is_cut_off(fields):
            self.usage.cut_off()
        return text


def _refusal(reply: Reply, url: str) -> Refusal:
    try:
        fields: object = parsed(reply.body, url)
    except QueryError:
        fields = None
    text = reply.body.decode("utf-8", "replace")
    return Refusal(status=reply.status, headers=reply.headers, fields=fields, text=text)


def _status(error: object) -> int:
    """The HTTP status that stands in an error's ``code``; 400, which concerns the query alone, where there is none."""
    found = error.get("error") if isinstance(error, dict) else None
    code = found.get("code") if isinstance(found, dict) else None
    return code if isinstance(code, int) and 400 <= code <= 599 else 400
