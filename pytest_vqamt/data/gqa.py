"""``gqa:DIR``: the scene graphs of GQA, which do not list everything in a photo."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.errors import DataError, OptionError
from pytest_vqamt.core.scene import Photo, Relationship, Scene, Thing
from pytest_vqamt.core.spelling import option
from pytest_vqamt.core.text import short_name
from pytest_vqamt.data.annotations import AnnotatedPhotos, is_multi_coloured
from pytest_vqamt.data.json_io import RecordStream, plain_or_gzip
from pytest_vqamt.data.photo_io import PhotoFiles, PhotoFolders
from pytest_vqamt.data.records import Record
from pytest_vqamt.data.sanity import BoxChecks
from pytest_vqamt.data.scene_index import IndexedScene, SceneIndex

_FILES = ("train_sceneGraphs.json", "val_sceneGraphs.json", "sceneGraphs.json")
"""The published files, or one file in their place."""
_FILE_AND_PHOTOS = re.compile(r"(?P<file>.+?\.json(?:\.gz)?)(?::(?P<photos>.+))?")


def load(argument: str) -> AnnotatedPhotos:
    """The scenes of ``gqa:DIR`` or ``gqa:FILE.json[:IMAGES]``.

    Raises:
        OptionError: there is no such folder or file.
        DataError: a file is damaged, or none of its records can be used.
    """
    given = Path(argument)
    named = _FILE_AND_PHOTOS.fullmatch(argument)
    if argument and given.is_dir():
        files = _found(given)
        folders = [given / "images", given / "allImages" / "images"]
    elif named and Path(named["file"]).is_file():
        given = Path(named["file"])
        files = (given,)
        folders = [Path(named["photos"]) if named["photos"] else given.parent / "images"]
        if named["photos"] and not folders[0].is_dir():
            raise OptionError(
                f"Expected {option('data', 'gqa:FILE:IMAGES')} with a folder, but got IMAGES={named['photos']!r}"
            )
    else:
        raise OptionError(
            f"Expected {option('data', 'gqa:DIR')} or gqa:FILE.json[:IMAGES], but got {argument!r}: "
            "there is no such folder or file"
        )
    photos = PhotoFolders.of(folders)
    annotations = SceneIndex(GqaReader(files, photos))
    size = f"{len(annotations)} scene graphs of {', '.join(path.name for path in files)}"
    return AnnotatedPhotos(
        spec=f"gqa:{argument}",
        description=f"GQA, {size}{'' if photos else ', without photos'}",
        annotations=annotations,
        photos=PhotoFiles(photos.root) if photos else None,
        without=f"put them into {folders[0]}",
    )


class GqaReader:
    """Reads scene graphs as GQA publishes them."""

    kind = "gqa"
    version = 2
    """Raised when the same files give other scenes, so that stored indexes are made anew."""

    def __init__(self, files: tuple[Path, ...], photos: PhotoFolders | None) -> None:
        self.files = files
        self._photos = photos
        self.settings = photos.state if photos else ""

    def records(self, progress: Callable[[int], object], checks: BoxChecks) -> Iterator[IndexedScene | str]:
        for path in self.files:
            for image_id, value in RecordStream(path, progress).members():
                where = f"{path}: image {short_name(image_id)}"
                try:
                    scene = scene_of(Record.of(value, where), image_id, checks)
                    name = scene.photo.id
                    photo_file = self._photos.file(name, where) if self._photos else name
                except DataError as error:
                    yield str(error)
                else:
                    yield IndexedScene(scene=scene, photo_file=photo_file, path=path)


def scene_of(record: Record, image_id: str, checks: BoxChecks) -> Scene:
    """A GQA record as a scene; names stay as they are ("shelves"), in lower case.

    A relation of a thing to itself ("bear on bear") is left out. The setting is the location, or "outdoors" if only the
    weather is known. The ``checks`` take note of its boxes.

    Raises:
        DataError: a field is missing or wrong.
    """
    width, height = record.size()
    frame = Box(0, 0, width, height)
    objects = record.record("objects").row
    things: list[Thing] = []
    relationships: dict[Relationship, None] = {}
    for thing_id, row in record.keyed("objects"):
        attributes = row.names("attributes")
        name = row.name("name")
        given = row.box_of(("x", "y", "w", "h"))
        checks.add(image_id, thing_id, given, frame)
        things.append(
            Thing(
                id=thing_id,
                name=name,
                box=row.within(given, frame, "x"),
                attributes=attributes,
                multi_coloured=is_multi_coloured(attributes, name),
            )
        )
        for each in _relations(row):
            other = each.identity("object")
            if other not in objects:
                raise each.wrong("object", "the id of an object of this image")
            if other != thing_id:  # a dict drops repeats and keeps the order
                relationships[Relationship(subject=thing_id, predicate=each.name("name"), object=other)] = None
    return Scene(
        id=image_id,
        photo=Photo(id=f"{image_id}.jpg", digest=""),
        width=width,
        height=height,
        objects=tuple(things),
        relationships=tuple(relationships),
        setting=_setting(record),
    )


def _relations(row: Record) -> Iterator[Record]:
    """The relations: a list in the files, an object on GQA's page on the format."""
    if isinstance(row.row.get("relations"), dict):
        return (each for _, each in row.keyed("relations"))
    return row.records("relations")


def _setting(record: Record) -> str:
    location = record.name("location", "none")  # the files write "none" for an unknown place
    if location != "none":
        return location
    return "outdoors" if record.name("weather", "none") != "none" else ""


def _found(folder: Path) -> tuple[Path, ...]:
    """The files of scene graphs in the folder, or in its folder "sceneGraphs"."""
    for within in (folder, folder / "sceneGraphs"):
        files = tuple(file for name in _FILES if (file := plain_or_gzip(within / name)) is not None)
        if files:
            return files
    raise DataError(f"Expected {', '.join(_FILES[:-1])} or {_FILES[-1]} in {folder}, but there is none: fetch one")
