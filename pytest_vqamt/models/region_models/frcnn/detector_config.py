"""The detector's ``config.yaml``; missing values are the published ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from math import inf, isfinite
from pathlib import Path
from typing import TypeAlias

from pytest_vqamt.core.errors import ModelError, OptionError
from pytest_vqamt.core.identity import canonical_json, digest
from pytest_vqamt.core.input_files import MAX_CONFIG_BYTES, read_text
from pytest_vqamt.core.spelling import setting
from pytest_vqamt.core.text import one_line

_Form: TypeAlias = tuple[str, Callable[[object], object]]
"""The description of a valid value, and its parser, which returns None for an invalid one."""

# type(), since True is an int.
_WHOLE: _Form = ("a whole number, 1 or more", lambda value: value if type(value) is int and value >= 1 else None)

BLOCKS: Mapping[int, tuple[int, int, int, int]] = {50: (3, 4, 6, 3), 101: (3, 4, 23, 3), 152: (3, 8, 36, 3)}
"""Numbers of blocks in res2, res3, res4 and res5 of a ResNet, by its depth."""

_FIXED_VALUES: Mapping[str, object] = {
    "model.max_pool": True,
    "size_divisibility": 0,
    "rpn.in_features": ["res4"],
    "roi_heads.in_features": ["res4"],
    "roi_box_head.res5halve": False,
    "roi_box_head.attr": True,
    "roi_box_head.cls_agnostic_bbox_reg": False,
    "resnets.out_features": ["res4"],
    "resnets.num_groups": 1,
    "resnets.norm": "BN",
    "resnets.stride_in_1x1": True,
    "resnets.res5_dilation": 1,
}
"""Other values would be another network, in which the same weights mean something else."""


def _one_of(*known: object) -> _Form:
    return " or ".join(map(str, known)), lambda value: value if value in known else None


def _below(limit: float, description: str) -> _Form:
    """A number of 0 or more and less than ``limit``."""

    def read(value: object) -> float | None:
        number = _number(value)
        return number if number is not None and 0 <= number < limit else None

    return description, read


def _numbers(description: str, *, above: float = 0, most: float = inf, count: int | None = None) -> _Form:
    """Reads one number or a list of numbers as a tuple; a list of one list, for the only feature map, as that list."""

    def read(value: object) -> tuple[float, ...] | None:
        # Detectron2 lists values by feature map, of which there is one: [[64, 128, 256, 512]].
        if isinstance(value, list) and len(value) == 1 and isinstance(value[0], list):
            value = value[0]
        found = [_number(each) for each in (value if isinstance(value, list) else [value])]
        sound = tuple(each for each in found if each is not None and above < each <= most)
        return sound if sound and len(sound) == len(found) and count in (None, len(sound)) else None

    return description, read


def _number(value: object) -> float | None:
    if isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value):
        return float(value)
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class DetectorConfig:
    """Everything of a detector that its weights do not say, by default as published; sizes are in pixels."""

    channel_order: str = "BGR"
    """"BGR" or "RGB", of the pixels that the network takes."""
    pixel_mean: tuple[float, ...] = (102.9801, 115.9465, 122.7717)
    """Subtracted from each channel (0 to 255), in the order of the channels."""
    pixel_std: tuple[float, ...] = (1.0, 1.0, 1.0)
    """Divides each channel after that."""
    min_size: int = 800
    """A picture is resized until its short side is this, ..."""
    max_size: int = 1333
    """... or its long side this, whichever comes first."""
    depth: int = 101
    """Layers of the ResNet: 50, 101 or 152."""
    stem_channels: int = 64
    """Channels after the first convolution."""
    res2_channels: int = 256
    """Channels of the stage res2; each stage doubles them, and a region has 8 times as many features."""
    width_per_group: int = 64
    """Channels within the blocks of res2."""
    anchor_sizes: tuple[float, ...] = (64.0, 128.0, 256.0, 512.0)
    """Square roots of the areas of the boxes that proposals start from."""
    anchor_ratios: tuple[float, ...] = (0.5, 1.0, 2.0)
    """Their height by width."""
    anchor_offset: float = 0.0
    """Their place in a cell, as a share of it: 0 is its corner, 0.5 its centre."""
    hidden_channels: int = 512
    """Of the proposal head."""
    proposal_scales: tuple[float, ...] = (1.0, 1.0, 1.0, 1.0)
    """Divide the four numbers of a predicted change of an anchor."""
    best_anchors: int = 6000
    """The most boxes before overlapping proposals are dropped."""
    proposals: int = 300
    """The most boxes after that."""
    proposal_overlap: float = 0.7
    """The IoU above which one is dropped."""
    proposal_min_side: float = 0.0
    """Sides must be longer."""
    pooled_size: int = 14
    """Cells on each side of what is cut out for a proposal."""
    box_scales: tuple[float, ...] = (10.0, 10.0, 5.0, 5.0)
    """Divide the four numbers of a predicted change of a proposal."""
    classes: int = 1600
    """Without the background."""
    attributes: int = 400
    """Without "no attribute"."""
    overlaps: tuple[float, ...] = (0.5, 0.6, 0.7)
    """The IoUs at which overlapping regions are dropped, tried in this order."""

    @property
    def features(self) -> int:
        """The number of features of a region."""
        return 8 * self.res2_channels

    @property
    def blocks(self) -> tuple[int, int, int, int]:
        return BLOCKS[self.depth]

    @property
    def digest(self) -> str:
        return digest(canonical_json(asdict(self)))


def read_config(path: Path) -> DetectorConfig:
    """The configuration in a YAML file; unknown values are ignored.

    Raises:
        ModelError: the file cannot be read, or a value does not fit the network.
    """
    import yaml

    try:
        read: object = yaml.safe_load(read_text(path, MAX_CONFIG_BYTES))
    except (OSError, ValueError, RecursionError, yaml.YAMLError) as error:
        reason = one_line(str(error))
        raise ModelError(f"Expected YAML in {path}, but got: {reason}; copy the file again") from error
    if not isinstance(read, dict):
        raise ModelError(
            f"Expected sections such as rpn: in {path}, but got {type(read).__name__}: copy the file again"
        )
    # The file also has settings of the training, which say nothing here.
    known = _flattened(read)
    for name, fixed in _FIXED_VALUES.items():
        if name in known and known[name] != fixed:
            raise _config_error(path, name, known[name], f"{fixed!r}, as the only network that there is here needs")
    values: dict[str, object] = {}
    for field, (name, (description, read_value)) in _FIELDS.items():
        if name in known:
            values[field] = read_value(known[name])
            if values[field] is None:
                raise _config_error(path, name, known[name], description)
    return DetectorConfig(**values)  # type: ignore[arg-type]  # each form gives what its field is


# In pixels; a cell of the map of features has 16.
_SMALLEST, _LARGEST = 32, 4096


def with_sizes(config: DetectorConfig, settings: Mapping[str, str]) -> DetectorConfig:
    """The configuration with the sizes that ``--vqamt-option`` sets.

    Raises:
        OptionError: a size is no number of pixels.
    """
    names = {"min_size": "region-min-size", "max_size": "region-max-size"}
    sizes = {field: _pixels(settings[name], name) for field, name in names.items() if name in settings}
    return replace(config, **sizes)  # type: ignore[arg-type]  # mypy takes each size for every field


def _pixels(text: str, name: str) -> int:
    size = int(text) if text.isascii() and text.isdigit() else 0
    if not _SMALLEST <= size <= _LARGEST:
        raise OptionError(
            f"Expected {setting(name, 'PIXELS')} to be a whole number from {_SMALLEST} to {_LARGEST}, but got "
            f"{name}={text!r}"
        )
    return size


def _config_error(path: Path, name: str, value: object, wanted: str) -> ModelError:
    return ModelError(
        f"Expected {name} of {path} to be {wanted}, but got {name}={value!r}: take the config.yaml that belongs to the "
        "weights"
    )


def _flattened(sections: Mapping[object, object], within: str = "") -> dict[str, object]:
    """Values by dotted names in lower case."""
    found: dict[str, object] = {}
    for key, value in sections.items():
        # Detectron2 writes names in capitals, the authors' PyTorch port in small letters.
        name = f"{within}{key}".lower()
        if isinstance(value, dict):
            found |= _flattened(value, f"{name}.")
        else:
            found[name] = value
    return found


_FIELDS: Mapping[str, tuple[str, _Form]] = {
    "channel_order": ("input.format", _one_of("BGR", "RGB")),
    "pixel_mean": ("model.pixel_mean", _numbers("three numbers", above=-inf, count=3)),
    "pixel_std": ("model.pixel_std", _numbers("three numbers above 0", count=3)),
    "min_size": ("input.min_size_test", _WHOLE),
    "max_size": ("input.max_size_test", _WHOLE),
    "depth": ("resnets.depth", _one_of(*BLOCKS)),
    "stem_channels": ("resnets.stem_out_channels", _WHOLE),
    "res2_channels": ("resnets.res2_out_channels", _WHOLE),
    "width_per_group": ("resnets.width_per_group", _WHOLE),
    "anchor_sizes": ("anchor_generator.sizes", _numbers("a list of one list of numbers above 0")),
    "anchor_ratios": ("anchor_generator.aspect_ratios", _numbers("a list of one list of numbers above 0")),
    "anchor_offset": ("anchor_generator.offset", _below(1, "0 or more and less than 1")),
    "hidden_channels": ("proposal_generator.hidden_channels", _WHOLE),
    "proposal_min_side": ("proposal_generator.min_size", _below(inf, "a number, 0 or more")),
    "proposal_scales": ("rpn.bbox_reg_weights", _numbers("four numbers above 0", count=4)),
    "best_anchors": ("rpn.pre_nms_topk_test", _WHOLE),
    "proposals": ("rpn.post_nms_topk_test", _WHOLE),
    "proposal_overlap": ("rpn.nms_thresh", _below(1, "an IoU, 0 or more and less than 1")),
    "classes": ("roi_heads.num_classes", _WHOLE),
    "overlaps": ("roi_heads.nms_thresh_test", _numbers("IoUs above 0, at most 1", most=1)),
    "box_scales": ("roi_box_head.bbox_reg_weights", _numbers("four numbers above 0", count=4)),
    "pooled_size": ("roi_box_head.pooler_resolution", _WHOLE),
    "attributes": ("roi_box_head.num_attrs", _WHOLE),
}
"""The name in the file and the valid form of each field."""
