"""Where the answers of a run are kept: some for ever, some for the run."""

from __future__ import annotations

from pathlib import Path

from pytest_vqamt.execution.answer_store import AnswerStore
from pytest_vqamt.models.base import LoadedModel


class Stores:
    """One store that lasts, in ``cache_dir``, for models that declare what they are, and one for this run alone."""

    def __init__(self, cache_dir: Path | None) -> None:
        self._lasting = None if cache_dir is None else cache_dir / "answers.sqlite"
        self._open: dict[Path | None, AnswerStore] = {}

    def of(self, model: LoadedModel) -> AnswerStore:
        """Where the answers of ``model`` are kept."""
        return self._at(self._lasting if model.persistent else None)

    @property
    def of_shown_cases(self) -> AnswerStore:
        """Where violations that people were shown are kept, so that they can be replayed."""
        return self._at(self._lasting)

    def close(self) -> None:
        for store in self._open.values():
            store.close()

    def _at(self, file: Path | None) -> AnswerStore:
        if file not in self._open:
            self._open[file] = AnswerStore(file)
        return self._open[file]
