"""Planted faults of models, and of their servers, that are given several pictures or turns."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise

from pytest_vqamt.core.conversation import Role, pictures_in
from pytest_vqamt.core.meaning import (
    Count,
    Happens,
    InPicture,
    Meaning,
    MovesFirst,
    ShowSame,
    WhichPicture,
    truth,
    what_is_asked,
)
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.query import Query
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.language.questions.several import names_message
from pytest_vqamt.models.reference.oracle import answer_text, wrong_answer

Faulty = Callable[[Query], "str | None"]
"""The fault's answer to a query, or None where the model is to answer rightly."""


def _seeing(see: Callable[[Sequence[Picture]], Sequence[Picture]]) -> Faulty:
    """A model that sees other pictures than are shown."""

    def faulty(query: Query) -> str | None:
        shown = query.pictures
        seen = tuple(see(shown))
        return None if seen == shown else _about(query, seen)

    return faulty


def _of_film(see: Callable[[Sequence[Picture]], Sequence[Picture]]) -> Faulty:
    """A model that sees other frames of a film than are shown."""

    def faulty(query: Query) -> str | None:
        return _about(query, see(query.pictures)) if isinstance(query.meaning, Happens | MovesFirst) else None

    return faulty


def _about(query: Query, seen: Sequence[Picture]) -> str:
    return answer_about(query.meaning, [picture.scene for picture in seen])


def answer_about(meaning: Meaning, scenes: Sequence[Scene]) -> str:
    """The right answer about the scenes that are seen; where one that is named is not there, about the last."""
    if isinstance(meaning, InPicture):
        return answer_text(truth(meaning.meaning, scenes[min(meaning.which, len(scenes) - 1)]))
    known = truth(meaning if len(scenes) > 1 else what_is_asked(meaning), *scenes)
    if isinstance(meaning, MovesFirst):
        return answer_text(known or meaning.groups[0].name)
    # Of pictures that look alike to it none is the only one that shows a thing, and all show the same. Of one frame all
    # can be believed.
    guess = {WhichPicture: "first", ShowSame: "yes", Happens: "yes"}.get(type(meaning), answer_text(None))
    return guess if known is None else answer_text(known)


def _merged(shown: Sequence[Picture]) -> Sequence[Picture]:
    """Each picture that has the size of the one before is that one again."""
    found = list(shown[:1])
    for before, each in pairwise(shown):
        alike = (before.scene.width, before.scene.height) == (each.scene.width, each.scene.height)
        found.append(found[-1] if alike else each)
    return found


def _forgetful(query: Query) -> str | None:
    """Sees the last turn alone: without a picture in it, it says no, or none."""
    if len(query.turns) < 2 or next(pictures_in(query.turns[-1:]), None) is not None:
        return None
    return "0" if isinstance(what_is_asked(query.meaning), Count) else "no"


def _latest_only(query: Query) -> str | None:
    """Each new turn with a picture replaces those of the turns before."""
    shown = [tuple(pictures_in((turn,))) for turn in query.turns]
    shown = [pictures for pictures in shown if pictures]
    return _about(query, shown[-1]) if len(shown) > 1 else None


def _text_first(query: Query) -> str | None:
    """Pictures are lost that come behind a text of the same turn."""
    for turn in query.turns:
        places = [isinstance(part, Picture) for part in turn.parts]
        if turn.role is Role.USER and True in places and not places[0]:
            return "0" if isinstance(what_is_asked(query.meaning), Count) else "no"
    return None


NO_QUESTION = "What would you like to know?"
"""The answer to pictures without a question."""


def _loses_text(query: Query) -> str | None:
    """Texts are lost that come before a picture of the same turn: with the question, all that is to be answered."""
    return NO_QUESTION if isinstance(query.conversation[-1].parts[-1], Picture) and query.text else None


def _moves_markers(query: Query) -> str | None:
    """Pictures of earlier turns come in the latest one, in their order: the message that is named has none.

    A text before a picture stands behind it, too, which changes no answer to a question that numbers pictures.
    """
    earlier = next(pictures_in(query.turns[:-1]), None)
    if earlier is None or not names_message(query.text):
        return None
    return "0" if isinstance(what_is_asked(query.meaning), Count) else "no"


def _caves_in(query: Query) -> str | None:
    """Takes its answer back where the user doubts it."""
    if len(query.turns) < 2 or query.turns[-2].role is not Role.ASSISTANT or query.turns[0].parts[-1:] == ():
        return None
    first, last = query.turns[0].text, query.turns[-1].text
    # The question again, right behind its answer.
    return answer_text(wrong_answer(query.truth)) if len(query.turns) == 3 and first in last else None


def _tires(query: Query) -> str | None:
    """Is wrong in the fourth turn of the user and later."""
    return answer_text(wrong_answer(query.truth)) if len(query.turns) > 6 else None


CONVERSATION_FAULTS: Mapping[str, tuple[str, Faulty]] = {
    "first-picture-only": ("sees the first of several pictures alone", _seeing(lambda shown: shown[:1])),
    "last-picture-only": ("sees the last of several pictures alone", _seeing(lambda shown: shown[-1:])),
    "merges-equal-sizes": ("takes a picture for the one before where both have one size", _seeing(_merged)),
    "mixes-up-pictures": ("sees several pictures in the opposite order", _seeing(lambda shown: shown[::-1])),
    "order-by-content": (
        "sees several pictures in an order of its own, whatever theirs is",
        _seeing(lambda shown: sorted(shown, key=lambda picture: picture.digest)),
    ),
    "plays-backwards": ("sees the frames of films in the opposite order", _of_film(lambda shown: shown[::-1])),
    "one-frame": (
        "sees the frame in the middle of a film alone",
        _of_film(lambda shown: shown[len(shown) // 2 :][:1]),
    ),
    "four-pictures": ("sees the first four of more pictures alone", _seeing(lambda shown: shown[:4])),
    "forgets-earlier-turns": ("sees the last turn of a conversation alone", _forgetful),
    "latest-turn-pictures": ("sees the pictures of the latest turn that has some alone", _latest_only),
    "loses-late-pictures": ("loses pictures that come behind a text", _text_first),
    "loses-text-before-pictures": ("loses texts that come before a picture of the same turn", _loses_text),
    "moves-markers": ("moves pictures of earlier turns to the latest one", _moves_markers),
    "caves-in": ("takes an answer back that the user doubts", _caves_in),
    "tires": ("is wrong in the fourth turn of the user and later", _tires),
}
"""The description and the answers of each fault, by its name."""
