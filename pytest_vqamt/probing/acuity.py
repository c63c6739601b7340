"""How fine a detail a model reads: the smallest digits on cards of several sizes, and the faintest."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from pytest_vqamt.probing.asking import SentRequest
from pytest_vqamt.probing.cards import Card, faint_card
from pytest_vqamt.probing.results import Figure

Ask: TypeAlias = Callable[[Card], SentRequest]
"""Asks for the number on a card."""

DIGITS_PX = (96, 64, 48, 36, 28, 22, 18, 14, 12, 10, 8)
"""Heights of digits, from large to small."""
SIDES_PX = (224, 448, 1024)
"""Sides of the square cards."""
FAINT = (12, 18, 26, 38, 56)
"""Steps of 255 between digits and ground: some of them are hard to read for any encoder."""

_TRIES = 3
"""A number is not read by chance, but may be missed by it: a server may give random answers now and then."""


def smallest_digits(ask: Ask, numbers: Sequence[int]) -> dict[int, int]:
    """The smallest height of digits in pixels of which two numbers are read, by the side of the card; 0 for none."""
    least: dict[int, int] = {}
    for px in SIDES_PX:
        # Mostly as small as on the card before.
        least[px] = _smallest(ask, numbers, px, [each for each in least.values() if each][-1:])
    return least


def _smallest(ask: Ask, numbers: Sequence[int], px: int, guess: Sequence[int]) -> int:
    heights = [height for height in DIGITS_PX if height <= px * 0.25]

    def is_read(place: int, number: int) -> bool:
        return _is_read(ask, Card(number=number, ground=(245, 245, 245), size=(px, px), digit_px=heights[place]))

    first, second, *_ = numbers
    low, high = -1, len(heights)
    # What is read at one height is read at any larger one: halves find the smallest, around a guess.
    tries = [heights.index(height) + more for height in guess if height in heights for more in (0, 1)]
    while high - low > 1:
        middle = next((place for place in tries if low < place < high), (low + high) // 2)
        if is_read(middle, first):
            low = middle
        else:
            high = middle
    # One number may be of easier digits than another.
    while low >= 0 and not is_read(low, second):
        low -= 1
    return heights[low] if low >= 0 else 0


def _is_read(ask: Ask, card: Card) -> bool:
    return any(ask(card).is_right for _ in range(_TRIES))


def resolutions(least: Mapping[int, int], own: int = 0) -> list[Figure]:
    """The effective resolution of cards of each side: as through so many pixels small digits are seen.

    Args:
        least: the smallest heights of digits that are read, as ``smallest_digits`` gives them.
        own: the smallest height that the model can read; the smallest of ``least`` by default.
    """
    own = own or min((found for found in least.values() if found), default=0)
    return [
        Figure(
            name=f"effective resolution at {px:,} px", value=min(px, round(px * own / found)) if found else 0, unit="px"
        )
        for px, found in least.items()
    ]


def faintest(step: int) -> Figure:
    """The figure of the faintest step of 255 between digits and ground that is read."""
    return Figure(name="faintest step that is read", value=step, unit="of 255", is_better_high=False)


def faintest_read(ask: Ask, numbers: Sequence[int]) -> int:
    """The faintest step of 255 at which two numbers are read; 0 for none."""
    for step in FAINT:
        if all(_is_read(ask, faint_card(number, 60 + 50 * place, step)) for place, number in enumerate(numbers[:2])):
            return step
    return 0
