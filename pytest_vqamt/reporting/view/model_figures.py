"""The figures of a model over all its relations: the share of its cases that are consistent, grounded, unread."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import ceil
from typing import NamedTuple

from pytest_vqamt.core.results import BaselineTotal, BaselineUse, Gate, GateState, Grounded, RelationResult, Report
from pytest_vqamt.core.tallies import Clusters, Tally
from pytest_vqamt.core.text import count_noun, some_of
from pytest_vqamt.reporting.view.answers import OFTEN_UNREAD
from pytest_vqamt.reporting.view.format import (
    describe_points,
    format_change,
    format_difference,
    format_p,
    format_percent,
    format_percents,
    format_rate,
    rounded_up,
    wrapped,
)
from pytest_vqamt.reporting.view.rows import ResultRow, p_value
from pytest_vqamt.stats.intervals import pass_rate_interval, wilson
from pytest_vqamt.stats.power import RegressionGate, prospect_of
from pytest_vqamt.stats.thresholds import APART, TotalKind

CONSISTENT = 0.8
"""From this share of its cases on a relation holds often enough for its pass rate to mislead."""
GROUNDED = 0.5
"""An item whose grounded rate is surely lower is named."""

_NAMED_ALONE = 3
"""So many items have a line each, more of them one line together."""

_NAMED_TOGETHER = 6


def is_misleading(grounded: Grounded) -> bool:
    """True if the relation holds in most cases, but the whole interval of the grounded rate lies below a half."""
    cells = grounded.cells
    return bool(cells.cases) and cells.consistent >= CONSISTENT * cells.cases and grounded.interval[1] < GROUNDED


def hardly_looks(found: Sequence[Grounded]) -> bool:
    """True if the grounded cases of all items are no more than guessing gives, and surely under a half."""
    rows = tuple(row for each in found for row in each.clusters.rows)
    low, high = pass_rate_interval(Clusters(rows))
    cases = sum(each.cells.cases for each in found)
    return low <= sum(each.chance.total for each in found) / cases and high < GROUNDED


def describe_by_chance(grounded: Grounded) -> str:
    """The rate that a model which guesses would reach on these cases."""
    return f"by guessing {format_percent(grounded.chance.mean)}"


def misleading_lines(results: Sequence[RelationResult], *, of_model: bool = False) -> Iterator[str]:
    """A line for each item that is consistent but not grounded; one line for all if there are many.

    Args:
        results: the items.
        of_model: name the model and the data of each.
    """
    found = [
        (_name(result, of_model=of_model), part)
        for result in results
        # A directional relation is its own contrast: its grounded rate is its pass rate.
        if result.grounded and not result.directional
        for part in (result.grounded, result.grounded.presumed)
        if part and is_misleading(part)
    ]
    if len(found) <= _NAMED_ALONE:
        for name, part in found:
            cells = part.cells
            yield (
                f"the model hardly looks in {name}: {format_percent(part.rate or 0.0)} grounded (by guessing "
                f"{format_percent(part.chance.mean)}), though {format_percent(cells.consistent / cells.cases)} of the "
                f"cases with a contrast hold"
            )
        return
    rates = sorted(part.rate or 0.0 for _, part in found)
    # Of rates that are all alike no range is made ("0 to 0 %").
    reached = format_percents((rates[0], rates[-1])) if rates[0] < rates[-1] else format_percent(rates[0])
    names = list(dict.fromkeys(name for name, _ in found))
    yield (
        f"the model hardly looks in {len(names)} relation variants: {reached} grounded, though at least "
        f"{format_percent(CONSISTENT)} of the cases with a contrast hold: {some_of(names, _NAMED_TOGETHER)}"
    )


def wrapped_misleading_lines(results: Sequence[RelationResult]) -> Iterator[str]:
    """The same for a terminal."""
    for line in misleading_lines(results):
        yield from wrapped(line)


def _name(result: RelationResult, *, of_model: bool) -> str:
    return f"{result.item} ({result.model.name} on {result.data.name})" if of_model else result.item


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """A share of cases with its 95 % interval."""

    rate: float | None
    """None if there is no such case."""
    interval: tuple[float, float]
    """(0, 1) without a case."""
    about: str
    """The counts, in words."""
    state: str
    """"good", "bad", or "" between them and without a case."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFigures:
    """The figures of one model over its relations, from the rows that count for it (``counted_rows``)."""

    model: str
    """The model's name."""
    consistent: Share
    """Of the judged cases, with unread ones, those in which the relation holds. The interval is by scene within each
    relation."""
    grounded: Share
    """Of the cases with a contrast, those that are grounded."""
    unread: Share
    """Of the answered cases, those with an answer that has no reading."""

    @property
    def grounded_of(self) -> str:
        """The cases of the grounded rate in brackets, where it is above the consistent one, which is of all cases."""
        is_above = (self.grounded.rate or 0.0) > (self.consistent.rate or 0.0)
        return f" ({self.grounded.about})" if is_above else ""


def is_apart(row: ResultRow) -> bool:
    """True for a control or a relation tagged "baseline", which say little about the model."""
    return not APART.isdisjoint(row.result.tags)


def counted_rows(rows: Iterable[ResultRow]) -> list[ResultRow]:
    """The rows that count for a model: presumed cases, relations tagged "baseline" and controls only without others."""
    found = [row for row in rows if row.counted.tally.cases]
    sure = [row for row in found if not (is_apart(row) or row.is_presumed)]
    # A run of presumed cases alone, or of controls alone, has figures of these rather than none.
    return sure or [row for row in found if not is_apart(row)] or [row for row in found if not row.is_noise] or found


def model_figures(report: Report, lines: Sequence[ResultRow]) -> tuple[ModelFigures, ...]:
    """The figures of each model of the report."""
    return tuple(
        figures_of(model.name, counted_rows(line for line in lines if line.result.model.name == model.name))
        for model in report.models
    )


def figures_of(model: str, lines: Sequence[ResultRow]) -> ModelFigures:
    """The figures of a model over some rows."""
    tally = sum((line.counted.tally for line in lines), Tally())
    # Sure contrasts come first; a presumed row has presumed ones alone.
    grounded = [line.grounded[0] for line in lines if line.grounded]
    cells = [each.cells for each in grounded]
    with_contrast = sum(each.cases for each in cells)
    relations = count_noun(len({line.result.item for line in lines}), "relation variant")
    return ModelFigures(
        model=model,
        consistent=_share(
            tally.holds,
            tally.judged,
            _together(line.counted.clusters for line in lines),
            f"{tally.holds:,} of {count_noun(tally.judged, 'case')} of {relations}",
            good=CONSISTENT,
            bad=GROUNDED,
        ),
        grounded=_share(
            sum(each.consistent_changed for each in cells),
            with_contrast,
            _together(each.clusters for each in grounded),
            f"of {count_noun(with_contrast, 'case')} with a contrast",
            good=CONSISTENT,
            bad=GROUNDED,
        ),
        unread=_unread(tally),
    )


def _together(clusters: Iterable[Clusters]) -> Clusters:
    return Clusters(tuple(row for each in clusters for row in each.rows))


def _share(part: int, cases: int, clusters: Clusters, about: str, *, good: float, bad: float) -> Share:
    rate = part / cases if cases else None
    interval = pass_rate_interval(clusters)
    # Colours by the interval, so that a few cases are neither good nor bad.
    state = "" if rate is None else "good" if interval[0] >= good else "bad" if interval[1] < bad else ""
    return Share(rate=rate, interval=interval, about=about, state=state)


def _unread(tally: Tally) -> Share:
    rate = tally.unread_rate
    return Share(
        rate=rate,
        # Without scenes: unread answers are counted by item, not by scene.
        interval=wilson(tally.unread_cases, tally.answered) if tally.answered else (0.0, 1.0),
        about=f"{tally.unread_cases:,} of {count_noun(tally.answered, 'answered case')}",
        state="" if rate is None else "bad" if rate >= OFTEN_UNREAD else "good",
    )


def row_figures(line: ResultRow) -> dict[str, str | int | float | None]:
    """The figures of a row of the report by name, as columns of a table for programs.

    The cases are the sum of those that hold, are violated, unread, without an answer (errors), declined, flaky or
    waived, less the unread ones that hold, which are in two of these columns. Refusals in words are unread.
    """
    tally, (low, high) = line.counted.tally, line.counted.interval
    grounded = line.grounded[0] if line.grounded and line.grounded[0].cells.cases else None
    return {
        "relation": line.result.item,
        "model": line.result.model.name,
        "data": line.result.data.name,
        "tags": ", ".join(line.tags),
        "cases": tally.cases,
        "holds": tally.holds,
        "violated": tally.violations,
        "unread_cases": tally.unread_cases,
        "unread_holds": tally.unread_holds,
        "errors": tally.errors,
        # Refused cases are in unread_cases, so that the columns add up.
        "declined": tally.declined - tally.refused,
        "flaky": tally.flaky,
        "waived": tally.waived,
        "pass_rate": tally.pass_rate,
        # The interval of no case is (0, 1), which a program would take for a figure.
        "pass_rate_low": low if tally.judged else None,
        "pass_rate_high": high if tally.judged else None,
        "grounded": grounded.rate if grounded else None,
        "grounded_low": grounded.interval[0] if grounded else None,
        "grounded_high": grounded.interval[1] if grounded else None,
        "unread": tally.unread_rate,
        "gate": line.gate_state.value if line.gate_state else None,
        "claim": line.result.claim,
    }


class KindOfTotal(NamedTuple):
    """A comparison of totals with the baseline, and its kind."""

    kind: TotalKind
    """All relations together, or the accuracy."""
    total: BaselineTotal
    """One model on one data source."""
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
        # At least 1: it divides the level of significance, also where no total has a gate.
        gates = max(1, len(use.total_gates))
        yield from (KindOfTotal(TotalKind.RELATIONS, each, gates) for each in use.totals)
        yield from (KindOfTotal(TotalKind.ACCURACY, each, gates) for each in use.accuracy)


def describe_total(total: BaselineTotal, kind: TotalKind) -> str:
    """Both rates, their difference with its interval and p-value, and the number of cases or questions."""
    change = total.change
    before, after, (low, high) = change.paired.first_rate, change.paired.second_rate, change.interval
    cases = count_noun(change.paired.shared, kind.unit)
    within = f"95 % interval {format_difference(low)} to {format_difference(high)}"
    return (
        f"from {format_rate(before)} to {format_rate(after)} on the same {cases} "
        f"({format_change(before, after)} points, {within}, p {format_p(p_value(change))})"
    )


def total_sentence(found: KindOfTotal) -> str:
    """The state of the gate on all relations together or on the accuracy, with both rates."""
    kind, total, gate = found.kind, found.total, found.gate
    if gate is None:
        return f"{kind.value}: {describe_total(total, kind)}"
    allowed = f"allowed drop: {describe_points(gate.threshold)}"
    figures = f"{describe_total(total, kind)}; {allowed}"
    if gate.state is GateState.CANNOT_TELL:
        return f"cannot tell whether {kind.value} dropped: {figures}; {what_it_takes(found)}"
    if gate.state is GateState.MISSED:
        return f"{kind.value} dropped {figures}"
    return f"{kind.value} did not drop by more than is allowed: {figures}"


def what_it_takes(found: KindOfTotal) -> str:
    """The smallest drop that these cases or questions can show, and how many show a small one."""
    unit, allowed = found.kind.unit, found.gate.threshold if found.gate else 0.0
    # Two families, as the single relations are gated besides.
    demand = RegressionGate(relations=found.gates, max_drop=allowed, families=2)
    prospect = prospect_of(found.total.change.paired, demand)
    shown = (
        f"so few {unit}s can show no drop"
        if prospect.smallest is None
        else f"so many {unit}s can show a drop of {describe_points(ceil(100 * prospect.smallest) / 100)} or more"
    )
    # So many cases show the drop of interest already, or no number does.
    if prospect.needed is None or (prospect.smallest is not None and prospect.smallest <= prospect.drop):
        return shown
    wanted = describe_points(round(prospect.drop, 4))
    # Cases of one picture are worth less the more of them there are: asking it again and again does not help.
    more = ", of more pictures" if found.kind is TotalKind.RELATIONS else ""
    return f"{shown}; for {wanted} it takes about {count_noun(rounded_up(prospect.needed), unit)}{more}"
