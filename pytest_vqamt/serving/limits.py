"""Resolves and bounds the pictures of requests: no picture of a billion pixels, no endless blur."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from io import BytesIO
from typing import TYPE_CHECKING, TypeAlias, cast

from pytest_vqamt.core.codec import Json
from pytest_vqamt.core.edits import MAX_PIXELS, Beside, Cutout, Edit, Erase, Fill, Insert, edit_from_row
from pytest_vqamt.core.errors import DataError, VqamtError
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.query import Failure
from pytest_vqamt.core.scene import Photo, Scene
from pytest_vqamt.core.text import count_noun
from pytest_vqamt.data.base import SceneSource
from pytest_vqamt.execution.prefetch import RenderPrefetcher
from pytest_vqamt.imaging.inpainting import KINDS, LAMA, checkpoint_of
from pytest_vqamt.models.served.protocol import MAX_WORK, PixelsNeeded
from pytest_vqamt.models.served.requests import PictureRow, PngRow

if TYPE_CHECKING:
    from PIL.Image import Image


Renderer: TypeAlias = "Callable[[Picture], Image]"
ResolvedPicture: TypeAlias = "tuple[Picture, Renderer]"


def check_edit(row: Json) -> Edit:
    """The edit of a recipe, if its values are within bounds and its inpainter is available here.

    Raises:
        DataError: it is no such edit.
        RenderError: the server was not given the checkpoint of its inpainter.
    """
    edit = edit_from_row(row)
    if isinstance(edit, Erase) and edit.fill is Fill.INPAINT:
        kind, _, rest = edit.method.partition(":")
        if kind == LAMA:
            checkpoint_of(rest)
        elif edit.method not in KINDS:
            raise DataError(f"Expected an inpainter ({', '.join(KINDS)}), but got method={edit.method!r}")
    return edit


def check_picture(picture: Picture) -> None:
    """Raises DataError if the picture is empty or too large."""
    width, height = picture.scene.width, picture.scene.height
    if not (width > 0 and height > 0 and width * height <= MAX_PIXELS):
        raise DataError(f"Expected a picture of 1 to {MAX_PIXELS} pixels, but the recipe gives {width} x {height}")


class PictureResolver:
    """Resolves the pictures of requests in the served data. No file is opened that is not part of that data.

    Without ``draws`` the model looks at no pixels, and no picture takes too long.
    """

    def __init__(self, sources: Sequence[SceneSource], batch_size: int, *, draws: bool = True) -> None:
        self._draws = draws
        self._sources = tuple((source, RenderPrefetcher(source, batch_size)) for source in sources)

    def resolve(self, row: PictureRow) -> ResolvedPicture | Failure | PixelsNeeded:
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

    def _resolve(self, row: dict[str, Json]) -> ResolvedPicture | PixelsNeeded:
        photo, digest = str(row["photo"]), row["digest"]
        edits = [check_edit(each) for each in cast("list[Json]", row["edits"])]
        for source, prefetcher in self._sources:
            scene = _scene(source, photo)
            if scene is None:
                continue
            picture = _edited(scene, edits, source)
            if picture.digest == digest and self._draws and picture.work > MAX_WORK:
                return PixelsNeeded(
                    reason="Expected a picture that is drawn within seconds, but "
                    f"{count_noun(len(edits), 'edit')} of the recipe may take more: send its pixels "
                    "(--vqamt-option send=png)"
                )
            if picture.digest == digest:
                return picture, prefetcher.image
        served = ", ".join(source.spec for source, _ in self._sources) or "no data"
        return PixelsNeeded(reason=f"Expected a picture of what is served ({served}), but got photo={photo[:200]!r}")


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
