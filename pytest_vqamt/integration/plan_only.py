"""Counts the cases and queries of a run, and forecasts their cost, without running it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from pytest_vqamt.core.errors import OptionError
from pytest_vqamt.core.query import Query
from pytest_vqamt.core.text import count_noun
from pytest_vqamt.reporting.view.format import aligned_table, format_cost

if TYPE_CHECKING:
    from pytest_vqamt.execution.resources import Resources


def plan_lines(session: Resources, most: int | None) -> tuple[str, ...]:
    """A table of cases and distinct queries; a query that several items share counts in the first.

    Raises:
        OptionError: there are more than ``most`` distinct queries.
    """
    rows = [("item", "cases", "queries", "new queries")]
    known: dict[str, dict[str, Query]] = {}
    cases = from_baseline = 0
    repeats = session.settings.terms.sampling.repeats
    for spec in session.item_specs:
        job = session.job(spec)
        plan = job.plan(session.settings.terms.sampling)
        here: dict[str, Query] = {}
        count = 0
        for case in plan:
            count += 1
            here.update((query.id, query) for trials in case.trials(repeats) for query in trials)
        seen = known.setdefault(spec.model_spec, {})
        rows.append((spec.id, str(count), str(len(here)), str(len(here.keys() - seen.keys()))))
        seen |= here
        cases += count
        from_baseline += count if job.baseline else 0
    total = sum(len(queries) for queries in known.values())
    if most is not None and total > most:
        fewer = "name fewer relations" if from_baseline == cases else "lower --vqamt-max-cases or name fewer relations"
        raise OptionError(
            f"Expected at most --vqamt-max-queries={most} distinct queries, but the run would have {total} "
            f"for {count_noun(cases, 'case')}{f' ({from_baseline} of them blessed)' if from_baseline else ''}: {fewer}"
        )
    costs = [line for spec, queries in known.items() for line in _forecast_lines(session, spec, queries)]
    return (
        *aligned_table(rows),
        "",
        f"{count_noun(cases, 'case')}, {count_noun(total, 'distinct query', 'distinct queries')} before any cache",
        *costs,
    )


def _forecast_lines(session: Resources, spec: str, queries: Mapping[str, Query]) -> Iterator[str]:
    """The tokens and the cost of the queries that have no cached answer, for a model that can forecast them."""
    model = session.model(spec)
    if model.forecast is None:
        return
    answers = session.stores.of(model).get(model.fingerprint, tuple(queries))
    rest = [query for name, query in queries.items() if name not in answers]
    found = model.forecast(rest, [(queries[name], answer) for name, answer in answers.items()])
    yield ""
    yield f"{model.name}: {count_noun(len(rest), 'query', 'queries')} to send, {len(answers):,} cached"
    yield f"tokens: {found.tokens_in:,.0f} in, {found.tokens_out:,.0f} out (at most {found.tokens_out_most:,.0f})"
    yield f"tokens in by {found.basis}"
    if found.cost is not None and found.cost_most is not None:
        yield f"cost: {format_cost(found.cost)} (at most {format_cost(found.cost_most)}, all answers at their longest)"
    if shrink := session.settings.terms.shrink:
        yield (
            f"not counted: up to {count_noun(shrink, 'query', 'queries')} for each item with a violation, "
            f"which simplify it (--vqamt-shrink)"
        )
