"""What captions name: classes of things with their forms, and what must become of them once a thing was inserted."""

from __future__ import annotations

from pytest_vqamt.language.captions.number import NounForm
from pytest_vqamt.language.captions.reading import CaptionReading, class_of, classes_in, super_category
from pytest_vqamt.language.captions.verdicts import CaptionVerdict, check_appearance, check_captions, check_forms

__all__ = [
    "CaptionReading",
    "CaptionVerdict",
    "NounForm",
    "check_appearance",
    "check_captions",
    "check_forms",
    "class_of",
    "classes_in",
    "super_category",
]
