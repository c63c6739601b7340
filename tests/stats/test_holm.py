"""Holm's correction, against statsmodels."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests  # type: ignore[import-untyped]  # it has no stubs

from pytest_vqamt.stats.paired import holm

ps = st.lists(st.floats(0, 1) | st.sampled_from([0.0, 0.01, 0.05, 1.0]), min_size=1, max_size=40)


@settings(max_examples=20)  # statsmodels takes a tenth of a second for each
@given(ps)
def test_it_is_statsmodels(drawn: list[float]) -> None:
    assert holm(drawn) == pytest.approx(multipletests(drawn, method="holm")[1], abs=1e-9)


def test_a_case_worked_out_by_hand() -> None:
    # 4 x 0.005, 3 x 0.011, then 2 x 0.02 = 0.04, and 0.04 not below the one before it.
    assert holm([0.02, 0.005, 0.04, 0.011]) == pytest.approx((0.04, 0.02, 0.04, 0.033))


def test_of_one_it_is_the_same_and_of_none_there_is_none() -> None:
    assert holm([0.3]) == (0.3,)
    assert holm([]) == ()


@given(ps)
def test_it_is_never_smaller_nor_changes_the_order(drawn: list[float]) -> None:
    adjusted = holm(drawn)
    assert all(p <= q <= 1 for p, q in zip(drawn, adjusted, strict=True))
    by_p = sorted(zip(drawn, adjusted, strict=True))
    assert [q for _, q in by_p] == sorted(adjusted)
