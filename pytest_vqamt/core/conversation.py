"""Conversations of a user with a model: turns, each of texts and pictures in an order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from pytest_vqamt.core.errors import VqamtError
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.scene import PHOTO_MARK, PublishedTurn, Scene, ShownPhoto


class Role(StrEnum):
    """Who says a turn."""

    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"


class Ability(StrEnum):
    """What a model can take beside one picture and one text."""

    PICTURES = "pictures"
    """Several pictures."""
    TURNS = "turns"
    """Turns before the question, of the user and of the model."""
    INTERLEAVED = "interleaved"
    """Texts between pictures and before them."""
    SYSTEM = "system"
    """A system message."""


WORDS: Mapping[Ability, str] = {
    Ability.PICTURES: "several pictures",
    Ability.TURNS: "earlier turns",
    Ability.INTERLEAVED: "text before a picture",
    Ability.SYSTEM: "system messages",
}
"""What a model without the ability does not take."""


@dataclass(frozen=True, slots=True)
class Reply:
    """The model's own answer to another query of the case, which is asked first.

    Attributes:
        to: the index of that query.
    """

    to: int


Part: TypeAlias = str | Picture | Reply


@dataclass(frozen=True, slots=True)
class Turn:
    """What one side says before the other answers.

    >>> Turn(("Is there a dog?",)).role
    <Role.USER: 'user'>
    """

    parts: tuple[Part, ...]
    """In the order in which they are said."""
    role: Role = Role.USER

    def __post_init__(self) -> None:
        if not self.parts or not isinstance(self.parts, tuple):
            raise VqamtError(f"Expected a turn with a tuple of texts and pictures, but got parts={self.parts!r}")
        for part in self.parts:
            wanted = Role.ASSISTANT if isinstance(part, Reply) else Role.USER
            if not isinstance(part, str | Picture | Reply):
                raise VqamtError(f"Expected each part of a turn to be a text or a picture, but got {part!r}")
            if not isinstance(part, str) and self.role is not wanted:
                raise VqamtError(f"Expected a {type(part).__name__} in a turn of the {wanted}, but got {self!r}")

    @property
    def text(self) -> str:
        """Its texts, a line each."""
        return "\n".join(part for part in self.parts if isinstance(part, str))

    @property
    def words(self) -> str:
        """For display: what is said, with a mark for each picture."""
        said = " ".join(_words_of(part) for part in self.parts)
        return said if self.role is Role.USER else f"{self.role}: {said}"


def _words_of(part: Part) -> str:
    if isinstance(part, str):
        return f'"{part}"'
    if isinstance(part, Reply):
        return f"(its answer to question {part.to + 1})"
    edits = "; ".join(edit.words for edit in part.edits)
    return f"[{part.photo.id}: {edits}]" if edits else f"[{part.photo.id}]"


def check_turns(turns: Sequence[Turn]) -> None:
    """Checks a conversation that ends with a question of the user.

    Raises:
        VqamtError: it has no picture, ends otherwise, or a system message comes later than first.
    """
    if not any(True for _ in pictures_in(turns)):
        raise VqamtError("Expected a conversation with a picture, but it has none")
    if turns[-1].role is not Role.USER or not turns[-1].text:
        raise VqamtError(f"Expected a conversation to end with a question of the user, but got {turns[-1]!r}")
    if any(turn.role is Role.SYSTEM for turn in turns[1:]):
        raise VqamtError("Expected a system message to be the first turn, but one comes later")


def parts_of(turns: Iterable[Turn]) -> Iterator[Part]:
    """The parts of all turns in order."""
    return (part for turn in turns for part in turn.parts)


def pictures_in(turns: Iterable[Turn]) -> Iterator[Picture]:
    """The pictures of all turns in the order in which they are shown; one that is shown twice comes twice."""
    return (part for part in parts_of(turns) if isinstance(part, Picture))


def abilities_for(turns: Sequence[Turn]) -> frozenset[Ability]:
    """What a model must be able to take; nothing for one picture and a text behind it."""
    needed: set[Ability] = set()
    if sum(1 for _ in pictures_in(turns)) > 1:
        needed.add(Ability.PICTURES)
    spoken = [turn for turn in turns if turn.role is not Role.SYSTEM]
    if len(spoken) < len(turns):
        needed.add(Ability.SYSTEM)
    if len(spoken) > 1:
        needed.add(Ability.TURNS)
    for turn in spoken:
        is_text = [not isinstance(part, Picture) for part in turn.parts]
        if is_text != sorted(is_text):
            needed.add(Ability.INTERLEAVED)
    return frozenset(needed)


def with_answers(turns: Iterable[Turn], answers: Mapping[int, str]) -> tuple[Turn, ...]:
    """The turns with the model's answers in place of each ``Reply``, by the index of its query."""

    def said(part: Part) -> Part:
        return answers[part.to] if isinstance(part, Reply) else part

    return tuple(Turn(tuple(said(part) for part in turn.parts), turn.role) for turn in turns)


def published_conversation(
    turns: Sequence[PublishedTurn], text: str, shown: Callable[[ShownPhoto], Picture]
) -> tuple[Turn, ...]:
    """The conversation that a published question ends.

    Args:
        turns: its ``PublishedQuestion.turns``.
        text: the question, with a mark at each of its photos.
        shown: the picture of a photo.
    """
    said = []
    for place, turn in enumerate(turns, start=1):
        texts = (turn.text, text) if place == len(turns) else (turn.text,)
        said.append(Turn(tuple(_marked_parts(texts, map(shown, turn.photos))), Role(turn.role)))
    return tuple(said)


def bare_picture(shown: ShownPhoto) -> Picture:
    """The picture of a photo of which nothing but its size is known."""
    return Scene(id=shown.photo.id, photo=shown.photo, width=shown.width, height=shown.height).picture


def _marked_parts(texts: Iterable[str], pictures: Iterator[Picture]) -> Iterator[Part]:
    """Yields texts, and the next picture at each mark."""
    for text in texts:
        for place, piece in enumerate(text.split(PHOTO_MARK)):
            if place:
                yield next(pictures)
            if piece.strip():
                yield piece.strip()
