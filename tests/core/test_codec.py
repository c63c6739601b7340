"""Frozen values to JSON and back, whole; nothing else is read."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, cast

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.codec import Json, decode, encode, from_row, registered_types
from pytest_vqamt.core.edits import Corrupt, Corruption, Edit, Erase, Fill
from pytest_vqamt.core.errors import DataError
from pytest_vqamt.core.meaning import MEANINGS, Annotated, Exists, Group, Related, Unit
from pytest_vqamt.core.scene import Photo, PublishedQuestion, Region, Relationship, Scene, Thing
from tests.making import group_of, thing_of

NUMBERS = st.floats(allow_nan=False, allow_infinity=False) | st.integers(-1000, 1000)
WORDS = st.text(max_size=4)
GROUPS: SearchStrategy[Group] = st.deferred(
    lambda: st.builds(
        Group,
        name=WORDS,
        covers=st.lists(WORDS, max_size=2).map(tuple),
        attributes=st.lists(WORDS, max_size=2).map(tuple),
        related=st.lists(RELATED, max_size=1).map(tuple),
    )
)
RELATED: SearchStrategy[Related] = st.builds(Related, predicate=WORDS, to=GROUPS)

st.register_type_strategy(Box, st.builds(Box, NUMBERS, NUMBERS, NUMBERS, NUMBERS))
st.register_type_strategy(Group, GROUPS)
# Numbers that are none are refused when they come back.
st.register_type_strategy(
    Annotated, st.builds(Annotated, answers=st.lists(st.tuples(WORDS, NUMBERS), max_size=2).map(tuple))
)
st.register_type_strategy(
    PublishedQuestion, st.builds(PublishedQuestion, scores=st.lists(NUMBERS, max_size=2).map(tuple))
)

TYPES: tuple[type, ...] = (
    Box, Photo, Thing, Region, Relationship, Scene, Group, Related, Unit, *registered_types(Edit), *MEANINGS,
)  # fmt: skip


def through_a_file(value: object) -> object:
    return decode(json.loads(json.dumps(encode(value))), type(value))


def values(kind: type) -> SearchStrategy[object]:
    """Any value of a type; numbers that are no numbers are left out, for they equal nothing."""
    return st.from_type(kind).filter(lambda value: value == value)


@pytest.mark.parametrize("kind", TYPES, ids=lambda kind: kind.__name__)
@settings(max_examples=10)
@given(data=st.data())
def test_every_value_comes_back_whole(kind: type, data: st.DataObject) -> None:
    value = data.draw(values(kind))
    again = through_a_file(value)
    assert type(again) is kind
    assert again == value


def test_what_json_has_no_type_for_comes_back_as_it_was() -> None:
    erase = cast("Erase", through_a_file(Erase(box=Box(0, 0, 1, 1), fill=Fill.MEAN, colour=(1, 2, 3))))
    assert isinstance(erase.fill, Fill)
    assert erase.colour == (1, 2, 3)
    corrupt = cast("Corrupt", through_a_file(Corrupt(kind=Corruption.SNOW, severity=2)))
    assert isinstance(corrupt.kind, Corruption)


def test_a_scene_comes_back_with_its_set_of_names(yard: Scene) -> None:
    again = cast("Scene", through_a_file(yard))
    assert again == yard
    assert isinstance(again.exhaustive, frozenset)


def test_a_record_names_its_type_and_leaves_out_what_is_usual() -> None:
    assert encode(group_of("red car")) == {"is": "Group", "name": "car", "attributes": ["red"]}
    assert encode(thing_of("dog", box=Box(1, 2, 3, 4))) == {
        "is": "Thing",
        "id": "0",
        "name": "dog",
        "box": {"is": "Box", "x": 1, "y": 2, "w": 3, "h": 4},
    }


def test_sets_are_written_in_one_order() -> None:
    assert encode(frozenset({"dog", "cat", "bird"})) == ["bird", "cat", "dog"]


@pytest.mark.parametrize(
    "value", [{"a": 1}, ["a"], {"a"}, object(), Box, b"bytes"], ids=lambda value: type(value).__name__
)
def test_only_frozen_values_are_written(value: object) -> None:
    with pytest.raises(TypeError, match="Expected a frozen dataclass, a tuple, a text or a number, but got value="):
        encode(value)


REFUSED: Mapping[str, Json] = {
    "no type": {"name": "dog"},
    "a type that is no text": {"is": 3},
    "a type that is not ours": {"is": "Popen", "args": "true"},
    "a type of ours that is not written": {"is": "Query", "text": ""},
    "a field is missing": {"is": "Box", "x": 1, "y": 2, "w": 3},
    "a field too many": {"is": "Mirror", "axis": "x"},
    "no such fill": {"is": "Erase", "box": {"is": "Box", "x": 0, "y": 0, "w": 1, "h": 1}, "fill": "plaid"},
    "broken deep inside": {"is": "Exists", "group": {"is": "Group"}},
}


@pytest.mark.parametrize("row", REFUSED.values(), ids=REFUSED.keys())
def test_a_broken_record_is_refused(row: Json) -> None:
    with pytest.raises(DataError, match="Expected "):
        decode(row, object)


def test_the_refusal_shows_what_came() -> None:
    with pytest.raises(DataError, match=r"Expected a record whose 'is' is one of Box, .*, but got \{'is': 'Popen'\}"):
        decode({"is": "Popen"}, object)
    with pytest.raises(DataError, match="Expected Exists with group, but group is missing"):
        decode({"is": "Exists"}, object)


def test_a_meaning_within_a_meaning() -> None:
    cup = Group(name="cup", related=(Related(predicate="on", to=group_of("wooden table")),))
    assert through_a_file(Exists(group=cup)) == Exists(group=cup)


@dataclass(frozen=True)
class Fresh:
    """A type that nothing else reads into."""

    number: int


def test_no_two_threads_let_msgspec_look_at_a_type_for_the_first_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Msgspec 0.22 dies there, in one of ten processes: see ``introduce``."""
    first_looks, converted = list[int](), list[int]()
    decoder, convert = msgspec.json.Decoder, msgspec.convert

    def slow_decoder(*given: Any, **named: Any) -> Any:
        first_looks.append(len(converted))
        time.sleep(0.05)
        return decoder(*given, **named)

    def noting(*given: Any, **named: Any) -> Any:
        converted.append(len(first_looks))
        return convert(*given, **named)

    monkeypatch.setattr(msgspec.json, "Decoder", slow_decoder)
    monkeypatch.setattr(msgspec, "convert", noting)
    start = threading.Barrier(4)

    def read(number: int) -> Fresh:
        start.wait()
        return from_row({"number": number}, Fresh)

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(read, range(4))) == [Fresh(number) for number in range(4)]
    assert first_looks == [0], "one thread looks, and no value is made before it has"
    assert converted == [1] * 4
