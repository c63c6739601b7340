"""A field is read as what it must be, and an error leads to it."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.errors import DataError
from pytest_vqamt.core.text import short_repr
from pytest_vqamt.data.records import (
    Record,
    UniqueIds,
    are_numbers,
    is_number,
    is_short_line,
    is_text,
    normalise_name,
    whole,
)
from tests.rows import each_row

FRAME = Box(0, 0, 640, 480)
NAN, INFINITE = float("nan"), float("inf")

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(), inner, max_size=5),
    max_leaves=9,
)


def record(**row: object) -> Record:
    return Record(row, "graphs.jsonl:12", "objects[3]")


def error(read: Callable[[], object]) -> str:
    with pytest.raises(DataError) as caught:
        read()
    return str(caught.value)


# What comes out.


def test_texts_stay_as_they_are() -> None:
    assert record(caption=" A dog.\n").text("caption") == " A dog.\n"
    assert record().text("kind", "") == ""
    assert record(kind=None).text("kind", "none") == "none"
    assert record(captions=["b", "a", "b"]).texts("captions") == ("b", "a", "b")
    assert record(captions=None).texts("captions") == ()


def test_names_are_tidied_and_come_once() -> None:
    assert record(name=" Teddy\t BEAR ").name("name") == "teddy bear"
    assert record(attributes=["Red", "big", "red "]).names("attributes") == ("red", "big")
    assert record().names("attributes") == ()


def test_whole_numbers_and_texts_are_ids() -> None:
    assert [record(id=value).identity("id") for value in ("a 1", 7, -7, 7.0)] == ["a 1", "7", "-7", "7"]


def test_numbers_stay_as_they_are() -> None:
    assert record(x=-0.5).number("x") == -0.5
    assert record(n=640.0).whole("n") == 640
    assert isinstance(record(n=640.0).whole("n"), int)
    assert record(box=[1, 2.5, 10**30]).numbers("box") == (1, 2.5, 10**30)
    assert record(mask=[[1, 2], []]).number_lists("mask") == ((1, 2), ())
    assert record().number_lists("mask") == ()


def test_flags() -> None:
    assert record(crowd=True).flag("crowd") is True
    assert record(crowd=None).flag("crowd", False) is False


def test_sizes() -> None:
    assert record(width=1, height=100_000).size() == (1, 100_000)
    assert record(w=640.0, h=480).size("w", "h") == (640, 480)


def test_null_is_not_there() -> None:
    assert not record(mask=None).has("mask")
    assert record(mask=[]).has("mask")
    assert record(objects=None).items("objects") == []


def test_records_within_records_know_their_way() -> None:
    outer = Record({"objects": [{"parts": {"9": {"box": 3}}}]}, "graphs.jsonl:12")
    (thing,) = outer.records("objects")
    ((key, part),) = thing.keyed("parts")
    assert (key, part.label("box")) == ("9", "graphs.jsonl:12: objects[0].parts.9.box")
    assert thing.record("parts").label() == "graphs.jsonl:12: objects[0].parts"
    assert outer.label() == "graphs.jsonl:12"
    assert list(outer.records("regions")) == []
    assert list(outer.keyed("scenes")) == []


# Boxes.


@each_row(
    "box, within",
    [
        ([10, 20, 30, 40], Box(10, 20, 30, 40)),
        ([0, 0, 640, 480], Box(0, 0, 640, 480)),
        ([-10, -20, 30, 40], Box(0, 0, 20, 20)),
        ([630, 470, 30, 40], Box(630, 470, 10, 10)),
        ([-1e9, 100, 2e9, 1], Box(0, 100, 640, 1)),
        ([0.1, 0.1, 0.2, 0.2], Box(0.1, 0.1, 0.2, 0.2)),
    ],
)
def test_a_box_is_cut_off_at_the_edge(box: list[float], within: Box) -> None:
    assert record(box=box).box("box", FRAME) == within
    x, y, w, h = box
    given = record(x=x, top=y, w=w, h=h)
    assert given.within(given.box_of(("x", "top", "w", "h")), FRAME, "x") == within


SIDES = st.floats(-2000, 2000, allow_nan=False)


@given(x=SIDES, y=SIDES, w=SIDES, h=SIDES)
def test_a_box_is_inside_or_refused_and_read_again_it_is_the_same(x: float, y: float, w: float, h: float) -> None:
    shows = w > 0 and h > 0 and min(x + w, 640) > max(x, 0) and min(y + h, 480) > max(y, 0)
    try:
        box = record(box=[x, y, w, h]).box("box", FRAME)
    except DataError:
        tiny = x + w <= x or y + h <= y or (min(x + w, 640) - max(x, 0)) * (min(y + h, 480) - max(y, 0)) == 0
        assert not shows or tiny
    else:
        assert shows
        assert box.x >= 0
        assert box.y >= 0
        assert box.area > 0
        assert box.x1 <= 640 * (1 + 1e-15)
        assert box.y1 <= 480 * (1 + 1e-15)
        assert record(box=[box.x, box.y, box.w, box.h]).box("box", FRAME) == box


# What is refused, and how it is said.


@each_row("value", [None, 3, True, "", " \n", ["a"], "\ud800", "dog\0", "\x1b[2Jdog", "d\x7fog"])
def test_no_text(value: object) -> None:
    assert error(lambda: record(name=value).text("name")).startswith(
        "graphs.jsonl:12: objects[3].name: Expected a text"
    )
    assert error(lambda: record(name=value).name("name")).startswith(
        "graphs.jsonl:12: objects[3].name: Expected a text"
    )
    assert "objects[3].names[1]: " in error(lambda: record(names=["a", value]).names("names"))


@each_row("value", [None, True, "7", [7], NAN, INFINITE, -INFINITE, 10**400])
def test_no_number(value: object) -> None:
    assert error(lambda: record(x=value).number("x")).startswith("graphs.jsonl:12: objects[3].x: Expected a number")
    assert "objects[3].box[2]: " in error(lambda: record(box=[1, 2, value, 4]).box("box", FRAME))
    assert "objects[3].w: " in error(lambda: record(x=1, y=2, w=value, h=4).box_of(("x", "y", "w", "h")))
    assert "objects[3].mask[1][0]: " in error(lambda: record(mask=[[], [value]]).number_lists("mask"))


@each_row("value", [None, False, "7", 1.5, NAN, INFINITE])
def test_no_whole_number(value: object) -> None:
    assert "objects[3].n: Expected a whole number, but got " in error(lambda: record(n=value).whole("n"))


@each_row(
    "value",
    [None, False, 1.5, "", NAN, [1], "a\nb", "a\x85b", "a\u2028b", "a\u202eb", "\x9b2J", "\x1b[2J", "x" * 201, 10**200],
)
def test_no_id(value: object) -> None:
    assert "objects[3].id: Expected " in error(lambda: record(id=value).identity("id"))


def test_an_id_can_have_signs_of_any_kind() -> None:
    for value in ("x" * 200, "a b", "a/b:c", "https://example.org/1.jpg", "Hündchen 狗 🐕", "9.41\u202fAM"):
        assert record(id=value).identity("id") == value


@each_row("key", ["", " ", "a\nb", "\ud800", "x" * 201])
def test_no_key(key: str) -> None:
    said = error(lambda: list(record(objects={"1": {}, key: {}}).keyed("objects")))
    assert said.startswith("graphs.jsonl:12: objects[3].objects: Expected ids as keys, but got key=")
    assert len(said.splitlines()) == 1


@each_row("value", [0, -640, 100_001, 639.5, True, "640", None])
def test_no_size(value: object) -> None:
    assert "objects[3].width: Expected a whole number from 1 to 100000" in error(record(width=value, height=1).size)
    assert "objects[3].height: Expected a whole number from 1 to 100000" in error(record(width=1, height=value).size)


@each_row("value", [None, 0, 1, "true"])
def test_no_flag(value: object) -> None:
    assert "objects[3].crowd: Expected true or false" in error(lambda: record(crowd=value).flag("crowd"))


@each_row(
    "box, said",
    [
        ([1, 2, 3], "Expected a box [x, y, w, h], but got box=[1, 2, 3]"),
        ([1, 2, 3, 4, 5], "Expected a box [x, y, w, h], but got box=[1, 2, 3, 4, 5]"),
        ("1 2 3 4", "Expected a list, but got box='1 2 3 4'"),
        (None, "Expected a list, but got box=None"),
        ([1, 2, 0, 4], "Expected a box of a width and height above 0, but got box=[1, 2, 0, 4]: it is 0 x 4"),
        (
            [0, 0, 1e-200, 1e-200],  # their product is 0
            "Expected a box of a width and height above 0, but got box=[0, 0, 1e-200, 1e-200]: it is 1e-200 x 1e-200",
        ),
        (
            [1, 2, 1e-20, 4],  # 1 + 1e-20 is 1
            "Expected a box of a width and height above 0, but got box=[1, 2, 1e-20, 4]: it is 1e-20 x 4",
        ),
        ([5, 5, 3, -4], "Expected a box of a width and height above 0, but got box=[5, 5, 3, -4]: it is 3 x -4"),
        (
            [640, 0, 9, 9],
            "Expected a box within the picture of 640 x 480 px, but got box=[640, 0, 9, 9]: all of it lies outside",
        ),
    ],
)
def test_no_box(box: object, said: str) -> None:
    assert error(lambda: record(box=box).box("box", FRAME)) == f"graphs.jsonl:12: objects[3].box: {said}"


def test_what_is_not_there() -> None:
    assert error(lambda: record().text("name")) == (
        "graphs.jsonl:12: objects[3].name: Expected a text that is not blank, but got no 'name'"
    )
    assert "Expected a list, but got no 'box'" in error(lambda: record().box("box", FRAME))
    assert "Expected a JSON object, but got no 'size'" in error(lambda: record().record("size"))


def test_what_is_no_list_or_object() -> None:
    assert "objects[3].captions: Expected a list, but got " in error(lambda: record(captions={}).texts("captions"))
    assert "objects[3].mask[0]: Expected a list of numbers" in error(lambda: record(mask=[3]).number_lists("mask"))
    assert "objects[3].parts[1]: Expected a JSON object" in error(lambda: list(record(parts=[{}, 3]).records("parts")))
    assert "objects[3].parts.a: Expected a JSON object" in error(lambda: list(record(parts={"a": 3}).keyed("parts")))
    assert error(lambda: Record.of([1], "graphs.jsonl:12")) == (
        "graphs.jsonl:12: Expected a JSON object, but got record=[1]"
    )


def test_unknown_fields() -> None:
    record(id=1, name="dog").only(("id", "name", "box"))
    assert error(lambda: record(id=1, nmae="dog").only(("id", "name", "box"))) == (
        "graphs.jsonl:12: objects[3]: Expected known fields only, but got field='nmae'; did you mean 'name'?"
    )
    of_yaml = Record({True: 1}, "default.yml")  # type: ignore[dict-item]  # YAML's keys may be anything
    assert error(lambda: of_yaml.only(("id", "name"))).endswith("got field=True; known: id, name")


def test_ids_may_come_once() -> None:
    things = list(Record({"objects": [{"id": 1}, {"id": 2}, {"id": "1"}]}, "graphs.jsonl:12").records("objects"))
    ids = UniqueIds()
    assert [ids.add(thing.identity("id"), thing, "id") for thing in things[:2]] == ["1", "2"]
    assert error(lambda: ids.add("1", things[2], "id")) == (
        "graphs.jsonl:12: objects[2].id: Expected an id of its own, but got id='1': objects[0] has the same"
    )


def test_the_id_of_a_whole_record_may_come_once() -> None:
    ids = UniqueIds()
    ids.add("1", Record({"id": 1}, "graphs.jsonl:3"), "id")
    assert error(lambda: ids.add("1", Record({"id": 1}, "graphs.jsonl:7"), "id")) == (
        "graphs.jsonl:7: id: Expected an id of its own, but got id=1: graphs.jsonl:3 has the same"
    )


READERS: Mapping[str, Callable[[Record], object]] = {
    "text": lambda record: record.text("x"),
    "name": lambda record: record.name("x"),
    "identity": lambda record: record.identity("x"),
    "flag": lambda record: record.flag("x"),
    "number": lambda record: record.number("x"),
    "whole": lambda record: record.whole("x"),
    "size": lambda record: record.size("x", "x"),
    "texts": lambda record: record.texts("x"),
    "names": lambda record: record.names("x"),
    "numbers": lambda record: record.numbers("x"),
    "number_lists": lambda record: record.number_lists("x"),
    "record": lambda record: record.record("x"),
    "records": lambda record: list(record.records("x")),
    "keyed": lambda record: list(record.keyed("x")),
    "box": lambda record: record.box("x", FRAME),
    "box_of": lambda record: record.box_of(("x", "x", "x", "x")),
    "only": lambda record: record.only(()),
}


@given(value=JSON, reader=st.sampled_from(sorted(READERS)))
def test_whatever_comes_is_read_or_refused_in_one_short_line(value: object, reader: str) -> None:
    said = "graphs.jsonl:12: objects[3]"
    try:
        READERS[reader](record(x=value))
    except DataError as refused:
        said = str(refused)
    assert said.startswith("graphs.jsonl:12: objects[3]")
    assert len(said) < 400
    assert len(said.splitlines()) == 1


def test_a_long_value_is_cut_short() -> None:
    assert short_repr("x" * 10_000) == f"'{'x' * 17}...{'x' * 18}'"
    assert len(short_repr([[["x" * 100] * 100] * 100] * 100)) == 83


@given(name=st.text())
def test_tidying_twice_is_tidying_once(name: str) -> None:
    assert normalise_name(normalise_name(name)) == normalise_name(name)


VALUES = st.one_of(
    st.integers(), st.floats(), st.booleans(), st.none(), st.text(max_size=2), st.just(10**400), st.just(1.7e308)
)


@given(values=st.lists(VALUES, max_size=6))
def test_what_is_quickly_found_to_be_numbers_is(values: list[object]) -> None:
    if are_numbers(values):
        assert all(map(is_number, values))


@given(values=st.lists(st.integers(-(10**6), 10**6) | st.floats(-1e6, 1e6), max_size=50))
def test_ordinary_numbers_are_found_quickly(values: list[object]) -> None:
    assert are_numbers(values)


@each_row("value", ["dog", "a\tb\nc", "Hündchen 狗 🐕", "A dog.\u2028Another.\x85"])
def test_texts(value: str) -> None:
    assert is_text(value)


@each_row("value", ["", " \n\t", "\u2003", "a\0", "\x1b[31m", "\x7f", "\ud800", None, 3, ["dog"]])
def test_no_texts(value: object) -> None:
    assert not is_text(value)


@each_row("text", ["a\nb", "a\rb", "a\u2028b", "a\x85b", "\u202eab", "x" * 201])
def test_no_short_lines(text: str) -> None:
    assert not is_short_line(text)


def test_whole_numbers() -> None:
    assert [whole(value) for value in (3, 3.0, -0.0, 1e20)] == [3, 3, 0, 10**20]
    assert [whole(value) for value in (True, 3.5, "3", None, float("nan"), float("inf"))] == [None] * 6
