"""Whoever looks at the pixels, and knows nothing of what edits say of their scenes, violates no relation either.

Where this fails and the oracle holds, an edit says something else than its picture shows, or a relation asks about what
an edit half destroys.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from itertools import chain, islice, pairwise
from pathlib import Path

import numpy as np
import pytest

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.case import Case
from pytest_vqamt.core.edits import (
    Beside,
    Blur,
    Brightness,
    Contrast,
    Corrupt,
    Corruption,
    Crop,
    Cut,
    Cutout,
    Edit,
    Erase,
    Insert,
    Jpeg,
    Mask,
    Mirror,
    Pad,
    Recolour,
    Rescale,
    Rotate,
    Shear,
    Shift,
    Write,
)
from pytest_vqamt.core.meaning import Count, Exists, Group
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.query import Query
from pytest_vqamt.data.scene_source import SceneSource
from pytest_vqamt.execution.plan import Sampling
from pytest_vqamt.picture_world.source import PictureWorld
from pytest_vqamt.relations.catalogue import get
from pytest_vqamt.sampling.chooser import Sampler
from tests.rows import each_row
from tests.soundness import pixels
from tests.soundness.asking import Item, cases, each_item, each_item_set_otherwise, each_item_with
from tests.soundness.letters import PORTRAIT, YARD, Letters, photo
from tests.soundness.looking import wrong
from tests.soundness.outlines import OfCoco, OfPictureWorld
from tests.soundness.perceiver import UNSURE, Perceiver
from tests.soundness.pixels import view
from tests.soundness.samples import COCO, Sample, each_of
from tests.soundness.survey import survey

UNEDITED = 50


@cache
def pictures(count: int) -> PictureWorld:
    return PictureWorld(count)


@cache
def photos() -> Perceiver:
    return Perceiver(OfCoco(COCO.load(), Path(COCO.argument) / "instances.json"))


def drawn(item: Item, source: SceneSource, count: int, seed: int = 0) -> Iterable[Case]:
    """So many cases, or a few where nothing is edited, and all that can be wrong is the source."""
    some = cases(item, source, Sampling(max_cases=count, sampler=Sampler.RANDOM, seed=seed))
    first = next(some, None)
    if first is None:
        return ()
    edited = any(query.picture.edits for query in first.queries)
    return chain((first,), some if edited else islice(some, UNEDITED))


def assert_nothing_is_wrong(item: Item, some: Iterable[Case], perceiver: Perceiver) -> None:
    if found := next(wrong(item, some, perceiver), None):
        pytest.fail(f"{item.name} is wrong, or an edit of it. {found}", pytrace=False)


@each_item_with(25, many=500, third=1)
def test_it_holds_on_the_picture_world(item: Item, count: int) -> None:
    source = pictures(500)
    assert_nothing_is_wrong(item, drawn(item, source, count), Perceiver(OfPictureWorld(source)))


@each_item_set_otherwise
def test_it_holds_with_other_settings(item: Item) -> None:
    source = pictures(500)
    assert_nothing_is_wrong(item, drawn(item, source, 50), Perceiver(OfPictureWorld(source)))


@each_of(full=(COCO,))
@each_item
def test_it_holds_on_photos(item: Item, sample: Sample) -> None:
    assert_nothing_is_wrong(item, survey(item, sample).cases[::2], photos())


@pytest.mark.slow
@each_item
def test_it_holds_on_5_000_drawn_cases(item: Item) -> None:
    source = pictures(5_000)
    assert_nothing_is_wrong(item, drawn(item, source, 5_000, seed=1), Perceiver(OfPictureWorld(source)))


@pytest.mark.slow
@each_of(COCO)
@each_item
def test_it_holds_on_all_that_photos_give(item: Item, sample: Sample) -> None:
    assert_nothing_is_wrong(item, drawn(item, sample.load(), 2_000, seed=1), photos())


# The perceiver of pixels against pictures small enough to be drawn in letters: it sees what is there, and doubts.

LETTERS = Letters({"yard": YARD, "portrait": PORTRAIT, "crowd": [row.replace("c", "C") for row in YARD]})
PERCEIVER = Perceiver(LETTERS)


def picture(name: str, *edits: Edit) -> Picture:
    """The photo with the edits; its scene is told to be empty, for the perceiver must not look at it."""
    scene = LETTERS.scene(photo(name))
    return Picture(photo=photo(name), edits=edits, scene=replace(scene, objects=()))


def count(seen: Picture, name: str) -> str:
    return PERCEIVER.answer(Query(picture=seen, text="", meaning=Count(groups=(Group(name=name),))))


def cutout(name: str, letter: str) -> Cutout:
    thing = next(each.thing for each in LETTERS.of(photo(name)) if each.thing.id == f"{name} {letter}")
    return Cutout(photo=photo(name), thing=thing)


def counts(seen: Picture) -> dict[str, str]:
    return {name: count(seen, name) for name in ("dog", "cat", "woman", "hat")}


def test_an_unedited_photo_shows_what_is_annotated() -> None:
    assert counts(picture("yard")) == {"dog": "1", "cat": "1", "woman": "0", "hat": "0"}
    assert counts(picture("portrait")) == {"dog": "0", "cat": "0", "woman": "1", "hat": "1"}


@each_row(
    ("edit", "dogs", "cats"),
    [
        (Cut(start=0, stop=13), "1", "0"),
        (Cut(start=13, stop=26), "0", "1"),
        (Cut(start=0, stop=8, axis="y"), "1", "1"),
        # 6 of the dog's 8 columns are enough.
        (Cut(start=4, stop=26), "1", "1"),
        # 5 are too little, and 35 pixels are too few to be taken for anything.
        (Cut(start=5, stop=26), "0", "1"),
        (Crop(box=Box(2, 1, 8, 7)), "1", "0"),
        (Erase(box=Box(16, 1, 8, 7)), "1", "0"),
        (Erase(box=Box(15.5, 0.5, 9, 8)), "1", "0"),
        (Mask(keep=(Box(2, 1, 8, 7),), colour=(9, 9, 9)), "1", "0"),
        (Mirror(), "1", "1"),
        (Corrupt(kind=Corruption.SNOW, severity=5), "1", "1"),
        (Brightness(offset=100), "1", "1"),
        (Contrast(gain=3), "1", "1"),
        (Blur(keep=(), sigma_px=1.7), "1", "1"),
        (Shear(factor=1), "1", "1"),
        # Three rows of each are in the picture, and parts of two: 34 pixels of 56, too few to be taken for anything.
        (Shear(factor=6), "0", "0"),
        # The dog loses 2 of its 8 columns, and 3, of which 35 pixels are left.
        (Shift(dx=-4, dy=0), "1", "1"),
        (Shift(dx=-5, dy=0), "0", "1"),
        (Shift(dx=0, dy=5), "0", "0"),
        (Pad(left=3, bottom=9), "1", "1"),
        (Rescale(width=52, height=18), "1", "1"),
        (Rotate(degrees=90), "1", "1"),
        (Jpeg(quality=85), "1", "1"),
        (Write(text="CAT", box=Box(2, 1, 8, 7)), "0", "1"),
        (Recolour(thing="yard d", old="red", new="blue", hue=225), "1", "1"),
    ],
)
def test_edits_take_pixels_away(edit: Edit, dogs: str, cats: str) -> None:
    seen = picture("yard", edit)
    assert (count(seen, "dog"), count(seen, "cat")) == (dogs, cats)


def test_what_is_seen_half_is_not_to_be_asked_about() -> None:
    # 4 of 8 columns, now of 14 rows: the dog is neither there nor gone, and might be a cat.
    enlarged = Letters({"yard": [row for row in YARD for _ in range(2)]})
    seen = Perceiver(enlarged)
    half = Picture(photo=photo("yard"), edits=(Cut(start=6, stop=26),), scene=enlarged.scene(photo("yard")))
    told = {
        name: seen.answer(Query(picture=half, text="", meaning=Exists(group=Group(name=name))))
        for name in ("dog", "cat", "woman")
    }
    # A cat is there in any case, so that there is one can be told.
    assert told == {"dog": UNSURE, "cat": "yes", "woman": "no"}
    assert seen.answer(Query(picture=half, text="", meaning=Count(groups=(Group(name="cat"),)))) == UNSURE


def test_what_is_blurred_is_not_to_be_asked_about() -> None:
    seen = picture("yard", Blur(keep=(Box(16, 1, 8, 7),), sigma_px=3))
    assert (count(seen, "dog"), count(seen, "cat"), count(seen, "woman")) == (UNSURE, UNSURE, "0")


def test_a_crowd_is_not_to_be_counted() -> None:
    assert (count(picture("crowd"), "dog"), count(picture("crowd"), "cat")) == ("1", UNSURE)


def test_what_is_erased_in_its_middle_may_be_two() -> None:
    assert count(picture("yard", Erase(box=Box(5, 0, 1, 9))), "dog") == UNSURE
    assert count(picture("yard", Erase(box=Box(9, 0, 1, 9))), "dog") == "1"


def test_a_woman_is_inserted_with_her_hat() -> None:
    seen = picture("yard", Insert(cutout=cutout("portrait", "w"), box=Box(11, 1, 4, 6)))
    assert counts(seen) == {"dog": "1", "cat": "1", "woman": "1", "hat": "1"}


def test_a_hat_is_inserted_without_the_woman() -> None:
    seen = picture("yard", Insert(cutout=cutout("portrait", "h"), box=Box(10, 1, 6, 3)))
    assert counts(seen) == {"dog": "1", "cat": "1", "woman": "0", "hat": "1"}


def test_what_is_inserted_covers_what_was_there() -> None:
    over_all = picture("yard", Insert(cutout=cutout("portrait", "w"), box=Box(0, 0, 16, 9)))
    assert counts(over_all) == {"dog": "0", "cat": "1", "woman": "1", "hat": "1"}


def test_what_is_inserted_has_the_size_and_the_place_of_its_box() -> None:
    seen = view(picture("yard", Insert(cutout=cutout("portrait", "w"), box=Box(10, 2, 6, 3))), LETTERS)
    rows, columns = np.nonzero(seen.shown[-2].pixels)
    assert (rows.min(), rows.max(), columns.min(), columns.max()) == (2, 2, 10, 15)  # the hat: a third of the height
    rows, columns = np.nonzero(seen.shown[-1].pixels)
    assert (rows.min(), rows.max(), columns.min(), columns.max()) == (2, 4, 10, 15)


def test_a_mirrored_picture_shows_everything_on_the_other_side() -> None:
    dog = next(each for each in view(picture("yard", Mirror()), LETTERS).shown if each.thing.name == "dog")
    assert np.nonzero(dog.pixels.any(axis=0))[0].tolist() == list(range(16, 24))


@pytest.mark.parametrize(
    ("factor", "starts"),
    [(1, [0, 0, 1, 2, 3, 4, 5]), (-1, [5, 4, 3, 2, 1, 0, 0]), (0.4, [1, 1, 2, 2, 2, 3, 3])],
)
def test_a_sheared_picture_shows_its_lower_rows_farther_to_the_right(factor: float, starts: list[int]) -> None:
    # The dog begins in column 2. Its middle row, the fourth of seven, is that of the picture, and stays.
    dog = next(each for each in view(picture("yard", Shear(factor=factor)), LETTERS).shown if each.thing.name == "dog")
    assert [int(np.nonzero(row)[0][0]) for row in dog.pixels[1:8]] == starts


def boxes(seen: Picture, name: str) -> list[tuple[int, int, int, int]]:
    """Start and end of columns and rows of each thing of the name."""
    found = []
    for each in view(seen, LETTERS).shown:
        if each.thing.name == name:
            rows, columns = np.nonzero(each.pixels)
            found.append((columns.min(), columns.max() + 1, rows.min(), rows.max() + 1))
    return found


@each_row(
    ("edit", "box"),
    [
        (Shift(dx=3, dy=-1), (5, 13, 0, 7)),
        (Shift(dx=-2, dy=1), (0, 8, 2, 9)),
        (Pad(left=3, top=4, right=5, bottom=6), (5, 13, 5, 12)),
        (Rescale(width=52, height=27), (4, 20, 3, 24)),
        (Rotate(degrees=90), (1, 8, 2, 10)),
        (Rotate(degrees=180), (16, 24, 1, 8)),
        (Rotate(degrees=270), (1, 8, 16, 24)),
    ],
)
def test_other_views_show_the_dog_elsewhere(edit: Edit, box: tuple[int, int, int, int]) -> None:
    assert boxes(picture("yard", edit), "dog") == [box]


def test_the_edge_is_repeated() -> None:
    assert boxes(picture("yard", Cut(start=2, stop=26), Shift(dx=3, dy=0)), "dog") == [(0, 11, 1, 8)]


def test_a_second_picture_stands_to_the_right() -> None:
    both = picture("yard", Beside(second=LETTERS.scene(photo("yard")), gap=4))
    assert boxes(both, "dog") == [(2, 10, 1, 8), (32, 40, 1, 8)]
    assert count(both, "dog") == "2"
    # Eight rows become nine.
    portrait = picture("yard", Beside(second=LETTERS.scene(photo("portrait")), gap=0))
    assert view(portrait, LETTERS).size == (26 + 7, 9)


def test_a_recoloured_thing_has_the_color_of_its_hue() -> None:
    red = replace(next(each for each in view(picture("yard"), LETTERS).shown if each.thing.name == "dog"))
    assert red.thing.attributes == ()
    thing = replace(red.thing, attributes=("large", "red"))
    assert pixels.recoloured(replace(red, thing=thing), 225).thing.attributes == ("large", "blue")


def removal(seen: Picture, asked: str) -> Case:
    source = picture("yard")
    meaning = Count(groups=(Group(name=asked),))
    return Case(
        relation="metavqa.removal",
        variant="count",
        scene="yard",
        queries=tuple(Query(picture=each, text="How many?", meaning=meaning) for each in (source, seen)),
        expected="first = second",
    )


def told(case: Case) -> str:
    item = Item(get(case.relation), case.variant)
    return "; ".join(each.what for each in wrong(item, [case], PERCEIVER))


def test_a_relation_that_asks_about_what_an_edit_destroys_is_told_of() -> None:
    assert told(removal(picture("yard", Erase(box=Box(2, 1, 8, 7))), "dog")).startswith("It does not hold")


def test_a_scene_that_says_what_its_picture_does_not_show_is_told_of() -> None:
    # The relation holds for whoever looks: one cat. But the scenes of both pictures say that there is none.
    assert "shows '1', and its scene says '0'" in told(removal(picture("yard", Erase(box=Box(2, 1, 8, 7))), "cat"))


def test_a_cut_through_a_thing_is_told_of() -> None:
    def pieces(*ends: int) -> Case:
        whole = LETTERS.scene(photo("yard")).picture
        cut = (whole.cut(start, stop) for start, stop in pairwise(ends))
        meaning = Exists(group=Group(name="woman"))
        queries = tuple(Query(picture=each, text="Any?", meaning=meaning) for each in (whole, *cut))
        return Case(relation="metavqa.cutting", variant="exists", scene="yard", queries=queries, expected="any")

    assert told(pieces(0, 13, 26)) == ""
    assert told(pieces(0, 9, 26)) == "Shown by two pieces: dog yard d."
