"""Templated questions of seven types in many wordings, with negated partners for three types.

The types of Jimenez et al., ACL 2022, section 4.1. Groups of ``Exists``, ``Both`` and ``Either`` are any of their kind
("a red cup"); the one group of ``Has`` and ``Choice``, and every group that something is related to, is the only one of
its kind in the picture and comes with "the" ("the red cup on the table").
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import lru_cache
from typing import TypeAlias

from pytest_vqamt.core.errors import VqamtError
from pytest_vqamt.core.meaning import (
    Absent,
    Both,
    Choice,
    Either,
    Exists,
    Group,
    Has,
    Meaning,
    Neither,
    NotBoth,
    groups_of,
)
from pytest_vqamt.language.english.nouns import (
    counting_noun,
    indefinite,
    is_countable,
    is_everywhere,
    is_mass,
    is_person,
    is_plural,
    with_article,
)
from pytest_vqamt.language.english.phrases import (
    Link,
    Number,
    definite,
    in_a_clause,
    is_material,
    join_phrases,
    phrase_with_the,
    predicative,
)
from pytest_vqamt.language.questions.simple import Question
from pytest_vqamt.language.tables import toml_table

Askable: TypeAlias = Exists | Both | Either | Has | Choice
Fillings: TypeAlias = Mapping[str, str]

_PREPOSITION_OF_NOUN = {
    "pose": "in",
    "position": "in",
    "sport": "doing",
    "activity": "engaged in",
    "action": "performing",
    "gesture": "making",
}
"""Of each noun for actions ("what pose is the man in"), what closes the question."""

_ATTRIBUTE_NOUNS = frozenset({
    "color", "colour", "material", "size", "shape", "pattern", "length", "height", "age", "width", "weight",
    "thickness", "depth", "texture", "breed", "brand", "style", "type", "flavor", "gender", "sex", "hair color",
    "temperature",
})  # fmt: skip
"""Nouns that can stand in "what color is the cup". Others, such as how clean the cup is, have none."""


class QuestionType(StrEnum):
    """Q1 to Q7."""

    OBJECT = "object"
    CONJUNCTION = "conjunction"
    DISJUNCTION = "disjunction"
    ATTRIBUTE = "attribute"
    OBJECT_CHOICE = "object choice"
    ATTRIBUTE_CHOICE = "attribute choice"
    ACTION_CHOICE = "action choice"


# Q5 to Q7.
CHOICE_TYPES = tuple(QuestionType)[4:]


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """A question before it is worded."""

    type: QuestionType
    """One of the seven."""
    meaning: Askable
    """Exists for Q1, Both for Q2, Either for Q3, Has for Q4, Choice for Q5 to Q7. Of Q5, ``what`` is a class ("animal")
    with an attribute or a related thing, and the options are names."""
    category: str = ""
    """Of Q6 and Q7, the noun for the options ("color", "pose"); else ""."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Templates:
    """The wordings of one question type."""

    asks: type[Askable]
    """The kind of meaning."""
    fillings: Callable[[Asking, bool], Fillings]
    """What fills the braces of a wording; negated if the flag says so and the type has negated partners."""
    plain: tuple[str, ...]
    """The wordings for things that are named by themselves."""
    related: tuple[str, ...]
    """The wordings for things that are named with another; none if the plain ones serve."""

    def applicable(self, *, related: bool) -> tuple[str, ...]:
        """Returns the wordings for a thing that is related to another, or that is not."""
        return self.related if related and self.related else self.plain


def count(type: QuestionType, related: bool) -> int:  # noqa: A002 - the word of Asking
    """Returns the number of templates for a thing that is related to another, or that is not.

    >>> count(QuestionType.OBJECT, related=True)
    36
    """
    return len(TEMPLATES[type].applicable(related=related))


@lru_cache(maxsize=65536)
def question(asking: Asking, template: int, *, negated: bool = False) -> Question:
    """Returns the question in the words of a template, or of its negated partner.

    Templates are counted from 0 among those that apply: to a thing that is related to another, or that is not.

    >>> from pytest_vqamt.core.meaning import Group
    >>> pets = Asking(type=QuestionType.CONJUNCTION, meaning=Both(groups=(Group(name="dog"), Group(name="cat"))))
    >>> question(pets, 1).text, question(pets, 1, negated=True).text
    ('Is there both a dog and a cat in the picture?', 'Is there either no dog or no cat in the picture?')

    Raises:
        VqamtError: no such template, a type without negated partners, or a meaning of another type.
    """
    templates = TEMPLATES[asking.type]
    if not isinstance(asking.meaning, templates.asks):
        raise VqamtError(f"Expected a meaning that {asking.type} asks, {templates.asks.__name__}, but got {asking!r}")
    meaning = _negation(asking.meaning) if negated else asking.meaning
    wordings = templates.applicable(related=bool(groups_of(asking.meaning)[0].related))
    if not 0 <= template < len(wordings):
        raise VqamtError(f"Expected a template from 0 to {len(wordings) - 1} of {asking.type}, but got {template=!r}")
    text = wordings[template].format_map(templates.fillings(asking, negated))
    return Question(text[0].upper() + text[1:], meaning)


def _negation(meaning: Askable) -> Meaning:
    match meaning:
        case Exists(group=group):
            return Absent(group=group)
        case Both(groups=groups):
            return NotBoth(groups=groups)
        case Either(groups=groups):
            return Neither(groups=groups)
        case _:
            raise VqamtError(f"Expected a question with a negated partner (Q1 to Q3), but got {meaning=!r}")


def number_of(group: Group) -> Number:
    """Returns the number of the verb after the noun: of a mass noun always the singular."""
    return "plural" if is_plural(group.name) and not is_mass(group.name) else "singular"


@lru_cache(maxsize=65536)
def any_of(group: Group, link: Link = "phrase") -> str:
    """Returns any one of the group: "a dog", "scissors", "grass on the hill"."""
    words = phrase_with_the(group, "singular", link)
    return words if _is_bare(group) else with_article(words)


@lru_cache(maxsize=65536)
def none_of(group: Group, link: Link = "phrase") -> str:
    """Returns none of the group: "no dog", "no scissors", "no grass on the hill"."""
    return f"no {phrase_with_the(group, 'singular', link)}"


@lru_cache(maxsize=65536)
def the_one(group: Group) -> Fillings:
    """Returns the fillings for questions about the one thing of a group.

    >>> scissors = the_one(Group(name="scissors"))
    >>> scissors["the"], scissors["is"], scissors["does"]
    ('the scissors', 'are', 'do')
    """
    return {"the": definite(group), "the_that": definite(group, "clause"), **_verbs(group)}


@lru_cache(maxsize=65536)
def existing(group: Group, negated: bool) -> Fillings:
    """Returns the fillings for questions about the presence of a group, or its absence.

    Before plurals and masses a question has "any"; a statement that may be true or not has nothing ("that there is
    grass"). ``any_many`` is in the plural if the noun has one.

    >>> existing(Group(name="water"), False)["some"], existing(Group(name="apple"), False)["any_many"]
    ('any water', 'any apples')
    >>> existing(Group(name="apple"), True)["some"]
    'no apple'
    """
    counted = is_countable(group.name)
    several = phrase_with_the(group, "plural") if counted else ""
    if negated:
        some = a = none_of(group)
        some_that = a_that = none_of(group, "clause")
    else:
        a, a_that = any_of(group), any_of(group, "clause")
        # "Is there any grass", but "is it true that there is grass".
        some, some_that = (f"any {a}", f"any {a_that}") if _is_bare(group) else (a, a_that)
    return {
        "some": some,
        "some_that": some_that,
        "a": a,
        "a_that": a_that,
        "any_many": f"{'no' if negated else 'any'} {several}" if counted else some,
        "are": "are" if counted else _verbs(group)["is"],
        **_verbs(group),
    }


def _is_bare(group: Group) -> bool:
    # "Is there any sky", but "is there a blue sky".
    undescribed = not group.attributes and is_everywhere(group.name)
    return is_plural(group.name) or is_mass(group.name) or undescribed


def _verbs(group: Group) -> Fillings:
    return {"is": "are", "does": "do"} if number_of(group) == "plural" else {"is": "is", "does": "does"}


def _fill_object(asking: Asking, negated: bool) -> Fillings:
    assert isinstance(asking.meaning, Exists)
    return existing(asking.meaning.group, negated)


def _fill_both(asking: Asking, negated: bool) -> Fillings:
    """The verb agrees with the first group, as it does in speech ("is there a cup and scissors")."""
    assert isinstance(asking.meaning, Both)
    groups = asking.meaning.groups
    if negated:
        # Not both there: "is there either no dog or no cat".
        both = each = f"either {join_phrases(map(none_of, groups), 'or')}"
    else:
        each = join_phrases(map(any_of, groups))
        both = f"both {each}" if len(groups) == 2 else each
    return {"both": both, "each": each, **_verbs(groups[0])}


def _fill_either(asking: Asking, negated: bool) -> Fillings:
    assert isinstance(asking.meaning, Either)
    groups = asking.meaning.groups
    words = join_phrases(map(none_of, groups)) if negated else f"either {join_phrases(map(any_of, groups), 'or')}"
    return {"either": words, **_verbs(groups[0])}


def _fill_attribute(asking: Asking, _: bool) -> Fillings:
    meaning = asking.meaning
    assert isinstance(meaning, Has)
    return {"clean": predicative(meaning.attribute, number_of(meaning.group)), **the_one(meaning.group)}


def _fill_object_choice(asking: Asking, _: bool) -> Fillings:
    """Of a class that is a mass, the one thing is a piece of it ("the brown piece of furniture")."""
    assert isinstance(asking.meaning, Choice)
    group = asking.meaning.what
    thing = replace(group, name=counting_noun(group.name))
    many = number_of(thing) == "plural"
    where = " and ".join(f"{in_a_clause(each.predicate, many=many)} {definite(each.to)}" for each in group.related)
    is_who = is_person(group.name)
    return {
        **the_one(thing),
        "options": join_phrases(map(indefinite, asking.meaning.options), "or"),
        "animal": _unrelated(thing),
        "what": "who" if is_who else "what",
        # "Who is on the couch", and not "what kind of person".
        "what_kind": "who" if is_who and not group.attributes else f"what kind of {_unrelated(group)}",
        "is_on": where,
    }


def _unrelated(group: Group) -> str:
    return phrase_with_the(replace(group, related=()), "singular")


def _fill_action_choice(asking: Asking, _: bool) -> Fillings:
    assert isinstance(asking.meaning, Choice)
    category = asking.category
    return {
        **the_one(asking.meaning.what),
        "what_pose": f"what {category}" if category in _PREPOSITION_OF_NOUN else "which of these",
        "in_it": _PREPOSITION_OF_NOUN.get(category, "doing"),
        "options": join_phrases(asking.meaning.options, "or"),
    }


def _fill_attribute_choice(asking: Asking, _: bool) -> Fillings:
    assert isinstance(asking.meaning, Choice)
    category, options = asking.category, asking.meaning.options
    one = the_one(asking.meaning.what)
    of_materials = all(map(is_material, options))
    if category in _ATTRIBUTE_NOUNS:
        asked_for = {
            "what_color": f"what {category}",
            "which_color": f"which {category}",
            "what_is_the_color": f"what is the {category} of {one['the']}",
            "the_color": f"the {category} of {one['the']}",
            "made": " made of" if of_materials and category == "material" else "",
        }
    else:
        asked_for = {
            "what_color": "which",
            "which_color": "which of these",
            "what_is_the_color": f"how {one['does']} {one['the']} look",
            "the_color": one["the"],
            "made": "",
        }
    listed = join_phrases(options, "or")
    # "Is the lamp turned on or off", "is the table made of wood or glass".
    said = f"made of {listed}" if of_materials else f"turned {listed}" if {"on", "off"}.issuperset(options) else listed
    return {**one, **asked_for, "options": listed, "red_or_blue": said}


def _templates(
    type_: QuestionType, asks: type[Askable], fillings: Callable[[Asking, bool], Fillings]
) -> tuple[QuestionType, Templates]:
    table: Mapping[str, list[str]] = toml_table("questions/wordings.toml")[type_]
    related = table.get("related", [])
    if type_ is QuestionType.OBJECT:
        # Each is used twice, "the cup on the table" and "the cup that is on the table".
        related = related + [each.replace("{some}", "{some_that}").replace("{a}", "{a_that}") for each in related]
    return type_, Templates(
        asks=asks,
        # One asking is worded in all its templates.
        fillings=lru_cache(maxsize=65536)(fillings),
        plain=tuple(table["plain"]),
        related=tuple(related),
    )


TEMPLATES: Mapping[QuestionType, Templates] = dict(
    (
        _templates(QuestionType.OBJECT, Exists, _fill_object),
        _templates(QuestionType.CONJUNCTION, Both, _fill_both),
        _templates(QuestionType.DISJUNCTION, Either, _fill_either),
        _templates(QuestionType.ATTRIBUTE, Has, _fill_attribute),
        _templates(QuestionType.OBJECT_CHOICE, Choice, _fill_object_choice),
        _templates(QuestionType.ATTRIBUTE_CHOICE, Choice, _fill_attribute_choice),
        _templates(QuestionType.ACTION_CHOICE, Choice, _fill_action_choice),
    )
)
