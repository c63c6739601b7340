"""Asked whether there is any and whether there is none, a model says yes once and no once."""

from __future__ import annotations

import pytest

from pytest_vqamt.core.case import Case, Outcome
from pytest_vqamt.core.corpus import gather_corpus
from pytest_vqamt.core.meaning import Absent, Exists, Group
from pytest_vqamt.relations.metavqa import Reversion
from tests.making import answers_of, scene_of
from tests.relations.deriving import cases_of
from tests.rows import each_row

REVERSION = Reversion()
YARD_AND_BARN = (scene_of("black dog", "red car"), scene_of("brown cow", "green tree", "brown dog"))


def cases(variant: str) -> list[Case]:
    """Many cases of a yard with a dog and a car, from a source that knows of cows and trees, too."""
    corpus = gather_corpus(YARD_AND_BARN)
    return cases_of(REVERSION, YARD_AND_BARN[0], variant, draws=120, corpus=corpus)


def about_a_dog(variant: str = "object") -> Case:
    return next(case for case in cases(variant) if "dog" in case.queries[0].text)


@each_row("variant", REVERSION.info.variants)
def test_a_case_asks_for_any_and_for_none_of_the_same_group(variant: str) -> None:
    for case in cases(variant):
        any_, none = (query.meaning for query in case.queries)
        assert isinstance(any_, Exists)
        assert isinstance(none, Absent)
        assert any_.group == none.group
        assert bool(any_.group.attributes) == (variant == "property")
        assert {query.picture for query in case.queries} == {YARD_AND_BARN[0].picture}
        assert case.expected == "one yes, one no"


def test_what_is_asked_is_there_or_is_known_from_elsewhere() -> None:
    found = {(case.fact("present_groups"), case.queries[0].meaning) for case in cases("object")}
    assert found == {
        (1, Exists(group=Group(name="dog"))),
        (1, Exists(group=Group(name="car"))),
        (0, Exists(group=Group(name="cow"))),
        (0, Exists(group=Group(name="tree"))),
    }


@pytest.mark.parametrize("texts", [("yes", "no"), ("There is one.", "no"), ("no", "Yes."), ("I see no dog.", "yes")])
def test_it_holds_for_one_yes_and_one_no(texts: tuple[str, str]) -> None:
    assert REVERSION.judge(about_a_dog(), answers_of(*texts)).outcome is Outcome.HOLDS


@pytest.mark.parametrize("variant", REVERSION.info.variants)
@pytest.mark.parametrize("text", ["yes", "no"])
def test_it_is_violated_by_who_says_the_same_to_both(variant: str, text: str) -> None:
    verdict = REVERSION.judge(about_a_dog(variant), answers_of(text, text))
    assert (verdict.outcome, verdict.readings) == (Outcome.VIOLATED, (text, text))


def test_the_papers_own_wordings_are_among_those_asked() -> None:
    # Yuan et al., section 4.1.3: "Is there any A?" and "Is there no A?". People say "any" of several.
    any_, none = (
        {query.text for query in position} for position in zip(*(c.queries for c in cases("object")), strict=True)
    )
    assert "Are there any dogs in the image?" in any_
    assert "Is there no dog in the picture?" in none


def test_a_sentence_is_put_to_its_question() -> None:
    # "There is no dog" says no to "is there any?" and yes to "is there no dog?"
    dog = about_a_dog()
    assert REVERSION.judge(dog, answers_of("There is no dog.", "There is no dog.")).readings == ("no", "yes")
    assert REVERSION.judge(dog, answers_of("No, there is no dog.", "No, there is no dog.")).obeys
