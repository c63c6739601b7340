"""Charts of the HTML page: pass rates with intervals, breakdowns by facts, and histograms of answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite

from pytest_vqamt.core.results import Grounded, Report
from pytest_vqamt.core.tallies import Tally
from pytest_vqamt.core.text import count_noun
from pytest_vqamt.reporting.view.format import (
    axis_percent,
    describe_gate,
    format_change,
    format_percent,
    format_percents,
    format_rate,
)
from pytest_vqamt.reporting.view.rows import ResultRow, case_link, human_rate, paper_of, published_rates

_LANE_PX, _ONLY_LANE_PX = 15, 22
"""The height of a lane, and of the lane of a run with one model."""


MARKS = 8
"""The number of marks and colours; further models reuse them in turn."""

_SHOWN = 8
"""The answers of a histogram that have bars."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChartRow:
    """A relation variant with a lane for each model. Positions are in percent of the axis."""

    name: str
    """The relation variant."""
    link: str
    """Selects its cases on the page."""
    tags: tuple[str, ...]
    """Such as "presumed"."""
    lanes: tuple[Lane, ...]
    """One for each model, in the order of the run."""
    height_px: int
    """Of all lanes."""
    people: str
    """The human rate, as a position such as "87.5%"; "" if none is published."""
    is_people_of_whole_test: bool
    """True if the human rate is of the whole test, not of this variant."""
    published: tuple[str, ...]
    """The rates of published models as positions, ascending."""
    published_width: str
    """From the lowest to the highest of these, such as "12%"; "" without any."""
    claim: str
    """The relation in one sentence."""
    title: str
    """The published rates in words, as a tooltip."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart:
    """The pass rates on one data source."""

    data: str
    """The spec."""
    groups: Mapping[str, tuple[ChartRow, ...]]
    """The rows by paper, in the order of the run."""
    noise: tuple[tuple[str, str], ...]
    """Each model with the lowest pass rate in its controls, such as "98 %"."""


def charts(report: Report, lines: Sequence[ResultRow]) -> tuple[Chart, ...]:
    """A chart for each data source that any relation applies to."""
    made = []
    for source in report.data:
        here = [line for line in lines if line.result.data.name == source.name]
        noise = noise_floors(here)
        groups: dict[str, dict[tuple[str, bool], list[ResultRow]]] = {}
        for line in here:
            groups.setdefault(paper_of(line.result.item), {}).setdefault(line.place, []).append(line)
        several = len(report.data) > 1
        made.append(
            Chart(
                data=source.name,
                groups={
                    paper: tuple(_row(each, noise, len(report.models), several) for each in rows.values())
                    for paper, rows in groups.items()
                },
                noise=tuple(
                    (report.models[model].name, format_percent(floor)) for model, floor in sorted(noise.items())
                ),
            )
        )
    return tuple(chart for chart in made if chart.groups)


def legend_entries(made: Sequence[Chart]) -> dict[str, bool]:
    """Which marks occur in some chart, so that the legend must explain them."""
    rows = [row for chart in made for of_paper in chart.groups.values() for row in of_paper]
    lanes = [lane for row in rows for lane in row.lanes]
    return {
        "threshold": any(lane.threshold for lane in lanes),
        "before": any(lane.before for lane in lanes),
        "grounded": any(lane.grounded for lane in lanes),
        "noise": any(lane.noise for lane in lanes),
        "people": any(row.people and not row.is_people_of_whole_test for row in rows),
        "whole": any(row.is_people_of_whole_test for row in rows),
        "published": any(row.published for row in rows),
    }


def noise_floors(lines: Sequence[ResultRow]) -> dict[int, float]:
    """The lowest pass rate in the controls, by the index of the model."""
    floors: dict[int, float] = {}
    for line in lines:
        reached = line.counted.tally.pass_rate
        if line.is_noise and reached is not None:
            floors[line.model] = min(reached, floors.get(line.model, 1.0))
    return floors


def _row(lines: Sequence[ResultRow], noise: dict[int, float], models: int, several: bool) -> ChartRow:
    first = lines[0]
    result = first.result
    known, published = human_rate(result), published_rates(result.item)
    lane_px = _LANE_PX if models > 1 else _ONLY_LANE_PX
    by_model = {line.model: line for line in lines}
    lanes = tuple(
        make_lane(line, place, lane_px, None if line.is_noise else noise.get(line.model))
        for place, line in enumerate(by_model[model] for model in sorted(by_model))
    )
    title = []
    if known:
        title.append(f"Humans reach {format_percent(known.rate)}{' on the whole test' if known.of_whole_test else ''}.")
    if published:
        title.append(f"Published models reach {format_percents((published[0], published[-1]))}.")
    return ChartRow(
        name=result.item,
        link=case_link(relation=result.item, **({"data": result.data.name} if several else {})),
        tags=first.tags,
        lanes=lanes,
        height_px=lane_px * len(lanes),
        people=axis_percent(known.rate) if known else "",
        is_people_of_whole_test=known is not None and known.of_whole_test,
        published=tuple(map(axis_percent, published)),
        published_width=axis_percent(published[-1] - published[0]) if published else "",
        claim=result.claim,
        title=" ".join(title),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Lane:
    """A model's lane of a row. Rates and ends of intervals are positions such as "87.5%" of the axis."""

    mark: int
    """The index of the model's colour and mark."""
    y: float
    """The middle of the lane, in pixels from the row's top."""
    height_px: int
    """In pixels."""
    rate: str
    """The pass rate; "" without a judged case."""
    grounded: str
    """The grounded rate; "" without contrasts."""
    low: str
    """The lower end of the 95 % interval."""
    high: str
    """The upper end."""
    threshold: str
    """Of the gate on the pass rate; "" without one."""
    is_below: bool
    """True if that gate is missed."""
    before: str
    """The rate in the baseline; "" without one."""
    is_worse: bool
    """True if the rate is lower than in the baseline, significantly or not."""
    noise: str
    """The noise floor; "" without controls, or if it is 1."""
    shown: str
    """The pass rate in words, such as "73 %"."""
    state: str
    """The worst state of the gates, such as "cannot tell"; "" without any."""
    title: str
    """All figures in words, as a tooltip."""


def make_lane(line: ResultRow, place: int, height_px: int, noise: float | None) -> Lane:
    """The lane of a row at index ``place``; ``noise`` is the noise floor of its model."""
    counts, change = line.counted, line.counted.change
    reached, gate = counts.tally.pass_rate, counts.gate
    low, high = counts.interval
    before = change.paired.first_rate if change else None
    # A directional relation is its own contrast: both marks would be in one place.
    is_own_contrast = line.result.directional or not line.grounded
    grounded = None if is_own_contrast else line.grounded[0].rate
    difference = change.paired.difference if change else None
    return Lane(
        mark=line.model % MARKS,
        y=height_px * (place + 0.5),
        height_px=height_px,
        rate="" if reached is None else axis_percent(reached),
        grounded="" if grounded is None else axis_percent(grounded),
        low=axis_percent(low),
        high=axis_percent(high),
        threshold=axis_percent(gate.threshold) if gate else "",
        is_below=gate is not None and not gate.met,
        before="" if before is None else axis_percent(before),
        is_worse=difference is not None and difference < 0,
        # A floor at the end of the axis is no line that one sees.
        noise="" if noise is None or noise == 1 else axis_percent(noise),
        shown=format_percent(reached),
        state=line.gate_state.value if line.gate_state else "",
        title=_in_words(line),
    )


def _in_words(line: ResultRow) -> str:
    counts, change = line.counted, line.counted.change
    parts = [f"{line.result.model.name}: {format_percent(counts.tally.pass_rate)}"]
    if counts.tally.judged:
        parts.append(f"({format_percents(counts.interval)}, {count_noun(counts.tally.judged, 'case')})")
    if line.grounded and line.grounded[0].rate is not None:
        parts.append(f"grounded {format_percent(line.grounded[0].rate)}")
    if change:
        before, after = change.paired.first_rate, change.paired.second_rate
        parts.append(f"baseline {format_rate(before)}, change {format_change(before, after)} points")
    parts += [
        f"{describe_gate(gate, is_grounded=line.is_of_grounded(gate))}: {gate.state.value}" for gate in line.gates
    ]
    return ", ".join(parts).replace(", (", " (")


@dataclass(frozen=True, slots=True, kw_only=True)
class FactRate:
    """The pass rate of a model on the cases with a value of a fact."""

    mark: int
    """The index of the model's colour and mark."""
    model: str
    """The model's name."""
    rate: str
    """A position such as "87.5%"."""
    shown: str
    """In words, such as "88 %"."""
    judged: int
    """The number of judged cases."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FactValue:
    """A value of a fact with the rate of each model; None for a model without such cases."""

    text: str
    """The value."""
    parts: tuple[FactRate | None, ...]
    """In the order of ``Breakdown.models``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Breakdown:
    """The pass rates of one relation variant by the values of one fact."""

    item: str
    """The relation variant."""
    tags: tuple[str, ...]
    """Such as "presumed"."""
    data: str
    """The spec."""
    fact: str
    """The name of the fact, with spaces, such as "objects in picture"."""
    models: tuple[str, ...]
    """Their names."""
    values: tuple[FactValue, ...]
    """Numbers by size, then texts."""


def breakdowns(lines: Sequence[ResultRow]) -> tuple[Breakdown, ...]:
    """A breakdown for each fact with at least two values, of each relation variant and data source."""
    places: dict[tuple[str, bool, str], list[ResultRow]] = {}
    for line in lines:
        places.setdefault((*line.place, line.result.data.name), []).append(line)
    made = (
        _breakdown(same, fact)
        for same in places.values()
        for fact in dict.fromkeys(fact for line in same for fact in line.counted.breakdown)
    )
    # A fact with one value breaks nothing down.
    return tuple(each for each in made if len(each.values) > 1)


def _breakdown(lines: Sequence[ResultRow], fact: str) -> Breakdown:
    first = lines[0]
    values = {value for line in lines for value in line.counted.breakdown.get(fact, {})}
    return Breakdown(
        item=first.result.item,
        tags=first.tags,
        data=first.result.data.name,
        fact=fact.replace("_", " "),
        models=tuple(line.result.model.name for line in lines),
        values=tuple(
            FactValue(
                text=value,
                parts=tuple(_part(line, line.counted.breakdown.get(fact, {}).get(value)) for line in lines),
            )
            for value in sorted(values, key=_in_order)
        ),
    )


def _part(line: ResultRow, tally: Tally | None) -> FactRate | None:
    if tally is None or tally.pass_rate is None:
        return None
    return FactRate(
        mark=line.model % MARKS,
        model=line.result.model.name,
        rate=axis_percent(tally.pass_rate),
        shown=format_percent(tally.pass_rate),
        judged=tally.judged,
    )


def _in_order(value: str) -> tuple[int, float, str]:
    """Numbers by their size, before texts."""
    try:
        number = float(value)
    except ValueError:
        return 1, 0.0, value
    # "nan" and "inf" are texts here: nan has no place in an order.
    return (0, number, value) if isfinite(number) else (1, 0.0, value)


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerBar:
    """How often a model gave an answer, and the share of all its answers."""

    mark: int
    """The index of the model's colour and mark."""
    model: str
    """The model's name."""
    share: str
    """A position such as "87.5%"."""
    shown: str
    """In words, such as "35 (88 %)"."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerBars:
    """An answer with a bar for each model."""

    text: str
    """The answer as it was read."""
    bars: tuple[AnswerBar, ...]
    """In the order of the models."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerHistogram:
    """The answers to one relation variant, the most frequent first."""

    item: str
    """The relation variant."""
    tags: tuple[str, ...]
    """Such as "presumed"."""
    data: str
    """The spec."""
    readings: tuple[AnswerBars, ...]
    """At most 8."""
    others: int
    """The number of other answers, which have no bars."""
    sample: int | None
    """The number of cases counted, if not all; otherwise None."""


def histograms(lines: Sequence[ResultRow]) -> tuple[AnswerHistogram, ...]:
    """A histogram for each relation variant and data source that had an answer."""
    places: dict[tuple[str, bool, str], list[ResultRow]] = {}
    for line in lines:
        if line.counted.readings:
            places.setdefault((*line.place, line.result.data.name), []).append(line)
    return tuple(_histogram(same) for same in places.values())


def _histogram(lines: Sequence[ResultRow]) -> AnswerHistogram:
    together: Counter[str] = Counter()
    for line in lines:
        together += line.counted.readings
    ordered = sorted(together, key=lambda reading: (-together[reading], reading))
    first = lines[0]
    return AnswerHistogram(
        item=first.result.item,
        tags=first.tags,
        data=first.result.data.name,
        readings=tuple(
            AnswerBars(text=reading, bars=tuple(_bar(line, reading) for line in lines)) for reading in ordered[:_SHOWN]
        ),
        others=max(0, len(ordered) - _SHOWN),
        sample=max((line.counted.readings_sample or 0 for line in lines), default=0) or None,
    )


def _bar(line: ResultRow, reading: str) -> AnswerBar:
    times = line.counted.readings[reading]
    share = times / (line.counted.readings.total() or 1)
    return AnswerBar(
        mark=line.model % MARKS,
        model=line.result.model.name,
        share=axis_percent(share),
        shown=f"{times:,} ({format_percent(share)})",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class MosaicCell:
    """A cell of a mosaic; places and sizes are in percent of its sides."""

    kind: str
    """Its name in ``GroundedCells``, or "chance"."""
    count: int
    """The number of cases."""
    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Mosaic:
    """The cases of an item with a contrast as a square: across if the relation holds, down if the answer changed."""

    item: str
    """The relation variant."""
    link: str
    """Selects its cases on the page."""
    tags: tuple[str, ...]
    """Such as "presumed"."""
    model: str
    """The model's name."""
    data: str
    """The spec."""
    mark: int
    """The index of the model's colour."""
    cells: tuple[MosaicCell, ...]
    """Four, with areas that are shares of the cases."""
    chance: MosaicCell | None
    """The cell that guessing would give in place of the grounded one; None if the relation never holds."""
    shown: str
    """The grounded rate in words, with what guessing reaches."""
    is_missed: bool
    """True if a gate on the grounded rate or on its drop is missed."""

    @property
    def counts(self) -> Mapping[str, int]:
        """The number of cases by kind."""
        return {cell.kind: cell.count for cell in self.cells}


def mosaics(report: Report, lines: Sequence[ResultRow]) -> tuple[Mosaic, ...]:
    """A mosaic for each item with contrasts, presumed ones apart."""
    return tuple(
        _mosaic(report, line, part)
        for line in lines
        for part in line.grounded
        if part.cells.cases and not line.result.directional
    )


def _mosaic(report: Report, line: ResultRow, part: Grounded) -> Mosaic:
    result, counted, cases = line.result, part.cells, part.cells.cases
    columns = (
        (0.0, counted.consistent, ("consistent_changed", "consistent_unchanged")),
        (
            100 * counted.consistent / cases,
            cases - counted.consistent,
            ("inconsistent_changed", "inconsistent_unchanged"),
        ),
    )
    cells: list[MosaicCell] = []
    for x, column, kinds in columns:
        # Cells stand on the lower edge, the grounded one at the bottom left.
        below = 100.0
        for kind in kinds:
            count: int = getattr(counted, kind)
            height = 100 * count / column if column else 0.0
            below -= height
            cells.append(
                MosaicCell(kind=kind, count=count, x=x, y=max(0.0, below), width=100 * column / cases, height=height)
            )
    by_chance = part.chance.mean or 0.0
    width = 100 * counted.consistent / cases
    # As wide as the grounded cell, so of a height that makes its area the share by chance.
    high = min(100.0, 100 * by_chance * cases / counted.consistent) if counted.consistent else 0.0
    is_presumed = line.is_presumed or part is not result.grounded
    several = len(report.data) > 1
    link = {"model": result.model.name} if len(report.models) > 1 else {}
    return Mosaic(
        item=result.item,
        link=case_link(relation=result.item, **link, **({"data": result.data.name} if several else {})),
        tags=(*result.tags, *(("presumed",) if is_presumed else ())),
        model=result.model.name,
        data=result.data.name,
        mark=line.model % MARKS,
        cells=tuple(cells),
        chance=MosaicCell(kind="chance", count=0, x=0, y=100 - high, width=width, height=high) if high else None,
        shown=(
            f"{format_percent(part.rate)} ({format_percents(part.interval)}), "
            f"by guessing {format_percent(part.chance.mean)}"
        ),
        is_missed=any(gate and not gate.met for gate in (part.gate, part.change.gate if part.change else None)),
    )
