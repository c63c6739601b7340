"""Transformers without its progress bars and advice on the user's terminal."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def quiet() -> Iterator[None]:
    """No progress bars and no advice of transformers; its settings afterwards as before."""
    from transformers.utils import logging

    level, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()  # type: ignore[no-untyped-call]  # transformers does not annotate it
    logging.disable_progress_bar()  # type: ignore[no-untyped-call]  # as above
    try:
        yield
    finally:
        logging.set_verbosity(level)
        if bars:
            logging.enable_progress_bar()  # type: ignore[no-untyped-call]  # as above


def first_line(error: BaseException) -> str:
    """The first line of what an exception says, for messages of one line; at most 300 characters."""
    line = next((line.strip() for line in str(error).splitlines() if line.strip()), "")
    told = f"{type(error).__name__}: {line}" if line else type(error).__name__
    return told if len(told) <= 300 else f"{told[:299]}…"
