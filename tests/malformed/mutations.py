"""Ways to make any file malformed, each with a generator of random numbers."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from random import Random

from tests.malformed.chance import break_a_value_of, break_bytes

Mutation = Callable[[Path, Random], str]

_TOKEN = re.compile(rb'"(?:[^"\\\n]|\\.)*"|-?\d[\d.eE+-]*|\w+|[^\w\s]')
_ODD_TOKENS = (
    b"null", b"NaN", b"-Infinity", b"1e999", b"9" * 5000, b"-0", b"1.5", b'"\\ud83d"', b'"\\udc36x"', b'"\\u0000"',
    b'"\xff"', b'"\x1b[2J"', '"\u202e"'.encode(), b'""', b'"' + b"x" * 70_000 + b'"', b"[", b"]", b"{", b"}",
    b",", b":", b"[]", b"{}", b"[[[[1]]]]", b'{"a": 1, "a": 2}', b"true", b"'", b"#", b"=", b"\\", b"\r", b"\n",
    b"::error::x", b"=cmd|'/c calc'!A0", b"]]>", b"&a", b"*a", b"!!python/object:os.system",
)  # fmt: skip
_DEPTHS = (150, 990, 2_000, 100_000)
_MIB = 1 << 20


def tokens(file: Path, rng: Random) -> str:
    """Replaces, removes, repeats or swaps a token."""
    return _rewritten(file, rng, _other_token)


def values(file: Path, rng: Random) -> str:
    """Changes a value of JSON, or of one line of it."""
    return _rewritten(file, rng, _other_value)


def some_bytes(file: Path, rng: Random) -> str:
    """Changes some bytes."""
    return _rewritten(file, rng, lambda data, rng: break_bytes(data, rng) if data else b"\xff")


def nesting(file: Path, rng: Random) -> str:
    """Puts lists or objects within each other in the place of a value, closed or not."""
    depth = rng.choice(_DEPTHS)
    opened, closed = rng.choice(((b"[", b"]"), (b'{"a":', b"}"), (b"{a = ", b"}"), (b"a.", b"a"), (b"(", b")")))
    nested = opened * depth + rng.choice((b"", b"1" + closed * depth))
    return f"{depth} of {opened!r}: " + _rewritten(file, rng, lambda data, rng: _with_token(data, rng, nested))


def structure(file: Path, rng: Random) -> str:
    """Changes the whole of the content."""
    change = rng.choice(tuple(_WHOLES))
    return f"{change}: " + _rewritten(file, rng, lambda data, _: _WHOLES[change](data))


_WHOLES: Mapping[str, Callable[[bytes], bytes]] = {
    "empty": lambda _: b"",
    "blank": lambda _: b" \n\t\n",
    "in a list": lambda data: b"[" + data + b"]",
    "twice": lambda data: data + data,
    "UTF-16": lambda data: data.decode("utf-8", "replace").encode("utf-16"),
    "backwards": lambda data: data[::-1],
    "lines backwards": lambda data: b"\n".join(data.split(b"\n")[::-1]),
    "on one line": lambda data: data.replace(b"\n", b" "),
    "a text": lambda data: json.dumps(data.decode("utf-8", "replace")).encode(),
    "null": lambda _: b"null\n",
    "a number": lambda _: b"7\n",
    "compressed": lambda data: gzip.compress(data, mtime=0),
    "no content but brackets": lambda _: b"[{" * 50_000,
    "a page": lambda _: b"<!DOCTYPE html>\n<html></html>\n",
    "random": lambda data: Random(len(data)).randbytes(4096),
}


def special(file: Path, rng: Random) -> str:
    """Puts something that is no file in its place."""
    kind = rng.choice(tuple(_SPECIAL))
    file.unlink()
    _SPECIAL[kind](file)
    return kind


_SPECIAL: Mapping[str, Callable[[Path], object]] = {
    "a folder": lambda file: file.mkdir(),
    "a link to nothing": lambda file: file.symlink_to("nowhere"),
    "a link to itself": lambda file: file.symlink_to(file.name),
}


def sizes(file: Path, rng: Random) -> str:
    """Makes it large: by a hole, by one line, by what gzip hides."""
    kind = rng.choice(("hole", "long hole", "hole behind it", "spaces", "lists", "text", "hidden"))
    whole = file.read_bytes()
    plain = _unzipped(whole, file)
    large = {
        "spaces": b" " * (40 * _MIB),
        "lists": b"[[],[]," * (3 * _MIB),
        "text": b'"' + b"x" * (30 * _MIB) + b'"',
    }
    if kind in large:
        file.write_bytes(_zipped(rng.choice((plain, b"")) + large[kind], file))
    elif kind == "hidden":
        file.write_bytes(_zipped(plain, file) + _BOMB)
    else:
        with file.open("wb") as opened:
            opened.write(whole if kind == "hole behind it" else b"")
            opened.truncate(3 << 30 if kind == "long hole" else 300 * _MIB)
    return kind


_BOMB = gzip.compress(bytes(64 * _MIB), mtime=0) * 40
"""Of 2.6 GB in 2.6 MB."""

MUTATIONS: tuple[Mutation, ...] = (some_bytes, tokens, values, structure, nesting, special, sizes)


def _rewritten(file: Path, rng: Random, change: Callable[[bytes, Random], bytes]) -> str:
    whole = file.read_bytes()
    if file.suffix == ".gz" and rng.random() < 0.3:
        file.write_bytes(break_bytes(whole, rng))
        return "of the compressed bytes"
    changed = change(_unzipped(whole, file), rng)
    file.write_bytes(_zipped(changed, file))
    return f"{len(changed)} bytes"


def _unzipped(data: bytes, file: Path) -> bytes:
    return gzip.decompress(data) if file.suffix == ".gz" else data


def _zipped(data: bytes, file: Path) -> bytes:
    return gzip.compress(data, 1, mtime=0) if file.suffix == ".gz" else data


def _other_token(data: bytes, rng: Random) -> bytes:
    return _with_token(data, rng, rng.choice((*_ODD_TOKENS, b"", None)))


def _with_token(data: bytes, rng: Random, new: bytes | None) -> bytes:
    """The data with ``new`` in the place of a token; None for another of its tokens."""
    found = list(_TOKEN.finditer(data[: 1 << 20]))
    if not found:
        return data + (new or b"")
    old = rng.choice(found)
    put = rng.choice(found)[0] if new is None else new
    return data[: old.start()] + put + data[old.end() :]


def _other_value(data: bytes, rng: Random) -> bytes:
    lines = data.splitlines(keepends=True)
    at = rng.randrange(len(lines)) if lines else 0
    of_one_line = b"".join(lines[:at]), b"".join(lines[at : at + 1]), b"".join(lines[at + 1 :])
    for before, text, after in ((b"", data, b""), of_one_line):
        try:
            whole = [json.loads(text)]
        except ValueError:
            continue
        break_a_value_of(whole, rng)
        return before + b"".join(json.dumps(each).encode() + b"\n" for each in whole[:1]) + after
    return _other_token(data, rng)
