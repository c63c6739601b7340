"""Gates as rows of ``report.json``, and back."""

from __future__ import annotations

from typing import cast

from pytest_vqamt.core.codec import Json
from pytest_vqamt.core.gate import Gate


def gate_row(gate: Gate | None) -> dict[str, Json] | None:
    """A gate as an object; None where nothing is demanded."""
    return {"kind": gate.kind, "threshold": gate.threshold, "on": gate.on, "met": gate.met} if gate else None


def gate_of(row: Json) -> Gate | None:
    """The gate that ``gate_row`` was made of.

    Raises:
        KeyError, TypeError, ValueError: the row is not whole.
    """
    if row is None:
        return None
    told = cast("dict[str, Json]", row)
    threshold = float(cast("float", told["threshold"]))
    return Gate(kind=str(told["kind"]), threshold=threshold, on=str(told["on"]), met=bool(told["met"]))
