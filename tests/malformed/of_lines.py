"""Files of JSON Lines that are damaged as a whole, or in one line."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterator

from tests.malformed.entries import At, Damage, Malformed, rewrite
from tests.malformed.of_files import PAGE, POINTER

Change = Callable[[bytes], bytes | None]

_FILE = "graphs.jsonl"

_WHOLE: dict[str, Change] = {
    "is empty": lambda _data: b"",
    "is blank": lambda _data: b"\n \n\n",
    "is UTF-16": lambda data: data.decode().encode("utf-16"),
    "is a web page": lambda _data: PAGE,
    "is a pointer of git lfs": lambda _data: POINTER,
    "is one list": lambda data: json.dumps([json.loads(line) for line in data.splitlines()]).encode(),
    "is one object on many lines": lambda data: json.dumps(json.loads(data.splitlines()[0]), indent=1).encode(),
    "has commas after its lines": lambda data: data.replace(b"}\n", b"},\n"),
    "is compressed": lambda data: gzip.compress(data, mtime=0),
    "is nothing but NULs": lambda data: bytes(len(data)),
    "ends its lines as Macs once did": lambda data: data.replace(b"\n", b"\r"),
    "is a folder": lambda _data: None,
}

_SECOND_LINES: tuple[tuple[str, Callable[[bytes], bytes], tuple[str, ...]], ...] = (
    ("is cut in half", lambda line: line[: len(line) // 2] + b"\n", ("2",)),
    ("lacks its bracket", lambda line: line[:-2] + b"\n", ("2",)),
    ("lacks its end", lambda line: line[:-1], ("2", "3")),
    ("is UTF-16", lambda line: line.decode().rstrip().encode("utf-16-le").replace(b"\n", b"") + b"\n", ("2",)),
    ("has a byte that is no UTF-8", lambda line: line.replace(b"dog", b"d\xffg"), ("2",)),
    ("is Latin-1", lambda line: line.replace(b"market", "Marché".encode("latin-1")), ("2",)),
    ("is no JSON", lambda line: line.replace(b'"', b"'"), ("2",)),
    ("has a comment", lambda line: line.replace(b"{", b"{ /* the second */", 1), ("2",)),
    ("has a comma too many", lambda line: line.replace(b"}\n", b",}\n"), ("2",)),
    ("has lost a block to NULs", lambda line: line[:50] + bytes(50) + line[100:], ("2",)),
    ("is nothing but NULs", lambda line: bytes(len(line) - 1) + b"\n", ("2",)),
    ("is nested too deep", lambda line: line.replace(b'"market"', b"[" * 10_000 + b"]" * 10_000), ("2",)),
    ("has a number of 5000 digits", lambda line: line.replace(b": 24", b": " + b"2" * 5000), ("2",)),
    ("has a number beyond all bounds", lambda line: line.replace(b": 24", b": 1e999"), ("2",)),
    ("has its width twice", lambda line: line.replace(b'"width"', b'"width": 25, "width"'), ("2",)),
    ("has the box of an object twice", lambda line: line.replace(b'"box"', b'"box": [], "box"', 1), ("2",)),
    (
        "has an object in it with one key very often",
        lambda line: line.replace(b"{", b"{" + b'"id": 1,' * 5_000, 1),
        ("2",),
    ),
    ("comes twice", lambda line: line + line, ()),
    ("comes again without its id's quotation marks", lambda line: line.replace(b'"2"', b"2", 1) + line, ()),
)
_ELSEWHERE: tuple[tuple[str, Change, int, tuple[str, ...]], ...] = (
    ("is torn off", lambda data: data[:-60], 3, ("3",)),
    ("has a line of binary data", lambda data: data.replace(b"\n", b"\n\x89PNG\r\x1a\x00\n", 1), 2, ()),
    ("has a header", lambda data: b"id,photo,width,height\n" + data, 1, ()),
    ("has a footer of NULs", lambda data: data + bytes(512), 4, ()),
    ("has two rows on one line", lambda data: b" ".join(data.rsplit(b"\n{", 1)), 2, ("2", "3")),
)  # fmt: skip


def broken_line_files() -> Iterator[Malformed]:
    """An entry for each damage."""
    for data in ("graphs", "photos"):
        for what, change in _WHOLE.items():
            damage = rewrite(_FILE, change)
            yield Malformed(name=f"{data}: {_FILE} {what}", data=data, damage=damage, says=(_FILE,), at=At.SOURCE)
    for what, change_line, lost in _SECOND_LINES:
        damage = rewrite(_FILE, _on_line_2(change_line))
        yield _of_a_line(f"{_FILE}:2 {what}", damage, 2, lost)
    for what, change, line, lost in _ELSEWHERE:
        yield _of_a_line(f"{_FILE} {what}", rewrite(_FILE, change), line, lost)


def _of_a_line(what: str, damage: Damage, line: int, lost: tuple[str, ...]) -> Malformed:
    return Malformed(name=f"graphs: {what}", data="graphs", damage=damage, says=(f"{_FILE}:{line}",), lost=lost)


def _on_line_2(change: Callable[[bytes], bytes]) -> Change:
    def changed(data: bytes) -> bytes:
        first, second, third = data.splitlines(keepends=True)
        return first + change(second) + third

    return changed
