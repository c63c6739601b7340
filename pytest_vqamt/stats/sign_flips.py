"""The exact distribution of a sum whose terms have each either sign: what comparisons by scene give by chance."""

from __future__ import annotations

from collections.abc import Mapping
from math import isqrt
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_FAR_OUT = 350
"""Of n coins, numbers of heads further than sqrt(350 n) from the middle are less likely than 1e-303 (Hoeffding)."""


def chance_of_sum_at_least(size: int, terms: Mapping[int, int]) -> float:
    """How likely the sum of all terms is ``size`` or more, each as likely to be added as to be taken away.

    ``terms`` says how many there are of each magnitude, which is at least 1. The distribution is worked out on the
    whole numbers, one binomial for each magnitude, with nothing drawn at random. All that is added up is positive, so
    small chances are as exact as large ones; Fourier's transform, which is faster, would lose them.

    >>> chance_of_sum_at_least(3, {1: 3}), chance_of_sum_at_least(-3, {1: 1, 2: 1})
    (0.125, 1.0)
    """
    import numpy as np

    largest = sum(magnitude * count for magnitude, count in terms.items())
    if abs(size) > largest or size == -largest:
        return 0.0 if size > 0 else 1.0
    # Of those that are added alone: the sum of all is twice theirs, less the largest.
    needed = (size + largest + 1) // 2
    *others, (magnitude, count) = sorted(terms.items(), key=lambda each: (each[1], each[0]))
    fewest, chances = 0, np.ones(1)
    for other, so_many in others:
        skipped, heads = _fair_binomial(so_many)
        fewest, chances = fewest + skipped * other, _spread(chances, heads, other)
    # The magnitude that most have need not be spread: its upper tail says how likely it adds what is still lacking.
    skipped, heads = _fair_binomial(count)
    at_least = np.append(np.cumsum(heads[::-1])[::-1], 0.0)
    lacking = needed - fewest - np.arange(len(chances))
    wanted = np.clip(-(-lacking // magnitude) - skipped, 0, len(heads))
    return min(1.0, float((chances * at_least[wanted]).sum()))


def _spread(chances: NDArray[np.float64], heads: NDArray[np.float64], magnitude: int) -> NDArray[np.float64]:
    """The chances of sums to which each head adds ``magnitude``: sums that leave different remainders never meet."""
    import numpy as np

    spread = np.zeros(len(chances) + magnitude * (len(heads) - 1))
    for remainder in range(min(magnitude, len(chances))):
        spread[remainder::magnitude] = np.convolve(chances[remainder::magnitude], heads)
    return spread


def _fair_binomial(count: int) -> tuple[int, NDArray[np.float64]]:
    """The chance of each number of heads of ``count`` fair coins, and how many numbers from 0 on are left out.

    float64. Worked out from the middle by the ratio of neighbours, so that each is exact to a few units in the last
    place.
    """
    import numpy as np

    middle = count // 2
    reach = min(middle, isqrt(_FAR_OUT * count))
    up = np.arange(middle, min(count, middle + reach + 1))
    down = np.arange(middle, middle - reach, -1)
    right = np.cumprod((count - up) / (up + 1))
    left = np.cumprod(down / (count - down + 1))
    ratios = np.concatenate((left[::-1], [1.0], right))
    return middle - reach, ratios / ratios.sum()
