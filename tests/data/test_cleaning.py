"""One thing that is annotated several times is one, and neighbours stay several."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.scene import Relationship, Thing
from pytest_vqamt.data.annotations import merged
from tests.data.made_visual_genome import one, related, sized, thing
from tests.rows import each_row


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VQAMT_CACHE_HOME", str(tmp_path / "home"))


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A folder that says that images 1 to 5 are of 20 x 10 px."""
    return sized(tmp_path / "data")


def test_one_thing_under_two_ids_is_one(data: Path) -> None:
    objects = (
        thing(1, "bike", 0, 0, 8, 8, synsets=["bicycle.n.01"], attributes=["red"]),
        thing(2, "man", 12, 0, 4, 8),
        thing(3, "bicycle", 0, 1, 8, 8, synsets=["bicycle.n.01"], attributes=["parked", "red"]),
    )
    scene = one(data, *objects, relationships=[related(2, "beside", 3), related(2, "beside", 1), related(3, "near", 1)])
    bike = Thing(id="1", name="bike", box=Box(0, 0, 8, 9), attributes=("red", "parked"), synset="bicycle.n.01")
    assert scene.objects[0] == bike
    assert [each.id for each in scene.objects] == ["1", "2"]
    assert scene.relationships == (Relationship(subject="2", predicate="beside", object="1"),)


def boxed(thing_id: str, name: str, x: float, synset: str | None = None, w: float = 100) -> Thing:
    """A thing as high as the next; of width 100, two that are 17 apart have an IoU of 83 / 117, 18 one of 82 / 118."""
    return Thing(id=thing_id, name=name, box=Box(x, 0, w, 50), synset=synset)


@each_row(
    "one_thing, other, is_one",
    [
        (boxed("1", "chair", 0), boxed("2", "chair", 17), True),
        (boxed("1", "chair", 0), boxed("2", "chair", 18), False),
        (boxed("1", "chair", 0), boxed("2", "chair", 60), False),
        (boxed("1", "chair", 0), boxed("2", "stool", 0), False),
        (boxed("1", "couch", 0, "sofa.n.01"), boxed("2", "sofa", 0, "sofa.n.01"), True),
        (boxed("1", "couch", 0, "sofa.n.01"), boxed("2", "sofa", 0, "couch.n.02"), False),
        (boxed("1", "sign", 0, "sign.n.01"), boxed("2", "sign", 0, "sign.n.02"), True),
        (boxed("1", "sign", 0, "sign.n.01"), boxed("2", "sign", 0), True),
        (boxed("1", "bike", 0, "bicycle.n.01"), boxed("2", "bikes", 0, "bicycle.n.01"), False),
        (boxed("1", "bikes", 0, "bicycle.n.01"), boxed("2", "bicycles", 0, "bicycle.n.01"), True),
        (boxed("1", "pant", 0, "trouser.n.01"), boxed("2", "pants", 0, "trouser.n.01"), True),
    ],
)
def test_what_is_one_thing(one_thing: Thing, other: Thing, is_one: bool) -> None:
    for pair in ((one_thing, other), (other, one_thing)):
        things, now = merged(pair)
        assert len(things) == (1 if is_one else 2)
        assert now[pair[1].id] == (pair[0].id if is_one else pair[1].id)


def test_a_row_of_neighbours_does_not_melt_together() -> None:
    things, _ = merged(boxed(str(n), "person", 15 * n) for n in range(6))
    # Those at 0 and 15 are one, that at 30 is not: it is compared to the first. So are 30 and 45, and 60 and 75.
    assert [each.box for each in things] == [Box(0, 0, 115, 50), Box(30, 0, 115, 50), Box(60, 0, 115, 50)]


def test_a_duplicate_goes_to_the_nearest() -> None:
    _, now = merged((boxed("left", "cup", 0), boxed("right", "cup", 20), boxed("again", "cup", 14)))
    assert now == {"left": "left", "right": "right", "again": "right"}


def test_an_id_that_comes_twice_is_one_thing_by_one_name(data: Path) -> None:
    scene = one(data, thing(1, "cat", attributes=["red"]), thing(1, "Cat", 9, attributes=["small"]))
    assert [(each.box, each.attributes) for each in scene.objects] == [(Box(1, 2, 3, 4), ("red", "small"))]


@given(st.lists(st.tuples(st.sampled_from(("cup", "mug", "cups")), st.integers(0, 60), st.booleans()), max_size=12))
def test_nothing_is_lost(drawn: list[tuple[str, int, bool]]) -> None:
    things = [
        replace(boxed(str(place), name, x, "cup.n.01" if known else None), attributes=(f"number {place}",))
        for place, (name, x, known) in enumerate(drawn)
    ]
    kept, now = merged(things)
    by_id = {each.id: each for each in kept}
    assert list(now) == [each.id for each in things]
    assert set(now.values()) == set(by_id)
    assert sorted(word for each in kept for word in each.attributes) == sorted(each.attributes[0] for each in things)
    for each in things:
        one = by_id[now[each.id]]
        assert one.box.intersection(each.box) == each.box, "the box of one thing holds those of all its duplicates"
        assert int(one.id) <= int(each.id)
        assert one.id != each.id or (one.name, one.attributes[0]) == (each.name, each.attributes[0])
