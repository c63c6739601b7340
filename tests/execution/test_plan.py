"""The cases of a run: distinct, the same for the same seed, shared out without loss."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume

import pytest_vqamt as vqamt
from pytest_vqamt.core.case import Case, NotApplicable, RelationInfo
from pytest_vqamt.core.errors import DataError, OptionError
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.data.carets import load
from pytest_vqamt.execution.plan import Plan, Sampling, is_left_out
from pytest_vqamt.relations.draw import Draw
from pytest_vqamt.relations.published import PublishedPairs
from pytest_vqamt.sampling.chooser import Sampler
from tests.data.made_carets import SUITE, choice_row, write_carets
from tests.execution.worlds import Rule, Scenes, query


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
    found = ids(plan(max_cases=120, sampler=sampler))  # Hypothesis draws a hundred at a time
    assert len(found) == len(set(found)) == 120


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
    assert ids(plan(sampler=sampler, max_cases=50))[:20] == ids(plan(sampler=sampler, max_cases=20))


@SAMPLERS
def test_shards_share_out_the_cases(sampler: Sampler) -> None:
    whole = ids(plan(sampler=sampler, max_cases=40))
    shares = [ids(plan(sampler=sampler, max_cases=40, shard=(number, 3))) for number in (1, 2, 3)]
    assert sorted(name for share in shares for name in share) == sorted(whole)
    assert all(shares)
    assert all(share == [name for name in whole if name in share] for share in shares), "in the same order"


def test_every_scene_has_its_turn() -> None:
    drawn = Counter(case.scene for case in plan(max_cases=1000))
    assert set(drawn) == {f"scene {index}" for index in range(5)}
    # A fifth each: 200, with a standard deviation of 12.6.
    assert all(abs(times - 200) < 5 * 12.6 for times in drawn.values())


# However little a source gives, drawing comes to an end.


class Seldom:
    """Lets every ``nth`` draw give a case, and counts the draws."""

    def __init__(self, nth: int) -> None:
        self._nth = nth
        self.draws = 0

    def __call__(self, scene: Scene) -> str | None:
        assert scene.objects
        self.draws += 1
        return "seldom" if self.draws % self._nth else None


@SAMPLERS
def test_a_relation_that_never_applies_says_why(sampler: Sampler) -> None:
    draws = 0

    def why(scene: Scene) -> str:
        nonlocal draws
        draws += 1
        return "too few" if len(scene.objects) < 3 else "too many"

    never = plan(Rule(applies=why), sampler=sampler, max_cases=100)
    assert ids(never) == []
    assert never.not_applicable == {"too few": 2, "too many": 3}
    assert 1000 <= draws < 2000


@SAMPLERS
def test_where_there_is_seldom_anything_new(sampler: Sampler) -> None:
    seldom = Seldom(500)
    # At most twenty draws a case and a thousand: of 1200, the 500th and the 1000th give one.
    assert len(ids(plan(Rule(applies=seldom), sampler=sampler, max_cases=10))) == 2
    assert 1200 <= seldom.draws < 2000


@SAMPLERS
def test_where_all_has_been_seen(sampler: Sampler) -> None:
    always = Seldom(1)
    # Of five scenes and three numbers there are fifteen cases.
    assert len(ids(plan(Rule(numbers=3, applies=always), sampler=sampler, max_cases=1000))) == 15
    assert always.draws < 2000


@SAMPLERS
def test_where_there_is_next_to_nothing_to_draw(sampler: Sampler) -> None:
    always = Seldom(1)
    few = plan(Rule(numbers=1, applies=always), scenes=1, sampler=sampler, max_cases=1000)
    assert len(ids(few)) == 1
    assert always.draws <= 1001


@SAMPLERS
def test_a_relation_that_uses_the_global_generator_has_the_same_cases_in_every_run(sampler: Sampler) -> None:
    def now_and_then(scene: Scene) -> str | None:
        return None if random.random() < 0.9 and np.random.random() < 0.9 else "not now"

    runs = []
    for seed in (1, 2):
        random.seed(seed)
        state = random.getstate()
        runs.append(ids(plan(Rule(applies=now_and_then), sampler=sampler)))
        assert random.getstate() == state, "whoever uses it elsewhere notices nothing"
    assert runs[0] == runs[1] != []


@pytest.mark.filterwarnings("ignore:Using `assume` outside a property-based test")
@SAMPLERS
def test_what_hypothesis_is_told_to_assume_is_a_reason_why_there_is_no_case(sampler: Sampler) -> None:
    def of_many(scene: Scene) -> str | None:
        assume(len(scene.objects) > 2)
        return None

    found = plan(Rule(applies=of_many), sampler=sampler)
    assert ids(found)
    assert set(found.not_applicable) == {"hypothesis.assume does not hold"}


@SAMPLERS
def test_no_more_is_drawn_than_is_wanted(sampler: Sampler) -> None:
    always = Seldom(1)
    assert len(ids(plan(Rule(applies=always), sampler=sampler, max_cases=10))) == 10
    assert always.draws <= 200


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
    whole = plan(rule, scenes=50, max_cases=120)
    ids(whole)
    shares = [plan(rule, scenes=50, max_cases=120, shard=(number, 2)) for number in (1, 2)]
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


TEST = "ontological_consistency"


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed(Rule):
    """A relation of two published cases a scene, but for scenes of one dog; the first is the same on all of them."""

    def every(self, scene: Scene, variant: str) -> tuple[Case, ...] | NotApplicable:
        if len(scene.objects) == 1:
            return NotApplicable(reason="one dog")
        texts = ("of all", f"of {scene.id}")
        return tuple(
            Case(relation="ours.rule", variant=variant, scene=scene.id, queries=(query(text),) * 2, expected="same")
            for text in texts
        )

    def derive(self, draw: Draw) -> Case | NotApplicable:
        cases = self.every(draw.scene, draw.variant)
        return cases if isinstance(cases, NotApplicable) else draw.choose.one(cases)


def plan_of_published(sampling: Sampling, scenes: int = 5) -> Plan:
    return Plan(relation=Listed(), variant="", source=Scenes(scenes), sampling=sampling)


def texts(cases: Sequence[Case]) -> list[str]:
    return [case.queries[0].text for case in cases]


def test_all_are_run_in_the_order_of_the_scenes_each_once() -> None:
    made = plan_of_published(Sampling(max_cases=1, all_published=True))
    found = [(case.queries[0].text, made.position) for case in made]
    assert found == [("of all", 0), ("of scene 1", 1), ("of scene 2", 2), ("of scene 3", 3), ("of scene 4", 4)]
    assert made.not_applicable == {"one dog": 1}


def test_neither_the_seed_nor_the_sampler_matters() -> None:
    plain = texts(list(plan_of_published(Sampling(all_published=True))))
    for sampler in Sampler:
        assert texts(list(plan_of_published(Sampling(all_published=True, seed=7, sampler=sampler)))) == plain


def test_as_many_are_drawn_as_are_given() -> None:
    made = list(plan_of_published(Sampling(max_cases=3)))
    assert len(set(texts(made))) == 3
    assert set(texts(made)) < set(texts(list(plan_of_published(Sampling(all_published=True)))))


def test_shards_together_are_the_whole() -> None:
    whole = plan_of_published(Sampling(all_published=True), scenes=40)
    every = {case.id: whole.position for case in whole}
    shards = [plan_of_published(Sampling(all_published=True, shard=(number, 3)), scenes=40) for number in (1, 2, 3)]
    found = [{case.id: shard.position for case in shard} for shard in shards]
    assert all(found)
    assert {name: place for shard in found for name, place in shard.items()} == every
    assert sum(map(len, found)) == len(every) == 40
    assert sum(shard.not_applicable.total() for shard in shards) == whole.not_applicable.total() == 1


def test_a_relation_that_publishes_nothing_is_drawn() -> None:
    made = Plan(relation=Rule(), variant="", source=Scenes(5), sampling=Sampling(max_cases=3, all_published=True))
    assert len(list(made)) == 3


class Broken(Scenes):
    """The record at index 2 is broken."""

    def scene(self, index: int) -> Scene:
        if index == 2:
            raise DataError("record 2: Expected better")
        return super().scene(index)


def test_a_broken_scene_ends_the_run_unless_it_is_allowed() -> None:
    strict = Plan(relation=Listed(), variant="", source=Broken(4), sampling=Sampling(all_published=True))
    with pytest.raises(DataError, match="record 2"):
        list(strict)
    sampling = Sampling(all_published=True, allow_bad_records=True)
    lenient = Plan(relation=Listed(), variant="", source=Broken(4), sampling=sampling)
    assert texts(list(lenient)) == ["of all", "of scene 1", "of scene 3"]
    assert list(lenient.bad_records) == ["record 2: Expected better"]
    assert lenient.not_applicable == {"one dog": 1, "a record that cannot be used": 1}


@pytest.mark.parametrize(
    ("wanted", "left_out"),
    [
        ((), True),
        (("*",), True),
        (("carets.*",), True),
        (("metavqa.*", "carets.pub*"), True),
        (("carets.published",), False),
        (("metavqa.*", "carets.published[*_invariance]"), False),
    ],
)
def test_without_published_pairs_it_is_run_only_by_its_name(
    tmp_path: Path, wanted: tuple[str, ...], left_out: bool
) -> None:
    assert is_left_out(PublishedPairs(), Scenes(1), wanted) is left_out
    assert not is_left_out(PublishedPairs(), load(str(write_carets(tmp_path))), wanted)
    assert not is_left_out(Rule(), Scenes(1), wanted)


@pytest.mark.parametrize("wanted", [("*",), ("ours.rule",), ("carets.published", "control.*")])
def test_on_published_pairs_others_run_only_where_relations_are_named(tmp_path: Path, wanted: tuple[str, ...]) -> None:
    pairs = load(str(write_carets(tmp_path)))
    assert is_left_out(Rule(), pairs, ())
    assert not is_left_out(Rule(), pairs, wanted)
    assert not is_left_out(Listed(), pairs, ())


def many(folder: Path) -> str:
    """120 pairs of one test about as many images."""
    suite = SUITE.partition("  negation")[0]
    rows = [choice_row(f"{image}-0-0{suffix}", f"question {suffix}") for image in range(120) for suffix in ("", "-h")]
    return f"carets:{write_carets(folder, {'choices.json': rows}, suite=suite)}"


def test_from_python_all_are_run_unless_a_number_is_given(tmp_path: Path) -> None:
    spec, relation = many(tmp_path), f"carets.published[{TEST}]"
    [whole] = vqamt.run(model="oracle", data=spec, relations=relation).relations
    assert (whole.tally.cases, whole.tally.holds) == (120, 120)
    [drawn] = vqamt.run(model="oracle", data=spec, relations=relation, max_cases=100).relations
    assert drawn.tally.cases == 100


def test_from_python_it_is_not_run_on_other_data_but_by_its_name() -> None:
    ours = vqamt.run(model="oracle", data="pictures:3", max_cases=1, relations="carets.visual[crop],carets.p*")
    assert [result.item for result in ours.relations] == ["carets.visual[crop]"]
    with pytest.raises(OptionError):
        vqamt.run(model="oracle", data="pictures:3", max_cases=1, relations="carets.pub*")
    [named] = vqamt.run(model="oracle", data="pictures:3", relations=f"carets.published[{TEST}]").relations
    assert named.not_applicable == {"no published pair is about the picture: take --vqamt-data=carets:DIR": 3}


def test_from_python_published_pairs_alone_are_asked_where_no_relation_is_named(tmp_path: Path) -> None:
    spec = f"carets:{write_carets(tmp_path)}"
    assert {each.item.partition("[")[0] for each in vqamt.run(model="oracle", data=spec).relations} == {
        "carets.published"
    }
    named = vqamt.run(model="oracle", data=spec, relations="control.repeat", max_cases=1).relations
    assert [each.item for each in named] == ["control.repeat"]
    with pytest.raises(OptionError, match="a relation of published cases to be left for data='carets:"):
        vqamt.run(model="oracle", data=spec, exclude="carets.published")
