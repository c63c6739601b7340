"""Questions as vectors: what an embedding is, and a pool's, made once and kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import version
from typing import TYPE_CHECKING, Protocol, TypeAlias

from pytest_vqamt.core.identity import digest
from pytest_vqamt.language.question_ranking.disk_cache import cached_arrays
from pytest_vqamt.language.question_ranking.pool import SENTENCE_TRANSFORMERS, Pool

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


Rows: TypeAlias = "NDArray[np.float32]"

_LSA_VERSION = 1


class Embedding(Protocol):
    """Gives each text a vector; near texts have near vectors."""

    @property
    def fingerprint(self) -> str:
        """Changes whenever vectors may: part of every key that they are kept under."""
        ...

    def embed(self, texts: Sequence[str]) -> Rows:
        """float32 [n, d], rows of unit length; a row of zeros for a text of which nothing is known."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class EmbeddedPool:
    """A pool's vectors.

    Attributes:
        embedding: what gives a main question its vector among these.
        rows: float32 [questions, d], of unit length or 0, in the order of the pool. Not to be changed.
    """

    embedding: Embedding
    rows: Rows


@lru_cache(maxsize=4)
def embed_pool(pool: Pool, setting: str) -> EmbeddedPool:
    """The pool by the embedding that the setting names.

    Raises:
        OptionError: a model that is not on this machine, or that cannot be read.
    """
    key = digest("embedded pool", pool.digest, fingerprint_of(setting))
    if setting.startswith(SENTENCE_TRANSFORMERS):
        from pytest_vqamt.language.question_ranking.sentence_vectors import SentenceVectors

        model = SentenceVectors(setting)
        arrays = cached_arrays(key, lambda: {"rows": model.embed(pool.questions)})
        return EmbeddedPool(embedding=model, rows=arrays["rows"].astype("float32", copy=False))
    from pytest_vqamt.language.question_ranking.lsa import Lsa

    def fitted() -> dict[str, NDArray[np.generic]]:
        lsa = Lsa.fitted(pool.questions, fingerprint_of(setting))
        return {"rows": lsa.embed(pool.questions), **lsa.arrays()}

    arrays = cached_arrays(key, fitted)
    lsa = Lsa.of(arrays, fingerprint_of(setting))
    return EmbeddedPool(embedding=lsa, rows=arrays["rows"].astype("float32", copy=False))


@lru_cache(maxsize=16)
def fingerprint_of(setting: str) -> str:
    """The fingerprint of the embedding that the setting names, known before it is loaded.

    Raises:
        OptionError: a model that is not on this machine.
    """
    if setting.startswith(SENTENCE_TRANSFORMERS):
        from pytest_vqamt.language.question_ranking.sentence_vectors import fingerprint

        return fingerprint(setting)
    packages = (f"{name} {version(name)}" for name in ("scikit-learn", "scipy", "numpy"))
    return digest("lsa", str(_LSA_VERSION), *packages)
