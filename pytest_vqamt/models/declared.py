"""What a model says of itself by attributes that it need not have."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from reprlib import repr as shortened

from pytest_vqamt.core.errors import ModelError


def own_size(name: str, model: object, attribute: str, default: int) -> int:
    """A number of inputs at once that the model declares, or ``default``.

    Raises:
        ModelError: it is no such number.
    """
    size: object = getattr(model, attribute, None)
    if size is None:
        return default
    if not isinstance(size, int) or isinstance(size, bool) or size < 1:
        raise ModelError(
            f"Expected the {attribute} of model {name!r} to be 1 or more, but got {attribute}={told(size)}"
        )
    return size


def usage_of(name: str, model: object) -> Mapping[str, float]:
    """What the model's answers have cost so far; empty where it keeps no account.

    Raises:
        ModelError: it maps no names to numbers.
    """
    usage: object = getattr(model, "usage", None)
    if usage is None:
        return {}
    if not isinstance(usage, Mapping) or not all(
        isinstance(key, str) and isinstance(value, int | float) and isfinite(value) for key, value in usage.items()
    ):
        raise ModelError(f"Expected the usage of model {name!r} to map names to numbers, but got usage={told(usage)}")
    return dict(usage)


def told(value: object) -> str:
    """A value and its type, short enough for a message."""
    return f"{shortened(value)} ({type(value).__qualname__})"
