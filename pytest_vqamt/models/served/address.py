"""Where a model is served: what ``served:URL`` says."""

from __future__ import annotations

import re

from pytest_vqamt.core.errors import OptionError
from pytest_vqamt.models.http.settings import parts_of
from pytest_vqamt.models.served.protocol import TOKEN_VARIABLE

_EXAMPLE = "such as served:http://127.0.0.1:8000"


def base_of(argument: str) -> str:
    """The URL that the paths of the wire format follow.

    >>> base_of("http://GPU-box:8000/")
    'http://gpu-box:8000'
    >>> base_of("https://host/models/lxmert/v1")
    'https://host/models/lxmert'

    Raises:
        OptionError: it is no http:// or https:// URL, or holds what might be a secret, which no message repeats.
    """
    if not re.match(r"https?://", argument, re.IGNORECASE):
        shown = argument if re.fullmatch(r"[\w.:\[\]-]*", argument) else "..."
        raise OptionError(f"Expected served:URL with an http:// or https:// URL, {_EXAMPLE}, but got served:{shown}")
    parts = parts_of(argument, example=_EXAMPLE, variable=TOKEN_VARIABLE)
    return f"{parts.scheme}://{parts.netloc.lower()}{parts.path.rstrip('/').removesuffix('/v1')}"
