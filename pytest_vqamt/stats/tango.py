"""Tango's score interval of the difference of two proportions of the same cases."""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt
from statistics import NormalDist

from pytest_vqamt.stats.wilson import CONFIDENCE

_HALVINGS = 42
"""Each end is exact to 12 decimals."""


def tango(lost: float, won: float, cases: float, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """The interval of the second proportion less the first, inside [-1, 1]; (-1, 1) where there are no cases.

    The differences D that a score test does not reject: ``|won - lost - nD| <= z sqrt(n (2q + D(1 - D)))``, where q is
    the most likely share of lost cases, were D true (Tango, Statistics in Medicine 17, 1998). It has a width also
    where nothing was lost or won. Counts need not be whole.

    >>> [round(end, 3) for end in tango(7, 1, 21)]
    [-0.517, -0.026]
    """
    if not cases:
        return -1.0, 1.0
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    found = (won - lost) / cases
    return (
        _end(lambda difference: _score(difference, lost, won, cases) > z, -1.0, found),
        _end(lambda difference: _score(difference, lost, won, cases) < -z, 1.0, found),
    )


def _score(difference: float, lost: float, won: float, cases: float) -> float:
    """How many standard errors the difference that was found is above this one."""
    excess = won - lost - cases * difference
    b = (2 * cases - won + lost) * difference - won - lost
    root = sqrt(max(0.0, b * b + 8 * cases * lost * difference * (1 - difference)))
    q = (root - b) / (4 * cases)
    variance = cases * (2 * q + difference * (1 - difference))
    if variance <= 0:
        return 0.0 if excess == 0 else (float("inf") if excess > 0 else float("-inf"))
    return excess / sqrt(variance)


def _end(rejected: Callable[[float], bool], outer: float, inner: float) -> float:
    """The end of the interval between ``outer`` and ``inner``, which is inside it."""
    if not rejected(outer):
        return outer
    for _ in range(_HALVINGS):
        middle = (outer + inner) / 2
        if rejected(middle):
            outer = middle
        else:
            inner = middle
    return outer
