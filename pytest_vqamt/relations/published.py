"""Published questions, and the relation ``carets.published``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pytest_vqamt.core.case import Case, Fact, NotApplicable, PairKind, RelationInfo, Verdict
from pytest_vqamt.core.meaning import Annotated, truth
from pytest_vqamt.core.query import Answer, Query, Task
from pytest_vqamt.core.scene import PHOTO_MARK, PublishedQuestion, Scene, ShownPhoto
from pytest_vqamt.language.questions.free import Kept, compares, keeps_answer, keeps_what_is_said
from pytest_vqamt.language.questions.lettered import IN_ONE_LINE, Labels, lettered
from pytest_vqamt.language.questions.simple import Question
from pytest_vqamt.language.questions.templates import QuestionType
from pytest_vqamt.relations import expectations
from pytest_vqamt.relations.base import BuiltInRelation
from pytest_vqamt.relations.draw import Draw
from pytest_vqamt.sampling.chooser import Chooser

PUBLISHED_TESTS = (
    "antonym_consistency",
    "ontological_consistency",
    "phrasal_invariance",
    "symmetry_invariance",
    "negation_consistency",
)
"""The tests of the authors' default.yml, in its order."""

_TYPES = {
    "object_verification_conjunction": QuestionType.CONJUNCTION,
    "object_verification_disjunction": QuestionType.DISJUNCTION,
    "object_verification": QuestionType.OBJECT,
    "attribute_verification": QuestionType.ATTRIBUTE,
    "object": QuestionType.OBJECT_CHOICE,
    "attribute": QuestionType.ATTRIBUTE_CHOICE,
    "action": QuestionType.ACTION_CHOICE,
}
"""Question types by the prefix of the published kind, longer prefixes first."""

_EXPECTED = {PairKind.SAME: "first = second", PairKind.OPPOSITE: "one yes, one no", PairKind.IMPLIED: "first = second"}


def sample_published_question(scene: Scene, choose: Chooser) -> Question | None:
    """Draws one of the scene's published questions; None if it has none."""
    return question_of(choose.one(scene.questions)) if scene.questions else None


def published_questions(
    scene: Scene, change: Kept, fits: Callable[[PublishedQuestion], bool] = lambda _published: True
) -> tuple[PublishedQuestion, ...] | NotApplicable:
    """Returns the published questions whose answer the change surely keeps, and which ``fits`` takes."""
    if not scene.questions:
        return NotApplicable(reason="the data has no questions about the picture")
    found = tuple(each for each in scene.questions if _keeps(each, change) and fits(each))
    return found or NotApplicable(reason="no question whose answer is sure to stay the same after the change")


def _keeps(published: PublishedQuestion, change: Kept) -> bool:
    """True if the change surely keeps the answer, also where it is made to all pictures of a conversation."""
    if not published.turns:
        return keeps_answer(published.text, change)
    said = [piece for turn in published.turns for piece in turn.text.split(PHOTO_MARK) if piece.strip()]
    return (
        keeps_answer(published.words, change)
        and keeps_what_is_said(said, change)
        and not (change is Kept.SMALLER and len(photos_of(published)) > 1 and compares(published.words))
    )


def photos_of(published: PublishedQuestion) -> tuple[ShownPhoto, ...]:
    """Returns the photos of the conversation that the question ends; none of a question behind one picture."""
    return tuple(photo for turn in published.turns for photo in turn.photos)


def question_of(published: PublishedQuestion) -> Question:
    """Returns the published question, with the share or the score of each answer.

    Options that its text does not name follow it with letters; a scored question, of CARETS, stays as it was published.
    """
    meaning = annotated(published)
    asked = Question(published.text, meaning, published.turns)
    named = " ".join(published.words.casefold().split())
    # Without its options in sight a multiple-choice question has no one right answer.
    if published.scores or meaning.is_yes_no or all(option.casefold() in named for option in meaning.options):
        return asked
    return lettered(asked, Labels.LETTERS, IN_ONE_LINE)


def annotated(published: PublishedQuestion) -> Annotated:
    """Returns the meaning of a published question.

    Answers are read by its words, unless its data set has its own rules, as the scored ones of CARETS have.
    """
    if published.scores:
        answers = tuple(zip(published.answers, published.scores, strict=True))
        return Annotated(answers=answers, options=published.options)
    given = Counter(published.answers)
    shares = tuple((answer, count / given.total()) for answer, count in given.items())
    return Annotated(answers=shares, options=published.options, question=published.words)


@dataclass(frozen=True, slots=True)
class PublishedPairs(BuiltInRelation):
    """The two questions of a published pair are answered alike or, where that is their test, yes and no.

    Jimenez et al., ACL 2022: the authors' own question files, as ``--vqamt-data=carets:DIR`` reads them, each variant
    one test of their default.yml. Nothing is drawn or worded anew: without ``--vqamt-max-cases`` every pair is a case.
    Data without published pairs has no such item, unless a pattern names this relation.

    - In the antonym and negation tests one answer must be yes and the other no; in the others both must be the same.
    - The published pairs of the ontological test go in the direction that is implied: where the answer is yes, a name
      became its hypernym. So the same answer is expected whatever the first one was. (The authors' own scorer also
      takes a pair whose first answer is wrong; that is one of the metrics.)
    - Yes and no are taken as they are said, for no meaning of these texts is known: "there is none", without a yes or a
      no, is not understood. Of the choices one must be named.
    """

    info = RelationInfo(
        name="carets.published",
        task=Task.VQA,
        source="Jimenez et al., ACL 2022, section 4.2, and the authors' published question files",
        variants=PUBLISHED_TESTS,
        breakdown=("question_type", "answers", "choices", "truth"),
        pairs=PairKind.SAME,  # the fact "pairs" says it of each case, as default.yml does of its test
    )

    def derive(self, draw: Draw) -> Case | NotApplicable:
        cases = self.every(draw.scene, draw.variant)
        return cases if isinstance(cases, NotApplicable) else draw.choose.one(cases)

    def every(self, scene: Scene, variant: str) -> tuple[Case, ...] | NotApplicable:
        """Returns the scene's pairs of the test ``variant``, in the order of the files."""
        perturbed = [question for question in scene.questions if question.pair]
        if not perturbed:
            return NotApplicable(reason="no published pair is about the picture: take --vqamt-data=carets:DIR")
        originals = {question.id: question for question in scene.questions if question.pair is None}
        cases = tuple(
            self._case(scene, variant, originals[question.pair.original], question)
            for question in perturbed
            if question.pair and question.pair.test == variant
        )
        return cases or NotApplicable(reason="no pair of this test is about the picture")

    def judge(self, case: Case, answers: Sequence[Answer]) -> Verdict:
        if case.fact("pairs") == PairKind.OPPOSITE:
            return expectations.opposite_answer(case, answers)
        return expectations.same_answer(case, answers)

    def _case(self, scene: Scene, variant: str, original: PublishedQuestion, perturbed: PublishedQuestion) -> Case:
        assert perturbed.pair is not None
        kind = PairKind(perturbed.pair.demand)
        first = question_of(original)
        asked = first, question_of(perturbed)
        return Case(
            relation=self.info.name,
            variant=variant,
            scene=scene.id,
            queries=tuple(Query(picture=scene.picture, text=each.text, meaning=each.meaning) for each in asked),
            expected=_EXPECTED[kind],
            facts=(*_facts(original, first, scene), ("pairs", kind.value), ("published", perturbed.id)),
        )


def _facts(published: PublishedQuestion, question: Question, scene: Scene) -> tuple[tuple[str, Fact], ...]:
    kind = next((type_ for start, type_ in _TYPES.items() if f"{published.kind}_".startswith(f"{start}_")), None)
    type_fact: tuple[tuple[str, Fact], ...] = (("question_type", kind.value if kind else published.kind),)
    right = truth(question.meaning, scene)
    if isinstance(right, bool):
        return (*type_fact, ("answers", "binary"), ("truth", "yes" if right else "no"))
    return (*type_fact, ("answers", "choices"), ("choices", len(published.options)))
