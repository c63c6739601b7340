"""nltk's reader on a folder of WordNet's own files, for METEOR; nothing of nltk's settings is touched.

nltk refuses a corpus that lies outside its data path or that others may write. Here the bytes are read by us from a
folder (or an archive) that the user named, and nltk parses them.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from io import BytesIO, TextIOWrapper
from pathlib import PurePath

from nltk.corpus.reader.wordnet import Synset, WordNetCorpusReader  # type: ignore[import-untyped]  # nltk has neither types nor stubs
from nltk.data import PathPointer  # type: ignore[import-untyped]  # as above

from pytest_vqamt.language.wordnet.words import WordNetFiles


class NltkSynsets:
    """nltk's synsets of one WordNet."""

    def __init__(self, files: WordNetFiles) -> None:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "The multilingual functions are not available")
            self.reader = _Reader(files)

    def of(self, word: str) -> list[Synset]:
        """Returns nltk's synsets of a word, nouns before adjectives."""
        return [synset for kind in "na" for synset in self.reader.synsets(word, kind)]


class _Reader(WordNetCorpusReader):  # type: ignore[misc]  # nltk is untyped
    _FILEMAP: Mapping[str, str] = {"a": "adj", "n": "noun"}

    def __init__(self, files: WordNetFiles) -> None:
        self._files = files
        super().__init__(_Nowhere(), omw_reader=None)

    def open(self, file: str) -> TextIOWrapper:
        return TextIOWrapper(BytesIO(self._files.read(PurePath(file).name)), encoding="utf-8")

    def map_wn(self, version: str = "wordnet") -> None:
        """Skips the mapping between versions, whose index few distributions of WordNet have."""


class _Nowhere(PathPointer):  # type: ignore[misc]  # nltk is untyped
    """A root that is never opened, since `_Reader.open` reads the files."""

    path = "(files read by pytest-vqamt)"

    def open(self, encoding: str | None = None) -> TextIOWrapper:
        raise NotImplementedError

    def file_size(self) -> int:
        raise NotImplementedError

    def join(self, fileid: str) -> _Nowhere:
        return self
