"""One test for each relation variant; ``.check()`` runs it, and fails where a gate of pyproject.toml is missed."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest_vqamt import Consistency


def test_consistency(vqamt_consistency: Consistency) -> None:
    vqamt_consistency.check()
