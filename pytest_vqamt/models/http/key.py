"""The key that a server asks for: where it comes from, and how it is kept out of everything that is written."""

from __future__ import annotations

import logging
import re
from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from html import escape
from json import dumps
from typing import NoReturn
from urllib.parse import quote

from pytest_vqamt.core.errors import OptionError

_HIDDEN = "[key]"

_SHORTEST_SECRET = 8
"""What is shorter is a placeholder, such as "EMPTY": a word that may well stand in an answer."""

_BEGINNING = 12
"""Of a longer key, so many characters are enough to know it by where a server shows only the beginning."""


_LOGGERS = ("httpx", "httpcore.connection", "httpcore.http11", "httpcore.http2", "httpcore.proxy", "httpcore.socks")
"""Those of the HTTP libraries, which write down what servers send."""


class Key:
    """A key that shows itself to nobody but the server. An empty one is none."""

    __slots__ = ("_pattern", "_text")

    def __init__(self, text: str) -> None:
        self._text = text
        self._pattern = _pattern(text)

    @property
    def header(self) -> str:
        """What the server is told; empty where there is no key."""
        return f"Bearer {self._text}" if self._text else ""

    def hidden(self, text: str) -> str:
        """``text`` without the key, as it is or in an encoding.

        >>> Key("secret-of-mine").hidden('{"you sent": "Bearer secret-of-mine"}')
        '{"you sent": "Bearer [key]"}'
        """
        return self._pattern.sub(_HIDDEN, text) if self._pattern else text

    def __bool__(self) -> bool:
        return bool(self._text)

    def __repr__(self) -> str:
        return f"Key({_HIDDEN if self._text else ''})"

    def __reduce__(self) -> NoReturn:
        raise TypeError("A key is not written down")


def key_in(environment: Mapping[str, str], names: Sequence[str]) -> Key:
    """The key that the first of the variables holds that is there, or an empty one.

    Raises:
        OptionError: it holds what no header can hold; the message does not repeat it.
    """
    for name in names:
        text = environment.get(name, "").strip()
        if text:
            if re.search(r"[^\x21-\x7e]", text):
                raise OptionError(
                    f"Expected a key of ASCII characters without blanks in the environment variable {name}, but got "
                    "others (not shown): copy the key once more"
                )
            return Key(text)
    return Key("")


def hide_in_logs(key: Key) -> Callable[[], None]:
    """Hides the key in all that is logged from now on, and returns what puts an end to it."""
    hiding = _Hiding(key)
    loggers = [logging.getLogger(name) for name in _LOGGERS] if key else []
    for logger in loggers:
        logger.addFilter(hiding)

    def end() -> None:
        for logger in loggers:
            logger.removeFilter(hiding)

    return end


class _Hiding(logging.Filter):
    def __init__(self, key: Key) -> None:
        super().__init__()
        self._key = key

    def filter(self, record: logging.LogRecord) -> bool:
        record.msg, record.args = self._key.hidden(record.getMessage()), None
        return True


def _pattern(text: str) -> re.Pattern[str] | None:
    if len(text) < _SHORTEST_SECRET:
        return None
    encoded = b64encode(text.encode()).decode().rstrip("=")
    forms = {text, quote(text, safe=""), escape(text), dumps(text)[1:-1], encoded}
    ways = [re.escape(form) for form in sorted(forms, key=lambda form: (-len(form), form))]
    if len(text) >= 2 * _BEGINNING:
        ways.append(rf"{re.escape(text[:_BEGINNING])}[^\s\"'<>,;]*")
    return re.compile("|".join(ways), re.IGNORECASE)
