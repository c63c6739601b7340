"""Which things are cut out to be inserted, by the class that captions name them by.

Of each name the largest fifth of those that stand by themselves: nothing of a class is before or behind one, so that no
part of it comes along (what a person wears is of no class, and does). Their own photos show them whole, and so large
that they are recognised there.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from itertools import islice
from math import ceil
from types import MappingProxyType

from pytest_vqamt.core.corpus import Corpus, CutoutEntry
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.language.captions import Form, Reading, class_of, classes_in
from pytest_vqamt.language.english.nouns import indefinite, is_countable
from pytest_vqamt.relations.recognisable import is_recognisable

_LARGEST_SHARE = 0.2
_AT_MOST = 200
"""So many cut-outs of a name to choose from, evenly out of the largest fifth."""
_EDGE_PX = 1
"""A thing whose box comes nearer to the edge of its photo may go on beyond."""


@lru_cache(maxsize=4096)
def class_read(name: str, reading: Reading) -> str | None:
    """The class that is read from a caption of one thing of this name; None where it is none, or not its own."""
    named, forms = class_of(name), classes_in(indefinite(name), reading)
    return named if named and set(forms) == {named} and forms[named] is not Form.PLURAL else None


@lru_cache(maxsize=8)
def names_by_class(corpus: Corpus, reading: Reading) -> Mapping[str, tuple[str, ...]]:
    """For each class of which some thing stands by itself, the names of such things."""
    found: dict[str, tuple[str, ...]] = {}
    for name, entries in corpus.cutouts.items():
        named = class_read(name, reading)
        if named and any(map(_is_alone, entries)):
            found[named] = (*found.get(named, ()), name)
    return MappingProxyType(found)


@lru_cache(maxsize=512)
def cut_outs(corpus: Corpus, name: str) -> tuple[CutoutEntry, ...]:
    """The cut-outs of a name, the largest first; there may be none."""
    alone = [entry for entry in corpus.cutouts[name] if _is_alone(entry)]
    wanted = ceil(_LARGEST_SHARE * len(alone))
    step = ceil(wanted / _AT_MOST) or 1
    well_shown = (entry for entry in alone[::step] if _is_well_shown(entry, corpus))
    return tuple(islice(well_shown, ceil(wanted / step)))


def classes_that_fit(scene: Scene, classes: Iterable[str]) -> tuple[str, ...]:
    """Those of ``classes`` of which a caption of the scene surely tells whether there is one thing, several or none.

    Not those of a crowd; nor those of a small thing or a fragment, which a caption may name or not; nor those of a
    thing whose name has no plural.
    """
    unsure = {class_of(region.name) for region in scene.regions}
    for thing in scene.objects:
        if not (is_recognisable(thing, scene) and is_countable(thing.name)):
            unsure.add(class_of(thing.name))
    return tuple(each for each in classes if each not in unsure)


def _is_alone(entry: CutoutEntry) -> bool:
    return all(class_of(name) is None for name in entry.alongside)


def _is_well_shown(entry: CutoutEntry, corpus: Corpus) -> bool:
    scene = corpus.scene(entry.index)
    thing, frame = scene.thing(entry.thing), scene.frame
    to_the_edge = min(thing.box.x, thing.box.y, frame.x1 - thing.box.x1, frame.y1 - thing.box.y1)
    return to_the_edge >= _EDGE_PX and is_recognisable(thing, scene)
