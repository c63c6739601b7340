"""Binomial probabilities, against scipy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom  # type: ignore[import-untyped]  # its stubs are a package of their own

from pytest_vqamt.stats.binomial import UpperTail, probabilities, upper_quantile

TRIALS = [1, 2, 7, 60, 999, 100_000, 1_000_000]
SHARES = [0.0, 1e-6, 0.02, 0.3, 0.5, 0.9, 0.999999, 1.0]


@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize("trials", TRIALS)
def test_probabilities_are_scipys(trials: int, share: float) -> None:
    fewest, each = probabilities(trials, share)
    assert fewest >= 0
    assert fewest + len(each) - 1 <= trials
    assert each == pytest.approx(binom.pmf(np.arange(fewest, fewest + len(each)), trials, share), abs=1e-12)
    assert binom.cdf(fewest - 1, trials, share) + binom.sf(fewest + len(each) - 1, trials, share) < 1e-20


@pytest.mark.parametrize("probability", [0.31, 0.05, 0.05 / 1000])
@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize("trials", TRIALS)
def test_the_quantile_is_the_first_with_no_larger_tail(trials: int, share: float, probability: float) -> None:
    found = upper_quantile(trials, share, probability)
    assert binom.sf(found, trials, share) <= probability
    assert found == 0 or binom.sf(found - 1, trials, share) > probability


@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize(("trials", "successes"), [(0, 0), (5, 0), (5, 5), (40, 30), (3000, 1500), (3000, 300)])
def test_a_tail_that_is_raised_stays_scipys(trials: int, successes: int, share: float) -> None:
    draw = np.random.default_rng(trials + successes)
    tail = UpperTail(trials, share, successes)
    for _ in range(2000):
        if tail.successes == tail.trials or draw.random() < 0.5:
            tail.add_trial()
        else:
            tail.add_success()
    assert tail.trials + tail.successes == trials + successes + 2000
    assert tail.probability == pytest.approx(binom.sf(tail.successes, tail.trials, share), abs=1e-12)


@pytest.mark.parametrize("share", [0.2, 0.5, 0.8])
def test_a_tail_that_was_nothing_comes_back(share: float) -> None:
    tail = UpperTail(2000, share, 1999)
    assert tail.probability < 1e-20
    while tail.trials * share < 2000:
        tail.add_trial()
    assert tail.probability == pytest.approx(binom.sf(1999, tail.trials, share), abs=1e-12)
    assert tail.probability > 0.4
