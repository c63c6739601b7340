"""A message that is not clear is found out."""

from __future__ import annotations

import pytest

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
