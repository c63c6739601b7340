"""Tables with the figures of the papers: ACC, CONS and C-ACC beside the human reference, summaries, and models."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import groupby
from operator import add, itemgetter

from pytest_vqamt.core.pairs import Pairs, PairTally
from pytest_vqamt.core.results import Cell, Cells, HumanReference, RelationResult, Report, Summary
from pytest_vqamt.reporting.view.format import format_rate, tagged
from pytest_vqamt.reporting.view.rows import is_own, results_by_model_and_data
from pytest_vqamt.reporting.view.tables import ViewTable, text_table
from pytest_vqamt.stats.model_tables import CASES, OF_ROW, PUBLISHED, RUN_PRESUMED
from pytest_vqamt.stats.papers import carets_test_of, human_reference

_HEAD = ("CARETS test", "pairs", "ACC", "CONS", "C-ACC", "human CONS")
_COVERAGE = "of the pairs that the column's model has right, the share that the row's has too"
_METRICS_HEAD = ("CARETS test", "pairs", "ACC", "orig.", "pert.", "CONS", "C-ACC", "human CONS")
_AUTHOR_HEAD = ("CARETS test", "authors' CONS", "authors' C-ACC", "yes", "no", "other")


@dataclass(frozen=True, slots=True, kw_only=True)
class _PairRow:
    """A row of the pair tables: a test, a variant or a value of a fact, with its counts and the human reference."""

    name: str
    tally: PairTally
    reference: HumanReference | None
    is_of_fact: bool = False


def pair_tables(results: Sequence[RelationResult], *, in_full: bool) -> list[ViewTable]:
    """A table with a row for each test, its variants added up; none if no relation has pairs.

    ``in_full`` two tables with all metrics of each test and variant; the first one also has each value of the facts.
    """
    tests = _tests(results)
    totals = [line for test in tests for line in test.totals]
    if not totals:
        return []
    if not in_full:
        rows = [_few_metrics(line) for line in totals]
        return [text_table([_HEAD, *rows], caption="Pairs of questions")]
    lines = [line for test in tests for line in test.lines]
    return [
        text_table([_METRICS_HEAD, *map(_all_metrics, lines)], caption="Pairs of questions"),
        text_table(
            [_AUTHOR_HEAD, *(_author_scores(line) for line in lines if not line.is_of_fact)],
            caption="Pairs of questions, as the authors score them",
        ),
    ]


def coverage_table(report: Report, data: str) -> ViewTable | None:
    """A table of the pairs that models share; columns are the numbers of the models."""
    here = [each for each in report.coverage if each.data == data]
    if not here:
        return None
    models = tuple(dict.fromkeys(model for each in here for model in each.models))
    numbers = {model: str(number) for number, model in enumerate(models, start=1)}
    rows = [("CARETS test", "pairs right", *numbers.values())]
    for each in here:
        rows.append((tagged(each.test, ("presumed",) if each.presumed else ()), *[""] * (len(models) + 1)))
        for model, right, shares in zip(each.models, each.right, each.shares, strict=True):
            found = dict(zip(each.models, shares, strict=True))
            cells = ("-" if other == model else format_rate(found.get(other)) for other in models)
            rows.append((f"  {numbers[model]} {model}", str(right), *cells))
    return text_table(rows, caption=f"on {data}, {_COVERAGE}")


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


def _few_metrics(line: _PairRow) -> tuple[str, ...]:
    tally = line.tally
    return line.name, str(tally.pairs), *map(format_rate, (tally.acc, tally.cons, tally.c_acc)), _cons(line)


def _all_metrics(line: _PairRow) -> tuple[str, ...]:
    tally = line.tally
    rates = (tally.acc, tally.acc_original, tally.acc_perturbed, tally.cons, tally.c_acc)
    return line.name, str(tally.pairs), *map(format_rate, rates), _cons(line)


def _author_scores(line: _PairRow) -> tuple[str, ...]:
    tally, answers = line.tally, line.tally.binary_answers
    shares = (format_rate(count / answers if answers else None) for count in (tally.yes, tally.no, tally.other))
    return line.name, format_rate(tally.cons_authors), format_rate(tally.c_acc_authors), *shares


def _cons(line: _PairRow) -> str:
    return format_rate(line.reference.cons if line.reference else None)


_SUMMARIES: Mapping[str, str] = {
    "entailment": "Verdicts on hypotheses (VEglue)",
    "captioning": "Captions of edited pictures (MetaIC)",
    "noise": "Noise of basic questions",
}


def paper_tables(report: Report) -> tuple[ViewTable, ...]:
    """All tables of a report."""
    pairs = (
        replace(table, caption=f"{table.caption}: {model} on {data}")
        for (model, data), results in results_by_model_and_data(report)
        for table in pair_tables(results, in_full=True)
    )
    coverage = (coverage_table(report, data.name) for data in report.data)
    of_one = (summary for summary in report.summaries if summary.model)
    return (*model_tables(report), *pairs, *map(summary_table, of_one), *filter(None, coverage))


_NO_NAME = re.compile("[^a-z0-9]+")
_LONGEST_NAME = 100


def named_paper_tables(report: Report) -> Iterator[tuple[str, ViewTable]]:
    """All tables of a report, each with a name for a file: its caption in small letters, digits and hyphens."""
    taken: Counter[str] = Counter()
    for table in paper_tables(report):
        name = _NO_NAME.sub("-", table.caption.lower())[:_LONGEST_NAME].strip("-")
        taken[name] += 1
        yield f"{name}-{taken[name]}" if taken[name] > 1 else name, table


def summary_table(summary: Summary) -> ViewTable:
    """The rows of a summary, which has at least one, and its known totals as notes."""
    caption = f"{_SUMMARIES.get(summary.kind, summary.kind)}: {summary.model} on {summary.data}"
    return text_table(
        [tuple(summary.rows[0]), *(tuple(_shown(*cell) for cell in row.items()) for row in summary.rows)],
        caption=caption,
        notes=[f"{name}: {_shown(name, value)}" for name, value in summary.totals.items() if value is not None],
    )


_PUBLISHED = ("published", "the same of")
_SHARE = re.compile(r"\b[01]\.\d{3}\b")
_NO_SHARES = ("R_score", "monotonicity")
_IN_PERCENT = ("clean", "noisy", "other", "number", "yes/no")
_IN_POINTS = "drop"
_MODEL_TABLES: Mapping[str, tuple[str, str]] = {
    "perception": ("MetaVQA", "--vqamt-preset=metavqa has the paper's settings"),
    "consistency": ("CARETS", "--vqamt-data=carets:DIR has the paper's questions"),
    "issues": ("VEglue", "--vqamt-preset=veglue has the paper's settings"),
    "accuracy": ("basic questions", "--vqamt-preset=basic-questions has the paper's settings"),
}
"""By kind: the paper, and how a run comes nearest to it."""
_MEANING: Mapping[str, str] = {
    "error rate": "Errors are violated and unread cases, of the judged ones. Variants of a relation are added up.",
    "error rate by groups in the picture": (
        "Groups: how many of those that the questions name are in the picture (Yuan et al., Fig. 8)."
    ),
}
"""What a figure is, where its name does not say it."""


def model_tables(report: Report, data: str = "") -> Iterator[ViewTable]:
    """The tables whose rows are the models of a run and the published ones; of one data source if it is named.

    Consecutive rows of the same numbers of cases share a row with these.
    """
    for summary in report.summaries:
        if summary.model or data not in ("", summary.data):
            continue
        paper, nearest = _MODEL_TABLES[summary.kind]
        for figure, group in groupby(summary.rows, key=itemgetter("figure")):
            rows = list(group)
            columns = [name for name in rows[0] if name not in OF_ROW and not name.endswith(CASES)]
            notes = [_MEANING[str(figure)]] if figure in _MEANING else []
            if any(row["source"] == PUBLISHED for row in rows):
                source = summary.totals["published in"]
                notes.append(f"Published: {source}. On other data these rows are for orientation only; {nearest}.")
            yield text_table(
                [("model", *columns), *_model_rows(rows, columns)],
                caption=f"{paper}: {figure} on {summary.data}",
                notes=notes,
            )


def _model_rows(rows: Sequence[Cells], columns: Sequence[str]) -> Iterator[tuple[str, ...]]:
    def cases_of(row: Cells) -> tuple[Cell, ...]:
        return tuple(row[f"{column}{CASES}"] for column in columns)

    for cases, group in groupby(rows, key=cases_of):
        same = list(group)
        for row in same:
            yield _row_name(row), *(_shown_share(column, row[column]) for column in columns)
        if any(cases):
            name = "  cases" if len(same) == 1 else "cases of each above"
            yield name, *("-" if count is None else f"{count:,}" for count in cases)


def _shown_share(column: str, share: Cell) -> str:
    if not isinstance(share, float):
        return "-"
    return f"{share:.2f}" if column in _NO_SHARES else format_rate(share)


def _row_name(row: Cells) -> str:
    name = f"{row['model']}, {row['part']}" if row["part"] else str(row["model"])
    return tagged(name, {PUBLISHED: (PUBLISHED,), RUN_PRESUMED: ("presumed",)}.get(str(row["source"]), ()))


def _shown(name: str, cell: Cell) -> str:
    """A count in full, a share in percent, a score to three places, "-" where there is none."""
    if isinstance(cell, str) and name.startswith(_PUBLISHED):
        return _SHARE.sub(lambda share: format_rate(float(share[0])), cell)
    if not isinstance(cell, float):
        return "-" if cell is None else str(cell)
    if name in _NO_SHARES:
        return f"{cell:.3f}"
    if name == _IN_POINTS:
        return f"{cell:.1f}"
    return format_rate(cell / 100 if name in _IN_PERCENT else cell)


def own_figures_table(report: Report) -> ViewTable | None:
    """The means of the figures that verdicts of users' own relations carry; None without any."""
    rows = [
        (
            tagged(result.item, ("presumed",) if stratum is not result else ()),
            result.model.name,
            result.data.name,
            name.replace("_", " "),
            "-" if figure.mean is None else f"{figure.mean:,.4g}",
            f"{figure.cases:,}",
        )
        for result in report.relations
        if is_own(result.item)
        for stratum in result.strata
        for name, figure in sorted(stratum.figures.items())
    ]
    return text_table([("relation", "model", "data", "figure", "mean", "cases"), *rows]) if rows else None
