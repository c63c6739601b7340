"""The relation ``carets.visual``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.case import Case, NotApplicable, PairKind, RelationInfo, Verdict
from pytest_vqamt.core.corpus import Corpus
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.query import Answer, Task
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.language.questions.templates import QuestionType
from pytest_vqamt.relations import expectations
from pytest_vqamt.relations.askable_scene import view_of
from pytest_vqamt.relations.base import case_of
from pytest_vqamt.relations.carets.argument_sampling import any_that
from pytest_vqamt.relations.carets.arguments import one_template
from pytest_vqamt.relations.carets.focus import Obscuring, kept_for
from pytest_vqamt.relations.lexical_knowledge import ONTOLOGY, WORDNET, DrawsOnWords
from pytest_vqamt.sampling.chooser import Chooser

_SIGMA_PX = {"blur3": 3.0, "blur6": 6.0, "blur9": 9.0}


@dataclass(frozen=True, slots=True)
class Visual(DrawsOnWords):
    """What a question is not about can be blurred, painted over or cut off without another answer.

    Jimenez et al., ACL 2022, section 4.2 (d). The foreground is the boxes of all things that the question names, each
    at least 32 x 32 pixels; of a question about what is not there, the boxes of one or two things of the picture. All
    else is blurred (sigma 3, 6 or 9), painted in the mean colour of the data, or cut off outside the tightest rectangle
    around the foreground. All seven types of question.

    **Deviations**, so that no perfect perceiver violates it, besides those of ``verifying`` and ``choosing``:

    - What shows in part, or blurred, looks like nothing that is asked about and is not there, and like nothing that is
      said to be the only one of its kind (see ``look_alikes``): no half of a cat in a dog's box.
    - Of a false attribute, all things of the name are the foreground, each of which has another.
    - Where nothing is left around it, what is there is asked about only if it is ``recognisable`` by itself, and by no
      attribute that depends on what else is there ("small").
    - Where the background is painted over, nothing is said to be absent by whose name a plain rectangle might go.
    - A case is presumed where it rests on an absence that is not annotated exhaustively: of what is not there, or of
      another thing beside the only one. What is there and kept is seen as before, whatever else is hidden.
    """

    info: ClassVar[RelationInfo] = RelationInfo(
        name="carets.visual",
        task=Task.VQA,
        claim="What a question is not about can be blurred, painted over or cut off without another answer.",
        source="Jimenez et al., ACL 2022, section 4.2 (d)",
        variants=(*_SIGMA_PX, "mask", "crop"),
        version=2,
        breakdown=("question_type", "answers", "choices", "truth"),
        settings=(WORDNET, ONTOLOGY),
        pairs=PairKind.SAME,
    )

    def derive(self, scene: Scene, corpus: Corpus, choose: Chooser, variant: str) -> Case | NotApplicable:
        how = Obscuring.BLUR if variant in _SIGMA_PX else Obscuring(variant)
        view = view_of(scene, corpus, self.known, gradable=how is Obscuring.BLUR)
        drawn = any_that(tuple(QuestionType), view, choose, lambda argument: kept_for(argument, view, choose, how))
        if isinstance(drawn, NotApplicable):
            return drawn
        argument, keep = drawn
        obscured = _obscured(scene.picture, keep, variant, corpus)
        if isinstance(obscured, NotApplicable):
            return obscured
        template = one_template(argument, choose)
        question = argument.worded(template)
        return case_of(
            self,
            variant,
            scene,
            ((scene.picture, question), (obscured, question)),
            expected="first = second",
            facts=argument.facts(template=template, other_template=template),
            presumed=argument.rests_on_absence or argument.rests_on_the_only_one,
        )

    def judge(self, case: Case, answers: Sequence[Answer]) -> Verdict:
        return expectations.same_answer(case, answers)


def _obscured(picture: Picture, keep: tuple[Box, ...], variant: str, corpus: Corpus) -> Picture | NotApplicable:
    if variant in _SIGMA_PX:
        return picture.blur(keep, sigma=_SIGMA_PX[variant])
    if variant == "crop":
        (window,) = keep
        return picture.crop(window)
    colour = corpus.mean_colour
    if colour is None:
        return NotApplicable(reason="the data has no photos to take a mean colour from")
    return picture.mask(keep, colour)
