"""The relation ``view.recolour``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pytest_vqamt.core.case import Case, NotApplicable, RelationInfo, Verdict
from pytest_vqamt.core.meaning import Group
from pytest_vqamt.core.query import Answer, Task
from pytest_vqamt.core.scene import Thing
from pytest_vqamt.language.english.families import family
from pytest_vqamt.language.english.lexical_relations import COLOURS
from pytest_vqamt.language.questions import simple
from pytest_vqamt.language.questions.simple import Question
from pytest_vqamt.relations.askable_scene import AskableScene
from pytest_vqamt.relations.draw import Draw
from pytest_vqamt.relations.expectations import other_value, same_answer
from pytest_vqamt.relations.groups import QuestionKind, sample_question
from pytest_vqamt.relations.lexical_knowledge import ONTOLOGY, WORDNET, LexicalRelation
from pytest_vqamt.relations.rules import SALIENT, UNIQUE
from pytest_vqamt.relations.soundness import cannot_be_confused, certain_properties, countable_names
from pytest_vqamt.relations.view import readable_names
from pytest_vqamt.sampling.chooser import Chooser

HUES: Mapping[str, int] = {"red": 0, "green": 120, "blue": 225}
"""In degrees."""

BECOMES: Mapping[str, tuple[str, ...]] = {
    "red": ("green", "blue"),
    "orange": ("green", "blue"),
    "yellow": ("red", "blue"),
    "green": ("blue",),
    "blue": ("red", "green"),
    "purple": ("green",),
}
"""The new colours that people name right. A dark green or purple turned to red is called brown."""

_RECOLOURABLE = frozenset({"vehicle", "furniture", "clothing", "household", "kitchenware", "electronics", "plaything"})
"""Families of things that are made in any colour. Food, plants and animals are told by their colours, too."""

_ABSENT = 0.3
"""The share of questions of existence that are about what is not in the picture, as in MetaVQA."""


@dataclass(frozen=True, slots=True)
class Recolour(LexicalRelation):
    """A recoloured thing has another color, and counts as before.

    ``color`` asks for the color of the only thing of its name, before and after: the answers differ, so no model passes
    that says what color such things usually have. ``count`` and ``exists`` ask how many things of the name there are,
    and whether there is one: the answers stay.

    Found elsewhere: models give the usual color of a thing for the one it has (arXiv 2505.23941, of changed things).

    The hue is changed inside the thing's mask; lightness and saturation stay. Recoloured are made things, whose colour
    does not tell what they are, of one clear hue (red, orange, yellow, green, blue, purple), without a pattern; the new
    colour is red, green or blue and far from the old one.
    """

    info = RelationInfo(
        name="view.recolour",
        task=Task.VQA,
        source="a relation of this project, after arXiv 2505.23941",
        version=2,
        variants=("color", "count", "exists"),
        breakdown=("old", "new"),
        settings=(WORDNET, ONTOLOGY),
        directional=("color",),
    )

    def derive(self, draw: Draw) -> Case | NotApplicable:
        view = draw.view
        things = view.cached(
            ("recolourable", draw.variant == "color"), lambda: _recolourable(view, only=draw.variant == "color")
        )
        if not things:
            return NotApplicable(reason="no thing with a mask has one clear color that can be changed")
        thing, old = draw.choose.one(things)
        asked = _asked(thing, draw.variant, view, draw.choose)
        if isinstance(asked, NotApplicable):
            return asked
        new = draw.choose.one(BECOMES[old])
        recoloured = draw.picture.recolour(thing.id, old, new, HUES[new])
        return draw.case(
            draw.before_and_after(asked, recoloured),
            expected="first and second differ" if draw.variant == "color" else "first = second",
            facts=(("old", old), ("new", new)),
        )

    def judge(self, case: Case, answers: Sequence[Answer]) -> Verdict:
        return (other_value if case.variant == "color" else same_answer)(case, answers)


def _asked(thing: Thing, variant: str, view: AskableScene, choose: Chooser) -> Question | NotApplicable:
    group = Group(name=thing.name)
    if variant == "color":
        return simple.property_of(group, "color", COLOURS, choose.between(0, simple.PROPERTY_WORDINGS - 1))
    if variant == "exists" and choose.chance(_ABSENT):
        # What looks like the recoloured thing might be seen in it: a green ball may pass for an apple.
        names = [name for name in view.countable_absent if cannot_be_confused(name, thing.name)]
        if names:
            return simple.exists(Group(name=choose.one(names)), choose.between(0, simple.EXISTS_WORDINGS - 1))
    fits = readable_names(view, view.scene.frame)
    found = sample_question(view.scene, choose, QuestionKind(variant), fits.__contains__, first=group)
    return found if isinstance(found, NotApplicable) else found.question


def _recolourable(view: AskableScene, *, only: bool) -> tuple[tuple[Thing, str], ...]:
    """Returns the things that can be recoloured, with their colours; with ``only``, each the only one of its name."""
    scene = view.scene
    names = readable_names(view, scene.frame).intersection(countable_names(scene), view.nouns)
    return tuple(
        (thing, colours[0])
        for thing in scene.objects
        if thing.has_mask
        and thing.name in names
        and family(thing.name) in _RECOLOURABLE
        and SALIENT.check(thing, scene)
        and (colours := certain_properties(thing))
        and colours[0] in BECOMES
        # A checked shirt has two hues, of which the recolouring changes one.
        and not any(view.known.ontology.category_of(word) == "pattern" and word != "plain" for word in thing.attributes)
        and (not only or UNIQUE.check(view, thing))
    )
