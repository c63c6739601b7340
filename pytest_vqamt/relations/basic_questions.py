"""The relation ``basic_questions.noise``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from pytest_vqamt.core.case import Amount, Case, Fact, NotApplicable, RelationInfo, Verdict
from pytest_vqamt.core.codec import replace
from pytest_vqamt.core.identity import preserve_random_state
from pytest_vqamt.core.meaning import YES_OR_NO, Annotated, Count, Meaning, is_yes_no, truth
from pytest_vqamt.core.query import Answer, Query, Task
from pytest_vqamt.core.scene import PublishedQuestion, Scene
from pytest_vqamt.language.answers.vqa_accuracy import ENOUGH, normalise_answer, vqa_accuracy
from pytest_vqamt.language.question_ranking.pool import (
    EMBEDDING,
    POOL,
    RANKING,
    RankingMethod,
    missing_packages,
    open_pool,
)
from pytest_vqamt.language.question_ranking.ranking import MOST_WORDS, TOP, append_questions, rank_questions
from pytest_vqamt.language.questions.simple import Question
from pytest_vqamt.relations import expectations, groups
from pytest_vqamt.relations.base import BuiltInRelation
from pytest_vqamt.relations.draw import Draw
from pytest_vqamt.relations.expectations import format_reading
from pytest_vqamt.relations.published import question_of
from pytest_vqamt.sampling.chooser import Chooser

PARTITION_SIZE = 3

_DIGEST_DIGITS = 12

_CONDITIONS = ("clean", "noisy")


@dataclass(frozen=True, slots=True, kw_only=True)
class Noise(BuiltInRelation):
    """Questions that are much like it, put after a question, leave the answer as it was.

    Huang et al., AAAI 2019, section 3: the pool is ranked by how near each question is to the main question, and the
    first 21 make seven partitions of three, the least noise first. Variant k asks the main question alone, and followed
    by the three of partition k; what makes it longer than 26 words is left off from the end.

    All seven ask the same main questions: published ones where the scene has any, else counts, questions of existence
    and of absence about what is there.

    Reports also have the accuracy if the right answer is known: VQA accuracy against annotators, 1 or 0
    against the annotations of the scene.

    Tagged baseline: a person who is asked four questions may answer another than the first.

    **Deviations:**

    - The paper asks for accuracy alone. The same answer is demanded here, be it right or wrong.
    - No main question of the paper's is in its pool. Here only what is asked about this picture is left out of it: the
      pool may hold what is asked about others.
    - A main question that is so long that no basic question of some partition stays is asked in none of the seven.
    """

    info = RelationInfo(
        name="basic_questions.noise",
        task=Task.VQA,
        source="Huang et al., AAAI 2019, section 3",
        version=2,
        variants=tuple(str(partition) for partition in range(1, TOP // PARTITION_SIZE + 1)),
        tags=("baseline",),
        breakdown=("answer_type", "stayed"),
        settings=(POOL, RANKING, EMBEDDING),
        draws_as="basic_questions.noise",
        changes_globals=True,
    )

    pool: str = POOL.default
    """The setting ``pool``: the basic questions to choose from."""
    ranking: str = RANKING.default
    """The setting ``ranking``: how near a basic question is to the main one ("lasso", "bleu-1")."""
    embedding: str = EMBEDDING.default
    """The setting ``embedding``, which LASSO alone uses."""

    @property
    def resources(self) -> tuple[tuple[str, str], ...]:
        """The pool and how it is ranked.

        Raises:
            OptionError: the pool cannot be read.
        """
        pool = open_pool(self.pool)
        named = f"{pool.name}, {len(pool)} questions ({pool.digest[:_DIGEST_DIGITS]})"
        embedded = (("embedding", self.embedding),) if self.ranking == RankingMethod.LASSO else ()
        return (("pool", named), ("ranking", self.ranking), *embedded)

    def derive(self, draw: Draw) -> Case | NotApplicable:
        if reason := missing_packages(self.ranking, self.embedding):
            return NotApplicable(reason=reason)
        main = sample_main_question(draw.scene, draw.choose)
        if isinstance(main, NotApplicable):
            return main
        question = main.question
        joined = self._with_noise(
            question.text, frozenset({question.text, *(each.text for each in draw.scene.questions)})
        )
        partition = int(draw.variant)
        if partition > len(joined):
            return NotApplicable(reason=f"the pool of questions has fewer than {TOP} other questions")
        # All seven partitions must have the same main questions, or their accuracies could not be compared.
        if not all(stayed for _, stayed in joined):
            return NotApplicable(reason=f"with basic questions it would be longer than {MOST_WORDS} words")
        text, stayed = joined[partition - 1]
        return draw.case(
            draw.here((question, replace(question, text=text))),
            expected="first = second",
            facts=(("partition", partition), ("stayed", stayed), ("words", len(text.split())), *main.facts),
        )

    def judge(self, case: Case, answers: Sequence[Answer]) -> Verdict:
        verdict = expectations.same_answer(case, answers)
        return replace(verdict, figures=accuracy_figures(case, verdict.readings))

    def _with_noise(self, text: str, exclude: frozenset[str]) -> list[tuple[str, int]]:
        """Returns the question followed by each partition, with the number of basic questions that fit."""
        with (
            preserve_random_state()
        ):  # libraries of the rankings are imported here, and some use the global random state
            basic = rank_questions(
                open_pool(self.pool),
                text,
                ranking=self.ranking,
                embedding=self.embedding,
                exclude=exclude,
                top=TOP,
            )
        starts = range(0, len(basic), PARTITION_SIZE)
        return [append_questions(text, basic[start : start + PARTITION_SIZE]) for start in starts]


class AnswerType(StrEnum):
    """The answer types of VQA v2."""

    YES_NO = "yes/no"
    NUMBER = "number"
    OTHER = "other"


@dataclass(frozen=True, slots=True, kw_only=True)
class MainQuestion:
    """A main question, with or without a known answer."""

    question: Question
    """The question without noise."""
    answer_type: AnswerType
    """By its kind in the data, else by its most frequent answer."""
    annotators: int
    """The number of annotators; 0 without any, or if each answer has a score instead."""
    truth_known: bool
    """True if accuracy is defined: the annotators or the scene give the right answer."""

    @property
    def facts(self) -> tuple[tuple[str, Fact], ...]:
        return (
            ("answer_type", self.answer_type.value),
            ("annotators", self.annotators),
            ("truth_known", self.truth_known),
        )


def sample_main_question(scene: Scene, choose: Chooser) -> MainQuestion | NotApplicable:
    """Draws one of the scene's published questions, or else one about things in the scene.

    A presumed count has no known answer.
    """
    if scene.questions:
        # The questions of the pool are about the one picture, which a conversation may not have.
        alone = tuple(each for each in scene.questions if not each.turns)
        if not alone:
            return NotApplicable(reason="the data's questions are parts of conversations")
        return _published(choose.one(alone))
    about = groups.sample_question(scene, choose, choose.one(tuple(groups.QuestionKind)), lambda _name: True)
    if isinstance(about, NotApplicable):
        return about
    answer_type = _answer_type(about.question.meaning)
    return MainQuestion(question=about.question, answer_type=answer_type, annotators=0, truth_known=not about.presumed)


def _published(published: PublishedQuestion) -> MainQuestion:
    question = question_of(published)
    named = next((type_ for type_ in AnswerType if type_ == published.kind), None)
    return MainQuestion(
        question=question,
        answer_type=named or _answer_type(question.meaning),
        annotators=0 if published.scores else len(published.answers),
        truth_known=bool(published.answers),
    )


def _answer_type(meaning: Meaning) -> AnswerType:
    """Returns the type by the meaning, or for a published question by its most frequent answer."""
    if is_yes_no(meaning):
        return AnswerType.YES_NO
    if isinstance(meaning, Count):
        return AnswerType.NUMBER
    if isinstance(meaning, Annotated) and meaning.answers:
        best, _ = max(meaning.answers, key=lambda answer: answer[1])
        if best.strip().casefold() in YES_OR_NO:
            return AnswerType.YES_NO
        if best.strip().isdecimal():
            return AnswerType.NUMBER
    return AnswerType.OTHER


def accuracy_figures(case: Case, readings: Sequence[str]) -> tuple[Amount, ...]:
    """Returns the accuracy with and without noise, over all and over the answer type; none if the truth is unknown.

    An unparsed answer counts as wrong.
    """
    if not case.fact("truth_known"):
        return ()
    answer_type, annotators = str(case.fact("answer_type")), int(case.fact("annotators") or 0)
    return tuple(
        (name, amount)
        for how, query, reading in zip(_CONDITIONS, case.queries, readings, strict=True)
        for amount in (_accuracy(query, reading, annotators),)
        for name in (how, f"{how} {answer_type}")
    )


def _accuracy(query: Query, reading: str, annotators: int) -> float:
    """Returns the VQA accuracy if there are enough annotators, or the score of the answer, or else 1 or 0."""
    meaning = query.meaning
    if not isinstance(meaning, Annotated):
        return float(reading == _known(query))
    # VQA accuracy averages over leave-one-out subsets, so it needs more annotators than agree at full score.
    if annotators > ENOUGH:
        return vqa_accuracy(
            reading, [answer for answer, share in meaning.answers for _ in range(round(share * annotators))]
        )
    if annotators:
        return float(normalise_answer(reading) == normalise_answer(str(_known(query))))
    return max(
        (score for answer, score in meaning.answers if normalise_answer(answer) == normalise_answer(reading)),
        default=0.0,
    )


def _known(query: Query) -> str:
    known = truth(query.meaning, query.picture.scene)
    return format_reading(known) if isinstance(known, bool) else str(known)
