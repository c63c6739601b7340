"""What happens in a film, by the boxes of its frames."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.meaning import Event, Group, Happens, MovesFirst, truth
from pytest_vqamt.core.scene import Photo, Scene, Thing
from tests.rows import each_row

DOG, BUS = Group(name="dog"), Group(name="bus")
Place = tuple[float, float] | None
"""The top left corner of a thing of 20 by 10 pixels in a frame of 100 by 100."""


def scene(**places: Place) -> Scene:
    return Scene(
        id="film",
        photo=Photo(id="film", digest="film"),
        width=100,
        height=100,
        objects=tuple(
            Thing(id=name, name=name, box=Box(*place, 20, 10)) for name, place in places.items() if place is not None
        ),
    )


def events(places: Sequence[Place]) -> set[Event] | None:
    """The events that happen; None if it is open."""
    film = [scene(dog=place) for place in places]
    found = {event: truth(Happens(group=DOG, event=event), *film) for event in Event}
    assert len({value is None for value in found.values()}) == 1
    return None if None in found.values() else {event for event, value in found.items() if value}


@each_row(
    ("places", "right"),
    [
        ([None, (0, 5), (20, 5), (40, 5)], {Event.COMES_IN_LEFT}),
        ([None, None, (80, 5), (60, 5), (60, 5)], {Event.COMES_IN_RIGHT}),
        ([(40, 5), (20, 5), (0, 5), None], {Event.GOES_OUT_LEFT}),
        ([(60, 5), (60, 5), (80, 5), None, None], {Event.GOES_OUT_RIGHT}),
        ([(40, 60), (40, 50), (40, 40)], {Event.MOVES_UP}),
        ([(40, 40), (40, 50), (40, 60)], {Event.MOVES_DOWN}),
        # It stays where it is, or is never there.
        ([(40, 40), (40, 40.4), (40, 40)], set()),
        ([None, None, None], set()),
        # Too little to be sure, or in no direction.
        ([(40, 40), (40, 45), (40, 50)], None),
        ([(40, 40), (50, 50), (60, 60)], None),
        ([(40, 60), (40, 40), (40, 60)], None),
        ([None, (40, 5), (42, 5)], None),
        ([None, (40, 5)], None),
        # It moves across within the picture, comes and goes, or is seen at times.
        ([(10, 5), (40, 5), (70, 5)], None),
        ([None, (10, 5), (40, 5), None], None),
        ([(10, 5), None, (40, 5)], None),
        ([None, (10, 5), None, (40, 5)], None),
        # One frame is no film.
        ([(10, 5)], None),
    ],
)
def test_what_happens(places: Sequence[Place], right: set[Event] | None) -> None:
    assert events(places) == right
    backwards = events(places[::-1])
    assert backwards == (right if right is None else {event.reversed for event in right})


def test_of_two_dogs_nothing_is_known() -> None:
    pet = Group(name="pet", covers=("dog", "cat"))
    two = [scene(dog=(0, 0), cat=(40, 0))] * 3
    # Another pet in each frame is no pet that moves.
    another = [scene(dog=(0, 0)), scene(cat=(0, 20)), scene(dog=(0, 40))]
    for film in (two, another):
        assert truth(Happens(group=pet, event=Event.MOVES_DOWN), *film) is None


@each_row(
    ("dog", "bus", "right"),
    [
        ([(0, 0), (20, 0), (40, 0), (40, 0)], [None, None, None, (0, 50)], "dog"),
        ([(0, 0), (0, 0), (20, 0), None], [(0, 50), (10, 50), (10, 50), (10, 50)], "bus"),
        # Both at once, one between the moves of the other, and only one of them.
        ([(0, 0), (20, 0), (40, 0)], [(0, 50), (20, 50), (40, 50)], None),
        ([(0, 0), (20, 0), (20, 0), (40, 0)], [(0, 50), (0, 50), (20, 50), (20, 50)], None),
        ([(0, 0), (20, 0), (40, 0)], [(0, 50), (0, 50), (0, 50)], None),
    ],
)
def test_which_moves_first(dog: Sequence[Place], bus: Sequence[Place], right: str | None) -> None:
    film = [scene(dog=one, bus=other) for one, other in zip(dog, bus, strict=True)]
    assert truth(MovesFirst(groups=(DOG, BUS)), *film) == right
    assert truth(MovesFirst(groups=(BUS, DOG)), *film) == right
