"""What fills the templates: a question that is not worded yet, with its answer and what the answer rests on."""

from __future__ import annotations

from dataclasses import dataclass

from pytest_vqamt.core.case import Fact
from pytest_vqamt.core.meaning import Choice, Exists, Group, groups_of, members
from pytest_vqamt.core.scene import Scene, Thing
from pytest_vqamt.language.questions import wordings
from pytest_vqamt.language.questions.simple import Question
from pytest_vqamt.language.questions.templates import Asking, QuestionType
from pytest_vqamt.sampling.chooser import Chooser


@dataclass(frozen=True, slots=True, kw_only=True)
class Argument:
    """A question to be worded.

    Attributes:
        truth: "yes", "no", or the option that is right.
        subject: the name or attribute that it was drawn by.
        rests_on_absence: it names what is not there, and some of it may be there without being annotated (rule 4).
        rests_on_the_only_one: it says "the dog", and another may be there without being annotated.
    """

    asking: Asking
    truth: str
    subject: str
    rests_on_absence: bool = False
    rests_on_the_only_one: bool = False

    @property
    def is_related(self) -> bool:
        """Whether its first group stands in a relation to another, which templates of their own word."""
        return bool(groups_of(self.asking.meaning)[0].related)

    @property
    def is_one_of_two(self) -> bool:
        """Whether it says "either A or B" of one that is there and one that may be there without being annotated."""
        return self.asking.type is QuestionType.DISJUNCTION and self.truth == "yes" and self.rests_on_absence

    @property
    def templates(self) -> int:
        """How many templates word it."""
        return wordings.count(self.asking.type, self.is_related)

    def worded(self, template: int, *, negated: bool = False) -> Question:
        return wordings.question(self.asking, template, negated=negated)

    def facts(self, *, template: int, other_template: int) -> tuple[tuple[str, Fact], ...]:
        """What reports break the verdicts down by."""
        meaning = self.asking.meaning
        choices = len(meaning.options) if isinstance(meaning, Choice) else 0
        return (
            ("question_type", self.asking.type.value),
            ("answers", "choices" if choices else "binary"),
            *((("choices", choices),) if choices else (("truth", self.truth),)),
            ("related", self.is_related),
            ("subject", self.subject),
            ("template", template),
            ("other_template", other_template),
        )


def existence(group: Group, *, subject: str, truth: str, unsure: bool = False) -> Argument:
    """Q1: whether there is any of the group; ``unsure`` where it rests on an absence that is not annotated."""
    asking = Asking(type=QuestionType.OBJECT, meaning=Exists(group=group))
    return Argument(asking=asking, truth=truth, subject=subject, rests_on_absence=unsure)


def two_templates(argument: Argument, choose: Chooser) -> tuple[int, int]:
    """Two different templates that word the argument."""
    first, second = choose.several(range(argument.templates), 2)
    return first, second


def one_template(argument: Argument, choose: Chooser) -> int:
    """A template that words the argument."""
    return choose.between(0, argument.templates - 1)


def things_named(asking: Asking, scene: Scene) -> tuple[tuple[Thing, ...], tuple[Group, ...]]:
    """The true objects of a question, and the groups of it that name nothing.

    True objects are all that its groups name, and all that those stand in a relation to.
    """
    found: set[str] = set()
    absent: list[Group] = []
    for group in groups_of(asking.meaning):
        there = members(group, scene)
        if not there:
            absent.append(group)
        found.update(thing.id for thing in there)
        found.update(thing.id for condition in group.related for thing in members(condition.to, scene))
    return tuple(thing for thing in scene.objects if thing.id in found), tuple(absent)
