"""Rankings of models and their pairwise differences."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from pytest_vqamt.core.results import ModelDifference, RankedModel, Ranking, RankingKind, Report
from pytest_vqamt.core.text import count_noun
from pytest_vqamt.reporting.view.answers import accuracy_tables, grade_tables, repeat_tables, unread_tables
from pytest_vqamt.reporting.view.format import (
    NO_CELL,
    ColumnHead,
    ColumnUnit,
    TableCell,
    ViewTable,
    column_heads,
    format_change,
    format_difference,
    format_interval,
    format_p,
    format_percent,
    format_rate,
    share_cell,
    tagged,
    text_table,
)
from pytest_vqamt.reporting.view.model_figures import Share, figures_of
from pytest_vqamt.reporting.view.rows import ResultRow, case_link, result_rows
from pytest_vqamt.stats.paired import SIGNIFICANT

_KINDS: Mapping[RankingKind, str] = {
    RankingKind.RELATIONS: "",
    RankingKind.PRESUMED: ", presumed cases",
    RankingKind.BASELINE: ", relations tagged baseline",
    RankingKind.CONTROL: ", controls",
}
_RANKING_HEAD = ("model", "pass rate", "95 % interval", "grounded", "points against the first", "p", "alone first in")

_EQUAL = 1e-9
"""Rates that differ by less are equal but for rounding of floats."""

_LARGEST_HEAD = ("relation", "shared cases", "first model", "second model", "points", "95 % interval", "p (Holm)")


def ranking_table(report: Report, ranking: Ranking) -> ViewTable:
    """The models in the order of their pass rates: no order of merit, as a model that never looks may be first."""
    grounded = {
        place.model: figures_of(place.model, _rows_of(report, ranking, place.model)).grounded
        for place in ranking.places
    }
    return ViewTable(
        caption=(
            f"models on {ranking.data}: pass rate over all cases of "
            f"{count_noun(len(ranking.items), 'relation variant')}{_KINDS[ranking.kind]}"
        ),
        heads=column_heads(*_RANKING_HEAD),
        # The first place is what the others are compared with.
        rows=tuple(_model_row(ranking.places[0], place, grounded[place.model]) for place in ranking.places),
        notes=tuple(_grounded_note(grounded.values())),
    )


def _points(before: RankedModel, after: RankedModel, difference: float) -> str:
    """The second model less the first, rounded as in every other table where both have judged the same cases."""
    # The difference is over the cases that both judged, the means over the cases of each.
    is_of_all = abs(after.mean - before.mean - difference) < _EQUAL
    return format_change(before.mean, after.mean) if is_of_all else format_difference(difference)


def _rows_of(report: Report, ranking: Ranking, model: str) -> list[ResultRow]:
    """The rows of the cases that a ranking counts of a model."""
    of_presumed = ranking.kind is RankingKind.PRESUMED
    return [
        row
        for row in result_rows(report)
        if (row.result.model.name, row.result.data.name) == (model, ranking.data)
        and row.result.item in ranking.items
        and row.is_presumed is of_presumed
    ]


def _grounded_note(shares: Iterable[Share]) -> Iterator[str]:
    known = [share.about for share in shares if share.rate is not None]
    if known:
        yield f"grounded: {' and '.join(dict.fromkeys(known))}; a model that does not look can be the most consistent"


def _model_row(first: RankedModel, ranked: RankedModel, grounded: Share) -> tuple[TableCell, ...]:
    interval, behind = ranked.interval, ranked.behind
    return (
        TableCell(text=ranked.model, key=ranked.model, link=case_link(model=ranked.model)),
        TableCell(text=format_rate(ranked.mean), key=repr(ranked.mean)),
        NO_CELL if interval is None else TableCell(text=format_interval(interval), key=repr(interval[0])),
        NO_CELL if grounded.rate is None else TableCell(text=format_rate(grounded.rate), key=repr(grounded.rate)),
        NO_CELL
        if behind is None
        else TableCell(
            text=f"{_points(first, ranked, behind.difference)} {_in_brackets(behind.interval)}",
            key=repr(behind.difference),
        ),
        NO_CELL if behind is None else TableCell(text=format_p(behind.p), key=repr(behind.p)),
        TableCell(text=f"{ranked.best_in:,}", key=str(ranked.best_in)),
    )


def summary_tables(report: Report, *, in_full: bool = False) -> Iterator[ViewTable]:
    """The tables that terminal, Markdown and HTML show after the overview; ``in_full`` all of them."""
    for ranking in report.ranking:
        # Presumed cases, baselines and controls have rankings of their own, for few readers.
        if in_full or ranking.kind is RankingKind.RELATIONS:
            yield ranking_table(report, ranking)
    yield from unread_tables(report, in_full=in_full)
    yield from accuracy_tables(report, in_full=in_full)
    yield from repeat_tables(report, in_full=in_full)
    yield from grade_tables(report)


def model_notes_of(report: Report) -> Iterator[str]:
    """The difference of each model to the most consistent one, with what both are grounded in."""
    for ranking in report.ranking:
        if ranking.kind is not RankingKind.RELATIONS:
            continue
        first, *others = ranking.places
        shares = {
            place.model: figures_of(place.model, _rows_of(report, ranking, place.model)).grounded
            for place in ranking.places
        }
        order = [use.name for use in report.models]
        for other in others:
            # None if the report does not know which cases were judged.
            behind = other.behind
            if behind is None:
                continue
            # As everywhere, the second model of the run less the first.
            before, after = sorted((first, other), key=lambda place: order.index(place.model))
            sign = 1 if after is other else -1
            # Turning the sign swaps the ends of the interval.
            low, high = map(format_difference, sorted(sign * end for end in behind.interval))
            points = (
                f"{after.model} less {before.model}: {_points(before, after, sign * behind.difference)} points, "
                f"{low} to {high}, two-sided p "
                f"{format_p(behind.p)}"
            )
            rates = [
                f"{model} {format_percent(share.rate)}" for model, share in shares.items() if share.rate is not None
            ]
            figures = f"({points})" + (f"; grounded: {', '.join(rates)}" if rates else "")
            if behind.p >= SIGNIFICANT:
                yield f"On {ranking.data}, {first.model} and {other.model} do not differ significantly {figures}."
            else:
                yield (
                    f"On {ranking.data}, {other.model} is consistent less often than {first.model} {figures}. "
                    "That alone makes no model the better one."
                )


def difference_tables(report: Report) -> tuple[ViewTable, ...]:
    """A table for each pair of models on each data source, the smallest p-values first."""
    pairs: dict[tuple[str, tuple[str, str]], list[ModelDifference]] = {}
    for each in report.differences:
        pairs.setdefault((each.data, each.models), []).append(each)
    return tuple(_difference_table(data, models, found) for (data, models), found in pairs.items())


def _difference_table(data: str, models: tuple[str, str], found: list[ModelDifference]) -> ViewTable:
    first, second = models
    significant = sum(_p(each) < SIGNIFICANT for each in found)
    tested = sum(each.p_holm is not None for each in found)
    return ViewTable(
        caption=(
            f"{second} against {first} on {data}: significant difference in {significant:,} of "
            f"{count_noun(tested, 'relation variant')}"
        ),
        heads=(
            ColumnHead(name="relation", is_number=False),
            ColumnHead(name=first, is_number=True, unit=ColumnUnit.PERCENT),
            ColumnHead(name=second, is_number=True, unit=ColumnUnit.PERCENT),
            ColumnHead(
                name="points", is_number=True, unit=ColumnUnit.POINTS, parts=("", "low", "high"), alone="difference"
            ),
            ColumnHead(name="p after Holm", is_number=True, unit=ColumnUnit.SCORE),
            *(
                ColumnHead(name=name, is_number=True, unit=ColumnUnit.COUNT)
                for name in ("only first holds", "only second holds", "cases")
            ),
        ),
        # Holm's p is 1 for many, so the unadjusted p orders these.
        rows=tuple(map(_difference_row, sorted(found, key=lambda each: (_p(each), each.p)))),
    )


def _difference_row(each: ModelDifference) -> tuple[TableCell, ...]:
    paired = each.paired
    difference = _difference(each)
    direction = "worse" if difference < 0 else "better"
    return (
        TableCell(
            text=each.item,
            key=each.item,
            link=case_link(relation=each.item, data=each.data),
            notes=("presumed",) if each.presumed else (),
        ),
        share_cell(paired.first_rate),
        share_cell(paired.second_rate),
        TableCell(
            text=f"{format_change(paired.first_rate, paired.second_rate)} {_in_brackets(each.interval)}",
            key=repr(difference),
            state=direction if _p(each) < SIGNIFICANT else "",
        ),
        NO_CELL if each.p_holm is None else TableCell(text=format_p(each.p_holm), key=repr(each.p_holm)),
        TableCell(text=f"{paired.first_only:,}", key=str(paired.first_only)),
        TableCell(text=f"{paired.second_only:,}", key=str(paired.second_only)),
        TableCell(text=f"{paired.shared:,}", key=str(paired.shared)),
    )


def largest_differences(data: str, found: Sequence[ModelDifference], most: int) -> ViewTable:
    """At most ``most`` significant differences on a data source over all pairs of models, the largest first.

    As everywhere, points are those of the second model less those of the first, in the order of the run.
    """
    significant = sorted((each for each in found if _p(each) < SIGNIFICANT), key=lambda each: -abs(_difference(each)))
    tested = sum(each.p_holm is not None for each in found)
    left = len(significant) - most
    return text_table(
        [_LARGEST_HEAD, *map(_largest_row, significant[:most])],
        caption=(
            f"on {data}, {len(significant)} of {count_noun(tested, 'comparison')} of two models on a relation variant "
            # "1 of 5 comparisons shows", and "0 of 1 comparison shows".
            f"{'shows' if 1 in (len(significant), tested) else 'show'} a significant difference (Holm-adjusted p < "
            f"{SIGNIFICANT:g})"
        ),
        notes=[f"and {left} smaller ones (pytest -v shows all; report.json has all comparisons)"] if left > 0 else [],
    )


def _largest_row(each: ModelDifference) -> tuple[str, ...]:
    paired, (low, high) = each.paired, each.interval
    rates = zip((paired.first_rate, paired.second_rate), each.models, strict=True)
    return (
        tagged(each.item, ("presumed",) if each.presumed else ()),
        str(paired.shared),
        *(f"{name} {format_rate(rate)}" for rate, name in rates),
        format_change(paired.first_rate, paired.second_rate),
        f"{format_difference(low)} to {format_difference(high)}",
        "-" if each.p_holm is None else format_p(each.p_holm),
    )


def _difference(each: ModelDifference) -> float:
    return each.paired.difference or 0.0


def _p(each: ModelDifference) -> float:
    return 1.0 if each.p_holm is None else each.p_holm  # controls are not tested


def _in_brackets(interval: tuple[float, float]) -> str:
    low, high = interval
    return f"({format_difference(low)} to {format_difference(high)})"
