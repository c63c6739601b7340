"""Q5, object choice: is the black animal a dog or a cat? Which animal is on the couch, a dog or a cat?"""

from __future__ import annotations

from dataclasses import replace
from functools import cache, lru_cache
from types import MappingProxyType

from pytest_vqamt.core.meaning import Choice, Group
from pytest_vqamt.language.english.nouns import counting_noun, indefinite, is_person
from pytest_vqamt.language.english.phrases import definite, is_material, join_phrases, links, phrase_with_the
from pytest_vqamt.language.questions.templates import Asking, Fillings, Templates, number_of, the_one

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
    return join_phrases(map(indefinite, options), "or")


@lru_cache(maxsize=65536)
def _of_a_class(group: Group) -> Fillings:
    """The one thing of a class; of a class that is a mass, the piece of it ("the brown piece of furniture")."""
    thing = replace(group, name=counting_noun(group.name))
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


# A colon keeps "doing" apart from the options, which have its form.


_ACTION_PLAIN = (
    "{is} {the} {options}?",
    "{is} {the} in the picture {options}?",
    "in this photo, {is} {the} {options}?",
    "looking at the image, {is} {the} {options}?",
    "would you say {the} {is} {options}?",
    "would you say that {the} in the picture {is} {options}?",
    "do you think {the} {is} {options}?",
    "{does} {the} appear to be {options}?",
    "what {is} {the} doing: {options}?",
    "in the picture, what {is} {the} doing: {options}?",
    "what {does} {the} in the image appear to be doing: {options}?",
    "{what_pose} {is} {the} {in_it}: {options}?",
    "in this photo, {what_pose} {is} {the} {in_it}: {options}?",
    "{what_pose} would you say {the} {is} {in_it}: {options}?",
    "{what_pose} {does} {the} appear to be {in_it}: {options}?",
)

_ACTION_RELATED = (
    "{is} {the} {options}?",
    "{is} {the_that} {options}?",
    "in the picture, {is} {the} {options}?",
    "looking at the image, {is} {the_that} {options}?",
    "would you say that {the} {is} {options}?",
    "do you think that {the_that} {is} {options}?",
    "{does} {the} appear to be {options}?",
    "what {is} {the} doing: {options}?",
    "what {is} {the_that} doing: {options}?",
    "in the photo, what {is} {the} doing: {options}?",
    "what {does} {the_that} appear to be doing: {options}?",
    "{what_pose} {is} {the} {in_it}: {options}?",
    "{what_pose} {is} {the_that} {in_it}: {options}?",
    "{what_pose} would you say {the} {is} {in_it}: {options}?",
)

_ACTION_ASKED_FOR = {
    "pose": "in",
    "position": "in",
    "sport": "doing",
    "activity": "engaged in",
    "action": "performing",
    "gesture": "making",
}
"""Of each noun that can be asked for ("what pose is the man in"), what closes the question."""


def _fill_action(asking: Asking, wording: str, _: bool) -> str:
    meaning = asking.meaning
    assert isinstance(meaning, Choice)
    return wording.format_map(_action_fillings(meaning.what, meaning.options, asking.category))


@lru_cache(maxsize=65536)
def _action_fillings(what: Group, options: tuple[str, ...], category: str) -> Fillings:
    return MappingProxyType(
        {
            **the_one(what),
            "what_pose": f"what {category}" if category in _ACTION_ASKED_FOR else "which of these",
            "in_it": _ACTION_ASKED_FOR.get(category, "doing"),
            "options": join_phrases(options, "or"),
        }
    )


ACTION_CHOICE = Templates(asks=Choice, fill=_fill_action, plain=_ACTION_PLAIN, related=_ACTION_RELATED)


_ATTRIBUTE_PLAIN = (
    "{is} {the} {red_or_blue}?",
    "{is} {the} in the picture {red_or_blue}?",
    "in the photo, {is} {the} {red_or_blue}?",
    "looking at the image, {is} {the} {red_or_blue}?",
    "would you say {the} {is} {red_or_blue}?",
    "would you say that {the} in the picture {is} {red_or_blue}?",
    "do you think {the} {is} {red_or_blue}?",
    "do you think that {the} in this photo {is} {red_or_blue}?",
    "{does} {the} appear to be {red_or_blue}?",
    "{does} {the} in the image appear to be {red_or_blue}?",
    "{what_color} {is} {the}{made}, {options}?",
    "{what_color} {is} {the} in the picture{made}, {options}?",
    "in the picture, {what_color} {is} {the}{made}, {options}?",
    "{what_color} would you say {the} {is}{made}, {options}?",
    "{what_color} do you think {the} {is}{made}, {options}?",
    "{what_color} {does} {the} appear to be{made}, {options}?",
    "{which_color} {is} {the} in this photo{made}, {options}?",
    "{which_color} would you say {the} in the image {is}{made}, {options}?",
    "{what_is_the_color}, {options}?",
    "how would you describe {the_color}, {options}?",
)

_ATTRIBUTE_RELATED = (
    "{is} {the} {red_or_blue}?",
    "{is} {the_that} {red_or_blue}?",
    "in the picture, {is} {the} {red_or_blue}?",
    "looking at the image, {is} {the_that} {red_or_blue}?",
    "would you say that {the} {is} {red_or_blue}?",
    "would you say that {the_that} {is} {red_or_blue}?",
    "do you think that {the} {is} {red_or_blue}?",
    "do you think that {the_that} {is} {red_or_blue}?",
    "{does} {the} appear to be {red_or_blue}?",
    "{does} {the_that} appear to be {red_or_blue}?",
    "{what_color} {is} {the}{made}, {options}?",
    "{what_color} {is} {the_that}{made}, {options}?",
    "in the picture, {what_color} {is} {the}{made}, {options}?",
    "in the image, {what_color} {is} {the_that}{made}, {options}?",
    "{what_color} would you say {the} {is}{made}, {options}?",
    "{what_color} do you think {the_that} {is}{made}, {options}?",
    "{which_color} {is} {the}{made}, {options}?",
    "{which_color} would you say {the_that} {is}{made}, {options}?",
    "{what_is_the_color}, {options}?",
)

_ATTRIBUTE_ASKED_FOR = frozenset(
    {
        "color", "colour", "material", "size", "shape", "pattern", "length", "height", "age", "width", "weight",
        "thickness", "depth", "texture", "breed", "brand", "style", "type", "flavor", "gender", "sex", "hair color",
        "temperature",
    }
)  # fmt: skip
"""What can be asked for with "what color is the cup". Of all else, such as how clean the cup is, no noun is said."""


def _fill_attribute(asking: Asking, wording: str, _: bool) -> str:
    meaning = asking.meaning
    assert isinstance(meaning, Choice)
    return wording.format_map(_attribute_fillings(meaning.what, meaning.options, asking.category))


@lru_cache(maxsize=65536)
def _attribute_fillings(what: Group, options: tuple[str, ...], category: str) -> Fillings:
    one = the_one(what)
    of_materials = all(map(is_material, options))
    listed = join_phrases(options, "or")
    if category in _ATTRIBUTE_ASKED_FOR:
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
    return MappingProxyType({**one, **asked_for, "options": listed, "red_or_blue": _said_of_it(options)})


def _said_of_it(options: tuple[str, ...]) -> str:
    """The options as they follow "is": "made of wood or metal", "turned on or off"."""
    listed = join_phrases(options, "or")
    if all(map(is_material, options)):
        return f"made of {listed}"
    return f"turned {listed}" if {"on", "off"}.issuperset(options) else listed


ATTRIBUTE_CHOICE = Templates(asks=Choice, fill=_fill_attribute, plain=_ATTRIBUTE_PLAIN, related=_ATTRIBUTE_RELATED)
