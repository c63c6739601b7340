"""The relation ``basic_questions.noise``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from pytest_vqamt.core.case import Case, NotApplicable, RelationInfo, Verdict
from pytest_vqamt.core.corpus import Corpus
from pytest_vqamt.core.identity import global_random_kept
from pytest_vqamt.core.query import Answer, Task
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.language.question_ranking import (
    EMBEDDING,
    MOST_WORDS,
    POOL,
    RANKING,
    TOP,
    Ranking,
    lacking,
    noisy,
    open_pool,
    ranked,
)
from pytest_vqamt.relations import expectations
from pytest_vqamt.relations.base import case_of
from pytest_vqamt.relations.basic_questions.accuracy import figures_of
from pytest_vqamt.relations.basic_questions.main_question import main_question
from pytest_vqamt.sampling.chooser import Chooser

IN_A_PARTITION = 3

_SHOWN = 12
"""So many digits of a digest are shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Noise:
    """Questions that are much like it, put after a question, leave the answer as it was.

    Huang et al., AAAI 2019, section 3: the pool is ranked by how near each question is to the main question, and the
    first 21 make seven partitions of three, the least noise first. Variant k asks the main question alone, and followed
    by the three of partition k; what makes it longer than 26 words is left off from the end.

    All seven ask the same main questions: published ones where the scene has any, else counts, questions of existence
    and of absence about what is there.

    Beside the same answer, accuracy is told where the right answer is known: VQA accuracy against annotators, 1 or 0
    against the annotations of the scene.

    Tagged baseline: a person who is asked four questions may answer another than the first.

    **Deviations:**

    - The paper asks for accuracy alone. The same answer is demanded here, be it right or wrong.
    - No main question of the paper's is in its pool. Here only what is asked about this picture is left out of it: the
      pool may hold what is asked about others.
    - A main question that is so long that no basic question of some partition stays is asked in none of the seven.
    """

    info: ClassVar[RelationInfo] = RelationInfo(
        name="basic_questions.noise",
        task=Task.VQA,
        claim="Questions that are much like it, put after a question, leave the answer as it was.",
        source="Huang et al., AAAI 2019, section 3",
        variants=tuple(str(partition) for partition in range(1, TOP // IN_A_PARTITION + 1)),
        tags=("baseline",),
        breakdown=("answer_type", "stayed"),
        settings=(POOL, RANKING, EMBEDDING),
        draws_as="basic_questions.noise",
    )

    pool: str = POOL.default
    ranking: str = RANKING.default
    embedding: str = EMBEDDING.default

    @property
    def resources(self) -> tuple[tuple[str, str], ...]:
        """The pool and how it is ranked.

        Raises:
            OptionError: the pool cannot be read.
        """
        pool = open_pool(self.pool)
        named = f"{pool.name}, {len(pool)} questions ({pool.digest[:_SHOWN]})"
        embedded = (("embedding", self.embedding),) if self.ranking == Ranking.LASSO else ()
        return (("pool", named), ("ranking", self.ranking), *embedded)

    def derive(self, scene: Scene, corpus: Corpus, choose: Chooser, variant: str) -> Case | NotApplicable:
        if reason := lacking(self.ranking, self.embedding):
            return NotApplicable(reason=reason)
        main = main_question(scene, choose)
        if isinstance(main, NotApplicable):
            return main
        question = main.question
        joined = self._with_noise(question.text, frozenset({question.text, *(each.text for each in scene.questions)}))
        partition = int(variant)
        if partition > len(joined):
            return NotApplicable(reason=f"the pool has fewer than {TOP} other questions")
        if not all(stayed for _, stayed in joined):
            return NotApplicable(reason=f"too long for basic questions beside it: all within {MOST_WORDS} words")
        text, stayed = joined[partition - 1]
        return case_of(
            self,
            variant,
            scene,
            ((scene.picture, question), (scene.picture, replace(question, text=text))),
            expected="first = second",
            facts=(("partition", partition), ("stayed", stayed), ("words", len(text.split())), *main.facts),
        )

    def judge(self, case: Case, answers: Sequence[Answer]) -> Verdict:
        verdict = expectations.same_answer(case, answers)
        return replace(verdict, figures=figures_of(case, verdict.readings))

    def _with_noise(self, text: str, exclude: frozenset[str]) -> list[tuple[str, int]]:
        """The question followed by each partition, and how many basic questions of it stayed."""
        with global_random_kept():  # what ranks is imported here, and some of it draws
            basic = ranked(
                open_pool(self.pool),
                text,
                ranking=self.ranking,
                embedding=self.embedding,
                exclude=exclude,
                top=TOP,
            )
        starts = range(0, len(basic), IN_A_PARTITION)
        return [noisy(text, basic[start : start + IN_A_PARTITION]) for start in starts]
