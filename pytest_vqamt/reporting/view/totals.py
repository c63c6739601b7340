"""All relations of a model together, and its accuracy on the user's own answers, against the baseline."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil
from typing import NamedTuple

from pytest_vqamt.core.results import BaselineTotal, BaselineUse, Gate, GateState
from pytest_vqamt.core.text import count_noun
from pytest_vqamt.reporting.view.format import (
    describe_points,
    format_change,
    format_difference,
    format_p,
    format_rate,
    rounded_up,
)
from pytest_vqamt.stats.power import RegressionGate, prospect_of
from pytest_vqamt.stats.thresholds import TotalKind


class KindOfTotal(NamedTuple):
    """A comparison with its kind."""

    kind: TotalKind
    total: BaselineTotal
    gates: int
    """The number of gates of both kinds, which are corrected for together."""

    @property
    def gate(self) -> Gate | None:
        return self.total.change.gate

    @property
    def state(self) -> GateState | None:
        """The state of its gate; None without one."""
        return self.gate.state if self.gate else None

    @property
    def id(self) -> str:
        """The name of its test."""
        return f"{self.kind.id}-{self.total.model}-{self.total.data}"

    @property
    def of(self) -> str:
        """The model and the data."""
        return f"{self.total.model} on {self.total.data}"


def totals_of(use: BaselineUse | None) -> Iterator[KindOfTotal]:
    """The comparisons of all relations together, then those of accuracies."""
    if use is not None:
        gates = max(1, len(use.total_gates))
        yield from (KindOfTotal(TotalKind.RELATIONS, each, gates) for each in use.totals)
        yield from (KindOfTotal(TotalKind.ACCURACY, each, gates) for each in use.accuracy)


def describe_total(total: BaselineTotal, kind: TotalKind) -> str:
    """Both rates, their difference with its interval and p-value, and the number of cases or questions."""
    change = total.change
    before, after, (low, high) = change.paired.first_rate, change.paired.second_rate, change.interval
    p = change.p if change.p_holm is None else change.p_holm
    cases = count_noun(change.paired.shared, kind.unit)
    within = f"95 % interval {format_difference(low)} to {format_difference(high)}"
    return (
        f"from {format_rate(before)} to {format_rate(after)} on the same {cases} "
        f"({format_change(before, after)} points, {within}, p {format_p(p)})"
    )


def total_sentence(found: KindOfTotal) -> str:
    """What became of the gate on all relations together, or on the accuracy."""
    kind, total, held = found.kind, found.total, found.gate
    if held is None:
        return f"{kind.value}: {describe_total(total, kind)}"
    allowed = f"allowed drop: {describe_points(held.threshold)}"
    told = f"{describe_total(total, kind)}; {allowed}"
    if held.state is GateState.CANNOT_TELL:
        return f"cannot tell whether {kind.value} dropped: {told}; {what_it_takes(found)}"
    if held.state is GateState.MISSED:
        return f"{kind.value} dropped {told}"
    return f"{kind.value} did not drop by more than is allowed: {told}"


def what_it_takes(found: KindOfTotal) -> str:
    """The drop that so many cases or questions show, and how many show a small one."""
    unit, allowed = found.kind.unit, found.gate.threshold if found.gate else 0.0
    demand = RegressionGate(relations=found.gates, max_drop=allowed, families=2)
    prospect = prospect_of(found.total.change.paired, demand)
    shown = (
        f"so few {unit}s can show no drop"
        if prospect.smallest is None
        else f"so many {unit}s can show a drop of {describe_points(ceil(100 * prospect.smallest) / 100)} or more"
    )
    if prospect.needed is None or (prospect.smallest is not None and prospect.smallest <= prospect.drop):
        return shown
    wanted = describe_points(round(prospect.drop, 4))
    # Cases of one picture are worth less the more of them there are: asking it again and again does not help.
    more = ", of more pictures" if found.kind is TotalKind.RELATIONS else ""
    return f"{shown}; for {wanted} it takes about {count_noun(rounded_up(prospect.needed), unit)}{more}"
