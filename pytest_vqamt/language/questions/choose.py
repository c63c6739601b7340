"""Q5, object choice: is the black animal a dog or a cat? Which animal is on the couch, a dog or a cat?"""

from __future__ import annotations

from dataclasses import replace
from functools import cache, lru_cache
from types import MappingProxyType

from pytest_vqamt.core.meaning import Choice, Group
from pytest_vqamt.language.english.nouns import counted, indefinite, is_person
from pytest_vqamt.language.english.phrases import definite, in_a_row, phrase_with_the
from pytest_vqamt.language.links import links
from pytest_vqamt.language.questions.templates import Asking
from pytest_vqamt.language.templates.fillings import Fillings, number_of, the_one
from pytest_vqamt.language.templates.templates import Templates

_BY_ATTRIBUTE = (
    "{is} {the} {options}?",
    "{is} {the} in the picture {options}?",
    "in this photo, {is} {the} {options}?",
    "looking at the image, {is} {the} {options}?",
    "would you say {the} {is} {options}?",
    "would you say that {the} in the image {is} {options}?",
    "do you think {the} {is} {options}?",
    "{does} {the} appear to be {options}?",
    "{what} {is} {the}, {options}?",
    "{what} {is} {the} in the picture, {options}?",
    "in the picture, {what} {is} {the}, {options}?",
    "what would you call {the}, {options}?",
    "what do you think {the} in this photo {is}, {options}?",
    "which of these {is} {the}: {options}?",
)

_BY_RELATION = (
    "which {animal} {is_on}, {options}?",
    "in the picture, which {animal} {is_on}, {options}?",
    "{what_kind} {is_on}, {options}?",
    "looking at the image, {what_kind} {is_on}, {options}?",
    "{is} {the} {options}?",
    "{is} {the_that} {options}?",
    "in the photo, {is} {the_that} {options}?",
    "would you say that {the} {is} {options}?",
    "do you think that {the_that} {is} {options}?",
    "{does} {the} appear to be {options}?",
    "{what} {is} {the}, {options}?",
    "what {is} {the_that}, {options}?",
    "in the picture, {what} {is} {the}, {options}?",
    "what would you call {the}, {options}?",
    "what do you think {the_that} {is}, {options}?",
    "which of these {is} {the}: {options}?",
)


def _fill_object(asking: Asking, wording: str, _: bool) -> str:
    meaning = asking.meaning
    assert isinstance(meaning, Choice)
    return wording.format(options=_things(meaning.options), **_of_a_class(meaning.what))


@lru_cache(maxsize=65536)
def _things(options: tuple[str, ...]) -> str:
    return in_a_row(map(indefinite, options), "or")


@lru_cache(maxsize=65536)
def _of_a_class(group: Group) -> Fillings:
    """The one thing of a class; of a class that is a mass, the piece of it ("the brown piece of furniture")."""
    thing = replace(group, name=counted(group.name))
    many = number_of(thing) == "plural"
    where = " and ".join(
        f"{links().in_a_clause(each.predicate, many=many)} {definite(each.to)}" for each in group.related
    )
    return MappingProxyType(
        {
            **the_one(thing),
            "animal": _unrelated(thing),
            "what": "who" if is_person(group.name) else "what",
            "what_kind": _what_kind(group),
            "is_on": where,
        }
    )


def _what_kind(group: Group) -> str:
    """What asks for the class of what is somewhere: "who is on the couch", and not "what kind of person"."""
    return "who" if is_person(group.name) and not group.attributes else f"what kind of {_unrelated(group)}"


@cache
def _unrelated(group: Group) -> str:
    return phrase_with_the(replace(group, related=()), "singular")


OBJECT_CHOICE = Templates(asks=Choice, fill=_fill_object, plain=_BY_ATTRIBUTE, related=_BY_RELATION)
