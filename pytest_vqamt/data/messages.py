"""Values, places and mishaps as a message shows them: on one line, cut short where they are long."""

from __future__ import annotations

import reprlib
from pathlib import Path

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
    """``value`` as a message shows it.

    >>> shown(list(range(100)))
    '[0, 1, 2, 3, 4, 5, 6, 7, ...]'
    """
    text = _shortened.repr(value)
    return text if len(text) <= _MOST_OF_A_VALUE else text[:_MOST_OF_A_VALUE] + "..."


def short_name(name: str) -> str:
    """A name as it is where it is short and prints on one line, else as a value."""
    return name if name.isprintable() and len(name) <= _MOST_OF_A_NAME else short_repr(name)


def short_path(path: Path | str, name: str = "") -> str:
    """The path, or that of ``name`` in it, in quotation marks.

    Of what is very long the end, which tells it from its neighbours.
    """
    place = _ending(str(path), _MOST_OF_A_PATH)
    return repr(str(Path(place) / _ending(name, _MOST_OF_A_NAME)) if name else place)


def error_reason(error: BaseException) -> str:
    """Why something went wrong, in the words of the library that it went wrong in.

    >>> reason(FileNotFoundError(2, "No such file or directory", "a.jpg")), reason(IndexError()), reason(KeyError(256))
    ('No such file or directory', 'IndexError', 'KeyError 256')
    """
    said = error.strerror if isinstance(error, OSError) and error.strerror else _said(error)
    text = " ".join(said.split()).rstrip(".") or type(error).__name__
    return text if len(text) <= _MOST_OF_A_REASON else text[:_MOST_OF_A_REASON] + "..."


def _ending(text: str, most: int) -> str:
    return text if len(text) <= most else "..." + text[-most:]


def _said(error: BaseException) -> str:
    """The text of an exception; a lone argument that is no text says little without the exception's name."""
    match error.args:
        case (str() as text,):
            return text
        case (bytes() as data,):
            return data.decode("latin-1")
        case ():
            return ""
        case _:
            return f"{type(error).__name__} {error}"
