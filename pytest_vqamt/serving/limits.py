"""Resolves and bounds the pictures of requests: no picture of a billion pixels, no endless blur."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from io import BytesIO
from typing import TYPE_CHECKING, TypeAlias, cast

import msgspec

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.codec import Json, decode
from pytest_vqamt.core.edits import (
    EDITS,
    MOST_TILTED,
    Beside,
    Blur,
    Colour,
    Corrupt,
    Cutout,
    Edit,
    Erase,
    Fill,
    Insert,
    Jpeg,
    Mask,
    Pad,
    Rotate,
    Tilt,
    Write,
)
from pytest_vqamt.core.errors import DataError, VqamtError
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.query import Failure
from pytest_vqamt.core.scene import Photo, Scene
from pytest_vqamt.data.base import SceneSource
from pytest_vqamt.execution.prefetch import RenderPrefetcher
from pytest_vqamt.imaging.inpainting import KINDS, LAMA, checkpoint_of
from pytest_vqamt.models.served.protocol import UnknownPhoto, error_line
from pytest_vqamt.models.served.requests import PictureRow, PngRow

if TYPE_CHECKING:
    from PIL.Image import Image


Renderer: TypeAlias = "Callable[[Picture], Image]"
ResolvedPicture: TypeAlias = "tuple[Picture, Renderer]"

MAX_PIXELS = 50_000_000
"""Of a picture, and of anything that is pasted onto it. The photo of a phone has 12 to 50 million."""

_MAX_PX = 100_000.0
"""Bounds coordinates, sides and all other numbers of an edit."""

_MAX_SIGMA_PX = 1_000.0
_MAX_BOXES = 500
"""Per edit; each box costs work."""
_MAX_TEXT = 500


def check_edit(edit: object) -> Edit:
    """Returns ``edit`` if its values are within bounds and its inpainter is available here.

    Raises:
        DataError: it is no such edit.
        RenderError: the server was not given the checkpoint of its inpainter.
    """
    if not isinstance(edit, EDITS):
        raise DataError(f"Expected an edit, but got one of type {type(edit).__name__}")
    name = type(edit).__name__
    try:
        msgspec.convert(msgspec.to_builtins(edit), type(edit))  # a recipe may hold values of any type
    except (msgspec.MsgspecError, TypeError, RecursionError) as error:
        raise DataError(f"Expected an edit {name} that can be read, but got: {error_line(error)}") from None
    values = list(_values(edit))
    for number in (value for value in values if isinstance(value, int | float)):
        if not abs(number) <= _MAX_PX:  # NaN included
            raise DataError(f"Expected numbers up to {_MAX_PX:g} in an edit {name}, but got {number!r}")
    boxes = [value for value in values if isinstance(value, Box)]
    if len(boxes) > _MAX_BOXES:
        raise DataError(f"Expected at most {_MAX_BOXES} boxes in an edit {name}, but got {len(boxes)}")
    if any(box.w < 0 or box.h < 0 for box in boxes):
        raise DataError(f"Expected boxes of no negative size in an edit {name}")
    match edit:
        case Blur(sigma_px=sigma) if not 0 <= sigma <= _MAX_SIGMA_PX:
            raise DataError(f"Expected a blur with a sigma from 0 to {_MAX_SIGMA_PX:g} px, but got sigma_px={sigma!r}")
        case Insert(box=box) if box.area > MAX_PIXELS:
            raise DataError(f"Expected a cut-out of at most {MAX_PIXELS} pixels, but got box={box!r}")
        case Corrupt(severity=severity) if severity not in (1, 2, 3, 4, 5):
            raise DataError(f"Expected a corruption of severity 1 to 5, but got severity={severity!r}")
        case Jpeg(quality=quality) if not 1 <= quality <= 95:
            raise DataError(f"Expected a JPEG quality from 1 to 95, but got quality={quality!r}")
        case Rotate(degrees=degrees) if degrees not in (90, 180, 270):
            raise DataError(f"Expected a turn by 90, 180 or 270 degrees, but got degrees={degrees!r}")
        case Tilt(degrees=degrees) if not 0 < abs(degrees) <= MOST_TILTED:
            raise DataError(f"Expected a tilt by 1 to {MOST_TILTED} degrees, but got degrees={degrees!r}")
        case Beside(second=second, gap=gap) if min(second.width, second.height) < 1 or gap < 0:
            raise DataError(
                "Expected a second picture of 1 x 1 pixels or more and a gap of 0 or more, but got "
                f"width={second.width!r}, height={second.height!r}, gap={gap!r}"
            )
        case Write(text=text) if len(text) > _MAX_TEXT:
            raise DataError(f"Expected a text of at most {_MAX_TEXT} characters to write, but got {len(text)}")
        case Erase(fill=Fill.INPAINT, method=method):
            kind, _, rest = method.partition(":")
            if kind == LAMA:
                checkpoint_of(rest)
            elif method not in KINDS:
                raise DataError(f"Expected an inpainter ({', '.join(KINDS)}), but got method={method!r}")
    for colour in _colours(edit):
        if not all(0 <= value <= 255 for value in colour):
            raise DataError(f"Expected a colour of three whole numbers from 0 to 255, but got colour={colour!r}")
    checked: Edit = edit  # type: ignore[assignment] # EDITS lists the very types that fit the protocol
    return checked


def _colours(edit: object) -> tuple[Colour, ...]:
    match edit:
        case Mask(colour=colour) | Erase(colour=(_, _, _) as colour) | Pad(colour=colour):
            return (colour,)
        case Beside(colour=colour) | Tilt(colour=colour):
            return (colour,)
        case Write(ink=ink, card=card):
            return ink, card
        case _:
            return ()


def check_picture(picture: Picture) -> None:
    """Raises DataError if the picture is empty or too large."""
    width, height = picture.scene.width, picture.scene.height
    if not (width > 0 and height > 0 and width * height <= MAX_PIXELS):
        raise DataError(f"Expected a picture of 1 to {MAX_PIXELS} pixels, but the recipe gives {width} x {height}")


def _values(value: object) -> Iterator[object]:
    """Yields ``value`` and everything in it."""
    yield value
    if isinstance(value, tuple | frozenset):
        for item in value:
            yield from _values(item)
    elif is_dataclass(value):
        for each in fields(value):
            yield from _values(getattr(value, each.name))


class PictureResolver:
    """Resolves the pictures of requests in the served data. No file is opened that is not part of that data."""

    def __init__(self, sources: Sequence[SceneSource], batch_size: int) -> None:
        self._sources = tuple((source, RenderPrefetcher(source, batch_size)) for source in sources)

    def resolve(self, row: PictureRow) -> ResolvedPicture | Failure | UnknownPhoto:
        """The picture that a row of a request describes, or the reason why there is none."""
        try:
            if isinstance(row, PngRow):
                file = PngPicture(row)
                return file.picture, file.image
            return self._resolve(row.row)
        except VqamtError as error:
            return Failure(reason=str(error))
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
            # A recipe may hold values of any type; the client is at fault.
            return Failure(reason=f"Expected a picture that can be rendered, but got {type(error).__name__}: {error}")

    def expect(self, pictures: Sequence[ResolvedPicture], batch_size: int) -> None:
        """Prefetches the next pictures, in order."""
        for _, prefetcher in self._sources:
            prefetcher.expect([picture for picture, render in pictures if render == prefetcher.image], batch_size)

    def close(self) -> None:
        for _, prefetcher in self._sources:
            prefetcher.close()

    def _resolve(self, row: dict[str, Json]) -> ResolvedPicture | UnknownPhoto:
        photo, digest = str(row["photo"]), row["digest"]
        edits = [check_edit(decode(each)) for each in cast("list[Json]", row["edits"])]
        for source, prefetcher in self._sources:
            scene = _scene(source, photo)
            if scene is None:
                continue
            picture = _edited(scene, edits, source)
            if picture.digest == digest:
                return picture, prefetcher.image
        served = ", ".join(source.spec for source, _ in self._sources) or "no data"
        return UnknownPhoto(reason=f"Expected a picture of what is served ({served}), but got photo={photo[:200]!r}")


def _scene(source: SceneSource, photo_id: str) -> Scene | None:
    """The scene of a photo; None if the source has no such photo."""
    try:
        place = source.place(photo_id)
    except (DataError, LookupError, ValueError):
        return None
    return source.scene(place)


def _edited(scene: Scene, edits: Sequence[Edit], source: SceneSource) -> Picture:
    """Edits the photo of the scene, and checks each step before the next."""
    picture = scene.picture
    for edit in edits:
        if isinstance(edit, Insert):
            _check_cutout(source, edit.cutout)
        if isinstance(edit, Beside):
            _check_second(source, edit.second)
        picture = picture.edit(edit)
        check_picture(picture)
    return picture


def _check_cutout(source: SceneSource, cutout: Cutout) -> None:
    """Raises DataError unless the source has the cut-out's photo, and the photo its object."""
    scene = _scene(source, cutout.photo.id)
    if scene is None or scene.photo != cutout.photo:
        raise DataError(f"Expected a cut-out of a photo of {source.spec}, but got photo={cutout.photo.id[:200]!r}")
    if all(thing.id != cutout.thing.id for thing in scene.objects):
        raise DataError(
            f"Expected a cut-out of a thing of photo {cutout.photo.id!r}, but got {cutout.thing.id[:200]!r}"
        )


def _check_second(source: SceneSource, second: Scene) -> None:
    """Raises DataError unless the source has the photo of the second picture, of the same size."""
    scene = _scene(source, second.photo.id)
    if scene is None or (scene.photo, scene.width, scene.height) != (second.photo, second.width, second.height):
        raise DataError(f"Expected a second picture of {source.spec}, but got photo={second.photo.id[:200]!r}")


class PngPicture:
    """A PNG file, decoded when it is first rendered.

    Attributes:
        picture: a picture without annotations.
    """

    def __init__(self, row: PngRow) -> None:
        """Reads the header alone, and raises DataError if it is no PNG file, or too large."""
        self._row = row
        with _opened(row) as image:
            width, height = image.size
        if width * height > MAX_PIXELS:
            raise DataError(f"Expected a picture of at most {MAX_PIXELS} pixels, but got {width} x {height}")
        photo = Photo(id=f"png-{row.key}", digest=row.key)
        self.picture = Picture(photo=photo, scene=Scene(id=photo.id, photo=photo, width=width, height=height))
        self._image: Image | None = None

    def image(self, _picture: Picture) -> Image:
        """Returns a copy of the pixels, RGB uint8, or raises DataError if the file is broken."""
        if self._image is None:
            with _opened(self._row) as image:
                self._image = image.convert("RGB")
        return self._image.copy()


@contextmanager
def _opened(row: PngRow) -> Iterator[Image]:
    """Opens the file and reads its header. No other format is tried."""
    from PIL import Image

    try:
        with Image.open(BytesIO(row.png), formats=["PNG"]) as image:
            yield image
    except (OSError, SyntaxError, ValueError, Image.DecompressionBombError) as error:
        raise DataError(f"Expected a PNG file that can be read, but got {len(row.png)} bytes: {error}") from error
