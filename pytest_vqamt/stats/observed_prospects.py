"""What a run that there has been leads one to expect of the next."""

from __future__ import annotations

from collections import Counter

from pytest_vqamt.core.tallies import Clusters, PairedClusters
from pytest_vqamt.stats.alikeness import alikeness
from pytest_vqamt.stats.effective import Kind
from pytest_vqamt.stats.prospects import Prospect


def differing_by_chance(rate: float) -> float:
    """``p (1 - p)``: half as many as would differ were the verdicts of two runs with this pass rate independent.

    That is to say that their verdicts correlate with 0.5.
    """
    return rate * (1 - rate)


def prospect_of(
    clusters: Clusters, paired: PairedClusters | None, *, differ: float | None = None, icc: float | None = None
) -> Prospect:
    """What these cases have shown; what is given is taken as it is. The drop is 0.

    How many differ by chance is twice the smaller of those lost and won since an earlier run, where there was one, and
    else ``differing_by_chance``. How much alike a scene's cases are is worked out from what became of them since the
    earlier run, and where that shows nothing, from their verdicts; where these do not either, they count as alike.
    """
    rate = clusters.holds / clusters.judged
    again = paired if paired is not None and paired.shared else None
    if differ is None and again is not None:
        differ = 2 * min(again.lost, again.won) / again.shared
    if icc is None and again is not None:
        icc = alikeness([Kind(row.won - row.lost, row.won + row.lost, sum(row[:4]), row.scenes) for row in again.rows])
    if icc is None:
        icc = alikeness([Kind(row.holds, row.holds, row.judged, row.scenes) for row in clusters.rows])
    sizes: Counter[int] = Counter()
    for row in clusters.rows:
        sizes[row.judged] += row.scenes
    return Prospect(
        drop=0.0,
        differ=differing_by_chance(rate) if differ is None else differ,
        sizes=tuple((size, scenes / clusters.scenes) for size, scenes in sorted(sizes.items())),
        icc=1.0 if icc is None else icc,
    )
