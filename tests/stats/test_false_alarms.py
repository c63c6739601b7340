"""The regression gate over a whole set of relations: how often it fails a model that is as good as it was."""

from __future__ import annotations

from itertools import product
from math import sqrt

import numpy as np
import pytest

from pytest_vqamt.core.case import Outcome
from pytest_vqamt.core.codec import replace
from pytest_vqamt.core.results import MAX_UNREAD, JudgedCases
from pytest_vqamt.core.tallies import PairedClusters, SceneCounter
from pytest_vqamt.stats.conclude import with_baseline_gates
from pytest_vqamt.stats.gates import baseline_totals
from pytest_vqamt.stats.paired import change_of, drop_p, mcnemar_p, paired_interval, tango, two_sided_p, with_holm_gates
from pytest_vqamt.stats.thresholds import NO_DROP
from tests.reporting.html.made import result
from tests.stats.drawn_clusters import changed_runs, runs_of_one_model


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
        judged = with_holm_gates(changes, [0.0] * relations)
        alarms += any(each.gate is not None and not each.gate.met for each in judged)
        without_holm += any(each.p < 0.05 for each in changes)
    # One alarm in twenty sets at most, and not none at all: the gate is no dead letter.
    assert 0.003 < alarms / sets < 0.05 + 2 * sqrt(0.05 * 0.95 / sets)
    assert without_holm / sets > 0.08


@pytest.mark.parametrize("sets", [150, pytest.param(1000, marks=pytest.mark.full)])
def test_of_pairs_of_equal_models_at_most_one_in_twenty_fails(sets: int) -> None:
    false_alarms(5, sets)


@pytest.mark.slow
def test_so_it_is_with_thirty_relations() -> None:
    false_alarms(30, 1000)


def first_gate(draw: np.random.Generator, *, questions: int, relations: int, worse: float = 0.0) -> bool:
    """Whether a gate of a small team fails: questions of a photo each, asked by relations of which each has two cases.

    A tenth of the answers to a question, and of the verdicts of its cases, are drawn anew in the second run; ``worse``
    is how much more seldom the model is right then.
    """
    results = []
    right = draw.random(questions) < 0.75
    again = np.where(draw.random(questions) < 0.1, draw.random(questions) < 0.75, right)
    again &= draw.random(questions) >= worse / 0.75
    for number in range(relations):
        judged, answers = JudgedCases(), JudgedCases()
        of_item, paired = draw.choice(questions, min(30, questions), replace=False), SceneCounter()
        for question in map(int, of_item):
            scene = f"photo {question}"
            answers.add_right(scene, scene, right=bool(again[question]), before=bool(right[question]))
            for case in range(2):
                # What is answered rightly holds more often.
                held = bool(draw.random() < (0.9 if right[question] else 0.6))
                is_same = right[question] == again[question] and draw.random() > 0.1
                holds = held if is_same else bool(draw.random() < (0.9 if again[question] else 0.6))
                outcomes = [Outcome.HOLDS if each else Outcome.VIOLATED for each in (holds, held)]
                paired.add(scene, *outcomes)
                judged.add(f"{number} {question} {case}", scene, outcomes[0], presumed=False, before=outcomes[1])
        made = result(f"ours.{number}", judged=judged, change=change_of(paired.paired))
        results.append(replace(made, right=answers))
    families = baseline_totals(results).families(NO_DROP)
    gated = with_baseline_gates(results, NO_DROP, MAX_UNREAD, families)
    gates = [each for one in gated for each in one.drop_gates]
    totals = baseline_totals(results).with_gates(NO_DROP)
    gates += [each.change.gate for each in (*totals.relations, *totals.accuracy) if each.change.gate]
    assert len(gates) == relations + 2
    return any(not each.met for each in gates)


@pytest.mark.parametrize("sets", [80, pytest.param(1000, marks=pytest.mark.slow)])
def test_the_whole_first_gate_fails_an_unchanged_model_in_one_of_twenty_runs_at_most(sets: int) -> None:
    draw = np.random.default_rng(0)
    alarms = [first_gate(draw, questions=60, relations=8) for _ in range(sets)]
    assert share(alarms) < 0.05 + 2 * sqrt(0.05 * 0.95 / sets)


def test_a_much_worse_model_fails_the_first_gate() -> None:
    draw = np.random.default_rng(1)
    assert share([first_gate(draw, questions=60, relations=8, worse=0.3) for _ in range(10)]) > 0.8


# How often the interval of a difference holds the truth, on scenes drawn at random, and how often tests are wrong.


def pairs(times: int, *, scenes: int, size: int, lost: float, won: float, icc: float) -> list[PairedClusters]:
    draw = np.random.default_rng(scenes)
    return [changed_runs(draw, scenes=scenes, size=size, lost=lost, won=won, icc=icc) for _ in range(times)]


def share(outcomes: list[bool]) -> float:
    return sum(outcomes) / len(outcomes)


def within(ends: tuple[float, float], difference: float) -> bool:
    return ends[0] <= difference <= ends[1]


def least(times: int, nominal: float = 0.95) -> float:
    """What a coverage of 95 % does not fall below in so many runs, but for one time in 1,000."""
    return nominal - 3.1 * sqrt(nominal * (1 - nominal) / times)


@pytest.mark.parametrize(
    ("scenes", "size", "lost", "won", "icc"),
    [
        (20, 5, 0.2, 0.1, 0.3),
        (50, 5, 0.1, 0.03, 0.6),
        (100, 8, 0.03, 0.03, 0.3),
        pytest.param(200, 5, 0.05, 0.01, 0.3, marks=pytest.mark.full),
    ],
)
def test_the_interval_covers_where_tangos_over_cases_does_not(
    scenes: int, size: int, lost: float, won: float, icc: float
) -> None:
    drawn = pairs(500, scenes=scenes, size=size, lost=lost, won=won, icc=icc)
    assert share([within(paired_interval(two), won - lost) for two in drawn]) >= least(500)
    plain = [tango(two.first_only, two.second_only, two.shared) for two in drawn]
    assert share([within(ends, won - lost) for ends in plain]) < 0.9


def test_two_runs_of_one_model_differ_significantly_as_seldom_as_is_claimed_where_mcnemars_test_does_not() -> None:
    draw = np.random.default_rng(1)
    drawn = [runs_of_one_model(draw, scenes=60, most=9, rate=0.6, icc=0.5, anew=0.3) for _ in range(500)]
    together = [
        changed_runs(draw, scenes=60, size=6, lost=0.15, won=0.15, icc=0.5) for _ in range(500)
    ]  # as where a scene's picture is read anew, and all of its cases with it
    most = 0.05 + 3.1 * sqrt(0.05 * 0.95 / 500)
    for two in (drawn, together):
        assert 0.02 < share([drop_p(each) < 0.05 for each in two]) < most
        assert share([two_sided_p(each) < 0.05 for each in two]) < most
    assert share([mcnemar_p(each) < 0.05 for each in together]) > 0.15


@pytest.mark.slow
@pytest.mark.parametrize("scenes", [20, 100, 400])
def test_the_interval_covers_everywhere(scenes: int) -> None:
    """Within what Tango's own interval does on as many single cases, whose coverage swings as it is a count."""
    changes = ((0.01, 0.01), (0.03, 0.03), (0.1, 0.1), (0.02, 0.001), (0.05, 0.01), (0.2, 0.1), (0.15, 0.01))
    for size, (lost, won), icc in product((3, 8), changes, (0, 0.1, 0.3, 0.6)):
        drawn = pairs(1000, scenes=scenes, size=size, lost=lost, won=won, icc=icc)
        found = share([within(paired_interval(two), won - lost) for two in drawn])
        assert found >= least(1000, 0.94), (size, lost, won, icc)
