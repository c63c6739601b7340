"""``carets.published``: each published pair is a case, and its test says how the answers must relate."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from pytest_vqamt.core.case import Case, NotApplicable, Outcome
from pytest_vqamt.core.meaning import Annotated, truth
from pytest_vqamt.core.scene import Demand, PublishedPair, PublishedQuestion, Scene
from pytest_vqamt.data.carets import load
from pytest_vqamt.models.reference.oracle import answer_text
from pytest_vqamt.relations.base import PublishedRelation
from pytest_vqamt.relations.published import PUBLISHED_TESTS, PublishedPairs
from tests.making import answers_of, scene_of
from tests.relations.deriving import derive
from tests.rows import each_row

REAL = Path(__file__).parents[3] / "../shared/data/carets"

PUBLISHED = PublishedPairs()
YES_NO = ("yes", "no")
COLOURS = ("light blue", "blue", "red")


def asked(
    test: str = PUBLISHED_TESTS[0],
    demand: Demand = "opposite",
    answers: tuple[str, str] = YES_NO,
    options: tuple[str, ...] = YES_NO,
    kind: str = "attribute_verification",
    number: int = 1,
) -> tuple[PublishedQuestion, PublishedQuestion]:
    """An original question and the one that was made from it."""
    pair = PublishedPair(original=f"a.json:{number}", test=test, demand=demand)
    first, second = (
        PublishedQuestion(
            id=f"a.json:{number}{suffix}",
            text=f"question {number}{suffix}",
            answers=(answer,),
            scores=(1.0,),
            kind=kind,
            options=options,
            pair=pair if suffix else None,
        )
        for suffix, answer in zip(("", "-s"), answers, strict=True)
    )
    return first, second


def scene_with(*questions: PublishedQuestion) -> Scene:
    plain = scene_of()
    return Scene(id="7", photo=plain.photo, width=plain.width, height=plain.height, questions=questions)


def the_case(pair: tuple[PublishedQuestion, PublishedQuestion]) -> Case:
    assert pair[1].pair is not None
    cases = PUBLISHED.every(scene_with(*pair), pair[1].pair.test)
    assert not isinstance(cases, NotApplicable)
    [case] = cases
    return case


def outcome(case: Case, *texts: str) -> Outcome:
    return PUBLISHED.judge(case, answers_of(*texts)).outcome


OPPOSITE = the_case(asked())
SAME = the_case(asked(PUBLISHED_TESTS[3], "same", ("yes", "yes"), kind="object_verification_conjunction_1_attrs"))
IMPLIED = the_case(asked(PUBLISHED_TESTS[1], "implied", ("blue", "blue"), COLOURS, "attribute_rel1_choice"))


def test_its_cases_are_published() -> None:
    assert isinstance(PUBLISHED, PublishedRelation)


def test_a_case_asks_the_two_texts_of_the_unchanged_picture() -> None:
    assert [query.text for query in OPPOSITE.queries] == ["question 1", "question 1-s"]
    assert [query.picture.edits for query in OPPOSITE.queries] == [(), ()]
    assert OPPOSITE.queries[1].meaning == Annotated(answers=(("no", 1.0),), options=YES_NO)
    assert [case.expected for case in (OPPOSITE, SAME, IMPLIED)] == [
        "one yes, one no",
        "first = second",
        "first = second",
    ]


@pytest.mark.parametrize(
    ("case", "facts"),
    [
        (OPPOSITE, {"question_type": "attribute", "answers": "binary", "truth": "yes", "pairs": "opposite"}),
        (SAME, {"question_type": "conjunction", "answers": "binary", "truth": "yes", "pairs": "same"}),
        (IMPLIED, {"question_type": "attribute choice", "answers": "choices", "choices": 3, "pairs": "implied"}),
    ],
    ids=["opposite", "same", "implied"],
)
def test_the_facts_that_the_metrics_are_broken_down_by(case: Case, facts: dict[str, object]) -> None:
    assert dict(case.facts) == {**facts, "published": "a.json:1-s"}


@each_row(
    ("kind", "type_"),
    [
        ("object_verification_template_1_attrs", "object"),
        ("object_verification_template_1_attrs_rel1_negation", "object"),
        ("object_verification_conjunction_1_attrs_negation", "conjunction"),
        ("object_verification_disjunction_1_attrs", "disjunction"),
        ("attribute_verification_rel1", "attribute"),
        ("object_by_attr_choice", "object choice"),
        ("object_rel1_choice", "object choice"),
        ("attribute_choice", "attribute choice"),
        ("action_rel1_choice", "action choice"),
        ("another kind", "another kind"),
    ],
)
def test_published_kinds_are_of_the_seven_types(kind: str, type_: str) -> None:
    assert the_case(asked(kind=kind)).fact("question_type") == type_


@each_row(
    ("case", "texts", "expected"),
    [
        (OPPOSITE, ("yes", "no"), Outcome.HOLDS),
        (OPPOSITE, ("No.", "Yes, it is."), Outcome.HOLDS),  # consistent, if wrong
        (OPPOSITE, ("yes", "yes"), Outcome.VIOLATED),
        (OPPOSITE, ("yes", "black"), Outcome.UNPARSED),
        (SAME, ("no", "no"), Outcome.HOLDS),
        (SAME, ("no", "yes"), Outcome.VIOLATED),
        (SAME, ("", "yes"), Outcome.UNPARSED),
        (IMPLIED, ("blue", "It is blue."), Outcome.HOLDS),
        (IMPLIED, ("red", "red"), Outcome.HOLDS),
        (IMPLIED, ("red", "blue"), Outcome.VIOLATED),  # the authors' scorer lets it pass: the first is wrong
        (IMPLIED, ("blue", "light blue"), Outcome.VIOLATED),
        (IMPLIED, ("blue", "red or blue"), Outcome.UNPARSED),
        (IMPLIED, ("yes", "yes"), Outcome.UNPARSED),
    ],
)
def test_the_answers_are_read_by_what_may_be_answered(case: Case, texts: tuple[str, str], expected: Outcome) -> None:
    assert outcome(case, *texts) is expected


def test_every_pair_of_a_test_is_a_case_in_the_order_of_the_files() -> None:
    pairs = [asked(PUBLISHED_TESTS[number % 2], number=number) for number in range(5)]
    scene = scene_with(*(question for pair in pairs for question in pair))
    cases = PUBLISHED.every(scene, PUBLISHED_TESTS[0])
    assert not isinstance(cases, NotApplicable)
    assert [case.fact("published") for case in cases] == ["a.json:0-s", "a.json:2-s", "a.json:4-s"]
    assert derive(PUBLISHED, scene, variant=PUBLISHED_TESTS[1]) == the_case(pairs[1])


@pytest.mark.parametrize(
    ("questions", "reason"),
    [
        ((), "no published pair is about the picture: take --vqamt-data=carets:DIR"),
        (asked()[:1], "no published pair is about the picture: take --vqamt-data=carets:DIR"),
        (asked(PUBLISHED_TESTS[1]), "no pair of this test is about the picture"),
    ],
)
def test_a_scene_without_such_a_pair_gives_no_case(questions: tuple[PublishedQuestion, ...], reason: str) -> None:
    scene = scene_with(*questions)
    assert derive(PUBLISHED, scene, variant=PUBLISHED_TESTS[0]) == NotApplicable(reason=reason)


@pytest.fixture(scope="module")
def sample() -> dict[str, list[Case]]:
    """The cases of the published sample by their test."""
    if not REAL.is_dir():
        pytest.skip("the data of ../shared/data is not here")
    with pytest.warns(UserWarning, match="which is not there"):
        source = load(str(REAL))
    found = {
        test: [PUBLISHED.every(source.scene(index), test) for index in range(len(source))] for test in PUBLISHED_TESTS
    }
    return {
        test: [case for cases in of_scenes if not isinstance(cases, NotApplicable) for case in cases]
        for test, of_scenes in found.items()
    }


def test_the_pairs_of_the_sample_by_what_they_demand(sample: dict[str, list[Case]]) -> None:
    assert {test: Counter(case.fact("pairs") for case in cases) for test, cases in sample.items()} == {
        "antonym_consistency": {"opposite": 12},
        "ontological_consistency": {"implied": 18},
        "phrasal_invariance": {"same": 54},
        "symmetry_invariance": {"same": 48},
        "negation_consistency": {"opposite": 24},
    }


def test_the_pairs_of_the_sample_by_their_type(sample: dict[str, list[Case]]) -> None:
    # Six for each file: as many files begin with object_verification_conjunction and so on.
    assert Counter(case.fact("question_type") for cases in sample.values() for case in cases) == {
        "object": 24,
        "conjunction": 18,
        "disjunction": 18,
        "attribute": 12,
        "object choice": 30,
        "attribute choice": 24,
        "action choice": 30,
    }


def test_who_answers_with_the_label_obeys_every_pair_of_the_sample(sample: dict[str, list[Case]]) -> None:
    for case in (case for cases in sample.values() for case in cases):
        right = [answer_text(truth(query.meaning, query.picture.scene)) for query in case.queries]
        assert outcome(case, *right) is Outcome.HOLDS
