"""``vqamt bless``: writes the cases of a report and their verdicts as the baseline of later runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryFile
from types import MappingProxyType
from typing import IO, BinaryIO, NamedTuple, cast

from pytest_vqamt.core.atomic_write import unwritable_file
from pytest_vqamt.core.baseline_store import write_baseline
from pytest_vqamt.core.case import Outcome
from pytest_vqamt.core.case_store import (
    CaseLine,
    ItemCount,
    check_ended,
    find_cases_file,
    gzip_member,
    item_lines,
    open_cases,
)
from pytest_vqamt.core.errors import OptionError
from pytest_vqamt.core.identity import check_patterns, matches
from pytest_vqamt.core.report_json import BEFORE, case_line, tally_of_row
from pytest_vqamt.core.results import BaselineEntry, BaselineHead, RelationResult, Report
from pytest_vqamt.core.tallies import Clusters, SceneCounter, Tally
from pytest_vqamt.reporting.files import read_report
from pytest_vqamt.stats.thresholds import APART

ERRORS_AT_MOST = 0.01
"""The allowed share of an item's cases without an answer; later runs query these again, but cannot compare them."""


class BlessedFile(NamedTuple):
    """A written baseline, and the totals by model and data that later runs are gated on."""

    head: BaselineHead
    """What the file begins with."""
    size_bytes: int
    """Of the compressed file."""
    together: Mapping[tuple[str, str], Clusters] = MappingProxyType({})
    """The cases of all gated relations by scene, where there are several."""
    right: Mapping[tuple[str, str], Clusters] = MappingProxyType({})
    """The answers to questions that come with answers, each question once; right ones hold."""


@dataclass(slots=True)
class _Totals:
    """Counts over all items of a model on data."""

    items: set[str] = field(default_factory=set)
    """Those that are gated."""
    together: SceneCounter = field(default_factory=SceneCounter)
    """The cases of these items, by scene."""
    right: dict[str, tuple[str, bool]] = field(default_factory=dict)
    """The scene of each question, and True if its answer is right."""

    def add(self, line: CaseLine, result: RelationResult) -> None:
        """Adds a case that is blessed."""
        row, scene = line.row, str(line.row["scene"])
        if not ("presumed" in cast("list[str]", row.get("tags") or []) or APART.intersection(result.tags)):
            self.items.add(result.item)
            self.together.add(scene, Outcome(str(row["verdict"])))
        if answer := line.right_answer:
            # A question counts once, whatever relations ask it.
            self.right.setdefault(answer.question, (scene, answer.right))

    @property
    def right_by_scene(self) -> Clusters:
        counter = SceneCounter()
        for scene, right in self.right.values():
            counter.add(scene, Outcome.HOLDS if right else Outcome.VIOLATED)
        return counter.clusters


def bless(
    folder: Path,
    file: Path,
    *,
    relations: Sequence[str] = (),
    excluded: Sequence[str] = (),
    allow_errors: bool = False,
) -> BlessedFile:
    """Writes the cases of the report in ``folder`` and their verdicts into ``file``, whole or not at all.

    Waived cases are left out, and so are items that none of the globs ``relations`` matches, if there are any, and
    those that one of ``excluded`` does. The same report gives the same bytes. One case is in memory at a time.

    Raises:
        DataError: the folder has no complete report, or its files are not of one run.
        OptionError: a glob matches nothing, the report cannot be a baseline, or the file cannot be written.
    """
    report = read_report(folder)
    _check(report, folder)
    wanted = _wanted(report, relations, excluded)
    with open_cases(find_cases_file(folder)) as lines:
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            # The head has the sizes of all pieces, so these are written before it.
            with TemporaryFile(dir=file.parent) as pieces:
                totals: dict[tuple[str, str], _Totals] = {}
                items = tuple(_pieces(lines, pieces, report, wanted, totals, allow_errors=allow_errors))
                if not items:
                    raise OptionError(
                        f"Expected a report with cases, but got {str(folder)!r}, which has none left to be blessed "
                        "(--relations, --exclude)"
                    )
                head = _head(report, items)
                return BlessedFile(
                    head,
                    write_baseline(file, head, pieces),
                    # A total of one relation would be that relation again.
                    {part: each.together.clusters for part, each in totals.items() if len(each.items) > 1},
                    {part: each.right_by_scene for part, each in totals.items() if each.right},
                )
        except OSError as error:
            raise unwritable_file(file, "--out", error) from error


def _check(report: Report, folder: Path) -> None:
    if report.shard != "1/1":
        raise OptionError(
            f"Expected the report of a whole run, but {str(folder)!r} is shard {report.shard}: `vqamt merge` the "
            "shards, and bless what that writes"
        )
    if not report.complete:
        raise OptionError(
            f"Expected the report of a run that came to its end, but {str(folder)!r} is not complete (an item could "
            "not be run, or the session was stopped): run it again"
        )


def _wanted(report: Report, relations: Sequence[str], excluded: Sequence[str]) -> frozenset[int]:
    """The positions of the items that the globs match."""
    items = [result.item for result in report.relations]
    check_patterns(relations, items)
    check_patterns(excluded, items, "--exclude")
    return frozenset(
        place
        for place, item in enumerate(items)
        if (not relations or any(matches(pattern, item) for pattern in relations))
        and not any(matches(pattern, item) for pattern in excluded)
    )


def _pieces(
    lines: BinaryIO,
    pieces: IO[bytes],
    report: Report,
    wanted: frozenset[int],
    totals: dict[tuple[str, str], _Totals],
    *,
    allow_errors: bool,
) -> Iterator[BaselineEntry]:
    """Writes the cases of each item as a piece, and adds them to ``totals``."""
    where = str(lines.name)
    for place, result in enumerate(report.relations):
        tally, begins = Tally(), pieces.tell()
        with gzip_member(pieces) as piece:
            for line in item_lines(lines, ItemCount.of(result), where):
                if place in wanted and not line.row.get("waived"):
                    tally += tally_of_row(line.row)
                    totals.setdefault((result.model.name, result.data.name), _Totals()).add(line, result)
                    piece.write(_without_earlier_verdict(line) if "before" in line.row else line.text)
        if not tally.cases:
            # An item that was left out, or whose cases are all waived, leaves an empty gzip member.
            pieces.seek(begins)
            pieces.truncate()
            continue
        if not allow_errors:
            _check_errors(result, tally)
        yield BaselineEntry(
            item=result.item,
            version=result.version,
            model=result.model.name,
            data=result.data.name,
            tally=tally,
            size_bytes=pieces.tell() - begins,
        )
    check_ended(lines, where)


def _without_earlier_verdict(line: CaseLine) -> bytes:
    # A report with a baseline has the verdicts before in its lines; the new baseline has its own alone.
    row = {name: value for name, value in line.whole.items() if name not in BEFORE}
    return f"{case_line(row)}\n".encode()


def _check_errors(result: RelationResult, tally: Tally) -> None:
    if tally.errors > ERRORS_AT_MOST * tally.cases:
        raise OptionError(
            f"Expected at most {ERRORS_AT_MOST:.0%} of an item's cases without an answer, but {result.item} for "
            f"{result.model.name} on {result.data.name} has {tally.errors} of {tally.cases}: run it again, or give "
            "--allow-errors (such cases are asked again, and compared with nothing)"
        )


def _head(report: Report, items: tuple[BaselineEntry, ...]) -> BaselineHead:
    # Those with blessed cases: excluded items may be all of a model or data source.
    models, data = {each.model for each in items}, {each.data for each in items}
    return BaselineHead(
        vqamt_version=report.vqamt_version,
        seed=report.seed,
        models=tuple((each.name, each.fingerprint) for each in report.models if each.name in models),
        answered_by=tuple((use.name, each) for use in report.models if use.name in models for each in use.answered_by),
        data=tuple((each.name, each.digest) for each in report.data if each.name in data),
        items=items,
        settings=report.settings,
    )
