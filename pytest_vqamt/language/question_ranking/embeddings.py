"""Embeddings of questions; a pool is embedded once, and cached on disk."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import lru_cache, partial
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import IO, TYPE_CHECKING, Protocol, TypeAlias

from pytest_vqamt.core.atomic_write import replacing_cached
from pytest_vqamt.core.errors import CACHE_HOME_VARIABLE, OptionError, cache_home
from pytest_vqamt.core.identity import digest
from pytest_vqamt.core.input_files import expanded, open_input
from pytest_vqamt.core.lazy_pattern import pattern_of
from pytest_vqamt.language.question_ranking.pool import SENTENCE_TRANSFORMERS, Pool

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


Arrays: TypeAlias = "Mapping[str, NDArray[np.generic]]"
"""What an embedding is restored from, by name."""

Rows: TypeAlias = "NDArray[np.float32]"
"""Vectors [n, d], each of unit length, or zeros for an unknown text."""

_LSA_VERSION = 1
"""Raised when the same texts would get other vectors: it is part of the cache key."""

_HUB_NAME = pattern_of(r"[\w.-]+(?:/[\w.-]+)?")
_OWN = "sentence-transformers/"
_READ = (".json", ".txt", ".model", ".safetensors", ".bin")
_BLOCK_BYTES = 1 << 20


def cached_arrays(key: str, make: Callable[[], Arrays]) -> Arrays:
    """Returns the arrays of ``key``; one process makes missing ones while others wait."""
    file = _folder() / "embeddings" / f"{key}.npz"
    found = _read_arrays(file)
    if found is not None:
        return found
    # Workers of pytest-xdist start together: one of them fits, and the others read what it wrote.
    with _only_maker(file):
        found = _read_arrays(file)
        if found is None:
            found = make()
            _write(file, partial(_archive, found))
    return found


def cached_texts(key: str) -> tuple[str, ...] | None:
    """Returns the texts of ``key``, None if there are none or the file is damaged."""
    try:
        texts: object = json.loads(_texts_file(key).read_bytes())
    except (OSError, ValueError):
        return None
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        return None
    return tuple(texts)


def store_texts(key: str, texts: tuple[str, ...]) -> None:
    """Caches the texts under ``key``."""
    content = json.dumps(texts, ensure_ascii=False, indent=0).encode()
    _write(_texts_file(key), lambda opened: opened.write(content))


def _folder() -> Path:
    return cache_home() / "basic-questions"


def _texts_file(key: str) -> Path:
    return _folder() / "rankings" / key[:2] / f"{key}.json"


def _read_arrays(file: Path) -> Arrays | None:
    import numpy as np

    try:
        with file.open("rb") as opened, np.load(opened, allow_pickle=False) as archive:
            return {name: archive[name] for name in archive.files}
    except Exception:  # zip, zlib and NumPy's own reader raise a different one each; it is made again
        return None


def _archive(arrays: Arrays, opened: IO[bytes]) -> None:
    import numpy as np

    np.savez(opened, allow_pickle=False, **arrays)


def _write(file: Path, write: Callable[[IO[bytes]], object]) -> None:
    """Warns and goes on if the file cannot be written."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with replacing_cached(file) as part, part.open("wb") as opened:
            write(opened)
    except OSError as error:
        warnings.warn(
            f"Expected a folder to keep rankings of basic questions in, but got {file.parent} ({error}): they are made "
            f"anew in each run; {CACHE_HOME_VARIABLE} names another folder",
            stacklevel=2,
        )


@contextmanager
def _only_maker(file: Path) -> Iterator[None]:
    """Excludes other processes of this machine; nothing is excluded where the folder cannot be written."""
    from filelock import FileLock

    lock = FileLock(file.with_suffix(".lock"))
    with suppress(OSError, NotImplementedError):  # the caller reports a folder that cannot be written
        file.parent.mkdir(parents=True, exist_ok=True)
        lock.acquire()
    try:
        yield
    finally:
        lock.release()


class Embedding(Protocol):
    """A map of texts to vectors; near texts have near vectors."""

    @property
    def fingerprint(self) -> str:
        """Part of every cache key: it changes whenever vectors may."""
        ...

    def embed(self, texts: Sequence[str]) -> Rows:
        """Returns float32 [n, d] with rows of unit length; zeros for an unknown text."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class EmbeddedPool:
    """The vectors of a pool."""

    embedding: Embedding
    """Embeds main questions in the same space."""
    rows: Rows
    """Float32 [questions, d], of unit length or 0, in the order of the pool; read-only."""


@lru_cache(maxsize=4)
def embed_pool(pool: Pool, setting: str) -> EmbeddedPool:
    """Embeds the pool.

    Raises:
        OptionError: a model that is not on this machine, or that cannot be read.
    """
    key = digest("embedded pool", pool.digest, fingerprint_of(setting))
    if setting.startswith(SENTENCE_TRANSFORMERS):
        from pytest_vqamt.language.question_ranking.vectors import SentenceVectors

        model = SentenceVectors(setting)
        arrays = cached_arrays(key, lambda: {"rows": model.embed(pool.questions)})
        return EmbeddedPool(embedding=model, rows=arrays["rows"].astype("float32", copy=False))
    from pytest_vqamt.language.question_ranking.vectors import Lsa

    def fitted() -> dict[str, NDArray[np.generic]]:
        lsa = Lsa.fitted(pool.questions, fingerprint_of(setting))
        return {"rows": lsa.embed(pool.questions), **lsa.arrays()}

    arrays = cached_arrays(key, fitted)
    lsa = Lsa.of(arrays, fingerprint_of(setting))
    return EmbeddedPool(embedding=lsa, rows=arrays["rows"].astype("float32", copy=False))


@lru_cache(maxsize=16)
def fingerprint_of(setting: str) -> str:
    """Returns the fingerprint of an embedding, without loading it.

    Raises:
        OptionError: a model that is not on this machine.
    """
    if setting.startswith(SENTENCE_TRANSFORMERS):
        return model_fingerprint(setting)
    packages = (f"{name} {version(name)}" for name in ("scikit-learn", "scipy", "numpy"))
    return digest("lsa", str(_LSA_VERSION), *packages)


@lru_cache(maxsize=16)
def model_folder(setting: str) -> Path:
    """Returns the folder of a model: the named one, or its folder in the hub's cache.

    Raises:
        OptionError: there is none.
    """
    named = setting.removeprefix(SENTENCE_TRANSFORMERS)
    folder = expanded(named)
    if not folder.is_dir():
        # Short names are of the organisation "sentence-transformers", as its library has it.
        kept = (_in_the_cache(each) for each in ((named,) if "/" in named else (named, f"{_OWN}{named}")))
        found = next((each for each in kept if each is not None), None)
        if found is None:
            full_name = named if "/" in named else f"{_OWN}{named}"
            raise OptionError(
                f"embedding={setting!r}: expected a model's folder, or the name of one in the hub's cache on this "
                f"machine, but there is neither: fetch it once with `hf download {full_name}`"
            )
        folder = found
    if not (folder / "modules.json").is_file():
        raise OptionError(
            f"embedding={setting!r}: expected a model of sentence-transformers, but its folder has no modules.json: "
            "name the folder that holds it, with the weights beside it"
        )
    return folder


@lru_cache(maxsize=16)
def model_fingerprint(setting: str) -> str:
    """Returns a digest of the model's files and of the packages that run it.

    Raises:
        OptionError: the model is not on this machine.
    """
    folder = model_folder(setting)
    hashed = sha256()
    # The files themselves: a model of the same name may have been trained again.
    for file in sorted(each for each in folder.rglob("*") if each.suffix in _READ and each.is_file()):
        hashed.update(f"{file.relative_to(folder).as_posix()}\x1f{file.stat().st_size}\x1f".encode())
        with open_input(file) as opened:
            while block := opened.read(_BLOCK_BYTES):
                hashed.update(block)
    packages = (f"{name} {version(name)}" for name in ("sentence-transformers", "transformers", "torch"))
    return digest("sentence-transformers", hashed.hexdigest(), *packages)


def _in_the_cache(name: str) -> Path | None:
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import LocalEntryNotFoundError

    if not _HUB_NAME.fullmatch(name):
        return None
    try:
        return Path(snapshot_download(name, local_files_only=True))
    except (LocalEntryNotFoundError, ValueError):
        return None
