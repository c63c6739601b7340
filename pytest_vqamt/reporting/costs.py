"""What a run took of a model, in words."""

from __future__ import annotations

from pytest_vqamt.core.results import ModelUse
from pytest_vqamt.reporting.page.figures import counted


def asked_in_words(use: ModelUse) -> str:
    """How many queries it was asked, and how many it was spared.

    >>> asked_in_words(ModelUse(
    ...     name="tiny", fingerprint="f", tasks=("vqa",), queries_needed=2153, queries_asked=955, queries_cached=3
    ... ))
    '955 distinct queries, 3 more came from the cache; cases needed 2,153, so asking each once saved 1,195'
    """
    asked = counted(use.queries_asked, "distinct query", "distinct queries")
    told = f"{asked}, {use.queries_cached:,} more came from the cache"
    if use.queries_saved:
        told += f"; cases needed {use.queries_needed:,}, so asking each once saved {use.queries_saved:,}"
    return told


def work_in_words(use: ModelUse) -> str:
    """For which share of the time its items ran it was at work; "" where it was asked nothing, or that is not known.

    >>> work_in_words(ModelUse(
    ...     name="tiny", fingerprint="f", tasks=("vqa",), queries_asked=955, busy_s=8.25, items_s=11.0
    ... ))
    '75 % of the time that its items ran (8.2 s of 11 s)'
    """
    share = use.busy_share
    if share is None or not use.queries_asked or not use.busy_s:
        return ""
    return f"{100 * share:.0f} % of the time that its items ran ({_seconds(use.busy_s)} of {_seconds(use.items_s)})"


def amount(value: float) -> str:
    """What something has cost: whole numbers in full, others to six digits.

    >>> amount(1200), amount(0.1234567)
    ('1,200', '0.123457')
    """
    return f"{value:,.0f}" if value == int(value) else f"{value:,.6g}"


def _seconds(value: float) -> str:
    return f"{value:.2g} s" if value < 10 else f"{value:,.0f} s"
