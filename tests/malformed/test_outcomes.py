"""A message that is not clear is found out."""

from __future__ import annotations

import pytest

from pytest_vqamt.core.errors import VqamtError
from pytest_vqamt.data.catalogue import TABLE, load
from tests.malformed.outcomes import lacks_advice, unclear

CLEAR = "graphs.jsonl:2: photo: Expected a photo, but there is no file 'a.png': add it"


def test_a_clear_message() -> None:
    assert unclear(CLEAR, ("graphs.jsonl:2", "a.png")) == []
    assert not lacks_advice(CLEAR)


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        (CLEAR.replace("a.png", "b.png"), "lacks 'a.png'"),
        (CLEAR + "\n", "is not one plain line"),
        (CLEAR.replace("a.png", "a.png\u2028"), "is not one plain line"),
        (CLEAR.replace("a.png", "a.png\x1b[2J"), "is not one plain line"),
        (CLEAR + " or so" * 60, "has 437 characters"),
        ("graphs.jsonl:2: a.png is no photo", "does not say what was expected, and what came"),
        (CLEAR.replace("there is", "DataError('there is"), "shows the inside of Python"),
        (CLEAR.replace("there is", "<_io.BytesIO object at 0x7f00> is"), "shows the inside of Python"),
        (CLEAR.replace("there is", "[Errno 2] there is"), "shows the inside of Python"),
    ],
)
def test_what_is_unclear(text: str, wrong: str) -> None:
    assert wrong in unclear(text, ("graphs.jsonl:2", "a.png"))


def test_without_advice() -> None:
    assert lacks_advice("Expected a photo, but there is no file 'a.png'")


# Arguments that name no data set are told in one line, however odd they are.

ARGUMENTS = {
    "no such path": "nowhere", "no data set": ".", "a device": "/dev/null", "a NUL": "a\0b", "two lines": "a\nb",
    "another's file": "/etc/hostname", "a colon": ":", "colons": "a:b:c",
}  # fmt: skip
TOO_LONG = ("x" * 5000, "x" * 5000 + ".json:photos", "a.json:" + "x" * 5000)

KINDS = tuple(kind for kind in TABLE if kind != "pictures")


@pytest.mark.parametrize("what", ARGUMENTS)
@pytest.mark.parametrize("kind", KINDS)
def test_an_argument_that_names_nothing(kind: str, what: str) -> None:
    with pytest.raises(VqamtError) as caught:
        load(f"{kind}:{ARGUMENTS[what]}")
    assert unclear(str(caught.value)) == [], str(caught.value)


@pytest.mark.parametrize("argument", TOO_LONG, ids=["a file", "a file and photos", "photos"])
@pytest.mark.parametrize("kind", ["graphs", "photos"])
def test_an_argument_that_is_too_long(kind: str, argument: str) -> None:
    with pytest.raises(VqamtError) as caught:
        load(f"{kind}:{argument}")
    assert unclear(str(caught.value)) == [], str(caught.value)
