"""``coco:DIR``: photos and annotations in the form of COCO."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_vqamt.core.errors import DataError, OptionError
from pytest_vqamt.core.identity import digest
from pytest_vqamt.core.input_files import file_digest
from pytest_vqamt.core.scene import Photo, Region, Scene, Thing
from pytest_vqamt.core.spelling import option
from pytest_vqamt.core.text import count_noun, error_reason, short_path
from pytest_vqamt.data.annotations import AnnotatedPhotos, ListedAnnotations
from pytest_vqamt.data.coco_records import CocoImage, CocoRecords, read_records
from pytest_vqamt.data.masks import is_fragmented, mask_image
from pytest_vqamt.data.photo_io import PhotoFiles
from pytest_vqamt.data.sanity import are_unlabelled, unlabelled_line
from pytest_vqamt.data.scene_source import warn_of_data

if TYPE_CHECKING:
    from PIL.Image import Image


EMPTY, LEFT_OUT = "empty", "left-out"
"""What users can say of photos without annotations: nothing is in them, or they are not labelled yet."""
_OPTION = re.compile(r"(.*)\?([\w-]+)=([^/?]*)")

ENDS = (".json", ".json.gz")
_TWO_PATHS = re.compile(r"(.+?\.json(?:\.gz)?):(.+)")
_FORMS = "coco:DIR or coco:INSTANCES.json:IMAGES"

COCO_CLASSES: frozenset[str] = frozenset(
    {
        "person",
        *("bicycle", "car", "motorcycle", "airplane", "bus", "train", "truck", "boat"),
        *("traffic light", "fire hydrant", "stop sign", "parking meter", "bench"),
        *("bird", "cat", "dog", "horse", "sheep", "cow", "elephant", "bear", "zebra", "giraffe"),
        *("backpack", "umbrella", "handbag", "tie", "suitcase"),
        *("frisbee", "skis", "snowboard", "sports ball", "kite", "baseball bat", "baseball glove"),
        *("skateboard", "surfboard", "tennis racket"),
        *("bottle", "wine glass", "cup", "fork", "knife", "spoon", "bowl"),
        *("banana", "apple", "sandwich", "orange", "broccoli", "carrot", "hot dog", "pizza", "donut", "cake"),
        *("chair", "couch", "potted plant", "bed", "dining table", "toilet"),
        *("tv", "laptop", "mouse", "remote", "keyboard", "cell phone"),
        *("microwave", "oven", "toaster", "sink", "refrigerator"),
        *("book", "clock", "vase", "scissors", "teddy bear", "hair drier", "toothbrush"),
    }
)
"""As spelt in its files; Lin et al., "Microsoft COCO: Common Objects in Context", ECCV 2014."""

_LOOSE: frozenset[str] = frozenset(
    {
        *("bottle", "wine glass", "cup", "fork", "knife", "spoon", "bowl"),
        *("banana", "apple", "orange", "broccoli", "carrot"),
        *("chair", "potted plant", "dining table", "tv", "book", "vase", "handbag", "backpack", "keyboard"),
    }
)
"""Classes that COCO annotates incompletely: it misses small instances, bunches, and the keyboards of laptops."""


def split_unlabelled(argument: str) -> tuple[str, str]:
    """The path of a spec, and ``EMPTY`` or ``LEFT_OUT`` if its end says so, else "".

    >>> split_unlabelled("data/coco?unlabelled=empty"), split_unlabelled("data/coco")
    (('data/coco', 'empty'), ('data/coco', ''))

    Raises:
        OptionError: the end says something else.
    """
    said = _OPTION.fullmatch(argument)
    if said is None:
        return argument, ""
    path, name, value = said.groups()
    if name != "unlabelled" or value not in (EMPTY, LEFT_OUT):
        raise OptionError(
            f"Expected ?unlabelled={EMPTY} or ?unlabelled={LEFT_OUT} after coco:{path}, but got {f'?{name}={value}'!r}"
        )
    return path, value


class CocoAnnotations(ListedAnnotations):
    """The usable images of an instances file with photos.

    A class is exhaustive in a scene if all classes of the file are among COCO's own 80 and the scene has no crowd of
    it; for another data set that is not known.
    """

    def __init__(self, records: CocoRecords, photos: PhotoFiles, digest: str, spec: str, unlabelled: str) -> None:
        self._file = records.file
        self._exhaustive = annotated_exhaustively(records.names)
        missing = {image.id: text for image in records.images if (text := _without_photo(image, photos, records.file))}
        found = [image for image in records.images if image.id not in missing]
        without = [image for image in found if not image.annotations and not image.in_part]
        self._presumed: frozenset[str] = frozenset()
        remarks = records.remarks
        if unlabelled == LEFT_OUT:
            found = [image for image in found if image.annotations or image.in_part]
        # Without exhaustive classes no case rests on an absence, so nothing needs to be presumed.
        elif unlabelled != EMPTY and self._exhaustive and are_unlabelled(len(without), len(found)):
            self._presumed = frozenset(image.id for image in without)
            remarks += (unlabelled_line(spec, len(without), len(found), without[0].file_name),)
        self.images = tuple(found)
        bad = (*(each.text for each in records.bad), *missing.values())
        super().__init__([image.file_name for image in self.images], bad, digest, remarks)

    def scene(self, index: int) -> Scene:
        image = self.images[index]
        scene = scene_of(image, self._exhaustive)
        return replace(scene, presumed=True) if image.id in self._presumed else scene

    def mask(self, index: int, thing_id: str) -> Image:
        return mask_of(self.images[index], thing_id, self._file)


def scene_of(image: CocoImage, exhaustive: frozenset[str]) -> Scene:
    """The image as a scene with crowds as regions; ``exhaustive`` are the names of a scene without crowds."""
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
        exhaustive=exhaustive - {each.name for each in crowds} - image.in_part
        if crowds or image.in_part
        else exhaustive,
    )


def mask_of(image: CocoImage, thing_id: str, file: str) -> Image:
    """The mask of the thing: mode L, 255 on its pixels, of the size of the image.

    Raises:
        DataError: the image has no such thing, or the thing no mask, or an empty one.
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
    """The digest of the bytes of annotation files."""
    return digest(*(file_digest(file) for file in files))


def counts_of(images: Sequence[CocoImage]) -> str:
    """The summary of the images: "470 objects of 66 classes, 5 crowds, captions of 40"."""
    things = [each for image in images for each in image.annotations if not each.crowd]
    crowds = sum(len(image.annotations) for image in images) - len(things)
    captioned = sum(bool(image.captions) for image in images)
    captions = f"captions of {captioned}" if captioned else "no captions"
    return ", ".join(
        (
            f"{count_noun(len(things), 'object')} of "
            f"{count_noun(len({each.name for each in things}), 'class', 'classes')}",
            count_noun(crowds, "crowd"),
            captions,
        )
    )


def load(argument: str) -> AnnotatedPhotos:
    """The scenes of ``coco:DIR`` or ``coco:INSTANCES.json:IMAGES``.

    Raises:
        OptionError: the argument has neither form.
        DataError: its files are not there or not of this form, or no record can be used.
    """
    path, unlabelled = split_unlabelled(argument)
    files = find(path)
    spec = f"coco:{argument}"
    records = read_records(files.instances, files.captions)
    photos = _photos(files, records, spec)
    read = (files.instances, files.captions) if files.captions else (files.instances,)
    annotations = CocoAnnotations(records, photos, digest_of(read), spec, unlabelled)
    if not annotations.images:
        for remark in records.remarks:  # what is odd in all records often says why none can be used
            warn_of_data(remark, f"Expected nothing odd in {short_path(spec)}")
        first = annotations.bad_records[0] if annotations.bad_records else f"{files.instances} has none"
        raise DataError(
            f"Expected an image of {spec} that can be used, but there is none: {first}",
            bad_records=annotations.bad_records,
        )
    description = f"{count_noun(len(annotations), 'scene')}, {counts_of(annotations.images)}"
    return AnnotatedPhotos(spec=spec, description=description, annotations=annotations, photos=photos)


def _photos(files: CocoFiles, records: CocoRecords, spec: str) -> PhotoFiles:
    """The first folder with any of the photos."""
    folders = [PhotoFiles(folder) for folder in files.photos]
    if not records.images:  # the caller says why
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
    """The error of the photo's file, or ""."""
    try:
        if photos.has(image.file_name):
            return ""
        wrong = f"Expected a photo in {photos.folder}, but there is no {short_path(image.file_name)}"
        wrong += photos.advice(image.file_name)
    except DataError as error:
        wrong = str(error)
    return f"{file}: image {image.id}: file_name: {wrong}"


@dataclass(frozen=True, slots=True, kw_only=True)
class CocoFiles:
    """The files that an argument names."""

    instances: Path
    """The file of objects and crowds."""
    captions: Path | None
    """The file beside ``instances``."""
    photos: tuple[Path, ...]
    """The possible folders of photos, the likeliest first."""


def find(argument: str) -> CocoFiles:
    """The files of ``coco:DIR`` or ``coco:INSTANCES.json:IMAGES``.

    Raises:
        OptionError: the argument has neither form.
        DataError: something is missing, or there are several instances files.
    """
    two = _TWO_PATHS.fullmatch(argument)  # only ".json:" separates, as a path may have colons
    if two:
        instances, photos = Path(two[1]), Path(two[2])
        if not instances.is_file():
            raise DataError(f"Expected an instances file, but got instances={two[1]!r}: there is no such file")
        return CocoFiles(instances=instances, captions=captions_beside(instances), photos=(photos,))
    if not argument or argument.endswith(ENDS):
        raise OptionError(f"Expected {option('data')}={_FORMS}, but got {'coco:' + argument!r}: name the photos too")
    folder = Path(argument)
    if not folder.is_dir():
        raise DataError(f"Expected a folder, but got folder={argument!r} of {_FORMS}: there is no such folder")
    found = instances_in(folder)
    if not found:
        raise DataError(
            f"Expected annotations/instances_*.json or instances.json in {argument!r}, but there is neither: "
            "name the file with coco:INSTANCES.json:IMAGES"
        )
    if len(found) > 1:
        raise DataError(
            f"Expected one instances file in {argument!r}, but got {listed(folder, found)}: "
            "name one with coco:INSTANCES.json:IMAGES"
        )
    instances = found[0]
    photos_in = photo_folders(folder, split_of(instances))
    return CocoFiles(instances=instances, captions=captions_beside(instances), photos=photos_in)


def instances_in(folder: Path, split: str = "") -> list[Path]:
    """The instances files in ``folder`` and its folder ``annotations``.

    Of several only that of ``split``, else only that with a folder of photos, else all.
    """
    found = files_of((folder, folder / "annotations"), re.compile(r"instances(_.+)?"))
    of_split = [file for file in found if split and split_of(file) == split]
    with_photos = [file for file in found if has_photo_folder(folder, split_of(file))]
    return next((choice for choice in (of_split, with_photos) if len(choice) == 1), found)


def has_photo_folder(folder: Path, split: str) -> bool:
    """True if the photos of ``split`` have a folder of their own."""
    return bool(split) and ((folder / split).is_dir() or (folder / "images" / split).is_dir())


def files_of(folders: Iterable[Path], stem: re.Pattern[str]) -> list[Path]:
    """The JSON files of such a name in order, without compressed duplicates."""
    found = [file for folder in folders if folder.is_dir() for file in _in(folder)]
    named = [file for file in found if file.name.endswith(ENDS) and stem.fullmatch(file.name.partition(".json")[0])]
    return [file for file in named if file.suffix != ".gz" or file.with_suffix("") not in named]


def split_of(instances: Path) -> str:
    """The "val2017" of "instances_val2017.json"; "" without one.

    >>> split_of(Path("annotations/instances_val2017.json.gz"))
    'val2017'
    """
    return instances.name.partition(".json")[0].removeprefix("instances").removeprefix("_")


def captions_beside(instances: Path) -> Path | None:
    """``captions_val2017.json`` beside ``instances_val2017.json``, else ``captions.json``, else None."""
    split = split_of(instances) if instances.name.startswith("instances") else ""
    for stem in dict.fromkeys((f"captions_{split}" if split else "captions", "captions")):
        for end in ENDS:
            file = instances.with_name(stem + end)
            if file.is_file():
                return file
    return None


def photo_folders(folder: Path, *splits: str) -> tuple[Path, ...]:
    """The existing folders for photos of ``splits``, the likeliest first, ``folder`` last."""
    named = [place / split for split in splits if split for place in (folder, folder / "images")]
    return tuple(dict.fromkeys(each for each in (*named, folder / "images", folder) if each.is_dir()))


def listed(folder: Path, files: Iterable[Path]) -> str:
    """The files relative to the folder, for messages."""
    return ", ".join(file.relative_to(folder).as_posix() for file in files)


def _in(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except OSError as error:
        raise DataError(
            f"Expected a folder that can be read, but got folder={short_path(folder)}: {error_reason(error)}"
        ) from error


def annotated_exhaustively(names: frozenset[str]) -> frozenset[str]:
    """The classes of a file with every instance annotated: none if not all are COCO's own.

    **Deviation:** Lin et al. (ECCV 2014) had all 80 classes annotated. In photos some are annotated in part, such as a
    few bottles of a shelf, or a bunch of bananas as one. These classes are not exhaustive here.

    >>> sorted(annotated_exhaustively(frozenset({"dog", "cat", "bottle"})))
    ['cat', 'dog']
    >>> sorted(annotated_exhaustively(frozenset({"dog", "lighthouse"})))
    []
    """
    return names - _LOOSE if names <= COCO_CLASSES else frozenset()
