"""Painting a layout: the background, then every piece in order."""

from __future__ import annotations

from PIL import Image

from pytest_vqamt.picture_world.art.backgrounds import draw_background
from pytest_vqamt.picture_world.layout import SIZE_PX, Layout


def paint(layout: Layout) -> Image.Image:
    """The picture of ``layout``: RGB uint8, 224 x 224."""
    image = draw_background(layout.setting, (SIZE_PX, SIZE_PX), layout.variant)
    for placed in layout.placed:
        for part in placed.block.parts:
            drawn = part.styled.piece.image
            image.paste(drawn, (placed.x + part.x, placed.y + part.y), drawn)
    return image
