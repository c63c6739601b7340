"""The photos of a folder, by file name: found, named by their content, and decoded."""

from __future__ import annotations

import os
import re
from hashlib import sha256
from pathlib import Path
from stat import S_ISLNK, S_ISREG

from PIL import Image

from pytest_vqamt.core.errors import DataError
from pytest_vqamt.data.decoding import decode, size_px
from pytest_vqamt.data.jpeg_and_png import is_whole
from pytest_vqamt.data.lru import RecentBySize
from pytest_vqamt.data.messages import reason, shown, shown_path

CACHE_BYTES = 256 * 2**20

_DRIVE = re.compile("[A-Za-z]:")
_NO_CHARACTER = re.compile("[\0\ud800-\udfff]")


class PhotoFiles:
    """The photos in ``folder`` and its folders; a name is relative to it, with forward slashes.

    Every method raises DataError, which names the file, where a name leads out of the folder or the file is no photo.
    It can be used by several threads at once.
    """

    def __init__(self, folder: Path, *, cache_bytes: int = CACHE_BYTES) -> None:
        """``cache_bytes`` is how much memory decoded photos may take."""
        try:
            why = "" if folder.is_dir() else "there is no such folder"
        except OSError as error:
            why = f"it cannot be read ({reason(error)})"
        if why:
            raise DataError(f"Expected a folder of photos, but got folder={shown_path(folder)}: {why}")
        self.folder = folder
        self._named = str(folder)
        self._root = folder.resolve()
        self._digests: dict[str, str] = {}
        self._decoded: RecentBySize[str, Image.Image] = RecentBySize(cache_bytes, self._decode, _bytes_of)

    def has(self, name: str) -> bool:
        """Whether there is such a file; what is in it is not looked at."""
        return self._size_bytes(name) is not None

    def size_bytes(self, name: str) -> int:
        size = self._size_bytes(name)
        if size is None:
            raise DataError(f"Expected a photo, but there is no file {self._shown(name)}: add it")
        return size

    def digest(self, name: str) -> str:
        """SHA-256 of the file's bytes, as 16 hexadecimal digits, computed once."""
        found = self._digests.get(name)
        if found is None:
            found = self._digests[name] = _digest_of(self._read(name))
        return found

    def check_size(self, name: str, width: int, height: int) -> None:
        """Raises DataError where the photo, turned as its EXIF says, is not ``width`` x ``height`` px."""
        found = size_px(self._file(name))
        if found != (width, height):
            raise DataError(
                f"Expected {self._shown(name)} to be {width} x {height} px, as its record says, "
                f"but got size={found[0]} x {found[1]} px, turned as its EXIF says: is it the photo that was annotated?"
            )

    def open(self, name: str) -> Image.Image:
        """The photo, RGB uint8, turned as its EXIF says. A fresh copy, which the caller may change."""
        return self._decoded.get(name).copy()

    def _decode(self, name: str) -> Image.Image:
        data = self._read(name)
        known = self._digests.get(name)
        if known is not None and _digest_of(data) != known:
            raise DataError(f"Expected {self._shown(name)} to stay as it is, but it has changed: start again")
        return decode(data, str(self.folder / name))

    def _read(self, name: str) -> bytes:
        """The bytes of the file, of which the last is there."""
        file = self._file(name)
        try:
            data = file.read_bytes()
        except OSError as error:
            raise DataError(self._unreadable(name, error)) from error
        if not is_whole(data):
            raise DataError(f"Expected a whole photo, but {self._shown(name)} is truncated: fetch it again")
        return data

    def _file(self, name: str) -> Path:
        """The file, which is there and not empty."""
        if not self.size_bytes(name):
            raise DataError(f"Expected a photo, but {self._shown(name)} is empty: fetch it again")
        return self.folder / name

    def _size_bytes(self, name: str) -> int | None:
        """The size of the file, None where there is none."""
        self._refuse_outside(name)
        try:
            if self._has_link(name) and not (self.folder / name).resolve(strict=True).is_relative_to(self._root):
                raise DataError(
                    f"Expected a photo within {shown_path(self.folder)}, but {self._shown(name)} is a link that leads "
                    "outside: put the photo itself there"
                )
            found = os.stat(f"{self._named}/{name}")  # noqa: PTH116 - called for every record, and paths take time
        except (FileNotFoundError, NotADirectoryError):
            return None
        except (OSError, RuntimeError) as error:  # RuntimeError: links in a circle, in Python before 3.13
            raise DataError(self._unreadable(name, error)) from error
        if not S_ISREG(found.st_mode):
            raise DataError(f"Expected a photo, but {self._shown(name)} is no file: put the photo itself there")
        return found.st_size

    def _has_link(self, name: str) -> bool:
        """Whether a link lies on the way; far quicker to know than where it leads."""
        place = self._named
        for part in name.split("/"):
            place = f"{place}/{part}"
            if S_ISLNK(os.lstat(place).st_mode):
                return True
        return False

    def _refuse_outside(self, name: str) -> None:
        advice = _advice_against(name)
        if advice:
            raise DataError(
                f"Expected the name of a photo within {shown_path(self.folder)}, but got name={shown(name)}: {advice}"
            )

    def _shown(self, name: str) -> str:
        return shown_path(self.folder, name)

    def _unreadable(self, name: str, error: Exception) -> str:
        said = f"{self._shown(name)} cannot be read ({reason(error)})"
        return f"Expected a photo, but {said}: rename it, or make it readable"


def _advice_against(name: str) -> str:
    """What to do about a name that is none of a file within a folder; "" where it may be one."""
    if "://" in name:
        return "save the photo there, since none is fetched"
    if not name or name.startswith("/") or _DRIVE.match(name):
        return "give it relative to that folder"
    if "\\" in name:
        return "write / between folders"
    if ".." in name.split("/"):
        return "it must not lead out of the folder"
    return "no name of a file holds such characters" if _NO_CHARACTER.search(name) else ""


def _digest_of(data: bytes) -> str:
    return sha256(data).hexdigest()[:16]


def _bytes_of(image: Image.Image) -> int:
    return image.width * image.height * len(image.getbands())
