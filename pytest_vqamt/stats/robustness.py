"""How robust a model is against noise in questions: the R_score, and whether more noise does more harm."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from math import sqrt

from pytest_vqamt.core.errors import VqamtError

TOLERANCE = 0.05
LIMIT = 20.0
"""The paper's parameters t and m, in percent points."""


def r_score(difference: float, *, t: float = TOLERANCE, m: float = LIMIT) -> float:
    """``(sqrt(m) - sqrt(d)) / (sqrt(m) - sqrt(t))``, clamped to [0, 1]; d is ``|difference|`` in percent points.

    Huang et al., AAAI 2019, equations 2 and 3: 1 where noise changes the accuracy by t points or less, 0 from m points
    on. A gain counts as a loss does.

    >>> round(r_score(13.55), 2), round(r_score(-5.85), 2), r_score(0), r_score(40)
    (0.19, 0.48, 1.0, 0.0)

    Raises:
        VqamtError: not 0 <= t < m <= 100.
    """
    if not 0 <= t < m <= 100:
        raise VqamtError(f"Expected a tolerance and a limit with 0 <= t < m <= 100, but got t={t!r}, m={m!r}")
    score = (sqrt(m) - sqrt(abs(difference))) / (sqrt(m) - sqrt(t))
    return max(0.0, min(1.0, score))


def monotonicity(values: Sequence[float]) -> float | None:
    """How steadily the values fall, from 1 (each is below all before it) over 0 (no trend) to -1 (each is above them).

    Of all pairs, the share that falls less the share that rises: Kendall's tau (Biometrika 30, 1938) of the values and
    their order, with its sign turned. None for fewer than two values.

    >>> monotonicity([5, 3, 4, 1]), monotonicity([1, 1])
    (0.6666666666666666, 0.0)
    """
    pairs = list(combinations(values, 2))
    return sum((first > later) - (first < later) for first, later in pairs) / len(pairs) if pairs else None
