"""What a probe has found, and from how many differences on it is a finding."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from pytest_vqamt.probing.kinds import FindingKind
from pytest_vqamt.stats.binomial import upper_tail

FLIPS = 0.02
"""The share of random answers that is taken for sane, such as those of ties in 16 bits."""

COMPARISONS = 100
"""The most comparisons of a probe that may end in a finding."""

MOST_CHANCE = 1e-3
"""The p-value up to which differences are a finding, for all comparisons of a probe together.

A deployment that gives another answer at random in 2 % of requests is taken for sane, or in as many as were measured.
The chance of each comparison is multiplied by ``COMPARISONS`` (Bonferroni), so that a probe of such a deployment has a
finding with less than 1 in 1,000. ``tests/probing/simulation.py`` measures it.
"""


MOST_UNDECIDED = 0.05
"""The p-value up to which differences that are no finding are looked at again, and told of if they stay so."""


class FindingState(StrEnum):
    """What a finding does to the exit status."""

    FAILS = "fails"
    ALLOWED = "allowed"
    """``--allow`` names it."""
    KNOWN = "known"
    """The baseline has it, too."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeFinding:
    """A fault of a deployment: more differences than chance explains."""

    kind: FindingKind
    differing: int
    """Comparisons that show it."""
    compared: int
    """All comparisons of its check."""
    p_value: float
    """The probability of at least as many differences on a sane deployment."""
    detail: str
    """At which sizes, lengths or forms."""
    requests: tuple[int, ...]
    """The numbers of the requests that show it."""
    ruled_out: tuple[str, ...] = ()
    """What was tried, and is not the cause, as after "it is not": "the pixels: as plain PNG they are read"."""


def repeated_difference(flips: float) -> float:
    """The chance that a request differs twice in a row from its reference, the majority of three answers.

    Both answers are flipped, or two of the three of the reference are.
    """
    # Three pairs of the three answers of a reference may be wrong alike; higher powers are left out.
    return flips**2 + 3 * flips**2


def chance_of(found: int, tries: int, rate: float, *, of: int = COMPARISONS) -> float:
    """The probability of so many differences on a sane deployment, in any of ``of`` comparisons (Bonferroni)."""
    return min(1.0, of * upper_tail(found, tries, rate))


def is_undecided(found: int, tries: int, rate: float, *, of: int = COMPARISONS) -> bool:
    """True if chance explains so many differences hardly, but well enough that they are no finding.

    >>> is_undecided(1, 1, 0.0016), is_undecided(2, 6, 0.005)
    (False, True)
    """
    return found > 0 and MOST_CHANCE < chance_of(found, tries, rate, of=of) <= MOST_UNDECIDED


def is_finding(found: int, tries: int, rate: float, *, of: int = COMPARISONS) -> bool:
    """True if so many differences are unlikely by chance, where ``of`` comparisons are made.

    >>> is_finding(1, 1, 0.0016), is_finding(2, 2, 0.0016)
    (False, True)
    """
    return found > 0 and chance_of(found, tries, rate, of=of) <= MOST_CHANCE
