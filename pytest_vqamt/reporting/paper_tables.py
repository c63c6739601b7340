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
from pytest_vqamt.reporting.view.format import (
    NO_CELL,
    ColumnUnit,
    TableCell,
    ViewTable,
    format_rate,
    share_cell,
    tagged,
    text_cell,
    text_table,
    unit_table,
)
from pytest_vqamt.reporting.view.rankings import difference_tables
from pytest_vqamt.reporting.view.rows import is_own, results_by_model_and_data
from pytest_vqamt.stats.model_tables import CASES, MODELS_SUMMARIES, OF_ROW, PUBLISHED, RUN_PRESUMED
from pytest_vqamt.stats.papers import carets_test_of, human_reference

_HEAD = ("CARETS test", "pairs", "ACC", "CONS", "C-ACC", "human CONS")
_COVERAGE = "of the pairs that the column's model has right, the share that the row's has too"
_METRICS_HEAD = ("CARETS test", "pairs", "ACC", "orig.", "pert.", "CONS", "C-ACC", "human CONS")
_AUTHOR_HEAD = ("CARETS test", "authors' CONS", "authors' C-ACC", "yes", "no", "other")

_SUMMARIES: Mapping[str, tuple[str, ColumnUnit]] = {
    "entailment": ("Verdicts on hypotheses (VEglue)", ColumnUnit.PERCENT),
    "captioning": ("Captions of edited pictures (MetaIC)", ColumnUnit.COUNT),
    "noise": ("Noise of basic questions", ColumnUnit.PERCENT),
}
"""By kind: the caption, and the unit of a column of which no value is known."""

_NO_NAME = re.compile("[^a-z0-9]+")
_LONGEST_NAME = 100
"""Of a file, without its ending, in characters."""

_NARROW_HEADS = ("relation", "first", "second", "points", "p (Holm)", "first only", "second only", "cases")
_DIFFERENCES = (
    "Points: the second less the first, on the cases that both have judged, with the 95 % interval by scene. "
    "p: two-sided, adjusted for all comparisons (Holm); controls have none. First only: cases that hold with the first "
    "model alone"
)

_PUBLISHED = ("published", "the same of")
_SHARE = re.compile(r"\b[01]\.\d{3}\b")
_NO_SHARES = ("R_score", "monotonicity")
"""Columns of scores (Huang et al., basic questions)."""

_IN_PERCENT = ("clean", "noisy", "other", "number", "yes/no")
"""Columns whose cells are in percent already; other shares are from 0 to 1."""

_IN_POINTS = "drop"
_MEANING: Mapping[str, str] = {
    "error rate": "Errors are violated and unread cases, of the judged ones. Variants of a relation are added up.",
    "error rate by groups in the picture": (
        "Groups: how many of those that the questions name are in the picture (Yuan et al., Fig. 8)."
    ),
}
"""What a figure is, where its name does not say it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _PairRow:
    """A row of the pair tables."""

    name: str
    """The test, or with two spaces in front a variant or a value of a fact."""
    tally: PairTally
    """Counts of the pairs."""
    reference: HumanReference | None
    """What humans reach; None if nothing is published."""
    is_of_fact: bool = False
    """True for a value of a fact, which the authors' scores are not broken down by."""


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
        return [unit_table(_HEAD, rows, _units(_HEAD), caption="Pairs of questions")]
    lines = [line for test in tests for line in test.lines]
    return [
        unit_table(_METRICS_HEAD, list(map(_all_metrics, lines)), _units(_METRICS_HEAD), caption="Pairs of questions"),
        unit_table(
            _AUTHOR_HEAD,
            [_author_scores(line) for line in lines if not line.is_of_fact],
            _units(_AUTHOR_HEAD),
            caption="Pairs of questions, as the authors score them",
        ),
    ]


def _units(head: Sequence[str]) -> list[ColumnUnit]:
    """The name of a test, then shares, and a count of pairs."""
    return [
        ColumnUnit.TEXT,
        *(ColumnUnit.COUNT if name.startswith("pairs") else ColumnUnit.PERCENT for name in head[1:]),
    ]


def coverage_table(report: Report, data: str) -> ViewTable | None:
    """A table of the pairs that models share; columns are the numbers of the models."""
    here = [each for each in report.coverage if each.data == data]
    if not here:
        return None
    models = tuple(dict.fromkeys(model for each in here for model in each.models))
    numbers = {model: str(number) for number, model in enumerate(models, start=1)}
    head = ("CARETS test", "pairs right", *numbers.values())
    rows: list[tuple[TableCell, ...]] = []
    for each in here:
        name = tagged(each.test, ("presumed",) if each.presumed else ())
        rows.append((text_cell(name), *[text_cell("")] * (len(models) + 1)))
        for model, right, shares in zip(each.models, each.right, each.shares, strict=True):
            found = dict(zip(each.models, shares, strict=True))
            cells = (NO_CELL if other == model else share_cell(found.get(other)) for other in models)
            rows.append((text_cell(f"  {numbers[model]} {model}"), text_cell(str(right)), *cells))
    table = unit_table(head, rows, _units(head), caption=f"on {data}, {_COVERAGE}")
    # A CSV names the models in its heads, where a page has room for their numbers only.
    own = ("", "", *(f"of the right pairs of {model}" for model in models))
    return replace(table, heads=tuple(replace(each, alone=name) for each, name in zip(table.heads, own, strict=True)))


@dataclass(frozen=True, slots=True)
class _Test:
    """The items of one test, on one model and one data source."""

    name: str
    """Of the CARETS test, such as "carets.negation"."""
    results: tuple[RelationResult, ...]
    """Its items, variants of one relation."""

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
                # A total of one variant is that variant.
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


def _few_metrics(line: _PairRow) -> tuple[TableCell, ...]:
    tally = line.tally
    return _cells(line, tally.acc, tally.cons, tally.c_acc, _human_cons(line))


def _all_metrics(line: _PairRow) -> tuple[TableCell, ...]:
    tally = line.tally
    return _cells(line, tally.acc, tally.acc_original, tally.acc_perturbed, tally.cons, tally.c_acc, _human_cons(line))


def _cells(line: _PairRow, *shares: float | None) -> tuple[TableCell, ...]:
    return text_cell(line.name), text_cell(f"{line.tally.pairs:,}"), *map(share_cell, shares)


def _author_scores(line: _PairRow) -> tuple[TableCell, ...]:
    tally, answers = line.tally, line.tally.binary_answers
    shares = (count / answers if answers else None for count in (tally.yes, tally.no, tally.other))
    return text_cell(line.name), *map(share_cell, (tally.cons_authors, tally.c_acc_authors, *shares))


def _human_cons(line: _PairRow) -> float | None:
    return line.reference.cons if line.reference else None


def paper_tables(report: Report, *, joined: bool = False) -> tuple[ViewTable, ...]:
    """All tables of a report; ``joined`` as in ``model_tables``."""
    pairs = (
        replace(table, caption=f"{table.caption}: {model} on {data}")
        for (model, data), results in results_by_model_and_data(report)
        for table in pair_tables(results, in_full=True)
    )
    coverage = (coverage_table(report, data.name) for data in report.data)
    of_one = (summary for summary in report.summaries if summary.model)
    return (*model_tables(report, joined=joined), *pairs, *map(summary_table, of_one), *filter(None, coverage))


def named_paper_tables(report: Report, *, joined: bool = False) -> Iterator[tuple[str, ViewTable]]:
    """All tables of a report and of the differences of its models, each with a name for a file.

    The name is the caption in small letters, digits and hyphens; ``joined`` as in ``model_tables``. A shard, which
    has a part of the cases alone, is named in each caption.
    """
    # Its figures are of a part of the cases: a table in a paper must not be mistaken for the whole.
    of_shard = f", shard {report.shard} of the cases" if report.shard != "1/1" else ""
    taken: Counter[str] = Counter()
    for table in (*paper_tables(report, joined=joined), *map(_difference_in_a_file, difference_tables(report))):
        # The caption is cut, and not the shard: files of two shards have two names.
        room = _LONGEST_NAME - len(of_shard)
        name = _NO_NAME.sub("-", f"{table.caption.lower()[:room]}{of_shard}").strip("-")
        taken[name] += 1
        named = replace(table, caption=f"{table.caption}{of_shard}")
        # Two captions may differ in punctuation alone, or behind the cut.
        yield f"{name}-{taken[name]}" if taken[name] > 1 else name, named


def _difference_in_a_file(table: ViewTable) -> ViewTable:
    """The differences of two models, with a caption that has no counts: files are named after it."""
    models, _, significant = table.caption.rpartition(": ")
    # Names of models may be long: the columns are "first" and "second", and a note names them.
    first, second = (head.name for head in table.heads[1:3])
    heads = tuple(
        replace(head, name=name, alone=head.alone or head.name)
        for head, name in zip(table.heads, _NARROW_HEADS, strict=True)
    )
    return replace(
        table,
        heads=heads,
        caption=f"Differences of models: {models}",
        notes=(significant, f"First: {first}. Second: {second}", _DIFFERENCES, *table.notes),
    )


def summary_table(summary: Summary) -> ViewTable:
    """The rows of a summary, which has at least one, and its known totals as notes."""
    title, unknown = _SUMMARIES.get(summary.kind, (summary.kind, ColumnUnit.PERCENT))
    names = tuple(summary.rows[0])
    units = [_unit_of(name, [row.get(name) for row in summary.rows], unknown) for name in names]
    table = unit_table(
        [f"{name} (points)" if unit is ColumnUnit.POINTS else name for name, unit in zip(names, units, strict=True)],
        [[_summary_cell(*cell) for cell in row.items()] for row in summary.rows],
        units,
        caption=f"{title}: {summary.model} on {summary.data}",
        notes=[f"{name}: {_shown(name, value)}" for name, value in summary.totals.items() if value is not None],
    )
    ranges = [name.startswith(_PUBLISHED) for name in names]
    heads = zip(table.heads, ranges, strict=True)
    return replace(
        table,
        heads=tuple(replace(each, parts=("lowest", "highest")) if is_range else each for each, is_range in heads),
    )


def _unit_of(name: str, cells: Sequence[Cell], unknown: ColumnUnit) -> ColumnUnit:
    """The unit of a column, by its name and else by its first value."""
    if name == "relation":
        return ColumnUnit.TEXT
    if name in _NO_SHARES:
        return ColumnUnit.SCORE
    if name == _IN_POINTS:
        return ColumnUnit.POINTS
    if name.startswith(_PUBLISHED) or name in _IN_PERCENT:
        return ColumnUnit.PERCENT
    known = next((cell for cell in cells if cell is not None), None)
    return unknown if known is None else ColumnUnit.COUNT if isinstance(known, int) else ColumnUnit.PERCENT


def _summary_cell(name: str, cell: Cell) -> TableCell:
    if isinstance(cell, float) and name not in (*_NO_SHARES, _IN_POINTS):
        return share_cell(cell / 100 if name in _IN_PERCENT else cell)
    return text_cell(_shown(name, cell))


def model_tables(report: Report, data: str = "", *, joined: bool = False) -> Iterator[ViewTable]:
    """The tables whose rows are the models of a run and the published ones; of one data source if it is named.

    The numbers of cases stand in tables of their own, one for all figures of the same cases: beside the shares they
    would be too wide for a page. ``joined``, each share has a column of its cases beside it.
    """
    for summary in report.summaries:
        known = MODELS_SUMMARIES.get(summary.kind)
        if known is None or summary.model or data not in ("", summary.data):
            continue
        of_cases: dict[tuple[tuple[str, ...], ...], list[str]] = {}
        # The rows of a figure follow each other, each with the columns of its figure.
        for figure, group in groupby(summary.rows, key=itemgetter("figure")):
            rows = list(group)
            columns = [name for name in rows[0] if name not in OF_ROW and not name.endswith(CASES)]
            notes = [_MEANING[str(figure)]] if figure in _MEANING else []
            if any(row["source"] == PUBLISHED for row in rows):
                source = summary.totals["published in"]
                notes.append(
                    f"Published: {source}. On other data these rows are for orientation only; {known.nearest}."
                )
            counted = [name for name in columns if joined and any(row[f"{name}{CASES}"] is not None for row in rows)]
            yield unit_table(
                ("model", *(each for name in columns for each in (name, f"{name}{CASES}")[: 1 + (name in counted)])),
                [_model_row(row, columns, counted) for row in rows],
                [
                    ColumnUnit.TEXT,
                    *(
                        each
                        for name in columns
                        for each in (_share_unit(name), ColumnUnit.COUNT)[: 1 + (name in counted)]
                    ),
                ],
                caption=f"{known.paper}: {figure} on {summary.data}",
                notes=notes,
            )
            # Figures over the same cases share a table of their numbers: the counts are the key.
            if not joined:
                of_cases.setdefault((("model", *columns), *_case_rows(rows, columns)), []).append(str(figure))
        for (head, *lines), figures in of_cases.items():
            # A column without any count is left out.
            counted_columns = [0, *(place for place in range(1, len(head)) if any(row[place] != "-" for row in lines))]
            if lines:
                yield text_table(
                    [[row[place] for place in counted_columns] for row in (head, *lines)],
                    caption=f"{known.paper}: cases of {_listed(figures)} on {summary.data}",
                    units=[ColumnUnit.TEXT, *[ColumnUnit.COUNT] * (len(counted_columns) - 1)],
                )


def _listed(names: Sequence[str]) -> str:
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last


def _model_row(row: Cells, columns: Sequence[str], counted: Sequence[str]) -> list[TableCell]:
    cells = [text_cell(_row_name(row))]
    for name in columns:
        cells.append(_share_cell(name, row[name]))
        if name in counted:
            cells.append(text_cell(_shown_count(row[f"{name}{CASES}"])))
    return cells


def _case_rows(rows: Sequence[Cells], columns: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """The numbers of cases of each row that has any; equal ones of published models share a row."""
    for (is_published, counts), group in groupby(
        rows, key=lambda row: (row["source"] == PUBLISHED, tuple(row[f"{name}{CASES}"] for name in columns))
    ):
        same = list(group)
        names = ["each of the published"] if is_published and len(same) > 1 else map(_row_name, same)
        # Papers do not always publish their numbers of cases.
        if any(counts):
            yield from ((name, *map(_shown_count, counts)) for name in names)


def _shown_count(count: Cell) -> str:
    return "-" if count is None else f"{count:,}"


def _share_unit(column: str) -> ColumnUnit:
    return ColumnUnit.SCORE if column in _NO_SHARES else ColumnUnit.PERCENT


def _share_cell(column: str, share: Cell) -> TableCell:
    if not isinstance(share, float):
        return NO_CELL
    return text_cell(f"{share:.2f}") if column in _NO_SHARES else share_cell(share)


def _row_name(row: Cells) -> str:
    name = f"{row['model']}, {row['part']}" if row["part"] else str(row["model"])
    return tagged(name, {PUBLISHED: (PUBLISHED,), RUN_PRESUMED: ("presumed",)}.get(str(row["source"]), ()))


def _shown(name: str, cell: Cell) -> str:
    """A cell as text: counts in full, shares in percent, scores to three places, "-" for none."""
    # A published range is a text, "0.125 to 0.259".
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
