"""What is asked about a picture whose background is obscured, and which boxes of it are the foreground.

The source's questions are about annotated things, all of which are kept. The rest is what makes the answer the same
for certain; ``visual`` tells of it as a whole.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.case import NotApplicable
from pytest_vqamt.core.corpus import Corpus
from pytest_vqamt.core.meaning import Group
from pytest_vqamt.core.scene import Scene, Thing
from pytest_vqamt.core.truth import members
from pytest_vqamt.language import questions
from pytest_vqamt.language.nouns import is_countable, plural
from pytest_vqamt.language.properties import exclusive_pool
from pytest_vqamt.language.questions import Question
from pytest_vqamt.relations.carets.foreground import foreground, half_seen
from pytest_vqamt.relations.erasing import FLAT
from pytest_vqamt.relations.look_alikes import surely_unlike
from pytest_vqamt.relations.names import (
    alone,
    borne,
    countable_here,
    names_in,
    presumed,
    seen_on,
    single_valued,
    unrelated,
)
from pytest_vqamt.relations.present import Kind, ask_about
from pytest_vqamt.relations.recognisable import is_recognisable
from pytest_vqamt.sampling.chooser import Chooser

_PLAUSIBLE = 20
"""So many names at most are drawn from, those that most often occur together with what is there."""


class Obscuring(StrEnum):
    """How the background is obscured."""

    BLUR = "blur"
    MASK = "mask"
    CROP = "crop"


@dataclass(frozen=True, slots=True, kw_only=True)
class Focus:
    """A question, and the boxes that stay as they are.

    Attributes:
        present: how many of the groups asked about are in the scene.
        presumed: the answer rests on an absence that the annotations do not guarantee.
    """

    question: Question
    keep: tuple[Box, ...]
    shape: str
    wording: int
    present: int
    presumed: bool


def on_what_is_there(scene: Scene, choose: Chooser, kind: Kind, how: Obscuring) -> Focus | NotApplicable:
    """A question about groups in the scene; their things are kept."""

    def fits(name: str) -> bool:
        if how is not Obscuring.BLUR and not all(is_recognisable(thing, scene) for thing in _things(name, scene)):
            return False
        return kind is not Kind.COUNT or (alone(name, scene) and _clear_by_itself(name, scene, how))

    asked = ask_about(scene, choose, kind, fits)
    if isinstance(asked, NotApplicable):
        return asked
    keep = kept([thing for group in asked.groups for thing in members(group, scene)], scene, how)
    if kind is Kind.COUNT:
        if any(group.attributes and not _all_told(group.name, scene) for group in asked.groups):
            return NotApplicable(reason="not every thing of the name has a known property")
        half = _half_seen(keep, scene, how)
        if not all(_clear(group.name, half, how) for group in asked.groups):
            return NotApplicable(reason="what would be half hidden could be taken for what is asked about")
    return Focus(
        question=asked.question,
        keep=keep,
        shape=asked.shape,
        wording=asked.wording,
        present=len(asked.groups),
        presumed=asked.presumed,
    )


def on_what_is_not_there(
    scene: Scene, corpus: Corpus, choose: Chooser, kind: Kind, how: Obscuring
) -> Focus | NotApplicable:
    """A question about a name that is not in the scene, or a property that no thing of a name has.

    Kept are one or two random things, or the things of the name that lack the property.
    """
    if not scene.objects:
        return NotApplicable(reason="nothing whose box could be kept")
    false = _false_properties(scene, corpus, how) if choose.chance(0.5) else []
    if false:
        group, shape = choose.one(false), "property"
        things: tuple[Thing, ...] = _things(group.name, scene)
    else:
        things, shape = choose.several(scene.objects, choose.between(1, min(2, len(scene.objects)))), "one name"
        names = tuple(islice(_false_names(scene, corpus, things, how), _PLAUSIBLE))
        if not names:
            return NotApplicable(reason="no name that is surely absent and plausible")
        group = Group(name=choose.one(names))
    if kind is Kind.EXISTS:
        wording = choose.between(0, questions.EXISTS_WORDINGS - 1)
        question = questions.exists(group, wording)
    else:
        wording = choose.between(0, questions.ABSENT_WORDINGS - 1)
        question = questions.absent(group, wording)
    return Focus(
        question=question,
        keep=kept(things, scene, how),
        shape=shape,
        wording=wording,
        present=0,
        presumed=presumed((group.name,), scene),
    )


def kept(things: Iterable[Thing], scene: Scene, how: Obscuring) -> tuple[Box, ...]:
    """What stays as it is: the foreground's boxes, or of a crop the tightest rectangle around them."""
    boxes = foreground(things, scene)
    return (Box.around(boxes),) if how is Obscuring.CROP else boxes


def _half_seen(keep: tuple[Box, ...], scene: Scene, how: Obscuring) -> frozenset[str]:
    return half_seen(scene, keep, hidden_elsewhere=how is not Obscuring.BLUR)


def _clear(name: str, half: frozenset[str], how: Obscuring) -> bool:
    """Whether neither what is half seen nor what is painted over could be taken for a thing of this name."""
    return not (how is Obscuring.MASK and name in FLAT) and all(surely_unlike(name, other) for other in half)


def _clear_by_itself(name: str, scene: Scene, how: Obscuring) -> bool:
    """Whether it is where all things of this name are kept, and nothing else."""
    return _clear(name, _half_seen(kept(_things(name, scene), scene, how), scene, how), how)


def _things(name: str, scene: Scene) -> tuple[Thing, ...]:
    return tuple(thing for thing in scene.objects if thing.name == name)


def _all_told(name: str, scene: Scene) -> bool:
    """Whether each thing of this name has a property of the name's pool, so that it has no other."""
    pool = exclusive_pool(name)
    return single_valued(name, scene) and all(
        any(word in pool for word in thing.attributes) for thing in _things(name, scene)
    )


def _false_properties(scene: Scene, corpus: Corpus, how: Obscuring) -> list[Group]:
    return [
        Group(name=name, attributes=(word,))
        for name in countable_here(scene)
        if _all_told(name, scene) and alone(name, scene) and _clear_by_itself(name, scene, how)
        for word in seen_on(name, corpus)
        if word not in borne(name, scene)
    ]


def _false_names(scene: Scene, corpus: Corpus, things: tuple[Thing, ...], how: Obscuring) -> Iterator[str]:
    """Names that are surely absent, those first that most often occur together with the first of ``things``."""
    here = names_in(scene)
    half = _half_seen(kept(things, scene, how), scene, how)
    for name, _ in corpus.together.get(things[0].name, ()):
        if (
            name not in here
            and is_countable(name)
            and plural(name) not in here
            and _clear(name, half, how)
            and all(unrelated(name, other, scene) for other in here)
        ):
            yield name
