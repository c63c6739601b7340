"""A perfect perceiver of cards: reads numbers, grounds, corners and dots from pixels, and answers in a conversation."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from scipy.ndimage import find_objects, label  # type: ignore[import-untyped]  # its stubs are a package of their own

from pytest_vqamt.probing.cards import COLOURS, CORNERS, GRAY, Card, render_card
from tools.faulty_server.requests import Pixels, Turn, pictures_in
from tools.faulty_server.scenes import NAMES

BLIND = "I cannot see any picture."
UNKNOWN = "I do not know."
NO_NUMBER = "none"

_GROUNDS = {**COLOURS, "gray": GRAY}

_QUESTION = re.compile(
    r"(?P<before>[^.?!\n]*)"
    r"(?P<asked>which number is written|what colou?r is the background|how many black dots"
    rf"|what colou?r is the square in the (?P<corner>{'|'.join(CORNERS)}) corner)"
    r"(?P<after>[^?\n]*)\?",
    re.I,
)
_ORDINALS = {"first": 0, "second": 1, "third": 2, "fourth": 3, "fifth": 4, "last": -1}
_PICTURE = re.compile(rf"\b({'|'.join(_ORDINALS)}) (?:picture|image)|\b(?:picture|image) (?:number )?([1-9])\b", re.I)
_MESSAGE = re.compile(rf"\bmy ({'|'.join(_ORDINALS)}) message", re.I)
_BEHIND = re.compile(r"behind the word (\w+:?)")
_FORM = re.compile(r'in (?:this|the) form:?\s*"([^"]*<\w+>[^"]*)"', re.I)
_SLOT = re.compile(r"<\w+>")
_CODE_WORD = re.compile(r"code word is (\w+)", re.I)
_ASKS_CODE_WORD = re.compile(r"what is the code word", re.I)
_ASKS_ANSWER = re.compile(r"what did you (?:answer|say)", re.I)

_LEAST_STEP = 6
"""A difference of ink and ground that is not seen, of 255."""
_MOST_PIECES = 200
"""Noise has more."""
_FURTHEST = 62.0
"""The distance to a template from which on a digit cannot be read; a digit's own are below 40."""
_SHAPE = (12, 18)
_ASPECT = 60.0
"""The weight of width by height beside the 216 values of a digit's shape."""
_HEIGHTS_PX = (*range(8, 33), 36, 40, 48, 60, 80, 100, 140)
"""Small digits have other shapes than large ones, so each height has its templates."""


def answer(turns: Sequence[Turn]) -> str:
    """What is right to say to the last turn of the user.

    >>> answer([Turn("user", ["Which number is written in this picture?"])])
    'I cannot see any picture.'
    """
    asked = next((turn.text for turn in reversed(turns) if turn.role == "user"), "")
    said = _plain_answer(asked, turns)
    # What the system or the user wants of the form of answers.
    wanted = "\n".join([*(turn.text for turn in turns if turn.role == "system"), asked])
    if form := _FORM.search(wanted):
        return _SLOT.sub(lambda _: said, form[1].replace("\\n", "\n"))
    if behind := _BEHIND.search(wanted):
        return f"{behind[1].rstrip(':')}: {said}"
    return said


def _plain_answer(asked: str, turns: Sequence[Turn]) -> str:
    if "3 plus 4" in asked:
        return "7"
    if _ASKS_CODE_WORD.search(asked):
        words = [found for turn in turns for found in _CODE_WORD.findall(turn.text)]
        return words[-1] if words else UNKNOWN
    if _ASKS_ANSWER.search(asked):
        return next((turn.text for turn in reversed(turns) if turn.role == "assistant"), "I have not answered yet.")
    questions = list(_QUESTION.finditer(asked))
    if not questions:
        return _about_things(asked, turns)
    question = questions[-1]
    pixels = _asked_picture(question["before"] + question["after"], turns)
    if pixels is None:
        return BLIND
    match question["asked"].casefold().split()[:2]:
        case ["which", _]:
            return read_number(pixels) or NO_NUMBER
        case ["how", _]:
            return str(count_dots(pixels))
    if question["corner"]:
        return read_corner(pixels, CORNERS.index(question["corner"].casefold()))
    return read_ground(pixels)


def _asked_picture(words: str, turns: Sequence[Turn]) -> Pixels | None:
    """The picture that a question names, else the last there is, as a model answers about what it sees."""
    shown = [each.pixels for each in pictures_in(turns)]
    if not shown:
        return None
    if message := _MESSAGE.search(words):
        turn = _at([turn for turn in turns if turn.role == "user"], _ORDINALS[message[1].casefold()])
        return next((each.pixels for each in pictures_in([turn] if turn else [])), shown[-1])
    if picture := _PICTURE.search(words):
        place = int(picture[2]) - 1 if picture[2] else _ORDINALS[picture[1].casefold()]
        return shown[place] if place < len(shown) else shown[-1]
    return shown[-1]


def _at(turns: Sequence[Turn], place: int) -> Turn | None:
    return turns[place] if place < len(turns) else None


def _about_things(asked: str, turns: Sequence[Turn]) -> str:
    """The answer about scenes of cards, whose numbers stand for things, and whose grounds for their colours."""
    question = next((line for line in reversed(asked.splitlines()) if "?" in line), "")
    words = set(re.findall("[a-z]+", question.casefold()))
    if words & {"main", "common"}:
        shown = _asked_picture(question, turns)
        return BLIND if shown is None else describe(shown, "main" in words)
    things = [name for name in NAMES if words & {name, f"{name}s"}]
    if not things:
        return UNKNOWN
    pixels = _asked_picture("", turns)
    if pixels is None:
        return BLIND
    number, ground = read_card(without_margin(pixels))
    if "or" in words or "colour" in words:
        return ground
    is_there = number.isdecimal() and NAMES[int(number) % len(NAMES)] in things
    if words & {"many", "number", "count"}:
        return str(int(is_there))
    return "yes" if is_there else "no"


def describe(pixels: Pixels, main: bool) -> str:
    """A name that depends on what a photo looks like as a whole: its mean colours, in rough steps.

    As with any model, a photo at the edge of two names may get the other one when it is resized.
    """
    shown = without_margin(pixels)
    height, width = shown.shape[:2]
    halves = [slice(0, height // 2), slice(height // 2, None)], [slice(0, width // 2), slice(width // 2, None)]
    means = [shown[y, x].reshape(-1, 3).mean(axis=0) for y in halves[0] for x in halves[1]]
    if not main:
        return _nearest(np.mean(means, axis=0))
    steps = [int(value) // 32 for mean in means for value in mean]
    return f"{_nearest(means[0])} thing number {sum(step * 8**place for place, step in enumerate(steps))}"


def without_margin(pixels: Pixels) -> Pixels:
    """The pixels without rows and columns of mid gray at their edges."""
    shown = (pixels.min(axis=2) != 127) | (pixels.max(axis=2) != 127)
    rows, columns = np.flatnonzero(shown.any(axis=1)), np.flatnonzero(shown.any(axis=0))
    return pixels[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1] if len(rows) else pixels


def read_card(pixels: Pixels) -> tuple[str, str]:
    """The number, "" where none can be read, and the colour of the ground of a card.

    >>> import numpy as np
    >>> read_card(np.asarray(render_card(Card(number=417, ground=COLOURS["blue"]))))
    ('417', 'blue')
    """
    return read_number(pixels), read_ground(pixels)


def read_ground(pixels: Pixels) -> str:
    """The name of the colour of most pixels; "gray" for what is nearest to that."""
    return _nearest(_ground(pixels))


def read_corner(pixels: Pixels, place: int) -> str:
    """The colour of the square in a corner, by its place in ``CORNERS``."""
    height, width = pixels.shape[:2]
    # Within the square: it begins at 4 % of the shorter side, and ends at 29 %.
    start, stop = (round(min(height, width) * share) for share in (0.09, 0.24))
    x = slice(start, max(stop, start + 1)) if place % 2 == 0 else slice(width - stop, width - start)
    y = slice(start, max(stop, start + 1)) if place < 2 else slice(height - stop, height - start)
    square = pixels[y, x]
    return _nearest(np.median(square.reshape(-1, 3), axis=0)) if square.size else "gray"


def count_dots(pixels: Pixels) -> int:
    """The number of black pieces that are as round as a dot."""
    inner, ink = _ink(pixels)
    shapes = [shape for _, shape in _inside(ink & (inner.max(axis=2) < 90))]
    filled = [(int(shape.sum()), float(shape.mean())) for shape in shapes if shape.sum() >= 4]
    largest = max((area for area, _ in filled), default=0)
    # A circle fills 79 % of its box.
    return sum(share > 0.6 and area > largest / 3 for area, share in filled)


def read_number(pixels: Pixels) -> str:
    """The digits in the middle, "" where there are none or one cannot be read."""
    _, ink = _ink(pixels)
    digits = [_digit(piece) for piece in _pieces(ink)]
    return "".join(digits) if 2 <= len(digits) <= 5 and all(digits) else ""


def _nearest(colour: NDArray[np.float64]) -> str:
    return min(_GROUNDS, key=lambda each: float(np.abs(np.array(_GROUNDS[each]) - colour).sum()))


def _ground(pixels: Pixels) -> NDArray[np.float64]:
    # Of some pixels: the median of four millions takes long.
    step = -(-max(pixels.shape[:2]) // 448)
    median: NDArray[np.float64] = np.median(pixels[::step, ::step].reshape(-1, 3), axis=0)
    return median


def _ink(pixels: Pixels) -> tuple[Pixels, NDArray[np.bool_]]:
    """The pixels without their margins, where a nonce may stand, and those of them that differ from the ground."""
    height, width = pixels.shape[:2]
    inner = pixels[height // 8 : -(height // 8) or None, width // 16 : -(width // 16) or None]
    ground = np.round(_ground(pixels)).astype(np.int16)
    difference = np.abs(inner.astype(np.int16) - ground).max(axis=2)
    strongest = int(difference.max())
    ink: NDArray[np.bool_] = difference > max(strongest / 2, 1)
    if strongest < _LEAST_STEP:
        ink[:] = False
    return inner, ink


def _inside(ink: NDArray[np.bool_]) -> list[tuple[int, NDArray[np.bool_]]]:
    """Connected pieces with where they begin, from left to right, each in its box; none for noise."""
    labels, count = label(ink, np.ones((3, 3), bool))
    if count > _MOST_PIECES:
        return []
    height, width = ink.shape
    pieces = [
        (int(x.start), labels[y, x] == place + 1)
        for place, (y, x) in enumerate(find_objects(labels))
        # What reaches the edge is a coloured corner, or a picture that was cut.
        if y.start > 0 and x.start > 0 and y.stop < height and x.stop < width
    ]
    return sorted(pieces, key=lambda each: each[0])


def _pieces(ink: NDArray[np.bool_]) -> list[NDArray[np.bool_]]:
    """The pieces that are as high as digits, from left to right, each without empty rows and columns."""
    shapes = [shape for _, shape in _inside(ink)]
    tallest = max((len(shape) for shape in shapes), default=0)
    # Specks of a lossy file are none.
    return [shape for shape in shapes if len(shape) > 0.6 * tallest and tallest >= 5]


def _normal(piece: NDArray[np.bool_]) -> NDArray[np.float64]:
    scaled = Image.fromarray(piece.astype(np.uint8) * 255).resize(_SHAPE, Image.Resampling.BOX)
    aspect = _ASPECT * piece.shape[1] / piece.shape[0]
    return np.append(np.asarray(scaled, dtype=np.float64).ravel() / 255, aspect)


@cache
def _templates() -> tuple[tuple[str, ...], NDArray[np.float64]]:
    names: list[str] = []
    rows: list[NDArray[np.float64]] = []
    for height in _HEIGHTS_PX:
        for start in ("1023", "4567", "1890"):
            card = Card(number=int(start), ground=(0, 0, 0), size=(8 * height, 4 * height), digit_px=height)
            pieces = _pieces(np.asarray(render_card(card)).max(axis=2) > 128)
            names += start
            rows += [_normal(piece) for piece in pieces]
    assert len(names) == len(rows)
    return tuple(names), np.array(rows)


def _digit(piece: NDArray[np.bool_]) -> str:
    """The digit; "" where it is too far from all."""
    names, templates = _templates()
    seen = _normal(piece)
    distances = np.abs(templates - seen).sum(axis=1)
    nearest = int(distances.argmin())
    # Digits of another aspect are no digits: a model trained on upright text does not read squashed ones either.
    is_squashed = not 0.6 < seen[-1] / templates[nearest, -1] < 1 / 0.6
    return "" if is_squashed or distances[nearest] > _FURTHEST else names[nearest]
