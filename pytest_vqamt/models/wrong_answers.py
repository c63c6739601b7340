"""How planted faults come by their answers: right ones to a misread question, or near right ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias, assert_never

from pytest_vqamt.core.meaning import Label, Meaning, Truth, truth
from pytest_vqamt.core.query import Query
from pytest_vqamt.models.reference.oracle import known, say

Reply: TypeAlias = Callable[[Query], str]


def told(query: Query, meaning: Meaning) -> str:
    """The right answer to what the query was taken to mean."""
    return say(truth(meaning, query.picture.scene))


def off_by(query: Query, error: int) -> str:
    """The right answer, which a number misses by ``error``."""
    value = known(query)
    return say(value + error if isinstance(value, int) and error else value)


def another(value: Truth) -> Truth:
    """Some other answer of the same kind."""
    match value:
        case bool():
            return not value
        case int():
            return value + 1
        case Label.ENTAILMENT:
            return Label.CONTRADICTION
        case Label():
            return Label.ENTAILMENT
        case str():
            return "something else"
        case tuple():
            return (*value, ("ghost", 1))
        case None:
            return "anything"
        case _:
            assert_never(value)
