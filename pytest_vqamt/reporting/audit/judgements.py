"""What people said of the cases of a sample, and the rates that come of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import sqrt
from typing import NamedTuple

from pytest_vqamt.core.case import Outcome
from pytest_vqamt.core.tallies import Clusters, Spread
from pytest_vqamt.reporting.audit.sample import Drawn, Key, Sample
from pytest_vqamt.stats.intervals import interval, wilson


class Judgement(StrEnum):
    """What a person says of a case."""

    VALID = "valid"
    INVALID = "invalid"
    UNSURE = "unsure"


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """A rate with its 95 % interval; None and (0, 1) where nothing was judged."""

    rate: float | None
    interval: tuple[float, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """What the judgements say of the cases that they are a sample of.

    Attributes:
        population: how many cases there were to draw from.
        drawn: how many were drawn; some may not have been judged.
        share: of those judged, what is valid: one that a person is unsure of is not. Chang et al. (VEglue, section 4.4)
            count as valid what all three judges believe to be so.
        decided: the same without those that a person is unsure of.
        unseen: where each item was drawn from by itself, those of which none is judged: no part of the rates.
    """

    population: int
    drawn: int
    valid: int
    invalid: int
    unsure: int
    share: Share
    decided: Share
    unseen: tuple[str, ...] = ()

    @property
    def judged(self) -> int:
        return self.valid + self.invalid + self.unsure


def figures(sample: Sample, said: Mapping[Key, Judgement]) -> Figures:
    """The figures of all cases; ``said`` has the judgements by the keys of the cases.

    Where each item was drawn from by itself, the rates of the items are weighted by how many cases they have.
    """
    counts = _counts(sample.cases, said)
    stratified = sample.draw.per_relation is not None
    share, decided = (
        _weighted(sample, said, without_unsure=each) if stratified else _share(sample.cases, said, without_unsure=each)
        for each in (False, True)
    )
    unseen = [
        item
        for item in sample.population
        if stratified and not any(said.get(drawn.key) for drawn in sample.cases if drawn.item == item)
    ]
    return Figures(
        population=sample.drawn_from,
        drawn=len(sample.cases),
        valid=counts[Judgement.VALID],
        invalid=counts[Judgement.INVALID],
        unsure=counts[Judgement.UNSURE],
        share=share,
        decided=decided,
        unseen=tuple(unseen),
    )


def figures_by_item(sample: Sample, said: Mapping[Key, Judgement]) -> dict[str, Figures]:
    """The figures of each item of which a case was drawn, in the order of their names."""
    return {item: _of_item(item, sample, said) for item in sample.population if _of(item, sample)}


def _of_item(item: str, sample: Sample, said: Mapping[Key, Judgement]) -> Figures:
    cases = _of(item, sample)
    counts = _counts(cases, said)
    return Figures(
        population=sample.population[item],
        drawn=len(cases),
        valid=counts[Judgement.VALID],
        invalid=counts[Judgement.INVALID],
        unsure=counts[Judgement.UNSURE],
        share=_share(cases, said, without_unsure=False),
        decided=_share(cases, said, without_unsure=True),
    )


def _of(item: str, sample: Sample) -> list[Drawn]:
    return [drawn for drawn in sample.cases if drawn.item == item]


def _counts(cases: Sequence[Drawn], said: Mapping[Key, Judgement]) -> Counter[Judgement]:
    return Counter(said[drawn.key] for drawn in cases if drawn.key in said)


def _share(cases: Sequence[Drawn], said: Mapping[Key, Judgement], *, without_unsure: bool) -> Share:
    """The share of valid ones. The interval is by scene: judgements of one picture are not independent."""
    clusters = _clusters(cases, said, without_unsure=without_unsure)
    rate = clusters.holds / clusters.judged if clusters.judged else None
    return Share(rate=rate, interval=interval(clusters))


def _clusters(cases: Sequence[Drawn], said: Mapping[Key, Judgement], *, without_unsure: bool) -> Clusters:
    """The judged cases by scene; a valid one holds."""
    spread = Spread()
    for drawn in cases:
        judgement = said.get(drawn.key)
        if judgement is None or (without_unsure and judgement is Judgement.UNSURE):
            continue
        outcome = Outcome.HOLDS if judgement is Judgement.VALID else Outcome.VIOLATED
        spread.add(f"{drawn.data}\x1f{drawn.scene}", outcome)
    return spread.clusters


def _weighted(sample: Sample, said: Mapping[Key, Judgement], *, without_unsure: bool) -> Share:
    return together(
        [
            Stratum(cases, _clusters(_of(item, sample), said, without_unsure=without_unsure))
            for item, cases in sample.population.items()
        ]
    )


class Stratum(NamedTuple):
    """So many ``cases`` of which those ``judged`` are a sample."""

    cases: int
    judged: Clusters


def together(strata: Sequence[Stratum]) -> Share:
    """The rate of all strata, of which each was drawn from by itself; those of which nothing is judged are left out.

    ``p = sum w_i p_i`` with ``w_i = N_i / N``: unbiased. The interval is the wider, at each of its ends, of two, for
    each is too narrow where the other is not. One is made of the intervals ``(l_i, u_i)`` of the strata, ``p - sqrt(sum
    w_i^2 (p_i - l_i)^2)`` to ``p + sqrt(sum w_i^2 (u_i - p_i)^2)`` (Zou, Huang and Zhang, Computational Statistics &
    Data Analysis 53, 2009): many strata of a few cases each, all valid, push it upwards. The other is Wilson's for as
    many cases as these are worth, ``1 / sum w_i^2 / n_i`` (Kish, Survey Sampling, 1965), which takes the rates of the
    strata to be alike.

    >>> from pytest_vqamt.core.tallies import Alike
    >>> all_valid, half = Clusters((Alike(1, 1, 5),)), Clusters((Alike(0, 1, 5), Alike(1, 1, 5)))
    >>> together([Stratum(30, half), Stratum(10, all_valid)]).rate
    0.625
    """
    known = [(cases, clusters) for cases, clusters in strata if clusters.judged]
    total = sum(cases for cases, _ in known)
    if not total:
        return Share(rate=None, interval=(0.0, 1.0))
    rate = low_gap = high_gap = spread = 0.0
    for cases, clusters in known:
        weight, here, ends = cases / total, clusters.holds / clusters.judged, interval(clusters)
        rate += weight * here
        low_gap += (weight * (here - ends[0])) ** 2
        high_gap += (weight * (ends[1] - here)) ** 2
        spread += weight**2 / clusters.judged
    low, high = wilson(rate / spread, 1 / spread)
    return Share(
        rate=rate, interval=(max(0.0, min(low, rate - sqrt(low_gap))), min(1.0, max(high, rate + sqrt(high_gap))))
    )
