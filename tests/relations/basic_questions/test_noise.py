"""Questions that are much like it, put after a question, leave the answer as it was."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from pytest_vqamt.core.case import Case, NotApplicable, Outcome
from pytest_vqamt.core.corpus import gather
from pytest_vqamt.core.errors import OptionError
from pytest_vqamt.core.meaning import Annotated, Count
from pytest_vqamt.core.scene import PublishedQuestion, Scene
from pytest_vqamt.execution.plan import Plan, Sampling
from pytest_vqamt.picture_world.source import PictureWorld
from pytest_vqamt.relations import catalogue
from pytest_vqamt.relations.basic_questions import noise
from pytest_vqamt.relations.basic_questions.noise import Noise
from pytest_vqamt.sampling.samplers import Sampler
from tests.making import answers_of, choosers

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
    monkeypatch.setattr(noise, "ranked", made)
    monkeypatch.setattr(noise, "lacking", lambda *_: "")
    return made


def cases(scene: Scene, variant: str, relation: Noise = NOISE) -> list[Case]:
    found = outcomes(scene, variant, relation)
    return [each for each in found if isinstance(each, Case)]


def outcomes(scene: Scene, variant: str, relation: Noise = NOISE) -> list[Case | NotApplicable]:
    corpus = gather((scene,))
    return [relation.derive(scene, corpus, choose, variant) for choose in choosers(20)]


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
    assert first.meaning == second.meaning == Annotated(answers=(("surfing", 0.6), ("riding", 0.4)))
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
    assert reasons(scene, "3") == {"too long for basic questions beside it: all within 26 words"}


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
    assert reasons(scene, "3") == {"the pool has fewer than 21 other questions"}


@pytest.mark.usefixtures("best")
def test_nothing_is_asked_of_an_empty_picture(bare: Scene) -> None:
    assert cases(bare, "1") == []


def test_what_is_not_installed_is_told(yard: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(noise, "lacking", lambda ranking, embedding: f"no {ranking} by {embedding}")
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


@pytest.mark.parametrize("sampler", [Sampler.RANDOM, Sampler.HYPOTHESIS])
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
