"""What a probe sends and what comes back: names of models, lengths of answers, pictures by URL, and their detail."""

from __future__ import annotations

import urllib.error
import urllib.request
from base64 import b64encode
from collections.abc import Callable
from dataclasses import replace

import pytest

from pytest_vqamt.core.query import PictureFile
from pytest_vqamt.models.openai.requests import chat_message
from pytest_vqamt.models.wrapped import LoadedModel
from pytest_vqamt.probing.asking import RequestSender
from pytest_vqamt.probing.checks import lengths, names, reading, texts, urls
from pytest_vqamt.probing.kinds import FindingKind
from pytest_vqamt.probing.model_names import is_other_model, may_be_one
from pytest_vqamt.probing.picture_server import PictureServer
from pytest_vqamt.probing.probing import Probing
from tests.probing.direct import direct

_CONTENT = b"a file"
_FILE = PictureFile("image/png", b64encode(_CONTENT).decode())


def probed(model: LoadedModel, *checks: Callable[[Probing], None], url_host: str = "") -> Probing:
    """The references, and some checks."""
    probing = Probing(RequestSender(model, 400), 0, url_host)
    assert reading.calibrate(probing)
    reading.measure_reading(probing)
    for check in checks:
        check(probing)
    return probing


def kinds(probing: Probing) -> list[FindingKind]:
    return [each.kind for each in probing.result.findings]


def facts(probing: Probing) -> dict[str, str]:
    return {each.name: each.value for each in probing.result.facts}


@pytest.mark.parametrize(
    ("asked", "answered"),
    [
        ("gpt-4o", "gpt-4o-mini"),
        ("claude-3-5-sonnet-latest", "claude-3-5-haiku-20241022"),
        ("Qwen/Qwen2.5-VL-7B-Instruct", "qwen2.5-vl-3b-instruct-awq"),
        ("Qwen/Qwen2.5-VL-7B-Instruct", "Qwen/Qwen2-VL-7B-Instruct"),
        ("llama3.2-vision:90b", "llama3.2-vision:11b"),
        ("phi-3-vision", "phi-3.5-vision-instruct"),
    ],
)
def test_a_model_of_another_size_tier_or_version_is_another_model(asked: str, answered: str) -> None:
    assert is_other_model(asked, answered)
    assert is_other_model(answered, asked)


@pytest.mark.parametrize(
    ("asked", "answered"),
    [
        ("gpt-4o", "gpt-4o-2024-08-06"),
        ("gpt-4", "gpt-4-0613"),
        ("claude-3-5-sonnet-latest", "claude-3-5-sonnet-20241022"),
        ("gemini-flash-latest", "models/gemini-2.5-flash"),
        ("mistral-large-latest", "mistral-large-2411"),
        ("Qwen/Qwen2.5-VL-7B-Instruct", "Qwen2.5-VL-7B-Instruct"),
        ("Qwen/Qwen2.5-VL-7B-Instruct", "/models/Qwen2.5-VL-7B-Instruct-Q4_K_M.gguf"),
        ("Qwen2.5-VL-7B-Instruct-Q8_0", "C:\\models\\Qwen2.5-VL-7B-Instruct-Q4_K_M.gguf"),
        ("llama3.2-vision", "llama3.2-vision:11b"),
        ("Qwen3-VL-30B-A3B", "qwen3-vl-30b-a3b-instruct-fp8"),
        ("default", "Qwen2.5-VL-7B-Instruct"),
        ("gpt-4-vision", "local-model"),
        ("m", ""),
    ],
)
def test_aliases_dates_quantisations_and_paths_are_no_other_model(asked: str, answered: str) -> None:
    assert not is_other_model(asked, answered)


def test_two_names_of_one_server_are_of_one_model_where_one_is_the_other_with_more() -> None:
    assert may_be_one("org/m-7b", "m-7b-2024-08-06")
    assert not may_be_one("llava-7b", "qwen-7b")
    assert not may_be_one("gpt-4o", "gpt-4o-mini")


def test_a_share_of_answers_by_another_model_is_found_with_the_requests() -> None:
    probing = probed(direct("another-model", share=0.2), names.names)

    (finding,) = probing.result.findings
    assert finding.kind is FindingKind.OTHER_MODEL
    assert {probing.sender.log[number - 1].answered_by for number in finding.requests} == {"cards-mini"}
    assert len(finding.requests) == sum(each.answered_by == "cards-mini" for each in probing.sender.log) > 0


def test_an_alias_is_a_fact() -> None:
    model = replace(direct(None), spec="openai:my-alias@http://127.0.0.1:8123")

    probing = probed(model, names.names)

    assert kinds(probing) == []
    assert facts(probing)["answering model"] == f"cards ({len(probing.sender.log)}), asked for as my-alias"


@pytest.mark.parametrize(
    ("bug", "kind", "counted"),
    [
        (None, None, "16"),
        ("max-tokens-ignored", FindingKind.LIMIT_IGNORED, "34"),
        ("max-tokens-one-too-few", FindingKind.LIMIT_EARLY, "15"),
    ],
)
def test_the_length_of_answers(bug: str | None, kind: FindingKind | None, counted: str) -> None:
    # The limit is 16; the form has 30 words and a number of three digits, and the server counts an end.
    probing = probed(direct(bug), texts.letters, lengths.lengths)

    assert kinds(probing) == ([kind] if kind else [])
    (first, *_) = (each for each in probing.sender.log if "lamp river stone" in each.text)
    assert str(first.tokens_out) == counted
    assert probing.result.skipped == []


def test_without_an_adapter_that_tells_its_limit_the_length_is_skipped_in_words() -> None:
    probing = probed(replace(direct(None), forecast=None), lengths.lengths)

    assert dict(probing.result.skipped) == {lengths.NAME: "the model's adapter does not tell how long an answer may be"}


def test_cards_by_url_are_fetched() -> None:
    probing = probed(direct(None), urls.urls)

    assert facts(probing)[urls.NAME] == "fetched, and answered as those in a request"
    assert [each.card.file is not None and each.card.file.is_linked for each in probing.sender.log[-2:]] == [True] * 2
    assert probing.sender.served is None


def test_a_model_elsewhere_is_sent_no_url_without_the_name_of_this_machine() -> None:
    elsewhere = replace(direct(None), spec="openai:cards@http://gpu-box:8123")

    assert "--url-host" in dict(probed(elsewhere, urls.urls).result.skipped)[urls.NAME]
    assert urls.NAME in facts(probed(elsewhere, urls.urls, url_host="127.0.0.1"))


def test_a_server_that_does_not_know_the_host_refuses_which_is_a_fact() -> None:
    # The faulty server follows URLs of 127.0.0.1 alone.
    probing = probed(direct(None), urls.urls, url_host="localhost")

    assert kinds(probing) == []
    assert facts(probing)[urls.NAME].startswith("refused: 400")


def test_the_picture_server_gives_its_files_and_nothing_else() -> None:
    with PictureServer("127.0.0.1") as server:
        file, other = server.linked(_FILE), server.linked(_FILE)
        assert not server.fetched
        with urllib.request.urlopen(other.url) as response:
            assert (response.headers["Content-Type"], response.read()) == ("image/png", _CONTENT)
        assert server.fetched == {server.last}
        with pytest.raises(urllib.error.HTTPError):
            urllib.request.urlopen(f"{file.url}x")
    assert file.url != other.url


def test_a_request_has_the_url_and_the_detail_of_a_file() -> None:
    linked = PictureFile("image/png", "", url="http://127.0.0.1:1/x.png", detail="high")

    content = chat_message([linked, _FILE, "?"], detail="low")["content"]

    assert content == [
        {"type": "image_url", "image_url": {"url": "http://127.0.0.1:1/x.png", "detail": "high"}},
        {"type": "image_url", "image_url": {"url": _FILE.data_uri, "detail": "low"}},
        {"type": "text", "text": "?"},
    ]


def test_low_detail_that_is_read_worse_is_a_fact_and_high_detail_a_finding() -> None:
    def small_digits(probing: Probing) -> None:
        probing.small_digits_px = 10

    sane = probed(direct(None), small_digits, urls.details)
    assert kinds(sane) == []
    assert facts(sane)["detail low"] == "digits of 10 px at 1,024 px are not read"
    assert kinds(probed(direct("detail-high-as-low"), small_digits, urls.details)) == [FindingKind.DETAIL_LOST]
