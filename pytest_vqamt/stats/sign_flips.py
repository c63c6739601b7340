"""The exact distribution of a sum whose terms have each either sign: what comparisons by scene give by chance."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def chance_of_sum_at_least(size: int, terms: Mapping[int, int]) -> float:
    """How likely the sum of all terms is ``size`` or more, each as likely to be added as to be taken away.

    ``terms`` says how many there are of each magnitude, which is at least 1. The distribution is worked out on the
    whole numbers, one binomial for each magnitude, with nothing drawn at random.

    >>> chance_of_sum_at_least(3, {1: 3}), chance_of_sum_at_least(-3, {1: 1, 2: 1})
    (0.125, 1.0)
    """
    import numpy as np

    largest = sum(magnitude * count for magnitude, count in terms.items())
    if size > largest:
        return 0.0
    # The sum of those that are added: the whole is twice that, less the largest.
    added: NDArray[np.float64] = np.ones(1)
    for magnitude, count in sorted(terms.items()):
        spread = np.zeros(magnitude * count + 1)
        spread[::magnitude] = _fair_binomial(count)
        added = np.convolve(added, spread)
    return float(min(1.0, added[max(0, (size + largest + 1) // 2) :].sum()))


def _fair_binomial(count: int) -> NDArray[np.float64]:
    """The chance of each number of heads of ``count`` fair coins: float64, of length count + 1.

    Worked out from the middle by the ratio of neighbours, so that each is exact to a few units in the last place.
    """
    import numpy as np

    middle = count // 2
    up = np.arange(middle, count)
    down = np.arange(middle, 0, -1)
    right = np.cumprod((count - up) / (up + 1))
    left = np.cumprod(down / (count - down + 1))
    ratios = np.concatenate((left[::-1], [1.0], right))
    chances: NDArray[np.float64] = ratios / ratios.sum()
    return chances
