"""What users are told when something is wrong: one line, never a traceback."""

from __future__ import annotations

import os
from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import Path


class VqamtError(Exception):
    """A mistake that the user can mend; its text says what was expected, what came, where, and what to do."""


class OptionError(VqamtError):
    """An option or a specification is wrong."""


class DataError(VqamtError):
    """A record of a scene source, or a file of ours, is wrong."""


class ModelError(VqamtError):
    """A model could not be loaded, or broke its protocol."""


class RenderError(VqamtError):
    """A picture could not be rendered."""


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """A closing sentence for a message about an unknown name: the nearest names, else all of them.

    >>> did_you_mean("tinny", ["tiny", "oracle"])
    "did you mean 'tiny'?"
    >>> did_you_mean("zebra", ["tiny", "oracle"])
    'known: tiny, oracle'
    """
    names = [str(each) for each in known]  # a member of an enumeration has another repr
    near = get_close_matches(name, names, n=1, cutoff=0.6)
    return f"did you mean {near[0]!r}?" if near else f"known: {', '.join(names)}"


CACHE_HOME_VARIABLE = "VQAMT_CACHE_HOME"
"""The environment variable that names another folder than the user's cache."""


def cache_home() -> Path:
    """The folder of what is kept between runs."""
    from platformdirs import user_cache_dir

    return Path(os.environ.get(CACHE_HOME_VARIABLE) or user_cache_dir("pytest-vqamt")).absolute()
