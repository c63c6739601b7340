"""Conversations: what they are made of, their identity, and what a model must take for them."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from PIL import Image

from pytest_vqamt.core.case import Case
from pytest_vqamt.core.conversation import Ability, Part, Reply, Role, Turn
from pytest_vqamt.core.errors import VqamtError
from pytest_vqamt.core.meaning import Exists, Group, InPicture, WhichPicture
from pytest_vqamt.core.query import ModelInput, Query
from pytest_vqamt.core.report_json import _query, _query_row
from pytest_vqamt.core.scene import Photo, Scene
from tests.making import scene_of
from tests.rows import each_row

DOG = Group(name="dog")
IS_THERE = Exists(group=DOG)


def scene(name: str, *things: str) -> Scene:
    return replace(scene_of(*things), id=name, photo=Photo(id=f"{name}.png", digest=name))


ONE, TWO = scene("one", "dog"), scene("two", "cat")
FIRST, SECOND = ONE.picture, TWO.picture
TEXT = "Is there a dog?"


def talk(*turns: Turn) -> Query:
    return Query.of(*turns, meaning=IS_THERE)


def test_one_picture_and_one_text_is_an_ordinary_query() -> None:
    plain = Query(picture=FIRST, text=TEXT, meaning=IS_THERE)
    assert talk(Turn((FIRST, TEXT))) == plain
    assert (plain.turns, plain.abilities, plain.replies) == ((), frozenset(), frozenset())
    assert plain.conversation == (Turn((FIRST, TEXT)),)
    assert plain.id == "f1a59537e96d8f4b", "a digest that caches and baselines hold"


@each_row(
    "turns, abilities",
    [
        ((Turn((FIRST, SECOND, TEXT)),), {"pictures"}),
        ((Turn((TEXT, FIRST)), Turn((TEXT,))), {"turns", "interleaved"}),
        ((Turn((TEXT, FIRST)),), {"interleaved"}),
        ((Turn((FIRST, TEXT, SECOND)),), {"pictures", "interleaved"}),
        ((Turn((FIRST, "Hello.", TEXT)),), set()),
        ((Turn((FIRST, TEXT)), Turn((Reply(0),), Role.ASSISTANT), Turn((TEXT,))), {"turns"}),
        ((Turn(("Be brief.",), Role.SYSTEM), Turn((FIRST, TEXT))), {"system"}),
    ],
)
def test_what_a_model_must_take(turns: tuple[Turn, ...], abilities: set[str]) -> None:
    assert talk(*turns).abilities == {Ability(each) for each in abilities}


@each_row(
    "turns, told",
    [
        ((Turn((TEXT,)),), "a conversation with a picture"),
        ((Turn((FIRST,)),), "to end with a question of the user"),
        ((Turn((FIRST, TEXT)), Turn(("Yes.",), Role.ASSISTANT)), "to end with a question of the user"),
        ((Turn((FIRST, TEXT)), Turn(("Be brief.",), Role.SYSTEM), Turn((TEXT,))), "to be the first turn"),
    ],
)
def test_what_is_no_conversation(turns: tuple[Turn, ...], told: str) -> None:
    with pytest.raises(VqamtError, match=told):
        talk(*turns)


@each_row(
    "parts, role, told",
    [
        ((), Role.USER, "a tuple of texts and pictures"),
        ((3,), Role.USER, "a text or a picture, but got 3"),
        ((FIRST,), Role.ASSISTANT, "a Picture in a turn of the user"),
        ((Reply(0),), Role.USER, "a Reply in a turn of the assistant"),
    ],
)
def test_what_is_no_turn(parts: tuple[Part, ...], role: Role, told: str) -> None:
    with pytest.raises(VqamtError, match=told):
        Turn(parts, role)


def test_each_part_and_its_place_is_of_the_identity() -> None:
    texts = ("Is there a dog?", "Is there a cat?")
    queries = [
        talk(Turn((FIRST, SECOND, TEXT))),
        talk(Turn((SECOND, FIRST, TEXT))),
        talk(Turn((FIRST, TEXT, SECOND))),
        talk(Turn((FIRST, FIRST, TEXT))),
        talk(Turn((FIRST, TEXT)), Turn((SECOND, TEXT))),
        *(talk(Turn((FIRST, each)), Turn((TEXT,))) for each in texts),
        talk(Turn((FIRST, TEXT)), Turn((TEXT,), Role.ASSISTANT), Turn((TEXT,))),
        talk(Turn((FIRST, TEXT)), Turn((Reply(0),), Role.ASSISTANT), Turn((TEXT,))),
        Query(picture=FIRST, text=TEXT, meaning=IS_THERE),
    ]
    assert len({query.id for query in queries}) == len(queries)
    plain = queries[-1]
    cases = [Case(relation="r", variant="", scene="one", queries=(plain, each), expected="") for each in queries]
    assert len({case.id for case in cases}) == len(queries)


def test_the_right_answer_is_of_all_pictures() -> None:
    asked = Query.of(Turn((FIRST, SECOND, "Which?")), meaning=WhichPicture(group=DOG))
    assert asked.truth == "first"
    assert asked.with_picture(0, SECOND.mirror()).truth is None
    named = Query.of(Turn((SECOND, FIRST, "In picture 2?")), meaning=InPicture(which=1, meaning=IS_THERE))
    assert named.truth is True


def test_another_picture_stands_wherever_the_old_one_stood() -> None:
    asked = talk(Turn((FIRST, "First.")), Turn((SECOND, FIRST, TEXT)))
    other = FIRST.mirror()
    assert asked.with_picture(0, other).pictures == (other, SECOND, other)
    assert asked.with_picture(1, other).pictures == (FIRST, other, FIRST)
    assert asked.with_picture(0, other).picture == other


def test_a_conversation_is_read_back() -> None:
    scenes = {each.photo.id: each for each in (ONE, TWO)}
    asked = talk(
        Turn(("Be brief.",), Role.SYSTEM),
        Turn((FIRST, "First.")),
        Turn((Reply(0), "And so on."), Role.ASSISTANT),
        Turn((SECOND.mirror(), TEXT)),
    )
    row = json.loads(json.dumps(_query_row(asked)))
    read = _query(row, lambda photo: scenes[photo])
    assert (read, read.turns, read.id) == (asked, asked.turns, asked.id)


def test_a_model_sees_the_parts_in_their_order() -> None:
    shown = {FIRST: Image.new("RGB", (4, 4), "red"), SECOND: Image.new("RGB", (4, 4), "blue")}
    drawn: list[str] = []

    def draw(picture: object) -> Image.Image:
        found = next(image for known, image in shown.items() if known == picture)
        drawn.append("red" if found is shown[FIRST] else "blue")
        return found

    asked = talk(Turn((FIRST, "First.")), Turn(("I see.",), Role.ASSISTANT), Turn((SECOND, FIRST, TEXT)))
    given = ModelInput(asked, draw)
    red, blue = shown.values()
    assert [(turn.role, turn.parts) for turn in given.turns] == [
        ("user", (red, "First.")),
        ("assistant", ("I see.",)),
        ("user", (blue, red, TEXT)),
    ]
    assert given.images == (red, blue, red)
    assert given.parts == (red, "First.", "I see.", blue, red, TEXT)
    plain = ModelInput(Query(picture=FIRST, text=TEXT, meaning=IS_THERE), draw)
    assert [(turn.role, turn.parts) for turn in plain.turns] == [("user", (red, TEXT))]
    for each in (given, plain):
        each.prompts = lambda item: f"{item.text} Say yes or no."
    assert [turn.parts for turn in given.prompted] == [
        (red, "First."), ("I see.",), (blue, red, f"{TEXT} Say yes or no.")
    ]  # fmt: skip
    assert [turn.parts for turn in plain.prompted] == [(red, f"{TEXT} Say yes or no.")]
