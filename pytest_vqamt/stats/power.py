"""The power of the regression gate: the cases needed to detect a drop, and the drop that given cases detect."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from math import ceil, exp, floor, lgamma, log
from typing import TYPE_CHECKING, NamedTuple

from pytest_vqamt.core.errors import VqamtError
from pytest_vqamt.core.tallies import Clusters, PairedClusters, PairedSceneTally, SceneTally
from pytest_vqamt.stats.binomial import UpperTail, probabilities, upper_quantile
from pytest_vqamt.stats.intervals import groups_of_verdicts, intraclass_correlation, worth_of_verdict
from pytest_vqamt.stats.paired import SIGNIFICANT, groups_of_changes, paired_interval, worth_of_case

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


MOST_SCENES = 1_000_000
"""Where the search for a number of scenes ends."""
_MONOTONE_WINDOW = 25
"""Counts are whole, so power is not monotone in cases: a number is enough if none of the next so many falls short."""
_STEP = 0.0001
"""The resolution of drops: a hundredth of a point."""

DETECTED = 0.8
"""The power with which a drop counts as seen."""

_SMALL_DROP = 0.03
"""The least drop that a prospect is computed for, also where half of it or less is allowed."""

_ROUNDED = 1e-9
"""Room for rounding where sums of shares are compared with whole numbers."""

_SIMULATED_RUNS = 10_000
"""Pairs of runs: a power of 0.8 then has a standard error of 0.4 points."""
_CHUNK_SIZE = 1 << 22
"""The most numbers that are held at a time."""
_DEVIATIONS = 8
"""A sum of random signs exceeds so many standard deviations with a probability below 3e-14 (Hoeffding, 1963)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RegressionGate:
    """The parameters of the gate on a drop since a baseline that decide on its power."""

    relations: int = 1
    """How many rates are gated together, by which the significance level is divided."""
    max_drop: float = 0.0
    """The drop that the gate lets pass, from 0 to 1."""
    families: int = 1
    """The families of tests that share the significance level (``stats.paired.Totals``)."""

    @property
    def alpha(self) -> float:
        """The level of Holm's first step, which is the only one if nothing else has dropped."""
        return SIGNIFICANT / self.families / self.relations


def power(scenes: int, assumed: EffectAssumptions, gate: RegressionGate) -> float:
    """Returns the probability that the gate is missed with so many scenes, under the assumptions.

    It is exact with one case per scene, and simulated otherwise (``power_by_scene``).
    """
    # Exact in closed form, and the usual case: one case a picture.
    if assumed.sizes == ((1, 1.0),):
        return _power_of_single_cases(scenes, assumed, gate)
    return power_by_scene(scenes, assumed, gate.alpha, gate.max_drop)


def scenes_needed(assumed: EffectAssumptions, gate: RegressionGate, target: float) -> int | None:
    """Returns the fewest scenes with a power of at least ``target``; None if that takes more than a million.

    With one case per scene the next numbers have that power, too.
    """
    enough = 1
    short = 0
    # Doubling, then bisecting: some 40 powers for any number up to a million.
    while power(enough, assumed, gate) < target:
        if enough == MOST_SCENES:
            return None
        short, enough = enough, min(MOST_SCENES, 2 * enough)
    while enough - short > 1:
        middle = (short + enough) // 2
        short, enough = (middle, enough) if power(middle, assumed, gate) < target else (short, middle)
    # A simulated power is too rough for single steps to matter.
    if assumed.sizes != ((1, 1.0),):
        return enough
    while falls_short := [
        later for later in range(enough + 1, enough + _MONOTONE_WINDOW) if power(later, assumed, gate) < target
    ]:
        enough = falls_short[-1] + 1
    return enough


def smallest_drop(
    scenes: int, assumed: EffectAssumptions, gate: RegressionGate, target: float, largest: float
) -> float | None:
    """Returns the smallest drop, in steps of 0.0001, that so many scenes detect with a power of at least ``target``.

    The drop of ``assumed`` is ignored. None if not even the ``largest`` drop is detected, which is the rate itself.
    """

    def detected(steps: int) -> bool:
        drop = min(largest, steps * _STEP)
        # No more cases can be lost than hold, nor more won than do not hold or are lost: where almost all of them fall,
        # there is little left to change by chance.
        differ = max(0.0, min(assumed.differ, 2 * (largest - drop), 1 - drop))
        return power(scenes, replace(assumed, drop=drop, differ=differ), gate) >= target

    enough = ceil(largest / _STEP)
    # Even the loss of everything that holds would not be seen.
    if not detected(enough):
        return None
    short = 0
    while enough - short > 1:
        middle = (short + enough) // 2
        short, enough = (short, middle) if detected(middle) else (middle, enough)
    return min(largest, round(enough * _STEP, 4))


def largest_drop(rate: float, noise: float) -> float:
    """Returns the largest drop from ``rate`` that is possible on top of a share ``noise`` of cases that change.

    >>> round(largest_drop(0.85, 0.1), 3), round(largest_drop(1.0, 0.1), 3)
    (0.8, 0.9)
    """
    return min(rate, 1 - noise / 2) - noise / 2


def cases_to_tell(paired: PairedClusters, gate: RegressionGate) -> int | None:
    """Returns the cases that detect twice the allowed drop with a power of 0.8, if they were independent.

    ``paired`` estimates the noise. None if the compared cases are as many, or if no such drop is possible.
    """
    # A drop only adds to the losses: the smaller side is noise, and noise is even.
    noise = 2 * min(paired.first_only, paired.second_only) / paired.shared
    drop = min(2 * gate.max_drop, largest_drop(paired.first_rate or 0.0, noise))
    # No drop above the allowed one is possible: no number of cases helps.
    if drop <= gate.max_drop:
        return None
    cases = scenes_needed(EffectAssumptions(drop=drop, differ=noise, sizes=((1, 1.0),), icc=1.0), gate, DETECTED)
    return cases if cases is not None and cases > paired.shared else None


def ruled_out_if_unchanged(clusters: Clusters) -> float:
    """Returns the drop that a later run with the same verdicts rules out: any larger one is outside of the interval."""
    rows = (PairedSceneTally(row.holds, 0, 0, row.judged - row.holds, row.scenes) for row in clusters.rows)
    return -paired_interval(PairedClusters(tuple(rows)))[0]


def pictures_to_rule_out(drop: float, ruled_out: float, pictures: int) -> int:
    """Returns the pictures of which a run with the same verdicts rules out a larger ``drop``.

    ``ruled_out`` is what as many ``pictures`` rule out now: by Wilson's interval of no change, ``z^2 / (n + z^2)`` of n
    that are worth as much as pictures of one case each.

    >>> pictures_to_rule_out(0.03, 0.114, 30), pictures_to_rule_out(0.1, 0.2, 30)
    (125, 68)
    """
    # Wilson's z^2 / (n + z^2), solved for n / z^2.
    needed, found = 1 / drop - 1, 1 / ruled_out - 1
    return floor(pictures * needed / found) + 1


class Prospect(NamedTuple):
    """The drops that a comparison detects with a power of 0.8."""

    smallest: float | None
    """The smallest drop that as many cases detect; None if they detect none."""
    drop: float
    """A small drop: twice the allowed one, and at least three points."""
    needed: int | None
    """The cases that detect ``drop``; None if no number does."""


def prospect_of(paired: PairedClusters, gate: RegressionGate) -> Prospect:
    """Returns the prospect of cases like these, counted as the independent cases that they are worth.

    The noise is twice the smaller of the shares lost and won. Where nothing differs, it is that of
    ``prospect_of_rate``, for a new version of a model seldom answers all alike.
    """
    # Nothing differs, so there is no noise to estimate from.
    if not paired.first_only + paired.second_only:
        before = Counter((row.both + row.first_only, sum(row[:4])) for row in paired.rows for _ in range(row.scenes))
        clusters = Clusters(tuple(SceneTally(*kind, scenes) for kind, scenes in sorted(before.items())))
        return prospect_of_rate(clusters, gate)
    noise = 2 * min(paired.first_only, paired.second_only) / paired.shared
    return _prospect(paired.first_rate or 0.0, noise, paired.shared, worth_of_case(paired), gate)


def prospect_of_rate(clusters: Clusters, gate: RegressionGate) -> Prospect:
    """Returns the prospect of a later run on these cases; the noise is ``assumed_discordance``."""
    rate = clusters.holds / clusters.judged
    return _prospect(rate, assumed_discordance(rate), clusters.judged, worth_of_verdict(clusters), gate)


@lru_cache(maxsize=64)
def _prospect(rate: float, noise: float, judged: int, worth: float, gate: RegressionGate) -> Prospect:
    drop = max(2 * gate.max_drop, _SMALL_DROP)
    assumed = EffectAssumptions(drop=0.0, differ=noise)
    # A rate of 3 % cannot fall by more than 5 points.
    if rate <= gate.max_drop:
        return Prospect(None, drop, None)
    cases = max(1, floor(judged * worth))
    is_possible = drop <= largest_drop(rate, noise)
    needed = scenes_needed(replace(assumed, drop=drop), gate, DETECTED) if is_possible else None
    return Prospect(
        smallest=smallest_drop(cases, assumed, gate, DETECTED, rate),
        drop=drop,
        needed=None if needed is None else ceil(needed / worth),
    )


def _power_of_single_cases(cases: int, assumed: EffectAssumptions, gate: RegressionGate) -> float:
    """Sums the probability of missing the gate over the numbers of differing cases."""
    share = min(1.0, assumed.lost + assumed.won)
    # Nothing can differ, so nothing can be lost.
    if not share:
        return 0.0
    fewest, each = probabilities(cases, share)

    def most_lost(differing: int) -> int:
        """Returns the most losses that are no drop above ``max_drop``."""
        return min(differing, floor((differing + gate.max_drop * cases) / 2 + _ROUNDED))

    # For each number of differing cases: the losses that a fair coin exceeds with at most alpha.
    by_chance = UpperTail(fewest, 0.5, upper_quantile(fewest, 0.5, gate.alpha))
    lost = UpperTail(fewest, min(1.0, assumed.lost / share), max(by_chance.successes, most_lost(fewest)))
    missed = 0.0
    for differing, probability in enumerate(each.tolist(), fewest):
        if differing > fewest:
            by_chance.add_trial()
            lost.add_trial()
        if by_chance.probability > gate.alpha:
            by_chance.add_success()
        # A gate is missed by losses that are both significant and above the allowed drop.
        while lost.successes < max(by_chance.successes, most_lost(differing)):
            lost.add_success()
        missed += probability * lost.probability
    return missed


@dataclass(frozen=True, slots=True, kw_only=True)
class EffectAssumptions:
    """The assumed outcome of a second run."""

    drop: float
    """The drop of the pass rate."""
    differ: float
    """The share of cases that change by noise, half of them in either direction."""
    sizes: tuple[tuple[int, float], ...] = ((1, 1.0),)
    """The sizes of scenes in cases, each with its share of the scenes."""
    icc: float = 0.0
    """The intraclass correlation of the changes within a scene, from 0 to 1."""

    def __post_init__(self) -> None:
        # Such shares describe no run; callers check what users type with better words.
        if not (self.won >= 0 and self.lost >= 0 and self.lost + self.won <= 1 + _ROUNDED and 0 <= self.icc <= 1):
            raise VqamtError(f"Expected shares of cases that add up to 1 at most, but got {self!r}")

    @property
    def lost(self) -> float:
        """The share of cases that hold in the first run alone."""
        return self.drop + self.differ / 2

    @property
    def won(self) -> float:
        """The share of cases that hold in the second run alone."""
        return self.differ / 2

    @property
    def cases_a_scene(self) -> float:
        return sum(size * share for size, share in self.sizes)

    def net_changes(self) -> dict[tuple[int, int], float]:
        """Returns the probability of each size of a scene and number of won less lost cases.

        The numbers of lost, won and other cases of a scene follow the Dirichlet-multinomial distribution (Mosimann,
        Biometrika 49, 1962) with the intraclass correlation ``icc``; at 0 it is the multinomial.
        """
        chances: defaultdict[tuple[int, int], float] = defaultdict(float)
        for size, share in self.sizes:
            for lost, won, chance in _scene_outcomes(size, self.lost, self.won, self.icc):
                chances[size, won - lost] += share * chance
        return dict(sorted(chances.items()))


def _scene_outcomes(size: int, lost: float, won: float, icc: float) -> Iterator[tuple[int, int, float]]:
    """Yields the possible numbers of lost and won cases of a scene, with their probability."""
    shares = (lost, won, max(0.0, 1 - lost - won))
    for losses in range(size + 1):
        for wins in range(size + 1 - losses):
            counts = (losses, wins, size - losses - wins)
            # The limit of the formula below, which divides by 0 there: a scene changes as a whole.
            if icc == 1:
                chance = shares[counts.index(size)] if size in counts else 0.0
            elif any(count and share <= 0 for count, share in zip(counts, shares, strict=True)):
                # Impossible, and log(0) is an error.
                continue
            else:
                chance = exp(_log_multinomial(counts) + _log_probability_of_order(counts, shares, icc))
            yield losses, wins, chance


def _log_multinomial(counts: tuple[int, ...]) -> float:
    return lgamma(sum(counts) + 1) - sum(lgamma(count + 1) for count in counts)


def _log_probability_of_order(counts: tuple[int, ...], shares: tuple[float, ...], icc: float) -> float:
    present = [(count, share) for count, share in zip(counts, shares, strict=True) if count]
    if icc == 0:
        return sum(count * log(share) for count, share in present)
    weight = 1 / icc - 1
    return (
        lgamma(weight)
        - lgamma(weight + sum(counts))
        + sum(lgamma(weight * share + count) - lgamma(weight * share) for count, share in present)
    )


def power_by_scene(scenes: int, assumed: EffectAssumptions, alpha: float, max_drop: float) -> float:
    """Returns the share of 10,000 simulated pairs of runs with a drop above ``max_drop`` and a p-value below ``alpha``.

    Each pair is tested exactly, as in ``drop_p``, unless a bound decides: a sum of z standard deviations or more has a
    p-value of at most exp(-z^2/2) (Hoeffding, Journal of the American Statistical Association 58, 1963), and one of a
    standard deviation or less a p-value of at least 6/64 (arXiv 2104.10005), which is never significant. The seed is
    fixed, so results repeat; their 95 % error is 0.8 percentage points.
    """
    import numpy as np

    # The likeliest first: numpy stops sampling a run once all scenes are assigned.
    chances = dict(sorted(assumed.net_changes().items(), key=lambda each: -each[1]))
    sizes, nets = np.array(list(chances), dtype=np.float64).T
    likely = np.array(list(chances.values()))
    # Floats hold such counts exactly, and their matrix products are far faster.
    drawn = np.random.default_rng(0).multinomial(scenes, likely / likely.sum(), _SIMULATED_RUNS).astype(np.float64)
    drops, cases, squares = (drawn @ each for each in (-nets, sizes, nets**2))
    too_large = drops / cases > max_drop
    # The bounds decide most runs, which saves their exact test.
    surely = drops**2 > -2 * log(alpha) * squares
    open_ = too_large & ~surely & (drops**2 > squares)
    magnitudes = np.unique(np.abs(nets[nets != 0]))
    counts = drawn[open_] @ (np.abs(nets)[:, None] == magnitudes)
    found = sign_flip_ps(*(each.astype(np.int64) for each in (drops[open_], magnitudes, counts))) < alpha
    return float(((too_large & surely).sum() + found.sum()) / _SIMULATED_RUNS)


def sign_flip_ps(
    drops: NDArray[np.int64], magnitudes: NDArray[np.int64], counts: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Returns ``sign_flip_p`` of N sums at once (float64), to 12 decimals, by their characteristic functions.

    Args:
        drops: shape (N,), above 0.
        magnitudes: shape (M,).
        counts: shape (N, M), the number of terms of each magnitude.
    """
    import numpy as np

    if not len(drops):
        return np.empty(0)
    reach = int(max(drops.max(), _DEVIATIONS * np.sqrt((counts @ magnitudes**2).max()))) + 1
    # All sums have the parity of the sum of all terms, so a quarter of the circle is enough.
    quarter = reach // 2 + 1
    angles = np.pi / 2 * np.arange(quarter + 1) / quarter
    weights = np.full(quarter + 1, 1 / quarter)
    weights[[0, -1]] /= 2
    answer = np.empty(len(drops))
    step = max(1, _CHUNK_SIZE // len(angles))
    for start in range(0, len(drops), step):
        part = slice(start, start + step)
        # Runs share drops and counts: each distinct one is computed once.
        seen, inverse = np.unique(drops[part], return_inverse=True)
        product = _cosines_from(seen, reach, angles)[inverse] * weights
        for magnitude, count in zip(magnitudes, counts[part].T, strict=True):
            seen, inverse = np.unique(count, return_inverse=True)
            product *= (np.cos(magnitude * angles) ** seen[:, None])[inverse]
        answer[part] = product.sum(axis=1)
    return np.clip(answer, 0.0, 1.0)


def _cosines_from(first: NDArray[np.int64], reach: int, angles: NDArray[np.float64]) -> NDArray[np.float64]:
    """Returns ``cos(x angle)`` summed over x = first, first + 2, ... up to ``reach``, with a row for each first."""
    import numpy as np

    terms = ((reach - first) // 2 + 1)[:, None]
    ratio = np.ones((len(first), len(angles))) * terms
    # At angle 0 the ratio of sines is 0/0, and its limit the number of terms.
    ratio[:, 1:] = np.sin(terms * angles[1:]) / np.sin(angles[1:])
    return ratio * np.cos((first[:, None] + terms - 1) * angles)


def assumed_discordance(rate: float) -> float:
    """Returns ``p (1 - p)``, the share of differing verdicts of two runs whose verdicts correlate with 0.5."""
    return rate * (1 - rate)


def assumptions_from(clusters: Clusters, paired: PairedClusters | None) -> EffectAssumptions:
    """Returns the assumptions estimated from these cases, with no drop.

    The noise is twice the smaller of the shares lost and won since an earlier run, else ``assumed_discordance``. The
    intraclass correlation is that of the changes since then, else that of the verdicts, else 1.
    """
    rate = clusters.holds / clusters.judged
    differ, icc = assumed_discordance(rate), None
    if paired is not None and paired.shared:
        differ = 2 * min(paired.first_only, paired.second_only) / paired.shared
        icc = intraclass_correlation(groups_of_changes(paired))
    # One case a scene, or no change at all: the verdicts tell how alike a scene's cases are.
    if icc is None:
        icc = intraclass_correlation(groups_of_verdicts(clusters))
    sizes: Counter[int] = Counter()
    for row in clusters.rows:
        sizes[row.judged] += row.scenes
    return EffectAssumptions(
        drop=0.0,
        differ=differ,
        sizes=tuple((size, scenes / clusters.scenes) for size, scenes in sorted(sizes.items())),
        # Nothing is known: the safe side, on which cases of one scene count as one.
        icc=1.0 if icc is None else icc,
    )
