"""Which model is asked where: what ``openai:MODEL@URL`` says."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import SplitResult, urlsplit

from pytest_vqamt.core.errors import OptionError
from pytest_vqamt.models.http.settings import parts_of

VARIABLE = "VQAMT_OPENAI_KEY"
"""The environment variable that may hold the key."""

_FORM = re.compile(r"(?P<model>.+)@(?P<url>https?://.*)", re.IGNORECASE | re.DOTALL)
_EXAMPLE = "such as openai:llama3.2-vision:11b@http://127.0.0.1:11434/v1"
_ENDPOINT = "/chat/completions"
_OTHERS = ("completions", "completion", "responses", "models", "messages", "embeddings", "chat", "generate")
"""What the path of another endpoint, or of half of ours, ends in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """A model's name, and the URL of the chat completions that it answers at."""

    model: str
    url: str

    @classmethod
    def parse(cls, argument: str) -> Address:
        """The address in ``MODEL@URL``.

        The URL begins after the last ``@`` that http:// or https:// follows, so a model's name may hold slashes,
        colons and ``@``. A URL without a path gets ``/v1/chat/completions``; one with a path gets
        ``/chat/completions``, unless it ends so.

        >>> Address.parse("org/model:7b@http://127.0.0.1:8000")
        Address(model='org/model:7b', url='http://127.0.0.1:8000/v1/chat/completions')
        >>> Address.parse("m@https://host/api/v1/").url
        'https://host/api/v1/chat/completions'

        Raises:
            OptionError: it has another form, the URL is another endpoint's, or it holds what might be a secret, which
                no message repeats.
        """
        found = _FORM.fullmatch(argument)
        if found is None or "://" in found["model"]:
            raise OptionError(
                f"Expected openai:MODEL@URL with an http:// or https:// URL, {_EXAMPLE}, but got "
                f"model={f'openai:{_before_at(argument)}'!r}"
            )
        parts = parts_of(found["url"], example=_EXAMPLE, variable=VARIABLE)
        path = parts.path.rstrip("/")
        if not path.endswith(_ENDPOINT):
            _check_is_base(parts, path)
            path = f"{path or '/v1'}{_ENDPOINT}"
        return cls(model=found["model"], url=f"{parts.scheme}://{parts.netloc.lower()}{path}")

    @property
    def host(self) -> str:
        return urlsplit(self.url).hostname or ""

    @property
    def is_of_openai(self) -> bool:
        """Whether it is OpenAI's own, and no one on the way can read what is sent there."""
        return self.host == "api.openai.com" and self.url.startswith("https:")


def _check_is_base(parts: SplitResult, path: str) -> None:
    base, _, last = path.rpartition("/")
    if last.lower() in _OTHERS:
        server = f"{parts.scheme}://{parts.netloc}"
        raise OptionError(
            f"Expected the URL that an API begins at, {_EXAMPLE}, but got one of another endpoint, {server}{path}: "
            f"give {server}{'/v1' if base in ('', '/api') else base}, or the whole URL of its chat completions"
        )


def _before_at(argument: str) -> str:
    """What is sure to be no part of a URL; behind an @ there may stand a password."""
    before, at, _ = argument.partition("@")
    return f"{before.partition('://')[0]}@..." if at else before.partition("://")[0]
