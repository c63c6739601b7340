"""Q4, attribute verification: is the cup clean? Is the cup on the table clean?"""

from __future__ import annotations

from pytest_vqamt.core.meaning import Has
from pytest_vqamt.language.english.phrases import after_is
from pytest_vqamt.language.questions.templates import Asking
from pytest_vqamt.language.templates.fillings import number_of, the_one
from pytest_vqamt.language.templates.templates import Templates

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
    clean = after_is(meaning.attribute, number_of(meaning.group))
    return wording.format(clean=clean, **the_one(meaning.group))


ATTRIBUTE = Templates(asks=Has, fill=_fill_attribute, plain=_ATTRIBUTE_PLAIN, related=_ATTRIBUTE_RELATED)
