"""Inpainting: erased pixels made up from their surroundings.

Relations name inpainters and never draw, so this module imports none of OpenCV, scikit-image, torch, NumPy and PIL.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, lru_cache
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.errors import OptionError, RenderError, near_name
from pytest_vqamt.core.input_files import expanded, open_input
from pytest_vqamt.imaging.render import outwards

if TYPE_CHECKING:
    from PIL import Image


LAMA = "lama"
"""The kind of inpainter that runs a network, named "lama:DIGEST" in recipes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Package:
    """A package that an inpainter needs."""

    module: str
    """As it is imported ("cv2")."""
    name: str
    """As messages name it ("OpenCV")."""
    extra: str
    """The extra of pytest-vqamt that installs it."""


KINDS = {
    "telea": Package(module="cv2", name="OpenCV", extra="inpaint"),
    "biharmonic": Package(module="skimage", name="scikit-image", extra="inpaint"),
    LAMA: Package(module="torch", name="PyTorch", extra="transformers"),
}

_checkpoints: dict[str, Path] = {}
"""Where this process has seen the checkpoint of each digest. It says where pixels come from, never which."""


def method_of(setting: str) -> str:
    """The method in recipes for a setting: "telea", "biharmonic", or "lama:DIGEST" for "lama:PATH".

    DIGEST is the first 16 hexadecimal digits of the checkpoint's SHA-256, which determines the pixels. This process
    remembers its path.

    Raises:
        OptionError: no such inpainter, or a checkpoint that cannot be read.
    """
    kind, _, path = setting.partition(":")
    if kind not in KINDS or bool(path) != (kind == LAMA) or (kind != LAMA and setting != kind):
        hint = near_name("" if kind in KINDS else kind, KINDS)
        raise OptionError(
            f"Expected inpaint=telea, biharmonic or lama:PATH, but got inpaint={setting!r}{hint and f'; {hint}'}"
        )
    if kind != LAMA:
        return kind
    checkpoint = expanded(path)
    try:
        state = checkpoint.stat()  # part of the cache's key: 200 MB are read again only if the file has changed
        digest = _digest(checkpoint, (state.st_size, state.st_mtime_ns))
    except OSError as error:
        raise OptionError(
            f"Expected inpaint=lama:PATH with a TorchScript checkpoint (big-lama.pt), but got inpaint={setting!r} "
            f"({error.strerror or error}): give a file that can be read"
        ) from error
    _checkpoints[digest] = checkpoint.absolute()
    return f"{LAMA}:{digest}"


def lacking(method: str) -> str | None:
    """A sentence with the command that installs what ``method`` lacks; None if nothing."""
    needed = KINDS.get(method.partition(":")[0])
    if needed is None or _is_installed(needed.module):
        return None
    return f"inpainting by {method} needs {needed.name}; run: pip install 'pytest-vqamt[{needed.extra}]'"


def checkpoint_of(digest: str) -> Path:
    """The file with this digest; raises RenderError if this process has not seen it."""
    if digest not in _checkpoints:
        raise RenderError(
            f"Expected the LaMa checkpoint that the recipe names, but got digest={digest!r}, which is that of no file "
            "given in this run: give --vqamt-option inpaint=lama:PATH (vqamt: --option inpaint=lama:PATH) with the "
            "checkpoint that it was made with"
        )
    return _checkpoints[digest]


def inpaint(image: Image.Image, box: Box, method: str) -> Image.Image:
    """An RGB uint8 image with the pixels that ``box`` touches made up by ``method``; a copy.

    Raises:
        RenderError: ``method`` is unknown, lacks a package or its checkpoint, or has nothing to go by.
    """
    if method.partition(":")[0] not in KINDS:
        raise RenderError(
            f"Expected an inpainter ({', '.join(KINDS)}), but got method={method!r}: "
            "erase with the method that method_of gives for the option inpaint"
        )
    if sentence := lacking(method):
        raise RenderError(f"Expected what erasing by inpainting needs, but {sentence}")
    hole = outwards(box, image.size)
    if hole is None:  # the box lies outside of the picture
        return image.copy()
    if hole == (0, 0, *image.size):
        raise RenderError(f"Expected a hole that leaves some of the picture to inpaint from, but got box={box!r}")
    from pytest_vqamt.imaging.inpainters import filled  # brings NumPy and PIL

    return filled(image, hole, method)


@cache
def _is_installed(module: str) -> bool:
    return find_spec(module) is not None


@lru_cache(maxsize=64)
def _digest(checkpoint: Path, state: tuple[int, int]) -> str:  # noqa: ARG001 - the file is read again where it differs
    sha = sha256()
    with open_input(checkpoint) as file:
        while block := file.read(1 << 20):
            sha.update(block)
    return sha.hexdigest()[:16]
