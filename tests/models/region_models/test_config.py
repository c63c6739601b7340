"""A configuration is read as the original reads it, and what is broken in it is named."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from pytest_vqamt.core.errors import ModelError
from pytest_vqamt.models.region_models.frcnn.detector_config import DetectorConfig, read_config
from tests.models.region_models.small_detector import FULL, SMALL, configuration
from tests.rows import each_row


def written(folder: Path, content: object) -> Path:
    path = folder / "config.yaml"
    path.write_text(content if isinstance(content, str) else yaml.safe_dump(content))
    return path


def test_the_published_values_are_those_of_no_file_at_all(tmp_path: Path) -> None:
    assert read_config(written(tmp_path, configuration(FULL))) == DetectorConfig()
    config = DetectorConfig()
    assert config.features == 2048
    assert config.blocks == (3, 4, 23, 3)
    assert (config.min_size, config.max_size) == (800, 1333)
    assert (config.best_anchors, config.proposals) == (6000, 300)


def test_values_of_the_file_are_taken(tmp_path: Path) -> None:
    config = read_config(written(tmp_path, configuration(SMALL)))
    assert (config.min_size, config.max_size) == (96, 160)
    assert (config.depth, config.classes, config.attributes) == (50, 20, 10)
    assert list(config.anchor_sizes) == [16, 32, 48, 64]
    assert config.digest != DetectorConfig().digest


def test_keys_are_taken_in_either_case(tmp_path: Path) -> None:
    config = read_config(written(tmp_path, "INPUT:\n  MIN_SIZE_TEST: 600\n  Max_Size_Test: 1000\n"))
    assert (config.min_size, config.max_size) == (600, 1000)


def test_unknown_keys_are_left_alone(tmp_path: Path) -> None:
    config = read_config(written(tmp_path, "new:\n  section: {deep: 1}\nrpn:\n  loss_weight: 1\nmin_detections: 36\n"))
    assert config == DetectorConfig()


def test_overlaps_may_be_one_number(tmp_path: Path) -> None:
    assert read_config(written(tmp_path, "roi_heads:\n  nms_thresh_test: 0.3\n")).overlaps == (0.3,)


@each_row(
    "section, key, value, told",
    [
        ("input", "format", "GRAY", "BGR or RGB"),
        ("input", "min_size_test", 0, "a whole number, 1 or more"),
        ("input", "min_size_test", "800px", "a whole number, 1 or more"),
        ("input", "max_size_test", True, "a whole number, 1 or more"),
        ("model", "pixel_mean", [1, 2], "three numbers"),
        ("model", "pixel_mean", [1, 2, float("nan")], "three numbers"),
        ("model", "pixel_std", [1, 0, 1], "three numbers above 0"),
        ("resnets", "depth", 18, "50 or 101 or 152"),
        ("anchor_generator", "sizes", [[32], [64]], "a list of one list of numbers above 0"),
        ("anchor_generator", "offset", 1.0, "0 or more and less than 1"),
        ("rpn", "nms_thresh", 1.5, "an IoU"),
        ("rpn", "bbox_reg_weights", [1, 1, 1], "four numbers above 0"),
        ("roi_heads", "nms_thresh_test", [], "IoUs above 0, at most 1"),
        ("roi_heads", "num_classes", 1600.0, "a whole number, 1 or more"),
        ("roi_heads", "num_classes", None, "a whole number, 1 or more"),
    ],
)
def test_a_broken_value_is_named(tmp_path: Path, section: str, key: str, value: object, told: str) -> None:
    path = written(tmp_path, {section: {key: value}})
    with pytest.raises(ModelError) as error:
        read_config(path)
    assert f"{section}.{key} of {path} to be {told}" in str(error.value)
    assert f"{section}.{key}={value!r}" in str(error.value)


@each_row(
    "section, key, value",
    [("roi_box_head", "res5halve", True), ("resnets", "norm", "GN"), ("rpn", "in_features", ["res5"])],
)
def test_another_network_is_refused(tmp_path: Path, section: str, key: str, value: object) -> None:
    with pytest.raises(ModelError, match=rf"Expected {section}\.{key} of .* but got {section}\.{key}="):
        read_config(written(tmp_path, {section: {key: value}}))


@each_row("content", ["- a list", "just text", "", "a: [1", "a: !!python/object/apply:os.getcwd []"])
def test_what_is_no_configuration_is_refused(tmp_path: Path, content: str) -> None:
    path = written(tmp_path, content)
    with pytest.raises(ModelError) as error:
        read_config(path)
    assert str(path) in str(error.value)
    assert "\n" not in str(error.value)
