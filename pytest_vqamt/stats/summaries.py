"""Figures that the papers report of several items together, of one model on one data source each."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_vqamt.core.results import RelationResult, Summary
from pytest_vqamt.stats.captioning import captioning
from pytest_vqamt.stats.entailment import entailment
from pytest_vqamt.stats.noise import noise


def summaries(results: Sequence[RelationResult]) -> tuple[Summary, ...]:
    """Every summary that the results, in the order of the run, give; none where no such relation was run."""
    of_one: dict[tuple[str, str], list[RelationResult]] = {}
    for result in results:
        of_one.setdefault((result.model.name, result.data.spec), []).append(result)
    found = (
        summarize(same, model=model, data=data)
        for (model, data), same in of_one.items()
        for summarize in (entailment, captioning, noise)
    )
    return tuple(summary for summary in found if summary is not None)
