"""The ``cases.jsonl`` of shards put together, in the order in which one run writes them."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple, cast

from pytest_vqamt.core.case import Outcome
from pytest_vqamt.core.clusters import Spread
from pytest_vqamt.core.errors import DataError
from pytest_vqamt.core.judged_cases import JudgedCases
from pytest_vqamt.core.result_rows import Row
from pytest_vqamt.core.results import Report
from pytest_vqamt.reporting.item_lines import CaseLine, CountedItem, check_ended, item_lines, opened


class MergedCases(NamedTuple):
    """The cases of an item by scene, the presumed ones apart, and one by one; the latter only to compare models."""

    ordinary: Spread
    presumed: Spread
    judged: JudgedCases | None


def merge_cases(parts: Mapping[Path, Report], file: Path) -> tuple[MergedCases, ...]:
    """Writes the cases in the folders of ``parts`` into ``file``, and counts them for each item.

    A line of each shard is in memory at a time; where there are several models 17 bytes of each case are, too.

    Raises:
        DataError: the cases of a folder are not those that its report counts.
        OSError: ``file`` cannot be written to.
    """
    merged: list[MergedCases] = []
    first = next(iter(parts.values()))
    with ExitStack() as closing:
        joined = closing.enter_context(file.open("wb"))
        shards = {folder: closing.enter_context(opened(folder)) for folder in parts}
        for position in range(len(first.relations)):
            shares = [
                item_lines(lines, CountedItem.of(parts[folder].relations[position]), lines.name)
                for folder, lines in shards.items()
            ]
            merged.append(MergedCases(Spread(), Spread(), JudgedCases() if len(first.models) > 1 else None))
            joined.writelines(_each_once(heapq.merge(*shares), merged[-1]))
        for lines in shards.values():
            check_ended(lines, lines.name)
    return tuple(merged)


def _each_once(lines: Iterator[CaseLine], merged: MergedCases) -> Iterator[bytes]:
    before = ""
    for line in lines:
        if line.case_id == before:
            raise DataError(f"Expected each case in one shard, but got case_id={line.case_id!r} in two")
        before = line.case_id
        _count(line.row, merged)
        yield line.text


def _count(row: Row, merged: MergedCases) -> None:
    if row.get("waived"):
        return
    scene, outcome, before = str(row["scene"]), Outcome(str(row["verdict"])), row.get("before")
    presumed = "presumed" in cast("list[str]", row.get("tags") or [])
    spread = merged.presumed if presumed else merged.ordinary
    spread.add(scene, outcome, Outcome(str(before)) if before else None)
    if merged.judged is not None:
        merged.judged.add(str(row["case_id"]), scene, outcome, presumed=presumed)
