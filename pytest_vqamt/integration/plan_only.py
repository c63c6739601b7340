"""Counts the cases and queries of a run without running it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_vqamt.core.errors import OptionError
from pytest_vqamt.reporting.view.format import aligned_table

if TYPE_CHECKING:
    from pytest_vqamt.execution.resources import Resources


def plan_lines(session: Resources, most: int | None) -> tuple[str, ...]:
    """A table of cases and distinct queries; a query that several items share counts in the first.

    Raises:
        OptionError: there are more than ``most`` distinct queries.
    """
    rows = [("item", "cases", "queries", "new queries")]
    known: dict[str, set[str]] = {}
    cases = from_baseline = 0
    for spec in session.item_specs:
        job = session.job(spec)
        plan = job.plan(session.settings.terms.sampling)
        here: set[str] = set()
        count = 0
        for case in plan:
            count += 1
            here.update(query.id for query in case.asked)
        seen = known.setdefault(spec.model, set())
        rows.append((spec.id, str(count), str(len(here)), str(len(here - seen))))
        seen |= here
        cases += count
        from_baseline += count if job.baseline else 0
    total = sum(len(queries) for queries in known.values())
    if most is not None and total > most:
        fewer = "name fewer relations" if from_baseline == cases else "lower --vqamt-max-cases or name fewer relations"
        raise OptionError(
            f"Expected at most --vqamt-max-queries={most} distinct queries, but the run would have {total} "
            f"for {cases} cases{f' ({from_baseline} of them blessed)' if from_baseline else ''}: {fewer}"
        )
    return (*aligned_table(rows), "", f"{cases} cases, {total} distinct queries before any cache")
