"""What is sent, what comes back, and what it costs."""

from __future__ import annotations

import gzip
import json
import re
import threading
from base64 import b64decode
from collections.abc import Callable
from contextlib import closing
from io import BytesIO
from random import Random

import pytest
from PIL import Image

from pytest_vqamt.core.errors import DataError, OptionError
from pytest_vqamt.core.meaning import Count, Describe, Exists, Group
from pytest_vqamt.core.query import CANNOT_SWITCH, Answer, ModelInput, PictureFile, Query, Task
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.execution.prefetch import InputPipeline
from pytest_vqamt.models.http.retry import QueryError
from pytest_vqamt.models.openai.chat_model import check, load
from pytest_vqamt.models.prompts import LONGEST_REASONING
from pytest_vqamt.models.protocol import ModelOptions
from pytest_vqamt.models.wrapped import wrap_model
from tests.execution.worlds import Scenes, query
from tests.making import scene_of
from tests.models.conftest import Ask
from tests.models.openai.conftest import Load, Serve
from tests.models.openai.stub import Reply, Request, always, failed, said
from tests.rows import each_row

Many = Callable[[int], list[ModelInput]]


def echo(request: Request) -> Reply:
    """Says the first line of the prompt: the question."""
    return said(request.prompt.splitlines()[0])


def texts(answers: object) -> list[str]:
    assert isinstance(answers, tuple)
    return [answer.text for answer in answers]


def test_a_request_holds_the_prompt_and_the_picture_and_nothing_else(serve: Serve, model: Load, ask: Ask) -> None:
    server = serve(echo)
    model(server).answer([ask(text="What is there?")])
    (request,) = server.requests
    assert request.path == "/v1/chat/completions"
    assert request.headers["content-type"] == "application/json"
    assert request.headers["user-agent"].startswith("pytest-vqamt/")
    assert "authorization" not in request.headers
    assert request.fields == {
        "model": "stub",
        "messages": [
            {
                "role": "user",
                "content": [
                    {"type": "image_url", "image_url": {"url": request.picture}},
                    {
                        "type": "text",
                        "text": "What is there?\nAnswer the question using a single word or phrase.",
                    },
                ],
            }
        ],
        "max_tokens": 16,
        "stream": False,
        "temperature": 0,
    }
    assert request.picture.startswith("data:image/png;base64,")


def test_settings_change_the_request(serve: Serve, model: Load, ask: Ask) -> None:
    server = serve(echo)
    options = ModelOptions(
        settings={
            "temperature": "none",
            "seed": "7",
            "detail": "high",
            "longest-answer": "99",
            "token-limit": "max_completion_tokens",
        }
    )
    load(f"stub@{server.url}", options).answer([ask()])
    fields = server.requests[0].fields
    assert {name: fields.get(name) for name in ("temperature", "seed", "max_tokens", "max_completion_tokens")} == {
        "temperature": None,
        "seed": 7,
        "max_tokens": None,
        "max_completion_tokens": 99,
    }
    assert fields["messages"][0]["content"][0]["image_url"]["detail"] == "high"


def test_the_picture_arrives_as_it_was_rendered(serve: Serve, model: Load, yard: Scene) -> None:
    noise = Image.frombytes("RGB", (61, 47), Random(3).randbytes(61 * 47 * 3))
    server = serve(echo)
    query = Query(picture=yard.picture, text="?", meaning=Describe())
    model(server).answer([ModelInput(query, lambda _: noise)])
    head, _, encoded = server.requests[0].picture.partition(",")
    arrived = Image.open(BytesIO(b64decode(encoded, validate=True)))
    assert (head, arrived.format, arrived.mode) == ("data:image/png;base64", "PNG", "RGB")
    assert (arrived.size, arrived.tobytes()) == (noise.size, noise.tobytes())


def test_each_task_has_its_prompt_and_its_longest_answer(serve: Serve, model: Load, ask: Ask) -> None:
    server = serve(always(said("It is a Contradiction.")))
    stub = model(server, prompt_caption="Say it.", prompt_entailment="True? {text}")
    dog = Group(name="dog")
    assert texts(stub.entail([ask(text="A dog.", task=Task.ENTAILMENT)])) == ["It is a Contradiction."]
    assert texts(stub.caption([ask(text="", task=Task.CAPTIONING)])) == ["It is a Contradiction."]
    stub.answer([ask(Exists(group=dog), "Is there a dog?")])
    stub.answer([ask(Count(groups=(dog,)), "How many dogs?")])
    assert [(request.prompt, request.fields["max_tokens"]) for request in server.requests] == [
        ("True? A dog.", 16),
        ("Say it.", 80),
        ("Is there a dog?\nAnswer with yes or no.", 16),
        ("How many dogs?\nAnswer with a number.", 16),
    ]


def test_a_picture_is_drawn_once_for_all_its_questions(serve: Serve, model: Load) -> None:
    source, server = Scenes(1), serve(echo)
    picture = scene_of("dog").picture
    asked = [query(str(number), picture=each) for each in (picture, picture.mirror()) for number in range(5)]
    with closing(InputPipeline(source, batch_size=10)) as pipeline:
        assert texts(model(server).answer(pipeline.inputs(asked))) == [str(number) for _ in "12" for number in range(5)]
    assert source.drawn == ["made.png"] * 2
    assert len({request.picture for request in server.requests}) == 1, "both are white"


def test_many_requests_with_32_in_flight(serve: Serve, model: Load, many: Many) -> None:
    # The first are held back until more than half of them are there, so that a busy machine makes no difference.
    are_many = threading.Event()

    def reply(request: Request) -> Reply:
        if server.peak > 16 or not are_many.wait(timeout=10):
            are_many.set()
        return said(request.prompt.splitlines()[0], delay_s=0.02)

    server = serve(reply)
    assert texts(model(server).answer(many(200))) == [str(number) for number in range(200)]
    assert len(server.requests) == 200
    assert 16 < server.peak <= 32


def test_no_more_are_in_flight_than_the_user_allows(serve: Serve, model: Load, many: Many) -> None:
    server = serve(always(said("yes", delay_s=0.01)))
    stub = model(server, in_flight="3")
    stub.answer(many(30))
    assert server.peak == 3


def test_the_first_batches_are_what_is_in_flight_and_the_largest_four_times_that(serve: Serve, model: Load) -> None:
    # Where nothing can be answered, no more is paid for than shows it; what is answered makes batches grow.
    stub = model(serve(echo), in_flight="6")
    assert (stub.batches_at_once, stub.batch_size, stub.largest_batch) == (2, 3, 24)
    alone = model(serve(echo), in_flight="1")
    assert (alone.batch_size, alone.largest_batch) == (1, 4)


def test_answers_come_in_the_order_of_the_inputs(serve: Serve, model: Load, many: Many) -> None:
    server = serve(lambda request: said(request.prompt.splitlines()[0], delay_s=0.05 if request.number == 0 else 0))
    stub = model(server)
    batch = many(20)
    assert texts(stub.answer(batch)) == [str(number) for number in range(20)]
    assert texts(stub.answer(batch[::-1])) == [str(number) for number in reversed(range(20))]


def test_asking_once_more_is_another_query(serve: Serve, model: Load, ask: Ask) -> None:
    server = serve(lambda request: said(str(request.number)))
    said_twice = texts(model(server, in_flight="1").answer([ask(text="a"), ask(text="a", trial=1)]))
    assert said_twice == ["0", "1"]


def test_a_compressed_reply_is_read(serve: Serve, model: Load, ask: Ask) -> None:
    packed = Reply(body=gzip.compress(said("yes").body), headers={"Content-Encoding": "gzip"})
    assert texts(model(serve(always(packed))).answer([ask()])) == ["yes"]


def test_another_setting_is_another_model(serve: Serve, model: Load) -> None:
    server = serve(echo)
    one = model(server)
    others = [
        load(f"stub@{server.url}", ModelOptions(settings={name: value}))
        for name, value in {
            "temperature": "0.5",
            "seed": "1",
            "revision": "2025-01-01",
            "detail": "low",
            "prompt-question": "Q: {text}",
            "longest-answer": "17",
            "token-limit": "max_completion_tokens",
            "image-format": "png",
        }.items()
    ]
    assert len({each.fingerprint for each in (one, *others)}) == 9
    same = model(server, in_flight="3", timeout_s="9", retries_s="1")
    assert same.fingerprint == one.fingerprint


def test_a_fingerprint_names_the_model_the_place_and_the_revision(serve: Serve, model: Load) -> None:
    server = serve(echo)
    assert re.fullmatch(
        rf"openai-1 model=stub url={server.url}/v1/chat/completions prompts=\w{{16}} settings=\w{{16}} revision=may "
        "images=auto",
        model(server, revision="may").fingerprint,
    )


@each_row(
    "given, images, lossless",
    [
        ("auto", " images=auto", ""),
        ("jpeg", " images=jpeg:95", ""),
        ("jpeg:80", " images=jpeg:80", ""),
        # What was sent before there was a choice, so that answers cached then are found.
        ("png", "", ""),
        ("webp", " images=webp", " images=webp"),
    ],
)
def test_answers_to_one_format_are_not_those_to_another(given: str, images: str, lossless: str) -> None:
    plain = load("m@http://127.0.0.1:9", ModelOptions(settings={"image-format": "png"})).fingerprint
    stub = load("m@http://127.0.0.1:9", ModelOptions(settings={"image-format": given}))
    assert (stub.fingerprint, stub.lossless_fingerprint) == (plain + images, plain + lossless)


def test_usage_is_summed_over_real_requests(serve: Serve, model: Load, many: Many) -> None:
    usage = {"prompt_tokens": 100, "completion_tokens": 3, "total_tokens": 103, "cost": 0.25}

    def script(request: Request) -> Reply:
        return failed(500) if request.number == 0 else said("yes", usage=usage)

    stub = model(serve(script), in_flight="1")
    assert stub.usage == {}
    stub.answer(many(4))
    assert stub.usage == {
        "requests": 5,
        "requests broken off": 1,
        "tokens in": 400,
        "tokens out": 12,
        "cost": 1.0,
    }
    assert isinstance(stub.usage["tokens in"], int)


def test_an_answer_that_cannot_be_read_has_cost_something_all_the_same(serve: Serve, model: Load, ask: Ask) -> None:
    stub = model(serve(always(said(None, usage={"prompt_tokens": 7, "completion_tokens": None}))))
    with pytest.raises(QueryError):
        stub.answer([ask()])
    assert stub.usage == {"requests": 1, "tokens in": 7}


def test_answers_that_were_cut_off_are_counted(serve: Serve, model: Load, many: Many) -> None:
    def script(request: Request) -> Reply:
        return said("Looking closely, I can", reason="length" if request.number < 2 else "stop")

    stub = model(serve(script), in_flight="1")
    stub.answer(many(5))
    assert stub.usage == {"requests": 5, "answers cut off": 2}


def test_nothing_asked_sends_nothing(serve: Serve, model: Load) -> None:
    server = serve(echo)
    assert model(server).answer([]) == ()
    assert server.requests == []


WELL = "m@http://127.0.0.1:9/v1"


@each_row(
    "argument, settings, told",
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


SCHEMAS = {
    "Is there a dog?": ({"type": "string", "enum": ["yes", "no"]}, "yes", "yes"),
    "How many dogs are there?": ({"type": "integer"}, 3, "3"),
    "What is there?": ({"type": "string"}, "a dog", "a dog"),
}


def test_structured_output_has_a_schema_by_the_form_of_the_question(serve: Serve, model: Load, ask: Ask) -> None:
    def script(request: Request) -> Reply:
        return said(json.dumps({"answer": SCHEMAS[request.prompt.splitlines()[0]][1]}))

    server = serve(script)
    stub = model(server, response="json", in_flight="1")
    assert texts(stub.answer([ask(text=text) for text in SCHEMAS])) == [read for _, _, read in SCHEMAS.values()]
    for request, (schema, _, _) in zip(server.requests, SCHEMAS.values(), strict=True):
        wanted = request.fields["response_format"]
        assert wanted["type"] == "json_schema"
        assert wanted["json_schema"]["strict"] is True
        assert wanted["json_schema"]["schema"] == {
            "type": "object",
            "properties": {"answer": schema},
            "required": ["answer"],
            "additionalProperties": False,
        }


def test_an_entailment_has_its_labels(serve: Serve, model: Load, ask: Ask) -> None:
    server = serve(always(said('{"answer": "neutral"}')))
    (answer,) = model(server, response="json").entail([ask(text="A dog.", task=Task.ENTAILMENT)])
    assert answer.text == "neutral"
    schema = server.requests[0].fields["response_format"]["json_schema"]["schema"]
    assert schema["properties"]["answer"]["enum"] == ["entailment", "neutral", "contradiction"]


def test_what_is_not_in_json_is_left_to_the_reader(serve: Serve, model: Load, ask: Ask) -> None:
    stub = model(serve(always(said("Yes."))), response="json")
    assert texts(stub.answer([ask()])) == ["Yes."]
    assert stub.usage["answers not in JSON"] == 1


def test_json_that_was_cut_off_is_no_answer(serve: Serve, model: Load, ask: Ask) -> None:
    stub = model(serve(always(said('{"answer": "ye', reason="length"))), response="json")
    with pytest.raises(QueryError, match=r"cut off at its longest length: --vqamt-option longest-answer=N"):
        stub.answer([ask()])


def test_a_request_says_what_the_user_says(
    serve: Serve, model: Load, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_ROUTE", "blue-42")
    server = serve(echo)
    settings = {"system": "Be brief.\\nVery.", "body.top_k": "1", "body.reasoning_effort": '"low"'}
    load(f"stub@{server.url}", ModelOptions(settings={**settings, "header.X-Route": "MY_ROUTE"})).answer([ask()])
    (request,) = server.requests
    assert request.headers["x-route"] == "blue-42"
    assert request.fields["messages"][0] == {"role": "system", "content": "Be brief.\nVery."}
    assert [message["role"] for message in request.fields["messages"]] == ["system", "user"]
    assert (request.fields["top_k"], request.fields["reasoning_effort"]) == (1, "low")


def test_the_value_of_a_header_is_as_secret_as_the_key(
    serve: Serve, model: Load, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AZURE", "0123456789abcdef")
    server = serve(lambda request: said(f"you sent {request.headers['api-key']}"))
    stub = load(f"stub@{server.url}", ModelOptions(settings={"header.api-key": "AZURE"}))
    assert texts(stub.answer([ask()])) == ["you sent [key]"]
    assert "0123456789abcdef" not in stub.fingerprint


def test_pictures_are_resized_before_they_are_sent(serve: Serve, model: Load, yard: Scene) -> None:
    noise = Image.frombytes("RGB", (64, 48), Random(3).randbytes(64 * 48 * 3))
    server = serve(echo)
    query = Query(picture=yard.picture, text="?", meaning=Describe())
    model(server, max_pixels="768").answer([ModelInput(query, lambda _: noise)])
    arrived = Image.open(BytesIO(b64decode(server.requests[0].picture.partition(",")[2])))
    assert arrived.size == (32, 24)


def test_log_probabilities_become_the_scores_of_the_answer(serve: Serve, model: Load, ask: Ask) -> None:
    def token(text: str, *others: tuple[str, float]) -> dict[str, object]:
        top = [{"token": name, "logprob": score} for name, score in others]
        return {"token": text, "logprob": -0.1, "top_logprobs": top}

    fields = json.loads(said("Yes.").body)
    fields["choices"][0]["logprobs"] = {"content": [token("Yes", ("Yes", -0.2), ("No", -1.8)), token(".", (".", -0.1))]}
    server = serve(always(Reply(body=json.dumps(fields).encode())))
    (answer,) = model(server, logprobs="2").answer([ask()])
    assert [(label, round(score, 6)) for label, score in answer.scores or ()] == [("Yes", -0.2), ("No", -1.8)]
    assert (server.requests[0].fields["logprobs"], server.requests[0].fields["top_logprobs"]) == (True, 2)
    assert answer.steps is None
    (stepwise,) = model(server, logprobs="2", logprob_steps="8").answer([ask()])
    assert stepwise == answer, "steps are no part of an answer"
    assert stepwise.steps == ((("Yes", -0.2), ("No", -1.8)), ((".", -0.1),))
    (answer,) = model(server).answer([ask()])
    assert answer.scores is None
    assert "logprobs" not in server.requests[2].fields


def test_answers_that_lack_the_log_probabilities_are_counted(serve: Serve, model: Load, ask: Ask) -> None:
    stub = model(serve(always(said("Yes."))), logprobs="2")
    (answer,) = stub.answer([ask()])
    assert answer.scores is None
    assert stub.usage["answers without log-probabilities"] == 1


@each_row(
    "name, value",
    [
        ("system", "Be brief."),
        ("body.top_k", "1"),
        ("logprobs", "5"),
        ("min-pixels", "7"),
        ("max-pixels", "9"),
        ("response", "json"),
        ("header.x", "HOME"),
    ],
)
def test_each_setting_is_in_the_fingerprint(name: str, value: str) -> None:
    plain = load("m@http://127.0.0.1:9", ModelOptions())
    assert load("m@http://127.0.0.1:9", ModelOptions(settings={name: value})).fingerprint != plain.fingerprint


def test_reasoning_is_switched_in_each_request(serve: Serve, ask: Ask) -> None:
    server = serve(echo)
    given = {"body.chat_template_kwargs": '{"enable_thinking": false}', "longest-answer": "9"}
    loaded = wrap_model("m", load(f"stub@{server.url}", ModelOptions(settings=given)), ModelOptions())
    batch = [ask(text="Red?", reasoning=reasoning) for reasoning in (None, False, True)]
    assert dict(loaded.stream(Task.VQA, batch)) == dict.fromkeys(range(3), Answer("Red?"))
    sent = sorted(
        (request.fields["chat_template_kwargs"]["enable_thinking"], request.fields["max_tokens"])
        for request in server.requests
    )
    assert sent == [(False, 9), (False, 9), (True, 9 + LONGEST_REASONING)]


def test_without_a_field_that_switches_it_a_query_for_reasoning_is_declined(
    serve: Serve, model: Load, ask: Ask
) -> None:
    server = serve(echo)
    loaded = wrap_model("m", model(server), ModelOptions())
    batch = [ask(text="Red?", reasoning=True), ask(text="Red?")]
    answers = dict(loaded.stream(Task.VQA, batch))
    assert answers == {0: CANNOT_SWITCH.answer, 1: Answer("Red?")}
    assert [request.fields["max_tokens"] for request in server.requests] == [16]


def test_a_note_has_the_size_of_the_largest_request() -> None:
    stub = load("m@http://127.0.0.1:9", ModelOptions(settings={"image-format": "jpeg:80"}))

    def sized(size_bytes: int) -> ModelInput:
        def encode(*_: object) -> PictureFile:
            if not size_bytes:
                raise DataError("Expected a photo")
            return PictureFile("image/jpeg", "A" * size_bytes)

        return ModelInput(query(), NotImplemented, encode)

    said = "pictures are sent as JPEG 80"
    assert stub.request_note([sized(0)]) == said  # the case that needs the photo will name it
    said += "; a request with a picture of 200 x 100 px has about"
    assert stub.request_note([sized(0), sized(130_000), sized(520_000)]) == f"{said} 0.52 MB"
    assert stub.request_note([sized(1_250_000)]) == (
        f"{said} 1.25 MB, and many servers take 1 MB: --vqamt-option max-pixels=1000000 sends smaller ones"
    )
