"""The right answers about a yard of which every answer can be counted off by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.meaning import (
    MEANINGS,
    NO_SUCH_THING,
    NONE_OF_THESE,
    Absent,
    Annotated,
    Both,
    Choice,
    Count,
    Describe,
    Either,
    Entails,
    Event,
    Exists,
    Group,
    Happens,
    Has,
    InAll,
    InPicture,
    Label,
    Located,
    Meaning,
    MovesFirst,
    Neither,
    NotBoth,
    PartCount,
    Property,
    Related,
    ShowSame,
    Side,
    Truth,
    Unit,
    WhichPicture,
    WhichThere,
    Written,
    members,
    sides,
    truth,
)
from pytest_vqamt.core.scene import Parts, Relationship, Scene
from tests.making import group_of, scene_of
from tests.rows import each_row

DOG, CAT, CAR, COW, BENCH = (Group(name=name) for name in ("dog", "cat", "car", "cow", "bench"))
BROWN_DOG, BLACK_DOG, RED_DOG = (group_of(f"{colour} dog") for colour in ("brown", "black", "red"))
ANIMAL = Group(name="animal", covers=("animal", "dog", "cat"))
CAT_ON_BENCH = Group(name="cat", related=(Related(predicate="on", to=BENCH),))
DOG_ON_BENCH = Group(name="dog", related=(Related(predicate="on", to=BENCH),))

# The yard has three dogs (two brown, of which one sits, and a black one), a black cat on a green bench, and a red car.
ANSWERS: tuple[tuple[Meaning, Truth], ...] = (
    (Count(groups=(DOG,)), 3),
    (Count(groups=(COW,)), 0),
    (Count(groups=(BROWN_DOG,)), 2),
    (Count(groups=(group_of("brown sitting dog"),)), 1),
    (Count(groups=(DOG, CAT)), 4),
    (Count(groups=(CAT, DOG)), 4),
    (Count(groups=(DOG, COW)), 3),
    (Count(groups=(BROWN_DOG, BLACK_DOG)), 3),
    # A thing in two groups is counted once.
    (Count(groups=(DOG, BROWN_DOG)), 3),
    (Count(groups=(ANIMAL, DOG, CAT)), 4),
    (Count(groups=(ANIMAL,)), 4),
    (Count(groups=(CAT_ON_BENCH,)), 1),
    (Count(groups=(DOG_ON_BENCH,)), 0),
    (Exists(group=DOG), True),
    (Exists(group=COW), False),
    (Exists(group=RED_DOG), False),
    (Exists(group=group_of("red car")), True),
    (Exists(group=CAT_ON_BENCH), True),
    (Exists(group=DOG_ON_BENCH), False),
    (Absent(group=DOG), False),
    (Absent(group=COW), True),
    (Absent(group=RED_DOG), True),
    (Both(groups=(DOG, CAT)), True),
    (Both(groups=(DOG, COW)), False),
    (Both(groups=(COW, RED_DOG)), False),
    (Both(groups=(DOG, CAT, COW)), False),
    (NotBoth(groups=(DOG, CAT)), False),
    (NotBoth(groups=(DOG, COW)), True),
    (NotBoth(groups=(COW, RED_DOG)), True),
    (Either(groups=(DOG, CAT)), True),
    (Either(groups=(COW, CAT)), True),
    (Either(groups=(COW, RED_DOG)), False),
    (Neither(groups=(DOG, CAT)), False),
    (Neither(groups=(COW, CAT)), False),
    (Neither(groups=(COW, RED_DOG)), True),
    (Has(group=CAT, attribute="black"), True),
    (Has(group=CAT, attribute="white"), False),
    (Has(group=COW, attribute="black"), False),
    (Located(group=CAT, side=Side.LEFT, other=CAR), True),
    (Located(group=CAT, side=Side.RIGHT, other=CAR), False),
    (Located(group=CAR, side=Side.RIGHT, other=BENCH), True),
    # The cat ends where the car begins, and it overlaps the bench; of three dogs none is the dog.
    (Located(group=CAT, side=Side.ABOVE, other=CAR), None),
    (Located(group=CAT, side=Side.ABOVE, other=BENCH), None),
    (Located(group=DOG, side=Side.LEFT, other=CAR), None),
    (Located(group=CAT, side=Side.LEFT, other=COW), None),
    (Choice(what=CAR, options=("red", "blue")), "red"),
    (Choice(what=CAR, options=("blue", "red", "green")), "red"),
    (Choice(what=ANIMAL, options=("cow", "dog")), "dog"),
    # Nothing is right where no option is, or where two are.
    (Choice(what=CAR, options=("blue", "green")), None),
    (Choice(what=ANIMAL, options=("cat", "dog")), None),
    (Choice(what=COW, options=("black", "white")), None),
    (Choice(what=CAR, options=("blue", "green", NONE_OF_THESE)), NONE_OF_THESE),
    (Choice(what=CAR, options=("blue", "red", NONE_OF_THESE)), "red"),
    (Choice(what=COW, options=("black", NONE_OF_THESE)), None),
    (WhichThere(groups=(DOG, COW)), "dog"),
    (WhichThere(groups=(DOG, COW), missing=True), "cow"),
    (WhichThere(groups=(DOG, CAT)), None),
    (WhichThere(groups=(COW, RED_DOG)), None),
    (Property(group=CAR, category="color", values=("red", "blue")), "red"),
    (Property(group=CAR, category="color", values=("green", "blue")), None),
    (Property(group=COW, category="color", values=("red", "blue")), NO_SUCH_THING),
    (Written(text="DOG"), False),
    (PartCount(group=CAT, part="leg"), None),
    (Entails(units=(Unit(group=BLACK_DOG), Unit(group=CAT_ON_BENCH))), Label.ENTAILMENT),
    (Entails(units=(Unit(group=DOG), Unit(group=COW))), Label.CONTRADICTION),
    (Entails(units=(Unit(group=DOG, unseen="belongs to a teacher"),)), Label.NEUTRAL),
    (Entails(units=(Unit(group=COW, unseen="is hungry"),)), Label.CONTRADICTION),
    (Entails(units=(Unit(group=DOG, unseen="is hungry"), Unit(group=RED_DOG))), Label.CONTRADICTION),
    (Describe(), (("dog", 3), ("cat", 1), ("bench", 1), ("car", 1))),
    (Annotated(answers=(("tan", 0.3), ("brown", 0.6), ("beige", 0.1))), "brown"),
    (Annotated(answers=()), None),
    (Annotated(answers=(("no", 1.0),), options=("yes", "no")), False),
    (Annotated(answers=(("yes", 0.9), ("no", 0.3)), options=("yes", "no")), True),
    (Annotated(answers=(("blue", 1.0),), options=("red", "blue")), "blue"),
    (InPicture(which=0, meaning=Exists(group=COW)), False),
    (InPicture(which=1, meaning=Exists(group=DOG)), None),
    (InAll(meaning=Count(groups=(DOG,))), 3),
    (WhichPicture(group=DOG), "first"),
    (WhichPicture(group=COW), None),
    (ShowSame(), None),
    (Happens(group=CAT, event=Event.MOVES_UP), None),
    (MovesFirst(groups=(CAT, DOG)), None),
    # What may be answered is not known: "yes" is what the annotators said.
    (Annotated(answers=(("yes", 1.0),)), "yes"),
)  # fmt: skip


@pytest.mark.parametrize(("meaning", "right"), ANSWERS, ids=str)
def test_the_right_answer(yard: Scene, meaning: Meaning, right: Truth) -> None:
    found = truth(meaning, yard)
    assert found == right
    assert type(found) is type(right)  # 1 is not True


@each_row(
    ("meaning", "right"),
    [
        (InPicture(which=0, meaning=Count(groups=(DOG,))), 3),
        (InPicture(which=1, meaning=Count(groups=(DOG,))), 0),
        (InPicture(which=2, meaning=Count(groups=(DOG,))), None),
        (InAll(meaning=Count(groups=(DOG,))), 3),
        (InAll(meaning=Exists(group=DOG)), True),
        (InAll(meaning=Absent(group=DOG)), False),
        (InAll(meaning=Absent(group=COW)), True),
        (WhichPicture(group=DOG), "first"),
        (WhichPicture(group=COW), None),
        (ShowSame(), False),
        # It does not say which picture it is about.
        (Exists(group=DOG), None),
    ],
)
def test_of_two_pictures(yard: Scene, meaning: Meaning, right: Truth) -> None:
    empty = replace(yard, id="empty", objects=(), relationships=())
    found = truth(meaning, yard, empty)
    assert found == right
    assert type(found) is type(right)


def test_what_shows_the_same(yard: Scene) -> None:
    picture = yard.picture
    shown = [truth(ShowSame(), yard, other.scene) for other in (picture, picture.pad(right=1), picture.mirror())]
    assert shown == [True, True, False]
    erased = picture.erase(yard.objects[0].box).scene
    assert truth(ShowSame(), yard, erased) is False
    assert truth(ShowSame(), yard, yard, yard) is None, "of three"


def test_a_word_is_read_in_any_case(yard: Scene) -> None:
    written = yard.picture.write("Dog", Box(0, 0, 60, 20)).scene
    assert [truth(Written(text=text), written) for text in ("DOG", "dog", "do")] == [True, True, False]
    assert not truth(Written(text="DOG"), yard.picture.write("Dog", Box(0, 0, 60, 20)).mirror().scene)


def test_parts_are_counted_of_one_thing(yard: Scene) -> None:
    legs = Parts(thing="c1", name="leg", number=5, usual=4)
    seen = replace(yard, parts=(legs, Parts(thing="d1", name="leg", number=4, usual=4)))
    assert truth(PartCount(group=CAT, part="leg"), seen) == 5
    assert truth(PartCount(group=CAT, part="ear"), seen) is None
    assert truth(PartCount(group=DOG, part="leg"), seen) is None, "there are three dogs"


def test_every_meaning_has_an_example() -> None:
    assert {type(meaning) for meaning, _ in ANSWERS} == set(MEANINGS)


@pytest.mark.parametrize(
    ("meaning", "right"),
    [
        (Count(groups=(DOG,)), 0),
        (Exists(group=DOG), False),
        (Absent(group=DOG), True),
        (Both(groups=(DOG, CAT)), False),
        (NotBoth(groups=(DOG, CAT)), True),
        (Either(groups=(DOG, CAT)), False),
        (Neither(groups=(DOG, CAT)), True),
        (Has(group=DOG, attribute="red"), False),
        (Located(group=DOG, side=Side.LEFT, other=CAT), None),
        (Choice(what=DOG, options=("red", "blue")), None),
        (Entails(units=(Unit(group=DOG),)), Label.CONTRADICTION),
        (Describe(), ()),
    ],
    ids=str,
)
def test_of_an_empty_picture(bare: Scene, meaning: Meaning, right: Truth) -> None:
    assert truth(meaning, bare) == right


@each_row(
    ("other", "found"),
    [
        # The picture is 200 x 100: 3 % are 6 pixels across, and 3 down.
        (Box(26, 12, 5, 5), (Side.LEFT,)),
        (Box(25.9, 12, 5, 5), ()),
        (Box(5, 12, 9, 5), ()),
        (Box(0, 12, 4, 5), (Side.RIGHT,)),
        (Box(12, 23, 5, 5), (Side.ABOVE,)),
        (Box(12, 22.9, 5, 5), ()),
        (Box(12, 0, 5, 7), (Side.BELOW,)),
        (Box(40, 40, 5, 5), (Side.LEFT, Side.ABOVE)),
    ],
)
def test_a_side_is_sure_where_a_gap_lies_between(other: Box, found: tuple[Side, ...]) -> None:
    box, frame = Box(10, 10, 10, 10), Box(0, 0, 200, 100)
    assert sides(box, other, frame) == found
    assert sides(other, box, frame) == tuple(side.opposite for side in found)


def test_a_mirror_exchanges_left_and_right_and_nothing_else(yard: Scene) -> None:
    mirrored = yard.picture.mirror().scene
    for thing in (CAT, BENCH, CAR):
        for other in (CAT, BENCH, CAR):
            for side in Side:
                exchanged = side.opposite if side in (Side.LEFT, Side.RIGHT) else side
                before = truth(Located(group=thing, side=side, other=other), yard)
                assert truth(Located(group=thing, side=exchanged, other=other), mirrored) == before


def test_members_come_in_scene_order(yard: Scene) -> None:
    assert [thing.id for thing in members(Group(name="animal", covers=("cat", "dog")), yard)] == [
        "d1",
        "d2",
        "d3",
        "c1",
    ]


def test_a_hypernym_stands_for_what_it_covers_and_a_plain_name_for_itself(yard: Scene) -> None:
    assert members(Group(name="animal"), yard) == ()
    assert len(members(ANIMAL, yard)) == 4


def test_a_relationship_has_a_direction_a_predicate_and_an_end() -> None:
    scene = scene_of(
        "red cup", "blue cup", "wooden table", "white table", "man",
        relationships=(
            Relationship(subject="0", predicate="on", object="2"),
            Relationship(subject="1", predicate="on", object="3"),
            Relationship(subject="4", predicate="holding", object="1"),
        ),
    )  # fmt: skip

    def ids(group: Group) -> list[str]:
        return [thing.id for thing in members(group, scene)]

    def cup(predicate: str, to: Group) -> Group:
        return Group(name="cup", related=(Related(predicate=predicate, to=to),))

    table = Group(name="table")
    assert ids(cup("on", table)) == ["0", "1"]
    assert ids(cup("on", group_of("wooden table"))) == ["0"]
    assert ids(cup("under", table)) == []
    assert ids(Group(name="table", related=(Related(predicate="on", to=Group(name="cup")),))) == []
    # Conditions within conditions: the man who holds a cup that is on a white table.
    assert ids(Group(name="man", related=(Related(predicate="holding", to=cup("on", group_of("white table"))),))) == [
        "4"
    ]
    assert ids(Group(name="man", related=(Related(predicate="holding", to=cup("on", group_of("wooden table"))),))) == []


def test_all_conditions_must_hold() -> None:
    scene = scene_of(
        "man", "man", "hat", "cup",
        relationships=(
            Relationship(subject="0", predicate="wearing", object="2"),
            Relationship(subject="0", predicate="holding", object="3"),
            Relationship(subject="1", predicate="holding", object="3"),
        ),
    )  # fmt: skip
    wearing, holding = (Related(predicate=p, to=Group(name=n)) for p, n in (("wearing", "hat"), ("holding", "cup")))
    assert truth(Count(groups=(Group(name="man", related=(holding,)),)), scene) == 2
    assert truth(Count(groups=(Group(name="man", related=(holding, wearing)),)), scene) == 1


def test_the_truth_changes_with_the_picture(yard: Scene) -> None:
    without_the_cat = yard.picture.erase(yard.thing("c1").box).scene
    assert truth(Count(groups=(ANIMAL,)), without_the_cat) == 3
    assert truth(Absent(group=CAT_ON_BENCH), without_the_cat) is True
