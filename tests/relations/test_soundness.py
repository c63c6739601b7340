"""What may be taken for what where it is blurred or seen in part."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import pytest

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.corpus import gather_corpus
from pytest_vqamt.core.salience import is_salient, is_salient_size
from pytest_vqamt.core.scene import Scene, Thing
from pytest_vqamt.language.english.families import family
from pytest_vqamt.language.tables import toml_table
from pytest_vqamt.relations.soundness import (
    annotated_names,
    cannot_be_confused,
    certain_properties,
    corpus_properties,
    countable_names,
    disjoint,
    is_bulky,
    is_disjoint_from_all,
    object_names,
    presumed,
    salient_names,
    scene_properties,
    single_valued,
    unrelated,
)
from tests.making import scene_of, thing_of
from tests.rows import each_row


@pytest.mark.parametrize(
    ("a", "b"),
    [("dog", "car"), ("man", "car"), ("pizza", "bus"), ("elephant", "umbrella"), ("wine glass", "person")],
)
def test_things_of_two_families_and_outlines_are_surely_unlike(a: str, b: str) -> None:
    assert cannot_be_confused(a, b)
    assert cannot_be_confused(b, a)


@each_row(
    ("a", "b"),
    [
        ("dog", "dog"),
        # Of one family.
        ("dog", "cat"),
        ("cup", "plate"),
        # Of two families, but from behind a teddy bear is a bear, and a person from afar.
        ("bear", "teddy bear"),
        ("woman", "teddy bear"),
        ("skier", "robot"),
        # Of one outline: round, in the air, with straight edges, hollow.
        ("balloon", "apple"),
        ("orange", "sports ball"),
        ("bird", "airplane"),
        ("book", "laptop"),
        ("vase", "bottle"),
        ("broccoli", "tree"),
        # A mouse is an animal or lies on a desk, and nobody knows what a thingamajig looks like.
        ("mouse", "car"),
        ("thingamajig", "car"),
    ],
)
def test_others_may_be_taken_for_each_other(a: str, b: str) -> None:
    assert not cannot_be_confused(a, b)
    assert not cannot_be_confused(b, a)


def test_an_outline_names_things_that_families_keep_apart() -> None:
    named = toml_table("english/outlines.toml")["similar"]
    # A name without a family is surely unlike nothing as it is, and one that is misspelt does nothing.
    assert [name for row in named for name in row if family(name) is None] == []
    assert all(len(set(row)) == len(row) for row in named)
    for row in named:
        assert any(family(a) != family(b) for a, b in combinations(row, 2))


EMPTY = scene_of()


def test_names_are_told_each_once_in_scene_order() -> None:
    scene = scene_of("cat", "dog", "cat", crowds=("person",))
    assert object_names(scene) == ("cat", "dog")
    assert annotated_names(scene) == {"cat", "dog", "person"}


class TestCountable:
    def test_masses_plurals_crowds_and_what_stands_beside_its_plural_are_not(self) -> None:
        scene = scene_of("water", "scissors", "dogs", "man", "person", "people", "sheep", "cup", crowds=("man",))
        # Of "person" there are "people" as well; a sheep is a sheep.
        assert countable_names(scene) == ("sheep", "cup")

    def test_a_crowd_is_a_crowd_by_its_own_name_alone(self) -> None:
        assert countable_names(scene_of("dog", "cat", crowds=("cat",))) == ("dog",)


@each_row(
    ("a", "b", "apart"),
    [
        ("dog", "car", True),
        ("dog", "cat", False),  # of one family: a scene that lists no classes may call one thing by both
        ("dog", "dog", False),
        ("dog", "hot dog", False),  # the same head noun, whatever the families
        ("dog", "thingamajig", False),  # no family
        ("teddy bear", "bear", False),
        ("man", "shirt", True),  # a man is no shirt, though he may wear one
    ],
)
def test_names_are_disjoint_where_no_thing_goes_by_both(a: str, b: str, apart: bool) -> None:
    assert disjoint(a, b, EMPTY) is disjoint(b, a, EMPTY) is apart


@pytest.mark.parametrize(("a", "b", "apart"), [("dog", "cat", True), ("bird", "duck", False), ("zot", "dog", False)])
def test_classes_of_an_exhaustive_list_are_disjoint_but_for_kinds(a: str, b: str, apart: bool) -> None:
    assert disjoint(a, b, scene_of(exhaustive=(a, b))) is apart


@each_row(
    ("a", "b", "expected"),
    [
        ("dog", "car", True),
        ("man", "tree", True),
        ("man", "shirt", False),  # worn
        ("man", "dog", False),  # carried
        ("cat", "car", True),
        ("cat", "ball", False),  # held
        ("dog", "cat", False),  # not even disjoint
    ],
)
def test_unrelated_names_come_and_go_without_each_other(a: str, b: str, expected: bool) -> None:
    assert unrelated(a, b, EMPTY) is unrelated(b, a, EMPTY) is expected


def test_where_every_shirt_is_annotated_one_knows_which_goes_with_a_man() -> None:
    assert unrelated("man", "shirt", scene_of(exhaustive=("man", "shirt")))
    assert not unrelated("man", "shirt", scene_of(exhaustive=("man",)))


def test_a_name_is_alone_where_nothing_else_could_be_counted_as_one() -> None:
    assert is_disjoint_from_all("dog", scene_of("dog", "dog", "car"))
    assert not is_disjoint_from_all("dog", scene_of("dog", "puppy"))
    assert not is_disjoint_from_all("dog", scene_of("dog", crowds=("animal",)))


def test_presumed_where_one_of_the_names_is_not_listed_exhaustively() -> None:
    scene = scene_of("dog", exhaustive=("dog", "cat"))
    assert not presumed(("dog", "cat"), scene)
    assert presumed(("dog", "car"), scene)


class TestProperties:
    def test_single_valued_is_of_one_colour_each(self) -> None:
        assert single_valued("dog", scene_of("brown dog", "small black dog", "dog"))
        assert not single_valued("dog", scene_of("brown dog", "brown black dog"))
        assert not single_valued("dog", scene_of("brown dog", thing_of("dog", multi_coloured=True)))
        assert single_valued("dog", scene_of("brown dog", "red white bus"))

    def test_borne_are_those_of_the_pool(self) -> None:
        scene = scene_of("small brown dog", "brown dog", "sitting black dog", "sitting red man")
        assert scene_properties("dog", scene) == ["brown", "black"]
        assert scene_properties("man", scene) == ["sitting"]

    def test_seen_on_is_known_from_the_whole_corpus(self) -> None:
        corpus = gather_corpus((scene_of("brown dog", "brown dog", "red cat"), scene_of("small black dog")))
        assert corpus_properties("dog", corpus) == ["brown", "black"]
        assert corpus_properties("cow", corpus) == []

    @each_row(
        ("words", "sure"),
        [
            ("brown dog", ("brown",)),
            ("small brown dog", ("brown",)),
            ("brown black dog", ()),
            ("small dog", ()),
            ("sitting man", ("sitting",)),
            ("red man", ()),
        ],
    )
    def test_a_thing_surely_has_the_one_property_that_is_annotated(self, words: str, sure: tuple[str, ...]) -> None:
        assert certain_properties(thing_of(words)) == sure

    def test_but_not_where_it_has_no_one_colour(self) -> None:
        assert certain_properties(thing_of("brown dog", multi_coloured=True)) == ()


@pytest.mark.parametrize("scene", [EMPTY], ids=["empty"])
def test_of_nothing_there_is_nothing(scene: Scene) -> None:
    assert countable_names(scene) == ()
    assert annotated_names(scene) == frozenset()


def picture(width: int, height: int) -> Scene:
    return replace(scene_of(), width=width, height=height)


def dog(w: float, h: float) -> Thing:
    return thing_of("dog", box=Box(5, 5, w, h))


@pytest.mark.parametrize(
    ("w", "h", "large"),
    [
        # Of 640 pixels, a twelfth is 53.3, and a third of that 17.8.
        (54, 18, True),
        (18, 54, True),
        (53, 53, False),
        (120, 17, False),
    ],
)
def test_a_twelfth_of_the_picture_on_the_longer_side_and_a_third_of_that_on_the_shorter(
    w: float, h: float, large: bool
) -> None:
    assert is_salient_size(w, h, Box(0, 0, 640, 480)) is large


@pytest.mark.parametrize(("w", "h", "large"), [(24, 8, True), (23, 23, False), (24, 7, False)])
def test_in_a_small_picture_24_pixels(w: float, h: float, large: bool) -> None:
    assert is_salient_size(w, h, Box(0, 0, 224, 224)) is large


def test_a_fragment_is_not_recognised_however_large() -> None:
    scene = picture(640, 480)
    assert is_salient(dog(200, 200), scene)
    assert not is_salient(replace(dog(200, 200), fragmented=True), scene)


def test_bulky_is_what_is_not_slim_either() -> None:
    scene = picture(640, 480)
    assert is_bulky(dog(54, 54), scene)
    assert is_salient(dog(154, 29), scene)
    assert not is_bulky(dog(154, 29), scene)


def test_what_is_wider_than_the_word_is_not_surely_called_so() -> None:
    """COCO calls a scoreboard a tv."""
    things = [thing_of(name, id=name, box=Box(10 + 60 * at, 10, 40, 40)) for at, name in enumerate(("tv", "dog"))]
    assert salient_names(scene_of(*things)) == {"dog"}
