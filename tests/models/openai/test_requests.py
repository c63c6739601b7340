"""What becomes of requests that fail, of replies, and of pictures."""

from __future__ import annotations

import json
import random
import socket
from base64 import b64decode
from collections.abc import Callable
from io import BytesIO

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from pytest_vqamt.core.codec import replace
from pytest_vqamt.core.errors import ModelError
from pytest_vqamt.core.meaning import Describe
from pytest_vqamt.core.query import ModelInput, Query
from pytest_vqamt.models.http import retry
from pytest_vqamt.models.http.picture_files import LOSSLESS
from pytest_vqamt.models.http.retry import QueryError
from pytest_vqamt.models.openai import requests
from pytest_vqamt.models.openai.chat_model import load
from pytest_vqamt.models.openai.requests import (
    completion_text,
    embedded_error,
    parse_body,
)
from pytest_vqamt.models.protocol import ModelOptions
from tests.making import scene_of
from tests.models.conftest import Ask
from tests.models.openai.conftest import Load, Serve
from tests.models.openai.stub import Reply, Request, always, failed, in_turn, said
from tests.rows import each_row

Many = Callable[[int], list[ModelInput]]

YES = said("yes")
NOT_JSON = Reply(body=b"<html>busy</html>")


@each_row("status", [408, 409, 429, 500, 502, 503, 504, 529])
def test_what_may_pass_is_asked_again(serve: Serve, model: Load, ask: Ask, status: int) -> None:
    server = serve(in_turn(failed(status), failed(status), YES))
    stub = model(server)
    assert stub.answer([ask()])[0].text == "yes"
    assert stub.usage == {"requests": 3, "requests broken off" if status in (500, 502, 504) else "requests refused": 2}
    assert len({request.picture for request in server.requests}) == 1


@each_row(
    "error",
    [
        {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}},
        {"type": "error", "error": {"type": "rate_limit_error", "message": "..."}},
        {"error": {"code": "rate_limit_exceeded", "type": "tokens"}},
        {"error": {"code": None, "type": "", "message": "Overloaded"}},
        {"error": {"status": "RESOURCE_EXHAUSTED", "code": 8}},
        {"error": {"status": "UNAVAILABLE", "code": 14}},
        {"error": {"code": 503}},
        {"error": {"status_code": 429}},
        {"error": {"type": "ThrottlingException"}},
        {"error": "Model too busy, unable to get response in less than 60 second(s)"},
        {"object": "error", "type": "ServiceUnavailable", "message": "..."},
    ],
)
def test_so_is_an_overload_in_a_reply_of_success(serve: Serve, model: Load, ask: Ask, error: dict[str, object]) -> None:
    stub = model(serve(in_turn(Reply(body=json.dumps(error).encode()), YES)))
    assert stub.answer([ask()])[0].text == "yes"
    assert stub.usage["requests refused"] == 1


@each_row(
    "error",
    [
        {"error": {"type": "invalid_request_error", "message": "no rate limit applies"}},
        {"error": {"message": "The picture is unavailable"}},
        {"error": "The picture is unavailable"},
        {"error": {"type": "busybody"}},
    ],
)
def test_no_other_error_there_is(serve: Serve, model: Load, ask: Ask, error: dict[str, object]) -> None:
    server = serve(always(Reply(body=json.dumps(error).encode())))
    with pytest.raises(QueryError):
        model(server).answer([ask()])
    assert len(server.requests) == 1


def test_what_the_server_has_no_words_for_is_asked_again(serve: Serve, model: Load, ask: Ask) -> None:
    server = serve(in_turn(Reply(status=502, body=b"<html>Bad gateway</html>"), Reply(status=503), YES))
    assert model(server).answer([ask()])[0].text == "yes"


def test_nobody_there_ends_the_run(ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("httpx2")
    monkeypatch.setattr(retry, "_FIRST_ANSWER_BUDGET_S", 0.2)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # and does not listen
        url = f"http://127.0.0.1:{taken.getsockname()[1]}/v1"
        stub = load(f"m@{url}", ModelOptions())
        with pytest.raises(ModelError, match=r"no connection \(ConnectError: .*refused.*check the URL, and that the"):
            stub.answer([ask()])


def test_a_slow_server_is_not_waited_for(serve: Serve, model: Load, ask: Ask) -> None:
    server = serve(lambda request: said("late", delay_s=1) if request.number == 0 else YES)
    assert model(server, timeout_s="0.3").answer([ask()])[0].text == "yes"
    assert len(server.requests) == 2


def test_a_server_that_is_always_too_slow_costs_the_query(serve: Serve, model: Load, ask: Ask) -> None:
    server = serve(always(said("late", delay_s=0.6)))
    with pytest.raises(QueryError, match=r"no whole reply within timeout-s=0\.2 after 2 tries"):
        model(server, timeout_s="0.2", retries_s="0.15").answer([ask()])


def test_bytes_that_trickle_in_do_not_gain_time(serve: Serve, model: Load, ask: Ask) -> None:
    server = serve(in_turn(Reply(body=YES.body, drip_s=0.05), YES))
    assert model(server, timeout_s="0.3").answer([ask()])[0].text == "yes"
    assert len(server.requests) == 2, "all of the first would have taken 8 seconds"


def test_a_reply_that_breaks_off_is_asked_for_again(serve: Serve, model: Load, ask: Ask) -> None:
    server = serve(in_turn(Reply(body=YES.body, cut=20), Reply(body=YES.body, cut=0), YES))
    assert model(server).answer([ask()])[0].text == "yes"
    assert len(server.requests) == 3


def test_a_reply_that_always_breaks_off_costs_the_query(serve: Serve, model: Load, ask: Ask) -> None:
    server = serve(always(Reply(body=YES.body, cut=20)))
    with pytest.raises(QueryError, match="a reply that broke off"):
        model(server, retries_s="0.1").answer([ask()])


@each_row("status", [400, 415, 422])
def test_what_is_wrong_with_a_query_costs_it_alone(serve: Serve, model: Load, many: Many, status: int) -> None:
    server = serve(lambda request: failed(status, "too  much\nof it") if request.prompt.startswith("1\n") else YES)
    stub = model(server)
    batch = many(3)
    with pytest.raises(QueryError, match=rf"^Expected an answer from 'stub', but got {status} .* \(too much of it\)$"):
        stub.answer(batch)
    assert len(server.requests) == 3


@each_row(
    "reply, told",
    [
        (NOT_JSON, "17 bytes that hold no JSON object"),
        (Reply(), "0 bytes that hold no JSON object"),
        (Reply(body=b" <html>Log in</html>"), "no JSON object but an HTML page: check the URL"),
        (Reply(body=YES.body[:-5]), "that hold no JSON object"),
        (Reply(body=b"[1]"), "3 bytes that hold no JSON object"),
        (Reply(body=b"{}"), "got null as choices"),
        (Reply(body=b'{"choices": []}'), "got an empty list as choices"),
        (Reply(body=b"\xff\xfe\x00"), "hold no JSON object"),
        (Reply(body=b"[" * 100_000), "hold no JSON object"),
        (Reply(body=b"no gzip", headers={"Content-Encoding": "gzip"}), "reply readably"),
        (Reply(status=204), "204 No Content"),
    ],
)
def test_a_reply_that_cannot_be_read_costs_the_query(
    serve: Serve, model: Load, ask: Ask, reply: Reply, told: str
) -> None:
    server = serve(always(reply))
    with pytest.raises(QueryError, match=told):
        model(server).answer([ask()])
    assert len(server.requests) == 1


def test_a_reply_without_end_is_cut_off(serve: Serve, model: Load, ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pytest_vqamt.models.http.client._MAX_RESPONSE_BYTES", 1000)
    with pytest.raises(QueryError, match="more than 1000 bytes"):
        model(serve(always(said("x" * 2000)))).answer([ask()])


@each_row(
    "reply, told",
    [
        (
            failed(401, "who are you"),
            r"401 Unauthorized \(who are you\): none was sent; put it into .* VQAMT_OPENAI_KEY",
        ),
        (failed(402, "no credits"), r"402 Payment Required \(no credits\): fill it up"),
        (failed(403, "not here"), r"403 Forbidden \(not here\): check what the key allows"),
        (failed(404, "no such model"), r"called 'stub' .* 404 Not Found \(no such model\): check the name"),
        (failed(405), "405 Method Not Allowed"),
        (
            Reply(status=429, body=json.dumps({"error": {"message": "m", "type": "insufficient_quota"}}).encode()),
            "an account with money left",
        ),
    ],
)
def test_what_is_wrong_with_all_queries_ends_the_run_at_once(
    serve: Serve, model: Load, many: Many, reply: Reply, told: str
) -> None:
    server = serve(always(reply))
    with pytest.raises(ModelError, match=told):
        model(server, in_flight="1").answer(many(20))
    assert len(server.requests) == 1


def test_forbidden_after_an_answer_is_about_the_query(serve: Serve, model: Load, many: Many) -> None:
    server = serve(lambda request: failed(403, "flagged") if request.prompt.startswith("2\n") else YES)
    stub = model(server, in_flight="1")
    with pytest.raises(QueryError, match=r"403 Forbidden \(flagged\)$"):
        stub.answer(many(4))


def test_forbidden_again_and_again_ends_the_run(serve: Serve, model: Load, many: Many) -> None:
    server = serve(lambda request: YES if request.number == 0 else failed(403))
    with pytest.raises(ModelError, match="403"):
        model(server, in_flight="1").answer(many(20))
    assert len(server.requests) == 9


@each_row("status", [301, 302, 307, 308])
def test_a_redirect_is_told_and_not_followed(serve: Serve, model: Load, ask: Ask, status: int) -> None:
    other = serve(always(YES))
    server = serve(always(Reply(status=status, headers={"Location": f"{other.url}/v1/chat/completions?a=b"})))
    with pytest.raises(ModelError, match=rf"it sends on \({status} .*\) to {other.url}/v1/chat/completions: if"):
        model(server).answer([ask()])
    assert other.requests == []


def test_an_error_in_a_reply_of_success_counts_as_its_status(serve: Serve, model: Load, ask: Ask) -> None:
    def of(code: object) -> Reply:
        return Reply(body=json.dumps({"error": {"message": "provider down", "code": code}}).encode())

    in_choice = Reply(body=json.dumps({"choices": [{"error": {"message": "half", "code": 502}}]}).encode())
    server = serve(in_turn(of(502), in_choice, YES))
    assert model(server).answer([ask()])[0].text == "yes"
    assert len(server.requests) == 3
    with pytest.raises(QueryError, match=r"an error in a reply of success \(provider down\)"):
        model(serve(always(of("odd")))).answer([ask()])


@pytest.mark.parametrize(
    ("message", "advice"),
    [
        ("Unsupported parameter: 'max_tokens' is not supported with this model.", "token-limit=max_completion_tokens"),
        ("Unsupported value: 'temperature' does not support 0 with this model.", "temperature=none"),
    ],
)
def test_a_field_that_a_model_does_not_take_comes_with_advice(
    serve: Serve, model: Load, ask: Ask, message: str, advice: str
) -> None:
    with pytest.raises(QueryError, match=f"--vqamt-option {advice}$"):
        model(serve(always(failed(400, message)))).answer([ask()])


@each_row(
    "message", ["Failed to load image or audio file", "Unsupported image format WEBP", "cannot identify image file"]
)
def test_a_file_that_a_server_cannot_read_comes_with_advice(serve: Serve, model: Load, ask: Ask, message: str) -> None:
    for form, end in (("auto", r"--vqamt-option image-format=png$"), ("png", r"\)$")):
        with pytest.raises(QueryError, match=end):
            model(serve(always(failed(400, message))), image_format=form).answer([ask()])


def test_a_field_that_validation_names_comes_with_advice(serve: Serve, model: Load, ask: Ask) -> None:
    # As Mistral's API answers (github.com/editor-code-assistant/eca/issues/231).
    detail = [{"type": "extra_forbidden", "loc": ["body", "temperature"], "msg": "Extra inputs are not permitted"}]
    body = json.dumps({"object": "error", "message": {"detail": detail}}).encode()
    with pytest.raises(QueryError, match=r"Extra inputs are not permitted.*--vqamt-option temperature=none$"):
        model(serve(always(Reply(status=422, body=body)))).answer([ask()])


@given(st.integers(1, 40), st.integers(1, 40), st.integers(0, 2**32))
def test_the_very_pixels_come_out_again(width: int, height: int, seed: int) -> None:
    image = Image.frombytes("RGB", (width, height), random.Random(seed).randbytes(width * height * 3))
    item = ModelInput(Query(picture=scene_of().picture, meaning=Describe()), lambda _picture: image)
    head, _, encoded = item.file(LOSSLESS).data_uri.partition(",")
    read = Image.open(BytesIO(b64decode(encoded, validate=True)))
    assert (head, read.format, read.mode, read.size) == ("data:image/png;base64", "PNG", "RGB", (width, height))
    assert read.tobytes() == image.tobytes()


def of(content: object, reason: object = "stop", **message: object) -> dict[str, object]:
    return {"choices": [{"finish_reason": reason, "message": {"role": "assistant", "content": content, **message}}]}


@each_row(
    "fields, text",
    [
        (of("yes"), "yes"),
        (of("  Two dogs.\n"), "Two dogs."),
        (of("a long answer that was cut", "length"), "a long answer that was cut"),
        (of("half of it", "content_filter"), "half of it"),
        (of("", "stop"), ""),
        (of("  ", None), ""),
        (of([{"type": "text", "text": "a "}, {"type": "text", "text": "dog"}]), "a dog"),
        (
            of([{"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}, {"type": "text", "text": "no"}]),
            "no",
        ),
        (of(None, refusal="I cannot help with that."), "I cannot help with that."),
        (of("No.", refusal=None), "No."),
        (of("yes", reasoning_content="A dog is there."), "yes"),
        (of("", reasoning_content="Yes"), "Yes"),
        (of(None, reasoning="<think>Hm.</think> Yes"), "Yes"),
        (of("<think>Is it?\nIt is.</think>\n\nyes"), "yes"),
        (of("Is it? It is.</think>yes"), "yes"),
        (of("<think></think>yes"), "yes"),
        (of("<think>a</think><think>b</think>no"), "no"),
        (of("[thinking]Is it?[/thinking]yes"), "yes"),
        (of("<reasoning>no</reasoning> yes <scratchpad>so"), ""),  # never ended
        (of("I think so"), "I think so"),
        (of("half an emoji \ud83d"), "half an emoji ?"),
    ],
)
def test_the_answer_is_what_the_model_says_in_the_end(fields: dict[str, object], text: str) -> None:
    assert completion_text(parse_body(json.dumps(fields).encode(), "")) == text


@each_row(
    "fields, told",
    [
        ({}, "got null as choices"),
        ({"choices": None}, "got null as choices"),
        ({"choices": []}, "got an empty list as choices"),
        ({"choices": {"0": 1}}, "got dict as choices"),
        ({"choices": ["yes"]}, "got list as choices"),
        ({"choices": [{}]}, "got list as choices"),
        ({"choices": [{"index": 0}]}, "a choice with a message, but got null as message"),
        ({"choices": [{"message": None}]}, "got null"),
        ({"choices": [{"text": "old"}]}, "as /completions gives it: name the URL of /chat/completions"),
        ({"choices": [{"delta": {"content": "y"}}]}, "a part of a stream"),
        (of(None, "tool_calls", tool_calls=[{"id": "1"}]), "the model called a tool"),
        (of("", "stop", tool_calls=[{"id": "1"}]), "the model called a tool"),
        (of(None, "MAX_TOKENS"), r"longest-answer=2048"),
        (of("", "max_output_tokens"), r"longest-answer=2048"),
        (of(None, "SAFETY"), r"the server's filter took it away"),
        (of(None), "got null as content$"),
        (of(None, "refusal"), r"got null as content \(finish_reason='refusal'\)"),
        (of("A dog with", "abort"), r"the server broke it off \(finish_reason='abort'\)"),
        (of("", {"type": "abort", "message": "gone"}), r"the server broke it off \(finish_reason='abort'\)"),
        (of("A dog", "ERROR_TOXIC"), r"the server broke it off"),
        (of(7), "got int as content"),
        (of([]), "got an empty list as content"),
        (of([{"type": "image_url"}]), "got list as content"),
        (of(None, "length"), r"longest-answer=2048"),
        (of("", "length"), r"longest-answer=2048"),
        (of("<think>Let me see", "length"), r"longest-answer=2048"),
        (of("<thinking>Let me see", "length"), r"longest-answer=2048"),
        (of(None, "content_filter"), r"the server's filter took it away"),
        (of("", "content_filter"), r"the server's filter took it away"),
    ],
)
def test_what_holds_no_answer_is_an_error_of_its_query(fields: dict[str, object], told: str) -> None:
    with pytest.raises(QueryError, match=told):
        completion_text(fields)


@each_row(
    ("body", "told"),
    [
        ({"object": "error", "message": "no such model"}, r"\(no such model\)"),
        ({"detail": "model is loading"}, r"\(model is loading\)"),
        ({"code": 400, "msg": "bad picture"}, r"400 Bad Request \(bad picture\)"),
        ({"object": "response", "output": []}, "OpenAI's /responses"),
        ({"type": "message", "content": [{"type": "text", "text": "yes"}]}, "Anthropic's /messages"),
        ({"model": "m", "message": {"content": "yes"}, "done": True}, "Ollama's own API: name http://HOST:11434/v1"),
        ({"candidates": []}, "Gemini's own API"),
        ([{"generated_text": "yes"}], "a reply of another API"),
        ([{"error": {"message": "key not valid"}}], r"an error in a reply of success \(key not valid\)"),
        ({"error": "Channel Error"}, r"an error in a reply of success \(Channel Error\)"),
        ({"error": {"code": "400", "message": "bad"}}, r"400 Bad Request \(bad\)"),
        ({"code": "InvalidParameter", "message": "url error"}, r"null as choices \(url error\)"),
        ({"base_resp": {"status_code": 1004, "status_msg": "login fail"}}, r"null as choices \(.*login fail"),
        ({"success": False, "errors": [{"message": "No route"}]}, r"null as choices \(.*No route"),
        ({"choices": [], "promptFeedback": {"blockReason": "OTHER"}}, r"an empty list as choices \(.*OTHER"),
        ({"output": {"message": {"content": [{"text": "yes"}]}}}, r"null as choices \(.*output"),
        ({"generated_text": "yes"}, "a reply of another API"),
        (b'data: {"choices": [{"delta": {"content": "yes"}}]}\n\ndata: [DONE]\n', "an event stream"),
        (b"event: message_start\ndata: {}\n", "an event stream"),
        (b'{"message": {"content": "y"}, "done": false}\n{"message": {"content": "es"}, "done": true}\n', "Ollama"),
    ],
)
def test_a_reply_of_success_that_is_no_completion_is_named(
    serve: Serve, model: Load, ask: Ask, body: object, told: str
) -> None:
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    with pytest.raises(QueryError, match=told):
        model(serve(lambda _: Reply(body=data))).answer([ask()])


def longer(item: ModelInput) -> ModelInput:
    return ModelInput(replace(item.query, text=f"Is this {'very ' * 1000}old?"), lambda _: item.image)


@each_row(("status", "large_bytes"), [(status, size) for status in (404, 405, 410, 413) for size in (100, 10**6)])
def test_a_request_that_may_be_too_large_disables_no_model(
    serve: Serve, model: Load, many: Many, monkeypatch: pytest.MonkeyPatch, status: int, large_bytes: int
) -> None:
    def limited(request: Request) -> Reply:
        return YES if len(json.dumps(request.fields)) < 5_000 else failed(status, "Cannot POST")

    monkeypatch.setattr(requests, "LARGE_BYTES", large_bytes)
    small, other = many(2)
    stub = model(serve(limited))
    assert stub.answer([small])[0].text == "yes"
    told = r"\(Cannot POST\) to a request of .* MB: the largest that it answered had .* MB, .* max-pixels="
    for _ in range(10):
        with pytest.raises(QueryError, match=told):
            stub.answer([longer(other)])
    assert stub.answer([small])[0].text == "yes"


def test_a_refusal_of_what_was_answered_before_is_not_for_its_size(serve: Serve, model: Load, ask: Ask) -> None:
    stub = model(serve(in_turn(YES, failed(404))))
    stub.answer([ask()])
    with pytest.raises(ModelError, match="check the name of the model"):
        stub.answer([ask()])


def test_a_server_that_never_answers_is_not_there_whatever_the_size(
    serve: Serve, model: Load, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(requests, "LARGE_BYTES", 100)
    stub = model(serve(always(failed(404))))
    for _ in range(7):
        with pytest.raises(QueryError):
            stub.answer([ask()])
    with pytest.raises(ModelError, match="check the name of the model"):
        stub.answer([ask()])


def test_the_model_that_answered_is_recorded(serve: Serve, model: Load, ask: Ask) -> None:
    named = {**of("yes"), "model": "m-2026-11-01"}
    other = {**of("yes"), "model": "m-2026-11-20"}
    replies = [Reply(body=json.dumps(each).encode()) for each in (named, named, other)]
    stub = model(serve(in_turn(*replies)))
    for _ in range(3):
        stub.answer([ask()])
    assert stub.usage["answers of m-2026-11-01"] == 2
    assert stub.usage["answers of m-2026-11-20"] == 1


def test_a_reply_of_another_success_is_read_and_a_code_in_words_is_asked_again(
    serve: Serve, model: Load, ask: Ask
) -> None:
    created = Reply(status=201, body=YES.body)
    limited = Reply(body=b'{"error": {"message": "Rate limit exceeded", "code": "429"}}')
    stub = model(serve(in_turn(created, limited, YES)))
    assert [stub.answer([ask()])[0].text for _ in range(2)] == ["yes", "yes"]
    assert stub.usage["requests"] == 3


def test_a_key_in_a_reply_that_is_no_completion_is_not_repeated(
    serve: Serve, model: Load, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = "tooth" * 60  # its end is where the quotation ends
    monkeypatch.setenv("VQAMT_OPENAI_KEY", key)
    stub = model(serve(always(Reply(body=json.dumps({"status": f"{'x' * 150} {key}"}).encode()))))
    with pytest.raises(QueryError, match="as choices") as refused:
        stub.answer([ask()])
    assert "tooth" not in str(refused.value)


@each_row(
    "reason",
    [
        *("model_context_window_exceeded", "limit", "incomplete", "MAX_TOKENS_REACHED", "full", "output_limit"),
        *("truncated", "TRUNCATION", "token_limit_reached", "context_full", "cutoff", 2, "2"),
    ],
)
def test_an_answer_that_was_cut_off_in_other_words_is_one(reason: object) -> None:
    assert requests.is_truncated(of("A dog with", reason))


@each_row(
    "reason",
    [
        *("stop", "eos_token", "end_turn", "fully_complete", "complete", "not_truncated", "rate_limit", "time_limit"),
        *("stop_sequence", 1, "1", 3, True, 0, 20, None),
    ],
)
def test_no_other_answer_is(reason: object) -> None:
    assert not requests.is_truncated(of("A dog with", reason))


def test_the_number_of_the_token_that_ended_an_answer_says_nothing_of_its_length() -> None:
    assert not requests.is_truncated({"choices": [{"stop_reason": 2, "message": {"content": "A dog"}}]})


def test_thoughts_that_come_to_no_end_are_no_answer() -> None:
    assert completion_text(of("<think>Let me see")) == ""


@each_row(
    "fields, error",
    [
        (of("yes"), None),
        ({"error": None, **of("yes")}, None),
        ({"error": {"code": 502}}, {"error": {"code": 502}}),
        ({"choices": [{"error": {"code": 429}}]}, {"error": {"code": 429}}),
    ],
)
def test_an_error_may_hide_in_a_reply(fields: dict[str, object], error: object) -> None:
    assert embedded_error(fields) == error
