"""A message that is not clear is found out."""

from __future__ import annotations

from pytest_vqamt.core.errors import VqamtError
from pytest_vqamt.data.catalogue import TABLE, load
from tests.malformed.outcomes import lacks_advice, unclear

CLEAR = "graphs.jsonl:2: photo: Expected a photo, but there is no file 'a.png': add it"


def test_a_clear_message() -> None:
    assert unclear(CLEAR, ("graphs.jsonl:2", "a.png")) == []
    assert not lacks_advice(CLEAR)


def test_what_is_unclear() -> None:
    wrong = {
        CLEAR.replace("a.png", "b.png"): "lacks 'a.png'",
        CLEAR + "\n": "is not one plain line",
        CLEAR.replace("a.png", "a.png\u2028"): "is not one plain line",
        CLEAR.replace("a.png", "a.png\x1b[2J"): "is not one plain line",
        CLEAR + " or so" * 60: "has 437 characters",
        "graphs.jsonl:2: a.png is no photo": "does not say what was expected, and what came",
        CLEAR.replace("there is", "DataError('there is"): "shows the inside of Python",
        CLEAR.replace("there is", "<_io.BytesIO object at 0x7f00> is"): "shows the inside of Python",
        CLEAR.replace("there is", "[Errno 2] there is"): "shows the inside of Python",
    }
    assert [text for text, why in wrong.items() if why not in unclear(text, ("graphs.jsonl:2", "a.png"))] == []


def test_without_advice() -> None:
    assert lacks_advice("Expected a photo, but there is no file 'a.png'")


# Arguments that name no data set are told in one line, however odd they are.

ARGUMENTS = ("nowhere", ".", "/dev/null", "a\0b", "a\nb", "/etc/hostname", ":", "a:b:c")
TOO_LONG = ("x" * 5000, "x" * 5000 + ".json:photos", "a.json:" + "x" * 5000)


def test_an_argument_that_names_no_data_set() -> None:
    specs = [f"{kind}:{argument}" for kind in TABLE if kind != "pictures" for argument in ARGUMENTS]
    specs += [f"{kind}:{argument}" for kind in ("graphs", "photos") for argument in TOO_LONG]
    wrong = []
    for spec in specs:
        try:
            load(spec)
        except VqamtError as error:
            if unclear(str(error)):
                wrong.append(f"{spec[:40]}: {error}")
        else:
            wrong.append(f"{spec[:40]}: no error")
    assert wrong == []
