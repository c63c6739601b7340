"""The count of two groups together equals the sum of their counts."""

from __future__ import annotations

from pytest_vqamt.core.case import Case
from pytest_vqamt.core.corpus import gather_corpus
from pytest_vqamt.core.meaning import Count, Group
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.relations.metavqa import Partition
from tests.making import answers_of, choosers, group_of, scene_of
from tests.relations.deriving import derive, the_case

PARTITION = Partition()


def test_a_case_asks_for_both_together_and_for_each(yard: Scene) -> None:
    case = the_case(PARTITION, yard, "object")
    assert (case.relation, case.variant, case.scene) == ("metavqa.partition", "object", "yard")
    dog, cat = Group(name="dog"), Group(name="cat")
    assert [(query.text, query.meaning) for query in case.queries] == [
        ("How many dogs and cats are there in the picture altogether?", Count(groups=(dog, cat))),
        ("How many dogs are there in the picture?", Count(groups=(dog,))),
        ("How many cats are there in the picture?", Count(groups=(cat,))),
    ]
    assert {query.picture for query in case.queries} == {yard.picture}
    assert (case.expected, case.fact("present_groups")) == ("first = second + third", 2)


def test_a_case_of_one_name_with_two_properties(yard: Scene) -> None:
    case = the_case(PARTITION, yard, "property")
    brown, black = group_of("brown dog"), group_of("black dog")
    assert [(query.text, query.meaning) for query in case.queries] == [
        ("How many brown dogs and black dogs are there in the picture altogether?", Count(groups=(brown, black))),
        ("How many brown dogs are there in the picture?", Count(groups=(brown,))),
        ("How many black dogs are there in the picture?", Count(groups=(black,))),
    ]


def test_the_papers_own_wording_is_among_those_asked_and_a_case_keeps_to_one() -> None:
    scene = scene_of("standing woman", "lying woman")
    asked = set()
    for choose in choosers(200):
        case = derive(PARTITION, scene, choose, "property")
        if isinstance(case, Case) and case.fact("present_groups") == 2:
            asked.add(tuple(query.text for query in case.queries))
    # Yuan et al., section 4.1.1: the number of two groups in one question, and of each.
    assert (
        "What is the total number of standing women and lying women in the picture?",
        "What is the number of standing women in the picture?",
        "What is the number of lying women in the picture?",
    ) in asked


def test_nothing_counted_is_vacuous() -> None:
    scene, other = scene_of("dog", exhaustive=("dog",)), scene_of("cup", "tree", exhaustive=("cup", "tree"))
    corpus = gather_corpus((scene, other))
    cases = [derive(PARTITION, scene, choose, "object", corpus) for choose in choosers(100)]
    absent = next(case for case in cases if isinstance(case, Case) and case.fact("present_groups") == 0)
    assert PARTITION.judge(absent, answers_of("0", "none", "There are no trees.")).vacuous


def test_a_count_is_read_in_any_words(yard: Scene) -> None:
    verdict = PARTITION.judge(the_case(PARTITION, yard, "object"), answers_of("4", "three", "There is one cat."))
    assert verdict.readings == ("4", "3", "1")
