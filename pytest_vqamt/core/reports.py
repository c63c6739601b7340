"""Results put together into a report."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from pytest_vqamt.core.changes import BaselineUse
from pytest_vqamt.core.errors import ModelError
from pytest_vqamt.core.rankings import Difference, Ranking
from pytest_vqamt.core.results import Coverage, DataUse, ModelUse, RelationResult, Report
from pytest_vqamt.core.summaries import Summary


def models_used(uses: Iterable[ModelUse]) -> tuple[ModelUse, ...]:
    """Each model once, in their order, with all that it was asked.

    Raises:
        ModelError: two models of one name were asked. Whoever reads the report would take their answers for one's.
    """
    total: dict[str, ModelUse] = {}
    for use in uses:
        before = total.get(use.name)
        if before and before.fingerprint != use.fingerprint:
            raise ModelError(
                f"Expected model {use.name!r} to be one model all along, but it was fingerprint={before.fingerprint!r} "
                f"for some items and fingerprint={use.fingerprint!r} for others: see that all workers and machines "
                "have the same weights, settings and versions, and that no server changes its model, and run again"
            )
        total[use.name] = (
            replace(
                before,
                queries_needed=before.queries_needed + use.queries_needed,
                queries_asked=before.queries_asked + use.queries_asked,
                queries_cached=before.queries_cached + use.queries_cached,
                busy_s=before.busy_s + use.busy_s,
                items_s=before.items_s + use.items_s,
                usage=added(before.usage, use.usage),
            )
            if before
            else use
        )
    return tuple(total.values())


def added(
    one: tuple[tuple[str, float], ...], other: tuple[tuple[str, float], ...], sign: int = 1
) -> tuple[tuple[str, float], ...]:
    """What both cost together, or one less the other with ``sign`` -1."""
    total = dict(one)
    for name, value in other:
        total[name] = total.get(name, 0) + sign * value
    return tuple(total.items())


def data_used(results: Iterable[RelationResult]) -> tuple[DataUse, ...]:
    """Each scene source once, in the order of the results, with every bad record that some relation came upon."""
    total: dict[str, DataUse] = {}
    for result in results:
        use = result.data
        before = total.get(use.spec, use)
        total[use.spec] = replace(before, bad_records=tuple(sorted({*before.bad_records, *use.bad_records})))
    return tuple(total.values())


def in_order(results: Iterable[RelationResult]) -> tuple[RelationResult, ...]:
    """The results in the order of the run's items; of two for one item, the first."""
    return tuple(
        result for _, result in sorted({result.position: result for result in reversed(tuple(results))}.items())
    )


def _position(result: RelationResult) -> int:
    return result.position


def report(
    results: Sequence[RelationResult],
    *,
    vqamt_version: str,
    seed: int,
    sampler: str,
    max_cases: int,
    shard: tuple[int, int],
    started: str,
    duration_s: float,
    complete: bool = True,
    settings: Mapping[str, str] = MappingProxyType({}),
    coverage: tuple[Coverage, ...] = (),
    summaries: tuple[Summary, ...] = (),
    baseline: BaselineUse | None = None,
    ranking: tuple[Ranking, ...] = (),
    differences: tuple[Difference, ...] = (),
    waived: Mapping[str, str] = MappingProxyType({}),
    spent: Sequence[ModelUse] = (),
) -> Report:
    """The report of a finished run.

    ``waived`` maps case ids to reasons; ``spent`` is what models were asked for items that have no result.
    """
    ordered = in_order(results)
    return Report(
        vqamt_version=vqamt_version,
        seed=seed,
        sampler=sampler,
        max_cases=max_cases,
        shard=f"{shard[0]}/{shard[1]}",
        started=started,
        duration_s=duration_s,
        models=models_used((*(result.model for result in sorted(results, key=_position)), *spent)),
        data=data_used(ordered),
        relations=ordered,
        complete=complete,
        settings=tuple(sorted(settings.items())),
        coverage=coverage,
        summaries=summaries,
        baseline=baseline,
        ranking=ranking,
        differences=differences,
        waived=tuple(sorted(waived.items())),
    )
