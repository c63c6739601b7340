"""Users' own scene graphs: a file of JSON Lines, one scene a line, and a folder of photos."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeAlias

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.codec import Json, encode
from pytest_vqamt.core.errors import DataError, OptionError
from pytest_vqamt.core.scene import Photo, PublishedQuestion, PublishedTurn, Region, Relationship, Scene, Thing
from pytest_vqamt.core.spelling import option
from pytest_vqamt.core.text import count_noun, error_reason, short_name, short_path, short_repr
from pytest_vqamt.data.annotations import AnnotatedPhotos, ListedAnnotations, Series
from pytest_vqamt.data.json_io import JsonLines, Line
from pytest_vqamt.data.masks import Extent, polygon_mask
from pytest_vqamt.data.photo_io import PhotoFiles
from pytest_vqamt.data.records import MAX_SIDE_PX, SYNSET, Record, UniqueIds, normalise_name
from pytest_vqamt.data.sanity import SourceChecks
from pytest_vqamt.data.series import FRAMES, PHOTOS, FilmChecks, is_film, is_series, rows_of_series, whole_film
from pytest_vqamt.language.answers.vqa_accuracy import normalise_answer

if TYPE_CHECKING:
    from PIL.Image import Image


Polygons: TypeAlias = "tuple[tuple[float, ...], ...]"
"""The polygons of one thing, each ``x0, y0, x1, y1, ...`` in pixels of the picture."""

FIELDS = (
    "id", "photo", "width", "height", "objects", "regions", "relationships", "setting", "captions", "exhaustive",
    "questions", "presumed",
)  # fmt: skip
_THING_FIELDS = ("id", "name", "box", "attributes", "synset", "multi_coloured", "mask")

_NO_MASKS: Mapping[str, Polygons] = MappingProxyType({})

_Given: TypeAlias = "tuple[Box, Box | None]"
"""The box of a thing as it stands in the file, and the box around its mask."""


class QuestionIndex:
    """The answers to each text about each photo, to find a text that has two."""

    def __init__(self) -> None:
        self._answers: dict[tuple[str, str, tuple[PublishedTurn, ...]], tuple[str, str, str]] = {}
        self._wrong: list[str] = []

    def add(self, photo: str, where: str, questions: Iterable[PublishedQuestion]) -> None:
        """Adds the questions of the record at ``where``."""
        for question in questions:
            if not question.answers:
                continue
            answer = Counter(question.answers).most_common(1)[0][0]  # annotators may differ; the first of equals
            key = photo, question.text, question.turns
            first_where, first, before = self._answers.setdefault(key, (where, question.id, answer))
            if normalise_answer(answer) != normalise_answer(before):  # "Two" and "2" are one answer
                other = f"question {short_name(first)}" + ("" if first_where == where else f" of {first_where}")
                self._wrong.append(
                    f"{where}: question {short_name(question.id)}: {short_repr(question.text)} has the answer "
                    f"{short_repr(answer)} here and {short_repr(before)} in {other}"
                )

    def remarks(self) -> tuple[str, ...]:
        """The first contradiction by name, with the number of others; empty if there is none."""
        if not self._wrong:
            return ()
        others = len(self._wrong) - 1
        more = f" (and {count_noun(others, 'more such question')})" if others else ""
        return (f"{self._wrong[0]}{more}: neither is asked; correct one of them, or leave it out",)


@dataclass(frozen=True, slots=True)
class _Place:
    """A usable photo, to be read again."""

    where: str
    """The file and the line, for messages ("graphs.jsonl:12")."""
    offset: int
    """The first byte of the line in the file."""
    line_id: str
    part: int | None
    """Which of the line's photos it is; None for a line of one photo."""
    scene_id: str
    photo_file: str
    """The photo's name in the folder of photos."""


@dataclass(frozen=True, slots=True)
class _Part:
    """A photo of a line, as it was read."""

    scene: Scene
    file: str
    where: str
    """The line, and of a line of several photos which one ("graphs.jsonl:12: frames[3]")."""
    given: tuple[_Given, ...]


class Graphs(ListedAnnotations):
    """The scenes of ``file``: each line is checked once, with its photos' sizes, and read again on access.

    Attributes:
        photos: the folder of photos; None if the scenes are without photos.
        series: the films and groups among them.
    """

    def __init__(self, file: Path, photos: PhotoFiles | None, *, optional: PhotoFiles | None = None) -> None:
        """Uses the ``optional`` photos if one of them is there.

        Raises:
            DataError: the file cannot be read, or no record can be used.
        """
        self.file = file
        self.photos = photos
        self._lines = JsonLines(file)
        self._parts: tuple[tuple[int, int], tuple[Record, ...]] = (-1, 0), ()
        bad = self._read(optional)
        if not self._places:
            first = f"none of its {len(bad)} can be used: {bad[0]}" if bad else "it is empty"
            raise DataError(
                f"Expected scenes in {short_path(file)}, one a line (docs/reference/scene-graphs.md), but {first}",
                bad_records=bad,
            )
        remarks = (*self._questions.remarks(), *self._checks.lines(), *self._film_checks.lines())
        super().__init__([place.scene_id for place in self._places], bad, self._lines.digest, remarks)
        self.series = self._found_series()
        self._places += self._frames

    def photo_file(self, index: int) -> str:
        return self._places[index].photo_file

    def scene(self, index: int) -> Scene:
        return _scene_of(self._record(index))

    def mask(self, index: int, thing_id: str) -> Image:
        record = self._record(index)
        mask = polygon_mask(_mask_of(record, thing_id), *record.size())
        if mask.getbbox() is None:
            raise DataError(
                f"{record.where}: Expected a mask of one pixel or more, but the polygons of object "
                f"{short_repr(thing_id)} hold the centre of none: correct them, or leave them out"
            )
        return mask

    def _read(self, optional: PhotoFiles | None) -> list[str]:
        """Reads all lines and returns the errors; starts again with the ``optional`` photos when one is found."""
        self._places: list[_Place] = []
        self._frames: list[_Place] = []
        self._films: list[tuple[_Place, ...]] = []
        self._groups: list[tuple[_Place, ...]] = []
        self._questions = QuestionIndex()
        self._checks, self._film_checks = SourceChecks.of(self.file.name), FilmChecks(self.file.name)
        bad, ids = [], UniqueIds()
        for line in self._lines:
            try:
                record = line.record()
                places = self._checked(record, line, ids)
            except DataError as error:
                bad.append(str(error))
                continue
            if optional and any(_has(optional, place.photo_file) for place in places):
                self.photos = optional  # the lines before were checked without photos
                return self._read(None)
            self._add(record, places)
        return bad

    def _checked(self, record: Record, line: Line, ids: UniqueIds) -> tuple[_Place, ...]:
        if is_series(record):
            rows = rows_of_series(record)
            if is_film(record):
                _scene_of(whole_film(record))  # errors name the places in the line, and not in one of its frames
            field = FRAMES if is_film(record) else PHOTOS
            parts = [self._part(row, f"{record.where}: {field}[{place}]") for place, row in enumerate(rows)]
        else:
            parts = [self._part(record, record.where)]
        line_id = ids.add(record.identity("id"), record, "id")
        for part in parts if is_series(record) else ():
            ids.add(part.scene.id, record, "id")
        for part in parts:
            self._take_note(part)
        return tuple(
            _Place(line.where, line.offset, line_id, place if is_series(record) else None, part.scene.id, part.file)
            for place, part in enumerate(parts)
        )

    def _part(self, record: Record, where: str) -> _Part:
        given: list[_Given] = []
        scene = _scene_of(record, given)
        part = _Part(scene, record.text("photo"), where, tuple(given))
        self._check_photo(scene, part.file, where)
        return part

    def _check_photo(self, scene: Scene, file: str, where: str) -> None:
        if self.photos is None:
            return
        try:
            self.photos.check_size(file, scene.width, scene.height)
        except DataError as error:
            raise DataError(f"{where}: photo: {error}") from error

    def _take_note(self, part: _Part) -> None:
        scene, where = part.scene, part.where
        self._questions.add(part.file, where, scene.questions)
        self._checks.add_scene(scene, where)
        boxes, frame = self._checks.boxes, Box(0, 0, scene.width, scene.height)
        boxes.add_things(where, scene.objects)
        for thing, (box, around) in zip(scene.objects, part.given, strict=True):
            boxes.add(where, thing.id, box, frame)
            if around is not None:
                boxes.add_mask(where, thing.id, box, Extent(around) if around.area else None)

    def _add(self, record: Record, places: tuple[_Place, ...]) -> None:
        if not is_film(record):
            self._places += places
            if is_series(record):
                self._groups.append(places)
            return
        scenes = [_scene_of(row) for row in rows_of_series(record)]
        shown = scenes.index(max(scenes, key=lambda scene: len(scene.objects)))  # the first of those with most
        self._places.append(places[shown])
        self._frames += (place for place in places if place is not places[shown])
        self._films.append((places[shown], *places))
        by_id = [{thing.id: thing.box for thing in scene.objects} for scene in scenes]
        ids = dict.fromkeys(thing_id for boxes in by_id for thing_id in boxes)
        self._film_checks.add(record, {each: [boxes.get(each) for boxes in by_id] for each in ids})

    def _found_series(self) -> Series:
        index = {place.scene_id: index for index, place in enumerate((*self._places, *self._frames))}
        return Series(
            frames=tuple(place.scene_id for place in self._frames),
            films={shown.scene_id: tuple(index[place.scene_id] for place in places) for shown, *places in self._films},
            groups={
                each.scene_id: tuple(index[place.scene_id] for place in places)
                for places in self._groups
                for each in places
            },
        )

    def _record(self, index: int) -> Record:
        """Reads the record again; raises DataError if the file has changed."""
        place = self._places[index]
        known, parts = self._parts
        asked = place.offset, self.file.stat().st_mtime_ns if self.file.is_file() else 0
        # The frames of a film are read one after the other: its line is taken apart once.
        if place.part is None or known != asked:
            (record,) = self._lines.at([place.offset], place.where)  # an edited file has another line at this byte
            found = record.identity("id")
            if found != place.line_id or is_series(record) is not (place.part is not None):
                raise DataError(
                    f"{place.where}: Expected the scene {short_repr(place.line_id)}, but got id={short_repr(found)}: "
                    "the file has changed since it was opened, so start again"
                )
            if place.part is None:
                return record
            parts = rows_of_series(record)
            self._parts = asked, parts
        return parts[place.part]


def load(argument: str) -> AnnotatedPhotos:
    """The scenes of ``graphs:FILE.jsonl``, with photos beside the file, or of ``graphs:FILE.jsonl:PHOTOS``.

    Where none of the photos lies beside the file, the scenes are without photos.

    Raises:
        OptionError: no file is named.
        DataError: the file or the folder is not there, or no record can be used.
    """
    if not argument:
        raise OptionError(
            f"Expected {option('data', 'graphs:FILE.jsonl')} or graphs:FILE.jsonl:PHOTOS, but got no file"
        )
    file, photos = _named(argument)
    return open_graphs(f"graphs:{argument}", file, photos)


def open_graphs(spec: str, file: Path, folder: Path | None) -> AnnotatedPhotos:
    """The scenes of ``file`` as the source ``spec``, with photos in ``folder``, or beside the file if there are any.

    Raises:
        DataError: the file or the folder cannot be read, or no record can be used.
    """
    graphs = Graphs(file, PhotoFiles(folder)) if folder else Graphs(file, None, optional=PhotoFiles(file.parent))
    photos = graphs.photos
    scenes = count_noun(len(graphs), "scene")
    return AnnotatedPhotos(
        spec=spec,
        description=f"{scenes} of {file.name}, "
        + (f"photos in {photos.folder.resolve().name}" if photos else "without photos"),
        annotations=graphs,
        photos=photos,
        without=f"put them into {short_path(file.parent)}, or name their folder as in {spec}:PHOTOS",
        series=graphs.series,
    )


def _has(photos: PhotoFiles, name: str) -> bool:
    try:
        return photos.has(name)
    except DataError:  # it is no photo, or its name leads out of the folder
        return False


def _named(argument: str) -> tuple[Path, Path | None]:
    """The file, and the folder of photos if one is named; either may have colons in its name."""
    places = [place for place, letter in enumerate(argument) if letter == ":"]
    why = "there is no such file"
    for place in (len(argument), *reversed(places)):  # the whole first, then ever shorter names of the file
        file, photos = Path(argument[:place]), argument[place + 1 :]
        try:
            if file.is_file():
                return file, Path(photos) if photos else None
            if file.exists():
                why = f"{short_path(file)} is no file"
        except OSError as error:
            why = f"it cannot be read ({error_reason(error)})"
    raise DataError(
        f"Expected a file of scene graphs (docs/reference/scene-graphs.md), but got graphs={short_path(argument)}: "
        f"{why}"
    )


def scene_of_row(row: object, where: str) -> Scene:
    """The scene of a row of one photo; its photo has the scene's id and an empty digest.

    Raises:
        DataError: a field is missing, unknown or wrong; it begins with ``where``.
    """
    return _scene_of(Record.of(row, where))


def _scene_of(record: Record, given: list[_Given] | None = None) -> Scene:
    """The scene of a line of one photo; the boxes of its things, as they stand there, are added to ``given``."""
    record.only(FIELDS)
    scene_id = record.identity("id")
    record.text("photo")
    width, height = record.size()
    frame = Box(0, 0, width, height)
    things = tuple(_things(record, frame, given))
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
        presumed=record.flag("presumed", False),
    )


def file_of_row(row: object, where: str) -> str:
    """The photo's file, relative to the folder of photos; raises DataError without one."""
    return Record.of(row, where).text("photo")


def mask_of_row(row: object, where: str, thing_id: str) -> Polygons:
    """The polygons of the thing; raises DataError if it has none, or broken ones."""
    return _mask_of(Record.of(row, where), thing_id)


def _mask_of(record: Record, thing_id: str) -> Polygons:
    for each in record.records("objects"):
        if each.identity("id") == thing_id and each.has("mask"):
            return _polygons(each)[0]
    raise DataError(
        f"{record.where}: Expected a thing with a mask, but got thing_id={short_repr(thing_id)}: ask where has_mask is "
        "true"
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
    if scene.presumed:
        row["presumed"] = True
    return row


def _things(record: Record, frame: Box, given: list[_Given] | None) -> Iterator[Thing]:
    ids = UniqueIds()
    for each in record.records("objects"):
        if each.has("boxes"):
            raise each.wrong("boxes", "no boxes of a thing in one photo", "give box; a film has frames")
        each.only(_THING_FIELDS)
        own = each.box_as_given("box")
        box = each.within(own, frame, "box")
        around = _mask_box(each, box) if each.has("mask") else None
        if given is not None:
            given.append((own, around))
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
        for end in ("subject", "object"):
            if each.identity(end) not in things:
                raise each.wrong(end, "the id of one of the objects", "add the object, or leave the relationship out")
        yield Relationship(
            subject=each.identity("subject"), predicate=each.name("predicate"), object=each.identity("object")
        )


def _exhaustive(record: Record, regions: tuple[Region, ...]) -> frozenset[str]:
    crowds = {region.name for region in regions}
    for place, name in enumerate(record.texts("exhaustive")):
        # It would say that all of them are listed one by one.
        if normalise_name(name) in crowds:
            raise record.wrong(
                f"exhaustive[{place}]", "a name of which there is no crowd", "how many are in a crowd is not known"
            )
    return frozenset(record.names("exhaustive"))


def _questions(record: Record) -> Iterator[PublishedQuestion]:
    ids = UniqueIds()
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
    if not SYNSET.fullmatch(synset):
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
        # Far beyond any picture: the numbers are of another unit.
        if left < -MAX_SIDE_PX or top < -MAX_SIDE_PX or right > MAX_SIDE_PX or bottom > MAX_SIDE_PX:
            raise record.wrong(f"mask[{place}]", f"a polygon of pixels, none beyond {MAX_SIDE_PX}")
        if place:
            left, top, right, bottom = min(left, x0), min(top, y0), max(right, x1), max(bottom, y1)
        x0, y0, x1, y1 = left, top, right, bottom
    return found, Box.from_corners(x0, y0, x1, y1)


def _mask_box(record: Record, box: Box) -> Box:
    """The box around the mask; raises DataError if it lies outside of the box of the thing."""
    _, around = _polygons(record)
    # One that only lies elsewhere in part is reported by ``BoxChecks``.
    if not around.overlaps(box):
        raise record.wrong(
            "mask", "polygons that overlap the box of their object", "give both in pixels of the picture"
        )
    return around


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
