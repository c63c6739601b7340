"""Arguments of the yes/no questions Q1 to Q3 (Jimenez et al., ACL 2022, section 4.1).

As many are true as false: ``yes`` says which it is to be, and a scene that cannot give both gives no question. What is
there is drawn by the weights of ``carets_arguments``; what is not there is plausible, for it is drawn by how often it
occurs
in the data together with what is.

**Deviations**, so that no perfect perceiver contradicts the truth, are the rules of ``askable_scene``; and:

- The false question with a related object names an absent subject, never a relation that is merely not annotated.
- "Either A or B" is true with exactly one of them there, and so is "either no A or no B", the partner of "both A and
  B", which is why exactly one of the two is there where the conjunction is false (rule: one side of either).
- Neither of two names is a kind of the other, and no two are of one name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from itertools import combinations
from typing import TypeAlias

from pytest_vqamt.core.case import NotApplicable
from pytest_vqamt.core.corpus import Corpus
from pytest_vqamt.core.meaning import Both, Either, Group, Has
from pytest_vqamt.core.scene import Thing
from pytest_vqamt.language.english.families import family
from pytest_vqamt.language.english.phrases import stands_before_its_noun
from pytest_vqamt.language.questions.templates import Asking, QuestionType
from pytest_vqamt.relations import carets_arguments as arguments
from pytest_vqamt.relations.askable_scene import AskableScene, related_group
from pytest_vqamt.relations.carets_arguments import Argument, existence_argument
from pytest_vqamt.relations.lexical_knowledge import LexicalKnowledge
from pytest_vqamt.relations.rules import ANTONYM, FALSE, UNIQUE
from pytest_vqamt.sampling.chooser import Chooser

_WITH_ATTRIBUTE = 0.5
_WITH_RELATION = 0.5
_SPATIAL = frozenset(
    {"on", "under", "above", "below", "near", "next to", "beside", "behind", "in front of", "in", "inside", "on top of",
     "to the left of", "to the right of"}
)  # fmt: skip
"""Predicates with any subject; those of others come from one family."""

_TOO_FEW_NAMES = NotApplicable(reason="too few kinds of things are surely there or surely absent")

_FalseOf: TypeAlias = Callable[[AskableScene, Thing, str], tuple[tuple[str, int], ...]]

_GENERAL_CATEGORIES = frozenset({"color", "material", "size", "pattern", "shape", "cleanliness", "wetness", "pose"})
"""Categories whose attributes any thing might have; a moon is full, but never empty."""


def object_argument(view: AskableScene, choose: Chooser, yes: bool) -> Argument | NotApplicable:
    """Q1: is there an A, a red A, an A on the B?"""
    names = view.nouns
    absent = _absent(view, choose)
    # Both a yes and a no must be possible in the scene, or answers would not be balanced over scenes.
    if not names or not absent:
        return _TOO_FEW_NAMES
    if choose.chance(_WITH_RELATION) and (argument := _related(view, choose, yes)):
        return argument
    if yes:
        return _exists(_present(view, choose, names), "yes")
    return _exists(*_absent_group(view, choose, names, absent))


def conjunction_argument(view: AskableScene, choose: Chooser, yes: bool) -> Argument | NotApplicable:
    """Q2: are there both an A and a B?"""
    names, absent = view.nouns, _absent(view, choose)
    pairs = _apart(view, names)
    if not pairs or not absent:
        return _TOO_FEW_NAMES
    first, second = (
        _two_present(view, choose, pairs)
        if yes
        else (
            _present(view, choose, names, one_of_two=True),
            _described_absent(view, choose, arguments.sample_by_frequency(choose, absent), one_of_two=True),
        )
    )
    return _of_two(view, QuestionType.CONJUNCTION, (first, second), choose, truth=yes, absent=() if yes else (second,))


def disjunction_argument(view: AskableScene, choose: Chooser, yes: bool) -> Argument | NotApplicable:
    """Q3: is there either an A or a B?"""
    names, absent = view.nouns, _absent(view, choose)
    if not names or not absent:
        return _TOO_FEW_NAMES
    first_false = arguments.sample_by_frequency(choose, absent)
    # "A bird or a duck" would ask for one thing twice.
    beside = [pair for pair in absent if view.known.is_apart(first_false, pair[0], view.scene)]
    if not beside:
        return _TOO_FEW_NAMES
    if yes:
        first, second = (
            _present(view, choose, names, one_of_two=True),
            _described_absent(view, choose, first_false, one_of_two=True),
        )
        return _of_two(view, QuestionType.DISJUNCTION, (first, second), choose, truth=True, absent=(second,))
    both = (
        _described_absent(view, choose, first_false, one_of_two=True),
        _described_absent(view, choose, arguments.sample_by_frequency(choose, beside), one_of_two=True),
    )
    return _of_two(view, QuestionType.DISJUNCTION, both, choose, truth=False, absent=both)


def _exists(group: Group, truth: str, unsure: bool = False) -> Argument:
    return existence_argument(group, subject=group.name, truth=truth, unsure=unsure)


def _absent(view: AskableScene, choose: Chooser) -> tuple[tuple[str, int], ...]:
    """Draws a companion and returns the absent names that are plausible beside it."""
    if not view.scene.objects:
        return ()
    return view.absent(choose.one(view.scene.objects).name)


def _apart(view: AskableScene, names: Sequence[str]) -> list[tuple[str, str]]:
    return view.cached(
        "apart", lambda: [pair for pair in combinations(names, 2) if view.known.is_apart(*pair, view.scene)]
    )


def _present(view: AskableScene, choose: Chooser, names: Sequence[str], *, one_of_two: bool = False) -> Group:
    """Draws a name in the scene, half of the time with an attribute of one of its things."""
    name = choose.weighted(names, [arguments.name_weight(name, view.corpus) for name in names])
    return _described(view, choose, name, one_of_two=one_of_two)


def _described(view: AskableScene, choose: Chooser, name: str, *, one_of_two: bool = False) -> Group:
    words = dict.fromkeys(word for thing in view.things_named(name) for word in view.askable_attributes(thing))
    return _with_one_of(words, choose, name, one_of_two=one_of_two)


def _with_one_of(words: Iterable[str], choose: Chooser, name: str, *, one_of_two: bool) -> Group:
    """Returns the name, half of the time with an attribute; with ``one_of_two``, one that cannot mean both."""
    # "A cat and a dog that is sitting" may say it of both.
    fitting = [word for word in words if not one_of_two or stands_before_its_noun(word)]
    if fitting and choose.chance(_WITH_ATTRIBUTE):
        return Group(name=name, attributes=(choose.one(fitting),))
    return Group(name=name)


def _absent_group(
    view: AskableScene, choose: Chooser, names: Sequence[str], absent: Sequence[tuple[str, int]]
) -> tuple[Group, str, bool]:
    """Draws a name with an attribute that none of its things has, or an absent name."""
    if choose.chance(_WITH_ATTRIBUTE):
        name = choose.weighted(names, [arguments.name_weight(name, view.corpus) for name in names])
        # A name that is there with a false attribute is the harder no; where there is none, an absent name.
        if words := view.false_attributes_of(name):
            return Group(name=name, attributes=(choose.one(words),)), "no", view.is_presumed(name)
    group = _described_absent(view, choose, arguments.sample_by_frequency(choose, absent))
    return group, "no", view.is_presumed(group.name)


def _described_absent(view: AskableScene, choose: Chooser, name: str, *, one_of_two: bool = False) -> Group:
    return _with_one_of(view.askable_attributes_of(name), choose, name, one_of_two=one_of_two)


def _related(view: AskableScene, choose: Chooser, yes: bool) -> Argument | None:
    """Draws "an A on the B", with an absent A if it is to be false."""
    found = [each for each in view.relations if each[0].name in view.nouns and view.absent(each[2].name)]
    if not found:
        return None
    subject, predicate, target = chosen = choose.weighted(
        found, [arguments.name_weight(subject.name, view.corpus) for subject, _, _ in found]
    )
    absent = _absent_subjects(view, chosen)
    if not absent:
        return None
    name = subject.name if yes else arguments.sample_by_frequency(choose, absent)
    group = related_group(name, predicate, Group(name=target.name))
    return _exists(group, "yes" if yes else "no", unsure=not yes and view.is_presumed(name))


def _absent_subjects(view: AskableScene, relation: tuple[Thing, str, Thing]) -> tuple[tuple[str, int], ...]:
    """Returns absent names that could be the subject of the relation."""
    subject, predicate, target = relation
    of_any = predicate in _SPATIAL
    return tuple(
        (name, n)
        for name, n in view.absent(target.name)
        # "A horse wearing a hat" is no plausible question, "a horse near a hat" is.
        if of_any or (family(subject.name) is not None and family(name) == family(subject.name))
    )


def _two_present(view: AskableScene, choose: Chooser, pairs: Sequence[tuple[str, str]]) -> tuple[Group, Group]:
    by = [arguments.name_weight(a, view.corpus) * arguments.name_weight(b, view.corpus) for a, b in pairs]
    a, b = choose.weighted(pairs, by)
    return _described(view, choose, a, one_of_two=True), _described(view, choose, b, one_of_two=True)


def _of_two(
    view: AskableScene,
    type_: QuestionType,
    groups: tuple[Group, Group],
    choose: Chooser,
    *,
    truth: bool,
    absent: tuple[Group, ...],
) -> Argument:
    subject = groups[0].name
    # The one that is there comes first in half of the cases, or the order would give the answer away.
    ordered = groups[::-1] if choose.chance(0.5) else groups
    meaning = Both(groups=ordered) if type_ is QuestionType.CONJUNCTION else Either(groups=ordered)
    return Argument(
        asking=Asking(type=type_, meaning=meaning),
        truth="yes" if truth else "no",
        subject=subject,
        rests_on_absence=any(view.is_presumed(group.name) for group in absent),
    )


# **Deviations**, so that no perfect perceiver contradicts the truth, are the rules of ``askable_scene``; and a false
# attribute, or an antonym, is one that a thing of the name might have: one is seen on it in the data, or any thing
# might.


def attribute_argument(view: AskableScene, choose: Chooser, yes: bool) -> Argument | NotApplicable:
    """Q4: is the A open? The true attribute is annotated, another excludes the false one (rule: sure falsehood)."""
    drawn = _true_and_absent_group(view, choose, _false_beside)
    return drawn if isinstance(drawn, NotApplicable) else drawn[0 if yes else 1]


def antonym_arguments(view: AskableScene, choose: Chooser) -> tuple[Argument, Argument] | NotApplicable:
    """Q4 with an annotated attribute and with its antonym (rule: annotated antonyms), in a random order."""
    drawn = _true_and_absent_group(view, choose, _antonym_beside)
    if isinstance(drawn, NotApplicable):
        return drawn
    right, wrong = drawn
    return (right, wrong) if choose.chance(0.5) else (wrong, right)


def _true_and_absent_group(
    view: AskableScene, choose: Chooser, false_of: _FalseOf
) -> tuple[Argument, Argument] | NotApplicable:
    """Draws a true argument and a false one, whose attribute comes from ``false_of``."""
    found = view.cached(("attributes", false_of), lambda: _attributes(view, false_of))
    if not found:
        return NotApplicable(
            reason="no thing that is the only one of its kind has an attribute to ask about"
            if view.corpus.has_attributes
            else "the data has no attributes"
        )
    by = [arguments.attribute_weight(word, view.corpus) for _, word, _, _ in found]
    thing, word, groups, false = choose.weighted(found, by)
    group = choose.one(groups)
    right, wrong = (
        Argument(
            asking=Asking(type=QuestionType.ATTRIBUTE, meaning=Has(group=group, attribute=asked)),
            truth=truth,
            subject=asked,
            rests_on_the_only_one=view.is_presumed(thing.name),
        )
        for asked, truth in ((word, "yes"), (arguments.sample_by_frequency(choose, false), "no"))
    )
    return right, wrong


def _attributes(
    view: AskableScene, false_of: _FalseOf
) -> list[tuple[Thing, str, tuple[Group, ...], tuple[tuple[str, int], ...]]]:
    """Returns each identifiable thing with one of its attributes, its definite phrases, and false attributes."""
    return [
        (thing, word, groups, false)
        for thing in view.scene.objects
        for word in view.askable_attributes(thing)
        if (false := false_of(view, thing, word)) and (groups := definite_phrases(view, thing, word))
    ]


def definite_phrases(view: AskableScene, thing: Thing, asked: str = "") -> tuple[Group, ...]:
    """Returns phrases that can only mean this thing: "the A", "the red A", "the A on the B".

    None has an attribute of the category of ``asked``.
    """
    if thing.name not in view.names:
        return ()
    bare = Group(name=thing.name)
    only = UNIQUE.check(view, thing)
    by_relation = view.phrases_by_relation(thing, bare) if only else ()
    category = view.known.ontology.category_of(asked) if asked else None
    # "Is the red cup blue?" answers itself.
    words = (word for word in view.askable_attributes(thing) if view.known.ontology.category_of(word) != category)
    by_attribute = (
        Group(name=thing.name, attributes=(word,)) for word in words if only or view.is_unique_by_attribute(thing, word)
    )
    return (*((bare,) if only else ()), *by_attribute, *by_relation)


def _false_beside(view: AskableScene, thing: Thing, word: str) -> tuple[tuple[str, int], ...]:
    """Returns plausible attributes of the category of ``word`` that the thing surely lacks."""
    return tuple(pair for pair in plausible_attributes(view, thing.name, word) if FALSE.check(view, thing, pair[0]))


def _antonym_beside(view: AskableScene, thing: Thing, word: str) -> tuple[tuple[str, int], ...]:
    """Returns the antonym of ``word`` if the thing surely lacks it and a thing of its name might have it."""
    kinds = view.known.ontology
    other = ANTONYM.check(view, thing, word)
    if other is None:
        return ()
    # A moon is full and never empty: the antonym must be seen on such a thing somewhere in the data.
    borne = {kinds.canonical(each) for each, _ in view.corpus.attributes.get(thing.name, ())}
    of_such_a_thing = (
        kinds.category_of(word) in _GENERAL_CATEGORIES or kinds.antonym(word) is None
    )  # listed for this name
    return ((other, 1),) if of_such_a_thing or kinds.canonical(other) in borne else ()


def plausible_attributes(view: AskableScene, name: str, word: str) -> tuple[tuple[str, int], ...]:
    """Returns attributes that exclude ``word``, with their counts in the corpus, on this name or else on any."""
    return _plausible(view.corpus, view.known, name, word)


@lru_cache(maxsize=65536)
def _plausible(corpus: Corpus, known: LexicalKnowledge, name: str, word: str) -> tuple[tuple[str, int], ...]:
    kinds = known.ontology
    category = kinds.category_of(word) or ""
    borne = arguments.attribute_counts(corpus)
    of_name = [pair for pair in corpus.attributes.get(name, ()) if kinds.category_of(pair[0]) == category]
    of_any = [(other, borne[other]) for other in kinds.members(category) if other in borne]
    # Attributes of the name first (a banana is green or yellow), else those that any thing might have.
    for counted in (of_name, of_any if category in _GENERAL_CATEGORIES else []):
        if found := tuple((other, n) for other, n in counted if kinds.excludes(word, other) and kinds.askable(other)):
            return found
    return ()
