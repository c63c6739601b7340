"""What a server's refusal means: for this query, for the whole run, or for now."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NoReturn

from pytest_vqamt.core.errors import ModelError
from pytest_vqamt.models.http.key import Key
from pytest_vqamt.models.http.responses import ForbiddenError, PassingError, QueryError, Sign
from pytest_vqamt.models.http.statuses import status_named, told_to_wait
from pytest_vqamt.models.openai.address import VARIABLE, Address
from pytest_vqamt.models.openai.key import variables

_LONGEST_QUOTE = 200
_SPENT = "insufficient_quota"
"""The ``type`` (or, earlier, the ``code``) of OpenAI's errors of an account with no money left. Their status is 429."""

_LIKE_A_KEY = re.compile(r"\b(sk-|bearer\s+)[^\s\"'<>,;]{4,}", re.IGNORECASE)

_OPTION_ADVICE = {
    "max_tokens": "--vqamt-option token-limit=max_completion_tokens",
    "max_completion_tokens": "--vqamt-option token-limit=max_tokens",
    "temperature": "--vqamt-option temperature=none",
}
"""What to do where a server does not take a field of the request."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """A status that is no success, and what was said with it.

    ``fields`` is what the JSON of the body holds; ``text`` is the body itself.
    """

    status: int
    headers: Mapping[str, str]
    fields: object
    text: str = ""


def refused(refusal: Refusal, address: Address, key: Key) -> NoReturn:
    """Raises what a refusal means.

    Raises:
        PassingError: it may be asked again.
        ForbiddenError: it is refused, and only what was answered before tells whether everything is.
        QueryError: this query cannot be answered.
        ModelError: none can.
    """
    status = refusal.status
    got = f"but got {status_named(status)}{_quoted(refusal, key)}"
    if status in (401, 407):
        raise ModelError(f"Expected {address.url} to take our key, {got}: {_about_key(address, key)}")
    if status == 402 or _is_spent(refusal.fields):
        raise ModelError(f"Expected an account with money left at {address.host}, {got}: fill it up and run again")
    if status == 403:
        raise ForbiddenError(f"Expected {address.url} to let us ask {address.model!r}, {got}")
    if status in (404, 405, 410):
        raise ModelError(
            f"Expected a model called {address.model!r} to answer at {address.url}, {got}: check the name of the model "
            "and the URL, which is openai:MODEL@URL's with /chat/completions added, and /v1 where it had no path"
        )
    if 300 <= status < 400:
        to = key.hidden(refusal.headers.get("location", "").partition("?")[0]) or "somewhere else"
        raise ModelError(
            f"Expected {address.url} to answer itself, but it sends on ({status_named(status)}) to {to}: if that is "
            "right, name it in --vqamt-model; nothing was sent there"
        )
    if status in (408, 409, 425, 429) or status >= 500:
        reason = f"{status_named(status)}{_quoted(refusal, key)}"
        sign = Sign.BROKEN if status == 500 else Sign.BUSY
        raise PassingError(reason, sign=sign, wait_s=told_to_wait(refusal.headers))
    raise QueryError(f"Expected an answer from {address.model!r}, {got}{_advice(refusal)}")


def _quoted(refusal: Refusal, key: Key) -> str:
    """The server's own words, in brackets; nothing that looks like a key."""
    said = _message(refusal.fields) or refusal.text
    line = _LIKE_A_KEY.sub("[key]", key.hidden(" ".join(said.split())))
    return f" ({line if len(line) <= _LONGEST_QUOTE else f'{line[:_LONGEST_QUOTE]}...'})" if line else ""


def _message(found: object) -> str:
    """The message in an error's JSON: servers put it at different depths, under different names."""
    if isinstance(found, str):
        return found
    if isinstance(found, Mapping):
        for name in ("error", "message", "detail", "msg"):
            if found.get(name):
                return _message(found[name])
    return json.dumps(found) if found else ""


def _is_spent(fields: object) -> bool:
    error = fields.get("error") if isinstance(fields, Mapping) else None
    return isinstance(error, Mapping) and _SPENT in (error.get("type"), error.get("code"))


def _about_key(address: Address, key: Key) -> str:
    if key:
        return "one was sent; put the right one into the environment variable " + " or ".join(variables(address)[:2])
    return f"none was sent; put it into the environment variable {VARIABLE}"


def _advice(refusal: Refusal) -> str:
    said = f"{_message(refusal.fields)} {json.dumps(refusal.fields)}"
    for name, option in _OPTION_ADVICE.items():
        if re.search(rf"\b{name}\b", said):
            return f"; if the server does not take {name}: {option}"
    return ""
