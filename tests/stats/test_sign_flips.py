"""Sums of terms of either sign, against every combination of signs written out."""

from __future__ import annotations

from itertools import product
from time import perf_counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom  # type: ignore[import-untyped]  # its stubs are a package of their own

from pytest_vqamt.stats.paired import chance_of_sum_at_least

few = st.dictionaries(st.integers(1, 6), st.integers(1, 4), max_size=4).filter(lambda terms: sum(terms.values()) <= 10)


@given(few, st.integers(-45, 45))
def test_it_is_the_share_of_all_combinations_of_signs(terms: dict[int, int], size: int) -> None:
    every = [magnitude for magnitude, count in terms.items() for _ in range(count)]
    sums = [
        sum(sign * term for sign, term in zip(signs, every, strict=True))
        for signs in product((1, -1), repeat=len(every))
    ]
    assert chance_of_sum_at_least(size, terms) == pytest.approx(sum(s >= size for s in sums) / len(sums), abs=1e-12)


@pytest.mark.parametrize("count", [1, 2, 7, 100, 1001, 20_000])
def test_with_terms_of_one_magnitude_it_is_the_binomial_also_far_out(count: int) -> None:
    for heads in sorted({0, count // 2, count // 2 + 1, count // 2 + int(3 * count**0.5) // 2, count}):
        expected = binom.sf(heads - 1, count, 0.5)
        found = chance_of_sum_at_least(3 * (2 * heads - count), {3: count})
        assert found == pytest.approx(expected, rel=1e-9, abs=1e-300)


def test_of_many_terms_it_is_exact_far_out_as_well_and_quick() -> None:
    started = perf_counter()
    found = chance_of_sum_at_least(2_000, {1: 40_000, 3: 2, 5: 1})
    # 1s: heads h give 2h - 40,000; the others give one of eight sums.
    sums = [3 * a + 3 * b + 5 * c for a, b, c in product((1, -1), repeat=3)]
    expected = sum(binom.sf((2_000 - each + 40_000 + 1) // 2 - 1, 40_000, 0.5) for each in sums) / 8
    assert found == pytest.approx(expected, rel=1e-9, abs=0)
    assert 1e-24 < expected < 1e-20
    chance_of_sum_at_least(900, {1: 15_000, 2: 8_000, 3: 4_000, 4: 2_000, 5: 1_000, 6: 500, 7: 200, 8: 100})
    assert perf_counter() - started < 1


def test_of_no_terms_the_sum_is_0() -> None:
    assert chance_of_sum_at_least(0, {}) == 1.0
    assert chance_of_sum_at_least(1, {}) == 0.0
