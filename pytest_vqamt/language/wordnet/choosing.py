"""Which synsets an extract holds, and which of them only in outline.

Held whole, with the pointers among them:

- every physical noun sense of each name, every synset that our own tables name, and what is above them;
- what they are parts of, and so on; of each name's own sense and what is above it, the parts;
- every adjective sense of each word, its cluster of similar ones, and the opposites of all these;
- all kinds of some classes, and of the names' own senses, as far as asked for.

Held in outline, one pointer up and no more: the other senses of the names, and of the nouns that synsets are named
after, so that "crane.n.04" is the same synset here as in the whole of WordNet. Adjectives are numbered anew: none is
asked for by its number.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from pytest_vqamt.core.errors import VqamtError
from pytest_vqamt.language.wordnet.database import Entry, Line, Pointer

_UP = frozenset({"@", "@i"})
_KEPT = {"n": frozenset({"@", "@i", "~", "~i", "#m", "#s", "#p", "%m", "%s", "%p"}), "a": frozenset({"&", "!"})}
"""Pointers that are read here; of the others (derivation, domain, attribute) nobody asks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """The nouns or the adjectives of a WordNet."""

    part_of_speech: str
    lines: dict[int, Line]
    index: dict[str, Entry]

    def senses(self, words: Iterable[str]) -> Iterator[int]:
        """Every sense of the words, spelled with spaces."""
        for word in words:
            entry = self.index.get(word.replace(" ", "_"))
            yield from entry.offsets if entry else ()

    def offset(self, synset: str) -> int:
        """Where a synset of this name lies ("dog.n.01")."""
        word, _, number = synset.rsplit(".", 2)
        try:
            return self.index[word].offsets[int(number) - 1]
        except (KeyError, IndexError):
            raise VqamtError(
                f"synset={synset!r}: expected a noun synset of WordNet 3.0, as a table of this package has it, and "
                "SOURCE has none; mend the table, or give WordNet 3.0"
            ) from None

    def targets(self, offset: int, symbols: Iterable[str]) -> list[int]:
        """Where the pointers of these kinds lead, within the part of speech."""
        wanted = frozenset(symbols)
        pointers = self.lines[offset].pointers
        return [it.offset for it in pointers if it.symbol in wanted and it.part_of_speech in (self.part_of_speech, "s")]

    def reach(self, start: Iterable[int], symbols: Iterable[str]) -> set[int]:
        """The start, what the pointers lead to, and so on."""
        wanted = tuple(symbols)
        return _closed(start, lambda offset: self.targets(offset, wanted))

    def cut(self, whole: set[int], words: Iterable[str]) -> Part:
        """What is left with these synsets whole, and in outline every other sense of the words and of their names."""
        outline = _closed({*whole, *self.senses(words)}, self._named_alike) - whole
        held = whole | outline
        lines = {
            offset: self._whole(line, whole, held) if offset in whole else self._outline(line, held)
            for offset, line in self.lines.items()
            if offset in held
        }
        spelled = {word.partition("(")[0].lower() for line in lines.values() for word, _ in line.words}
        index = {word: it for word, it in self.index.items() if word in spelled and held.issuperset(it.offsets)}
        if self.part_of_speech == "a":
            for word in {line.first_word for line in lines.values()} - set(index):
                there = tuple(offset for offset in self.index[word].offsets if offset in held)
                index[word] = Entry(there, min(self.index[word].ranked, len(there)))
        return Part(part_of_speech=self.part_of_speech, lines=lines, index=dict(sorted(index.items())))

    def _named_alike(self, offset: int) -> list[int]:
        """What a synset cannot do without: all senses of the noun that it is named after, an adjective's head."""
        if self.part_of_speech == "n":
            return list(self.index[self.lines[offset].first_word].offsets)
        return self.targets(offset, "&")[:1] if self.lines[offset].kind == "s" else []

    def _whole(self, line: Line, whole: set[int], held: set[int]) -> Line:
        kept = _KEPT[self.part_of_speech]
        pointers = (it for it in line.pointers if it.symbol in kept and it.part_of_speech in (self.part_of_speech, "s"))
        return replace(
            line, pointers=tuple(it for it in pointers if it.offset in (held if it.symbol in _UP else whole))
        )

    def _outline(self, line: Line, held: set[int]) -> Line:
        if line.kind == "s":
            return replace(
                line, pointers=tuple(it for it in line.pointers if it.symbol == "&" and it.offset in held)[:1]
            )
        symbol = "@i" if any(it.symbol == "@i" for it in line.pointers) else "@"
        near = self._nearest_above(line.offset, held)
        return replace(line, pointers=tuple(Pointer(symbol, offset, self.part_of_speech, "0000") for offset in near))

    def _nearest_above(self, offset: int, held: set[int]) -> list[int]:
        """The nearest synsets above that are held: those between are left out."""
        found: list[int] = []
        seen, todo = set[int](), self.targets(offset, _UP)
        while todo:
            above = todo.pop(0)
            if above in seen:
                continue
            seen.add(above)
            if above in held:
                found.append(above)
            else:
                todo += self.targets(above, _UP)
        return found


def _closed(start: Iterable[int], further: Callable[[int], Iterable[int]]) -> set[int]:
    seen, todo = set[int](), list(start)
    while todo:
        each = todo.pop()
        if each not in seen:
            seen.add(each)
            todo.extend(further(each))
    return seen
