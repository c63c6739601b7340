"""The overview: pass rates with their intervals, a row for each relation variant, grouped by paper.

Everything on it also stands in the table below it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pytest_vqamt.core.results import Report
from pytest_vqamt.reporting.page.figures import percent, rate
from pytest_vqamt.reporting.page.lanes import Lane, lane
from pytest_vqamt.reporting.page.links import chosen
from pytest_vqamt.reporting.page.papers import paper_of, people, published_rates
from pytest_vqamt.reporting.view.lines import Line

_LANE_PX, _ONLY_LANE_PX = 15, 22


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A relation variant, with a lane for each model; ``people`` and ``published`` are places on the axis."""

    name: str
    link: str
    tags: tuple[str, ...]
    lanes: tuple[Lane, ...]
    height_px: int
    people: str
    is_people_of_whole_test: bool
    published: tuple[str, ...]
    published_width: str
    title: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """The rows of one paper."""

    paper: str
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    """What some chart of the page has, and the legend explains."""

    threshold: bool
    before: bool
    noise: bool
    people: bool
    whole: bool
    published: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart:
    """What the models reach on one data source; ``noise`` is the least of each model with no change at all."""

    data: str
    groups: tuple[Group, ...]
    noise: tuple[tuple[str, str], ...]


def charts(report: Report, lines: Sequence[Line]) -> tuple[Chart, ...]:
    """A chart for each data source that any relation applies to."""
    made = []
    for source in report.data:
        here = [line for line in lines if line.result.data.spec == source.spec]
        noise = noise_floors(here)
        groups: dict[str, dict[tuple[str, bool], list[Line]]] = {}
        for line in here:
            groups.setdefault(paper_of(line.result.item), {}).setdefault(line.place, []).append(line)
        several = len(report.data) > 1
        made.append(
            Chart(
                data=source.spec,
                groups=tuple(
                    Group(
                        paper=paper,
                        rows=tuple(_row(each, noise, len(report.models), several) for each in rows.values()),
                    )
                    for paper, rows in groups.items()
                ),
                noise=tuple((report.models[model].name, rate(floor)) for model, floor in sorted(noise.items())),
            )
        )
    return tuple(chart for chart in made if chart.groups)


def drawn(made: Sequence[Chart]) -> Drawn:
    """What there is to explain."""
    rows = [row for chart in made for group in chart.groups for row in group.rows]
    lanes = [lane for row in rows for lane in row.lanes]
    return Drawn(
        threshold=any(lane.threshold for lane in lanes),
        before=any(lane.before for lane in lanes),
        noise=any(lane.noise for lane in lanes),
        people=any(row.people and not row.is_people_of_whole_test for row in rows),
        whole=any(row.is_people_of_whole_test for row in rows),
        published=any(row.published for row in rows),
    )


def noise_floors(lines: Sequence[Line]) -> dict[int, float]:
    """Of each model, by its place, the least that it reaches with no change at all."""
    floors: dict[int, float] = {}
    for line in lines:
        reached = line.counted.tally.pass_rate
        if line.is_noise and reached is not None:
            floors[line.model] = min(reached, floors.get(line.model, 1.0))
    return floors


def _row(lines: Sequence[Line], noise: dict[int, float], models: int, several: bool) -> Row:
    first = lines[0]
    result = first.result
    known, published = people(result), published_rates(result.item)
    lane_px = _LANE_PX if models > 1 else _ONLY_LANE_PX
    by_model = {line.model: line for line in lines}
    lanes = tuple(
        lane(line, place, lane_px, None if line.is_noise else noise.get(line.model))
        for place, line in enumerate(by_model[model] for model in sorted(by_model))
    )
    told = [result.claim]
    if known:
        told.append(f"People reach {rate(known.rate)}{' on the whole test' if known.of_whole_test else ''}.")
    if published:
        told.append(f"Published models reach {rate(published[0])} to {rate(published[-1])}.")
    return Row(
        name=result.item,
        link=chosen(relation=result.item, **({"data": result.data.spec} if several else {})),
        tags=first.tags,
        lanes=lanes,
        height_px=lane_px * len(lanes),
        people=percent(known.rate) if known else "",
        is_people_of_whole_test=known is not None and known.of_whole_test,
        published=tuple(map(percent, published)),
        published_width=percent(published[-1] - published[0]) if published else "",
        title=" ".join(told),
    )
