"""The network takes exactly the published tensors, and reading them runs no code."""

from __future__ import annotations

import io
import pickle
from collections import OrderedDict
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image
from safetensors.torch import save_file

from pytest_vqamt.core.errors import ModelError
from pytest_vqamt.models.region_models.frcnn.detector import load_network
from pytest_vqamt.models.region_models.frcnn.detector_config import DetectorConfig, read_config
from pytest_vqamt.models.region_models.frcnn.loading import load_detector
from pytest_vqamt.models.region_models.frcnn.network import FasterRcnn
from pytest_vqamt.models.region_models.regions import FEATURE_WIDTH, REGIONS
from tests.models.region_models.conftest import options_for
from tests.models.region_models.layout import PUBLISHED, table
from tests.models.region_models.small_detector import (
    NARROW,
    Weights,
    random_weights,
    write_full_detector,
)
from tests.rows import each_row

ANCHORS = "proposal_generator.anchor_generator.cell_anchors.0"
CONV = "backbone.stem.conv1.weight"


@pytest.fixture(scope="module")
def config(narrow: Path) -> DetectorConfig:
    return read_config(narrow / "config.yaml")


@pytest.fixture
def weights() -> Weights:
    return random_weights(NARROW)


def saved(folder: Path, weights: object) -> Path:
    path = folder / "pytorch_model.bin"
    torch.save(weights, path)
    return path


def test_the_table_of_tensors_has_the_size_of_the_published_file() -> None:
    shapes = table(PUBLISHED)
    values = sum(torch.Size(shape).numel() for shape in shapes.values())
    assert len(shapes) == 640
    assert values == 65_545_318
    assert sum(name.endswith("num_batches_tracked") for name in shapes) == 104


def test_the_network_has_these_tensors_and_no_other() -> None:
    with torch.device("meta"):
        network = FasterRcnn(DetectorConfig())
    assert {name: tuple(value.shape) for name, value in network.state_dict().items()} == table(PUBLISHED)


@pytest.mark.full
def test_a_checkpoint_of_the_published_shapes_is_loaded(tmp_path: Path) -> None:
    # One value, repeated to each shape: a file of some kilobytes that is read as the 262 MB are.
    whole = {name: torch.tensor(0.5).expand(shape) for name, shape in table(PUBLISHED).items()}
    whole |= {name: torch.tensor(1) for name in whole if name.endswith("num_batches_tracked")}
    network = load_network(saved(tmp_path, whole), DetectorConfig())
    assert network.state_dict().keys() == whole.keys()
    assert not network.training
    assert network.roi_heads.box_predictor.bbox_pred.weight[6399, 2047] == 0.5


def test_what_is_loaded_is_what_was_saved(tmp_path: Path, config: DetectorConfig, weights: Weights) -> None:
    loaded = load_network(saved(tmp_path, weights), config).state_dict()
    for name, value in weights.items():
        torch.testing.assert_close(loaded[name], value, rtol=0, atol=0)


def test_safetensors_and_half_precision_are_read(tmp_path: Path, config: DetectorConfig, weights: Weights) -> None:
    halves = {name: value.half() if value.is_floating_point() else value for name, value in weights.items()}
    save_file(halves, tmp_path / "model.safetensors")
    loaded = load_network(tmp_path / "model.safetensors", config).state_dict()
    assert loaded[CONV].dtype == torch.float32
    torch.testing.assert_close(loaded[CONV], weights[CONV].half().float())


def test_missing_unexpected_and_misshaped_tensors_are_named(
    tmp_path: Path, config: DetectorConfig, weights: Weights
) -> None:
    del weights["roi_heads.box_predictor.attr_score.bias"]
    weights["bert.pooler.dense.weight"] = torch.zeros(2)
    weights[CONV] = torch.zeros(8, 3, 3, 3)
    path = saved(tmp_path, weights)
    with pytest.raises(ModelError) as error:
        load_network(path, config)
    told = str(error.value)
    assert str(path) in told
    assert "missing=['roi_heads.box_predictor.attr_score.bias'] (1 in all)" in told
    assert "unexpected=['bert.pooler.dense.weight'] (1 in all)" in told
    assert f"misshaped=['{CONV} (8, 3, 3, 3) for (8, 3, 7, 7)'] (1 in all)" in told


def test_of_another_model_all_is_missing_and_three_are_named(tmp_path: Path, config: DetectorConfig) -> None:
    path = saved(tmp_path, {f"layer.{number}": torch.zeros(1) for number in range(9)})
    with pytest.raises(ModelError, match=rf"\({len(table(NARROW.widths))} in all\).*'layer\.2'\] \(9 in all\)"):
        load_network(path, config)


def test_weights_that_are_no_numbers_are_refused(tmp_path: Path, config: DetectorConfig, weights: Weights) -> None:
    weights[CONV][0, 0, 0, 0] = float("nan")
    with pytest.raises(ModelError, match=rf"numbers in {CONV}"):
        load_network(saved(tmp_path, weights), config)


class Harmful:
    """Leaves a trace where it is unpickled."""

    def __init__(self, trace: Path) -> None:
        self.trace = trace

    def __reduce__(self) -> tuple[object, ...]:
        return (Path.touch, (self.trace,))


def test_a_file_that_would_run_code_is_refused(tmp_path: Path, config: DetectorConfig, weights: Weights) -> None:
    trace = tmp_path / "trace"
    path = saved(tmp_path, {**weights, "extra": Harmful(trace)})
    with pytest.raises(ModelError, match="would run code") as error:
        load_network(path, config)
    assert not trace.exists()
    assert "\n" not in str(error.value)


def test_a_damaged_file_is_refused(tmp_path: Path, config: DetectorConfig, weights: Weights) -> None:
    path = saved(tmp_path, weights)
    whole = path.read_bytes()
    for damaged in (whole[: len(whole) // 2], b"", b"<html>not here</html>"):
        path.write_bytes(damaged)
        with pytest.raises(ModelError) as error:
            load_network(path, config)
        assert str(path) in str(error.value)
        assert "\n" not in str(error.value)
    broken = tmp_path / "model.safetensors"
    broken.write_bytes(b"no header")
    with pytest.raises(ModelError, match="copy the file again"):
        load_network(broken, config)


@each_row("content", [[1, 2], {"model": {"a": torch.zeros(1)}}, torch.zeros(3)])
def test_what_is_no_table_of_tensors_is_refused(tmp_path: Path, config: DetectorConfig, content: object) -> None:
    with pytest.raises(ModelError, match="Expected tensors by name"):
        load_network(saved(tmp_path, content), config)


def of_caffe(weights: Weights) -> dict[str, object]:
    """As Detectron2 converts Caffe's weights: arrays, without anchors and without counts of batches."""
    return {
        name: value.numpy()
        for name, value in weights.items()
        if name != ANCHORS and not name.endswith("num_batches_tracked")
    }


@pytest.mark.parametrize("protocol", [2, *(pytest.param(other, marks=pytest.mark.full) for other in (0, 4, 5))])
def test_the_pickle_of_detectron_gives_the_same_network(
    tmp_path: Path, config: DetectorConfig, weights: Weights, protocol: int
) -> None:
    path = tmp_path / "faster_rcnn_from_caffe_attr.pkl"
    path.write_bytes(pickle.dumps({"model": of_caffe(weights), "__author__": "Caffe"}, protocol=protocol))
    loaded = load_network(path, config).state_dict()
    for name, value in weights.items():
        if not name.endswith("num_batches_tracked"):
            torch.testing.assert_close(loaded[name], value, rtol=0, atol=1e-6 if name == ANCHORS else 0)
        else:
            assert loaded[name] == 0


def test_a_pickle_of_an_older_numpy_or_python_is_read(tmp_path: Path, config: DetectorConfig, weights: Weights) -> None:
    content = pickle.dumps({"model": OrderedDict(of_caffe(weights))}, protocol=2)
    assert b"numpy._core.multiarray" in content
    path = tmp_path / "old.pkl"
    path.write_bytes(content.replace(b"numpy._core.multiarray", b"numpy.core.multiarray"))
    assert load_network(path, config).state_dict().keys() == weights.keys()


def forbidden(folder: Path) -> Iterator[bytes]:
    """Pickles that run something, name something or hold something that is no array."""
    yield pickle.dumps({"model": {"a": np.zeros(1)}, "b": Harmful(folder / "trace")})
    yield b"cos\nsystem\n(S'touch trace'\ntR."
    yield b"cbuiltins\neval\n(S'1'\ntR."
    yield b"cnumpy\nload\n(S'x'\ntR."
    yield pickle.dumps({"model": {"a": "text"}})
    yield pickle.dumps({"model": {"a": np.array([object], dtype=object)}})
    yield pickle.dumps({"model": {"a": np.array(["text"])}})
    yield pickle.dumps({"model": {}})
    yield pickle.dumps([1])
    yield pickle.dumps({"model": {"a": np.zeros(4)}})[:-20]
    yield b""


def test_a_pickle_of_anything_else_is_refused(tmp_path: Path, config: DetectorConfig) -> None:
    for number, content in enumerate(forbidden(tmp_path)):
        path = tmp_path / f"{number}.pkl"
        path.write_bytes(content)
        with pytest.raises(ModelError) as error:
            load_network(path, config)
        assert str(path) in str(error.value), content
        assert "\n" not in str(error.value)
    assert not (tmp_path / "trace").exists()
    assert not Path("trace").exists()


def test_what_is_no_array_is_named(tmp_path: Path, config: DetectorConfig) -> None:
    path = tmp_path / "weights.pkl"
    path.write_bytes(b"cos\nsystem\n(S'touch trace'\ntR.")
    with pytest.raises(ModelError, match=r"os\.system, which is no array and is not run"):
        load_network(path, config)


def test_the_harmful_pickle_does_harm_to_others(tmp_path: Path) -> None:
    pickle.load(io.BytesIO(pickle.dumps(Harmful(tmp_path / "trace"))))
    assert (tmp_path / "trace").exists()


@pytest.mark.slow
def test_a_picture_of_480_by_640(tmp_path: Path) -> None:
    write_full_detector(tmp_path)
    assert (tmp_path / "pytorch_model.bin").stat().st_size == pytest.approx(262e6, rel=0.01)
    blocks = np.random.default_rng(0).integers(0, 256, (48, 64, 3), dtype=np.uint8)
    picture = Image.fromarray(blocks.repeat(10, axis=0).repeat(10, axis=1))
    found = load_detector(options_for(tmp_path), with_names=True).find(picture)
    assert found.features.shape == (REGIONS, FEATURE_WIDTH)
    assert found.features.min() >= 0
    assert len(np.unique(found.boxes_px, axis=0)) == REGIONS
    assert found.boxes_px.min() >= 0
    assert (found.boxes_px <= [640, 480, 640, 480]).all()
