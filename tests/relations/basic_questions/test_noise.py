"""Questions that are much like it, put after a question, leave the answer as it was."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from pytest_vqamt.core.case import Case, Fact, NotApplicable, Outcome
from pytest_vqamt.core.corpus import gather_corpus
from pytest_vqamt.core.errors import OptionError
from pytest_vqamt.core.meaning import Absent, Annotated, Count, Exists, Meaning
from pytest_vqamt.core.scene import PublishedQuestion, Scene
from pytest_vqamt.execution.plan import Plan, Sampling
from pytest_vqamt.picture_world.source import PictureWorld
from pytest_vqamt.relations import basic_questions as noise
from pytest_vqamt.relations import catalogue
from pytest_vqamt.relations.basic_questions import (
    AnswerType,
    MainQuestion,
    Noise,
    accuracy_figures,
    sample_main_question,
)
from pytest_vqamt.sampling.chooser import Sampler
from tests.making import answers_of, case_of, choosers, group_of, scene_of
from tests.relations.deriving import derive
from tests.rows import each_row

NOISE = Noise()
ASKED = PublishedQuestion(
    id="1", text="What is the man doing?", answers=("surfing",) * 6 + ("riding",) * 4, kind="other"
)


@dataclass(frozen=True)
class Ranked:
    """Stands for the ranking of a pool, the best first; keeps what it was told to leave out."""

    found: tuple[str, ...]
    excluded: list[frozenset[str]]

    def __call__(
        self, _pool: object, _question: str, *, exclude: frozenset[str], top: int, **_how: str
    ) -> tuple[str, ...]:
        self.excluded.append(exclude)
        return self.found[:top]


@pytest.fixture
def best(monkeypatch: pytest.MonkeyPatch) -> Ranked:
    return ranking(monkeypatch, (f"B{number} is it?" for number in range(1, 30)))


def ranking(monkeypatch: pytest.MonkeyPatch, found: Iterable[str]) -> Ranked:
    made = Ranked(tuple(found), [])
    monkeypatch.setattr(noise, "rank_questions", made)
    monkeypatch.setattr(noise, "missing_packages", lambda *_: "")
    return made


def cases(scene: Scene, variant: str, relation: Noise = NOISE) -> list[Case]:
    found = outcomes(scene, variant, relation)
    return [each for each in found if isinstance(each, Case)]


def outcomes(scene: Scene, variant: str, relation: Noise = NOISE) -> list[Case | NotApplicable]:
    corpus = gather_corpus((scene,))
    return [derive(relation, scene, choose, variant, corpus) for choose in choosers(20)]


def reasons(scene: Scene, variant: str) -> set[str]:
    return {each.reason for each in outcomes(scene, variant) if isinstance(each, NotApplicable)}


def test_there_are_seven_partitions_that_draw_alike() -> None:
    assert NOISE.info.variants == ("1", "2", "3", "4", "5", "6", "7")
    assert (NOISE.info.tags, NOISE.info.draws_as) == (("baseline",), NOISE.info.name)


@pytest.mark.usefixtures("best")
@pytest.mark.parametrize(("variant", "noise_"), [("1", (1, 2, 3)), ("2", (4, 5, 6)), ("7", (19, 20, 21))])
def test_partition_k_puts_the_kth_three_after_the_question(yard: Scene, variant: str, noise_: tuple[int, ...]) -> None:
    (case,) = {case.id: case for case in cases(replace(yard, questions=(ASKED,)), variant)}.values()
    first, second = case.queries
    assert first.text == ASKED.text
    assert second.text == " ".join((ASKED.text, *(f"B{number} is it?" for number in noise_)))
    shares = (("surfing", 0.6), ("riding", 0.4))
    assert first.meaning == second.meaning == Annotated(answers=shares, question=ASKED.text)
    assert first.picture == second.picture == replace(yard, questions=(ASKED,)).picture
    assert dict(case.facts) == {
        "partition": int(variant),
        "stayed": 3,
        "words": 14,
        "answer_type": "other",
        "annotators": 10,
        "truth_known": True,
    }
    assert (case.expected, case.is_presumed) == ("first = second", False)


def test_the_questions_of_the_picture_are_no_noise(yard: Scene, best: Ranked) -> None:
    cases(replace(yard, questions=(ASKED, replace(ASKED, id="2", text="Is it wet?"))), "1")
    assert set(best.excluded) == {frozenset({"What is the man doing?", "Is it wet?"})}
    best.excluded.clear()
    found = cases(yard, "1")
    assert set(best.excluded) == {frozenset({case.queries[0].text}) for case in found}


def test_what_is_too_long_is_left_off_from_the_end(yard: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    scene = replace(yard, questions=(ASKED,))
    # 5 words and 10 a basic question: two stay. With 11, one does; with 21, all 26 are taken; with 22, none stays.
    for words, stayed in ((10, 2), (11, 1), (21, 1)):
        ranking(monkeypatch, (" ".join(["so"] * (words - 1) + [f"{number}?"]) for number in range(21)))
        (case, *_) = cases(scene, "3")
        assert (case.fact("stayed"), case.fact("words")) == (stayed, 5 + words * stayed)
    ranking(monkeypatch, (" ".join(["so"] * 21 + [f"{number}?"]) for number in range(21)))
    assert cases(scene, "3") == []
    assert reasons(scene, "3") == {"with basic questions it would be longer than 26 words"}


def test_a_question_that_one_partition_cannot_ask_is_asked_in_none(
    yard: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The first of partition 5 is too long.
    ranking(monkeypatch, ("so " * 25 + "long?" if number == 12 else f"B{number}?" for number in range(21)))
    scene = replace(yard, questions=(ASKED,))
    assert [cases(scene, variant) for variant in NOISE.info.variants] == [[]] * 7


def test_a_small_pool_has_fewer_partitions(yard: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    ranking(monkeypatch, ("One?", "Two?", "Three?", "Four?"))
    scene = replace(yard, questions=(ASKED,))
    assert {case.fact("stayed") for case in cases(scene, "1")} == {3}
    assert {case.fact("stayed") for case in cases(scene, "2")} == {1}
    assert reasons(scene, "3") == {"the pool of questions has fewer than 21 other questions"}


@pytest.mark.usefixtures("best")
def test_nothing_is_asked_of_an_empty_picture(bare: Scene) -> None:
    assert cases(bare, "1") == []


def test_what_is_not_installed_is_told(yard: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(noise, "missing_packages", lambda ranking, embedding: f"no {ranking} by {embedding}")
    assert reasons(yard, "1") == {f"no {NOISE.ranking} by {NOISE.embedding}"}


@pytest.mark.usefixtures("best")
def test_it_is_judged_by_the_same_answer_and_counted_by_the_right_one(yard: Scene) -> None:
    (case, *_) = cases(replace(yard, questions=(ASKED,)), "1")
    same = NOISE.judge(case, answers_of("Surfing.", "surfing"))
    assert (same.outcome, same.figures) == (
        Outcome.HOLDS, (("clean", 1.0), ("clean other", 1.0), ("noisy", 1.0), ("noisy other", 1.0)),
    )  # fmt: skip
    # Four of ten ride: one of them left out, or another, three or more remain.
    other = NOISE.judge(case, answers_of("riding", "a wave"))
    assert (other.outcome, other.figures[::2]) == (Outcome.VIOLATED, (("clean", 1.0), ("noisy", 0.0)))
    wrong = NOISE.judge(case, answers_of("no", "No"))
    assert (wrong.outcome, wrong.figures[::2]) == (Outcome.HOLDS, (("clean", 0.0), ("noisy", 0.0)))


@pytest.mark.usefixtures("best")
def test_what_cannot_be_read_is_wrong(yard: Scene) -> None:
    case = next(case for case in cases(yard, "1") if isinstance(case.queries[0].meaning, Count))
    right = str(next(n for n in range(4) if dict(NOISE.judge(case, answers_of(str(n), "x")).figures)["clean"]))
    verdict = NOISE.judge(case, answers_of(right, "red"))
    assert (verdict.outcome, dict(verdict.figures)["noisy number"]) == (Outcome.UNPARSED, 0)


@pytest.mark.parametrize("sampler", [Sampler.RANDOM, pytest.param(Sampler.HYPOTHESIS, marks=pytest.mark.full)])
def test_all_partitions_ask_the_same_questions_of_the_same_pictures(world: PictureWorld, sampler: Sampler) -> None:
    def first_queries(variant: str) -> list[str]:
        sampling = Sampling(max_cases=30, sampler=sampler)
        plan = Plan(relation=Noise(ranking="bleu-1"), variant=variant, source=world, sampling=sampling)
        return [case.queries[0].id for case in plan]

    assert first_queries("1") == first_queries("4") == first_queries("7")
    assert len(set(first_queries("1"))) == 30


def test_a_pool_of_one_s_own_is_told_in_the_report(tmp_path: Path) -> None:
    def told(name: str, *questions: str) -> dict[str, str]:
        file = tmp_path / name / "pool.txt"
        file.parent.mkdir()
        file.write_text("\n".join(questions))
        relation = catalogue.get("basic_questions.noise", {"pool": str(file), "ranking": "bleu-1"})
        assert isinstance(relation, Noise)
        return dict(relation.resources)

    one = told("one", "Is there a dog?", "How many cats are there?")
    assert set(one) == {"pool", "ranking"}
    assert "2 questions" in one["pool"]
    assert one["ranking"] == "bleu-1"
    assert told("other", "Is there a dog?", "How many dogs are there?")["pool"] != one["pool"]


def test_the_embedding_is_told_where_it_matters() -> None:
    assert dict(NOISE.resources)["embedding"] == NOISE.embedding
    assert "embedding" not in dict(Noise(ranking="cider").resources)


def test_a_pool_that_is_not_there_is_refused_before_any_model_is_loaded(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match=r"nowhere\.txt"):
        catalogue.get("basic_questions.noise", {"pool": str(tmp_path / "nowhere.txt")})


TEN = Annotated(answers=(("2", 0.3), ("two dogs", 0.3), ("3", 0.2), ("a few", 0.2)))
DOGS = Count(groups=(group_of("dog"),))


def of(meaning: Meaning, **facts: Fact) -> Case:
    """A case of the empty picture that asks this twice."""
    told = {"answer_type": "number", "annotators": 0, "truth_known": True, **facts}
    made = case_of(meaning, meaning)
    return Case(
        relation=made.relation,
        variant="1",
        scene=made.scene,
        queries=made.queries,
        expected="first = second",
        facts=tuple(told.items()),
    )


def test_both_answers_count_over_all_and_over_their_answer_type() -> None:
    # There is no dog in the empty picture.
    assert accuracy_figures(of(DOGS), ("0", "2")) == (
        ("clean", 1.0), ("clean number", 1.0), ("noisy", 0.0), ("noisy number", 0.0),
    )  # fmt: skip


def accuracies(case: Case, *readings: str) -> tuple[float, float]:
    figures = dict(accuracy_figures(case, readings))
    assert figures["clean"] == figures[f"clean {case.fact('answer_type')}"]
    return figures["clean"], figures["noisy"]


def test_against_the_scene_an_answer_is_right_or_wrong() -> None:
    absent = of(Absent(group=group_of("dog")), answer_type="yes/no")
    assert accuracies(absent, "yes", "no") == (1, 0)
    assert accuracies(of(DOGS), "unparsed", "0") == (0, 1)


def test_against_ten_annotators_it_is_vqa_accuracy() -> None:
    # Three say "2" and three "two dogs", which is "2 dogs": 0.9 each. Two say "3", and two "a few": 0.6 each.
    case = of(TEN, annotators=10)
    assert accuracies(case, "two", "3") == pytest.approx((0.9, 0.6))
    assert accuracies(case, "few", "2 dogs") == pytest.approx((0.6, 0.9))
    assert accuracies(case, "unparsed", "4") == (0, 0)


def test_where_ten_agree_the_reading_must_be_their_very_answer() -> None:
    case = of(Annotated(answers=(("yes", 1.0),)), annotators=10, answer_type="yes/no")
    assert accuracies(case, "yes", "yes it is") == (1, 0)


@pytest.mark.parametrize("annotators", [1, 2, 3])
def test_where_too_few_answered_for_it_the_most_given_answer_is_right(annotators: int) -> None:
    case = of(Annotated(answers=(("A dog", 2 / 3), ("cat", 1 / 3))), annotators=annotators)
    assert accuracies(case, "dog", "cat") == (1, 0)


def test_four_annotators_are_enough() -> None:
    case = of(Annotated(answers=(("dog", 0.75), ("cat", 0.25))), annotators=4)
    # Who is left out: one of three dogs, three times, or the cat. Then one dog, which is left out with the cat.
    assert accuracies(case, "dog", "cat") == pytest.approx(((3 * 2 / 3 + 1) / 4, 3 / 3 / 4))


def test_scored_answers_count_their_score() -> None:
    case = of(Annotated(answers=(("dark blue", 1.0), ("blue", 0.3))))
    assert accuracies(case, "blue", "dark-blue") == (0.3, 1)
    assert accuracies(case, "red", "the blue") == (0, 0.3)


def test_yes_and_no_of_published_questions_are_right_as_they_are_read() -> None:
    case = of(Annotated(answers=(("no", 1.0),), options=("yes", "no")), annotators=1, answer_type="yes/no")
    assert accuracies(case, "no", "yes") == (1, 0)


def test_where_nobody_knows_nothing_is_counted() -> None:
    assert accuracy_figures(of(DOGS, truth_known=False), ("0", "2")) == ()


def of_of_main_question(scene: Scene) -> list[MainQuestion]:
    found = [sample_main_question(scene, choose) for choose in choosers(60)]
    return [each for each in found if isinstance(each, MainQuestion)]


def published(*answers: str, kind: str = "", **more: tuple[float, ...] | tuple[str, ...]) -> PublishedQuestion:
    return PublishedQuestion(id="7", text="What is it?", answers=answers, kind=kind, **more)  # type: ignore[arg-type]  # scores or options


def test_without_published_questions_it_is_about_what_is_there(yard: Scene) -> None:
    found = of_of_main_question(yard)
    types = {type(each.question.meaning): each.answer_type for each in found}
    assert types == {Count: AnswerType.NUMBER, Exists: AnswerType.YES_NO, Absent: AnswerType.YES_NO}
    assert {each.annotators for each in found} == {0}
    assert all(each.truth_known for each in found)


def test_a_count_that_may_miss_something_has_no_known_answer(yard: Scene) -> None:
    found = of_of_main_question(replace(yard, exhaustive=frozenset()))
    known = {type(each.question.meaning): each.truth_known for each in found}
    assert known == {Count: False, Exists: True, Absent: True}


def test_of_an_empty_picture_nothing_is_asked(bare: Scene) -> None:
    assert of_of_main_question(bare) == []
    assert all(isinstance(sample_main_question(bare, choose), NotApplicable) for choose in choosers(3))


def test_published_questions_come_first(yard: Scene) -> None:
    other = replace(published("no"), id="8", text="Is it?")
    found = of_of_main_question(replace(yard, questions=(published("red", "red", "blue"), other)))
    assert {each.question.text for each in found} == {"What is it?", "Is it?"}
    (three,) = {each.annotators for each in found if each.question.text == "What is it?"}
    assert three == 3


@each_row(
    ("question", "answer_type"),
    [
        (published("red", kind="other"), "other"),
        (published("yes", kind="other"), "other"),
        (published("red", kind="yes/no"), "yes/no"),
        (published("red", kind="number"), "number"),
        # A data set that says nothing of the kind: as its options or most of its answers are.
        (published("No", "no", "3", kind="verify"), "yes/no"),
        (published("3", "3", "three"), "number"),
        (published("red", options=("yes", "no")), "yes/no"),
        (published("red", "3", "yes", "red"), "other"),
        (published(), "other"),
    ],
)
def test_the_answer_type(question: PublishedQuestion, answer_type: str) -> None:
    (found,) = set(of_of_main_question(replace(scene_of(), questions=(question,))))
    assert found.answer_type == answer_type
    assert dict(found.facts)["answer_type"] == answer_type


def test_what_is_known_of_published_answers() -> None:
    def facts(question: PublishedQuestion) -> tuple[object, ...]:
        (found,) = set(of_of_main_question(replace(scene_of(), questions=(question,))))
        assert isinstance(found.question.meaning, Annotated)
        return found.annotators, found.truth_known

    assert facts(published(*["red"] * 10)) == (10, True)
    assert facts(published("red", "blue", scores=(1.0, 0.3))) == (0, True)
    assert facts(published()) == (0, False)
