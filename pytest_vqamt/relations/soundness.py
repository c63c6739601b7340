"""What the names in a scene decide: which are counted, disjoint, unrelated or alike; ``rules`` names the rules."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache, lru_cache

from pytest_vqamt.core.corpus import Corpus
from pytest_vqamt.core.lru import cached_by_identity
from pytest_vqamt.core.salience import is_salient, min_salient_px
from pytest_vqamt.core.scene import Scene, Thing
from pytest_vqamt.language.english.families import belong_together, family, is_kind_either_way, is_known
from pytest_vqamt.language.english.lexical_relations import COLOURS, exclusive_pool
from pytest_vqamt.language.english.nouns import is_countable, plural
from pytest_vqamt.language.tables import toml_table

WIDER_THAN_THE_WORD = frozenset({"tv", "dining table"})
"""Classes of COCO with things that few people call so: scoreboards and monitors, and any table with something on it."""


@cached_by_identity
def countable_names(scene: Scene) -> tuple[str, ...]:
    """Returns the names that can be counted in the scene, in scene order.

    Names of crowds are left out, and names whose plural is annotated, too ("person" beside "people").
    """
    names = object_names(scene)
    crowds = {region.name for region in scene.regions}
    return tuple(
        name
        for name in names
        # A plural that is the singular ("sheep") is no second name.
        if is_countable(name) and name not in crowds and (plural(name) == name or plural(name) not in names)
    )


def is_countable_here(name: str, scene: Scene) -> bool:
    """True if things of this name can be counted in the scene."""
    return name in countable_names(scene)


@cached_by_identity
def object_names(scene: Scene) -> tuple[str, ...]:
    """Returns the names of all things, each once, in scene order."""
    return tuple(dict.fromkeys(thing.name for thing in scene.objects))


@cached_by_identity
def salient_names(scene: Scene) -> frozenset[str]:
    """Returns the names of salient things that all people call so: whoever looks says that one is there."""
    return frozenset(thing.name for thing in scene.objects if is_surely_seen(thing, scene))


def is_surely_seen(thing: Thing, scene: Scene) -> bool:
    """True if the thing is salient, and its name is no wider than the word."""
    return thing.name not in WIDER_THAN_THE_WORD and is_salient(thing, scene)


def annotated_names(scene: Scene) -> frozenset[str]:
    """Returns the names of all things and crowds."""
    return frozenset((*(thing.name for thing in scene.objects), *(region.name for region in scene.regions)))


def disjoint(a: str, b: str, scene: Scene) -> bool:
    """True if no thing can go by both names.

    They share no head noun, and come from two top families or are known classes of one exhaustive class list, neither
    a kind of the other.
    """
    return are_disjoint(a, b, a in scene.exhaustive and b in scene.exhaustive)


def unrelated(a: str, b: str, scene: Scene) -> bool:
    """True if a thing of one name can come or go without a thing of the other.

    They are disjoint, and unless both are exhaustively annotated, neither is worn, carried or held by the other or a
    part of it.
    """
    return are_unrelated(a, b, a in scene.exhaustive and b in scene.exhaustive)


@lru_cache(maxsize=262144)
def are_disjoint(a: str, b: str, listed: bool) -> bool:
    """Implements ``disjoint``; ``listed`` if one exhaustive class list has both names."""
    # "Bear" and "teddy bear" share the head noun: some count one as the other. WordNet is not asked, as it has boy and
    # child, mug and cup apart.
    if a == b or a.rpartition(" ")[2] == b.rpartition(" ")[2] or is_kind_either_way(a, b):
        return False
    # One class list gives each thing one class, so cats and dogs of COCO are disjoint though of one family.
    if listed and is_known(a) and is_known(b):
        return True
    families = family(a), family(b)
    return None not in families and families[0] != families[1]


@lru_cache(maxsize=262144)
def are_unrelated(a: str, b: str, listed: bool) -> bool:
    """Implements ``unrelated``; ``listed`` if one exhaustive class list has both names."""
    # A person and a shirt come and go together, unless both are annotated exhaustively.
    return are_disjoint(a, b, listed) and (listed or not belong_together(a, b))


def is_disjoint_from_all(name: str, scene: Scene) -> bool:
    """True if no thing of another name in the scene could be counted as one of this name."""
    return all(disjoint(name, other, scene) for other in annotated_names(scene) - {name})


def presumed(names: Iterable[str], scene: Scene) -> bool:
    """True if an instance of one of the names may be in the picture without being annotated."""
    # GQA and Visual Genome vouch for no name, COCO for its 80 less the crowds of the picture.
    return not scene.exhaustive.issuperset(names)


def single_valued(name: str, scene: Scene) -> bool:
    """True if each thing of this name has at most one property of the name's pool, and one colour."""
    pool = exclusive_pool(name)
    return all(
        # People have actions for a pool, which several colours say nothing about.
        (pool is not COLOURS or not thing.multi_coloured) and sum(word in pool for word in thing.attributes) <= 1
        for thing in scene.objects
        if thing.name == name
    )


def scene_properties(name: str, scene: Scene) -> list[str]:
    """Returns the properties of the name's pool that its things have here, in scene order."""
    pool = exclusive_pool(name)
    things = (thing for thing in scene.objects if thing.name == name)
    return list(dict.fromkeys(word for thing in things for word in thing.attributes if word in pool))


def certain_properties(thing: Thing) -> tuple[str, ...]:
    """Returns the one property of its name's pool that the thing surely has, or none if two are annotated."""
    pool = exclusive_pool(thing.name)
    found = tuple(dict.fromkeys(word for word in thing.attributes if word in pool))
    return found if len(found) == 1 and not (pool is COLOURS and thing.multi_coloured) else ()


def corpus_properties(name: str, corpus: Corpus) -> Sequence[str]:
    """Returns the properties of the name's pool that occur with the name in the corpus, so are plausible."""
    pool = exclusive_pool(name)
    return [word for word, _ in corpus.attributes.get(name, ()) if word in pool]


@lru_cache(maxsize=65536)
def cannot_be_confused(a: str, b: str) -> bool:
    """True if no part of a thing of one name looks like a thing of the other, even blurred.

    They come from two top families, share no head noun ("bear", "teddy bear"), and have no outline in common.

    >>> cannot_be_confused("dog", "car"), cannot_be_confused("dog", "cat"), cannot_be_confused("balloon", "apple")
    (True, False, False)
    """
    families = family(a), family(b)
    if None in families or families[0] == families[1] or a.rpartition(" ")[2] == b.rpartition(" ")[2]:
        return False
    return outlines_of(a).isdisjoint(outlines_of(b))


@cache
def outlines_of(name: str) -> frozenset[int]:
    """Returns the rows of ``outlines.toml`` for the name, with two rows more: none if its outline is its own."""
    rows = toml_table("english/outlines.toml")["similar"]
    found = {number for number, row in enumerate(rows) if name in row}
    if family(name) == "person":
        # The first row: upright figures, such as a fire hydrant or a doll.
        found.add(0)
    if name == "teddy bear" or family(name) == "animal":
        found.add(len(rows))  # on four legs, or nearly
    return frozenset(found)


def is_bulky(thing: Thing, scene: Scene) -> bool:
    """True if the thing is salient and its shorter side is as long as the longer one must be.

    A thing in a slit between others may be visible outside its box.
    """
    return is_salient(thing, scene) and min(thing.box.w, thing.box.h) >= min_salient_px(scene.frame)
