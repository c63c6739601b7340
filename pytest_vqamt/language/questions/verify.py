"""Q1, object verification: is there a dog? Is there a cup on the table? And negated: is there no dog?"""

from __future__ import annotations

from pytest_vqamt.core.meaning import Exists
from pytest_vqamt.language.questions.templates import Asking
from pytest_vqamt.language.templates.fillings import existing
from pytest_vqamt.language.templates.templates import Templates

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
