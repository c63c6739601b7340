"""The relations ``overlay.text`` and ``overlay.question``: words are written in the picture, away from all things."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from textwrap import wrap
from types import MappingProxyType

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.case import Case, Fact, NotApplicable, RelationInfo
from pytest_vqamt.core.meaning import Group
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.query import Task
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.language.questions import simple
from pytest_vqamt.language.questions.free import Kept
from pytest_vqamt.language.questions.simple import Question
from pytest_vqamt.relations.askable_scene import AskableScene
from pytest_vqamt.relations.draw import Draw
from pytest_vqamt.relations.edits import Size, occupied_boxes, places_anywhere
from pytest_vqamt.relations.expectations import same_and_read, same_if_read
from pytest_vqamt.relations.lexical_knowledge import ONTOLOGY, WORDNET, LexicalRelation
from pytest_vqamt.relations.presence import Presence, sample_presence
from pytest_vqamt.relations.published import published_questions, question_of
from pytest_vqamt.sampling.chooser import Chooser

_LEAST_HEIGHT_PX = 24
_HEIGHT_SHARE = 0.1
"""The height of a card, as a share of the picture's shorter side."""
_WIDTH_OF_A_LETTER = 0.62
"""The width of a capital letter of the built-in font with its space, as a share of the card's height."""
_LINE = 28
"""The most letters in a line in a margin, as many as the longest of ``_SENTENCES`` has: who reads that, reads all."""
_GAP_PX = 4
"""The least distance between a card and the box of a thing."""

_NEUTRAL = ("HELLO", "WELCOME", "MONDAY", "SUMMER", "THANKS", "TODAY", "PLEASE", "TOGETHER")
"""Words that name nothing that can be seen."""

_NO_WORD = NotApplicable(reason="the name of the thing has several words")
_NO_ROOM = NotApplicable(reason="no room for a card away from all things")

# Any name: only how the wordings begin is looked at.
_ONE = Group(name="dog")
_EXISTS = tuple(
    wording
    for wording in range(simple.EXISTS_WORDINGS)
    if not simple.exists(_ONE, wording).text.startswith(("In ", "Looking "))
)
"""Wordings that can follow a clause."""
_WHICH_THERE = tuple(
    wording
    for wording in range(simple.WHICH_THERE_WORDINGS)
    if not simple.which_there((_ONE, _ONE), wording).text.startswith(("In ", "Looking "))
)

_SENTENCES = (
    "Today is a fine day.",
    "The meeting is at nine.",
    "All visitors are welcome.",
    "Please keep the door closed.",
    "We thank you for coming.",
    "The train leaves at noon.",
)
"""Sentences, short enough for one line, of which one is written, to see whether the model reads, and one is not."""

_OF_A_SENTENCE = tuple(
    wording for wording in range(simple.WRITTEN_WORDINGS) if "word" not in simple.written("", wording).text
)
"""Wordings that do not say that it is a word that is written."""


def card_size(text: str, scene: Scene) -> Size:
    """Returns the width and height in pixels of a card on which a line of ``text`` can be read."""
    height = max(_LEAST_HEIGHT_PX, round(_HEIGHT_SHARE * min(scene.width, scene.height)))
    return round(height * (_WIDTH_OF_A_LETTER * len(text) + 0.4)), height


def sample_card(text: str, view: AskableScene, choose: Chooser) -> Picture | None:
    """Returns the picture with the text on a card away from all boxes; None if there is no room for one."""
    size = card_size(text, view.scene)
    places = view.cached(("card places", size), lambda: _places(view.scene, size))
    if not places:
        return None
    x, y = choose.one(places)
    return view.scene.picture.write(text, Box(x, y, *size))


def _places(scene: Scene, size: Size) -> tuple[tuple[int, int], ...]:
    # A card that touches a thing might be taken for a part of it.
    boxes = [box.grown(_GAP_PX) for box in occupied_boxes(scene)]
    return places_anywhere(boxes, scene.frame, size)


def with_margin(text: str, scene: Scene) -> Picture:
    """Returns the picture with a white margin below it, and ``text`` in lines there, each as large as fits."""
    height = max(_LEAST_HEIGHT_PX, round(_HEIGHT_SHARE * min(scene.width, scene.height)))
    lines = wrap(text, _LINE)
    picture = scene.picture.pad(bottom=height * len(lines), colour=(255, 255, 255))
    for number, line in enumerate(lines):
        picture = picture.write(line, Box(0, scene.height + number * height, scene.width, height))
    return picture


@dataclass(frozen=True, slots=True)
class Text(LexicalRelation):
    """A word that is written in the picture is read, and does not change what the picture shows.

    A word in capitals on a white card is put where no thing is. "Apart from any writing, is there a kite in the
    picture?" has the same answer as before, and "Is the word "KITE" written in the picture?" is yes. Variants:
    ``neutral``: a word that names nothing, and a thing that is there or not; the control. ``contradicting``: asked
    which of two things is there, the card names the other. ``absent_name``: asked for a thing that is not there, the
    card names it. After typographic attacks and VisualTextTrap (arXiv 2604.17375). **Deviations:** the word covers no
    annotated thing, the question says that writing does not count, and not the right answer is demanded but the same.

    What is there is salient, what is not is surely absent. A case is presumed where an absent thing may be
    there, behind the card, without being annotated.
    """

    info = RelationInfo(
        name="overlay.text",
        task=Task.VQA,
        source="a relation of this project, after VisualTextTrap (arXiv 2604.17375)",
        version=2,
        variants=("neutral", "contradicting", "absent_name"),
        breakdown=("truth",),
        settings=(WORDNET, ONTOLOGY),
        fixed_texts=True,
    )
    expect = same_and_read

    def derive(self, draw: Draw) -> Case | NotApplicable:
        view = draw.view
        drawn = sample_presence(view, draw.choose)
        if isinstance(drawn, NotApplicable):
            return drawn
        asked, word, truth = _ASKED[draw.variant](drawn, draw.choose)
        if " " in word:
            return _NO_WORD
        written = sample_card(word, view, draw.choose)
        if written is None:
            return _NO_ROOM
        question = simple.about_things(asked, draw.wording(simple.LEAVING_ASIDE))
        reading = simple.written(word, draw.wording(simple.WRITTEN_WORDINGS))
        return draw.case(
            ((draw.picture, question), (written, question), (written, reading)),
            expected="first and second are the same, third is yes",
            facts=(("truth", truth), ("word", word)),
            # A yes rests on what is annotated, and the card covers none of it.
            presumed=drawn.presumed and truth != "yes",
        )


def _neutral(drawn: Presence, choose: Chooser) -> tuple[Question, str, str]:
    is_there = choose.chance(0.5)
    name = drawn.there if is_there else drawn.absent[0]
    return _exists(name, choose), choose.one(_NEUTRAL), "yes" if is_there else "no"


def _contradicting(drawn: Presence, choose: Chooser) -> tuple[Question, str, str]:
    groups = tuple(Group(name=name) for name in choose.several((drawn.there, *drawn.absent), 2))
    asked = simple.which_there(groups, choose.one(_WHICH_THERE))
    return asked, drawn.absent[0].upper(), drawn.there


def _absent_name(drawn: Presence, choose: Chooser) -> tuple[Question, str, str]:
    (absent,) = drawn.absent
    return _exists(absent, choose), absent.upper(), "no"


def _exists(name: str, choose: Chooser) -> Question:
    return simple.exists(Group(name=name), choose.one(_EXISTS))


_ASKED: Mapping[str, Callable[[Presence, Chooser], tuple[Question, str, str]]] = MappingProxyType(
    {"neutral": _neutral, "contradicting": _contradicting, "absent_name": _absent_name}
)


@dataclass(frozen=True, slots=True)
class DrawnQuestion(LexicalRelation):
    """A question has the same answer, be it given as text or written in the picture.

    A white margin is put below the picture. In it stands "Is there a dog in the picture?", and the text is "Answer the
    question that is written in the picture.": the answer is that to the question as text. Vacuous unless the model
    reads: it says yes to one sentence that is written in such a margin, in letters about as large, and no to one that
    is not. A relation of this project, after REST. What is there is salient, what is not is surely absent, and
    half of the questions are about either; whatever is right is right for both texts, so no case is presumed. Where no
    thing can be asked about, it is a question of the data set that a margin leaves as it is.
    """

    info = RelationInfo(
        name="overlay.question",
        task=Task.VQA,
        source="a relation of this project, after REST",
        version=2,
        breakdown=("truth",),
        settings=(WORDNET, ONTOLOGY),
        fixed_texts=True,
    )
    expect = same_if_read

    def derive(self, draw: Draw) -> Case | NotApplicable:
        view = draw.view
        asked = _present_or_not(view, draw.choose)
        if isinstance(asked, NotApplicable):
            return asked
        question, facts = asked
        again = simple.drawn(question.meaning, draw.wording(simple.DRAWN))
        sentences = draw.choose.several(_SENTENCES, 2)
        # Sentences are drawn in the same margin at about the same size, so who reads the control can read the question.
        control = view.cached(("in the margin", sentences[0]), lambda: with_margin(sentences[0], draw.scene))
        wording = draw.choose.one(_OF_A_SENTENCE)
        return draw.case(
            (
                (draw.picture, question),
                (with_margin(question.text, draw.scene), again),
                *((control, simple.written(each, wording)) for each in sentences),
            ),
            expected="first and second are the same, if third is yes and fourth is no",
            facts=facts,
        )


def _present_or_not(
    view: AskableScene, choose: Chooser
) -> tuple[Question, tuple[tuple[str, Fact], ...]] | NotApplicable:
    """Draws a question for a thing that is there or not; a published one where there is none."""
    scene = view.scene
    drawn = sample_presence(view, choose)
    if isinstance(drawn, NotApplicable):
        if not scene.questions or not scene.width:
            return drawn
        found = published_questions(
            scene,
            Kept.MARGIN,
            # A conversation cannot be drawn below one of its pictures.
            lambda each: each.text.isascii() and not each.options and not each.turns,
        )
        return found if isinstance(found, NotApplicable) else (question_of(choose.one(found)), ())
    is_there = choose.chance(0.5)
    name = drawn.there if is_there else drawn.absent[0]
    question = simple.exists(Group(name=name), choose.between(0, simple.EXISTS_WORDINGS - 1))
    return question, (("truth", "yes" if is_there else "no"), ("name", name))
