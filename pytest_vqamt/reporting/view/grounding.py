"""Grounded rates in words: items that are consistent although the model hardly looks at the picture."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pytest_vqamt.core.results import Grounded, RelationResult
from pytest_vqamt.core.tallies import Clusters
from pytest_vqamt.core.text import some_of
from pytest_vqamt.reporting.view.format import format_percent, format_percents, wrapped
from pytest_vqamt.stats.intervals import pass_rate_interval

CONSISTENT = 0.8
"""From this share of its cases on a relation holds often enough for its pass rate to mislead."""
GROUNDED = 0.5
"""An item whose grounded rate is surely lower is named."""

_NAMED_ALONE = 3
_NAMED_TOGETHER = 6


def is_misleading(grounded: Grounded) -> bool:
    """Whether the relation holds in most cases, but the whole interval of the grounded rate lies below a half."""
    cells = grounded.cells
    return bool(cells.cases) and cells.consistent >= CONSISTENT * cells.cases and grounded.interval[1] < GROUNDED


def hardly_looks(found: Sequence[Grounded]) -> bool:
    """Whether all cases with a contrast together are grounded no more often than by guessing, and surely seldom."""
    rows = tuple(row for each in found for row in each.clusters.rows)
    low, high = pass_rate_interval(Clusters(rows))
    cases = sum(each.cells.cases for each in found)
    return low <= sum(each.chance.total for each in found) / cases and high < GROUNDED


def describe_by_chance(grounded: Grounded) -> str:
    """The rate that a model which guesses would reach on these cases."""
    return f"by guessing {format_percent(grounded.chance.mean)}"


def misleading_lines(results: Sequence[RelationResult], *, of_model: bool = False) -> Iterator[str]:
    """A line for each item that is consistent but not grounded; one line for all if there are many.

    Args:
        results: the items.
        of_model: name the model and the data of each.
    """
    found = [
        (_name(result, of_model=of_model), part)
        for result in results
        if result.grounded and not result.directional
        for part in (result.grounded, result.grounded.presumed)
        if part and is_misleading(part)
    ]
    if len(found) <= _NAMED_ALONE:
        for name, part in found:
            cells = part.cells
            yield (
                f"the model hardly looks in {name}: {format_percent(part.rate or 0.0)} grounded (by guessing "
                f"{format_percent(part.chance.mean)}), though {format_percent(cells.consistent / cells.cases)} of the "
                f"cases with a contrast hold"
            )
        return
    rates = sorted(part.rate or 0.0 for _, part in found)
    reached = format_percents((rates[0], rates[-1])) if rates[0] < rates[-1] else format_percent(rates[0])
    names = list(dict.fromkeys(name for name, _ in found))
    yield (
        f"the model hardly looks in {len(names)} relation variants: {reached} grounded, though at least "
        f"{format_percent(CONSISTENT)} of the cases with a contrast hold: {some_of(names, _NAMED_TOGETHER)}"
    )


def wrapped_misleading_lines(results: Sequence[RelationResult]) -> Iterator[str]:
    """The same for a terminal."""
    for line in misleading_lines(results):
        yield from wrapped(line)


def _name(result: RelationResult, *, of_model: bool) -> str:
    return f"{result.item} ({result.model.name} on {result.data.name})" if of_model else result.item
