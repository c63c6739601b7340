"""Numbers, counts and tables as text, the same in every output."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from math import ceil
from textwrap import wrap

from pytest_vqamt.core.results import BaselineChange, Gate, GateState, RelationResult
from pytest_vqamt.stats.thresholds import Drops, describe_drops

WIDTH = 100
"""Of a wrapped line, in characters."""

CHANGE_HEAD = ("shared cases", "before", "now", "points", "95 % interval", "p (Holm)")


def format_rate(value: float | None) -> str:
    """A rate in percent with one place, as in a table; "-" where there is none.

    >>> format_rate(0.8), format_rate(1), format_rate(0.0002), format_rate(0.99999)
    ('80.0 %', '100.0 %', '<0.1 %', '>99.9 %')
    """
    if value is None:
        return "-"
    # One place would round 0.0002 to "0.0 %" and 0.99999 to "100.0 %": neither is true.
    return format_percent(value) if 0 < value < 0.0005 or 0.9995 < value < 1 else f"{100 * value:.1f} %"


def format_percent(share: float | None) -> str:
    """A share in percent: whole, but with one place where that would be 0 or 100; "-" where there is none.

    >>> format_percent(0.734), format_percent(0.004), format_percent(0.996), format_percent(1), format_percent(0.99)
    ('73 %', '0.4 %', '99.6 %', '100 %', '99 %')
    >>> format_percent(0.00001), format_percent(0.99999)
    ('<0.1 %', '>99.9 %')
    """
    if share is None:
        return "-"
    if 0 < share < 0.0005:
        return "<0.1 %"
    if 0.9995 < share < 1:
        return ">99.9 %"
    # "0 %" is for none and "100 %" for all.
    places = 1 if 0 < share < 1 and round(100 * share) in (0, 100) else 0
    return f"{100 * share:.{places}f} %"


def format_interval(interval: tuple[float, float]) -> str:
    """An interval of rates, as ``format_rate`` gives them.

    >>> format_interval((0.25, 1))
    '25.0 to 100.0 %'
    """
    low, high = interval
    return f"{100 * low:.1f} to {100 * high:.1f} %"


def percent_below(share: float, limit: float) -> str:
    """A share in percent, with enough places to see that it is below ``limit`` and not 0.

    >>> percent_below(0.734, 0.8), percent_below(0.7961, 0.8), percent_below(0.799971, 0.8), percent_below(0.004, 0.8)
    ('73 %', '79.6 %', '79.997 %', '0.4 %')
    """
    # A rate that misses a gate must look lower than it: 79.997 % with a gate of 80 %.
    percent, most = 100 * share, round(100 * limit, 9)
    places = next((n for n in range(9) if round(percent, n) < most and (round(percent, n) or not share)), 9)
    return f"{percent:.{places}f} %"


def format_limit(share: float) -> str:
    """A rate that the user demands, in percent with all its places.

    >>> format_limit(0.8), format_limit(0.995)
    ('80 %', '99.5 %')
    """
    return f"{round(100 * share, 9):g} %"


def describe_points(share: float) -> str:
    """A difference that the user set, in percentage points.

    >>> describe_points(0.025), describe_points(0.01)
    ('2.5 points', '1 point')
    """
    # Rounded, as 100 * 0.07 is 7.000000000000001.
    points = f"{round(100 * share, 9):g}"
    return f"{points} point{'' if points == '1' else 's'}"


def describe_allowed(drops: Drops) -> str:
    """What --vqamt-max-drop allows, after "more than".

    >>> describe_allowed({"*": 0.02}), describe_allowed({"*": 0.1, "all-relations": 0.03})
    ('2 points', 'is allowed (0.1, all-relations=0.03)')
    >>> describe_allowed({"accuracy": 0.02})
    'is allowed (accuracy=0.02)'
    """
    several = set(drops.values())
    is_of_all = len(several) == 1 and "*" in drops
    return describe_points(several.pop()) if is_of_all else f"is allowed ({describe_drops(drops)})"


def format_percents(interval: tuple[float, float]) -> str:
    """An interval in percent.

    >>> format_percents((0.25, 1)), format_percents((0.004, 0.12))
    ('25 to 100 %', '0.4 to 12 %')
    """
    low, high = map(format_percent, interval)
    return f"{low.removesuffix(' %')} to {high}"


def format_difference(difference: float | None) -> str:
    """A difference of rates in percentage points with one place and its sign, as in a table; "-" where there is none.

    >>> format_difference(-0.25), format_difference(0), format_difference(0.0004)
    ('-25.0', '0.0', '0.0')
    """
    if difference is None:
        return "-"
    # "0.0" without a sign: -0.04 points are no drop that one sees.
    points = round(100 * difference, 1)
    return f"{points:+.1f}" if points else "0.0"


def format_change(before: float | None, after: float | None) -> str:
    """The change of a rate, such that it fits the two that ``format_rate`` gives; "-" without both.

    >>> format_change(0.55, 0.2567), format_change(0.725, 0.6925), format_change(0.8, 0.8), format_change(None, 0.5)
    ('-29.3', '-3.3', '0.0', '-')
    """
    if before is None or after is None:
        return "-"
    # From the rounded rates: a reader who subtracts the two beside it gets this change.
    return format_difference((round(100 * after, 1) - round(100 * before, 1)) / 100)


def format_p(p: float) -> str:
    """A p-value to four places.

    >>> format_p(0.03125), format_p(1e-9)
    ('0.0312', '<0.0001')
    """
    return f"{p:.4f}" if p >= 0.0001 else "<0.0001"


def format_usage(value: float) -> str:
    """An amount that a model used: whole numbers in full, others to six digits.

    >>> format_usage(1200), format_usage(0.1234567)
    ('1,200', '0.123457')
    """
    return f"{value:,.0f}" if value == int(value) else f"{value:,.6g}"


def format_cost(amount: float) -> str:
    """An amount of money, in the currency of its prices: two digits behind the point, small amounts with more.

    >>> format_cost(1234.5), format_cost(0.001234), format_cost(0)
    ('1,234.50', '0.0012', '0.00')
    """
    return f"{amount:,.2f}" if amount >= 1 or not amount else f"{amount:.2g}" if amount < 0.1 else f"{amount:.2f}"


def rounded_up(number: int) -> int:
    """The number with two digits, rounded up.

    >>> rounded_up(87), rounded_up(1234)
    (87, 1300)
    """
    step: int = 10 ** max(0, len(str(number)) - 2)
    return ceil(number / step) * step


def axis_percent(share: float) -> str:
    """The position of a share on an axis from 0 to 1, in percent of its length.

    >>> axis_percent(0.5), axis_percent(1 / 3)
    ('50%', '33.33%')
    """
    return f"{round(100 * share, 2):g}%"


def describe_gate(gate: Gate, *, is_grounded: bool = False) -> str:
    """The requirement of a gate; with ``is_grounded`` a drop is of the grounded rate.

    >>> describe_gate(Gate(kind="fail-under", threshold=0.8, on="lower-bound", met=True))
    'lower end >= 80 %'
    >>> describe_gate(Gate(kind="grounded-under", threshold=0.5, on="point", met=True))
    'grounded rate >= 50 %'
    >>> describe_gate(Gate(kind="max-drop", threshold=0.025, on="point", met=True))
    'drop of the pass rate <= 2.5 points'
    """
    if gate.kind == "max-drop":
        rate = "grounded rate" if is_grounded else "pass rate"
        return f"drop of the {rate} <= {describe_points(gate.threshold)}"
    threshold = format_limit(gate.threshold)
    # The parameter is for drops alone: a gate on a rate names its rate by its kind.
    is_grounded = gate.kind == "grounded-under"
    if gate.on == "lower-bound":
        return f"{'lower end of grounded rate' if is_grounded else 'lower end'} >= {threshold}"
    return f"{'grounded rate' if is_grounded else 'pass rate'} >= {threshold}"


def tagged(name: str, tags: Sequence[str]) -> str:
    """A name with its tags in brackets.

    >>> tagged("carets.negation", ("presumed",)), tagged("carets.negation", ())
    ('carets.negation (presumed)', 'carets.negation')
    """
    return f"{name} ({', '.join(tags)})" if tags else name


def wrapped(text: str) -> Iterator[str]:
    """A text as lines, indented from the second on; words and commands are never broken."""
    # A number and its sign stay on one line.
    joined = text.replace(" %", "\u00a0%")
    lines = wrap(joined, width=WIDTH, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)
    yield from (line.replace("\u00a0%", " %") for line in lines)


def aligned_table(rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    """The lines of a table with aligned columns, the first one to the left, and a rule under the head row."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for number, row in enumerate(rows):
        cells = [row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))]
        yield "  ".join(cells).rstrip()
        if number == 0:
            yield "  ".join("-" * width for width in widths)


@dataclass(frozen=True, slots=True, kw_only=True)
class TableCell:
    """A cell of a table."""

    text: str
    """As it is shown."""
    key: str
    """The sort key, a number as text or a text."""
    link: str = ""
    """Selects the cell's cases on the HTML page."""
    notes: tuple[str, ...] = ()
    """In brackets behind the text, or on a line of their own on the page."""
    state: str = ""
    """"missed", "cannot-tell", "met", "worse", "better" or ""."""


class ColumnUnit(StrEnum):
    """What the cells of a column are, as its head says it in a file."""

    TEXT = ""
    COUNT = "count"
    PERCENT = "%"
    POINTS = "points"
    """Percentage points."""
    SCORE = "0 to 1"
    """A figure that is no share, such as R_score or a p-value."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnHead:
    """The head of a column; columns of numbers are aligned to the right."""

    name: str
    """With the unit in brackets, if it has one there."""
    is_number: bool
    """True if the cells are aligned to the right."""
    unit: ColumnUnit = ColumnUnit.TEXT
    """Named in the tables of the papers alone."""
    parts: tuple[str, ...] = ("",)
    """The numbers of a cell by name; "" is the one that the column is named after. A CSV has a column for each."""
    alone: str = ""
    """The name in a CSV, if it is another."""

    @property
    def bare(self) -> str:
        """The name without the unit."""
        return self.name.removesuffix(f" ({self.unit.value})")

    @property
    def of_parts(self) -> Iterator[str]:
        """A name for each part, with the unit."""
        for part in self.parts:
            name = f"{self.alone or self.bare}, {part}" if part else self.alone or self.bare
            yield f"{name} ({self.unit.value})" if self.unit else name


@dataclass(frozen=True, slots=True, kw_only=True)
class ViewTable:
    """A table whose rows have a cell for each head.

    In the tables of the papers, a first cell that begins with two spaces is part of the row above.
    """

    heads: tuple[ColumnHead, ...]
    """One for each column."""
    rows: tuple[tuple[TableCell, ...], ...]
    """Each with a cell for each head."""
    caption: str = ""
    """A noun phrase without a full stop; "" without one."""
    notes: tuple[str, ...] = ()
    """Sentences or clauses below the table."""

    @property
    def head_texts(self) -> tuple[str, ...]:
        return tuple(head.name for head in self.heads)

    @property
    def row_texts(self) -> tuple[tuple[str, ...], ...]:
        """The texts of the cells, with their notes in brackets."""
        return tuple(tuple(tagged(cell.text, cell.notes) for cell in row) for row in self.rows)

    @property
    def lines(self) -> Iterator[str]:
        """The lines for a terminal, without the caption and the notes."""
        return aligned_table([self.head_texts, *self.row_texts])


NO_CELL = TableCell(text="-", key="")


def column_heads(*names: str) -> tuple[ColumnHead, ...]:
    """The heads of a column of texts and of columns of numbers."""
    return tuple(ColumnHead(name=name, is_number=place > 0) for place, name in enumerate(names))


def share_cell(share: float | None) -> TableCell:
    """A share in percent, with all its places for a sort key."""
    return TableCell(text=format_rate(share), key="" if share is None else f"{100 * share:.6g}")


def text_cell(text: str) -> TableCell:
    """A cell that is sorted by its text, a rate as a number."""
    # "<0.1 %" sorts as 0.1: its sign is no part of the number.
    return TableCell(text=text, key=text.removesuffix(" %").lstrip("<>") if text.endswith(" %") else text)


def text_table(
    rows: Sequence[Sequence[str]], *, caption: str = "", notes: Sequence[str] = (), units: Sequence[ColumnUnit] = ()
) -> ViewTable:
    """A table of texts; the first row is the head."""
    head, *lines = rows
    return unit_table(head, [list(map(text_cell, line)) for line in lines], units, caption=caption, notes=notes)


def unit_table(
    head: Sequence[str],
    rows: Sequence[Sequence[TableCell]],
    units: Sequence[ColumnUnit] = (),
    *,
    caption: str = "",
    notes: Sequence[str] = (),
) -> ViewTable:
    """A table of cells whose columns have ``units``; without these, texts."""
    heads = column_heads(*head)
    return ViewTable(
        heads=tuple(replace(each, unit=unit) for each, unit in zip(heads, units, strict=True)) if units else heads,
        rows=tuple(map(tuple, rows)),
        caption=caption,
        notes=tuple(notes),
    )


def change_cells(change: BaselineChange, *, unadjusted_p: bool = False, two_sided: bool = False) -> tuple[str, ...]:
    """A cell for each column of ``CHANGE_HEAD``.

    An item that is not gated has no Holm-adjusted p-value: its own one, which may be ``two_sided``, stands in brackets
    with ``unadjusted_p``.
    """
    before, after, difference = change.paired.first_rate, change.paired.second_rate, change.paired.difference
    if before is None or after is None or difference is None:
        # No case is in both runs.
        return ("0", *("-" for _ in CHANGE_HEAD[1:]))
    low, high = change.interval
    own_p = f"({format_p(change.p_two_sided if two_sided else change.p)})" if unadjusted_p else "-"
    return (
        str(change.paired.shared),
        format_rate(before),
        format_rate(after),
        format_change(before, after),
        f"{format_difference(low)} to {format_difference(high)}",
        own_p if change.p_holm is None else format_p(change.p_holm),
    )


def drop_gate_cell(gate: Gate | None) -> str:
    """The state of the gate on the drop, and the drop that it allows."""
    # Missed for unread cases alone: "MISSED: drop" would name the wrong cause.
    if gate is not None and gate.unread is not None and not gate.dropped:
        return f"MISSED: {format_percent(gate.unread)} unread"
    if gate is None:
        return "-"
    state = "MISSED" if gate.state is GateState.MISSED else gate.state.value
    return f"{state}: drop <= {describe_points(gate.threshold)}"


def changes_table(results: Sequence[RelationResult]) -> ViewTable:
    """A row for each stratum with a change since the baseline."""
    rows = [row for result in results for row in _rows(result)]
    return text_table([("relation", *CHANGE_HEAD, "gate"), *rows])


def _rows(result: RelationResult) -> Iterator[tuple[str, ...]]:
    presumed = result.presumed.change if result.presumed else None
    grounded = result.grounded.change if result.grounded and result.grounded.cells.total else None
    for tags, change in (
        (result.tags, result.change),
        ((*result.tags, "presumed"), presumed),
        ((*result.tags, "grounded"), grounded),
    ):
        # An item with presumed cases alone has an empty ordinary change, which is no row.
        if change and (change is presumed or change.paired.shared or not (presumed or change is grounded)):
            yield tagged(result.item, tags), *change_cells(change), drop_gate_cell(change.gate)
