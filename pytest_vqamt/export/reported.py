"""The queries of a report's cases, each once, with the cases that ask them; only their places are in memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import groupby
from pathlib import Path
from typing import NamedTuple, cast

from pytest_vqamt.core.case import Case, Outcome
from pytest_vqamt.core.case_rows import case_of_row
from pytest_vqamt.core.codec import Json
from pytest_vqamt.core.errors import DataError
from pytest_vqamt.core.globs import matches
from pytest_vqamt.core.query import Query
from pytest_vqamt.data.base import SceneSource
from pytest_vqamt.data.fields import Record
from pytest_vqamt.data.json_lines import JsonLines, Line

FILE = "cases.jsonl"


class Only(StrEnum):
    """Which cases are exported: those that violate their relation, or all that were judged."""

    VIOLATIONS = "violations"
    ALL = "all"


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Which cases are exported.

    Attributes:
        relations: globs of items; none for all.
        presumed: whether cases that rest on an absence which the annotations do not guarantee are among them.
    """

    only: Only = Only.VIOLATIONS
    relations: tuple[str, ...] = ()
    presumed: bool = False


class Use(NamedTuple):
    """A case that asks a query: its id, its relation variant, and what became of it.

    ``role`` is 0 for the source query and counts the follow-ups from 1; ``said`` is the model's answer, and ``read_as``
    what was understood of it.
    """

    case: str
    item: str
    role: int
    model: str
    said: str
    read_as: str
    verdict: str


class _Place(NamedTuple):
    """Where a query stands, sorted by its photo, so that all that is asked about a photo comes together."""

    data: str
    photo: str
    picture: str
    task: str
    text: str
    offset: int
    role: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportedQuery:
    """A query, the scene that its case was made of, the source of that, and the cases that ask it."""

    query: Query
    scene: str
    source: SceneSource
    uses: tuple[Use, ...]


@dataclass(slots=True)
class ReportedQueries:
    """What ``read`` found; ``left_out`` says why cases were not taken, with how many."""

    file: JsonLines
    places: tuple[_Place, ...]
    uses: Mapping[tuple[str, str, str], list[Use]]
    data: tuple[str, ...]
    left_out: Counter[str] = field(default_factory=Counter)

    def __len__(self) -> int:
        return len(self.places)

    def each(self, sources: Mapping[str, SceneSource]) -> Iterator[ReportedQuery]:
        """The queries, photo by photo; ``sources`` has the source of each of ``data``.

        Raises:
            DataError: a case is not whole, or a photo is not the one that it was made of.
        """
        lines = [(data, offset, list(here)) for (data, offset), here in groupby(self.places, _line_of)]
        records = self.file.at([offset for _, offset, _ in lines])
        for (data, _, places), record in zip(lines, records, strict=True):
            case = _case(record, sources[data])
            for place in places:
                yield ReportedQuery(
                    query=case.queries[place.role],
                    scene=case.scene,
                    source=sources[data],
                    uses=tuple(self.uses[place.task, place.picture, place.text]),
                )


def _line_of(place: _Place) -> tuple[str, int]:
    return place.data, place.offset


def read(report: Path, wanted: Wanted, tags: Mapping[str, Sequence[str]]) -> ReportedQueries:
    """The queries of the wanted cases of the report in the folder ``report``; ``tags`` has those of its items.

    Queries of the same picture, text and task are one. Relations tagged "baseline" are taken only by a glob that names
    them: for a fifth or more of their cases the answer does not stay what it was.

    Raises:
        DataError: there is no such file, or a line of it is broken.
    """
    lines = JsonLines(report / FILE)
    places: dict[tuple[str, str, str], _Place] = {}
    uses: dict[tuple[str, str, str], list[Use]] = {}
    left_out: Counter[str] = Counter()
    data: dict[str, None] = {}
    for line in lines:
        row = cast("dict[str, Json]", line.record().row)
        try:
            item = str(row["relation"])
            if why := _why_not(row, item, wanted, tags.get(item, ())):
                left_out[why] += 1
                continue
            data[str(row["data"])] = None
            answers, readings = cast("list[str | None]", row["answers"]), cast("list[str]", row["readings"])
            for role, query in enumerate(cast("list[dict[str, Json]]", row["queries"])):
                picture = cast("dict[str, str]", query["picture"])
                key = str(query["task"]), picture["digest"], str(query["text"])
                places.setdefault(
                    key, _Place(str(row["data"]), picture["photo"], key[1], key[0], key[2], line.offset, role)
                )
                uses.setdefault(key, []).append(
                    Use(
                        case=str(row["case_id"]),
                        item=item,
                        role=role,
                        model=str(row["model"]),
                        said=answers[role] or "",
                        read_as=readings[role] if role < len(readings) else "",
                        verdict=str(row["verdict"]),
                    )
                )
        except (AttributeError, IndexError, KeyError, TypeError) as error:
            raise _broken(line, error) from error
    return ReportedQueries(lines, tuple(sorted(places.values())), uses, tuple(data), left_out)


def _why_not(row: dict[str, Json], item: str, wanted: Wanted, tags: Sequence[str]) -> str:
    """Why a case is not taken; "" where it is."""
    naming = [glob for glob in wanted.relations if matches(glob, item)]
    if wanted.relations and not naming:
        return "of other relations"
    if "control" in tags and not any(map(_names, naming)):
        return "of controls, which no pattern of --relations names"
    if "baseline" in tags and not any(map(_names, naming)):
        return "of relations tagged baseline, which no pattern of --relations names"
    if row.get("waived"):
        return "waived"
    if row["verdict"] == Outcome.ERROR:
        return "without a verdict (errors)"
    if wanted.only is Only.VIOLATIONS and row["verdict"] == Outcome.HOLDS:
        return "that hold"
    if "presumed" in cast("list[str]", row.get("tags") or []) and not wanted.presumed:
        return "presumed"
    return ""


def _names(glob: str) -> bool:
    """Whether the pattern names relations, and does not just take all of them."""
    return any(character.isalnum() for character in glob)


def _case(record: Record, source: SceneSource) -> Case:
    try:
        return case_of_row(cast("dict[str, Json]", record.row), lambda photo_id: source.scene(source.place(photo_id)))
    except DataError as error:
        raise DataError(f"{record.where}: {error}; if that run had other data, name it with --data") from error


def _broken(line: Line, error: Exception) -> DataError:
    return DataError(f"{line.where}: Expected a whole line of a report, but got {error!r}: make the report anew")
