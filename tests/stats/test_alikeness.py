"""How much alike the cases of a scene are, against scipy's analysis of variance."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import f_oneway  # type: ignore[import-untyped]  # its stubs are a package of their own

from pytest_vqamt.stats.intervals import Kind, alikeness


def kind(holds: int, judged: int, scenes: int) -> Kind:
    return Kind(holds, holds, judged, scenes)


def test_of_scenes_of_one_size_it_is_that_of_an_analysis_of_variance() -> None:
    holds = np.random.default_rng(0).binomial(4, np.random.default_rng(1).beta(2, 1, 40))
    scenes = [[1.0] * int(h) + [0.0] * (4 - int(h)) for h in holds]
    f = f_oneway(*scenes).statistic
    assert alikeness([kind(int(h), 4, 1) for h in holds]) == pytest.approx((f - 1) / (f + 3), rel=1e-9)


def test_of_scenes_of_different_sizes_worked_out_by_hand() -> None:
    # Scenes of 2, 2 and 4 cases: 2, 0 and 3 hold. Mean 5/8; the sum of squares within scenes 3 x 1/4 = 0.75, of
    # 5 degrees; between them 4/2 + 0 + 9/4 - 25/8 = 1.125, of 2; m = (8 - 24/8) / 2 = 2.5.
    between, within = 1.125 / 2, 0.75 / 5
    expected = (between - within) / (between + 1.5 * within)
    assert alikeness([kind(2, 2, 1), kind(0, 2, 1), kind(3, 4, 1)]) == pytest.approx(expected, rel=1e-12)


def test_it_runs_from_not_at_all_to_wholly() -> None:
    assert alikeness([kind(0, 3, 10), kind(3, 3, 30)]) == 1.0
    assert alikeness([kind(1, 2, 40)]) == 0.0


@pytest.mark.parametrize("rows", [[kind(1, 1, 40), kind(0, 1, 9)], [kind(3, 3, 40)], [kind(2, 5, 1)]])
def test_where_it_cannot_be_seen_nothing_is_said(rows: list[Kind]) -> None:
    assert alikeness(rows) is None


def test_it_finds_what_scenes_were_drawn_with() -> None:
    draw = np.random.default_rng(3)
    rates = draw.beta(0.8 * (1 / 0.3 - 1), 0.2 * (1 / 0.3 - 1), 3000)
    judged = draw.integers(1, 8, 3000)
    found = alikeness([kind(int(h), int(n), 1) for h, n in zip(draw.binomial(judged, rates), judged, strict=True)])
    assert found == pytest.approx(0.3, abs=0.03)
