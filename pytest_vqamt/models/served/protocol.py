"""The wire format between ``served:URL`` and ``vqamt serve``: its paths, its bounds, and what names a model.

Everything is JSON in UTF-8. ``requests``, ``replies`` and ``cards`` beside this file write it and read it back, and
read nothing that is not whole; what they refuse is a ``WireError`` of one line.

``GET /v1/model`` gives a card: what is served.
    ``{"wire": 1, "identity", "vqamt_version", "model", "fingerprint", "persistent", "tasks", "batch_size",
    "reads_meaning", "needs_scenes", "data": [{"spec", "digest"}], "max_queries", "max_bytes", "replicas"}``
``GET /v1/status`` gives a status: what was done.
    ``{"queries_received", "queries_asked", "answers_remembered", "uptime_s", "busy_s", "replicas_alive"}``
``POST /v1/answers`` takes a request and gives a reply, one answer for each query, in their order.
    ``{"model": identity, "pictures": [recipe or {"png": base64}],
    "queries": [{"task", "text", "picture": place in pictures, "trial"?, "meaning"?}]}``
    ``{"model": identity, "answers": [{"text", "scores"?, "truncated"?} or {"error"} or {"unknown"}]}``
    An ``error`` is why the model has no answer to this query, an ``unknown`` that the photo is not served: the client
    sends its pixels instead.

Every other status comes with ``{"error": "one line"}``, and means:
    400 it cannot be read. 401 the token is missing or another. 409 another model is served than the one that was asked
    for. 410 the model is given up, for the reason told. 413 it has too many bytes, values or queries: half may do. 503
    not ready, or no replica is alive: ask again, after ``Retry-After`` seconds where that is there.

The token of ``VQAMT_SERVE_TOKEN`` travels as ``Authorization: Bearer TOKEN`` and is shown nowhere.

An identity names all that may change an answer, so no run mixes the answers of two models: a server that was started
anew with another model refuses (409) what was meant for the first.
"""

from __future__ import annotations

from pytest_vqamt.core.errors import VqamtError
from pytest_vqamt.core.identity import digest

WIRE = 1
"""The version of the format. Both sides must have the same."""

MODEL_PATH = "/v1/model"
STATUS_PATH = "/v1/status"
ANSWERS_PATH = "/v1/answers"

TOKEN_VARIABLE = "VQAMT_SERVE_TOKEN"

REFUSED = 400
UNAUTHORIZED = 401
ANOTHER_MODEL = 409
GIVEN_UP = 410
TOO_LARGE = 413
NOT_READY = 503

MAX_QUERIES = 4096
"""Of one request, where the server does not say less."""

MAX_BYTES = 64 * 2**20
"""Of one request's body, where the server does not say less."""

MAX_TEXT = 100_000
"""Characters of a question."""

MAX_NAME = 4_096
"""Characters of any other string: of a photo's id, of a word of a meaning."""

MAX_EDITS = 256
"""Of one picture."""

MAX_VALUES = 20_000
"""Values within one recipe or meaning, however deep."""

MAX_MARKS = 500_000
"""Commas and opening brackets in one request: what is parsed takes more than twenty times the room of its text."""

MAX_DEPTH = 24
"""Lists and objects within one another in a recipe or meaning."""

MAX_NUMBER = 1e9
"""Of coordinates, factors and whatever else a recipe or a meaning has: no number of theirs is larger, or smaller."""


class WireError(VqamtError):
    """What came over the wire cannot be read."""


def identity_of(spec: str, fingerprint: str, session: str) -> str:
    """Names a served model; ``session`` is "" for one that declares its fingerprint.

    For any other it is made anew by every ``vqamt serve``: nobody can tell whether its answers would be the same.
    """
    return digest(f"wire {WIRE}", spec, fingerprint, session)
