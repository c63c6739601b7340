"""Faults about places and mirrors: each is wrong where it says so, and right elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_vqamt.core.meaning import Count, Group, Located, Side
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.models.reference.faults import FAULTS
from tests.relations.spatial.gardens import IN_A_ROW, garden
from tests.rows import each_row

if TYPE_CHECKING:
    from tests.models.conftest import Ask

DOG, CAR, TREE = (Group(name=name) for name in ("dog", "car", "tree"))


def said(ask: Ask, fault: str, thing: Group, side: Side, other: Group, picture: Picture = IN_A_ROW.picture) -> str:
    return FAULTS[fault].replies()(ask(Located(group=thing, side=side, other=other), picture=picture).query)


@each_row(
    ("fault", "thing", "side", "other", "answer"),
    [
        ("left-right-blind", DOG, Side.LEFT, CAR, "yes"),
        ("left-right-blind", CAR, Side.LEFT, DOG, "yes"),
        ("left-right-blind", TREE, Side.ABOVE, DOG, "no"),
        ("ignores-side", DOG, Side.LEFT, CAR, "yes"),
        ("ignores-side", DOG, Side.RIGHT, CAR, "yes"),
        ("ignores-side", DOG, Side.BELOW, TREE, "yes"),
        ("ignores-side", TREE, Side.BELOW, DOG, "no"),
        # 30 and 50 of 200 pixels lie between neighbours, and 110 between the first and the last.
        ("near-sighted", DOG, Side.LEFT, CAR, "yes"),
        ("near-sighted", CAR, Side.LEFT, TREE, "yes"),
        ("near-sighted", DOG, Side.LEFT, TREE, "no"),
        ("near-sighted", DOG, Side.ABOVE, TREE, "yes"),
        ("near-sighted", DOG, Side.BELOW, TREE, "no"),
    ],
)
def test_a_fault_about_places(ask: Ask, fault: str, thing: Group, side: Side, other: Group, answer: str) -> None:
    assert said(ask, fault, thing, side, other) == answer


def test_near_sighted_looks_down_as_well(ask: Ask) -> None:
    far_up = garden(dog=(0, 0), car=(60, 68)).picture
    assert said(ask, "near-sighted", DOG, Side.ABOVE, CAR, far_up) == "no"


def test_near_sighted_is_right_where_there_is_nothing(ask: Ask) -> None:
    assert said(ask, "near-sighted", Group(name="cow"), Side.LEFT, Group(name="pig")) == "unknown"


def test_mirror_blind_sees_the_picture_as_it_was(ask: Ask) -> None:
    mirrored = IN_A_ROW.picture.mirror()
    assert said(ask, "mirror-blind", DOG, Side.LEFT, CAR) == "yes"
    assert said(ask, "mirror-blind", DOG, Side.LEFT, CAR, mirrored) == "yes"
    assert said(ask, "mirror-blind", DOG, Side.LEFT, CAR, mirrored.mirror()) == "yes"
    assert FAULTS["mirror-blind"].replies()(ask(Count(groups=(DOG,)), picture=mirrored).query) == "1"
