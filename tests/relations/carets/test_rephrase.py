"""A question in other words has the same answer."""

from __future__ import annotations

from pytest_vqamt.core.case import Outcome
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.language.questions import templates
from pytest_vqamt.language.questions.templates import QuestionType
from pytest_vqamt.relations.carets import Rephrase
from tests.making import answers_of, scene_of
from tests.relations.carets.draws import cases, one_is

REPHRASE = Rephrase()
LISTED = ("dog", "car", "bench", "cow", "lamp", "cat")
PARK = scene_of("brown sitting dog", "bench", "red car", relationships=(one_is("on"),), exhaustive=LISTED, id="park")
FARM = scene_of("cow", "white dog", "cat", "standing dog", "lamp", "white bench", "blue car", "bench", id="farm")
"""In the park there can be asked every type, whatever is drawn first."""


def test_it_asks_the_same_in_two_templates_of_one_type(yard: Scene) -> None:
    found = cases(REPHRASE, yard, FARM)
    assert len(found) == 250
    for case in found:
        first, second = case.queries
        assert first.meaning == second.meaning
        assert first.text != second.text
        assert case.fact("template") != case.fact("other_template")
        assert first.picture == second.picture == yard.picture
        assert case.expected == "first = second"


def test_it_asks_in_the_templates_that_it_tells_of(yard: Scene) -> None:
    for case in cases(REPHRASE, yard, FARM, draws=60):
        type_ = QuestionType(str(case.fact("question_type")))
        count = templates.count(type_, case.fact("related") is True)
        for fact in ("template", "other_template"):
            assert isinstance(number := case.fact(fact), int)
            assert 0 <= number < count


def test_it_asks_all_types_but_attribute_verification_as_often() -> None:
    # 3000 draws of six: a standard deviation is 0.7 points.
    found = cases(REPHRASE, PARK, FARM, draws=3000)
    shares = {type_: sum(case.fact("question_type") == type_ for case in found) / 3000 for type_ in QuestionType}
    assert shares.pop(QuestionType.ATTRIBUTE) == 0
    assert all(abs(share - 1 / 6) < 0.028 for share in shares.values()), shares


def test_every_template_of_a_type_is_drawn() -> None:
    drawn: dict[tuple[object, object], set[object]] = {}
    for case in cases(REPHRASE, PARK, FARM, draws=6000):
        drawn.setdefault((case.fact("question_type"), case.fact("related")), set()).add(case.fact("template"))
    for (type_, related), numbers in drawn.items():
        assert numbers == set(range(templates.count(QuestionType(str(type_)), related is True)))
    assert (QuestionType.OBJECT, True) in drawn


def test_it_is_presumed_only_of_one_that_is_there_or_another_that_may_be() -> None:
    loose = scene_of("brown dog", "red car", exhaustive=("dog", "car"))
    found = cases(REPHRASE, loose, FARM, draws=400)
    for case in found:
        either = case.fact("question_type") == QuestionType.DISJUNCTION and case.fact("truth") == "yes"
        assert case.is_presumed is either
    assert {case.is_presumed for case in found} == {True, False}


def test_it_is_not_presumed_of_a_complete_list() -> None:
    assert not any(case.is_presumed for case in cases(REPHRASE, PARK, FARM))


def test_it_holds_for_the_same_answer_alone(yard: Scene) -> None:
    found = cases(REPHRASE, yard, FARM)
    case = next(each for each in found if each.fact("answers") == "binary")
    assert REPHRASE.judge(case, answers_of("yes", "Yes, it is.")).outcome is Outcome.HOLDS
    assert REPHRASE.judge(case, answers_of("yes", "no")).outcome is Outcome.VIOLATED
    assert REPHRASE.judge(case, answers_of("yes", "a bench")).outcome is Outcome.UNPARSED
