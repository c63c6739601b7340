"""``coco:DIR``: scenes as pycocotools itself sees the file, read when they are asked for."""

from __future__ import annotations

import json
from collections import Counter
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from pycocotools import mask as coco_mask  # type: ignore[import-untyped]  # it has neither types nor stubs
from pycocotools.coco import COCO  # type: ignore[import-untyped]  # as above

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.errors import DataError, OptionError
from pytest_vqamt.data.annotations import AnnotatedPhotos
from pytest_vqamt.data.coco import annotated_exhaustively, load
from tests.data.made_coco import annotation_row, image_row, write_coco, write_photos
from tests.rows import each_row

REAL = Path(__file__).parents[2] / "../shared/data/coco"

real_data = pytest.mark.skipif(not REAL.is_dir(), reason="the photos of ../shared/data are not here")


@pytest.fixture(scope="module")
def real() -> AnnotatedPhotos:
    return load(str(REAL))


@pytest.fixture(scope="module")
def reference() -> COCO:
    with redirect_stdout(StringIO()):
        return COCO(REAL / "instances.json")


@real_data
def test_its_scenes_are_the_images_of_the_file_in_its_order(real: AnnotatedPhotos, reference: COCO) -> None:
    assert len(real) == 40
    assert [real.scene(index).id for index in range(40)] == [str(image) for image in reference.imgs]
    assert real.bad_records == ()
    assert real.description == "40 scenes, 470 objects of 61 classes, 5 crowds, captions of 24"
    assert real.spec == f"coco:{REAL}"


@real_data
def test_things_and_crowds_are_those_that_pycocotools_finds(real: AnnotatedPhotos, reference: COCO) -> None:
    for index in range(len(real)):
        scene = real.scene(index)
        found = reference.loadAnns(reference.getAnnIds(imgIds=[int(scene.id)], iscrowd=False))
        crowds = reference.loadAnns(reference.getAnnIds(imgIds=[int(scene.id)], iscrowd=True))
        image = reference.imgs[int(scene.id)]
        assert (scene.width, scene.height) == (image["width"], image["height"])
        assert [(int(thing.id), thing.name) for thing in scene.objects] == [
            (each["id"], reference.cats[each["category_id"]]["name"]) for each in found
        ]
        for thing, each in zip(scene.objects, found, strict=True):
            assert [thing.box.x, thing.box.y, thing.box.w, thing.box.h] == pytest.approx(each["bbox"], abs=0.02)
        assert [region.name for region in scene.regions] == [
            reference.cats[each["category_id"]]["name"] for each in crowds
        ]
        assert all(thing.has_mask for thing in scene.objects)


@real_data
@pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning")  # what pycocotools decodes with
def test_masks_are_those_of_pycocotools_and_of_the_area_that_the_file_says(
    real: AnnotatedPhotos, reference: COCO
) -> None:
    for index in range(len(real)):
        scene = real.scene(index)
        for thing in scene.objects:
            mask = real.mask(scene.photo, thing.id)
            row = reference.anns[int(thing.id)]
            shown = np.asarray(mask)
            assert mask.mode == "L"
            assert mask.size == (scene.width, scene.height)
            assert (shown == reference.annToMask(row) * 255).all()
            # The file's area is that within the outline; the pixels that it crosses are half in, half out.
            outline = sum(np.hypot(*np.diff(np.reshape(each, (-1, 2)), axis=0).T).sum() for each in row["segmentation"])
            assert (shown > 0).sum() == pytest.approx(row["area"], abs=max(0.5 * outline, 4))


@real_data
def test_a_class_with_a_crowd_is_not_annotated_exhaustively_in_that_scene(
    real: AnnotatedPhotos, reference: COCO
) -> None:
    names = {category["name"] for category in reference.cats.values()}
    assert len(names) == 80
    crowded = 0
    for index in range(len(real)):
        scene = real.scene(index)
        rows = reference.imgToAnns[int(scene.id)]
        crowd_names = {reference.cats[row["category_id"]]["name"] for row in rows if row["iscrowd"]}
        assert scene.exhaustive == annotated_exhaustively(frozenset(names)) - crowd_names
        assert {"person", "dog", "car"} - crowd_names <= scene.exhaustive
        assert not {"bottle", "banana", "chair"} & scene.exhaustive
        crowded += bool(crowd_names)
    assert crowded == 5


@real_data
def test_captions_are_those_of_the_file_beside(real: AnnotatedPhotos) -> None:
    rows = json.loads((REAL / "captions.json").read_text())["annotations"]
    scenes = [real.scene(index) for index in range(len(real))]
    found = Counter(int(scene.id) for scene in scenes for _ in scene.captions)
    assert found == Counter(row["image_id"] for row in rows)
    said = {" ".join(row["caption"].split()) for row in rows}
    assert all(caption in said for scene in scenes for caption in scene.captions)


@real_data
def test_a_photo_is_found_by_its_file_name(real: AnnotatedPhotos) -> None:
    scene = real.scene(7)
    assert real.place(scene.photo.id) == 7
    assert real.photo(scene.photo).size == (scene.width, scene.height)
    assert (REAL / "images" / scene.photo.id).is_file()


@real_data
def test_opening_prints_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    source = load(str(REAL))
    source.mask(source.scene(0).photo, source.scene(0).objects[0].id)
    assert capsys.readouterr().out == ""


def test_the_polygon_runs_and_compressed_runs_of_one_square_are_one_mask(tmp_path: Path) -> None:
    shown = np.zeros((80, 100), np.uint8, order="F")
    shown[10:30, 10:30] = 1
    # Column by column: 10 columns and 10 px, then 20 times 20 px with 60 between, then the rest.
    counts = [10 * 80 + 10, *[20, 60] * 19, 20, 8000 - 810 - 19 * 80 - 20]
    compressed = coco_mask.encode(shown)["counts"].decode()
    segmentations: list[object] = [
        [[10, 10, 30, 10, 30, 30, 10, 30]],
        [[10, 10, 30, 10, 30, 20, 10, 20], [10, 20, 30, 20, 30, 30, 10, 30]],
        {"size": [80, 100], "counts": counts},
        {"size": [80, 100], "counts": compressed},
    ]
    rows = [annotation_row(10 + place, 1, segmentation=each) for place, each in enumerate(segmentations)]
    source = load(str(write_coco(tmp_path, annotations=rows)))
    assert source.bad_records == ()
    for thing in source.scene(0).objects:
        assert (np.asarray(source.mask(source.scene(0).photo, thing.id)) == shown * 255).all()


def test_a_crowd_is_a_region_and_never_a_thing(tmp_path: Path) -> None:
    runs = {"size": [80, 100], "counts": [0, 8000]}
    rows = [annotation_row(11), annotation_row(12, category_id=1, iscrowd=1, segmentation=runs, bbox=[0, 0, 100, 80])]
    source = load(str(write_coco(tmp_path, annotations=rows)))
    first, second = source.scene(0), source.scene(1)
    assert [thing.name for thing in first.objects] == ["dog"]
    assert [(region.name, region.box) for region in first.regions] == [("person", Box(0, 0, 100, 80))]
    assert first.exhaustive == {"dog"}
    assert second.exhaustive == {"dog", "person"}
    with pytest.raises(DataError, match=r"thing of image 1, but got thing_id='12'"):
        source.mask(first.photo, "12")


def test_of_a_data_set_with_other_classes_nothing_is_known_to_be_absent(tmp_path: Path) -> None:
    categories = [{"id": 18, "name": "dog"}, {"id": 2, "name": "lighthouse"}]
    source = load(str(write_coco(tmp_path, categories=categories)))
    assert source.scene(0).exhaustive == frozenset()
    assert source.corpus.exhaustive == frozenset()


def test_without_a_segmentation_a_thing_has_no_mask(tmp_path: Path) -> None:
    rows = [annotation_row(11, segmentation=[]), annotation_row(12, segmentation=None)]
    source = load(str(write_coco(tmp_path, annotations=rows)))
    scene = source.scene(0)
    assert [thing.has_mask for thing in scene.objects] == [False, False]
    with pytest.raises(DataError, match=r"instances\.json: annotation 11: Expected a segmentation, but it has none"):
        source.mask(scene.photo, "11")


def test_a_mask_that_shows_no_pixel_is_said_to_when_it_is_asked_for(tmp_path: Path) -> None:
    rows = [annotation_row(11, segmentation=[[10, 10, 10, 10, 10, 10]])]
    source = load(str(write_coco(tmp_path, annotations=rows)))
    with pytest.raises(DataError, match=r"instances\.json: annotation 11: segmentation: Expected a mask of one pixel"):
        source.mask(source.scene(0).photo, "11")


def test_boxes_that_leave_the_picture_are_clipped_to_it(tmp_path: Path) -> None:
    rows = [annotation_row(11, bbox=[90.5, 60, 9.5000001, 20.0000001]), annotation_row(12, bbox=[-5, 70, 10, 30])]
    source = load(str(write_coco(tmp_path, annotations=rows)))
    assert source.bad_records == ()
    assert [thing.box for thing in source.scene(0).objects] == [Box(90.5, 60, 9.5, 20), Box(0, 70, 5, 10)]


def test_nothing_is_decoded_before_it_is_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    draw, open_image = coco_mask.frPyObjects, Image.open

    def drawn(*args: object) -> object:
        asked.append("mask")
        return draw(*args)

    def opened(file: Path, *args: object, **settings: object) -> Image.Image:
        asked.append("photo")
        image: Image.Image = open_image(file, *args, **settings)  # type: ignore[arg-type]  # handed on as they are
        return image

    monkeypatch.setattr(coco_mask, "frPyObjects", drawn)
    monkeypatch.setattr(Image, "open", opened)
    source = load(str(write_coco(tmp_path)))
    assert source.corpus.names == ("dog",)
    assert not asked
    source.scene(0)
    assert asked == ["photo"]
    source.mask(source.scene(0).photo, "11")
    assert asked == ["photo", "mask"]


def test_a_photo_of_another_size_is_told_by_its_scene_alone(tmp_path: Path) -> None:
    source = load(str(write_coco(tmp_path, [image_row(1, width=120), image_row(2)])))
    with pytest.raises(DataError, match=r"000000000001\.jpg' to be 120 x 80 px"):
        source.scene(0)
    assert source.scene(1).id == "2"


def test_the_digest_changes_with_annotations_captions_and_photos(tmp_path: Path) -> None:
    caption = {"id": 1, "image_id": 1, "caption": "A dog."}
    plain = load(str(write_coco(tmp_path / "plain"))).digest
    assert load(str(write_coco(tmp_path / "same"))).digest == plain
    moved = write_coco(tmp_path / "moved", annotations=[annotation_row(11, bbox=[11, 10, 20, 20])])
    said = write_coco(tmp_path / "said", captions=[caption])
    shot = write_coco(tmp_path / "shot")
    Image.new("RGB", (100, 80)).save(shot / "images/000000000001.jpg", quality=20)
    assert len({plain, *(load(str(folder)).digest for folder in (moved, said, shot))}) == 4


@each_row("argument", ["", "instances.json"])
def test_another_form_of_argument_is_refused(argument: str) -> None:
    with pytest.raises(OptionError, match=r"Expected --vqamt-data=coco:DIR or coco:INSTANCES\.json:IMAGES"):
        load(argument)


CAPTION = {"id": 1, "image_id": 1, "caption": "A dog."}


@each_row(
    "name, photos",
    [
        ("annotations/instances_val2017.json", "val2017"),
        ("annotations/instances_val2017.json", "images"),
        ("annotations/instances_val2017.json", "images/val2017"),
        ("annotations/instances_val2017.json.gz", "val2017"),
        ("instances_val2017.json", "val2017"),
        ("instances.json", "images"),
        ("instances.json.gz", "images"),
        ("instances.json", "."),
    ],
)
def test_a_layout_is_found(tmp_path: Path, name: str, photos: str) -> None:
    source = load(str(write_coco(tmp_path, name=name, photos=photos, captions=[CAPTION])))
    assert source.bad_records == ()
    assert [source.scene(index).id for index in range(len(source))] == ["1", "2"]
    assert source.scene(0).captions == ("A dog.",)


def test_an_empty_folder_of_the_right_name_does_not_hide_the_photos(tmp_path: Path) -> None:
    write_coco(tmp_path, name="annotations/instances_val2017.json", photos="images")
    (tmp_path / "val2017").mkdir()
    assert len(load(str(tmp_path))) == 2


def test_photos_may_lie_in_folders_of_their_own(tmp_path: Path) -> None:
    write_coco(tmp_path, [image_row(1, file_name="val2017/1.jpg")], [])
    write_photos(tmp_path / "images/val2017", "1.jpg")
    assert load(str(tmp_path)).scene(0).photo.id == "val2017/1.jpg"


def test_file_and_folder_may_both_be_named(tmp_path: Path) -> None:
    write_coco(tmp_path, name="mine.json", photos="photos")
    assert len(load(f"{tmp_path / 'mine.json'}:{tmp_path / 'photos'}")) == 2


def test_of_several_files_the_one_with_a_folder_of_photos_is_meant(tmp_path: Path) -> None:
    write_coco(tmp_path, [image_row(7)], [], name="annotations/instances_train2017.json", photos="elsewhere")
    write_coco(tmp_path, name="annotations/instances_val2017.json", photos="val2017")
    assert [load(str(tmp_path)).scene(0).id] == ["1"]


def test_several_files_without_a_clear_choice_are_listed(tmp_path: Path) -> None:
    for split in ("train2017", "val2017"):
        write_coco(tmp_path, name=f"annotations/instances_{split}.json", photos="images")
    with pytest.raises(DataError) as caught:
        load(str(tmp_path))
    assert str(caught.value) == (
        f"Expected one instances file in {str(tmp_path)!r}, but got annotations/instances_train2017.json, "
        "annotations/instances_val2017.json: name one with coco:INSTANCES.json:IMAGES"
    )
    named = f"{tmp_path}/annotations/instances_val2017.json:{tmp_path}/images"
    assert len(load(named)) == 2


def test_of_a_file_that_is_there_plain_and_compressed_the_plain_one_is_read(tmp_path: Path) -> None:
    write_coco(tmp_path, [image_row(7)], [], name="instances.json.gz")
    assert load(str(write_coco(tmp_path))).scene(0).id == "1"


def test_captions_of_another_split_are_left_alone(tmp_path: Path) -> None:
    write_coco(tmp_path, name="annotations/instances_train2017.json", captions=[CAPTION])
    (tmp_path / "annotations/instances_train2017.json").unlink()
    write_coco(tmp_path, name="annotations/instances_val2017.json")
    assert load(str(tmp_path)).scene(0).captions == ()


@each_row(
    "argument, said",
    [
        ("{0}/nowhere", "there is no such folder"),
        ("{0}/empty", "there is neither: name the file with coco:INSTANCES.json:IMAGES"),
        ("{0}/gone.json:{0}", "there is no such file"),
        ("{0}/mine.json:{0}/nowhere", "there is no such folder"),
        ("{0}/bare", "none of them is there: instances.json: image 1: file_name: Expected a photo in"),
        ("{0}/mine.json:{0}/empty", "or name the folder with coco:INSTANCES.json:IMAGES"),
    ],
)
def test_what_is_not_there_is_named(tmp_path: Path, argument: str, said: str) -> None:
    (tmp_path / "empty").mkdir()
    write_coco(tmp_path, name="mine.json")
    write_coco(tmp_path / "bare", photos="../elsewhere")
    with pytest.raises(DataError) as caught:
        load(argument.format(tmp_path))
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)
