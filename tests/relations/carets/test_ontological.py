"""Where there is a dog there is an animal, and where there is no animal there is no dog."""

from __future__ import annotations

import pytest

from pytest_vqamt.core.case import Case, Outcome
from pytest_vqamt.core.meaning import Choice, Exists, truth
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.relations.carets import Ontological
from tests.making import answers_of, scene_of
from tests.relations.carets.draws import cases, short

ONTOLOGICAL = Ontological()


def pairs(variant: str, scene: Scene, *others: Scene) -> set[tuple[str, str]]:
    return {in_short(case) for case in cases(ONTOLOGICAL, scene, *others, variant=variant)}


def in_short(case: Case) -> tuple[str, str]:
    first, second = (query.meaning for query in case.queries)
    assert isinstance(first, Exists | Choice)
    assert isinstance(second, Exists | Choice)
    return short(first), short(second)


class TestHypernyms:
    def test_what_is_there_becomes_its_class_with_the_same_attribute(self) -> None:
        assert pairs("hypernym", scene_of("brown dog", "lamp_post", "apple")) >= {
            ("dog", "animal"), ("brown dog", "brown animal"), ("apple", "fruit"), ("apple", "food"),
        }  # fmt: skip

    def test_nothing_that_is_merely_like_one_becomes_it(self) -> None:
        assert {second for _, second in pairs("hypernym", scene_of("teddy_bear", "hot_dog"))} <= {"toy", "food"}

    def test_nothing_is_said_that_depends_on_the_class(self) -> None:
        """Rule 7: a small elephant is no small animal."""
        assert pairs("hypernym", scene_of("small old elephant")) == {("elephant", "animal")}

    def test_both_are_true(self) -> None:
        scene = scene_of("brown dog", "white cat", "red apple")
        for case in cases(ONTOLOGICAL, scene, variant="hypernym"):
            assert [truth(query.meaning, scene) for query in case.queries] == [True, True]
            assert case.fact("truth") == "yes"
            assert case.fact("template") == case.fact("other_template")

    def test_no_case_is_presumed_for_what_is_there_is_there(self) -> None:
        assert not any(case.is_presumed for case in cases(ONTOLOGICAL, scene_of("dog"), variant="hypernym"))

    def test_no_crowd_is_asked_about(self) -> None:
        assert pairs("hypernym", scene_of("dog", "apple", crowds=("dog",))) == {("apple", "fruit"), ("apple", "food")}


class TestHyponyms:
    FARM = scene_of("car", "brown dog", "small cow", id="farm")

    def test_a_class_of_which_there_is_nothing_becomes_a_plausible_kind(self) -> None:
        assert pairs("hyponym", scene_of("car"), self.FARM) == {
            ("animal", "dog"), ("animal", "cow"), ("brown animal", "brown dog"),
        }  # fmt: skip

    @pytest.mark.parametrize("there", ["sheep", "puppy", "teddy_bear", "horn", "zzz"])
    def test_no_class_is_absent_beside_what_may_be_of_it(self, there: str) -> None:
        assert pairs("hyponym", scene_of("car", there), self.FARM) == set()

    def test_no_class_is_absent_beside_a_crowd_of_it(self) -> None:
        assert pairs("hyponym", scene_of("car", crowds=("sheep",)), self.FARM) == set()

    def test_both_are_false(self) -> None:
        scene = scene_of("car")
        for case in cases(ONTOLOGICAL, scene, self.FARM, variant="hyponym"):
            assert [truth(query.meaning, scene) for query in case.queries] == [False, False]
            assert case.fact("truth") == "no"

    def test_it_is_presumed_but_of_a_class_that_is_annotated_exhaustively(self) -> None:
        for exhaustive, presumed in (((), True), (("dog", "cow"), True), (("animal",), False)):
            found = cases(ONTOLOGICAL, scene_of("car", exhaustive=exhaustive), self.FARM, variant="hyponym")
            assert {case.is_presumed for case in found} == {presumed}


def test_it_is_violated_by_who_does_not_know_that_a_dog_is_an_animal() -> None:
    (case, *_) = cases(ONTOLOGICAL, scene_of("dog"), variant="hypernym")
    assert ONTOLOGICAL.judge(case, answers_of("yes", "no")).outcome is Outcome.VIOLATED
    assert ONTOLOGICAL.judge(case, answers_of("yes", "yes")).outcome is Outcome.HOLDS
    assert ONTOLOGICAL.judge(case, answers_of("yes", "what?")).outcome is Outcome.UNPARSED
