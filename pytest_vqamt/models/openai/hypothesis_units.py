"""Hypotheses taken apart by a language model behind an HTTP API, as VEglue has it (section 3.2).

A reply that cannot be used is answered once with what is wrong with it; a second one is an error.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from itertools import islice
from threading import Event

from pytest_vqamt.core.codec import Json
from pytest_vqamt.core.errors import ModelError
from pytest_vqamt.language.units import DescriptionUnit
from pytest_vqamt.models.http.client import Client
from pytest_vqamt.models.http.key import hide_in_logs
from pytest_vqamt.models.http.responses import QueryError
from pytest_vqamt.models.http.threads import at_once
from pytest_vqamt.models.openai.address import Address
from pytest_vqamt.models.openai.key import key_for
from pytest_vqamt.models.openai.requests import Endpoint, patience_with
from pytest_vqamt.models.openai.settings import Settings, settings_of
from pytest_vqamt.models.openai.units_prompt import prompt, read_units
from pytest_vqamt.models.openai.usage import Usage
from pytest_vqamt.models.protocol import ModelOptions

_LONGEST = 1024
"""Tokens of a reply, with room for a model that thinks first."""

_BATCHES = 4
"""So many times what is in flight is read ahead: whoever reads on waits for the slowest of a batch only."""


def units_by_model(argument: str, hypotheses: Iterable[str]) -> Iterator[tuple[str, tuple[DescriptionUnit, ...]]]:
    """Each hypothesis with its units, in order, as the model ``MODEL@URL`` says; many are asked about at once.

    Raises:
        OptionError: the address or the key cannot be used.
        ModelError: the server cannot be asked, or its answer about a hypothesis, which it names, cannot be read.
    """
    endpoint = _endpoint(argument)
    rest = iter(hypotheses)
    try:
        while batch := tuple(islice(rest, _BATCHES * endpoint.in_flight)):
            found: dict[int, tuple[DescriptionUnit, ...]] = {}
            with closing(at_once(len(batch), endpoint.in_flight, partial(_units_at, endpoint, batch))) as asked:
                for place, units in asked:
                    if isinstance(units, Exception):
                        raise _named(units, batch[place]) from None
                    found[place] = units
            yield from ((hypothesis, found[place]) for place, hypothesis in enumerate(batch))
    finally:
        endpoint.close()


@dataclass(frozen=True, slots=True, kw_only=True)
class _TextEndpoint(Endpoint):
    """A server that is asked in words alone."""

    def talk(self, name: str, messages: Sequence[Mapping[str, str]], stop: Event) -> str:
        """The answer to a conversation; see ``Endpoint.ask``."""
        content = _body(self.address.model, messages, self.settings)
        return self.key.hidden(self.patience.ask(name, lambda: self._attempt(content), stop))


def _endpoint(argument: str) -> _TextEndpoint:
    address = Address.parse(argument)
    key = key_for(address, os.environ)
    settings = settings_of(ModelOptions(), address)
    usage = Usage()
    return _TextEndpoint(
        address=address,
        key=key,
        settings=settings,
        client=Client(address.url, key, timeout_s=settings.timeout_s, connections=settings.in_flight),
        patience=patience_with(address, settings, usage),
        usage=usage,
        ended=hide_in_logs(key),
    )


def _units_at(
    endpoint: _TextEndpoint, hypotheses: Sequence[str], place: int, stop: Event
) -> tuple[DescriptionUnit, ...]:
    hypothesis = hypotheses[place]
    messages = [{"role": "user", "content": prompt(hypothesis)}]
    reply = endpoint.talk(hypothesis, messages, stop)
    try:
        return read_units(reply, hypothesis)
    except QueryError as failure:
        wrong = f"That cannot be used. {failure}. Reply with the corrected JSON list and nothing else."
        messages += [{"role": "assistant", "content": reply}, {"role": "user", "content": wrong}]
        return read_units(endpoint.talk(hypothesis, messages, stop), hypothesis)


def _body(model: str, messages: Sequence[Mapping[str, str]], settings: Settings) -> bytes:
    """The JSON of a request for one completion, of words alone."""
    fields: dict[str, Json] = {
        "model": model,
        "messages": [dict(message) for message in messages],
        settings.token_limit: _LONGEST,
        "stream": False,
    }
    if settings.temperature is not None:
        fields["temperature"] = settings.temperature
    return json.dumps(fields).encode()


def _named(error: Exception, hypothesis: str) -> Exception:
    """The error, naming the hypothesis where it is about that one."""
    return ModelError(f"hypothesis={hypothesis!r}: {error}") if isinstance(error, QueryError) else error
