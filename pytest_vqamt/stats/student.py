"""The 97.5 % points of Student's distribution."""

from __future__ import annotations

from functools import cache

from pytest_vqamt.stats.wilson import CONFIDENCE


@cache
def students_t(degrees: int) -> float:
    """The t that Student's variable with so many degrees of freedom exceeds, in either direction, one time in twenty.

    >>> round(students_t(1), 3), round(students_t(10), 3), round(students_t(1000), 3)
    (12.706, 2.228, 1.962)
    """
    from scipy.special import stdtrit  # type: ignore[import-untyped]  # its stubs are a package of their own

    return float(stdtrit(degrees, (1 + CONFIDENCE) / 2))
