"""The regression gate over a whole set of relations: how often it fails a model that is as good as it was."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest

from pytest_vqamt.core.tallies import PairedClusters
from pytest_vqamt.stats.paired import change_of, with_holm_gates
from tests.stats.drawn_clusters import runs_of_one_model


def equal_models(draw: np.random.Generator, relations: int) -> list[PairedClusters]:
    """Relations of all kinds on two runs of models that are equally good, most of whose answers are the same."""
    return [
        runs_of_one_model(
            draw,
            scenes=(40, 80, 150)[number % 3],
            most=(6, 1, 3)[number // 2 % 3],
            rate=(0.6, 0.75, 0.85, 0.95)[number % 4],
            icc=(0.0, 0.3, 0.7)[number // 2 % 3],
            anew=(0.5, 0.8)[number // 5 % 2],
        )
        for number in range(relations)
    ]


def false_alarms(relations: int, sets: int) -> None:
    draw = np.random.default_rng(0)
    alarms = without_holm = 0
    for _ in range(sets):
        changes = [change_of(two) for two in equal_models(draw, relations)]
        judged = with_holm_gates(changes, 0.0, [True] * relations)
        alarms += any(each.gate is not None and not each.gate.met for each in judged)
        without_holm += any(each.p < 0.05 for each in changes)
    # One alarm in twenty sets at most, and not none at all: the gate is no dead letter.
    assert 0.003 < alarms / sets < 0.05 + 2 * sqrt(0.05 * 0.95 / sets)
    assert without_holm / sets > 0.08


@pytest.mark.parametrize("sets", [250, pytest.param(1000, marks=pytest.mark.full)])
def test_of_pairs_of_equal_models_at_most_one_in_twenty_fails(sets: int) -> None:
    false_alarms(5, sets)


@pytest.mark.slow
def test_so_it_is_with_thirty_relations() -> None:
    false_alarms(30, 1000)
