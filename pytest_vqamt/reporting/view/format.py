"""Numbers, counts and tables as text, the same in every output."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import ceil
from textwrap import wrap

from pytest_vqamt.core.results import Gate
from pytest_vqamt.stats.thresholds import Drops, describe_drops

WIDTH = 100
"""Of a wrapped line, in characters."""


def format_rate(value: float | None) -> str:
    """A rate in percent with one place, as in a table; "-" where there is none.

    >>> format_rate(0.8), format_rate(1), format_rate(0.0002), format_rate(0.99999)
    ('80.0 %', '100.0 %', '<0.1 %', '>99.9 %')
    """
    if value is None:
        return "-"
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
    """A share in percent, with as many places as show that it is below ``limit`` and whether it is 0.

    >>> percent_below(0.734, 0.8), percent_below(0.7961, 0.8), percent_below(0.799971, 0.8), percent_below(0.004, 0.8)
    ('73 %', '79.6 %', '79.997 %', '0.4 %')
    """
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
    points = round(100 * difference, 1)
    return f"{points:+.1f}" if points else "0.0"


def format_change(before: float | None, after: float | None) -> str:
    """The change of a rate, such that it fits the two that ``format_rate`` gives; "-" without both.

    >>> format_change(0.55, 0.2567), format_change(0.725, 0.6925), format_change(0.8, 0.8), format_change(None, 0.5)
    ('-29.3', '-3.3', '0.0', '-')
    """
    if before is None or after is None:
        return "-"
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
    """The requirement of a gate; ``is_grounded`` tells whether a drop is of the grounded rate.

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
