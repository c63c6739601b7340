"""Choices drawn by Hypothesis, so that it can shrink them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache
from random import Random
from typing import NoReturn, Protocol, TypeVar

from hypothesis import strategies as st
from hypothesis.internal.conjecture.providers import AVAILABLE_PROVIDERS, PrimitiveProvider
from hypothesis.strategies import SearchStrategy

from pytest_vqamt.sampling.chooser import OrderedChooser

T = TypeVar("T")

BACKEND = "pytest-vqamt"


class Draw(Protocol):
    """Hypothesis's ``draw``."""

    def __call__(self, strategy: SearchStrategy[T], /) -> T: ...


class HypothesisChooser(OrderedChooser):
    """A Chooser over Hypothesis's ``draw``."""

    def __init__(self, draw: Draw) -> None:
        super().__init__(lambda lo, hi: draw(_integers(lo, hi)))


@lru_cache(maxsize=1024)
def _integers(lo: int, hi: int) -> SearchStrategy[int]:
    return st.integers(lo, hi)


# Hypothesis's own backend favours small numbers and repeats parts of earlier examples: good for finding bugs, but a
# pass rate is an estimate, and needs each case to be as likely as its relation says. This backend makes the same
# choices at even odds; shrinking goes on as ever. See "Alternative backends" in Hypothesis's documentation.


_seed: ContextVar[int] = ContextVar("_seed")


@contextmanager
def seeded(seed: int) -> Iterator[None]:
    """Seeds the runs of this backend that begin inside the context."""
    token = _seed.set(seed)
    try:
        yield
    finally:
        _seed.reset(token)


class UniformProvider(PrimitiveProvider):
    """Draws whole numbers and booleans, which is all that a HypothesisChooser asks for."""

    def __init__(self, conjecturedata: object, /) -> None:
        super().__init__(None)
        self._random = Random(_seed.get())

    def draw_integer(
        self,
        min_value: int | None = None,
        max_value: int | None = None,
        *,
        weights: dict[int, float] | None = None,
        shrink_towards: int = 0,
    ) -> int:
        # The weights are Hypothesis's own preference for the ends of a range, which this backend is here to leave.
        if min_value is None or max_value is None:
            self._refuse("a whole number without bounds")
        return self._random.randint(min_value, max_value)

    def draw_boolean(self, p: float = 0.5) -> bool:
        return self._random.random() < p

    def draw_float(self, **constraints: object) -> float:
        self._refuse("a float")

    def draw_string(self, *constraints: object, **more: object) -> str:
        self._refuse("a string")

    def draw_bytes(self, *constraints: object, **more: object) -> bytes:
        self._refuse("bytes")

    def _refuse(self, what: str) -> NoReturn:
        raise TypeError(f"Expected a choice made by a Chooser, but got a request for {what}")


AVAILABLE_PROVIDERS[BACKEND] = f"{__name__}.{UniformProvider.__name__}"
