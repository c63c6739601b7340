"""The R_score against the paper's own, and monotonicity against its tables."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vqamt.core.errors import VqamtError
from pytest_vqamt.stats.papers import monotonicity, r_score


@pytest.mark.parametrize(
    ("model", "difference", "score"),
    [
        ("LSTM Q+I", 13.55, 0.19),
        ("HieCoAtt (Alt, VGG19)", 5.85, 0.48),
        ("HieCoAtt (Alt, Resnet200)", 6.59, 0.45),
        ("MUTAN without attention", 10.20, 0.30),
        ("MUTAN with attention", 9.13, 0.34),
        ("MLB with attention", 8.67, 0.36),
    ],
)
def test_the_paper_s_models(model: str, difference: float, score: float) -> None:
    # Huang et al., AAAI 2019: differences of Table 2, scores of Table 1.
    assert round(r_score(difference), 2) == score, model


@pytest.mark.parametrize(
    ("difference", "t", "m", "score"),
    [
        (0.0, 0.05, 20.0, 1.0),
        (0.05, 0.05, 20.0, 1.0),
        (20.0, 0.05, 20.0, 0.0),
        (100.0, 0.05, 20.0, 0.0),
        (4.0, 1.0, 9.0, 0.5),  # (3 - 2) / (3 - 1)
        (-4.0, 1.0, 9.0, 0.5),
        (4.0, 0.0, 16.0, 0.5),  # (4 - 2) / 4
    ],
)
def test_it_falls_from_1_at_the_tolerance_to_0_at_the_limit(
    difference: float, t: float, m: float, score: float
) -> None:
    assert r_score(difference, t=t, m=m) == pytest.approx(score)


@pytest.mark.parametrize(("t", "m"), [(20.0, 20.0), (-1.0, 20.0), (0.05, 101.0), (21.0, 20.0)])
def test_parameters_that_make_no_sense_are_refused(t: float, m: float) -> None:
    with pytest.raises(VqamtError, match=f"0 <= t < m <= 100, but got t={t}, m={m}"):
        r_score(5, t=t, m=m)


@given(st.floats(-100, 100), st.floats(-100, 100))
def test_more_change_never_scores_better(one: float, other: float) -> None:
    less, more = sorted((one, other), key=abs)
    assert 1 >= r_score(less) >= r_score(more) >= 0


@pytest.mark.parametrize(
    ("model", "accuracies", "falls"),
    [
        # Table 2, open-ended, All, on test-dev. Each rise between two of the seven takes 2 of 21.
        ("LSTM Q+I", (44.47, 42.75, 40.97, 40.86, 40.70, 40.19, 39.21), 1.0),
        ("HieCoAtt (Alt, VGG19)", (54.63, 52.67, 51.08, 51.34, 49.99, 50.27, 48.92), 17 / 21),
        ("HieCoAtt (Alt, Resnet200)", (55.22, 53.34, 51.84, 51.88, 51.23, 51.12, 49.54), 19 / 21),
        # 46.27 is below the fourth and the fifth, 46.30 below the fifth.
        ("MUTAN without attention", (49.96, 48.67, 46.27, 46.30, 46.41, 46.22, 45.57), 15 / 21),
        ("MUTAN with attention", (56.85, 54.88, 54.00, 53.35, 52.88, 52.46, 52.46), 20 / 21),
        ("MLB with attention", (57.12, 55.98, 55.16, 54.84, 54.05, 53.34, 52.99), 1.0),
    ],
)
def test_monotonicity_of_the_paper_s_models(model: str, accuracies: tuple[float, ...], falls: float) -> None:
    assert monotonicity(accuracies) == pytest.approx(falls), model


@pytest.mark.parametrize(
    ("values", "falls"),
    [((1, 2, 3), -1.0), ((3, 2, 1), 1.0), ((1, 1, 1), 0.0), ((2, 1), 1.0), ((2,), None), ((), None)],
)
def test_monotonicity_by_hand(values: tuple[float, ...], falls: float | None) -> None:
    assert monotonicity(values) == falls


@given(st.lists(st.integers(0, 9), min_size=2, max_size=9))
def test_the_other_way_round_what_fell_rises(values: list[int]) -> None:
    there, back = monotonicity(values), monotonicity(values[::-1])
    assert there is not None
    assert there == -(back or 0)
    assert -1 <= there <= 1
