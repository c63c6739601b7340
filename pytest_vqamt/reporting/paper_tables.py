"""Tables with the figures of the papers: ACC, CONS and C-ACC beside the human reference, and summaries."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add
from types import MappingProxyType

from pytest_vqamt.core.pairs import Pairs, PairTally
from pytest_vqamt.core.results import Cell, Coverage, HumanReference, RelationResult, Report, Summary
from pytest_vqamt.reporting.view.format import format_rate, tagged
from pytest_vqamt.reporting.view.rows import results_by_model_and_data
from pytest_vqamt.stats.papers import carets_test_of, human_reference

Rows = list[tuple[str, ...]]

_HEAD = ("CARETS test", "pairs", "ACC", "CONS", "C-ACC", "human CONS")
_METRICS_HEAD = ("CARETS test", "pairs", "ACC", "orig.", "pert.", "CONS", "C-ACC", "human CONS")
_AUTHOR_HEAD = ("CARETS test", "authors' CONS", "authors' C-ACC", "yes", "no", "other")


@dataclass(frozen=True, slots=True, kw_only=True)
class _PairRow:
    """A row of the pair tables: a test, a variant or a value of a fact, with its counts and the human reference."""

    name: str
    tally: PairTally
    reference: HumanReference | None
    is_of_fact: bool = False


def pair_rows(results: Sequence[RelationResult]) -> list[Rows]:
    """A table with a row for each test, its variants added up; empty if no relation has pairs."""
    rows = [
        (
            line.name,
            str(line.tally.pairs),
            *map(format_rate, (line.tally.acc, line.tally.cons, line.tally.c_acc)),
            _cons(line),
        )
        for test in _tests(results)
        for line in test.totals
    ]
    return [[_HEAD, *rows]] if rows else []


def pair_rows_in_full(results: Sequence[RelationResult]) -> list[Rows]:
    """Two tables with all metrics of each test and variant; the first one also has each value of the facts."""
    lines = [line for test in _tests(results) for line in test.lines]
    if not lines:
        return []
    return [
        [_METRICS_HEAD, *map(_all_metrics, lines)],
        [_AUTHOR_HEAD, *(_author_scores(line) for line in lines if not line.is_of_fact)],
    ]


def coverage_rows(tables: Sequence[Coverage], data: str) -> Rows:
    """A table of the pairs that models share; columns are the numbers of the models."""
    here = [each for each in tables if each.data == data]
    if not here:
        return []
    models = tuple(dict.fromkeys(model for each in here for model in each.models))
    numbers = {model: str(number) for number, model in enumerate(models, start=1)}
    rows: Rows = [("CARETS test", "pairs right", *numbers.values())]
    for each in here:
        rows.append((tagged(each.test, ("presumed",) if each.presumed else ()), *[""] * (len(models) + 1)))
        for model, right, shares in zip(each.models, each.right, each.shares, strict=True):
            found = dict(zip(each.models, shares, strict=True))
            cells = ("-" if other == model else format_rate(found.get(other)) for other in models)
            rows.append((f"  {numbers[model]} {model}", str(right), *cells))
    return rows


@dataclass(frozen=True, slots=True)
class _Test:
    """The items of one test, on one model and one data source."""

    name: str
    results: tuple[RelationResult, ...]

    @property
    def title(self) -> str:
        """The name of the test, or of its only item."""
        items = {each.item for each in self.results}
        return self.name if len(items) > 1 else items.pop()

    @property
    def lines(self) -> Iterator[_PairRow]:
        """Each total with its variants and facts."""
        for presumed in (False, True):
            fed = self._fed(presumed)
            for total in self._total(presumed):
                yield total
                if len(fed) > 1:
                    for item, pairs in fed:
                        variant = item.removeprefix(self.name)
                        yield _PairRow(name=f"  {variant}", tally=pairs.tally, reference=human_reference(item))
                yield from self._by(reduce(add, (pairs for _, pairs in fed)))

    @property
    def totals(self) -> Iterator[_PairRow]:
        """The totals of the ordinary and of the presumed cases."""
        yield from self._total(False)
        yield from self._total(True)

    def _total(self, presumed: bool) -> Iterator[_PairRow]:
        fed = self._fed(presumed)
        tally = reduce(add, (pairs.tally for _, pairs in fed), PairTally())
        if tally.pairs:
            tags = (*self.results[0].tags, *(("presumed",) if presumed else ()))
            yield _PairRow(name=tagged(self.title, tags), tally=tally, reference=human_reference(self.title))

    def _fed(self, presumed: bool) -> list[tuple[str, Pairs]]:
        """The counts of each variant with pairs."""
        found = (
            (each.item, (each.presumed.pairs if each.presumed else None) if presumed else each.pairs)
            for each in self.results
        )
        return [(item, pairs) for item, pairs in found if pairs is not None and pairs.tally.pairs]

    def _by(self, pairs: Pairs) -> Iterator[_PairRow]:
        for fact, values in sorted(pairs.by.items()):
            for value, tally in sorted(values.items()):
                yield _PairRow(
                    name=f"  {fact.replace('_', ' ')}: {value}",
                    tally=tally,
                    reference=human_reference(self.title, fact, value),
                    is_of_fact=True,
                )


def _tests(results: Sequence[RelationResult]) -> list[_Test]:
    names = dict.fromkeys(carets_test_of(each.item) for each in results if each.pairs is not None)
    return [_Test(name, tuple(each for each in results if carets_test_of(each.item) == name)) for name in names]


def _all_metrics(line: _PairRow) -> tuple[str, ...]:
    tally = line.tally
    rates = (tally.acc, tally.acc_original, tally.acc_perturbed, tally.cons, tally.c_acc)
    return line.name, str(tally.pairs), *map(format_rate, rates), _cons(line)


def _author_scores(line: _PairRow) -> tuple[str, ...]:
    tally, answers = line.tally, line.tally.binary_answers
    shares = (f"{count / answers:.0%}" if answers else "-" for count in (tally.yes, tally.no, tally.other))
    return line.name, format_rate(tally.cons_authors), format_rate(tally.c_acc_authors), *shares


def _cons(line: _PairRow) -> str:
    return format_rate(line.reference.cons if line.reference else None)


_SUMMARIES: Mapping[str, str] = MappingProxyType(
    {
        "entailment": "Verdicts on hypotheses (VEglue)",
        "captioning": "Captions of edited pictures (MetaIC)",
        "noise": "Noise of basic questions",
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PaperTable:
    """A table whose first column is a text; what goes before all begins with two spaces is part of the row above."""

    caption: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...] = ()


def paper_tables(report: Report) -> tuple[PaperTable, ...]:
    """All tables of a report."""
    return (*_of_pairs(report), *_of_summaries(report), *_of_coverage(report))


def _of_pairs(report: Report) -> Iterator[PaperTable]:
    captions = ("Pairs of questions", "Pairs of questions, as the authors score them")
    for (model, data), results in results_by_model_and_data(report):
        for caption, rows in zip(captions, pair_rows_in_full(results), strict=False):
            yield _table(f"{caption}: {model} on {data}", rows)


def _of_summaries(report: Report) -> Iterator[PaperTable]:
    for summary in report.summaries:
        if rows := summary_rows(summary):
            yield _table(_caption(summary), rows, tuple(total_lines(summary)))


def _caption(summary: Summary) -> str:
    return f"{_SUMMARIES.get(summary.kind, summary.kind)}: {summary.model} on {summary.data}"


def _of_coverage(report: Report) -> Iterator[PaperTable]:
    for data in report.data:
        if rows := coverage_rows(report.coverage, data.spec):
            caption = f"Of the pairs that the column's model has right, the share that the row's has too: {data.spec}"
            yield _table(caption, rows)


def _table(caption: str, rows: Sequence[tuple[str, ...]], notes: tuple[str, ...] = ()) -> PaperTable:
    head, *lines = rows
    return PaperTable(caption=caption, head=head, rows=tuple(lines), notes=notes)


def summary_rows(summary: Summary) -> list[tuple[str, ...]]:
    """The head and a row for each line of the summary."""
    if not summary.rows:
        return []
    return [tuple(summary.rows[0]), *(tuple(map(_shown, row.values())) for row in summary.rows)]


def total_lines(summary: Summary) -> Iterator[str]:
    """The known totals, a line each."""
    for name, value in summary.totals.items():
        if value is None:
            continue
        yield f"{name}: {_shown(value)}"


def _shown(cell: Cell) -> str:
    """A count in full, a rate or another figure to three places, "-" where there is none."""
    if cell is None:
        return "-"
    return f"{cell:.3f}" if isinstance(cell, float) else str(cell)
