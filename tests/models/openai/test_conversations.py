"""A conversation arrives as it is: its roles, and its texts and files in their order."""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Sequence
from contextlib import closing
from functools import partial

import pytest

from pytest_vqamt.core.conversation import Ability, Part, Role, Turn
from pytest_vqamt.core.meaning import Describe
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.query import Answer, ModelInput, Query, Task
from pytest_vqamt.data import catalogue
from pytest_vqamt.data.scene_source import SceneSource
from pytest_vqamt.execution.prefetch import InputPipeline
from pytest_vqamt.imaging.render import render
from pytest_vqamt.models.http.picture_files import LOSSLESS, png_bytes
from pytest_vqamt.models.protocol import ModelOptions
from pytest_vqamt.models.token_forecast import CHARACTERS_PER_TOKEN
from pytest_vqamt.models.wrapped import wrap_model
from tests.models.openai.conftest import Load, Serve
from tests.models.openai.stub import always, digest_of, echo_parts, failed, said
from tests.rows import each_row


@pytest.fixture(scope="module")
def source() -> SceneSource:
    return catalogue.load("pictures:3")


@pytest.fixture(scope="module")
def shown(source: SceneSource) -> tuple[Picture, Picture, Picture]:
    first, second, third = (source.scene(place).picture for place in range(3))
    return first, second.mirror(), third


def user(*parts: Part) -> Turn:
    return Turn(parts)


def asked(source: SceneSource, *turns: Turn) -> ModelInput:
    return ModelInput(Query.of(*turns, meaning=Describe()), partial(render, photos=source))


def test_roles_texts_and_files_arrive_in_their_order(
    serve: Serve, model: Load, source: SceneSource, shown: tuple[Picture, Picture, Picture]
) -> None:
    first, second, third = shown
    item = asked(
        source,
        Turn(("Be brief.",), Role.SYSTEM),
        user("One:", first, "two:", second),
        Turn(("I see.",), Role.ASSISTANT),
        user("What is there?", third),
    )
    server = serve(echo_parts)
    (answer,) = model(server).answer([item])
    files = [png_bytes(render(picture, source)) for picture in shown]
    prompt = "What is there?\nAnswer the question using a single word or phrase."
    assert server.requests[0].conversation == [
        ("system", ["Be brief."]),
        ("user", ["One:", files[0], "two:", files[1]]),
        ("assistant", ["I see."]),
        ("user", [prompt, files[2]]),
    ]
    assert answer.text.splitlines() == [
        "system Be brief.",
        "user One:",
        f"user {digest_of(files[0])}",
        "user two:",
        f"user {digest_of(files[1])}",
        "assistant I see.",
        "user " + prompt.replace("\n", " / "),
        f"user {digest_of(files[2])}",
    ]


def test_what_is_sent_is_what_a_conversation_in_chat_completions_looks_like(
    serve: Serve, model: Load, source: SceneSource, shown: tuple[Picture, Picture, Picture]
) -> None:
    first, second, _ = shown
    server = serve(always(said("yes")))
    item = asked(source, user(first, "Is there a dog?"), Turn(("No.",), Role.ASSISTANT), user(second, "And here?"))
    model(server, prompt_question="{text}!", detail="low").answer([item])
    urls = ["data:image/png;base64," + b64encode(png_bytes(render(each, source))).decode() for each in (first, second)]
    assert server.requests[0].fields["messages"] == [
        {
            "role": "user",
            "content": [
                {"type": "image_url", "image_url": {"url": urls[0], "detail": "low"}},
                {"type": "text", "text": "Is there a dog?"},
            ],
        },
        {"role": "assistant", "content": "No."},
        {
            "role": "user",
            "content": [
                {"type": "image_url", "image_url": {"url": urls[1], "detail": "low"}},
                {"type": "text", "text": "And here?!"},
            ],
        },
    ]


def test_a_picture_that_is_shown_twice_is_sent_twice_and_encoded_once(
    serve: Serve, model: Load, source: SceneSource, shown: tuple[Picture, Picture, Picture]
) -> None:
    first, second, _ = shown
    query = Query.of(user(first, second, first, "Which is the same?"), meaning=Describe())
    server = serve(echo_parts)
    with closing(InputPipeline(source, batch_size=1)) as pipeline:
        model(server).answer(pipeline.inputs([query]))
        sent = pipeline.inputs([query])[0]
        assert sent.file(LOSSLESS, first) is sent.file(LOSSLESS)
    files = [part for part in server.requests[0].conversation[0][1] if isinstance(part, bytes)]
    assert files == [png_bytes(render(each, source)) for each in (first, second, first)]


def test_each_picture_has_the_form_of_file_that_is_set(
    serve: Serve, model: Load, source: SceneSource, shown: tuple[Picture, Picture, Picture]
) -> None:
    server = serve(echo_parts)
    model(server, image_format="jpeg:80").answer([asked(source, user(*shown[:2], "How many dogs?"))])
    (first, second) = (part for part in server.requests[0].conversation[0][1] if isinstance(part, bytes))
    assert first[:3] == second[:3] == b"\xff\xd8\xff"
    assert first != second


@each_row(
    "own, sent",
    [
        ((), ["The user's.", "One:"]),
        ((Turn(("Its own.",), Role.SYSTEM),), ["Its own.", "One:"]),
    ],
)
def test_a_system_message_of_the_conversation_replaces_that_of_the_user(
    serve: Serve,
    model: Load,
    source: SceneSource,
    shown: tuple[Picture, Picture, Picture],
    own: tuple[Turn, ...],
    sent: Sequence[str],
) -> None:
    server = serve(echo_parts)
    model(server, system="The user's.").answer([asked(source, *own, user("One:", shown[0], "Dogs?"))])
    found = server.requests[0].conversation
    assert [role for role, _ in found] == ["system", "user"]
    assert [parts[0] for _, parts in found] == sent


def test_one_picture_and_one_text_is_the_request_that_it_was(
    serve: Serve, model: Load, source: SceneSource, shown: tuple[Picture, Picture, Picture]
) -> None:
    server = serve(always(said("yes")))
    item = asked(source, user(shown[0], "Is there a dog?"))
    model(server, system="Be brief.", seed="7").answer([item])
    url = item.file(LOSSLESS).data_uri
    # As version 2248a5aa sent it.
    assert server.requests[0].content.decode() == (
        '{"model": "stub", "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": '
        '[{"type": "image_url", "image_url": {"url": "' + url + '"}}, {"type": "text", "text": '
        '"Is there a dog?\\nAnswer with yes or no."}]}], "max_tokens": 16, "stream": false, "temperature": 0.0, '
        '"seed": 7}'
    )


def test_a_caption_is_asked_for_by_its_prompt_behind_the_picture(
    serve: Serve, model: Load, source: SceneSource, shown: tuple[Picture, Picture, Picture]
) -> None:
    server = serve(echo_parts)
    query = Query(picture=shown[0], meaning=Describe(), task=Task.CAPTIONING)
    model(server, prompt_caption="Say it.").caption([ModelInput(query, partial(render, photos=source))])
    assert server.requests[0].conversation == [("user", [png_bytes(render(shown[0], source)), "Say it."])]


@each_row(
    "status, message, declined",
    [
        (400, "At most 1 image(s) may be provided in one prompt.", "the model does not take several pictures"),
        (400, "vision model only supports a single image per message", "the model does not take several pictures"),
        (400, "this model does not support multiple images", "the model does not take several pictures"),
        (400, "System role not supported", "the model does not take system messages"),
    ],
)
def test_what_the_server_says_that_its_model_does_not_take_is_declined(
    serve: Serve,
    model: Load,
    source: SceneSource,
    shown: tuple[Picture, Picture, Picture],
    status: int,
    message: str,
    declined: str,
) -> None:
    stub = model(serve(always(failed(status, message))), retries_s="0")
    turns = Turn(("Be brief.",), Role.SYSTEM), user(*shown, "Which has a dog?")
    assert stub.answer([asked(source, *turns)]) == (Answer("", declined=declined),)


def test_another_error_of_a_conversation_and_that_of_one_picture_are_errors(
    serve: Serve, model: Load, source: SceneSource, shown: tuple[Picture, Picture, Picture]
) -> None:
    full = model(serve(always(failed(400, "the context is full"))))
    with pytest.raises(Exception, match="the context is full"):
        full.answer([asked(source, user(*shown, "Which?"))])
    one = model(serve(always(failed(400, "At most 1 image(s) may be provided"))))
    with pytest.raises(Exception, match="At most 1 image"):
        one.answer([asked(source, user(shown[0], "Which?"))])


def test_it_takes_every_conversation(serve: Serve, model: Load) -> None:
    stub = wrap_model("stub", model(serve(echo_parts)), ModelOptions())
    assert stub.takes == frozenset(Ability)


def test_a_forecast_counts_all_pictures_and_all_texts(
    serve: Serve, model: Load, source: SceneSource, shown: tuple[Picture, Picture, Picture]
) -> None:
    stub = model(serve(echo_parts), prompt_question="{text}", prompt_yes_no="{text}", system="s" * 44)
    texts = "Look at this." * 10, "I see.", "Is there a dog?"
    one = Query.of(user(shown[0], texts[2]), meaning=Describe())
    turns = user(*shown, texts[0]), Turn((texts[1],), Role.ASSISTANT), user(texts[2])
    three = Query.of(*turns, meaning=Describe())
    with_own = Query.of(Turn(("s" * 22,), Role.SYSTEM), *turns, meaning=Describe())
    found = {query.id: stub.forecast([query], []).tokens_in for query in (one, three, with_own)}
    # A token for 750 pixels, 8 around the first turn and 5 around each later one; the user's system message has 10.
    pixels = [picture.scene.width * picture.scene.height / 750 for picture in shown]
    letters = [len(text) / CHARACTERS_PER_TOKEN for text in texts]
    assert found[one.id] == pytest.approx(pixels[0] + 8 + letters[2] + 10)
    assert found[three.id] == pytest.approx(sum(pixels) + 8 + 2 * 5 + sum(letters) + 10)
    assert found[with_own.id] == pytest.approx(sum(pixels) + 8 + 3 * 5 + sum(letters) + 5)


def test_a_forecast_from_answers_tells_pictures_by_their_number(
    serve: Serve, model: Load, shown: tuple[Picture, Picture, Picture]
) -> None:
    stub = model(serve(echo_parts), prompt_question="{text}")

    def pair(number: int) -> Query:
        return Query.of(user(shown[0], shown[1], str(number)), meaning=Describe())

    singles = [Query.of(user(shown[0], str(number)), meaning=Describe()) for number in range(9)]
    measured = [(query, Answer("yes", tokens_in=100, tokens_out=2)) for query in singles]
    measured += [(pair(number), Answer("yes", tokens_in=1000, tokens_out=2)) for number in range(9)]
    assert stub.forecast([pair(99)], measured).tokens_in == pytest.approx(1000, abs=1)
    assert stub.forecast([singles[0]], measured).tokens_in == pytest.approx(100, abs=1)


def test_the_line_on_the_largest_request_counts_all_its_pictures(
    serve: Serve, model: Load, source: SceneSource, shown: tuple[Picture, Picture, Picture]
) -> None:
    stub = model(serve(echo_parts), image_format="png")
    one, two = asked(source, user(shown[0], "?")), asked(source, user(*shown[:2], "?"))
    size = sum(len(b64encode(png_bytes(render(picture, source)))) for picture in shown[:2])
    first = shown[0].scene
    assert stub.request_note([one, two]) == (
        f"pictures are sent as PNG; a request with a picture of {first.width} x {first.height} px and 1 other "
        f"has about {size / 1e6:.2f} MB"
    )


def test_the_file_of_a_picture_is_that_of_the_picture(
    source: SceneSource, shown: tuple[Picture, Picture, Picture]
) -> None:
    item = asked(source, user(*shown, "?"))
    files = [b64decode(item.file(LOSSLESS, picture).base64) for picture in shown]
    assert files == [png_bytes(render(picture, source)) for picture in shown]
    assert item.file(LOSSLESS) == item.file(LOSSLESS, shown[0])
    assert len({json.dumps(item.file(LOSSLESS, picture).base64) for picture in shown}) == 3
