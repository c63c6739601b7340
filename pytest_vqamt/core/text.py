"""Texts of models, data and exceptions for people to read: short, and nothing in them acts on a terminal."""

from __future__ import annotations

import re
import reprlib
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Protocol

MAX_SHOWN = 500
"""The characters of one text that is shown; ``cases.jsonl`` has all of them."""

_INVISIBLE = re.compile(
    "(?<![^\0-\x7f])[\u200c\u200d]|"
    "[\0-\x1f\x7f-\x9f\xad\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f"
    "\ud800-\uf8ff\ufeff\ufff9-\ufffb\ufffe\uffff\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3"
    "\U0001d173-\U0001d17a\U000e0001-\U000e007f\U000f0000-\U0010ffff]"
)
"""Control and format characters, those that change the direction of a text, surrogates, private ones, and
those that XML refuses.

Joiners stay where Persian and Hindi words, and emoji, have them: after what is no ASCII.
"""

_COMMAND = re.compile(
    r"(?P<begin>:)(?=:(?:error|warning|notice|debug|group|endgroup|echo|stop-commands|add-mask|add-path|add-matcher|"
    r"remove-matcher|set-output|set-env|save-state)\b)|(?P<hash>#)(?=#(?:\[|\w+\[))",
    re.IGNORECASE,
)
"""Begins a command of GitHub ("::error", "##[group]"), Azure Pipelines ("##vso[") or TeamCity ("##teamcity[")."""

_COUNTED = re.compile(r"\.\.\. \(([\d,]+) characters\)\Z")
"""How ``shortened`` ends a text."""
_LONGEST_COUNT = 40
"""Such an end is looked for in so many characters, rather than in a whole answer."""

MAX_READ = 12_000
"""The characters of an answer that are read: of a longer one its beginning, and its end, where the answer proper is."""

_BEGINNING = 4_000
"""Of ``MAX_READ``, the characters that are taken from the beginning."""
_SHORT = 160
"""An answer of so many characters is read as it is, without a look for repetitions."""
_RUN = re.compile(r"(.)\1{16,}", re.DOTALL)
"""A run of one character: "yes!!!!!!!!!!!!!!!!!!!!"."""
_LONG = 1_000
"""In a shorter text no repetition costs a pattern much, and to look for one takes longer than to read it."""
_LONGEST_PIECE = 64
"""The characters of the longest repeated piece that is found."""
_COPIES = 8
"""The copies that are left of a piece that a model repeats without end."""

_MOST_OF_A_VALUE = 83
_MOST_OF_A_PATH = 160
_MOST_OF_A_NAME = 60
_MOST_OF_A_REASON = 63
"""The characters that messages quote of each."""

_MAX_MESSAGE = 1_000
"""The characters of a message."""
_MESSAGE_END = 300
"""Advice stands at the end of a message."""


class _Printer(Protocol):
    def text(self, text: str) -> None: ...


class ShortRepr:
    """A base class of values whose ``__repr__`` is one line: Hypothesis and IPython print that, and not every field."""

    __slots__ = ()

    def _repr_pretty_(self, printer: _Printer, cycle: bool) -> None:
        printer.text(repr(self))


def count_noun(number: int, one: str, many: str = "") -> str:
    """A number with its noun.

    >>> count_noun(1, "case"), count_noun(1200, "case"), count_noun(2, "query", "queries")
    ('1 case', '1,200 cases', '2 queries')
    """
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def first_line(*texts: str | None) -> str:
    r"""The first line of the first text that is not blank; "" if there is none.

    >>> first_line(None, "  ", "The claim.\n\nMore.")
    'The claim.'
    """
    return next((text.strip().splitlines()[0] for text in texts if text and text.strip()), "")


def whole_number_of(text: str) -> int:
    """The whole number of a text in the digits 0 to 9; ``int`` also takes "٣" and "1_000".

    Raises:
        ValueError: it is none.
    """
    return int(_of_plain_digits(text))


def number_of(text: str) -> float:
    """The number of a text in the digits 0 to 9, as ``whole_number_of``.

    Raises:
        ValueError: it is none.
    """
    return float(_of_plain_digits(text))


def _of_plain_digits(text: str) -> str:
    if not text.isascii() or "_" in text:
        raise ValueError(f"Expected the digits 0 to 9, but got {text!r}")
    return text


def visible(text: str, keep: str = "") -> str:
    r"""The text with escapes in place of what would not be seen, or would be read as a command; ``keep`` stays.

    >>> visible("yes\x1b[2J\u202e\n::error::no")
    'yes\\x1b[2J\\u202e\\n\\x3a:error::no'
    """
    if not text.isprintable():  # nearly all texts are, and the pattern takes time
        text = _INVISIBLE.sub(lambda found: found[0] if found[0] in keep else _escaped(found[0]), text)
    return _COMMAND.sub(lambda found: _escaped(found[0]), text)


def shortened(text: str, most: int = MAX_SHOWN) -> str:
    """The text, or its beginning with the number of its characters; what is shortened already keeps its number.

    >>> shortened("a" * 12, 5), shortened(shortened("a" * 12, 9), 5)
    ('aaaaa... (12 characters)', 'aaaaa... (12 characters)')
    """
    if len(text) <= most:
        return text
    counted = _COUNTED.search(text, max(0, len(text) - _LONGEST_COUNT))
    # Cut at ``most`` characters already, so that it is longer only by its end.
    if counted and counted.start() <= most:
        return text
    return f"{text[:most]}... ({counted[1] if counted else f'{len(text):,}'} characters)"


def shown(text: str, most: int = MAX_SHOWN) -> str:
    """The text as one line, ``shortened`` and ``visible``."""
    return visible(shortened(text, most))


def one_line(text: str) -> str:
    """The text with single spaces in place of line ends and other white space."""
    return " ".join(text.split())


def cut(text: str, most: int) -> str:
    """The text, or its beginning with three dots in ``most`` characters: for columns and quotes.

    >>> cut("a long name", 11), cut("a long name", 9)
    ('a long name', 'a long...')
    """
    return text if len(text) <= most else f"{text[: max(1, most - 3)].rstrip()}..."


def ending(text: str, most: int) -> str:
    """The text, or three dots with its end of ``most`` characters: for paths."""
    return text if len(text) <= most else f"...{text[-most:]}"


def some_of(names: Sequence[str], most: int) -> str:
    """The first names, and how many more there are.

    >>> some_of(["a", "b"], 2), some_of(["a", "b", "c", "d"], 2)
    ('a, b', 'a, b and 2 more')
    """
    more = f" and {len(names) - most:,} more" if len(names) > most else ""
    return f"{', '.join(names[:most])}{more}"


def shortest(*texts: str) -> str:
    """The shortest text that is not empty, the first in the alphabet of equally short ones: whatever came first."""
    # The order of arrival differs between runs on several workers, so it must not decide.
    return min(filter(None, texts), key=lambda text: (len(text), text), default="")


def quoted(text: str, most: int = MAX_SHOWN) -> str:
    """As ``repr``, ``shortened`` and ``visible``.

    >>> quoted("a" * 12, 5)
    "'aaaaa'... (12 characters)"
    """
    cut = shortened(text, most)
    counted = _COUNTED.search(cut)  # the number of characters stands behind the quotes
    return visible(repr(cut[: counted.start()])) + counted[0] if counted else visible(repr(cut))


def readable(text: str) -> str:
    """The part of an answer that is read, before any pattern of a reader sees it.

    Runs of one character and pieces that a model repeats without end are cut to a few, and a very long text to its two
    ends. Nothing is lost on a reader, and none takes long: most patterns take the square of a repetition's length.

    >>> readable("yes" + "!" * 1000), len(readable("so, " * 5_000)) < 100
    ('yes!!!!!!!!!!!!!!!!', True)
    """
    return text if len(text) <= _SHORT else _readable(text)


@lru_cache(maxsize=64)
def _readable(text: str) -> str:
    if len(text) > MAX_READ:  # a line end keeps the last word of the one end apart from the first of the other
        text = f"{text[:_BEGINNING]}\n{text[_BEGINNING + 1 - MAX_READ :]}"
    text = _RUN.sub(lambda found: found[1] * 16, text)
    return _without_loops(text) if len(text) > _LONG else text


def _without_loops(text: str) -> str:
    """The text with a few copies of each piece that is repeated again and again.

    A pattern that finds them takes ten times as long: at each character it tries each length.
    """
    import numpy as np  # most answers are short, and need none

    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")
    stays = np.ones(len(codes), dtype=bool)
    for period in range(2, _LONGEST_PIECE + 1):  # runs of one character are cut before
        # In a repeated piece each character is the same as the one a period later.
        same = codes[period:] == codes[:-period]
        half = _COPIES // 2 * period  # one such block at least lies in a run that is long enough
        if not same[: len(same) // half * half].reshape(-1, half).all(axis=1).any():
            continue
        # Stretches of equal characters: each ends where one differs, or at the end of the text.
        ends = np.flatnonzero(~np.append(same, False))
        starts = np.append(0, ends[:-1] + 1)
        for start, length in zip(starts, ends - starts, strict=True):
            if length >= _COPIES * period:
                # The first copies stay, and of the last the part of a copy that it may end with.
                stays[start + _COPIES * period : start + (length + period) // period * period] = False
    return text if stays.all() else codes[stays].tobytes().decode("utf-32-le", "surrogatepass")


def encodable(text: str) -> str:
    """The text with escapes in place of lone surrogates, which no file can hold."""
    plain = str(text)  # a text of NumPy is none that every library takes
    return plain if plain.isascii() else plain.encode("utf-8", "backslashreplace").decode("utf-8")


def error_text(error: BaseException) -> str:
    """What an exception of someone else's code says, with its type; "" as its text where that cannot be made."""
    try:
        text = str(error)
    except KeyboardInterrupt:
        raise
    except BaseException:  # a stranger's __str__ may raise anything, SystemExit too
        text = ""
    return encodable(f"{type(error).__name__}: {text}")


_values = reprlib.Repr()
_values.maxlist = _values.maxtuple = 8
_values.maxdict = 4
_values.maxstring = _values.maxother = _values.maxlong = 40
_values.maxlevel = 3


def short_repr(value: object) -> str:
    """The repr of ``value``, shortened.

    >>> short_repr(list(range(100)))
    '[0, 1, 2, 3, 4, 5, 6, 7, ...]'
    """
    return cut(_values.repr(value), _MOST_OF_A_VALUE)


def short_name(name: str) -> str:
    """The name itself if it is short and printable, else its shortened repr."""
    return name if name.isprintable() and len(name) <= _MOST_OF_A_NAME else short_repr(name)


def short_path(path: Path | str, name: str = "") -> str:
    """The repr of the path, or of ``name`` in it; only the end of a long one."""
    place = ending(str(path), _MOST_OF_A_PATH)
    return repr(str(Path(place) / ending(name, _MOST_OF_A_NAME)) if name else place)


def error_reason(error: BaseException) -> str:
    """The message of an exception, shortened.

    >>> some = (FileNotFoundError(2, "No such file or directory", "a.jpg"), IndexError(), KeyError(256))
    >>> tuple(error_reason(each) for each in some)
    ('No such file or directory', 'IndexError', 'KeyError 256')
    """
    message = error.strerror if isinstance(error, OSError) and error.strerror else _text_of(error)
    return cut(one_line(message).rstrip(".") or type(error).__name__, _MOST_OF_A_REASON)


def clear_message(text: str) -> str:
    """A message of an error: ``visible``, and without its middle if it is very long."""
    if len(text) > _MAX_MESSAGE:
        text = f"{text[: _MAX_MESSAGE - _MESSAGE_END]}... ({len(text):,} characters) ...{text[-_MESSAGE_END:]}"
    return visible(text, keep="\n")


def _escaped(character: str) -> str:
    code = ord(character)
    if character in "\t\n\r":
        return repr(character)[1:-1]
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _text_of(error: BaseException) -> str:
    match error.args:
        case (str() as text,):
            return text
        case (bytes() as data,):
            return data.decode("latin-1")  # never fails
        case ():
            return ""
        case _:
            return f"{type(error).__name__} {error}"  # of KeyError(256) the text alone would be "256"
