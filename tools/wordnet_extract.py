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
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from pytest_vqamt.core.errors import VqamtError
from pytest_vqamt.language.wordnet.choosing import Part
from pytest_vqamt.language.wordnet.database import (
    SUFFIXES,
    notice,
    place,
    read_data,
    read_index,
    write_data,
    write_exceptions,
    write_index,
)
from pytest_vqamt.language.wordnet.hierarchy import DOWN, PARTS, UP, WHOLES, Above
from pytest_vqamt.language.wordnet.senses import Senses, head_of_compound, spellings
from pytest_vqamt.language.wordnet.sources import find

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

_LANGUAGE = Path(__file__).parents[1]
_SYNSET = re.compile(r'"([^"\s]+\.n\.\d\d)"')


def extract(source: Path, vocabularies: Sequence[Path], *, most: int = MOST) -> dict[str, bytes]:
    """The files of an extract, by name.

    Raises:
        VqamtError: a file is not there, or not what it should be.
    """
    files = find(str(source))
    parts = {
        pos: Part(
            part_of_speech=pos,
            lines=read_data(files.read(f"data.{suffix}")),
            index=read_index(files.read(f"index.{suffix}")),
        )
        for pos, suffix in SUFFIXES.items()
    }
    words = sorted({form for name in _names(vocabularies) for form in _forms(name)})
    from pytest_vqamt.language.wordnet.reader import Synsets

    synsets = Synsets(files)
    senses = Senses(synsets, Above(synsets))
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
    for names in tomllib.loads((_LANGUAGE / "families.toml").read_text(encoding="utf-8")).values():
        yield from names


def _forms(name: str) -> Iterator[str]:
    """A name, its singular, and those of the head nouns that a compound is a kind of."""
    while name:
        yield from spellings(name)
        name = head_of_compound(name)


def _curated() -> Iterator[str]:
    """Every noun synset that a table of this package names."""
    for path in (*sorted(_LANGUAGE.glob("wordnet/*.toml")), *sorted(_LANGUAGE.glob("families*.toml"))):
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
