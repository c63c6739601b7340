"""What it took to get the answers of one item."""

from __future__ import annotations

import time

from pytest_vqamt.core.results import ModelUse, added
from pytest_vqamt.execution.inference import Asker
from pytest_vqamt.models.protocol import LoadedModel


class Account:
    """Kept from when the item begins; what an ``asker`` has asked and found is entered as cases get their answers."""

    def __init__(self, model: LoadedModel, asker: Asker) -> None:
        self._model = model
        self._asker = asker
        self._began = time.monotonic()
        # From where the item before left off: what comes next may be prepared between the two.
        before = model.standing.used
        self._used_before = tuple((model.used() if before is None else before).items())
        self._saved = 0
        self._entered = 0

    def met(self, uses: int) -> None:
        """So many uses of queries by cases have been met since this was last told."""
        found = self._asker.asked + self._asker.cached
        self._saved += uses - (found - self._entered)
        self._entered = found

    def use(self) -> ModelUse:
        """All of it, when the item ends; what was asked or found since ``met`` was told last counts as needed once."""
        model, asker = self._model, self._asker
        used = model.standing.used = model.used()
        return ModelUse(
            name=model.name,
            fingerprint=model.fingerprint,
            tasks=tuple(task.value for task in model.tasks),
            queries_needed=self._saved + asker.asked + asker.cached,
            queries_asked=asker.asked,
            queries_cached=asker.cached,
            busy_s=asker.busy_s,
            items_s=time.monotonic() - self._began,
            usage=added(tuple(used.items()), self._used_before, -1),
        )
