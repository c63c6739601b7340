"""Questions about what is in the picture, for relations that edit it.

MetaVQA, Yuan et al., CVPR 2021, section 4.2: counts of one name, of two names and of things with a property
(Tables 2 and 3), and whether there is any or none. All that is asked about is in the scene, but for a property of a
thing that is to be put there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import combinations

from pytest_vqamt.core.case import Fact, NotApplicable
from pytest_vqamt.core.meaning import Group, members
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.language.questions import simple
from pytest_vqamt.language.questions.simple import Question
from pytest_vqamt.relations.soundness import borne, countable_here, disjoint, presumed, single_valued
from pytest_vqamt.sampling.chooser import Chooser


class Kind(StrEnum):
    """How the question asks: the variants of the relations that edit a picture."""

    COUNT = "count"
    EXISTS = "exists"
    ABSENT = "absent"


VARIANTS: tuple[str, ...] = tuple(kind.value for kind in Kind)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A question about groups.

    Attributes:
        present: how many of the groups are in the scene.
        shape: "one name", "two names" or "property".
        presumed: it is a count, of which some instance may be there without being annotated. What is there stays there,
            so whether there is any rests on no absence.
    """

    question: Question
    groups: tuple[Group, ...]
    present: int
    shape: str
    wording: int
    presumed: bool

    @property
    def facts(self) -> tuple[tuple[str, Fact], ...]:
        return (("present_groups", self.present), ("shape", self.shape), ("wording", self.wording))


def ask_about(
    scene: Scene,
    choose: Chooser,
    kind: Kind,
    fits: Callable[[str], bool],
    *,
    first: Group | None = None,
    bearing: tuple[str, ...] = (),
    barred: tuple[str, ...] = (),
) -> Asked | NotApplicable:
    """A question about names that fit: ``first`` and what else there may be, or any that are in the scene.

    Shapes are drawn evenly out of those that the scene can give. A name that is in the scene can be asked about where
    it is countable and ``fits``; with ``first``, whose name needs no further check, that group is asked about, alone,
    with another, or with one of the properties ``bearing``. Properties in ``barred`` are not asked about.
    """
    shapes = _shapes(scene, kind, fits, first, bearing, barred)
    if not shapes:
        return NotApplicable(reason="nothing else in the scene that can surely be asked about")
    shape = choose.one(tuple(shapes))
    groups = choose.one(shapes[shape])
    if len(groups) == 2 and choose.chance(0.5):
        groups = groups[::-1]
    wording, question = _worded(kind, groups, choose)
    return Asked(
        question=question,
        groups=groups,
        present=sum(bool(members(group, scene)) for group in groups),
        shape=shape,
        wording=wording,
        presumed=kind is Kind.COUNT and presumed((group.name for group in groups), scene),
    )


def _shapes(
    scene: Scene,
    kind: Kind,
    fits: Callable[[str], bool],
    first: Group | None,
    bearing: tuple[str, ...],
    barred: tuple[str, ...],
) -> dict[str, tuple[tuple[Group, ...], ...]]:
    """Which groups can be asked about, by shape; a shape that gives none is left out."""
    names = [name for name in countable_here(scene) if fits(name)]
    ones = [Group(name=name) for name in names]
    if first is None:
        properties = [
            Group(name=name, attributes=(word,))
            for name in names
            if single_valued(name, scene)
            for word in borne(name, scene)
            if word not in barred
        ]
        pairs = [(a, b) for a, b in combinations(ones, 2) if disjoint(a.name, b.name, scene)]
    else:
        properties = [replace(first, attributes=(word,)) for word in bearing if word not in barred]
        pairs = [(first, other) for other in ones if disjoint(first.name, other.name, scene)]
        ones = [first]
    found = {
        "one name": tuple((group,) for group in ones),
        "two names": tuple(pairs) if kind is Kind.COUNT else (),
        "property": tuple((group,) for group in properties),
    }
    return {shape: groups for shape, groups in found.items() if groups}


def _worded(kind: Kind, groups: tuple[Group, ...], choose: Chooser) -> tuple[int, Question]:
    match kind:
        case Kind.COUNT:
            wording = choose.between(0, simple.COUNT_WORDINGS - 1)
            return wording, simple.count(groups, wording)
        case Kind.EXISTS:
            wording = choose.between(0, simple.EXISTS_WORDINGS - 1)
            return wording, simple.exists(groups[0], wording)
        case Kind.ABSENT:
            wording = choose.between(0, simple.ABSENT_WORDINGS - 1)
            return wording, simple.absent(groups[0], wording)
