"""What of a probe fails a build: findings that nobody allows or knows of, and figures below those of a baseline."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType

from pytest_vqamt.probing.findings import FindingState, ProbeFinding
from pytest_vqamt.probing.probe_rows import read_probe
from pytest_vqamt.probing.results import ProbeResult
from pytest_vqamt.stats.binomial import upper_tail

_MOST_CHANCE = 1e-3
"""The p-value up to which fewer cards are read than in the baseline."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeBaseline:
    """An earlier probe of the same model."""

    kinds: frozenset[str]
    """Of its findings."""
    read: Mapping[str, tuple[int, int]]
    """How many cards were read rightly, and of how many."""
    figures: Mapping[str, float]
    gated: frozenset[str] = frozenset()
    """The figures that must be measured again."""
    is_by_scores: bool = False
    """True for a probe by scores, which has other figures and findings."""

    @classmethod
    def of_file(cls, file: Path) -> ProbeBaseline:
        """Reads a ``probe.json``.

        Raises:
            DataError: it cannot be read, or is another file.
        """
        row = read_probe(file)
        return cls(
            kinds=frozenset(each.kind for each in row.findings),
            read=row.read,
            figures={name: each.value for name, each in row.figures.items()},
            gated=frozenset(name for name, each in row.figures.items() if each.is_gated),
            is_by_scores=row.is_by_scores,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate:
    """What fails."""

    new: tuple[str, ...]
    """Kinds of findings that are neither allowed nor in the baseline."""
    known: tuple[str, ...]
    """Kinds of findings that the baseline has, too."""
    drops: tuple[str, ...]
    """Figures that have dropped since the baseline, in words."""
    allowed: Mapping[str, str] = field(default_factory=dict)
    """The kinds of findings that ``--allow`` names, each with its reason or ""."""
    not_found: tuple[str, ...] = ()
    """Kinds that ``--allow`` names, and that were not found."""

    @property
    def fails(self) -> bool:
        return bool(self.new or self.drops)

    def state(self, finding: ProbeFinding) -> FindingState:
        """What the finding does to the exit status."""
        if finding.kind.value in self.allowed:
            return FindingState.ALLOWED
        return FindingState.KNOWN if finding.kind.value in self.known else FindingState.FAILS

    def mark(self, finding: ProbeFinding) -> str:
        """Why the finding does not fail, in words: "allowed: no transparent pictures here"; "" if it does."""
        match self.state(finding):
            case FindingState.ALLOWED:
                reason = self.allowed[finding.kind.value]
                return f"allowed: {reason}" if reason else "allowed"
            case FindingState.KNOWN:
                return "known from the baseline"
            case FindingState.FAILS:
                return ""


def gate(
    result: ProbeResult, allowed: Mapping[str, str] = MappingProxyType({}), baseline: ProbeBaseline | None = None
) -> Gate:
    """Decides what of a probe fails.

    Args:
        result: the probe.
        allowed: kinds of findings that do not fail, each with the reason or "".
        baseline: an earlier probe; its findings do not fail, and its figures must not drop.
    """
    found = [each.kind.value for each in result.findings]
    kinds = [each for each in found if each not in allowed]
    known = baseline.kinds if baseline else frozenset[str]()
    return Gate(
        new=tuple(each for each in kinds if each not in known),
        known=tuple(each for each in kinds if each in known),
        drops=(*_read_less(result, baseline), *_lower(result, baseline)) if baseline else (),
        allowed={name: reason for name, reason in allowed.items() if name in found},
        not_found=tuple(name for name in allowed if name not in found),
    )


def _read_less(result: ProbeResult, baseline: ProbeBaseline) -> list[str]:
    found = []
    for name, (right, tries) in result.read.items():
        before, of = baseline.read.get(name, (0, 0))
        # The baseline is a measurement, too: of n it may have missed one more.
        missed = min(1.0, max(0, of - before + 1) / of) if of else 1.0
        if upper_tail(tries - right, tries, missed) <= _MOST_CHANCE:
            found.append(f"{name} read: {right} of {tries}, {before} of {of} in the baseline")
    return found


def _lower(result: ProbeResult, baseline: ProbeBaseline) -> list[str]:
    found = []
    for figure in result.figures:
        before = baseline.figures.get(figure.name)
        if before is None or not figure.is_gated:
            continue
        if figure.is_below(before):
            found.append(f"{figure.name}: {figure.value:g} {figure.unit}, {before:g} in the baseline")
    missing = sorted(baseline.gated - {each.name for each in result.figures})
    return [*found, *(f"{name}: not measured, {baseline.figures[name]:g} in the baseline" for name in missing)]
