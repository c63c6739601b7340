"""Erasing a thing makes a count that includes it one less."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_vqamt.core.case import Case
from pytest_vqamt.core.edits import Erase, Fill
from pytest_vqamt.core.meaning import Count, Group, truth
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.imaging import inpainting
from pytest_vqamt.relations.metavqa import RemovalPlus
from tests.making import answers_of, group_of, scene_of
from tests.relations.deriving import cases_of

pytestmark = pytest.mark.usefixtures("small_things_are_salient")

PLUS = RemovalPlus()


def cases(scene: Scene, plus: RemovalPlus = PLUS) -> list[Case]:
    return cases_of(plus, scene, draws=120)


def asked(some: list[Case]) -> set[tuple[object, frozenset[Group]]]:
    """What was removed, and what was counted together."""
    found: set[tuple[object, frozenset[Group]]] = set()
    for case in some:
        meaning = case.queries[0].meaning
        assert isinstance(meaning, Count)
        found.add((case.fact("removed"), frozenset(meaning.groups)))
    return found


def sets(removed: str, *phrases: str) -> set[tuple[object, frozenset[Group]]]:
    return {(removed, frozenset(map(group_of, phrase.split("+")))) for phrase in phrases}


def test_what_is_erased_is_counted_alone_with_another_name_and_by_its_property(yard: Scene) -> None:
    # The cat and the bench overlap each other, so neither is erased.
    assert asked(cases(yard)) == {
        *sets("dog", "dog", "dog+cat", "dog+bench", "dog+car", "brown dog", "black dog"),
        *sets("car", "car", "car+dog", "car+cat", "car+bench", "red car"),
    }


def test_the_right_answer_is_one_less(yard: Scene) -> None:
    for case in cases(yard):
        before, after = (truth(query.meaning, query.picture.scene) for query in case.queries)
        assert isinstance(before, int)
        assert after == before - 1
        assert (case.relation, case.variant, case.expected) == ("metavqa.removal_plus", "", "second = first - 1")
        assert case.fact("present_groups") == (2 if case.fact("shape") == "two names" else 1)
        assert case.tags == ()


def test_only_the_property_of_the_erased_thing_itself_is_counted(yard: Scene) -> None:
    for case in cases(yard):
        if case.fact("shape") == "property" and case.fact("removed") == "dog":
            left = {thing.id for thing in case.queries[1].picture.scene.objects}
            erased = "black" if "d3" not in left else "brown"
            assert erased in case.queries[0].text


def test_a_patch_is_neither_of_the_name_nor_of_the_colour_that_is_counted() -> None:
    scene = scene_of("white dog", "black cat", "box", exhaustive=("dog", "cat", "box"))
    assert asked(cases(scene)) == {*sets("dog", "dog", "dog+cat"), *sets("cat", "cat", "cat+dog", "black cat")}


def test_what_may_vanish_with_it_is_not_counted_with_it() -> None:
    # Where not every shirt is annotated, nobody knows whether the man wears one.
    found = asked(cases(scene_of("man", "shirt", "tree")))
    assert {groups for removed, groups in found if removed == "man"} == {
        groups for _, groups in sets("man", "man", "man+tree")
    }


def test_an_inpainter_leaves_no_patch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inpainting, "_is_installed", lambda _: True)
    some = cases(scene_of("white dog", "box", exhaustive=("dog", "box")), RemovalPlus(erase="inpaint"))
    assert asked(some) == {*sets("dog", "dog", "dog+box", "white dog"), *sets("box", "box", "box+dog")}
    edits = {edit for case in some for edit in case.queries[1].picture.edits}
    assert {(edit.fill, edit.method) for edit in edits if isinstance(edit, Erase)} == {(Fill.INPAINT, "telea")}


def test_what_is_nowhere_else_may_vanish_altogether() -> None:
    # Yuan et al., section 4.2.2: erasing the one human being, V(q, i) = V(q, i_remove) + 1.
    scene = scene_of("man", "giraffe", exhaustive=("man", "giraffe"))
    case = next(each for each in cases(scene) if each.fact("removed") == "man" and each.fact("shape") == "one name")
    assert [truth(query.meaning, query.picture.scene) for query in case.queries] == [1, 0]
    assert PLUS.judge(case, answers_of("1", "0")).obeys


def test_what_is_not_listed_is_presumed(yard: Scene) -> None:
    assert all(case.is_presumed for case in cases(replace(yard, exhaustive=frozenset())))
