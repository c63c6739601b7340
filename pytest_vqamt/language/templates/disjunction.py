"""Q3, disjunctive verification: is there either a dog or a cat? And negated: is there no dog and no cat?

"Either" always stands there: "is there a dog or a cat?" could be answered by which of them there is.
"""

from __future__ import annotations

from functools import lru_cache
from types import MappingProxyType

from pytest_vqamt.core.meaning import Either, Group
from pytest_vqamt.language.english.phrases import in_a_row
from pytest_vqamt.language.questions.templates import Asking
from pytest_vqamt.language.templates.fillings import Fillings, any_of, none_of, number_of, verbs
from pytest_vqamt.language.templates.templates import Templates

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
    words = in_a_row(map(none_of, groups)) if negated else f"either {in_a_row(map(any_of, groups), 'or')}"
    return MappingProxyType({"either": words, **verbs(number_of(groups[0]))})


DISJUNCTION = Templates(asks=Either, fill=_fill_either, plain=_EITHER_PLAIN)
