"""Questions about several pictures, and the talk around them."""

from __future__ import annotations

import re

from pytest_vqamt.core.conversation import Role, Turn
from pytest_vqamt.core.meaning import (
    ORDINALS,
    Count,
    Event,
    Exists,
    Group,
    Happens,
    InAll,
    InPicture,
    MovesFirst,
    ShowSame,
    WhichPicture,
)
from pytest_vqamt.language.english.phrases import definite, join_phrases, phrase
from pytest_vqamt.language.questions import simple
from pytest_vqamt.language.questions.simple import Question, worded
from pytest_vqamt.language.tables import toml_table

_WORDINGS = toml_table("questions/wordings.toml")["several"]
IN_PICTURE_WORDINGS = len(_WORDINGS["in_picture"])
IN_MESSAGE_WORDINGS = len(_WORDINGS["in_message"])
COUNT_IN_ALL_WORDINGS = len(_WORDINGS["count_in_all"])
EXISTS_IN_ANY_WORDINGS = len(_WORDINGS["exists_in_any"])
WHICH_WORDINGS = len(_WORDINGS["which"])
SHOW_SAME_WORDINGS = len(_WORDINGS["show_same"])
HAPPENS_WORDINGS = len(_WORDINGS["happens"])
MOVES_FIRST_WORDINGS = len(_WORDINGS["moves_first"])
AGAIN_WORDINGS = len(_WORDINGS["again"])
DOUBT_WORDINGS = len(_WORDINGS["doubt"])
TALKS = len(_WORDINGS["talk"])
"""The number of exchanges that are about no picture."""

_THE_PICTURE = re.compile(
    r",? (?:in|on) (?:the|this) (?:picture|image)\b|^(?:in|looking at) the picture, ", re.IGNORECASE
)

_MESSAGE = re.compile(rf"\bmy (?:{'|'.join(ORDINALS)}) message\b")


def in_picture(question: Question, which: int, wording: int) -> Question:
    """The question about one of several pictures, numbered from 0.

    >>> from pytest_vqamt.language.questions import simple
    >>> in_picture(simple.exists(Group(name="dog"), 0), 1, 0).text
    'In the second picture, is there a dog?'
    """
    return _in_named(_WORDINGS["in_picture"][wording], question, which)


def in_message(question: Question, which: int, wording: int) -> Question:
    """The question about the picture of one of the user's messages, numbered from 0, of which each has one.

    >>> from pytest_vqamt.language.questions import simple
    >>> in_message(simple.exists(Group(name="dog"), 0), 1, 0).text
    'In the picture of my second message, is there a dog?'
    """
    return _in_named(_WORDINGS["in_message"][wording], question, which)


def names_message(text: str) -> bool:
    """True if the text names a picture by its message."""
    return _MESSAGE.search(text) is not None


def _in_named(text: str, question: Question, which: int) -> Question:
    asked = _without_the_picture(question.text)
    goes_on = text.endswith(", {}")
    asked = asked[:1].lower() + asked[1:] if goes_on else asked[:1].upper() + asked[1:]
    written = text.format(asked, nth=ORDINALS[which], number=which + 1)
    return Question(written, InPicture(which=which, meaning=question.meaning))


def _without_the_picture(text: str) -> str:
    """The question without "in the picture", which would be a second place."""
    return _THE_PICTURE.sub("", text)


def _fits(question: Question) -> bool:
    """True unless it says "the picture" where "in the first picture" cannot stand for it: "does the picture show"."""
    return re.search(r"\b(?:picture|image)\b", _without_the_picture(question.text), re.IGNORECASE) is None


_DOG = Group(name="dog")
EXISTS_THERE = tuple(number for number in range(simple.EXISTS_WORDINGS) if _fits(simple.exists(_DOG, number)))
COUNT_THERE = tuple(number for number in range(simple.COUNT_WORDINGS) if _fits(simple.count((_DOG,), number)))
"""The wordings of ``simple`` that can be asked of one of several pictures."""


def count_in_all(group: Group, pictures: int, wording: int) -> Question:
    """A count over all pictures.

    >>> count_in_all(Group(name="dog"), 2, 0).text
    'How many dogs are there in both pictures together?'
    """
    text: str = _WORDINGS["count_in_all"][wording]
    return Question(text.format(phrase(group, "plural"), all=_all(pictures)), InAll(meaning=Count(groups=(group,))))


def exists_in_any(group: Group, wording: int) -> Question:
    """Whether any of the pictures shows one.

    >>> exists_in_any(Group(name="dog"), 0).text
    'Is there a dog in any of the pictures?'
    """
    return Question(worded(_WORDINGS["exists_in_any"][wording], group), InAll(meaning=Exists(group=group)))


def which(group: Group, pictures: int, wording: int) -> Question:
    """Which of the pictures shows such a thing.

    >>> which(Group(name="dog"), 2, 0).text
    'Which picture shows a dog, the first or the second?'
    """
    options = join_phrases([f"the {nth}" for nth in ORDINALS[:pictures]], "or")
    text = worded(_WORDINGS["which"][wording].replace("{options}", options), group)
    return Question(text, WhichPicture(group=group))


def show_same(wording: int) -> Question:
    """Whether two pictures show the same things."""
    return Question(_WORDINGS["show_same"][wording], ShowSame())


def happens(group: Group, event: Event, wording: int) -> Question:
    """Whether this happens to a thing in a film, whose frames are the pictures.

    >>> happens(Group(name="dog"), Event.GOES_OUT_LEFT, 0).text
    'These pictures are frames of a film, in order. Does the dog leave the picture to the left?'
    """
    text: str = _WORDINGS["happens"][wording]
    written = text.format(the=definite(group), event=_WORDINGS["events"][event.value])
    return Question(written, Happens(group=group, event=event))


def moves_first(first: Group, second: Group, wording: int) -> Question:
    """Which of two things moves first in a film.

    >>> moves_first(Group(name="dog"), Group(name="bus"), 1).text
    'The images show one place over time, the earliest first. What moves first, the dog or the bus?'
    """
    text: str = _WORDINGS["moves_first"][wording]
    return Question(text.format(one=definite(first), other=definite(second)), MovesFirst(groups=(first, second)))


def _all(pictures: int) -> str:
    return "both" if pictures == 2 else "all"


def again(question: str, wording: int) -> str:
    """The question after other talk."""
    return str(_WORDINGS["again"][wording].format(question))


def doubt(question: str, wording: int) -> str:
    """A doubt about the answer before, without evidence, and the question again."""
    return str(_WORDINGS["doubt"][wording].format(question))


def talk(number: int) -> tuple[Turn, Turn]:
    """A question about no picture, and the right answer to it."""
    exchange = _WORDINGS["talk"][number]
    return Turn((exchange["says"],)), Turn((exchange["answer"],), Role.ASSISTANT)


def words(kind: str, number: int) -> str:
    """One of the sentences of a kind ("shown", "shown_first", "shown_next" or "seen"), counted round."""
    listed = _WORDINGS[kind]
    return str(listed[number % len(listed)])
