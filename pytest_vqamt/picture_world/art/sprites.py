"""The table of all the things that the picture world is furnished with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from pytest_vqamt.picture_world.art import clothing, food, household, vehicles
from pytest_vqamt.picture_world.art.pen import Look, Pen

_PATTERNS = ("plain", "striped", "dotted", "checked")
_PLAIN = ("plain",)
_OPEN = (("open", "closed"),)
_FULL = (("full", "empty"),)
_ON = (("on", "off"),)
_CLEAN = (("clean", "dirty"),)
_MOTOR = ("red", "blue", "yellow", "green", "white", "orange", "black", "gray", "purple", "pink")
_CLOTH = ("red", "blue", "green", "yellow", "pink", "purple", "white", "orange", "black", "gray", "brown")
_WARE = ("white", "blue", "red", "yellow", "green", "orange", "purple", "pink")
_WOOD = ("brown", "white", "black", "red", "blue", "green", "gray", "yellow")
_BRIGHT = ("red", "blue", "yellow", "green", "orange", "purple", "pink")


class Spot(StrEnum):
    """Where a thing may be: on the floor only, on the floor or on top of something, in the air, or on the wall."""

    FLOOR = "floor"
    SURFACE = "surface"
    AIR = "air"
    WALL = "wall"


@dataclass(frozen=True, slots=True, kw_only=True)
class Sprite:
    """One kind of thing: how it is drawn, what it comes in and where it may stand."""

    draw: Callable[[Pen, Look], None]
    """Draws it with a pen on a canvas of the given aspect; the drawing nearly touches all four sides, save where a
    state makes the thing smaller (a closed laptop, a short tree)."""
    aspect: float
    """Width of the canvas divided by its height."""
    height: int
    """Usual height in a scene of 224 px."""
    colours: tuple[str, ...]
    """Names of the palette, natural ones first."""
    patterns: tuple[str, ...] = _PLAIN
    """What its surface may be covered with, in a tint of the colour."""
    states: tuple[tuple[str, str], ...] = ()
    """Pairs of words of which exactly one is true of it."""
    place: Spot = Spot.FLOOR
    """Where it may be."""
    surface: float | None = None
    """Where things may stand on it, as a fraction of the height from the top; None where they cannot."""
    under: bool = False
    """True if there is room underneath."""


SPRITES: dict[str, Sprite] = {
    "apple": Sprite(draw=food.draw_apple, aspect=0.92, height=34, colours=("red", "green", "yellow"),
        place=Spot.SURFACE),
    "banana": Sprite(draw=food.draw_banana, aspect=1.15, height=34, colours=("yellow", "green"), place=Spot.SURFACE),
    "pear": Sprite(draw=food.draw_pear, aspect=0.72, height=40, colours=("green", "yellow"), place=Spot.SURFACE),
    "carrot": Sprite(draw=food.draw_carrot, aspect=1.0, height=40, colours=("orange", "purple"), place=Spot.SURFACE),
    "cake": Sprite(draw=food.draw_cake, aspect=1.1, height=46, colours=("pink", "white", "brown", "yellow", "blue"),
        place=Spot.SURFACE),
    "pizza": Sprite(draw=food.draw_pizza, aspect=0.9, height=42, colours=("yellow", "red"), place=Spot.SURFACE),
    "sandwich": Sprite(draw=food.draw_sandwich, aspect=1.25, height=36, colours=("brown", "white"),
        place=Spot.SURFACE),
    "strawberry": Sprite(draw=food.draw_strawberry, aspect=0.85, height=36, colours=("red", "pink"),
        place=Spot.SURFACE),
    "car": Sprite(draw=vehicles.draw_car, aspect=1.9, height=46, colours=_MOTOR, states=_CLEAN),
    "bus": Sprite(draw=vehicles.draw_bus, aspect=1.75, height=62, colours=_MOTOR, states=_CLEAN),
    "truck": Sprite(draw=vehicles.draw_truck, aspect=1.55, height=60, colours=_MOTOR, states=_CLEAN),
    "bicycle": Sprite(draw=vehicles.draw_bicycle, aspect=1.5, height=54, colours=_MOTOR, states=_CLEAN),
    "boat": Sprite(draw=vehicles.draw_boat, aspect=0.95, height=68, colours=_MOTOR, states=_CLEAN),
    "airplane": Sprite(draw=vehicles.draw_airplane, aspect=1.7, height=50, colours=_MOTOR, states=_CLEAN,
        place=Spot.AIR),
    "train": Sprite(draw=vehicles.draw_train, aspect=1.35, height=62, colours=_MOTOR, states=_CLEAN),
    "chair": Sprite(draw=household.draw_chair, aspect=0.66, height=80, colours=_WOOD, surface=0.48, under=True),
    "table": Sprite(draw=household.draw_table, aspect=1.7, height=60, colours=_WOOD, surface=0.16, under=True),
    "bed": Sprite(draw=household.draw_bed, aspect=1.9, height=54, colours=_CLOTH, patterns=_PATTERNS, surface=0.46),
    "couch": Sprite(draw=household.draw_couch, aspect=1.8, height=52, colours=_CLOTH, patterns=_PATTERNS, surface=0.6),
    "shelf": Sprite(draw=household.draw_shelf, aspect=0.72, height=80, colours=_WOOD, surface=0.03),
    "lamp": Sprite(draw=household.draw_lamp, aspect=0.72, height=62, colours=_CLOTH, states=_ON, place=Spot.SURFACE),
    "cup": Sprite(draw=household.draw_cup, aspect=1.1, height=38, colours=_WARE, patterns=_PATTERNS,
        states=(*_FULL, *_CLEAN), place=Spot.SURFACE),
    "bottle": Sprite(draw=household.draw_bottle, aspect=0.45, height=64,
        colours=("green", "blue", "brown", "red", "orange", "purple"), states=_FULL, place=Spot.SURFACE),
    "bowl": Sprite(draw=household.draw_bowl, aspect=1.5, height=34, colours=_WARE, patterns=_PATTERNS, states=_FULL,
        place=Spot.SURFACE),
    "book": Sprite(draw=household.draw_book, aspect=1.2, height=42,
        colours=("red", "blue", "green", "brown", "purple", "orange", "black"), states=_OPEN, place=Spot.SURFACE),
    "box": Sprite(draw=household.draw_box, aspect=1.1, height=52,
        colours=("brown", "white", "red", "blue", "green", "yellow", "pink", "gray"), patterns=_PATTERNS, states=_OPEN,
        surface=0.18),
    "clock": Sprite(draw=household.draw_clock, aspect=1.0, height=44, colours=_CLOTH, place=Spot.WALL),
    "vase": Sprite(draw=household.draw_vase, aspect=0.7, height=56, colours=(*_WARE, "brown", "black"),
        patterns=_PATTERNS, place=Spot.SURFACE),
    "bucket": Sprite(draw=household.draw_bucket, aspect=0.9, height=50, colours=(*_BRIGHT, "gray"), states=_FULL),
    "laptop": Sprite(draw=household.draw_laptop, aspect=1.3, height=50,
        colours=("gray", "black", "white", "blue", "pink", "red"), states=_OPEN, place=Spot.SURFACE),
    "television": Sprite(draw=household.draw_television, aspect=1.2, height=60,
        colours=("black", "gray", "brown", "red", "orange", "white"), states=_ON),
    "key": Sprite(draw=household.draw_key, aspect=2.0, height=30,
        colours=("yellow", "gray", "black", "red", "blue", "green"), place=Spot.SURFACE),
    "candle": Sprite(draw=household.draw_candle, aspect=0.62, height=52,
        colours=("white", "red", "green", "blue", "purple", "pink"), place=Spot.SURFACE),
    "ball": Sprite(draw=clothing.draw_ball, aspect=1.0, height=38, colours=(*_BRIGHT, "white", "black"),
        patterns=_PATTERNS, place=Spot.SURFACE),
    "balloon": Sprite(draw=clothing.draw_balloon, aspect=0.62, height=68, colours=(*_BRIGHT, "white"),
        patterns=_PATTERNS, place=Spot.AIR),
    "kite": Sprite(draw=clothing.draw_kite, aspect=0.68, height=74, colours=_BRIGHT, patterns=_PATTERNS,
        place=Spot.AIR),
    "teddy bear": Sprite(draw=clothing.draw_teddy_bear, aspect=0.85, height=56,
        colours=("brown", "white", "pink", "gray", "yellow"), place=Spot.SURFACE),
    "robot": Sprite(draw=clothing.draw_robot, aspect=0.72, height=60, colours=("gray", *_BRIGHT), place=Spot.SURFACE),
    "drum": Sprite(draw=clothing.draw_drum, aspect=1.1, height=46, colours=_BRIGHT, place=Spot.SURFACE),
    "tree": Sprite(draw=food.draw_tree, aspect=0.7, height=90, colours=("green", "orange", "yellow", "red", "pink"),
        states=(("tall", "short"),)),
    "flower": Sprite(draw=food.draw_flower, aspect=0.7, height=56,
        colours=("red", "yellow", "pink", "white", "purple", "orange", "blue")),
    "cactus": Sprite(draw=food.draw_cactus, aspect=0.7, height=60, colours=("green", "blue", "purple", "yellow"),
        place=Spot.SURFACE),
    "bush": Sprite(draw=food.draw_bush, aspect=1.45, height=44, colours=("green", "red", "orange", "yellow")),
    "shirt": Sprite(draw=clothing.draw_shirt, aspect=1.0, height=50, colours=_CLOTH[:-1], patterns=_PATTERNS,
        states=_CLEAN),
    "dress": Sprite(draw=clothing.draw_dress, aspect=0.75, height=66, colours=_CLOTH[:-1], patterns=_PATTERNS),
    "hat": Sprite(draw=clothing.draw_hat, aspect=1.5, height=36, colours=_CLOTH, patterns=_PATTERNS,
        place=Spot.SURFACE),
    "bag": Sprite(draw=clothing.draw_bag, aspect=0.95, height=48, colours=_CLOTH, patterns=_PATTERNS,
        place=Spot.SURFACE),
    "shoe": Sprite(draw=clothing.draw_shoe, aspect=1.5, height=34, colours=_CLOTH, place=Spot.SURFACE),
    "umbrella": Sprite(draw=clothing.draw_umbrella, aspect=1.0, height=62, colours=_CLOTH, patterns=_PATTERNS,
        states=_OPEN),
}
"""Every thing by the name that a question calls it; people and animals have tables of their own."""
