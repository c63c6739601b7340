"""Singular or plural: the form of a noun in its place."""

from __future__ import annotations

from enum import StrEnum

from pytest_vqamt.language.captions.lexicon import Shape
from pytest_vqamt.language.captions.number import Before, Count
from pytest_vqamt.language.captions.tables import grammar


class Form(StrEnum):
    """Whether a caption speaks of one thing of a class or of several."""

    SINGULAR = "singular"
    PLURAL = "plural"
    NONE = "none"
    """The words do not tell: scissors, luggage, broccoli, the cars of a train."""


def form_of(shape: Shape, said: Before, words: tuple[str, ...], end: int, *, is_food: bool) -> Form:
    """The form of a noun that ends before ``end``, by its own shape and what is said before it.

    Number words and groups make plural whatever the noun looks like ("two giraffe"). Food without an article is a mass
    ("eating pizza"); what looks the same in both numbers goes by its verb, and is a plural without an article
    ("sheep in a field").
    """
    if shape is Shape.LACKING:
        return Form.NONE
    if shape is Shape.MANY:
        return Form.PLURAL
    stuff = shape is Shape.MASS or is_food
    if said.count is Count.SEVERAL or (said.count is Count.GROUP and (said.counts or not stuff)):
        return Form.PLURAL
    if shape is Shape.BOTH:
        return _of_both(said, words, end)
    if said.count is Count.ONE:
        return Form.SINGULAR
    if said.count is Count.PIECE and stuff:
        return Form.SINGULAR
    bare = not (said.definite or said.owned)
    if shape is Shape.MASS or (is_food and bare):
        return Form.NONE
    return Form.SINGULAR


def _of_both(said: Before, words: tuple[str, ...], end: int) -> Form:
    """The form of a word such as "sheep"."""
    if said.count is Count.ONE:
        return Form.SINGULAR
    at = end + 1 if words[end : end + 1] in (("that",), ("which",), ("who",)) else end
    verb = words[at] if at < len(words) else ""
    if verb in grammar().singular_verbs:
        return Form.SINGULAR
    if verb in grammar().plural_verbs:
        return Form.PLURAL
    return Form.NONE if said.definite or said.owned else Form.PLURAL
