"""Published cases are run whole, in order, unless a number is given; where there are none, they are left out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

import pytest_vqamt as vqamt
from pytest_vqamt.core.case import Case, NotApplicable
from pytest_vqamt.core.corpus import Corpus
from pytest_vqamt.core.errors import DataError, OptionError
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.data.carets import load
from pytest_vqamt.execution.plan import Plan, Sampling, is_left_out
from pytest_vqamt.relations.published import Published
from pytest_vqamt.sampling.chooser import Chooser
from pytest_vqamt.sampling.samplers import Sampler
from tests.data.made_carets import SUITE, choice_row, write_carets
from tests.execution.worlds import Rule, Scenes, query

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

    def derive(self, scene: Scene, corpus: Corpus, choose: Chooser, variant: str) -> Case | NotApplicable:
        cases = self.every(scene, variant)
        return cases if isinstance(cases, NotApplicable) else choose.one(cases)


def plan(sampling: Sampling, scenes: int = 5) -> Plan:
    return Plan(relation=Listed(), variant="", source=Scenes(scenes), sampling=sampling)


def texts(cases: Sequence[Case]) -> list[str]:
    return [case.queries[0].text for case in cases]


def test_all_are_run_in_the_order_of_the_scenes_each_once() -> None:
    made = plan(Sampling(max_cases=1, all_published=True))
    found = [(case.queries[0].text, made.position) for case in made]
    assert found == [("of all", 0), ("of scene 1", 1), ("of scene 2", 2), ("of scene 3", 3), ("of scene 4", 4)]
    assert made.not_applicable == {"one dog": 1}


def test_neither_the_seed_nor_the_sampler_matters() -> None:
    plain = texts(list(plan(Sampling(all_published=True))))
    for sampler in Sampler:
        assert texts(list(plan(Sampling(all_published=True, seed=7, sampler=sampler)))) == plain


def test_as_many_are_drawn_as_are_given() -> None:
    made = list(plan(Sampling(max_cases=3)))
    assert len(set(texts(made))) == 3
    assert set(texts(made)) < set(texts(list(plan(Sampling(all_published=True)))))


def test_shards_together_are_the_whole() -> None:
    whole = plan(Sampling(all_published=True), scenes=40)
    every = {case.id: whole.position for case in whole}
    shards = [plan(Sampling(all_published=True, shard=(number, 3)), scenes=40) for number in (1, 2, 3)]
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
    assert is_left_out(Published(), Scenes(1), wanted) is left_out
    assert not is_left_out(Published(), load(str(write_carets(tmp_path))), wanted)
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
    with pytest.raises(OptionError, match=r"can be asked \(.*\) about 'carets:"):
        vqamt.run(model="oracle", data=spec, exclude="carets.published")
