"""``visual-genome:DIR``: scene graphs by many annotators, which do not list everything in a photo."""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.errors import DataError, OptionError
from pytest_vqamt.core.scene import Photo, Relationship, Scene, Thing
from pytest_vqamt.core.spelling import option
from pytest_vqamt.core.text import short_name
from pytest_vqamt.data.annotations import AnnotatedPhotos, cleaned, is_multi_coloured, merged
from pytest_vqamt.data.json_io import RecordStream, plain_or_gzip
from pytest_vqamt.data.photo_io import PhotoFiles, PhotoFolders, size_px
from pytest_vqamt.data.records import MAX_SIDE_PX, SYNSET, Record
from pytest_vqamt.data.sanity import BoxChecks
from pytest_vqamt.data.scene_index import IndexedScene, SceneIndex

_PHOTOS = ("images", "VG_100K", "VG_100K_2", "images/VG_100K", "images/VG_100K_2")
"""The folders of photos; the two archives of the publication unpack into one each."""


def load(argument: str) -> AnnotatedPhotos:
    """The scenes of ``visual-genome:DIR``.

    Raises:
        OptionError: there is no such folder.
        DataError: a file is missing or damaged, or none of the records can be used.
    """
    folder = Path(argument)
    if not argument or not folder.is_dir():
        raise OptionError(
            f"Expected {option('data', 'visual-genome:DIR')}, but got DIR={argument!r}: there is no such folder"
        )
    files = Files.of(folder)
    photos = PhotoFolders.of(folder / name for name in _PHOTOS)
    annotations = SceneIndex(VisualGenomeReader(files, photos))
    return AnnotatedPhotos(
        spec=f"visual-genome:{argument}",
        description=f"Visual Genome, {len(annotations)} scene graphs of {files.graphs.name}{_lacking(files, photos)}",
        annotations=annotations,
        photos=PhotoFiles(photos.root) if photos else None,
        without=f"put them into {folder / _PHOTOS[0]}",
    )


def _lacking(files: Files, photos: PhotoFolders | None) -> str:
    if photos:
        return ""
    return ", without photos" if files.sizes else ", without photos; each picture taken to end with its farthest boxes"


@dataclass(frozen=True, slots=True, kw_only=True)
class Files:
    """The annotation files of one folder."""

    graphs: Path
    """Scene_graphs.json, else objects.json."""
    attributes: Path | None = None
    relationships: Path | None = None
    """``attributes`` and ``relationships``: the files beside objects.json."""
    sizes: Path | None = None
    """Image_data.json."""

    @classmethod
    def of(cls, folder: Path) -> Files:
        names = ("scene_graphs", "objects", "attributes", "relationships", "image_data")
        graphs, objects, attributes, relationships, sizes = (plain_or_gzip(folder / f"{name}.json") for name in names)
        if graphs:
            return cls(graphs=graphs, sizes=sizes)
        if objects:
            return cls(graphs=objects, attributes=attributes, relationships=relationships, sizes=sizes)
        raise DataError(
            f"Expected scene_graphs.json, or objects.json with attributes.json and relationships.json, in {folder}, "
            "but there is none: fetch one"
        )

    @property
    def is_whole(self) -> bool:
        """True if the records of ``graphs`` have attributes and relationships."""
        return self.graphs.name.startswith("scene_graphs")

    @property
    def all(self) -> tuple[Path, ...]:
        every = (self.graphs, self.attributes, self.relationships, self.sizes)
        return tuple(path for path in every if path is not None)


class VisualGenomeReader:
    """Reads scene graphs as Visual Genome publishes them."""

    kind = "visual-genome"
    version = 2
    """Raised when the same files give other scenes, so that stored indexes are made anew."""

    def __init__(self, files: Files, photos: PhotoFolders | None) -> None:
        self.files = files.all
        self.settings = photos.state if photos else ""
        self._files = files
        self._photos = photos

    def records(self, progress: Callable[[int], object], checks: BoxChecks) -> Iterator[IndexedScene | str]:
        sizes = PictureSizes(self._files.sizes, self._photos.root if self._photos else None)
        yield from sizes.read(progress)
        path = self._files.graphs
        with (
            closing(RecordsBeside(self._files.attributes, progress)) as attributes,
            closing(RecordsBeside(self._files.relationships, progress)) as relationships,
        ):
            for place, value in enumerate(RecordStream(path, progress).items()):
                try:
                    record = Record.of(value, f"{path}: record {place}")
                    image_id = image_id_of(record)
                except DataError as error:
                    yield str(error)
                    continue
                record = Record(record.row, _label(path, image_id))  # from here on messages name the image
                records = ImageRecords(
                    id=image_id,
                    objects=record,
                    attributes=record if self._files.is_whole else attributes.take(image_id),
                    relationships=record if self._files.is_whole else relationships.take(image_id),
                )
                yield self._found(records, sizes, checks)
            yield from attributes.left(path)
            yield from relationships.left(path)

    def _found(self, records: ImageRecords, sizes: PictureSizes, checks: BoxChecks) -> IndexedScene | str:
        try:
            name = f"{records.id}.jpg"
            photo_file = self._photos.file(name, records.objects.where) if self._photos else name
            scene = scene_of(records, partial(sizes.of, records.id, photo_file), checks)
        except DataError as error:
            return str(error)
        return IndexedScene(scene=scene, photo_file=photo_file, path=self._files.graphs)


class PictureSizes:
    """Sizes in pixels, of image_data.json or else of the photo."""

    def __init__(self, path: Path | None, photos: Path | None) -> None:
        """``path``: the file image_data.json; ``photos``: the folder of photos; either may be None."""
        self._path = path
        self._photos = photos
        self._known: dict[str, tuple[int, int] | DataError] = {}

    def read(self, progress: Callable[[int], object]) -> Iterator[str]:
        """Reads image_data.json, and yields the errors of records without an image."""
        if self._path is None:
            return
        for place, value in enumerate(RecordStream(self._path, progress).items()):
            try:
                record = Record.of(value, f"{self._path}: record {place}")
                image_id = image_id_of(record)
            except DataError as error:
                yield str(error)
                continue
            label = _label(self._path, image_id)
            # A wrong size is raised only where a scene of the image needs it.
            if image_id in self._known:
                yield f"{label}: Expected one record an image, but got one more: remove it"
            else:
                self._known[image_id] = self._size(Record(record.row, label))

    def of(self, image_id: str, photo_file: str) -> tuple[int, int] | None:
        """Width and height; None without photos and image_data.json.

        Raises:
            DataError: the image's record or photo is missing or broken.
        """
        known = self._known.get(image_id)
        if isinstance(known, DataError):
            raise known
        if known is not None:
            return known
        if self._photos is not None:
            return size_px(self._photos / photo_file)
        if self._path is not None:
            raise DataError(
                f"{_label(self._path, image_id)}: Expected its width and height, but there is no such record"
            )
        return None

    def _size(self, record: Record) -> tuple[int, int] | DataError:
        try:
            return record.size()
        except DataError as error:
            return error


@dataclass(frozen=True, slots=True, kw_only=True)
class ImageRecords:
    """The records of one image with the lists "objects", "attributes" and "relationships".

    In scene_graphs.json all are one record.
    """

    id: str
    objects: Record
    attributes: Record | None
    """None where the image has no record in attributes.json."""
    relationships: Record | None
    """None where the image has no record in relationships.json."""


def image_id_of(record: Record) -> str:
    """The image's id; version 1.0 calls it "id"."""
    return record.identity("image_id" if record.has("image_id") else "id")


def _label(path: Path | None, image_id: str) -> str:
    return f"{path}: image {short_name(image_id)}"


def scene_of(
    records: ImageRecords, size: Callable[[], tuple[int, int] | None], checks: BoxChecks | None = None
) -> Scene:
    """The image as a scene, without duplicates of things; if ``size`` gives None, it ends with its boxes.

    Relationships of a thing to itself, which merging can make, or without a predicate are left out.

    Raises:
        DataError: a field is missing or wrong.
    """
    image = _Image()
    for row in records.objects.records("objects"):
        image.add_object(row)
    if records.attributes is not None:
        for row in records.attributes.records("attributes"):
            image.add_attributes(row)
    # Before the boxes are taken: relationships bring things that the list of objects lacks.
    relationships = [] if records.relationships is None else list(image.related(records.relationships))
    width, height = size() or image.reach(records.objects)
    frame = Box(0, 0, width, height)
    if checks is not None:
        image.add_boxes(records.id, frame, checks)
    things, now = merged(image.things(frame))  # several annotators boxed the same thing
    pointed = (
        Relationship(subject=now[each.subject], predicate=each.predicate, object=now[each.object])
        for each in relationships
    )
    return Scene(
        id=records.id,
        photo=Photo(id=f"{records.id}.jpg", digest=""),
        width=width,
        height=height,
        objects=things,
        relationships=tuple(dict.fromkeys(each for each in pointed if each.subject != each.object)),
    )


@dataclass(slots=True)
class _Draft:
    """A thing before the size of the picture is known."""

    row: Record
    """Its record, for messages."""
    name: str
    box: Box
    """As drawn, not clipped yet."""
    synset: str | None
    """Such as "dog.n.01"; None where the record has none."""
    attributes: dict[str, None]
    """In the order of the files, each once."""


@dataclass(slots=True)
class _Image:
    """Collects the things of an image."""

    _drafts: dict[str, _Draft] = field(default_factory=dict)
    """The things by id."""
    _now: dict[str, str] = field(default_factory=dict)
    """The ids of objects that the authors merged into another, with its id ("merged_object_ids")."""

    def add_object(self, row: Record) -> None:
        thing_id, row = _identified(row)
        first = self._drafts.get(thing_id)
        draft = _drafted(row)
        if first is None:
            self._drafts[thing_id] = draft
        elif first.name == draft.name:  # an object that is listed twice
            first.attributes.update(draft.attributes)
        else:
            raise row.wrong("names", f"the name that object {thing_id} has before, {first.name!r}")
        for place, other in enumerate(row.items("merged_object_ids")):
            if not isinstance(other, int | str):
                raise row.wrong(f"merged_object_ids[{place}]", "an id")
            self._now[str(other)] = thing_id

    def add_attributes(self, row: Record) -> None:
        self._drafts[self._known(row)].attributes.update(dict.fromkeys(_attributes(row)))

    def related(self, record: Record) -> Iterator[Relationship]:
        for row in record.records("relationships"):
            subject, object_ = (self._end(row, end) for end in ("subject", "object"))
            # An empty predicate costs the relationship, not the image.
            predicate = cleaned(row.text("predicate")) if row.row.get("predicate") != "" else ""
            if predicate:
                yield Relationship(subject=subject, predicate=predicate, object=object_)

    def reach(self, record: Record) -> tuple[int, int]:
        """The least whole width and height that hold every box."""
        if not self._drafts:
            raise record.wrong("objects", "an object, since only boxes give the size of the picture")
        x1, y1 = (max(end) for end in zip(*((each.box.x1, each.box.y1) for each in self._drafts.values()), strict=True))
        if not (0 < x1 <= MAX_SIDE_PX and 0 < y1 <= MAX_SIDE_PX):
            raise record.wrong("objects", "boxes that give the size of the picture", f"they reach to {x1:g}, {y1:g}")
        return -int(-x1 // 1), -int(-y1 // 1)  # rounded up

    def add_boxes(self, image_id: str, frame: Box, checks: BoxChecks) -> None:
        for thing_id, each in self._drafts.items():
            checks.add(image_id, thing_id, each.box, frame)

    def things(self, frame: Box) -> Iterator[Thing]:
        for thing_id, each in self._drafts.items():
            attributes = tuple(each.attributes)
            yield Thing(
                id=thing_id,
                name=each.name,
                box=each.row.within(each.box, frame, "x"),
                attributes=attributes,
                synset=each.synset,
                multi_coloured=is_multi_coloured(attributes, each.name),
            )

    def _end(self, row: Record, end: str) -> str:
        """The id of a relationship's subject or object, given by id or as a whole record."""
        if row.has(end):
            return self._known(row.record(end))
        named = row.identity(f"{end}_id")
        thing_id = self._now.get(named, named)
        if thing_id not in self._drafts:
            raise row.wrong(f"{end}_id", "the id of an object of this image")
        return thing_id

    def _known(self, row: Record) -> str:
        """The id of a thing outside of the list of objects, which may lack it."""
        named, row = _identified(row)
        thing_id = self._now.get(named, named)
        if thing_id not in self._drafts:  # the whole record stands in the relationship, so it is known all the same
            self._drafts[thing_id] = _drafted(row)
        return thing_id


def _identified(row: Record) -> tuple[str, Record]:
    """The object's id, and its record labelled by the id; version 1.0 calls it "id"."""
    thing_id = row.identity("object_id" if row.has("object_id") else "id")
    return thing_id, Record(row.row, row.where, f"object {thing_id}")


def _drafted(row: Record) -> _Draft:
    return _Draft(
        row=row, name=_name(row), box=_box(row), synset=_synset(row), attributes=dict.fromkeys(_attributes(row))
    )


def _name(row: Record) -> str:
    """The first of "names" (in attributes of version 1.0, "object_names"), or "name"."""
    texts = [text for field in ("names", "object_names") for text in row.items(field)] + [row.row.get("name")]
    for text in texts:
        if isinstance(text, str) and cleaned(text):
            return cleaned(text)
    raise row.wrong("name" if row.has("name") else "names", "a name with a letter or a digit")


def _box(row: Record) -> Box:
    """The box as drawn, perhaps partly outside of the picture; numbers may be texts."""
    fields = ("x", "y", "width" if row.has("width") else "w", "height" if row.has("height") else "h")
    x, y, w, h = (_number(row, each) for each in fields)
    if w <= 0 or h <= 0:
        raise row.wrong(fields[2] if w <= 0 else fields[3], "a width and height above 0")
    return Box(x, y, w, h)


def _number(row: Record, field: str) -> float:
    value = row.row.get(field)
    if type(value) is int:  # nearly all are, and there are millions
        return value
    if not isinstance(value, str):
        return row.number(field)
    try:
        return Record({field: float(value)}, row.where, row.path).number(field)
    except ValueError:
        raise row.wrong(field, "a number") from None


def _synset(row: Record) -> str | None:
    """The first of "synsets", each a text, or in version 1.0 a record with its name."""
    for place, value in enumerate(row.items("synsets")):
        name = value.get("synset_name") if isinstance(value, dict) else value
        if not isinstance(name, str) or not SYNSET.fullmatch(name):
            raise row.wrong(f"synsets[{place}]", "a WordNet synset such as 'dog.n.01'")
        return name
    return None


def _attributes(row: Record) -> Iterator[str]:
    for place, value in enumerate(row.items("attributes")):
        if not isinstance(value, str):
            raise row.wrong(f"attributes[{place}]", "a text")
        if cleaned(value):
            yield cleaned(value)


class RecordsBeside:
    """The records of attributes.json or relationships.json by image, each read once.

    Records of later images wait on disk, as the files may have another order than the graphs.
    """

    def __init__(self, path: Path | None, progress: Callable[[int], object]) -> None:
        """Without a ``path`` there are no records."""
        self._path = path
        self._coming = RecordStream(path, progress).items() if path else iter(())
        self._early = sqlite3.connect("")  # a temporary file, which goes with the connection
        self._early.execute("CREATE TABLE early (image TEXT, place INTEGER, row BLOB)")
        self._early.execute("CREATE INDEX early_image ON early (image)")
        self._places = 0
        self._bad: list[str] = []

    def take(self, image_id: str) -> Record | None:
        """The first record of this image that was not taken yet."""
        found = self._early.execute(
            "SELECT rowid, row FROM early WHERE image = ? ORDER BY place LIMIT 1", (image_id,)
        ).fetchone()
        if found is not None:
            self._early.execute("DELETE FROM early WHERE rowid = ?", found[:1])
            return Record.of(json.loads(zlib.decompress(found[1])), _label(self._path, image_id))
        for other, record in self._read():
            if other == image_id:
                return record
            data = zlib.compress(json.dumps(record.row).encode(), 1)  # the fastest level
            self._early.execute("INSERT INTO early VALUES (?, ?, ?)", (other, self._places, data))
        return None

    def left(self, graphs: Path) -> Iterator[str]:
        """The errors of broken records and of records of no image, in the order of the file."""
        late = [(image_id, self._places) for image_id, _ in self._read()]
        yield from self._bad
        early = self._early.execute("SELECT image, place FROM early ORDER BY place")
        for image_id, _ in (*early, *late):
            yield f"{_label(self._path, image_id)}: Expected one record an image of {graphs.name}, but got one more"

    def close(self) -> None:
        self._early.close()

    def _read(self) -> Iterator[tuple[str, Record]]:
        for value in self._coming:
            self._places += 1
            try:
                record = Record.of(value, f"{self._path}: record {self._places - 1}")
                image_id = image_id_of(record)
            except DataError as error:
                self._bad.append(str(error))
            else:
                yield image_id, Record(record.row, _label(self._path, image_id))
