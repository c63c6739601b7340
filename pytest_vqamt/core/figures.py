"""Numbers that are counted beside verdicts: each case adds to some, by name, and they can be added up.

The accuracy of an answer, or 1 for a case of a certain kind. Sums are kept in millionths, as whole numbers: those of
two shards added are those of the whole, to the last digit, whatever the order.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias, cast

from pytest_vqamt.core.codec import Json

_UNIT = 1_000_000

Amount: TypeAlias = tuple[str, float]
"""A figure's name, and what a case adds to it."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A sum over ``cases``, in millionths."""

    cases: int = 0
    millionths: int = 0

    @classmethod
    def of(cls, amount: float) -> Figure:
        return cls(1, round(amount * _UNIT))

    @property
    def total(self) -> float:
        return self.millionths / _UNIT

    @property
    def mean(self) -> float | None:
        """The mean over the cases that added to it, None where there are none."""
        return self.millionths / _UNIT / self.cases if self.cases else None

    def __add__(self, other: Figure) -> Figure:
        return Figure(self.cases + other.cases, self.millionths + other.millionths)


Figures: TypeAlias = Mapping[str, Figure]


def together(one: Figures, other: Figures) -> dict[str, Figure]:
    """Both, added up by name."""
    total = dict(one)
    for name, figure in other.items():
        total[name] = total.get(name, Figure()) + figure
    return total


def figures_row(figures: Figures) -> dict[str, Json]:
    """The figures as an object of ``report.json``, by name."""
    return {
        name: {"cases": figure.cases, "sum": figure.total, "mean": figure.mean}
        for name, figure in sorted(figures.items())
    }


def figures_of(row: Json) -> dict[str, Figure]:
    """The figures that ``figures_row`` was made of; none where a report is older than they are.

    Raises:
        KeyError, TypeError, ValueError: the row is not whole.
    """
    told = cast("dict[str, dict[str, float]]", row or {})
    return {name: Figure(int(each["cases"]), round(each["sum"] * _UNIT)) for name, each in told.items()}
