"""Words for kinds of a class of things: "puppy" for a dog."""

from __future__ import annotations

from functools import cache

from pytest_vqamt.language.captions.lexicon import class_rows, entries_by_form
from pytest_vqamt.language.captions.reading import class_of


@cache
def hyponyms(name: str) -> frozenset[str]:
    """Returns the singular words that name nothing but a kind of this class, or of this super-category of classes.

    >>> "puppy" in hyponyms("dog"), "puppy" in hyponyms("animal"), hyponyms("puppy")
    (True, True, frozenset())
    """
    classes = {(name,)} if class_of(name) == name else _classes_of_kind(name)
    return frozenset(entry.lemma for entry in entries_by_form().values() if entry.classes in classes)


def _classes_of_kind(kind: str) -> set[tuple[str, ...]]:
    return {(name,) for name, row in class_rows().items() if row.kind == kind} if kind in _KINDS else set()


_KINDS = ("animal", "vehicle", "food")
"""Super-categories that name what their classes are; those of "kitchen" are no kitchens, and plants no furniture."""
