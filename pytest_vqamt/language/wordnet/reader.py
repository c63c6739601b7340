"""Reader of WordNet's own files (its manual page wndb(5WN)): nouns and adjectives.

Runs look words up at their start, and nltk takes a second to import, with scipy and scikit-learn several. Tests hold
this reader against nltk's.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from pytest_vqamt.language.wordnet.words import WordNetFiles

_EXPECTED = ("entity.n.01", "physical_entity.n.01", "person.n.01", "artifact.n.01")
"""Synsets of every WordNet from 3.0 on; without one, the offsets are wrong or it is another database."""

_FILES = {"n": "noun", "a": "adj", "s": "adj"}
"""The file of each part of speech; s is an adjective that is a satellite of another one."""

_MARKER = re.compile(r"\((?:a|p|ip)\)$")
"""Where an adjective may stand."""

_OF_SYNSETS = "0000"
"""The words that a pointer between two whole synsets is about."""

_VERSION = re.compile(r"Word[Nn]et (\d+(?:\.\d+)?) Copyright")


class _Record(NamedTuple):
    """A line of a data file. ``pointers`` are symbols with the part of speech and offset of their targets."""

    part_of_speech: str
    words: tuple[str, ...]
    pointers: tuple[tuple[str, str, int], ...]


class Synsets:
    """The noun and adjective synsets of one WordNet by name ("dog.n.01"), each parsed on first use."""

    def __init__(self, files: WordNetFiles) -> None:
        """Reads the indices.

        Raises:
            ValueError: the files are not in WordNet's format.
        """
        self._data = {kind: files.read(f"data.{kind}") for kind in ("noun", "adj")}
        self._index = {kind: _index(files.read(f"index.{kind}")) for kind in ("noun", "adj")}
        self._record = lru_cache(maxsize=None)(self._parse)
        self._named = lru_cache(maxsize=None)(self._name)
        try:
            lacking = [synset for synset in _EXPECTED if self.canonical(synset) is None]
        except (ValueError, IndexError, KeyError) as error:
            raise ValueError(f"{type(error).__name__}: {error}") from error
        if lacking:
            raise ValueError(f"no synset {', '.join(lacking)}")

    @property
    def version(self) -> str:
        """The version in the notice of the files, "3.0"; "unknown" without one."""
        found = _VERSION.search(self._data["adj"][:4096].decode("utf-8", "replace"))
        return found[1] if found else "unknown"

    def of(self, word: str) -> tuple[str, ...]:
        """Returns the noun synsets of a word or phrase, the most frequent first."""
        return tuple(self._named("n", offset) for offset in self._senses(word.lower().replace(" ", "_"), "n"))

    def canonical(self, synset: str) -> str | None:
        """Returns the name of the synset here ("cab.n.03" may be "taxi.n.01"), None if there is none."""
        word, _, kind = synset.lower().rpartition(".")[0].rpartition(".")
        number = synset.rpartition(".")[2]
        if kind not in _FILES or not number.isdecimal():
            return None
        offsets = self._senses(word, kind)
        return self._named(kind, offsets[int(number) - 1]) if 0 < int(number) <= len(offsets) else None

    def words(self, synset: str) -> tuple[str, ...]:
        """Returns the words of a synset, with spaces, in the order of WordNet."""
        return tuple(word.replace("_", " ") for word in self._found(synset).words)

    def related(self, synset: str, symbols: tuple[str, ...]) -> tuple[str, ...]:
        """Returns the targets of these pointers: kind by kind, then by offset."""
        pointers = self._found(synset).pointers
        targets = [
            target
            for symbol in symbols
            for target in sorted({(kind, at) for of, kind, at in pointers if of == symbol}, key=lambda it: it[1])
        ]
        return tuple(self._named(kind, offset) for kind, offset in targets)

    def _found(self, synset: str) -> _Record:
        word, kind, number = synset.rsplit(".", 2)
        return self._record(kind, self._senses(word, kind)[int(number) - 1])

    def _senses(self, lemma: str, part_of_speech: str) -> tuple[int, ...]:
        """The offsets of a word's synsets, the most frequent first; of adjectives, s are the satellites among a."""
        line = self._index[_FILES[part_of_speech]].get(lemma)
        if line is None:
            return ()
        fields = line.split()
        offsets = tuple(map(int, fields[-int(fields[1]) :]))
        if part_of_speech != "s":
            return offsets
        return tuple(offset for offset in offsets if self._record("s", offset).part_of_speech == "s")

    def _name(self, part_of_speech: str, offset: int) -> str:
        record = self._record(part_of_speech, offset)
        lemma = record.words[0].lower()
        number = self._senses(lemma, record.part_of_speech).index(offset) + 1
        return f"{lemma}.{record.part_of_speech}.{number:02}"

    def _parse(self, part_of_speech: str, offset: int) -> _Record:
        data = self._data[_FILES[part_of_speech]]
        line = data[offset : data.find(b"\n", offset)].decode("utf-8")
        fields = line.partition("|")[0].split()
        if not fields or int(fields[0]) != offset:
            raise ValueError(f"no synset at byte {offset} of data.{_FILES[part_of_speech]}")
        last = 4 + 2 * int(fields[3], 16)
        words = tuple(_MARKER.sub("", word) for word in fields[4:last:2])
        places = range(last + 1, last + 1 + 4 * int(fields[last]), 4)
        pointers = ((fields[at], fields[at + 2], int(fields[at + 1])) for at in places if fields[at + 3] == _OF_SYNSETS)
        return _Record(fields[2], words, tuple(pointers))


def _index(data: bytes) -> dict[str, str]:
    """The rest of each line by its word; the notice at the beginning is indented."""
    lines = (line.partition(" ") for line in data.decode("utf-8").splitlines() if line and not line.startswith(" "))
    return {word: rest for word, _, rest in lines}
