"""What is surely there, surely not, and the only one of its kind, by the rules of docs/explanation/soundness.md."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_vqamt.core.meaning import Group
from pytest_vqamt.core.scene import Scene
from tests.making import scene_of, thing_of
from tests.relations.carets.draws import one_is, view_of
from tests.rows import each_row

ALL = ("dog", "cat", "car", "tree", "person", "shirt", "tire")


def only(name: str, scene: Scene) -> bool:
    """Whether "the NAME" means the first thing of the scene, of that name."""
    view = view_of(scene)
    assert scene.objects[0].name == name
    return view.is_unique_by_name(scene.objects[0])


class TestTheOnlyOne:
    """Rule 6."""

    @each_row(
        "others",
        [
            ("dog",),  # two dogs
            ("puppy",),  # a hyponym
            ("animal",),  # a hypernym
            ("dogs",),  # its plural, annotated beside it
            ("hot dog",),  # one head noun
            ("car", "dog"),
        ],
    )
    def test_is_none_where_another_answers_to_the_phrase(self, others: tuple[str, ...]) -> None:
        assert not only("dog", scene_of("dog", *(name.replace(" ", "_") for name in others)))

    def test_is_the_one_that_is_apart_from_all_else(self) -> None:
        assert only("dog", scene_of("dog", "car", "tree", "car"))

    def test_is_none_beside_a_crowd_of_the_name_or_of_what_goes_by_it(self) -> None:
        assert not only("dog", scene_of("dog", crowds=("dog",)))
        assert not only("dog", scene_of("dog", crowds=("animal",)))
        assert only("dog", scene_of("dog", crowds=("car",)))

    def test_classes_of_one_exhaustive_list_are_apart(self) -> None:
        # Unlisted, two names of one family may be those of one thing.
        assert only("train", scene_of("train", "truck", exhaustive=("train", "truck")))
        assert not only("train", scene_of("train", "truck", exhaustive=("train",)))
        assert not only("dog", scene_of("dog", "puppy", exhaustive=("dog", "puppy")))


def by_word(word: str, *named: str) -> bool:
    """Whether "the WORD NAME" means the first thing of a scene of these."""
    scene = scene_of(*named)
    return view_of(scene).is_unique_by_attribute(scene.objects[0], word)


class TestTheOnlyOneWithAnAttribute:
    """Rules 2 and 6."""

    def test_is_so_where_every_other_one_has_an_attribute_that_excludes_it(self) -> None:
        assert by_word("red", "red car", "blue car")
        assert by_word("red", "red car", "blue car", "green car", "tree")

    @each_row(
        ("word", "other"),
        [
            ("red", "car"),  # of no known colour
            ("red", "red car"),
            ("red", "open car"),  # of another category
            ("black", "dark car"),  # what is dark may be black
            ("gold", "yellow car"),
            ("red", "orange car"),
            ("gray", "grey car"),  # one colour in two spellings
            ("red", "red blue car"),  # of both
        ],
    )
    def test_is_not_so_where_another_may_have_it(self, word: str, other: str) -> None:
        assert not by_word(word, f"{word} car", other)

    def test_is_not_so_beside_one_of_many_colours(self) -> None:
        scene = scene_of("red car", thing_of("blue car", id="1", multi_coloured=True))
        assert not view_of(scene).is_unique_by_attribute(scene.objects[0], "red")

    def test_is_not_so_beside_one_of_another_name_that_goes_by_it(self) -> None:
        assert not by_word("black", "black dog", "white dog", "white puppy")

    def test_is_not_so_beside_a_crowd(self) -> None:
        scene = scene_of("red car", "blue car", crowds=("car",))
        assert not view_of(scene).is_unique_by_attribute(scene.objects[0], "red")


class TestTheOnlyOneOfAClass:
    """Rule 6: "the black animal" with a cow and a horse."""

    @staticmethod
    def told(word: str, attribute: str, *named: str) -> bool:
        scene = scene_of(*named)
        return view_of(scene).is_unique_in_class(scene.objects[0], word, attribute)

    def test_is_not_so_where_another_could_be_of_it(self) -> None:
        assert not self.told("animal", "", "dog", "cow")
        assert not self.told("animal", "black", "black horse", "black cow")
        assert not self.told("animal", "black", "black horse", "cow")
        assert not self.told("animal", "", "dog", "teddy_bear")
        assert not self.told("animal", "black", "black dog", "teddy_bear")

    def test_is_so_where_every_other_one_surely_is_not(self) -> None:
        assert self.told("animal", "", "dog", "car")
        assert self.told("animal", "black", "black horse", "white cow", "car")
        assert self.told("animal", "black", "black dog", "white teddy_bear")

    def test_is_not_so_beside_a_crowd_of_it(self) -> None:
        scene = scene_of("black dog", "car", crowds=("sheep",))
        assert not view_of(scene).is_unique_in_class(scene.objects[0], "animal", "black")

    def test_is_not_so_beside_what_wordnet_does_not_know(self) -> None:
        assert not self.told("animal", "", "dog", "zzz")


class TestWhatCanBeSaid:
    def test_is_what_the_ontology_knows_and_can_put_before_a_noun(self) -> None:
        scene = scene_of("red frobbed carrying open car")
        assert view_of(scene).askable_attributes(scene.objects[0]) == ("red", "open")

    def test_is_no_colour_of_what_has_many(self) -> None:
        scene = scene_of(thing_of("red open car", multi_coloured=True))
        assert view_of(scene).askable_attributes(scene.objects[0]) == ("open",)

    def test_is_nothing_gradable_where_that_would_change(self) -> None:
        """Rule 7."""
        scene = scene_of("small tall old red dog")
        assert view_of(scene, gradable=False).askable_attributes(scene.objects[0]) == ("red",)
        assert view_of(scene).askable_attributes(scene.objects[0]) == ("small", "tall", "old", "red")
        assert view_of(scene, gradable=False).askable_attributes_of("dog") == ("red",)

    def test_is_no_size_of_people(self) -> None:
        """A little girl is not small for a girl; tall she may be."""
        scene = scene_of("little tall standing girl", "large man", "little dog")
        girl, man, dog = scene.objects
        view = view_of(scene)
        assert view.askable_attributes(girl) == ("tall", "standing")
        assert view.askable_attributes(man) == ()
        assert view.askable_attributes(dog) == ("little",)


class TestWhatIsLacked:
    """Rules 5 and 8: not merely unannotated."""

    @each_row(
        ("thing", "word"),
        [
            ("car", "red"),
            ("open car", "red"),
            ("dark dog", "black"),
            ("gold ring", "yellow"),
            ("gray cat", "grey"),
            ("large dog", "big"),
            ("red car", "red"),
        ],
    )
    def test_is_nothing_that_no_annotated_one_excludes(self, thing: str, word: str) -> None:
        scene = scene_of(thing)
        assert not view_of(scene).surely_lacks(scene.objects[0], word)

    @pytest.mark.parametrize(
        ("thing", "word"), [("red car", "blue"), ("grey cat", "red"), ("open door", "shut"), ("large dog", "little")]
    )
    def test_is_what_an_annotated_one_excludes_in_any_spelling(self, thing: str, word: str) -> None:
        scene = scene_of(thing)
        assert view_of(scene).surely_lacks(scene.objects[0], word)

    def test_is_nothing_that_is_annotated_as_well(self) -> None:
        scene = scene_of("open closed door")
        assert not view_of(scene).surely_lacks(scene.objects[0], "open")
        assert not view_of(scene).surely_lacks(scene.objects[0], "closed")

    def test_is_no_colour_of_what_has_many(self) -> None:
        scene = scene_of(thing_of("red open car", multi_coloured=True))
        assert not view_of(scene).surely_lacks(scene.objects[0], "blue")
        assert view_of(scene).surely_lacks(scene.objects[0], "closed")

    @pytest.mark.parametrize(
        ("thing", "word"),
        [("large little dog", "small"), ("striped spotted shirt", "dotted"), ("blue orange car", "yellow")],
    )
    def test_is_nothing_that_another_annotated_one_may_mean(self, thing: str, word: str) -> None:
        # "Little" is "small", whatever "large" excludes; who says "spotted" may say "dotted", and who says "orange",
        # "yellow".
        scene = scene_of(thing)
        assert not view_of(scene).surely_lacks(scene.objects[0], word)


class TestFalseAttributes:
    """Rule 5: of every bearer of the name."""

    LOT = scene_of("white car", "blue car", "red car", "big car", id="lot")

    def test_are_those_that_every_bearer_has_an_excluding_one_of(self) -> None:
        assert set(view_of(scene_of("red car", "blue car"), self.LOT).false_attributes_of("car")) == {"white"}
        assert set(view_of(scene_of("red car"), self.LOT).false_attributes_of("car")) == {"white", "blue"}

    def test_are_none_where_one_bearer_is_of_no_known_colour(self) -> None:
        assert view_of(scene_of("red car", "car"), self.LOT).false_attributes_of("car") == ()

    def test_are_none_where_one_bearer_is_of_many(self) -> None:
        scene = scene_of("red car", thing_of("blue car", id="1", multi_coloured=True))
        assert view_of(scene, self.LOT).false_attributes_of("car") == ()

    def test_are_none_where_another_name_may_be_meant(self) -> None:
        dogs = scene_of("white dog", "brown dog", id="dogs")
        assert set(view_of(scene_of("black dog"), dogs).false_attributes_of("dog")) == {"white"}
        assert view_of(scene_of("black dog", "puppy"), dogs).false_attributes_of("dog") == ()

    def test_are_borne_by_things_of_the_name_in_the_corpus(self) -> None:
        assert view_of(scene_of("red car"), scene_of("blue boat")).false_attributes_of("car") == ()


class TestRelations:
    def relations(self, scene: Scene) -> set[str]:
        return {f"{subject.name} {predicate} {target.name}" for subject, predicate, target in view_of(scene).relations}

    def test_are_to_the_only_one_of_its_name(self) -> None:
        on = (one_is("on"),)
        assert self.relations(scene_of("cat", "bench", relationships=on)) == {"cat on bench"}
        assert self.relations(scene_of("cat", "bench", "bench", relationships=on)) == set()
        assert self.relations(scene_of("cat", "bench", crowds=("bench",), relationships=on)) == set()

    def test_can_be_asked_about(self) -> None:
        assert self.relations(scene_of("cat", "bench", relationships=(one_is("frobbing"),))) == set()

    def test_are_between_things_of_two_names_that_wordnet_knows(self) -> None:
        assert self.relations(scene_of("zzz", "bench", relationships=(one_is("on"),))) == set()
        assert self.relations(scene_of("bench", "zzz", relationships=(one_is("on"),))) == set()

    def test_tell_a_thing_from_others(self) -> None:
        scene = scene_of("cat", "bench", "car", relationships=(one_is("on"), one_is("near", "0", "2")))
        view = view_of(scene)
        cat = scene.objects[0]
        (on, near) = view.phrases_by_relation(cat, Group(name="cat"))
        assert [each.related[0].predicate for each in (on, near)] == ["on", "near"]


def test_names_are_those_of_physical_things_and_of_no_crowd() -> None:
    scene = scene_of("dog", "car", "zzz", "dog", crowds=("car",))
    assert view_of(scene).names == ("dog",)


@each_row("name", ["background", "reflection", "shadow", "group", "picture", "letters", "black", "night"])
def test_what_names_no_thing_is_not_asked_about(name: str) -> None:
    assert view_of(scene_of("dog", name)).names == ("dog",)


def test_what_is_annotated_exhaustively_is_sure() -> None:
    view = view_of(scene_of("dog", exhaustive=("cat",)))
    assert (view.is_presumed("cat"), view.is_presumed("dog")) == (False, True)
    assert view_of(replace(view.scene, exhaustive=frozenset())).is_presumed("cat")


@pytest.mark.parametrize(
    ("synset", "classes"),
    [
        (None, ["animal"]),
        ("wolf.n.01", ["animal"]),
        ("wolf.n.02", []),  # Hugo Wolf, the composer
        ("wolf.n.77", ["animal"]),  # WordNet has no such synset, so it says nothing
    ],
)
def test_a_synset_that_the_data_gives_can_speak_against_a_class(synset: str | None, classes: list[str]) -> None:
    scene = scene_of(replace(thing_of("wolf"), synset=synset))
    assert [each.word for each in view_of(scene).classes_of("wolf")] == classes
