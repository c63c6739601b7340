"""The interval of a pass rate, by scene."""

from __future__ import annotations

from pytest_vqamt.core.clusters import Clusters
from pytest_vqamt.stats.wilson import wilson


def interval(clusters: Clusters) -> tuple[float, float]:
    """The 95 % interval of the pass rate; (0, 1) where nothing was judged."""
    return wilson(clusters.holds, clusters.judged)
