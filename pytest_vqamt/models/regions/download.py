"""Fetches the published detector, once, when the user asks for it."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.client import HTTPException, HTTPResponse
from pathlib import Path
from typing import cast
from urllib.request import urlopen

from pytest_vqamt.core.errors import ModelError
from pytest_vqamt.models.regions.files import CONFIG, WEIGHTS

ADDRESS = "https://s3.amazonaws.com/models.huggingface.co/bert/unc-nlp/frcnn-vg-finetuned"
"""Where the authors' files were last seen: not on the hub itself, but in the storage it used before."""

_TIMEOUT_S = 30.0
_BLOCK = 1 << 20


def fetch(folder: Path, address: str) -> None:
    """Puts what of the detector's files is not there yet into ``folder``; of several processes one fetches.

    A file has its name only when it is whole: what was interrupted is begun anew.

    Raises:
        ModelError: they cannot be fetched or written.
    """
    from filelock import FileLock  # comes with torch

    try:
        folder.mkdir(parents=True, exist_ok=True)
        with FileLock(folder / ".lock"):
            for name in (CONFIG, WEIGHTS):  # the weights last: where they are, all is there
                if not (folder / name).is_file():
                    _fetch(f"{address}/{name}", folder / name)
    except (OSError, HTTPException) as error:
        raise ModelError(
            f"Expected to fetch the region detector from {address} into {folder}, but got: {error}. Fetch {CONFIG} and "
            f"{WEIGHTS} by other means, and name their folder: --vqamt-option detector=FOLDER"
        ) from error


def _fetch(address: str, file: Path) -> None:
    part = file.with_name(f"{file.name}.part")
    try:
        with cast("HTTPResponse", urlopen(address, timeout=_TIMEOUT_S)) as response, part.open("wb") as opened:
            expected = response.length
            with _shown(file.name, expected) as progress:
                while block := response.read(_BLOCK):
                    opened.write(block)
                    progress(len(block))
        size = part.stat().st_size
        if expected is not None and size != expected:
            raise OSError(f"{size} of the {expected} bytes of {file.name}, and then no more")
        part.replace(file)
    finally:
        part.unlink(missing_ok=True)


@contextmanager
def _shown(name: str, total: int | None) -> Iterator[Callable[[int], object]]:
    """A bar on standard error, where a person looks at it."""
    if "CI" in os.environ or not sys.stderr.isatty():
        yield lambda _bytes: None
        return
    from tqdm import tqdm

    with tqdm(total=total, desc=f"fetching {name}", unit="B", unit_scale=True, leave=False, file=sys.stderr) as bar:
        yield bar.update
