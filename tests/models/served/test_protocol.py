"""Answers and the lack of them are read back as they were written, and so is what a server says of itself."""

from __future__ import annotations

import json
from base64 import b64encode
from dataclasses import fields, replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.codec import encode
from pytest_vqamt.core.conversation import Role, Turn
from pytest_vqamt.core.meaning import Annotated, Both, Count, Describe, Group, Meaning, Related
from pytest_vqamt.core.query import Answer, Failure, Query, Task
from pytest_vqamt.core.recipes import picture_from_recipe
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.models.served import answer_requests as requests
from pytest_vqamt.models.served.answer_requests import (
    MAX_DEPTH,
    MAX_MARKS,
    MAX_TEXT,
    MAX_VALUES,
    PngRow,
    RecipeRow,
    RequestTooLargeError,
    png_row,
    query_row,
    read_request,
    recipe_row,
    write_request,
)
from pytest_vqamt.models.served.wire_format import (
    ModelCard,
    PixelsNeeded,
    QueryResult,
    ServedData,
    ServerStatus,
    WireError,
    model_identity,
    read_answers_response,
    read_card,
    read_error,
    read_status,
    write_answers,
    write_card,
    write_error,
    write_status,
)
from tests.rows import each_row

TEXTS = st.text(st.characters(codec="utf-8"), max_size=20)
SCORES = st.lists(st.tuples(TEXTS, st.floats(allow_nan=False, allow_infinity=False)), max_size=3).map(tuple)
AMOUNTS = st.none() | st.floats(0, 1e9)
# By the fields of the type, so that a field that comes later is sent, too.
ANSWER_FIELDS: dict[str, st.SearchStrategy[Any]] = {
    "text": TEXTS,
    "scores": st.none() | SCORES,
    "truncated": st.booleans(),
    "declined": TEXTS,
    "unknown_words": st.lists(TEXTS, max_size=3).map(tuple),
    "tokens_in": AMOUNTS,
    "tokens_out": AMOUNTS,
    # Of the probe alone, which the scores of the first token do for a served model.
    "steps": st.none(),
    "cost": AMOUNTS,
}
ANSWERS = st.builds(Answer, **{name: ANSWER_FIELDS[name] for name in Answer.__struct_fields__})
LINES = st.text(st.characters(codec="ascii", categories=["L", "N"]), min_size=1, max_size=20)
TOLD = ANSWERS | st.builds(Failure, reason=LINES) | st.builds(PixelsNeeded, reason=LINES)


@given(told=st.lists(TOLD, max_size=5))
def test_a_reply_is_read_back(told: list[QueryResult]) -> None:
    reply = read_answers_response(write_answers("m", told), len(told))
    assert reply.model == "m"
    # Equality leaves out what an answer took.
    assert list(map(repr, reply.answers)) == list(map(repr, told))


def test_a_reason_is_one_line_that_every_file_can_hold() -> None:
    (told,) = read_answers_response(
        write_answers("m", [Failure(reason="ValueError: a\n  \ud83d" + "x" * 9000)]), 1
    ).answers
    assert isinstance(told, Failure)
    assert told.reason.startswith("ValueError: a ?x")
    assert len(told.reason) == 4096


def test_an_error_is_read_back_and_what_is_none_is_empty() -> None:
    assert read_error(write_error("too\nlarge")) == "too large"
    assert [read_error(body) for body in (b"", b"<html>", b"[]", b'{"error": 1}', b"[" * 100_000)] == [""] * 5


CARD = ModelCard(
    identity="00000000000000a1",
    vqamt_version="1.0",
    model="tiny",
    fingerprint="tiny weights=1",
    persistent=True,
    tasks=(Task.VQA, Task.CAPTIONING),
    batch_size=8,
    reads_meaning=False,
    needs_scenes=False,
    data=(ServedData(spec="pictures:5", digest="b"),),
    max_queries=7,
    max_bytes=70,
    replicas=2,
)


def test_a_card_is_read_back() -> None:
    assert read_card(write_card(CARD)) == CARD
    other = replace(CARD, persistent=False, reads_meaning=True, needs_scenes=True, data=())
    assert read_card(write_card(other)) == other


def test_every_field_of_a_card_is_sent() -> None:
    others: dict[str, Any] = {
        "identity": "00000000000000b2", "vqamt_version": "1.1", "model": "oracle", "fingerprint": "other",
        "persistent": False, "tasks": (Task.ENTAILMENT,), "batch_size": 9, "reads_meaning": True, "needs_scenes": True,
        "switches_reasoning": True, "takes": ("turns", "later"), "data": (), "max_queries": 8, "max_bytes": 71,
        "replicas": 3,
    }  # fmt: skip
    assert set(others) | {"wire"} == {field.name for field in fields(ModelCard)}
    for name, value in others.items():
        other = replace(CARD, **{name: value})
        assert other != CARD
        assert read_card(write_card(other)) == other


def test_a_card_may_have_more_than_is_read() -> None:
    assert read_card(json.dumps({**json.loads(write_card(CARD)), "more": [1]}).encode()) == CARD


@each_row(
    "fields, what",
    [
        ({"wire": 1}, "Expected wire=2, but got wire=1 of pytest-vqamt '1.0': install the same version on both sides"),
        ({"wire": "2"}, "Expected `int`, got `str` - at `$.wire`"),
        ({"tasks": []}, "Expected `array` of length >= 1 - at `$.tasks`"),
        ({"tasks": ["sing"]}, "Invalid enum value 'sing' - at `$.tasks[0]`"),
        ({"persistent": 1}, "Expected `bool`, got `int` - at `$.persistent`"),
        ({"data": [{"spec": "x"}]}, "Object missing required field `digest` - at `$.data[0]`"),
        ({"batch_size": -1}, "Expected `int` >= 1 - at `$.batch_size`"),
    ],
)
def test_a_card_that_is_none_is_told_in_one_line(fields: dict[str, object], what: str) -> None:
    with pytest.raises(WireError) as error:
        read_card(json.dumps({**json.loads(write_card(CARD)), **fields}).encode())
    assert what in str(error.value)


def test_a_status_is_read_back() -> None:
    status = ServerStatus(
        queries_received=5, queries_asked=3, answers_remembered=3, uptime_s=1.5, busy_s=0.5, replicas_alive=0
    )
    assert read_status(write_status(status)) == status
    with pytest.raises(WireError, match=r"Expected `float` >= 0.0 - at `\$.busy_s`"):
        read_status(write_status(replace(status, busy_s=-1)))


def test_an_identity_is_of_all_that_may_change_an_answer() -> None:
    names = [
        model_identity("tiny", "f", ""),
        model_identity("tiny", "g", ""),
        model_identity("tinier", "f", ""),
        model_identity("tiny", "f", "s"),
    ]
    assert len(set(names)) == 4
    assert model_identity("tiny", "f", "") == names[0]


PNG = b"\x89PNG\r\n\x1a\nand so on"
RECIPE: dict[str, Any] = {"photo": "a.jpg", "digest": "00000000000000a1", "edits": []}
QUERY: dict[str, Any] = {"task": "vqa", "text": "what?", "picture": 0}


def body(**fields: object) -> bytes:
    """A request that is sound but for these fields."""
    return json.dumps({"model": "m", "pictures": [RECIPE], "queries": [QUERY], **fields}).encode()


def turns(*given: dict[str, Any]) -> dict[str, Any]:
    """A conversation that ends with a question, if these turns do."""
    return {**QUERY, "text": "how many?", "turns": list(given)}


GROUP = Group(name="dog", covers=("dog", "puppy"), related=(Related(predicate="on", to=Group(name="table")),))
MEANINGS: tuple[Meaning, ...] = (
    Describe(),
    Count(groups=(GROUP,)),
    Both(groups=(GROUP, Group(name="cat", attributes=("black",)))),
    Annotated(answers=(("yes", 0.3), ("no", 1)), options=("yes", "no")),
)


@given(
    text=st.text(st.characters(codec="utf-8"), max_size=50),
    task=st.sampled_from(Task),
    trial=st.integers(0, 3),
    reasoning=st.none() | st.booleans(),
    meaning=st.sampled_from(MEANINGS),
    with_meaning=st.booleans(),
)
def test_a_query_is_read_back(
    text: str, task: Task, trial: int, reasoning: bool | None, meaning: Meaning, with_meaning: bool
) -> None:
    scene = Scene(id="s", photo=_photo(), width=8, height=8)
    query = Query(picture=scene.picture, text=text, meaning=meaning, task=task, trial=trial, reasoning=reasoning)
    written = write_request(
        "m", [recipe_row(scene.picture)], [query_row(query, {scene.picture.digest: 0}, with_meaning=with_meaning)]
    )
    (read,) = read_request(written).queries
    sent = {"picture": 0, "text": text, "meaning": meaning if with_meaning else None, "task": task, "trial": trial}
    sent |= {"reasoning": reasoning, "turns": ()}
    assert set(sent) == set(Query.__struct_fields__) - {"id"}
    assert {name: getattr(read, name) for name in sent} == sent


TURNS: list[dict[str, Any]] = [
    {"role": "system", "parts": ["Be brief."]},
    {"role": "user", "parts": ["first", 0, 1, "second", 0]},
    {"role": "assistant", "parts": ["yes"]},
    {"role": "user", "parts": ["how many?"]},
]


def test_a_conversation_is_read_back(yard: Scene) -> None:
    first, second = yard.picture, yard.picture.mirror()
    turns = (
        Turn(("Be brief.",), Role.SYSTEM),
        Turn(("first", first, second, "second", first)),
        Turn(("yes",), Role.ASSISTANT),
        Turn(("how many?",)),
    )
    query = Query.of(*turns, meaning=Describe())
    row = query_row(query, {first.digest: 0, second.digest: 1}, with_meaning=False)
    assert json.loads(row) == {"task": "vqa", "text": "how many?", "picture": 0, "turns": TURNS}
    (read,) = read_request(write_request("m", [recipe_row(first), recipe_row(second)], [row])).queries
    assert [(turn.role.value, list(turn.parts)) for turn in read.turns] == [
        (turn["role"], turn["parts"]) for turn in TURNS
    ]
    assert read.pictures == (0, 1)
    moved = read.moved({0: 7, 1: 3})
    assert (moved.picture, moved.pictures) == (7, (7, 3))
    assert moved.turns[1].parts == ("first", 7, 3, "second", 7)


def test_the_key_of_a_conversation_is_that_of_its_roles_and_its_parts_in_order() -> None:
    other = {**RECIPE, "edits": [{"is": "Mirror"}]}

    def key(*turns: dict[str, object], text: str = "how many?", pictures: tuple[object, ...] = (RECIPE, other)) -> str:
        queries = [{**QUERY, "text": text, "turns": list(turns)}]
        return read_request(body(pictures=list(pictures), queries=queries)).key(0)

    def user(*parts: object) -> dict[str, object]:
        return {"role": "user", "parts": list(parts)}

    seen: dict[str, object] = {"role": "assistant", "parts": ["I see."]}
    keys = [
        key(user(0, "how many?"), pictures=(RECIPE,)),
        key(user(0, 1, "how many?")),
        key(user(0, 1, 1, "how many?")),
        key(user(0, "a", 1, "how many?")),
        key(user(0, 1, "a", "how many?")),
        key(user(0, 1), user("how many?")),
        key(user(0, 1), seen, user("how many?")),
        read_request(body(queries=[{**QUERY, "text": "how many?"}])).key(0),
    ]
    assert len(set(keys)) == len(keys)
    assert key(user(0, 1, "how many?")) == keys[1]


def test_a_server_of_before_refuses_a_conversation_and_does_not_read_a_part_of_it() -> None:
    """Its reader knew no such field: unknown ones are refused, as they still are."""
    with pytest.raises(WireError, match="Object contains unknown field `films`"):
        read_request(body(queries=[{**QUERY, "films": []}]))


def test_pictures_are_read_back(yard: Scene) -> None:
    picture = yard.picture.erase(Box(0, 60.5, 20, 20)).blur(keep=(Box(1, 2, 3, 4),), sigma=1.25).mirror()
    query = query_row(Query(picture=picture, meaning=Describe()), {picture.digest: 0}, with_meaning=False)
    read = read_request(
        write_request("m", [recipe_row(picture), png_row(b64encode(PNG).decode())], [query, query])
    ).pictures
    assert isinstance(read[0], RecipeRow)
    assert read[0].row["photo"] == "yard.png"
    assert picture_from_recipe(read[0].row, {"yard.png": yard}.__getitem__) == picture
    assert read[1] == PngRow(PNG)


def test_equal_queries_have_one_key_and_others_have_others() -> None:
    other = {**RECIPE, "edits": [{"is": "Mirror"}]}
    pictures = [RECIPE, other, {"png": b64encode(PNG).decode()}]
    queries = [
        QUERY, {**QUERY, "picture": 1}, {**QUERY, "picture": 2}, {**QUERY, "text": "why?"}, {**QUERY, "trial": 1},
        {**QUERY, "task": "entailment"}, {**QUERY, "reasoning": True}, {**QUERY, "reasoning": False},
    ]  # fmt: skip
    request = read_request(body(pictures=pictures, queries=queries))
    keys = [request.key(place) for place in range(len(queries))]
    assert len(set(keys)) == len(keys)
    again = read_request(body(pictures=[other, RECIPE], queries=[{**QUERY, "picture": 1}, QUERY]))
    assert [again.key(0), again.key(1)] == keys[:2]
    # A meaning that is sent may change the answer, as does what a recipe calls its digest.
    meant = [
        read_request(body(queries=[{**QUERY, "meaning": row}])).key(0)
        for row in ({"is": "Describe"}, encode(Count(groups=(GROUP,))), {"is": "Describe"})
    ]
    assert len({keys[0], *meant}) == 3
    assert meant[0] == meant[2]
    assert read_request(body(pictures=[{**RECIPE, "digest": "another"}])).key(0) not in keys


def _nested(depth: int) -> object:
    value: object = 1
    for _ in range(depth):
        value = [value]
    return value


@each_row(
    "written, what",
    [
        (b"", "Expected a request, but cannot read its 0 bytes: Input data was truncated"),
        (b"\xff\xfe", "JSON is malformed"),
        (b'{"model": "\xff"}', "'utf-8' codec can't decode byte 0xff"),
        (b"[" * 100_000, "Expected `object`, got `array`"),
        (b'{"queries": [{"meaning": ' + b"[" * 100_000, "Expected a request, but cannot read its"),
        (b"[]", "Expected `object`, got `array`"),
        (b"{}", "Object missing required field `model`"),
        (body(more=1), "Object contains unknown field `more`"),
        (body(**{"\x1b[31m\n": 1}), "Object contains unknown field `?[31m `"),
        (body(model=1), "Expected `str`, got `int` - at `$.model`"),
        (body(queries={}), "Expected `array`, got `object` - at `$.queries`"),
        (body(queries=[]), "Expected no more pictures than queries (0), but got 1"),
        (body(queries=["x"]), "Expected `object`, got `str` - at `$.queries[0]`"),
        (
            body(pictures=[RECIPE] * 3, queries=[turns({"role": "user", "parts": [0, 1, "how many?"]})]),
            "Expected no more pictures than queries (1), but got 3, and they show 2",
        ),
        (body(queries=[turns({"role": "user", "parts": [0, 1, "how many?"]})]), "pictures, but got picture=1"),
        (body(queries=[turns({"role": "user", "parts": []})]), "length >= 1 - at `$.queries[0].turns[0].parts`"),
        (body(queries=[turns({"role": "user", "parts": [-1]})]), "at `$.queries[0].turns[0].parts[0]`"),
        (body(queries=[turns({"role": "user", "parts": [0, None]})]), "at `$.queries[0].turns[0].parts[1]`"),
        (body(queries=[turns({"role": "tool", "parts": [0]})]), "Invalid enum value 'tool'"),
        (body(queries=[turns({"role": "user", "parts": [0], "name": "x"})]), "unknown field `name`"),
        (body(queries=[turns(*[{"role": "user", "parts": [0]}] * 257)]), "length <= 256 - at `$.queries[0].turns`"),
        (body(queries=[turns(*[{"role": "user", "parts": [0] * 300}] * 2)]), "to have at most 512 parts, but got 600"),
        (body(queries=[turns()]), "to begin with its 'picture' and to end with its 'text'"),
        (body(queries=[turns({"role": "user", "parts": [0, "why?"]})]), "to begin with its 'picture' and to end"),
        (body(queries=[turns({"role": "user", "parts": ["how many?"]})]), "to begin with its 'picture' and to end"),
        (
            body(queries=[turns({"role": "user", "parts": [0]}, {"role": "assistant", "parts": ["how many?"]})]),
            "a question of the user, but they do not",
        ),
        (
            body(queries=[turns({"role": "assistant", "parts": [0]}, {"role": "user", "parts": ["how many?"]})]),
            "Expected pictures in turns of the user alone",
        ),
        (
            body(
                queries=[
                    turns(
                        {"role": "user", "parts": [0]},
                        {"role": "system", "parts": ["x"]},
                        {"role": "user", "parts": ["how many?"]},
                    )
                ]
            ),
            "Expected a system message as the first of 'turns'",
        ),
        (body(queries=[{"task": "vqa"}]), "Object missing required field `text` - at `$.queries[0]`"),
        (body(queries=[{**QUERY, "task": "sing"}]), "Invalid enum value 'sing' - at `$.queries[0].task`"),
        (body(queries=[{**QUERY, "task": "s" * 9999}]), "Invalid enum value 'sss"),
        (body(queries=[{**QUERY, "text": None}]), "Expected `str`, got `null` - at `$.queries[0].text`"),
        (body(queries=[{**QUERY, "text": "x" * 100_001}]), "`str` of length <= 100000 - at `$.queries[0].text`"),
        (body(queries=[{**QUERY, "text": "\ud83d"}]), "unexpected end of escaped utf-16 surrogate pair"),
        (body(queries=[{**QUERY, "picture": 1}]), "to be one of the 1 pictures, but got picture=1"),
        (body(queries=[{**QUERY, "picture": -1}]), "Expected `int` >= 0 - at `$.queries[0].picture`"),
        (body(queries=[{**QUERY, "picture": True}]), "Expected `int`, got `bool` - at `$.queries[0].picture`"),
        (body(queries=[{**QUERY, "trial": 1.5}]), "Expected `int`, got `float` - at `$.queries[0].trial`"),
        (body(queries=[{**QUERY, "trial": 1_000_001}]), "Expected `int` <= 1000000 - at `$.queries[0].trial`"),
        (body(queries=[{**QUERY, "id": "x"}]), "Object contains unknown field `id` - at `$.queries[0]`"),
        (
            body(queries=[{**QUERY, "meaning": {"is": "Photo", "id": "a", "digest": "b"}}]),
            "Expected a record whose 'is' is one of Count, Exists, ",
        ),
        (body(queries=[{**QUERY, "meaning": {"is": "os.system"}}]), "'meaning' of queries[0] to be one that this"),
        (body(queries=[{**QUERY, "meaning": {"is": "Exists", "grp": 1}}]), "Expected Exists with group, but got 'grp'"),
        (body(queries=[{**QUERY, "meaning": None}]), "MovesFirst, but got None"),
        (body(pictures=["a.jpg"]), "Expected `object`, got `str` - at `$.pictures[0]`"),
        (body(pictures=[{"photo": "a.jpg"}]), "Expected pictures[0] to have either 'png', or 'photo', 'digest' and"),
        (body(pictures=[{**RECIPE, "photo": 7}]), "Expected `str`, got `int` - at `$.pictures[0].photo`"),
        (body(pictures=[{**RECIPE, "photo": "x" * 5000}]), "`str` of length <= 4096 - at `$.pictures[0].photo`"),
        (body(pictures=[{**RECIPE, "edits": {}}]), "Expected `array`, got `object` - at `$.pictures[0].edits`"),
        (body(pictures=[{**RECIPE, "edits": [{}] * 257}]), "`array` of length <= 256 - at `$.pictures[0].edits`"),
        (body(pictures=[{**RECIPE, "edits": [{"x": [0] * 20_001}]}]), "hold at most 20000 values"),
        (body(pictures=[{**RECIPE, "edits": [_nested(MAX_DEPTH)]}]), f"at most {MAX_DEPTH} deep"),
        (body(pictures=[{**RECIPE, "edits": [{"x": 1e10}]}]), "Expected numbers up to 1e+09 in 'edits' of pictures[0]"),
        (body(pictures=[{**RECIPE, "edits": [{"x": 10**30}]}]), "Expected numbers up to 1e+09 in 'edits' of pictures"),
        (body(pictures=[{**RECIPE, "edits": [{"x" * 5000: 1}]}]), "Expected strings of at most 4096 characters in"),
        (body(pictures=[{**RECIPE, "edits": [{"x": "\udc00"}]}]), "invalid utf-16 surrogate pair"),
        (body(pictures=[{**RECIPE, "edits": [{"x": 1}]}]).replace(b'"x": 1', b'"x": NaN'), "JSON is malformed"),
        (body(pictures=[{**RECIPE, "edits": [{"x": 1}]}]).replace(b'"x": 1', b'"x": 1e999'), "Number out of range"),
        (body(pictures=[{**RECIPE, "png": "aaaa"}]), "Expected pictures[0] to have either 'png', or 'photo', 'digest'"),
        (body(pictures=[{"png": 1}]), "Expected `bytes`, got `int` - at `$.pictures[0].png`"),
        (body(pictures=[{"png": "iVBORw0KGgo=!"}]), "Invalid base64 encoded string - at `$.pictures[0].png`"),
        (body(pictures=[{"png": b64encode(b"GIF89a").decode()}]), "to be a PNG file in base64, but got 6 other bytes"),
    ],
)
def test_what_is_wrong_is_told_in_one_line(written: bytes, what: str) -> None:
    with pytest.raises(WireError) as error:
        read_request(written)
    assert what in str(error.value)
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 500
    assert not isinstance(error.value, RequestTooLargeError)


def test_too_much_is_told_apart() -> None:
    with pytest.raises(RequestTooLargeError, match="at most 10 bytes in one request, but got"):
        read_request(body(), max_bytes=10)
    with pytest.raises(RequestTooLargeError, match="at most 2 queries in one request, but got 3"):
        read_request(body(queries=[QUERY] * 3), max_queries=2)
    assert len(read_request(body(queries=[QUERY] * 2), max_queries=2).queries) == 2


def test_what_would_take_much_room_is_not_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(requests, "read_message", lambda *_args: pytest.fail("it was"))
    for values in (b"1," * (MAX_MARKS + 1), b"[" * (MAX_MARKS + 1), b'{"a":' * (MAX_MARKS + 1)):
        with pytest.raises(RequestTooLargeError, match="at most 500000 commas and opening brackets in one request"):
            read_request(values)


def test_the_largest_query_is_not_too_much() -> None:
    edits = [{"is": "Mask", "values": [0] * (MAX_VALUES - 100)}]
    meaning = {"is": "Count", "values": [0] * (MAX_VALUES - 100)}
    one = {**QUERY, "text": "," * MAX_TEXT, "meaning": meaning}
    with pytest.raises(WireError, match="'meaning' of queries"):  # it is read, and found to be none
        read_request(body(pictures=[{**RECIPE, "edits": edits}], queries=[one]))


def _photo() -> Any:
    from pytest_vqamt.core.scene import Photo

    return Photo(id="a.jpg", digest="00000000000000a1")
