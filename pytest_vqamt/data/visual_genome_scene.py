"""One image of Visual Genome as a scene, from whichever of its published forms."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.scene import Photo, Relationship, Scene, Thing
from pytest_vqamt.data.records import MOST_PX, Record
from pytest_vqamt.data.scene_graphs.cleaning import merged
from pytest_vqamt.data.words import cleaned, is_multi_coloured

_SYNSET = re.compile(r"\S+\.[nvasr]\.\d+")


@dataclass(frozen=True, slots=True, kw_only=True)
class ImageRecords:
    """What is known of one image, each part from its file; in scene_graphs.json all are one record.

    Attributes:
        id: of the image.
        objects: has the list "objects".
        attributes: has a list "attributes" of things with their attributes, or None.
        relationships: has the list "relationships", or None.
    """

    id: str
    objects: Record
    attributes: Record | None
    relationships: Record | None


def image_id_of(record: Record) -> str:
    """The image's id; version 1.0 calls it "id"."""
    return record.identity("image_id" if record.has("image_id") else "id")


def scene_of(records: ImageRecords, size: Callable[[], tuple[int, int] | None]) -> Scene:
    """The image as a scene; where ``size`` gives None, the picture reaches as far as its boxes do.

    Duplicates are merged, and relationships point to what is left. A relationship between a thing and itself, which
    merging can make, or without a predicate, says nothing and is left out.

    Raises:
        DataError: a field is missing or wrong.
    """
    image = _Image()
    for row in records.objects.records("objects"):
        image.add_object(row)
    if records.attributes is not None:
        for row in records.attributes.records("attributes"):
            image.add_attributes(row)
    relationships = [] if records.relationships is None else list(image.related(records.relationships))
    width, height = size() or image.reach(records.objects)
    things, now = merged(image.things(Box(0, 0, width, height)))
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
    name: str
    box: Box
    synset: str | None
    attributes: dict[str, None]


@dataclass(slots=True)
class _Image:
    """Collects the things of an image by their ids; ``_now`` leads from ids that were merged at publication."""

    _drafts: dict[str, _Draft] = field(default_factory=dict)
    _now: dict[str, str] = field(default_factory=dict)

    def add_object(self, row: Record) -> None:
        thing_id, row = _identified(row)
        first = self._drafts.get(thing_id)
        draft = _drafted(row)
        if first is None:
            self._drafts[thing_id] = draft
        elif first.name == draft.name:
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
            predicate = cleaned(row.text("predicate")) if row.row.get("predicate") != "" else ""
            if predicate:
                yield Relationship(subject=subject, predicate=predicate, object=object_)

    def reach(self, record: Record) -> tuple[int, int]:
        """The least whole width and height that hold every box."""
        if not self._drafts:
            raise record.wrong("objects", "an object, since only boxes could tell the size of the picture")
        x1, y1 = (max(end) for end in zip(*((each.box.x1, each.box.y1) for each in self._drafts.values()), strict=True))
        if not (0 < x1 <= MOST_PX and 0 < y1 <= MOST_PX):
            raise record.wrong("objects", "boxes that tell the size of the picture", f"they reach to {x1:g}, {y1:g}")
        return -int(-x1 // 1), -int(-y1 // 1)

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
        """The id of a thing told in whole outside the list of objects, which need not have it."""
        named, row = _identified(row)
        thing_id = self._now.get(named, named)
        if thing_id not in self._drafts:
            self._drafts[thing_id] = _drafted(row)
        return thing_id


def _identified(row: Record) -> tuple[str, Record]:
    """The object's id, and its record with the id in the words that lead to it; version 1.0 calls it "id"."""
    thing_id = row.identity("object_id" if row.has("object_id") else "id")
    return thing_id, Record(row.row, row.where, f"object {thing_id}")


def _drafted(row: Record) -> _Draft:
    return _Draft(
        row=row,
        name=_name(row),
        box=_box(row),
        synset=_synset(row),
        attributes=dict.fromkeys(_attributes(row)),
    )


def _name(row: Record) -> str:
    """The first of "names" (in attributes of version 1.0, "object_names"), or "name"."""
    texts = [text for field in ("names", "object_names") for text in row.items(field)] + [row.row.get("name")]
    for text in texts:
        if isinstance(text, str) and cleaned(text):
            return cleaned(text)
    raise row.wrong("name" if row.has("name") else "names", "a name with a letter or a digit")


def _box(row: Record) -> Box:
    """As it was drawn, which can be partly outside the picture; numbers may be written as texts."""
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
        if not isinstance(name, str) or not _SYNSET.fullmatch(name):
            raise row.wrong(f"synsets[{place}]", "a WordNet synset such as 'dog.n.01'")
        return name
    return None


def _attributes(row: Record) -> Iterator[str]:
    for place, value in enumerate(row.items("attributes")):
        if not isinstance(value, str):
            raise row.wrong(f"attributes[{place}]", "a text")
        if cleaned(value):
            yield cleaned(value)
