"""The order in which two groups are named does not change their count."""

from __future__ import annotations

from pytest_vqamt.core.case import Case
from pytest_vqamt.core.corpus import gather_corpus
from pytest_vqamt.core.meaning import Count, Group
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.relations.metavqa import Reorder
from tests.making import choosers, group_of, scene_of
from tests.relations.deriving import derive, the_case

REORDER = Reorder()


def test_a_case_asks_in_both_orders(yard: Scene) -> None:
    case = the_case(REORDER, yard, "object")
    assert (case.relation, case.variant, case.scene) == ("metavqa.reorder", "object", "yard")
    dog, cat = Group(name="dog"), Group(name="cat")
    assert [(query.text, query.meaning) for query in case.queries] == [
        ("How many dogs and cats are there in the picture altogether?", Count(groups=(dog, cat))),
        ("How many cats and dogs are there in the picture altogether?", Count(groups=(cat, dog))),
    ]
    assert {query.picture for query in case.queries} == {yard.picture}
    assert (case.expected, case.fact("present_groups")) == ("first = second", 2)


def test_a_case_of_one_name_with_two_properties(yard: Scene) -> None:
    brown, black = group_of("brown dog"), group_of("black dog")
    assert [query.meaning for query in the_case(REORDER, yard, "property").queries] == [
        Count(groups=(brown, black)),
        Count(groups=(black, brown)),
    ]


def test_as_in_the_paper_only_the_order_of_the_nouns_changes() -> None:
    # Yuan et al., section 4.1.2: "A and B" becomes "B and A", and nothing else of the question.
    scene = scene_of("dog", "cat", exhaustive=("dog", "cat"))
    corpus = gather_corpus((scene,))
    found = [derive(REORDER, scene, choose, "object", corpus) for choose in choosers(100)]
    asked = {tuple(query.text for query in case.queries) for case in found if isinstance(case, Case)}
    for first, second in asked:
        assert first != second
        assert {first, second} == {first, first.replace(*either_order(first))}
    one = "What is the total number of dogs and cats in the picture?"
    other = "What is the total number of cats and dogs in the picture?"
    assert {(one, other), (other, one)} <= asked


def either_order(text: str) -> tuple[str, str]:
    """What stands in the text, and what should stand there in the other order."""
    orders = ("dogs and cats", "cats and dogs")
    return orders if orders[0] in text else orders[::-1]
