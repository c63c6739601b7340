"""Sources that are test sets, or made of a split that is held out, are evaluation data without being named."""

from __future__ import annotations

from pathlib import Path
from shutil import copyfile

import pytest

from pytest_vqamt.data.catalogue import load
from pytest_vqamt.export.export import held_out_reason

SHARED = Path(__file__).parents[2] / "../shared/data"

pytestmark = pytest.mark.skipif(not SHARED.is_dir(), reason="the data of ../shared/data is not here")


def test_ordinary_scenes_are_not() -> None:
    assert held_out_reason(load("pictures:3")) == ""
    assert held_out_reason(load(f"coco:{SHARED / 'coco'}", allow_bad_records=True)) == ""


@pytest.mark.filterwarnings("ignore:.*which is not there:UserWarning")
def test_the_published_pairs_of_carets_are() -> None:
    assert "published test set" in held_out_reason(load(f"carets:{SHARED / 'carets'}"))


@pytest.mark.parametrize(("split", "is_held_out"), [("val2017", True), ("test2017", True), ("train2017", False)])
def test_of_a_folder_the_file_says_it(tmp_path: Path, split: str, is_held_out: bool) -> None:
    folder = tmp_path / "coco"
    folder.mkdir()
    copyfile(SHARED / "coco/instances.json", folder / f"instances_{split}.json")
    (folder / "images").symlink_to((SHARED / "coco/images").resolve())
    assert bool(held_out_reason(load(f"coco:{folder}", allow_bad_records=True))) == is_held_out


def test_of_a_file_its_name_says_it(tmp_path: Path) -> None:
    for name in ("val_sceneGraphs.json", "train_sceneGraphs.json"):
        copyfile(SHARED / "gqa/sceneGraphs.json", tmp_path / name)
        source = load(f"gqa:{tmp_path / name}", allow_bad_records=True)
        assert bool(held_out_reason(source)) == name.startswith("val")
