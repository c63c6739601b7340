"""Users' own scene graphs as a source: what can be used is, and every line that cannot is named."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.errors import DataError, OptionError
from pytest_vqamt.core.scene import Thing
from pytest_vqamt.data.base import SceneSource
from pytest_vqamt.data.own.graphs import load
from tests.data.own_graphs import PAGE, Row, example, plain, write

COCO = Path(__file__).parents[2] / "../shared/data/coco"


def dog(**fields: object) -> Row:
    return {"id": "d", "name": "dog", "box": [2, 3, 10, 8], **fields}


def bad(file: Path) -> list[str]:
    return list(load(str(file)).bad_records)


def test_it_is_a_scene_source(tmp_path: Path) -> None:
    file = write(tmp_path, [plain("a", objects=[dog()]), plain("b"), plain(3)])
    source: SceneSource = load(str(file))
    assert source.spec == f"graphs:{file}"
    assert source.description == f"3 scenes of graphs.jsonl, photos in {tmp_path.name}"
    assert len(source) == 3
    assert [source.scene(index).id for index in (2, 0, 1)] == ["3", "a", "b"]
    assert source.scene(0).objects == (Thing(id="d", name="dog", box=Box(2, 3, 10, 8)),)
    assert [source.place(source.scene(index).photo.id) for index in range(3)] == [0, 1, 2]
    assert [source.photo(source.scene(index).photo).getpixel((0, 0)) for index in range(3)] == [
        (number, 100, 200) for number in range(3)
    ]
    assert source.bad_records == ()
    assert source.corpus.frequency == {"dog": 1}
    assert source.corpus.mean_colour == (1, 100, 200)
    with pytest.raises(DataError, match="take it from its scenes"):
        source.place("c")


def test_a_photo_is_named_by_its_content(tmp_path: Path) -> None:
    source = load(str(write(tmp_path, [plain("a"), plain("b"), plain("c", photo="a.png")])))
    one, other, same = (source.scene(index).photo for index in range(3))
    assert one.digest != other.digest
    assert one.digest == same.digest
    assert one != same


def test_photos_in_another_folder(tmp_path: Path) -> None:
    (tmp_path / "shots").mkdir()
    file = write(tmp_path, [plain("a", photo="2024/a.png")], photos=tmp_path / "shots")
    source = load(f"{file}:{tmp_path / 'shots'}")
    assert source.spec == f"graphs:{file}:{tmp_path / 'shots'}"
    assert source.photo(source.scene(0).photo).size == (24, 16)
    with pytest.raises(DataError, match=r"there is no file '.*2024/a\.png'"):
        load(str(file))
    with pytest.raises(DataError, match="there is no such folder"):
        load(f"{file}:{tmp_path / 'absent'}")


def test_colons_in_names(tmp_path: Path) -> None:
    folder = tmp_path / "12:30"
    folder.mkdir()
    file = write(folder, [plain("a")], "a:b.jsonl")
    assert len(load(str(file))) == 1
    assert len(load(f"{file}:{folder}")) == 1


def test_the_digest_is_of_the_rows_and_the_photos(tmp_path: Path) -> None:
    rows = [plain("a", objects=[dog()])]
    before = load(str(write(tmp_path, rows))).digest
    assert load(str(write(tmp_path, rows))).digest == before
    rows[0]["objects"][0]["name"] = "cat"
    assert load(str(write(tmp_path, rows))).digest != before
    rows[0]["objects"][0]["name"] = "dog"
    file = write(tmp_path, rows)
    Image.effect_noise((24, 16), 50).convert("RGB").save(tmp_path / "a.png")
    assert load(str(file)).digest != before


def test_masks(tmp_path: Path) -> None:
    mask = [[2, 3, 12, 3, 12, 11, 2, 11], [20, 0, 24, 0, 24, 16, 20, 16]]
    point = [[3.1, 3.1, 3.4, 3.1, 3.4, 3.4]]
    rows = [plain("a", objects=[dog(mask=mask), dog(id="e"), dog(id="f", mask=point)])]
    source = load(str(write(tmp_path, rows)))
    scene = source.scene(0)
    assert [thing.has_mask for thing in scene.objects] == [True, False, True]
    image = source.mask(scene.photo, "d")
    assert (image.mode, image.size) == ("L", (24, 16))
    covered = np.zeros((16, 24), dtype=np.uint8)
    covered[3:11, 2:12] = covered[:, 20:] = 255
    assert np.array_equal(np.asarray(image), covered)
    with pytest.raises(DataError, match=r"graphs\.jsonl:1: Expected a thing with a mask, but got thing_id='e'"):
        source.mask(scene.photo, "e")
    with pytest.raises(DataError, match=r"graphs\.jsonl:1: Expected a mask of one pixel or more"):
        source.mask(scene.photo, "f")


# Lines that cannot be used.


def test_bad_lines_are_named_and_left_out(tmp_path: Path) -> None:
    lines = [
        json.dumps(plain("a")),
        '{"id": "torn", "photo"',
        "",
        json.dumps(plain("b", objects=[dog(box=[30, 0, 5, 5])])),
        json.dumps(plain("a")),
        json.dumps(plain("c", photo="absent.png")),
        json.dumps(plain("d", width=25)),
        json.dumps(plain("e", photo="../a.png")),
        json.dumps(plain("f", photo="text.png")),
        '["g"]',
        '{"id": 1, "id": 2}',
        json.dumps(plain("z", photo="a.png")),
    ]
    write(tmp_path, [plain("a"), plain("b"), plain("d")])
    (tmp_path / "text.png").write_text("no picture")
    file = write(tmp_path, lines)
    source = load(str(file))
    assert [source.scene(index).id for index in range(len(source))] == ["a", "z"]
    starts = [
        "graphs.jsonl:2: Expected JSON, but it breaks off at column 23",
        "graphs.jsonl:4: objects[0].box: Expected a box within the picture of 24 x 16 px, but got box=[30, 0, 5, 5]",
        "graphs.jsonl:5: id: Expected an id of its own, but got id='a': graphs.jsonl:1 has the same",
        f"graphs.jsonl:6: photo: Expected a photo, but there is no file '{tmp_path}/absent.png'",
        f"graphs.jsonl:7: photo: Expected '{tmp_path}/d.png' to be 25 x 16 px, as its record says, but got size=24 x",
        f"graphs.jsonl:8: photo: Expected the name of a photo within '{tmp_path}', but got name='../a.png'",
        "graphs.jsonl:9: photo: Expected a photo (JPEG, PNG, GIF, WEBP, BMP, TIFF, PPM), but ",
        "graphs.jsonl:10: Expected a JSON object, but got record=['g']",
        "graphs.jsonl:11: Expected each key of an object once, but got 'id' twice",
    ]
    assert len(source.bad_records) == len(starts)
    for said, start in zip(source.bad_records, starts, strict=True):
        assert said.startswith(start)
        assert len(said.splitlines()) == 1


def test_an_id_of_a_line_that_cannot_be_used_is_free(tmp_path: Path) -> None:
    file = write(tmp_path, [plain("a")])
    file.write_text(f"{json.dumps(plain('a', size=3))}\n{json.dumps(plain('a'))}\n")
    assert len(bad(file)) == 1
    assert len(load(str(file))) == 1


def test_byte_order_mark_and_line_ends_of_windows(tmp_path: Path) -> None:
    file = write(tmp_path, [plain("a"), plain("b")])
    file.write_bytes(b"\xef\xbb\xbf" + file.read_bytes().replace(b"\n", b"\r\n").rstrip())
    source = load(str(file))
    assert [source.scene(index).id for index in (1, 0)] == ["b", "a"]
    assert source.bad_records == ()


def test_signs_that_other_readers_take_for_line_ends(tmp_path: Path) -> None:
    file = write(tmp_path, [plain("a"), plain("b")])
    caption = "A dog.\u2028Another.\x85And another."
    file.write_text(f"{json.dumps(plain('a', captions=[caption]), ensure_ascii=False)}\n{json.dumps(plain('b'))}\n")
    source = load(str(file))
    assert source.scene(0).captions == (caption,)
    assert source.scene(1).id == "b"


def test_a_line_that_is_no_utf_8(tmp_path: Path) -> None:
    file = write(tmp_path, [plain("a")])
    file.write_bytes(file.read_bytes() + b'{"id": "\xe9"}\n')
    assert bad(file) == [
        "graphs.jsonl:2: Expected UTF-8, but got byte 8 wrong (invalid continuation byte): save it as UTF-8"
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "it is empty"),
        ("\n \n", "it is empty"),
        ('{"id": 1}\n{}\n', "none of its 2 can be used: graphs.jsonl:1: photo: Expected a text"),
        (json.dumps([plain("a")]), "none of its 1 can be used: graphs.jsonl:1: Expected a JSON object"),
        (
            json.dumps(plain("a"), indent=1),
            "can be used: graphs.jsonl:1: Expected JSON, but it breaks off at column 2 ",
        ),
    ],
)
def test_a_file_without_a_scene(tmp_path: Path, text: str, said: str) -> None:
    file = write(tmp_path, [plain("a")])
    file.write_text(text)
    with pytest.raises(DataError) as caught:
        load(str(file))
    assert str(caught.value).startswith(f"Expected scenes in '{file}', one a line (docs/graphs.md), but ")
    assert said in str(caught.value)


def test_what_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="graphs:FILE"):
        load("")
    for absent in ("absent.jsonl", ".", "absent.jsonl:photos"):
        with pytest.raises(DataError, match="there is no such file"):
            load(str(tmp_path / absent))
    with pytest.raises(DataError, match=r"it cannot be read \(File name too long\)$"):
        load("x" * 5000)
    (tmp_path / "graphs.jsonl").write_bytes(b"\x1f\x8b\x08 and so on")
    with pytest.raises(DataError, match="is compressed: decompress it"):
        load(str(tmp_path / "graphs.jsonl"))


def test_a_file_that_changes_while_it_is_open(tmp_path: Path) -> None:
    file = write(tmp_path, [plain("a"), plain("b")])
    source = load(str(file))
    write(tmp_path, [plain("b"), plain("a")])
    with pytest.raises(
        DataError, match=r"graphs\.jsonl:2: Expected the scene 'b', but got id='a': the file has changed"
    ):
        source.scene(1)
    file.unlink()
    with pytest.raises(DataError, match=r"graphs\.jsonl:1: Expected a record, but the file cannot be read any more"):
        source.scene(0)


def test_a_photo_torn_off_is_found_when_its_scene_is_asked_for(tmp_path: Path) -> None:
    source = load(str(write(tmp_path, [plain("a"), plain("b")])))
    (tmp_path / "b.png").write_bytes((tmp_path / "b.png").read_bytes()[:-5])
    assert source.scene(0).id == "a"
    with pytest.raises(DataError, match=r"b\.png' is truncated"):
        source.scene(1)


# docs/graphs.md.


def test_the_example_of_the_page_works(tmp_path: Path) -> None:
    source = load(str(write(tmp_path, [example()])))
    assert source.bad_records == ()
    scene = source.scene(0)
    assert [thing.name for thing in scene.objects] == ["dog", "umbrella", "woman"]
    assert source.mask(scene.photo, "d").getbbox() == (40, 260, 190, 380)


def test_the_errors_of_the_page_are_what_is_said(tmp_path: Path) -> None:
    (told,) = re.findall(r"```text\n(.*?)```", PAGE, re.DOTALL)
    good = example()
    said = []
    for change in range(6):
        row = example()
        if change == 0:
            row["height"] = "480"
        elif change == 1:
            row["objects"][0]["box"] = [700, 260, 150, 120]
        elif change == 2:
            row["objects"][1]["atributes"] = ["red"]
        elif change == 3:
            row["objects"][2]["id"] = "d"
        elif change == 4:
            row["relationships"][0]["subject"] = "x"
        else:
            row["exhaustive"].append("banana")
        write(tmp_path, [good])
        said += bad(write(tmp_path, [json.dumps(row), json.dumps(good)]))
    assert said == told.splitlines()


@pytest.mark.parametrize("heading", ["A scene", "object", "region", "relationship", "question"])
def test_the_page_has_the_fields_of_the_schema(heading: str) -> None:
    schema = json.loads((Path(__file__).parents[2] / "pytest_vqamt/data/graph.schema.json").read_text(encoding="utf-8"))
    title = heading if heading == "A scene" else f"An entry of `{heading}s`"
    (below,) = re.findall(rf"^### {title}\n(.*?)(?:^#|\Z)", PAGE, re.DOTALL | re.MULTILINE)
    firsts = re.findall(r"^\| (`[^|]*`) \|", below, re.MULTILINE)
    told = schema if heading == "A scene" else schema["$defs"][heading]
    assert sorted(name for first in firsts for name in re.findall(r"`(\w+)`", first)) == sorted(told["properties"])


@pytest.mark.skipif(not COCO.is_dir(), reason="../shared/data/coco is not there")
def test_real_photos_with_their_masks(tmp_path: Path) -> None:
    coco = json.loads((COCO / "instances.json").read_text(encoding="utf-8"))
    names = {category["id"]: category["name"] for category in coco["categories"]}
    rows = {
        image["id"]: {
            "id": image["id"], "photo": image["file_name"], "width": image["width"], "height": image["height"],
            "objects": [],
        }
        for image in coco["images"]
    }  # fmt: skip
    for each in coco["annotations"]:
        if not each["iscrowd"]:
            rows[each["image_id"]]["objects"].append(
                {
                    "id": each["id"], "name": names[each["category_id"]], "box": each["bbox"],
                    "mask": each["segmentation"],
                }
            )  # fmt: skip
    file = write(tmp_path, [json.dumps(row) for row in rows.values()])
    source = load(f"{file}:{COCO / 'images'}")
    assert source.bad_records == ()
    assert len(source) == 40
    for index in range(0, 40, 8):
        scene = source.scene(index)
        assert source.photo(scene.photo).size == (scene.width, scene.height)
        for thing in scene.objects:
            x0, y0, x1, y1 = source.mask(scene.photo, thing.id).getbbox() or (0, 0, 0, 0)
            assert Box.between(x0, y0, x1, y1).iou(thing.box) > 0.5
