"""The interval of a pass rate, by scene: the cases of one picture tell less than as many of different pictures."""

from __future__ import annotations

from pytest_vqamt.core.tallies import Clusters
from pytest_vqamt.stats.effective import Kind, effective_cases, scenes_worth, usual_size
from pytest_vqamt.stats.wilson import wilson

_IMAGINED_SCENES = 0.5
"""Of each sort, one that holds and one that is violated: Jeffreys' prior, of whole scenes."""


def interval(clusters: Clusters) -> tuple[float, float]:
    """The 95 % interval of the pass rate; (0, 1) where nothing was judged.

    Wilson's, for as many cases as these are worth (``effective_cases``), which with one case a scene is Wilson's own:
    the form that Franco, Little, Louis and Slud recommend, who find all such intervals too narrow, though, unless the
    worth is worked out with a model of the scenes (Journal of Survey Statistics and Methodology 7, 2019). Ours is half
    a scene that is imagined to hold wholly, and half a one that is violated wholly. An item with a violation is never
    shown to be better than the same scenes would be with none, nor one with a case that holds worse than with none.

    ``docs/statistics.md`` has its measured coverage, and that of what was not taken, the percentile bootstrap among it.
    """
    kinds = [Kind(row.holds, row.holds, row.judged, row.scenes) for row in clusters.rows if row.judged]
    if not kinds:
        return 0.0, 1.0
    size = usual_size(kinds)
    imagined = (Kind(size, size, size, _IMAGINED_SCENES), Kind(0, 0, size, _IMAGINED_SCENES))
    share = effective_cases(kinds, imagined) / clusters.judged
    low, high = wilson(clusters.holds * share, clusters.judged * share)
    worth = scenes_worth(kinds)
    return min(low, wilson(worth, worth)[0]), max(high, wilson(0, worth)[1])
