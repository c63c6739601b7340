"""A picture is rendered and encoded once, whatever number of queries are about it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest
from PIL.Image import Image

from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.query import ModelInput, PhotoStore, PictureFile
from pytest_vqamt.execution import prefetch
from pytest_vqamt.execution.prefetch import InputPipeline
from tests.execution.worlds import Scenes, query
from tests.making import scene_of


class Encoder:
    """Makes files of 100 characters, and remembers of what."""

    only_png = True

    def __init__(self) -> None:
        self.made: list[tuple[str, bool]] = []

    def encode(
        self, picture: Picture, image: Callable[[], Image], photos: PhotoStore | None, *, lossless: bool
    ) -> PictureFile:
        assert image().size == (200, 100)
        self.made.append((picture.digest, lossless))
        return PictureFile("image/png", f"{len(self.made):0100}")


@pytest.fixture
def source() -> Scenes:
    return Scenes(1)


@pytest.fixture
def pipeline(source: Scenes) -> Iterator[InputPipeline]:
    with closing(InputPipeline(source, batch_size=1)) as made:
        yield made


def pictures(n: int) -> list[Picture]:
    return [scene_of("dog", id=f"{place}").picture for place in range(n)]


def test_queries_of_later_batches_get_the_same_file(pipeline: InputPipeline, source: Scenes) -> None:
    encoder, (picture, other) = Encoder(), pictures(2)
    for text in ("one", "two", "three"):
        (item,) = pipeline.inputs([query(text, picture=picture)])
        assert item.file(encoder).base64 == f"{1:0100}"
    (item,) = pipeline.inputs([query(picture=other)])
    assert item.file(encoder).base64 == f"{2:0100}"
    assert source.drawn == ["0.png", "1.png"]


def test_threads_that_want_one_file_wait_for_it(pipeline: InputPipeline, source: Scenes) -> None:
    encoder, [picture] = Encoder(), pictures(1)
    batch = pipeline.inputs([query(str(number), picture=picture) for number in range(32)])
    with ThreadPoolExecutor(32) as pool:
        files = set(pool.map(lambda item: item.file(encoder), batch))
    assert files == {PictureFile("image/png", f"{1:0100}")}
    assert source.drawn == ["0.png"]


def test_without_loss_is_another_file(pipeline: InputPipeline) -> None:
    encoder, [picture] = Encoder(), pictures(1)
    for lossless in (False, True, False, True):
        (item,) = pipeline.inputs([query(picture=picture)], lossless=lossless)
        item.file(encoder)
    assert encoder.made == [(picture.digest, False), (picture.digest, True)]


def test_the_next_pictures_are_encoded_ahead(pipeline: InputPipeline, source: Scenes) -> None:
    encoder, some = Encoder(), pictures(5)
    pipeline.expect(some, 1)
    assert source.drawn == [], "nothing before the model has read a file"
    for each in some:
        (item,) = pipeline.inputs([query(picture=each)])
        item.file(encoder)
    assert sorted(encoder.made) == sorted((each.digest, False) for each in some)
    assert sorted(source.drawn) == [f"{number}.png" for number in range(5)]


def test_files_beyond_the_memory_are_let_go(monkeypatch: pytest.MonkeyPatch, source: Scenes) -> None:
    monkeypatch.setattr(prefetch, "MAX_FILE_BYTES", 250)  # two files of 100
    encoder, (first, second, third) = Encoder(), pictures(3)
    with closing(InputPipeline(source, batch_size=1)) as pipeline:
        for each in (first, second, first, third, first, second):
            (item,) = pipeline.inputs([query(picture=each)])
            item.file(encoder)
    # The second was the one not used for the longest time when the third came.
    assert [name for name, _ in encoder.made] == [each.digest for each in (first, second, third, second)]


def test_a_photo_that_cannot_be_read_is_tried_again(pipeline: InputPipeline, source: Scenes) -> None:
    encoder, picture = Encoder(), scene_of("dog", id="unreadable").picture
    for _ in range(2):
        (item,) = pipeline.inputs([query(picture=picture)])
        with pytest.raises(OSError, match="no such photo"):
            item.file(encoder)
    assert source.drawn == ["unreadable.png"] * 2


def test_an_input_without_a_pipeline_encodes_its_image(source: Scenes) -> None:
    encoder, [picture] = Encoder(), pictures(1)
    item = ModelInput(query(picture=picture), lambda each: source.photo(each.photo), lossless=True)
    assert item.file(encoder).base64 == f"{1:0100}"
    assert encoder.made == [(picture.digest, True)]
