"""Texts of others, for people to read."""

from __future__ import annotations

import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vqamt.core.errors import DataError, ModelError, OptionError, RenderError, VqamtError, did_you_mean
from pytest_vqamt.core.query import Task
from pytest_vqamt.core.text import (
    MAX_SHOWN,
    clear_message,
    encodable,
    error_text,
    number_of,
    quoted,
    shortened,
    shown,
    visible,
    whole_number_of,
)
from tests.rows import each_row

UNSEEN = {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"}
"""Unicode's categories of what is not seen: control, format, surrogate, private, separators of lines."""


def test_no_character_that_is_not_seen_stays() -> None:
    unseen = [each for each in map(chr, (*range(0xF0010), sys.maxunicode)) if unicodedata.category(each) in UNSEEN]
    stays = "".join(f"a{each}" for each in unseen)
    assert not set(visible(stays)) & set(unseen)


@each_row(
    "text",
    [
        "a\N{COMBINING ACUTE ACCENT} caf\u00e9",
        "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",  # Persian: I want
        "\u0915\u094d\u200d\u0937",  # Devanagari
        "\U0001f468\u200d\U0001f469\u200d\U0001f467",  # one emoji of three
        "2 \u00d7 3 :: error, # [x]",
    ],
)
def test_what_people_write_stays(text: str) -> None:
    assert visible(text) == text


@each_row(
    ("text", "expected"),
    [
        ("yes\u200d", r"yes\u200d"),
        ("a\tb\r\n", r"a\tb\r\n"),
        ("::ERROR::x", r"\x3a:ERROR::x"),
        (":::error::x", r":\x3a:error::x"),
        ("##vso[task.x]##[group]##teamcity[x]", r"\x23#vso[task.x]\x23#[group]\x23#teamcity[x]"),
        ("\U000e0041\ud83d", r"\U000e0041\ud83d"),
    ],
)
def test_what_acts_is_seen(text: str, expected: str) -> None:
    assert visible(text) == expected


@given(st.text(st.characters(), max_size=60))
def test_nothing_changes_twice(text: str) -> None:
    assert visible(visible(text)) == visible(text)
    assert encodable(visible(text)) == visible(text)
    assert "\n" not in shown(text)


@given(st.text(max_size=40), st.integers(1, 20), st.integers(1, 20))
def test_what_is_shortened_keeps_the_number_of_its_characters(text: str, first: int, second: int) -> None:
    cut = shortened(shortened(text, max(first, second)), min(first, second))
    if len(text) <= min(first, second):
        assert cut == text
    else:
        assert cut.endswith(f"... ({len(text)} characters)")


def test_long_texts() -> None:
    assert len(shown("\x1b" * 10_000_000)) < 5 * MAX_SHOWN
    assert quoted("\x1b" * 3, 2) == r"'\x1b\x1b'... (3 characters)"
    message = clear_message(f"Expected a name, but got {'x' * 9_000}: take another")
    assert len(message) < 1_100
    assert message.startswith("Expected a name, but got xxx")
    assert message.endswith("xxx: take another")
    assert "... (9,039 characters) ..." in message


class _MuteError(Exception):
    def __str__(self) -> str:
        raise ValueError


@pytest.mark.parametrize(
    ("error", "expected"), [(ValueError("a\ud83d"), r"ValueError: a\ud83d"), (_MuteError(), "_MuteError: ")], ids=repr
)
def test_exceptions(error: Exception, expected: str) -> None:
    assert error_text(error) == expected


# Errors: what users are told.


@pytest.mark.parametrize("kind", [OptionError, DataError, ModelError, RenderError])
def test_every_error_is_one_that_users_can_mend(kind: type[Exception]) -> None:
    assert issubclass(kind, VqamtError)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("orcale", "did you mean 'oracle'?"),
        ("tinny", "did you mean 'tiny'?"),
        ("metavqa.partitoin", "did you mean 'metavqa.partition'?"),
        ("zebra", "known: oracle, tiny, metavqa.partition"),
        ("", "known: oracle, tiny, metavqa.partition"),
    ],
)
def test_the_nearest_name_is_suggested_else_all_are_listed(name: str, said: str) -> None:
    assert did_you_mean(name, ["oracle", "tiny", "metavqa.partition"]) == said


def test_any_collection_of_names_will_do() -> None:
    assert did_you_mean("tini", iter(["tiny"])) == "did you mean 'tiny'?"


def test_a_member_of_an_enumeration_is_shown_as_users_type_it() -> None:
    assert did_you_mean("captioninng", Task) == "did you mean 'captioning'?"
    assert did_you_mean("zebra", Task) == "known: vqa, entailment, captioning"


@pytest.mark.parametrize("text", ["\u0663", "1_000", "\uff11", "x", ""])
def test_a_number_is_written_in_plain_digits(text: str) -> None:
    for read in (whole_number_of, number_of):
        with pytest.raises(ValueError, match=r"Expected the digits|invalid literal|could not convert"):
            read(text)
    assert (whole_number_of("-12"), number_of("0.5"), number_of("1e3")) == (-12, 0.5, 1000.0)
