"""The queries of a report's cases, each once, with the cases that ask them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple, cast

from pytest_vqamt.core.case import Outcome
from pytest_vqamt.core.case_store import LineSorter, cases_in, in_order, opened
from pytest_vqamt.core.codec import Json
from pytest_vqamt.core.errors import DataError
from pytest_vqamt.core.identity import matches
from pytest_vqamt.core.query import Query
from pytest_vqamt.core.report_json import case_of_row
from pytest_vqamt.data.base import SceneSource
from pytest_vqamt.data.jsonl import Line
from pytest_vqamt.export.asked import Asked, asked_of, each_query


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


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportedQuery:
    """A query, the scene that its case was made of, the source of that, and the cases that ask it."""

    query: Query
    scene: str
    source: SceneSource
    uses: tuple[Use, ...]


@dataclass(slots=True, kw_only=True)
class ReportedQueries:
    """What ``read`` found, in the order of their photos; ``left_out`` says why cases were not taken, with how many."""

    cases: Path
    data: tuple[str, ...] = ()
    left_out: Counter[str] = field(default_factory=Counter)
    _sorted: Path
    _count: int = 0

    def __len__(self) -> int:
        return self._count

    def each(self, sources: Mapping[str, SceneSource]) -> Iterator[ReportedQuery]:
        """The queries, photo by photo; ``sources`` has the source of each of ``data``.

        Raises:
            DataError: a case is not whole, or a photo is not the one that it was made of.
        """
        for line in in_order(self._sorted):
            found = asked_of(line)
            yield ReportedQuery(
                query=_query(found, sources[found.data], self.cases.name),
                scene=found.scene,
                source=sources[found.data],
                uses=tuple(map(Use._make, found.uses)),
            )


def read(report: Path, wanted: Wanted, tags: Mapping[str, Sequence[str]], beside: Path) -> ReportedQueries:
    """The queries of the wanted cases of the report in the folder ``report``; ``tags`` has those of its items.

    Queries of the same picture, text and task are one. Relations tagged "baseline" are taken only by a glob that names
    them: for a fifth or more of their cases the answer does not stay what it was. However many there are, few are in
    memory: they are sorted in files in the folder ``beside``, which has to stay as long as they are asked for.

    Raises:
        DataError: there is no such file, or a line of it is broken.
        OSError: what is sorted cannot be written.
    """
    uses, queries = beside / "uses", beside / "queries"
    found = ReportedQueries(cases=cases_in(report), _sorted=queries)
    data: dict[str, None] = {}
    with LineSorter(uses) as asking:
        for asked in _asked(found, wanted, tags):
            data[asked.data] = None
            asking.add(asked.by_query())
    with LineSorter(queries) as sorting:
        for asked in each_query(map(asked_of, in_order(uses))):
            sorting.add(asked.by_photo())
            found._count += 1
    uses.unlink()
    found.data = tuple(data)
    return found


def _asked(found: ReportedQueries, wanted: Wanted, tags: Mapping[str, Sequence[str]]) -> Iterator[Asked]:
    """Each use of a query by a wanted case, in the order of the file."""
    with opened(found.cases) as lines:
        for number, text in enumerate(lines, start=1):
            line = Line(0, f"{found.cases.name}:{number}", text)
            row = _row(line)
            try:
                item = str(row["relation"])
                if why := _why_not(row, item, wanted, tags.get(item, ())):
                    found.left_out[why] += 1
                    continue
                answers, readings = cast("list[str | None]", row["answers"]), cast("list[str]", row["readings"])
                for role, query in enumerate(cast("list[dict[str, Json]]", row["queries"])):
                    use = Use(
                        case=str(row["case_id"]),
                        item=item,
                        role=role,
                        model=str(row["model"]),
                        said=answers[role] or "",
                        read_as=readings[role] if role < len(readings) else "",
                        verdict=str(row["verdict"]),
                    )
                    yield Asked.of(query, str(row["data"]), str(row["scene"]), number, use)
            except (AttributeError, IndexError, KeyError, TypeError) as error:
                raise _broken(line, error) from error


def _row(line: Line) -> dict[str, Json]:
    try:
        row: object = json.loads(line.data)
    except (ValueError, RecursionError):
        row = None
    return cast("dict[str, Json]", row if isinstance(row, dict) else line.record().row)  # which says what is wrong


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


def _query(found: Asked, source: SceneSource, file: str) -> Query:
    where = f"{file}:{found.line}"
    row: dict[str, Json] = {
        "case_id": found.uses[0][0],
        "relation": found.uses[0][1],
        "scene": found.scene,
        "queries": [found.query],
        "expected": "",
    }
    try:
        return case_of_row(row, lambda photo_id: source.scene(source.place(photo_id))).queries[0]
    except DataError as error:
        raise DataError(f"{where}: {error}; if that run had other data, name it with --data") from error


def _broken(line: Line, error: Exception) -> DataError:
    return DataError(f"{line.where}: Expected a whole line of a report, but got {error!r}: make the report anew")
