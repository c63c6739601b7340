"""Questions as the vectors of a model of sentence-transformers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from pytest_vqamt.core.errors import OptionError
from pytest_vqamt.core.identity import digest
from pytest_vqamt.language.question_ranking.pool import SENTENCE_TRANSFORMERS

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


_HUB_NAME = re.compile(r"[\w.-]+(?:/[\w.-]+)?")
_OWN = "sentence-transformers/"
_READ = (".json", ".txt", ".model", ".safetensors", ".bin")
_BLOCK_BYTES = 1 << 20


@lru_cache(maxsize=16)
def folder_of(setting: str) -> Path:
    """The folder of the model: the one that is named, or the one that the hub's cache has under the name.

    Raises:
        OptionError: there is none.
    """
    named = setting.removeprefix(SENTENCE_TRANSFORMERS)
    folder = Path(named).expanduser()
    if not folder.is_dir():
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
def fingerprint(setting: str) -> str:
    """Names the model's files and the packages that run it.

    Raises:
        OptionError: the model is not on this machine.
    """
    folder = folder_of(setting)
    hashed = sha256()
    for file in sorted(each for each in folder.rglob("*") if each.suffix in _READ and each.is_file()):
        hashed.update(f"{file.relative_to(folder).as_posix()}\x1f{file.stat().st_size}\x1f".encode())
        with file.open("rb") as opened:
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
