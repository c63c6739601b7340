"""What cannot be is refused before anything is sent."""

from __future__ import annotations

import pytest

from pytest_vqamt.core.errors import OptionError
from pytest_vqamt.models.base import ModelOptions
from pytest_vqamt.models.openai.model import check

WELL = "m@http://127.0.0.1:9/v1"


@pytest.mark.parametrize(
    ("argument", "settings", "told"),
    [
        ("m@ftp://h", {}, "openai:MODEL@URL"),
        (WELL, {"timeout-s": "soon"}, "timeout-s='soon'"),
        (WELL, {"token-limit": "tokens"}, "token-limit='tokens'"),
        (WELL, {"prompt-question": "hello"}, "prompt-question='hello'"),
        (WELL, {"longest-answer": "many"}, "longest-answer='many'"),
    ],
)
def test_what_cannot_be_is_refused(argument: str, settings: dict[str, str], told: str) -> None:
    with pytest.raises(OptionError, match=told):
        check(argument, ModelOptions(settings=settings))


def test_a_key_that_cannot_be_sent_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VQAMT_OPENAI_KEY", "two words")
    with pytest.raises(OptionError, match="VQAMT_OPENAI_KEY") as refused:
        check(WELL, ModelOptions())
    assert "two words" not in str(refused.value)
