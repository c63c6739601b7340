"""What captions name: classes of things with their forms, and what must become of them once a thing was inserted."""

from __future__ import annotations

from pytest_vqamt.language.captions.number import Form
from pytest_vqamt.language.captions.reading import Reading, class_of, classes_in, super_category
from pytest_vqamt.language.captions.verdicts import CaptionVerdict, check, check_appearance, check_forms

__all__ = [
    "CaptionVerdict",
    "Form",
    "Reading",
    "check",
    "check_appearance",
    "check_forms",
    "class_of",
    "classes_in",
    "super_category",
]
