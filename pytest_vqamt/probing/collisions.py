"""Cards of which two and two collide where a cache keeps only 16 bits of a picture's hash."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache

from pytest_vqamt.models.http.client import png_bytes
from pytest_vqamt.probing.cards import Card, render_card

_VARIANTS = 700
"""Variants of each of two cards: 65,536 values are met by 7 of the 490,000 pairs on average."""

_SIZE = (96, 96)
_PAIRS = 2

HASHES: dict[str, tuple[str, str, slice]] = {
    "the last 16 bits of SHA-256 of the pixels": ("pixels", "sha256", slice(-4, None)),
    "the first 16 bits of SHA-256 of the pixels": ("pixels", "sha256", slice(4)),
    "the last 16 bits of MD5 of the pixels": ("pixels", "md5", slice(-4, None)),
    "the last 16 bits of SHA-1 of the pixels": ("pixels", "sha1", slice(-4, None)),
    "the last 16 bits of SHA-256 of the file": ("file", "sha256", slice(-4, None)),
    "the first 16 bits of SHA-256 of the file": ("file", "sha256", slice(4)),
    "the last 16 bits of MD5 of the file": ("file", "md5", slice(-4, None)),
}
"""Short hashes of which collisions can be made: of RGB pixels, or of the PNG as ``openai:`` sends it."""


@cache
def colliding_pairs(cards: tuple[Card, Card]) -> dict[str, tuple[tuple[Card, Card], ...]]:
    """For each of ``HASHES`` two pairs, of a variant of each card, that have the same short hash."""
    sides = [[replace(card, size=_SIZE, nonce=nonce) for nonce in range(1, _VARIANTS + 1)] for card in cards]
    stored = [[_stored(card) for card in side] for side in sides]
    return {name: _pairs(sides, stored, *how) for name, how in HASHES.items()}


def _stored(card: Card) -> dict[str, bytes]:
    image = render_card(card)
    return {"pixels": image.tobytes(), "file": png_bytes(image)}


def _pairs(
    sides: Sequence[Sequence[Card]], stored: Sequence[Sequence[dict[str, bytes]]], of: str, name: str, part: slice
) -> tuple[tuple[Card, Card], ...]:
    hashed: Callable[..., hashlib._Hash] = getattr(hashlib, name)
    keys = [[hashed(each[of]).hexdigest()[part] for each in side] for side in stored]
    first = dict(zip(keys[0], sides[0], strict=True))
    found = [(first[key], card) for key, card in zip(keys[1], sides[1], strict=True) if key in first]
    return tuple(found[:_PAIRS])
