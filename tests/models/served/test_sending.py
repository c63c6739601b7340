"""Photos that the server has not travel as pixels, and a model that looks at scenes is not shown any."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_vqamt.core.errors import ModelError, OptionError
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.query import Task
from pytest_vqamt.data import catalogue
from pytest_vqamt.data.base import SceneSource
from pytest_vqamt.execution.inference import Splitting
from pytest_vqamt.models.served.protocol import ANSWERS_PATH, PngRow, Unknown, write_reply
from tests.models.openai.stub import Reply, Request
from tests.models.served.conftest import AskAbout, Load, Serve
from tests.models.served.desk import ByPixels, Desk, answer_of


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
        told = [Unknown(reason="none of mine") for _ in request.fields["queries"]]
        return Reply(body=write_reply(desk.card.identity, told))

    (found,) = Splitting(load(serve(knows_nothing))).ask(Task.VQA, [about("one")])
    assert getattr(found, "reason", "") == "QueryError: Expected the pixels that were sent to do, but got: none of mine"
