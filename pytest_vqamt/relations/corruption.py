"""The relation ``corruption``."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import product

from pytest_vqamt.core.case import Case, Fact, NotApplicable, RelationInfo, RelationSetting
from pytest_vqamt.core.edits import Corruption
from pytest_vqamt.core.meaning import Annotated, groups_of, members
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.query import Task
from pytest_vqamt.core.scene import Scene, Thing
from pytest_vqamt.language.english.lexical_relations import find_words
from pytest_vqamt.language.english.nouns import plural
from pytest_vqamt.language.questions.free import compares
from pytest_vqamt.language.questions.simple import Question
from pytest_vqamt.relations import groups
from pytest_vqamt.relations.base import BuiltInRelation
from pytest_vqamt.relations.draw import Draw
from pytest_vqamt.relations.edits import pixel_box
from pytest_vqamt.relations.expectations import same_answer
from pytest_vqamt.relations.published import photos_of, question_of
from pytest_vqamt.relations.soundness import object_names
from pytest_vqamt.sampling.chooser import Chooser

# The baseline FIP of Chang et al., VEglue, sections 4.5 and 6.3, with the corruptions of Hendrycks and Dietterich
# (2019), one of each sort.


SEVERITY = RelationSetting(
    name="severity",
    values=("1", "2", "3", "4", "5"),
    default="3",
    meaning="how strong a corruption is, as Hendrycks and Dietterich (2019) grade it",
)

VARIANTS: tuple[str, ...] = tuple(f"{kind}-{where}" for kind, where in product(Corruption, ("object", "global")))
"""Each corruption in the boxes of things ("object") and in the whole picture ("global")."""

_ASKED = (groups.QuestionKind.COUNT, groups.QuestionKind.EXISTS)


def is_global(variant: str) -> bool:
    """True if the whole picture is corrupted."""
    return variant.endswith("-global")


def corrupted(scene: Scene, variant: str, severity: str, things: Iterable[Thing]) -> Picture:
    """Returns the scene's picture, corrupted as a whole or in the boxes of ``things``."""
    boxes = tuple(dict.fromkeys(box for thing in things if (box := pixel_box(thing.box, scene))))
    kind = Corruption(variant.partition("-")[0])
    return scene.picture.corrupt(kind, int(severity), () if is_global(variant) else boxes)


@dataclass(frozen=True, slots=True, kw_only=True)
class PictureCorruption(BuiltInRelation):
    """Noise, blur, snow or a loss of contrast leaves the answer as it was.

    The baseline FIP of Chang et al., VEglue, sections 4.3 and 6.3, with the corruptions of Hendrycks and Dietterich
    (2019), one of each sort: all over the picture ("global"), or only in the boxes of the things that are asked about
    ("object"). Counts and questions of existence, about what is there.

    Tagged baseline: people found so many as a third of such pictures spoilt (Table 2: zoom 62.7 % valid, contrast
    76.4 %). What is seen badly is still there, so a perfect perceiver never violates it.

    **Deviation:** the paper's texts are hypotheses that come with the pictures. Where a scene has questions of its
    data set, a case asks one of those, whatever it is about. An "object" case then corrupts the boxes of the things
    that its text names, or of all things if it names none.
    """

    info = RelationInfo(
        name="corruption",
        task=Task.VQA,
        source="Chang et al., VEglue, section 6.3; Hendrycks and Dietterich, ICLR 2019",
        variants=VARIANTS,
        tags=("baseline",),
        breakdown=("shape", "present_groups"),
        version=3,
        settings=(SEVERITY,),
    )
    expect = same_answer

    severity: str = SEVERITY.default
    """From "1" (weak) to "5" (strong)."""

    def derive(self, draw: Draw) -> Case | NotApplicable:
        asked = _question(draw.scene, draw.choose)
        if isinstance(asked, NotApplicable):
            return asked
        question, facts = asked
        things = _things_asked_about(question, draw.scene)
        if not things and not is_global(draw.variant):
            return NotApplicable(reason="no thing in the scene")
        return draw.case(
            draw.before_and_after(question, corrupted(draw.scene, draw.variant, self.severity, things)),
            expected="first = second",
            facts=(*facts, ("severity", int(self.severity))),
        )


def _things_asked_about(question: Question, scene: Scene) -> list[Thing]:
    """Returns the things that the question means; of a data set's question those that its text names, or else all."""
    if not isinstance(question.meaning, Annotated):
        return [thing for group in groups_of(question.meaning) for thing in members(group, scene)]
    # A published question has no meaning to go by, so its words are compared with the names in the scene.
    named = {
        name
        for name in object_names(scene)
        if any(next(find_words(question.text, word), None) for word in {name, plural(name)})
    }
    return [thing for thing in scene.objects if not named or thing.name in named]


def _question(scene: Scene, choose: Chooser) -> tuple[Question, tuple[tuple[str, Fact], ...]] | NotApplicable:
    """Draws a question of the data set if there is one, or else one about things in the scene."""
    # Each picture gets noise of its own, which makes two that are the same differ.
    published = [each for each in scene.questions if len(photos_of(each)) < 2 or not compares(each.words)]
    if published:
        return question_of(choose.one(published)), (("shape", "published"),)
    if scene.questions:
        return NotApplicable(reason="its questions compare pictures, of which each would have noise of its own")
    asked = groups.sample_question(scene, choose, choose.one(_ASKED), lambda _name: True)
    return asked if isinstance(asked, NotApplicable) else (asked.question, asked.facts)
