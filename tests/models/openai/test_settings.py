"""Settings are checked before anything is sent."""

from __future__ import annotations

import pytest

from pytest_vqamt.core.errors import OptionError
from pytest_vqamt.models.base import ModelOptions
from pytest_vqamt.models.catalogue import Catalogue
from pytest_vqamt.models.openai.settings import SETTINGS, Address, Settings, settings_of
from pytest_vqamt.models.prompts import PROMPT_SETTINGS

HERE = Address.parse("m@http://127.0.0.1:8000")
OPENAI = Address.parse("m@https://api.openai.com/v1")


def test_what_is_not_given_is_as_documented() -> None:
    assert settings_of(ModelOptions(), HERE) == Settings(
        timeout_s=120, in_flight=32, retries_s=120, temperature=0, seed=None, detail="", token_limit="max_tokens"
    )


def test_openai_counts_tokens_under_its_newer_name() -> None:
    # Its reasoning models refuse max_tokens, others' servers refuse max_completion_tokens.
    assert settings_of(ModelOptions(), OPENAI).token_limit == "max_completion_tokens"
    assert settings_of(ModelOptions(settings={"token-limit": "max_tokens"}), OPENAI).token_limit == "max_tokens"


def test_what_is_given_is_taken() -> None:
    given = {
        "timeout-s": "2.5",
        "in-flight": "8",
        "retries-s": "0",
        "temperature": "0.7",
        "seed": "42",
        "detail": "low",
        "token-limit": "max_completion_tokens",
        "revision": "May",
    }
    assert set(given) == set(SETTINGS)
    assert settings_of(ModelOptions(settings=given), HERE) == Settings(
        timeout_s=2.5,
        in_flight=8,
        retries_s=0,
        temperature=0.7,
        seed=42,
        detail="low",
        token_limit="max_completion_tokens",
        revision="May",
    )


@pytest.mark.parametrize(("workers", "each"), [(1, 10), (3, 3), (20, 1)])
def test_workers_share_what_is_in_flight(workers: int, each: int) -> None:
    options = ModelOptions(settings={"in-flight": "10"}, workers=workers)
    assert settings_of(options, HERE).in_flight == each


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("timeout-s", "0"),
        ("timeout-s", "soon"),
        ("timeout-s", "inf"),
        ("timeout-s", "nan"),
        ("in-flight", "0"),
        ("in-flight", "2.5"),
        ("in-flight", "9" * 5000),
        ("retries-s", "-1"),
        ("temperature", "hot"),
        ("temperature", "3"),
        ("seed", "-1"),
        ("seed", "1.5"),
        ("detail", "much"),
        ("token-limit", "tokens"),
    ],
)
def test_a_value_of_another_kind_is_refused(name: str, value: str) -> None:
    with pytest.raises(OptionError, match=rf"^Expected .*, but got {name}='{value[:20]}"):
        settings_of(ModelOptions(settings={name: value}), HERE)


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("timeout-s", "a number from 0.1 to 86400"),
        ("in-flight", "a whole number from 1 to 512"),
        ("retries-s", "a number from 0 to 86400"),
        ("temperature", "a number from 0 to 2"),
        ("seed", "a whole number from 0 to 2147483647"),
    ],
)
def test_a_refusal_says_what_may_be_given(name: str, told: str) -> None:
    with pytest.raises(OptionError, match=f"^Expected {told}, but got {name}='x'$"):
        settings_of(ModelOptions(settings={name: "x"}), HERE)


def test_the_catalogue_lists_the_settings_that_there_are() -> None:
    listed = Catalogue().settings("openai:m@http://h") or ()
    assert sorted(listed) == sorted((*PROMPT_SETTINGS, *SETTINGS))
