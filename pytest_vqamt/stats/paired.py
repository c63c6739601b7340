"""Two runs on the same cases: how large a difference is, and whether it could be chance; all of it by scene."""

from __future__ import annotations

from collections import Counter

from pytest_vqamt.core.tallies import PairedClusters
from pytest_vqamt.stats.effective import Kind, effective_cases, scenes_worth, usual_size
from pytest_vqamt.stats.sign_flips import chance_of_sum_at_least
from pytest_vqamt.stats.tango import tango
from pytest_vqamt.stats.wilson import wilson

_IMAGINED_SCENES = 0.25
"""Of each sort, one that is lost and one that is won: together half a scene that differs."""


def drop_p(paired: PairedClusters) -> float:
    """How likely a drop as large as this one, or a larger one, would be were the runs equally good: exact, one-sided.

    Were they equally good, then within each scene it would be as likely that they had changed places: the net loss of
    each scene could have had the other sign. The p-value is the share of all such changes of sign that give a net loss
    as large as the one seen (Fisher's randomisation test of pairs, The Design of Experiments, 1935, section 21). Where
    no scene has more than one case that differs this is McNemar's exact test. 1 where nothing differs.

    >>> from pytest_vqamt.core.tallies import AlikeTwice
    >>> drop_p(PairedClusters((AlikeTwice(9, 1, 0, 0, 5),)))
    0.03125
    """
    return chance_of_sum_at_least(paired.lost - paired.won, _net_changes(paired))


def two_sided_p(paired: PairedClusters) -> float:
    """How likely a difference as large as this one, in either direction, would be: as ``drop_p``."""
    difference = abs(paired.lost - paired.won)
    return min(1.0, 2 * chance_of_sum_at_least(difference, _net_changes(paired))) if difference else 1.0


def mcnemar_p(paired: PairedClusters) -> float:
    """McNemar's exact two-sided p, over cases: right only where those of one scene are independent of each other."""
    differing = paired.lost + paired.won
    difference = abs(paired.lost - paired.won)
    return min(1.0, 2 * chance_of_sum_at_least(difference, {1: differing})) if difference else 1.0


def paired_interval(paired: PairedClusters) -> tuple[float, float]:
    """The 95 % interval of the second pass rate less the first, by scene; (-1, 1) where nothing is shared.

    Tango's, for as many cases as these are worth (``effective_cases``), which with one case a scene is Tango's own. The
    quarter of a scene that is imagined to be lost wholly, and the one to be won wholly, are ours. A run that has lost
    cases on balance is never shown to be less bad than one in which nothing differs, and so with gains.
    """
    kinds = [Kind(row.won - row.lost, row.won + row.lost, sum(row[:4]), row.scenes) for row in paired.rows]
    difference = paired.difference
    if difference is None:
        return -1.0, 1.0
    size = usual_size(kinds)
    imagined = (Kind(-size, size, size, _IMAGINED_SCENES), Kind(size, size, size, _IMAGINED_SCENES))
    share = effective_cases(kinds, imagined) / paired.shared
    low, high = tango(paired.lost * share, paired.won * share, paired.shared * share)
    nothing_differs = wilson(0, scenes_worth(kinds))[1]
    return (
        min(low, -nothing_differs) if difference <= 0 else low,
        max(high, nothing_differs) if difference >= 0 else high,
    )


def _net_changes(paired: PairedClusters) -> Counter[int]:
    """How many scenes have lost or won so many cases on balance; without those that have done neither."""
    changes: Counter[int] = Counter()
    for row in paired.rows:
        if row.won != row.lost:
            changes[abs(row.won - row.lost)] += row.scenes
    return changes
