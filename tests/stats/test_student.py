"""Student's points, where its distribution can be written down, and against its density added up."""

from __future__ import annotations

from math import exp, lgamma, pi, sqrt, tan
from statistics import NormalDist

import numpy as np
import pytest

from pytest_vqamt.stats.intervals import students_t


def test_of_one_two_and_four_degrees_it_is_written_down() -> None:
    # The quantiles at 0.975 in closed form: tan(0.475 pi), 0.95 sqrt(2 / (1 - 0.95^2)), and of four by cosine.
    assert students_t(1) == pytest.approx(tan(0.475 * pi), rel=1e-12)
    assert students_t(2) == pytest.approx(0.95 * sqrt(2 / (1 - 0.95**2)), rel=1e-12)
    alpha = 4 * 0.975 * 0.025
    q = np.cos(np.arccos(sqrt(alpha)) / 3) / sqrt(alpha)
    assert students_t(4) == pytest.approx(2 * sqrt(q - 1), rel=1e-12)


@pytest.mark.parametrize("degrees", [3, 7, 19, 99, 250, 5000])
def test_its_density_up_to_there_adds_up_to_0_475(degrees: int) -> None:
    nodes, weights = np.polynomial.legendre.leggauss(80)
    t = students_t(degrees)
    at = t / 2 * (nodes + 1)
    scale = exp(lgamma((degrees + 1) / 2) - lgamma(degrees / 2)) / sqrt(degrees * pi)
    area = t / 2 * float(weights @ (1 + at * at / degrees) ** (-(degrees + 1) / 2)) * scale
    assert area == pytest.approx(0.475, abs=1e-10)


def test_of_very_many_degrees_it_is_the_normal_point() -> None:
    assert students_t(10**9) == pytest.approx(NormalDist().inv_cdf(0.975), abs=1e-8)
