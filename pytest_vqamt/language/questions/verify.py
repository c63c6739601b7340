"""Q1, object verification: is there a dog? Is there a cup on the table? And negated: is there no dog?"""

from __future__ import annotations

from functools import lru_cache
from types import MappingProxyType

from pytest_vqamt.core.meaning import Both, Either, Exists, Group, Has
from pytest_vqamt.language.english.phrases import join_phrases, predicative
from pytest_vqamt.language.questions.templates import (
    Asking,
    Fillings,
    Templates,
    any_of,
    existing,
    none_of,
    number_of,
    the_one,
    verbs,
)

_OBJECT_PLAIN = (
    "{is} there {some}?",
    "{is} there {some} in the picture?",
    "{is} there {some} anywhere in the picture?",
    "{is} there {some} in this photo?",
    "{is} there {some} anywhere in this image?",
    "in the picture, {is} there {some}?",
    "{are} there {any_many} visible in the image?",
    "do you see {some}?",
    "do you see {some} in the picture?",
    "do you see {some} anywhere in this photo?",
    "looking at the image, do you see {some}?",
    "does it look like there {is} {some} in the picture?",
    "does it look like there {is} {some} anywhere in the image?",
    "does the picture show {some}?",
    "does this photo show {any_many}?",
    "does the image contain {some}?",
    "does the picture have {some} in it?",
    "would you say there {is} {a} in the picture?",
    "is it true that there {is} {a} in the picture?",
    "do you think there {is} {some} in this image?",
)

_OBJECT_RELATED = (
    "{is} there {some}?",
    "{is} there {some} in the picture?",
    "{is} there {some} anywhere in the picture?",
    "{is} there {some} in this photo?",
    "{is} there {some} anywhere in this image?",
    "in the picture, {is} there {some}?",
    "do you see {some}?",
    "do you see {some} in the picture?",
    "do you see {some} anywhere in this photo?",
    "looking at the image, do you see {some}?",
    "does it look like there {is} {some}?",
    "does it look like there {is} {some} in the picture?",
    "does it look like there {is} {some} anywhere in the image?",
    "does the picture show {some}?",
    "does this photo show {some}?",
    "would you say there {is} {a}?",
    "is it true that there {is} {a} in the picture?",
    "do you think there {is} {some} in this image?",
)


def _fill_object(asking: Asking, wording: str, negated: bool) -> str:
    assert isinstance(asking.meaning, Exists)
    return wording.format_map(existing(asking.meaning.group, negated))


OBJECT = Templates(
    asks=Exists,
    fill=_fill_object,
    plain=_OBJECT_PLAIN,
    related=(
        *_OBJECT_RELATED,
        *(each.replace("{some}", "{some_that}").replace("{a}", "{a_that}") for each in _OBJECT_RELATED),
    ),
)
"""The related wordings come twice: "a cup on the table" and "a cup that is on the table"."""


_ATTRIBUTE_PLAIN = (
    "{is} {the} {clean}?",
    "{is} {the} in the picture {clean}?",
    "{is} {the} in this photo {clean}?",
    "in the picture, {is} {the} {clean}?",
    "looking at the image, would you say {the} {is} {clean}?",
    "{does} {the} appear to be {clean}?",
    "{does} {the} in the image seem to be {clean}?",
    "does it look like {the} {is} {clean}?",
    "does it look like {the} in the picture {is} {clean}?",
    "does it seem that {the} in the photo {is} {clean}?",
    "would you say {the} {is} {clean}?",
    "would you say that {the} in the picture {is} {clean}?",
    "do you think {the} {is} {clean}?",
    "do you think that {the} in this photo {is} {clean}?",
    "is it true that {the} {is} {clean}?",
    "is it true that {the} in the picture {is} {clean}?",
)

_ATTRIBUTE_RELATED = (
    "{is} {the} {clean}?",
    "{is} {the_that} {clean}?",
    "in the picture, {is} {the} {clean}?",
    "in the image, {is} {the_that} {clean}?",
    "{does} {the} appear to be {clean}?",
    "{does} {the_that} seem to be {clean}?",
    "does it look like {the} {is} {clean}?",
    "does it look like {the_that} {is} {clean}?",
    "would you say that {the} {is} {clean}?",
    "do you think that {the_that} {is} {clean}?",
    "is it true that {the} {is} {clean}?",
    "is it true that {the_that} {is} {clean}?",
)


def _fill_attribute(asking: Asking, wording: str, _: bool) -> str:
    meaning = asking.meaning
    assert isinstance(meaning, Has)
    clean = predicative(meaning.attribute, number_of(meaning.group))
    return wording.format(clean=clean, **the_one(meaning.group))


ATTRIBUTE = Templates(asks=Has, fill=_fill_attribute, plain=_ATTRIBUTE_PLAIN, related=_ATTRIBUTE_RELATED)


_BOTH_PLAIN = (
    "{is} there {both}?",
    "{is} there {both} in the picture?",
    "{is} there {both} anywhere in the picture?",
    "{is} there {both} in this photo?",
    "{is} there {each} in this image?",
    "in the image, {is} there {both}?",
    "do you see {both}?",
    "do you see {both} in the picture?",
    "do you see {each} anywhere in the photo?",
    "looking at the picture, do you see {both}?",
    "does it look like there {is} {both} in the picture?",
    "does it look like there {is} {both} anywhere in this photo?",
    "does the picture show {both}?",
    "does the image show {each}?",
    "does this photo contain {both}?",
    "does the picture have {both} in it?",
    "would you say there {is} {both} in the picture?",
    "is it true that there {is} {both} in the picture?",
    "do you think there {is} {both} in the photo?",
)


def _fill_both(asking: Asking, wording: str, negated: bool) -> str:
    assert isinstance(asking.meaning, Both)
    return wording.format_map(_both_fillings(asking.meaning.groups, negated))


@lru_cache(maxsize=65536)
def _both_fillings(groups: tuple[Group, ...], negated: bool) -> Fillings:
    """The groups in a row; the verb agrees with the first, as it does in speech ("is there a cup and scissors")."""
    if negated:
        both = each = f"either {join_phrases(map(none_of, groups), 'or')}"
    else:
        each = join_phrases(map(any_of, groups))
        both = f"both {each}" if len(groups) == 2 else each
    return MappingProxyType({"both": both, "each": each, **verbs(number_of(groups[0]))})


CONJUNCTION = Templates(asks=Both, fill=_fill_both, plain=_BOTH_PLAIN)


# "Either" always stands there: "is there a dog or a cat?" could be answered by which of them there is.


_EITHER_PLAIN = (
    "{is} there {either}?",
    "{is} there {either} in the picture?",
    "{is} there {either} anywhere in the picture?",
    "{is} there {either} in this photo?",
    "{is} there {either} anywhere in this image?",
    "in the image, {is} there {either}?",
    "do you see {either}?",
    "do you see {either} in the picture?",
    "do you see {either} anywhere in the photo?",
    "looking at the picture, do you see {either}?",
    "does it look like there {is} {either} in the picture?",
    "does it look like there {is} {either} anywhere in this photo?",
    "does the picture show {either}?",
    "does this photo contain {either}?",
    "does the picture have {either} in it?",
    "would you say there {is} {either} in the picture?",
    "is it true that there {is} {either} in the picture?",
    "do you think there {is} {either} in the photo?",
)


def _fill_either(asking: Asking, wording: str, negated: bool) -> str:
    assert isinstance(asking.meaning, Either)
    return wording.format_map(_either_fillings(asking.meaning.groups, negated))


@lru_cache(maxsize=65536)
def _either_fillings(groups: tuple[Group, ...], negated: bool) -> Fillings:
    words = join_phrases(map(none_of, groups)) if negated else f"either {join_phrases(map(any_of, groups), 'or')}"
    return MappingProxyType({"either": words, **verbs(number_of(groups[0]))})


DISJUNCTION = Templates(asks=Either, fill=_fill_either, plain=_EITHER_PLAIN)
