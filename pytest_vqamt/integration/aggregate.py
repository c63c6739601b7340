"""What a session hears of its items, from this process or from xdist's workers, and the report that it makes of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import TYPE_CHECKING, cast

from pytest_vqamt.core.codec import Json
from pytest_vqamt.core.report_json import model_of, taken_over
from pytest_vqamt.core.results import BaselineUse, ModelUse, RelationResult, Report, in_order, report
from pytest_vqamt.execution.baseline import use_of
from pytest_vqamt.stats.gates import held_against_baseline
from pytest_vqamt.stats.model_ranking import differences, rankings
from pytest_vqamt.stats.papers import coverage, summaries

if TYPE_CHECKING:
    import pytest

    from pytest_vqamt.execution.baseline import Baseline
    from pytest_vqamt.integration.settings import Settings


_OF_A_CRASH = "???"
"""What xdist says a report is about that it writes for a worker that died."""


@dataclass(slots=True)
class Heard:
    """What test reports have told.

    Attributes:
        results: of the items that were run, as they came.
        spent: what models were asked for items that have no result.
        failed: the ids of items that could not be run.
        blessed: the ids of the blessed items that were run, or were to be.
        replayed: what came of cases that were asked again.
        waived: the ids of cases that were waived.
    """

    results: list[RelationResult] = field(default_factory=list)
    spent: list[ModelUse] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    blessed: set[str] = field(default_factory=set)
    replayed: list[str] = field(default_factory=list)
    waived: set[str] = field(default_factory=set)

    def hear(self, made: pytest.TestReport) -> None:
        """Takes what a test report carries."""
        told: dict[str, Json] = getattr(made, "vqamt", {})
        if "result" in told:
            self.results.append(taken_over(cast("dict[str, Json]", told["result"])))
        if "spent" in told:
            self.spent.append(model_of(cast("dict[str, Json]", told["spent"])))
        if "failed" in told or made.when == _OF_A_CRASH:
            self.failed.append(made.nodeid)
        if "blessed" in told:
            self.blessed.add(str(told["blessed"]))
        self.waived.update(cast("list[str]", told.get("waived") or []))
        if "replay" in told:
            self.replayed.append(str(told["replay"]))

    def held(self, max_drop: float) -> tuple[RelationResult, ...]:
        """The results in the order of the run, held against what was blessed."""
        return held_against_baseline(in_order(self.results), max_drop)

    def missing(self, settings: Settings, baseline: Baseline | None) -> tuple[str, ...]:
        """The blessed items that were not run, where any was."""
        if baseline is None or not (self.results or self.failed):
            return ()
        return self._use_of(baseline, self.held(settings.max_drop), settings).missing

    def report(
        self, settings: Settings, baseline: Baseline | None, *, started: str, duration_s: float, complete: bool
    ) -> Report:
        """The report of all that was heard; not ``complete`` where an item failed, either."""
        sampling = settings.terms.sampling
        held = self.held(settings.max_drop)
        return report(
            self._all_but(held),
            vqamt_version=version("pytest-vqamt"),
            seed=sampling.seed,
            sampler=sampling.sampler.value,
            max_cases=sampling.max_cases,
            shard=sampling.shard,
            started=started,
            duration_s=duration_s,
            complete=complete and not self.failed,
            settings=settings.relation_settings,
            coverage=coverage(held),
            summaries=summaries(held),
            baseline=None if baseline is None else self._use_of(baseline, held, settings),
            ranking=rankings(held),
            differences=differences(held),
            waived=settings.terms.waived,
            spent=self.spent,
        )

    def _use_of(self, baseline: Baseline, held: Sequence[RelationResult], settings: Settings) -> BaselineUse:
        wanted = settings.only or settings.relations  # whoever names items misses no others
        return use_of(baseline, held, self.blessed, wanted, settings.excluded)

    def _all_but(self, held: Sequence[RelationResult]) -> list[RelationResult]:
        """All results, as they came, the first of each item as it was held against what was blessed."""
        left = {result.position: result for result in held}
        return [left.pop(result.position, result) for result in self.results]
