"""The ``cases.jsonl`` of shards put together, in the order in which one run writes them."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple, cast

from pytest_vqamt.core.case import Outcome
from pytest_vqamt.core.case_store import cases_in, created, opened
from pytest_vqamt.core.errors import DataError
from pytest_vqamt.core.report_json import Row
from pytest_vqamt.core.results import JudgedCases, Report
from pytest_vqamt.core.tallies import Clusters, PairedClusters, Readings, Spread
from pytest_vqamt.reporting.atomic_write import Beside
from pytest_vqamt.reporting.item_lines import CaseLine, CountedItem, check_ended, item_lines


class CountedCases(NamedTuple):
    """Some cases of an item: by scene, and how their answers were understood."""

    clusters: Clusters
    paired: PairedClusters
    readings: Counter[str]
    readings_sample: int | None


class MergedCases(NamedTuple):
    """The cases of an item, the presumed ones apart, and all of them one by one; the latter only to compare models."""

    ordinary: CountedCases
    presumed: CountedCases
    judged: JudgedCases | None


@dataclass(slots=True)
class _Cases:
    """Cases as they come."""

    spread: Spread = field(default_factory=Spread)
    readings: Readings = field(default_factory=Readings)

    @property
    def counted(self) -> CountedCases:
        return CountedCases(self.spread.clusters, self.spread.paired, self.readings.counted, self.readings.sample)


@dataclass(slots=True)
class _Item:
    """The cases of an item as they come."""

    judged: JudgedCases | None
    ordinary: _Cases = field(default_factory=_Cases)
    presumed: _Cases = field(default_factory=_Cases)

    @property
    def merged(self) -> MergedCases:
        return MergedCases(self.ordinary.counted, self.presumed.counted, self.judged)


def merge_cases(parts: Mapping[Path, Report], cases: Beside) -> tuple[MergedCases, ...]:
    """Writes the cases in the folders of ``parts`` into ``cases``, and counts them for each item.

    A line of each shard is in memory at a time; where there are several models 17 bytes of each case are, too.

    Raises:
        DataError: the cases of a folder are not those that its report counts.
        OSError: the file cannot be written to.
    """
    merged: list[MergedCases] = []
    first = next(iter(parts.values()))
    with ExitStack() as closing:
        joined = closing.enter_context(created(cases.path, cases.file.name))
        shards = {folder: closing.enter_context(opened(cases_in(folder))) for folder in parts}
        for position in range(len(first.relations)):
            shares = [
                item_lines(lines, CountedItem.of(parts[folder].relations[position]), lines.name)
                for folder, lines in shards.items()
            ]
            item = _Item(JudgedCases() if len(first.models) > 1 else None)
            joined.writelines(_each_once(heapq.merge(*shares), item))
            merged.append(item.merged)
        for lines in shards.values():
            check_ended(lines, lines.name)
    return tuple(merged)


def _each_once(lines: Iterator[CaseLine], item: _Item) -> Iterator[bytes]:
    before = ""
    for line in lines:
        if line.case_id == before:
            raise DataError(f"Expected each case in one shard, but got case_id={line.case_id!r} in two")
        before = line.case_id
        _count(line.case_id, line.row, item)
        yield line.text


def _count(case_id: str, row: Row, item: _Item) -> None:
    if row.get("waived"):
        return
    scene, outcome, before = str(row["scene"]), Outcome(str(row["verdict"])), row.get("before")
    presumed = "presumed" in cast("list[str]", row.get("tags") or [])
    cases = item.presumed if presumed else item.ordinary
    cases.spread.add(scene, outcome, Outcome(str(before)) if before else None)
    cases.readings.add(case_id, cast("list[str]", row.get("readings") or []))
    if item.judged is not None:
        item.judged.add(case_id, scene, outcome, presumed=presumed)
