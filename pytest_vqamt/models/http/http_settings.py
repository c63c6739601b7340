"""Settings of models behind HTTP servers: URLs, numbers, and API keys, which are redacted from all output."""

from __future__ import annotations

import logging
import re
from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from html import escape
from ipaddress import ip_address
from json import dumps
from math import isfinite
from typing import NoReturn
from urllib.parse import SplitResult, quote, urlsplit

from pytest_vqamt.core.errors import OptionError
from pytest_vqamt.core.text import number_of, whole_number_of

_REDACTED = "[key]"

_DAY_S = 86_400

_SHORTEST_SECRET = 8
"""Shorter keys are placeholders, such as "EMPTY", which may well occur in an answer."""

_PREFIX = 12
"""The number of characters that identify a longer key where a server shows only its beginning."""

_LOGGERS = (
    "httpx2",
    "httpcore2.connection",
    "httpcore2.http11",
    "httpcore2.http2",
    "httpcore2.proxy",
    "httpcore2.socks",
)
"""The loggers of the HTTP libraries, which log what servers send."""


def split_url(url: str, *, example: str, variable: str) -> SplitResult:
    """The parts of a URL; ``example`` ("such as ...") and ``variable`` (of the key) are for messages.

    Raises:
        OptionError: it is invalid, or holds what might be a secret, which the message does not repeat.
    """
    # urlsplit() drops line breaks and tabs in silence, and browsers take a backslash for a slash.
    if re.search(r"[\s\x00-\x1f\x7f\\]", url):
        raise OptionError(f"Expected a URL without blanks and backslashes, {example}, but got one that has some")
    try:
        parts = urlsplit(url)
        # The port is only checked when it is read.
        named, _ = parts.hostname, parts.port
    except ValueError as error:
        raise OptionError(f"Expected a URL, {example}, but got one that cannot be read") from error
    for what, is_there in {
        "a user name or a password": "@" in parts.netloc,
        # Of the text: an empty query ("http://host/?") is none in the parts.
        "a query": "?" in url,
        "a fragment": "#" in url,
    }.items():
        if is_there:
            raise OptionError(
                f"Expected a URL of a host and a path alone, {example}, but got one with {what}, which is not shown "
                f"here: specs are printed and reported; a key belongs into the environment variable {variable}"
            )
    if not named:
        raise OptionError(f"Expected a URL with a host, {example}, but got one without")
    return parts


def is_loopback_url(url: str) -> bool:
    """True if the URL's host is this machine's loopback."""
    host = urlsplit(url).hostname or ""
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def parse_number(text: str, name: str, *, at_least: float, most: float, whole: bool = False) -> float:
    """The number in ``text``, within its bounds.

    Raises:
        OptionError: it is no such number.
    """
    try:
        # As a float alone, "1e3" and "2.0" would be whole numbers.
        value = float(whole_number_of(text)) if whole else number_of(text)
    except (ValueError, OverflowError):
        value = float("nan")
    if not (isfinite(value) and at_least <= value <= most):
        kind = "a whole number" if whole else "a number"
        raise OptionError(f"Expected {kind} from {at_least} to {most}, but got {name}={text!r}")
    return value


def parse_seconds(settings: Mapping[str, str], name: str, default: str, *, at_least: float) -> float:
    """The setting ``name`` in seconds, at most a day.

    Raises:
        OptionError: it is no such number.
    """
    return parse_number(settings.get(name, default), name, at_least=at_least, most=_DAY_S)


class ApiKey:
    """A key that is never printed or pickled. An empty one is falsy.

    Args:
        text: the key; empty for none.
        headers: the values of further headers by name, which are as secret.
    """

    __slots__ = ("_headers", "_pattern", "_text")

    def __init__(self, text: str, headers: Mapping[str, str] | None = None) -> None:
        self._text = text
        self._headers = dict(headers or {})
        self._pattern = _key_pattern((text, *self._headers.values()))

    @property
    def headers(self) -> dict[str, str]:
        """The headers that hold the key and the further values; empty without any."""
        return {**({"Authorization": f"Bearer {self._text}"} if self._text else {}), **self._headers}

    def redact(self, text: str) -> str:
        """``text`` without the key, plain or encoded.

        >>> ApiKey("secret-of-mine").redact('{"you sent": "Bearer secret-of-mine"}')
        '{"you sent": "Bearer [key]"}'
        """
        return self._pattern.sub(_REDACTED, text) if self._pattern else text

    def __bool__(self) -> bool:
        return bool(self._text)

    def __repr__(self) -> str:
        return f"Key({_REDACTED if self._text else ''})"

    def __reduce__(self) -> NoReturn:
        raise TypeError("A key is not written down")


def key_from_environment(
    environment: Mapping[str, str], names: Sequence[str], headers: Mapping[str, str] | None = None
) -> ApiKey:
    """Reads the key from the first variable of ``names`` that is set; the key is empty if none is.

    ``headers`` are further secret headers.

    Raises:
        OptionError: it has characters that no header can hold; the message does not repeat it.
    """
    for name in names:
        text = environment.get(name, "").strip()
        if text:
            # Such as a typographic dash, or a line break in the middle, of a key copied from a page.
            if re.search(r"[^\x21-\x7e]", text):
                raise OptionError(
                    f"Expected a key of ASCII characters without blanks in the environment variable {name}, but got "
                    "others (not shown): copy the key once more"
                )
            return ApiKey(text, headers)
    return ApiKey("", headers)


def redact_logs(key: ApiKey) -> Callable[[], None]:
    """Redacts the key in the log records of the HTTP libraries, until the returned function is called."""
    hiding = _RedactingFilter(key)
    # Without a key there is nothing to hide, and no filter to pay for.
    loggers = [logging.getLogger(name) for name in _LOGGERS] if key.headers else []
    for logger in loggers:
        logger.addFilter(hiding)

    def end() -> None:
        for logger in loggers:
            logger.removeFilter(hiding)

    return end


class _RedactingFilter(logging.Filter):
    def __init__(self, key: ApiKey) -> None:
        super().__init__()
        self._key = key

    def filter(self, record: logging.LogRecord) -> bool:
        # Formatted first: the key may be one of the arguments.
        record.msg, record.args = self._key.redact(record.getMessage()), None
        return True


def _key_pattern(secrets: Sequence[str]) -> re.Pattern[str] | None:
    ways: list[str] = []
    # The longest first: where one key begins with another, no rest of it stays.
    for text in sorted((each for each in secrets if len(each) >= _SHORTEST_SECRET), key=len, reverse=True):
        # As a server may echo it: in a URL, in HTML, in JSON, or as basic authentication.
        encoded = b64encode(text.encode()).decode().rstrip("=")
        forms = {text, quote(text, safe=""), escape(text), dumps(text)[1:-1], encoded}
        ways += [re.escape(form) for form in sorted(forms, key=lambda form: (-len(form), form))]
        # Servers show the beginning of a key that they refuse: "sk-abcdefghij...".
        if len(text) >= 2 * _PREFIX:
            ways.append(rf"{re.escape(text[:_PREFIX])}[^\s\"'<>,;]*")
    return re.compile("|".join(ways), re.IGNORECASE) if ways else None
