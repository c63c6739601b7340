"""The relations ``choice.rotate``, ``choice.labels`` and ``choice.none``: a question with a list of options.

Exactly one option is right. The question is which of several things is in the picture, of which one is there and
salient, and the others are surely absent; or which color the one thing of a name has, where the colors exclude each
other (rules: the only one, exclusive properties); or, where there is neither, a question of the data set with options
that do not speak of each other, or one that is answered by yes or no ("(A) No (B) Yes").
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from pytest_vqamt.core.case import Case, Fact, NotApplicable, RelationInfo
from pytest_vqamt.core.meaning import NONE_OF_THESE, YES_OR_NO, Annotated, Group
from pytest_vqamt.core.query import Task
from pytest_vqamt.core.scene import PublishedQuestion, Scene
from pytest_vqamt.language.english.lexical_relations import COLOURS
from pytest_vqamt.language.questions.free import Kept, QuestionForm, form_of
from pytest_vqamt.language.questions.lettered import (
    LAYOUTS,
    STEMS,
    Labels,
    has_letters,
    lettered,
    which_there,
    which_value,
)
from pytest_vqamt.language.questions.simple import Question
from pytest_vqamt.relations.askable_scene import AskableScene
from pytest_vqamt.relations.draw import Draw
from pytest_vqamt.relations.expectations import becomes_none_of_these, same_answer
from pytest_vqamt.relations.lexical_knowledge import ONTOLOGY, WORDNET, LexicalRelation
from pytest_vqamt.relations.presence import TOO_FEW, sample_presence, the_color
from pytest_vqamt.relations.published import annotated, published_questions
from pytest_vqamt.relations.rules import FALSE, SALIENT, UNIQUE
from pytest_vqamt.sampling.chooser import Chooser

_COLOR = "color"

_YES_OR_NO = ("Yes", "No")
_MOST_OPTIONS = 8
_ABOUT_OPTIONS = re.compile(
    r"\b(?:above|below|both|all|none|neither|either|any|other|others|these|[a-h] (?:and|or) [a-h])\b"
)

_NOTHING = re.compile(r"(?:none|no one|nobody|nothing|neither|zero|0|no|not any)\W*", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class OptionQuestion:
    """A question with options, before they are listed."""

    about: str
    """"thing", "color" or, of a question of the data set, "published"."""
    options: tuple[str, ...]
    """Names or colors in a random order."""
    right: str
    """The one that is right; "" if it is not known."""
    ask: Callable[[tuple[str, ...]], Question]
    """Makes the question for the options that are listed; ``NONE_OF_THESE`` may be the last."""
    presumed: bool
    """True if that one is right, and no other, rests on an absence that is not guaranteed."""

    def case(self, draw: Draw, lists: Iterable[tuple[tuple[str, ...], Labels]], expected: str) -> Case | NotApplicable:
        """Returns the case of one query for each list of options with labels, all in one layout."""
        layout = draw.wording(LAYOUTS)
        facts: tuple[tuple[str, Fact], ...] = (
            ("about", self.about),
            ("options", len(self.options)),
            ("layout", layout),
        )
        return draw.case(
            draw.here(lettered(self.ask(options), labels, layout) for options, labels in lists),
            expected=expected,
            facts=facts,
            presumed=self.presumed,
        )


def sample_options(view: AskableScene, choose: Chooser, least: int, most: int) -> OptionQuestion | NotApplicable:
    """Draws a question with ``least`` to ``most`` options."""
    count = choose.between(least, most)
    wording = choose.between(0, STEMS - 1)
    # Evenly, as far as the scene has both: COCO has no colors.
    samplers = (_of_colors, _of_things) if choose.chance(0.5) else (_of_things, _of_colors)
    for sample in samplers:
        if drawn := sample(view, choose, count, wording):
            return drawn
    return _of_published(view.scene, choose) if view.scene.questions else TOO_FEW


def _of_published(scene: Scene, choose: Chooser, *, only_answered: bool = False) -> OptionQuestion | NotApplicable:
    """Draws a published question with options, or one that is answered by yes or no."""
    listed = {each.id: _listed(each) for each in scene.questions}

    def fits(published: PublishedQuestion) -> bool:
        options = listed[published.id]
        if not only_answered:
            return len(options) > 1
        # "None" as a number of things is as right as "none of these" where no option is.
        return len(options) > 2 and bool(_right(published, options)) and not any(map(_NOTHING.fullmatch, options))

    found = published_questions(scene, Kept.WORDING, fits)
    if isinstance(found, NotApplicable):
        return found
    published = choose.one(found)
    options = listed[published.id]
    right = _right(published, options)

    def ask(offered: tuple[str, ...]) -> Question:
        answers = annotated(published).answers
        # With the right option taken away, the annotators' answer is that none is right.
        if right and right not in offered:
            answers = ((NONE_OF_THESE, 1.0),)
        return Question(published.text, Annotated(answers=answers, options=offered), published.turns)

    return OptionQuestion(
        about="published", options=choose.several(options, len(options)), right=right, ask=ask, presumed=False
    )


def _listed(published: PublishedQuestion) -> tuple[str, ...]:
    """The options as a list has them; none where they speak of each other, or the text lists them."""
    options = published.options
    if options == YES_OR_NO or (not options and form_of(published.words) is QuestionForm.YES_NO):
        return _YES_OR_NO
    # "Both of the above" and "A or B" mean something else in another order.
    speaks_of_others = any(_ABOUT_OPTIONS.search(each.casefold()) for each in options)
    is_listed = has_letters(f" {published.text} ") or len(options) > _MOST_OPTIONS
    return () if speaks_of_others or is_listed else options


def _right(published: PublishedQuestion, options: tuple[str, ...]) -> str:
    """The option that its annotators chose; "" if there is none."""
    best = Counter(map(str.casefold, published.answers)).most_common(1)
    return next((each for each in options if best and each.casefold() == best[0][0]), "")


def _of_things(view: AskableScene, choose: Chooser, count: int, wording: int) -> OptionQuestion | None:
    drawn = sample_presence(view, choose, count - 1)
    if isinstance(drawn, NotApplicable):
        return None

    def ask(names: tuple[str, ...]) -> Question:
        groups = tuple(Group(name=name) for name in names if name != NONE_OF_THESE)
        return which_there(groups, wording, or_none=NONE_OF_THESE in names)

    return OptionQuestion(
        about="thing",
        options=choose.several((drawn.there, *drawn.absent), count),
        right=drawn.there,
        ask=ask,
        presumed=drawn.presumed,
    )


def _of_colors(view: AskableScene, choose: Chooser, count: int, wording: int) -> OptionQuestion | None:
    found = [each for each in view.cached("colors to choose", lambda: _colored(view)) if len(each[2]) >= count - 1]
    if not found:
        return None
    name, right, false = choose.one(found)

    def ask(values: tuple[str, ...]) -> Question:
        return which_value(Group(name=name), _COLOR, values, wording)

    return OptionQuestion(
        about=_COLOR,
        options=choose.several((right, *choose.several(false, count - 1)), count),
        right=right,
        ask=ask,
        presumed=view.is_presumed(name),
    )


def _colored(view: AskableScene) -> list[tuple[str, str, tuple[str, ...]]]:
    """Returns the name of each thing that is the only one of its name, with its color and others that exclude it."""
    return [
        (thing.name, color, false)
        for thing in view.scene.objects
        if thing.name in view.names and SALIENT.check(thing, view.scene) and UNIQUE.check(view, thing)
        for color in the_color(thing, view)
        if (false := tuple(word for word in COLOURS if word != color and FALSE.check(view, thing, word)))
    ]


@dataclass(frozen=True, slots=True)
class Rotate(LexicalRelation):
    """The order of options with letters does not change which of them is right.

    "Which of these is in the picture? (A) a dog (B) a kite (C) a car", with the options in every rotation. After
    CircularEval, which counts a question as answered only if all rotations are, and Facet-Probe (arXiv 2606.26079).
    **Deviation:** not the right answer is demanded, but the same option each time, by its words or by its letter.
    Three or four options, of which exactly one is right. Presumed where another may be right, too.
    """

    info = RelationInfo(
        name="choice.rotate",
        task=Task.VQA,
        source="a relation of this project, after CircularEval and Facet-Probe (arXiv 2606.26079)",
        version=2,
        breakdown=("about", "options", "layout"),
        settings=(WORDNET, ONTOLOGY),
        fixed_texts=True,
    )
    expect = same_answer

    def derive(self, draw: Draw) -> Case | NotApplicable:
        drawn = sample_options(draw.view, draw.choose, 3, 4)
        if isinstance(drawn, NotApplicable):
            return drawn
        options = drawn.options
        rotations = (((*options[start:], *options[:start]), Labels.LETTERS) for start in range(len(options)))
        return drawn.case(draw, rotations, "all name the same option")


@dataclass(frozen=True, slots=True)
class Labelled(LexicalRelation):
    """With numbers instead of letters before the options, the same option is right.

    "Which of these is in the picture? (A) a dog (B) a kite (C) a car", and the same options in the same order as (1),
    (2) and (3): the same option is named, by its words or by its label. A relation of this project, beside
    ``choice.rotate``. Three or four options, of which exactly one is right. Presumed where another may
    be right, too.
    """

    info = RelationInfo(
        name="choice.labels",
        task=Task.VQA,
        source="a relation of this project: letters against numbers",
        version=2,
        breakdown=("about", "options", "layout"),
        settings=(WORDNET, ONTOLOGY),
        fixed_texts=True,
    )
    expect = same_answer

    def derive(self, draw: Draw) -> Case | NotApplicable:
        drawn = sample_options(draw.view, draw.choose, 3, 4)
        if isinstance(drawn, NotApplicable):
            return drawn
        return drawn.case(draw, ((drawn.options, labels) for labels in Labels), "first = second")


@dataclass(frozen=True, slots=True)
class NoneOfThese(LexicalRelation):
    """With the right option taken away, "none of these" is right.

    "Which of these is in the picture? (A) a dog (B) a kite (C) a car (D) none of these", and the same without the
    dog, which is there. The first answer must be one of the options: who always says "none of these" is wrong, too.
    Three options, of which exactly one is right. A relation of this project. Presumed where another may
    be right, too (rule: sure absence).
    """

    info = RelationInfo(
        name="choice.none",
        task=Task.VQA,
        source="a relation of this project: the right option is taken away",
        version=2,
        breakdown=("about", "layout"),
        settings=(WORDNET, ONTOLOGY),
        fixed_texts=True,
    )
    expect = becomes_none_of_these

    def derive(self, draw: Draw) -> Case | NotApplicable:
        drawn = sample_options(draw.view, draw.choose, 3, 3)
        if not isinstance(drawn, NotApplicable) and drawn.about == "published":
            # Which option to take away must be known; the other relations of options need no right answer.
            drawn = _of_published(draw.scene, draw.choose, only_answered=True)
        if isinstance(drawn, NotApplicable):
            return drawn
        left = tuple(option for option in drawn.options if option != drawn.right)
        offered = (((*options, NONE_OF_THESE), Labels.LETTERS) for options in (drawn.options, left))
        return drawn.case(draw, offered, "second is none of these")
