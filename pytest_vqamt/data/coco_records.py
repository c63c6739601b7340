"""The records of files in the form of COCO, checked once on opening."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from pathlib import Path

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.errors import DataError
from pytest_vqamt.core.text import short_repr
from pytest_vqamt.data.json_io import read_json
from pytest_vqamt.data.masks import Segmentation, extent, read_segmentation
from pytest_vqamt.data.records import Record, is_number
from pytest_vqamt.data.sanity import BoxChecks, SourceChecks


@dataclass(frozen=True, slots=True, kw_only=True)
class CocoAnnotation:
    """An object, or a crowd of one class."""

    id: str
    name: str
    """Its class, in lower case."""
    box: Box
    """In pixels, clipped to the picture."""
    crowd: bool
    """The ``iscrowd`` of COCO: one annotation for many things that were not drawn one by one."""
    segmentation: Segmentation | None
    """Its mask; None where the file has none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CocoImage:
    """A picture with its annotations and captions in the order of the files."""

    id: str
    file_name: str
    """The photo in the folder of photos."""
    width: int
    height: int
    annotations: tuple[CocoAnnotation, ...] = ()
    captions: tuple[str, ...] = ()
    """Empty without a captions file."""
    in_part: frozenset[str] = frozenset()
    """Names of things that were left out for an empty box."""


@dataclass(frozen=True, slots=True)
class BadRecord:
    """The error of a record."""

    text: str
    image: str | None = None
    """The id of the image that cannot be used because of it; None where it names no image of the file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CocoRecords:
    """The content of a file."""

    file: str
    """Its name."""
    names: frozenset[str]
    """Of all its classes, in lower case."""
    images: tuple[CocoImage, ...]
    """Without those that have a bad record."""
    bad: tuple[BadRecord, ...]
    """In the order of the file."""
    remarks: tuple[str, ...] = ()
    """What is odd in boxes, masks, names and captions."""


def read_records(instances: Path, captions: Path | None = None) -> CocoRecords:
    """The records of an instances file and of a captions file.

    An image with a broken annotation is left out, so that no case rests on a part of the annotations.

    Raises:
        DataError: a file is not of this form.
    """
    reading = _CocoReader(instances.name)
    root = root_of(instances, ("images", "annotations", "categories"), "COCO instances file")
    reading.read_categories(root)
    reading.read_images(root)
    reading.read_annotations(root)
    if captions:
        root = root_of(captions, ("annotations",), "COCO captions file")
        reading.read_captions(root, captions.name)
    return reading.records()


@dataclass(slots=True)
class _CocoReader:
    """Reads categories, images, annotations and captions, in this order, as each needs those before it."""

    file: str
    """The name of the instances file, for messages."""
    categories: dict[str, str] = field(default_factory=dict)
    """The name of each category by its id."""
    images: dict[str, CocoImage] = field(default_factory=dict)
    """The usable images by id, without annotations and captions."""
    listed: set[str] = field(default_factory=set)
    """The ids of all images, bad ones too."""
    annotations: dict[str, list[CocoAnnotation]] = field(default_factory=dict)
    """By the id of the image."""
    captions: dict[str, list[str]] = field(default_factory=dict)
    """By the id of the image."""
    bad: list[BadRecord] = field(default_factory=list)
    in_part: dict[str, set[str]] = field(default_factory=dict)
    """For each image the classes of which a thing was left out."""
    checks: SourceChecks = field(init=False)

    def __post_init__(self) -> None:
        self.checks = SourceChecks(BoxChecks(self.file, label="annotation {id}"))

    def read_categories(self, root: Record) -> None:
        for place, value in enumerate(root.items("categories")):
            record = Record.of(value, self.file, f"categories[{place}]")
            category = record.identity("id")
            if category in self.categories:
                raise record.wrong("id", "an id of its own", f"{self.categories[category]!r} has the same")
            self.categories[category] = record.name("name")
        self.checks.names.update(self.categories.values())  # also those that no annotation has

    def read_images(self, root: Record) -> None:
        rows = root.items("images")
        # Of two images with one photo neither is used: what one lacks, the other may have.
        files = Counter(id_of(value, "file_name") or id_of(value, "coco_url") for value in rows)
        for place, value in enumerate(rows):
            image_id = id_of(value, "id")
            try:
                record = self._record(value, "images", place, "image")
                image = _image(record)
                if image.id in self.listed:
                    raise record.wrong("id", "an id of its own", "another image has it, and neither is used")
                if files[image.file_name] > 1:
                    advice = f"{files[image.file_name]} images have it, and none is used"
                    raise record.wrong("file_name", "a photo of its own", advice)
                self.images[image.id] = image
            except DataError as error:
                self.bad.append(BadRecord(str(error), image_id))
            if image_id is not None:
                self.listed.add(image_id)

    def read_annotations(self, root: Record) -> None:
        seen: dict[str, int] = {}
        for place, value in enumerate(root.items("annotations")):
            image_id = id_of(value, "image_id")
            try:
                record = self._record(value, "annotations", place, "annotation")
                annotation_id = record.identity("id")
                record.identity("image_id")  # raises where ``id_of`` has found none
                if image_id not in self.listed:
                    raise record.wrong("image_id", f"the id of an image of {self.file}")
                first = seen.setdefault(annotation_id, place)
                if first != place:
                    raise record.wrong("id", "an id of its own", f"annotations[{first}] and [{place}] have it")
                image = self.images.get(image_id)
                found = self._annotation(record, annotation_id, image) if image is not None else None
                if image is not None and found is not None:  # else it is bad already, or empty
                    self.annotations.setdefault(image.id, []).append(found)
            except DataError as error:
                self.bad.append(BadRecord(str(error), image_id if image_id in self.listed else None))

    def read_captions(self, root: Record, file: str) -> None:
        for place, value in enumerate(root.items("annotations")):
            image_id = id_of(value, "image_id")
            if image_id is not None and image_id not in self.images:
                continue  # a captions file may be of more photos than are at hand
            try:
                record = self._record(value, "annotations", place, "caption", file)
                image = record.identity("image_id")
                self.captions.setdefault(image, []).append(" ".join(record.text("caption").split()))
            except DataError as error:
                self.bad.append(BadRecord(str(error), image_id))

    def records(self) -> CocoRecords:
        broken = {each.image for each in self.bad}  # images with one bad annotation or caption, too
        images = tuple(
            replace(
                image,
                annotations=tuple(self.annotations.get(image.id, ())),
                captions=tuple(self.captions.get(image.id, ())),
                in_part=frozenset(self.in_part.get(image.id, ())),
            )
            for image in self.images.values()
            if image.id not in broken
        )
        for image in images:
            self.checks.boxes.add_things(image.id, [each for each in image.annotations if not each.crowd])
            for caption in image.captions:
                self.checks.captions.add(image.file_name, caption)
        return CocoRecords(
            file=self.file,
            names=frozenset(self.categories.values()),
            images=images,
            bad=tuple(self.bad),
            remarks=self.checks.lines(),
        )

    def _record(self, value: object, rows: str, place: int, kind: str, file: str = "") -> Record:
        """The record, labelled by its id, or by its place if it has none."""
        own = id_of(value, "id")
        return Record.of(value, f"{file or self.file}: {f'{rows}[{place}]' if own is None else f'{kind} {own}'}")

    def _annotation(self, record: Record, annotation_id: str, image: CocoImage) -> CocoAnnotation | None:
        """The annotation; None for one with an empty box, as some exports have: it costs the thing, not the photo."""
        name = self.categories.get(record.identity("category_id"))
        if name is None:
            raise record.wrong("category_id", f"the id of a category of {self.file}")
        frame, crowd = Box(0, 0, image.width, image.height), record.switch("iscrowd")
        segmentation = read_segmentation(record, image.width, image.height)
        numbers = record.numbers("bbox")
        # [] or a side of 0; a negative side or three numbers are errors.
        if not numbers or (len(numbers) == 4 and 0 in numbers[2:] and min(numbers[2:]) >= 0):
            self.checks.boxes.empty_boxes.add(f"annotation {annotation_id}, a {name}")
            self.in_part.setdefault(image.id, set()).add(name)
            return None
        area: object = record.row.get("area")
        of_thing = area if is_number(area) and area >= 0 else None
        if area is not None and of_thing is None:
            self.checks.boxes.unread_areas.add(f"annotation {annotation_id}: {short_repr(area)}")
        given = record.box_as_given("bbox")
        if not crowd:
            self.checks.boxes.add(image.id, annotation_id, given, frame, of_thing if segmentation is None else None)
        box = record.within(given, frame, "bbox")  # raises before the mask is compared with a refused box
        if not crowd and segmentation is not None:
            covered = extent(segmentation, image.height)
            self.checks.boxes.add_mask(image.id, annotation_id, given, covered, of_thing)
        return CocoAnnotation(id=annotation_id, name=name, box=box, crowd=crowd, segmentation=segmentation)


def _image(record: Record) -> CocoImage:
    width, height = record.size()
    if record.has("coco_url") and not record.has("file_name"):  # LVIS names COCO's photos by their addresses
        name = record.text("coco_url").rpartition("/")[2]
    else:
        name = record.text("file_name")
    return CocoImage(id=record.identity("id"), file_name=name, width=width, height=height)


def id_of(value: object, field: str) -> str | None:
    """The id in a field of a value; None without one."""
    try:
        return Record.of(value, "").identity(field)
    except DataError:
        return None


def root_of(file: Path, lists: tuple[str, ...], kind: str) -> Record:
    """The JSON object of ``file``; raises DataError if it has not all of ``lists``."""
    value = read_json(file)
    missing = [name for name in lists if not (isinstance(value, dict) and isinstance(value.get(name), list))]
    if isinstance(value, dict) and missing and set(missing) <= value.keys():  # the right file, cut or edited
        name = missing[0]
        raise DataError(f"{file.name}: {name}: Expected a list, but got {name}={short_repr(value[name])}: is it whole?")
    if missing:
        what = f"an object with {', '.join(map(repr, list(value)[:8]))}" if isinstance(value, dict) else "no object"
        raise DataError(
            f"Expected {file} to be a {kind}, with a list {' and a list '.join(map(repr, missing))}, but got {what}: "
            "name the right file"
        )
    return Record.of(value, file.name)
