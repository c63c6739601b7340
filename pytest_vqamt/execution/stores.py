"""Where the answers of a run are kept: some for ever, some for the run."""

from __future__ import annotations

from pathlib import Path

from pytest_vqamt.execution.answer_cache import AnswerStore
from pytest_vqamt.execution.owners import Run
from pytest_vqamt.models.protocol import LoadedModel

FILE = "answers.sqlite"


class Stores:
    """One store that lasts, in ``cache_dir``, for models that declare what they are, and one for this run alone."""

    def __init__(self, cache_dir: Path | None, run: Run | None = None) -> None:
        self._run = run or Run()
        self._passing = self._run.folder and self._run.folder / FILE
        self._lasting = self._passing if cache_dir is None else cache_dir / FILE
        self._open: dict[Path | None, AnswerStore] = {}

    def of(self, model: LoadedModel) -> AnswerStore:
        """Where the answers of ``model`` are kept."""
        return self._at(self._lasting if model.persistent else self._passing)

    @property
    def of_shown_cases(self) -> AnswerStore:
        """Where violations that people were shown are kept, so that they can be replayed."""
        return self._at(self._lasting)

    def close(self) -> None:
        for store in self._open.values():
            store.close()

    def _at(self, file: Path | None) -> AnswerStore:
        if file not in self._open:
            self._open[file] = AnswerStore(file, run=self._run)
        return self._open[file]
