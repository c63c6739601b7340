"""What of a probe fails a build: findings that nobody allows or knows of, and figures below those of a baseline."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pytest_vqamt.core.codec import Json
from pytest_vqamt.core.errors import DataError
from pytest_vqamt.core.input_files import MAX_DATA_BYTES, parse_json, read_bytes
from pytest_vqamt.core.text import short_path
from pytest_vqamt.probing.probing import ProbeResult
from pytest_vqamt.stats.binomial import upper_tail

_DROPPED = 0.75
"""A figure of which more is better has dropped below so much of the baseline's: a step of the ladder of digits."""

_MOST_CHANCE = 1e-3
"""The p-value up to which fewer cards are read than in the baseline."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeBaseline:
    """An earlier probe of the same model."""

    kinds: frozenset[str]
    """Of its findings."""
    read: Mapping[str, tuple[int, int]]
    """How many reference cards were read rightly, and of how many."""
    figures: Mapping[str, float]

    @classmethod
    def of_file(cls, file: Path) -> ProbeBaseline:
        """Reads a ``probe.json``.

        Raises:
            DataError: it cannot be read, or is none.
        """
        try:
            row = parse_json(read_bytes(file, MAX_DATA_BYTES))
        except (OSError, ValueError) as error:
            raise DataError(f"Expected a probe.json that can be read, but got {short_path(file)}: {error}") from error
        match row:
            case {"findings": list(findings), "read": dict(read), "figures": dict(figures)}:
                try:
                    return cls(
                        kinds=frozenset(_text(each, "kind") for each in findings),
                        read={name: _share(value) for name, value in read.items()},
                        figures={name: _number(value) for name, value in figures.items()},
                    )
                except (TypeError, ValueError, KeyError) as error:
                    raise DataError(f"Expected {short_path(file)} to be a probe.json, but got {error!r}") from error
        raise DataError(
            f"Expected {short_path(file)} to be a probe.json with findings, read and figures: "
            "write one with `vqamt probe MODEL --out DIR`"
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

    @property
    def fails(self) -> bool:
        return bool(self.new or self.drops)


def gate(result: ProbeResult, allowed: Sequence[str], baseline: ProbeBaseline | None) -> Gate:
    """Decides what of a probe fails.

    Args:
        result: the probe.
        allowed: kinds of findings that do not fail.
        baseline: an earlier probe; its findings do not fail, and its figures must not drop.
    """
    kinds = [each.kind.value for each in result.findings if each.kind.value not in allowed]
    if baseline is None:
        return Gate(new=tuple(kinds), known=(), drops=())
    return Gate(
        new=tuple(each for each in kinds if each not in baseline.kinds),
        known=tuple(each for each in kinds if each in baseline.kinds),
        drops=(*_read_less(result, baseline), *_lower(result, baseline)),
    )


def _read_less(result: ProbeResult, baseline: ProbeBaseline) -> list[str]:
    found = []
    for name, (right, tries) in result.read.items():
        before, of = baseline.read.get(name, (0, 0))
        # The baseline is a measurement, too: of n it may have missed one more.
        missed = min(1.0, (of - before + 1) / of) if of else 1.0
        if upper_tail(tries - right, tries, missed) <= _MOST_CHANCE:
            found.append(f"{name} read: {right} of {tries}, {before} of {of} in the baseline")
    return found


def _lower(result: ProbeResult, baseline: ProbeBaseline) -> list[str]:
    found = []
    for figure in result.figures:
        before = baseline.figures.get(figure.name)
        if before is None or not figure.is_gated:
            continue
        has_dropped = figure.value < _DROPPED * before if figure.is_better_high else _DROPPED * figure.value > before
        if has_dropped:
            found.append(f"{figure.name}: {figure.value:g} {figure.unit}, {before:g} in the baseline")
    missing = sorted(baseline.figures.keys() - {each.name for each in result.figures})
    return [*found, *(f"{name}: not measured, {baseline.figures[name]:g} in the baseline" for name in missing)]


def _text(row: Json, name: str) -> str:
    if not isinstance(row, dict) or not isinstance(row.get(name), str):
        raise TypeError(f"expected {name!r} as text")
    return str(row[name])


def _share(value: Json) -> tuple[int, int]:
    if not isinstance(value, list):
        raise TypeError(f"expected [right, tries], got {value!r}")
    right, tries = value
    if not isinstance(right, int) or not isinstance(tries, int):
        raise TypeError(f"expected whole numbers, got {value!r}")
    return right, tries


def _number(value: Json) -> float:
    number = value.get("value") if isinstance(value, dict) else None
    if not isinstance(number, int | float):
        raise TypeError(f"expected a number, got {value!r}")
    return float(number)
