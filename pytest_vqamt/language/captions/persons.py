"""Who can be whom: the lady may be the woman that was named before, the man is not."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from pytest_vqamt.language.captions.tables import PERSON, people

_SEX_AND_AGE = {
    "man": ("male", "grown"),
    "woman": ("female", "grown"),
    "boy": ("male", "young"),
    "girl": ("female", "young"),
    "child": ("", "young"),
    "adult": ("", "grown"),
}


def may_be_the_same(a: str, b: str, name: str) -> bool:
    """Whether one thing of class ``name`` may be called by both words.

    >>> may_be_the_same("surfer", "man", "person"), may_be_the_same("woman", "man", "person")
    (True, False)
    >>> may_be_the_same("puppy", "dog", "dog")
    True
    """
    if name != PERSON:
        return True
    of_a, of_b = _traits().get(a, ("", "")), _traits().get(b, ("", ""))
    return all(not one or not other or one == other for one, other in zip(of_a, of_b, strict=True))


@cache
def _traits() -> Mapping[str, tuple[str, str]]:
    return {name: traits for section, traits in _SEX_AND_AGE.items() for name in people()[section]}
