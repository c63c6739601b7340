"""What is surely not there, and plausible (rule: sure absence)."""

from __future__ import annotations

import pytest

from pytest_vqamt.core.scene import Scene
from pytest_vqamt.language.questions.templates import QuestionType
from pytest_vqamt.relations.askable_scene import MAX_PLAUSIBLE_NAMES
from pytest_vqamt.relations.carets import Ontological
from tests.making import scene_of
from tests.relations.carets.draws import arguments, asked, cases, one_is, view_of
from tests.rows import each_row


def absent(scene: Scene, companion: str, *together: Scene) -> set[str]:
    return {name for name, _ in view_of(scene, *together).absent(companion)}


class TestWhatIsAbsent:
    """Rule 4: plausible, and no hypernym, hyponym, part, whole or garment of what is annotated."""

    @each_row(
        ("here", "false"),
        [
            ("car", "tire"),  # a part
            ("tire", "car"),  # a whole
            ("puppy", "dog"),  # of what is annotated it is a hypernym,
            ("dog", "puppy"),  # a hyponym,
            ("teddy bear", "animal"),  # what it may be taken for
            ("teddy bear", "bear"),
            ("shirt", "person"),  # somebody may be in it
            ("person", "shirt"),
            ("man", "person"),
            ("dogs", "dog"),  # its plural
            ("dog", "dogs"),
            ("shelves", "shelf"),
            ("hot dog", "dog"),
        ],
    )
    def test_is_nothing_that_comes_with_what_is_there(self, here: str, false: str) -> None:
        words = [each.replace(" ", "_") for each in (here, false)]
        farm = scene_of("bed", words[1], id="farm")
        assert false not in absent(scene_of("bed", words[0]), "bed", farm)

    @each_row(
        ("here", "false"),
        [
            ("man", "person"),
            ("woman", "person"),
            ("lady", "person"),
            ("man", "guy"),
            ("woman", "lady"),
            ("jacket", "coat"),
            ("painting", "picture"),
            # One has no family, and both are dishes, bags, animals, people or timepieces to WordNet.
            ("dish", "platter"),
            ("sack", "backpack"),
            ("sheep", "lamb"),
            ("father", "adult"),
            ("watch", "clocks"),
            # Siblings in WordNet.
            ("parasol", "umbrellas"),
            ("banner", "billboard"),
            ("hedge", "bush"),
            ("notebook", "laptop"),
            ("home", "house"),
            # A crowd is made of people, and a statue shows one.
            ("crowd", "kid"),
            ("statue", "man"),
        ],
    )
    def test_is_no_other_name_of_it_for_questions_without_a_companion(self, here: str, false: str) -> None:
        for one, other in ((here, false), (false, here)):
            view = view_of(scene_of("bed", one), scene_of("bed", other, "truck", id="farm"))
            assert view.countable_absent == ("truck",)

    def test_without_a_companion_the_most_frequent_come_first(self) -> None:
        others = (scene_of("dog", "cup", id="b"), scene_of("dog", "water", "people", id="c"), scene_of("car", id="d"))
        assert view_of(scene_of("bed"), *others).countable_absent == ("dog", "car", "cup")

    def test_is_what_occurs_together_with_what_is_there(self) -> None:
        # Cars occur with dogs, and dogs with cats.
        here = scene_of("car", "tree")
        others = (scene_of("car", "dog", id="b"), scene_of("dog", "cat", id="c"))
        assert absent(here, "car", *others) == {"dog"}
        # Trees occur with nothing else here, so that anything is as plausible.
        assert absent(here, "tree", *others) == {"dog", "cat"}

    def test_comes_with_how_often_both_occur_in_one_scene(self) -> None:
        others = [scene_of("car", "dog", id=str(number)) for number in range(3)] + [scene_of("car", "lamp", id="x")]
        assert view_of(scene_of("car"), *others).absent("car") == (("dog", 3), ("lamp", 1))

    def test_is_of_no_crowd(self) -> None:
        assert absent(scene_of("car", crowds=("dog",)), "car", scene_of("car", "dog", id="b")) == set()
        assert absent(scene_of("car", crowds=("puppy",)), "car", scene_of("car", "dog", id="b")) == set()

    def test_is_something_that_wordnet_knows(self) -> None:
        assert absent(scene_of("car"), "car", scene_of("car", "zzz", id="b")) == set()

    @each_row("name", ["wall", "sky", "building", "window", "grass", "plant", "food", "hair", "paper"])
    def test_is_nothing_that_is_nearly_everywhere(self, name: str) -> None:
        other = scene_of("car", name, "lamp", id="b")
        assert absent(scene_of("car"), "car", other) == {"lamp"}

    def test_may_be_everywhere_else_where_all_of_it_is_annotated(self) -> None:
        other = scene_of("car", "window", id="b")
        assert absent(scene_of("dog", exhaustive=("dog", "window")), "car", other) == {"window"}

    @pytest.mark.parametrize("name", ["background", "reflection", "group", "letters"])
    def test_is_no_name_of_no_thing(self, name: str) -> None:
        assert absent(scene_of("car"), "car", scene_of("car", name, "lamp", id="b")) == {"lamp"}

    def test_of_one_exhaustive_list_is_what_is_on_it_and_not_there(self) -> None:
        # Unlisted, what is a cup to one is a bottle to another.
        other = scene_of("cup", "bottle", id="b")
        assert absent(scene_of("cup", exhaustive=("cup", "bottle")), "cup", other) == {"bottle"}
        assert absent(scene_of("cup"), "cup", other) == set()

    def test_is_one_of_the_most_frequent(self) -> None:
        fruits = ("apple", "boat", "lamp", "book", "bed", "cake", "hat", "key", "kite", "pizza", "umbrella", "clock")
        more = ("drum", "candle", "vase", "ball", "guitar", "window", "sofa", "spoon", "bottle", "balloon", "banana")
        others = [scene_of("dog", name, id=name) for name in (*fruits, *more)]
        found = view_of(scene_of("dog", exhaustive=(*fruits, *more, "dog")), *others).absent("dog")
        assert len(found) == MAX_PLAUSIBLE_NAMES < len(fruits + more)


class TestClassesThatAreAbsent:
    def test_are_those_of_which_nothing_could_be(self) -> None:
        assert view_of(scene_of("car")).classes_absent("dog") == ("animal",)

    @pytest.mark.parametrize("there", ["cat", "puppy", "teddy_bear", "horns", "zzz"])
    def test_are_none_beside_what_may_be_one(self, there: str) -> None:
        assert view_of(scene_of("car", there)).classes_absent("dog") == ()

    def test_are_none_beside_a_crowd(self) -> None:
        assert view_of(scene_of("car", crowds=("sheep",))).classes_absent("dog") == ()

    def test_are_none_that_stand_in_the_background_of_many_a_scene(self) -> None:
        assert "tree" not in view_of(scene_of("car")).classes_absent("palm tree")

    def test_clothing_is_never_absent_where_there_is_a_man(self) -> None:
        assert "clothing" in view_of(scene_of("car")).classes_absent("shirt")
        assert "clothing" not in view_of(scene_of("man")).classes_absent("shirt")


# What may not be what its name says is not asked by name: a duck of wood, a toy dog, a roasted goose.

ALL = ("duck", "dog", "car", "lamp")
POND = scene_of("duck", "black duck", "white duck", "dog", "lamp", "car", "sitting duck", id="pond")

each_likeness = pytest.mark.parametrize(
    "thing",
    [
        "wooden duck",
        "wooden fish",  # an animal, or food
        "plastic tree",
        "stone lion",
        "glass apple",
        "leather man",
        # Colours that are mostly a material.
        "bronze horse",
        "golden dog",
        "gold pig",
        "silver man",
        "copper apple",
        # Said to be none.
        "toy dog",
        "stuffed bear",
        # On a plate.
        "roasted duck",
        "grilled goose",
    ],
)


@each_likeness
def test_it_is_not_among_the_names_that_can_be_asked(thing: str) -> None:
    assert view_of(scene_of(thing)).names == ()


@each_likeness
def test_nor_is_another_one_of_its_name(thing: str) -> None:
    """Whether the two are of one kind nobody knows."""
    assert view_of(scene_of(thing, thing.split()[-1])).names == ()


@each_row(
    "thing",
    [
        "wooden chair",
        "metal car",
        "silver car",
        "gold ring",
        "copper pan",
        "brown duck",
        "cooked pizza",  # cooked or not, a pizza it is
        "ripe apple",
    ],
)
def test_other_things_are_what_they_are_called(thing: str) -> None:
    assert view_of(scene_of(thing)).names == (thing.split()[-1],)


@each_row("type_", QuestionType)
def test_no_question_names_it(type_: QuestionType) -> None:
    scene = scene_of("black sitting wooden duck", "red car", "dog", exhaustive=ALL)
    assert not any("duck" in each for each in asked(arguments(type_, view_of(scene, POND))))


@pytest.mark.parametrize("type_", [QuestionType.OBJECT, QuestionType.ATTRIBUTE, QuestionType.ATTRIBUTE_CHOICE])
def test_nothing_is_related_to_one(type_: QuestionType) -> None:
    """Is there a cup on the duck, which is of wood?"""
    scene = scene_of("red open cup", "wooden duck", relationships=(one_is("on"),), exhaustive=ALL)
    cups = scene_of("blue cup", "closed cup", "lamp", "duck", "lamp", id="cups")
    found = asked(arguments(type_, view_of(scene, cups)))
    assert found
    assert not any("duck" in each for each in found)


def test_no_class_is_said_to_be_there_for_it() -> None:
    scene = scene_of("wooden duck", "red car", relationships=(one_is("on"),))
    found = cases(Ontological(), scene, POND, variant="hypernym")
    assert not any("animal" in query.text or "bird" in query.text for case in found for query in case.queries)


def test_no_class_is_said_to_be_absent_beside_it() -> None:
    assert view_of(scene_of("wooden duck")).classes_absent("dog") == ()
    assert view_of(scene_of("wooden chair")).classes_absent("dog") == ("animal",)


@pytest.mark.parametrize("other", ["wooden duck", "roasted duck", "toy cow", "bronze man"])
def test_nothing_else_is_the_only_one_of_a_class_beside_it(other: str) -> None:
    scene: Scene = scene_of("black dog", other)
    assert not view_of(scene).is_unique_in_class(scene.objects[0], "animal")
    assert not view_of(scene).is_unique_in_class(scene.objects[0], "animal", "black")


def test_it_is_never_absent() -> None:
    scene = scene_of("wooden duck", "car")
    assert "duck" not in {name for name, _ in view_of(scene, scene_of("car", "duck", id="b")).absent("car")}
