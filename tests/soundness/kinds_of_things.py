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


def kind(surely: str, perhaps: str = "") -> Kind:
    """The names that two lists give."""
    return Kind(surely=_names(surely), perhaps=_names(perhaps))


def _names(text: str) -> frozenset[str]:
    return frozenset(name.strip() for name in text.split(",") if name.strip())


Kinds = Mapping[str, Kind]

IN_PICTURE_WORLD: Kinds = {
    "person": kind("man, woman, boy, girl"),
    "animal": kind(
        "dog, cat, horse, cow, sheep, pig, bird, rabbit, elephant, duck, giraffe, turtle, butterfly", "teddy bear"
    ),
    "bird": kind("bird, duck"),
    "insect": kind("butterfly"),
    "food": kind("apple, banana, pear, carrot, cake, pizza, sandwich, strawberry"),
    "fruit": kind("apple, banana, pear, strawberry"),
    "vegetable": kind("carrot"),
    "dessert": kind("cake"),
    "vehicle": kind("car, bus, truck, bicycle, boat, airplane, train"),
    "aircraft": kind("airplane"),
    "furniture": kind("chair, table, bed, couch", "shelf, lamp"),
    "container": kind("cup, bottle, bowl, box, vase, bucket", "bag"),
    "electronic device": kind("laptop, television", "clock, lamp, robot"),
    "toy": kind("kite, teddy bear", "ball, balloon, robot, drum"),
    "musical instrument": kind("drum"),
    "plant": kind("tree, flower, cactus, bush"),
    "tree": kind("tree"),
    "flower": kind("flower"),
    "clothing": kind("shirt, dress", "hat, shoe, bag"),
    "headwear": kind("hat"),
    "footwear": kind("shoe"),
}

IN_COCO: Kinds = {
    "person": kind("person"),
    "animal": kind("bird, cat, dog, horse, sheep, cow, elephant, bear, zebra, giraffe", "teddy bear"),
    "bird": kind("bird"),
    "food": kind("banana, apple, sandwich, orange, broccoli, carrot, hot dog, pizza, donut, cake"),
    "fruit": kind("banana, apple, orange"),
    "vegetable": kind("broccoli, carrot"),
    "dessert": kind("cake", "donut, banana, apple, orange"),
    "vehicle": kind("bicycle, car, motorcycle, airplane, bus, train, truck, boat", "skateboard"),
    "aircraft": kind("airplane"),
    "furniture": kind("chair, couch, bench, dining table, bed", "toilet"),
    "container": kind(
        "bottle, cup, bowl, vase", "wine glass, potted plant, suitcase, backpack, handbag, sink, refrigerator"
    ),
    "electronic device": kind(
        "tv, laptop, remote, cell phone",
        "mouse, keyboard, microwave, oven, toaster, refrigerator, clock, hair drier, toothbrush, parking meter, "
        "traffic light",
    ),
    "appliance": kind("microwave, oven, toaster, refrigerator", "hair drier, tv"),
    "utensil": kind("fork, knife, spoon"),
    "cutlery": kind("fork, spoon", "knife"),
    "luggage": kind("suitcase", "backpack, handbag"),
    "sports equipment": kind(
        "skis, snowboard, sports ball, baseball bat, baseball glove, skateboard, surfboard, tennis racket",
        "frisbee, kite, bicycle",
    ),
    "toy": kind("teddy bear, kite", "frisbee, sports ball, skateboard"),
    "plant": kind("potted plant", "broccoli"),
}


def meant(group: Group, kinds: Kinds) -> Kind:
    """What the group's noun stands for: a class by the table, and a name that things bear is no more than that name.

    "Bird" is both: the class where the group covers other names.
    """
    own = Kind(surely=frozenset((group.name,)))
    found = kinds.get(group.name, own)
    return own if group.name in found.surely and not group.covers else found
