"""Answers read back into values: numbers, yes and no, options, labels.

What cannot be read is an `Unread` with its reason; empty answers and refusals have reasons of their own.
"""

from __future__ import annotations

from pytest_vqamt.language.answers.choices import read_choice, read_label
from pytest_vqamt.language.answers.counts import Quantifier, read_count
from pytest_vqamt.language.answers.text import Unreadable, UnreadableAnswer, strip_reasoning
from pytest_vqamt.language.answers.yes_no import read_yes_no

__all__ = [
    "Quantifier",
    "Unreadable",
    "UnreadableAnswer",
    "read_choice",
    "read_count",
    "read_label",
    "read_yes_no",
    "strip_reasoning",
]
