"""The inpainters, which make up the pixels of a hole from those around it."""

from __future__ import annotations

from functools import cache
from threading import Lock
from typing import TYPE_CHECKING, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from pytest_vqamt.core.errors import RenderError
from pytest_vqamt.imaging.inpainting import LAMA, checkpoint_of
from pytest_vqamt.imaging.render import Pixels

if TYPE_CHECKING:
    from torch.jit import ScriptModule


Values: TypeAlias = NDArray[np.uint8]
Hole: TypeAlias = NDArray[np.bool_]

TELEA_RADIUS_PX = 5
"""Where the fronts meet, 3, as in OpenCV's example, leaves edges as sharp as a thing's; 10 takes four times as long."""

_TELEA_MARGIN_PX = TELEA_RADIUS_PX + 2
"""As far as OpenCV looks from the hole."""
_BIHARMONIC_MARGIN_PX = 3
"""The equation of a pixel reaches two pixels far."""

_MULTIPLE_PX = 8
"""Width and height that the network takes are multiples of this."""


class Inpainter(Protocol):
    """A function that fills holes; its pixels outside of them are ignored."""

    def __call__(self, image: Values, hole: Hole, /) -> Values:
        """Fills the pixels where ``hole`` (HW) is true in ``image`` (uint8, HWC, RGB, read-only)."""


def filled(image: Image.Image, hole: Pixels, method: str) -> Image.Image:
    """The image (RGB uint8) with only the rectangle ``hole`` made up by ``method``; a copy.

    Raises:
        RenderError: the checkpoint cannot be had, or gives no such picture.
    """
    kind, _, digest = method.partition(":")
    if kind == LAMA:  # the network looks at the whole picture
        return _filled(image, hole, lama(digest), margin_px=max(image.size))
    if kind == "telea":
        return _filled(image, hole, telea, _TELEA_MARGIN_PX)
    return _filled(image, hole, biharmonic, _BIHARMONIC_MARGIN_PX)


def telea(image: Values, hole: Hole) -> Values:
    """Fills by Telea's fast marching (2004) in OpenCV, inwards from the edge.

    Rounding adds up: 60 pixels inwards, a colour may have changed by 8 of 255.
    """
    import cv2

    return cv2.inpaint(image, hole.astype(np.uint8), TELEA_RADIUS_PX, cv2.INPAINT_TELEA).astype(np.uint8, copy=False)


def biharmonic(image: Values, hole: Hole) -> Values:
    """Fills by the smoothest surface, by scikit-image; 300 x 300 pixels take seconds."""
    from skimage.restoration import inpaint_biharmonic

    surface: NDArray[np.float64] = inpaint_biharmonic(image, hole, channel_axis=-1)  # from 0 to 1
    return np.rint(255 * np.clip(surface, 0, 1)).astype(np.uint8)


def _filled(image: Image.Image, hole: Pixels, inpainter: Inpainter, margin_px: int) -> Image.Image:
    """The one place that keeps what is outside the hole: only the hole is pasted back.

    Args:
        image: RGB uint8.
        hole: to be filled.
        inpainter: gets the hole and ``margin_px`` around it.
        margin_px: as far as the inpainter looks; what is farther cannot change what it fills in, and costs time.
    """
    x0, y0 = max(0, hole[0] - margin_px), max(0, hole[1] - margin_px)
    x1, y1 = min(image.width, hole[2] + margin_px), min(image.height, hole[3] + margin_px)
    here = (hole[0] - x0, hole[1] - y0, hole[2] - x0, hole[3] - y0)
    values = np.asarray(image.crop((x0, y0, x1, y1)))
    missing = np.zeros(values.shape[:2], np.bool_)
    missing[here[1] : here[3], here[0] : here[2]] = True
    made = inpainter(values, missing)
    if made.shape != values.shape or made.dtype != np.uint8:  # a checkpoint of another network
        raise RenderError(
            f"Expected the inpainter to give uint8 values of shape={values.shape!r}, but got shape={made.shape!r} "
            f"and dtype={str(made.dtype)!r}"
        )
    result = image.copy()
    result.paste(Image.fromarray(made).crop(here), hole)
    return result


_loading = Lock()


class Lama:
    """One checkpoint, on the CPU."""

    def __init__(self, network: ScriptModule, name: str) -> None:
        self._network = network
        self._name = name

    def __call__(self, image: NDArray[np.uint8], hole: NDArray[np.bool_]) -> NDArray[np.uint8]:
        """``image`` (uint8, HWC, RGB) with the pixels where ``hole`` (HW) is true made up.

        The network is given the image (float32, NCHW, RGB, from 0 to 1) and the hole (NCHW, 1 in it), both mirrored at
        the right and lower edge up to a multiple of 8 pixels, and gives the image in the same form.
        """
        import torch

        height, width = hole.shape
        more = ((0, -height % _MULTIPLE_PX), (0, -width % _MULTIPLE_PX))
        padded = np.pad(image, (*more, (0, 0)), mode="symmetric").transpose(2, 0, 1)[None]
        missing = np.pad(hole, more, mode="symmetric")[None, None]
        try:
            with torch.inference_mode():
                made = self._network(
                    torch.from_numpy(padded.astype(np.float32) / 255), torch.from_numpy(missing.astype(np.float32))
                )
            values: NDArray[np.float32] = made[0].permute(1, 2, 0).float().numpy()
        except (AttributeError, IndexError, RuntimeError, TypeError) as error:
            raise RenderError(
                f"Expected a network that takes an image and a hole and gives an image, as big-lama.pt does, but "
                f"checkpoint={self._name!r} raised {type(error).__name__}: {_lines(error)[-1]}"
            ) from error
        return np.rint(255 * np.clip(values[:height, :width], 0, 1)).astype(np.uint8)


def lama(digest: str) -> Lama:
    """The inpainter of the checkpoint with this digest, loaded once per process.

    Raises:
        RenderError: this process has not seen the checkpoint, or it is no TorchScript file.
    """
    with _loading:  # pictures are drawn on several threads, and a cache alone would load it in each
        return _loaded(digest)


@cache
def _loaded(digest: str) -> Lama:
    import torch

    path = checkpoint_of(digest)
    try:
        network: ScriptModule = torch.jit.load(path, map_location="cpu")  # type: ignore[no-untyped-call]  # as torch has it
    except (OSError, RuntimeError, ValueError) as error:
        raise RenderError(
            f"Expected a TorchScript checkpoint (big-lama.pt), but got inpaint={f'lama:{path}'!r}, which torch cannot "
            f"load ({_lines(error)[0]}): give the file that torch.jit.save wrote"
        ) from error
    return Lama(network.eval(), str(path))


def _lines(error: Exception) -> list[str]:
    return str(error).strip().splitlines() or ["no reason given"]
