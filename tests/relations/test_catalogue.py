"""Every relation by its name, and the globs that choose among them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import pytest

import pytest_vqamt as vqamt
from pytest_vqamt.core.case import Case, NotApplicable, Outcome, RelationSetting, Verdict, item_name
from pytest_vqamt.core.corpus import Corpus
from pytest_vqamt.core.edits import Jpeg, Reencode, Store
from pytest_vqamt.core.errors import OptionError, VqamtError
from pytest_vqamt.core.identity import matches
from pytest_vqamt.core.meaning import Exists, Group
from pytest_vqamt.core.query import Answer, Task
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.execution.plan import Plan, Sampling
from pytest_vqamt.picture_world.source import PictureWorld
from pytest_vqamt.relations import catalogue
from pytest_vqamt.relations.base import Relation
from pytest_vqamt.relations.expectations import same_answer
from pytest_vqamt.relations.metavqa import Removal, Reorder
from pytest_vqamt.relations.presets import PRESETS, preset
from pytest_vqamt.relations.user import Derive, Draft, UserRelation
from pytest_vqamt.relations.user import relation as user_relation
from pytest_vqamt.sampling.chooser import Chooser, Sampler
from tests.making import answers_of, case_of
from tests.relations.deriving import derive
from tests.rows import each_row

ALL, ON_REQUEST = (
    tuple(item_name(name, variant) for name in table for variant in catalogue.get(name).info.variants)
    for table in (catalogue.TABLE, catalogue.ON_REQUEST)
)
"""The items of all rows. docs/reference/relations/index.md has each by its name, and so has the table of faults."""
EVERY = (*ALL, *ON_REQUEST)


@pytest.fixture(autouse=True)
def only_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    """No relation of this session's or of an installed package's."""
    monkeypatch.setattr(catalogue, "_registered", {})
    monkeypatch.setattr(catalogue, "entry_points", lambda **_: ())


def items(*wanted: str, excluded: tuple[str, ...] = ()) -> tuple[str, ...]:
    return tuple(item_name(relation.info.name, variant) for relation, variant in catalogue.select(wanted, excluded))


def mirror(name: str = "ours.mirror") -> UserRelation:
    return user_relation(name, expect=same_answer)(lambda *_: Draft(inputs=(), expected=""))


def test_all_relations_stand_in_the_order_of_the_papers() -> None:
    assert items() == ALL
    assert items("*") == ALL
    assert items("*", *{f"{item.partition('.')[0]}.*" for item in ON_REQUEST}) == EVERY


def test_the_changelog_has_their_number() -> None:
    changelog = (Path(__file__).parents[2] / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.findall(r"^Relations \((\d+)\):$", changelog, re.MULTILINE) == [str(len(catalogue.BUILT_IN))]


def test_every_entry_of_the_table_is_a_relation_of_that_name() -> None:
    for name in catalogue.BUILT_IN:
        relation: Relation = catalogue.get(name)
        info = relation.info
        assert info.name == name
        assert info.claim.endswith("."), name
        assert info.source, name
        assert info.version >= 1, name
        assert len(set(info.variants)) == len(info.variants) >= 1, name


def test_relations_of_the_pixels_themselves_want_them_exact(world: PictureWorld) -> None:
    exact = {name for name in catalogue.BUILT_IN if catalogue.get(name).info.exact_pixels}
    forms = {"form.jpeg", "form.webp", "form.png", "form.exif"}
    assert exact == {"control.reencode", "view.jpeg", "view.shift"} | forms
    # No other relation saves a picture as another file does.
    sampling = Sampling(max_cases=1, seed=0, sampler=Sampler.RANDOM)
    saved = {
        name
        for name in catalogue.BUILT_IN
        for variant in catalogue.get(name).info.variants
        for case in Plan(relation=catalogue.get(name), variant=variant, source=world, sampling=sampling)
        for query in case.asked
        for edit in query.picture.edits
        if isinstance(edit, Reencode | Jpeg | Store)
    }
    assert saved == exact - {"view.shift"}


@pytest.mark.parametrize(
    ("wanted", "chosen"),
    [
        (("metavqa.reorder",), ("metavqa.reorder[object]", "metavqa.reorder[property]")),
        (("metavqa.reorder[object]",), ("metavqa.reorder[object]",)),
        (("*[property]",), ALL[1:6:2]),
        (("control.*", "metavqa.partition[object]"), (ALL[0], *(item for item in ALL if item.startswith("control.")))),
        (("*",), ALL),
    ],
    ids=str,
)
def test_globs_choose_in_the_catalogues_order(wanted: tuple[str, ...], chosen: tuple[str, ...]) -> None:
    assert items(*wanted) == chosen


def test_the_bare_name_of_a_family_is_all_of_it() -> None:
    assert items("metavqa") == items("metavqa.*")
    assert items("view") == items("view.*") != ()
    assert items(excluded=("metavqa",)) == items(excluded=("metavqa.*",))
    assert items("corruption") == tuple(item for item in ALL if item.startswith("corruption["))


def test_a_star_may_reach_from_the_name_into_the_variant() -> None:
    for glob in ("*object*", "*ob*ct]", "c*o*n[*l]", "m*t*", "*[o*", "carets.*l*e*"):
        assert items(glob) == tuple(item for item in ALL if matches(glob, item)) != (), glob


def test_what_is_excluded_is_left_out() -> None:
    assert items(excluded=("metavqa.*",)) == ALL[ALL.index("carets.rephrase") :]
    assert items("metavqa.re*", excluded=("*[property]", "*removal*")) == ALL[2:6:2]
    assert items("control.repeat", excluded=("control.*",)) == ()


@pytest.mark.parametrize(("wanted", "excluded"), [(("metavqa.partitoin",), ()), ((), ("metavqa.partitoin",))])
def test_a_pattern_that_names_nothing_is_refused(wanted: tuple[str, ...], excluded: tuple[str, ...]) -> None:
    with pytest.raises(OptionError, match=r"'metavqa\.partitoin' names none; did you mean 'metavqa\.partition'"):
        catalogue.select(wanted, excluded)


@pytest.mark.parametrize(
    ("pattern", "hint"),
    [
        ("leed.*", "did you mean 'lead.*'?"),
        ("recolour", "did you mean 'view.recolour'?"),
        ("view.recolor", "did you mean 'view.recolour'?"),
        ("view.recolour[colour]", "did you mean 'view.recolour[color]'?"),
        ("today", "it is a preset: --vqamt-preset=today"),
        ("metvqa", "did you mean 'metavqa'?"),
        ("zebra", "known: metavqa, carets, "),
    ],
)
def test_a_pattern_that_names_nothing_gets_a_hint(pattern: str, hint: str) -> None:
    with pytest.raises(OptionError) as refused:
        catalogue.select((pattern,))
    assert hint in str(refused.value)
    assert len(str(refused.value)) < 400


def test_one_wrong_pattern_among_right_ones_is_refused() -> None:
    with pytest.raises(OptionError, match="'metaci"):
        catalogue.select(("metavqa.*", "metaci.*"))


def test_a_wrong_name_gets_a_hint() -> None:
    with pytest.raises(OptionError, match=r"got 'control\.repaet'; did you mean 'control\.repeat'\?"):
        catalogue.get("control.repaet")


def test_a_users_relation_comes_last() -> None:
    made = mirror()
    assert items() == (*ALL, "ours.mirror")
    assert catalogue.get("ours.mirror") is made
    assert items("ours.*") == ("ours.mirror",)


def test_a_users_relation_of_the_same_name_replaces_the_last() -> None:
    mirror()
    second = mirror()
    assert catalogue.get("ours.mirror") is second
    assert items().count("ours.mirror") == 1


def test_no_user_takes_a_name_of_ours() -> None:
    with pytest.raises(OptionError, match=r"name='metavqa\.partition': choose another prefix"):
        mirror("metavqa.partition")
    assert items() == ALL


@dataclass(frozen=True)
class Point:
    """An entry point of an installed package."""

    name: str
    value: object

    def load(self) -> object:
        return self.value


@pytest.mark.parametrize("value", [Reorder, Reorder()], ids=["class", "instance"])
def test_an_installed_package_adds_relations(monkeypatch: pytest.MonkeyPatch, value: object) -> None:
    point = Point("theirs.reorder", value)

    def entry_points(group: str, name: str | None = None) -> tuple[Point, ...]:
        assert group == "pytest_vqamt.relations"
        return (point,) if name in (None, point.name) else ()

    monkeypatch.setattr(catalogue, "entry_points", entry_points)
    assert catalogue.names()[-1] == "theirs.reorder"
    assert isinstance(catalogue.get("theirs.reorder"), Reorder)


def test_a_relation_is_set_as_the_settings_say() -> None:
    plain, told = catalogue.get("metavqa.removal"), catalogue.get("metavqa.removal", {"erase": "mean", "severity": "5"})
    assert isinstance(plain, Removal)
    assert isinstance(told, Removal)
    assert (plain.erase, told.erase) == ("white", "mean")
    every = {relation.info.name: relation for relation, _ in catalogue.select(settings={"severity": "5"})}
    assert (getattr(every["corruption"], "severity"), getattr(every["metavqa.removal"], "erase")) == ("5", "white")  # noqa: B009


@pytest.mark.parametrize("value", ["", "blue", "White", "mean "])
def test_a_value_that_a_setting_cannot_have_is_refused(value: str) -> None:
    with pytest.raises(OptionError, match=f"erase=VALUE with one of white, mean, inpaint, but got erase='{value}'"):
        catalogue.get("metavqa.removal", {"erase": value})


def test_a_path_may_follow_where_the_values_say_so() -> None:
    setting = RelationSetting(name="inpaint", values=("telea", "lama:PATH"), default="telea", meaning="the inpainter")
    assert [setting.takes(value) for value in ("telea", "lama:a/b.pt", "lama", "lama:PATH", "telea:x", "")] == [
        True, True, False, True, False, False,
    ]  # fmt: skip


def test_each_setting_is_a_field_of_its_relation_and_takes_its_default() -> None:
    for relation in map(catalogue.get, catalogue.BUILT_IN):
        for setting in relation.info.settings:
            assert setting.takes(setting.default)
            assert getattr(relation, setting.field) == setting.default


def test_settings_known_are_those_of_all_relations_each_once() -> None:
    names = [setting.name for setting in catalogue.settings_known()]
    assert {"erase", "inpaint", "severity", "wordnet", "ontology", "metaic"} <= set(names)
    assert len(names) == len(set(names))


@each_row("name", PRESETS)
def test_a_preset_names_relations_and_values_of_their_settings(name: str) -> None:
    chosen = preset(name)
    for glob in chosen.relations:
        assert catalogue.select((glob,)), glob
    infos = [relation.info for relation, _ in catalogue.select(chosen.relations)]
    for setting, value in chosen.settings.items():
        [known] = {each for info in infos for each in info.settings if each.name == setting}
        assert known.takes(value)


def test_an_unknown_name_is_told_the_nearest() -> None:
    with pytest.raises(OptionError, match=r"Expected a preset, but got --vqamt-preset='metaik'; did you mean 'metaic'"):
        preset("metaik")


def mirror_of_user(scene: Scene, corpus: Corpus, choose: Chooser) -> Draft:
    """Whether a thing is there does not depend on the side it is on.

    More about it.
    """
    question = vqamt.ask.exists(choose.one(scene.objects))
    return vqamt.case(scene.picture, question, follow_up=(scene.picture.mirror(), question))


def derived(draft: Derive, scene: Scene) -> Case | NotApplicable:
    relation = vqamt.relation("ours.test", expect=vqamt.same_answer)(draft)
    return derive(relation, scene)


def test_a_function_becomes_a_relation(yard: Scene) -> None:
    relation = vqamt.relation("ours.mirror", expect=vqamt.same_answer, version=3, tags=("baseline",))(mirror_of_user)
    info = relation.info
    assert (info.name, info.task, info.variants) == ("ours.mirror", Task.VQA, ("",))
    assert (info.version, info.tags) == (3, ("baseline",))
    assert info.claim == "Whether a thing is there does not depend on the side it is on."
    case = derive(relation, yard)
    assert isinstance(case, Case)
    assert (case.relation, case.variant, case.scene) == ("ours.mirror", "", "yard")
    assert [query.text for query in case.queries] == ["Is there a dog in the picture?"] * 2
    assert [query.meaning for query in case.queries] == [Exists(group=Group(name="dog"))] * 2
    assert [query.picture for query in case.queries] == [yard.picture, yard.picture.mirror()]
    assert case.expected == info.claim
    assert relation.judge(case, answers_of("yes", "Yes.")).outcome is Outcome.HOLDS
    assert relation.judge(case, answers_of("yes", "no")).outcome is Outcome.VIOLATED


def test_it_joins_the_session() -> None:
    relation = vqamt.relation("ours.mirror", expect=vqamt.same_answer)(mirror_of_user)
    assert catalogue.get("ours.mirror") is relation


def test_several_follow_ups_expected_words_and_facts(yard: Scene) -> None:
    def partition(scene: Scene, corpus: Corpus, choose: Chooser) -> Draft:
        picture = scene.picture
        return vqamt.case(
            picture,
            vqamt.ask.count("dog", "cat"),
            follow_up=[(picture, vqamt.ask.count("dog")), (picture, vqamt.ask.count("cat"))],
            expected="first = second + third",
            facts=(("names", 2),),
        )

    case = derived(partition, yard)
    assert isinstance(case, Case)
    assert [query.text for query in case.queries] == [
        "How many dogs and cats are there in the picture altogether?",
        "How many dogs are there in the picture?",
        "How many cats are there in the picture?",
    ]
    assert (case.expected, case.facts) == ("first = second + third", (("names", 2),))


def test_exactly_two_follow_ups_are_two(yard: Scene) -> None:
    question = vqamt.ask.exists("dog")
    draft = vqamt.case(yard.picture, question, follow_up=((yard.picture, question), (yard.picture.mirror(), question)))
    assert len(draft.inputs) == 3


def test_a_scene_that_gives_no_case_says_why(yard: Scene) -> None:
    found = derived(lambda *_: vqamt.NotApplicable(reason="no two dogs"), yard)
    assert found == NotApplicable(reason="no two dogs")


def test_a_function_that_returns_something_else_is_told_so(yard: Scene) -> None:
    def forgets_to_return(scene: Scene, corpus: Corpus, choose: Chooser) -> None:
        mirror_of_user(scene, corpus, choose)

    with pytest.raises(
        VqamtError,
        match=r"relation 'ours\.test' \(.*:\d+\) to return vqamt\.case\(\.\.\.\).*but got None",
    ):
        derived(forgets_to_return, yard)  # type: ignore[arg-type]  # the mistake that the error is about


def test_a_task_is_that_of_the_queries(yard: Scene) -> None:
    relation = vqamt.relation("ours.captions", expect=vqamt.same_answer, task="captioning")(mirror_of_user)
    case = derive(relation, yard)
    assert isinstance(case, Case)
    assert {query.task for query in case.queries} == {Task.CAPTIONING}


def test_any_function_can_be_the_expectation() -> None:
    def never(case: Case, answers: object) -> Verdict:
        """Nothing is good enough."""
        return Verdict(outcome=Outcome.VIOLATED, reason="never")

    relation = vqamt.relation("ours.never", expect=never)(lambda *_: NotApplicable(reason="-"))
    assert relation.judge(case_of(), (Answer("yes"),)).reason == "never"
    # The function has no docstring of its own, so the expectation's says what is claimed.
    assert relation.info.claim == "Nothing is good enough."


@each_row("name", ["mirror", "", "ours.", ".mirror", "a.b.c", "ours.mirror[x]", "ours.*", "our s.mirror"])
def test_a_name_has_a_prefix_and_can_be_typed(name: str) -> None:
    with pytest.raises(VqamtError, match=r"to look like 'ours\.mirror', but got name="):
        vqamt.relation(name, expect=vqamt.same_answer)
    assert name not in catalogue.names()


def test_a_task_that_there_is_not_gets_a_hint() -> None:
    with pytest.raises(VqamtError, match=r"got task='captions'; did you mean 'captioning'\?"):
        vqamt.relation("ours.mirror", expect=vqamt.same_answer, task="captions")


def test_the_same_draws_give_the_same_case(yard: Scene) -> None:
    first, second = derived(mirror_of_user, yard), derived(mirror_of_user, yard)
    assert isinstance(first, Case)
    assert isinstance(second, Case)
    assert first.id == second.id
