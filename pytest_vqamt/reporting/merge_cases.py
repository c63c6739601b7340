"""The ``cases.jsonl`` of shards put together, in the order in which one run writes them."""

from __future__ import annotations

import heapq
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import BinaryIO, NamedTuple, cast

from pytest_vqamt.core.case import Outcome
from pytest_vqamt.core.clusters import Spread
from pytest_vqamt.core.errors import DataError, VqamtError
from pytest_vqamt.core.result_rows import Row
from pytest_vqamt.core.results import RelationResult, Report
from pytest_vqamt.reporting.cases_file import FILE

_TOLD = ("case_id", "relation", "model", "data")


class Spreads(NamedTuple):
    """The cases of an item by scene, the presumed ones apart."""

    ordinary: Spread
    presumed: Spread


class _Line(NamedTuple):
    """A line of a shard; its id comes first, so that lines sort by it."""

    case_id: str
    text: bytes
    row: Row


def merge_cases(parts: Mapping[Path, Report], out: Path) -> tuple[Spreads, ...]:
    """Writes ``cases.jsonl`` into ``out``, from those in the folders of ``parts``, and counts them for each item.

    A line of each shard is in memory at a time.

    Raises:
        DataError: the cases of a folder are not those that its report counts.
        VqamtError: ``out`` cannot be written to.
    """
    spreads: list[Spreads] = []
    file, beside = out / FILE, out / f".{FILE}.{os.getpid()}"
    try:
        out.mkdir(parents=True, exist_ok=True)
        with ExitStack() as closing:
            closing.callback(beside.unlink, missing_ok=True)
            joined = closing.enter_context(beside.open("wb"))
            shards = {folder: closing.enter_context(_opened(folder)) for folder in parts}
            for position in range(len(next(iter(parts.values())).relations)):
                shares = [_share(shards[folder], report.relations[position]) for folder, report in parts.items()]
                spreads.append(Spreads(Spread(), Spread()))
                joined.writelines(_each_once(heapq.merge(*shares), spreads[-1]))
            for lines in shards.values():
                _check_ended(lines)
            joined.close()
            beside.replace(file)
    except OSError as error:
        raise VqamtError(f"Expected a folder that can be written to, but got {str(out)!r}: {error}") from error
    return tuple(spreads)


def _opened(folder: Path) -> BinaryIO:
    try:
        return (folder / FILE).open("rb")
    except OSError as error:
        raise DataError(f"Expected {FILE} beside the report, but got {str(folder)!r}: {error}") from error


def _share(lines: BinaryIO, relation: RelationResult) -> Iterator[_Line]:
    """The cases of one item in one shard, as many as its report counts."""
    wanted = (relation.item, relation.model.name, relation.data.spec)
    before = ""
    for number in range(relation.all_cases):
        text = lines.readline()
        row = _row(text, lines)
        case_id, *of = (str(row.get(name, "")) for name in _TOLD)
        if tuple(of) != wanted:
            raise DataError(
                f"Expected {relation.all_cases} cases of {relation.item}, as the report counts, but got {number} in "
                f"{lines.name}: the two files are not of one run"
            )
        if case_id <= before:
            raise DataError(
                f"Expected the cases of {relation.item} in the order of their ids, but got case_id={case_id!r} after "
                f"{before!r} in {lines.name}: merge the files as they were written"
            )
        before = case_id
        yield _Line(case_id, text, row)


def _row(text: bytes, lines: BinaryIO) -> Row:
    """What a line says; nothing at the end of the file."""
    if not text:
        return {}
    try:
        row: Row = json.loads(text)
        if missing := [name for name in (*_TOLD, "scene", "verdict") if name not in row]:
            raise KeyError(*missing)
        Outcome(str(row["verdict"]))
        return row
    except (KeyError, TypeError, ValueError) as error:
        raise DataError(f"Expected one case a line, but got {text[:80]!r} in {lines.name}: {error!r}") from error


def _each_once(lines: Iterator[_Line], spreads: Spreads) -> Iterator[bytes]:
    before = ""
    for line in lines:
        if line.case_id == before:
            raise DataError(f"Expected each case in one shard, but got case_id={line.case_id!r} in two")
        before = line.case_id
        _count(line.row, spreads)
        yield line.text


def _count(row: Row, spreads: Spreads) -> None:
    if row.get("waived"):
        return
    spread = spreads.presumed if "presumed" in cast("list[str]", row.get("tags") or []) else spreads.ordinary
    before = row.get("before")
    spread.add(str(row["scene"]), Outcome(str(row["verdict"])), Outcome(str(before)) if before else None)


def _check_ended(lines: BinaryIO) -> None:
    if text := lines.readline():
        case_id, item, *_ = (str(_row(text, lines)[name]) for name in _TOLD)
        raise DataError(
            f"Expected no more cases than the report counts, but got case_id={case_id!r} of {item} in {lines.name}: "
            "the two files are not of one run"
        )
