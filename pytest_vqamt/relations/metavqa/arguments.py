"""What MetaVQA's questions are about: two object names, or one name with two properties.

Yuan et al., CVPR 2021, sections 4.1.1 to 4.1.3. Counts are of groups of which both are in the scene in 70 % of cases,
one in 20 %, none in 10 %, out of what the scene can give; existence is asked of what is there in 70 % of cases.

**Deviations**, so that no perfect perceiver violates a relation:

- Two names to be added up come from different top families, or are two classes of one exhaustive class list, share no
  head noun, and neither is a kind of the other ("bird", "duck"), so that nothing is in both groups.
- Only countable names are counted, and none whose plural is annotated beside it ("person" where there are "people").
- Two properties of one name exclude each other (language.properties), no thing of that name in the scene bears two of
  the pool, and none is multi-coloured.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from pytest_vqamt.core.case import NotApplicable
from pytest_vqamt.core.corpus import Corpus
from pytest_vqamt.core.meaning import Group
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.language.families import family, one_is_a_kind_of_the_other
from pytest_vqamt.language.nouns import is_countable, plural
from pytest_vqamt.language.properties import exclusive_pool
from pytest_vqamt.sampling.chooser import Chooser

_PRESENT = (2, 1, 0)
_PRESENT_WEIGHTS = (0.7, 0.2, 0.1)
_EXISTENCE_PRESENT = 0.7


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Two groups to be added up, the first to be named first; ``present`` of them are in the scene."""

    first: Group
    second: Group
    present: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Single:
    """A group whose existence is asked."""

    group: Group
    present: bool


def pair(scene: Scene, corpus: Corpus, choose: Chooser, variant: str) -> Pair | NotApplicable:
    """Two groups for a count: of two names ("object") or of one name with two properties ("property")."""
    return _two_names(scene, corpus, choose) if variant == "object" else _two_properties(scene, corpus, choose)


def single(scene: Scene, corpus: Corpus, choose: Chooser, variant: str) -> Single | NotApplicable:
    """A group for a question of existence: a name ("object") or a name with a property ("property")."""
    present = choose.chance(_EXISTENCE_PRESENT)
    return (
        _one_name(scene, corpus, choose, present)
        if variant == "object"
        else _one_property(scene, corpus, choose, present)
    )


def _two_names(scene: Scene, corpus: Corpus, choose: Chooser) -> Pair | NotApplicable:
    here = _countable_here(scene)
    pairs = [pair for pair in combinations(here, 2) if _disjoint(*pair, scene)]
    present = _drawn_number(choose, at_most=2 if pairs else min(1, len(here)))
    if present == 2:
        return _named(choose, *choose.one(pairs), present=2)
    absent = _absent(scene, corpus)
    if firsts := here if present else absent:
        first = choose.one(firsts)
        if partners := [name for name in absent if _disjoint(first, name, scene)]:
            return _named(choose, first, choose.one(partners), present=present)
    return NotApplicable(reason="no two names that are surely disjoint")


def _drawn_number(choose: Chooser, *, at_most: int) -> int:
    """How many of two groups are to be present, where the scene can give ``at_most``."""
    skipped = _PRESENT.index(at_most)
    return choose.weighted(_PRESENT[skipped:], _PRESENT_WEIGHTS[skipped:])


def _named(choose: Chooser, first: str, second: str, *, present: int) -> Pair:
    if choose.chance(0.5):
        first, second = second, first
    return Pair(first=Group(name=first), second=Group(name=second), present=present)


def _two_properties(scene: Scene, corpus: Corpus, choose: Chooser) -> Pair | NotApplicable:
    here = [name for name in _countable_here(scene) if _single_valued(name, scene)]
    if not here:
        return NotApplicable(reason="no countable name whose things bear at most one property of the pool")
    borne = {name: _borne(name, scene) for name in here}
    true = _drawn_number(choose, at_most=min(2, max(len(words) for words in borne.values())))
    name = choose.one([name for name in here if len(borne[name]) >= true])
    false = [word for word in _seen_on(name, corpus) if word not in borne[name]]
    if len(false) < 2 - true:
        return NotApplicable(reason="too few properties known of the name")
    words = (*choose.several(borne[name], true), *choose.several(false, 2 - true))
    if choose.chance(0.5):
        words = words[::-1]
    first, second = (Group(name=name, attributes=(word,)) for word in words)
    return Pair(first=first, second=second, present=true)


def _one_name(scene: Scene, corpus: Corpus, choose: Chooser, present: bool) -> Single | NotApplicable:
    names = _countable_here(scene) if present else _absent(scene, corpus)
    if not names:
        return NotApplicable(reason="no countable name in the scene" if present else "no countable name outside it")
    return Single(group=Group(name=choose.one(names)), present=present)


def _one_property(scene: Scene, corpus: Corpus, choose: Chooser, present: bool) -> Single | NotApplicable:
    here = [name for name in _countable_here(scene) if _single_valued(name, scene)]
    borne = {name: _borne(name, scene) for name in here}
    if present:
        names = [name for name in here if borne[name]]
        if not names:
            return NotApplicable(reason="no countable name with a property of the pool")
        name = choose.one(names)
        return Single(group=Group(name=name, attributes=(choose.one(borne[name]),)), present=True)
    false = {name: [word for word in _seen_on(name, corpus) if word not in borne[name]] for name in here}
    names = [name for name in here if false[name]]
    if not names:
        return NotApplicable(reason="too few properties known of the name")
    name = choose.one(names)
    return Single(group=Group(name=name, attributes=(choose.one(false[name]),)), present=False)


def _countable_here(scene: Scene) -> list[str]:
    """The names that can be counted in this scene, in scene order."""
    names = dict.fromkeys(thing.name for thing in scene.objects)
    crowds = {region.name for region in scene.regions}
    return [
        name
        for name in names
        if is_countable(name) and name not in crowds and (plural(name) == name or plural(name) not in names)
    ]


def _absent(scene: Scene, corpus: Corpus) -> list[str]:
    here = {thing.name for thing in scene.objects} | {region.name for region in scene.regions}
    return [name for name in corpus.names if name not in here and is_countable(name) and plural(name) not in here]


def _disjoint(a: str, b: str, scene: Scene) -> bool:
    if a == b or a.rpartition(" ")[2] == b.rpartition(" ")[2]:
        return False
    if a in scene.exhaustive and b in scene.exhaustive:
        return not one_is_a_kind_of_the_other(a, b)
    families = family(a), family(b)
    return None not in families and families[0] != families[1]


def _single_valued(name: str, scene: Scene) -> bool:
    """Whether each thing of this name bears at most one property of the name's pool, and has one colour."""
    pool = exclusive_pool(name)
    return all(
        not thing.multi_coloured and sum(word in pool for word in thing.attributes) <= 1
        for thing in scene.objects
        if thing.name == name
    )


def _borne(name: str, scene: Scene) -> list[str]:
    """The properties of the name's pool that its things bear here, in scene order."""
    pool = exclusive_pool(name)
    things = (thing for thing in scene.objects if thing.name == name)
    return list(dict.fromkeys(word for thing in things for word in thing.attributes if word in pool))


def _seen_on(name: str, corpus: Corpus) -> Sequence[str]:
    """The properties of the name's pool that some thing of that name bears in the corpus: plausible where absent."""
    pool = exclusive_pool(name)
    return [word for word, _ in corpus.attributes.get(name, ()) if word in pool]
