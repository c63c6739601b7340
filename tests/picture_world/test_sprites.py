"""Every sprite shows its colour, its pattern and its states."""

from __future__ import annotations

from itertools import product

import numpy as np
import numpy.typing as npt

from pytest_vqamt.picture_world.art.pen import PALETTE, Look, Pen, tint
from pytest_vqamt.picture_world.art.sprites import SPRITES, Spot
from tests.rows import each_row

NAMES = tuple(SPRITES)
LEAST_SIDE_PX = 26
LEAST_COLOUR_FRACTION = 0.35
LEAST_CHANGE_FRACTION = 0.02


def pixels(name: str, look: Look) -> npt.NDArray[np.int64]:
    """The sprite at its usual height: RGBA, HWC."""
    sprite = SPRITES[name]
    pen = Pen((round(sprite.height * sprite.aspect), sprite.height))
    sprite.draw(pen, look)
    return np.asarray(pen.finish()).astype(np.int64)


def looks(name: str) -> list[Look]:
    sprite = SPRITES[name]
    return [
        Look(colour=colour, pattern=pattern, states=frozenset(states))
        for colour, pattern, *states in product(sprite.colours, sprite.patterns, *sprite.states)
    ]


def changed_fraction(one: npt.NDArray[np.int64], other: npt.NDArray[np.int64]) -> float:
    """Share of the dots drawn in either picture that differ plainly in colour or coverage."""
    differs = np.abs(one - other).max(axis=2) > 24
    drawn = (one[..., 3] > 127) | (other[..., 3] > 127)
    return float(differs.sum() / drawn.sum())


@each_row("name", NAMES, sample=5)
def test_every_look_is_large_enough_to_be_recognised(name: str) -> None:
    for look in looks(name):
        ys, xs = np.nonzero(pixels(name, look)[..., 3] > 127)
        assert ys.size, look
        assert min(np.ptp(ys) + 1, np.ptp(xs) + 1) >= LEAST_SIDE_PX, look


@each_row("name", NAMES, sample=5)
def test_the_named_colour_is_the_nearest_for_much_of_the_sprite_and_more_than_any_other(name: str) -> None:
    palette = np.array(list(PALETTE.values()))
    for look in looks(name):
        drawn = pixels(name, look)
        opaque = drawn[drawn[..., 3] == 255][:, :3]
        nearest = ((opaque[:, None, :] - palette) ** 2).sum(axis=2).argmin(axis=1)
        fractions = dict(zip(PALETTE, np.bincount(nearest, minlength=len(palette)) / len(opaque), strict=True))
        assert fractions[look.colour] >= LEAST_COLOUR_FRACTION, (look, fractions)
        assert max(fractions, key=lambda colour: fractions[colour]) == look.colour, (look, fractions)


@each_row("name", [name for name in NAMES if SPRITES[name].states], sample=5)
def test_both_words_of_a_pair_can_be_told_apart_whatever_else_is_true(name: str) -> None:
    sprite = SPRITES[name]
    for pair in sprite.states:
        others = [other for other in sprite.states if other != pair]
        for colour, pattern, *rest in product(sprite.colours, sprite.patterns, *others):
            one, other = (
                pixels(name, Look(colour=colour, pattern=pattern, states=frozenset({word, *rest}))) for word in pair
            )
            assert changed_fraction(one, other) > LEAST_CHANGE_FRACTION, (pair, colour, pattern, rest)


@each_row("name", [name for name in NAMES if len(SPRITES[name].patterns) > 1], sample=5)
def test_any_two_patterns_can_be_told_apart(name: str) -> None:
    sprite = SPRITES[name]
    for colour, *states in product(sprite.colours, *sprite.states):
        drawn = [pixels(name, Look(colour=colour, pattern=p, states=frozenset(states))) for p in sprite.patterns]
        for k, one in enumerate(drawn):
            for other in drawn[k + 1 :]:
                assert changed_fraction(one, other) > LEAST_CHANGE_FRACTION, (colour, states)


@each_row("name", NAMES, sample=5)
def test_a_look_is_always_drawn_in_the_same_way(name: str) -> None:
    look = looks(name)[-1]
    assert np.array_equal(pixels(name, look), pixels(name, look))


@each_row("name", NAMES, sample=5)
def test_its_colours_can_be_told_apart(name: str) -> None:
    drawn = [pixels(name, Look(colour=colour)) for colour in SPRITES[name].colours]
    for k, one in enumerate(drawn):
        for other in drawn[k + 1 :]:
            assert changed_fraction(one, other) > LEAST_COLOUR_FRACTION


@each_row("name", NAMES)
def test_the_table_only_says_what_is_possible(name: str) -> None:
    sprite = SPRITES[name]
    assert 28 <= sprite.height <= 90
    assert sprite.place in Spot
    assert set(sprite.colours) <= set(PALETTE)
    assert len(set(sprite.colours)) == len(sprite.colours)
    assert sprite.patterns[0] == "plain"
    assert sprite.surface is None or 0 <= sprite.surface < 1


def test_there_is_room_under_a_table_and_a_chair() -> None:
    for name in ("table", "chair"):
        lower_middle = pixels(name, Look(colour="brown"))[-25:, :, 3]
        assert (lower_middle[:, lower_middle.shape[1] // 2 - 13 : lower_middle.shape[1] // 2 + 13] == 0).all(), name
        assert SPRITES[name].under
    assert [name for name in NAMES if SPRITES[name].under] == ["chair", "table"]


@each_row("name", [name for name in NAMES if SPRITES[name].surface is not None])
def test_a_surface_is_part_of_the_thing(name: str) -> None:
    surface = SPRITES[name].surface
    assert surface is not None
    for look in looks(name):
        alpha = pixels(name, look)[..., 3]
        assert alpha[round(surface * alpha.shape[0]), alpha.shape[1] // 2] == 255, look


@each_row("colour", PALETTE)
def test_a_pattern_is_called_by_the_colour_of_its_ground_and_still_seen_on_it(colour: str) -> None:
    pattern, ground = np.array(tint(PALETTE[colour])), np.array(PALETTE[colour])
    distances = {name: int(((np.array(rgb) - pattern) ** 2).sum()) for name, rgb in PALETTE.items()}
    assert min(distances, key=lambda name: distances[name]) == colour
    assert np.abs(pattern - ground).max() >= 38
