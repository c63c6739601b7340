"""Numbers that ``--vqamt-option`` gives, checked."""

from __future__ import annotations

from math import isfinite

from pytest_vqamt.core.errors import OptionError


def number_of(text: str, name: str, *, at_least: float, most: float, whole: bool = False) -> float:
    """The number that ``text`` says, within its bounds.

    Raises:
        OptionError: it says none.
    """
    try:
        value = float(int(text) if whole else text)
    except (ValueError, OverflowError):
        value = float("nan")
    if not (isfinite(value) and at_least <= value <= most):
        kind = "a whole number" if whole else "a number"
        raise OptionError(f"Expected {kind} from {at_least} to {most}, but got {name}={text!r}")
    return value
