"""What makes two queries the same, and what a model gets of one."""

from __future__ import annotations

import pickle
from concurrent.futures import ThreadPoolExecutor
from copy import copy, deepcopy
from dataclasses import dataclass
from threading import Barrier

import pytest
from PIL import Image

from pytest_vqamt.core.case import Case, NotApplicable, Verdict
from pytest_vqamt.core.codec import replace
from pytest_vqamt.core.meaning import Absent, Exists, Group
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.query import Answer, Declined, ModelInput, Query, Task
from pytest_vqamt.core.scene import Photo, Scene
from tests.making import scene_of

DOG = Group(name="dog")
PICTURE = replace(scene_of("dog"), photo=Photo(id="photo.png", digest="0123456789abcdef")).picture
QUERY = Query(picture=PICTURE, text="Is there a dog?", meaning=Exists(group=DOG))


def test_an_id_never_changes() -> None:
    # printf 'vqa\x1f0123456789abcdef\x1fIs there a dog?\x1f0' | sha256sum
    assert QUERY.id == "a45b970ad13d5342"


def test_the_meaning_is_no_part_of_the_identity() -> None:
    other = replace(QUERY, meaning=Absent(group=DOG))
    assert other.id == QUERY.id
    assert other == QUERY
    assert hash(other) == hash(QUERY)


@pytest.mark.parametrize(
    "other",
    [
        replace(QUERY, text="Is there a dog? "),
        replace(QUERY, text="is there a dog?"),
        replace(QUERY, picture=PICTURE.mirror()),
        replace(QUERY, task=Task.ENTAILMENT),
        replace(QUERY, trial=1),
        replace(QUERY, reasoning=True),
        replace(QUERY, reasoning=False),
    ],
    ids=["text", "letters", "picture", "task", "trial", "with reasoning", "without reasoning"],
)
def test_all_else_is(other: Query) -> None:
    assert other.id != QUERY.id
    assert other != QUERY


def test_with_and_without_reasoning_are_two_queries() -> None:
    assert replace(QUERY, reasoning=True).id != replace(QUERY, reasoning=False).id


@pytest.mark.parametrize(
    ("trial", "reasoning", "manner"),
    [
        (0, None, ""),
        (1, None, "asked again"),
        (0, True, "with reasoning"),
        (2, False, "without reasoning, asked again"),
    ],
)
def test_the_manner_says_how_it_is_asked(trial: int, reasoning: bool | None, manner: str) -> None:
    assert replace(QUERY, trial=trial, reasoning=reasoning).manner == manner


def test_the_name_of_a_photo_is_no_part_but_its_pixels_are() -> None:
    renamed = replace(scene_of(), photo=replace(PICTURE.photo, id="copy.png")).picture
    repainted = replace(scene_of(), photo=replace(PICTURE.photo, digest="f" * 16)).picture
    assert replace(QUERY, picture=renamed).id == QUERY.id
    assert replace(QUERY, picture=repainted).id != QUERY.id


def test_a_model_gets_the_text_the_query_and_a_picture_rendered_once_when_it_looks(yard: Scene) -> None:
    rendered: list[Picture] = []

    def render(picture: Picture) -> Image.Image:
        rendered.append(picture)
        return Image.new("RGB", (picture.scene.width, picture.scene.height))

    query = Query(picture=yard.picture.mirror(), text="Is there a dog?", meaning=Exists(group=DOG))
    given = ModelInput(query, render)
    assert (given.text, given.query) == ("Is there a dog?", query)
    assert rendered == []
    assert given.image is given.image
    assert rendered == [query.picture]


def test_an_input_shows_itself_without_rendering() -> None:
    def render(picture: Picture) -> Image.Image:
        raise AssertionError(picture)

    assert repr(ModelInput(QUERY, render)) == "ModelInput(text='Is there a dog?', picture=0123456789abcdef)"


def test_two_pictures_may_be_drawn_at_once(yard: Scene) -> None:
    """One is drawn ahead while the model looks at another; a lock for all of them would hold one up."""
    both = Barrier(2, timeout=10)

    def render(picture: Picture) -> Image.Image:
        both.wait()
        return Image.new("RGB", (picture.scene.width, picture.scene.height))

    inputs = [ModelInput(Query(picture=yard.picture, text=text, meaning=QUERY.meaning), render) for text in "ab"]
    with ThreadPoolExecutor(2) as pool:
        first, second = pool.map(lambda asked: asked.image, inputs)
    assert first is inputs[0].image
    assert second is inputs[1].image


def test_an_id_is_computed_and_not_given() -> None:
    with pytest.raises(TypeError, match="Unexpected keyword argument 'id'"):
        Query(picture=PICTURE, text="Is there a dog?", meaning=QUERY.meaning, id="mine")  # type: ignore[call-arg]  # the mistake
    again = pickle.loads(pickle.dumps(QUERY))
    assert (again, again.id) == (QUERY, QUERY.id)
    assert copy(QUERY).id == deepcopy(QUERY).id == QUERY.id
    assert replace(QUERY, text="Is there a cat?").id != QUERY.id


@pytest.mark.parametrize("public", [Answer, Case, Declined, NotApplicable, Query, Verdict])
def test_a_dataclass_of_a_struct_says_what_to_do(public: type) -> None:
    with pytest.raises(TypeError) as told:
        dataclass(type("Mine", (public,), {"__annotations__": {"more": int}, "more": 0}, kw_only=True))
    assert str(told.value) == (
        f"Expected Mine without @dataclass, as {public.__name__} is a msgspec.Struct: leave the decorator off, and its "
        "fields stay as they are written"
    )


def test_a_subclass_of_an_answer_has_more_fields() -> None:
    class Mine(Answer, frozen=True):
        more: int = 0

    assert (Mine("yes", more=3).more, Mine("yes", more=3) == Answer("yes")) == (3, True)
