"""The figures of a model over all its relations: the share of its cases that are consistent, grounded, unread."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pytest_vqamt.core.results import Report
from pytest_vqamt.core.tallies import Clusters, Tally
from pytest_vqamt.core.text import count_noun
from pytest_vqamt.reporting.view.answers import OFTEN_UNREAD
from pytest_vqamt.reporting.view.grounding import CONSISTENT, GROUNDED
from pytest_vqamt.reporting.view.rows import ResultRow
from pytest_vqamt.stats.intervals import pass_rate_interval, wilson
from pytest_vqamt.stats.thresholds import APART


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """A share of cases with its 95 % interval.

    Attributes:
        rate: None if there is no such case.
        about: the counts, in words.
        state: "good", "bad", or "" between them and without a case.
    """

    rate: float | None
    interval: tuple[float, float]
    about: str
    state: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFigures:
    """The figures of one model over its relations, from the rows that count for it (``counted_rows``).

    Attributes:
        consistent: of the judged cases, with unread ones, those in which the relation holds. The interval is by scene
            within each relation.
        grounded: of the cases with a contrast, those that are grounded.
        unread: of the answered cases, those with an answer that has no reading.
    """

    model: str
    consistent: Share
    grounded: Share
    unread: Share

    @property
    def grounded_of(self) -> str:
        """The cases of the grounded rate in brackets, where it is above the consistent one, which is of all cases."""
        is_above = (self.grounded.rate or 0.0) > (self.consistent.rate or 0.0)
        return f" ({self.grounded.about})" if is_above else ""


def is_apart(row: ResultRow) -> bool:
    """Whether the row is of a control or of a relation tagged "baseline", which say little about the model."""
    return not APART.isdisjoint(row.result.tags)


def counted_rows(rows: Iterable[ResultRow]) -> list[ResultRow]:
    """The rows that count for a model: presumed cases, relations tagged "baseline" and controls only without others."""
    found = [row for row in rows if row.counted.tally.cases]
    sure = [row for row in found if not (is_apart(row) or row.is_presumed)]
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
    state = "" if rate is None else "good" if interval[0] >= good else "bad" if interval[1] < bad else ""
    return Share(rate=rate, interval=interval, about=about, state=state)


def _unread(tally: Tally) -> Share:
    rate = tally.unread_rate
    return Share(
        rate=rate,
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
        "declined": tally.declined - tally.refused,
        "flaky": tally.flaky,
        "waived": tally.waived,
        "pass_rate": tally.pass_rate,
        "pass_rate_low": low if tally.judged else None,
        "pass_rate_high": high if tally.judged else None,
        "grounded": grounded.rate if grounded else None,
        "grounded_low": grounded.interval[0] if grounded else None,
        "grounded_high": grounded.interval[1] if grounded else None,
        "unread": tally.unread_rate,
        "gate": line.gate_state.value if line.gate_state else None,
        "claim": line.result.claim,
    }
