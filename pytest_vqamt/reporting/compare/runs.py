"""The runs to compare: reports or baselines, whose cases are read item by item."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from io import BytesIO
from pathlib import Path
from typing import NamedTuple

from pytest_vqamt.core.case_store import GzipIndex, find_cases_file, open_cases
from pytest_vqamt.core.errors import DataError, OptionError, did_you_mean
from pytest_vqamt.core.report_json import BASELINE_SCHEMA, head_from_row
from pytest_vqamt.core.results import BaselineHead, Report
from pytest_vqamt.reporting.atomic_write import REPORT_FILE
from pytest_vqamt.reporting.cases import CaseLine, ItemCount, check_ended, item_lines
from pytest_vqamt.reporting.files import read_report


class StoredItem(NamedTuple):
    """An item of a run; a baseline has no ``tags``."""

    counted: ItemCount
    version: int
    tags: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        """What follows ``vqamt::`` in the id of the item."""
        return f"{self.counted.item}-{self.counted.model}-{self.counted.data}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparableRun:
    """A run to compare.

    Attributes:
        name: as the user named it.
        models: name and fingerprint of each model.
        data: spec and digest of each source.
        settings: of the relations.
        caveats: why the run is incomplete, a clause each.
        lines: reads the cases of an item, sorted by id.
    """

    name: str
    vqamt_version: str
    seed: int
    models: tuple[tuple[str, str], ...]
    data: tuple[tuple[str, str], ...]
    settings: tuple[tuple[str, str], ...]
    items: tuple[StoredItem, ...]
    caveats: tuple[str, ...]
    lines: Callable[[StoredItem], Iterator[CaseLine]]


def open_run(path: Path) -> ComparableRun:
    """Opens the report in a folder, or the baseline in a file.

    Raises:
        DataError: it is neither.
    """
    if path.is_dir():
        return open_report_run(path)
    if path.is_file():
        return _open_baseline_run(path)
    raise DataError(
        f"Expected a folder that --vqamt-report wrote, or a file that `vqamt bless` wrote, but got {str(path)!r}, "
        "which is not there"
    )


def open_report_run(folder: Path) -> ComparableRun:
    """Opens the report in ``folder``.

    Raises:
        DataError: there is no report, or it is incomplete.
    """
    if not (folder / REPORT_FILE).exists():
        raise DataError(
            f"Expected a folder that --vqamt-report wrote, but got {str(folder)!r}: it has no {REPORT_FILE}"
        )
    report = read_report(folder)
    cases = _ReportCases(folder, report)
    return ComparableRun(
        name=str(folder),
        vqamt_version=report.vqamt_version,
        seed=report.seed,
        models=tuple((model.name, model.fingerprint) for model in report.models),
        data=tuple((data.spec, data.digest) for data in report.data),
        settings=report.settings,
        items=tuple(StoredItem(ItemCount.of(each), each.version, each.tags) for each in report.relations),
        caveats=tuple(_caveats(report)),
        lines=cases.lines,
    )


def _caveats(report: Report) -> Iterator[str]:
    if report.shard != "1/1":
        yield f"is shard {report.shard} of a run: `vqamt merge` puts the shards together"
    if not report.complete:
        yield "is not complete: an item could not be run, or the session was stopped"


class _ReportCases:
    """Reads the cases of a report; the positions of the items in the file are found once."""

    def __init__(self, folder: Path, report: Report) -> None:
        self._file = find_cases_file(folder)
        self._members = GzipIndex()
        self._counted = [ItemCount.of(each) for each in report.relations]

    @cached_property
    def _places(self) -> dict[ItemCount, int]:
        places: dict[ItemCount, int] = {}
        place = 0
        with open_cases(self._file, self._members) as lines:
            for counted in self._counted:
                places[counted] = place
                place += sum(len(lines.readline()) for _ in range(counted.cases))
            check_ended(lines, lines.name)
        return places

    def lines(self, item: StoredItem) -> Iterator[CaseLine]:
        place = self._places[item.counted]
        with open_cases(self._file, self._members) as lines:
            lines.seek(place)
            yield from item_lines(lines, item.counted, lines.name)


def _open_baseline_run(file: Path) -> ComparableRun:
    head = _head(file)
    sizes = [each.size_bytes for each in head.items]
    begins = file.stat().st_size - sum(sizes)
    if begins <= 0:
        raise _no_baseline(file, "its end is missing")
    items = tuple(
        StoredItem(ItemCount(each.item, each.model, each.data, each.tally.cases), each.version) for each in head.items
    )
    places = {each: (begins + sum(sizes[:place]), sizes[place]) for place, each in enumerate(items)}

    def lines(item: StoredItem) -> Iterator[CaseLine]:
        place, size = places[item]
        with file.open("rb") as packed:
            packed.seek(place)
            piece = packed.read(size)
        try:
            with gzip.open(BytesIO(piece)) as unpacked:
                yield from item_lines(unpacked, item.counted, str(file))
                check_ended(unpacked, str(file))
        except (OSError, EOFError, zlib.error) as error:
            raise _no_baseline(file, error) from error

    return ComparableRun(
        name=str(file),
        vqamt_version=head.vqamt_version,
        seed=head.seed,
        models=head.models,
        data=head.data,
        settings=head.settings,
        items=items,
        caveats=(),
        lines=lines,
    )


def _head(file: Path) -> BaselineHead:
    try:
        with gzip.open(file) as lines:
            row: object = json.loads(lines.readline())
        if not isinstance(row, dict) or row.get("baseline") != BASELINE_SCHEMA:
            raise ValueError(f"its first line does not begin with 'baseline': {BASELINE_SCHEMA}")
        return head_from_row(row)
    except (OSError, EOFError, zlib.error, AttributeError, KeyError, TypeError, ValueError) as error:
        raise _no_baseline(file, error) from error


def _no_baseline(file: Path, error: Exception | str) -> DataError:
    return DataError(
        f"Expected a folder that --vqamt-report wrote, or a whole file that `vqamt bless` wrote, but got {str(file)!r} "
        f"({error})"
    )


class PairedItem(NamedTuple):
    """An item in both runs."""

    before: StoredItem
    after: StoredItem

    @property
    def tags(self) -> tuple[str, ...]:
        """The tags in the second run, as a baseline has none."""
        return self.after.tags


def models_compared(
    before: ComparableRun, after: ComparableRun, named: tuple[str, str] | None
) -> tuple[tuple[str, str], ...]:
    """The pairs of models to compare: the ``named`` ones, the only ones, or all that are in both runs.

    Raises:
        OptionError: a model is missing or ambiguous.
    """
    ours, theirs = ([name for name, _ in side.models] for side in (before, after))
    if named:
        for name, known, side in ((named[0], ours, before), (named[1], theirs, after)):
            if name not in known:
                raise OptionError(
                    f"Expected --models to name a model of {side.name}, but got {name!r}; it has {', '.join(known)}: "
                    f"{did_you_mean(name, known)}"
                )
        return (named,)
    if len(ours) == len(theirs) == 1:
        return ((ours[0], theirs[0]),)
    both = tuple((name, name) for name in theirs if name in ours)
    if not both:
        raise OptionError(
            f"Expected a model that is in both runs, but {before.name} has {', '.join(ours)} and {after.name} has "
            f"{', '.join(theirs)}: name one of each with --models OLD NEW"
        )
    return both


def data_by_spec(before: ComparableRun, after: ComparableRun) -> dict[str, str]:
    """Maps the data specs of the second run to those of the first: the same spec, or one of equal content."""
    specs = {spec for spec, _ in before.data}
    by_digest = {digest: spec for spec, digest in reversed(before.data)}
    found = {spec: spec if spec in specs else by_digest.get(digest) for spec, digest in after.data}
    return {spec: other for spec, other in found.items() if other is not None}


def match_items(
    before: ComparableRun, after: ComparableRun, models: Sequence[tuple[str, str]]
) -> tuple[tuple[PairedItem, ...], tuple[str, ...], tuple[str, ...]]:
    """The items of both runs, in the order of the second, and the ids of items that only one run has."""
    of_data, old_names = data_by_spec(before, after), {new: old for old, new in models}
    ours = {each.counted[:3]: each for each in before.items if each.counted.model in old_names.values()}
    pairs: list[PairedItem] = []
    added: list[str] = []
    for each in after.items:
        item, model, data, _ = each.counted
        if model not in old_names:
            continue
        known = ours.pop((item, old_names[model], of_data.get(data, "")), None)
        if known is not None:
            pairs.append(PairedItem(known, each))
        elif each.counted.cases:
            added.append(each.id)
    return tuple(pairs), tuple(each.id for each in ours.values() if each.counted.cases), tuple(added)
