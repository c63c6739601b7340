"""Planted faults in judging hypotheses; questions and pictures are answered right."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from pytest_vqamt.core.meaning import Entails, Label, Truth
from pytest_vqamt.core.query import Query
from pytest_vqamt.models.reference.oracle import known, say
from pytest_vqamt.models.wrong_answers import Reply

_SWAPPED: Mapping[Truth, Label] = MappingProxyType(
    {Label.ENTAILMENT: Label.CONTRADICTION, Label.CONTRADICTION: Label.ENTAILMENT}
)


def always_label(label: Label) -> Reply:
    """Gives every hypothesis the same label."""
    return lambda query: say(label if isinstance(query.meaning, Entails) else known(query))


def label_swap(query: Query) -> str:
    """Says "entailment" for contradiction, and the other way round."""
    value = known(query)
    return say(_SWAPPED.get(value, value) if isinstance(query.meaning, Entails) else value)
