"""Every source is looked at when it is opened: its records in full, some of its photos."""

from __future__ import annotations

import json
import warnings
import zlib
from collections.abc import Callable, Mapping
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from PIL import Image

from pytest_vqamt.core.box import Box
from pytest_vqamt.data import sanity
from pytest_vqamt.data.catalogue import TABLE, load
from pytest_vqamt.data.records import Record
from pytest_vqamt.data.sanity import BoxChecks, TextChecks
from tests.data import made_carets, made_gqa, made_snli_ve, made_visual_genome, made_vqa
from tests.data.test_sanity import coco, exif
from tests.rows import each_row

MARKED = "Is there a <image> dog?"
DATA = Path(__file__).parents[2] / "../shared/data"


def told(spec: str) -> list[str]:
    """What is told of when a source is opened."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        load(spec)
    return [str(each.message) for each in found]


def dark(file: Path, size: tuple[int, int] = (100, 80)) -> None:
    """Writes a photo of which nothing is seen."""
    file.parent.mkdir(parents=True, exist_ok=True)
    Image.new("RGB", size, (9, 3, 1)).save(file)


def of_graphs(folder: Path, spec: str) -> str:
    dark(folder / "a.png")
    row = {"id": "1", "photo": "a.png", "width": 100, "height": 80, "questions": [{"id": "1", "text": MARKED}]}
    row["objects"] = [{"id": "1", "name": "dog", "box": [60, 5, 80, 20]}]
    (folder / "graphs.jsonl").write_text(json.dumps(row))
    return spec.format(folder)


def of_coco(folder: Path) -> str:
    spec = coco(folder, [{"bbox": [150, 5, 200, 20]}, {"bbox": [10, 5, 20, 20]}])
    dark(folder / "t" / "1.png", (200, 120))
    captions = {"annotations": [{"id": 1, "image_id": 1, "caption": MARKED}]}
    (folder / "annotations" / "captions_t.json").write_text(json.dumps(captions))
    return spec


def of_vqa(folder: Path) -> str:
    row = made_vqa.question_row(question=MARKED)
    made_vqa.write_vqa(folder, [row], [made_vqa.answers_row()], names=("vqa_t.json", "vqa_t.json"))
    dark(folder / "images" / f"{1:012d}.jpg")
    return f"vqa-v2:{folder}"


def of_gqa(folder: Path) -> str:
    dark(folder / "images" / "9.jpg", (20, 10))
    made_gqa.written(folder / "sceneGraphs.json", {"9": made_gqa.record(objects={"1": made_gqa.thing(w=40)})})
    return f"gqa:{folder}"


def of_visual_genome(folder: Path) -> str:
    dark(folder / "images" / "1.jpg", (20, 10))
    made_visual_genome.write(folder, "image_data.json", [{"image_id": 1, "width": 20, "height": 10}])
    graph = made_visual_genome.graph(1, made_visual_genome.thing(7, w=40))
    made_visual_genome.write(folder, "scene_graphs.json", [graph])
    return f"visual-genome:{folder}"


def of_carets(folder: Path) -> str:
    rows = [made_carets.row("7-0-1", MARKED), made_carets.row("7-0-1-n", "Is there no dog?", "no")]
    made_carets.write_carets(folder, {"choices.json": made_carets.CHOICES, "negated.json": rows})
    dark(folder / "images" / "7.jpg")
    Image.new("RGB", (100, 80), "gray").save(folder / "images" / "8.jpg")
    return f"carets:{folder}"


def of_snli_ve(folder: Path) -> str:
    dark(folder / "images" / "7.jpg")
    boxed = made_snli_ve.unit("dog", "", [60, 5, 80, 20])
    made_snli_ve.write_units(folder, made_snli_ve.units_row("7.jpg#0r1e", boxed, text=MARKED))
    return f"snli-ve:{folder}"


def of_questions(folder: Path) -> str:
    dark(folder / "a.png")
    (folder / "questions.jsonl").write_text(json.dumps({"image": "a.png", "question": MARKED}))
    return f"questions:{folder}"


TEXT, LEAVES, DARK = "holds the mark of a picture", "leave it by more than 10%", "is dark: the brightest pixel"
KINDS: Mapping[str, tuple[Callable[[Path], str], tuple[str, ...]]] = {
    "pictures": (lambda _: "pictures:4", ()),  # this package draws them
    "coco": (of_coco, (TEXT, LEAVES, DARK)),
    "gqa": (of_gqa, (LEAVES, DARK)),
    "visual-genome": (of_visual_genome, (LEAVES, DARK)),
    "carets": (of_carets, (TEXT, DARK)),
    "vqa-v2": (of_vqa, (TEXT, DARK)),
    "snli-ve": (of_snli_ve, (TEXT, LEAVES, DARK)),
    "graphs": (lambda folder: of_graphs(folder, "graphs:{}/graphs.jsonl"), (TEXT, LEAVES, DARK)),
    "photos": (lambda folder: of_graphs(folder, "photos:{}"), (TEXT, LEAVES, DARK)),
    "questions": (of_questions, (TEXT, DARK)),
}
"""For each kind a small source of which all is odd that can be, and what must be told."""


def test_every_kind_of_source_is_looked_at() -> None:
    assert set(KINDS) == set(TABLE), "a new kind of source needs a row: feed SourceChecks where its records are read"


@each_row("kind", list(KINDS))
def test_what_is_odd_is_told_when_a_source_is_opened(kind: str, tmp_path: Path) -> None:
    make, said = KINDS[kind]
    found = told(make(tmp_path))
    assert len(found) == len(said), found
    for each in said:
        assert any(each in line for line in found), (each, found)


def test_the_index_of_a_large_source_keeps_what_is_odd(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VQAMT_CACHE_HOME", str(tmp_path / "home"))
    monkeypatch.setattr("pytest_vqamt.data.scene_index._SMALL_BYTES", 0)
    spec = of_gqa(tmp_path / "gqa")
    assert told(spec) == told(spec) != []


def photos(folder: Path, count: int, save: Callable[[Path, int], object]) -> str:
    spec = coco(folder, [{"bbox": [10, 10, 20, 20], "image_id": number} for number in range(1, count + 1)], count)
    for number in range(1, count + 1):
        file = folder / "t" / f"{number}.png"
        save(file, number)
    return spec


def test_some_photos_are_looked_at_when_a_source_is_opened(tmp_path: Path) -> None:
    spec = photos(tmp_path, 40, lambda file, n: Image.new("RGB", (200, 120), (n, 99, 0)).save(file, exif=exif(3)))
    (line,) = told(spec)
    assert line.startswith(f"14 photos of the 14 looked at in {spec} are turned by EXIF (orientation 3; '1.png')")


def test_a_broken_photo_is_no_error_of_opening(tmp_path: Path) -> None:
    def save(file: Path, number: int) -> None:
        if number == 1:
            file.write_bytes(file.read_bytes()[:60])

    assert told(photos(tmp_path, 3, save)) == []


def test_a_photo_that_is_transparent_everywhere_is_white(tmp_path: Path) -> None:
    def save(file: Path, number: int) -> None:
        image = Image.effect_noise((200, 120), 80)
        image.putalpha((255, 0, 15)[number - 1])
        image.save(file)

    spec = photos(tmp_path, 3, save)
    (line,) = told(spec)
    assert line.startswith(f"2 photos of {spec} are white: the darkest pixel of '2.png': 255 of 255. Is it transp")


def test_no_more_pixels_are_decoded_than_takes_a_moment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def save(file: Path, number: int) -> None:
        if number != 2:
            Image.new("RGB", (200, 120), (0, 5 * number, number)).save(file)

    spec = photos(tmp_path, 3, save)
    monkeypatch.setattr(sanity, "_SAMPLED_PX", 2 * 200 * 120)
    (line,) = told(spec)
    assert line.startswith(f"1 photo of {spec} is dark: the brightest pixel of '1.png'")


def test_the_good_real_samples_are_not_odd() -> None:
    if not DATA.is_dir():
        pytest.skip("no ../shared/data")
    for name in ("coco:{}/coco", "vqa-v2:{}/coco", "vqa-v2:{}/vqa_v2", "gqa:{}/gqa", "snli-ve:{}/snli_ve"):
        assert told(name.format(DATA)) == []


def unmasked(folder: Path, change: Callable[[float, float, float, float], list[float]]) -> str:
    """COCO's real annotations, with areas and without masks, of 20 photos, those that stay inside after a change."""
    rows = json.loads((DATA / "coco" / "instances.json").read_text())
    sizes = {image["id"]: (image["width"], image["height"]) for image in rows["images"]}
    kept = []
    for each in rows["annotations"]:
        x, y, w, h = change(*each["bbox"])
        width, height = sizes[each["image_id"]]
        if not each["iscrowd"] and x + w <= width and y + h <= height:
            kept.append({**each, "bbox": [x, y, w, h], "segmentation": []})
    rows["annotations"] = kept
    folder.mkdir(exist_ok=True)
    (folder / "instances.json").write_text(json.dumps(rows))
    return f"coco:{folder}/instances.json:{DATA}/coco/images?unlabelled=empty"


@each_row(
    ("change", "said"),
    [
        (lambda x, y, w, h: [x, y, w, h], ""),
        (lambda x, y, w, h: [x, y, x + w, y + h], "which fit two corners (annotation"),
        (lambda x, y, w, h: [x / 2, y / 2, w / 2, h / 2], "is not what the box or the mask covers"),
    ],
)
def test_real_areas_fit_real_boxes(change: Any, said: str, tmp_path: Path) -> None:
    if not DATA.is_dir():
        pytest.skip("no ../shared/data")
    found = told(unmasked(tmp_path, change))
    assert len(found) == bool(said)
    assert not said or said in found[0]


def areas(rows: list[tuple[list[float], float]]) -> tuple[str, ...]:
    """What is told of boxes on a picture of 640 x 480 px, each with the area of its thing."""
    checks = BoxChecks("a.json", label="annotation {id}")
    for number, (box, area) in enumerate(rows):
        checks.add(str(number), str(number), Box(*box), Box(0, 0, 640, 480), area)
    return checks.lines()


def some(count: int, share: Callable[[Random], float], *, left: int = 300) -> list[tuple[list[float], float]]:
    """Boxes [x, y, w, h] within 640 x 480 px, and their areas."""
    rng = Random(count)
    found = []
    for _ in range(count):
        x, y, w, h = rng.randint(5, left), rng.randint(5, left * 2 // 3), rng.randint(20, 300), rng.randint(20, 200)
        found.append(([float(x), float(y), float(w), float(h)], round(w * h * share(rng), 1)))
    return found


def cornered(rows: list[tuple[list[float], float]]) -> list[tuple[list[float], float]]:
    return [([x, y, x + w, y + h], area) for (x, y, w, h), area in rows if 2 * x + w <= 640 and 2 * y + h <= 480]


@each_row(
    ("kind", "rows", "said"),
    [
        ("corners", cornered(some(40, lambda _: 1)), "which fit two corners (annotation 0: an area of"),
        ("corners of shapes", cornered(some(40, lambda rng: rng.uniform(0.4, 0.9))), "which fit two corners"),
        ("twice the size", [([x, y, 2 * w, 2 * h], a) for (x, y, w, h), a in some(9, lambda _: 1)], "all are 0.25 of"),
        ("boxes", some(40, lambda _: 1), ""),
        ("shapes", some(40, lambda rng: rng.uniform(0.2, 0.9)), ""),
        ("thin things", some(40, lambda rng: rng.uniform(0.01, 0.2)), ""),
        ("thin things from the corner", some(40, lambda rng: rng.uniform(0.01, 0.2), left=20), ""),
        ("wires across", [([5.0 + n, 9.0, 600.0, 400.0 - n], 2000.0 + n) for n in range(20)], ""),
        ("stars", some(20, lambda _: 0.326), ""),
        ("two", cornered(some(2, lambda _: 1)), ""),
    ],
)
def test_areas_are_held_against_boxes_too_large(kind: str, rows: list[tuple[list[float], float]], said: str) -> None:
    found = areas(rows)
    assert len(found) == bool(said), kind
    assert not said or said in found[0]


@each_row(
    ("area", "polygons", "said"),
    [
        (25, 1, "an area of 25, and a mask of 900 px"),
        (900, 1, ""),
        (1200, 1, ""),  # of the box
        (900, 2, ""),  # the same outline twice
        (400, 1, ""),
    ],
)
def test_areas_are_held_against_masks_on_both_sides(area: float, polygons: int, said: str, tmp_path: Path) -> None:
    mask = [[60, 20, 90, 20, 90, 50, 60, 50]] * polygons
    rows: list[dict[str, Any]] = [
        {"bbox": [60, 20, 40, 30], "area": area, "segmentation": mask},
        {"bbox": [5, 5, 9, 9]},
    ]
    found = told(coco(tmp_path, rows))
    assert len(found) == bool(said)
    assert not said or said in found[0]


def test_all_texts_are_looked_at_for_marks_and_some_of_all_for_their_language() -> None:
    checks = TextChecks("caption", "captions", is_free=False)
    for number in range(30_000):
        checks.add(str(number), "a dog" if number < 6_000 else "un chien")
    checks.add("last", "a <image> dog")
    assert checks.marked.first == "last: <image>"
    # All of the first 5,000, half of the next 5,000, a third of those after: 5000 (1 + 1/2 + ... + 1/6) in all.
    assert abs(checks.words_read - 12_250) < 10
    assert abs(checks.english - 5_500) < 10


def test_the_boxes_of_a_graph_are_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    objects = [{"id": str(n), "name": "dog", "box": [n, 5, 10, 8]} for n in range(12)]
    rows = [{"id": str(n), "photo": f"{n}.png", "width": 64, "height": 48, "objects": objects} for n in range(5)]
    (tmp_path / "graphs.jsonl").write_text("\n".join(map(json.dumps, rows)))
    read, numbers = [], Record.numbers

    def counted(record: Record, field: str) -> tuple[float, ...]:
        read.append(field)
        return numbers(record, field)

    monkeypatch.setattr(Record, "numbers", counted)
    load(f"graphs:{tmp_path}/graphs.jsonl")
    assert len(read) == 60


def rgb16(file: Path, top: int) -> None:
    """Writes a PNG of 16 bits a colour, which Pillow cannot write, with values from 0 to ``top``."""
    values = np.linspace(0, top, 24 * 16 * 3).reshape(16, 24 * 3).astype(">u2")
    rows = b"".join(b"\0" + row.tobytes() for row in values)
    chunks = ((b"IHDR", np.array([24, 16], ">u4").tobytes() + bytes([16, 2, 0, 0, 0])), (b"IDAT", zlib.compress(rows)))
    data = b"\x89PNG\r\n\x1a\n"
    for name, content in (*chunks, (b"IEND", b"")):
        data += len(content).to_bytes(4, "big") + name + content + zlib.crc32(name + content).to_bytes(4, "big")
    file.write_bytes(data)


@each_row(("top", "is_odd"), [(1023, True), (4095, True), (16383, True), (32767, True), (40000, False), (65535, False)])
def test_colours_of_fewer_bits_in_16_are_told_of(top: int, is_odd: bool, tmp_path: Path) -> None:
    rgb16(tmp_path / "a.png", top)
    (tmp_path / "questions.jsonl").write_text(json.dumps({"image": "a.png", "question": "Is it red?"}))
    assert bool(told(f"questions:{tmp_path}")) == is_odd


def test_a_hot_pixel_does_not_hide_values_of_12_bits(tmp_path: Path) -> None:
    values = np.linspace(0, 4095, 200 * 100).reshape(100, 200).astype("uint16")
    values[7, 7] = 65535
    Image.fromarray(values).save(tmp_path / "a.png")
    (tmp_path / "questions.jsonl").write_text(json.dumps({"image": "a.png", "question": "Is it red?"}))
    (line,) = told(f"questions:{tmp_path}")
    assert "the brightest pixel of 'a.png': 16 of 255" in line
