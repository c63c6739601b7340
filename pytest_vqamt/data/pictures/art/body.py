"""How people are built and how their limbs stand in each pose."""

from __future__ import annotations

import math
from dataclasses import dataclass

from pytest_vqamt.picture_world.art.pen import Point

Bend = tuple[float, float]
"""The directions of the upper and the lower half of a limb: 0 is down, 90 is forward, 180 is up, in degrees."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Build:
    """Lengths as fractions of the standing height."""

    head: float
    shoulder_y: float
    hip_y: float
    shoulders: float
    waist: float
    arm: float
    arm_width: float
    thigh: float
    shin: float
    leg_width: float


MAN = Build(head=0.108, shoulder_y=0.255, hip_y=0.56, shoulders=0.125, waist=0.125, arm=0.145, arm_width=0.082,
            thigh=0.205, shin=0.19, leg_width=0.105)
WOMAN = Build(head=0.108, shoulder_y=0.255, hip_y=0.55, shoulders=0.092, waist=0.092, arm=0.142, arm_width=0.07,
              thigh=0.21, shin=0.195, leg_width=0.09)
CHILD = Build(head=0.145, shoulder_y=0.32, hip_y=0.62, shoulders=0.11, waist=0.118, arm=0.138, arm_width=0.085,
              thigh=0.17, shin=0.165, leg_width=0.108)

BUILDS: dict[str, Build] = {"man": MAN, "woman": WOMAN, "boy": CHILD, "girl": CHILD}


@dataclass(frozen=True, slots=True, kw_only=True)
class Pose:
    """Where the limbs point. The front arm is on the side that the person faces.

    ``reach`` is the front arm while it holds a thing. ``lift`` is how far the feet are above the ground.
    """

    lean: float = 0.0
    back_arm: Bend = (-16, -6)
    front_arm: Bend = (16, 6)
    reach: Bend = (78, 108)
    back_leg: Bend = (-5, -2)
    front_leg: Bend = (5, 2)
    lift: float = 0.0


POSES: dict[str, Pose] = {
    "standing": Pose(),
    "walking": Pose(lean=4, back_arm=(-42, -22), front_arm=(36, 66), back_leg=(-24, -46), front_leg=(34, 20)),
    "running": Pose(lean=17, back_arm=(-78, 0), front_arm=(50, 140), reach=(72, 98), back_leg=(-32, -108),
                    front_leg=(80, -8), lift=0.03),
    "jumping": Pose(back_arm=(-112, -150), front_arm=(112, 150), reach=(104, 140), back_leg=(-58, 18),
                    front_leg=(58, -18), lift=0.16),
    "waving": Pose(back_arm=(-98, -158), reach=(78, 108)),
    "sitting": Pose(lean=-6, back_arm=(-42, -16), front_arm=(42, 74), back_leg=(108, 62), front_leg=(98, 78)),
    "lying": Pose(back_arm=(-8, 4), front_arm=(46, 14), reach=(92, 90), back_leg=(0, 0), front_leg=(38, -34)),
}


def onward(start: Point, direction_deg: float, length: float) -> Point:
    """The point that far from the start; 0 degrees is down and 90 is forward."""
    a = math.radians(direction_deg)
    return start[0] + length * math.sin(a), start[1] + length * math.cos(a)


def hull(points: list[Point]) -> list[Point]:
    """The smallest convex shape round the points."""
    ordered = sorted(set(points))

    def chain(along: list[Point]) -> list[Point]:
        out: list[Point] = []
        for p in along:
            while len(out) > 1 and _turn(out[-2], out[-1], p) <= 0:
                out.pop()
            out.append(p)
        return out[:-1]

    return chain(ordered) + chain(ordered[::-1])


def _turn(a: Point, b: Point, c: Point) -> float:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
