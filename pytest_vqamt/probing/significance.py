"""The rule by which differences become a finding.

A deployment that gives another answer at random in 2 % of requests is taken for sane. Each finding may rest on that
noise with a probability of at most 5e-5. A probe makes at most 15 comparisons that may end in a finding, so that it has
one with less than 1 in 1,000 (15 x 5e-5 = 0.00075). Comparisons that are made in several forms share their 5e-5.
``tests/probing/simulation.py`` measures it.
"""

from __future__ import annotations

from math import comb

FLIPS = 0.02
"""The share of random answers that is no finding."""

MOST_CHANCE = 5e-5
"""The most probable chance that is a finding."""


def chance(found: int, tries: int, rate: float) -> float:
    """The probability of ``found`` or more events in ``tries``, each of probability ``rate``.

    >>> round(chance(2, 6, 0.0016), 6)
    3.8e-05
    """
    return sum(comb(tries, each) * rate**each * (1 - rate) ** (tries - each) for each in range(found, tries + 1))


def repeated_difference(flips: float) -> float:
    """The chance that a request differs twice in a row from its reference, the majority of three answers.

    Both answers are flipped, or two of the three of the reference are.
    """
    return flips**2 + 3 * flips**2


def is_finding(found: int, tries: int, rate: float, forms: int = 1) -> bool:
    """Whether so many differences are no chance, where the comparison is made in so many forms.

    >>> is_finding(2, 3, 0.0016, forms=3), is_finding(2, 3, 0.0016, forms=7)
    (True, False)
    """
    return found > 0 and forms * chance(found, tries, rate) <= MOST_CHANCE
