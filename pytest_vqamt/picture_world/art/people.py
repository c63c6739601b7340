"""People: man, woman, boy and girl in seven poses, with a shirt or a dress and perhaps a hat."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from PIL import Image

from pytest_vqamt.core.errors import RenderError, did_you_mean
from pytest_vqamt.picture_world.art.pen import (
    INK,
    NO_PART,
    PALETTE,
    PAPER,
    SUPERSAMPLING,
    Pen,
    Point,
    Rgb,
    Sketch,
    shade,
    trim,
)

SKINS: tuple[Rgb, ...] = ((252, 214, 182), (232, 180, 138), (188, 128, 88), (128, 84, 60))
HAIRS: tuple[Rgb, ...] = ((60, 42, 36), (116, 74, 44), (226, 186, 100), (184, 92, 46), (34, 30, 34), (156, 152, 150))
CHILD_HAIRS = 5
"""The first so many; the last is the gray of old people."""
TROUSERS: tuple[Rgb, ...] = ((74, 80, 100), (92, 84, 78))
PATTERN_TINT: Mapping[str, float] = MappingProxyType({
    "red": 0.6, "orange": 1.4, "yellow": 1.5, "green": 0.6, "blue": 0.56, "purple": 0.56, "pink": 1.6, "brown": 0.55,
    "black": 1.28, "gray": 0.66, "white": 0.8,
})
"""How much darker or lighter the second tint of a pattern is: plain to see, and still of the same name."""
SHOE: Rgb = (70, 52, 46)
LIPS: Rgb = (196, 84, 84)
EDGE: Rgb = (66, 54, 56)

PERSON_HEIGHT: Mapping[str, int] = MappingProxyType({"man": 78, "woman": 75, "boy": 60, "girl": 60})
"""The usual standing height in px in a scene of 224 px."""

_GARMENT: Rgb = (255, 0, 0)
_HAT: Rgb = (0, 255, 0)
"""The colours that the second pen marks garments with; each is a channel of its own, which becomes the mask."""
_WIDE, _TALL = 1.16, 1.3
"""The canvas in standing heights: room for arms and legs on both sides, and for a hat."""
_LEFT, _ABOVE = 0.56, 0.24
"""Where on it the person's origin is, in standing heights: at the hips across, at the top of the head down."""

_AT_LEAST_HALF = [255 if v >= 128 else 0 for v in range(256)]
"""A table for ``Image.point``: pixels of which a part covers at least half belong to it."""

Bend = tuple[float, float]
"""The directions of the upper and the lower half of a limb: 0 is down, 90 is forward, 180 is up, in degrees."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonLook:
    """All that a drawing of a person depends on."""

    kind: str
    """A key of BUILDS: "man", "woman", "boy", "girl"."""
    pose: str = "standing"
    """A key of POSES."""
    garment: str = "shirt"
    """"shirt" or "dress"."""
    garment_colour: str = "blue"
    """A key of PALETTE."""
    garment_pattern: str = "plain"
    """As ``Look.pattern``."""
    hat_colour: str | None = None
    """A key of PALETTE; None without a hat."""
    skin: int = 0
    """An index of SKINS; the next one where the garment has nearly this colour."""
    hair: int = 0
    """An index of HAIRS; the next one where the skin has nearly this colour."""
    facing: str = "right"
    """"left" or "right"."""
    holding: bool = False
    """The front arm reaches out, as if for a thing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnPerson:
    """A person as drawn."""

    image: Image.Image
    """RGBA uint8, straight alpha, cropped."""
    parts: Mapping[str, Image.Image]
    """The mask of each garment by name: mode L, of the size of ``image``."""
    hand: tuple[int, int]
    """Where the hand is that can hold a thing, in pixels of ``image``."""
    lift_px: int = 0
    """How far the lowest point is above the ground; more than 0 in a jump."""


def draw_person(look: PersonLook, height_px: int) -> DrawnPerson:
    """Draw one person who would be ``height_px`` tall when standing straight without a hat."""
    if look.kind not in BUILDS:
        raise RenderError(f"expected a kind of person, but got kind={look.kind!r}; {did_you_mean(look.kind, BUILDS)}")
    if look.pose not in POSES:
        raise RenderError(f"expected a pose, but got pose={look.pose!r} of a {look.kind}; "
                          f"{did_you_mean(look.pose, POSES)}")
    size = round(height_px * _WIDE), round(height_px * _TALL)
    pen, marks = Pen(size), Pen(size)
    unit = height_px / size[1]
    sketch = Sketch(pen, marks, unit=unit, origin=(_LEFT * unit, _ABOVE * unit))
    hand = _Person(sketch, look).draw()
    garment = marks.canvas.getchannel("R")
    tint = shade(PALETTE[look.garment_colour], PATTERN_TINT[look.garment_colour])
    pen.texture(garment, look.garment_pattern, tint, step=0.088 * unit)
    sketch.edge(EDGE)
    return _figure(look, height_px, pen, marks, hand)


def _figure(look: PersonLook, height_px: int, pen: Pen, marks: Pen, hand: Point) -> DrawnPerson:
    left, top, right, bottom = pen.canvas.getchannel("A").getbbox() or (0, 0, pen.w, pen.h)
    # Whole pixels of the result, so that picture and masks are reduced alike.
    left, top = left - left % SUPERSAMPLING, top - top % SUPERSAMPLING
    right, bottom = right + right % SUPERSAMPLING, bottom + bottom % SUPERSAMPLING
    box = (left, top, right, bottom)
    image = pen.canvas.crop(box).reduce(SUPERSAMPLING)
    marked = marks.canvas.crop(box).reduce(SUPERSAMPLING)
    parts = {look.garment: marked.getchannel("R").point(_AT_LEAST_HALF)}
    if look.hat_colour is not None:
        parts["hat"] = marked.getchannel("G").point(_AT_LEAST_HALF)
    x = (_LEFT + hand[0]) * height_px - left / SUPERSAMPLING
    y = (_ABOVE + hand[1]) * height_px - top / SUPERSAMPLING
    turns: list[Image.Transpose] = []
    if look.pose == "lying":  # drawn standing, and laid on the back: the head comes to the left
        turns.append(Image.Transpose.ROTATE_90)
        x, y = y, image.width - 1 - x
    width = image.height if turns else image.width
    if look.facing == "left":
        turns.append(Image.Transpose.FLIP_LEFT_RIGHT)
        x = width - 1 - x
    for turn in turns:
        image = image.transpose(turn)
        parts = {name: mask.transpose(turn) for name, mask in parts.items()}
    at = (min(max(round(x), 0), image.width - 1), min(max(round(y), 0), image.height - 1))
    return DrawnPerson(image=image, parts=MappingProxyType(parts), hand=at,
                  lift_px=round(POSES[look.pose].lift * height_px))



def _unlike(beside: Rgb, tones: tuple[Rgb, ...], number: int, least: int) -> Rgb:
    """The tone of that number, or the next one that differs enough from the colour ``beside`` it."""
    turned = [tones[(number + i) % len(tones)] for i in range(len(tones))]
    return next(tone for tone in turned if sum(abs(a - b) for a, b in zip(tone, beside, strict=True)) > least)


class _Person:
    """One drawing in progress; coordinates are in standing heights, feet at y = 1, looking to the right."""

    def __init__(self, sketch: Sketch, look: PersonLook) -> None:
        self.s = sketch
        self.look = look
        self.build: Build = BUILDS[look.kind]
        self.pose: Pose = POSES[look.pose]
        grown_up = look.kind in ("man", "woman")
        self.skin = _unlike(PALETTE[look.garment_colour], SKINS, look.skin, 110)
        self.hair = _unlike(self.skin, HAIRS if grown_up else HAIRS[:CHILD_HAIRS], look.hair, 130)
        self.cloth = PALETTE[look.garment_colour]
        self.seated = look.pose == "sitting"
        self.hip: Point = (0.0, 0.94 if self.seated else self.build.hip_y)
        self.neck = self._up(self.build.hip_y - self.build.shoulder_y, 0.0)
        gap = self.build.shoulder_y - self.build.head * 1.16
        self.face = self._up(self.build.hip_y - self.build.shoulder_y + gap, 0.012)

    def _up(self, along: float, across: float) -> Point:
        """A point of the trunk: that far above the hips, that far to the front."""
        x, y = onward(self.hip, 180 - self.pose.lean, along)
        return onward((x, y), 90 - self.pose.lean, across)

    def draw(self) -> Point:
        """Draw everything, the far parts first; answers where the free hand is."""
        b, trunk = self.build, self.build.hip_y - self.build.shoulder_y
        # Limbs are drawn over those before them: the front arm is behind the trunk, and the back arm before it.
        front = self._up(trunk - 0.035, b.shoulders)
        back = self._up(trunk - 0.035, -b.shoulders)
        bend = self.pose.reach if self.look.holding else self.pose.front_arm
        self._hair_behind()
        hand = self._arm(front, bend)
        self._legs()
        self._trunk(trunk)
        self._arm(back, self.pose.back_arm, waves=self.look.pose == "waving")
        self._head()
        return hand

    def _arm(self, shoulder: Point, bend: Bend, *, waves: bool = False) -> Point:
        b = self.build
        elbow = onward(shoulder, bend[0], b.arm)
        hand = onward(elbow, bend[1], b.arm * 0.92)
        self.s.limb([shoulder, elbow, hand], self.skin, b.arm_width)
        if waves:
            for turn in (-38, 0, 38):
                self.s.limb([hand, onward(hand, bend[1] + turn, 0.055)], self.skin, 0.034)
        self.s.disc(*hand, b.arm_width * 0.58, b.arm_width * 0.58, self.skin)
        self._on(_GARMENT)
        reach = 0.7 if self.look.garment == "shirt" else 0.3
        self.s.limb([shoulder, onward(shoulder, bend[0], b.arm * reach)], self.cloth, b.arm_width * 1.3)
        self._on(NO_PART)
        return hand

    def _legs(self) -> None:
        b = self.build
        bare = self.look.garment == "dress"
        cloth = TROUSERS[self.look.hair % len(TROUSERS)]
        for bend, side, tone in ((self.pose.back_leg, -1, 0.86), (self.pose.front_leg, 1, 1.0)):
            start = self.hip if self.seated else onward(self.hip, 90, side * b.waist * 0.46)
            knee = onward(start, bend[0], b.thigh)
            ankle = onward(knee, bend[1], b.shin)
            upper = shade(self.skin if bare else cloth, tone)
            lower = shade(self.skin if bare or self.look.kind == "boy" else cloth, tone)
            self.s.limb([knee, ankle], lower, b.leg_width * (0.8 if bare else 0.92))
            self.s.limb([start, knee], upper, b.leg_width)
            toe = onward(ankle, bend[1] + 90, 0.06)
            self.s.limb([ankle, toe], shade(SHOE, tone), b.leg_width * 0.92)

    def _trunk(self, trunk: float) -> None:
        b = self.build
        wide, narrow = b.shoulders + 0.022, b.waist
        self._on(_GARMENT)
        top = [self._up(trunk, -wide * 0.72), self._up(trunk, wide * 0.72), self._up(trunk - 0.045, wide)]
        left = self._up(trunk - 0.045, -wide)
        if self.look.garment == "dress":
            waist = trunk * 0.38
            self.s.polygon([*top, self._up(waist, narrow * 0.82), self._up(waist, -narrow * 0.82), left], self.cloth)
            self._skirt(waist)
        else:
            hem = -0.035 if not self.seated else -0.01
            self.s.polygon([*top, self._up(hem, narrow), self._up(hem, -narrow), left], self.cloth)
        self._on(NO_PART)
        self.s.limb([self._up(trunk + 0.03, 0.0), self._up(trunk - 0.004, 0.0)], shade(self.skin, 0.9), 0.07)

    def _skirt(self, waist: float) -> None:
        b = self.build
        points = [self._up(waist, b.waist * 0.82), self._up(waist, -b.waist * 0.82),
                  self._up(0.0, b.waist * 1.05), self._up(0.0, -b.waist * 1.05)]
        for bend, side in ((self.pose.back_leg, -1), (self.pose.front_leg, 1)):
            knee = onward(self.hip, bend[0], b.thigh * 0.86)
            out = 0.06 if self.seated else b.waist * 1.15
            points.append(onward(knee, bend[0] + side * 90, out))
            points.append(onward(knee, bend[0] - side * 90, 0.05))
        self.s.polygon(hull(points), self.cloth)

    def _on(self, part: Rgb) -> None:
        self.s.part = part

    def _at(self, u: float, v: float) -> Point:
        """A point of the head, in head radii forward and down from its middle."""
        r = self.build.head
        return onward(onward(self.face, 90 - self.pose.lean, u * r), -self.pose.lean, v * r)

    def _hair_behind(self) -> None:
        r = self.build.head
        if self.look.kind == "woman":
            self.s.blob([self._at(u, v) for u, v in ((-0.6, -0.9), (0.5, -1.0), (1.12, -0.1), (1.2, 1.2), (1.1, 2.0),
                                                     (0.0, 1.7), (-1.2, 2.1), (-1.4, 1.2), (-1.25, -0.1))], self.hair)
        elif self.look.kind == "girl":
            for side in (-1, 1):
                x, y = self._at(side * 1.42, 0.3)
                self.s.oval(x, y, r * 0.42, r * 0.68, -side * 24, self.hair)

    def _head(self) -> None:
        r = self.build.head
        kind = self.look.kind
        self.s.disc(*self._at(0, 0), r, r, self.skin)
        if kind == "man":
            self.s.blob([self._at(u, v) for u, v in ((-1.02, -0.1), (-0.6, 0.3), (0.1, 0.35), (0.75, 0.3), (1.03, 0.0),
                                                     (0.85, 0.85), (0.15, 1.22), (-0.7, 0.95))], self.hair)
        else:
            self.s.disc(*self._at(-0.95, 0.12), r * 0.16, r * 0.2, shade(self.skin, 0.9))
        self._hair_before(kind)
        closed = self.look.pose == "lying"
        for u in (-0.16, 0.52):
            x, y = self._at(u, 0.08)
            if closed:
                self.s.limb([self._at(u - 0.16, 0.1), self._at(u + 0.16, 0.1)], INK, 0.016)
            else:
                self.s.disc(x, y, r * 0.14, r * 0.17, INK)
        mouth = [self._at(-0.12, 0.55), self._at(0.2, 0.66), self._at(0.5, 0.52)]
        self.s.limb(mouth, LIPS if kind != "man" else PAPER, 0.02)
        if kind in ("girl", "boy"):
            for u in (-0.42, 0.78):
                self.s.disc(*self._at(u, 0.42), r * 0.13, r * 0.1, _blush(self.skin))
        if self.look.hat_colour is not None:
            self._hat(PALETTE[self.look.hat_colour])

    def _hair_before(self, kind: str) -> None:
        cap = {
            "man": ((-1.06, 0.1), (-1.1, -0.5), (-0.6, -1.1), (0.3, -1.16), (1.0, -0.6), (0.95, -0.3), (0.3, -0.42),
                    (-0.6, -0.4), (-0.78, 0.0)),
            "boy": ((-1.05, 0.1), (-1.12, -0.5), (-0.7, -1.05), (-0.1, -1.28), (0.2, -1.08), (0.6, -1.2), (1.05, -0.5),
                    (0.6, -0.3), (0.1, -0.55), (-0.3, -0.3), (-0.8, -0.2)),
            "woman": ((-1.1, 0.6), (-1.12, -0.4), (-0.6, -1.1), (0.3, -1.14), (1.04, -0.45), (1.1, 0.5), (0.92, 0.1),
                      (0.66, -0.4), (0.1, -0.62), (-0.5, -0.2), (-0.8, 0.3)),
            "girl": ((-1.05, 0.2), (-1.12, -0.4), (-0.6, -1.08), (0.3, -1.12), (1.08, -0.4), (1.0, -0.1), (0.6, -0.42),
                     (-0.1, -0.5), (-0.75, -0.3)),
        }[kind]
        self.s.blob([self._at(u, v) for u, v in cap], self.hair)
        if kind == "girl":
            for side in (-1, 1):
                self.s.disc(*self._at(side * 1.12, -0.14), self.build.head * 0.17, self.build.head * 0.17, LIPS)

    def _hat(self, rgb: Rgb) -> None:
        self._on(_HAT)
        self.s.polygon([self._at(u, v) for u, v in ((-1.02, -0.5), (-0.86, -1.45), (-0.6, -1.68), (0.0, -1.6),
                                                    (0.6, -1.68), (0.86, -1.45), (1.02, -0.5))], rgb)
        self.s.polygon([self._at(u, v) for u, v in ((-1.03, -0.58), (-0.97, -0.9), (0.97, -0.9), (1.03, -0.58))],
                       trim(rgb))
        self.s.limb([self._at(-1.5, -0.5), self._at(1.5, -0.5)], rgb, self.build.head * 0.34)
        self._on(NO_PART)


def _blush(skin: Rgb) -> Rgb:
    return min(255, skin[0] + 12), round(skin[1] * 0.78), round(skin[2] * 0.78)


@dataclass(frozen=True, slots=True, kw_only=True)
class Build:
    """Lengths as fractions of the standing height."""

    head: float
    """The radius of the head."""
    shoulder_y: float
    """From the top of the head down."""
    hip_y: float
    """From the top of the head down."""
    shoulders: float
    """Half of their width."""
    waist: float
    """Half of its width."""
    arm: float
    """The length of the upper arm; the lower one is a little shorter."""
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
    """Where the limbs point."""

    lean: float = 0.0
    """Of the trunk, in degrees; above 0 to the front."""
    back_arm: Bend = (-16, -6)
    front_arm: Bend = (16, 6)
    """The arm on the side that the person faces."""
    reach: Bend = (78, 108)
    """The front arm while it holds a thing."""
    back_leg: Bend = (-5, -2)
    front_leg: Bend = (5, 2)
    lift: float = 0.0
    """How far the feet are above the ground, in standing heights."""


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
