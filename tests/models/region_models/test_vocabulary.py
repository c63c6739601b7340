"""Classes and attributes have the names that the authors' files give them."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from pytest_vqamt.core.errors import ModelError
from pytest_vqamt.models.region_models.frcnn.loading import read_vocabulary

REAL = (Path(__file__).parents[3] / "../shared/data/vocab").resolve()


def written(folder: Path, objects: str = "dog\ncat", attributes: str = "red") -> Path:
    (folder / "objects_vocab.txt").write_text(objects)
    (folder / "attributes_vocab.txt").write_text(attributes)
    return folder


@pytest.mark.skipif(not REAL.is_dir(), reason="needs ../shared/data/vocab")
def test_the_published_files(tmp_path: Path) -> None:
    for what in ("objects", "attributes"):
        shutil.copy(REAL / f"vg_{what}_vocab.txt", tmp_path / f"{what}_vocab.txt")
    vocabulary = read_vocabulary(tmp_path, classes=1600, attributes=400)
    assert vocabulary.objects[:3] == ("yolk", "goal", "bathroom")
    assert vocabulary.attributes[:3] == ("gray", "multi colored", "double decker")
    assert not any("," in name for name in (*vocabulary.objects, *vocabulary.attributes))


def test_of_synonyms_the_first_is_taken_in_lower_case(tmp_path: Path) -> None:
    vocabulary = read_vocabulary(written(tmp_path, "Dog , hound\ncat\n", "Red,scarlet"), classes=2, attributes=1)
    assert vocabulary.objects == ("dog", "cat")
    assert vocabulary.attributes == ("red",)


def test_other_names_have_another_digest(tmp_path: Path) -> None:
    one = read_vocabulary(written(tmp_path), classes=2, attributes=1)
    other = read_vocabulary(written(tmp_path, "dog\ncow"), classes=2, attributes=1)
    assert one.digest != other.digest


@pytest.mark.parametrize(
    ("objects", "attributes", "told"),
    [
        ("dog", "red", r"Expected 2 lines in .*objects_vocab.txt.* but got 1"),
        ("dog\ncat\ncow", "red", r"Expected 2 lines in .*objects_vocab.txt.* but got 3"),
        ("dog\ncat", "", r"Expected 1 lines in .*attributes_vocab.txt.* but got 0"),
        ("dog\n ,cat", "red", r"objects_vocab.txt, but line 2 has none"),
    ],
)
def test_a_file_of_another_detector_is_refused(tmp_path: Path, objects: str, attributes: str, told: str) -> None:
    with pytest.raises(ModelError, match=told):
        read_vocabulary(written(tmp_path, objects, attributes), classes=2, attributes=1)


def test_a_missing_file_is_named_with_where_to_get_it(tmp_path: Path) -> None:
    (written(tmp_path) / "attributes_vocab.txt").unlink()
    with pytest.raises(ModelError, match=r"attributes_vocab\.txt.*py-bottom-up-attention"):
        read_vocabulary(tmp_path, classes=2, attributes=1)
