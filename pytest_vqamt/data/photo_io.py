"""The photos of a folder by file name: their digests, sizes and pixels."""

from __future__ import annotations

import html
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import lru_cache
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from stat import S_ISLNK, S_ISREG
from threading import Lock
from typing import TypeVar
from unicodedata import normalize
from urllib.parse import unquote

import numpy as np
from PIL import Image, ImageFile, ImageOps, UnidentifiedImageError

from pytest_vqamt.core.edits import Colour
from pytest_vqamt.core.errors import DataError
from pytest_vqamt.core.identity import digest
from pytest_vqamt.core.input_files import MAX_PHOTO_BYTES, open_input, read_bytes, read_end
from pytest_vqamt.core.lru import LruCache
from pytest_vqamt.core.query import PhotoFile
from pytest_vqamt.core.text import error_reason, short_path, short_repr

CACHE_BYTES = 256 * 2**20
"""The memory for decoded photos, which holds some 290 of 640 x 480 px."""
END_BYTES = 4096
"""The bytes at the end of a file that are compared before all of it is read."""

_DRIVE = re.compile("[A-Za-z]:")
_NO_CHARACTER = re.compile("[\0\ud800-\udfff]")
"""Zero bytes and half surrogates, with which Python's own calls raise ValueError rather than OSError."""
_CONTENT = re.compile("data:image/|(?:/9j/|iVBORw0KGgo|R0lGOD|UklGR)[A-Za-z0-9+/=]{64}")
"""How photos in base64 begin: JPEG, PNG, GIF and WebP."""

_ADDED = re.compile(r"[0-9a-f]{8}-(?=.)|0+(?=\d)")
"""What exports write before a name: Label Studio a part of a digest, COCO zeros."""
_DIGITS = re.compile(r"\d+")
_MOST_LISTED = 200_000
"""The most files of a folder that are listed to find a similar name."""
_MOST_COMPARED = 5_000
"""Of more files, names that are only similar are not looked for: it takes seconds."""

T = TypeVar("T")

FORMATS = ("JPEG", "PNG", "GIF", "WEBP", "BMP", "TIFF", "PPM")
"""The formats that may be read. Others of Pillow run other programs."""

_ORIENTATION = 0x0112
"""The tag of EXIF."""
_QUARTER_TURNS = (5, 6, 7, 8)
"""The orientations that exchange width and height."""

_WITH_ALPHA = ("LA", "La", "PA", "RGBA", "RGBa")

_FIRST_BYTES = 8
"""The bytes that a message quotes of a file that is no image: "<!DOCTYP" of a page that was fetched in its place."""

_HEAD_BYTES = 16
"""The bytes that tell the form of a file."""

_TIFF_WIDTH, _TIFF_HEIGHT = 256, 257
_TIFF_PHOTOMETRIC, _TIFF_SAMPLE_FORMAT = 262, 339
"""Tags of TIFF."""

_JPEG_START, _JPEG_END = b"\xff\xd8", b"\xff\xd9"
_PNG_START, _PNG_END = b"\x89PNG\r\n\x1a\n", b"IEND\xaeB`\x82"
_SCAN = 0xDA
"""The second byte of the mark before the pixels of a JPEG."""
_FRAMES = (*range(0xC0, 0xC4), *range(0xC5, 0xC8), *range(0xC9, 0xCC), *range(0xCD, 0xD0))
"""The marks of its frame header, which says how it is coded; 0xC4, 0xC8 and 0xCC among them mean something else."""
_SEQUENTIAL = (0xC0, 0xC1)
"""The frames that may come in one pass: baseline and extended sequential."""
_NO_MARKS = (0x00, *range(0xD0, 0xD8), 0xFF)
"""What may follow 0xFF among the pixels of a JPEG: zeros, restart marks and padding."""
_END_MARK = 0xD9
_JPEG_METADATA = (*range(0xE1, 0xEE), 0xEF, 0xFE)
"""The marks of EXIF, XMP, colour profiles and comments; not of JFIF (0xE0) and of Adobe's colour transform (0xEE)."""
_PADDING = bytes(64)
"""A decoder reads some bytes beyond its need."""

_WHITE = (255, 255, 255, 255)
_RANGES = tuple(2**bits - 1 for bits in range(8, 17))
"""The greatest values of 8 to 16 bits."""
_LEAST_SPREAD = 0.1
"""The share of the range of all values that those of nearly all pixels must take."""

_LOOKED_AT = 100
"""Photos that the mean is taken over; of a larger source, this many at equal distances."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PhotoHead:
    """What a file says of its pixels."""

    orientation: int
    """Of EXIF, from 1 (upright) to 8."""
    is_deep: bool
    """It has 16 bits a colour, of which Pillow reads the upper 8."""
    has_alpha: bool
    """Some of its pixels may be transparent."""


class PhotoFiles:
    """The photos in ``folder`` and its folders; a name is relative to it, with forward slashes.

    Each method raises DataError if a name leads out of the folder, or the file is no photo. Thread-safe.
    """

    def __init__(self, folder: Path, *, cache_bytes: int = CACHE_BYTES) -> None:
        """``cache_bytes`` is the memory for decoded photos."""
        check_folder(folder)
        self.folder = folder
        self._named = str(folder)  # names are joined to it as text, since paths take time and each record needs one
        self._root = folder.resolve()
        self._digests: dict[str, str] = {}
        self._others: dict[str, str] = {}  # the writing under which a file was found, by the name in its record
        self._decoded: LruCache[str, Image.Image] = LruCache(cache_bytes, _bytes_of)

    def has(self, name: str) -> bool:
        """True if there is such a file."""
        return self._size_bytes(name) is not None

    def size_bytes(self, name: str) -> int:
        size = self._size_bytes(name)
        if size is None:
            raise DataError(f"Expected a photo, but there is no file {self._shown(name)}{self.advice(name)}")
        return size

    def changed_ns(self, name: str) -> int:
        """When the file or its status was changed last, in ns; 0 for one that is not there."""
        try:
            status = self._status(self._others.get(name, name))
            # `cp -p` and archives set the time of the content, as of another photo; nothing sets that of the status.
            return max(status.st_mtime_ns, status.st_ctime_ns)
        except (OSError, RuntimeError, DataError):
            return 0

    def advice(self, name: str) -> str:
        r"""The end of a message that there is no such photo: what to do, and the file that may be meant.

        A photo is found by another writing of its name where it can be no other: with / for \, with a space for %20, or
        with composed for decomposed letters, which macOS writes.
        """
        near = _NearNames.of(self.folder).find(name)
        return f": is it {short_repr(near)}? Rename one of them" if near else ": add it"

    def digest(self, name: str) -> str:
        """SHA-256 of the file's bytes, as 16 hexadecimal digits, computed once."""
        found = self._digests.get(name)
        if found is None:
            found = self._digests[name] = _digest_of(self._read(name))
        return found

    def end(self, name: str) -> bytes:
        """The last bytes of the file, in which two photos of one size differ."""
        self.size_bytes(name)
        return read_end(f"{self._named}/{self._others.get(name, name)}", END_BYTES)

    def size_px(self, name: str) -> tuple[int, int]:
        """Width and height of the photo, turned as its EXIF says, without decoding."""
        return size_px(self._file(name))

    def check_size(self, name: str, width: int, height: int) -> None:
        """Raises DataError if the photo, turned as its EXIF says, is not ``width`` x ``height`` px."""
        found = self.size_px(name)
        if found != (width, height):
            raise DataError(
                f"Expected {self._shown(name)} to be {width} x {height} px, as its record says, "
                f"but got size={found[0]} x {found[1]} px, turned as its EXIF says: is it the photo that was annotated?"
            )

    def head(self, name: str) -> PhotoHead:
        """What the file says of its pixels, without decoding them."""
        return _read(self._file(name), str(self.folder / name), _head)

    def open(self, name: str) -> Image.Image:
        """The photo, RGB uint8, turned as its EXIF says. A fresh copy, which the caller may change."""
        return self._decoded.get_or_make(name, self.decoded).copy()

    def decoded(self, name: str) -> Image.Image:
        """The photo as ``open`` gives it, which is not kept."""
        return decode(self._unchanged(name), str(self.folder / name))

    def is_lossy(self, name: str) -> bool:
        """True if the file is of a form that loses pixels, as JPEG does."""
        return _is_lossy(self._beginning(name))

    def bare(self, name: str) -> PhotoFile | None:
        """The file without metadata; None where a viewer without them would show another picture than ``open``."""
        return bare_file(self._unchanged(name), str(self.folder / name))

    def _unchanged(self, name: str) -> bytes:
        data = self._read(name)
        known = self._digests.get(name)
        # The digest is part of the ids of pictures, so answers to the old photo would count for the new one.
        if known is not None and _digest_of(data) != known:
            raise DataError(f"Expected {self._shown(name)} to stay as it is, but it has changed: start again")
        return data

    def _beginning(self, name: str) -> bytes:
        try:
            with open_input(self._file(name)) as file:
                return file.read(_HEAD_BYTES)
        except OSError as error:
            raise DataError(self._unreadable(name, error)) from error

    def _read(self, name: str) -> bytes:
        """The bytes of the file, which is not truncated."""
        file = self._file(name)
        try:
            data = read_bytes(file, MAX_PHOTO_BYTES)
        except OSError as error:
            raise DataError(self._unreadable(name, error)) from error
        return self._whole(name, data)

    def _whole(self, name: str, data: bytes) -> bytes:
        """The bytes of the photo, if they are not truncated."""
        if not is_whole(data):
            raise DataError(f"Expected a whole photo, but {self._shown(name)} is truncated: fetch it again")
        return data

    def _file(self, name: str) -> Path:
        """The file, which is there and not empty."""
        if not self.size_bytes(name):
            raise DataError(f"Expected a photo, but {self._shown(name)} is empty: fetch it again")
        return self.folder / self._others.get(name, name)

    def _size_bytes(self, name: str) -> int | None:
        """The size of the file, or None."""
        if name in self._others:
            return self._size_of_file(self._others[name])
        others = tuple(_other_writings(name))
        # As it is written first: "50%20off.jpg" may be the true name. A backslash never counts as part of a name.
        if "\\" not in name:
            found = self._size_of_file(name)
            if found is not None or not others:
                return found
        for other in others:
            found = None if "\\" in other or _advice_against(other) else self._size_of_file(other)
            if found is not None:
                self._others[name] = other
                return found
        if "\\" in name:
            self._refuse_outside(name)  # always raises here: its advice is the separator, or the file that is meant
        return None

    def _size_of_file(self, name: str) -> int | None:
        self._refuse_outside(name)
        try:
            found = self._status(name)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except (OSError, RuntimeError) as error:  # RuntimeError: links in a circle, in Python before 3.13
            raise DataError(self._unreadable(name, error)) from error
        if not S_ISREG(found.st_mode):
            raise DataError(f"Expected a photo, but {self._shown(name)} is no file: put the photo itself there")
        return found.st_size

    def _status(self, name: str) -> os.stat_result:
        """The status of the file. Only links are resolved: this is called for every record, and paths take time."""
        place = self._named
        *folders, file = name.split("/")
        for folder in folders:  # each one, as a linked folder within the name may lead outside, too
            place = f"{place}/{folder}"
            if S_ISLNK(os.lstat(place).st_mode):
                return self._status_of_link(name)
        status = os.lstat(f"{place}/{file}")
        return self._status_of_link(name) if S_ISLNK(status.st_mode) else status

    def _status_of_link(self, name: str) -> os.stat_result:
        if not (self.folder / name).resolve(strict=True).is_relative_to(self._root):
            raise DataError(
                f"Expected a photo within {short_path(self.folder)}, but {self._shown(name)} is a link that leads "
                "outside: put the photo itself there"
            )
        return (self.folder / name).stat()

    def _refuse_outside(self, name: str) -> None:
        advice = _advice_against(name.replace("\\", "/"))
        if not advice and "\\" in name:  # and no other writing of the name is a file
            near = _NearNames.of(self.folder).find(name)
            advice = f"is it {short_repr(near)}? Rename one of them" if near else "write / between folders"
        if advice:
            raise DataError(
                f"Expected the name of a photo within {short_path(self.folder)}, but got name={short_repr(name)}: "
                f"{advice}"
            )

    def _shown(self, name: str) -> str:
        return short_path(self.folder, name)

    def _unreadable(self, name: str, error: Exception) -> str:
        said = f"{self._shown(name)} cannot be read ({error_reason(error)})"
        return f"Expected a photo, but {said}: rename it, or make it readable"


def check_folder(folder: Path, argument: str = "folder") -> None:
    """Raises DataError if there is no such folder of photos, which the user gave as ``argument``."""
    try:
        why = "" if folder.is_dir() else "there is no such folder"
    except OSError as error:
        why = f"it cannot be read ({error_reason(error)})"
    if why:
        raise DataError(f"Expected a folder of photos, but got {argument}={short_path(folder)}: {why}")


def unreadable_folder(folder: str, error: OSError) -> DataError:
    """The error of a folder of photos, or of one in it, that cannot be read."""
    said = f"{short_path(folder)} cannot be read ({error_reason(error)})"
    return DataError(f"Expected a folder of photos, but {said}: make it readable")


def _advice_against(name: str) -> str:
    """The advice on a name that is not of a file within a folder, or ""."""
    if _CONTENT.match(name):
        return "it is a photo in base64, so save it as a file there"
    if "://" in name:
        return "save the photo there, since none is fetched"
    if not name or name.startswith("/") or _DRIVE.match(name):
        return "give it relative to that folder"
    if ".." in name.split("/"):
        return "it must not lead out of the folder"
    return "no name of a file holds such characters" if _NO_CHARACTER.search(name) else ""


def _other_writings(name: str) -> Iterator[str]:
    """Other names of the same file: an export writes separators of Windows, URLs, or letters as macOS does."""
    if name.isascii() and "%" not in name and "\\" not in name:
        return
    plain = name.replace("\\", "/")
    decoded = unquote(plain)
    found = (plain, decoded, *(normalize(form, each) for each in (plain, decoded) for form in ("NFC", "NFD")))
    yield from (each for each in dict.fromkeys(found) if each != name)


class _NearNames:
    """The files of a folder by what is left of a name without case, folders and ways to write letters."""

    def __init__(self, folder: Path) -> None:
        self._files: dict[str, str] = {}
        self._stems: dict[str, str] = {}
        with suppress(OSError):
            for place, file in enumerate(folder.rglob("*")):
                if place >= _MOST_LISTED:
                    break
                if file.is_file():
                    relative = file.relative_to(folder).as_posix()
                    # The first of two that are alike is offered: the message asks, and takes none by itself.
                    self._files.setdefault(_bare(relative), relative)
                    self._stems.setdefault(_bare(relative).rpartition(".")[0], relative)

    @classmethod
    @lru_cache(maxsize=8)  # where no photo is found, thousands of messages ask about one folder
    def of(cls, folder: Path) -> _NearNames:
        return cls(folder)

    def find(self, name: str) -> str:
        """The file that may be meant; "" if there is none like it."""
        bare = _bare(name)
        found = self._files.get(bare) or self._stems.get(bare.rpartition(".")[0] or bare)
        if found or len(self._files) > _MOST_COMPARED:
            return found or ""
        near = get_close_matches(bare, self._files, n=1, cutoff=0.85)
        # A neighbour in a numbered series is another photo.
        return self._files[near[0]] if near and _DIGITS.sub("", near[0]) != _DIGITS.sub("", bare) else ""


def plain_name(name: str) -> str:
    """The name in one of its writings: with /, without %20, with composed letters."""
    return normalize("NFC", unquote(name.replace("\\", "/")))


def _bare(name: str) -> str:
    # Names from web pages have "&amp;" for "&".
    file = html.unescape(plain_name(name)).rpartition("/")[2].casefold().strip()
    return _ADDED.sub("", file)


def _digest_of(data: bytes) -> str:
    return sha256(data).hexdigest()[:16]


def _bytes_of(image: Image.Image) -> int:
    return image.width * image.height * len(image.getbands())


def decode(data: bytes, file: str) -> Image.Image:
    """The first frame of the image, RGB uint8, turned as its EXIF says, on white where it is transparent.

    Raises:
        DataError: the bytes are no image, a broken one, or one of more pixels than Pillow allows; it names ``file``.
    """
    return _read(BytesIO(without_end(data)), file, _decoded)


def size_px(file: Path) -> tuple[int, int]:
    """Width and height of the image as ``decode`` gives it, without decoding.

    Raises:
        DataError: the file is no image, or one of more pixels than Pillow allows.
    """
    return _read(file, str(file), _size)


def size_px_of(data: bytes, file: str) -> tuple[int, int]:
    """``size_px`` of the bytes of an image; errors name ``file``."""
    return _read(BytesIO(data), file, _size)


def head_of(data: bytes, file: str) -> PhotoHead:
    """The head of the bytes of an image; errors name ``file``."""
    return _read(BytesIO(data), file, _head)


def _read(source: BytesIO | Path, file: str, take: Callable[[Image.Image], T]) -> T:
    try:
        with refusing_truncated_images(), Image.open(source, formats=FORMATS) as image:
            most = Image.MAX_IMAGE_PIXELS
            # Pillow itself only warns from here on, and raises at twice as many.
            if most is not None and image.width * image.height > most:
                raise Image.DecompressionBombError(f"{image.width} x {image.height} px are more than {most}")
            return take(image)
    except (Image.DecompressionBombError, Image.DecompressionBombWarning) as error:
        raise DataError(
            f"Expected a photo of a sane size, but {short_path(file)} has too many pixels ({error_reason(error)}): "
            "scale it down, or fetch it again"
        ) from error
    except UnidentifiedImageError as error:
        raise DataError(
            f"Expected a photo ({', '.join(FORMATS)}), but {short_path(file)} is no image, or a broken one "
            f"(it begins with {short_repr(_first_bytes(source))}): put the photo itself there"
        ) from error
    except _UnfitPixelsError as error:
        raise DataError(
            f"Expected a photo, but {short_path(file)} has no greys ({error}): write it with 8 bits, and without them"
        ) from error
    except Exception as error:  # Pillow's readers raise any exception on a broken file
        no_file = isinstance(error, OSError) and error.errno is not None
        wrong, advice = ("cannot be read", "make it readable") if no_file else ("is broken", "fetch it again")
        raise DataError(
            f"Expected a photo, but {short_path(file)} {wrong} ({error_reason(error)}): {advice}"
        ) from error


def _first_bytes(source: BytesIO | Path) -> bytes:
    if isinstance(source, BytesIO):
        return source.getvalue()[:_FIRST_BYTES]
    with open_input(source) as file:
        return file.read(_FIRST_BYTES)


def _decoded(image: Image.Image) -> Image.Image:
    turned = image.format != "TIFF" and _orientation(image) != 1  # Pillow's reader of TIFF turns it
    image.load()
    shown = to_rgb(ImageOps.exif_transpose(image) if turned else image)
    # Pillow would write them into the files of edited twins: a profile or an orientation of XMP, which some viewers
    # apply, and comments on where the photo was taken.
    shown.info = {}
    return shown


def _size(image: Image.Image) -> tuple[int, int]:
    width, height = image.size
    if image.format == "TIFF":  # some versions of Pillow say the size before it is turned, some after
        tags = image.getexif()
        width, height = tags[_TIFF_WIDTH], tags[_TIFF_HEIGHT]
    return (height, width) if _orientation(image) in _QUARTER_TURNS else (width, height)


def _head(image: Image.Image) -> PhotoHead:
    # Pillow opens 16 bits a colour as RGB of 8: only the decoder's raw mode ("RGB;16B") says so. "I" keeps all bits.
    is_deep = not image.mode.startswith("I") and ";16" in str(getattr(image, "tile", ""))
    has_alpha = "transparency" in image.info or image.mode in _WITH_ALPHA
    return PhotoHead(orientation=_orientation(image), is_deep=is_deep, has_alpha=has_alpha)


def _orientation(image: Image.Image) -> int:
    """The orientation of EXIF, from 1 (upright, the default) to 8.

    EXIF behind the pixels of a PNG is ignored, as in browsers: Pillow would decode the pixels to read it.
    """
    if image.format == "PNG" and "exif" not in image.info:
        return 1
    try:
        if image.format == "TIFF":
            found = image.getexif().get(_ORIENTATION, 1)
        else:
            # Image.getexif() takes over the orientation of XMP, which browsers ignore.
            exif = Image.Exif()
            exif.load(image.info.get("exif", b""))
            found = exif.get(_ORIENTATION, 1)
    except Exception:  # viewers, and so annotators, ignore broken EXIF
        return 1
    return found if found in range(1, 9) else 1


def is_whole(data: bytes) -> bool:
    """False if a JPEG or PNG lacks its end mark, which padding or a camera's own data may follow."""
    if data.startswith(_PNG_START):
        return _PNG_END in data
    if data.startswith(_JPEG_START):
        # After the head only: a thumbnail in EXIF has an end mark of its own.
        return data.rstrip(b"\0").endswith(_JPEG_END) or _JPEG_END in data[_JpegHead.of(data).pixels :]
    return True


def without_end(data: bytes) -> bytes:
    """The bytes without the end mark of a JPEG, so that Pillow refuses one with missing pixels; others unchanged.

    At the mark, Pillow leaves missing pixels grey: half a photo of a torn file, and often where a block in the middle
    was lost. Without the mark it raises an error. A JPEG of several passes needs the mark, and stays as it is.
    """
    if not data.startswith(_JPEG_START):
        return data
    head = _JpegHead.of(data)
    end = data.find(_JPEG_END, head.pixels)
    return data[:end] + _PADDING if head.is_one_pass and end >= 0 else data


@dataclass(frozen=True, slots=True)
class _JpegHead:
    """What the segments before the pixels of a JPEG say."""

    pixels: int
    """The offset of the pixels, after thumbnails."""
    is_one_pass: bool
    """They come in one scan of all channels; a progressive JPEG has several scans."""

    @classmethod
    def of(cls, data: bytes) -> _JpegHead:
        place, frame, channels = len(_JPEG_START), 0, 0
        # A segment is 0xFF, its mark, and its length in two bytes, which counts itself.
        while place + 4 <= len(data) and data[place] == 0xFF and data[place + 1] != _SCAN:
            if data[place + 1] in _FRAMES:  # after the length: precision, height and width in 5 bytes, then channels
                frame, channels = data[place + 1], int.from_bytes(data[place + 9 : place + 10])
            place += 2 + int.from_bytes(data[place + 2 : place + 4])
        in_first_pass = int.from_bytes(data[place + 4 : place + 5])
        return cls(pixels=place, is_one_pass=frame in _SEQUENTIAL and channels == in_first_pass)


def bare_file(data: bytes, file: str) -> PhotoFile | None:
    """A JPEG, PNG or WebP file without metadata, which may hold the place where the photo was taken.

    A colour profile or an EXIF orientation is not left either: some servers apply it and others do not. The compressed
    pixels stay as they are. None for a file of another form, and for one that would not show what ``decode`` gives:
    turned, deep, gray, transparent, or of several frames.

    Raises:
        DataError: as ``decode``; it names ``file``.
    """
    form = _read(BytesIO(without_end(data)), file, _plain_format)
    content = _BARE[form](data) if form else b""
    return PhotoFile(f"image/{form.lower()}", content) if content else None


def _plain_format(image: Image.Image) -> str:
    """The format of an image of RGB pixels as they are to be seen; "" for any other."""
    head = _head(image)
    is_plain = image.mode == "RGB" and head.orientation == 1 and not head.is_deep and not head.has_alpha
    if not is_plain or image.format not in _BARE or getattr(image, "n_frames", 1) > 1:
        return ""
    # A server that decodes a damaged file leaves part of it grey, and its answers would count. At an eighth of its size
    # a JPEG is read as far as its last block all the same, in two thirds of the time.
    image.draft(None, (1, 1))
    image.load()
    return image.format or ""


def _bare_jpeg(data: bytes) -> bytes:
    """The JPEG without metadata, and what follows its end; b"" if it has no end."""
    kept, place = [_JPEG_START], len(_JPEG_START)
    while (found := _next_mark(data, place)) >= 0:
        # The pixels of a scan, if the last segment began one.
        kept.append(data[place:found])
        if data[found + 1] == _END_MARK:
            return b"".join((*kept, _JPEG_END))
        place = found + 2 + int.from_bytes(data[found + 2 : found + 4])
        if data[found + 1] not in _JPEG_METADATA:
            kept.append(data[found:place])
    return b""


def _next_mark(data: bytes, place: int) -> int:
    """The offset of the next mark of a JPEG; -1 without any."""
    # Not by a regular expression, which takes ten times as long.
    while 0 <= (place := data.find(0xFF, place)) < len(data) - 1:
        if data[place + 1] not in _NO_MARKS:
            return place
        place += 1
    return -1


def _bare_png(data: bytes) -> bytes:
    """The PNG with the chunks that every viewer must read: their names begin with a capital."""
    kept, place = [_PNG_START], len(_PNG_START)
    while place + 8 <= len(data):
        # A chunk is its length, its name, its content, and a checksum of four bytes.
        end = place + 12 + int.from_bytes(data[place : place + 4])
        name = data[place + 4 : place + 8]
        if name[:1].isupper():
            kept.append(data[place:end])
        if name == b"IEND":
            break
        place = end
    return b"".join(kept)


def _bare_webp(data: bytes) -> bytes:
    """The WebP; b"" if it is an extended file (VP8X), which may hold a profile."""
    return data if data[12:16] in (b"VP8 ", b"VP8L") else b""


_BARE: Mapping[str, Callable[[bytes], bytes]] = {"JPEG": _bare_jpeg, "PNG": _bare_png, "WEBP": _bare_webp}


def _is_lossy(beginning: bytes) -> bool:
    is_webp = beginning.startswith(b"RIFF") and beginning[8:12] == b"WEBP"
    return beginning.startswith(_JPEG_START) or (is_webp and beginning[12:16] != b"VP8L")


class _UnfitPixelsError(ValueError):
    """The numbers of a whole file are no greys: infinite ones, or one outlier beside which all others look alike."""


def to_rgb(image: Image.Image) -> Image.Image:
    """``image`` as RGB uint8, on white where it is transparent, 16 bits scaled to 8; not copied if it is RGB.

    Raises:
        ValueError: its pixels have no meaning as RGB, or its palette is missing.
    """
    if image.mode == "P" and image.palette is None:  # such a PNG opens, but has no colours
        raise ValueError("it has no palette")
    if image.mode.startswith("I") or image.mode == "F":
        return _from_numbers(image).convert("RGB")
    if "transparency" in image.info or image.mode in _WITH_ALPHA:
        return _on_white(image)
    return image if image.mode == "RGB" else image.convert("RGB")  # convert would copy, in half the time of decoding


def _on_white(image: Image.Image) -> Image.Image:
    seen = image if image.mode == "RGBA" else image.convert("RGBA")
    return Image.alpha_composite(Image.new("RGBA", seen.size, _WHITE), seen).convert("RGB")


def _from_numbers(image: Image.Image) -> Image.Image:
    """Numbers as grey, scaled by the least range that holds them all: of a float, or of 8 to 16 bits.

    A file of 16 bits may hold the values of a camera of 10, 12 or 14, or of 8, which would show as black. Nothing in
    the file tells them from a dark photo of 16 bits, which so becomes brighter. Values beyond 16 bits, or below 0, are
    scaled by their extremes. A TIFF may say that its numbers have no sign, or that 0 is white; Pillow reads neither.
    """
    tags: Mapping[int, object] = getattr(image, "tag_v2", {})
    numbers = np.asarray(image)
    # Without the tag, numbers of a TIFF are unsigned (1); Pillow reads those of 32 bits as signed.
    is_unsigned = image.mode == "I" and tags and tags.get(_TIFF_SAMPLE_FORMAT, (1,)) == (1,)
    values = (numbers.view(np.uint32) if is_unsigned else numbers).astype(np.float64)
    if not np.isfinite(values).all():
        raise _UnfitPixelsError("some of its pixels are no finite numbers")
    low, high = values.min(), values.max()
    ranges = (1, *_RANGES) if image.mode == "F" else _RANGES  # floats mostly run from 0 to 1
    top = next((each for each in ranges if low >= 0 and high <= each), 0)
    if not top:
        first, last = np.percentile(values, (1, 99))
        if last - first < _LEAST_SPREAD * (high - low):  # one outlier would leave all others one grey
            raise _UnfitPixelsError(f"a few pixels of {low:g} or {high:g} leave one grey to all others")
        values, top = values - low, high - low or 1
    grey = np.rint(values / top * 255).astype(np.uint8)
    return Image.fromarray(255 - grey if tags.get(_TIFF_PHOTOMETRIC) == 0 else grey)


@dataclass(slots=True)
class _Strictness:
    """The state of ``refusing_truncated_images``, whose setting Pillow has once for all threads."""

    readers: int = 0
    """Threads within it."""
    before: bool = False
    """The setting before the first of them."""
    lock: Lock = field(default_factory=Lock)


_now = _Strictness()


@contextmanager
def refusing_truncated_images() -> Iterator[None]:
    """Within it a torn image is an error, in every thread; the setting comes back when the last thread has left."""
    with _now.lock:
        if not _now.readers:
            _now.before, ImageFile.LOAD_TRUNCATED_IMAGES = ImageFile.LOAD_TRUNCATED_IMAGES, False
        _now.readers += 1
    try:
        yield
    finally:
        with _now.lock:
            _now.readers -= 1
            if not _now.readers:
                ImageFile.LOAD_TRUNCATED_IMAGES = _now.before


def sample_indices(count: int, most: int = _LOOKED_AT) -> range:
    """Some indices, ``most`` at most, at equal distances of ``count`` from 0 on."""
    return range(0, count, max(1, -(-count // most)))


def mean_colour(images: Iterable[Image.Image]) -> Colour:
    """The mean over all pixels of ``images`` (RGB uint8, each image weighing the same), rounded; gray without any."""
    means = [np.asarray(image).reshape(-1, 3).mean(axis=0) for image in images]
    if not means:
        return (128, 128, 128)
    red, green, blue = np.mean(means, axis=0).round().astype(int).tolist()
    return (red, green, blue)


@dataclass(frozen=True, slots=True, kw_only=True)
class PhotoFolders:
    """The photos of some folders together; where two have a photo of one name, the first folder's."""

    root: Path
    """The nearest folder that holds all of them, links followed."""
    files: Mapping[str, str] = field(repr=False)
    """The file of each photo relative to ``root``, with forward slashes, by its name alone."""
    state: str
    """Changes whenever a photo comes, goes, or is replaced."""

    @classmethod
    def of(cls, folders: Iterable[Path]) -> PhotoFolders | None:
        """The photos in those of ``folders`` that are there; None where none is.

        Raises:
            DataError: a folder cannot be read.
        """
        # Links are followed here, as PhotoFiles refuses photos that a link within its folder has outside.
        there = list(dict.fromkeys(folder.resolve() for folder in folders if folder.is_dir()))
        if not there:
            return None
        root = Path(os.path.commonpath(there))
        files: dict[str, str] = {}
        stats: list[str] = []
        for folder in there:
            start = "" if folder == root else f"{folder.relative_to(root).as_posix()}/"
            try:
                with os.scandir(folder) as entries:
                    # The data sets in several folders name all photos ID.jpg.
                    photos = [entry for entry in entries if entry.name.endswith(".jpg")]
            except OSError as error:
                raise unreadable_folder(str(folder), error) from error
            for entry in photos:
                if entry.name in files:
                    continue
                try:
                    stat = entry.stat()
                except OSError:
                    continue  # a broken link: its record is reported as one without a photo
                files[entry.name] = start + entry.name
                stats.append(f"{entry.name} {stat.st_size} {stat.st_mtime_ns}")
        return cls(root=root, files=files, state=digest(str(root), *sorted(stats)))

    def file(self, name: str, where: str) -> str:
        """The file of the photo of this name, relative to ``root``.

        Raises:
            DataError: there is none; the text begins with ``where``, the record that names the photo.
        """
        if name not in self.files:
            raise DataError(f"{where}: Expected its photo in {self.root}, but there is no {short_repr(name)}: add it")
        return self.files[name]
