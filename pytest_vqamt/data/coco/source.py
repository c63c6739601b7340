"""``coco:DIR``: photos with the objects that COCO, or another data set in its form, has annotated on them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_vqamt.core.corpus import Corpus
from pytest_vqamt.core.edits import Colour
from pytest_vqamt.core.errors import DataError
from pytest_vqamt.core.identity import digest
from pytest_vqamt.core.scene import Photo, Region, Scene, Thing
from pytest_vqamt.data.annotations import AnnotatedPhotos
from pytest_vqamt.data.coco.masks import is_fragmented, mask_image
from pytest_vqamt.data.coco.records import CocoImage, CocoRecords, read_records
from pytest_vqamt.data.coco_classes import annotated_exhaustively
from pytest_vqamt.data.coco_files import CocoFiles, find
from pytest_vqamt.data.messages import shown_path
from pytest_vqamt.data.photo_io import PhotoFiles

if TYPE_CHECKING:
    from PIL.Image import Image


class CocoAnnotations:
    """The images of an instances file whose records can be used and whose photos are there.

    A class is annotated exhaustively in a scene where all classes of the file are among COCO's own 80 and the scene has
    no crowd of it. A file with other classes is another data set, of which that is not known.
    """

    def __init__(self, records: CocoRecords, photos: PhotoFiles, digest: str) -> None:
        self.digest = digest
        self._file = records.file
        self._exhaustive = annotated_exhaustively(records.names)
        missing = {image.id: text for image in records.images if (text := _without_photo(image, photos, records.file))}
        self.bad_records = (*(each.text for each in records.bad), *missing.values())
        self.images = tuple(image for image in records.images if image.id not in missing)

    def __len__(self) -> int:
        return len(self.images)

    def photo_ids(self) -> tuple[str, ...]:
        return tuple(image.file_name for image in self.images)

    def photo_file(self, index: int) -> str:
        return self.images[index].file_name

    def scene(self, index: int) -> Scene:
        return scene_of(self.images[index], self._exhaustive)

    def mask(self, index: int, thing_id: str) -> Image:
        return mask_of(self.images[index], thing_id, self._file)

    def corpus(self, *, scene: Callable[[int], Scene], measure: Callable[[], Colour | None]) -> Corpus | None:
        """None: scenes are made quickly enough to be looked at one by one."""
        return None


def scene_of(image: CocoImage, exhaustive: frozenset[str]) -> Scene:
    """The image as a scene: crowds become regions, all else things; ``exhaustive`` are those of a scene without crowds.

    Its photo's id is the name of its file.
    """
    crowds = tuple(each for each in image.annotations if each.crowd)
    return Scene(
        id=image.id,
        photo=Photo(id=image.file_name, digest=""),
        width=image.width,
        height=image.height,
        objects=tuple(
            Thing(
                id=each.id,
                name=each.name,
                box=each.box,
                has_mask=each.segmentation is not None,
                fragmented=each.segmentation is not None and is_fragmented(each.segmentation, each.box),
            )
            for each in image.annotations
            if not each.crowd
        ),
        regions=tuple(Region(name=each.name, box=each.box) for each in crowds),
        captions=image.captions,
        exhaustive=exhaustive - {each.name for each in crowds} if crowds else exhaustive,
    )


def mask_of(image: CocoImage, thing_id: str, file: str) -> Image:
    """Which pixels show the thing: mode L, 255 where they do, of the size of the image's record.

    Raises:
        DataError: the image has no such thing, or the thing no mask, or one that shows no pixel.
    """
    found = next((each for each in image.annotations if each.id == thing_id and not each.crowd), None)
    if found is None:
        raise DataError(f"Expected the id of a thing of image {image.id}, but got thing_id={thing_id!r}: see its scene")
    if found.segmentation is None:
        raise DataError(f"{file}: annotation {thing_id}: Expected a segmentation, but it has none: take its box")
    mask = mask_image(found.segmentation, image.width, image.height)
    if mask is None:
        raise DataError(
            f"{file}: annotation {thing_id}: segmentation: Expected a mask of one pixel or more, but it shows none: "
            "draw it larger, or leave the annotation out"
        )
    return mask


def digest_of(files: Sequence[Path]) -> str:
    """Of the bytes of annotation files."""
    return digest(*(sha256(file.read_bytes()).hexdigest() for file in files))


def counts_of(images: Sequence[CocoImage]) -> str:
    """What there is to be seen: "470 objects of 66 classes, 5 crowds, 5 captions each"."""
    things = [each for image in images for each in image.annotations if not each.crowd]
    crowds = sum(len(image.annotations) for image in images) - len(things)
    captioned = sum(bool(image.captions) for image in images)
    captions = f"captions of {captioned}" if captioned else "no captions"
    return f"{len(things)} objects of {len({each.name for each in things})} classes, {crowds} crowds, {captions}"


def load(argument: str) -> AnnotatedPhotos:
    """The scenes of ``coco:DIR`` or ``coco:INSTANCES.json:IMAGES``.

    Raises:
        OptionError: the argument has neither form.
        DataError: its files are not there or not of this form, or no record can be used.
    """
    files = find(argument)
    spec = f"coco:{argument}"
    records = read_records(files.instances, files.captions)
    photos = _photos(files, records, spec)
    read = (files.instances, files.captions) if files.captions else (files.instances,)
    annotations = CocoAnnotations(records, photos, digest_of(read))
    if not annotations.images:
        first = annotations.bad_records[0] if annotations.bad_records else f"{files.instances} has none"
        raise DataError(f"Expected an image of {spec} that can be used, but there is none: {first}")
    description = f"{len(annotations)} scenes, {counts_of(annotations.images)}"
    return AnnotatedPhotos(spec=spec, description=description, annotations=annotations, photos=photos)


def _photos(files: CocoFiles, records: CocoRecords, spec: str) -> PhotoFiles:
    """The first of the folders in which any of the photos lies."""
    folders = [PhotoFiles(folder) for folder in files.photos]
    if not records.images:
        return folders[0]
    for photos in folders:
        if any(not _without_photo(image, photos, records.file) for image in records.images):
            return photos
    raise DataError(
        f"Expected the photos of {spec} in {' or '.join(map(str, files.photos))}, but none of them is there: "
        f"{_without_photo(records.images[0], folders[0], records.file)}, or name the folder with "
        "coco:INSTANCES.json:IMAGES"
    )


def _without_photo(image: CocoImage, photos: PhotoFiles, file: str) -> str:
    """What is wrong with the photo's file, or ""."""
    try:
        if photos.has(image.file_name):
            return ""
        wrong = f"Expected a photo in {photos.folder}, but there is no {shown_path(image.file_name)}: add it"
    except DataError as error:
        wrong = str(error)
    return f"{file}: image {image.id}: file_name: {wrong}"
