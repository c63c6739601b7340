"""Singular or plural: the form of a noun in its place."""

from __future__ import annotations

from enum import StrEnum

from pytest_vqamt.language.captions.determiners import Before, Count
from pytest_vqamt.language.captions.lexicon import Shape
from pytest_vqamt.language.captions.tables import class_rows, grammar


class Form(StrEnum):
    """Whether a caption speaks of one thing of a class or of several."""

    SINGULAR = "singular"
    PLURAL = "plural"
    NONE = "none"
    """The words do not tell: scissors, luggage, a train's cars, broccoli."""
