"""The rule by which differences become a finding.

A deployment that gives another answer at random in 2 % of requests is taken for sane. Each finding may rest on that
noise with a probability of at most 5e-5; with at most 16 kinds of findings, a probe has one with less than 1 in 1,000.
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


def is_finding(found: int, tries: int, rate: float) -> bool:
    """Whether so many differences are no chance."""
    return found > 0 and chance(found, tries, rate) <= MOST_CHANCE
