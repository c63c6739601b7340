"""Where a model of sentence-transformers lies, and which one it is; nothing is loaded, and nothing fetched."""

from __future__ import annotations

import re
from functools import lru_cache
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path

from pytest_vqamt.core.errors import OptionError
from pytest_vqamt.core.identity import digest
from pytest_vqamt.language.basic_questions.settings import SENTENCE_TRANSFORMERS

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
