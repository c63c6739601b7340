"""How the labels of two hypotheses must relate, and what is counted of them."""

from __future__ import annotations

from collections import Counter
from typing import get_args

import pytest

from pytest_vqamt.core.case import Case, NotApplicable, Outcome
from pytest_vqamt.core.errors import VqamtError
from pytest_vqamt.core.meaning import Absent, Count, Entails, Exists, Group, Label, Unit
from pytest_vqamt.core.query import Task
from pytest_vqamt.core.scene import LabelName, Scene
from pytest_vqamt.relations.expectations import INCONSISTENT, ISSUE, SOURCE_RIGHT, label_becomes, same_label
from pytest_vqamt.relations.groups import VARIANTS, GroupQuestion, QuestionKind, sample_question
from pytest_vqamt.stats import papers
from tests.making import answers_of, case_of, choosers, group_of, scene_of
from tests.rows import each_row

DOG = Entails(units=(Unit(group=Group(name="dog")),))
ENTAILMENT, NEUTRAL, CONTRADICTION = get_args(LabelName)
HOLDS, VIOLATED, UNPARSED = Outcome.HOLDS, Outcome.VIOLATED, Outcome.UNPARSED


@pytest.fixture
def case() -> Case:
    return case_of(DOG, DOG, task=Task.ENTAILMENT)


@each_row(
    ("label", "first", "second", "outcome", "vacuous", "issue", "inconsistent", "source_right"),
    [
        # MR1 and MR3: entailment must follow, whatever was said before.
        (Label.ENTAILMENT, ENTAILMENT, ENTAILMENT, HOLDS, False, 0, 0, 1),
        (Label.ENTAILMENT, NEUTRAL, ENTAILMENT, HOLDS, False, 0, 0, 0),
        (Label.ENTAILMENT, "no idea what", ENTAILMENT, HOLDS, False, 0, 0, 0),
        (Label.ENTAILMENT, ENTAILMENT, NEUTRAL, VIOLATED, False, 1, 1, 1),
        (Label.ENTAILMENT, NEUTRAL, NEUTRAL, VIOLATED, False, 1, 0, 0),
        (Label.ENTAILMENT, ENTAILMENT, "yes", UNPARSED, False, 1, 1, 1),
        # MR2: contradiction must follow; where it was there before, nothing is shown.
        (Label.CONTRADICTION, ENTAILMENT, CONTRADICTION, HOLDS, False, 0, 0, 1),
        (Label.CONTRADICTION, NEUTRAL, CONTRADICTION, HOLDS, False, 0, 0, 0),
        (Label.CONTRADICTION, CONTRADICTION, CONTRADICTION, HOLDS, True, 0, 0, 0),
        (Label.CONTRADICTION, ENTAILMENT, ENTAILMENT, VIOLATED, False, 1, 1, 1),
        (Label.CONTRADICTION, CONTRADICTION, ENTAILMENT, VIOLATED, False, 1, 0, 0),
        (Label.CONTRADICTION, "the dog", NEUTRAL, VIOLATED, False, 1, 0, 0),
        (Label.CONTRADICTION, ENTAILMENT, "", UNPARSED, False, 1, 1, 1),
    ],
)
def test_the_second_label_is_the_one(
    case: Case,
    label: Label,
    first: str,
    second: str,
    outcome: Outcome,
    vacuous: bool,
    issue: int,
    inconsistent: int,
    source_right: int,
) -> None:
    verdict = label_becomes(case, answers_of(first, second), label)
    assert (verdict.outcome, verdict.vacuous) == (outcome, vacuous)
    assert dict(verdict.figures) == {ISSUE: issue, INCONSISTENT: inconsistent, SOURCE_RIGHT: source_right}
    assert verdict.violates == bool(issue)


def test_readings_and_reasons_are_told(case: Case) -> None:
    answers = answers_of("I am not sure, maybe a dog", "It is neutral.")
    verdict = label_becomes(case, answers, Label.ENTAILMENT)
    assert verdict.readings == ("unparsed", "neutral")
    assert verdict.reason == "the second label must be entailment, but got unparsed, neutral"
    unread = label_becomes(case, answers_of("entailment", "yes"), Label.ENTAILMENT)
    assert unread.readings == ("entailment", "unparsed")
    assert unread.reason == "no label named"


@each_row(
    ("first", "second", "outcome", "issue", "inconsistent", "source_right"),
    [
        (ENTAILMENT, ENTAILMENT, HOLDS, 0, 0, 1),
        # The same, and wrong twice: an issue in the paper's reading.
        (NEUTRAL, NEUTRAL, HOLDS, 1, 0, 0),
        (ENTAILMENT, CONTRADICTION, VIOLATED, 1, 1, 1),
        (CONTRADICTION, ENTAILMENT, VIOLATED, 0, 0, 0),
        ("cannot say anything", ENTAILMENT, UNPARSED, 0, 0, 0),
        (ENTAILMENT, "yes", UNPARSED, 1, 1, 1),
    ],
)
def test_both_labels_are_the_same(
    case: Case, first: str, second: str, outcome: Outcome, issue: int, inconsistent: int, source_right: int
) -> None:
    verdict = same_label(case, answers_of(first, second))
    assert (verdict.outcome, verdict.vacuous) == (outcome, False)
    assert dict(verdict.figures) == {ISSUE: issue, INCONSISTENT: inconsistent, SOURCE_RIGHT: source_right}


@pytest.mark.parametrize("wrong", [case_of(DOG), case_of(DOG, Exists(group=Group(name="dog")))])
def test_they_are_for_two_hypotheses(wrong: Case) -> None:
    answers = answers_of(*("entailment" for _ in wrong.queries))
    with pytest.raises(VqamtError, match="two hypotheses"):
        label_becomes(wrong, answers, Label.ENTAILMENT)
    with pytest.raises(VqamtError, match="two hypotheses"):
        same_label(wrong, answers)


def test_summaries_know_the_figures_by_these_names() -> None:
    assert (papers.ISSUE, papers.INCONSISTENT, papers.SOURCE_RIGHT) == (ISSUE, INCONSISTENT, SOURCE_RIGHT)


# Questions about what is in the picture.

MANY = 300
"""Draws that show, of a few possibilities, every one."""
STREET = scene_of("brown dog", "black dog", "red car", "sitting man", exhaustive=("dog", "car", "man"))


def asked(
    kind: QuestionKind,
    scene: Scene = STREET,
    *,
    but: str = "",
    first: Group | None = None,
    bearing: tuple[str, ...] = (),
    excluded_words: tuple[str, ...] = (),
) -> list[GroupQuestion]:
    found = [
        sample_question(
            scene, choose, kind, lambda name: name != but, first=first, bearing=bearing, excluded_words=excluded_words
        )
        for choose in choosers(MANY)
    ]
    return [each for each in found if isinstance(each, GroupQuestion)]


def groups(found: list[GroupQuestion], shape: str) -> set[frozenset[Group]]:
    return {frozenset(each.groups) for each in found if each.shape == shape}


def sets(*phrases: str) -> set[frozenset[Group]]:
    """Sets of groups, from "red_car+dog" and the like."""
    return {frozenset(group_of(each.replace("_", " ")) for each in phrase.split("+")) for phrase in phrases}


def test_a_count_is_of_one_name_of_two_or_of_a_property() -> None:
    found = asked(QuestionKind.COUNT)
    assert groups(found, "one name") == sets("dog", "car", "man")
    assert groups(found, "two names") == sets("dog+car", "dog+man", "car+man")
    assert groups(found, "property") == sets("brown_dog", "black_dog", "red_car", "sitting_man")
    assert len(found) == MANY


@pytest.mark.parametrize("kind", [QuestionKind.EXISTS, QuestionKind.ABSENT])
def test_yes_and_no_are_asked_of_one_group(kind: QuestionKind) -> None:
    found = asked(kind)
    assert groups(found, "one name") == sets("dog", "car", "man")
    assert groups(found, "property") == sets("brown_dog", "black_dog", "red_car", "sitting_man")
    assert {each.shape for each in found} == {"one name", "property"}


@pytest.mark.parametrize(
    ("kind", "meaning"), [(QuestionKind.COUNT, Count), (QuestionKind.EXISTS, Exists), (QuestionKind.ABSENT, Absent)]
)
def test_the_question_means_what_its_kind_says(kind: QuestionKind, meaning: type) -> None:
    assert {type(each.question.meaning) for each in asked(kind)} == {meaning}


def test_the_variants_are_the_kinds() -> None:
    assert VARIANTS == ("count", "exists", "absent")


def test_shapes_are_drawn_evenly_and_either_name_comes_first() -> None:
    found = asked(QuestionKind.COUNT)
    shapes = Counter(each.shape for each in found)
    assert all(n / len(found) == pytest.approx(1 / 3, abs=0.08) for n in shapes.values())
    first = Counter(each.groups[0].name for each in found if {g.name for g in each.groups} == {"dog", "car"})
    assert first["dog"] / first.total() == pytest.approx(0.5, abs=0.2)


def test_the_facts_say_what_was_asked() -> None:
    for each in asked(QuestionKind.COUNT):
        facts = dict(each.facts)
        assert facts["shape"] == each.shape
        assert facts["present_groups"] == len(each.groups) == (2 if each.shape == "two names" else 1)
        assert facts["wording"] == each.wording


def test_a_name_that_does_not_fit_is_in_no_question() -> None:
    names = {group.name for each in asked(QuestionKind.COUNT, but="dog") for group in each.groups}
    assert names == {"car", "man"}


def test_a_barred_property_is_in_no_question() -> None:
    found = asked(QuestionKind.COUNT, excluded_words=("red", "brown"))
    assert groups(found, "property") == sets("black_dog", "sitting_man")


def test_two_names_are_disjoint_for_certain() -> None:
    scene = scene_of("dog", "puppy", "car")
    assert groups(asked(QuestionKind.COUNT, scene), "two names") == sets("dog+car", "puppy+car")


def test_properties_are_asked_where_each_thing_has_one() -> None:
    scene = scene_of("brown dog", "black white dog", "red car")
    assert groups(asked(QuestionKind.COUNT, scene), "property") == sets("red_car")


def test_what_is_listed_nowhere_is_presumed() -> None:
    scene = scene_of("dog", "car", exhaustive=("dog",))
    for each in asked(QuestionKind.COUNT, scene):
        assert each.presumed is any(group.name == "car" for group in each.groups)


@pytest.mark.parametrize("kind", [QuestionKind.EXISTS, QuestionKind.ABSENT])
def test_whether_there_is_any_of_what_is_there_is_never_presumed(kind: QuestionKind) -> None:
    assert not any(each.presumed for each in asked(kind, scene_of("dog", "car")))


def test_nothing_to_ask_about_is_not_applicable() -> None:
    for choose in choosers(20):
        found = sample_question(scene_of("water", "pants"), choose, QuestionKind.EXISTS, lambda _: True)
        assert isinstance(found, NotApplicable)


class TestAFirstGroup:
    DOG = Group(name="dog")

    def test_is_asked_about_alone_or_with_another(self) -> None:
        found = asked(QuestionKind.COUNT, first=self.DOG, but="dog")
        assert groups(found, "one name") == sets("dog")
        assert groups(found, "two names") == sets("dog+car", "dog+man")
        assert groups(found, "property") == set()

    def test_the_other_fits(self) -> None:
        assert groups(asked(QuestionKind.COUNT, first=self.DOG, but="man"), "two names") == sets("dog+car")

    def test_or_with_a_property_that_is_given(self) -> None:
        found = asked(QuestionKind.COUNT, first=self.DOG, bearing=("white", "black"), excluded_words=("white",))
        assert groups(found, "property") == sets("black_dog")

    def test_a_property_that_nothing_here_has_is_not_present(self) -> None:
        found = asked(QuestionKind.COUNT, first=self.DOG, bearing=("white",))
        assert {each.present for each in found if each.shape == "property"} == {0}
        assert {dict(each.facts)["present_groups"] for each in found if each.shape == "one name"} == {1}
