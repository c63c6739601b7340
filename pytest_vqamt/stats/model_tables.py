"""Summaries with a row for each model of a run on one data source, and for each published one.

Each column has a share and the number of its cases. One without a share in the run is left out. Presumed cases have
rows of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import itemgetter
from typing import NamedTuple

from pytest_vqamt.core.case import Figure
from pytest_vqamt.core.pairs import PairTally
from pytest_vqamt.core.results import Cell, Cells, RelationResult, StratumResult, Summary
from pytest_vqamt.core.tallies import Tally
from pytest_vqamt.stats.papers import (
    CARETS_ACC,
    CARETS_C_ACC,
    CARETS_CONS,
    FIRST_PARTITION,
    METAVQA_ERROR_RATES,
    NOISE,
    NOISE_ACCURACY,
    NOISE_R_SCORE,
    PUBLISHED_IFR,
    PUBLISHED_MEAN,
    PUBLISHED_SYSTEMS,
    VEGLUE_RELATIONS,
    PublishedFigures,
    captioning_summary,
    entailment_summary,
    human_reference,
    ifr_of,
    noise_summary,
    paper_test_of,
    r_score,
)

RUN, RUN_PRESUMED, PUBLISHED = "run", "run, presumed", "published"
"""The sources of a row."""
OF_ROW = ("model", "source", "figure", "part")
"""The cells of a row before those of its columns; "part" names the cases that it is of, unless these are all."""
CASES = " cases"
"""Ends the name of the cell with the number of a column's cases."""

_Measured = tuple[float | None, int | None]
"""A share, and the number of its cases."""
_NOTHING: _Measured = (None, None)
_Strata = Sequence[tuple[str, StratumResult]]
"""Strata with their items."""

MODELS_SUMMARIES: dict[str, ModelsSummary] = {}
"""By kind, in the order of the tables."""


class _Found(NamedTuple):
    """What a summary is made of."""

    rows: Sequence[_ModelRow]
    """The rows of the run."""
    published: Sequence[_ModelRow]
    """The rows of the paper."""
    columns: Sequence[str]
    """The columns in the paper's order."""
    source: str
    """The paper and its tables."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelsSummary:
    """A summary whose rows are models."""

    kind: str
    """In ``report.json``."""
    paper: str
    """The paper in a word, for headings."""
    nearest: str
    """How a run comes nearest to the published rows."""
    find: Callable[[Sequence[RelationResult]], _Found]
    """Finds the rows in the results of one data source."""

    def of(self, results: Sequence[RelationResult], *, data: str) -> Summary | None:
        """Returns the summary of results on one data source; None without a share in any column."""
        rows, published, columns, source = self.find(results)
        # A column that only the paper has is no comparison.
        shown = [name for name in columns if any(row.measured.get(name, _NOTHING)[0] is not None for row in rows)]
        found = [row for row in rows if any(row.measured.get(name, _NOTHING)[0] is not None for name in shown)]
        if not shown:
            return None
        return Summary(
            kind=self.kind,
            model="",
            data=data,
            rows=tuple(
                _cells(row, shown)
                for figure in dict.fromkeys(row.figure for row in found)
                # Figure by figure, the run first: the published rows stand below those that they are compared with.
                for row in (*found, *published)
                if row.figure == figure
            ),
            totals={"published in": source},
        )


_Find = Callable[[Sequence[RelationResult]], _Found]


def _with_a_row_for_each_model(*, kind: str, paper: str, nearest: str) -> Callable[[_Find], _Find]:
    """Registers a summary with the function that finds its rows."""

    def register(find: _Find) -> _Find:
        MODELS_SUMMARIES[kind] = ModelsSummary(kind=kind, paper=paper, nearest=nearest, find=find)
        return find

    return register


@dataclass(frozen=True, slots=True, kw_only=True)
class _ModelRow:
    """One model's shares, by column."""

    model: str
    """The model's name, in the run or in the paper."""
    source: str
    """``RUN``, ``RUN_PRESUMED`` or ``PUBLISHED``."""
    figure: str
    """What the shares are: "IFR", "accuracy", ..."""
    measured: Mapping[str, _Measured]
    """A share and its cases, by column."""
    part: str = ""
    """The cases that the row is of; "" for all."""


@_with_a_row_for_each_model(
    kind="perception", paper="MetaVQA", nearest="--vqamt-preset=metavqa has the paper's settings"
)
def _perception(results: Sequence[RelationResult]) -> _Found:
    """Returns the error rates of MetaVQA's relations (Yuan et al., Table 4), also by present groups (Fig. 8).

    An error is a violated or an unparsed case. The variants of a relation are added up. The paper's figure by groups is
    of partition alone, and a drawing, so no published rows stand beside it. ``insertion_plus`` is not in the paper.
    """
    models = _strata_by_model(results)
    overall = [
        _ModelRow(model=model, source=source, figure="error rate", measured=_error_rates(strata, ""))
        for (model, source), strata in models.items()
    ]
    by_groups = [
        _ModelRow(
            model=model,
            source=source,
            figure="error rate by groups in the picture",
            part=f"{present} {'group' if present == '1' else 'groups'}",
            measured=_error_rates(strata, present),
        )
        for (model, source), strata in models.items()
        for present in ("0", "1", "2")
    ]
    published = _published_rows(METAVQA_ERROR_RATES, "error rate")
    return _Found([*overall, *by_groups], published, METAVQA_ERROR_RATES.columns, METAVQA_ERROR_RATES.source)


def _error_rates(strata: _Strata, present: str) -> dict[str, _Measured]:
    rates: dict[str, _Measured] = {}
    for column in METAVQA_ERROR_RATES.columns:
        of_relation = [stratum for item, stratum in strata if item.partition("[")[0] == f"metavqa.{column}"]
        tallies = (
            # The relations count by the groups that the picture shows: "0", "1", "2".
            each.breakdown.get("present_groups", {}).get(present, Tally()) if present else each.tally
            for each in of_relation
        )
        total = sum(tallies, Tally())
        rates[column] = (total.violated + total.unparsed) / total.judged if total.judged else None, total.judged
    return rates


@_with_a_row_for_each_model(
    kind="consistency", paper="CARETS", nearest="--vqamt-data=carets:DIR has the paper's questions"
)
def _consistency(results: Sequence[RelationResult]) -> _Found:
    """Returns CONS, ACC and C-ACC of the CARETS tests (Jimenez et al., Tables 1 and 8 to 12), people's included.

    The variants of a test are added up, and the authors' own pairs are cases of their test.
    """
    rows, published = [], []
    for figure, name, of_paper in (
        ("CONS", "cons", CARETS_CONS),
        ("ACC", "acc", CARETS_ACC),
        ("C-ACC", "c_acc", CARETS_C_ACC),
    ):
        for (model, source), strata in _strata_by_model(results).items():
            measured: dict[str, _Measured] = {}
            for column in of_paper.columns:
                counted = [
                    each.pairs.tally
                    for item, each in strata
                    if each.pairs and paper_test_of(item) == f"carets.{column}"
                ]
                # Added up before dividing: variants have different numbers of pairs.
                total = sum(counted, PairTally())
                measured[column] = getattr(total, name), total.pairs
            rows.append(_ModelRow(model=model, source=source, figure=figure, measured=measured))
        references = {column: human_reference(f"carets.{column}") for column in of_paper.columns}
        people: dict[str, _Measured] = {
            column: (getattr(known, name, None), None) for column, known in references.items()
        }
        published += _published_rows(of_paper, figure)
        published.append(_ModelRow(model="people", source=PUBLISHED, figure=figure, measured=people))
    return _Found(rows, published, CARETS_CONS.columns, CARETS_CONS.source)


@_with_a_row_for_each_model(kind="issues", paper="VEglue", nearest="--vqamt-preset=veglue has the paper's settings")
def _issues(results: Sequence[RelationResult]) -> _Found:
    """Returns the IFR of VEglue's three relations and their mean (Chang et al., Tables 2 and 3)."""
    columns = ("MR1", "MR2", "MR3")
    rows = []
    for (model, source), strata in _strata_by_model(results).items():
        of_item = dict(strata)
        measured: dict[str, _Measured] = {}
        for column, item in zip(columns, VEGLUE_RELATIONS, strict=True):
            each = of_item.get(item)
            measured[column] = (ifr_of([(each.tally, each.figures)]), each.tally.judged) if each else (None, 0)
        known = [share for share, _ in measured.values() if share is not None]
        # The paper's mean is of all three relations: of fewer it would be another figure.
        measured["mean"] = sum(known) / len(known) if len(known) == len(columns) else None, None
        rows.append(_ModelRow(model=model, source=source, figure="IFR", measured=measured))
    published = [
        _ModelRow(
            model=system,
            source=PUBLISHED,
            figure="IFR",
            measured={
                **{
                    column: (PUBLISHED_IFR[item][place], None)
                    for column, item in zip(columns, VEGLUE_RELATIONS, strict=True)
                },
                "mean": (PUBLISHED_MEAN[place], None),
            },
        )
        for place, system in enumerate(PUBLISHED_SYSTEMS)
    ]
    return _Found(rows, published, (*columns, "mean"), "Chang et al., Tables 2 and 3")


@_with_a_row_for_each_model(
    kind="accuracy", paper="basic questions", nearest="--vqamt-preset=basic-questions has the paper's settings"
)
def _accuracy(results: Sequence[RelationResult]) -> _Found:
    """Returns accuracy alone and with each partition of noise (Huang et al., Table 2), and the R_score (Table 1)."""
    rows = []
    for (model, source), strata in _strata_by_model(results).items():
        measured: dict[str, _Measured] = {}
        for item, stratum in sorted(strata, key=itemgetter(0)):
            if not item.startswith(f"{NOISE}["):
                continue
            clean, noisy = (stratum.figures.get(name, Figure()) for name in ("clean", "noisy"))
            # The same questions without noise in each partition, so the first one's figure is taken.
            measured.setdefault("clean", (clean.mean, clean.cases))
            measured[item.removeprefix(f"{NOISE}[").removesuffix("]")] = noisy.mean, noisy.cases
            # The paper's R_score is of the partition with the least noise.
            if item == FIRST_PARTITION and clean.mean is not None and noisy.mean is not None:
                measured["R_score"] = r_score(100 * (clean.mean - noisy.mean)), None
        rows.append(_ModelRow(model=model, source=source, figure="accuracy", measured=measured))
    published = [
        replace(row, measured={**row.measured, "R_score": (NOISE_R_SCORE[row.model], None)})
        for row in _published_rows(NOISE_ACCURACY, "accuracy")
    ]
    return _Found(rows, published, (*NOISE_ACCURACY.columns, "R_score"), NOISE_ACCURACY.source)


def _strata_by_model(results: Sequence[RelationResult]) -> Mapping[tuple[str, str], _Strata]:
    """Returns the strata with cases, by model and source, in the order of the models."""
    models = {result.model.name: None for result in results}
    found: dict[tuple[str, str], list[tuple[str, StratumResult]]] = {
        (model, source): [] for model in models for source in (RUN, RUN_PRESUMED)
    }
    for result in results:
        for stratum in result.strata:
            # An item whose relation applied to no scene has no row.
            if stratum.tally.cases:
                source = RUN if stratum is result else RUN_PRESUMED
                found[result.model.name, source].append((result.item, stratum))
    return found


def _published_rows(published: PublishedFigures, figure: str) -> list[_ModelRow]:
    cases = published.cases or (None,) * len(published.columns)
    return [
        _ModelRow(
            model=model,
            source=PUBLISHED,
            figure=figure,
            measured={
                column: (None if percent is None else percent / 100, count)
                for column, percent, count in zip(published.columns, percents, cases, strict=True)
            },
        )
        for model, percents in published.models.items()
    ]


def _cells(row: _ModelRow, columns: Sequence[str]) -> Cells:
    cells: dict[str, Cell] = {name: getattr(row, name) for name in OF_ROW}
    for column in columns:
        cells[column], cells[f"{column}{CASES}"] = row.measured.get(column, _NOTHING)
    return cells


def summaries(results: Sequence[RelationResult]) -> tuple[Summary, ...]:
    """Returns the summaries of each model and data source, then those of all models on each source."""
    of_one: dict[tuple[str, str], list[RelationResult]] = {}
    of_data: dict[str, list[RelationResult]] = {}
    for result in results:
        of_one.setdefault((result.model.name, result.data.name), []).append(result)
        of_data.setdefault(result.data.name, []).append(result)
    found = (
        *(
            summarize(same, model=model, data=data)
            for (model, data), same in of_one.items()
            for summarize in (entailment_summary, captioning_summary, noise_summary)
        ),
        *(of_models.of(same, data=data) for data, same in of_data.items() for of_models in MODELS_SUMMARIES.values()),
    )
    return tuple(summary for summary in found if summary is not None)
