"""Which names of things a relation may ask about, so that no perfect perceiver violates it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

from pytest_vqamt.core.corpus import Corpus
from pytest_vqamt.core.scene import Scene, Thing
from pytest_vqamt.language.english.families import belong_together, family, is_known, one_is_a_kind_of_the_other
from pytest_vqamt.language.english.lexical_relations import COLOURS, exclusive_pool
from pytest_vqamt.language.english.nouns import is_countable, plural


def countable_here(scene: Scene) -> list[str]:
    """The names that can be counted in this scene, in scene order.

    None of which there is a crowd, and none whose plural is annotated beside it ("person" where there are "people").
    """
    names = things_in(scene)
    crowds = {region.name for region in scene.regions}
    return [
        name
        for name in names
        if is_countable(name) and name not in crowds and (plural(name) == name or plural(name) not in names)
    ]


def absent_here(scene: Scene, corpus: Corpus) -> list[str]:
    """The countable names of the corpus that nothing in the scene bears, the most frequent first."""
    here = names_in(scene)
    return [name for name in corpus.names if name not in here and is_countable(name) and plural(name) not in here]


def things_in(scene: Scene) -> tuple[str, ...]:
    """The names of all things, each once, in scene order."""
    return tuple(dict.fromkeys(thing.name for thing in scene.objects))


def names_in(scene: Scene) -> frozenset[str]:
    """The names of all things and crowds."""
    return frozenset((*(thing.name for thing in scene.objects), *(region.name for region in scene.regions)))


def disjoint(a: str, b: str, scene: Scene) -> bool:
    """Whether no thing can go by both names.

    They come from two top families, or are two known classes of one exhaustive class list of which neither is a kind of
    the other, and they share no head noun.
    """
    return are_disjoint(a, b, {a, b} <= scene.exhaustive)


def unrelated(a: str, b: str, scene: Scene) -> bool:
    """Whether a thing of one name comes or goes without any thing of the other.

    They are disjoint; and where not every instance of both is annotated, neither is worn, carried or held by the other,
    or a part of it.
    """
    return are_unrelated(a, b, {a, b} <= scene.exhaustive)


@lru_cache(maxsize=262144)
def are_disjoint(a: str, b: str, listed: bool) -> bool:
    """``disjoint`` of names that are both ``listed`` in one exhaustive class list, or not."""
    if a == b or a.rpartition(" ")[2] == b.rpartition(" ")[2]:
        return False
    if listed and is_known(a) and is_known(b):
        return not one_is_a_kind_of_the_other(a, b)
    families = family(a), family(b)
    return None not in families and families[0] != families[1]


@lru_cache(maxsize=262144)
def are_unrelated(a: str, b: str, listed: bool) -> bool:
    """``unrelated`` of names that are both ``listed`` in one exhaustive class list, or not."""
    return are_disjoint(a, b, listed) and (listed or not belong_together(a, b))


def alone(name: str, scene: Scene) -> bool:
    """Whether no thing of another name in the scene could be counted as one of this name."""
    return all(disjoint(name, other, scene) for other in names_in(scene) - {name})


def presumed(names: Iterable[str], scene: Scene) -> bool:
    """Whether some instance of one of the names may be there without being annotated."""
    return not scene.exhaustive.issuperset(names)


def single_valued(name: str, scene: Scene) -> bool:
    """Whether each thing of this name bears at most one property of the name's pool, and has one colour."""
    pool = exclusive_pool(name)
    return all(
        (pool is not COLOURS or not thing.multi_coloured) and sum(word in pool for word in thing.attributes) <= 1
        for thing in scene.objects
        if thing.name == name
    )


def borne(name: str, scene: Scene) -> list[str]:
    """The properties of the name's pool that its things bear here, in scene order."""
    pool = exclusive_pool(name)
    things = (thing for thing in scene.objects if thing.name == name)
    return list(dict.fromkeys(word for thing in things for word in thing.attributes if word in pool))


def sure_of(thing: Thing) -> tuple[str, ...]:
    """The property of its name's pool that this thing surely has, alone in a tuple; none where two are annotated."""
    pool = exclusive_pool(thing.name)
    found = tuple(dict.fromkeys(word for word in thing.attributes if word in pool))
    return found if len(found) == 1 and not (pool is COLOURS and thing.multi_coloured) else ()


def seen_on(name: str, corpus: Corpus) -> Sequence[str]:
    """The properties of the name's pool that some thing of that name bears in the corpus: plausible where absent."""
    pool = exclusive_pool(name)
    return [word for word, _ in corpus.attributes.get(name, ()) if word in pool]
