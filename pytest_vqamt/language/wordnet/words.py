"""Kinds, parts and synonyms of names, by the sense that each has in a picture."""

from __future__ import annotations

import os
import sys
import zipfile
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from hashlib import sha256
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import NamedTuple

from pytest_vqamt.core.errors import OptionError
from pytest_vqamt.core.input_files import MAX_WORDNET_BYTES, expanded, read_bytes
from pytest_vqamt.language.english.nouns import singular
from pytest_vqamt.language.wordnet.senses import TOO_GENERAL, HypernymClosure, Senses, Synsets, listed_wholes, wholes

BUNDLED = "bundled"
FULL = "full"
READ = ("data.noun", "index.noun", "noun.exc", "data.adj", "index.adj", "adj.exc")
"""The files that are read, and that make up ``WordNetFiles.digest``."""

_BROAD = frozenset({
    "area.n.05", "communication.n.02", "consumer_goods.n.01", "container.n.01", "covering.n.02", "creation.n.02",
    "decoration.n.01", "equipment.n.01", "facility.n.01", "implement.n.01", "instrument.n.01", "material.n.01",
    "mechanism.n.05", "part.n.01", "protective_covering.n.01", "solid.n.01", "support.n.10", "surface.n.01", "way.n.06",
})  # fmt: skip
"""Synsets of things that nobody mistakes for each other: clocks and spectacles are instruments, trucks containers."""

_PAIRS = 1 << 17
"""Pairs of names whose relations are cached: those of a few scenes and a corpus, in 20 MB."""


class _NameInfo(NamedTuple):
    """What is known of a name; the sets of synsets are empty if WordNet lacks it."""

    one: str
    """Its singular."""
    heads: frozenset[str]
    """Its ends: "game controller" and "controller" of "wii game controller"."""
    sense: str | None
    """The synset that it means in a picture, or that of its head noun; None without one."""
    of_head: bool
    """True if the sense is that of its head noun."""
    at_or_above: frozenset[str]
    """The sense and its hypernyms."""
    above: frozenset[str]
    """The hypernyms of the name; with the sense itself if that is of its head noun."""
    nameable: frozenset[str]
    """All synsets that it may mean in a picture."""
    nameable_or_above: frozenset[str]
    """Those and their hypernyms."""
    wholes: frozenset[str]
    """What its sense is a part, member or substance of."""
    above_wholes: frozenset[str]
    """Those and their hypernyms, without the most general."""


class WordNet:
    """Kinds, parts and synonyms of the names of things.

    A name may be a plural or a compound. One that WordNet lacks has no sense, no words and no relations, and could be
    anything; nothing raises. Results are cached.
    """

    def __init__(self, *, source: str, digest: str, synsets: Synsets) -> None:
        self.source = source
        self.version = synsets.version
        self.digest = digest
        self._synsets = synsets
        self._above = HypernymClosure(synsets)
        self._senses = Senses(synsets, self._above)
        self._known = lru_cache(maxsize=None)(self._look_up)
        self._nameable_alike = lru_cache(maxsize=_PAIRS)(self._may_be_one)
        self._partial = lru_cache(maxsize=_PAIRS)(self._are_part_related)

    def __repr__(self) -> str:
        return f"WordNet({self.source!r}, version={self.version!r}, digest={self.digest!r})"

    def sense(self, name: str, synset: str | None = None) -> str | None:
        """Returns the synset of a name: the one that the data gives, if this WordNet has that noun, else its sense."""
        given = self._synsets.canonical(synset) if synset and ".n." in synset else None
        return given or self._known(name).sense

    def senses(self, name: str) -> tuple[str, ...]:
        """Returns every synset that the name may mean in a picture, its sense first."""
        return self._senses.all_of(name)

    def at_or_above(self, synset: str) -> frozenset[str]:
        """Returns a synset and its hypernyms."""
        return self._above[synset] | {synset}

    def is_kind_of(self, name: str, other: str) -> bool:
        """True if the sense of ``name`` lies below that of ``other``: dogs are animals."""
        of, kind = self._known(name), self._known(other)
        # A compound that WordNet lacks has only the synset of its head noun: just longer compounds are below it.
        if kind.of_head:
            return of.of_head and name != other and name.endswith(f" {other}")
        return kind.sense in of.above

    def is_under(self, name: str, synsets: Collection[str]) -> bool:
        """True if the name's sense is one of the synsets or below one."""
        return not self._known(name).at_or_above.isdisjoint(synsets)

    def may_name_the_same(self, a: str, b: str) -> bool:
        """True if one name is a kind or a synonym of the other in some senses.

        A compound and its head noun ("hot dog", "dog") may be; so may a name that WordNet lacks.
        """
        return self._nameable_alike(a, b)

    def part_related(self, a: str, b: str) -> bool:
        """True if things of one name are parts, members, stuff or garments of those of the other or of their kinds."""
        return self._partial(a, b)

    def have_common_kind(self, a: str, b: str) -> bool:
        """True if the senses of both names lie below one synset that says something: both are bags, or people."""
        return not self._known(a).at_or_above.isdisjoint(self._known(b).at_or_above - TOO_GENERAL - _BROAD)

    def synonyms(self, name: str) -> tuple[str, ...]:
        """Returns other words for the name's sense; none for a compound that WordNet lacks."""
        of = self._known(name)
        words = self._synsets.words(of.sense) if of.sense and not of.of_head else ()
        return tuple(word for word in words if word not in (name, of.one))

    def _may_be_one(self, a: str, b: str) -> bool:
        of_a, of_b = self._known(a), self._known(b)
        # In doubt they may: a wrong "no" would claim that a thing is absent beside itself.
        if of_a.sense is None or of_b.sense is None or of_a.one in of_b.heads or of_b.one in of_a.heads:
            return True
        return not (
            of_a.nameable.isdisjoint(of_b.nameable_or_above) and of_b.nameable.isdisjoint(of_a.nameable_or_above)
        )

    def _are_part_related(self, a: str, b: str) -> bool:
        of_a, of_b = self._known(a), self._known(b)
        return _is_part(of_a, of_b) or _is_part(of_b, of_a)

    def _look_up(self, name: str) -> _NameInfo:
        sense = self._senses.of(name)
        one = singular(name)
        words = one.split(" ")
        heads = frozenset(" ".join(words[start:]) for start in range(1, len(words)))
        if sense is None:
            return _NameInfo(one, heads, None, False, *(frozenset[str]() for _ in range(6)))
        above = self._above[sense.synset]
        named = frozenset(self._senses.all_of(name))
        whole = wholes(self._synsets, self._above, sense.synset) | listed_wholes(name, above | {sense.synset})
        return _NameInfo(
            one=one,
            heads=heads,
            sense=sense.synset,
            of_head=sense.of_head,
            at_or_above=above | {sense.synset},
            above=above | {sense.synset} if sense.of_head else above,
            nameable=named,
            nameable_or_above=named.union(*(self._above[each] for each in named)),
            wholes=whole,
            above_wholes=whole.union(*(self._above[each] for each in whole)) - TOO_GENERAL,
        )


def _is_part(part: _NameInfo, of: _NameInfo) -> bool:
    return not part.wholes.isdisjoint(of.at_or_above) or of.sense in part.above_wholes


def wordnet(setting: str = BUNDLED) -> WordNet:
    """Opens a WordNet: "bundled", "full" (of this machine), or a folder with its files.

    >>> wordnet().sense("mouse"), wordnet().synonyms("couch")
    ('mouse.n.04', ('sofa', 'lounge'))

    Raises:
        OptionError: there is none, files are missing, or they are not in WordNet's format.
    """
    return _opened(setting)


@cache
def _opened(setting: str) -> WordNet:
    found = find_wordnet(setting)
    try:
        synsets = Synsets(found)
    except (ValueError, OSError) as error:
        raise OptionError(
            f"wordnet={setting!r}: expected files in WordNet's own format, and they could not be read ({error}); "
            "install them again, or leave the option out for the WordNet that comes with this package"
        ) from error
    return WordNet(source=found.source, digest=found.digest, synsets=synsets)


@dataclass(frozen=True, slots=True, kw_only=True)
class WordNetFiles:
    """The files of one WordNet."""

    source: str
    """"bundled", "full", or the folder as the user wrote it."""
    folder: Traversable
    """A folder, or the inside of an archive."""

    def read(self, name: str) -> bytes:
        """Returns the bytes of a file. ``lexnames``, which some distributions lack, is the same in every WordNet."""
        if name == "lexnames" and not self.folder.joinpath(name).is_file():
            return _bundled().joinpath(name).read_bytes()
        file = self.folder.joinpath(name)
        return read_bytes(file, MAX_WORDNET_BYTES) if isinstance(file, Path) else file.read_bytes()

    @property
    def digest(self) -> str:
        """The SHA-256 of the files as 16 hexadecimal digits."""
        hashed = sha256()
        for name in READ:
            data = self.read(name)
            # Name and length keep two files apart whose bytes run into each other.
            hashed.update(f"{name}\x1f{len(data)}\x1f".encode())
            hashed.update(data)
        return hashed.hexdigest()[:16]


def find_wordnet(setting: str) -> WordNetFiles:
    """Finds the files of a setting.

    Raises:
        OptionError: there are none, or not all of them.
    """
    if setting == BUNDLED:
        return WordNetFiles(source=BUNDLED, folder=_bundled())
    if setting == FULL:
        return WordNetFiles(source=FULL, folder=_installed())
    folder = expanded(setting)
    if not folder.is_dir():
        raise OptionError(
            f"wordnet={setting!r}: expected 'bundled', 'full' or a folder with WordNet's files, and there is no such "
            "folder; leave the option out for the WordNet that comes with this package"
        )
    missing = [name for name in READ if not (folder / name).is_file()]
    if missing:
        raise OptionError(
            f"wordnet={setting!r}: expected a folder with WordNet's files, and it lacks {', '.join(missing)}; "
            "name the folder that holds data.noun itself (often called dict)"
        )
    return WordNetFiles(source=setting, folder=folder)


@cache
def _bundled() -> Traversable:
    return files("pytest_vqamt.language.wordnet").joinpath("files")


def _installed() -> Traversable:
    for folder in _places():
        if all(folder.joinpath(name).is_file() for name in READ):
            return folder
    raise OptionError(
        "wordnet='full': expected WordNet on this machine, and it is neither in nltk's data nor in /usr/share/wordnet; "
        "run `python -m nltk.downloader wordnet`, install the package wordnet-base, or name its folder"
    )


def _places() -> Iterator[Traversable]:
    # nltk's own order of places, without importing nltk.
    given = os.environ.get("NLTK_DATA", "").split(os.pathsep)
    usual = [Path.home() / "nltk_data"]
    usual += [Path(prefix) / below / "nltk_data" for prefix in (sys.prefix,) for below in ("", "share", "lib")]
    usual += [Path(f"/usr/{below}/nltk_data") for below in ("share", "local/share", "lib", "local/lib")]
    for data in (*(Path(each) for each in given if each), *usual):
        yield data / "corpora" / "wordnet"
        archive = data / "corpora" / "wordnet.zip"
        if archive.is_file() and zipfile.is_zipfile(archive):
            yield zipfile.Path(archive, "wordnet/")
    yield Path("/usr/share/wordnet")
