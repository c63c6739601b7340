"""The public strategies draw what they say, shrink to simple scenes, and refuse wrong arguments at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, Phase, find, given, settings
from hypothesis import strategies as st

import pytest_vqamt as vqamt
import pytest_vqamt.strategies
from pytest_vqamt.core.box import Box
from pytest_vqamt.core.case import Case
from pytest_vqamt.core.errors import OptionError
from pytest_vqamt.core.meaning import Absent, Count, Exists, truth
from pytest_vqamt.core.query import ModelInput, Task
from pytest_vqamt.core.scene import Region, Scene, Thing
from pytest_vqamt.data.catalogue import load
from pytest_vqamt.imaging.render import render
from pytest_vqamt.language.questions.simple import Question
from pytest_vqamt.models.catalogue import ModelCatalogue
from pytest_vqamt.models.protocol import ModelOptions
from pytest_vqamt.relations import catalogue
from pytest_vqamt.relations.user import UserRelation
from pytest_vqamt.strategies import cases, objects, properties, questions, scenes

WORLD = load("pictures:40")
FEWEST = min(len(WORLD.scene(index).objects) for index in range(len(WORLD)))

few_examples = settings(max_examples=20)
any_example = settings(max_examples=50, phases=[Phase.generate])


def anything(drawn: object) -> bool:
    return True


def holds(model: str, case: Case) -> bool:
    """Whether the model's answers obey the relation of the case."""
    asked = ModelCatalogue().load(model, ModelOptions())
    inputs = [ModelInput(query, lambda picture: render(picture, WORLD)) for query in case.queries]
    return catalogue.get(case.relation).judge(case, asked.ask(Task.VQA, inputs)).obeys


def test_the_module_offers_the_five_strategies_alone() -> None:
    offered = ["cases", "objects", "properties", "questions", "scenes"]
    assert dir(pytest_vqamt.strategies) == offered
    starred: dict[str, object] = {}
    exec("from pytest_vqamt.strategies import *", starred)
    assert sorted(starred.keys() - {"__builtins__"}) == offered


@given(scenes(WORLD))
@few_examples
def test_scenes_are_those_of_the_source(scene: Scene) -> None:
    assert scene == WORLD.scene(int(scene.id.rpartition("-")[2]))


def test_scenes_shrink_to_the_fewest_objects() -> None:
    assert len(find(scenes(WORLD), anything).objects) == FEWEST
    with_a_pair = [WORLD.scene(index) for index in range(len(WORLD)) if has_a_pair(WORLD.scene(index))]
    assert len(find(scenes(WORLD), has_a_pair).objects) == min(len(scene.objects) for scene in with_a_pair)


def has_a_pair(scene: Scene) -> bool:
    return any(scene.count(thing.name) == 2 for thing in scene.objects) and len(scene.objects) > FEWEST


@given(st.data())
@few_examples
def test_objects_and_properties_are_those_of_the_scene(data: st.DataObject) -> None:
    scene = data.draw(scenes(WORLD))
    thing = data.draw(objects(scene))
    assert thing in scene.objects
    assert data.draw(properties(scene, thing)) in thing.attributes


def test_every_property_can_be_drawn_and_a_colour_is_the_simplest() -> None:
    ball = Thing(id="b", name="ball", box=Box(0, 0, 5, 5), attributes=("large", "striped", "red"))
    scene = replace(WORLD.scene(0), objects=(ball,))
    assert find(properties(scene, ball), anything) == "red"
    for word in ball.attributes:
        assert find(properties(scene, ball), word.__eq__) == word


def test_an_example_without_objects_or_properties_is_passed_over() -> None:
    plain = Thing(id="b", name="ball", box=Box(0, 0, 5, 5))
    assert objects(replace(WORLD.scene(0), objects=())).is_empty
    assert properties(replace(WORLD.scene(0), objects=(plain,)), plain).is_empty


@given(st.data())
@few_examples
def test_questions_are_about_names_that_are_there_or_surely_are_not(data: st.DataObject) -> None:
    scene = data.draw(scenes(WORLD))
    question = data.draw(questions(scene))
    match question.meaning:
        case Exists(group=group) | Absent(group=group) | Count(groups=(group,)):
            assert group.name in scene.exhaustive
            assert not group.attributes
        case _:
            pytest.fail(f"no such question was announced: {question}")
    assert truth(question.meaning, scene) is not None


@pytest.mark.parametrize("kind", [Exists, Absent, Count])
@pytest.mark.parametrize("present", [True, False])
def test_every_kind_of_question_is_asked_about_what_is_there_and_what_is_not(kind: type, present: bool) -> None:
    scene = WORLD.scene(0)
    names = {thing.name for thing in scene.objects}

    def wanted(question: Question) -> bool:
        meaning = question.meaning
        group = meaning.groups[0] if isinstance(meaning, Count) else getattr(meaning, "group", None)
        return isinstance(meaning, kind) and group is not None and (group.name in names) == present

    assert wanted(find(questions(scene), wanted, settings=any_example))


def test_a_name_whose_number_is_unsure_is_not_counted() -> None:
    def thing(name: str) -> Thing:
        return Thing(id=name, name=name, box=Box(0, 0, 5, 5))

    scene = replace(
        WORLD.scene(0),
        objects=(thing("grass"), thing("dog"), thing("dogs"), thing("cat"), thing("cow")),
        regions=(Region(name="cow", box=Box(0, 0, 9, 9)), Region(name="sheep", box=Box(0, 0, 9, 9))),
        exhaustive=frozenset({"dog", "cat", "cow", "sheep"}),
    )
    asked: set[tuple[type, str]] = set()

    @given(questions(scene))
    @settings(max_examples=300, phases=[Phase.generate])
    def collect(question: Question) -> None:
        meaning = question.meaning
        assert isinstance(meaning, Exists | Absent | Count)
        asked.add((type(meaning), meaning.groups[0].name if isinstance(meaning, Count) else meaning.group.name))

    collect()
    assert {name for kind, name in asked if kind is Count} == {"cat"}
    assert {name for kind, name in asked if kind is Exists} == {"grass", "dog", "dogs", "cat", "cow"}


@given(cases("metavqa.reorder[object]", WORLD))
@few_examples
def test_a_users_own_test_of_a_relation(case: Case) -> None:
    assert (case.relation, case.variant) == ("metavqa.reorder", "object")
    assert holds("oracle", case)


def test_a_violating_case_shrinks_to_a_scene_of_few_objects() -> None:
    found = find(cases("metavqa.reorder[object]", WORLD), lambda case: not holds("fault:order-sensitive", case))
    # Which of its wordings is left depends on the constants that Hypothesis finds in the modules loaded so far.
    assert len(found.queries[0].picture.scene.objects) == FEWEST


def test_cases_without_a_variant_are_of_all_variants() -> None:
    every = cases("metavqa.partition", WORLD)
    for variant in ("object", "property"):

        def is_wanted(case: Case, variant: str = variant) -> bool:
            return case.variant == variant

        assert find(every, is_wanted, settings=any_example).relation == "metavqa.partition"


def test_cases_come_from_where_scenes_come_from(monkeypatch: pytest.MonkeyPatch) -> None:
    ids = {WORLD.scene(index).id for index in range(len(WORLD))}
    for where in (WORLD, "pictures:40", scenes(WORLD), scenes("pictures:40")):
        assert find(cases("metavqa.reversion[object]", where), anything, settings=any_example).scene in ids


def test_scenes_that_give_no_case_are_passed_over() -> None:
    def only_of_pairs(scene: Scene, corpus: vqamt.Corpus, choose: vqamt.Chooser) -> vqamt.Draft | vqamt.NotApplicable:
        if not has_a_pair(scene):
            return vqamt.NotApplicable(reason="no pair")
        question = vqamt.ask.exists(choose.one(scene.objects))
        return vqamt.case(scene.picture, question, follow_up=(scene.picture, question))

    relation = UserRelation(
        info=replace(catalogue.get("control.repeat").info, name="ours.pairs"),
        draft=only_of_pairs,
        expect=vqamt.same_answer,
    )

    @given(cases(relation, WORLD))
    @settings(max_examples=20, suppress_health_check=[HealthCheck.filter_too_much])
    def every_case_has_a_pair(case: Case) -> None:
        assert case.relation == "ours.pairs"
        assert has_a_pair(case.queries[0].picture.scene)

    every_case_has_a_pair()


def test_a_spec_is_opened_once_and_not_before_it_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []

    def loading(spec: str) -> object:
        opened.append(spec)
        return load(spec)

    monkeypatch.setattr("pytest_vqamt.strategies.sources.load", loading)
    first, second = scenes("pictures:6"), cases("metavqa.reversion[object]", "pictures:6")
    assert opened == []
    find(first, anything, settings=any_example)
    find(second, anything, settings=any_example)
    assert opened == ["pictures:6"]


@pytest.mark.parametrize(
    ("strategy", "arguments", "told"),
    [
        (scenes, ("picture:5",), "did you mean 'pictures'"),
        (scenes, (7,), "Expected a spec as in --vqamt-data such as 'pictures:50'.*but got 7"),
        (scenes, (st.integers(),), r"what scenes\(\) gave, but got integers\(\)"),
        (objects, ("yard",), "Expected a scene.*scene='yard'"),
        (questions, (None,), "Expected a scene.*scene=None"),
        (properties, (WORLD.scene(0), "dog"), r"Expected an object of scene .*thing='dog'.* objects\(scene\)"),
        (cases, ("metavqa.reorderr[object]",), "did you mean 'metavqa.reorder'"),
        (cases, ("metavqa.reorder[objects]",), r"known: metavqa.reorder\[object\], metavqa.reorder\[property\]"),
        (cases, (len,), "Expected relation to be a name such as .*relation=<built-in function len>"),
        (cases, ("metavqa.reorder[object]", "cocoa"), "data='cocoa'; did you mean 'coco'"),
    ],
)
def test_a_wrong_argument_is_refused_where_it_is_given(
    strategy: Callable[..., object], arguments: tuple[object, ...], told: str
) -> None:
    with pytest.raises(OptionError, match=told):
        strategy(*arguments)
