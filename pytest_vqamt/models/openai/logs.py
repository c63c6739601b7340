"""Keeps a key out of the logs of the HTTP libraries, which write down what servers send."""

from __future__ import annotations

import logging
from collections.abc import Callable

from pytest_vqamt.models.openai.key import Key

_LOGGERS = ("httpx", "httpcore.connection", "httpcore.http11", "httpcore.http2", "httpcore.proxy", "httpcore.socks")


class _Hiding(logging.Filter):
    def __init__(self, key: Key) -> None:
        super().__init__()
        self._key = key

    def filter(self, record: logging.LogRecord) -> bool:
        record.msg, record.args = self._key.hidden(record.getMessage()), None
        return True


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
