"""The files that a detector is made of."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pytest_vqamt.models.regions.vocabulary import ATTRIBUTES, OBJECTS

CONFIG = "config.yaml"
WEIGHTS = "pytorch_model.bin"

_DETECTRON = "faster_rcnn_from_caffe_attr.pkl"
_NAMES = (WEIGHTS, "model.safetensors", _DETECTRON)
_SUFFIXES = (".bin", ".pth", ".pt", ".safetensors", ".pkl")


@dataclass(frozen=True, slots=True, kw_only=True)
class DetectorFiles:
    """Where a detector's weights are, and beside them, where there are any, its configuration and its names."""

    weights: Path
    config: Path | None = None
    vocabulary: Path | None = None


def files_at(path: Path) -> DetectorFiles | None:
    """The detector in a folder, or whose weights are a file; None where there is none."""
    if path.is_dir():
        path = next((path / name for name in _NAMES if (path / name).is_file()), path)
    if path.suffix not in _SUFFIXES or not path.is_file():
        return None
    folder = path.parent
    has_names = any((folder / name).is_file() for name in (OBJECTS, ATTRIBUTES))
    return DetectorFiles(
        weights=path,
        config=folder / CONFIG if (folder / CONFIG).is_file() else None,
        vocabulary=folder if has_names else None,
    )


def files_beside(folder: Path) -> DetectorFiles | None:
    """The detector that lies with a model's own files: in the subfolder ``detector``, or among them.

    The model's own weights may have the same name. So a ``pytorch_model.bin`` among them is taken for the detector's
    only beside its ``config.yaml``, and where the model has ``model.safetensors`` or there is no model.
    """
    found = files_at(folder / "detector")
    if found is not None:
        return found
    has_another = (folder / "model.safetensors").is_file() or not (folder / "config.json").is_file()
    if (folder / CONFIG).is_file() and has_another:
        return files_at(folder / WEIGHTS)
    return files_at(folder / _DETECTRON)
