"""Questions as the vectors of a model of sentence-transformers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from pytest_vqamt.core.errors import OptionError
from pytest_vqamt.language.basic_questions.sentence_models import fingerprint, folder_of

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer


Rows: TypeAlias = "NDArray[np.float32]"

_BATCH = 64


class SentenceVectors:
    """A model on the processor, loaded when a text is first embedded."""

    def __init__(self, setting: str) -> None:
        """Finds the model.

        Raises:
            OptionError: it is not on this machine.
        """
        self._setting = setting
        self._folder = folder_of(setting)
        self._fingerprint = fingerprint(setting)
        self._model: SentenceTransformer | None = None

    @property
    def fingerprint(self) -> str:
        return self._fingerprint

    def embed(self, texts: Sequence[str]) -> Rows:
        """float32 [n, d], rows of unit length."""
        if self._model is None:
            self._model = self._loaded()
        rows = self._model.encode(
            list(texts), batch_size=_BATCH, normalize_embeddings=True, convert_to_numpy=True, show_progress_bar=False
        )
        return np.asarray(rows, np.float32)

    def _loaded(self) -> SentenceTransformer:
        from sentence_transformers import SentenceTransformer
        from transformers.utils import logging

        bars = logging.is_progress_bar_enabled()
        logging.disable_progress_bar()  # type: ignore[no-untyped-call]  # transformers does not annotate it
        try:
            return SentenceTransformer(str(self._folder), device="cpu", local_files_only=True, trust_remote_code=False)
        except Exception as error:  # each part of it raises another, down to the reader of the weights
            told = " ".join(str(error).split()) or type(error).__name__
            raise OptionError(
                f"embedding={self._setting!r}: expected a whole model of sentence-transformers, but it could not be "
                f"loaded ({told[:200]}): fetch it again"
            ) from error
        finally:
            if bars:
                logging.enable_progress_bar()  # type: ignore[no-untyped-call]  # as above
