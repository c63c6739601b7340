"""What is surely not there, and plausible (relations.md, section 0, rule 4)."""

from __future__ import annotations

import pytest

from pytest_vqamt.core.scene import Scene
from pytest_vqamt.relations.askable_scene import MAX_PLAUSIBLE_NAMES
from tests.making import scene_of
from tests.relations.carets.draws import view_of


def absent(scene: Scene, companion: str, *together: Scene) -> set[str]:
    return {name for name, _ in view_of(scene, *together).absent(companion)}


class TestWhatIsAbsent:
    """Rule 4: plausible, and no hypernym, hyponym, part, whole or garment of what is annotated."""

    @pytest.mark.parametrize(
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

    @pytest.mark.parametrize("name", ["wall", "sky", "building", "window", "grass", "plant", "food", "hair", "paper"])
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
