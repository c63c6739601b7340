"""nltk's reader on a folder of WordNet's own files: nouns and adjectives, nothing of nltk's settings touched.

nltk refuses a corpus that lies outside its data path or that others may write. Here the bytes are read by us from a
folder (or an archive) that the user named, and nltk parses them.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from io import BytesIO, TextIOWrapper
from pathlib import PurePath

from nltk.corpus.reader.wordnet import Synset, WordNetCorpusReader, WordNetError  # type: ignore[import-untyped]  # nltk has neither types nor stubs
from nltk.data import PathPointer  # type: ignore[import-untyped]  # as above

from pytest_vqamt.language.wordnet.words import WordNetFiles

_EXPECTED = ("entity.n.01", "physical_entity.n.01", "person.n.01", "artifact.n.01")
"""Synsets of every WordNet from 3.0 on; without one, the offsets are wrong or it is another database."""


class Synsets:
    """The noun and adjective synsets of one WordNet by name ("dog.n.01"), each parsed on first use."""

    def __init__(self, files: WordNetFiles) -> None:
        """Parses the indices.

        Raises:
            ValueError: the files are not in WordNet's format.
        """
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "The multilingual functions are not available")
            try:
                self._reader = _Reader(files)
            except (WordNetError, AssertionError, IndexError, StopIteration) as error:
                raise ValueError(f"{type(error).__name__}: {error}") from error
            warnings.filterwarnings("ignore", "No WordNet synset found")
            lacking = [synset for synset in _EXPECTED if self._read(synset) is None]
        if lacking:
            raise ValueError(f"no synset {', '.join(lacking)}")

    @property
    def version(self) -> str:
        """The version in the notice of the files, "3.0"; "unknown" without one."""
        return str(self._reader.get_version() or "unknown")

    def of(self, word: str) -> tuple[str, ...]:
        """Returns the noun synsets of a word or phrase, the most frequent first."""
        return tuple(self._named("n", offset) for offset in self._reader.senses(word.lower().replace(" ", "_"), "n"))

    def canonical(self, synset: str) -> str | None:
        """Returns the name of the synset here ("cab.n.03" may be "taxi.n.01"), None if there is none."""
        word, _, rest = synset.lower().rpartition(".")[0].rpartition(".")
        number = synset.rpartition(".")[2]
        if rest not in ("n", "a", "s") or not number.isdecimal():
            return None
        offsets = self._reader.senses(word, rest)
        return self._named(rest, offsets[int(number) - 1]) if 0 < int(number) <= len(offsets) else None

    def words(self, synset: str) -> tuple[str, ...]:
        """Returns the words of a synset, with spaces, in the order of WordNet."""
        return tuple(str(name).replace("_", " ") for name in self._reader.synset(synset).lemma_names())

    def related(self, synset: str, symbols: tuple[str, ...]) -> tuple[str, ...]:
        """Returns the targets of these pointers: kind by kind, then by offset."""
        pointers = self._reader.synset(synset)._pointers
        targets = [target for symbol in symbols for target in sorted(pointers.get(symbol, ()), key=lambda it: it[1])]
        return tuple(self._named(str(pos), int(offset)) for pos, offset in targets)

    def parsed(self, word: str) -> list[Synset]:
        """Returns nltk's synsets of a word, nouns before adjectives."""
        return [synset for kind in "na" for synset in self._reader.synsets(word, kind)]

    def _read(self, synset: str) -> str | None:
        try:
            return self.canonical(synset)
        except (WordNetError, AssertionError, AttributeError, IndexError, StopIteration, KeyError):
            return None

    def _named(self, part_of_speech: str, offset: int) -> str:
        synset: Synset = self._reader.synset_from_pos_and_offset(part_of_speech, offset)
        return str(synset.name())


class _Reader(WordNetCorpusReader):  # type: ignore[misc]  # nltk is untyped
    _FILEMAP: Mapping[str, str] = {"a": "adj", "n": "noun"}

    def __init__(self, files: WordNetFiles) -> None:
        self._files = files
        super().__init__(_Nowhere(), omw_reader=None)

    def open(self, file: str) -> TextIOWrapper:
        return TextIOWrapper(BytesIO(self._files.read(PurePath(file).name)), encoding="utf-8")

    def map_wn(self, version: str = "wordnet") -> None:
        """Skips the mapping between versions, whose index few distributions of WordNet have."""

    def senses(self, lemma: str, part_of_speech: str) -> list[int]:
        found: list[int] = self._lemma_pos_offset_map.get(lemma, {}).get(part_of_speech, [])
        return found


class _Nowhere(PathPointer):  # type: ignore[misc]  # nltk is untyped
    """A root that is never opened, since `_Reader.open` reads the files."""

    path = "(files read by pytest-vqamt)"

    def open(self, encoding: str | None = None) -> TextIOWrapper:
        raise NotImplementedError

    def file_size(self) -> int:
        raise NotImplementedError

    def join(self, fileid: str) -> _Nowhere:
        return self
