"""The errors that users see as one line without a traceback, and helpers for their messages."""

from __future__ import annotations

import os
from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import Path

from pytest_vqamt.core.plain_text import clear_message


class VqamtError(Exception):
    """An error that the user can fix; its message says what was expected, what was found, where, and what to do.

    What data, models and exceptions put into the message is made visible, and a very long message loses its middle.
    """

    def __init__(self, message: str = "") -> None:
        super().__init__(clear_message(message))


class OptionError(VqamtError):
    """An option or a spec is wrong."""


class DataError(VqamtError):
    """A record of a scene source, or a file that this package wrote, is wrong."""


class ModelError(VqamtError):
    """A model could not be loaded, or violated its protocol."""


class RenderError(VqamtError):
    """A picture could not be rendered."""


def did_you_mean(name: str, known: Iterable[str], listed: Iterable[str] | None = None) -> str:
    """The end of a message about an unknown name: the nearest known name, else all of them, or those of ``listed``.

    >>> did_you_mean("tinny", ["tiny", "oracle"])
    "did you mean 'tiny'?"
    >>> did_you_mean("zebra", ["tiny", "oracle"])
    'known: tiny, oracle'
    """
    names = [str(each) for each in known]  # the repr of an enumeration member is another
    near = get_close_matches(name, names, n=1, cutoff=0.6)
    return f"did you mean {near[0]!r}?" if near else f"known: {', '.join(names if listed is None else listed)}"


CACHE_HOME_VARIABLE = "VQAMT_CACHE_HOME"
"""The environment variable that overrides the cache folder."""


def cache_home() -> Path:
    """The folder of files that are kept between runs."""
    from platformdirs import user_cache_dir

    return Path(os.environ.get(CACHE_HOME_VARIABLE) or user_cache_dir("pytest-vqamt")).absolute()
