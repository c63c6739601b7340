"""Photos of the user's for a probe, drawn from the data that ``--data`` names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING

from pytest_vqamt.core.errors import DataError, OptionError
from pytest_vqamt.core.identity import split_name
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.query import PhotoFile
from pytest_vqamt.core.scene import Photo, Scene
from pytest_vqamt.core.text import count_noun, short_path
from pytest_vqamt.data import catalogue, own_photos
from pytest_vqamt.data.photo_io import PhotoFiles
from pytest_vqamt.data.scene_source import SceneSource
from pytest_vqamt.probing.cards import OwnPhoto

if TYPE_CHECKING:
    from PIL.Image import Image

PHOTOS = 12
"""The photos of a probe."""
LEAST_PHOTOS = 4
"""Answers about fewer photos may be alike without a fault."""
MOST_PHOTOS = 16
"""Of more the references alone would take half of the requests."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnPhotos:
    """The photos of a probe, in the order in which they were drawn."""

    photos: tuple[OwnPhoto, ...]
    questions: tuple[tuple[str, ...], ...]
    """What the data asks about each photo; mostly nothing."""
    unreadable: tuple[str, ...] = ()
    """Why photos were left out, one for each."""


def take_photos(specs: Sequence[str], seed: int, most: int = PHOTOS) -> OwnPhotos:
    """Takes photos of one or more sources in turn, by seed; the next where one cannot be read.

    Raises:
        OptionError: a source names no kind of data.
        DataError: data cannot be read, or has too few photos.
    """
    sources = [_source(spec) for spec in specs]
    scenes = [_in_any_order(source, Random(seed)) for source in sources]
    photos: dict[str, OwnPhoto] = {}
    questions: list[tuple[str, ...]] = []
    unreadable: list[str] = []
    turn = equal = 0
    while scenes and len(photos) < most:
        place = turn % len(scenes)
        found = next(scenes[place], None)
        if found is None:
            del scenes[place], sources[place]
            continue
        turn += 1
        if isinstance(found, DataError):
            unreadable.append(str(found))
            continue
        try:
            image = sources[place].photo(found.photo)
        except DataError as error:
            unreadable.append(str(error))
            continue
        if found.photo.digest in photos:
            equal += 1
            continue
        # As large as its pixels say; records of data sets are wrong at times.
        bare = Scene(id=found.id, photo=found.photo, width=image.width, height=image.height)
        photos[found.photo.digest] = OwnPhoto(Picture(photo=found.photo, scene=bare), sources[place])
        questions.append(tuple(each.text for each in found.questions if not each.turns))
    if len(photos) < LEAST_PHOTOS:
        why = f", and {count_noun(equal, 'photo')} equal to one of them" if equal else ""
        why += f"; the first that cannot be read: {unreadable[0]}" if unreadable else ""
        raise DataError(
            f"Expected {LEAST_PHOTOS} photos or more, but got {len(photos)} of --data={short_path(' '.join(specs))}"
            f"{why}: name data with more photos"
        )
    return OwnPhotos(photos=tuple(photos.values()), questions=tuple(questions), unreadable=tuple(unreadable))


def check(specs: Sequence[str]) -> None:
    """Raises OptionError for a spec that names no kind of data."""
    for spec in specs:
        try:
            catalogue.check(spec)
        except OptionError as error:
            raise OptionError(str(error).replace("data=", "--data=", 1)) from error


class _Folder:
    """The photos of a folder, which need no annotations here."""

    def __init__(self, argument: str) -> None:
        folder = own_photos.open_folder(argument)
        self._names = folder.photos()
        self._files = PhotoFiles(folder.path)

    def __len__(self) -> int:
        return len(self._names)

    def scene(self, index: int) -> Scene:
        name = self._names[index]
        # The size is taken from the pixels.
        return Scene(id=name, photo=Photo(id=name, digest=self._files.digest(name)), width=0, height=0)

    def photo(self, photo: Photo) -> Image:
        return self._files.open(photo.id)

    def mask(self, photo: Photo, thing_id: str) -> Image:
        raise DataError(f"Expected a mask, but got thing_id={thing_id!r} of {photo.id!r}, which has no annotations")

    def is_lossy(self, photo: Photo) -> bool:
        return self._files.is_lossy(photo.id)

    def file(self, photo: Photo) -> PhotoFile | None:
        return self._files.bare(photo.id)


def _source(spec: str) -> SceneSource | _Folder:
    _, unnamed = split_name(spec)
    kind, _, argument = unnamed.partition(":")
    if kind == "photos":
        return _Folder(catalogue.from_home(argument))
    return catalogue.load(spec, allow_bad_records=True, samples_photos=False)


def _in_any_order(source: SceneSource | _Folder, random: Random) -> Iterator[Scene | DataError]:
    for index in random.sample(range(len(source)), len(source)):
        try:
            yield source.scene(index)
        except DataError as error:
            yield error
