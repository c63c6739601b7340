"""Whether a model's noise explains an item's violations: noise is what changes its answers to the very same query."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from pytest_vqamt.core.codec import replace
from pytest_vqamt.core.results import Noise, RelationResult, StratumResult
from pytest_vqamt.stats.binomial import upper_quantile
from pytest_vqamt.stats.paired import SIGNIFICANT

Stratum = TypeVar("Stratum", bound=StratumResult)

FLOOR = "control.repeat"
"""The relation that asks each query twice. Its rate of violations is the noise floor of a run that asks once."""


def with_noise(results: Sequence[RelationResult]) -> tuple[RelationResult, ...]:
    """Returns the results with the violations that the noise of their models would cause.

    In a run that asks each query several times, they are expected from the answers to the same queries in the item. In
    one that asks once, as many as ``control.repeat`` has on the same model and data: right for two queries, and too few
    for more, so that noise is not blamed for what it does not do. Where ``control.repeat`` is never violated, the
    noise is not known to cause any. Controls are not compared.
    """
    floors = {
        (result.model.name, result.data.name): 1 - result.pass_rate
        for result in results
        if result.item == FLOOR and result.pass_rate is not None
    }
    return tuple(
        result if "control" in result.tags else _with_noise(result, floors.get((result.model.name, result.data.name)))
        for result in results
    )


def _with_noise(result: RelationResult, floor: float | None) -> RelationResult:
    presumed = _of_stratum(result.presumed, floor) if result.presumed else None
    return replace(_of_stratum(result, floor), presumed=presumed)


def _of_stratum(stratum: Stratum, floor: float | None) -> Stratum:
    tally, repeated = stratum.tally, stratum.repeated
    if repeated is not None:
        share = (repeated.noise.mean or 0.0) if tally.judged else 0.0
    else:
        share = floor or 0.0
    if not tally.judged or (repeated is None and not share):
        return replace(stratum, noise=None)
    violations = tally.judged - tally.holds
    most = upper_quantile(tally.judged, min(share, 1.0), SIGNIFICANT)
    return replace(stratum, noise=Noise(expected=share * tally.judged, explains=0 < violations <= most))
