"""A served model is the model: its name, its tasks, its answers, each distinct query asked once."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import partial
from http import HTTPStatus
from zlib import crc32

import pytest
from PIL import Image

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.codec import replace
from pytest_vqamt.core.conversation import Role, Turn
from pytest_vqamt.core.edits import FileForm
from pytest_vqamt.core.errors import ModelError, OptionError
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.query import CANNOT_SWITCH, Answer, ModelInput, Query, Task
from pytest_vqamt.data import catalogue
from pytest_vqamt.data.scene_source import SceneSource
from pytest_vqamt.execution.inference import BatchBisector
from pytest_vqamt.imaging.render import render
from pytest_vqamt.models.budget import Budget, BudgetSpentError
from pytest_vqamt.models.catalogue import ModelCatalogue
from pytest_vqamt.models.http.picture_files import LOSSLESS
from pytest_vqamt.models.protocol import ModelOptions
from pytest_vqamt.models.served import remote_model as served
from pytest_vqamt.models.served.answer_requests import PngRow, RecipeRow
from pytest_vqamt.models.served.wire_format import ANSWERS_PATH, PixelsNeeded, write_answers
from tests.models.openai.stub import Reply, Request
from tests.models.served.conftest import DOGS, AskAbout, Load, Serve
from tests.models.served.desk import ByPixels, Desk, answer_of
from tests.rows import each_row


def test_it_bears_the_name_the_fingerprint_and_the_tasks_of_what_is_served(
    serve: Serve, load: Load, pictures: SceneSource
) -> None:
    desk = Desk(ByPixels("by pixels, 7"), pictures, spec="tiny")
    model = load(serve(desk))
    assert (model.name, model.fingerprint, model.persistent) == ("tiny", "by pixels, 7", True)
    assert model.tasks == (Task.VQA,)


def test_a_model_without_a_fingerprint_has_none_here_either(serve: Serve, load: Load) -> None:
    model = load(serve(Desk(ByPixels(None), spec="python:a:b")))
    assert (model.fingerprint, model.persistent) == ("undeclared:python:a:b", False)


def test_answers_are_those_of_the_model_in_process(
    serve: Serve, load: Load, about: AskAbout, pictures: SceneSource
) -> None:
    model = load(serve(Desk(ByPixels(), pictures)))
    erased = pictures.scene(1).picture.erase(Box(10, 10, 40, 40)).blur(sigma=2.5)
    batch = [about("Ist da ein süßer Hund? 🐕"), about("a question of many letters", 2), about("what?", erased)]
    assert model.ask(Task.VQA, batch) == tuple(map(answer_of, batch))


@pytest.mark.parametrize("send", ["recipe", "png"])
def test_pixels_are_the_same_either_way(
    serve: Serve, load: Load, about: AskAbout, pictures: SceneSource, send: str
) -> None:
    desk = Desk(ByPixels(), pictures)
    batch = [about("what?", pictures.scene(0).picture.mirror()), about("what?", 1)]
    assert load(serve(desk), send=send).ask(Task.VQA, batch) == tuple(map(answer_of, batch))
    assert {type(row) for row in desk.requests[0].pictures} == {RecipeRow if send == "recipe" else PngRow}


def test_a_picture_travels_once_and_a_query_too(
    serve: Serve, load: Load, about: AskAbout, pictures: SceneSource
) -> None:
    model = ByPixels()
    desk = Desk(model, pictures)
    batch = [about("one"), about("two"), about("one"), about("one", trial=1), about("one", 1)]
    answers = load(serve(desk)).ask(Task.VQA, batch)
    (asked,) = desk.requests
    assert len(asked.pictures) == 2
    assert [(each.text, each.picture, each.trial) for each in asked.queries] == [
        ("one", 0, 0), ("two", 0, 0), ("one", 0, 1), ("one", 1, 0),
    ]  # fmt: skip
    assert answers[0] == answers[2]
    assert answers == tuple(map(answer_of, batch))


def test_what_a_query_means_travels_only_where_it_may_be_read(
    serve: Serve, load: Load, about: AskAbout, pictures: SceneSource
) -> None:
    for reads_meaning in (False, True):
        desk = Desk(ByPixels(), pictures, reads_meaning=reads_meaning)
        load(serve(desk)).ask(Task.VQA, [about("one")])
        assert desk.requests[0].queries[0].meaning == (DOGS if reads_meaning else None)


def test_a_query_that_fails_costs_itself_and_reads_as_in_process(
    serve: Serve, load: Load, about: AskAbout, pictures: SceneSource
) -> None:
    desk = Desk(ByPixels(batch_size=100), pictures)
    batch = [about("one"), about("bad one"), about("two"), about("three"), about("bad two")]
    found = BatchBisector(load(serve(desk))).run(Task.VQA, batch)
    in_process = BatchBisector(Desk(ByPixels(), pictures).model).run(Task.VQA, batch)
    assert found == in_process
    assert [each.reason for each in found if not isinstance(each, Answer)] == ["ValueError: a bad question"] * 2
    assert len(desk.requests) == 1, "parts of a batch are asked for without a request"


def test_no_request_has_more_queries_than_the_server_takes(
    serve: Serve, load: Load, about: AskAbout, pictures: SceneSource
) -> None:
    desk = Desk(ByPixels(), pictures, max_queries=3)
    batch = [about(str(number)) for number in range(8)]
    assert load(serve(desk)).ask(Task.VQA, batch) == tuple(map(answer_of, batch))
    assert [len(asked.queries) for asked in desk.requests] == [3, 3, 2]


def test_no_request_has_more_bytes_than_the_server_takes(
    serve: Serve, load: Load, about: AskAbout, pictures: SceneSource
) -> None:
    desk = Desk(ByPixels(), pictures, max_bytes=16_000)
    batch = [about(str(number) * 2000) for number in range(5)]
    assert load(serve(desk)).ask(Task.VQA, batch) == tuple(map(answer_of, batch))
    assert len(desk.requests) > 1


def test_a_request_that_a_proxy_finds_too_large_is_halved(
    serve: Serve, load: Load, about: AskAbout, pictures: SceneSource
) -> None:
    desk = Desk(ByPixels(), pictures)

    def proxy(request: Request) -> Reply:
        many = len(request.fields.get("queries", ())) > 3
        return Reply(status=413, body=b"<html>too large</html>") if many else desk(request)

    batch = [about(str(number)) for number in range(8)]
    assert load(serve(proxy)).ask(Task.VQA, batch) == tuple(map(answer_of, batch))
    assert [len(asked.queries) for asked in desk.requests] == [2, 2, 2, 2]


def test_a_single_query_that_is_too_large_costs_itself(
    serve: Serve, load: Load, about: AskAbout, pictures: SceneSource
) -> None:
    desk = Desk(ByPixels(), pictures, max_bytes=3000)
    found = BatchBisector(load(serve(desk))).run(Task.VQA, [about("x" * 4000), about("fine")])
    assert found[1] == answer_of(about("fine"))
    assert f"413 {HTTPStatus(413).phrase} (Expected at most 3000 bytes" in getattr(found[0], "reason", "")


def test_batches_suit_the_server(serve: Serve, load: Load) -> None:
    def sizes(workers: int, *, batch_size: int, replicas: int = 1, max_queries: int = 1000) -> tuple[int, int]:
        desk = Desk(ByPixels())
        desk.card = replace(desk.card, batch_size=batch_size, replicas=replicas, max_queries=max_queries)
        model = ModelCatalogue().load(f"served:{serve(desk).url}", ModelOptions(workers=workers))
        return model.batch_size, model.batches_at_once

    # A small batch would cost a request each; four batches a replica are under way over all workers, at least two here.
    assert sizes(1, batch_size=8) == (32, 4)
    assert sizes(1, batch_size=64, replicas=3) == (64, 12)
    assert sizes(4, batch_size=64, replicas=8) == (64, 8)
    assert sizes(8, batch_size=64, replicas=1) == (64, 2)
    assert sizes(1, batch_size=64, max_queries=10) == (10, 4)


@each_row(
    "argument, told",
    [
        ("127.0.0.1:8000", "http:// or https:// URL"),
        ("ftp://host", "http:// or https:// URL"),
        ("http://me:SECRET@host", "a user name or a password"),
        ("http://host?token=SECRET", "a query"),
        ("SECRET@host/x", "http:// or https:// URL"),
        ("http://", "a host"),
    ],
)
def test_a_url_that_cannot_be_is_refused_before_anything_is_sent(argument: str, told: str) -> None:
    with pytest.raises(OptionError, match=told) as error:
        ModelCatalogue().check(f"served:{argument}", ModelOptions())
    assert "SECRET" not in str(error.value)
    assert "\n" not in str(error.value)


@each_row("name, value", [("send", "jpeg"), ("timeout-s", "0"), ("timeout-s", "soon"), ("retries-s", "-1")])
def test_a_setting_that_cannot_be_is_refused_before_anything_is_sent(name: str, value: str) -> None:
    with pytest.raises(OptionError, match=f"{name}='{value}'"):
        ModelCatalogue().check("served:http://127.0.0.1:8000", ModelOptions(settings={name: value}))


def test_a_url_may_have_a_path(serve: Serve, load: Load, about: AskAbout, pictures: SceneSource) -> None:
    desk = Desk(ByPixels(), pictures)
    paths: list[str] = []

    def script(request: Request) -> Reply:
        paths.append(request.path)
        return desk(request)

    model = ModelCatalogue().load(f"served:{serve(script).url}/models/one/", ModelOptions())
    model.ask(Task.VQA, [about("one")])
    assert paths == ["/models/one/v1/model", "/models/one/v1/answers"]


def test_a_model_that_is_given_up_there_is_given_up_here(
    serve: Serve, load: Load, about: AskAbout, pictures: SceneSource
) -> None:
    class Broken(ByPixels):
        def answer(self, batch: object) -> list[Answer]:
            raise ModelError("Expected weights, but got none")

    server = serve(Desk(Broken(), pictures))
    with pytest.raises(ModelError, match=r"^Expected weights, but got none$"):
        load(server).ask(Task.VQA, [about("one")])
    assert len(server.requests) == 2


def test_only_what_was_asked_for_is_in_a_request(
    serve: Serve, load: Load, about: AskAbout, pictures: SceneSource
) -> None:
    server = serve(Desk(ByPixels(), pictures))
    load(server).ask(Task.VQA, [about("one")])
    assert json.loads(json.dumps(server.requests[1].fields["queries"])) == [
        {"task": "vqa", "text": "one", "picture": 0}
    ]


def as_pixels(desk: Desk) -> list[list[bool]]:
    """Of each picture of each request, whether it came as PNG."""
    return [[isinstance(row, PngRow) for row in asked.pictures] for asked in desk.requests]


def other_photo(picture: Picture, number: int) -> Picture:
    """The same scene by a photo that no server has; it is drawn as the first one is."""
    photo = replace(picture.photo, digest=f"{number:016x}")
    return Picture(photo=photo, scene=replace(picture.scene, photo=photo))


def test_a_photo_that_is_not_served_is_sent_as_pixels_and_from_then_on_at_once(
    serve: Serve, load: Load, about: AskAbout, pictures: SceneSource
) -> None:
    desk = Desk(ByPixels(), catalogue.load("pictures:1"))
    model = load(serve(desk))
    batch = [about("one", 0), about("one", 1), about("two", 1)]
    assert model.ask(Task.VQA, batch) == tuple(map(answer_of, batch))
    assert as_pixels(desk) == [[False, False], [True]]
    later = [about("three", 1), about("three", pictures.scene(1).picture.mirror()), about("three", 0)]
    assert model.ask(Task.VQA, later) == tuple(map(answer_of, later))
    assert as_pixels(desk)[2:] == [[True, True, False]]


def test_a_server_that_has_none_of_64_photos_is_asked_about_no_other(
    serve: Serve, load: Load, about: AskAbout, pictures: SceneSource
) -> None:
    desk = Desk(ByPixels(), None)
    model = load(serve(desk))
    first = pictures.scene(0).picture
    for start in (0, 32, 64):
        batch = [about("one", other_photo(first, number)) for number in range(start, start + 32)]
        assert len(model.ask(Task.VQA, batch)) == 32
    assert [(len(row), all(row), any(row)) for row in as_pixels(desk)] == [
        (32, False, False), (32, True, True), (32, False, False), (32, True, True), (32, True, True),
    ]  # fmt: skip


def test_what_takes_long_to_draw_is_sent_as_pixels_at_once_and_alone(
    serve: Serve, load: Load, about: AskAbout, pictures: SceneSource, monkeypatch: pytest.MonkeyPatch
) -> None:
    photo = pictures.scene(0).picture
    costly = photo.store(FileForm.PALETTE, plain=True)
    monkeypatch.setattr(served, "MAX_WORK", costly.work - 1)
    desk = Desk(ByPixels(), pictures)
    batch = [about("one", photo), about("two", costly), about("three", photo.mirror())]
    model = load(serve(desk))
    for _ in range(2):
        assert model.ask(Task.VQA, batch) == tuple(map(answer_of, batch))
    assert as_pixels(desk) == [[False, True, False]] * 2
    # A model that looks at scenes has no use for pixels.
    oracle = Desk(ByPixels(), pictures, spec="oracle", needs_scenes=True)
    load(serve(oracle)).ask(Task.VQA, batch)
    assert as_pixels(oracle) == [[False, False, False]]


def test_recipes_alone_of_what_takes_long_to_draw_end_the_run_in_one_line(
    serve: Serve, load: Load, about: AskAbout, pictures: SceneSource, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(served, "MAX_WORK", 0)
    desk = Desk(ByPixels(), pictures)
    reason = "too long: send its pixels (--vqamt-option send=png)"

    def refuses(request: Request) -> Reply:
        if not request.path.endswith(ANSWERS_PATH):
            return desk(request)
        return Reply(body=write_answers(desk.card.identity, [PixelsNeeded(reason=reason)]))

    model = load(serve(refuses), send="recipe")
    with pytest.raises(
        ModelError, match=r"as send=recipe says, but got: too long: .* send=png\): leave send=recipe off$"
    ):
        model.ask(Task.VQA, [about("one", pictures.scene(0).picture.mirror())])


def test_recipes_alone_are_not_followed_by_pixels(
    serve: Serve, load: Load, about: AskAbout, pictures: SceneSource
) -> None:
    model = load(serve(Desk(ByPixels(), None)), send="recipe")
    with pytest.raises(ModelError, match=r"as send=recipe says, but got: no data is served: start `vqamt serve` with"):
        model.ask(Task.VQA, [about("one")])


def test_a_model_that_looks_at_scenes_is_not_shown_pixels(serve: Serve, load: Load, about: AskAbout) -> None:
    desk = Desk(ByPixels(), None, spec="oracle", needs_scenes=True)
    with pytest.raises(ModelError, match=r"model 'oracle' looks at scenes and not at pixels, but got: no data is serv"):
        load(serve(desk)).ask(Task.VQA, [about("one")])
    assert as_pixels(desk) == [[False]]
    with pytest.raises(OptionError, match="send=png: leave it off"):
        load(serve(desk), send="png")


def test_a_server_that_takes_no_pixels_either_costs_the_query(serve: Serve, load: Load, about: AskAbout) -> None:
    desk = Desk(ByPixels(), None)

    def knows_nothing(request: Request) -> Reply:
        if not request.path.endswith(ANSWERS_PATH):
            return desk(request)
        told = [PixelsNeeded(reason="none of mine") for _ in request.fields["queries"]]
        return Reply(body=write_answers(desk.card.identity, told))

    (found,) = BatchBisector(load(serve(knows_nothing))).run(Task.VQA, [about("one")])
    assert getattr(found, "reason", "") == "QueryError: Expected the pixels that were sent to do, but got: none of mine"


class Paid(ByPixels):
    """Tells what its answers took, and switches its reasoning."""

    switches_reasoning = True

    def answer(self, batch: Sequence[ModelInput]) -> list[Answer]:
        return [replace(each, tokens_in=10, tokens_out=2, cost=0.5) for each in super().answer(batch)]


def test_what_answers_took_is_counted_here_too(
    serve: Serve, load: Load, about: AskAbout, pictures: SceneSource
) -> None:
    model = load(serve(Desk(Paid(), pictures)))
    answers = model.ask(Task.VQA, [about("one"), about("two"), about("one")])
    assert [(each.tokens_in, each.tokens_out, each.cost) for each in answers] == [(10, 2, 0.5)] * 3
    told = model.used()
    assert {told[name] for name in told if "cost" in name} == {1.0}
    assert {told[name] for name in told if "token" in name} == {20.0, 4.0}


def test_a_budget_ends_a_served_model_too(serve: Serve, about: AskAbout, pictures: SceneSource) -> None:
    server = serve(Desk(Paid(), pictures, max_queries=1))
    options = ModelOptions(budget=Budget(1.2))
    model = ModelCatalogue().load(f"served:{server.url}", options)
    for text in ("one", "two"):
        model.ask(Task.VQA, [about(text)])
    with pytest.raises(BudgetSpentError, match="but 1 is spent"):
        model.ask(Task.VQA, [about("three")])


def test_a_budget_for_a_model_that_tells_no_cost_is_refused(
    serve: Serve, about: AskAbout, pictures: SceneSource
) -> None:
    server = serve(Desk(ByPixels(), pictures))
    model = ModelCatalogue().load(f"served:{server.url}", ModelOptions(budget=Budget(1)))
    with pytest.raises(ModelError, match="Expected the cost of each answer with --vqamt-max-cost"):
        model.ask(Task.VQA, [about("one")])


@pytest.mark.parametrize("switches", [True, False])
def test_reasoning_is_switched_at_the_server(
    serve: Serve, load: Load, about: AskAbout, pictures: SceneSource, switches: bool
) -> None:
    desk = Desk(Paid(), pictures)
    desk.card = replace(desk.card, switches_reasoning=switches)
    model = load(serve(desk))
    asked = about("one")
    thinking = ModelInput(replace(asked.query, reasoning=True), partial(render, photos=pictures))
    (answer,) = model.ask(Task.VQA, [thinking])
    if switches:
        assert [query.reasoning for query in desk.requests[0].queries] == [True]
        assert answer == answer_of(asked)
    else:
        assert desk.requests == []
        assert answer == CANNOT_SWITCH.answer


class Conversing(ByPixels):
    """Answers by all texts and pixels of a conversation, in their order and by their roles."""

    takes = ("pictures", "turns", "interleaved", "system")

    def answer(self, batch: Sequence[ModelInput]) -> list[Answer]:
        return [answer_in(each) for each in batch]


def answer_in(asked: ModelInput) -> Answer:
    def said(part: str | Image.Image) -> str:
        return part if isinstance(part, str) else f"{part.size} {crc32(part.tobytes())}"

    return Answer(" ".join(f"{turn.role}: {', '.join(map(said, turn.parts))}" for turn in asked.turns))


def conversation(source: SceneSource, *pictures: Picture, last: str = "which?") -> ModelInput:
    first, *others = pictures
    query = Query.of(
        Turn(("be brief",), Role.SYSTEM),
        Turn(("one", first, "others", *others)),
        Turn(("I see",), Role.ASSISTANT),
        Turn((first, last)),
        meaning=DOGS,
    )
    return ModelInput(query, partial(render, photos=source))


@pytest.mark.parametrize("send", ["auto", "recipe", "png"])
def test_a_conversation_is_answered_as_in_process(
    serve: Serve, load: Load, about: AskAbout, pictures: SceneSource, send: str
) -> None:
    desk = Desk(Conversing(), pictures)
    first, second, third = (pictures.scene(place).picture for place in range(3))
    batch = [
        about("plain"),
        conversation(pictures, first, second, third),
        conversation(pictures, second, first, third.mirror()),
    ]
    assert load(serve(desk), send=send).ask(Task.VQA, batch) == tuple(map(answer_in, batch))
    (asked,) = desk.requests
    assert len(asked.pictures) == 4
    assert [query.pictures for query in asked.queries] == [(0,), (0, 1, 2), (1, 0, 3)]
    assert {type(row) for row in asked.pictures} == {PngRow if send == "png" else RecipeRow}


def test_what_a_conversation_is_sent_with_does_not_exceed_a_request(
    serve: Serve, load: Load, pictures: SceneSource
) -> None:
    shown = [pictures.scene(place).picture for place in range(3)]
    batch = [conversation(pictures, *shown, last=f"{number}" * 500) for number in range(8)]
    largest = max(len(each.file(LOSSLESS, picture).base64) for each in batch for picture in shown)
    desk = Desk(Conversing(), None, max_bytes=3 * largest + 8000)
    assert load(serve(desk), send="png").ask(Task.VQA, batch) == tuple(map(answer_in, batch))
    assert len(desk.requests) > 1
    assert all(len(asked.pictures) == 3 for asked in desk.requests), "each request is whole"


def test_a_photo_of_a_conversation_that_is_not_served_is_sent_as_pixels(
    serve: Serve, load: Load, about: AskAbout, pictures: SceneSource
) -> None:
    desk = Desk(Conversing(), catalogue.load("pictures:1"))
    model = load(serve(desk))
    batch = [conversation(pictures, *(pictures.scene(place).picture for place in (0, 1))), about("plain", 0)]
    assert model.ask(Task.VQA, batch) == tuple(map(answer_in, batch))
    assert as_pixels(desk) == [[False, False], [True, True]]


@each_row(
    "takes, declined",
    [
        ((), "the model does not take several pictures, earlier turns, text before a picture, system messages"),
        (("pictures", "turns", "interleaved"), "the model does not take system messages"),
        (("pictures", "turns", "system", "smells"), "the model does not take text before a picture"),
    ],
)
def test_a_conversation_is_not_sent_to_a_server_that_does_not_say_that_it_takes_it(
    serve: Serve, load: Load, about: AskAbout, pictures: SceneSource, takes: tuple[str, ...], declined: str
) -> None:
    desk = Desk(Conversing(), pictures, takes=takes)
    asked = conversation(pictures, *(pictures.scene(place).picture for place in (0, 1)))
    found = load(serve(desk)).ask(Task.VQA, [about("plain"), asked])
    assert found == (answer_in(about("plain")), Answer("", declined=declined))
    assert [query.text for request in desk.requests for query in request.queries] == ["plain"]


def test_the_card_of_an_older_server_takes_no_conversation(
    serve: Serve, load: Load, about: AskAbout, pictures: SceneSource
) -> None:
    desk = Desk(Conversing(), pictures)

    def older(request: Request) -> Reply:
        reply = desk(request)
        fields = json.loads(reply.body)
        fields.pop("takes", None)
        return Reply(body=json.dumps(fields).encode())

    model = load(serve(older))
    assert model.takes == frozenset()
    (found,) = model.ask(Task.VQA, [conversation(pictures, pictures.scene(0).picture)])
    assert found.declined.startswith("the model does not take several pictures, earlier turns")
    assert model.ask(Task.VQA, [about("plain")]) == (answer_in(about("plain")),)


def test_the_preset_is_that_of_what_is_served(serve: Serve, load: Load, pictures: SceneSource) -> None:
    assert load(serve(Desk(ByPixels(), pictures, spec="tiny"))).kind == "tiny"
