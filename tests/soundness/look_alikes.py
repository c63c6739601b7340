"""What may be taken for what where it is seen badly, half of it or blurred: by eye, from pictures that were blurred."""

from __future__ import annotations

Rows = tuple[frozenset[str], ...]
"""Names of one row are of about one size and outline; a name may stand in several."""


def _rows(*rows: str) -> Rows:
    return tuple(frozenset(name.strip() for name in row.split(",")) for row in rows)


IN_PICTURE_WORLD = _rows(
    "man, woman, boy, girl, robot",
    "dog, cat, horse, cow, sheep, pig, rabbit, elephant, giraffe, turtle, teddy bear",
    "bird, duck, butterfly, airplane, kite",
    "apple, pear, strawberry, ball, balloon, flower, clock",
    "banana, carrot, sandwich, cake, pizza",
    "cup, bottle, bowl, vase, bucket, candle, drum, box, lamp",
    "book, box, laptop, television",
    "car, bus, truck, train, boat",
    "chair, table, bed, couch, shelf",
    "tree, bush, flower, cactus",
    "shirt, dress, hat, bag, shoe, umbrella",
)

IN_COCO = _rows(
    "person, teddy bear",
    "bird, cat, dog, horse, sheep, cow, elephant, bear, zebra, giraffe, teddy bear",
    "bicycle, motorcycle",
    "car, bus, truck, train",
    "traffic light, fire hydrant, stop sign, parking meter",
    "chair, couch, bed, bench, dining table",
    "backpack, handbag, suitcase",
    "skis, snowboard, skateboard, surfboard",
    "baseball bat, tennis racket",
    "frisbee, sports ball, orange, apple, donut",
    "kite, umbrella, bird, airplane",
    "bottle, wine glass, cup, vase, bowl",
    "fork, knife, spoon, scissors, toothbrush",
    "banana, carrot, hot dog",
    "sandwich, pizza, donut, cake, hot dog",
    "broccoli, potted plant",
    "tv, laptop, microwave, oven, refrigerator, toaster",
    "cell phone, remote, mouse, keyboard, book",
    "toilet, sink",
)


def alike(one: str, other: str, rows: Rows) -> bool:
    """Whether the two names are the same or stand in one row."""
    return one == other or any(one in row and other in row for row in rows)
