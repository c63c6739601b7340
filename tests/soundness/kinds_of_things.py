"""Which names are of which class, by what people would say: worked out name by name, without WordNet or an ontology."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pytest_vqamt.core.meaning import Group


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """The names that a word for a class stands for, and those of which people would not agree whether it does."""

    surely: frozenset[str]
    perhaps: frozenset[str] = frozenset()


def _kind(surely: str, perhaps: str = "") -> Kind:
    return Kind(surely=_names(surely), perhaps=_names(perhaps))


def _names(text: str) -> frozenset[str]:
    return frozenset(name.strip() for name in text.split(",") if name.strip())


Kinds = Mapping[str, Kind]

IN_PICTURE_WORLD: Kinds = {
    "person": _kind("man, woman, boy, girl"),
    "animal": _kind(
        "dog, cat, horse, cow, sheep, pig, bird, rabbit, elephant, duck, giraffe, turtle, butterfly", "teddy bear"
    ),
    "bird": _kind("bird, duck"),
    "insect": _kind("butterfly"),
    "food": _kind("apple, banana, pear, carrot, cake, pizza, sandwich, strawberry"),
    "fruit": _kind("apple, banana, pear, strawberry"),
    "vegetable": _kind("carrot"),
    "dessert": _kind("cake"),
    "vehicle": _kind("car, bus, truck, bicycle, boat, airplane, train"),
    "aircraft": _kind("airplane", "kite, balloon"),
    "furniture": _kind("chair, table, bed, couch", "shelf, lamp"),
    "container": _kind("cup, bottle, bowl, box, vase, bucket", "bag"),
    "electronic device": _kind("laptop, television", "clock, lamp, robot"),
    "toy": _kind("kite, teddy bear", "ball, balloon, robot, drum"),
    "musical instrument": _kind("drum"),
    "plant": _kind("tree, flower, cactus, bush"),
    "tree": _kind("tree"),
    "flower": _kind("flower"),
    "clothing": _kind("shirt, dress", "hat, shoe, bag"),
    "headwear": _kind("hat"),
    "footwear": _kind("shoe"),
}

IN_COCO: Kinds = {
    "person": _kind("person"),
    "animal": _kind("bird, cat, dog, horse, sheep, cow, elephant, bear, zebra, giraffe", "teddy bear"),
    "bird": _kind("bird"),
    "food": _kind("banana, apple, sandwich, orange, broccoli, carrot, hot dog, pizza, donut, cake"),
    "fruit": _kind("banana, apple, orange"),
    "vegetable": _kind("broccoli, carrot"),
    "dessert": _kind("cake", "donut, banana, apple, orange"),
    "vehicle": _kind("bicycle, car, motorcycle, airplane, bus, train, truck, boat", "skateboard"),
    "aircraft": _kind("airplane", "kite"),
    "furniture": _kind("chair, couch, bench, dining table, bed", "toilet"),
    "container": _kind(
        "bottle, cup, bowl, vase", "wine glass, potted plant, suitcase, backpack, handbag, sink, refrigerator"
    ),
    "electronic device": _kind(
        "tv, laptop, remote, cell phone",
        "mouse, keyboard, microwave, oven, toaster, refrigerator, clock, hair drier, toothbrush, parking meter, "
        "traffic light",
    ),
    "appliance": _kind("microwave, oven, toaster, refrigerator", "hair drier, tv"),
    "utensil": _kind("fork, knife, spoon"),
    "cutlery": _kind("fork, spoon", "knife"),
    "luggage": _kind("suitcase", "backpack, handbag"),
    "sports equipment": _kind(
        "skis, snowboard, sports ball, baseball bat, baseball glove, skateboard, surfboard, tennis racket",
        "frisbee, kite, bicycle",
    ),
    "toy": _kind("teddy bear, kite", "frisbee, sports ball, skateboard"),
    "plant": _kind("potted plant", "broccoli"),
}


def meant(group: Group, kinds: Kinds) -> Kind:
    """What the group's noun stands for: a class by the table, and a name that things bear is no more than that name.

    "Bird" is both: the class where the group covers other names.
    """
    own = Kind(surely=frozenset((group.name,)))
    found = kinds.get(group.name, own)
    return own if group.name in found.surely and not group.covers else found
