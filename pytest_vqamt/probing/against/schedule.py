"""What both deployments are asked: stages, from what needs no picture to the finest details."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from random import Random

from pytest_vqamt.core.conversation import Ability, Role
from pytest_vqamt.core.edits import FileForm
from pytest_vqamt.probing.asking import Request, Said
from pytest_vqamt.probing.cards import (
    COLOUR,
    COLOURS,
    CORNER,
    GRAY,
    NUMBER,
    OF_PICTURE,
    Card,
    CardFile,
    faint_card,
)
from pytest_vqamt.probing.probing import clear_numbers

_SIZES = ((96, 96), (448, 448), (1024, 1024), (1536, 1536), (672, 224), (224, 672), (896, 224), (160, 640))
"""Squares below and above what encoders resize to, then oblong pictures."""
_SUMS = ((3, 4), (5, 2), (6, 3), (2, 2), (8, 1), (4, 4))
_FORMS = (
    CardFile(form=FileForm.JPEG, quality=95),
    CardFile(form=FileForm.CMYK_JPEG, quality=95),
    CardFile(form=FileForm.ALPHA),
    CardFile(form=FileForm.SIXTEEN_BITS),
    CardFile(form=FileForm.WEBP),
    CardFile(form=FileForm.JPEG, quality=95, orientation=6),
)
_FAINT = (14, 24, 40)


class Stage(StrEnum):
    """Groups of requests, from those that depend on the language model alone to the finest details of pictures."""

    TEXT = "sums, which need no picture"
    CLEAR = "clear cards"
    SIZES = "clear cards of other sizes"
    FORMS = "clear cards in other files"
    PARTS = "several pictures and turns"
    FAINT = "faint digits"
    PHOTOS = "your photos"


@dataclass(frozen=True, slots=True)
class Asked:
    """A request to both, with what is right to answer."""

    request: Request
    truth: str = ""
    """"" where it is not known."""


def schedule(
    seed: int, abilities: frozenset[Ability], *, files: bool, photos: Sequence[Request] = ()
) -> Iterator[tuple[Stage, list[Asked]]]:
    """The requests of each stage.

    Args:
        seed: other numbers.
        abilities: what both take.
        files: True if both are sent files.
        photos: questions about the user's photos.
    """
    random = Random(seed)
    names = tuple(COLOURS)
    cards = [
        Card(number=number, ground=COLOURS[names[place % len(names)]])
        for place, number in enumerate(clear_numbers(random, 10))
    ]
    blank = Card(ground=COLOURS["white"])
    # A query always has a picture, and a blank one says nothing about a sum.
    yield Stage.TEXT, [Asked(Request(card=blank, text=f"What is {a} plus {b}?"), str(a + b)) for a, b in _SUMS]
    corners = Card(ground=GRAY, corners=("red", "green", "blue", "yellow"), size=(448, 448))
    clear = [Request(card=card, text=text) for card in cards[: len(names)] for text in (NUMBER, COLOUR)]
    yield Stage.CLEAR, _known([*clear, *(Request(card=corners, text=CORNER.format(each)) for each in _ASKED)])
    sized = zip(cards, _SIZES, strict=False)
    yield Stage.SIZES, _known([Request(card=replace(card, size=size), text=NUMBER) for card, size in sized])
    if files:
        formed = zip(cards, _FORMS, strict=False)
        yield Stage.FORMS, _known([Request(card=replace(card, file=file), text=NUMBER) for card, file in formed])
    if parts := _parts(cards, abilities):
        yield Stage.PARTS, _known(parts)
    yield (
        Stage.FAINT,
        _known(
            [
                Request(card=faint_card(number, 40 + 45 * place, step), text=NUMBER)
                for step in _FAINT
                for place, number in enumerate(clear_numbers(random, 4))
            ]
        ),
    )
    if photos:
        yield Stage.PHOTOS, [Asked(each) for each in photos]


_ASKED = ("top left", "bottom left")


def _known(requests: Sequence[Request]) -> list[Asked]:
    return [Asked(each, each.right) for each in requests]


def _parts(cards: Sequence[Card], abilities: frozenset[Ability]) -> list[Request]:
    found: list[Request] = []
    for first, second in ((0, 1), (2, 3), (4, 5)):
        pair = cards[first], cards[second]
        if Ability.PICTURES in abilities:
            for which, ordinal in enumerate(("first", "second")):
                text = OF_PICTURE.format(ordinal, NUMBER)
                found.append(Request(card=pair[which], text=text, turns=(Said((*pair, text)),)))
        if Ability.TURNS in abilities:
            told = (
                Said((pair[0], "Here is a picture.")),
                Said(("Thank you.",), Role.ASSISTANT),
                Said((NUMBER,)),
            )
            found.append(Request(card=pair[0], text=NUMBER, turns=told))
    return found
