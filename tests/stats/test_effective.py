"""How many independent cases the cases of scenes are worth, against hand calculations and a bootstrap of scenes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vqamt.stats.intervals import Kind, effective_cases, scenes_worth, students_t, usual_size


def kind(holds: int, judged: int, scenes: float) -> Kind:
    return Kind(holds, holds, judged, scenes)


kinds = st.lists(
    st.tuples(st.integers(0, 8), st.integers(0, 8), st.integers(1, 40)).map(
        lambda drawn: kind(drawn[0], max(1, drawn[0] + drawn[1]), drawn[2])
    ),
    min_size=1,
    max_size=6,
)


def test_scenes_of_one_size_are_worth_their_number_and_others_less() -> None:
    assert scenes_worth([kind(1, 4, 3), kind(4, 4, 7)]) == 10
    assert scenes_worth([kind(1, 1, 9), kind(0, 9, 1)]) == pytest.approx(18**2 / 90)


def test_the_scene_of_a_case_is_larger_than_the_average_scene() -> None:
    assert usual_size([kind(1, 1, 9), kind(0, 9, 1)]) == 5


def test_a_case_worked_out_by_hand() -> None:
    # 40 scenes of two cases: in 10 none holds, in 10 one, in 20 both; p = 50/80. With nothing imagined:
    # by scene 10 * 1.25^2 + 10 * 0.25^2 + 20 * 0.75^2 = 27.5, by case 80 * 5/8 * 3/8 = 18.75.
    deff = 27.5 / 18.75 * (40 / 39) * (79 / 80)
    correction = (students_t(79) / students_t(39)) ** 2
    rows = [kind(0, 2, 10), kind(1, 2, 10), kind(2, 2, 20)]
    assert effective_cases(rows, ()) == pytest.approx(80 / deff * correction, rel=1e-12)
    # Half a scene of either sort beside them: p = 51/82, by scene 10 p'^2 + ... + 0.5 (p'^2 + q'^2) with p' = 2p.
    p = 51 / 82
    by_scene = 10 * (2 * p) ** 2 + 10 * (1 - 2 * p) ** 2 + 20 * (2 - 2 * p) ** 2 + 0.5 * ((2 - 2 * p) ** 2 + 4 * p * p)
    imagined = (kind(2, 2, 0.5), kind(0, 2, 0.5))
    deff = by_scene / (82 * p * (1 - p)) * (40 / 39) * (79 / 80)
    assert effective_cases(rows, imagined) == pytest.approx(80 / deff * correction, rel=1e-12)


@given(st.integers(0, 500), st.integers(0, 500))
def test_with_one_case_a_scene_all_count(holding: int, violated: int) -> None:
    rows = [kind(1, 1, holding), kind(0, 1, violated + 1)]
    assert effective_cases(rows, (kind(1, 1, 0.5), kind(0, 1, 0.5))) == holding + violated + 1


def test_without_the_shortcut_for_single_cases_all_count_too() -> None:
    # One scene of two among 2,000 of one: next to nothing is lost.
    rows = [kind(1, 1, 1600), kind(0, 1, 399), kind(1, 2, 1)]
    assert effective_cases(rows, (kind(1, 1, 0.5), kind(0, 1, 0.5))) == pytest.approx(2001, rel=1e-3)


def test_cases_that_are_always_alike_count_once_for_each_scene() -> None:
    assert effective_cases([kind(0, 6, 30), kind(6, 6, 70)], (kind(6, 6, 0.5), kind(0, 6, 0.5))) == pytest.approx(100)


def test_where_none_differs_they_count_as_alike() -> None:
    assert effective_cases([kind(5, 5, 100)], (kind(5, 5, 0.5), kind(0, 5, 0.5))) == 100


@given(kinds)
def test_it_lies_between_the_scenes_and_the_cases(rows: list[Kind]) -> None:
    size = usual_size(rows)
    found = effective_cases(rows, (Kind(size, size, size, 0.5), Kind(0, 0, size, 0.5)))
    cases = sum(each.size * each.scenes for each in rows)
    assert scenes_worth(rows) - 1e-9 <= found <= cases + 1e-9


def test_the_variance_is_what_a_bootstrap_of_scenes_finds() -> None:
    """40,000 resamples of 200 scenes: the standard error of a rate over the worth that is claimed, within 2 %."""
    draw = np.random.default_rng(7)
    judged = draw.integers(1, 9, 200)
    holds = draw.binomial(judged, draw.beta(4, 1, 200))
    rows = [kind(int(h), int(n), 1) for h, n in zip(holds, judged, strict=True)]
    times = draw.multinomial(200, np.full(200, 1 / 200), 40_000)
    bootstrap = float(((times @ holds) / (times @ judged)).std())
    cases, rate = int(judged.sum()), holds.sum() / judged.sum()
    correction = (students_t(cases - 1) / students_t(199)) ** 2
    worth = effective_cases(rows, ()) / correction
    assert worth < 0.7 * cases
    assert float(np.sqrt(rate * (1 - rate) / worth)) == pytest.approx(bootstrap, rel=0.02)
