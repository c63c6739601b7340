"""GitHub-flavoured markdown in which nothing that came from data or a model is markup."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence

_MARKUP = re.compile(r"[\\`*_\[\]<#!|~&@$]|:(?=//|[a-zA-Z_+-][\w+-]*:|100:|1234:)|www\.")
"""What can begin or end something in GitHub's markdown: a link, a tag, a cell, a mention, a formula, an emoji."""
_NOT_IN_CODE = re.compile(r"[`|\\]")
_COMMAND = re.compile(r"`((?:vqamt |--vqamt)[^`|\\]*)`")


def plain(text: str) -> str:
    r"""``text`` as it would be read, on one line: punctuation with a meaning stands as character references.

    >>> plain("<b>|x\ny"), plain("see www.a.b")
    ('&#60;b>&#124;x y', 'see www&#46;a.b')
    """
    return _escaped(_one_line(text))


def code(text: str) -> str:
    """``text`` as code; as plain text where it has what would end the code or the cell of a table.

    >>> code("metavqa.partition[object]"), code("a|b")
    ('`metavqa.partition[object]`', 'a&#124;b')
    """
    line = _one_line(text)
    return plain(line) if not line or _NOT_IN_CODE.search(line) else f"`{line}`"


def prose(text: str) -> str:
    """A sentence of ours: commands in backticks stay code, and all else in it is ``plain``.

    >>> prose("`vqamt power` says how many cases of `_a_`")
    '`vqamt power` says how many cases of &#96;&#95;a&#95;&#96;'
    """
    line = _one_line(text)
    pieces = _COMMAND.split(line)
    said = (f"`{each}`" if place % 2 else _escaped(each) for place, each in enumerate(pieces))
    return "".join(said)


def table(head: Sequence[str], rows: Sequence[Sequence[str]], *, numbers_from: int = 1) -> Iterator[str]:
    """The lines of a table of cells that are markdown; the columns from ``numbers_from`` on stand to the right."""
    yield f"| {' | '.join(head)} |"
    yield f"|{'|'.join(' --- ' if place < numbers_from else ' ---: ' for place in range(len(head)))}|"
    for row in rows:
        yield f"| {' | '.join(row)} |"


def _escaped(line: str) -> str:
    return _MARKUP.sub(lambda found: _referred(found[0]), line)


def _one_line(text: str) -> str:
    """Without line breaks, and without characters that nobody sees or that turn the text around."""
    spaced = "".join(" " if each.isspace() else each for each in text)
    seen = (each for each in spaced if unicodedata.category(each) not in ("Cc", "Cf", "Cs", "Co", "Cn"))
    return " ".join("".join(seen).split())


def _referred(found: str) -> str:
    return f"{found[:-1]}&#{ord(found[-1])};"
