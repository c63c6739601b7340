"""Scenes on a small grid of whole pixels, drawn by Hypothesis, and a reading of boxes as sets of pixels.

The reading is what edits are held against: it knows nothing of how they compute boxes.
"""

from __future__ import annotations

from hypothesis import strategies as st

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.scene import Photo, Region, Relationship, Scene, Thing

Pixels = frozenset[tuple[int, int]]

NAMES = ("dog", "cat", "teddy bear", "cup")
PREDICATES = ("on", "holding", "left of", "right of", "to the left of", "to the right of", "near")


@st.composite
def boxes_within(draw: st.DrawFn, width: int, height: int) -> Box:
    """A box of whole pixels, not empty, inside the frame."""
    x, y = draw(st.integers(0, width - 1)), draw(st.integers(0, height - 1))
    return Box(x, y, draw(st.integers(1, width - x)), draw(st.integers(1, height - y)))


@st.composite
def scenes(draw: st.DrawFn) -> Scene:
    """Up to five things, two crowds and four relationships in a frame of at most 16 x 12 pixels."""
    width, height = draw(st.integers(2, 16)), draw(st.integers(2, 12))
    boxes = boxes_within(width, height)
    things = tuple(
        Thing(
            id=f"thing {number}",
            name=draw(st.sampled_from(NAMES)),
            box=box,
            attributes=draw(st.sampled_from(((), ("red",), ("black", "open")))),
            has_mask=draw(st.booleans()),
        )
        for number, box in enumerate(draw(st.lists(boxes, max_size=5)))
    )
    ids = st.sampled_from([thing.id for thing in things] or [""])
    relationships = st.builds(Relationship, subject=ids, predicate=st.sampled_from(PREDICATES), object=ids)
    return Scene(
        id="drawn",
        photo=Photo(id="drawn.png", digest="0" * 16),
        width=width,
        height=height,
        objects=things,
        regions=tuple(Region(name="person", box=box) for box in draw(st.lists(boxes, max_size=2))),
        relationships=tuple(draw(st.lists(relationships, max_size=4))) if things else (),
        setting=draw(st.sampled_from(("", "beach"))),
        captions=draw(st.sampled_from(((), ("a dog on a beach",)))),
        exhaustive=frozenset(NAMES),
    )


def pixels(box: Box) -> Pixels:
    """Every pixel that the box covers, column and row."""
    return frozenset((x, y) for x in range(round(box.x), round(box.x1)) for y in range(round(box.y), round(box.y1)))


def frame(seen: Pixels) -> Box:
    """The smallest box around the pixels."""
    columns, rows = [x for x, _ in seen], [y for _, y in seen]
    return Box(min(columns), min(rows), max(columns) - min(columns) + 1, max(rows) - min(rows) + 1)
