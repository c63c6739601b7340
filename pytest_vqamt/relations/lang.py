"""The relation ``lang.switch``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pytest_vqamt.core.case import Case, Fact, NotApplicable, PairKind, RelationInfo
from pytest_vqamt.core.meaning import Choice, Group
from pytest_vqamt.core.query import Task
from pytest_vqamt.core.scene import Thing
from pytest_vqamt.language.english.lexical_relations import COLOURS, exclusive_pool
from pytest_vqamt.language.questions import simple, templates
from pytest_vqamt.language.questions.simple import Question
from pytest_vqamt.language.questions.templates import Asking, QuestionType
from pytest_vqamt.language.translations.translated import LANGUAGES, Language, language
from pytest_vqamt.relations.askable_scene import AskableScene
from pytest_vqamt.relations.draw import Draw
from pytest_vqamt.relations.expectations import same_answer
from pytest_vqamt.relations.lexical_knowledge import ONTOLOGY, WORDNET, LexicalRelation
from pytest_vqamt.relations.rules import FALSE, UNIQUE
from pytest_vqamt.relations.soundness import certain_properties, corpus_properties, countable_names
from pytest_vqamt.sampling.chooser import Chooser

_PRESENT = 0.5
"""The share of names that are there, among those of which it is asked whether there is one."""

_MANY = 5
"""The number of things from which on reports do not tell counts apart."""


@dataclass(frozen=True, slots=True)
class Switch(LexicalRelation):
    """A question has the same answer in another language.

    Asked is whether there is one, how many there are, or which of two colours the one thing has: in English, and in
    German, French, Spanish, Chinese, Japanese or Portuguese with "Answer in English." at the end. A relation of this
    project. xGQA (Pfeiffer et al., Findings of ACL 2022, arXiv 2109.06082) compares accuracies over languages; here one
    model's answers are compared with each other.

    Wordings and nouns are curated by hand (``language.translations``). So that no perfect perceiver violates it:

    - Only names are asked about whose noun covers the same things as the English one. "Chair" has none in German: a
      Stuhl is no Sessel.
    - Nothing else in the scene goes by the name, nor by its noun or a compound with it: no 马 where there is a 斑马.
    - Names are countable, and absent ones are surely absent, as in MetaVQA (``metavqa.groups``).
    - The colour is the thing's only one, and the thing the only one of its name; it surely lacks the other colour.
    - No names are offered as choices: who is asked for a Fernseher may answer "television" for "tv".

    Nothing but the language changes, so no case is presumed. The contrast asks the English question.
    """

    info = RelationInfo(
        name="lang.switch",
        task=Task.VQA,
        source="a relation of this project; languages as in Pfeiffer et al., xGQA, Findings of ACL 2022",
        version=2,
        variants=tuple(LANGUAGES),
        breakdown=("kind", "truth"),
        settings=(WORDNET, ONTOLOGY),
        pairs=PairKind.SAME,
        contrast=0,
    )
    expect = same_answer

    def derive(self, draw: Draw) -> Case | NotApplicable:
        view, other = draw.view, language(draw.variant)
        # The kinds in a random order, until one applies: few scenes have one thing of one colour.
        for kind in draw.choose.several(_KINDS, len(_KINDS)):
            if (asked := kind(view, other, draw.choose)) is not None:
                return draw.case(
                    draw.here((asked.english, asked.foreign)),
                    expected="first = second",
                    facts=asked.facts,
                )
        return NotApplicable(reason="no thing in the picture has a noun in the language that means the same things")


@dataclass(frozen=True, slots=True, kw_only=True)
class _TwoWordings:
    english: Question
    """The source question."""
    foreign: Question
    """The same in the other language, with "Answer in English." at its end."""
    facts: tuple[tuple[str, Fact], ...]
    """Its kind, its truth, and both wordings."""


def _there(view: AskableScene, other: Language) -> tuple[str, ...]:
    """Returns the countable names in the scene with a noun, which nothing else in it goes by."""
    return view.cached(
        ("there", other),
        lambda: tuple(
            name
            for name in countable_names(view.scene)
            if name in view.nouns and other.is_clear(name, view.annotated_names) and view.is_unambiguous(name)
        ),
    )


def _absent(view: AskableScene, other: Language) -> tuple[str, ...]:
    return view.cached(
        ("absent", other),
        lambda: tuple(name for name in view.countable_absent if other.is_clear(name, view.annotated_names)),
    )


def _exists(view: AskableScene, other: Language, choose: Chooser) -> _TwoWordings | None:
    is_there = choose.chance(_PRESENT)
    names = _there(view, other) if is_there else _absent(view, other)
    if not names:
        return None
    name, ours, theirs = _drawn(names, "exists", simple.EXISTS_WORDINGS, other, choose)
    return _TwoWordings(
        english=simple.exists(Group(name=name), ours),
        foreign=other.exists(name, theirs),
        facts=_facts("exists", "yes" if is_there else "no", name, ours, theirs),
    )


def _count(view: AskableScene, other: Language, choose: Chooser) -> _TwoWordings | None:
    names = _there(view, other)
    if not names:
        return None
    name, ours, theirs = _drawn(names, "count", simple.COUNT_WORDINGS, other, choose)
    number = sum(thing.name == name for thing in view.scene.objects)
    return _TwoWordings(
        english=simple.count(Group(name=name), ours),
        foreign=other.count(name, theirs),
        facts=_facts("count", str(number) if number < _MANY else f"{_MANY} or more", name, ours, theirs),
    )


def _colour(view: AskableScene, other: Language, choose: Chooser) -> _TwoWordings | None:
    coloured = view.cached(("coloured", other), lambda: _coloured(view, other))
    if not coloured:
        return None
    thing, own, lacking = choose.one(coloured)
    colours = choose.several((own, choose.one(lacking)), 2)
    _, ours, theirs = _drawn(
        (thing.name,), "choice", templates.count(QuestionType.ATTRIBUTE_CHOICE, related=False), other, choose
    )
    asking = Asking(
        type=QuestionType.ATTRIBUTE_CHOICE,
        meaning=Choice(what=Group(name=thing.name), options=colours),
        category=view.known.ontology.noun("color"),
    )
    return _TwoWordings(
        english=templates.question(asking, ours),
        foreign=other.choice(thing.name, colours, theirs),
        facts=_facts("colour", own, thing.name, ours, theirs),
    )


def _coloured(view: AskableScene, other: Language) -> tuple[tuple[Thing, str, tuple[str, ...]], ...]:
    """Returns the only things of their names, with their colour and the colours that they surely lack."""
    found = []
    names = _there(view, other)
    for thing in view.scene.objects:
        if thing.name not in names or exclusive_pool(thing.name) is not COLOURS or not UNIQUE.check(view, thing):
            continue
        for own in certain_properties(thing):
            lacking = tuple(
                word
                for word in corpus_properties(thing.name, view.corpus)
                # An orange that is orange would name the fruit.
                if word in other.colours and word != thing.name and FALSE.check(view, thing, word)
            )
            if own in other.colours and own != thing.name and own in view.askable_attributes(thing) and lacking:
                found.append((thing, own, lacking))
    return tuple(found)


_KINDS: tuple[Callable[[AskableScene, Language, Chooser], _TwoWordings | None], ...] = (_exists, _count, _colour)


def _drawn(names: tuple[str, ...], kind: str, wordings: int, other: Language, choose: Chooser) -> tuple[str, int, int]:
    """Draws a name, an English wording and a foreign one."""
    return (
        choose.one(names),
        choose.between(0, wordings - 1),
        choose.between(0, len(other.wordings[kind]) - 1),
    )


def _facts(kind: str, truth: str, name: str, ours: int, theirs: int) -> tuple[tuple[str, Fact], ...]:
    return (
        ("kind", kind),
        ("truth", truth),
        ("subject", name),
        ("wording", ours),
        ("other_wording", theirs),
    )
