"""A model that is wrong about half of the time, and the same on every machine."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_vqamt.core.identity import digest
from pytest_vqamt.core.query import ModelInput


class Erratic:
    """Counts what a digest of the query says, from 0 to 3, and never looks at the picture."""

    fingerprint = "erratic"
    batch_size = 8

    def answer(self, batch: Sequence[ModelInput]) -> list[str]:
        return [str(int(digest(each.query.id), 16) % 4) for each in batch]


SPEC = "python:tests.reporting.erratic:Erratic"
