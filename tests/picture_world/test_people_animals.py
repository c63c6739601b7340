"""People, animals and backgrounds look as their names say."""

from __future__ import annotations

from collections import Counter
from itertools import product

import numpy as np
import pytest
from PIL import Image

from pytest_vqamt.core.errors import RenderError
from pytest_vqamt.picture_world.art.animals import ANIMALS
from pytest_vqamt.picture_world.art.backgrounds import SETTINGS, draw_background
from pytest_vqamt.picture_world.art.pen import PALETTE, Look, Pen, Rgb
from pytest_vqamt.picture_world.art.people import PERSON_HEIGHT, POSES, DrawnPerson, PersonLook, draw_person
from tests.rows import each_row

ANIMAL_LOOKS = [(n, c, p) for n, a in ANIMALS.items() for c in a.colours for p in a.poses]
OUTFITS = [(k, g) for k in PERSON_HEIGHT for g in ("shirt", "dress") if g == "shirt" or k in ("woman", "girl")]
PATTERNS = ("plain", "striped", "dotted", "checked")


def animal(name: str, colour: str, pose: str) -> Image.Image:
    kind = ANIMALS[name]
    pen = Pen((round(kind.height * kind.aspect), kind.height))
    kind.draw(pen, Look(colour=colour, pose=pose))
    return pen.finish()


def person(kind: str = "man", **changes: str | int | bool | None) -> DrawnPerson:
    return draw_person(PersonLook(kind=kind, **changes), PERSON_HEIGHT[kind])  # type: ignore[arg-type]  # by keyword


def nearest_name(rgb: Rgb) -> str:
    return min(PALETTE, key=lambda name: sum((a - b) ** 2 for a, b in zip(PALETTE[name], rgb, strict=True)))


def shown(image: Image.Image, mask: Image.Image | None = None) -> list[Rgb]:
    """The colours of the solid dots, or of those that the mask covers."""
    dots = np.asarray(image)
    inside = dots[..., 3] > 200 if mask is None else np.asarray(mask) > 127
    return [(int(r), int(g), int(b)) for r, g, b in dots[inside][:, :3]]


@each_row("name, colour, pose", ANIMAL_LOOKS, sample=4)
def test_the_commonest_colour_of_an_animal_is_the_named_one(name: str, colour: str, pose: str) -> None:
    colours = shown(animal(name, colour, pose))
    ((commonest, count),) = Counter(colours).most_common(1)
    assert nearest_name(commonest) == colour
    assert count > 0.25 * len(colours)


@each_row("name", list(ANIMALS))
def test_an_animal_is_not_cut_off_and_stands_at_the_bottom_of_its_canvas(name: str) -> None:
    kind = ANIMALS[name]
    for pose in kind.poses:
        alpha = animal(name, kind.colours[0], pose).getchannel("A")
        left, _, right, bottom = alpha.getbbox() or (0, 0, 0, 0)
        rows = np.asarray(alpha)
        for side, border in (("top", rows[0]), ("left", rows[:, 0]), ("right", rows[:, -1])):
            assert (border > 200).sum() == 0, (pose, side)
        assert right - left > 0.5 * alpha.width
        assert bottom >= alpha.height - 3 or kind.place == "air", (pose, bottom)


@each_row("name", ["dog", "cat"])
def test_a_pet_looks_different_in_each_pose(name: str) -> None:
    alphas = [np.asarray(animal(name, "black", pose).getchannel("A")) > 127 for pose in ANIMALS[name].poses]
    assert len(alphas) == 3
    for i, one in enumerate(alphas):
        for other in alphas[i + 1 :]:
            assert (one ^ other).sum() > 0.35 * one.sum()


DRESSED = [(*outfit, *rest) for outfit, *rest in product(OUTFITS, POSES, PATTERNS, PALETTE)]


@each_row("kind, garment, pose, pattern, colour", DRESSED, sample=37)
def test_the_garment_mask_shows_the_garment(kind: str, garment: str, pose: str, pattern: str, colour: str) -> None:
    figure = person(
        kind, pose=pose, garment=garment, garment_colour=colour, garment_pattern=pattern, hat_colour="green", skin=3
    )
    assert set(figure.parts) == {garment, "hat"}
    mask = figure.parts[garment]
    assert mask.mode == "L"
    assert mask.size == figure.image.size
    colours = shown(figure.image, mask)
    assert len(colours) > 120
    near = sum(max(abs(a - b) for a, b in zip(rgb, PALETTE[colour], strict=True)) < 12 for rgb in colours)
    assert near > (0.75 if pattern == "plain" else 0.33) * len(colours)
    r, g, b = np.mean(colours, axis=0)
    assert nearest_name((round(r), round(g), round(b))) == colour


def test_a_pattern_can_be_seen() -> None:
    for colour in PALETTE:
        plain = person(garment_colour=colour)
        for pattern in ("striped", "dotted", "checked"):
            other = person(garment_colour=colour, garment_pattern=pattern)
            change = np.abs(np.asarray(plain.image).astype(int) - np.asarray(other.image))[..., :3].sum(axis=-1)
            assert (change > 90).sum() > 0.15 * (np.asarray(plain.parts["shirt"]) > 127).sum()


@each_row("kind", list(PERSON_HEIGHT))
@each_row("pose", list(POSES))
def test_masks_lie_inside_the_figure_and_apart_from_each_other(kind: str, pose: str) -> None:
    figure = person(kind, pose=pose, hat_colour="red")
    alpha = np.asarray(figure.image.getchannel("A"))
    shirt, hat = (np.asarray(figure.parts[name]) > 127 for name in ("shirt", "hat"))
    assert (alpha[shirt] > 127).all()
    assert (alpha[hat] > 127).all()
    assert not (shirt & hat).any()
    assert hat.sum() > 60


def test_without_a_hat_there_is_no_hat_mask() -> None:
    assert set(person().parts) == {"shirt"}


@each_row("kind", list(PERSON_HEIGHT))
@each_row("pose", list(POSES), sample=2)
@each_row("facing", ["left", "right"])
def test_the_hand_that_holds_is_skin_and_near_the_edge_of_the_figure(kind: str, pose: str, facing: str) -> None:
    figure = person(kind, pose=pose, facing=facing, holding=True, skin=0, garment_colour="blue")
    x, y = figure.hand
    r, g, b, a = figure.image.getpixel((x, y))  # type: ignore[misc]  # an RGBA dot is a 4-tuple
    assert (abs(r - 252) + abs(g - 214) + abs(b - 182), a) == (0, 255)
    assert min(y, x if facing == "left" else figure.image.width - 1 - x) <= 0.13 * PERSON_HEIGHT[kind]


@each_row("kind, garment", OUTFITS)
def test_every_pose_can_be_told_from_every_other_one(kind: str, garment: str) -> None:
    drawn = {pose: _framed(person(kind, pose=pose, garment=garment)) for pose in POSES}
    for one in POSES:
        for other in POSES:
            if one < other:
                assert (drawn[one] ^ drawn[other]).sum() > 0.12 * drawn[one].sum(), (one, other)


def _framed(figure: DrawnPerson) -> np.ndarray[tuple[int, int], np.dtype[np.bool_]]:
    """Where the figure is, on a canvas of one size, its feet at the bottom."""
    canvas = Image.new("L", (140, 140))
    image = figure.image
    canvas.paste(image.getchannel("A"), ((140 - image.width) // 2, 140 - image.height))
    return np.asarray(canvas) > 127


def test_a_lying_person_is_wider_than_tall_and_a_standing_one_taller_than_wide() -> None:
    for kind in PERSON_HEIGHT:
        lying, standing = person(kind, pose="lying").image, person(kind, pose="standing").image
        assert lying.width > 1.5 * lying.height
        assert standing.height > 1.5 * standing.width


def test_a_standing_person_is_as_tall_as_asked_for() -> None:
    assert abs(draw_person(PersonLook(kind="woman"), 80).image.height - 80) <= 4
    assert abs(draw_person(PersonLook(kind="boy"), 60).image.height - 60) <= 4


def test_only_running_and_jumping_lift_the_feet() -> None:
    assert {pose for pose in POSES if person(pose=pose).lift_px > 0} == {"running", "jumping"}


def test_facing_left_is_the_mirror_of_facing_right() -> None:
    right, left = person("girl", pose="walking"), person("girl", pose="walking", facing="left")
    assert right.image.transpose(Image.Transpose.FLIP_LEFT_RIGHT).tobytes() == left.image.tobytes()
    assert left.hand == (right.image.width - 1 - right.hand[0], right.hand[1])


def test_skin_is_never_the_colour_of_the_cloth() -> None:
    brown = person("girl", garment="dress", garment_colour="brown", skin=3)
    mask = np.asarray(brown.parts["dress"]) > 127
    dots = np.asarray(brown.image)[..., :3].astype(int)
    outside = (np.asarray(brown.image)[..., 3] > 200) & ~mask
    skin = (np.abs(dots - np.array([128, 84, 60])).sum(axis=-1) < 12) & outside
    assert not skin.any()


def test_drawing_twice_gives_the_same_dots() -> None:
    one, two = person("woman", pose="running", hat_colour="red"), person("woman", pose="running", hat_colour="red")
    assert one.image.tobytes() == two.image.tobytes()
    assert animal("cow", "white", "standing").tobytes() == animal("cow", "white", "standing").tobytes()


@each_row("setting", list(SETTINGS))
def test_a_background_is_calm_and_its_own_in_each_variant(setting: str) -> None:
    pictures = [draw_background(setting, (224, 224), variant) for variant in range(4)]
    assert {(p.size, p.mode) for p in pictures} == {((224, 224), "RGB")}
    assert len({p.tobytes() for p in pictures}) == 4
    top, bottom = SETTINGS[setting].floor_y
    assert 0.5 < top < bottom <= 1
    dots = np.asarray(pictures[0]).astype(int)
    steps = np.abs(np.diff(dots.sum(axis=-1), axis=1))
    assert (steps > 120).mean() < 0.02


def test_a_background_may_be_painted_on_without_harm_to_the_next_one() -> None:
    first = draw_background("meadow", (64, 64), 0)
    before = first.tobytes()
    first.paste((0, 0, 0), (0, 0, 64, 64))
    assert draw_background("meadow", (64, 64), 0).tobytes() == before


def test_an_unknown_place_is_refused() -> None:
    with pytest.raises(RenderError, match="setting='beech' as a background; did you mean 'beach'"):
        draw_background("beech", (64, 64))


def test_an_unknown_kind_or_pose_is_refused() -> None:
    with pytest.raises(RenderError, match="kind='robot'"):
        draw_person(PersonLook(kind="robot"), 60)
    with pytest.raises(RenderError, match="pose='sit' of a man; did you mean 'sitting'"):
        draw_person(PersonLook(kind="man", pose="sit"), 60)
