"""Text in pixels, in PIL's built-in font."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from functools import cache

from PIL import Image, ImageDraw, ImageFont

from pytest_vqamt.core.edits import Colour

PAPER: Colour = (255, 255, 255)
INK: Colour = (25, 25, 25)
FAINT: Colour = (95, 95, 95)
"""The ink of notes."""

Line = tuple[str, int, Colour]
"""Words, their size in pixels, and their colour."""

_MOST_CHARACTERS = 2_000
"""The characters of a text that are looked at; a model may answer with a million."""
_IN_NO_FONT = "\U000f0000"
"""Of a private use area: what is drawn for it is what is drawn for every character that the font lacks."""
_INSTEAD = {
    **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-"),
    "\u00d7": "x",
    "\u0131": "i",
    "\u2192": "->",
    "\u201a": ",",
    "\u201e": '"',
    "ß": "ss",
    "æ": "ae",
    "Æ": "AE",
    "œ": "oe",
    "Œ": "OE",
    "ø": "o",
    "Ø": "O",
    "đ": "d",
    "ł": "l",
    "Ł": "L",
}
"""For what the font lacks and Unicode does not take apart."""


@cache
def font(size_px: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    """The built-in font at a size, loaded once."""
    return ImageFont.load_default(size_px)


def width_px(text: str, size_px: int) -> int:
    """The width of a line of ``text``, as ``drawable`` returns it."""
    return round(font(size_px).getlength(text))


def line_height_px(size_px: int) -> int:
    """The distance between two lines of text."""
    return round(size_px * 1.35)


def drawable(text: str) -> str:
    """The text on one line, in characters of the font if possible.

    Accents that the font lacks are removed. A character of a script that it lacks stays and is drawn as an empty box.
    """
    return " ".join("".join(map(_drawable, text[:_MOST_CHARACTERS])).split())


def wrapped(text: str, width: int, size_px: int, most_lines: int = 12) -> list[str]:
    """The text in lines of at most ``width`` pixels; dots replace what exceeds ``most_lines``."""
    lines: list[str] = []
    for word in drawable(text).split():
        if lines and width_px(f"{lines[-1]} {word}", size_px) <= width:
            lines[-1] += f" {word}"
        else:
            lines.extend(_broken(word, width, size_px))
    if len(lines) <= most_lines and len(text) <= _MOST_CHARACTERS:
        return lines
    kept = lines[:most_lines] or [""]
    # Characters go from the last line until the dots fit behind it.
    while kept[-1] and width_px(f"{kept[-1]}...", size_px) > width:
        kept[-1] = kept[-1][:-1]
    return [*kept[:-1], f"{kept[-1]}..."]


def write(image: Image.Image, lines: Iterable[Line], left: int, top: int) -> None:
    """Writes the lines below each other into ``image``, from its pixel (``left``, ``top``) on."""
    draw = ImageDraw.Draw(image)
    for words, size_px, colour in lines:
        draw.text((left, top), words, fill=colour, font=font(size_px))
        top += line_height_px(size_px)


def _broken(word: str, width: int, size_px: int) -> list[str]:
    """The pieces of a word that is longer than a line, such as a path; most words are one piece."""
    pieces = [word[0]]
    for character in word[1:]:
        if width_px(pieces[-1] + character, size_px) <= width:
            pieces[-1] += character
        else:
            pieces.append(character)
    return pieces


def has_all(text: str) -> bool:
    """True if the font has every character of ``text``."""
    return all(character.isprintable() and _has(character) for character in text)


@cache
def _drawable(character: str) -> str:
    if character.isascii():
        return character if character.isprintable() else " "
    if not character.isprintable():
        return " " if character.isspace() else ""
    if _has(character):
        return character
    if character in _INSTEAD:
        return _INSTEAD[character]
    # "ő" is "o" and a combining accent; ligatures and wide letters come apart, too.
    parts = [part for part in unicodedata.normalize("NFKD", character) if not unicodedata.combining(part)]
    if not parts:
        return ""
    return "".join(parts) if all(map(_has, parts)) else character


def _has(character: str) -> bool:
    return character.isascii() or _glyph(character) != _glyph(_IN_NO_FONT)


def _glyph(character: str) -> tuple[tuple[int, int], bytes]:
    mask = font(32).getmask(character)  # large enough to differ from the empty box
    return mask.size, bytes(mask)
