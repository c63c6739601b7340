"""The words that questions about the picture world are made of."""

from __future__ import annotations

NAMES: dict[str, tuple[str, ...]] = {
    "person": ("man", "woman", "boy", "girl"),
    "animal": (
        "dog", "cat", "horse", "cow", "sheep", "pig", "bird", "rabbit", "elephant", "duck", "giraffe", "turtle",
        "butterfly",
    ),
    "food": ("apple", "banana", "pear", "carrot", "cake", "pizza", "sandwich", "strawberry"),
    "vehicle": ("car", "bus", "truck", "bicycle", "boat", "airplane", "train"),
    "furniture": ("chair", "table", "bed", "couch", "shelf", "lamp"),
    "container": ("cup", "bottle", "bowl", "box", "vase", "bucket"),
    "household thing": ("book", "clock", "laptop", "television", "key", "candle"),
    "toy": ("ball", "balloon", "kite", "teddy bear", "robot", "drum"),
    "plant": ("tree", "flower", "cactus", "bush"),
    "clothing": ("shirt", "dress", "hat", "bag", "shoe", "umbrella"),
}  # fmt: skip
"""Names by family."""

PEOPLE = NAMES["person"]
"""Nobody is asked for the colour of people."""

COLOURS = ("red", "orange", "yellow", "green", "blue", "purple", "pink", "brown", "black", "gray", "white")
PATTERNS = ("plain", "striped", "dotted", "checked")
STATURES = ("tall", "short")
ON_TWO_LEGS = ("standing", "sitting", "walking", "running", "jumping", "waving")
ON_FOUR_LEGS = ("standing", "sitting", "lying", "walking", "running")
IN_THE_AIR = ("flying", "standing", "walking")

ACTIONS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(PEOPLE, ON_TWO_LEGS),
    **dict.fromkeys(NAMES["animal"], ON_FOUR_LEGS),
    "bird": IN_THE_AIR,
    "duck": IN_THE_AIR,
    "butterfly": ("flying", "sitting"),
    "turtle": ("standing", "walking"),
}
"""What people and animals of a name may be doing."""

PATTERNED: frozenset[str] = frozenset(
    (*NAMES["clothing"], "cup", "bowl", "vase", "ball", "balloon", "kite", "butterfly")
)
"""What may be striped."""

PREDICATES = ("near", "next to", "behind", "in front of")
