"""Student's points, against scipy's."""

from __future__ import annotations

import pytest
from scipy.special import stdtrit  # type: ignore[import-untyped]  # its stubs are a package of their own

from pytest_vqamt.stats.student import students_t


@pytest.mark.parametrize("confidence", [0.9, 0.95, 0.99])
def test_it_is_scipys(confidence: float) -> None:
    for degrees in (*range(1, 260), 999, 5000, 100_000):
        expected = stdtrit(degrees, (1 + confidence) / 2)
        assert students_t(degrees, confidence) == pytest.approx(expected, rel=1e-9)
