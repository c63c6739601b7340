"""Pictures as JSON recipes, and back."""

from __future__ import annotations

from collections.abc import Callable
from reprlib import repr as shortened

from pytest_vqamt.core.codec import Json, encode
from pytest_vqamt.core.edits import check_growth, edit_from_row
from pytest_vqamt.core.errors import DataError
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.scene import Scene


def picture_recipe(picture: Picture) -> dict[str, Json]:
    """The picture as JSON: the id of its photo, its digest, and its edits."""
    return {"photo": picture.photo.id, "digest": picture.digest, "edits": encode(picture.edits)}


def picture_from_recipe(row: Json, scene_of: Callable[[str], Scene]) -> Picture:
    """The picture that ``picture_recipe`` made ``row`` from; ``scene_of`` finds a scene by the id of its photo.

    Raises:
        DataError: the row is no recipe that this version reads, or the photo has changed.
    """
    match row:
        case {"photo": str(photo), "digest": str(digest), "edits": list(edits)}:
            picture = _edited(scene_of(photo).picture, edits)
        case _:
            raise DataError(
                f"Expected a recipe of 'photo', 'digest' and 'edits', but got picture={shortened(row)}: "
                "leave its fields as they were"
            )
    if picture.digest != digest:
        raise DataError(
            f"Expected the photo that the picture was made of, but photo={photo!r} gives digest={picture.digest!r} "
            f"and not {digest!r}: name the same data"
        )
    return picture


def _edited(picture: Picture, edits: list[Json]) -> Picture:
    photographed = picture.scene
    try:
        for row in edits:
            picture = picture.edit(edit_from_row(row))
            check_growth(photographed, picture.scene)
    except (DataError, RecursionError) as error:
        raise DataError(f"Expected a recipe that this version reads: {error}") from error
    return picture
