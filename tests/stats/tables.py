"""The tables of docs/explanation/statistics.md, measured anew: ``python -m tests.stats.tables [RUNS] [SCENES...]``.

RUNS at each combination (100 if not said, minutes; the page's are of 2,000, an hour), with 20, 50, 100 and 400 scenes
if not said. In each cell: how often the interval held the truth in percent, on average / at the worst combination, and
its width.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from itertools import product
from math import sqrt
from statistics import NormalDist
from typing import TypeVar

import numpy as np
from scipy.stats import beta  # type: ignore[import-untyped]  # its stubs are a package of their own

from pytest_vqamt.core.tallies import Clusters, PairedClusters
from pytest_vqamt.stats.intervals import (
    SceneGroup,
    effective_sample_size,
    least_sample_size,
    pass_rate_interval,
    students_t,
    wilson,
)
from pytest_vqamt.stats.paired import paired_interval, tango
from tests.stats.drawn_clusters import Shares, alike, clusters, paired, sizes

Ends = tuple[float, float]
Cases = TypeVar("Cases")
_RESAMPLES = 500
_NORMAL = NormalDist()
_SIZES = ((5, 5), (1, 10))
_ICCS = (0.0, 0.1, 0.3, 0.6)
_CHANGES = ((0.01, 0.01), (0.03, 0.03), (0.1, 0.1), (0.02, 0.0), (0.05, 0.01), (0.1, 0.03), (0.2, 0.1), (0.15, 0.01))


def kinds_of(cases: Clusters) -> list[SceneGroup]:
    return [SceneGroup(row.holds, row.holds, row.judged, row.scenes) for row in cases.rows]


def kinds_of_pairs(two: PairedClusters) -> list[SceneGroup]:
    return [
        SceneGroup(row.second_only - row.first_only, row.second_only + row.first_only, sum(row[:4]), row.scenes)
        for row in two.rows
    ]


def resampled(kinds: list[SceneGroup]) -> Shares:
    """The means of resamples of the scenes: float64, ascending."""
    total, _, size, scenes = np.array(kinds).T
    times = np.random.default_rng(0).multinomial(int(scenes.sum()), scenes / scenes.sum(), _RESAMPLES)
    return np.sort((times @ total) / (times @ size))


def percentiles(kinds: list[SceneGroup]) -> Ends:
    low, high = np.quantile(resampled(kinds), [0.025, 0.975])
    return float(low), float(high)


def bca(kinds: list[SceneGroup]) -> Ends:
    """Bias-corrected and accelerated, by the jackknife of scenes (Efron, JASA 82, 1987)."""
    total, _, size, scenes = np.array(kinds).T
    mean, means = (scenes @ total) / (scenes @ size), resampled(kinds)
    without = (scenes @ total - total) / (scenes @ size - size)
    apart = (scenes @ without) / scenes.sum() - without
    spread = float(scenes @ apart**2)
    if not spread:
        return float(mean), float(mean)
    bend = float(scenes @ apart**3) / (6 * spread**1.5)
    below = float((means < mean).mean() + (means == mean).mean() / 2)
    shift = _NORMAL.inv_cdf(min(max(below, 1e-6), 1 - 1e-6))
    places = [_NORMAL.cdf(shift + (shift + z) / (1 - bend * (shift + z))) for z in map(_NORMAL.inv_cdf, (0.025, 0.975))]
    low, high = np.quantile(means, places)
    return float(low), float(high)


def by_standard_error(two: PairedClusters) -> Ends:
    total, _, size, scenes = np.array(kinds_of_pairs(two)).T
    count, mean = scenes.sum(), (scenes @ total) / (scenes @ size)
    variance = float(scenes @ (total - mean * size) ** 2) / float(scenes @ size) ** 2 * count / (count - 1)
    half = students_t(int(count) - 1) * sqrt(variance)
    return float(mean - half), float(mean + half)


def as_seen(kinds: list[SceneGroup]) -> float:
    """The share of the cases that these are worth, with nothing imagined; where none differs, as many as scenes."""
    spread = len({each.total / each.size for each in kinds}) > 1 or 0 < abs(kinds[0].total) < kinds[0].squares
    cases = sum(each.size * each.scenes for each in kinds)
    return (effective_sample_size(kinds, ()) if spread else least_sample_size(kinds)) / cases


def wilson_as_seen(cases: Clusters) -> Ends:
    share = as_seen(kinds_of(cases))
    return wilson(cases.holds * share, cases.judged * share)


def clopper_pearson_as_seen(cases: Clusters) -> Ends:
    share = as_seen(kinds_of(cases))
    holds, others = cases.holds * share, (cases.judged - cases.holds) * share
    low = beta.ppf(0.025, holds, others + 1) if holds else 0.0
    return float(low), float(beta.ppf(0.975, holds + 1, others) if others else 1.0)


def tango_as_seen(two: PairedClusters) -> Ends:
    share = as_seen(kinds_of_pairs(two))
    return tango(two.first_only * share, two.second_only * share, two.shared * share)


def of_rates(scenes: int, runs: int) -> Iterator[tuple[float, list[Clusters]]]:
    """Of each combination the true rate, and runs."""
    combinations = product(_SIZES, (0.5, 0.7, 0.85, 0.9, 0.95, 0.98), _ICCS)
    for number, ((least, most), rate, icc) in enumerate(combinations):
        draw = np.random.default_rng([scenes, number])
        judged = sizes(draw, (runs, scenes), least, most)
        holds = draw.binomial(judged, alike(draw, (rate, 1 - rate), icc, (runs, scenes))[..., 0])
        yield rate, [clusters(*run) for run in zip(holds, judged, strict=True)]


def of_differences(scenes: int, runs: int) -> Iterator[tuple[float, list[PairedClusters]]]:
    """Of each combination the true difference, and runs: how many differ is clustered, and so is their direction."""
    combinations = product(_SIZES, _CHANGES, _ICCS)
    for number, ((least, most), (lost, won), icc) in enumerate(combinations):
        draw = np.random.default_rng([scenes, number])
        judged, differ = sizes(draw, (runs, scenes), least, most), lost + won
        differing = draw.binomial(judged, alike(draw, (differ, 1 - differ), icc, (runs, scenes))[..., 0])
        losses = draw.binomial(differing, alike(draw, (lost / differ, won / differ), icc, (runs, scenes))[..., 0])
        fates = np.stack((judged - differing, losses, differing - losses, 0 * judged), axis=2)
        yield won - lost, [paired(run) for run in fates]


def cell(ends: Callable[[Cases], Ends], combinations: list[tuple[float, list[Cases]]]) -> str:
    covered: list[float] = []
    widths: list[float] = []
    for truth, drawn in combinations:
        found = [ends(cases) for cases in drawn]
        covered.append(sum(low <= truth <= high for low, high in found) / len(found))
        widths.append(sum(high - low for low, high in found) / len(found))
    return f"{100 * np.mean(covered):.1f} / {100 * min(covered):.1f} ({np.mean(widths):.3f})"


def table(
    rows: dict[str, Callable[[Cases], Ends]],
    drawn: Callable[[int, int], Iterator[tuple[float, list[Cases]]]],
    scenes: list[int],
    runs: int,
) -> None:
    print("| interval |", " | ".join(f"{each} scenes" for each in scenes), "|")
    print("|---" * (len(scenes) + 1) + "|")
    columns = [list(drawn(each, runs)) for each in scenes]
    for name, ends in rows.items():
        print(f"| {name} |", " | ".join(cell(ends, column) for column in columns), "|", flush=True)
    print()


def main(runs: int = 100, *scenes: int) -> None:
    columns = list(scenes) or [20, 50, 100, 400]
    table(
        {
            "this one": pass_rate_interval,
            "Wilson over cases": lambda cases: wilson(cases.holds, cases.judged),
            "bootstrap of scenes, percentiles": lambda cases: percentiles(kinds_of(cases)),
            "bootstrap of scenes, BCa": lambda cases: bca(kinds_of(cases)),
            "Wilson, N / deff as seen": wilson_as_seen,
            "Clopper-Pearson, N / deff as seen": clopper_pearson_as_seen,
        },
        of_rates,
        columns,
        runs,
    )
    table(
        {
            "this one": paired_interval,
            "Tango over cases": lambda two: tango(two.first_only, two.second_only, two.shared),
            "difference -+ t x standard error by scene": by_standard_error,
            "bootstrap of scenes, percentiles": lambda two: percentiles(kinds_of_pairs(two)),
            "bootstrap of scenes, BCa": lambda two: bca(kinds_of_pairs(two)),
            "Tango, N / deff as seen": tango_as_seen,
        },
        of_differences,
        columns,
        runs,
    )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
