"""DETR and RT-DETR: boxes lie where the network says, in pixels of the photo as a viewer shows it."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from PIL import Image
from transformers import AutoImageProcessor, AutoModelForObjectDetection

from pytest_vqamt.annotation.detectors.closed_set import ClosedSetBoxes
from pytest_vqamt.core.errors import ModelError
from pytest_vqamt.data.photo_io import PhotoFiles
from pytest_vqamt.models.protocol import ModelOptions
from tests.annotation.detectors import small_detectors
from tests.rows import each_row

CPU = ModelOptions(device="cpu")
ORIENTATION, QUARTER_TURN = 0x0112, 6
PLANT = (0.3, 0.7, 0.2, 0.4)
"""Centre and size: from 0.2 to 0.4 of the width, from 0.5 to 0.9 of the height."""


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> ClosedSetBoxes:
    folder = tmp_path_factory.mktemp("planted")
    return ClosedSetBoxes.load(str(small_detectors.detr(folder, plant=PLANT)), CPU, 0.5)


@each_row("size", [(200, 100), (100, 200), (640, 480), (31, 997)])
def test_a_planted_box_is_found_where_it_was_planted(planted: ClosedSetBoxes, size: tuple[int, int]) -> None:
    width, height = size
    found = planted.find(Image.new("RGB", size, "gray"))
    assert len(found) == 6
    for each in found:
        assert (each.name, each.by, each.is_crowd) == ("dog", "boxes", False)
        corners = (each.box.x, each.box.y, each.box.x1, each.box.y1)
        assert corners == pytest.approx((0.2 * width, 0.5 * height, 0.4 * width, 0.9 * height), abs=0.01)


def test_in_a_photo_that_was_taken_upright(planted: ClosedSetBoxes, tmp_path: Path) -> None:
    exif = Image.Exif()
    exif[ORIENTATION] = QUARTER_TURN
    Image.new("RGB", (200, 100), "gray").save(tmp_path / "a.jpg", exif=exif)
    shown = PhotoFiles(tmp_path).open("a.jpg")
    assert shown.size == (100, 200)
    box = planted.find(shown)[0].box
    assert (box.x, box.y, box.x1, box.y1) == pytest.approx((20, 100, 40, 180), abs=0.01)


def test_a_box_over_the_edge_is_cut_off_there(tmp_path: Path) -> None:
    planted = ClosedSetBoxes.load(str(small_detectors.detr(tmp_path, plant=(0.9, 0.1, 0.4, 0.4))), CPU, 0.5)
    box = planted.find(Image.new("RGB", (200, 100)))[0].box
    assert (box.x, box.y, box.x1, box.y1) == pytest.approx((140, 0, 200, 30), abs=0.01)


@each_row("sure_of, names", [(3, {"motorcycle"}), (1, {"person"}), (0, set())])
def test_classes_are_named_by_the_configuration(tmp_path: Path, sure_of: int, names: set[str]) -> None:
    detector = ClosedSetBoxes.load(str(small_detectors.detr(tmp_path, plant=PLANT, sure_of=sure_of)), CPU, 0.5)
    assert {each.name for each in detector.find(Image.new("RGB", (60, 40)))} == names


def test_a_plural_class_is_a_crowd(tmp_path: Path) -> None:
    labels = {0: "N/A", 1: "person", 2: "trees"}
    detector = ClosedSetBoxes.load(str(small_detectors.detr(tmp_path, labels=labels, plant=PLANT)), CPU, 0.5)
    assert {(each.name, each.is_crowd) for each in detector.find(Image.new("RGB", (60, 40)))} == {("tree", True)}


@each_row("family", ["detr", "rt_detr"])
def test_it_finds_what_the_network_says_in_the_picture_and_the_surest_first(
    family: str, checkpoints: dict[str, Path], pictures: tuple[Image.Image, ...]
) -> None:
    detector = ClosedSetBoxes.load(str(checkpoints[family]), CPU, 0.2)
    network = AutoModelForObjectDetection.from_pretrained(checkpoints[family]).eval()
    processor = AutoImageProcessor.from_pretrained(checkpoints[family], backend="pil")  # type: ignore[no-untyped-call]  # not annotated
    numbered = {0: "person", 1: "dog"} if family == "rt_detr" else {1: "person", 2: "dog", 3: "motorcycle"}
    count = 0
    for image in pictures:
        found = detector.find(image)
        count += len(found)
        scores = [each.score for each in found]
        assert scores == sorted((score for score in scores if score > 0.2), reverse=True)
        assert all(min(each.box.x, each.box.y) >= 0 and min(each.box.w, each.box.h) >= 1 for each in found)
        assert all(each.box.x1 <= image.width and each.box.y1 <= image.height for each in found)
        with torch.inference_mode():
            outputs = network(**processor(images=[image], return_tensors="pt"))
        logits = outputs.logits[0]
        # DETR's last class is that of nothing; RT-DETR has none, and may give a box several classes.
        probable = logits.softmax(-1)[:, :-1] if family == "detr" else logits.sigmoid()
        for each in found:
            ((cx, cy, w, h),) = [
                box
                for box, scores in zip(outputs.pred_boxes[0].tolist(), probable.tolist(), strict=True)
                if any(each.name == numbered.get(n) and each.score == pytest.approx(s) for n, s in enumerate(scores))
            ]
            whole = ((cx - w / 2, image.width), (cy - h / 2, image.height), (cx + w / 2, image.width))
            left, top, right = (max(0.0, min(1.0, share)) * side for share, side in whole)
            assert (each.box.x, each.box.y, each.box.x1) == pytest.approx((left, top, right), abs=0.01)
    assert count >= 6


def test_the_least_score_is_that_of_the_setting(
    checkpoints: dict[str, Path], pictures: tuple[Image.Image, ...]
) -> None:
    everything = ClosedSetBoxes.load(str(checkpoints["detr"]), CPU, 0.0).find(pictures[0])
    middle = sorted(each.score for each in everything)[len(everything) // 2]
    some = ClosedSetBoxes.load(str(checkpoints["detr"]), CPU, middle).find(pictures[0])
    assert some == tuple(each for each in everything if each.score > middle)
    assert 0 < len(some) < len(everything)


def test_the_fingerprint_names_files_and_settings(checkpoints: dict[str, Path], tmp_path: Path) -> None:
    one = ClosedSetBoxes.load(str(checkpoints["detr"]), CPU, 0.5).fingerprint
    assert one == ClosedSetBoxes.load(str(checkpoints["detr"]), CPU, 0.5).fingerprint
    assert one != ClosedSetBoxes.load(str(checkpoints["detr"]), CPU, 0.6).fingerprint
    assert one != ClosedSetBoxes.load(str(small_detectors.detr(tmp_path, plant=PLANT)), CPU, 0.5).fingerprint
    assert f"torch=={torch.__version__}" in one


def test_an_image_encoder_of_timm(tmp_path: Path) -> None:
    small_detectors.detr(tmp_path)
    small_detectors.edit_config(tmp_path, backbone_config=None, use_timm_backbone=True, backbone="resnet50")
    with pytest.raises(ModelError, match="has one of the package timm, which is not installed: take another, such as"):
        ClosedSetBoxes.load(str(tmp_path), CPU, None)


@each_row("family, advice", [("owlv2", "open-vocabulary= takes"), ("mask2former", "masks= takes")])
def test_a_checkpoint_of_another_kind(family: str, advice: str, checkpoints: dict[str, Path]) -> None:
    with pytest.raises(ModelError, match=f"but got model_type='{family}'; .*{advice}"):
        ClosedSetBoxes.load(str(checkpoints[family]), CPU, None)


def test_numbers_that_are_none_are_no_empty_picture(tmp_path: Path) -> None:
    detector = ClosedSetBoxes.load(str(small_detectors.detr(tmp_path, plant=(0.5, 0.5, 0.5, 0.5))), CPU, 0.5)
    network = detector._network.network
    assert isinstance(network, torch.nn.Module)
    with torch.no_grad():
        next(network.parameters()).fill_(float("nan"))
    with pytest.raises(
        ModelError, match=r"Expected numbers from DetrForObjectDetection, but got .*: give --vqamt-dtype"
    ):
        detector.find(Image.new("RGB", (20, 20)))
