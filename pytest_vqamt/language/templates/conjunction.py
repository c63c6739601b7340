"""Q2, conjunctive verification: is there both a dog and a cat? And negated: is there either no dog or no cat?"""

from __future__ import annotations

from functools import lru_cache
from types import MappingProxyType

from pytest_vqamt.core.meaning import Both, Group
from pytest_vqamt.language.english.phrases import in_a_row
from pytest_vqamt.language.questions.templates import Asking
from pytest_vqamt.language.templates.fillings import Fillings, any_of, none_of, number_of, verbs
from pytest_vqamt.language.templates.templates import Templates

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
        both = each = f"either {in_a_row(map(none_of, groups), 'or')}"
    else:
        each = in_a_row(map(any_of, groups))
        both = f"both {each}" if len(groups) == 2 else each
    return MappingProxyType({"both": both, "each": each, **verbs(number_of(groups[0]))})


CONJUNCTION = Templates(asks=Both, fill=_fill_both, plain=_BOTH_PLAIN)
