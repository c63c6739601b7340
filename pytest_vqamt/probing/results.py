"""What a probe gives: findings, facts, figures, and what was and was not checked."""

from __future__ import annotations

from dataclasses import dataclass, field

from pytest_vqamt.probing.asking import SentRequest
from pytest_vqamt.probing.findings import ProbeFinding
from pytest_vqamt.probing.kinds import FindingKind

_DROPPED = 0.6
"""A figure of which more is better has dropped below so much of what it was: two steps of a ladder."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """An observation that is no finding."""

    name: str
    """What was observed: "answers about blank and noise pictures"."""
    value: str
    """The observation in words."""
    is_minor: bool = False
    """True for what helps nobody to decide: the terminal leaves it out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A number that two probes of one model can be compared by."""

    name: str
    """What was measured: "effective resolution at 1,024 px"."""
    value: float
    unit: str
    """"px" or "of 255"."""
    is_better_high: bool = True
    """False for a step that is the better the smaller it is."""
    words: str = ""
    """The value with its interval, for a share that was measured on few requests: "0 of 42 (0 to 8 %)"; else ""."""
    is_gated: bool = True
    """False if a worse one than in a baseline is no drop."""

    def is_below(self, before: float) -> bool:
        """True if it is worse by two steps of a ladder: one is chance."""
        return self.value < _DROPPED * before if self.is_better_high else _DROPPED * self.value > before


@dataclass(slots=True)
class ProbeResult:
    """The result of a probe."""

    model: str
    """Its spec."""
    subject: str = ""
    """The question of the comparisons; "" where no question could be used."""
    read: dict[str, tuple[int, int]] = field(default_factory=dict)
    """How many cards were read rightly, and of how many, by what is to be read ("numbers")."""
    is_by_scores: bool = False
    """True if log-probabilities were compared, and not answers."""
    flips: float = 0.0
    """The share of answers about easy cards that differed from the majority."""
    findings: list[ProbeFinding] = field(default_factory=list)
    """In the order of the checks; empty for a sane deployment."""
    facts: list[Fact] = field(default_factory=list)
    """Observations that decide nothing."""
    figures: list[Figure] = field(default_factory=list)
    """Numbers to compare two deployments by."""
    checked: list[str] = field(default_factory=list)
    """The checks that were made."""
    skipped: list[tuple[str, str]] = field(default_factory=list)
    """Checks that were not made, with the reason."""
    log: list[SentRequest] = field(default_factory=list)
    """All requests."""

    def found(self, *kinds: FindingKind) -> bool:
        """True if there is a finding of one of the kinds."""
        return any(each.kind in kinds for each in self.findings)

    def skipped_by_reason(self) -> dict[str, list[str]]:
        """The names of the checks that were not made, by the reason."""
        by_reason: dict[str, list[str]] = {}
        for name, reason in self.skipped:
            by_reason.setdefault(reason, []).append(name)
        return by_reason


@dataclass(frozen=True, slots=True)
class Undecided:
    """Differences that are too few for a finding, and too many for chance to explain them well."""

    differing: tuple[SentRequest, ...]
    compared: int
    p_value: float

    def __str__(self) -> str:
        return f"{len(self.differing)} of {self.compared}, p = {self.p_value:.1e}"
