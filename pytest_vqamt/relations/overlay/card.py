"""Cards with words: their size, and their place away from all things."""

from __future__ import annotations

from textwrap import wrap

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.relations.askable_scene import AskableScene
from pytest_vqamt.relations.edits import Size, occupied_boxes, places_anywhere
from pytest_vqamt.sampling.chooser import Chooser

_LEAST_HEIGHT_PX = 24
_HEIGHT_SHARE = 0.1
"""The height of a card, as a share of the picture's shorter side."""
_WIDTH_OF_A_LETTER = 0.62
"""The width of a capital letter of the built-in font with its space, as a share of the card's height."""
_LETTER_PX, _LEAST_LINE = 7, 28
"""The least width of a letter in a margin, and the number of letters that a line may have in any case."""
_GAP_PX = 4
"""The least distance between a card and the box of a thing."""


def card_size(text: str, scene: Scene) -> Size:
    """Returns the width and height in pixels of a card on which a line of ``text`` can be read."""
    height = max(_LEAST_HEIGHT_PX, round(_HEIGHT_SHARE * min(scene.width, scene.height)))
    return round(height * (_WIDTH_OF_A_LETTER * len(text) + 0.4)), height


def sample_card(text: str, view: AskableScene, choose: Chooser) -> Picture | None:
    """Returns the picture with the text on a card away from all boxes; None if there is no room for one."""
    size = card_size(text, view.scene)
    places = view.cached(("card places", size), lambda: _places(view.scene, size))
    if not places:
        return None
    x, y = choose.one(places)
    return view.scene.picture.write(text, Box(x, y, *size))


def _places(scene: Scene, size: Size) -> tuple[tuple[int, int], ...]:
    boxes = [box.grown(_GAP_PX) for box in occupied_boxes(scene)]
    return places_anywhere(boxes, scene.frame, size)


def with_margin(text: str, scene: Scene) -> Picture:
    """Returns the picture with a white margin below it, and ``text`` in lines there, each as large as fits."""
    height = max(_LEAST_HEIGHT_PX, round(_HEIGHT_SHARE * min(scene.width, scene.height)))
    lines = wrap(text, max(_LEAST_LINE, scene.width // _LETTER_PX))
    picture = scene.picture.pad(bottom=height * len(lines), colour=(255, 255, 255))
    for number, line in enumerate(lines):
        picture = picture.write(line, Box(0, scene.height + number * height, scene.width, height))
    return picture
