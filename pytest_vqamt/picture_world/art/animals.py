"""The table of animals: how each is drawn, how large it is and in which colours and poses it comes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pytest_vqamt.data.pictures.art.farm import draw_cow, draw_duck, draw_horse, draw_pig, draw_rabbit, draw_sheep
from pytest_vqamt.data.pictures.art.pets import draw_cat, draw_dog
from pytest_vqamt.data.pictures.art.wild import draw_bird, draw_butterfly, draw_elephant, draw_giraffe, draw_turtle
from pytest_vqamt.picture_world.art.pen import Look, Pen

STANDING = ("standing",)
PET_POSES = ("standing", "sitting", "lying")


@dataclass(frozen=True, slots=True, kw_only=True)
class Animal:
    """One kind of animal; it faces right, so a scene mirrors it to make it face left.

    ``aspect`` is canvas width / canvas height and ``height`` the usual canvas height in px in a scene of 224 px.
    ``place`` is "floor", "water" or "air".
    """

    draw: Callable[[Pen, Look], None]
    aspect: float
    height: int
    colours: tuple[str, ...]
    poses: tuple[str, ...] = STANDING
    place: str = "floor"


ANIMALS: dict[str, Animal] = {
    "dog": Animal(draw=draw_dog, aspect=1.25, height=50, colours=("brown", "black", "white", "gray", "orange"),
                  poses=PET_POSES),
    "cat": Animal(draw=draw_cat, aspect=1.2, height=46, colours=("orange", "black", "white", "gray", "brown"),
                  poses=PET_POSES),
    "horse": Animal(draw=draw_horse, aspect=1.25, height=72, colours=("brown", "black", "white", "gray")),
    "cow": Animal(draw=draw_cow, aspect=1.42, height=60, colours=("brown", "white", "black")),
    "sheep": Animal(draw=draw_sheep, aspect=1.18, height=50, colours=("white", "gray", "black")),
    "pig": Animal(draw=draw_pig, aspect=1.3, height=44, colours=("pink", "brown", "black", "white")),
    "rabbit": Animal(draw=draw_rabbit, aspect=0.84, height=44, colours=("white", "gray", "brown", "black")),
    "duck": Animal(draw=draw_duck, aspect=1.03, height=40, colours=("yellow", "white", "brown")),
    "elephant": Animal(draw=draw_elephant, aspect=1.35, height=75, colours=("gray", "pink", "blue")),
    "giraffe": Animal(draw=draw_giraffe, aspect=0.77, height=75, colours=("yellow", "orange", "brown")),
    "turtle": Animal(draw=draw_turtle, aspect=1.55, height=34, colours=("green", "brown")),
    "bird": Animal(draw=draw_bird, aspect=1.4, height=36, colours=("red", "blue", "yellow", "green", "black", "white"),
                   poses=("flying",), place="air"),
    "butterfly": Animal(draw=draw_butterfly, aspect=1.2, height=34, poses=("flying",), place="air",
                        colours=("orange", "yellow", "blue", "purple", "pink", "red", "white")),
}
