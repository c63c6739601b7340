"""The cases of a run: distinct, the same for the same seed, shared out without loss."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

import pytest

from pytest_vqamt.core.case import Case, RelationInfo
from pytest_vqamt.execution.plan import Plan, Sampling
from pytest_vqamt.sampling.samplers import Sampler
from tests.execution.worlds import Rule, Scenes


class Alike(Rule):
    """A rule of which all variants draw alike."""

    @property
    def info(self) -> RelationInfo:
        return replace(super().info, draws_as="all the same")


SAMPLERS = pytest.mark.parametrize("sampler", Sampler)


def plan(
    rule: Rule | None = None,
    *,
    variant: str = "",
    scenes: int = 5,
    max_cases: int = 20,
    seed: int = 0,
    sampler: Sampler = Sampler.RANDOM,
    shard: tuple[int, int] = (1, 1),
) -> Plan:
    sampling = Sampling(max_cases=max_cases, seed=seed, sampler=sampler, shard=shard)
    return Plan(relation=rule or Rule(), variant=variant, source=Scenes(scenes), sampling=sampling)


def ids(cases: Plan | Iterator[Case]) -> list[str]:
    return [case.id for case in cases]


@SAMPLERS
def test_as_many_distinct_cases_as_asked_for(sampler: Sampler) -> None:
    found = ids(plan(max_cases=250, sampler=sampler))
    assert len(found) == len(set(found)) == 250


@SAMPLERS
def test_the_same_seed_gives_the_same_cases(sampler: Sampler) -> None:
    assert ids(plan(sampler=sampler, seed=3)) == ids(plan(sampler=sampler, seed=3))
    # Hypothesis begins with the simplest draw there is, whatever the seed.
    assert set(ids(plan(sampler=sampler, seed=3))[1:]).isdisjoint(ids(plan(sampler=sampler, seed=4)))


@SAMPLERS
def test_variants_are_drawn_apart(sampler: Sampler) -> None:
    texts = [
        [case.queries[0].text for case in plan(sampler=sampler, variant=variant)] for variant in ("object", "property")
    ]
    assert texts[0] != texts[1]


@SAMPLERS
def test_variants_that_draw_as_one_make_the_same_choices(sampler: Sampler) -> None:
    drawn = [
        [(case.scene, case.queries[0].text) for case in plan(Alike(), sampler=sampler, variant=variant)]
        for variant in ("object", "property")
    ]
    assert drawn[0] == drawn[1]


@SAMPLERS
def test_fewer_cases_are_the_beginning_of_more(sampler: Sampler) -> None:
    assert ids(plan(sampler=sampler, max_cases=150))[:20] == ids(plan(sampler=sampler, max_cases=20))


@SAMPLERS
def test_shards_share_out_the_cases(sampler: Sampler) -> None:
    whole = ids(plan(sampler=sampler, max_cases=100))
    shares = [ids(plan(sampler=sampler, max_cases=100, shard=(number, 3))) for number in (1, 2, 3)]
    assert sorted(name for share in shares for name in share) == sorted(whole)
    assert all(shares)
    assert all(share == [name for name in whole if name in share] for share in shares), "in the same order"


@SAMPLERS
def test_a_source_that_has_no_more_to_give_ends_the_run(sampler: Sampler) -> None:
    # Five scenes and three numbers: fifteen cases.
    assert len(ids(plan(Rule(numbers=3), sampler=sampler, max_cases=100))) == 15


def test_every_scene_has_its_turn() -> None:
    drawn = Counter(case.scene for case in plan(max_cases=1000))
    assert set(drawn) == {f"scene {index}" for index in range(5)}
    # A fifth each: 200, with a standard deviation of 12.6.
    assert all(abs(times - 200) < 5 * 12.6 for times in drawn.values())


@SAMPLERS
def test_a_relation_that_never_applies_says_why(sampler: Sampler) -> None:
    never = plan(Rule(applies=lambda scene: "too few" if len(scene.objects) < 3 else "too many"), sampler=sampler)
    assert ids(never) == []
    assert never.not_applicable == {"too few": 2, "too many": 3}


def test_a_scene_that_gave_a_case_is_not_counted_as_inapplicable() -> None:
    turns: Counter[str] = Counter()

    def every_other_time(scene_id: str) -> str | None:
        turns[scene_id] += 1
        return "not now" if turns[scene_id] % 2 else None

    sometimes = plan(Rule(applies=lambda scene: every_other_time(scene.id)), max_cases=100)
    assert len(ids(sometimes)) == 100
    assert sometimes.not_applicable == {}


def test_shards_share_out_the_scenes_that_gave_none() -> None:
    rule = Rule(applies=lambda scene: None if len(scene.objects) > 40 else f"{len(scene.objects) % 3} left over")
    whole = plan(rule, scenes=50, max_cases=300)
    ids(whole)
    shares = [plan(rule, scenes=50, max_cases=300, shard=(number, 2)) for number in (1, 2)]
    for share in shares:
        ids(share)
        assert 0 < share.not_applicable.total() < 40
    assert whole.not_applicable == shares[0].not_applicable + shares[1].not_applicable
    assert whole.not_applicable == {"0 left over": 13, "1 left over": 14, "2 left over": 13}


@pytest.mark.parametrize(("scenes", "max_cases"), [(0, 10), (5, 0)])
def test_nothing_from_nothing(scenes: int, max_cases: int) -> None:
    assert ids(plan(scenes=scenes, max_cases=max_cases)) == []


def test_the_part_of_a_case_is_known_while_it_is_drawn() -> None:
    long = plan(max_cases=250, sampler=Sampler.HYPOTHESIS)
    parts = [long.part for _ in long]
    assert parts == sorted(parts)
    assert set(parts) >= {0, 1, 2}
