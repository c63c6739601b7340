"""Settings are checked before anything is sent."""

from __future__ import annotations

import base64
import json
import pickle
from html import escape
from urllib.parse import quote

import pytest

from pytest_vqamt.core.errors import OptionError
from pytest_vqamt.models.budget import UsageCounter
from pytest_vqamt.models.catalogue import OPENAI_SETTINGS, ModelCatalogue
from pytest_vqamt.models.http.http_settings import ApiKey, is_loopback_url
from pytest_vqamt.models.http.picture_files import Form, ImageFormat
from pytest_vqamt.models.openai.openai_settings import (
    ModelAddress,
    OpenAISettings,
    Spent,
    api_key_for,
    openai_settings,
)
from pytest_vqamt.models.prompts import CHAT_SETTINGS, PROMPT_SETTINGS
from pytest_vqamt.models.protocol import ModelOptions
from tests.rows import each_row

HERE = ModelAddress.parse("m@http://127.0.0.1:8000")
OPENAI = ModelAddress.parse("m@https://api.openai.com/v1")


def test_what_is_not_given_is_as_documented() -> None:
    assert openai_settings(ModelOptions(), HERE) == OpenAISettings(
        timeout_s=120, in_flight=32, retries_s=120, temperature=0, seed=None, detail="", token_limit="max_tokens"
    )


def test_openai_counts_tokens_under_its_newer_name() -> None:
    # Its reasoning models refuse max_tokens, others' servers refuse max_completion_tokens.
    assert openai_settings(ModelOptions(), OPENAI).token_limit == "max_completion_tokens"
    assert openai_settings(ModelOptions(settings={"token-limit": "max_tokens"}), OPENAI).token_limit == "max_tokens"


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
        "response": "json",
        "header.NAME": "VARIABLE",
        "image-format": "jpeg:80",
    }
    assert {*given, "price", "price-in", "price-out"} == set(OPENAI_SETTINGS)
    assert openai_settings(ModelOptions(settings=given), HERE) == OpenAISettings(
        timeout_s=2.5,
        in_flight=8,
        retries_s=0,
        temperature=0.7,
        seed=42,
        detail="low",
        token_limit="max_completion_tokens",
        revision="May",
        is_json=True,
        headers=(("name", "VARIABLE"),),
        format=ImageFormat(form=Form.JPEG, quality=80),
    )


@each_row("workers, each", [(1, 10), (3, 3), (20, 1)])
def test_workers_share_what_is_in_flight(workers: int, each: int) -> None:
    options = ModelOptions(settings={"in-flight": "10"}, workers=workers)
    assert openai_settings(options, HERE).in_flight == each


@each_row(
    "name, value",
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
        ("response", "xml"),
        ("image-format", "gif"),
    ],
)
def test_a_value_of_another_kind_is_refused(name: str, value: str) -> None:
    with pytest.raises(OptionError, match=rf"^Expected .*, but got {name}='{value[:20]}"):
        openai_settings(ModelOptions(settings={name: value}), HERE)


@each_row(
    "name, told",
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
        openai_settings(ModelOptions(settings={name: "x"}), HERE)


@each_row("name, value", [("header.Host", "V"), ("header.a b", "V"), ("header.x", "secret-of-mine"), ("header.x", "")])
def test_a_header_names_a_variable(name: str, value: str) -> None:
    with pytest.raises(OptionError, match=r"^Expected header\..*=VARIABLE") as error:
        openai_settings(ModelOptions(settings={name: value}), HERE)
    assert "secret" not in str(error.value).replace("it may be a secret", "")


@each_row("value", [None, "", "a\nb"])
def test_a_variable_holds_what_a_header_can(value: str | None) -> None:
    environment = {} if value is None else {"MINE": value}
    with pytest.raises(OptionError, match=r"header x-one in the environment variable MINE, but got (none|one with)"):
        api_key_for(HERE, environment, (("x-one", "MINE"),))


def test_the_catalogue_lists_the_settings_that_there_are() -> None:
    listed = ModelCatalogue().kind("openai:m@http://h").settings or ()
    assert sorted(listed) == sorted((*PROMPT_SETTINGS, *CHAT_SETTINGS, *OPENAI_SETTINGS))


@each_row(
    "argument, model, url",
    [
        ("gpt-4o@https://api.openai.com/v1", "gpt-4o", "https://api.openai.com/v1/chat/completions"),
        ("m@http://127.0.0.1:8000", "m", "http://127.0.0.1:8000/v1/chat/completions"),
        ("m@http://127.0.0.1:8000/", "m", "http://127.0.0.1:8000/v1/chat/completions"),
        ("m@http://127.0.0.1:8000/v1/", "m", "http://127.0.0.1:8000/v1/chat/completions"),
        ("m@http://h/v1/chat/completions", "m", "http://h/v1/chat/completions"),
        ("m@http://h/v1/chat/completions/", "m", "http://h/v1/chat/completions"),
        ("m@https://openrouter.ai/api/v1", "m", "https://openrouter.ai/api/v1/chat/completions"),
        ("m@https://h/v1beta/openai", "m", "https://h/v1beta/openai/chat/completions"),
        ("llama3.2-vision:11b@http://h:11434/v1", "llama3.2-vision:11b", "http://h:11434/v1/chat/completions"),
        ("Qwen/Qwen2-VL-2B-Instruct@http://h/v1", "Qwen/Qwen2-VL-2B-Instruct", "http://h/v1/chat/completions"),
        ("accounts/me/models/a@2024@http://h/v1", "accounts/me/models/a@2024", "http://h/v1/chat/completions"),
        ("m@HTTPS://API.Example.COM/Path", "m", "https://api.example.com/Path/chat/completions"),
        ("m@http://h/chat/chat/completions", "m", "http://h/chat/chat/completions"),
        ("m@http://h/api", "m", "http://h/api/chat/completions"),
        ("m@http://[::1]:8080", "m", "http://[::1]:8080/v1/chat/completions"),
    ],
)
def test_a_spec_names_a_model_and_a_url(argument: str, model: str, url: str) -> None:
    assert ModelAddress.parse(argument) == ModelAddress(model=model, url=url)


@each_row(
    "argument, told",
    [
        ("gpt-4o", r"openai:MODEL@URL with an http:// or https:// URL, .* but got model='openai:gpt-4o'"),
        ("@http://h/v1", "openai:MODEL@URL"),
        ("m@h/v1", r"got model='openai:m@\.\.\.'"),
        ("m@ftp://h/v1", "http:// or https://"),
        ("http://h/v1", "openai:MODEL@URL"),
        ("m@http://", "with a host"),
        ("m@http://:80/v1", "with a host"),
        ("m@http://h:notaport/v1", "cannot be read"),
        ("m@http://h:99999/v1", "cannot be read"),
        ("m@http://[::1/v1", "cannot be read"),
        ("m@http://h/v 1", "without blanks"),
        ("m@http://h\\@evil/v1", "without blanks and backslashes"),
    ],
)
def test_a_spec_that_names_none_is_refused(argument: str, told: str) -> None:
    with pytest.raises(OptionError, match=told):
        ModelAddress.parse(argument)


@each_row(
    "url, instead",
    [
        ("http://h:8000/v1/completions", "http://h:8000/v1"),
        ("http://h:8000/v1/responses/", "http://h:8000/v1"),
        ("http://h:8000/v1/models", "http://h:8000/v1"),
        ("http://h:8000/v1/messages", "http://h:8000/v1"),
        ("http://h:8000/v1/embeddings", "http://h:8000/v1"),
        ("https://openrouter.ai/api/v1/responses", "https://openrouter.ai/api/v1"),
        ("http://h:11434/api/chat", "http://h:11434/v1"),
        ("http://h:11434/api/generate", "http://h:11434/v1"),
        ("http://h:8080/completion", "http://h:8080/v1"),
    ],
)
def test_the_url_of_another_endpoint_is_refused(url: str, instead: str) -> None:
    with pytest.raises(OptionError, match=rf"but got one of another endpoint, {url.rstrip('/')}.*: give {instead},"):
        ModelAddress.parse(f"m@{url}")


@each_row(
    "argument, what",
    [
        ("m@https://user:SECRET@host/v1", "a user name or a password"),
        ("m@https://SECRET@host/v1", "a user name or a password"),
        ("m@https://u:SECRET@http://host/v1", "openai:MODEL@URL"),
        ("m@https://host/v1?key=SECRET", "a query"),
        ("m@https://host/v1?", "a query"),
        ("m@https://host/v1#SECRET", "a fragment"),
        ("m@u:SECRET@host/v1", "openai:MODEL@URL"),
        ("m@https://host:SECRET/v1", "cannot be read"),
    ],
)
def test_what_may_be_a_secret_is_refused_and_not_repeated(argument: str, what: str) -> None:
    with pytest.raises(OptionError, match=what) as raised:
        ModelAddress.parse(argument)
    assert "SECRET" not in str(raised.value)


@each_row(
    "url, is_openai, is_here",
    [
        ("https://api.openai.com/v1", True, False),
        ("https://API.OPENAI.COM", True, False),
        ("https://api.openai.com:443/v1", True, False),
        ("http://api.openai.com/v1", False, False),
        ("https://api.openai.com.evil.example/v1", False, False),
        ("https://notapi.openai.com/v1", False, False),
        ("http://localhost:8000", False, True),
        ("http://127.0.0.9", False, True),
        ("http://[::1]:8080", False, True),
        ("http://192.168.0.7:8000", False, False),
    ],
)
def test_it_knows_whose_the_server_is(url: str, is_openai: bool, is_here: bool) -> None:
    address = ModelAddress.parse(f"m@{url}")
    assert (address.is_of_openai, is_loopback_url(address.url)) == (is_openai, is_here)


OTHER = ModelAddress.parse("m@https://openrouter.ai/api/v1")


OURS, OF_OPENAI = "VQAMT_OPENAI_KEY", "OPENAI_API_KEY"


@each_row(
    "address, environment, header",
    [
        (OPENAI, {}, ""),
        (OPENAI, {OF_OPENAI: "sk-theirs"}, "Bearer sk-theirs"),
        (OPENAI, {OF_OPENAI: "sk-theirs", OURS: "sk-ours"}, "Bearer sk-ours"),
        (OTHER, {OF_OPENAI: "sk-theirs"}, ""),
        (HERE, {OF_OPENAI: "sk-theirs"}, ""),
        (ModelAddress.parse("m@http://api.openai.com/v1"), {OF_OPENAI: "sk-theirs"}, ""),
        (ModelAddress.parse("m@https://api.openai.com.evil.example"), {OF_OPENAI: "sk-theirs"}, ""),
        (OTHER, {OURS: "sk-ours"}, "Bearer sk-ours"),
        (OTHER, {OURS: "sk-ours", f"{OURS}_OPENROUTER_AI": "sk-or"}, "Bearer sk-or"),
        (HERE, {f"{OURS}_OPENROUTER_AI": "sk-or"}, ""),
        (HERE, {f"{OURS}_127_0_0_1": "sk-here"}, "Bearer sk-here"),
        (HERE, {OURS: "  sk-ours\n"}, "Bearer sk-ours"),
        (HERE, {OURS: "   "}, ""),
    ],
)
def test_a_key_goes_where_it_was_meant_for(address: ModelAddress, environment: dict[str, str], header: str) -> None:
    key = api_key_for(address, environment)
    assert key.headers.get("Authorization", "") == header
    assert bool(key) == bool(header)


@each_row("text", ["two words", "sk-\nInjected: header", "schlüssel"])
def test_a_key_that_no_header_can_hold_is_refused_and_not_shown(text: str) -> None:
    with pytest.raises(OptionError, match="ASCII characters without blanks in the environment variable VQAMT") as error:
        api_key_for(HERE, {OURS: text})
    assert text not in str(error.value)


SECRET = "sk-Proj/9+a\"b<c&d'e=0123456789abcdef"


@each_row(
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
)
def test_a_key_is_hidden_however_it_is_written(written: str) -> None:
    redact = ApiKey(SECRET).redact(f"you sent {written}, did you?")
    assert "[key]" in redact
    assert redact.startswith("you sent ")
    assert redact.endswith(", did you?")
    for piece in ("Proj", "0123456789", quote("/9+a", safe="")):
        assert piece.lower() not in redact.lower()


def test_a_placeholder_is_no_secret() -> None:
    assert ApiKey("EMPTY").redact("an EMPTY glass") == "an EMPTY glass"
    assert ApiKey("").redact("an empty glass") == "an empty glass"


def test_a_key_does_not_show_itself() -> None:
    key = ApiKey(SECRET)
    assert SECRET not in f"{key} {key!r} {vars(type(key))}"
    with pytest.raises(TypeError, match="not written down"):
        pickle.dumps(key)


@each_row(
    "told, sums",
    [
        (None, {}),
        ("free", {}),
        ([1], {}),
        ({}, {}),
        ({"prompt_tokens": 5, "completion_tokens": 2, "total_tokens": 7}, {"tokens in": 5, "tokens out": 2}),
        ({"prompt_tokens": 5, "cost": 0.00025, "cost_details": {}}, {"tokens in": 5, "cost": 0.00025}),
        ({"prompt_tokens": "5", "completion_tokens": None, "cost": True}, {}),
        ({"prompt_tokens": -5, "cost": float("nan")}, {}),
        ({"prompt_tokens": 0}, {"tokens in": 0}),
    ],
)
def test_what_can_be_summed_is(told: object, sums: dict[str, float]) -> None:
    usage = UsageCounter()
    usage.add_spent(spent(told))
    assert usage.sums() == sums


def spent(usage: object) -> Spent:
    found = Spent()
    found.read(usage, None)
    return found


def test_sums_grow() -> None:
    usage = UsageCounter()
    for tokens in (1, 2, 3):
        usage.add("requests")
        usage.add_spent(spent({"prompt_tokens": tokens}))
    before = usage.sums()
    assert before == {"requests": 3, "tokens in": 6}
    usage.add("requests")
    assert before["requests"] == 3
