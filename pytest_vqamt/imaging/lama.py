"""LaMa (Suvorov et al., WACV 2022), the inpainter of VEglue, from a TorchScript checkpoint like big-lama.pt.

torch is imported when a checkpoint is loaded.
"""

from __future__ import annotations

from functools import cache
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pytest_vqamt.core.errors import RenderError
from pytest_vqamt.imaging.inpainting import checkpoint_of

if TYPE_CHECKING:
    from torch.jit import ScriptModule


_MULTIPLE_PX = 8
"""Width and height that the network takes are multiples of this."""

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
        shown = np.pad(image, (*more, (0, 0)), mode="symmetric").transpose(2, 0, 1)[None]
        missing = np.pad(hole, more, mode="symmetric")[None, None]
        try:
            with torch.inference_mode():
                made = self._network(
                    torch.from_numpy(shown.astype(np.float32) / 255), torch.from_numpy(missing.astype(np.float32))
                )
            values: NDArray[np.float32] = made[0].permute(1, 2, 0).float().numpy()
        except (AttributeError, IndexError, RuntimeError, TypeError) as error:
            raise RenderError(
                f"Expected a network that takes an image and a hole and gives an image, as big-lama.pt does, but "
                f"checkpoint={self._name!r} raised {type(error).__name__}: {_lines(error)[-1]}"
            ) from error
        return np.rint(255 * np.clip(values[:height, :width], 0, 1)).astype(np.uint8)


def lama(digest: str) -> Lama:
    """The inpainter of the checkpoint with this digest; loaded once in a process.

    Raises:
        RenderError: this process has not seen the checkpoint, or it is no TorchScript file.
    """
    with _loading:  # pictures are drawn on several threads
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
