"""Words for kinds of a class of things: "puppy" for a dog."""

from __future__ import annotations

from functools import cache

from pytest_vqamt.language.captions.lexicon import entries_by_form
from pytest_vqamt.language.captions.reading import class_of


@cache
def hyponyms(name: str) -> frozenset[str]:
    """Returns the singular words that name nothing but a kind of this class; none for other names than classes'.

    >>> "puppy" in hyponyms("dog"), hyponyms("puppy")
    (True, frozenset())
    """
    if class_of(name) != name:
        return frozenset()
    return frozenset(entry.lemma for entry in entries_by_form().values() if entry.classes == (name,))
