"""Arguments that name no data set are told in one line, however odd they are."""

from __future__ import annotations

import pytest

from pytest_vqamt.core.errors import VqamtError
from pytest_vqamt.data.catalogue import TABLE, load
from tests.malformed.outcomes import unclear

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
