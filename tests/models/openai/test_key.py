"""A key goes to the server that it was made for, and shows itself nowhere else."""

from __future__ import annotations

import base64
import json
import pickle
from html import escape
from urllib.parse import quote

import pytest

from pytest_vqamt.core.errors import OptionError
from pytest_vqamt.models.http.key import Key
from pytest_vqamt.models.openai.settings import Address, key_for

OPENAI = Address.parse("m@https://api.openai.com/v1")
OTHER = Address.parse("m@https://openrouter.ai/api/v1")
HERE = Address.parse("m@http://127.0.0.1:8000")

OURS, OF_OPENAI = "VQAMT_OPENAI_KEY", "OPENAI_API_KEY"


@pytest.mark.parametrize(
    ("address", "environment", "header"),
    [
        (OPENAI, {}, ""),
        (OPENAI, {OF_OPENAI: "sk-theirs"}, "Bearer sk-theirs"),
        (OPENAI, {OF_OPENAI: "sk-theirs", OURS: "sk-ours"}, "Bearer sk-ours"),
        (OTHER, {OF_OPENAI: "sk-theirs"}, ""),
        (HERE, {OF_OPENAI: "sk-theirs"}, ""),
        (Address.parse("m@http://api.openai.com/v1"), {OF_OPENAI: "sk-theirs"}, ""),
        (Address.parse("m@https://api.openai.com.evil.example"), {OF_OPENAI: "sk-theirs"}, ""),
        (OTHER, {OURS: "sk-ours"}, "Bearer sk-ours"),
        (OTHER, {OURS: "sk-ours", f"{OURS}_OPENROUTER_AI": "sk-or"}, "Bearer sk-or"),
        (HERE, {f"{OURS}_OPENROUTER_AI": "sk-or"}, ""),
        (HERE, {f"{OURS}_127_0_0_1": "sk-here"}, "Bearer sk-here"),
        (HERE, {OURS: "  sk-ours\n"}, "Bearer sk-ours"),
        (HERE, {OURS: "   "}, ""),
    ],
)
def test_a_key_goes_where_it_was_meant_for(address: Address, environment: dict[str, str], header: str) -> None:
    key = key_for(address, environment)
    assert key.header == header
    assert bool(key) == bool(header)


@pytest.mark.parametrize("text", ["two words", "sk-\nInjected: header", "schlüssel"])
def test_a_key_that_no_header_can_hold_is_refused_and_not_shown(text: str) -> None:
    with pytest.raises(OptionError, match="ASCII characters without blanks in the environment variable VQAMT") as error:
        key_for(HERE, {OURS: text})
    assert text not in str(error.value)


SECRET = "sk-Proj/9+a\"b<c&d'e=0123456789abcdef"


@pytest.mark.parametrize(
    "written",
    [
        SECRET,
        SECRET.upper(),
        quote(SECRET, safe=""),
        escape(SECRET),
        json.dumps(SECRET),
        base64.b64encode(SECRET.encode()).decode(),
        SECRET[:20],
    ],
    ids=["as it is", "in capitals", "in a URL", "in HTML", "in JSON", "in base64", "cut off"],
)
def test_a_key_is_hidden_however_it_is_written(written: str) -> None:
    hidden = Key(SECRET).hidden(f"you sent {written}, did you?")
    assert "[key]" in hidden
    assert hidden.startswith("you sent ")
    assert hidden.endswith(", did you?")
    for piece in ("Proj", "0123456789", quote("/9+a", safe="")):
        assert piece.lower() not in hidden.lower()


def test_a_placeholder_is_no_secret() -> None:
    assert Key("EMPTY").hidden("an EMPTY glass") == "an EMPTY glass"
    assert Key("").hidden("an empty glass") == "an empty glass"


def test_a_key_does_not_show_itself() -> None:
    key = Key(SECRET)
    assert SECRET not in f"{key} {key!r} {vars(type(key))}"
    with pytest.raises(TypeError, match="not written down"):
        pickle.dumps(key)
