"""What one who speaks English says of the words in the samples: by hand, without WordNet, an ontology or families."""

from __future__ import annotations

from dataclasses import dataclass

from tests.soundness.kinds_of_things import IN_COCO, IN_PICTURE_WORLD, Kinds, kind

Rows = tuple[frozenset[str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """What there is to know of one sample's words.

    Attributes:
        kinds: which names are of which class.
        one: rows of names of which one thing may bear two, as people name things.
        together: rows of names of things that come together: parts and wholes, garments and who wears them.
        exclusive: rows of attributes of which no thing bears two, as annotators use them.
        overlapping: rows of those of which a thing may bear two all the same.
        all_related: whether every thing that stands in an annotated relation is annotated to.
        no_one_colour: classes of things that are of several colours, of which annotators note one.
    """

    kinds: Kinds
    one: Rows
    together: Rows = ()
    exclusive: Rows
    overlapping: Rows = ()
    all_related: bool = False
    no_one_colour: tuple[str, ...] = ()

    def may_be_one(self, a: str, b: str) -> bool:
        """Whether a thing may go by both names."""
        return a == b or _shared(self.one, a, b)

    def come_together(self, a: str, b: str) -> bool:
        """Whether one is a part or a garment of the other, or the two go by each other's name."""
        return self.may_be_one(a, b) or _shared(self.together, a, b)

    def is_likeness(self, name: str, attributes: tuple[str, ...]) -> bool:
        """Whether the thing may not be what its name says: nothing that lives or is eaten is of wood or of bronze."""
        grown = any(name in self.kinds[each].surely for each in _GROWN if each in self.kinds)
        return not _LIKENESSES.isdisjoint(attributes) or (grown and not _MATERIALS.isdisjoint(attributes))

    def has_no_one_colour(self, name: str) -> bool:
        return any(name in self.kinds[each].surely for each in self.no_one_colour)

    def exclude(self, a: str, b: str) -> bool:
        """Whether no thing has both attributes."""
        return a != b and _shared(self.exclusive, a, b) and not _shared(self.overlapping, a, b)


def _shared(rows: Rows, a: str, b: str) -> bool:
    return any(a in row and b in row for row in rows)


def _rows(*rows: str) -> Rows:
    return tuple(frozenset(name.strip() for name in row.split(",")) for row in rows)


GRADABLE = frozenset(("large", "small", "tall", "short", "big", "little", "long", "old", "young", "new", "baby"))
"""What is large of one kind is small of another."""

SIZES = frozenset(("large", "small", "big", "little", "tiny", "huge"))
MASSES = frozenset(("furniture", "food", "fruit", "clothing", "footwear", "headwear", "luggage", "cutlery"))
"""Classes of which there is some, not one."""
_MATERIALS = frozenset(
    ("wood", "wooden", "metal", "plastic", "glass", "stone", "rubber", "bronze", "copper", "gold", "silver")
)
_LIKENESSES = frozenset(("toy", "stuffed", "fake", "statue"))
_GROWN = ("person", "animal", "plant", "food")

ANTONYMS: Rows = _rows(
    "open, closed", "full, empty", "on, off", "clean, dirty", "large, small", "tall, short", "wet, dry"
)
"""Opposites, of which each thing that can have the one has the one or the other."""

_COLOURS = "red, orange, yellow, green, blue, purple, pink, brown, black, gray, grey, white, silver, tan"
_CLOSE_COLOURS = _rows("gray, grey, silver", "silver, white", "brown, tan", "orange, tan")
COLOURS = frozenset(_COLOURS.split(", "))
_POSES = "standing, sitting, lying, walking, running, jumping, flying, hanging"

PICTURE_WORLD = Words(
    kinds={
        **IN_PICTURE_WORLD,
        # Offered beside what is drawn.
        "bird": kind("bird, duck, owl, ostrich, parrot, penguin"),
        "insect": kind("butterfly, dragonfly, ladybug, bee, ant, grasshopper"),
        "vegetable": kind("carrot, onion, broccoli, potato, asparagus, pepper, tomato, cucumber, corn, lettuce"),
        "musical instrument": kind("drum, piano, violin, flute, trumpet, guitar, saxophone, accordion, harp"),
        "aircraft": kind("airplane, helicopter"),
        "electronic device": kind("laptop, television, cell phone, printer, camera", "clock, lamp, robot"),
    },
    one=_rows(
        *(f"bird, {other}" for other in ("duck", "owl", "ostrich", "parrot", "penguin")),
        "shelf, bookshelf",
        "teddy bear, bear",
    ),
    exclusive=_rows(
        _COLOURS,
        _POSES,
        "plain, striped, dotted, checked",
        "large, small",
        "tall, short",
        "open, closed",
        "full, empty",
        "on, off",
        "clean, dirty",
    ),
    all_related=True,
)

COCO = Words(
    kinds=IN_COCO,
    one=_rows(
        "car, truck, bus",
        "couch, chair, bench, bed",
        "cup, bowl",
        "cup, wine glass",
        "backpack, handbag, suitcase",
        "bicycle, motorcycle",
        "cake, donut",
        "sandwich, hot dog",
        "bear, teddy bear",
        "dog, hot dog",
        "oven, microwave",
        "sports ball, frisbee",
        "vase, potted plant",
    ),
    together=_rows(
        "laptop, keyboard, mouse", "person, tie", "person, handbag", "person, backpack", "potted plant, vase"
    ),
    exclusive=(),
)

_PARTS = "head, face, hair, eye, eyes, ear, ears, nose, teeth, chin, leg, legs, feet, foot"
_OF_PEOPLE = "arm, hand, back"
_OF_ANIMALS = "mane, paw, tail"
_PEOPLE = "person, man, woman, girl, boy, guy, audience"
_ANIMALS = "zebra, elephant, elephants, cat, bear, monkey, duck, ducks, fish"
_WORN = "shirt, pants, shorts, socks, shoe, shoes, sneakers, jacket, glasses, armor"

GRAPHS = Words(
    kinds={
        "person": kind("person, man, woman, girl, boy, guy", "audience"),
        "animal": kind(_ANIMALS),
        "bird": kind("duck, ducks"),
        "vehicle": kind("bike, bikes, car, van, work truck"),
        "food": kind("food, cheese, meat, pepperoni, pizza, pizza slice", "hay"),
        "utensil": kind("spatula, fork, spoon, knife"),
        "furniture": kind("chair, table, bed, bookshelf", "shelf, shelves, counter"),
        "clothing": kind("shirt, pants, shorts, socks, jacket", "shoe, shoes, sneakers, armor, glasses"),
        "footwear": kind("shoe, shoes, sneakers", "socks"),
        "building": kind("building", "tent, roof, bathroom"),
        "tree": kind("tree, trees"),
        "plant": kind("tree, trees", "grass, hay, leaves, log"),
    },
    one=_rows(
        *(f"person, audience, {each}" for each in ("man, guy, boy", "woman, girl", "boy, girl")),
        "bike, bikes, bicycle",
        "elephant, elephants",
        "duck, ducks",
        "shelf, shelves, counter, bookshelf",
        "leg, legs",
        "ear, ears",
        "eye, eyes",
        "feet, foot",
        "shoe, shoes, sneakers",
        "pizza, pizza slice, food, cheese, meat, pepperoni",
        "food, hay, grass",
        "tree, trees, tree trunk, log",
        "sign, logo, tag, paper",
        "ground, floor, road, sidewalk, street",
        "van, car, work truck, truck",
        "pole, lamp post, parking meter",
        "jacket, shirt, armor",
        "pants, shorts",
        "windows, glasses",
        "wheel, tire",
        "head, face",
        "arm, hand",
        "paper, gift",
        "hair, mane",
    ),
    together=(
        *(_rows(*(f"{_PEOPLE}, {each}" for each in (_PARTS, _OF_PEOPLE, _WORN)))),
        *(_rows(*(f"{_ANIMALS}, {each}" for each in (_PARTS, _OF_ANIMALS)))),
        *_rows(
            "cat, collar, tag",
            "bike, bikes, wheel, tire, headlight",
            "car, van, work truck, wheel, tire, windows, headlight",
            "tree, trees, leaves, log, tree trunk, shade",
            "building, wall, roof, windows, shade",
            "tent, roof, pole",
            "sink, faucet, bathroom",
            "bathroom, wall, floor, mirror",
            "gate, pole, wall",
            "chair, table, counter",
        ),
    ),
    exclusive=_rows(_COLOURS, _POSES, "metal, wood, glass, rubber, brick", "small, large", "tall, short", "wet, dry"),
    overlapping=_CLOSE_COLOURS,
    no_one_colour=("person", "animal"),
)
"""Of the GQA graphs and of the one Visual Genome photo."""
