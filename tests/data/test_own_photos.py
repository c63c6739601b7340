"""``photos:DIR``: the photos of a folder, those with a line, and the source of their scenes."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from unicodedata import normalize

import pytest
from PIL import Image

from pytest_vqamt.core.errors import DataError, OptionError
from pytest_vqamt.data import json_io
from pytest_vqamt.data.own_photos import NOTES, OwnPhotos, load, open_folder
from pytest_vqamt.data.scene_source import SceneSource
from tests.data.own_graphs import example, plain, write
from tests.rows import each_row


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


@each_row(
    ("there", "named"),
    [
        ("2024/may/c.jpeg", "2024\\may\\c.jpeg"),
        ("2024/may/c.jpeg", ".\\2024\\may\\c.jpeg"),
        (normalize("NFD", "écran.png"), normalize("NFC", "écran.png")),
        (normalize("NFC", "écran.png"), normalize("NFD", "écran.png")),
        ("a b.png", "a%20b.png"),
        ("100%25.png", "100%25.png"),
    ],
)
def test_a_photo_has_a_line_in_whatever_writing_of_its_name(there: str, named: str, tmp_path: Path) -> None:
    photo(tmp_path, there)
    write(tmp_path, [json.dumps(plain("1", photo=named))])
    own = OwnPhotos(path=tmp_path)
    assert own.without_line() == ()
    assert own.lines() == {there}


def test_folders_that_other_programs_add_hold_no_photos_of_users(tmp_path: Path) -> None:
    for name in ("a.png", "__MACOSX/a.png", "@eaDir/a.png/thumb.jpg", "2024/__MACOSX/b.png"):
        photo(tmp_path, name)
    assert OwnPhotos(path=tmp_path).photos() == ("a.png",)


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


@each_row(
    "line, said",
    [
        ('{"id": "a"', r"graphs\.jsonl:2: Expected JSON, but it breaks off .* \(before photos can be added"),
        ('["a"]', r"graphs\.jsonl:2: Expected a JSON object, but got record=.* \(before photos can be added"),
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


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="photos:DIR"):
        open_folder("")
    with pytest.raises(DataError, match="there is no such folder"):
        open_folder(str(tmp_path / "absent"))


def test_a_file_that_cannot_be_read(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(folder, [plain("a")])

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(json_io, "open_input", refuse)
    with pytest.raises(DataError, match=r"graphs\.jsonl' cannot be read \(Permission denied\): make it readable"):
        OwnPhotos(path=folder).without_line()


def test_with_its_scene_graphs_it_is_a_scene_source(tmp_path: Path) -> None:
    write(tmp_path, [plain("a"), example()])
    source: SceneSource = load(str(tmp_path))
    assert source.spec == f"photos:{tmp_path}"
    assert source.description == f"2 scenes of graphs.jsonl, photos in {tmp_path.name}"
    assert source.bad_records == ()
    assert source.scene(1).count("dog") == 1
    assert source.photo(source.scene(1).photo).size == (640, 480)


def test_photos_alone_are_not_enough(tmp_path: Path) -> None:
    Image.new("RGB", (24, 16)).save(tmp_path / "a.png")
    with pytest.raises(DataError) as caught:
        load(str(tmp_path))
    assert str(caught.value) == (
        f"Expected graphs.jsonl beside the photos in '{tmp_path}', but there is none: run: vqamt annotate "
        f"photos:{tmp_path} --option boxes=PekingU/rtdetr_r50vd (docs/how-to/annotate.md)"
    )


def test_the_command_that_is_named_is_quoted(tmp_path: Path) -> None:
    folder = tmp_path / "my photos"
    folder.mkdir()
    Image.new("RGB", (24, 16)).save(folder / "a.png")
    with pytest.raises(DataError, match=r"run: vqamt annotate 'photos:.*/my photos' --option"):
        load(str(folder))


def test_neither_photos_nor_scene_graphs(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"Expected photos \(\.bmp, .* \.webp\) and graphs\.jsonl in .* there are none"):
        load(str(tmp_path))
    for name in ("a.heic", "b.HEIC"):
        (tmp_path / name).write_text("no photo")
    told = r"^photos in '.*' of kinds that are not read \(\.heic\) are left out, 2 in all, the first: a\.heic\. Convert"
    with pytest.warns(UserWarning, match=told), pytest.raises(DataError, match="Expected photos"):
        load(str(tmp_path))


def test_photos_without_a_line_are_told_of(tmp_path: Path) -> None:
    write(tmp_path, [plain("a")])
    for name in ("b.png", "c.png"):
        Image.new("RGB", (24, 16)).save(tmp_path / name)
    told = r"2 photos in .* have no line in graphs\.jsonl and are left out, the first: b\.png; run: vqamt annotate"
    with pytest.warns(UserWarning, match=told):
        assert len(load(str(tmp_path))) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(DataError, match=r"Expected each photo to have a line and be used, but 2 photos in "):
            load(str(tmp_path))


def test_a_photo_that_was_replaced_after_detectors_wrote_its_line_is_told_of(tmp_path: Path) -> None:
    write(tmp_path, [plain("a"), plain("b")])
    size = len((tmp_path / "a.png").read_bytes())
    notes = [json.dumps({"photo": name, "bytes": size}) for name in ("a.png", "b.png", "gone.png")]
    (tmp_path / NOTES).write_text("\n".join([*notes, '{"photo": ', "[]"]))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        load(str(tmp_path))
    Image.new("RGB", (24, 16), "red").save(tmp_path / "b.png", compress_level=0)
    told = r"^1 of the photos in '.*' has another size in bytes than when .*: b\.png\. Delete its line in graphs\.jsonl"
    with pytest.warns(UserWarning, match=told):
        load(str(tmp_path))


def test_what_is_no_folder(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="photos:DIR"):
        load("")
    write(tmp_path, [plain("a")])
    for absent in ("absent", "graphs.jsonl"):
        with pytest.raises(DataError, match="there is no such folder"):
            load(str(tmp_path / absent))
    with pytest.raises(DataError, match=r"it cannot be read \(File name too long\)$"):
        load("x" * 5000)


def test_no_line_that_can_be_used(tmp_path: Path) -> None:
    write(tmp_path, ["{}"])
    with pytest.raises(DataError, match=r"none of its 1 can be used: graphs\.jsonl:1: id: Expected "):
        load(str(tmp_path))
