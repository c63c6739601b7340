"""The queries of a report's cases, each once, with the cases that ask them."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple, TypeAlias, assert_never, cast

from pytest_vqamt.core.case import Outcome
from pytest_vqamt.core.case_store import find_cases_file, numbered_rows
from pytest_vqamt.core.errors import DataError
from pytest_vqamt.core.identity import matches
from pytest_vqamt.core.meaning import (
    Absent,
    Annotated,
    Both,
    Choice,
    Count,
    Describe,
    Either,
    Entails,
    Exists,
    Group,
    Happens,
    Has,
    InAll,
    InPicture,
    Located,
    Meaning,
    MovesFirst,
    Neither,
    NotBoth,
    PartCount,
    Property,
    ShowSame,
    WhichPicture,
    WhichThere,
    Written,
    members,
    truth,
)
from pytest_vqamt.core.query import Query
from pytest_vqamt.core.report_json import Row, case_from_row
from pytest_vqamt.core.scene import Scene, Thing
from pytest_vqamt.data.scene_source import SceneSource, scenes_by_photo
from pytest_vqamt.language.english.lexical_relations import exclusive_pool
from pytest_vqamt.language.ontology import ontology

_TABLES = """
create table queries (id integer primary key, key blob unique, photo_key blob, content blob);
create table uses (query integer, content blob);
"""
"""Queries by what makes two of them one, in the order of their photos, and the cases that use each."""

Certainty: TypeAlias = bool | None
"""True, False, or None for unknown."""


class Only(StrEnum):
    """Which cases are exported: those that violate their relation, or all that were judged."""

    VIOLATIONS = "violations"
    ALL = "all"


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Which cases are exported."""

    only: Only = Only.VIOLATIONS
    """By their verdicts."""
    relations: tuple[str, ...] = ()
    """Globs of items; none for all."""
    presumed: bool = False
    """True if cases that rest on an absence which the annotations do not guarantee are among them."""


class QueryUse(NamedTuple):
    """A case that uses a query, with its verdict."""

    case: str
    """The id of the case."""
    item: str
    """Its relation and variant ("metavqa.partition[object]")."""
    role: int
    """0 for the source query; follow-ups count from 1."""
    model: str
    """The name of the model in the report."""
    said: str
    """The model's answer; "" without one."""
    read_as: str
    """The reading of the answer; "" without one."""
    verdict: str
    """An ``Outcome``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UsedQuery:
    """A query with the cases that use it."""

    query: Query
    """As the first of these cases has it."""
    scene: str
    """The id of its scene."""
    source: SceneSource
    """The data that has the scene."""
    uses: tuple[QueryUse, ...]
    """In the order of the report; one or more."""


@dataclass(slots=True, kw_only=True)
class UsedQueries:
    """The queries of a report's cases in the order of their photos.

    They are in a temporary database, so that few are in memory.
    """

    cases: Path
    """The report's file of cases."""
    data: tuple[str, ...] = ()
    """The specs of their scene sources."""
    left_out: Counter[str] = field(default_factory=Counter)
    """The numbers of excluded cases by reason."""
    _db: sqlite3.Connection

    def __len__(self) -> int:
        return int(self._db.execute("select count(*) from queries").fetchone()[0])

    def each(self, sources: Mapping[str, SceneSource]) -> Iterator[UsedQuery]:
        """The queries, photo by photo; ``sources`` has the source of each of ``data``.

        Raises:
            DataError: a case is not whole, or a photo is not the one that it was made of.
        """
        # By photo, as a source holds the last photos that it has decoded.
        for number, content in self._db.execute("select id, content from queries order by photo_key"):
            data, scene, line, row = json.loads(content)
            found = self._db.execute("select content from uses where query = ? order by rowid", (number,))
            uses = tuple(QueryUse(*json.loads(use)) for (use,) in found)
            query = _query(row, scene, uses[0], sources[data], f"{self.cases.name}:{line}")
            yield UsedQuery(query=query, scene=scene, source=sources[data], uses=uses)


@contextmanager
def read_queries(
    report: Path, wanted: Wanted, tags: Mapping[str, Sequence[str]], beside: Path
) -> Iterator[UsedQueries]:
    """Yields the queries of the wanted cases of a report; ``tags`` has the tags of its items.

    Queries of the same picture, text and task are one, as it occurs first. Relations tagged "baseline" are taken only
    by a glob that names them: for a fifth or more of their cases the answer does not stay what it was. The database is
    in the folder ``beside``.

    Raises:
        DataError: there is no such file, or a line of it is broken.
        OSError: the database cannot be written or read.
    """
    try:
        with closing(sqlite3.connect(beside / "queries.sqlite", isolation_level=None)) as db:
            found = UsedQueries(cases=find_cases_file(report), _db=db)
            # The file is removed in the end, whatever happens: nothing needs to survive a crash.
            db.executescript(f"pragma journal_mode = off; pragma synchronous = off; {_TABLES}")
            db.execute("begin")
            found.data = tuple(_store(found, db, wanted, tags))
            db.execute("create index of_query on uses (query)")  # once all are there, as each insertion would update it
            db.execute("commit")
            yield found
    except sqlite3.Error as error:  # also while the block reads, which sorts on the disk
        raise OSError(str(error)) from error


def _store(
    found: UsedQueries, db: sqlite3.Connection, wanted: Wanted, tags: Mapping[str, Sequence[str]]
) -> dict[str, None]:
    """Stores each use of a query by a wanted case, in the order of the file, and returns the specs of their data."""
    specs: dict[str, None] = {}
    for number, row in numbered_rows(found.cases):
        # "data" is the short name of data that has one.
        item, data = str(row["relation"]), str(row.get("data_spec", row["data"]))
        if why := _exclusion_reason(row, item, wanted, tags.get(item, ())):
            found.left_out[why] += 1
            continue
        specs[data] = None
        answers, readings = cast("list[str | None]", row["answers"]), cast("list[str]", row["readings"])
        for role, query in enumerate(cast("list[Row]", row["queries"])):
            use = QueryUse(
                case=str(row["case_id"]),
                item=item,
                role=role,
                model=str(row["model"]),
                said=answers[role] or "",
                read_as=readings[role] if role < len(readings) else "",
                verdict=str(row["verdict"]),
            )
            try:
                picture = cast("Row", query["picture"])
                key = str(query["task"]), str(picture["digest"]), str(query["text"])
                photo_key = data, str(picture["photo"]), key[1], key[0], key[2]
            except (KeyError, TypeError) as error:
                raise DataError(
                    f"{found.cases.name}:{number}: Expected a whole line of a report, but got {error!r}: make the "
                    "report anew"
                ) from error
            content = data, row["scene"], number, query
            # A later query with the same key is ignored, and its case is one more use of the first.
            db.execute(
                "insert or ignore into queries (key, photo_key, content) values (?, ?, ?)",
                (_json(key), _json(photo_key), _json(content)),
            )
            db.execute("insert into uses select id, ? from queries where key = ?", (_json(use), _json(key)))
    return specs


def _exclusion_reason(row: Row, item: str, wanted: Wanted, tags: Sequence[str]) -> str:
    """Why a case is not taken; "" where it is."""
    # A case with several reasons counts under the first.
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
    if row["verdict"] == Outcome.DECLINED:
        return "declined by the model"
    if row["verdict"] == Outcome.FLAKY:
        return "flaky"
    if wanted.only is Only.VIOLATIONS and row["verdict"] == Outcome.HOLDS:
        return "that hold"
    if "presumed" in cast("list[str]", row.get("tags") or []) and not wanted.presumed:
        return "presumed"
    return ""


def _names(glob: str) -> bool:
    """True if the pattern names relations, and does not just take all of them."""
    return any(character.isalnum() for character in glob)


def _query(row: Row, scene: str, use: QueryUse, source: SceneSource, where: str) -> Query:
    # A case of one query, so that the reader of cases checks the photo and the types.
    case: Row = {"case_id": use.case, "relation": use.item, "scene": scene, "queries": [row], "expected": ""}
    try:
        return case_from_row(case, scenes_by_photo(source)).queries[0]
    except DataError as error:
        raise DataError(f"{where}: {error}; if that run had other data, name it with --data") from error


def _json(value: object) -> bytes:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "surrogatepass")  # answers of models may have half surrogates


# A relation can be sound where the truth is not known: "is there a dog?" and "in the picture, is there a dog?" have the
# same answer, whatever it is. A label needs more. It rests on what is annotated; on absence only where the scene
# annotates every instance of the name (``Scene.exhaustive``) and has no crowd of it; and on a missing attribute only
# where each thing of the name bears one that excludes it, by the ontology and by ``language.properties``.


def is_certain(query: Query) -> bool:
    """True if the scene's annotations leave no doubt about the right answer."""
    return truth(query.meaning, query.picture.scene) is not None and _is_certain(query.meaning, query.picture.scene)


def _is_certain(meaning: Meaning, scene: Scene) -> bool:
    match meaning:
        case Count(groups=groups):
            return all(_GroupMembers.of(group, scene).is_all for group in groups)
        case Exists(group=group) | Absent(group=group):
            return _GroupMembers.of(group, scene).any is not None
        case Both(groups=groups) | NotBoth(groups=groups):
            return _all(_GroupMembers.of(group, scene).any for group in groups) is not None
        # None is there if each is certainly absent; one that is certainly there decides it, too.
        case Either(groups=groups) | Neither(groups=groups):
            return _all(_not(_GroupMembers.of(group, scene).any) for group in groups) is not None
        case Has(group=group, attribute=attribute):
            seen = _GroupMembers.of(group, scene)
            return seen.is_one and _has(seen.things[0], attribute) is not None
        case Located(group=group, other=other):
            return _GroupMembers.of(group, scene).is_one and _GroupMembers.of(other, scene).is_one
        case Choice(what=what):
            return _GroupMembers.of(what, scene).is_one
        case WhichThere(groups=groups):
            return all(_GroupMembers.of(group, scene).any is not None for group in groups)
        case Property(group=group):
            seen = _GroupMembers.of(group, scene)
            return seen.is_one or seen.any is False
        case PartCount(group=group):
            return _GroupMembers.of(group, scene).is_one
        case Written():
            return bool(scene.inscriptions)  # what is written in a photo is not annotated
        case Entails(units=units):
            return _all(_GroupMembers.of(unit.group, scene).any for unit in units) is not None
        case Describe():
            return bool(scene.objects) and _is_listed((thing.name for thing in scene.objects), scene)
        case Annotated(answers=answers):
            # Two answers of the same weight leave open which is right.
            weights = sorted((weight for _, weight in answers), reverse=True)
            return len(weights) == 1 or weights[0] > weights[1]
        case InPicture() | InAll() | WhichPicture() | ShowSame() | Happens() | MovesFirst():
            return False  # questions of several pictures are not exported
        case _:
            assert_never(meaning)


@dataclass(frozen=True, slots=True)
class _GroupMembers:
    """The things that certainly belong to a group in a scene."""

    things: tuple[Thing, ...]
    is_all: bool
    """No other thing of the scene may belong to it."""

    @classmethod
    def of(cls, group: Group, scene: Scene) -> _GroupMembers:
        names = group.covers or (group.name,)
        things = members(group, scene)
        surely = {thing.id for thing in things}
        others = (thing for thing in scene.objects if thing.name in names and thing.id not in surely)
        return cls(things, _is_listed(names, scene) and not any(_may_be(thing, group) for thing in others))

    @property
    def any(self) -> Certainty:
        """True if there is one, False if there is none, None if that is unknown."""
        return True if self.things else False if self.is_all else None

    @property
    def is_one(self) -> bool:
        """True if "the" thing of the group can be no other."""
        return self.is_all and len(self.things) == 1


def _is_listed(names: Iterable[str], scene: Scene) -> bool:
    """True if every thing of these names is annotated, each by itself."""
    listed = frozenset(names)
    return listed <= scene.exhaustive and all(region.name not in listed for region in scene.regions)


def _may_be(thing: Thing, group: Group) -> bool:
    """True if a thing of the right name, which is not annotated to belong to the group, may belong to it."""
    return all(_has(thing, attribute) is not False for attribute in group.attributes)


def _has(thing: Thing, attribute: str) -> Certainty:
    """True if the thing has the attribute, None if unknown: a red and orange thing may be yellow too."""
    if attribute in thing.attributes:
        return True
    kinds, pool = ontology(), exclusive_pool(thing.name)  # the pool: postures of people, else colours
    category = kinds.category_of(attribute)
    if thing.multi_coloured and category == "color":
        return None
    if attribute in pool and sum(word in pool for word in thing.attributes) == 1:
        return False
    # Each word of its kind must exclude it: one that does not leaves room for both.
    same_kind = [word for word in thing.attributes if kinds.category_of(word) == category]
    excluding = [word for word in thing.attributes if kinds.excludes(word, attribute)]
    return False if excluding and set(same_kind) <= set(excluding) else None


def _all(each: Iterable[Certainty]) -> Certainty:
    known = tuple(each)
    # One that is certainly absent decides it, however little is known of the others.
    return False if False in known else None if None in known else True


def _not(known: Certainty) -> Certainty:
    return None if known is None else not known
