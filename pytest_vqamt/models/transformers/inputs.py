"""Image processors that compute the same whether torchvision is there or not."""

from __future__ import annotations

import json
import re
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, cast

from pytest_vqamt.core.errors import ModelError
from pytest_vqamt.models.loading.quiet import first_line, quiet
from pytest_vqamt.models.transformers.checkpoint import PROCESSORS, Checkpoint

if TYPE_CHECKING:
    from transformers.image_processing_utils import BaseImageProcessor


_ALONE, _AMONG_OTHERS = PROCESSORS


def load_image_processor(checkpoint: Checkpoint) -> BaseImageProcessor:
    """The image processor of the checkpoint, the one over PIL: torchvision resizes a little differently.

    Raises:
        ModelError: its file is missing or damaged.
    """
    check_torchvision()
    from transformers import AutoImageProcessor

    if not (checkpoint.folder / _ALONE).is_file() and not _says_how(checkpoint.folder / _AMONG_OTHERS):
        raise ModelError(
            f"Expected {_ALONE} beside the weights, but {checkpoint.folder} has none: nothing says how pictures are "
            "to be resized for the model. Copy it from the checkpoint"
        )
    try:
        with quiet():
            found = AutoImageProcessor.from_pretrained(  # type: ignore[no-untyped-call]  # not annotated
                checkpoint.folder, backend="pil", local_files_only=True, trust_remote_code=False
            )
    except Exception as error:  # a damaged file raises whatever the library that reads it does
        raise ModelError(
            f"Expected an image processor that can be read in {checkpoint.folder}, but: {first_line(error)}"
        ) from error
    return cast("BaseImageProcessor", found)


def _says_how(file: Path) -> bool:
    """Whether the processor's file holds the image processor too: before transformers 5 each had a file of its own."""
    if not file.is_file():
        return False
    try:
        held: object = json.loads(file.read_text(encoding="utf-8"))
    except ValueError:
        return True  # transformers tells what is wrong with it
    return isinstance(held, dict) and "image_processor" in held


def check_torchvision() -> None:
    """Looks whether an installed torchvision belongs to the installed torch; without one all is well.

    Raises:
        ModelError: it does not: transformers would fail to import with a message that names neither.
    """
    if find_spec("torchvision") is None:
        return
    try:
        import_module("torchvision")
    except Exception as error:  # a mismatch shows as a RuntimeError, an ImportError or an OSError
        raise ModelError(
            f"Expected a torchvision that belongs to torch {_version('torch')}, but got torchvision "
            f"{_version('torchvision')}, which cannot be imported with it ({first_line(error)}): uninstall "
            "torchvision, which this plugin does not need, or install the one made for this torch"
        ) from error


def _version(package: str) -> str:
    try:
        return re.sub(r"\+.*", "", version(package))
    except PackageNotFoundError:
        return "(unknown version)"
