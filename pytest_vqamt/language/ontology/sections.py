"""A table of a TOML file, whose values are taken out by kind; a wrong one is told with its file, section and key."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pytest_vqamt.core.errors import OptionError, did_you_mean


def mistake(where: str, section: str, what: str) -> OptionError:
    """The error for something wrong in a file: one line."""
    at = f" [{section}]" if section else ""
    return OptionError(f"ontology {where!r}{at}: {what}; docs/ontology.md shows the format")


class Section:
    """One table, and what it is called."""

    def __init__(self, where: str, path: str, table: Mapping[str, object]) -> None:
        self._where, self._path, self._table = where, path, table

    @property
    def name(self) -> str:
        """The last part of its path, "color" of [category.color]."""
        return self._path.partition(".")[2]

    def mistake(self, key: str, what: str) -> OptionError:
        return mistake(self._where, self._path, f"{key}: {what}" if key else what)

    def check(self, known: Sequence[str]) -> None:
        """Refuses keys of other names."""
        for key in self._table:
            if key not in known:
                raise self.mistake("", f"unknown key {key!r}; {did_you_mean(key, known)}")

    def names(self) -> tuple[str, ...]:
        for key in self._table:
            self._word("", key)
        return tuple(self._table)

    def section(self, key: str) -> Section:
        """The table of that name; an empty one where there is none."""
        value = self._table.get(key, {})
        if not isinstance(value, dict):
            raise self.mistake(key, f"expected a table, but got {value!r}")
        return Section(self._where, f"{self._path}.{key}" if self._path else key, value)

    def sections(self, key: str) -> tuple[Section, ...]:
        """The tables in the table of that name."""
        parent = self.section(key)
        return tuple(parent.section(name) for name in parent.names())

    def text(self, key: str) -> str | None:
        value = self._table.get(key)
        if value is not None and not isinstance(value, str):
            raise self.mistake(key, f"expected a text, but got {value!r}")
        return value

    def flag(self, key: str) -> bool | None:
        value = self._table.get(key)
        if value is not None and not isinstance(value, bool):
            raise self.mistake(key, f"expected true or false, but got {value!r}")
        return value

    def flag_or_words(self, key: str) -> bool | tuple[str, ...] | None:
        value = self._table.get(key)
        return self.words(key) if isinstance(value, list) else self.flag(key)

    def words(self, key: str) -> tuple[str, ...]:
        """A list of words, each once."""
        return self._words(key, self._table.get(key, []))

    def lists(self, key: str, *, at_least: int) -> tuple[tuple[str, ...], ...]:
        """A list of lists of words."""
        value = self._table.get(key, [])
        if not isinstance(value, list):
            raise self.mistake(key, f"expected a list of lists of words, but got {value!r}")
        found = tuple(self._words(key, each) for each in value)
        for words in found:
            if len(words) < at_least:
                raise self.mistake(key, f"expected lists of {at_least} words or more, but got {list(words)!r}")
        return found

    def pairs(self, key: str) -> tuple[tuple[str, str], ...]:
        """A list of pairs of words; a third text in one of them is a remark."""
        value = self._table.get(key, [])
        if not isinstance(value, list):
            raise self.mistake(key, f"expected a list of pairs of words, but got {value!r}")
        return tuple(self._pair(key, each) for each in value)

    def _pair(self, key: str, value: object) -> tuple[str, str]:
        if not isinstance(value, list) or len(value) not in (2, 3) or not all(isinstance(each, str) for each in value):
            raise self.mistake(key, f"expected two words, and a reason at will, but got {value!r}")
        a, b = self._words(key, value[:2])
        return a, b

    def _words(self, key: str, value: object) -> tuple[str, ...]:
        if not isinstance(value, list):
            raise self.mistake(key, f"expected a list of words, but got {value!r}")
        words = tuple(self._word(key, each) for each in value)
        if len(set(words)) < len(words):
            twice = next(word for i, word in enumerate(words) if word in words[:i])
            raise self.mistake(key, f"expected each word once, but {twice!r} comes twice")
        return words

    def _word(self, key: str, value: object) -> str:
        if not isinstance(value, str) or not value or value != " ".join(value.lower().split()):
            raise self.mistake(key, f"expected words in lower case with single spaces, but got {value!r}")
        return value
