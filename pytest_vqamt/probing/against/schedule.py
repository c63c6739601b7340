"""What both deployments are asked: stages, from what needs no picture to the finest details."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from random import Random
from types import MappingProxyType

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

_SUMS = ((3, 4), (5, 2), (6, 3), (2, 2), (8, 1), (4, 4))
_FAINT = (14, 24, 40)


class Stage(StrEnum):
    """Groups of requests, from those that depend on the language model alone to the finest details of pictures."""

    TEXT = "sums, which need no picture"
    CLEAR = "clear cards"
    SMALL = "cards of 96 and 448 px"
    LARGE = "cards of 1,024 and 1,536 px"
    WIDE = "wide cards"
    TALL = "tall cards"
    JPEG = "cards as JPEG"
    CMYK = "cards as CMYK JPEG"
    ALPHA = "cards as PNG with alpha"
    SIXTEEN_BITS = "cards as PNG of 16 bits"
    WEBP = "cards as WebP"
    EXIF = "cards that EXIF turns"
    PICTURES = "two pictures"
    TURNS = "a picture in an earlier turn"
    SYSTEM = "a system message"
    FAINT = "faint digits"
    PHOTOS = "your photos"


_SIZES: Mapping[Stage, tuple[tuple[int, int], ...]] = MappingProxyType(
    {
        Stage.SMALL: ((96, 96), (448, 448)) * 2,
        Stage.LARGE: ((1024, 1024), (1536, 1536)) * 2,
        Stage.WIDE: ((672, 224), (896, 224)) * 2,
        Stage.TALL: ((224, 672), (160, 640)) * 2,
    }
)
_FORMS: Mapping[Stage, CardFile] = MappingProxyType(
    {
        Stage.JPEG: CardFile(form=FileForm.JPEG, quality=95),
        Stage.CMYK: CardFile(form=FileForm.CMYK_JPEG, quality=95),
        Stage.ALPHA: CardFile(form=FileForm.ALPHA),
        Stage.SIXTEEN_BITS: CardFile(form=FileForm.SIXTEEN_BITS),
        Stage.WEBP: CardFile(form=FileForm.WEBP),
        Stage.EXIF: CardFile(form=FileForm.JPEG, quality=95, orientation=6),
    }
)
_CARDS_OF_A_FORM = 4


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
    for stage, sizes in _SIZES.items():
        sized = (replace(card, size=size) for card, size in zip(cards, sizes, strict=False))
        yield stage, _known([Request(card=card, text=NUMBER) for card in sized])
    for stage, file in _FORMS.items() if files else ():
        # By number and colour, which other decoders change apart.
        asked = zip(cards[:_CARDS_OF_A_FORM], (NUMBER, COLOUR) * 2, strict=True)
        yield stage, _known([Request(card=replace(card, file=file), text=text) for card, text in asked])
    yield from ((stage, _known(list(of_parts))) for stage, of_parts in _parts(cards, abilities))
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


def _parts(cards: Sequence[Card], abilities: frozenset[Ability]) -> Iterator[tuple[Stage, list[Request]]]:
    """Conversations of more than a picture and a text, as far as both take them."""
    if Ability.PICTURES in abilities:
        pairs = [(cards[place], cards[place + 1]) for place in (0, 2, 4)]
        asked = [(which, OF_PICTURE.format(ordinal, NUMBER)) for which, ordinal in enumerate(("first", "second"))]
        yield (
            Stage.PICTURES,
            [
                Request(card=pair[which], text=text, turns=(Said((*pair, text)),))
                for pair in pairs
                for which, text in asked
            ],
        )
    before: dict[Stage, tuple[Ability, Callable[[Card], tuple[Said, ...]]]] = {
        Stage.TURNS: (Ability.TURNS, _earlier),
        Stage.SYSTEM: (Ability.SYSTEM, _guided),
    }
    for stage, (ability, told) in before.items():
        if ability in abilities:
            yield stage, [Request(card=card, text=NUMBER, turns=told(card)) for card in cards[:4]]


def _earlier(card: Card) -> tuple[Said, ...]:
    return Said((card, "Here is a picture.")), Said(("Thank you.",), Role.ASSISTANT), Said((NUMBER,))


def _guided(card: Card) -> tuple[Said, ...]:
    return Said(("Answer with a number.",), Role.SYSTEM), Said((card, NUMBER))
