"""Sheets are repeatable and balanced, and their captions name what is there from left to right."""

from __future__ import annotations

from collections import Counter

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.scene import Photo, Relationship, Scene, Thing
from pytest_vqamt.picture_world.source import PictureWorld
from tools.tiny.asked import World
from tools.tiny.sheets import caption, sheet

PICTURES = PictureWorld(count=300, seed=3)
SCENES = [PICTURES.scene(index) for index in range(300)]
WORLD = World.of(SCENES)


def test_the_same_seed_gives_the_same_sheet() -> None:
    assert sheet(SCENES[0], WORLD, "x") == sheet(SCENES[0], WORLD, "x") != sheet(SCENES[0], WORLD, "y")


def test_yes_and_no_are_equally_frequent() -> None:
    answers = Counter(
        (row.kind, row.answer) for number, scene in enumerate(SCENES) for row in sheet(scene, WORLD, str(number))
    )
    for kind in ("exists", "exists not", "exists property", "exists property not", "attribute", "spatial"):
        yes, no = answers[kind, "yes"], answers[kind, "no"]
        assert 0.42 < yes / (yes + no) < 0.58
    assert all(answers["entailment", label] > 400 for label in ("entailment", "neutral", "contradiction"))


def test_a_caption_names_everything_once_from_left_to_right() -> None:
    dog, girl, shirt, cat, other = (
        Thing(id=number, name=name, box=Box(x, 50, 20, 20), attributes=attributes)
        for number, name, x, attributes in (
            ("0", "dog", 150, ("brown", "standing")),
            ("1", "girl", 100, ("sitting",)),
            ("2", "shirt", 100, ("red", "striped")),
            ("3", "cat", 10, ("black",)),
            ("4", "cat", 190, ("black",)),
        )
    )
    scene = Scene(
        id="s",
        photo=Photo(id="s", digest="s"),
        width=224,
        height=224,
        objects=(dog, girl, shirt, cat, other),
        relationships=(Relationship(subject="1", predicate="wearing", object="2"),),
        setting="beach",
    )
    assert caption(scene) == "Two black cats, a girl in a red shirt and a brown dog on a beach."
