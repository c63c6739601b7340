"""What MetaVQA's questions are about: only what cannot make a perfect perceiver violate a relation."""

from __future__ import annotations

from collections import Counter
from itertools import cycle, islice, permutations

import pytest

from pytest_vqamt.core.case import NotApplicable
from pytest_vqamt.core.corpus import gather_corpus
from pytest_vqamt.core.meaning import Group, members
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.language.english.lexical_relations import COLOURS, POSTURES
from pytest_vqamt.picture_world.looks import FAMILY_OF
from pytest_vqamt.picture_world.source import PictureWorld
from pytest_vqamt.relations.askable_scene import AskableScene, askable_scene_of
from pytest_vqamt.relations.groups import GroupPair, SingleGroup, sample_pair, sample_single
from pytest_vqamt.relations.lexical_knowledge import default_knowledge
from pytest_vqamt.sampling.chooser import Chooser, Sampler, draws
from tests.making import choosers, scene_of, thing_of

MANY = 200
"""Draws that show, of a few possibilities, every one."""


def view_of(scene: Scene, *others: Scene) -> AskableScene:
    """The scene of a source that has the others, too."""
    return askable_scene_of(scene, gather_corpus((scene, *others)), default_knowledge())


def in_world(scene: Scene, world: PictureWorld) -> AskableScene:
    return askable_scene_of(scene, world.corpus, default_knowledge())


def pairs(scene: Scene, *others: Scene, variant: str = "object") -> list[GroupPair]:
    """What many draws give for a scene of a source that has the others, too."""
    view = view_of(scene, *others)
    found = [sample_pair(view, choose, variant) for choose in choosers(MANY)]
    return [each for each in found if isinstance(each, GroupPair)]


def singles(scene: Scene, *others: Scene, variant: str = "object") -> list[SingleGroup]:
    view = view_of(scene, *others)
    found = [sample_single(view, choose, variant) for choose in choosers(MANY)]
    return [each for each in found if isinstance(each, SingleGroup)]


def names_of(found: list[GroupPair]) -> set[frozenset[str]]:
    return {frozenset({each.first.name, each.second.name}) for each in found}


def words_of(found: list[GroupPair]) -> set[frozenset[str]]:
    """The properties of each pair, beside the name that they are of."""
    return {frozenset({each.first.name, *each.first.attributes, *each.second.attributes}) for each in found}


def together(*pairs_of_names: str) -> set[frozenset[str]]:
    """The pairs, from "dog cat" and the like."""
    return {frozenset(name.replace("_", " ") for name in names.split()) for names in pairs_of_names}


class TestTwoNames:
    def test_of_an_exhaustive_list_any_two_classes_go_together(self) -> None:
        classes = ("dog", "cat", "car")
        assert names_of(pairs(scene_of(*classes, exhaustive=classes))) == together("dog cat", "dog car", "cat car")

    def test_names_that_share_their_head_noun_do_not(self) -> None:
        classes = ("bear", "teddy bear", "dog", "hot dog", "cup")
        scene = scene_of("bear", "teddy_bear", "dog", "hot_dog", "cup", exhaustive=classes)
        every = {frozenset(two) for two in permutations(classes, 2)}
        assert names_of(pairs(scene)) == every - together("bear teddy_bear", "dog hot_dog")

    def test_nor_do_names_of_which_one_is_a_kind_of_the_other(self) -> None:
        classes = ("bird", "duck", "dog")
        assert names_of(pairs(scene_of(*classes, exhaustive=classes))) == together("bird dog", "duck dog")

    def test_elsewhere_names_of_one_family_do_not(self) -> None:
        # WordNet has none of these as a kind of the other.
        scene = scene_of("boy", "child", "mug", "cup", "truck", "van", "man", "skier")
        found = names_of(pairs(scene))
        assert found.isdisjoint(together("boy child", "mug cup", "truck van", "man skier", "boy man", "child skier"))
        assert together("boy cup", "truck man", "mug van") <= found

    def test_nor_does_a_name_that_could_be_of_two_families(self) -> None:
        assert names_of(pairs(scene_of("mouse", "bat", "dog", "car"))) == together("dog car")

    def test_an_exhaustive_class_and_another_name_go_by_their_families(self) -> None:
        scene = scene_of("dog", "puppy", "ottoman", "thing", exhaustive=("dog",))
        assert names_of(pairs(scene)) == together("dog ottoman", "puppy ottoman")

    def test_a_name_whose_plural_is_annotated_beside_it_is_not_counted(self) -> None:
        assert names_of(pairs(scene_of("person", "people", "dog", "car"))) == together("dog car")

    def test_a_name_that_is_its_own_plural_is_counted(self) -> None:
        assert names_of(pairs(scene_of("sheep", "sheep", "car"))) == together("sheep car")

    def test_neither_are_masses_and_plurals(self) -> None:
        scene = scene_of("water", "grass", "scissors", "pants", "dogs", "cat", "car")
        assert names_of(pairs(scene)) == together("cat car")

    def test_a_crowd_is_not_counted_be_it_here_or_elsewhere(self) -> None:
        scene = scene_of("person", "dog", "car", crowds=("person", "cup"))
        assert names_of(pairs(scene, scene_of("cup", "person"))) == together("dog car")

    def test_absent_names_are_names_of_the_source_that_the_scene_has_not(self) -> None:
        found = pairs(scene_of("dog", "car"), scene_of("cup", "tree", "person"), scene_of("people"))
        for each in found:
            here = [name for name in (each.first.name, each.second.name) if name in ("dog", "car")]
            assert len(here) == each.present
        assert {each.present for each in found} == {0, 1, 2}
        # "people" has no number; a person is asked about, for no people are annotated here.
        assert {name for names in names_of(found) for name in names} == {"dog", "car", "cup", "tree", "person"}

    def test_of_two_absent_names_none_is_kin_of_the_other(self) -> None:
        # A mug may be counted as a cup, and a calf as a cow.
        found = pairs(scene_of("tree"), scene_of("mug", "cup", "car"), scene_of("cow", "calf"))
        absent = names_of([each for each in found if not each.present])
        assert absent == together(
            "mug car", "cup car", "cow mug", "cow cup", "cow car", "calf mug", "calf cup", "calf car"
        )

    def test_one_or_none_where_the_scene_cannot_give_two(self) -> None:
        found = pairs(scene_of("dog", "dog"), scene_of("car", "cup"))
        assert {each.present for each in found} == {0, 1}
        # 20 % and 10 % of all, so one is twice as likely as none.
        assert sum(each.present for each in found) / len(found) == pytest.approx(2 / 3, abs=0.08)

    def test_either_name_comes_first(self) -> None:
        first = Counter(each.first.name for each in pairs(scene_of("dog", "car")))
        assert first["dog"] / first.total() == pytest.approx(0.5, abs=0.12)

    @pytest.mark.parametrize(
        "scene", [scene_of(), scene_of("dog"), scene_of("dog", "cat"), scene_of("bear", "teddy_bear", "water")], ids=str
    )
    def test_not_applicable_where_no_two_are_surely_disjoint(self, scene: Scene) -> None:
        for choose in choosers(20):
            assert sample_pair(view_of(scene), choose, "object") == NotApplicable(
                reason="no two kinds of things have surely no thing in common"
            )


class TestTwoProperties:
    def test_two_colours_of_one_name(self) -> None:
        scene = scene_of("red car", "blue car", "green car")
        found = pairs(scene)  # of one name alone there are no two names
        assert found == []
        two = [each for each in pairs(scene, variant="property") if each.present == 2]
        assert words_of(two) == together("car red blue", "car red green", "car blue green")

    def test_people_are_asked_for_postures_and_all_else_for_colours(self) -> None:
        scene = scene_of(
            "standing red man", "sitting blue man", "running yellow dog", "standing brown dog", "waving man"
        )
        for each in pairs(scene, variant="property"):
            pool = POSTURES if each.first.name == "man" else COLOURS
            assert {*each.first.attributes, *each.second.attributes} <= set(pool)

    def test_the_name_is_the_same_and_the_words_are_not(self) -> None:
        scene = scene_of("red car", "blue car", "brown dog", "black dog")
        for each in pairs(scene, variant="property"):
            assert each.first.name == each.second.name
            assert len(each.first.attributes) == len(each.second.attributes) == 1
            assert each.first != each.second

    def test_words_that_do_not_exclude_each_other_are_not_asked(self) -> None:
        scene = scene_of("dark open red car", "large striped blue car", "gold dirty green car")
        words = {word for each in pairs(scene, variant="property") for word in each.first.attributes}
        assert words == {"red", "blue", "green"}

    def test_a_name_with_a_thing_of_two_such_words_is_left_out(self) -> None:
        scene = scene_of("red blue car", "green car", "brown dog", "black dog")
        assert {each.first.name for each in pairs(scene, variant="property")} == {"dog"}

    def test_a_name_with_a_thing_of_many_colours_is_left_out(self) -> None:
        kite = thing_of("red kite", id="k", multi_coloured=True)
        scene = scene_of(kite, "blue kite", "brown dog", "black dog")
        assert {each.first.name for each in pairs(scene, variant="property")} == {"dog"}

    def test_so_are_crowds_masses_and_plurals(self) -> None:
        scene = scene_of(
            "green grass", "white grass", "red cars", "blue cars", "red car", "blue car", "red cup", "blue cup",
            "brown dog", "black dog", crowds=("cup",),
        )  # fmt: skip
        assert {each.first.name for each in pairs(scene, variant="property")} == {"dog"}

    def test_a_false_property_is_one_that_the_source_has_seen_on_the_name(self) -> None:
        found = pairs(
            scene_of("red car"),
            scene_of("blue car", "large car", "green dog"),
            scene_of("white car"),
            variant="property",
        )
        assert {each.present for each in found} == {0, 1}
        assert words_of(found) == together("car red blue", "car red white", "car blue white")

    def test_what_is_there_comes_first_as_often_as_what_is_not(self) -> None:
        found = [each for each in pairs(scene_of("red car"), scene_of("blue car"), variant="property") if each.present]
        first = Counter(each.first.attributes for each in found)
        assert first["red",] / first.total() == pytest.approx(0.5, abs=0.12)

    def test_as_many_are_present_as_is_told(self) -> None:
        scene = scene_of("red car", "blue car", "brown dog")
        others = scene_of("green car", "white car", "black dog", "white dog")
        found = pairs(scene, others, variant="property")
        for each in found:
            assert each.present == sum(bool(members(group, scene)) for group in (each.first, each.second))
        assert {each.present for each in found} == {0, 1, 2}

    @pytest.mark.parametrize(
        ("scene", "reason"),
        [
            (
                scene_of("green grass"),
                "no things that can be counted have at most one attribute each that the data knows",
            ),
            (
                scene_of("red blue car"),
                "no things that can be counted have at most one attribute each that the data knows",
            ),
            (scene_of("red car"), "the data knows too few other attributes of such things"),
            (scene_of("car"), "the data knows too few other attributes of such things"),
        ],
        ids=["mass", "two colours", "one colour ever seen", "no colour ever seen"],
    )
    def test_not_applicable_with_the_reason(self, scene: Scene, reason: str) -> None:
        for choose in choosers(20):
            assert sample_pair(view_of(scene), choose, "property") == NotApplicable(reason=reason)


class TestOneGroup:
    def test_a_name_that_is_there_or_one_that_is_not(self) -> None:
        found = singles(scene_of("dog", "car"), scene_of("cup", "water", "pants"))
        assert {each.group for each in found if each.present} == {Group(name="dog"), Group(name="car")}
        assert {each.group for each in found if not each.present} == {Group(name="cup")}

    def test_a_property_that_a_thing_has_or_one_that_none_has(self) -> None:
        found = singles(scene_of("red car", "blue car", "dog"), scene_of("green car"), variant="property")
        here = {Group(name="car", attributes=(colour,)) for colour in ("red", "blue")}
        assert {each.group for each in found if each.present} == here
        assert {each.group for each in found if not each.present} == {Group(name="car", attributes=("green",))}

    @pytest.mark.parametrize("variant", ["object", "property"])
    def test_three_in_ten_are_absent(self, variant: str) -> None:
        found = singles(scene_of("red car"), scene_of("green car", "brown dog"), variant=variant)
        assert sum(each.present for each in found) / MANY == pytest.approx(0.7, abs=0.1)

    @pytest.mark.parametrize(
        ("scene", "variant", "reasons"),
        [
            (
                scene_of("water"),
                "object",
                {
                    "nothing in the picture can be counted for sure",
                    "no other kind of thing is surely absent and can be counted",
                },
            ),
            (
                scene_of("red blue car"),
                "property",
                {
                    "no things that can be counted have an attribute to ask about",
                    "the data knows too few other attributes of such things",
                },
            ),
        ],
        ids=["a mass alone", "two colours at once"],
    )
    def test_not_applicable_with_the_reason(self, scene: Scene, variant: str, reasons: set[str]) -> None:
        found = [sample_single(view_of(scene), choose, variant) for choose in choosers(50)]
        assert {each.reason for each in found if isinstance(each, NotApplicable)} == reasons
        assert all(isinstance(each, NotApplicable) for each in found)


DRAWS = 1500


class TestThePictureWorld:
    """The mix that the authors' code draws, over scenes that can give each of its numbers."""

    @pytest.mark.parametrize("sampler", [Sampler.RANDOM, pytest.param(Sampler.HYPOTHESIS, marks=pytest.mark.full)])
    def test_two_names_are_there_in_70_percent_one_in_20_none_in_10(
        self, world: PictureWorld, sampler: Sampler
    ) -> None:
        scenes = [scene for scene in map(world.scene, range(len(world))) if len(families_in(scene)) > 1]
        assert len(scenes) > 30

        def make(choose: Chooser) -> GroupPair | NotApplicable:
            return sample_pair(
                askable_scene_of(choose.one(scenes), world.corpus, default_knowledge()), choose, "object"
            )

        found = islice(draws(sampler, make, lambda part: part), DRAWS)
        shares = Counter(each.present for each in found if isinstance(each, GroupPair))
        assert shares.total() == DRAWS
        # Three standard deviations of 1,500 draws are 0.036.
        assert [shares[present] / DRAWS for present in (2, 1, 0)] == pytest.approx([0.7, 0.2, 0.1], abs=0.04)

    @pytest.mark.parametrize("variant", ["object", "property"])
    def test_existence_is_asked_of_what_is_there_in_70_percent(self, world: PictureWorld, variant: str) -> None:
        scenes = cycle([world.scene(index) for index in range(len(world))])
        found = [sample_single(in_world(next(scenes), world), choose, variant) for choose in choosers(DRAWS)]
        made = [each for each in found if isinstance(each, SingleGroup)]
        assert len(made) > 0.95 * DRAWS
        assert sum(each.present for each in made) / len(made) == pytest.approx(0.7, abs=0.04)

    @pytest.mark.parametrize("variant", ["object", "property"])
    def test_as_many_groups_are_there_as_is_told_and_no_thing_is_in_both(
        self, world: PictureWorld, variant: str
    ) -> None:
        scenes = [world.scene(index) for index in range(len(world))]
        for scene, choose in zip(cycle(scenes), choosers(300), strict=False):
            found = sample_pair(in_world(scene, world), choose, variant)
            if isinstance(found, GroupPair):
                first, second = (members(group, scene) for group in (found.first, found.second))
                assert found.present == bool(first) + bool(second)
                assert not set(first) & set(second)


def families_in(scene: Scene) -> set[str]:
    """The top families of what is there; two names of different families are surely disjoint."""
    return {FAMILY_OF[thing.name] for thing in scene.objects}
