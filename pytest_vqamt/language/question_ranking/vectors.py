"""Questions as vectors: by latent semantic analysis, or by a model of sentence-transformers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from functools import cache
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray
from sklearn.decomposition import TruncatedSVD  # type: ignore[import-untyped]  # it has neither types nor stubs
from sklearn.feature_extraction.text import TfidfVectorizer  # type: ignore[import-untyped]  # as above

from pytest_vqamt.core.errors import OptionError
from pytest_vqamt.core.text import one_line
from pytest_vqamt.language.question_ranking.embeddings import Rows, model_fingerprint, model_folder
from pytest_vqamt.language.question_ranking.pool import words_of

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer

_MOST_DIMENSIONS = 256
_FEWEST_DIMENSIONS = 32
_QUESTIONS_A_DIMENSION = 20
_SEED = 0
"""Of the randomised SVD, so that every run finds the same axes."""
_AT_ONCE = 20_000
"""The questions that are embedded at once, to bound memory."""

_COUNTED = {"tokenizer": words_of, "token_pattern": None, "lowercase": False, "ngram_range": (1, 2)}

_BATCH = 64
"""Questions that a model takes at once."""


class Lsa:
    """Latent semantic analysis: TF-IDF of words and word pairs, reduced by a truncated SVD (Deerwester et al.).

    A dimension for each 20 questions of the pool, from 32 to 256: more would tell questions apart by accidents of
    wording.
    """

    def __init__(self, terms: Sequence[str], weights: NDArray[np.float64], axes: Rows, fingerprint: str) -> None:
        """Takes a fitted model.

        Args:
            terms: words and pairs of words.
            weights: float64 [terms], inverse document frequencies.
            axes: float32 [d, terms], the right singular vectors.
            fingerprint: of the way of fitting.
        """
        self._terms, self._weights, self._axes = tuple(terms), weights, axes
        self._fingerprint = fingerprint
        self._counter = TfidfVectorizer(**_COUNTED, vocabulary=self._terms)
        self._counter.idf_ = weights

    @classmethod
    def fitted(cls, texts: Sequence[str], fingerprint: str) -> Lsa:
        """Fits the texts: 100,000 questions take about 20 s."""
        counter = TfidfVectorizer(**_COUNTED)
        counted = counter.fit_transform(texts)
        supported = max(_FEWEST_DIMENSIONS, len(texts) // _QUESTIONS_A_DIMENSION)
        dimensions = min(_MOST_DIMENSIONS, supported, *counted.shape)
        # Of one question alone the share of its variance that is explained is 0 / 0, and unused.
        with one_thread(), np.errstate(invalid="ignore"):
            svd = TruncatedSVD(dimensions, random_state=_SEED).fit(counted)
        return cls(counter.get_feature_names_out(), counter.idf_, svd.components_.astype(np.float32), fingerprint)

    @classmethod
    def of(cls, arrays: Mapping[str, NDArray[np.generic]], fingerprint: str) -> Lsa:
        """Restores a model from its ``arrays``."""
        return cls(
            arrays["terms"].tobytes().decode().split("\n"),
            arrays["weights"].astype(np.float64, copy=False),
            arrays["axes"].astype(np.float32, copy=False),
            fingerprint,
        )

    def arrays(self) -> dict[str, NDArray[np.generic]]:
        # As bytes: the archive is read without pickle, and no term has a line end.
        terms = np.frombuffer("\n".join(self._terms).encode(), np.uint8)
        return {"terms": terms, "weights": self._weights, "axes": self._axes}

    @property
    def fingerprint(self) -> str:
        return self._fingerprint

    def embed(self, texts: Sequence[str]) -> Rows:
        """Returns float32 [n, d] with rows of unit length; zeros for a text without a word of the pool."""
        made = [self._embedded(texts[start : start + _AT_ONCE]) for start in range(0, len(texts), _AT_ONCE)]
        return np.concatenate(made) if made else np.zeros((0, len(self._axes)), np.float32)

    def _embedded(self, texts: Sequence[str]) -> Rows:
        counted = self._counter.transform(texts)
        used = np.unique(counted.indices)  # a question has few of 100,000 terms
        with one_thread():
            rows = np.asarray(counted[:, used] @ self._axes[:, used].T.astype(np.float64))
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        return (rows / np.where(lengths > 0, lengths, 1)).astype(np.float32)


class _Controller(Protocol):
    def limit(self, *, limits: int) -> AbstractContextManager[object]: ...


def one_thread() -> AbstractContextManager[object]:
    """Limits NumPy, SciPy and scikit-learn to one thread, so that results do not depend on their number."""
    return _controller().limit(limits=1)


@cache
def _controller() -> _Controller:
    # It looks up once what is loaded, and this has to be by then.
    import sklearn.linear_model  # type: ignore[import-untyped]  # noqa: F401 - it has neither types nor stubs
    from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]  # as above

    controller: _Controller = ThreadpoolController()
    return controller


class SentenceVectors:
    """A model on the CPU, loaded on first use."""

    def __init__(self, setting: str) -> None:
        """Finds the model.

        Raises:
            OptionError: it is not on this machine.
        """
        self._setting = setting
        self._folder = model_folder(setting)
        self._fingerprint = model_fingerprint(setting)
        self._model: SentenceTransformer | None = None

    @property
    def fingerprint(self) -> str:
        return self._fingerprint

    def embed(self, texts: Sequence[str]) -> Rows:
        if self._model is None:
            self._model = self._loaded()
        rows = self._model.encode(
            list(texts), batch_size=_BATCH, normalize_embeddings=True, convert_to_numpy=True, show_progress_bar=False
        )
        return np.asarray(rows, np.float32)

    def _loaded(self) -> SentenceTransformer:
        from sentence_transformers import SentenceTransformer
        from transformers.utils import logging

        # A bar for loading weights would break pytest's lines.
        bars = logging.is_progress_bar_enabled()
        logging.disable_progress_bar()  # type: ignore[no-untyped-call]  # transformers does not annotate it
        try:
            # Never from the network, nor with code that the model brings.
            return SentenceTransformer(str(self._folder), device="cpu", local_files_only=True, trust_remote_code=False)
        except Exception as error:  # each part of it raises another, down to the reader of the weights
            reason = one_line(str(error)) or type(error).__name__
            raise OptionError(
                f"embedding={self._setting!r}: expected a whole model of sentence-transformers, but it could not be "
                f"loaded ({reason[:200]}): fetch it again"
            ) from error
        finally:
            if bars:
                logging.enable_progress_bar()  # type: ignore[no-untyped-call]  # as above
