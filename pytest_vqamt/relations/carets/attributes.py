"""Arguments of the yes/no question Q4 (Jimenez et al., ACL 2022, section 4.1), and what tells one thing from others.

**Deviations**, so that no perfect perceiver contradicts the truth, are the rules of ``view``; and a false attribute, or
an antonym, is one that a thing of the name might have: one is seen on it in the data, or any thing might.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import TypeAlias

from pytest_vqamt.core.case import NotApplicable
from pytest_vqamt.core.corpus import Corpus
from pytest_vqamt.core.meaning import Group, Has
from pytest_vqamt.core.scene import Thing
from pytest_vqamt.language.questions.templates import Asking, QuestionType
from pytest_vqamt.relations.askable_scene import View
from pytest_vqamt.relations.carets import weights
from pytest_vqamt.relations.carets.arguments import Argument
from pytest_vqamt.relations.lexical_knowledge import Knowledge
from pytest_vqamt.sampling.chooser import Chooser


def attribute(view: View, choose: Chooser, yes: bool) -> Argument | NotApplicable:
    """Q4: is the A open? The true attribute is annotated, the false one excluded by one that is (rule 5)."""
    drawn = _true_and_false(view, choose, _false_beside)
    return drawn if isinstance(drawn, NotApplicable) else drawn[0 if yes else 1]


def with_antonym(view: View, choose: Chooser) -> tuple[Argument, Argument] | NotApplicable:
    """Q4, and the same with the antonym of the attribute: of one that is annotated, where its antonym is not (rule 8).

    The annotated one comes first as often as its antonym.
    """
    drawn = _true_and_false(view, choose, _antonym_beside)
    if isinstance(drawn, NotApplicable):
        return drawn
    right, wrong = drawn
    return (right, wrong) if choose.chance(0.5) else (wrong, right)


_FalseOf: TypeAlias = Callable[[View, Thing, str], tuple[tuple[str, int], ...]]


def _true_and_false(view: View, choose: Chooser, false_of: _FalseOf) -> tuple[Argument, Argument] | NotApplicable:
    """Whether the one thing has its own attribute, and whether it has one of those that ``false_of`` gives for it."""
    found = view.once(("attributes", false_of), lambda: _attributes(view, false_of))
    if not found:
        return NotApplicable(
            reason="no thing that is the only one of its kind, with an attribute that can be asked"
            if view.corpus.has_attributes
            else "the data has no attributes"
        )
    by = [weights.of_attribute(word, view.corpus) for _, word, _, _ in found]
    thing, word, groups, false = choose.weighted(found, by)
    group = choose.one(groups)
    right, wrong = (
        Argument(
            asking=Asking(type=QuestionType.ATTRIBUTE, meaning=Has(group=group, attribute=asked)),
            truth=truth,
            subject=asked,
            rests_on_the_only_one=view.is_unsure(thing.name),
        )
        for asked, truth in ((word, "yes"), (weights.drawn(choose, false), "no"))
    )
    return right, wrong


def _attributes(
    view: View, false_of: _FalseOf
) -> list[tuple[Thing, str, tuple[Group, ...], tuple[tuple[str, int], ...]]]:
    """Each thing that can be told, with an attribute of its own, the phrases for it, and false attributes."""
    return [
        (thing, word, groups, false)
        for thing in view.scene.objects
        for word in view.sayable(thing)
        if (false := false_of(view, thing, word)) and (groups := definite(view, thing, word))
    ]


def definite(view: View, thing: Thing, asked: str = "") -> tuple[Group, ...]:
    """Phrases that can mean nothing but this thing: "the A", "the red A", "the A on the B".

    None says ``asked``, or another attribute of its category.
    """
    if thing.name not in view.names:
        return ()
    bare = Group(name=thing.name)
    only = view.only_by_name(thing)
    by_relation = view.by_relation(thing, bare) if only else ()
    if view.beside_a_class:
        return by_relation
    category = view.known.kinds.category_of(asked) if asked else None
    words = (word for word in view.sayable(thing) if view.known.kinds.category_of(word) != category)
    by_attribute = (
        Group(name=thing.name, attributes=(word,)) for word in words if only or view.only_by_attribute(thing, word)
    )
    return (*((bare,) if only else ()), *by_attribute, *by_relation)


def _false_beside(view: View, thing: Thing, word: str) -> tuple[tuple[str, int], ...]:
    """Attributes of the category of ``word`` that the thing surely lacks, and that a thing of its name might have."""
    return tuple(pair for pair in plausible(view, thing.name, word) if view.lacks(thing, pair[0]))


def _antonym_beside(view: View, thing: Thing, word: str) -> tuple[tuple[str, int], ...]:
    """The antonym of ``word``, where the thing surely lacks it, and a thing of its name might have it."""
    kinds = view.known.kinds
    other = kinds.antonym(word, thing.name)
    if not other or not view.lacks(thing, other):
        return ()
    borne = {kinds.canonical(each) for each, _ in view.corpus.attributes.get(thing.name, ())}
    of_such_a_thing = kinds.category_of(word) in _OF_ANYTHING or kinds.antonym(word) is None  # listed for this name
    return ((other, 1),) if of_such_a_thing or kinds.canonical(other) in borne else ()


_OF_ANYTHING = frozenset({"color", "material", "size", "pattern", "shape", "cleanliness", "wetness", "pose"})
"""Categories of attributes that any thing might have; a moon is full, but never empty."""


def plausible(view: View, name: str, word: str) -> tuple[tuple[str, int], ...]:
    """Attributes that exclude ``word``, with how often the corpus has them: on this name, else on any."""
    return _plausible(view.corpus, view.known, name, word)


@lru_cache(maxsize=65536)
def _plausible(corpus: Corpus, known: Knowledge, name: str, word: str) -> tuple[tuple[str, int], ...]:
    kinds = known.kinds
    category = kinds.category_of(word) or ""
    borne = weights.bearers(corpus)
    of_name = [pair for pair in corpus.attributes.get(name, ()) if kinds.category_of(pair[0]) == category]
    of_any = [(other, borne[other]) for other in kinds.members(category) if other in borne]
    for counted in (of_name, of_any if category in _OF_ANYTHING else []):
        if found := tuple((other, n) for other, n in counted if kinds.excludes(word, other) and kinds.askable(other)):
            return found
    return ()
