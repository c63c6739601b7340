"""The errors that users see as one line without a traceback, and helpers for their messages."""

from __future__ import annotations

import inspect
import os
import sys
from collections.abc import Iterable
from contextlib import suppress
from difflib import get_close_matches
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Self

from pytest_vqamt.core.text import clear_message

_PACKAGE = __name__.partition(".")[0]
_CALLERS = frozenset({_PACKAGE, "hypothesis", *sys.stdlib_module_names})
"""The modules between a test and the user's code: this package, and what it calls the user's code by."""

CACHE_HOME_VARIABLE = "VQAMT_CACHE_HOME"
"""The environment variable that overrides the cache folder."""


class VqamtError(Exception):
    """An error that the user can fix; its message says what was expected, what was found, where, and what to do.

    What data, models and exceptions put into the message is made visible, and a very long message loses its middle.

    Attributes:
        user_error: the exception of the user's own code that it is about. pytest and the commands show its traceback.
    """

    def __init__(self, message: str = "") -> None:
        super().__init__(clear_message(message))
        self.user_error: BaseException | None = None

    def about(self, user_error: BaseException, where: str = "") -> Self:
        """This error, about an exception of the user's own code; ``where`` becomes a note of the exception.

        An exception with no frame outside this package is not the user's, and is left out.
        """
        if cut_to_user_code(user_error.__traceback__) is not None:
            self.user_error = user_error
            if where:
                note(user_error, where)
        return self


class OptionError(VqamtError):
    """An option or a spec is wrong."""


class DataError(VqamtError):
    """A record of a scene source, or a file that this package wrote, is wrong.

    ``bad_records`` has a message for each record of a source of which none can be used.
    """

    def __init__(self, message: str = "", *, bad_records: Iterable[str] = ()) -> None:
        super().__init__(message)
        self.bad_records = tuple(bad_records)


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
    names = [str(each) for each in known]
    return near_name(name, names) or f"known: {', '.join(names if listed is None else listed)}"


def near_name(name: str, known: Iterable[str]) -> str:
    """The end of a message that lists the known names already: the nearest of them, or "".

    >>> near_name("tinny", ["tiny", "oracle"]), near_name("zebra", ["tiny", "oracle"])
    ("did you mean 'tiny'?", '')
    """
    near = get_close_matches(name, map(str, known), n=1, cutoff=0.6)  # the repr of an enumeration member is another
    return f"did you mean {near[0]!r}?" if near else ""


def cut_to_user_code(traceback: TracebackType | None) -> TracebackType | None:
    """The traceback without the frames of this package and of what it calls the user's code by; None if none is left.

    Frames of libraries that the user's code calls stay.
    """
    frames: list[TracebackType] = []
    is_users = False
    while traceback is not None:
        module = str(traceback.tb_frame.f_globals.get("__name__", "")).partition(".")[0]
        # After a frame of the user's, those of the standard library are what the user's code called, and stay.
        is_users = module not in ({_PACKAGE} if is_users else _CALLERS)
        if is_users:
            frames.append(traceback)
        traceback = traceback.tb_next
    cut: TracebackType | None = None
    for frame in reversed(frames):  # a traceback points to the frame below it, so it is built from the last one up
        cut = TracebackType(cut, frame.tb_frame, frame.tb_lasti, frame.tb_lineno)
    return cut


def note(error: BaseException, text: str) -> None:
    """Adds a note to an exception, once; one of a stranger's may take none."""
    with suppress(Exception):
        if text not in getattr(error, "__notes__", ()):
            error.add_note(clear_message(text))


def raised_at(error: BaseException) -> str:
    """The type of an exception and the line that raised it, this package's own left out: "KeyError at model.py:6"."""
    traceback = cut_to_user_code(error.__traceback__)
    while traceback is not None and traceback.tb_next is not None:
        traceback = traceback.tb_next
    name = type(error).__name__
    if traceback is None:
        return name
    return f"{name} at {from_here(traceback.tb_frame.f_code.co_filename)}:{traceback.tb_lineno}"


def location(function: object) -> str:
    """Where a function of the user's code begins, as "FILE:LINE"; "" of a class and where that is not known.

    The file is relative to the current folder where it lies in it.
    """
    function = without_partial(function)
    function = inspect.unwrap(function) if callable(function) else function
    code = getattr(function, "__code__", None)
    if code is None:  # a class, or a function that is written in C
        return ""
    return f"{from_here(code.co_filename)}:{code.co_firstlineno}"


def without_partial(function: object) -> object:
    """The function that a ``functools.partial`` calls, whose own docstring is about partial; others as they are."""
    while isinstance(function, partial):  # inspect.unwrap follows decorators alone
        function = function.func
    return function


def from_here(file: str | Path) -> Path:
    """The file relative to the current folder, where it lies in it."""
    path, here = Path(file), Path.cwd()
    return path.relative_to(here) if path.is_relative_to(here) else path


def cache_home() -> Path:
    """The folder of files that are kept between runs."""
    from platformdirs import user_cache_dir  # here, as nearly every module imports this one

    return Path(os.environ.get(CACHE_HOME_VARIABLE) or user_cache_dir("pytest-vqamt")).absolute()
