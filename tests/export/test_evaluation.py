"""What is evaluation data, by what the user names and by what published splits are called."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_vqamt.core.errors import OptionError
from pytest_vqamt.core.scene import Photo
from pytest_vqamt.export.export import EVALUATION_FILE, EvaluationData, evaluation_data
from pytest_vqamt.picture_world.source import PictureWorld

SOURCE = PictureWorld(6)


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "out").mkdir()
    return tmp_path


def named(*texts: str, published: bool = True) -> EvaluationData:
    return evaluation_data(texts, Path("out"), {SOURCE.spec: SOURCE}, published=published)


def refused(found: EvaluationData) -> set[int]:
    """Which of the six scenes are evaluation data."""
    scenes = [SOURCE.scene(index) for index in range(6)]
    return {index for index, scene in enumerate(scenes) if found.why(scene.id, (scene.photo,), SOURCE)}


def test_nothing_is_by_itself() -> None:
    assert refused(named()) == set()


def test_a_source_is_known_by_its_photos() -> None:
    assert refused(named("pictures:3")) == {0, 1, 2}


def test_a_photo_is_known_again_by_another_name() -> None:
    renamed = Photo(id="another.png", digest=SOURCE.scene(1).photo.digest)
    assert named("pictures:3").why("another", (renamed,), SOURCE)
    assert not named("pictures:1").why("another", (renamed,), SOURCE)


def test_ids_and_a_file_of_them() -> None:
    assert refused(named("pictures-0-1,pictures-0-4")) == {1, 4}
    Path("held.txt").write_text("# ours\n\npictures-0-2\npictures:1\n")
    assert refused(named("held.txt")) == {0, 2}
    assert refused(named("held.txt", "pictures-0-5")) == {0, 2, 5}


@pytest.mark.parametrize("folder", ["out", "."])
def test_a_file_beside_the_report_is_read(folder: str) -> None:
    (Path(folder) / EVALUATION_FILE).write_text("pictures-0-3\n")
    assert refused(named()) == {3}


def test_a_thing_cut_out_of_an_evaluation_photo_counts() -> None:
    own, other = (SOURCE.scene(index).photo for index in (5, 0))
    assert named("pictures:1").why(own.id, (own, other), SOURCE) == "pictures:1"


@pytest.mark.parametrize("typed", ["held.txt", "folder/held", "", ","])
def test_what_is_neither_is_refused(typed: str) -> None:
    with pytest.raises(OptionError, match="Expected --evaluation=SPEC"):
        named(typed)


@pytest.mark.parametrize(
    ("photo", "counts"),
    [
        ("COCO_val2014_000000000042.jpg", True),
        ("COCO_test2015_000000000042.jpg", True),
        ("val/17.jpg", True),
        ("COCO_train2014_000000000042.jpg", False),
        ("valley.jpg", False),
        ("latest.jpg", False),
    ],
)
def test_photos_of_published_splits_are_known_by_name(photo: str, counts: bool) -> None:
    assert bool(named().why("17", (Photo(id=photo, digest="1"),), SOURCE)) == counts
    assert not named(published=False).why("17", (Photo(id=photo, digest="1"),), SOURCE)
