"""Planted faults in reading questions: in what words stand for, in negation, in the order and the wording."""

from __future__ import annotations

from dataclasses import replace

from pytest_vqamt.core.meaning import Absent, Both, Choice, Count, Either, Exists, Group, Has, Meaning, Neither, NotBoth
from pytest_vqamt.core.query import Query
from pytest_vqamt.language.ontology import ontology
from pytest_vqamt.models.reference.oracle import known, say
from pytest_vqamt.models.wrong_answers import another, off_by, told


def ignores_negation(query: Query) -> str:
    """Answers as if nothing had been negated."""
    match query.meaning:
        case Absent(group=group):
            return told(query, Exists(group=group))
        case Neither(groups=groups):
            return told(query, Either(groups=groups))
    return ignores_not_both(query)


def ignores_not_both(query: Query) -> str:
    """Takes "either no A or no B" for "both A and B"."""
    if isinstance(query.meaning, NotBoth):
        return told(query, Both(groups=query.meaning.groups))
    return say(known(query))


def hypernym_blind(query: Query) -> str:
    """Does not know that a dog is an animal: sees only what bears the very name."""
    match query.meaning:
        case Exists(group=group) | Absent(group=group):
            meaning: Meaning = replace(query.meaning, group=_by_name(group))
        case Both(groups=groups) | NotBoth(groups=groups) | Either(groups=groups) | Neither(groups=groups):
            meaning = replace(query.meaning, groups=tuple(map(_by_name, groups)))
        case Has(group=group):
            meaning = replace(query.meaning, group=_beside(group))
        case Choice(what=what):
            meaning = replace(query.meaning, what=_beside(what))
        case _:
            return say(known(query))
    return told(query, meaning)


def antonym_blind(query: Query) -> str:
    """Takes "closed" for "open"."""
    if isinstance(query.meaning, Has):
        words = (query.meaning.attribute, *ontology().antonyms(query.meaning.attribute))
        seen = (told(query, replace(query.meaning, attribute=word)) for word in words)
        return say(say(True) in seen)
    return say(known(query))


def first_choice(query: Query) -> str:
    """Takes the first of the choices, whatever is right."""
    return query.meaning.options[0] if isinstance(query.meaning, Choice) else say(known(query))


def order_sensitive(query: Query) -> str:
    """Is wrong where the groups or the choices are not named in the order of the alphabet."""
    match query.meaning:
        case Count(groups=groups) if _unsorted(groups):
            return off_by(query, 1)
        case Both(groups=groups) | NotBoth(groups=groups) | Either(groups=groups) | Neither(groups=groups):
            return _wrong(query) if _unsorted(groups) else say(known(query))
        case Choice(options=options) if list(options) != sorted(options):
            return _wrong(query)
    return say(known(query))


def template_sensitive(query: Query) -> str:
    """Is wrong about yes/no questions and choices that are put in an odd number of words."""
    asked = isinstance(query.meaning, Exists | Absent | Both | NotBoth | Either | Neither | Has | Choice)
    return _wrong(query) if asked and len(query.text.split()) % 2 else say(known(query))


def reads_last(query: Query) -> str:
    """Is wrong where a text holds several questions: it answers the last."""
    return _wrong(query) if query.text.count("?") > 1 else say(known(query))


def _wrong(query: Query) -> str:
    """Another answer of the same kind; of choices, another one."""
    value = known(query)
    if isinstance(query.meaning, Choice):
        return next((option for option in query.meaning.options if option != value), "something else")
    return say(another(value))


def _unsorted(groups: tuple[Group, ...]) -> bool:
    phrases = [" ".join((*group.attributes, group.name)) for group in groups]
    return phrases != sorted(phrases)


def _by_name(group: Group) -> Group:
    return replace(_beside(group), covers=())


def _beside(group: Group) -> Group:
    """The group, with what it stands in a relation to by its very name."""
    return replace(group, related=tuple(replace(condition, to=_by_name(condition.to)) for condition in group.related))
