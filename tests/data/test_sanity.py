"""What is well formed and may be wrong is told once, with a count and an example; good data is not told of."""

from __future__ import annotations

import json
import struct
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from unicodedata import normalize

import numpy as np
import pytest
from PIL import Image

from pytest_vqamt.cli import main
from pytest_vqamt.core.box import Box
from pytest_vqamt.core.errors import DataError, OptionError
from pytest_vqamt.data.catalogue import load
from pytest_vqamt.data.sanity import BoxChecks
from tests.rows import each_row

WIDTH, HEIGHT = 200, 120
BOXES = [(10 + 14 * (n % 4), 8 + 9 * n, 40 + n, 30) for n in range(10)]
"""Good boxes: they begin near the top and the left, and end inside of the picture."""


def coco(folder: Path, annotations: list[dict[str, Any]], images: int = 2, **of_images: Any) -> str:
    """A folder of COCO's form with grey photos."""
    (folder / "annotations").mkdir(parents=True, exist_ok=True)
    (folder / "t").mkdir(exist_ok=True)
    rows = []
    for number in range(1, images + 1):
        Image.new("RGB", (WIDTH, HEIGHT), (number, 130, 90)).save(folder / "t" / f"{number}.png")
        rows.append({"id": number, "file_name": f"{number}.png", "width": WIDTH, "height": HEIGHT, **of_images})
    root = {
        "images": rows,
        "annotations": [
            {"id": place, "image_id": 1 + place % images, "category_id": 1, "iscrowd": 0, **each}
            for place, each in enumerate(annotations)
        ],
        "categories": [{"id": 1, "name": "dog"}],
    }
    (folder / "annotations" / "instances_t.json").write_text(json.dumps(root))
    return f"coco:{folder}"


def boxed(change: Callable[[float, float, float, float], tuple[float, ...]], **more: Any) -> list[dict[str, Any]]:
    return [{"bbox": [*change(*box)], "area": box[2] * box[3], **more} for box in BOXES]


def odd(spec: str, capsys: pytest.CaptureFixture[str]) -> list[str]:
    """The odd lines of ``vqamt check-data``."""
    capsys.readouterr()
    assert main(["check-data", spec]) == 0
    return [line.removeprefix("odd: ") for line in capsys.readouterr().out.splitlines() if line.startswith("odd: ")]


def bad(spec: str, capsys: pytest.CaptureFixture[str]) -> list[str]:
    capsys.readouterr()
    assert main(["check-data", spec]) == 1
    return [line.removeprefix("bad: ") for line in capsys.readouterr().out.splitlines() if line.startswith("bad: ")]


def test_good_boxes_are_not_odd(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    square = [[20, 20, 60, 20, 60, 50, 20, 50]]
    spec = coco(tmp_path, [*boxed(lambda *box: box), {"bbox": [20, 20, 40, 30], "area": 1200, "segmentation": square}])
    assert odd(spec, capsys) == []


UNITS: Mapping[str, tuple[Callable[[float, float, float, float], tuple[float, ...]], str]] = {
    "corners": (lambda x, y, w, h: (x, y, x + w, y + h), "leave it by more than 10%"),
    "shares": (lambda x, y, w, h: (x / WIDTH, y / HEIGHT, w / WIDTH, h / HEIGHT), "all 10 boxes of"),
    "half sizes": (lambda x, y, w, h: (x, y, w / 2, h / 2), "the area of 10 of 10 annotations of"),
    "of a larger photo": (lambda x, y, w, h: (2 * x, 1.2 * y, 4 * w, 2 * h), "leave it by more than 10%"),
    "centres at the right": (lambda x, y, w, h: (190 - x / 4, 110 - y / 4, w, h), "leave it by more than 10%"),
    "exchanged axes": (lambda x, y, w, h: (y, x + 60, h, w), "leave it by more than 10%"),
    "thousandths": (lambda x, y, w, h: (x / 1e3, y / 1e3, w / 1e3, h / 1e3), "all 10 boxes of"),
}


@each_row("kind", list(UNITS))
def test_boxes_in_other_units_are_odd(kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    change, said = UNITS[kind]
    found = odd(coco(tmp_path, boxed(change)), capsys)
    assert any(said in line for line in found), found


def test_boxes_that_are_centres_are_odd_where_one_ends_outside(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    centres = [{"bbox": [x + 20, y + 15, 40, 30]} for x in (0, 60, 140, 155) for y in (0, 40, 78)]
    (line,) = odd(coco(tmp_path, centres), capsys)
    assert "all 12 boxes of instances_t.json could be given by their centres, and 6 of them end outside" in line


def large(folder: Path, boxes: list[list[float]], size: tuple[int, int]) -> str:
    """``coco`` with photos of another size."""
    spec = coco(folder, [{"bbox": box} for box in boxes], width=size[0], height=size[1])
    for number in (1, 2):
        Image.new("RGB", size, (number, 130, 90)).save(folder / "t" / f"{number}.png")
    return spec


PERCENT = [[x, y, 18.0, 9.0] for x in (5, 30, 55, 80) for y in (10, 40, 70, 90)]
"""16 boxes, in percent."""


@each_row(
    ("scale", "size", "said"),
    [
        (1, (640, 480), "all 16 boxes of instances_t.json end within 100 px of the corner, and none of their pictu"),
        (10, (2400, 2000), "all 16 boxes of instances_t.json end within 1000 px of the corner"),
        (1, (160, 120), ""),  # a small picture, which the boxes fill
        (4.8, (640, 480), ""),
        (0.5, (640, 480), ""),  # things at the top left alone
        (10, (1200, 1000), ""),
    ],
)
def test_boxes_in_percent_or_thousandths_are_odd(
    scale: float, size: tuple[int, int], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = odd(large(tmp_path, [[scale * each for each in box] for box in PERCENT], size), capsys)
    assert len(found) == bool(said)
    assert not said or found[0].startswith(said)


@each_row(
    ("boxes", "another", "frame", "said"),
    [
        (PERCENT, [300.0, 200, 90, 80], (640, 480), "16 of 17 boxes of a.json end within 100 px"),
        (PERCENT, [20.0, 20, 90, 80], (120, 110), "16 of 17 boxes of a.json end within 100 px"),
        ([[0.1, 0.2, 0.5, 0.6]] * 16, [300.0, 200, 90, 80], (640, 480), "16 of 17 boxes of a.json lie within 1 px"),
        ([[40.0, 50, 0.4, 0.4]] * 16, [300.0, 200, 90, 80], (640, 480), "16 of 17 boxes of a.json are of 1 px at most"),
        (PERCENT[:8], [300.0, 200, 90, 80], (640, 480), ""),
    ],
)
def test_one_box_in_pixels_or_on_a_smaller_picture_does_not_hide_the_units_of_others(
    boxes: list[list[float]], another: list[float], frame: tuple[int, int], said: str
) -> None:
    checks = BoxChecks("a.json")
    for number, box in enumerate(boxes):
        checks.add(str(number), "1", Box(*box), Box(0, 0, 640, 480))
    checks.add("other", "1", Box(*another), Box(0, 0, *frame))
    found = checks.lines()
    assert len(found) == bool(said)
    assert not said or found[0].startswith(said)


@each_row("area", [-5, float("nan"), "1200"])
def test_an_area_that_is_no_number_is_odd(area: object, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (line,) = odd(coco(tmp_path, [{"bbox": [20, 20, 60, 40], "area": area}] * 2), capsys)
    assert line.startswith(f"2 areas of instances_t.json are no number from 0 on (annotation 0: {area!r})")


def test_an_outline_that_crosses_itself_shows_pixels(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bow_tie = [[20, 20, 80, 60, 80, 20, 20, 60]]
    assert odd(coco(tmp_path, [{"bbox": [20, 20, 60, 40], "segmentation": bow_tie}] * 2), capsys) == []


def test_boxes_that_all_begin_in_the_corner_are_no_shares(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sizes = [(30.0 + 4 * n, 98.0 - 3 * n) for n in range(16)]  # up to 90 and 98 px
    assert odd(large(tmp_path, [[0, 0, w, h] for w, h in sizes], (640, 480)), capsys) == []


def test_boxes_that_all_lie_outside_are_told_of_as_other_units(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    spec = coco(tmp_path, boxed(lambda x, y, w, h: (5 * x + 200, 5 * y + 200, w, h)))
    capsys.readouterr()
    assert main(["check-data", spec]) == 1
    said = capsys.readouterr().out
    assert "bad: instances_t.json: annotation 0: bbox: Expected a box within the picture" in said
    assert "odd: boxes of 2 pictures of instances_t.json leave it by more than 10%" in said


@each_row("said", ["unlabelled=none", "unlabelled=left_out", "unlabelled=", "unlabeled=empty", "Unlabelled=empty"])
def test_another_word_for_unlabelled_photos_is_refused(said: str, tmp_path: Path) -> None:
    spec = coco(tmp_path, boxed(lambda *box: box))
    with pytest.raises(OptionError, match=r"Expected \?unlabelled=empty or \?unlabelled=left-out after coco:"):
        load(f"{spec}?{said}")


@each_row("segmentation", [[], [[]], "", None])
def test_an_empty_segmentation_is_none(segmentation: object, tmp_path: Path) -> None:
    spec = coco(tmp_path, [{"bbox": [10, 10, 20, 20], "segmentation": segmentation}, {"bbox": [10, 10, 20, 20]}])
    source = load(spec)
    assert [source.scene(place).objects[0].has_mask for place in range(2)] == [False, False]


MASKS: Mapping[str, tuple[Any, str]] = {
    "elsewhere": ([[120, 60, 180, 60, 180, 110, 120, 110]], "1 mask of instances_t.json lies elsewhere than the box"),
    "exchanged": ([[20, 60, 50, 60, 50, 100, 20, 100]], "1 mask of instances_t.json lies elsewhere than the box"),
    # The rectangle of the box, its runs written along the rows: 30 runs of 40 px.
    "row by row": (
        {"size": [HEIGHT, WIDTH], "counts": [20 * WIDTH + 60, *[40, WIDTH - 40] * 29, 40, WIDTH * 71 - 100]},
        "1 mask of instances_t.json lies elsewhere than the box",
    ),
    "shares": ([[0.3, 0.2, 0.5, 0.2, 0.5, 0.4]], "1 mask of instances_t.json lies elsewhere than the box"),
    # The runs of what is outside and inside exchanged: the mask is the whole picture but the rectangle.
    "inverted": (
        {"size": [HEIGHT, WIDTH], "counts": [0, 60 * HEIGHT + 20, *[30, HEIGHT - 30] * 39, 30, HEIGHT * 101 - 50]},
        "1 mask of instances_t.json lies elsewhere than the box",
    ),
    "no pixel": ({"size": [HEIGHT, WIDTH], "counts": [WIDTH * HEIGHT]}, "1 mask of instances_t.json shows no pixel"),
    "in the box": ([[60, 20, 100, 20, 100, 50, 60, 50]], ""),
    "a sliver of the box": ([[60, 20, 100, 20, 61, 50]], ""),
}


@each_row("kind", list(MASKS))
def test_masks_are_held_against_their_boxes(kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    mask, said = MASKS[kind]
    found = odd(coco(tmp_path, [{"bbox": [60, 20, 40, 30], "segmentation": mask}, {"bbox": [5, 5, 30, 30]}]), capsys)
    assert [line for line in found if line.startswith(said)] == found
    assert len(found) == bool(said)


@each_row(
    ("row", "names"),
    [
        ({"bbox": [10, 10, 0, 20]}, 1),
        ({"bbox": [10, 10, 20, 0]}, 1),
        ({"bbox": [10.5, 10, 0.0, 0.0], "iscrowd": True}, 1),
        ({"bbox": []}, 1),
    ],
)
def test_an_empty_box_costs_the_thing_and_not_its_photo(
    row: dict[str, Any], names: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    spec = coco(tmp_path, [row, {"bbox": [10, 10, 20, 20]}, {"bbox": [50, 10, 20, 20]}])
    (line,) = odd(spec, capsys)
    assert line.startswith("1 box of instances_t.json is empty (annotation 0, a dog)")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        source = load(spec)
    assert [len(source.scene(place).objects) for place in range(2)] == [1, 1]
    assert [source.scene(place).exhaustive for place in range(2)] == [frozenset(), frozenset({"dog"})]


def test_the_same_annotation_twice_is_odd(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (line,) = odd(coco(tmp_path, [{"bbox": [10, 10, 20, 20]}] * 3), capsys)
    assert line.startswith("1 annotation of instances_t.json is there twice (annotation 2, another dog with")


def test_photos_without_annotations_are_asked_about(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    spec = coco(tmp_path, [{"bbox": [10, 10, 20, 20], "image_id": 1}], images=6)
    (line,) = odd(spec, capsys)
    assert line.startswith(f"5 of 6 photos of {spec} have no annotation ('2.png'): is nothing in them, or")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert [load(spec).scene(place).presumed for place in range(6)] == [False, *[True] * 5]
    assert odd(f"{spec}?unlabelled=empty", capsys) == []
    assert [load(f"{spec}?unlabelled=empty").scene(place).presumed for place in range(6)] == [False] * 6
    assert len(load(f"{spec}?unlabelled=left-out")) == 1


def test_a_few_photos_of_nothing_are_not_odd(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [{"bbox": [10, 10, 20, 20], "image_id": number} for number in range(1, 40)]
    assert odd(coco(tmp_path, rows, images=40), capsys) == []


def exif(orientation: int) -> bytes:
    """EXIF with nothing but an orientation."""
    return b"Exif\0\0MM\0*\0\0\0\x08\0\x01" + struct.pack(">HHIHHI", 0x0112, 3, 1, orientation, 0, 0)


XMP = b'<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:Description tiff:Orientation="3"/></x:xmpmeta>'


@each_row(
    ("suffix", "options", "orientation"),
    [
        ("jpg", {"exif": exif(2)}, "2"),
        ("jpg", {"exif": exif(4)}, "4"),
        ("webp", {"exif": exif(3)}, "3"),
        ("png", {"exif": exif(3)}, "3"),
        ("jpg", {"exif": exif(1)}, ""),
        ("jpg", {"xmp": XMP}, ""),
    ],
)
def test_photos_that_are_turned_and_keep_their_size_are_odd(
    suffix: str, options: dict[str, Any], orientation: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    spec = coco(tmp_path, [{"bbox": [10, 10, 20, 20]}, {"bbox": [10, 10, 20, 20]}])
    file = tmp_path / "annotations" / "instances_t.json"
    file.write_text(file.read_text().replace(".png", f".{suffix}"))
    for number in (1, 2):
        picture = Image.new("RGB", (WIDTH, HEIGHT), (40 * number, 200, 90))
        picture.paste((250, 0, 0), (0, 0, 100, 120))
        picture.save(tmp_path / "t" / f"{number}.{suffix}", **options)
    found = [line for line in odd(spec, capsys) if "EXIF" in line]
    assert len(found) == bool(orientation)
    if orientation:
        with pytest.warns(UserWarning, match=f"2 photos of {spec} are turned by EXIF"):
            load(spec)
        assert f"2 photos of {spec} are turned by EXIF (orientation {orientation}; '1.{suffix}')" in found[0]
    else:
        left = load(spec).photo(load(spec).scene(0).photo).getpixel((5, 5))
        assert isinstance(left, tuple) and left[0] > 200, "an orientation of XMP alone is no EXIF"  # noqa: PT018


def numbers(dtype: str, top: float) -> Image.Image:
    return Image.fromarray((np.linspace(0, top, 24 * 16).reshape(16, 24)).astype(dtype))


@each_row(
    ("name", "image", "brightest"),
    [
        *((f"{bits}in16.png", numbers("uint16", 2**bits - 1), 255) for bits in range(8, 16)),
        ("2000in16.png", numbers("uint16", 2000), 249),  # of 11 bits, or dark and of 16: 2000 / 2047
        ("14in32.tif", numbers("int32", 16383), 255),
        ("flat.tif", numbers("int32", 0), 0),
        ("flat_high.tif", Image.fromarray(np.full((16, 24), 70_000, "int32")), 0),
        ("16.png", numbers("uint16", 65535), 255),
        ("8in32.tif", numbers("int32", 255), 255),
        ("8infloat.tif", numbers("float32", 255), 255),
        ("float.tif", numbers("float32", 1), 255),
        ("black.png", Image.new("RGB", (24, 16)), 0),
        ("12inrgb.png", Image.new("RGB", (24, 16), (12, 9, 3)), 12),
    ],
)
def test_values_of_another_depth_are_shown_or_told_of(
    name: str, image: Image.Image, brightest: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    image.save(tmp_path / name)
    (tmp_path / "questions.jsonl").write_text(json.dumps({"image": name, "question": "Is it red?"}))
    found = odd(f"questions:{tmp_path}", capsys)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        source = load(f"questions:{tmp_path}")
    shown = np.asarray(source.photo(source.scene(0).photo)).max()
    assert abs(int(shown) - brightest) <= 1
    assert bool(found) == (brightest < 16), found


@each_row(
    "mark",
    [
        "<image>",
        "<IMG>",
        "<image_1>",
        "<|image_pad|>",
        "[IMG]",
        "<|vision_start|>",
        "<ImageHere>",
        "<image 1>",
        "</s>",
        "[INST]",
        "<|user|>",
    ],
)
def test_marks_of_pictures_in_questions_are_odd(mark: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Image.new("RGB", (24, 16), "gray").save(tmp_path / "a.png")
    rows = [{"image": "a.png", "question": f"{mark}\nIs it <b>red</b>?"}, {"image": "a.png", "question": "Is a < b?"}]
    (tmp_path / "questions.jsonl").write_text("\n".join(map(json.dumps, rows)))
    (line,) = odd(f"questions:{tmp_path}", capsys)
    assert line.startswith(f"1 question holds the mark of a picture or of a turn (a.png: {mark})")


@each_row(
    ("written", "there"),
    [
        ("shot%20one.png", "shot one.png"),
        ("in%2Fa.png", "in/a.png"),
        ("in\\a.png", "in/a.png"),
        (normalize("NFC", "écran.png"), normalize("NFD", "écran.png")),
        (normalize("NFD", "écran.png"), normalize("NFC", "écran.png")),
        ("100%25.png", "100%.png"),
        ("Capture_d%C3%A9cran.png", "Capture_décran.png"),
    ],
)
def test_a_photo_is_found_by_another_writing_of_its_name(written: str, there: str, tmp_path: Path) -> None:
    (tmp_path / there).parent.mkdir(exist_ok=True)
    Image.new("RGB", (24, 16), "gray").save(tmp_path / there)
    (tmp_path / "questions.jsonl").write_text(json.dumps({"image": written, "question": "Is it red?"}))
    source = load(f"questions:{tmp_path}")
    assert source.photo(source.scene(0).photo).size == (24, 16)


@each_row(
    ("written", "there", "said"),
    [
        ("a.JPG", "a.jpg", "is it 'a.jpg'?"),
        ("a.jpeg", "a.png", "is it 'a.png'?"),
        ("upload/4/a.png", "a.png", "is it 'a.png'?"),
        ("a.png", "deep/er/a.png", "is it 'deep/er/a.png'?"),
        ("frame_002.png", "frame_001.png", "add it"),
        ("..%2F..%2Fetc%2Fpasswd", "a.png", "add it"),
        ("..\\secret.png", "a.png", "it must not lead out of the folder"),
        ("C:\\data\\a.png", "a.png", "give it relative to that folder"),
        ("images\\3f2a90bc-a.png", "a.png", "is it 'a.png'?"),
        ("12.png", "000000000012.png", "is it '000000000012.png'?"),
        ("a &amp; b.png", "a & b.png", "is it 'a & b.png'?"),
        ("https://example.org/a.png", "a.png", "save the photo there, since none is fetched"),
        ("data:image/png;base64,iVBORw0KGgo=", "a.png", "it is a photo in base64, so save it as a file there"),
        ("/9j/" + "4AAQ" * 100, "a.png", "it is a photo in base64, so save it as a file there"),
        ("iVBORw0KGgo" + "AAAA" * 100, "a.png", "it is a photo in base64, so save it as a file there"),
    ],
)
def test_a_missing_photo_is_told_with_the_name_that_may_be_meant(
    written: str, there: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / there).parent.mkdir(exist_ok=True, parents=True)
    Image.new("RGB", (24, 16), "gray").save(tmp_path / there)
    (tmp_path / "questions.jsonl").write_text(json.dumps({"image": written, "question": "Is it red?"}))
    (line, *_) = bad(f"questions:{tmp_path}", capsys)
    assert said in line


def questions(folder: Path, text: str, name: str = "questions.csv") -> str:
    for letter in "abc":
        Image.new("RGB", (24, 16), "gray").save(folder / f"{letter}.png")
    (folder / name).write_text(text)
    return f"questions:{folder}"


@each_row(
    ("cells", "options", "answer"),
    [
        ("Two,One,,Three,D", ("Two", "One", "Three"), "Three"),
        (",Two,One,Three,B", ("Two", "One", "Three"), "Two"),
        ("Two,,One,Three,C", ("Two", "One", "Three"), "One"),
        ("Two,One,,,B", ("Two", "One"), "One"),
        (",,One,Three,D", ("One", "Three"), "Three"),
    ],
)
def test_letters_belong_to_their_columns(cells: str, options: tuple[str, ...], answer: str, tmp_path: Path) -> None:
    source = load(questions(tmp_path, f"image,question,A,B,C,D,answer\na.png,How many?,{cells}\n"))
    (question,) = source.scene(0).questions
    assert (question.options, question.answers) == (options, (answer,))


@each_row(
    ("cells", "said"),
    [
        ("Two,One,,Three,C", "but got answer='C': C is blank"),
        (",Two,One,Three,A", "but got answer='A': A is blank"),
        ("Two,One,nan,nan,A", "C and D are both 'nan'; leave a cell blank where there is no option"),
        ("1,2,3,4,2", "is it the option '2', or does it count the options?"),
        ("cat,dog,,,1", "if it counts from 0, name the column answer_index"),
        ("cat,dog,,,1.0", "if it counts from 0, name the column answer_index"),
        ("Two,One,,Three,(C)", "but got answer='(C)': C is blank"),
    ],
)
def test_answers_that_may_mean_two_things_are_refused(
    cells: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    good = "b.png,Is it?,yes,no,,,A\n"
    spec = questions(tmp_path, f"image,question,A,B,C,D,answer\na.png,How many?,{cells}\n{good}")
    (line,) = bad(spec, capsys)
    assert said in line


@each_row(
    ("row", "answer"),
    [
        ({"options": ["1", "2", "3"], "answer_text": "2"}, ("2",)),
        ({"options": ["1", "2", "3"], "answer_index": 2}, ("3",)),
        ({"options": ["cat", "dog"], "answer_index": 0}, ("cat",)),
        ({"options": ["7", "12"], "answer": 12}, ("12",)),
        ({"options": ["cat", "dog"], "answer_index": "1.0"}, ("dog",)),
        ({"options": ["cat", "dog"], "answer_index": "0"}, ("cat",)),
        ({"options": ["cat", "dog"], "answer": "(B)"}, ("dog",)),
        ({"options": ["cat", "dog"], "answer": "a."}, ("cat",)),
        ({"options": ["(A) cat", "(B) dog"], "answer": "(B)"}, ("dog",)),
        ({"options": "['cat', \"the dog's\"]", "answer": "B"}, ("the dog's",)),
        ({"options": {"A": "cat", "C": "dog", "D": None}, "answer": "C"}, ("dog",)),
        ({"answer": float("nan")}, ()),
        ({"answer": "no", "options": float("nan")}, ("no",)),
        ({"answers": {"answer": ["red", "blue"], "answer_id": [1, 2]}}, ("red", "blue")),
        ({"answers": "[{'answer': 'red', 'answer_id': 1}]"}, ("red",)),
        ({"answer": 2.5}, ("2.5",)),
        ({"answers": [{"answer": "red", "answer_id": 1}, {"answer": "blue", "answer_id": 2}]}, ("red", "blue")),
    ],
)
def test_answers_are_taken_as_they_are_meant(row: dict[str, Any], answer: tuple[str, ...], tmp_path: Path) -> None:
    line = json.dumps({"image": "a.png", "question": "Which?", **row})
    source = load(questions(tmp_path, line, "questions.jsonl"))
    assert source.scene(0).questions[0].answers == answer


def test_ids_that_went_through_floats_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    spec = coco(tmp_path, [{"bbox": [10, 10, 20, 20], "image_id": 2.0}, {"bbox": [10, 10, 20, 20], "image_id": 1e16}])
    line = bad(spec, capsys)[0]
    assert "annotation 1: image_id: Expected an id, but got image_id=1e+16: a float beyond 2**53" in line


def test_lvis_names_photos_by_their_addresses(tmp_path: Path) -> None:
    spec = coco(tmp_path, [{"bbox": [10, 10, 20, 20]}, {"bbox": [10, 10, 20, 20]}])
    file = tmp_path / "annotations" / "instances_t.json"
    rows = json.loads(file.read_text())
    for each in rows["images"]:
        each["coco_url"] = f"http://images.example.org/t/{each.pop('file_name')}"
        each["neg_category_ids"] = []
    for each in rows["annotations"]:
        del each["iscrowd"]
    file.write_text(json.dumps(rows))
    assert load(spec).scene(1).photo.id == "2.png"


def hub(folder: Path, answers: list[Any], feature: Any, *, name: str = "data/train-00000-of-00001.parquet") -> str:
    """A dataset as on the hub, or as save_to_disk writes it."""
    pa = pytest.importorskip("pyarrow")
    from pyarrow.parquet import write_table  # type: ignore[import-untyped]  # it has no types

    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    Image.new("RGB", (24, 16), "gray").save(folder / "x.png")
    photo = {"bytes": (folder / "x.png").read_bytes(), "path": None}
    rows = [{"image": photo, "question": f"Is it {n}?", "answer": each} for n, each in enumerate(answers)]
    table = pa.Table.from_pylist(rows)
    info = {"info": {"features": {"answer": feature}}}
    table = table.replace_schema_metadata({"huggingface": json.dumps(info)})
    if name.endswith(".parquet"):
        write_table(table, folder / name)
    else:
        with pa.OSFile(str(folder / name), "wb") as file, pa.ipc.new_stream(file, table.schema) as writer:
            writer.write_table(table)
    return f"questions:{folder}"


NAMES = {"_type": "ClassLabel", "names": ["no", "yes"]}


@each_row(
    ("answers", "feature", "read"),
    [
        ([1, 0], NAMES, [("yes",), ("no",)]),
        ([[1, 1], [0, 1]], {"_type": "Sequence", "feature": NAMES}, [("yes", "yes"), ("no", "yes")]),
        ([[1], [0]], [NAMES], [("yes",), ("no",)]),
        ([-1, 1], NAMES, [(), ("yes",)]),
        ([1, 0], {"_type": "Value", "dtype": "int64"}, [("yes",), ("no",)]),
        (["TRUE", "False"], {}, [("yes",), ("no",)]),
    ],
)
def test_labels_are_read_by_their_names(
    answers: list[Any], feature: Any, read: list[tuple[str, ...]], tmp_path: Path
) -> None:
    source = load(hub(tmp_path, answers, feature))
    assert [question.answers for question in source.scene(0).questions] == read


@each_row("other", ["no", "2"])
def test_numbers_beside_other_answers_to_yes_no_questions_are_told_of_and_stay(other: str, tmp_path: Path) -> None:
    text = f"image,question,answer\na.png,Is it red?,1\na.png,Is it blue?,{other}\na.png,How many are there?,1\n"
    spec = questions(tmp_path, text)
    with pytest.warns(
        UserWarning, match=r"is a number or a truth \('Is it red\?': '1'\) and counts as a word"
    ) as found:
        source = load(spec)
    assert len(found) == 1
    assert [each.answers for each in source.scene(0).questions] == [("1",), (other,), ("1",)]


def test_metadata_that_is_nested_too_deep_names_no_labels(tmp_path: Path) -> None:
    feature: object = {"_type": "ClassLabel", "names": ["red", "blue"]}
    for _ in range(900):
        feature = {"feature": feature}
    assert load(hub(tmp_path, [1], feature)).scene(0).questions[0].answers == ("yes",)


@each_row(
    ("answers", "said"),
    [
        ([1, 7], "answer: Expected the number of a label from 0 to 1, or -1, but got answer=7: the column has 2 names"),
        ([-2, 1], "but got answer=-2"),
        ([[1, 2], [0]], "but got answer=[1, 2]"),
    ],
)
def test_a_number_without_a_label_is_a_bad_record(
    answers: list[Any], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    feature = {"_type": "Sequence", "feature": NAMES} if isinstance(answers[0], list) else NAMES
    (line,) = bad(hub(tmp_path, answers, feature), capsys)
    assert said in line


def test_several_splits_are_asked_about_and_one_can_be_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    spec = f"questions:{tmp_path}"
    for split, count in (("train", 1), ("validation", 2)):
        hub(tmp_path, list(range(count)), {}, name=f"data/{split}-00000-of-00001.parquet")
    (line,) = bad(spec, capsys)
    assert f"it has train, validation: name {spec}/train or {spec}/validation" in line
    assert len(load(f"{spec}/validation").scene(0).questions) == 2


@each_row(
    ("names", "asked", "said"),
    [
        (("train.parquet", "test.parquet"), "", "it has test, train: name {0}/test or {0}/train"),
        (
            ("data/train-00000-of-00001-b42a775f407cee45.parquet", "data/dev-00000-of-00001-0123456789abcdef.parquet"),
            "",
            "it has dev, train: name {0}/dev or {0}/train",
        ),
        (("TRAIN.parquet", "Test.parquet"), "", "it has TRAIN, Test: name {0}/TRAIN or {0}/Test"),
        (
            ("data/train-00000-of-00001.parquet", "data/extra.parquet"),
            "",
            "it has extra.parquet, train: name {0}/data/extra.parquet or {0}/train",
        ),
        (("default/train/0000.parquet", "default/test/0000.parquet"), "", "name {0}/default/test or {0}/default/train"),
        (("one/data/a.parquet", "two/data/a.parquet"), "", "name {0}/one or {0}/two"),
        (("data/test-00000-of-00001.parquet",), "/dev", "but got 'dev': name {0}/test"),
        (("test/data-00000-of-00001.arrow",), "/dev", "but got 'dev': name {0}/test"),
    ],
)
def test_splits_are_told_apart_however_they_are_stored(
    names: tuple[str, ...], asked: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in names:
        hub(tmp_path, [1], {}, name=name)
    (line,) = bad(f"questions:{tmp_path}{asked}", capsys)
    assert said.format(f"questions:{tmp_path}") in line


@each_row(
    ("name", "asked"),
    [
        ("test/data-00000-of-00001.arrow", ""),
        ("default/train/0000.parquet", ""),
        ("data/test-00000-of-00001.parquet", "/data/test-00000-of-00001.parquet"),
        ("test.parquet", "/test"),
    ],
)
def test_the_only_split_needs_no_name_and_a_file_may_be_named(name: str, asked: str, tmp_path: Path) -> None:
    hub(tmp_path, [1, 0], {}, name=name)
    assert len(load(f"questions:{tmp_path}{asked}").scene(0).questions) == 2


def test_a_dataset_of_which_a_part_is_there_is_odd(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    spec = hub(tmp_path, [1, 0], {}, name="data/train-00000-of-00003.parquet")
    (line,) = odd(spec, capsys)
    assert line.startswith("only 1 of the 3 files of") and "data/train' is there" in line  # noqa: PT018
    hub(tmp_path, [1, 0], {}, name="data/train-00001-of-00003.parquet")
    hub(tmp_path, [1, 0], {}, name="data/train-00002-of-00003.parquet")
    assert odd(spec, capsys) == []


def test_photos_in_bytes_are_read_and_rows_without_one_are_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pa = pytest.importorskip("pyarrow")
    from pyarrow.parquet import write_table

    Image.new("RGB", (24, 16), "gray").save(tmp_path / "x.png")
    data = (tmp_path / "x.png").read_bytes()
    write_table(pa.table({"image": [data, None], "question": ["Is it?", "Is it so?"]}), tmp_path / "a.parquet")
    (line,) = bad(f"questions:{tmp_path}", capsys)
    assert line == "a.parquet:2: image: Expected a photo, but the cell is empty: leave the row out"
    source = load(f"questions:{tmp_path}", allow_bad_records=True)
    assert source.photo(source.scene(0).photo).size == (24, 16)


def test_a_pointer_of_git_lfs_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("pyarrow")
    (tmp_path / "a.parquet").write_text("version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n")
    (line,) = bad(f"questions:{tmp_path}", capsys)
    assert line.endswith("it is a pointer of Git LFS, so run: git lfs pull")


@each_row(
    ("header", "cells", "said"),
    [
        ("option_a,option_b", "cat,dog", "rename 'option_a' to 'A', and so on"),
        ("a,b", "cat,dog", "rename 'a' to 'A', and so on"),
        ("option1,option2", "cat,dog", "rename 'option1' to 'A', and so on"),
        ("Choice B,Choice C", "cat,dog", "rename 'Choice B' to 'B', and so on"),
    ],
)
def test_options_in_columns_of_other_names_are_told_of(
    header: str, cells: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = "".join(f"a.png,Which is {n}?,{cells},B\n" for n in range(3))
    unused, letters = odd(questions(tmp_path, f"image,question,{header},answer\n{rows}"), capsys)
    assert said in unused
    assert letters.startswith("3 answers of") and "are letters (questions.csv:2: 'B')" in letters  # noqa: PT018


def test_a_row_with_one_option_beside_rows_with_several_is_told_of(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = "image,question,A,B,answer\na.png,Which is it?,cat,dog,B\na.png,Which is this?,cow,,cow\n"
    (line,) = odd(questions(tmp_path, text), capsys)
    assert "1 row of" in line and "has one option (questions.csv:3: A='cow') and has none for models" in line  # noqa: PT018


def test_two_columns_of_one_name_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pa = pytest.importorskip("pyarrow")
    from pyarrow.parquet import write_table

    spec = questions(tmp_path, "image,question,answer,answer,note,note\na.png,Which is it?,cat,dog,,\n")
    (line,) = bad(spec, capsys)
    assert "Expected one column 'answer' in" in line and line.endswith("rename or remove them")  # noqa: PT018
    data = (tmp_path / "a.png").read_bytes()
    columns = [pa.array([data]), pa.array(["Which is it?"]), pa.array(["cat"]), pa.array(["dog"])]
    write_table(pa.table(columns, names=["image", "question", "answer", "answer"]), tmp_path / "a.parquet")
    (line,) = bad(f"questions:{tmp_path}/a.parquet", capsys)
    assert "Expected one column 'answer' in" in line


def test_options_in_a_list_and_in_columns_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = "image,question,options,A,B,answer\na.png,Which is it?,cat|dog,cow,hen,B\n"
    (line,) = bad(questions(tmp_path, text), capsys)
    assert "but got options='cat|dog': leave A and B out, or options" in line


@each_row("answers", [("B", "red", "blue"), ("yes", "no"), ("a dog", "A cat")])
def test_answers_of_words_are_no_letters(
    answers: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = "".join(f"{n},a.png,Which is {n}?,{answer}\n" for n, answer in enumerate(answers))
    assert odd(questions(tmp_path, f",image,question,answer\n{rows}"), capsys) == []


def test_no_column_is_to_be_renamed_to_one_that_is_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = "image,question,answer,fullAnswer\na.png,Is it?,yes,Yes it is.\n"
    (line,) = odd(questions(tmp_path, text), capsys)
    assert line.endswith(
        "columns that are not used: 'fullAnswer' (used: image, question, answer, options, id, images, turns)"
    )


def test_files_that_datasets_leaves_beside_the_data_are_not_read(tmp_path: Path) -> None:
    hub(tmp_path, [1, 0, 1], {}, name="cache-0123.arrow")
    spec = hub(tmp_path, [1, 0], {}, name="data-00000-of-00001.arrow")
    assert len(load(spec).scene(0).questions) == 2
    (tmp_path / "data-00000-of-00001.arrow").rename(tmp_path / "other.arrow")
    (tmp_path / "state.json").write_text(json.dumps({"_data_files": [{"filename": "other.arrow"}]}))
    assert len(load(spec).scene(0).questions) == 2


def test_a_page_that_is_broken_is_one_line(tmp_path: Path) -> None:
    spec = hub(tmp_path, ["a long answer that is written"] * 50, {})
    file = tmp_path / "data/train-00000-of-00001.parquet"
    data = bytearray(file.read_bytes())
    data[8:200] = bytes(192)
    file.write_bytes(data)
    with pytest.raises(DataError, match=r"Expected a dataset in .*, but it cannot be read"):
        load(spec)


@each_row(
    ("captions", "names", "said"),
    [
        (["Ein Hund läuft über eine Wiese"] * 6, ["dog"], "captions are not in English"),
        (["Un chien court dans un pré"] * 6, ["dog"], "captions are not in English"),
        (["a dog runs over a field"] * 6, ["dog"], ""),
        ([], ["traffic_light", "stop_sign"], "names of graphs.jsonl are joined by _ ('stop_sign' and 1 more)"),
        ([], ["traffic light", "caf\xe9"], ""),
        (
            [],
            ["\uff44\uff4f\uff47", "dog\u200b"],
            r"plain ones in their place ('dog\u200b' and 1 more): models",
        ),
    ],
)
def test_texts_that_no_relation_can_use_are_odd(
    captions: list[str], names: list[str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    objects = [{"id": str(n), "name": name, "box": [5, 5 + n, 10, 8]} for n, name in enumerate(names)]
    row = {"id": "1", "photo": "a.png", "width": 24, "height": 16, "objects": objects, "captions": captions}
    Image.new("RGB", (24, 16), "gray").save(tmp_path / "a.png")
    (tmp_path / "graphs.jsonl").write_text(json.dumps(row))
    found = odd(f"graphs:{tmp_path}/graphs.jsonl", capsys)
    assert [line for line in found if said and said in line] == found
    assert len(found) == bool(said)


def test_boxes_of_graphs_are_looked_at_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    row = {"id": "1", "photo": "a.png", "width": 24, "height": 16}
    row["objects"] = [{"id": "1", "name": "dog", "box": [0.2, 0.1, 0.5, 0.5]}]
    Image.new("RGB", (24, 16), "gray").save(tmp_path / "a.png")
    (tmp_path / "graphs.jsonl").write_text(json.dumps(row))
    (line,) = odd(f"graphs:{tmp_path}/graphs.jsonl", capsys)
    assert line.startswith("all 1 box of graphs.jsonl lie within 1 px of the corner: are they shares from 0 to 1?")


def test_photos_of_vqa_under_other_names_are_told_of(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "val2014").mkdir()
    Image.new("RGB", (24, 16), "gray").save(tmp_path / "val2014" / "1.png")
    questions_ = [{"question_id": 1, "image_id": 1, "question": "Is it red?"}]
    answers = [{"question_id": 1, "image_id": 1, "answers": [{"answer": "yes"}], "answer_type": "yes/no"}]
    stem = "v2_{}mscoco_val2014_{}.json"
    (tmp_path / stem.format("OpenEnded_", "questions")).write_text(json.dumps({"questions": questions_}))
    (tmp_path / stem.format("", "annotations")).write_text(json.dumps({"annotations": answers}))
    (line,) = bad(f"vqa-v2:{tmp_path}", capsys)
    assert "there is one photo of other names (1.png): rename them" in line
