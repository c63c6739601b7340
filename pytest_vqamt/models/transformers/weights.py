"""Loads weights strictly: transformers silently initializes missing ones at random."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Protocol, TypeVar, cast

from pytest_vqamt.core.errors import ModelError
from pytest_vqamt.models.transformers.checkpoint import Checkpoint, first_line, quiet, read_checkpoint_config
from pytest_vqamt.models.transformers.runtime import Runtime

if TYPE_CHECKING:
    import torch


_MAX_UNUSED_SHARE = 0.25
"""Training heads and computed tables are often left over. More than this share of the used weights is another model.
"""

M = TypeVar("M", bound="torch.nn.Module")


class _PretrainedClass(Protocol):
    @property
    def from_pretrained(self) -> Callable[..., object]: ...


def load_weights(cls: type[M], checkpoint: Checkpoint, runtime: Runtime, *, ignored: Iterable[str] = ()) -> M:
    """The model of class ``cls`` in the checkpoint, on the runtime's device, in its precision, in evaluation mode.

    Args:
        cls: a model class of transformers, or one of its Auto classes.
        checkpoint: the files.
        runtime: device and precision.
        ignored: patterns of keys that may be missing, since the class computes them itself.

    Raises:
        ModelError: a file is missing or damaged, or a weight has no value or another shape.
    """
    from transformers import PreTrainedConfig

    read_checkpoint_config(checkpoint)
    load = cast("_PretrainedClass", cls).from_pretrained
    try:
        with quiet():
            model, told = cast(
                "tuple[M, dict[str, set[object]]]",
                load(
                    checkpoint.folder,
                    dtype=runtime.dtype,
                    output_loading_info=True,
                    ignore_mismatched_sizes=True,  # else it raises, and says which only in its log
                    local_files_only=True,
                    trust_remote_code=False,  # or it would ask on the terminal whether to run what lies there
                ),
            )
    except ModelError:
        raise
    except Exception as error:  # a damaged file raises whatever the library that reads it does
        raise ModelError(
            f"Expected a whole checkpoint of {cls.__name__} in {checkpoint.folder}, but: {first_line(error)}"
        ) from error
    patterns = [re.compile(pattern) for pattern in ignored]
    for kind in ("missing_keys", "mismatched_keys"):
        names = (_name(key) for key in told.get(kind, ()))
        wrong = sorted(name for name in names if not any(pattern.search(name) for pattern in patterns))
        if wrong:
            raise ModelError(
                f"Expected weights for all of {cls.__name__} in {checkpoint.folder}, but got {kind}={wrong[:3]!r} "
                f"({len(wrong)} in all), which would be made up at random: take the whole checkpoint, of the same kind"
            )
    left = sorted(_name(key) for key in told.get("unexpected_keys", ()))
    if len(left) > _MAX_UNUSED_SHARE * len(model.state_dict()):
        raise ModelError(
            f"Expected a checkpoint of {cls.__name__} in {checkpoint.folder}, but got weights of another model: "
            f"unexpected_keys={left[:3]!r} ({len(left)} in all); its config.json names the wrong architecture"
        )
    for module in model.modules():
        if isinstance(config := getattr(module, "config", None), PreTrainedConfig):
            config.return_dict = True  # some were saved so that what comes out is read by its place
    return runtime.place(model)


def _name(key: object) -> str:
    """A key as transformers reports it: alone, or first in a tuple with the shapes."""
    return str(key[0]) if isinstance(key, tuple) and key else str(key)
