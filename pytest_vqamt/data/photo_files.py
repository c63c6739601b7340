"""The photos of a folder, by file name: found, named by their content, and decoded."""

from __future__ import annotations

import re
from hashlib import sha256
from pathlib import Path
from stat import S_ISLNK, S_ISREG

from PIL.Image import Image

from pytest_vqamt.core.errors import DataError
from pytest_vqamt.data.decoding import decode, is_whole, size_px
from pytest_vqamt.data.recent import RecentBySize

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
        if not folder.is_dir():
            raise DataError(f"Expected a folder of photos, but got folder={str(folder)!r}: there is no such folder")
        self.folder = folder
        self._root = folder.resolve()
        self._digests: dict[str, str] = {}
        self._decoded: RecentBySize[str, Image] = RecentBySize(cache_bytes, self._decode, _bytes_of)

    def has(self, name: str) -> bool:
        """Whether there is such a file; what is in it is not looked at."""
        return self._size_bytes(name) is not None

    def size_bytes(self, name: str) -> int:
        size = self._size_bytes(name)
        if size is None:
            raise DataError(f"Expected a photo, but there is no file {str(self.folder / name)!r}: add it")
        return size

    def digest(self, name: str) -> str:
        """SHA-256 of the file's bytes, as 16 hexadecimal digits, computed once."""
        found = self._digests.get(name)
        if found is None:
            found = self._digests[name] = sha256(self._read(name)).hexdigest()[:16]
        return found

    def check_size(self, name: str, width: int, height: int) -> None:
        """Raises DataError where the photo, turned as its EXIF says, is not ``width`` x ``height`` px."""
        file = self._file(name)
        found = size_px(file)
        if found != (width, height):
            raise DataError(
                f"Expected {str(file)!r} to be {width} x {height} px, as its record says, "
                f"but got size={found[0]} x {found[1]} px, turned as its EXIF says: is it the photo that was annotated?"
            )

    def open(self, name: str) -> Image:
        """The photo, RGB uint8, turned as its EXIF says. A fresh copy, which the caller may change."""
        return self._decoded.get(name).copy()

    def _decode(self, name: str) -> Image:
        return decode(self._read(name), str(self.folder / name))

    def _read(self, name: str) -> bytes:
        """The bytes of the file, of which the last is there."""
        file = self._file(name)
        try:
            data = file.read_bytes()
        except OSError as error:
            raise DataError(f"Expected a photo, but {str(file)!r} cannot be read: {error}") from error
        if not is_whole(data):
            raise DataError(f"Expected a whole photo, but {str(file)!r} is truncated: fetch it again")
        return data

    def _file(self, name: str) -> Path:
        """The file, which is there and not empty."""
        file = self.folder / name
        if not self.size_bytes(name):
            raise DataError(f"Expected a photo, but {str(file)!r} is empty: fetch it again")
        return file

    def _size_bytes(self, name: str) -> int | None:
        """The size of the file, None where there is none."""
        self._refuse_outside(name)
        file = self.folder / name
        try:
            if self._has_link(name) and not file.resolve(strict=True).is_relative_to(self._root):
                raise DataError(
                    f"Expected a photo within {str(self.folder)!r}, but {str(file)!r} is a link that leads outside: "
                    "put the photo itself there"
                )
            found = file.stat()
        except (FileNotFoundError, NotADirectoryError):
            return None
        except (OSError, RuntimeError) as error:  # RuntimeError: links in a circle, in Python before 3.13
            raise DataError(f"Expected a photo, but {str(file)!r} cannot be read: {error}") from error
        if not S_ISREG(found.st_mode):
            raise DataError(f"Expected a photo, but {str(file)!r} is no file")
        return found.st_size

    def _has_link(self, name: str) -> bool:
        """Whether a link lies on the way; far quicker to know than where it leads."""
        place = self.folder
        for part in name.split("/"):
            place = place / part
            if S_ISLNK(place.lstat().st_mode):
                return True
        return False

    def _refuse_outside(self, name: str) -> None:
        expected = f"Expected the name of a photo within {str(self.folder)!r}, but got name={name!r}: "
        if not name or name.startswith("/") or _DRIVE.match(name):
            raise DataError(expected + "give it relative to that folder")
        if "\\" in name:
            raise DataError(expected + "write / between folders")
        if ".." in name.split("/"):
            raise DataError(expected + "it must not lead out of the folder")
        if _NO_CHARACTER.search(name):
            raise DataError(expected + "no name of a file holds such characters")


def _bytes_of(image: Image) -> int:
    return image.width * image.height * len(image.getbands())
