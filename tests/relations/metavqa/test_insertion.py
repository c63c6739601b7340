"""Putting one more thing into a picture changes no answer about other things."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.case import Case, NotApplicable
from pytest_vqamt.core.meaning import Absent, Count, Exists, Meaning, groups_of
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.relations.metavqa import Insertion
from tests.making import scene_of
from tests.relations.deriving import cases_of, derive
from tests.relations.inserted import corpus_of, insert_of, kennel, masked

INSERTION = Insertion()
CLASSES = ("dog", "cat", "car", "shirt", "puppy")
YARD = scene_of(
    masked("brown dog", "0", Box(60, 40, 30, 30)),
    masked("red car", "1", Box(0, 0, 40, 30)),
    "black cat",
    "shirt",
    id="yard",
    exhaustive=CLASSES,
)


def cases(variant: str = "count", scene: Scene = YARD, elsewhere: Scene | None = None) -> list[Case]:
    corpus = corpus_of([scene, elsewhere or kennel((60, 30))])
    return cases_of(INSERTION, scene, variant, corpus=corpus)


def asked(some: list[Case]) -> set[str]:
    """The names that are asked about."""
    return {group.name for case in some for group in groups_of(case.queries[0].meaning)}


@pytest.mark.parametrize(("variant", "kind"), [("count", Count), ("exists", Exists), ("absent", Absent)])
def test_a_case_asks_the_same_before_and_after(variant: str, kind: type[Meaning]) -> None:
    for case in cases(variant):
        before, after = case.queries
        assert (before.text, before.meaning) == (after.text, after.meaning)
        assert isinstance(before.meaning, kind)
        assert before.picture == YARD.picture
        edit = insert_of(after.picture)
        assert (edit.cutout.thing.name, edit.cutout.photo.id) == ("dog", "kennel.png")
        assert after.picture.scene.count("dog") == 2
        assert (case.relation, case.variant, case.expected) == ("metavqa.insertion", variant, "first = second")
        assert (case.fact("inserted"), case.tags) == ("dog", ())


def test_half_of_what_is_inserted_touches_what_is_there() -> None:
    # Yuan et al., section 6.2: many defects show where it is close to other things.
    assert {case.fact("placed") for case in cases()} == {"touching", "anywhere"}


def test_other_things_are_asked_about() -> None:
    assert asked(cases()) == {"car", "cat", "shirt"}


def test_but_none_that_may_have_come_along_in_part_nor_what_half_a_dog_looks_like() -> None:
    assert asked(cases(elsewhere=kennel((60, 30), beside="shirt"))) == {"car"}
    assert asked(cases(elsewhere=kennel((60, 30), at=(0, 10)))) == {"car", "shirt"}


def test_nor_what_might_be_of_the_inserted_kind() -> None:
    assert "puppy" not in asked(
        cases(scene=replace(YARD, objects=(*YARD.objects, masked("puppy", "9", Box(150, 70, 30, 30)))))
    )


def test_where_not_all_of_it_is_annotated_it_is_presumed() -> None:
    # Neither worn, carried nor held by a dog: the car alone can be asked about, and there may be more cars.
    listed = replace(YARD, exhaustive=frozenset({"dog"}))
    some = cases(scene=listed)
    assert asked(some) == {"car"}
    assert all(case.is_presumed for case in some)


def test_nor_where_not_all_of_it_is_annotated_in_the_photo_that_the_thing_is_from() -> None:
    some = cases(elsewhere=replace(kennel((60, 30)), exhaustive=frozenset({"dog", "car"})))
    for case in some:
        names = asked([case])
        assert case.is_presumed is bool(names - {"car"})


def test_it_does_not_apply_where_there_is_nothing_else_to_ask_about() -> None:
    alone = scene_of(masked("dog", "0", Box(60, 40, 30, 30)), exhaustive=CLASSES)
    found = derive(INSERTION, alone, variant="count", corpus=corpus_of([alone, kennel((60, 30))]))
    assert found == NotApplicable(reason="no other thing in the picture has a sure answer")


def test_only_what_is_there_already_is_inserted() -> None:
    # Yuan et al., section 4.2.2: no elephant in a living room.
    assert cases(elsewhere=kennel((60, 30), words="gray elephant")) == []
