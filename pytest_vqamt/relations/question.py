"""The relations ``question.*``: a question of the data set in another frame or spelling, or about a turned picture.

They need no scene graph. Nothing is known of a question but its words, which decide what surely keeps its answer
(``language.questions.free``); answers are compared as they are read by the question: yes or no, a number, an option, or
the same words. Data without questions gives no case.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType

from pytest_vqamt.core.case import Case, Fact, NotApplicable, Outcome, RelationInfo, Verdict
from pytest_vqamt.core.codec import replace
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.query import Answer, Task
from pytest_vqamt.core.scene import PublishedQuestion
from pytest_vqamt.language.captions.naming_words import entries_by_form
from pytest_vqamt.language.questions.free import Kept, form_of, has_name, other_side
from pytest_vqamt.relations.base import BuiltInRelation
from pytest_vqamt.relations.draw import Draw
from pytest_vqamt.relations.expectations import same_answer
from pytest_vqamt.relations.published import published_questions, question_of

_SOURCE = "a relation of this project, after CheckList (Ribeiro et al., ACL 2020): invariance"
_BREAKDOWN = ("form",)

FRAMES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "brief": ("Answer briefly: {}", "{} Answer in a few words.", "{} Keep the answer short."),
        "polite": ("Please answer this: {}", "{} Thank you.", "I would like to know: {}"),
        "form": ("Question: {} Answer:", "Q: {}\nA:", "Question: {}"),
        "context": ("Look at the picture. {}", "This is about the picture: {}", "Here is a picture. {}"),
    }
)
"""Frames that ask for nothing else, by variant; {} is the question."""

_LONG = re.compile(r"\b[a-z]{6,}\b")
_ALL_CAPITALS = re.compile(r"\b[A-Z]{2,}\b")
SPELLINGS = ("lower", "upper", "unmarked", "swapped", "doubled")

MOST_DEGREES = 5


@dataclass(frozen=True, slots=True)
class Frame(BuiltInRelation):
    """A question in a frame that asks for nothing else gets the same answer.

    "Answer briefly: What is he holding?", "Please answer this: ...", "Question: ... Answer:", "Look at the picture.
    ...". After the invariance tests of CheckList. The question itself stays as it is.
    """

    info = RelationInfo(
        name="question.frame",
        task=Task.VQA,
        source=_SOURCE,
        variants=tuple(FRAMES),
        breakdown=_BREAKDOWN,
        fixed_texts=True,
    )
    expect = same_answer

    def derive(self, draw: Draw) -> Case | NotApplicable:
        found = published_questions(
            draw.scene,
            Kept.WORDING,
            # "Look at the picture" is wrong of several, and of one that came turns before.
            lambda each: not (each.turns and draw.variant == "context"),
        )
        if isinstance(found, NotApplicable):
            return found
        published = draw.choose.one(found)
        frames = FRAMES[draw.variant]
        frame = draw.wording(len(frames))
        text = frames[frame].format(question_of(published).text)
        return _case(draw, published, text=text, facts=(("frame", frame),))


@dataclass(frozen=True, slots=True)
class Respelling(BuiltInRelation):
    """A question in small or capital letters, without its question mark, or with a typing error gets the same answer.

    ``swapped`` exchanges two letters inside of one long word ("what color is the unmbrella"), ``doubled`` types one
    twice; both give no other word, and the first and the last letter stay. After the typos of CheckList. Questions
    about spelling are not asked, nor those with an acronym in small letters.
    """

    info = RelationInfo(
        name="question.spelling",
        task=Task.VQA,
        source=_SOURCE,
        variants=SPELLINGS,
        breakdown=_BREAKDOWN,
        fixed_texts=True,
    )
    expect = same_answer

    def derive(self, draw: Draw) -> Case | NotApplicable:
        found = published_questions(draw.scene, Kept.WORDING, lambda each: bool(_respelled(each, draw.variant)))
        if isinstance(found, NotApplicable):
            return found
        published = draw.choose.one(found)
        respelled = draw.choose.one(_respelled(published, draw.variant))
        # Only the question itself: the list of options after it stays as it is.
        text = question_of(published).text.replace(published.text, respelled, 1)
        return _case(draw, published, text=text)


def _respelled(published: PublishedQuestion, variant: str) -> tuple[str, ...]:
    """Returns the question in every spelling of the variant; none if it has none."""
    text = published.text
    match variant:
        case "lower":
            # "US" in small letters is "us", and a name ("Apple") may be a thing.
            found = [] if _ALL_CAPITALS.search(text) or has_name(text) else [text.lower()]
        case "upper":
            found = [] if has_name(text) else [text.upper()]
        case "unmarked":
            found = [text.rstrip("? ")]
        case _:
            slip = _swapped if variant == "swapped" else _doubled
            found = [
                text[: word.start()] + typed + text[word.end() :]
                for word in _LONG.finditer(text)
                for typed in slip(word[0])
                if _is_no_word(typed)
            ]
    return tuple(each for each in found if each != text)


def _is_no_word(typed: str) -> bool:
    """True if it is surely no word: two of its sequences of three letters are in no word of the lexicon.

    The lexicon has not all words: "scared" must become neither "sacred" nor "scarred".
    """
    if typed in entries_by_form():
        return False
    return len(_sequences(typed) - _known_sequences()) > 1


def _sequences(word: str) -> set[str]:
    padded = f" {word.casefold()} "
    return {padded[place : place + 3] for place in range(len(padded) - 2)}


@cache
def _known_sequences() -> frozenset[str]:
    return frozenset(each for form in entries_by_form() for word in form.split() for each in _sequences(word))


def _swapped(word: str) -> list[str]:
    return [
        word[:place] + word[place + 1] + word[place] + word[place + 2 :]
        for place in range(1, len(word) - 2)
        if word[place] != word[place + 1]
    ]


def _doubled(word: str) -> list[str]:
    return [word[:place] + word[place] + word[place:] for place in range(1, len(word) - 1)]


@dataclass(frozen=True, slots=True)
class Mirror(BuiltInRelation):
    """In a mirrored picture a question without sides and writing has the same answer.

    An answer may name a side though the question does not ("in his left hand"): left and right are exchanged in the
    second answer where only that makes it the same.
    """

    info = RelationInfo(
        name="question.mirror",
        task=Task.VQA,
        source="a relation of this project: left and right alone are exchanged",
        breakdown=_BREAKDOWN,
    )

    def derive(self, draw: Draw) -> Case | NotApplicable:
        found = published_questions(draw.scene, Kept.MIRROR, lambda each: not any(map(_names_a_side, each.options)))
        if isinstance(found, NotApplicable):
            return found
        return _case(draw, draw.choose.one(found), picture=draw.picture.mirror())

    def judge(self, case: Case, answers: Sequence[Answer]) -> Verdict:
        verdict = same_answer(case, answers)
        if verdict.outcome is not Outcome.VIOLATED:
            return verdict
        first, second = answers
        # "In his left hand" becomes right in the mirror though nobody asked for a side.
        exchanged = same_answer(case, (first, replace(second, text=other_side(second.text))))
        return exchanged if exchanged.obeys else verdict


def _names_a_side(text: str) -> bool:
    return other_side(text) != text


@dataclass(frozen=True, slots=True)
class Tilt(BuiltInRelation):
    """In a picture that is turned by a few degrees a question without places and angles has the same answer.

    By 1 to 5 degrees either way, in a larger frame with gray corners: nothing is cut off.
    """

    info = RelationInfo(
        name="question.tilt",
        task=Task.VQA,
        source="a relation of this project, after VLM-RobustBench (arXiv 2603.06148): mild changes of geometry",
        breakdown=(*_BREAKDOWN, "degrees"),
    )
    expect = same_answer

    def derive(self, draw: Draw) -> Case | NotApplicable:
        found = published_questions(draw.scene, Kept.TILT)
        if isinstance(found, NotApplicable):
            return found
        if not draw.scene.width:
            return NotApplicable(reason="the size of the picture is not known")
        published = draw.choose.one(found)
        degrees = draw.choose.between(1, MOST_DEGREES)
        tilted = draw.picture.tilt(degrees if draw.choose.chance(0.5) else -degrees)
        return _case(draw, published, picture=tilted, facts=(("degrees", degrees),))


def _case(
    draw: Draw,
    published: PublishedQuestion,
    *,
    picture: Picture | None = None,
    text: str = "",
    facts: tuple[tuple[str, Fact], ...] = (),
) -> Case | NotApplicable:
    """Returns the case of the published question, and of it about another picture or in another text."""
    question = question_of(published)
    again = replace(question, text=text) if text else question
    return draw.case(
        ((draw.picture, question), (picture or draw.picture, again)),
        expected="first = second",
        facts=(("form", form_of(published.words).value), *facts),
    )
