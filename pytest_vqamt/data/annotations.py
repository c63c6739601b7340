"""Scene sources of photos and annotations."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.corpus import Corpus, ThingLook, gather_corpus
from pytest_vqamt.core.edits import Colour
from pytest_vqamt.core.errors import DataError
from pytest_vqamt.core.identity import digest
from pytest_vqamt.core.lru import LruCache
from pytest_vqamt.core.scene import Photo, Scene, Thing
from pytest_vqamt.core.text import short_name
from pytest_vqamt.data.base import scene_cache
from pytest_vqamt.data.photo_io import PhotoFiles, mean_colour, sample_indices
from pytest_vqamt.imaging.pixel_boxes import outwards

if TYPE_CHECKING:
    from PIL.Image import Image


class Annotations(Protocol):
    """The records of one data set by index; their scenes have an empty digest of the photo."""

    @property
    def bad_records(self) -> tuple[str, ...]:
        """A message about each record that cannot be used."""

    @property
    def digest(self) -> str:
        """Changes whenever an annotation changes."""

    @property
    def remarks(self) -> tuple[str, ...]:
        """What users should know of the data, a sentence each."""

    def __len__(self) -> int: ...

    def photo_ids(self) -> tuple[str, ...]:
        """The photo ids in the order of the records."""

    def photo_file(self, index: int) -> str:
        """The photo's file, relative to the folder of photos."""

    def scene(self, index: int) -> Scene:
        """The record as a scene; raises DataError, which names file, record and field, if it is broken."""

    def mask(self, index: int, thing_id: str) -> Image:
        """The mask of the thing: mode L, 255 on its pixels, of the size of the scene.

        Raises:
            DataError: the thing has no mask, or a broken one.
        """

    def corpus(self, *, scene: Callable[[int], Scene], measure: Callable[[], Colour | None]) -> Corpus | None:
        """The corpus if the reader has one stored; None to have it gathered from the scenes."""


class ListedAnnotations:
    """Annotations in memory, of photos whose ids are their files; without masks.

    Attributes:
        bad_records: a message about each record that cannot be used.
        digest: changes whenever an annotation changes.
        remarks: what users should know of the data, a sentence each.
    """

    def __init__(self, photos: Iterable[str], bad_records: Iterable[str], digest: str, remarks: Iterable[str]) -> None:
        """``remarks`` are those of ``SourceChecks`` and others, so that no source forgets to look."""
        self._photos = tuple(photos)
        self.bad_records = tuple(bad_records)
        self.digest = digest
        self.remarks = tuple(remarks)

    def __len__(self) -> int:
        return len(self._photos)

    def photo_ids(self) -> tuple[str, ...]:
        return self._photos

    def photo_file(self, index: int) -> str:
        return self._photos[index]

    def mask(self, index: int, thing_id: str) -> Image:
        raise DataError(
            f"Expected a thing with a mask, but got thing_id={thing_id!r} of {self._photos[index]}: it has none"
        )

    def corpus(self, *, scene: Callable[[int], Scene], measure: Callable[[], Colour | None]) -> Corpus | None:
        return None


class AnnotatedPhotos:
    """A scene source of annotations and a folder of photos; ``photos`` is None if only the scenes are known."""

    def __init__(
        self, *, spec: str, description: str, annotations: Annotations, photos: PhotoFiles | None, without: str = ""
    ) -> None:
        """``without`` is the advice to users who have no photos."""
        self.spec = spec
        self.description = description
        self.annotations = annotations
        self.photos = photos
        self._without = without
        self._scenes = scene_cache()
        self._looks: LruCache[tuple[str, str], ThingLook] = LruCache(_MAX_LOOKS)

    @property
    def bad_records(self) -> tuple[str, ...]:
        return self.annotations.bad_records

    @cached_property
    def digest(self) -> str:
        """Of the annotations, and of the photos' names and sizes in bytes."""
        files = [self.annotations.photo_file(index) for index in range(len(self))] if self.photos else []
        return digest(self.annotations.digest, *(f"{file} {self._size_bytes(file)}" for file in files))

    @cached_property
    def corpus(self) -> Corpus:
        found = self.annotations.corpus(scene=self.scene, measure=self._mean_colour) or gather_corpus(
            (self.annotations.scene(index) for index in range(len(self))), scene=self.scene, measure=self._mean_colour
        )
        if self.photos is None:
            return found
        ids = self.annotations.photo_ids()
        others = {ids[one]: tuple(each for each in some if each != one) for some in self.same_picture for one in some}
        return replace(found, look=self._look, same_picture=others)

    @cached_property
    def same_picture(self) -> tuple[tuple[int, ...], ...]:
        """The indices of scenes that show one picture, two or more together; photos that cannot be read are left out.

        The bytes of two photos are compared only where their sizes and their ends are the same, and only in sources of
        at most ``MAX_COMPARED`` photos.
        """
        photos = self.photos
        if photos is None:
            return ()
        files: dict[str, list[int]] = {}
        for index in range(len(self)):
            files.setdefault(self.annotations.photo_file(index), []).append(index)
        compared = files if len(files) <= MAX_COMPARED else ()
        alike = _equal(compared, photos.size_bytes, photos.end, photos.digest)
        several = {file for same in alike for file in same}
        alike += [[file] for file, indices in files.items() if len(indices) > 1 and file not in several]
        return tuple(sorted(tuple(sorted(index for file in same for index in files[file])) for same in alike))

    @property
    def largest_file(self) -> int | None:
        """The index of a scene whose photo's file is the largest; None without photos that can be read."""
        sizes: dict[int, int] = {}
        for index in sample_indices(len(self), MAX_COMPARED) if self.photos else ():
            with suppress(DataError):
                sizes[index] = self._size_bytes(self.annotations.photo_file(index))
        return max(sizes, key=sizes.__getitem__, default=None)

    @property
    def remarks(self) -> tuple[str, ...]:
        found = self.annotations.remarks
        if not self.same_picture:
            return found
        scenes = sum(map(len, self.same_picture))
        pictures = f"{len(self.same_picture)} pictures" if len(self.same_picture) > 1 else "one picture"
        one, other = (self.annotations.photo_ids()[index] for index in self.same_picture[0][:2])
        return (
            *found,
            f"{scenes} scenes of {self.spec} show {pictures} ({short_name(one)} is {short_name(other)}): what they say "
            "differently about a picture is not asked",
        )

    def __len__(self) -> int:
        return len(self.annotations)

    def scene(self, index: int) -> Scene:
        if not 0 <= index < len(self):
            raise IndexError(f"Expected a scene from 0 to {len(self) - 1}, but got index={index!r}")
        return self._scenes.get_or_make(index, self._make_scene)

    def place(self, photo_id: str) -> int:
        place = self._places.get(photo_id)
        if place is None:
            raise DataError(f"Expected a photo of {self.spec}, but got photo={photo_id!r}: take it from its scenes")
        return place

    def photo(self, photo: Photo) -> Image:
        place = self.place(photo.id)
        if self.photos is None:
            raise DataError(
                f"Expected the photo {photo.id!r}, but {self.spec} has come without photos: {self._without}"
            )
        return self.photos.open(self.annotations.photo_file(place))

    def mask(self, photo: Photo, thing_id: str) -> Image:
        return self.annotations.mask(self.place(photo.id), thing_id)

    @cached_property
    def _places(self) -> dict[str, int]:
        return {photo_id: index for index, photo_id in enumerate(self.annotations.photo_ids())}

    def _size_bytes(self, file: str) -> int:
        return self.photos.size_bytes(file) if self.photos else 0

    def _make_scene(self, index: int) -> Scene:
        scene = self.annotations.scene(index)
        if self.photos is None:
            named = digest("no photo", scene.photo.id)
        else:
            file = self.annotations.photo_file(index)
            named = self.photos.digest(file)
            self.photos.check_size(file, scene.width, scene.height)
        return replace(scene, photo=Photo(id=scene.photo.id, digest=named))

    def _look(self, photo: Photo, thing_id: str) -> ThingLook | None:
        """How a thing looks; None if it has no mask, or its photo or mask cannot be read."""
        known = self._looks.get((photo.id, thing_id))
        if known is not None:
            return known
        from pytest_vqamt.imaging.thing_look import measure_look

        scene = self.scene(self.place(photo.id))
        thing = scene.thing(thing_id)
        if not thing.has_mask:
            return None
        try:
            look = measure_look(self.photo(photo), self.mask(photo, thing_id), self._masks_beside(scene, thing))
        except DataError:
            return None  # a case that needs the record will name it
        if look is not None:
            self._looks.put((photo.id, thing_id), look)
        return look

    def _masks_beside(self, scene: Scene, thing: Thing) -> Iterator[tuple[str, Image]]:
        """The names and masks of what may touch the thing; the box where there is no mask."""
        reach = _BESIDE * max(thing.box.w, thing.box.h) + 1
        near = thing.box.grown(reach)
        for other in scene.objects:
            if other.id != thing.id and other.box.overlaps(near):
                has_mask = other.has_mask
                yield other.name, self.mask(scene.photo, other.id) if has_mask else _box_mask(other.box, scene)
        for region in scene.regions:
            if region.box.overlaps(near):
                yield region.name, _box_mask(region.box, scene)

    def _mean_colour(self) -> Colour | None:
        if self.photos is None:
            return None
        return mean_colour(self._readable(sample_indices(len(self))))

    def _readable(self, indices: Iterable[int]) -> Iterator[Image]:
        """The photos that can be read; a broken one is reported with its own scene."""
        for index in indices:
            try:
                yield self.photo(self.scene(index).photo)
            except DataError:
                continue


MAX_COMPARED = 10_000
"""Published data sets have more photos, each once; to look at each takes minutes on a disk over a network."""
_MAX_LOOKS = 100_000
_BESIDE = 0.05
"""What is farther from a thing, as a share of its longer side, does not touch it."""


def _box_mask(box: Box, scene: Scene) -> Image:
    from PIL import Image as Images

    mask = Images.new("L", (scene.width, scene.height))
    if inside := outwards(box, mask.size):
        mask.paste(255, inside)
    return mask


def _equal(files: Iterable[str], *keys: Callable[[str], Hashable]) -> list[list[str]]:
    """Returns the files, two or more together, that are equal by all keys; without those that cannot be read."""
    groups = [list(files)]
    for key in keys:
        found: list[list[str]] = []
        for group in groups:
            by_key: dict[Hashable, list[str]] = {}
            for file in group:
                with suppress(DataError, OSError):
                    by_key.setdefault(key(file), []).append(file)
            found += [same for same in by_key.values() if len(same) > 1]
        groups = found
    return groups
