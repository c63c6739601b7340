"""Values, paths and errors in messages: on one line, shortened if they are long."""

from __future__ import annotations

import reprlib
import warnings
from pathlib import Path

from pytest_vqamt.core.errors import DataError

_shortened = reprlib.Repr()
_shortened.maxlist = _shortened.maxtuple = 8
_shortened.maxdict = 4
_shortened.maxstring = _shortened.maxother = _shortened.maxlong = 40
_shortened.maxlevel = 3
_MOST_OF_A_VALUE = 80
_MOST_OF_A_PATH = 160
_MOST_OF_A_NAME = 60
_MOST_OF_A_REASON = 60


def short_repr(value: object) -> str:
    """The repr of ``value``, shortened.

    >>> short_repr(list(range(100)))
    '[0, 1, 2, 3, 4, 5, 6, 7, ...]'
    """
    text = _shortened.repr(value)
    return text if len(text) <= _MOST_OF_A_VALUE else text[:_MOST_OF_A_VALUE] + "..."


def short_name(name: str) -> str:
    """The name itself if it is short and printable, else its shortened repr."""
    return name if name.isprintable() and len(name) <= _MOST_OF_A_NAME else short_repr(name)


def short_path(path: Path | str, name: str = "") -> str:
    """The repr of the path, or of ``name`` in it; only the end of a long one."""
    place = _ending(str(path), _MOST_OF_A_PATH)
    return repr(str(Path(place) / _ending(name, _MOST_OF_A_NAME)) if name else place)


def error_reason(error: BaseException) -> str:
    """The message of an exception, shortened.

    >>> some = (FileNotFoundError(2, "No such file or directory", "a.jpg"), IndexError(), KeyError(256))
    >>> tuple(error_reason(each) for each in some)
    ('No such file or directory', 'IndexError', 'KeyError 256')
    """
    message = error.strerror if isinstance(error, OSError) and error.strerror else _text_of(error)
    text = " ".join(message.split()).rstrip(".") or type(error).__name__
    return text if len(text) <= _MOST_OF_A_REASON else text[:_MOST_OF_A_REASON] + "..."


def warn_of_data(text: str, expected: str, stacklevel: int = 2) -> None:
    """Warns of something odd in a data set.

    Args:
        text: the warning.
        expected: begins the error's message, as in "Expected nothing odd in a.json".
        stacklevel: of ``warnings.warn``, counted from the caller.

    Raises:
        DataError: warnings are errors.
    """
    try:
        warnings.warn(text, stacklevel=stacklevel + 1)
    except UserWarning as error:
        raise DataError(f"{expected}, but {text}") from error


def _ending(text: str, most: int) -> str:
    return text if len(text) <= most else "..." + text[-most:]


def _text_of(error: BaseException) -> str:
    match error.args:
        case (str() as text,):
            return text
        case (bytes() as data,):
            return data.decode("latin-1")
        case ():
            return ""
        case _:
            return f"{type(error).__name__} {error}"
