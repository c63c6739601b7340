"""Cases by scene drawn at random, of which the truth is known: what intervals and tests are tried on."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from pytest_vqamt.core.tallies import Clusters, PairedClusters, PairedSceneTally, SceneTally

Numbers = NDArray[np.int64]
Shares = NDArray[np.float64]


def sizes(draw: np.random.Generator, shape: tuple[int, ...], least: int, most: int) -> Numbers:
    """The number of cases of each scene, all of ``least`` to ``most`` equally likely."""
    return draw.integers(least, most + 1, shape)


def alike(draw: np.random.Generator, rates: Sequence[float], icc: float, shape: tuple[int, ...]) -> Shares:
    """Of each scene the chances of its cases, whose mean is ``rates``: Dirichlet, with this correlation within scenes.

    With two outcomes the number of each is beta-binomial. float64, of ``shape`` and the number of rates.
    """
    if icc == 0:
        return np.broadcast_to(np.array(rates), (*shape, len(rates)))
    if icc == 1:
        return np.eye(len(rates))[draw.choice(len(rates), size=shape, p=rates)]
    gamma = draw.gamma(np.array(rates) * (1 / icc - 1), size=(*shape, len(rates)))
    return np.asarray(gamma / gamma.sum(axis=-1, keepdims=True))


def clusters(holds: Numbers, judged: Numbers) -> Clusters:
    """Those of scenes with so many cases that hold, and so many in all."""
    kinds, scenes = np.unique(np.stack((holds, judged)), axis=1, return_counts=True)
    return Clusters(tuple(SceneTally(*row) for row in np.vstack((kinds, scenes)).T.tolist()))


def paired(fates: Numbers) -> PairedClusters:
    """Those of scenes with so many cases kept, lost, won and neither: a row each."""
    kinds, scenes = np.unique(fates, axis=0, return_counts=True)
    return PairedClusters(tuple(PairedSceneTally(*row) for row in np.column_stack((kinds, scenes)).tolist()))


def runs_of_one_model(
    draw: np.random.Generator, *, scenes: int, most: int, rate: float, icc: float, anew: float
) -> PairedClusters:
    """Two runs between which nothing has changed: a case holds with the chance of its scene.

    The share ``anew`` of the cases is answered anew the second time, the others as the first time.
    """
    judged = sizes(draw, (scenes,), 1, most)
    chance = np.repeat(alike(draw, (rate, 1 - rate), icc, (scenes,))[:, 0], judged)
    before = draw.random(len(chance)) < chance
    again = np.where(draw.random(len(chance)) < anew, draw.random(len(chance)) < chance, before)
    fates = np.zeros((scenes, 4), dtype=np.int64)
    np.add.at(fates, (np.repeat(np.arange(scenes), judged), 2 * ~before + ~again), 1)
    return paired(fates)


def changed_runs(
    draw: np.random.Generator, *, scenes: int, size: int, lost: float, won: float, icc: float
) -> PairedClusters:
    """Two runs between which these shares of the cases were lost and won, those of a scene alike by ``icc``."""
    chances = alike(draw, (lost, won, 1 - lost - won), icc, (scenes,))
    fates = draw.multinomial(size, chances)
    return paired(np.stack((fates[:, 2], fates[:, 0], fates[:, 1], 0 * fates[:, 2]), axis=1))
