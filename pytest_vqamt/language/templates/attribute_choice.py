"""Q6, attribute choice: what color is the cup, red or blue? Is the cup on the table red or blue?"""

from __future__ import annotations

from functools import lru_cache
from types import MappingProxyType

from pytest_vqamt.core.meaning import Choice, Group
from pytest_vqamt.language.english.phrases import in_a_row, is_material
from pytest_vqamt.language.questions.templates import Asking
from pytest_vqamt.language.templates.fillings import Fillings, the_one
from pytest_vqamt.language.templates.templates import Templates

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
    listed = in_a_row(options, "or")
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
    listed = in_a_row(options, "or")
    if all(map(is_material, options)):
        return f"made of {listed}"
    return f"turned {listed}" if {"on", "off"}.issuperset(options) else listed


ATTRIBUTE_CHOICE = Templates(asks=Choice, fill=_fill_attribute, plain=_ATTRIBUTE_PLAIN, related=_ATTRIBUTE_RELATED)
