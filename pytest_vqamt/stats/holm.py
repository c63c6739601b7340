"""Holm's correction: many p-values looked at together."""

from __future__ import annotations

from collections.abc import Sequence


def holm(ps: Sequence[float]) -> tuple[float, ...]:
    """The p-values, in the order given, adjusted for there being so many: the j-th smallest of m times m - j + 1.

    None is below a smaller one's, none above 1. To reject where the adjusted one is below 0.05 errs anywhere with
    probability 0.05 at most, however the tests depend on each other (Holm, Scandinavian Journal of Statistics 6, 1979).

    >>> holm([0.04, 0.01, 0.5])
    (0.08, 0.03, 0.5)
    """
    adjusted = [1.0] * len(ps)
    so_far = 0.0
    for smaller, place in enumerate(sorted(range(len(ps)), key=lambda each: ps[each])):
        so_far = max(so_far, min(1.0, (len(ps) - smaller) * ps[place]))
        adjusted[place] = so_far
    return tuple(adjusted)
