"""Which photos lie in a folder, and which of them have a line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from PIL import Image

from pytest_vqamt.core.errors import DataError, OptionError
from pytest_vqamt.data.own.folder import OwnPhotos, open_folder
from tests.data.own_graphs import plain, write


def photo(folder: Path, name: str) -> None:
    file = folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    Image.new("RGB", (24, 16)).save(file, "PNG")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in (
        "b.jpg",
        "a.PNG",
        "2024/may/c.jpeg",
        "d.webp",
        "e.TIF",
        ".hidden.png",
        ".thumbnails/b.jpg",
        "2024/._a.png",
    ):
        photo(tmp_path, name)
    for name in ("notes.txt", "2024/f.HEIC", "g.dng", ".h.heic", "jpg"):
        (tmp_path / name).write_text("no photo")
    return tmp_path


def test_photos_in_it_and_below_it(folder: Path) -> None:
    assert OwnPhotos(path=folder).photos() == ("2024/may/c.jpeg", "a.PNG", "b.jpg", "d.webp", "e.TIF")


def test_photos_of_a_kind_that_is_not_read(folder: Path) -> None:
    assert OwnPhotos(path=folder).not_read() == ("2024/f.HEIC", "g.dng")


def test_a_photo_that_a_line_names_has_one(folder: Path) -> None:
    write(folder, [plain("1", photo="./b.jpg"), plain("2", photo="2024/may/../may/c.jpeg"), "no JSON", '["a.PNG"]'])
    assert OwnPhotos(path=folder).without_line() == ("a.PNG", "d.webp", "e.TIF")


def test_a_line_that_cannot_be_used_names_its_photo_all_the_same(folder: Path) -> None:
    (folder / "graphs.jsonl").write_text(json.dumps({"photo": "a.PNG", "objekts": []}) + "\n")
    assert "a.PNG" not in OwnPhotos(path=folder).without_line()


def test_without_a_file_no_photo_has_a_line(folder: Path) -> None:
    own = OwnPhotos(path=folder)
    assert not own.has_file
    assert own.without_line() == own.photos()
    assert own.ids() == frozenset()


def test_ids(folder: Path) -> None:
    write(folder, [plain("a"), plain(3)])
    assert OwnPhotos(path=folder).ids() == {"a", "3"}


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('{"id": "a"', r"graphs\.jsonl:2: Expected JSON, but it breaks off .* \(before photos can be added"),
        ('["a"]', r"graphs\.jsonl:2: Expected a JSON object, but got list: correct it before photos are added"),
    ],
)
def test_a_line_of_which_nobody_can_tell_the_photo(folder: Path, line: str, said: str) -> None:
    write(folder, [plain("a"), line])
    with pytest.raises(DataError, match=said):
        OwnPhotos(path=folder).ids()


def test_the_size_of_what_is_there(folder: Path) -> None:
    own = OwnPhotos(path=folder)
    assert own.size_bytes("notes.txt") == 8
    assert own.size_bytes("absent.jpg") is own.size_bytes("a\0.jpg") is None


def test_what_is_no_folder(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="photos:DIR"):
        open_folder("")
    with pytest.raises(DataError, match="there is no such folder"):
        open_folder(str(tmp_path / "absent"))


def test_a_file_that_cannot_be_read(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(folder, [plain("a")])

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(DataError, match=r"graphs\.jsonl' cannot be read \(Permission denied\): make it readable"):
        OwnPhotos(path=folder).without_line()
