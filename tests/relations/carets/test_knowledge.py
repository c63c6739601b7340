"""What WordNet and the ontology say of pairs of names (relations.md, section 0, rules 1, 4 and 6)."""

from __future__ import annotations

import pytest

from pytest_vqamt.core.scene import Scene
from pytest_vqamt.data.coco.source import COCO_CLASSES, annotated_exhaustively
from tests.making import scene_of
from tests.relations.carets.draws import KNOWN

NOTHING: frozenset[str] = frozenset()


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("dog", "puppy"), ("dog", "animal"), ("boy", "child"), ("mug", "cup"), ("truck", "van"), ("man", "skier"),
        ("teddy bear", "bear"), ("man", "person"), ("couch", "sofa"), ("bike", "bicycle"), ("dog", "hot dog"),
    ],
)  # fmt: skip
def test_names_that_one_thing_may_go_by_are_not_apart(a: str, b: str) -> None:
    """Rule 1: WordNet alone is not enough, boy and child are unrelated there."""
    scene = scene_of()
    assert not KNOWN.is_apart(a, b, scene)
    assert not KNOWN.is_apart(b, a, scene)


@pytest.mark.parametrize(("a", "b"), [("dog", "car"), ("man", "lamp"), ("pizza", "bed"), ("dog", "tree")])
def test_names_of_two_families_are_apart(a: str, b: str) -> None:
    assert KNOWN.is_apart(a, b, scene_of())
    assert KNOWN.is_apart(b, a, scene_of())


def test_a_class_list_that_has_both_tells_them_apart() -> None:
    assert KNOWN.is_apart("train", "truck", scene_of(exhaustive=("train", "truck")))
    assert not KNOWN.is_apart("train", "truck", scene_of(exhaustive=("train",)))
    assert not KNOWN.is_apart("dog", "puppy", scene_of(exhaustive=("dog", "puppy")))


@pytest.mark.parametrize(
    ("name", "here"),
    [
        ("tire", "car"), ("wheel", "bicycle"), ("keyboard", "laptop"), ("person", "shirt"), ("shirt", "man"),
        ("dog", "puppy"), ("animal", "teddy bear"), ("person", "mannequin"), ("horse", "horse statue"),
        ("dog", "stuffed animal"), ("car", "zzz"), ("dog", "dog"),
    ],
)  # fmt: skip
def test_nothing_is_absent_beside_what_it_comes_with_or_may_be(name: str, here: str) -> None:
    """Rule 4."""
    assert not KNOWN.is_absent(name, frozenset({here}), NOTHING)


@pytest.mark.parametrize(("name", "here"), [("dog", "car"), ("pizza", "bed"), ("cow", "lamp"), ("lamp", "dog")])
def test_what_is_unlike_all_that_is_there_can_be_absent(name: str, here: str) -> None:
    assert KNOWN.is_absent(name, frozenset({here}), NOTHING)
    assert not KNOWN.is_absent(name, frozenset({here, name}), NOTHING)


@pytest.mark.parametrize(
    ("name", "word", "never"),
    [
        ("car", "animal", True),
        ("cow", "animal", False),
        ("teddy bear", "animal", False),  # to some
        ("horn", "animal", False),  # an animal's, perhaps
        ("zzz", "animal", False),
        ("man", "clothing", False),  # he comes with it
        ("lamp", "furniture", False),
        ("dog", "furniture", True),
        ("tomato", "fruit", False),
    ],
)
def test_a_name_is_never_of_a_class_only_where_nobody_would_say_so(name: str, word: str, never: bool) -> None:
    assert KNOWN.is_never(name, word) is never


def test_a_class_covers_the_names_of_the_scene_that_are_of_it() -> None:
    scene: Scene = scene_of("dog", "teddy_bear", "cat", "car", "dog", "animal")
    group = KNOWN.class_group("animal", scene, ("black",))
    assert (group.name, group.covers, group.attributes) == ("animal", ("animal", "dog", "cat"), ("black",))


def test_classes_come_nearest_first() -> None:
    assert [each.word for each in KNOWN.classes_of("apple")] == ["fruit", "food"]
    assert KNOWN.classes_of("tire") == ()


def test_a_keyboard_is_never_absent_beside_a_laptop() -> None:
    """COCO marks keyboards where they stand alone, and every laptop shows one."""
    listed = annotated_exhaustively(COCO_CLASSES)
    assert not KNOWN.is_absent("keyboard", frozenset({"laptop"}), listed)
    assert KNOWN.is_absent("keyboard", frozenset({"dog"}), listed)
    assert KNOWN.is_absent("mouse", frozenset({"laptop"}), listed)


def test_a_name_is_that_of_a_physical_thing_to_be_seen() -> None:
    assert [KNOWN.is_named(name) for name in ("dog", "teddy bear", "zzz", "reflection")] == [True, True, False, False]
