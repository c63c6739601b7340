"""The pictures that may be asked about: those whose recipes name photos of the served data, and PNG files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, TypeAlias, cast

from pytest_vqamt.core.codec import Json, decode
from pytest_vqamt.core.edits import Cutout, Edit, Insert
from pytest_vqamt.core.errors import DataError, VqamtError
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.query import Failure
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.data.base import SceneSource
from pytest_vqamt.execution.render_ahead import RenderAhead
from pytest_vqamt.execution.serving.png import PngFile
from pytest_vqamt.models.served.protocol import PictureRow, PngRow, Unknown
from pytest_vqamt.serving.limits import check_edit, check_picture

if TYPE_CHECKING:
    from PIL.Image import Image


Drawn: TypeAlias = "Callable[[Picture], Image]"
Shown: TypeAlias = "tuple[Picture, Drawn]"
"""A picture, and what draws it."""


class Gallery:
    """What the data of a server has to show. Nothing is opened before its name was found among what is served."""

    def __init__(self, sources: Sequence[SceneSource], batch_size: int) -> None:
        self._sources = tuple((source, RenderAhead(source, batch_size)) for source in sources)

    def show(self, row: PictureRow) -> Shown | Failure | Unknown:
        """The picture that a row of a request describes, or why there is none."""
        try:
            if isinstance(row, PngRow):
                file = PngFile(row)
                return file.picture, file.image
            return self._found(row.row)
        except VqamtError as error:
            return Failure(reason=str(error))
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
            # A recipe may hold anything of any type; what it cannot be made of is its sender's mistake.
            return Failure(reason=f"Expected a picture that can be shown, but got {type(error).__name__}: {error}")

    def expect(self, shown: Iterable[Shown], batch_size: int) -> None:
        """Tells which pictures are looked at next, so that they are drawn ahead."""
        pictures = [(picture, drawn) for picture, drawn in shown]
        for _, ahead in self._sources:
            ahead.expect([picture for picture, drawn in pictures if drawn == ahead.image], batch_size)

    def close(self) -> None:
        for _, ahead in self._sources:
            ahead.close()

    def _found(self, row: dict[str, Json]) -> Shown | Unknown:
        photo, digest = str(row["photo"]), row["digest"]
        edits = [check_edit(decode(each)) for each in cast("list[Json]", row["edits"])]
        for source, ahead in self._sources:
            scene = _scene(source, photo)
            if scene is None:
                continue
            picture = _edited(scene, edits, partial(_check_cutout, source))
            if picture.digest == digest:
                return picture, ahead.image
        served = ", ".join(source.spec for source, _ in self._sources) or "no data"
        return Unknown(reason=f"Expected a picture of what is served ({served}), but got photo={photo[:200]!r}")


def _scene(source: SceneSource, photo_id: str) -> Scene | None:
    """The scene of a photo; None where the source has none of this id."""
    try:
        place = source.place(photo_id)
    except (DataError, LookupError, ValueError):
        return None
    return source.scene(place)


def _edited(scene: Scene, edits: Sequence[Edit], check_cutout: Callable[[Cutout], None]) -> Picture:
    """The photo of the scene, edited; each step is checked before the next is taken."""
    picture = scene.picture
    for edit in edits:
        if isinstance(edit, Insert):
            check_cutout(edit.cutout)
        picture = picture.edit(edit)
        check_picture(picture)
    return picture


def _check_cutout(source: SceneSource, cutout: Cutout) -> None:
    """Refuses a cut-out of a photo that the source does not have, or of a thing that is not on it."""
    scene = _scene(source, cutout.photo.id)
    if scene is None or scene.photo != cutout.photo:
        raise DataError(f"Expected a cut-out of a photo of {source.spec}, but got photo={cutout.photo.id[:200]!r}")
    if all(thing.id != cutout.thing.id for thing in scene.objects):
        raise DataError(
            f"Expected a cut-out of a thing of photo {cutout.photo.id!r}, but got {cutout.thing.id[:200]!r}"
        )
