"""Figures are added up to the last digit, whatever the order."""

from __future__ import annotations

import json
from itertools import permutations

import pytest

from pytest_vqamt.core.case import Figure, figures_of, figures_row, together


def total(amounts: list[float]) -> Figure:
    return sum(map(Figure.of, amounts), Figure())


def test_the_order_makes_no_difference() -> None:
    # As floating-point numbers these add up to 0.6000000000000001 or to 0.6.
    sums = {total(list(order)) for order in permutations([0.1, 0.2, 0.3])}
    assert sums == {Figure(3, 600_000)}


def test_a_figure_has_a_total_and_a_mean() -> None:
    figure = total([1.0, 0.0, 0.3, 0.9])
    assert (figure.cases, figure.total, figure.mean) == (4, 2.2, 0.55)


def test_nothing_has_no_mean() -> None:
    assert Figure().mean is None


def test_a_third_is_kept_to_a_millionth() -> None:
    assert Figure.of(1 / 3).millionths == 333_333


def test_figures_are_put_together_by_name() -> None:
    one, other = {"clean": Figure(2, 5), "noisy": Figure(2, 3)}, {"noisy": Figure(1, 4), "omission": Figure(1, 0)}
    assert together(one, other) == {"clean": Figure(2, 5), "noisy": Figure(3, 7), "omission": Figure(1, 0)}
    assert one["noisy"] == Figure(2, 3)


def test_a_row_is_read_back() -> None:
    figures = {"noisy": total([1 / 3] * 7), "clean": Figure()}
    row = json.loads(json.dumps(figures_row(figures)))
    assert list(row) == ["clean", "noisy"]
    assert row["noisy"] == {"cases": 7, "sum": 2.333331, "mean": pytest.approx(1 / 3, abs=1e-6)}
    assert row["clean"]["mean"] is None
    assert figures_of(row) == figures


def test_a_report_of_before_there_were_figures_has_none() -> None:
    assert figures_of(None) == {}
