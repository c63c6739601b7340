"""Numbers as the page shows them."""

from __future__ import annotations

from pytest_vqamt.core.results import Gate


def rate(value: float | None) -> str:
    """A rate to three places, "-" where there is none."""
    return "-" if value is None else f"{value:.3f}"


def span(interval: tuple[float, float]) -> str:
    """An interval.

    >>> span((0.25, 1))
    '0.250 to 1.000'
    """
    low, high = interval
    return f"{low:.3f} to {high:.3f}"


def signed(difference: float | None) -> str:
    """A difference with its sign, "-" where there is none.

    >>> signed(-0.25), signed(0), signed(0.0004)
    ('-0.250', '0.000', '+0.000')
    """
    if difference is None:
        return "-"
    return f"{difference:+.3f}" if difference else "0.000"


def percent(share: float) -> str:
    """Where a share stands on an axis from 0 to 1.

    >>> percent(0.5), percent(1 / 3)
    ('50%', '33.33%')
    """
    return f"{round(100 * share, 2):g}%"


def counted(number: int, one: str, many: str = "") -> str:
    """A number with what it is of.

    >>> counted(1, "case"), counted(1200, "case"), counted(2, "query", "queries")
    ('1 case', '1,200 cases', '2 queries')
    """
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def demanded(gate: Gate) -> str:
    """What a gate demands.

    >>> demanded(Gate(kind="fail-under", threshold=0.8, on="lower-bound", met=True))
    'lower end >= 0.8'
    """
    if gate.kind == "max-drop":
        return f"no significant drop > {gate.threshold:g}"
    return f"{'lower end' if gate.on == 'lower-bound' else 'pass rate'} >= {gate.threshold:g}"
