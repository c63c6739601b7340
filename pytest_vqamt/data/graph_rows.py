"""A scene as one row of a file of scene graphs, and back. docs/graphs.md says what each field means."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import TypeAlias

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.codec import Json, encode
from pytest_vqamt.core.errors import DataError
from pytest_vqamt.core.scene import Photo, PublishedQuestion, Region, Relationship, Scene, Thing
from pytest_vqamt.data.messages import shown
from pytest_vqamt.data.records import MOST_PX, Once, Record, tidy

Polygons: TypeAlias = "tuple[tuple[float, ...], ...]"
"""Each as x, y of one corner after the other, in pixels of the picture; together they are one thing."""

FIELDS = (
    "id", "photo", "width", "height", "objects", "regions", "relationships", "setting", "captions", "exhaustive",
    "questions",
)  # fmt: skip
_THING_FIELDS = ("id", "name", "box", "attributes", "synset", "multi_coloured", "mask")

_SYNSET = re.compile(r"\S+\.[nvasr]\.[0-9]+")
_NO_MASKS: Mapping[str, Polygons] = MappingProxyType({})


def scene_of_row(row: object, where: str) -> Scene:
    """The scene of a row; its photo has the scene's id and an empty digest, for its file has not been opened.

    Raises:
        DataError: a field is missing, unknown or wrong; it begins with ``where``.
    """
    record = Record.of(row, where)
    record.only(FIELDS)
    scene_id = record.identity("id")
    record.text("photo")
    width, height = record.size()
    frame = Box(0, 0, width, height)
    things = tuple(_things(record, frame))
    regions = tuple(_region(each, frame) for each in record.records("regions"))
    return Scene(
        id=scene_id,
        photo=Photo(id=scene_id, digest=""),
        width=width,
        height=height,
        objects=things,
        regions=regions,
        relationships=tuple(_relationships(record, frozenset(thing.id for thing in things))),
        setting=record.name("setting", ""),
        captions=record.texts("captions"),
        questions=tuple(_questions(record)),
        exhaustive=_exhaustive(record, regions),
    )


def file_of_row(row: object, where: str) -> str:
    """The photo's file, relative to the folder of photos.

    Raises:
        DataError: the row names none.
    """
    return Record.of(row, where).text("photo")


def mask_of_row(row: object, where: str, thing_id: str) -> Polygons:
    """The polygons of the thing.

    Raises:
        DataError: it has none, or broken ones.
    """
    for each in Record.of(row, where).records("objects"):
        if each.identity("id") == thing_id and each.has("mask"):
            return _polygons(each)[0]
    raise DataError(
        f"{where}: Expected a thing with a mask, but got thing_id={shown(thing_id)}: ask where has_mask is true"
    )


def row_of_scene(scene: Scene, file: str, masks: Mapping[str, Polygons] = _NO_MASKS) -> dict[str, Json]:
    """The row that ``scene_of_row`` reads as ``scene``; ``masks`` has the polygons of each thing that has a mask."""
    row: dict[str, Json] = {"id": scene.id, "photo": file, "width": scene.width, "height": scene.height}
    lists: dict[str, list[Json]] = {
        "objects": [_thing_row(thing, masks) for thing in scene.objects],
        "regions": [{"name": region.name, "box": _box_row(region.box)} for region in scene.regions],
        "relationships": [
            {"subject": each.subject, "predicate": each.predicate, "object": each.object}
            for each in scene.relationships
        ],
        "captions": list(scene.captions),
        "exhaustive": [*sorted(scene.exhaustive)],
        "questions": [_question_row(question) for question in scene.questions],
    }
    row.update({field: items for field, items in lists.items() if items})
    if scene.setting:
        row["setting"] = scene.setting
    return row


def _things(record: Record, frame: Box) -> Iterator[Thing]:
    ids = Once()
    for each in record.records("objects"):
        each.only(_THING_FIELDS)
        box = each.box("box", frame)
        if each.has("mask"):
            _check_mask(each, box)
        yield Thing(
            id=ids.add(each.identity("id"), each, "id"),
            name=each.name("name"),
            box=box,
            attributes=each.names("attributes"),
            synset=_synset(each),
            has_mask=each.has("mask"),
            multi_coloured=each.flag("multi_coloured", False),
        )


def _region(record: Record, frame: Box) -> Region:
    record.only(("name", "box"))
    return Region(name=record.name("name"), box=record.box("box", frame))


def _relationships(record: Record, things: frozenset[str]) -> Iterator[Relationship]:
    for each in record.records("relationships"):
        each.only(("subject", "predicate", "object"))
        for field in ("subject", "object"):
            if each.identity(field) not in things:
                raise each.wrong(field, "the id of one of the objects", "add the object, or leave the relationship out")
        yield Relationship(
            subject=each.identity("subject"), predicate=each.name("predicate"), object=each.identity("object")
        )


def _exhaustive(record: Record, regions: tuple[Region, ...]) -> frozenset[str]:
    crowds = {region.name for region in regions}
    for place, name in enumerate(record.texts("exhaustive")):
        if tidy(name) in crowds:
            raise record.wrong(
                f"exhaustive[{place}]", "a name of which there is no crowd", "how many are in a crowd is not known"
            )
    return frozenset(record.names("exhaustive"))


def _questions(record: Record) -> Iterator[PublishedQuestion]:
    ids = Once()
    for each in record.records("questions"):
        each.only(("id", "text", "answers", "kind"))
        yield PublishedQuestion(
            id=ids.add(each.identity("id"), each, "id"),
            text=each.text("text"),
            answers=each.texts("answers"),
            kind=each.text("kind", ""),
        )


def _synset(record: Record) -> str | None:
    if not record.has("synset"):
        return None
    synset = record.text("synset")
    if not _SYNSET.fullmatch(synset):
        raise record.wrong("synset", "a WordNet synset such as 'dog.n.01'")
    return synset


def _polygons(record: Record) -> tuple[Polygons, Box]:
    """The polygons of a thing, and the box around them, which may have no area."""
    found = record.number_lists("mask")
    if not found:
        raise record.wrong("mask", "one polygon or more", "leave the field out where there is no mask")
    x0 = y0 = x1 = y1 = 0.0
    for place, polygon in enumerate(found):
        if len(polygon) < 6 or len(polygon) % 2:
            raise record.wrong(f"mask[{place}]", "a polygon [x, y, x, y, x, y, ...] of three corners or more")
        xs, ys = polygon[::2], polygon[1::2]
        left, top, right, bottom = min(xs), min(ys), max(xs), max(ys)
        if left < -MOST_PX or top < -MOST_PX or right > MOST_PX or bottom > MOST_PX:
            raise record.wrong(f"mask[{place}]", f"a polygon of pixels, none beyond {MOST_PX}")
        if place:
            left, top, right, bottom = min(left, x0), min(top, y0), max(right, x1), max(bottom, y1)
        x0, y0, x1, y1 = left, top, right, bottom
    return found, Box.between(x0, y0, x1, y1)


def _check_mask(record: Record, box: Box) -> None:
    """Raises DataError where no part of the mask can lie in the box: they are not of one thing, or not in pixels."""
    _, around = _polygons(record)
    if not around.overlaps(box):
        raise record.wrong(
            "mask", "polygons that overlap the box of their object", "give both in pixels of the picture"
        )


def _thing_row(thing: Thing, masks: Mapping[str, Polygons]) -> Json:
    row: dict[str, Json] = {"id": thing.id, "name": thing.name, "box": _box_row(thing.box)}
    if thing.attributes:
        row["attributes"] = list(thing.attributes)
    if thing.synset is not None:
        row["synset"] = thing.synset
    if thing.multi_coloured:
        row["multi_coloured"] = True
    if thing.has_mask:
        row["mask"] = encode(masks[thing.id])
    return row


def _question_row(question: PublishedQuestion) -> Json:
    row: dict[str, Json] = {"id": question.id, "text": question.text}
    if question.answers:
        row["answers"] = list(question.answers)
    if question.kind:
        row["kind"] = question.kind
    return row


def _box_row(box: Box) -> Json:
    return [encode(number) for number in (box.x, box.y, box.w, box.h)]
