"""What a status of a server means: for a batch, for the whole run, or for now."""

from __future__ import annotations

from typing import NoReturn

from pytest_vqamt.core.errors import ModelError
from pytest_vqamt.models.http.client import Reply
from pytest_vqamt.models.http.key import Key
from pytest_vqamt.models.http.responses import PassingError, QueryError, Sign
from pytest_vqamt.models.http.statuses import status_named, told_to_wait
from pytest_vqamt.models.served.protocol import ANOTHER_MODEL, GIVEN_UP, REFUSED, TOKEN_VARIABLE, TOO_LARGE
from pytest_vqamt.models.served.replies import read_error

_LONGEST_QUOTE = 300


class TooMuchError(QueryError):
    """There was too much in one request; half of it may do."""


def refused(reply: Reply, url: str, key: Key) -> NoReturn:
    """Raises what a status other than 200 means.

    Raises:
        PassingError: it may be asked again.
        TooMuchError: less of it may be asked.
        QueryError: something in it cannot be asked; the rest of it may.
        ModelError: nothing can.
    """
    status = reply.status
    said = _quoted(reply.body, key)
    got = f"but got {status_named(status)}{f' ({said})' if said else ''}"
    if status == GIVEN_UP:
        raise ModelError(said or f"Expected {url} to answer, {got}")
    if status == ANOTHER_MODEL:
        raise another_model(url, said)
    if status == TOO_LARGE:
        raise TooMuchError(f"Expected {url} to take the picture and the text of one query, {got}")
    if status == REFUSED:
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
        sign = {404: Sign.ABSENT, 500: Sign.BROKEN}.get(status, Sign.BUSY)
        raise PassingError(got.removeprefix("but got "), sign=sign, wait_s=told_to_wait(reply.headers))
    raise ModelError(f"Expected `vqamt serve` at {url}, {got}: check the URL")


def another_model(url: str, said: str = "") -> ModelError:
    """What is to be said where the server has been started anew, and serves something else."""
    told = f" ({said})" if said else ""
    return ModelError(
        f"Expected {url} to serve the model that it served when this run began, but it serves another one now{told}: "
        "run again; answers of two models are never mixed"
    )


def _quoted(body: bytes, key: Key) -> str:
    """The server's own words in a line, without the token."""
    line = key.hidden(read_error(body) or " ".join(body.decode("utf-8", "replace").split()))
    return line if len(line) <= _LONGEST_QUOTE else f"{line[:_LONGEST_QUOTE]}..."
