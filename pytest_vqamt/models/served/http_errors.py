"""Turns the HTTP errors of `vqamt serve` into exceptions."""

from __future__ import annotations

from typing import NoReturn

from pytest_vqamt.core.errors import ModelError
from pytest_vqamt.models.http.client import HttpResponse
from pytest_vqamt.models.http.retry import QueryError, ServerState, TransientError, retry_after_s, status_text
from pytest_vqamt.models.http.settings import ApiKey
from pytest_vqamt.models.served import TOKEN_VARIABLE
from pytest_vqamt.models.served.protocol import (
    BAD_REQUEST,
    MODEL_DISABLED,
    OTHER_MODEL,
    TOO_LARGE,
    read_error,
)


class SplitRequestError(QueryError):
    """The request is too large; half of it may be accepted."""


_LONGEST_QUOTE = 300


def raise_served_error(response: HttpResponse, url: str, key: ApiKey) -> NoReturn:
    """Raises the exception that a status other than 200 stands for.

    Raises:
        TransientError: the request may be retried.
        SplitRequestError: the request must be split.
        QueryError: a query in it cannot be answered; the others may.
        ModelError: the server cannot be used.
    """
    status = response.status
    message = _quoted(response.body, key)
    got = f"but got {status_text(status)}{f' ({message})' if message else ''}"
    if status == MODEL_DISABLED:
        raise ModelError(message or f"Expected {url} to answer, {got}")
    if status == OTHER_MODEL:
        raise other_model_error(url, message)
    if status == TOO_LARGE:
        raise SplitRequestError(f"Expected {url} to take the picture and the text of one query, {got}")
    if status == BAD_REQUEST:
        raise QueryError(f"Expected {url} to take the query, {got}")
    if status in (401, 403, 407):
        which = "one was sent: put the right one" if key else "none was sent: put it"
        raise ModelError(
            f"Expected {url} to take our token, {got}: {which}, which whoever started `vqamt serve` knows, into the "
            f"environment variable {TOKEN_VARIABLE}"
        )
    if 300 <= status < 400:
        raise ModelError(
            f"Expected {url} to answer itself, {got}, which sends on to another address: name that in --vqamt-model"
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


def _quoted(body: bytes, key: ApiKey) -> str:
    line = key.redact(read_error(body) or " ".join(body.decode("utf-8", "replace").split()))
    return line if len(line) <= _LONGEST_QUOTE else f"{line[:_LONGEST_QUOTE]}..."
