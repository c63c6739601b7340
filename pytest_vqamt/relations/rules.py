"""The rules of soundness: what a relation may ask about, so that no perfect perceiver violates it.

Each rule has the name and the sentence that docs/explanation/soundness.md has, and the function that decides it. A
docstring that cites one has its name, as in "(rule: the only one)". The functions stand in ``soundness`` where the
names in a scene are enough, in ``askable_scene`` where WordNet, the ontology or the corpus are needed, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Generic, ParamSpec, TypeVar

from pytest_vqamt.core.case import RelationInfo
from pytest_vqamt.core.salience import is_salient
from pytest_vqamt.core.scene import Thing
from pytest_vqamt.relations.askable_scene import AskableScene
from pytest_vqamt.relations.lexical_knowledge import LexicalKnowledge
from pytest_vqamt.relations.soundness import disjoint, is_countable_here, single_valued, unrelated

P = ParamSpec("P")
T = TypeVar("T", covariant=True)


@dataclass(frozen=True, slots=True)
class Rule(Generic[P, T]):
    """A rule of soundness."""

    name: str
    """Its heading in docs/explanation/soundness.md."""
    sentence: str
    """The rule in one sentence, with which its section begins."""
    check: Callable[P, T]
    """Decides it; relations call it where they choose what to ask."""


def keeps_its_meaning(known: LexicalKnowledge, word: str) -> bool:
    """The attribute means the same of another class of thing, and beside other things."""
    return not known.ontology.is_gradable(word)


def lacked_antonym(view: AskableScene, thing: Thing, word: str) -> str | None:
    """Returns the antonym of an annotated attribute; None if the thing may have that, too."""
    other = view.known.ontology.antonym(word, thing.name)
    return other if other and view.surely_lacks(thing, other) else None


def at_most_one(there: Iterable[object]) -> bool:
    """No two of them are true."""
    return sum(map(bool, there)) <= 1


def is_baseline(info: RelationInfo) -> bool:
    """The relation is tagged so: it is compared with, and gated only where it is named."""
    return "baseline" in info.tags


SALIENT = Rule(
    "Large enough to be seen",
    "A thing that must not be overlooked is salient: large enough for everybody to see.",
    is_salient,
)
DISJOINT = Rule("Disjoint groups", "Groups whose numbers are added up share no thing.", disjoint)
EXCLUSIVE = Rule(
    "Exclusive properties",
    "Two properties of one name are asked about together only where no thing can have both.",
    single_valued,
)
COUNTABLE = Rule(
    "Countable names",
    "Only what people count is counted: no grass, and no scissors, where one is a pair.",
    is_countable_here,
)
ABSENT = Rule(
    "Sure absence",
    "A name that is said to be absent is no kind, class, synonym, part or garment of what is annotated.",
    AskableScene.is_absent,
)
FALSE = Rule(
    "Sure falsehood",
    "A false attribute is asked about only where each thing of the name has one that excludes it.",
    AskableScene.surely_lacks,
)
UNIQUE = Rule(
    "The only one",
    '"The dog" is said only where one thing can be meant, before and after the edit.',
    AskableScene.is_unique_by_name,
)
UNGRADED = Rule(
    "No gradable words",
    'Words such as "small" and "old" are not asked about where the class or the surroundings change.',
    keeps_its_meaning,
)
ANTONYM = Rule(
    "Annotated antonyms",
    "An antonym replaces only an attribute that the thing is annotated with, and never one of two that are both "
    "annotated.",
    lacked_antonym,
)
ONE_SIDE = Rule(
    "One side of either",
    '"Is there a cat or a dog?" is asked with one of the two in the picture.',
    at_most_one,
)
UNTOUCHED = Rule(
    "Edits touch only what they say",
    "A question that must not change its answer is about no kind, class, part or companion of the edited thing.",
    unrelated,
)
BASELINE = Rule(
    "Invalid for a fifth",
    "A relation whose authors found a fifth of its cases or more to be invalid is kept for comparison alone.",
    is_baseline,
)
RULES = (
    SALIENT, DISJOINT, EXCLUSIVE, COUNTABLE, ABSENT, FALSE, UNIQUE, UNGRADED, ANTONYM, ONE_SIDE, UNTOUCHED, BASELINE,
)  # fmt: skip
"""In the order of docs/explanation/soundness.md."""
