"""A violation is simplified to the smallest draw that still violates."""

from __future__ import annotations

from pytest_vqamt.core.case import Case, Outcome, Verdict
from pytest_vqamt.core.query import Answer
from pytest_vqamt.execution.judging import JudgedCase
from pytest_vqamt.execution.plan import Plan, Sampling
from pytest_vqamt.execution.shrink import SimplestViolation, shrink_violation
from tests.execution.worlds import Rule, Scenes


def plan(rule: Rule | None = None) -> Plan:
    return Plan(relation=rule or Rule(), variant="", source=Scenes(5), sampling=Sampling())


def number(case: Case) -> int:
    return int(case.queries[0].text.split()[1])


def judged(case: Case, outcome: Outcome = Outcome.VIOLATED) -> JudgedCase:
    return JudgedCase(case=case, answers=(Answer("a"), Answer("b")), verdict=Verdict(outcome=outcome))


def first_violation(of: Plan, threshold: int) -> JudgedCase:
    return judged(next(case for case in of if number(case) >= threshold))


def test_to_the_smallest_choice_that_still_violates() -> None:
    drawn = plan()
    found = first_violation(drawn, 1000)
    best = shrink_violation(
        drawn,
        0,
        lambda case: judged(case, Outcome.VIOLATED if number(case) >= 1000 else Outcome.HOLDS),
        found,
    )
    assert best.case.scene == "scene 0"
    assert 1000 <= number(best.case) <= 9999, "no shorter text violates"


def test_where_nothing_may_be_asked_it_stays() -> None:
    def nothing_may_be_asked(case: Case) -> JudgedCase | None:
        return None

    found = first_violation(plan(), 0)
    assert shrink_violation(plan(), 0, nothing_may_be_asked, found) is found


def test_where_nothing_else_violates_it_stays() -> None:
    found = first_violation(plan(), 0)
    assert shrink_violation(plan(), 0, lambda case: judged(case, Outcome.HOLDS), found) is found


def test_scenes_that_give_no_case_are_passed_over() -> None:
    drawn = plan(Rule(applies=lambda scene: "too few" if len(scene.objects) < 3 else None))
    found = first_violation(drawn, 0)
    best = shrink_violation(drawn, 0, judged, found)
    assert (best.case.scene, number(best.case)) == ("scene 2", 0)


def test_an_answer_that_was_understood_is_simpler_than_one_that_was_not() -> None:
    cases = list(plan())
    largest = max(cases, key=lambda case: len(case.queries[0].picture.scene.objects))
    smallest = min(cases, key=lambda case: len(case.queries[0].picture.scene.objects))
    assert judged(largest).complexity < judged(smallest, Outcome.UNPARSED).complexity
    assert judged(smallest).complexity < judged(largest).complexity


def test_shrinking_starts_where_the_simplest_violation_was_drawn() -> None:
    drawn = Plan(relation=Rule(), variant="", source=Scenes(5), sampling=Sampling(seed=0))
    simple, other = sorted(map(judged, list(drawn)[:2]), key=lambda each: each.complexity)
    assert simple.complexity < other.complexity
    seeds: list[int] = []

    class Seen(Plan):
        def seed(self, part: int) -> int:
            seeds.append(part)
            return super().seed(part)

    for order, part in (((other, simple), 2), ((simple, other), 1)):
        simplest = SimplestViolation()
        for number_of_part, each in enumerate(order, start=1):
            simplest.consider(each, part=number_of_part, baseline=None)
        assert simplest.case is simple
        simplest.shrink(Seen(relation=Rule(), variant="", source=Scenes(5), sampling=Sampling()), (), lambda _: None)
        assert seeds[-1] == part
