"""A question and its negation have opposite answers."""

from __future__ import annotations

from pytest_vqamt.core.case import Outcome
from pytest_vqamt.core.meaning import Absent, Both, Either, Exists, Neither, NotBoth, truth
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.language.questions.templates import QuestionType
from pytest_vqamt.relations.carets import Negation
from tests.making import answers_of, scene_of
from tests.relations.carets.draws import cases

NEGATION = Negation()
FARM = scene_of("cow", "dog", "cat", "white dog", "lamp", id="farm")
PARTNERS: dict[type, type] = {Exists: Absent, Both: NotBoth, Either: Neither}


def test_it_asks_the_negated_partner_of_the_very_same_template(yard: Scene) -> None:
    found = cases(NEGATION, yard, FARM)
    assert len(found) == 250
    kinds = set()
    for case in found:
        first, second = case.queries
        assert type(second.meaning) is PARTNERS[type(first.meaning)]
        kinds.add(type(first.meaning))
        match first.meaning, second.meaning:
            case Exists(group=one), Absent(group=other):
                assert one == other
            case (Both(groups=some), NotBoth(groups=others)) | (Either(groups=some), Neither(groups=others)):
                assert some == others
        assert case.fact("template") == case.fact("other_template")
        assert case.expected == "one yes, one no"
        assert {truth(query.meaning, yard) for query in case.queries} == {True, False}
    assert kinds == set(PARTNERS)


def test_exactly_one_of_two_is_there_where_either_none_of_a_or_none_of_b_is_true(yard: Scene) -> None:
    """Rule 9."""
    found = [case for case in cases(NEGATION, yard, FARM) if isinstance(case.queries[1].meaning, NotBoth)]
    false = 0
    for case in found:
        assert isinstance(case.queries[1].meaning, NotBoth)
        there = [truth(Exists(group=group), yard) for group in case.queries[1].meaning.groups]
        assert any(there)
        false += not all(there)
    assert 0 < false < len(found)


def test_it_is_presumed_only_of_one_that_is_there_or_another_that_may_be() -> None:
    loose = scene_of("brown dog", "car", exhaustive=("dog", "car"))
    found = cases(NEGATION, loose, FARM, draws=400)
    for case in found:
        either = case.fact("question_type") == QuestionType.DISJUNCTION and case.fact("truth") == "yes"
        assert case.is_presumed is either
    assert {case.is_presumed for case in found} == {True, False}


def test_it_holds_for_opposite_answers_alone(yard: Scene) -> None:
    case = cases(NEGATION, yard, FARM)[0]
    assert NEGATION.judge(case, answers_of("yes", "no")).outcome is Outcome.HOLDS
    assert NEGATION.judge(case, answers_of("no", "yes")).outcome is Outcome.HOLDS
    assert NEGATION.judge(case, answers_of("yes", "yes")).outcome is Outcome.VIOLATED
    assert NEGATION.judge(case, answers_of("no", "no")).outcome is Outcome.VIOLATED
    assert NEGATION.judge(case, answers_of("no", "perhaps")).outcome is Outcome.UNPARSED
