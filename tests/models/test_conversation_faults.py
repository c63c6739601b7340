"""Faults of what is given several pictures or turns: each is wrong where it says so, and right elsewhere."""

from __future__ import annotations

from dataclasses import replace

from pytest_vqamt.core.conversation import Reply, Role, Turn
from pytest_vqamt.core.meaning import Count, Exists, Group, InAll, InPicture, Meaning, ShowSame, WhichPicture
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.query import Query
from pytest_vqamt.core.scene import Photo
from pytest_vqamt.models.reference.conversation_faults import CONVERSATION_FAULTS
from pytest_vqamt.models.reference.faults import FAULTS
from tests.making import scene_of
from tests.rows import each_row

DOG, CAT = Group(name="dog"), Group(name="cat")


def picture(name: str, *things: str, width: int = 200) -> Picture:
    return replace(scene_of(*things), id=name, photo=Photo(id=name, digest=name), width=width).picture


DOGS = picture("b", "dog", "dog")
CATS = picture("a", "cat")
WIDE = picture("c", "cow", width=300)
WHICH_DOG = WhichPicture(group=DOG)
DOGS_IN_ALL = InAll(meaning=Count(groups=(DOG,)))
IS_A_CAT = Exists(group=CAT)
OF_PICTURES = ("first-picture-only", "last-picture-only", "merges-equal-sizes", "mixes-up-pictures", "order-by-content")


def said(fault: str, query: Query) -> str:
    return FAULTS[fault].replies()(query)


@each_row(
    "pictures, meaning, right, wrong",
    [
        ((DOGS, CATS), WHICH_DOG, "first", ("first", "first", "first", "second", "second")),
        ((CATS, DOGS), WHICH_DOG, "second", ("first", "first", "first", "first", "second")),
        ((WIDE, DOGS), WHICH_DOG, "second", ("first", "first", "second", "first", "first")),
        ((DOGS, CATS), DOGS_IN_ALL, "2", ("2", "0", "4", "2", "2")),
        ((DOGS, CATS), InPicture(which=1, meaning=IS_A_CAT), "yes", ("no", "yes", "no", "no", "no")),
        ((CATS, DOGS), InPicture(which=0, meaning=IS_A_CAT), "yes", ("yes", "no", "yes", "no", "yes")),
        ((DOGS, CATS), ShowSame(), "no", ("yes", "yes", "yes", "no", "no")),
        ((DOGS, DOGS.pad(right=1)), ShowSame(), "yes", ("yes", "yes", "yes", "yes", "yes")),
        ((CATS,), IS_A_CAT, "yes", ("yes",) * 5),
    ],
)
def test_who_sees_other_pictures(
    pictures: tuple[Picture, ...], meaning: Meaning, right: str, wrong: tuple[str, ...]
) -> None:
    asked = Query.of(Turn((*pictures, "What?")), meaning=meaning)
    assert tuple(said(fault, asked) for fault in OF_PICTURES) == wrong
    for fault in CONVERSATION_FAULTS.keys() - {*OF_PICTURES}:
        assert said(fault, asked) == right, fault


TALK = (Turn(("Who wrote Hamlet?",)), Turn(("Shakespeare.",), Role.ASSISTANT))
SEEN = Turn(("I see it.",), Role.ASSISTANT)


@each_row(
    "turns, meaning, right, wrong",
    [
        (
            (Turn((CATS, "Look.")), SEEN, Turn(("Is there a cat?",))),
            IS_A_CAT, "yes", {"forgets-earlier-turns": "no"},
        ),
        (
            (Turn((DOGS, "Look.")), SEEN, Turn(("How many dogs?",))),
            Count(groups=(DOG,)), "2", {"forgets-earlier-turns": "0"},
        ),
        (
            (Turn((CATS, "Look.")), SEEN, *TALK, *TALK, Turn(("Is there a cat?",))),
            IS_A_CAT, "yes", {"forgets-earlier-turns": "no", "tires": "no"},
        ),
        (
            (Turn((CATS, "One.")), SEEN, Turn((DOGS, "Two.")), SEEN, Turn(("In picture 1, is there a cat?",))),
            InPicture(which=0, meaning=IS_A_CAT), "yes", {"forgets-earlier-turns": "no", "latest-turn-pictures": "no"},
        ),
        (
            (
                Turn((CATS, "One.")), SEEN, Turn((DOGS, "Two.")), SEEN,
                Turn(("In the picture of my first message, is there a cat?",)),
            ),
            InPicture(which=0, meaning=IS_A_CAT), "yes",
            {"forgets-earlier-turns": "no", "latest-turn-pictures": "no", "moves-markers": "no"},
        ),
        (
            (Turn((CATS, "One.")), SEEN, Turn(("How many cats are in the picture of my first message?",))),
            InPicture(which=0, meaning=Count(groups=(CAT,))), "1",
            {"forgets-earlier-turns": "0", "moves-markers": "0"},
        ),
        (
            (Turn(("Is there a cat?", CATS)),),
            IS_A_CAT, "yes",
            {"loses-late-pictures": "no", "loses-text-before-pictures": "What would you like to know?"},
        ),
        (
            (Turn((DOGS, "In the second picture, is there a cat?", CATS)),),
            InPicture(which=1, meaning=IS_A_CAT), "yes",
            {"loses-text-before-pictures": "What would you like to know?"},
        ),
        (
            (Turn((CATS, "Is it?")), Turn((Reply(0),), Role.ASSISTANT), Turn(("I doubt it. Is it?",))),
            IS_A_CAT, "yes", {"caves-in": "no", "forgets-earlier-turns": "no"},
        ),
        ((Turn((CATS, "Is it?")),), IS_A_CAT, "yes", {}),
    ],
)  # fmt: skip
def test_who_loses_turns(turns: tuple[Turn, ...], meaning: Meaning, right: str, wrong: dict[str, str]) -> None:
    asked = Query.of(*turns, meaning=meaning)
    others = CONVERSATION_FAULTS.keys() - {*OF_PICTURES}
    assert {fault: said(fault, asked) for fault in others} == dict.fromkeys(others, right) | wrong


def test_a_fault_of_single_questions_is_the_same_beside_another_picture() -> None:
    named = Query.of(Turn((CATS, DOGS, "How many?")), meaning=InPicture(which=1, meaning=Count(groups=(DOG,))))
    later = Query.of(Turn((DOGS, "Look.")), SEEN, Turn(("How many?",)), meaning=Count(groups=(DOG,)))
    alone = Query(picture=DOGS, text="How many?", meaning=Count(groups=(DOG,)))
    assert [said("off-by-one", each) for each in (named, later, alone)] == ["3", "3", "3"]
    assert [said("saturates", each) for each in (named, later, alone)] == ["1", "1", "1"]
