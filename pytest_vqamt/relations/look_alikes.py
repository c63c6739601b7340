"""What may be taken for what where it is blurred or seen in part, though nobody would name it so in plain sight."""

from __future__ import annotations

from functools import cache, lru_cache

from pytest_vqamt.language.english.families import family

OUTLINES: tuple[str, ...] = (
    # Upright, as high as a person or less.
    "robot, doll, teddy bear, fire hydrant, parking meter, mailbox, bollard, cactus",
    # In the air, or with wings.
    "bird, duck, goose, seagull, pigeon, swan, parrot, owl, eagle, butterfly, bee, insect, ladybug, airplane, plane, "
    "jet, helicopter, kite, umbrella",
    # Round.
    "apple, pear, strawberry, lemon, lime, peach, plum, cherry, tomato, potato, onion, donut, doughnut, bagel, "
    "cookie, muffin, cupcake, pie, pizza, ball, sports ball, tennis ball, balloon, frisbee, clock, plate, flower, "
    "rose, tulip, sunflower, daisy",
    # Hollow, and standing on something.
    "cup, mug, bottle, bowl, wine glass, jar, pot, pan, teapot, kettle, vase, bucket, basket, candle, drum, box, lamp, "
    "potted plant, fire hydrant",
    # With straight edges.
    "book, box, laptop, television, tv, computer, monitor, printer, speaker, camera, microwave, oven, toaster, "
    "refrigerator, dishwasher, washing machine, cell phone, telephone, remote, keyboard, puzzle, mirror, pillow, "
    "suitcase, wallet, mailbox, billboard, cabinet, cupboard, dresser, nightstand, tray, napkin, sandwich",
    # Large, with straight edges.
    "building, house, barn, garage, shed, bus, truck, train, trolley, tram, van, fire truck, wagon, locomotive",
    # To sit or lie on, or in.
    "chair, armchair, stool, bench, toilet, couch, sofa, bed, bathtub, crib, table, desk",
    # Of cloth.
    "shirt, t-shirt, dress, jacket, coat, sweater, skirt, scarf, apron, vest, towel, blanket, curtain, pillow, napkin",
    # Carried by hand.
    "bag, backpack, handbag, purse, suitcase, basket, bucket, box",
    # Flat and long.
    "surfboard, snowboard, skateboard, boat, canoe, kayak, sailboat",
    # Thin and long.
    "fork, knife, spoon, ladle, spatula, toothbrush, broom, key, remote, candle, baseball bat, tennis racket, "
    "umbrella, tie, belt, banana, carrot, hot dog, snake",
    # On a pole, or a pole.
    "traffic light, stop sign, parking meter, street light, lamp post, billboard, lamp, balloon, kite, palm tree",
    # Leaves.
    "tree, bush, flower, cactus, shrub, potted plant, palm tree, pine tree, broccoli, lettuce",
    # Small, on the head or the foot.
    "hat, cap, helmet, shoe, boot, sandal, sneaker, bowl, frog, turtle",
)
"""Names of things of about one outline and size, where it matters: those that are of several families."""


@lru_cache(maxsize=65536)
def surely_unlike(a: str, b: str) -> bool:
    """Whether no part of a thing of one name looks like a thing of the other, be it blurred.

    They are of two top families, share no head noun ("bear", "teddy bear"), and are not of one outline.

    >>> surely_unlike("dog", "car"), surely_unlike("dog", "cat"), surely_unlike("balloon", "apple")
    (True, False, False)
    """
    families = family(a), family(b)
    if None in families or families[0] == families[1] or a.rpartition(" ")[2] == b.rpartition(" ")[2]:
        return False
    return outlines_of(a).isdisjoint(outlines_of(b))


@cache
def outlines_of(name: str) -> frozenset[int]:
    """The outlines that a thing of this name may have, as numbers; none where it has one of its own."""
    found = {number for number, row in enumerate(OUTLINES) if name in row.split(", ")}
    if family(name) == "person":
        found.add(0)
    if name == "teddy bear" or family(name) == "animal":
        found.add(len(OUTLINES))  # on four legs, or nearly
    return frozenset(found)
