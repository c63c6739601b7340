"""The binomial distribution, by the ratios of neighbouring probabilities."""

from __future__ import annotations

from math import ceil, comb, floor, sqrt
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


_STANDARD_DEVIATIONS = 10
"""Beyond so many from the mean, and 30 successes more where it is skewed, lies less than 1e-20."""

_LEAST = 1e-30
"""Probabilities below are computed anew instead of by ratios."""


def probabilities(trials: int, share: float) -> tuple[int, NDArray[np.float64]]:
    """Returns a number of successes and the probabilities (float64) of so many, of one more, and so on.

    What is left out at either end adds up to less than 1e-20.

    >>> fewest, each = probabilities(2, 0.5)
    >>> fewest, each.tolist()
    (0, [0.25, 0.5, 0.25])
    """
    import numpy as np

    mode = min(trials, floor((trials + 1) * share))
    # The ratios below would divide by 0.
    if share in (0, 1):
        return mode, np.ones(1)
    width = ceil(_STANDARD_DEVIATIONS * sqrt(trials * share * (1 - share))) + 30
    fewest, most = max(0, mode - width), min(trials, mode + width)
    # From the mode outwards: ratios of neighbours never overflow, unlike factorials of thousands.
    up, down = np.arange(mode, most), np.arange(mode, fewest, -1)
    odds = share / (1 - share)
    rising = np.cumprod((trials - up) / (up + 1) * odds)
    falling = np.cumprod(down / (trials - down + 1) / odds)
    weights = np.concatenate([falling[::-1], np.ones(1), rising])
    # Relative to the mode so far: the sum makes them probabilities.
    return fewest, weights / weights.sum()


def upper_quantile(trials: int, share: float, probability: float) -> int:
    """Returns the smallest number that is exceeded with at most this ``probability``.

    >>> upper_quantile(6, 0.5, 0.05)
    5
    """
    fewest, each = probabilities(trials, share)
    tails = each[::-1].cumsum()[::-1] - each
    # `argmax` of booleans is the first True.
    return fewest + int((tails <= probability).argmax())


def upper_tail(successes: int, trials: int, share: float) -> float:
    """Returns the probability of so many ``successes`` or more in a few ``trials``.

    >>> round(upper_tail(2, 6, 0.0016), 6)
    3.8e-05
    """
    return sum(
        # Directly: exact enough, and fast for a few trials.
        comb(trials, each) * share**each * (1 - share) ** (trials - each)
        for each in range(successes, trials + 1)
    )


def exact_test(first: tuple[int, int], second: tuple[int, int]) -> float:
    """Returns Fisher's exact p-value, one-sided: that the first of two (successes, trials) has so many more by chance.

    The sum of ``C(n1, k) C(n2, s - k) / C(n1 + n2, s)`` over k from the first's successes up, of s successes in both.

    >>> round(exact_test((3, 4), (1, 4)), 4)
    0.2429
    """
    (found, trials), (others, other_trials) = first, second
    successes = found + others
    ways = comb(trials + other_trials, successes)
    every = range(found, min(trials, successes) + 1)
    return sum(comb(trials, each) * comb(other_trials, successes - each) for each in every) / ways


class UpperTail:
    """The probability of more than ``successes`` of ``trials``, both of which can be raised; ``successes <= trials``.

    A trial more adds the probability of just ``successes`` and one in that trial; a success more takes its own away.
    """

    def __init__(self, trials: int, share: float, successes: int) -> None:
        self.trials, self.successes = trials, successes
        self._share = share
        self._odds = share / (1 - share) if share < 1 else 0.0
        self._sum()

    def add_trial(self) -> None:
        self.probability += self._share * self._just
        self.trials += 1
        self._just *= self.trials / (self.trials - self.successes) * (1 - self._share)
        self._sum_if_lost()

    def add_success(self) -> None:
        self._just *= (self.trials - self.successes) / (self.successes + 1) * self._odds
        self.successes += 1
        self.probability -= self._just
        self._sum_if_lost()

    def _sum_if_lost(self) -> None:
        # From a probability of 0 there is no way back by ratios.
        if self._just < _LEAST:
            self._sum()

    def _sum(self) -> None:
        fewest, each = probabilities(self.trials, self._share)
        at = self.successes - fewest
        self.probability = float(each[max(0, at + 1) :].sum())
        self._just = float(each[at]) if 0 <= at < len(each) else 0.0
