"""The synset that a name in a picture means: of "mouse" on a desk, of "wii controller", of "shelves".

The first of these for the name, then for its singular: the curated ``senses.toml`` (names whose first sense is not what
photos show), and WordNet's first sense that is a physical thing and no proper name. Other compounds are kinds of their
head noun, except for those whose first word takes that back ("toy dog").
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from typing import TYPE_CHECKING, Any, NamedTuple

from pytest_vqamt.core.lazy_pattern import pattern_of
from pytest_vqamt.language.english.nouns import head, lacks_singular, singular
from pytest_vqamt.language.tables import toml_table, word_set

if TYPE_CHECKING:
    from pytest_vqamt.language.wordnet.words import WordNetFiles


PHYSICAL = "physical_entity.n.01"
PERSON = "person.n.01"
_LIVING = frozenset({"organism.n.01", "vehicle.n.01"})
_NO_THINGS = frozenset({"process.n.06", "phenomenon.n.01"})
"""Below physical_entity all the same: growth, weather, light as radiation."""

UP = ("@", "@i")
WHOLES = ("#p", "#s", "#m")
"""Pointers of wninput(5WN): hypernyms and holonyms."""

TOO_GENERAL = frozenset({
    "entity.n.01", "physical_entity.n.01", "object.n.01", "whole.n.02", "matter.n.03", "thing.n.12", "thing.n.08",
    "artifact.n.01", "instrumentality.n.03", "causal_agent.n.01", "living_thing.n.01", "organism.n.01",
    "natural_object.n.01", "substance.n.01", "substance.n.07", "location.n.01", "part.n.02", "part.n.03",
    "device.n.01", "abstraction.n.06", "group.n.01", "unit.n.03", "relation.n.01", "body_part.n.01",
    "structure.n.01", "article.n.02", "commodity.n.01", "region.n.01", "region.n.03", "food.n.01", "food.n.02",
})  # fmt: skip
"""Synsets whose parts say nothing of the kinds below: an artifact has no wheel."""

_EXPECTED = ("entity.n.01", "physical_entity.n.01", "person.n.01", "artifact.n.01")
"""Synsets of every WordNet from 3.0 on; without one, the offsets are wrong or it is another database."""

_FILES = {"n": "noun", "a": "adj", "s": "adj"}
"""The file of each part of speech; s is an adjective that is a satellite of another one."""

_MARKER = pattern_of(r"\((?:a|p|ip)\)$")
"""Where an adjective may stand."""

_OF_SYNSETS = "0000"
"""The words that a pointer between two whole synsets is about."""

_VERSION = pattern_of(r"Word[Nn]et (\d+(?:\.\d+)?) Copyright")


class Sense(NamedTuple):
    """The synset of a name, or of its head noun."""

    synset: str
    """By its name: "mouse.n.04"."""
    of_head: bool
    """True if the name is only a kind of it, as a compound of its head noun: "wii controller"."""


@dataclass(frozen=True, slots=True, eq=False)
class Senses:
    """The senses of names in one WordNet."""

    synsets: Synsets
    """Those of the WordNet."""
    above: Mapping[str, frozenset[str]]
    """All hypernyms of each synset."""

    def of(self, name: str) -> Sense | None:
        """Returns the sense of a name, None without one."""
        if name in _words("no_names"):
            return None
        for form in spellings(name):
            # The curated tables first: the first sense of "mouse" in WordNet is the animal.
            found = self._listed(_table("sense"), form) or self._listed(_table("kind_of"), form)
            if found is not None:
                return Sense(found, of_head=form in _table("kind_of"))
            first = next(self.physical(form), None)
            if first is not None:
                return Sense(first, of_head=False)
        last = head_of_compound(name)
        of_head = self.of(last) if last else None
        # "A glass horse" is no horse, "a glass door" a door.
        if of_head is None or (name.partition(" ")[0] in _words("no_living_kinds") and self._is_living(of_head.synset)):
            return None
        return Sense(of_head.synset, of_head=True)

    def all_of(self, name: str) -> tuple[str, ...]:
        """Returns every synset that annotators may mean: the sense first, then the other physical ones.

        Senses of people are left out if the sense is none: a dog may be a man in slang, but not in a photo.
        """
        sense = self.of(name)
        if sense is None:
            return ()
        forms = spellings(name)
        # Listed names such as "model" may mean a person in a photo all the same.
        with_people = self._is_person(sense.synset) or not _words("people_too").isdisjoint(forms)
        senses = (each for form in forms for each in self.physical(form))
        others = [each for each in senses if with_people or not self._is_person(each)]
        also = [each for form in forms for each in _table("also").get(form, ()) if self.synsets.canonical(each)]
        # A compound that WordNet lacks may mean all that its head noun may.
        last = head_of_compound(name) if sense.of_head and not others else ""
        return tuple(dict.fromkeys((sense.synset, *also, *others, *(self.all_of(last) if last else ()))))

    def physical(self, word: str) -> Iterator[str]:
        """Yields the senses that are physical things and no proper names, the most frequent first."""
        for synset in self.synsets.of(word):
            above = self.above[synset]
            # Instances ("@i") are proper names: Paris, the Nile.
            if PHYSICAL in above and not above & _NO_THINGS and not self.synsets.related(synset, ("@i",)):
                yield synset

    def _listed(self, table: Mapping[str, str], form: str) -> str | None:
        synset = table.get(form)
        return None if synset is None else self.synsets.canonical(synset)

    def _is_living(self, synset: str) -> bool:
        return not _LIVING.isdisjoint((synset, *self.above[synset]))

    def _is_person(self, synset: str) -> bool:
        return synset == PERSON or PERSON in self.above[synset]


def head_of_compound(name: str) -> str:
    """Returns the noun that a compound is a kind of: "chair" for "office chair"; "" for others ("toy dog")."""
    first, _, rest = name.partition(" ")
    if not rest or first in _words("no_kinds") or name in _words("no_compounds"):
        return ""
    last = head(name)
    # First without its first word: "red game controller" is a "game controller" before it is a "controller".
    return rest if name.endswith(f" {rest}") and rest.endswith(last) else last


def spellings(name: str) -> tuple[str, ...]:
    """Returns the name and its singular, which WordNet also has of "skis" and "jeans"."""
    one = singular(name)
    if one == name and lacks_singular(name):
        # "Skis" has no singular in a photo, but WordNet lists "ski".
        one = name.removesuffix("s")
    return (name,) if one == name else (name, one)


_words = partial(word_set, "wordnet/senses.toml")


def _table(key: str) -> Mapping[str, Any]:
    section: Mapping[str, Any] = toml_table("wordnet/senses.toml")[key]
    return section


class HypernymClosure(dict[str, frozenset[str]]):
    """All hypernyms of each synset, computed on first use."""

    def __init__(self, synsets: Synsets) -> None:
        self._synsets = synsets

    def __missing__(self, synset: str) -> frozenset[str]:
        up = self._synsets.related(synset, UP)
        found = self[synset] = frozenset(up).union(*(self[each] for each in up))
        return found


def wholes(synsets: Synsets, above: HypernymClosure, part: str) -> frozenset[str]:
    """Returns what the synset is a part, member or substance of, through hypernyms of parts and of wholes."""
    # General synsets count as seen, so that their parts are never found: an artifact has no wheel.
    seen, todo, found = set(TOO_GENERAL), [part], set[str]()
    while todo:
        near = todo.pop()
        fresh = (above[near] | {near}) - seen
        seen |= fresh
        new = {whole for each in fresh for whole in synsets.related(each, WHOLES)} - found
        found |= new
        todo += new
    return frozenset(found)


def listed_wholes(name: str, kinds: frozenset[str]) -> frozenset[str]:
    """Returns the synsets that list the name, its head noun or one of its kinds as a part."""
    names = {name, singular(name), head(name), singular(head(name))}
    return frozenset(
        whole
        for each in _entries()
        if not names.isdisjoint(each.parts) or not kinds.isdisjoint(each.kinds)
        for whole in each.of
    )


class _PartsEntry(NamedTuple):
    """[[whole]] of ``parts.toml``."""

    of: tuple[str, ...]
    """Synsets; the entry holds for all at or below them."""
    parts: tuple[str, ...] = ()
    """Names of their parts, singular, which also stand for compounds that end in them."""
    kinds: tuple[str, ...] = ()
    """Synsets of which all at or below are such parts."""


@cache
def _entries() -> tuple[_PartsEntry, ...]:
    return tuple(
        _PartsEntry(**{key: tuple(names) for key, names in each.items()})
        for each in toml_table("wordnet/parts.toml")["whole"]
    )


class _Record(NamedTuple):
    """A line of a data file."""

    part_of_speech: str
    """"n", "a" or "s"."""
    words: tuple[str, ...]
    """Those of the synset, with "_" for spaces."""
    pointers: tuple[tuple[str, str, int], ...]
    """The symbol of each, and the part of speech and offset of its target."""


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
        # From the right: the word itself may have points ("st._bernard.n.01").
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
        # The index has one line for both kinds of adjectives.
        return tuple(offset for offset in offsets if self._record("s", offset).part_of_speech == "s")

    def _name(self, part_of_speech: str, offset: int) -> str:
        record = self._record(part_of_speech, offset)
        lemma = record.words[0].lower()
        number = self._senses(lemma, record.part_of_speech).index(offset) + 1
        return f"{lemma}.{record.part_of_speech}.{number:02}"

    def _parse(self, part_of_speech: str, offset: int) -> _Record:
        """Reads the line of a data file at this byte, by wndb(5WN)."""
        data = self._data[_FILES[part_of_speech]]
        line = data[offset : data.find(b"\n", offset)].decode("utf-8")
        fields = line.partition("|")[0].split()
        # Offsets are right only in the files as published: converted line ends move them.
        if not fields or int(fields[0]) != offset:
            raise ValueError(f"no synset at byte {offset} of data.{_FILES[part_of_speech]}")
        # The format of wndb(5WN): the number of words is hexadecimal, that of pointers decimal.
        last = 4 + 2 * int(fields[3], 16)
        words = tuple(_MARKER.sub("", word) for word in fields[4:last:2])
        places = range(last + 1, last + 1 + 4 * int(fields[last]), 4)
        pointers = ((fields[at], fields[at + 2], int(fields[at + 1])) for at in places if fields[at + 3] == _OF_SYNSETS)
        return _Record(fields[2], words, tuple(pointers))


def _index(data: bytes) -> dict[str, str]:
    """The rest of each line by its word; the notice at the beginning is indented."""
    lines = (line.partition(" ") for line in data.decode("utf-8").splitlines() if line and not line.startswith(" "))
    return {word: rest for word, _, rest in lines}
