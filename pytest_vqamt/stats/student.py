"""The 97.5 % points of Student's distribution; without scipy, whose import takes longer than all they are for."""

from __future__ import annotations

from functools import cache
from math import cos, pi, sin, sqrt, tan
from statistics import NormalDist

from pytest_vqamt.stats.wilson import CONFIDENCE

_MANY = 200
_HALVINGS = 60


@cache
def students_t(degrees: int, confidence: float = CONFIDENCE) -> float:
    """The t that Student's variable with so many degrees of freedom exceeds, in either direction, one time in twenty.

    Up to 200 degrees the finite series of its distribution is solved (Abramowitz and Stegun, Handbook of Mathematical
    Functions, 1964, 26.7.3 and 26.7.4), from there on the expansion 26.7.5 is exact to nine decimals.

    >>> round(students_t(1), 3), round(students_t(10), 3), round(students_t(1000), 3)
    (12.706, 2.228, 1.962)
    """
    if degrees >= _MANY:
        return _expanded(NormalDist().inv_cdf((1 + confidence) / 2), degrees)
    low, high = 0.0, pi / 2
    for _ in range(_HALVINGS):
        angle = (low + high) / 2
        low, high = (angle, high) if _within(angle, degrees) < confidence else (low, angle)
    return sqrt(degrees) * tan((low + high) / 2)


def _within(angle: float, degrees: int) -> float:
    """How likely the variable lies between ``-t`` and ``t``, with ``angle = atan(t / sqrt(degrees))``."""
    odd = degrees % 2
    term = total = 0.0 if degrees == 1 else (cos(angle) if odd else 1.0)
    for power in range(2 + odd, degrees - 1, 2):
        term *= cos(angle) ** 2 * (power - 1) / power
        total += term
    return 2 / pi * (angle + sin(angle) * total) if odd else sin(angle) * total


def _expanded(x: float, degrees: int) -> float:
    terms = (
        x,
        (x**3 + x) / 4,
        (5 * x**5 + 16 * x**3 + 3 * x) / 96,
        (3 * x**7 + 19 * x**5 + 17 * x**3 - 15 * x) / 384,
        (79 * x**9 + 776 * x**7 + 1482 * x**5 - 1920 * x**3 - 945 * x) / 92160,
    )
    return sum(term * float(degrees) ** -power for power, term in enumerate(terms))
