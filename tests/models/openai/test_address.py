"""``openai:MODEL@URL`` is read as it is documented, and no message repeats what may be a secret in it."""

from __future__ import annotations

import pytest

from pytest_vqamt.core.errors import OptionError
from pytest_vqamt.models.http.settings import is_on_this_machine
from pytest_vqamt.models.openai.settings import Address


@pytest.mark.parametrize(
    ("argument", "model", "url"),
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
    assert Address.parse(argument) == Address(model=model, url=url)


@pytest.mark.parametrize(
    ("argument", "told"),
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
        Address.parse(argument)


@pytest.mark.parametrize(
    ("url", "instead"),
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
        Address.parse(f"m@{url}")


@pytest.mark.parametrize(
    ("argument", "what"),
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
        Address.parse(argument)
    assert "SECRET" not in str(raised.value)


@pytest.mark.parametrize(
    ("url", "is_openai", "is_here"),
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
    address = Address.parse(f"m@{url}")
    assert (address.is_of_openai, is_on_this_machine(address.url)) == (is_openai, is_here)
