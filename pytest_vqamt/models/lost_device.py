"""Errors after which this process can use its device no more, told by their type and text: no library is imported."""

from __future__ import annotations

import re
import sys
from contextlib import suppress

from pytest_vqamt.core.errors import ModelError, VqamtError
from pytest_vqamt.core.text import error_text, readable, shown
from pytest_vqamt.models.batching import is_out_of_memory

_LONGEST_ERROR = 200

_TYPES = frozenset({"AcceleratorError", "CUDARuntimeError", "CUDADriverError", "HIPRuntimeError"})
"""Errors of torch and CuPy that come from the device. Older torch raises a RuntimeError with one of the texts below."""

_LIBRARIES = ("torch", "cupy", "jax", "tensorflow", "onnxruntime", "mlx", "paddle")
"""Without one of them the process has no device: a text such as these quotes the error of a server."""

_ALIVE = re.compile(
    # The call was wrong for this device or this batch; the next one may succeed.
    r"invalid (?:device function|configuration argument|argument|device ordinal|resource handle|kernel image|value)"
    r"|no kernel image is available|too many resources requested|operation not (?:supported(?! on global)|permitted)"
    r"|unsupported toolchain|named symbol not found|peer access|_STATUS_(?:NOT_SUPPORTED|INVALID_VALUE|BAD_PARAM\w*)"
    r"|_STATUS_ARCH_MISMATCH"
    # Of every process, so that another one helps as little as another try.
    r"|driver version is insufficient|no (?:CUDA|HIP)-capable device|not compiled with",
    re.IGNORECASE,
)

_LOST = re.compile(
    r"\b(?:CUDA|HIP)(?: driver| runtime)? (?:error|failure)\b"
    # "leaves the process in an inconsistent state": cudaError_t, CUresult and hipError_t of the CUDA and HIP
    # documentation, as other libraries name them.
    r"|(?:cuda|hip)Error(?:IllegalAddress|Assert|LaunchFailure|LaunchTimeOut|MisalignedAddress|IllegalInstruction"
    r"|InvalidAddressSpace|InvalidPc|HardwareStackError|ECCNotCorrectable|ECCUncorrectable|NvlinkUncorrectable"
    r"|ContextIsDestroyed|Unknown)\b"
    r"|CUDA_ERROR_(?:ILLEGAL_ADDRESS|ASSERT|LAUNCH_FAILED|LAUNCH_TIMEOUT|MISALIGNED_ADDRESS|ILLEGAL_INSTRUCTION"
    r"|INVALID_ADDRESS_SPACE|INVALID_PC|HARDWARE_STACK_ERROR|ECC_UNCORRECTABLE|NVLINK_UNCORRECTABLE"
    r"|CONTEXT_IS_DESTROYED|UNKNOWN)\b"
    r"|an illegal (?:memory access|instruction) was encountered|device-side assert|unspecified launch failure"
    r"|uncorrectable (?:ECC|NVLink)|\bXid\b|\bGPU is lost|fallen off the bus"
    # Metal ignores all that is submitted after a hang; out of memory is another callback error.
    r"|kIOGPUCommandBufferCallbackError(?!OutOfMemory)"
    # Intel's level zero.
    r"|RESULT_ERROR_DEVICE_LOST",
    re.IGNORECASE,
)


class DeviceLostError(ModelError):
    """The process can use its device no more: all further calls would fail, whatever their input."""


def is_device_lost(error: BaseException) -> bool:
    """True if ``error`` or what caused it says that the context on the device is lost.

    A device-side assert, an illegal access, an uncorrectable memory error or a device that is gone: from then on each
    call in this process fails. A CUDA error that is not known is one of them, unless memory has run out.

    >>> is_device_lost(type("AcceleratorError", (RuntimeError,), {})("CUDA error: device-side assert triggered"))
    True
    >>> is_device_lost(type("AcceleratorError", (RuntimeError,), {})("CUDA error: invalid configuration argument"))
    False
    >>> is_device_lost(MemoryError())
    False
    """
    seen: set[int] = set()  # causes can form a ring: an exception may be raised from itself
    each: BaseException | None = error
    while each is not None and id(each) not in seen:
        seen.add(id(each))
        if not is_out_of_memory(each) and _names_loss(each):
            return True
        each = each.__cause__ or (None if each.__suppress_context__ else each.__context__)
    return False


def _names_loss(error: BaseException) -> bool:
    # Errors of ours quote those of servers, whose device is another.
    if isinstance(error, VqamtError):
        return False
    is_of_device = any(kind.__name__ in _TYPES for kind in type(error).__mro__)
    if not is_of_device and not (isinstance(error, RuntimeError) and any(name in sys.modules for name in _LIBRARIES)):
        return False
    text = readable(error_text(error))
    return not _ALIVE.search(text) and (is_of_device or bool(_LOST.search(text)))


def device_lost(model: str, error: BaseException) -> DeviceLostError:
    """The error for the model of this name, with the first line of ``error``: torch adds five of advice."""
    first = error_text(error).strip().partition("\n")[0]
    return DeviceLostError(f"Model {model!r} has lost its device{_device_used()}: {shown(first, _LONGEST_ERROR)}")


def _device_used() -> str:
    """The device that torch uses, in brackets; "" where that cannot be told."""
    torch = sys.modules.get("torch")
    with suppress(Exception):  # the device is lost: what still works is not known
        if torch is not None and torch.cuda.is_initialized():
            return f" (cuda:{torch.cuda.current_device()})"
    return ""
