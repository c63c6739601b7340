"""Many numbers at once are found to be numbers exactly where each of them is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vqamt.data.records import are_numbers, is_number, is_short_line, is_text, whole

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


@pytest.mark.parametrize("value", ["dog", "a\tb\nc", "Hündchen 狗 🐕", "A dog.\u2028Another.\x85"], ids=ascii)
def test_texts(value: str) -> None:
    assert is_text(value)


@pytest.mark.parametrize(
    "value", ["", " \n\t", "\u2003", "a\0", "\x1b[31m", "\x7f", "\ud800", None, 3, ["dog"]], ids=ascii
)
def test_no_texts(value: object) -> None:
    assert not is_text(value)


@pytest.mark.parametrize("text", ["a\nb", "a\rb", "a\u2028b", "a\x85b", "\u202eab", "x" * 201], ids=ascii)
def test_no_short_lines(text: str) -> None:
    assert not is_short_line(text)


def test_whole_numbers() -> None:
    assert [whole(value) for value in (3, 3.0, -0.0, 1e20)] == [3, 3, 0, 10**20]
    assert [whole(value) for value in (True, 3.5, "3", None, float("nan"), float("inf"))] == [None] * 6
