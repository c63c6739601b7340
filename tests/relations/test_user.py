"""A user's own relation."""

from __future__ import annotations

import pytest

import pytest_vqamt as vqamt
from pytest_vqamt.core.case import Case, NotApplicable, Outcome, Verdict
from pytest_vqamt.core.corpus import Corpus, gather
from pytest_vqamt.core.errors import VqamtError
from pytest_vqamt.core.meaning import Exists, Group
from pytest_vqamt.core.query import Answer, Task
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.relations import catalogue
from pytest_vqamt.relations.catalogue import Derive, Draft
from pytest_vqamt.sampling.chooser import Chooser
from tests.making import FirstOption, answers_of, case_of


@pytest.fixture(autouse=True)
def a_session_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalogue, "_registered", {})


def mirror(scene: Scene, corpus: Corpus, choose: Chooser) -> Draft:
    """Whether a thing is there does not depend on the side it is on.

    More about it.
    """
    question = vqamt.ask.exists(choose.one(scene.objects))
    return vqamt.case(scene.picture, question, follow_up=(scene.picture.mirror(), question))


def derived(draft: Derive, scene: Scene) -> Case | NotApplicable:
    relation = vqamt.relation("ours.test", expect=vqamt.same_answer)(draft)
    return relation.derive(scene, gather((scene,)), FirstOption(), "")


def test_a_function_becomes_a_relation(yard: Scene) -> None:
    relation = vqamt.relation("ours.mirror", expect=vqamt.same_answer, version=3, tags=("baseline",))(mirror)
    info = relation.info
    assert (info.name, info.task, info.variants) == ("ours.mirror", Task.VQA, ("",))
    assert (info.version, info.tags) == (3, ("baseline",))
    assert info.claim == "Whether a thing is there does not depend on the side it is on."
    case = relation.derive(yard, gather((yard,)), FirstOption(), "")
    assert isinstance(case, Case)
    assert (case.relation, case.variant, case.scene) == ("ours.mirror", "", "yard")
    assert [query.text for query in case.queries] == ["Is there a dog in the picture?"] * 2
    assert [query.meaning for query in case.queries] == [Exists(group=Group(name="dog"))] * 2
    assert [query.picture for query in case.queries] == [yard.picture, yard.picture.mirror()]
    assert case.expected == info.claim
    assert relation.judge(case, answers_of("yes", "Yes.")).outcome is Outcome.HOLDS
    assert relation.judge(case, answers_of("yes", "no")).outcome is Outcome.VIOLATED


def test_it_joins_the_session() -> None:
    relation = vqamt.relation("ours.mirror", expect=vqamt.same_answer)(mirror)
    assert catalogue.get("ours.mirror") is relation


def test_several_follow_ups_expected_words_and_facts(yard: Scene) -> None:
    def partition(scene: Scene, corpus: Corpus, choose: Chooser) -> Draft:
        picture = scene.picture
        return vqamt.case(
            picture,
            vqamt.ask.count("dog", "cat"),
            follow_up=[(picture, vqamt.ask.count("dog")), (picture, vqamt.ask.count("cat"))],
            expected="first = second + third",
            facts=(("names", 2),),
        )

    case = derived(partition, yard)
    assert isinstance(case, Case)
    assert [query.text for query in case.queries] == [
        "How many dogs and cats are there in the picture altogether?",
        "How many dogs are there in the picture?",
        "How many cats are there in the picture?",
    ]
    assert (case.expected, case.facts) == ("first = second + third", (("names", 2),))


def test_exactly_two_follow_ups_are_two(yard: Scene) -> None:
    question = vqamt.ask.exists("dog")
    draft = vqamt.case(yard.picture, question, follow_up=((yard.picture, question), (yard.picture.mirror(), question)))
    assert len(draft.inputs) == 3


def test_a_scene_that_gives_no_case_says_why(yard: Scene) -> None:
    found = derived(lambda *_: vqamt.NotApplicable(reason="no two dogs"), yard)
    assert found == NotApplicable(reason="no two dogs")


def test_a_function_that_returns_something_else_is_told_so(yard: Scene) -> None:
    def forgets_to_return(scene: Scene, corpus: Corpus, choose: Chooser) -> None:
        mirror(scene, corpus, choose)

    with pytest.raises(VqamtError, match=r"relation 'ours\.test' to return vqamt\.case\(\.\.\.\).*but got None"):
        derived(forgets_to_return, yard)  # type: ignore[arg-type]  # the mistake that the error is about


def test_a_task_is_that_of_the_queries(yard: Scene) -> None:
    relation = vqamt.relation("ours.captions", expect=vqamt.same_answer, task="captioning")(mirror)
    case = relation.derive(yard, gather((yard,)), FirstOption(), "")
    assert isinstance(case, Case)
    assert {query.task for query in case.queries} == {Task.CAPTIONING}


def test_any_function_can_be_the_expectation() -> None:
    def never(case: Case, answers: object) -> Verdict:
        """Nothing is good enough."""
        return Verdict(outcome=Outcome.VIOLATED, reason="never")

    relation = vqamt.relation("ours.never", expect=never)(lambda *_: NotApplicable(reason="-"))
    assert relation.judge(case_of(), (Answer("yes"),)).reason == "never"
    # The function has no docstring of its own, so the expectation's says what is claimed.
    assert relation.info.claim == "Nothing is good enough."


@pytest.mark.parametrize(
    "name", ["mirror", "", "ours.", ".mirror", "a.b.c", "ours.mirror[x]", "ours.*", "our s.mirror"]
)
def test_a_name_has_a_prefix_and_can_be_typed(name: str) -> None:
    with pytest.raises(VqamtError, match=r"to look like 'ours\.mirror', but got name="):
        vqamt.relation(name, expect=vqamt.same_answer)
    assert name not in catalogue.names()


def test_a_task_that_there_is_not_gets_a_hint() -> None:
    with pytest.raises(VqamtError, match=r"got task='captions'; did you mean 'captioning'\?"):
        vqamt.relation("ours.mirror", expect=vqamt.same_answer, task="captions")


def test_the_same_draws_give_the_same_case(yard: Scene) -> None:
    first, second = derived(mirror, yard), derived(mirror, yard)
    assert isinstance(first, Case)
    assert isinstance(second, Case)
    assert first.id == second.id
