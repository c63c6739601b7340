"""Where WordNet's files lie: in this package, in nltk's data, in a Linux distribution's, in a folder of the user's."""

from __future__ import annotations

import os
import sys
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from pytest_vqamt.core.errors import OptionError

BUNDLED = "bundled"
FULL = "full"
READ = ("data.noun", "index.noun", "noun.exc", "data.adj", "index.adj", "adj.exc")
"""The files that are read, and that `Files.digest` stands for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WordNetFiles:
    """The files of one WordNet.

    Attributes:
        source: "bundled", "full", or the folder as the user wrote it.
        folder: where they are: a folder or the inside of an archive.
    """

    source: str
    folder: Traversable

    def read(self, name: str) -> bytes:
        """The bytes of a file. ``lexnames`` is the same in every WordNet, and some distributions leave it out."""
        if name == "lexnames" and not self.folder.joinpath(name).is_file():
            return _bundled().joinpath(name).read_bytes()
        return self.folder.joinpath(name).read_bytes()

    @property
    def digest(self) -> str:
        """SHA-256 of what is read, as 16 hexadecimal digits."""
        hashed = sha256()
        for name in READ:
            data = self.read(name)
            hashed.update(f"{name}\x1f{len(data)}\x1f".encode())
            hashed.update(data)
        return hashed.hexdigest()[:16]


def find_wordnet(setting: str) -> WordNetFiles:
    """The files that a setting means: "bundled", "full", or a folder.

    Raises:
        OptionError: there are none, or not all of them.
    """
    if setting == BUNDLED:
        return WordNetFiles(source=BUNDLED, folder=_bundled())
    if setting == FULL:
        return WordNetFiles(source=FULL, folder=_installed())
    folder = Path(setting).expanduser()
    if not folder.is_dir():
        raise OptionError(
            f"wordnet={setting!r}: expected 'bundled', 'full' or a folder with WordNet's files, and there is no such "
            "folder; leave the option out for the WordNet that comes with this package"
        )
    missing = [name for name in READ if not (folder / name).is_file()]
    if missing:
        raise OptionError(
            f"wordnet={setting!r}: expected a folder with WordNet's files, and it lacks {', '.join(missing)}; "
            "name the folder that holds data.noun itself (often called dict)"
        )
    return WordNetFiles(source=setting, folder=folder)


@cache
def _bundled() -> Traversable:
    return files("pytest_vqamt.language.wordnet").joinpath("files")


def _installed() -> Traversable:
    """The WordNet that nltk downloaded, else that of a Linux distribution."""
    for folder in _places():
        if all(folder.joinpath(name).is_file() for name in READ):
            return folder
    raise OptionError(
        "wordnet='full': expected WordNet on this machine, and it is neither in nltk's data nor in /usr/share/wordnet; "
        "run `python -m nltk.downloader wordnet`, install the package wordnet-base, or name its folder"
    )


def _places() -> Iterator[Traversable]:
    given = os.environ.get("NLTK_DATA", "").split(os.pathsep)
    usual = [Path.home() / "nltk_data"]
    usual += [Path(prefix) / below / "nltk_data" for prefix in (sys.prefix,) for below in ("", "share", "lib")]
    usual += [Path(f"/usr/{below}/nltk_data") for below in ("share", "local/share", "lib", "local/lib")]
    for data in (*(Path(each) for each in given if each), *usual):
        yield data / "corpora" / "wordnet"
        archive = data / "corpora" / "wordnet.zip"
        if archive.is_file() and zipfile.is_zipfile(archive):
            yield zipfile.Path(archive, "wordnet/")
    yield Path("/usr/share/wordnet")
