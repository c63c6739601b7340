"""The figures of the papers, as tables: metrics of pairs, summaries, and who has the same pairs right."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from pytest_vqamt.core.results import Report, Summary
from pytest_vqamt.reporting.paper_tables import coverage_rows, pair_rows_in_full
from pytest_vqamt.reporting.summary_tables import summary_rows, totals_in_words

_SUMMARIES: Mapping[str, str] = MappingProxyType(
    {
        "entailment": "Verdicts on hypotheses (VEglue)",
        "captioning": "Captions of edited pictures (MetaIC)",
        "noise": "Noise of basic questions",
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A table whose first column is a text; what goes before all begins with two spaces is part of the row above."""

    caption: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...] = ()


def paper_tables(report: Report) -> tuple[Table, ...]:
    """All that there are, for each model on each data source."""
    return (*_of_pairs(report), *_of_summaries(report), *_of_coverage(report))


def _of_pairs(report: Report) -> Iterator[Table]:
    captions = ("Pairs of questions", "Pairs of questions, as the authors score them")
    for model in report.models:
        for data in report.data:
            here = [r for r in report.relations if (r.model.name, r.data.spec) == (model.name, data.spec)]
            for caption, rows in zip(captions, pair_rows_in_full(here), strict=False):
                yield _table(f"{caption}: {model.name} on {data.spec}", rows)


def _of_summaries(report: Report) -> Iterator[Table]:
    for summary in report.summaries:
        if rows := summary_rows(summary):
            yield _table(_caption(summary), rows, tuple(totals_in_words(summary)))


def _caption(summary: Summary) -> str:
    return f"{_SUMMARIES.get(summary.kind, summary.kind)}: {summary.model} on {summary.data}"


def _of_coverage(report: Report) -> Iterator[Table]:
    for data in report.data:
        if rows := coverage_rows(report.coverage, data.spec):
            caption = f"Of the pairs that the column's model has right, the share that the row's has too: {data.spec}"
            yield _table(caption, rows)


def _table(caption: str, rows: Sequence[tuple[str, ...]], notes: tuple[str, ...] = ()) -> Table:
    head, *lines = rows
    return Table(caption=caption, head=head, rows=tuple(lines), notes=notes)
