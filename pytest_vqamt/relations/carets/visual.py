"""The relation ``carets.visual``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.case import Case, Fact, NotApplicable, RelationInfo, Verdict
from pytest_vqamt.core.corpus import Corpus
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.query import Answer, Task
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.core.truth import truth
from pytest_vqamt.language.questions import Question
from pytest_vqamt.relations import expectations
from pytest_vqamt.relations.base import case_of
from pytest_vqamt.relations.carets.focus import Obscuring, on_what_is_not_there, on_what_is_there
from pytest_vqamt.relations.present import Kind
from pytest_vqamt.sampling.chooser import Chooser

_SIGMA_PX = {"blur3": 3.0, "blur6": 6.0, "blur9": 9.0}


@dataclass(frozen=True, slots=True)
class Visual:
    """What a question is not about can be blurred, painted over or cut off without another answer.

    Jimenez et al., ACL 2022, section 4.2 (d). The foreground is the boxes of all things that the question names, each
    at least 32 x 32 pixels; of a question about what is not there, the boxes of one or two things of the picture. All
    else is blurred (sigma 3, 6 or 9), painted in the mean colour of the data, or cut off outside the tightest rectangle
    around the foreground. Half of the yes/no questions are about what is there.

    **Deviations**, so that no perfect perceiver violates it:

    - Counts are asked, too, of countable names of which there is no crowd, and as one of which no other thing or crowd
      could be counted. All that is counted is kept whole. What else shows, in part or blurred, looks like nothing that
      is counted (see ``look_alikes``): neither the half of a cat in a dog's box nor, of red cars, that of a blue one.
    - A count of a property needs a property that excludes it on every other thing of the name: a car whose colour
      nobody noted could be red, and be hidden.
    - What is not there is a name unrelated to every name in the scene, and plausible: it occurs in the data together
      with what is kept. Or it is a property of a name of which every thing has another; then all things of that name
      are the foreground. Again nothing that shows in part or blurred looks like it.
    - Where nothing is left around it, what is there is asked about only if it is ``recognisable`` by itself.
    - Where the background is painted over, nothing is counted or said to be absent by whose name a plain rectangle
      might go.
    - Counts, and what is not there, are presumed where the name is not annotated exhaustively. What is there and kept
      is seen as before, whatever else is hidden, so it is asked about by any countable name, and never presumed.
    """

    info: ClassVar[RelationInfo] = RelationInfo(
        name="carets.visual",
        task=Task.VQA,
        claim="What a question is not about can be blurred, painted over or cut off without another answer.",
        source="Jimenez et al., ACL 2022, section 4.2 (d)",
        variants=(*_SIGMA_PX, "mask", "crop"),
        breakdown=("truth", "shape", "present_groups"),
    )

    def derive(self, scene: Scene, corpus: Corpus, choose: Chooser, variant: str) -> Case | NotApplicable:
        how = Obscuring.BLUR if variant in _SIGMA_PX else Obscuring(variant)
        kind = choose.one(tuple(Kind))
        if kind is not Kind.COUNT and choose.chance(0.5):
            focus = on_what_is_not_there(scene, corpus, choose, kind, how)
        else:
            focus = on_what_is_there(scene, choose, kind, how)
        if isinstance(focus, NotApplicable):
            return focus
        if scene.frame in focus.keep:
            return NotApplicable(reason="the foreground fills the picture")
        obscured = _obscured(scene.picture, focus.keep, variant, corpus)
        if isinstance(obscured, NotApplicable):
            return obscured
        return case_of(
            self,
            variant,
            scene,
            ((scene.picture, focus.question), (obscured, focus.question)),
            expected="first = second",
            facts=(
                ("truth", _truth(focus.question, scene)),
                ("shape", focus.shape),
                ("present_groups", focus.present),
                ("wording", focus.wording),
            ),
            presumed=focus.presumed,
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


def _truth(question: Question, scene: Scene) -> Fact:
    right = truth(question.meaning, scene)
    return ("yes" if right else "no") if isinstance(right, bool) else str(right)
