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


MARKS = 8
"""The number of marks and colours; further models reuse them in turn."""

_SHOWN = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class ChartRow:
    """A relation variant with a lane for each model; ``people`` and ``published`` are positions on the axis."""

    name: str
    link: str
    tags: tuple[str, ...]
    lanes: tuple[Lane, ...]
    height_px: int
    people: str
    is_people_of_whole_test: bool
    published: tuple[str, ...]
    published_width: str
    claim: str
    title: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart:
    """The pass rates on one data source by paper; ``noise`` is each model's lowest rate in the controls."""

    data: str
    groups: Mapping[str, tuple[ChartRow, ...]]
    noise: tuple[tuple[str, str], ...]


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
    """True if each mark occurs in some chart, so that the legend must explain it."""
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
    """A lane of a row, ``height_px`` high, with its middle at ``y`` from the row's top.

    ``rate``, ``grounded``, ``low``, ``high``, ``threshold``, ``before`` (the baseline) and ``noise`` are positions on
    the axis in percent of its length, "" if there is none. ``is_below`` says whether the gate at ``threshold`` is
    missed. ``state`` is that of the gates, "" without any.
    """

    mark: int
    y: float
    height_px: int
    rate: str
    grounded: str
    low: str
    high: str
    threshold: str
    is_below: bool
    before: str
    is_worse: bool
    noise: str
    shown: str
    state: str
    title: str


def make_lane(line: ResultRow, place: int, height_px: int, noise: float | None) -> Lane:
    """The lane of a row at index ``place``; ``noise`` is the noise floor of its model."""
    counts, change = line.counted, line.counted.change
    reached, held = counts.tally.pass_rate, counts.gate
    low, high = counts.interval
    before = change.paired.first_rate if change else None
    is_own_contrast = line.result.directional or not line.grounded  # a directional one is its pass rate
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
        threshold=axis_percent(held.threshold) if held else "",
        is_below=held is not None and not held.met,
        before="" if before is None else axis_percent(before),
        is_worse=difference is not None and difference < 0,
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
        f"{describe_gate(held, is_grounded=line.is_of_grounded(held))}: {held.state.value}" for held in line.gates
    ]
    return ", ".join(parts).replace(", (", " (")


@dataclass(frozen=True, slots=True, kw_only=True)
class FactRate:
    """The pass rate of a model on the cases with a value of a fact."""

    mark: int
    model: str
    rate: str
    shown: str
    judged: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FactValue:
    """A value of a fact with the rate of each model; None for a model without such cases."""

    text: str
    parts: tuple[FactRate | None, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Breakdown:
    """The pass rates of one relation variant by the values of one fact."""

    item: str
    tags: tuple[str, ...]
    data: str
    fact: str
    models: tuple[str, ...]
    values: tuple[FactValue, ...]


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
    return (0, number, value) if isfinite(number) else (1, 0.0, value)


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerBar:
    """How often a model gave an answer, and the share of all its answers."""

    mark: int
    model: str
    share: str
    shown: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerBars:
    """An answer with a bar for each model."""

    text: str
    bars: tuple[AnswerBar, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerHistogram:
    """The answers to one relation variant, the most frequent first; ``others`` are not shown.

    ``sample`` is the number of cases counted, if not all; otherwise None.
    """

    item: str
    tags: tuple[str, ...]
    data: str
    readings: tuple[AnswerBars, ...]
    others: int
    sample: int | None


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
    """A cell of a mosaic, in percent of its sides; ``kind`` is its name in ``GroundedCells``."""

    kind: str
    count: int
    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Mosaic:
    """The cases of an item with a contrast as a square: by whether the relation holds, and whether the answer changed.

    Areas are shares of the cases. ``chance`` is the cell that a model which guesses would have in place of the grounded
    one, as wide as it; None if the relation never holds.
    """

    item: str
    link: str
    tags: tuple[str, ...]
    model: str
    data: str
    mark: int
    cells: tuple[MosaicCell, ...]
    chance: MosaicCell | None
    shown: str
    is_missed: bool

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
        is_missed=any(held and not held.met for held in (part.gate, part.change.gate if part.change else None)),
    )
