"""How much a run would ask, without asking."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_vqamt.core.errors import OptionError
from pytest_vqamt.reporting.view.format import aligned_table

if TYPE_CHECKING:
    from pytest_vqamt.integration.resources import Resources


def plan_lines(session: Resources, most: int | None) -> tuple[str, ...]:
    """A table of cases and distinct queries; a query that several relations share is counted where it comes first.

    Raises:
        OptionError: there are more than ``most`` distinct queries.
    """
    rows = [("item", "cases", "queries", "new queries")]
    known: dict[str, set[str]] = {}
    cases = blessed = 0
    for entry in session.entries:
        job = session.job(entry)
        plan = job.plan(session.settings.terms.sampling)
        here: set[str] = set()
        count = 0
        for case in plan:
            count += 1
            here.update(query.id for query in case.queries)
        asked = known.setdefault(entry.model, set())
        rows.append((entry.id, str(count), str(len(here)), str(len(here - asked))))
        asked |= here
        cases += count
        blessed += count if job.baseline else 0
    total = sum(len(queries) for queries in known.values())
    if most is not None and total > most:
        fewer = "name fewer relations" if blessed == cases else "lower --vqamt-max-cases or name fewer relations"
        raise OptionError(
            f"Expected at most --vqamt-max-queries={most} distinct queries, but the run would have {total} "
            f"for {cases} cases{f' ({blessed} of them blessed)' if blessed else ''}: {fewer}"
        )
    return (*aligned_table(rows), "", f"{cases} cases, {total} distinct queries before any cache")
