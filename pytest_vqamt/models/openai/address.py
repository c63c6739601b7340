"""Which model is asked where: what ``openai:MODEL@URL`` says."""

from __future__ import annotations

import re
from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import SplitResult, urlsplit

from pytest_vqamt.core.errors import OptionError

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
        parts = _parts(found["url"])
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

    @property
    def is_on_this_machine(self) -> bool:
        if self.host == "localhost":
            return True
        try:
            return ip_address(self.host).is_loopback
        except ValueError:
            return False


def _parts(url: str) -> SplitResult:
    """The parts of a URL that names a host, a port perhaps and a path, and nothing else."""
    if re.search(r"[\s\x00-\x1f\x7f\\]", url):
        raise OptionError(f"Expected a URL without blanks and backslashes, {_EXAMPLE}, but got one that has some")
    try:
        parts = urlsplit(url)
        named, _ = parts.hostname, parts.port
    except ValueError as error:
        raise OptionError(f"Expected a URL, {_EXAMPLE}, but got one that cannot be read") from error
    for what, is_there in {
        "a user name or a password": "@" in parts.netloc,
        "a query": "?" in url,
        "a fragment": "#" in url,
    }.items():
        if is_there:
            raise OptionError(
                f"Expected a URL of a host and a path alone, {_EXAMPLE}, but got one with {what}, which is not shown "
                "here: specs are printed and reported; a key belongs into the environment variable VQAMT_OPENAI_KEY"
            )
    if not named:
        raise OptionError(f"Expected a URL with a host, {_EXAMPLE}, but got one without")
    return parts


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
