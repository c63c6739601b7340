"""A report as the lines of its tables: the cases of an item on one model and data source, the presumed ones apart."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pytest_vqamt.core.results import Gate, Presumed, RelationResult, Report

_NOISE = "control"


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """The cases of an item that are counted together.

    Attributes:
        result: the item's.
        counted: the same, or its presumed cases.
        model: the place of its model in the report, which a colour and a mark stand for.
    """

    result: RelationResult
    counted: RelationResult | Presumed
    model: int

    @property
    def is_presumed(self) -> bool:
        return isinstance(self.counted, Presumed)

    @property
    def is_noise(self) -> bool:
        """Whether it shows what a model violates with no change at all."""
        return _NOISE in self.result.tags

    @property
    def tags(self) -> tuple[str, ...]:
        return (*self.result.tags, *(("presumed",) if self.is_presumed else ()))

    @property
    def place(self) -> tuple[str, bool]:
        """What it shares with the lines of other models."""
        return self.result.item, self.is_presumed

    @property
    def gates(self) -> tuple[Gate, ...]:
        """What is demanded of its pass rate, and of the drop since the baseline."""
        change = self.counted.change
        return tuple(held for held in (self.counted.gate, change and change.gate) if held)

    @property
    def is_missed(self) -> bool:
        return any(not held.met for held in self.gates)


def lines(report: Report) -> tuple[Line, ...]:
    """Every item that had a case, in the order of the run."""
    places = {model.name: place for place, model in enumerate(report.models)}
    return tuple(line for result in report.relations for line in _of(result, places[result.model.name]))


def _of(result: RelationResult, model: int) -> Iterator[Line]:
    if result.tally.cases:
        yield Line(result=result, counted=result, model=model)
    if result.presumed is not None and result.presumed.tally.cases:
        yield Line(result=result, counted=result.presumed, model=model)
