"""WordNet's own files, read and written: wndb(5WN).

A data file has one synset a line, which begins with its own byte offset; pointers and the index name synsets by it. So
a synset that is left out moves all that follow, and everything that names them is written anew.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

SUFFIXES = {"n": "noun", "a": "adj"}
"""Parts of speech and their files; a satellite ("s") is in the file of adjectives."""


class Pointer(NamedTuple):
    """From one synset to another; ``ends`` says between which of their words ("0000": between the synsets)."""

    symbol: str
    offset: int
    part_of_speech: str
    ends: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A synset without its gloss.

    Attributes:
        offset: where it begins in the file it was read from.
        file: two digits, the lexicographer's file that it is from.
        kind: "n", "a", or "s" for a satellite adjective.
        words: each as it is written, with its id in the lexicographer's file.
    """

    offset: int
    file: str
    kind: str
    words: tuple[tuple[str, str], ...]
    pointers: tuple[Pointer, ...]

    @property
    def first_word(self) -> str:
        """The word that the synset is named after, as the index spells it."""
        return self.words[0][0].partition("(")[0].lower()

    def text(self, offset: int, moved: Mapping[tuple[str, int], int]) -> str:
        """The line at a new offset, its pointers to the new offsets of their targets."""
        words = " ".join(f"{word} {number}" for word, number in self.words)
        pointers = "".join(
            f" {it.symbol} {moved.get((it.part_of_speech, it.offset), 0):08d} {it.part_of_speech} {it.ends}"
            for it in self.pointers
        )
        fields = f"{offset:08d} {self.file} {self.kind} {len(self.words):02x} {words} {len(self.pointers):03d}"
        return f"{fields}{pointers} | \n"


class Entry(NamedTuple):
    """A word of the index: its synsets, the most frequent sense first, and how many of them are ranked by frequency."""

    offsets: tuple[int, ...]
    ranked: int


def notice(data: bytes) -> str:
    """The licence at the head of a file: the lines that begin with two spaces."""
    lines = data.decode("ascii").splitlines(keepends=True)
    return "".join(line for line in lines if line.startswith("  "))


def read_data(data: bytes) -> dict[int, Line]:
    """The synsets of a data file, by their offsets, in the order of the file."""
    lines = (_read_line(line) for line in data.decode("ascii").splitlines() if not line.startswith("  "))
    return {line.offset: line for line in lines}


def read_index(data: bytes) -> dict[str, Entry]:
    """The words of an index file, in its order."""
    found = {}
    for line in data.decode("ascii").splitlines():
        if not line.startswith("  "):
            fields = line.split()
            senses = int(fields[2])
            found[fields[0]] = Entry(tuple(map(int, fields[-senses:])), int(fields[-senses - 1]))
    return found


def place(lines: Iterable[Line], heading: str) -> dict[tuple[str, int], int]:
    """Where each line comes to lie in a file that begins with ``heading``, by part of speech and former offset."""
    moved, end = {}, len(heading)
    for line in lines:
        moved["a" if line.kind == "s" else line.kind, line.offset] = end
        end += len(line.text(0, {}))
    return moved


def write_data(lines: Iterable[Line], heading: str, moved: Mapping[tuple[str, int], int]) -> bytes:
    """A data file."""
    texts = (line.text(moved["a" if line.kind == "s" else line.kind, line.offset], moved) for line in lines)
    return (heading + "".join(texts)).encode("ascii")


def write_index(
    entries: Mapping[str, Entry],
    part_of_speech: str,
    lines: Mapping[int, Line],
    heading: str,
    moved: Mapping[tuple[str, int], int],
) -> bytes:
    """An index file of those words."""
    texts = []
    for word, entry in entries.items():
        symbols = sorted({pointer.symbol for offset in entry.offsets for pointer in lines[offset].pointers})
        offsets = " ".join(f"{moved[part_of_speech, offset]:08d}" for offset in entry.offsets)
        senses = len(entry.offsets)
        fields = [
            word,
            part_of_speech,
            str(senses),
            str(len(symbols)),
            *symbols,
            str(senses),
            str(entry.ranked),
            offsets,
        ]
        texts.append(" ".join(fields) + "  \n")
    return (heading + "".join(texts)).encode("ascii")


def write_exceptions(data: bytes, words: Collection[str]) -> bytes:
    """Of a file of irregular forms, the lines whose word is still in the index."""
    lines = data.decode("ascii").splitlines(keepends=True)
    return "".join(line for line in lines if any(word in words for word in line.split()[1:])).encode("ascii")


def _read_line(line: str) -> Line:
    fields = line.partition(" | ")[0].split()
    words = int(fields[3], 16)
    after = 4 + 2 * words
    pointers = (fields[start : start + 4] for start in range(after + 1, after + 1 + 4 * int(fields[after]), 4))
    return Line(
        offset=int(fields[0]),
        file=fields[1],
        kind=fields[2],
        words=tuple(zip(fields[4:after:2], fields[5:after:2], strict=True)),
        pointers=tuple(Pointer(symbol, int(offset), pos, ends) for symbol, offset, pos, ends in pointers),
    )
