"""Writes an extract of WordNet, in WordNet's own file format, for the names that pictures are described with.

    python -m tools.wordnet_extract SOURCE VOCABULARY... TARGET

SOURCE is a folder with the files of WordNet 3.0. A VOCABULARY is a text file with one name or attribute a line
(synonyms separated by commas), or a JSON list of them. The names of ``families.toml`` and the synsets of this folder's
tables are always in it. The same input gives the same bytes. Glosses are left out, and so is what ``choosing`` does not
name; verbs and adverbs are files with nothing but their heading.
"""

from __future__ import annotations

import json
import re
import sys
import tomllib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from pytest_vqamt.core.errors import VqamtError
from pytest_vqamt.language.wordnet.senses import UP, WHOLES, HypernymClosure, Senses, head_of_compound, spellings
from pytest_vqamt.language.wordnet.words import find_wordnet

MOST = 2_990_000
"""Bytes of all files together: kinds of names are added until no more fit."""

CLASSES = (
    "vehicle.n.01", "public_transport.n.01", "clothing.n.01", "footwear.n.02", "furniture.n.01", "home_appliance.n.01",
    "edible_fruit.n.01", "vegetable.n.01", "baked_goods.n.01", "mammal.n.01", "bird.n.01", "child.n.01",
    "athlete.n.01", "building.n.01", "utensil.n.01", "crockery.n.01", "cutlery.n.02", "bag.n.01", "jewelry.n.01",
    "plaything.n.01", "sports_equipment.n.01", "game_equipment.n.01", "electronic_equipment.n.01", "computer.n.01",
    "relative.n.01", "dish.n.02", "musical_instrument.n.01", "beverage.n.01", "adult.n.01", "container.n.01",
    "reptile.n.01", "tool.n.01", "insect.n.01", "worker.n.01", "food.n.02",
)  # fmt: skip
"""What people name most in pictures: their kinds come first, in this order, then the names' with the fewest kinds."""

DOWN = ("~", "~i")
PARTS = ("%p", "%s", "%m")
"""Pointers of wninput(5WN): hyponyms and meronyms."""

_LANGUAGE = Path(__file__).parents[1] / "pytest_vqamt" / "language"
_SYNSET = re.compile(r'"([^"\s]+\.n\.\d\d)"')


def extract(source: Path, vocabularies: Sequence[Path], *, most: int = MOST) -> dict[str, bytes]:
    """The files of an extract, by name.

    Raises:
        VqamtError: a file is not there, or not what it should be.
    """
    files = find_wordnet(str(source))
    parts = {
        pos: Part(
            part_of_speech=pos,
            lines=read_data(files.read(f"data.{suffix}")),
            index=read_index(files.read(f"index.{suffix}")),
        )
        for pos, suffix in SUFFIXES.items()
    }
    words = sorted({form for name in _names(vocabularies) for form in _forms(name)})
    from pytest_vqamt.language.wordnet.senses import Synsets

    synsets = Synsets(files)
    senses = Senses(synsets, HypernymClosure(synsets))
    nouns = parts["n"]
    found = (senses.of(word) for word in words)
    own = list(dict.fromkeys(nouns.offset(sense.synset) for sense in found if sense and not sense.of_head))
    base = _base(nouns, words, own)
    adjectives = parts["a"].cut(_adjectives(parts["a"], words), words)
    fewest = sorted((nouns.reach([each], DOWN) for each in own), key=lambda group: (len(group), min(group)))
    kinds = [*(nouns.reach([nouns.offset(each)], DOWN) for each in CLASSES), *fewest]
    heads = {name: notice(files.read(name)) for name in _HEADED}
    exceptions = {pos: files.read(f"{suffix}.exc") for pos, suffix in SUFFIXES.items()}

    def written(groups: int) -> dict[str, bytes]:
        whole = nouns.reach(base.union(*kinds[:groups]), UP)
        cut = {"n": nouns.cut(_with_wholes(nouns, whole), words), "a": adjectives}
        return _write(cut, heads, exceptions, files.read("lexnames"))

    def fits(groups: int) -> bool:
        return sum(map(len, written(groups).values())) <= most

    least, beyond = 0, len(kinds) + 1
    while beyond - least > 1:
        middle = (least + beyond) // 2
        least, beyond = (middle, beyond) if fits(middle) else (least, middle)
    return written(least)


def main(arguments: Sequence[str]) -> int:
    """The command line."""
    if len(arguments) < 3:
        print("usage: python -m tools.wordnet_extract SOURCE VOCABULARY... TARGET", file=sys.stderr)
        return 2
    source, *vocabularies, target = map(Path, arguments)
    try:
        files = extract(source, vocabularies)
    except VqamtError as error:
        print(error, file=sys.stderr)
        return 1
    target.mkdir(parents=True, exist_ok=True)
    for name, data in files.items():
        (target / name).write_bytes(data)
    print(f"{sum(map(len, files.values()))} bytes in {len(files)} files")
    return 0


_HEADED = tuple(f"{kind}.{suffix}" for suffix in ("noun", "adj", "verb", "adv") for kind in ("data", "index"))


def _names(vocabularies: Sequence[Path]) -> Iterator[str]:
    for path in vocabularies:
        try:
            text = path.read_text(encoding="utf-8")
            listed: list[str] = json.loads(text) if path.suffix == ".json" else re.split(r"[\n,]", text)
        except (OSError, ValueError) as error:
            raise VqamtError(
                f"VOCABULARY={str(path)!r}: expected a text file or a JSON list of names ({error})"
            ) from error
        yield from (name.strip().lower() for name in listed)
    for names in tomllib.loads((_LANGUAGE / "english" / "families.toml").read_text(encoding="utf-8")).values():
        yield from names


def _forms(name: str) -> Iterator[str]:
    """A name, its singular, and those of the head nouns that a compound is a kind of."""
    while name:
        yield from spellings(name)
        name = head_of_compound(name)


def _curated() -> Iterator[str]:
    """Every noun synset that a table of this package names."""
    for path in (*sorted(_LANGUAGE.glob("wordnet/*.toml")), *sorted(_LANGUAGE.glob("english/families*.toml"))):
        yield from _SYNSET.findall(path.read_text(encoding="utf-8"))
    yield from ("person.n.01",)


def _base(nouns: Part, words: Iterable[str], own: Iterable[int]) -> set[int]:
    physical = nouns.offset("physical_entity.n.01")
    seeds = {offset for offset in nouns.senses(words) if physical in nouns.reach([offset], UP)}
    seeds.update(own, map(nouns.offset, _curated()))
    near = nouns.reach(own, UP)
    return seeds.union(*(nouns.targets(offset, PARTS) for offset in near)) - _taxa(nouns)


def _with_wholes(nouns: Part, whole: set[int]) -> set[int]:
    """With what they are parts of, and so on; kinds of animals and plants are members of no thing in a picture."""
    return nouns.reach(nouns.reach(whole, (*UP, *WHOLES)) - _taxa(nouns), UP)


def _taxa(nouns: Part) -> set[int]:
    return nouns.reach(nouns.senses(["taxonomic group"]), DOWN)


def _adjectives(adjectives: Part, words: Iterable[str]) -> set[int]:
    seeds = set(adjectives.senses(words))
    near = seeds.union(*(adjectives.targets(offset, "&") for offset in seeds))
    return near.union(*(adjectives.targets(offset, "!") for offset in near))


def _licence(head: str) -> bytes:
    """The notice without its line numbers, and what these files are."""
    lines = (line.strip().partition(" ")[2].rstrip() for line in head.splitlines())
    return (
        "An extract of the WordNet 3.0 database, made by tools.wordnet_extract.\n\n" + "\n".join(lines) + "\n"
    ).encode("ascii")


def _write(
    parts: dict[str, Part], heads: dict[str, str], exceptions: dict[str, bytes], lexnames: bytes
) -> dict[str, bytes]:
    moved = {}
    for pos, suffix in SUFFIXES.items():
        moved.update(place(parts[pos].lines.values(), heads[f"data.{suffix}"]))
    found = {name: head.encode("ascii") for name, head in heads.items()}
    found |= {"verb.exc": b"", "adv.exc": b"", "lexnames": lexnames, "LICENSE": _licence(heads["data.noun"])}
    for pos, suffix in SUFFIXES.items():
        part = parts[pos]
        found[f"data.{suffix}"] = write_data(part.lines.values(), heads[f"data.{suffix}"], moved)
        found[f"index.{suffix}"] = write_index(part.index, pos, part.lines, heads[f"index.{suffix}"], moved)
        found[f"{suffix}.exc"] = write_exceptions(exceptions[pos], part.index)
    return found


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))


# Held whole, with the pointers among them:
#
# - every physical noun sense of each name, every synset that our own tables name, and what is above them;
# - what they are parts of, and so on; of each name's own sense and what is above it, the parts;
# - every adjective sense of each word, its cluster of similar ones, and the opposites of all these;
# - all kinds of some classes, and of the names' own senses, as far as asked for.
#
# Held in outline, one pointer up and no more: the other senses of the names, and of the nouns that synsets are named
# after, so that "crane.n.04" is the same synset here as in the whole of WordNet. Adjectives are numbered anew: none
# is asked for by its number.


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


# A data file has one synset a line, which begins with its own byte offset; pointers and the index name synsets by it.
# So a synset that is left out moves all that follow, and everything that names them is written anew.


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
