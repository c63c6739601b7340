"""The rates of relations over several reports, with a sparkline each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from pytest_vqamt.core.results import Report
from pytest_vqamt.core.text import count_noun, visible
from pytest_vqamt.reporting.view.format import (
    NO_CELL,
    TableCell,
    ViewTable,
    column_heads,
    format_change,
    format_rate,
    tagged,
    text_cell,
)
from pytest_vqamt.reporting.view.model_figures import model_figures
from pytest_vqamt.reporting.view.rows import result_rows

_GROUNDED = "grounded"
_BARS = "▁▂▃▄▅▆▇█"
_WIDTH_PX, _HEIGHT_PX = 160, 24
"""Of a sparkline on the page."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrendLine:
    """The rates of a relation variant, or of a model over all its relations, one for each report."""

    item: str
    """"" for the model as a whole, and "grounded" for its grounded rate."""
    model: str
    """The model's name."""
    data: str
    """The spec; "" for the model over all data."""
    rates: tuple[float | None, ...]
    """None where the report has no judged case of it."""
    versions: tuple[int, ...] = ()
    """Of the relation, without repetitions: rates of two versions are of different questions."""

    @property
    def known(self) -> tuple[float, ...]:
        return tuple(rate for rate in self.rates if rate is not None)

    @property
    def change(self) -> float:
        """The last known rate minus the first."""
        return self.known[-1] - self.known[0]

    @property
    def bars(self) -> str:
        """The rates as characters, with a dot where there is none.

        >>> TrendLine(item="", model="tiny", data="", rates=(0.0, None, 0.5, 1.0)).bars
        '▁·▅█'
        """
        return "".join("·" if rate is None else _BARS[min(7, int(8 * rate))] for rate in self.rates)

    @property
    def points(self) -> str:
        """The known rates as the points of an SVG line."""
        # Three pixels around the line, so that its ends are not cut.
        step = (_WIDTH_PX - 6) / max(1, len(self.rates) - 1)
        places = (
            (3 + place * step, _HEIGHT_PX - 3 - (_HEIGHT_PX - 6) * rate)
            for place, rate in enumerate(self.rates)
            if rate is not None
        )
        return " ".join(f"{x:.1f},{y:.1f}" for x, y in places)


@dataclass(frozen=True, slots=True, kw_only=True)
class Trends:
    """The rates of several reports."""

    reports: tuple[tuple[str, str], ...]
    """The name and the start of each, in the order of their starts."""
    lines: tuple[TrendLine, ...]
    """A line for each model, then for each of its relation variants."""


def trends(reports: Sequence[tuple[str, Report]], wanted: Callable[[str], bool]) -> Trends:
    """The rates of the ``wanted`` items in the named reports; the largest drops come first.

    Presumed cases are left out, as they are no part of a relation's pass rate.
    """
    ordered = sorted(reports, key=lambda named: named[1].started)
    found: dict[tuple[str, str, str], list[float | None]] = {}
    versions: dict[tuple[str, str, str], dict[int, None]] = {}

    def note(key: tuple[str, str, str], place: int, rate: float | None) -> None:
        found.setdefault(key, [None] * len(ordered))[place] = rate

    for place, (_, report) in enumerate(ordered):
        for figures in model_figures(report, result_rows(report)):
            note((figures.model, "", ""), place, figures.consistent.rate)
            note((figures.model, "", _GROUNDED), place, figures.grounded.rate)
        for result in filter(lambda each: wanted(each.item), report.relations):
            key = result.model.name, result.data.name, tagged(result.item, result.tags)
            of_contrasts = result.model.name, result.data.name, tagged(result.item, (*result.tags, _GROUNDED))
            note(key, place, result.pass_rate)
            note(of_contrasts, place, result.grounded.rate if result.grounded else None)
            # A dict as an ordered set.
            for each in (key, of_contrasts):
                versions.setdefault(each, {})[result.version] = None
    lines = [
        TrendLine(item=item, model=model, data=data, rates=tuple(rates), versions=tuple(versions.get(key, ())))
        for key, rates in found.items()
        for model, data, item in [key]
        if any(rate is not None for rate in rates)
    ]
    # Without any wanted relation, the lines of models alone would look like an answer.
    if not any(line.data for line in lines):
        lines = []
    return Trends(
        reports=tuple((name, report.started) for name, report in ordered),
        # "" sorts first: a model's own lines, its pass rate before its grounded rate, then drops.
        lines=tuple(sorted(lines, key=lambda line: (line.model, line.data, bool(line.item), line.change))),
    )


def trend_lines(found: Trends) -> Iterator[str]:
    """The trends as lines for a terminal."""
    for number, (name, started) in enumerate(found.reports, start=1):
        yield f"{number}: {visible(name)}, started {started}"
    yield ""
    yield from map(visible, trend_table(found).lines)


def trend_table(found: Trends) -> ViewTable:
    """A row for each line: the rate in the first and in the last report that have it, and all rates as bars."""
    several = len({line.data for line in found.lines if line.data}) > 1
    heads = column_heads("relation", "first", "last", "points", "runs", "rate of each run")
    return ViewTable(heads=heads, rows=tuple(_row(line, several=several) for line in found.lines))


def _row(line: TrendLine, *, several: bool) -> tuple[TableCell, ...]:
    name = f"  {line.item}" if line.data else ", ".join(filter(None, (line.model, "all relations", line.item)))
    notes = (line.data,) if several and line.data else ()
    if len(line.versions) > 1:
        notes = (*notes, f"versions {', '.join(map(str, line.versions))}")
    first, last = line.known[0], line.known[-1]
    return (
        TableCell(text=name, key=line.item, notes=notes),
        text_cell(format_rate(first)),
        text_cell(format_rate(last)),
        text_cell(format_change(first, last)) if len(line.known) > 1 else NO_CELL,
        text_cell(str(len(line.known))),
        text_cell(line.bars),
    )


def trend_page(found: Trends) -> str:
    """The trends as one page that loads nothing."""
    from markupsafe import Markup

    from pytest_vqamt.reporting.html.page import inline_source, page_template, styles  # brings jinja2

    table = trend_table(found)
    return page_template("pytest_vqamt.reporting.html", "trend.html.j2").render(
        title=f"{count_noun(len(found.reports), 'report')}: how the rates moved",
        policy=f"default-src 'none'; style-src {inline_source(styles())}; base-uri 'none'; form-action 'none'",
        styles=Markup(styles()),
        reports=found.reports,
        heads=table.head_texts,
        rows=list(zip(found.lines, table.row_texts, strict=True)),
        width=_WIDTH_PX,
        height=_HEIGHT_PX,
    )
