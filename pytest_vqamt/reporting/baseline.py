"""``vqamt bless``: writes the cases of a report and their verdicts as the baseline of later runs."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from shutil import copyfileobj
from tempfile import TemporaryFile
from typing import IO, BinaryIO, NamedTuple

from pytest_vqamt.core.case import Outcome, Verdict
from pytest_vqamt.core.case_store import find_cases_file, open_cases
from pytest_vqamt.core.errors import DataError, OptionError, VqamtError, did_you_mean
from pytest_vqamt.core.identity import matches
from pytest_vqamt.core.report_json import Row, case_line, head_row
from pytest_vqamt.core.results import BaselineEntry, BaselineHead, RelationResult, Report
from pytest_vqamt.core.tallies import Tally
from pytest_vqamt.reporting.atomic_write import AtomicFile
from pytest_vqamt.reporting.files import read_report

ERRORS_AT_MOST = 0.01
"""The allowed share of an item's cases without an answer; later runs query these again, but cannot compare them."""
_BEFORE = b'"before"'
"""Marks lines with an earlier verdict, which the baseline leaves out."""


class BlessedFile(NamedTuple):
    """The head and the size of a written baseline."""

    head: BaselineHead
    size_bytes: int


def bless(folder: Path, file: Path, *, relations: Sequence[str] = (), allow_errors: bool = False) -> BlessedFile:
    """Writes the cases of the report in ``folder`` and their verdicts into ``file``, whole or not at all.

    Waived cases are left out, and so are items that none of the globs ``relations`` matches, if there are any. The same
    report gives the same bytes. One case is in memory at a time.

    Raises:
        DataError: the folder has no complete report, or its files are not of one run.
        OptionError: a glob matches nothing, or the report cannot be a baseline.
        VqamtError: the file cannot be written.
    """
    report = read_report(folder)
    _check(report, folder)
    wanted = _wanted(report, relations)
    with open_cases(find_cases_file(folder)) as lines:
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            with TemporaryFile(dir=file.parent) as pieces:
                items = tuple(_pieces(lines, pieces, report, wanted, allow_errors=allow_errors))
                if not items:
                    raise OptionError(
                        f"Expected a report with cases, but got {str(folder)!r}, which has none left to be blessed"
                    )
                return _written(_head(report, items), pieces, file)
        except OSError as error:
            raise VqamtError(
                f"Expected a file that can be written, but got {str(file)!r} ({error.strerror or error}): name another"
            ) from error


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


def _wanted(report: Report, relations: Sequence[str]) -> frozenset[int]:
    """The positions of the items that the globs match."""
    items = [result.item for result in report.relations]
    for pattern in relations:
        if not any(matches(pattern, item) for item in items):
            raise OptionError(
                f"Expected --relations to name items of the report, but {pattern!r} names none; "
                f"{did_you_mean(pattern, dict.fromkeys(items))}"
            )
    return frozenset(
        place
        for place, item in enumerate(items)
        if not relations or any(matches(pattern, item) for pattern in relations)
    )


def _pieces(
    lines: BinaryIO, pieces: IO[bytes], report: Report, wanted: frozenset[int], *, allow_errors: bool
) -> Iterator[BaselineEntry]:
    """Writes a gzip member for each wanted item with cases."""
    number = 0
    for place, result in enumerate(report.relations):
        tally, begins = Tally(), pieces.tell()
        with _packing(pieces) as piece:
            for _ in range(result.all_cases):
                number += 1
                text = lines.readline()
                row = _row(text, result, f"{lines.name}, line {number}")
                if place in wanted and not row.get("waived"):
                    tally += Tally.of(Verdict(outcome=Outcome(str(row["verdict"]))))
                    piece.write(_line(row) if _BEFORE in text else text)
        if not tally.cases:
            pieces.seek(begins)
            pieces.truncate()
            continue
        if not allow_errors:
            _check_errors(result, tally)
        yield _item(result, tally, pieces.tell() - begins)
    if lines.readline():
        raise DataError(
            f"Expected {number} lines in {lines.name}, as the report counts, but got more: "
            "the two files are not of one run"
        )


def _check_errors(result: RelationResult, tally: Tally) -> None:
    if tally.errors > ERRORS_AT_MOST * tally.cases:
        raise OptionError(
            f"Expected at most {ERRORS_AT_MOST:.0%} of an item's cases without an answer, but {result.item} for "
            f"{result.model.name} on {result.data.spec} has {tally.errors} of {tally.cases}: run it again, or give "
            "--allow-errors (such cases are asked again, and compared with nothing)"
        )


def _item(result: RelationResult, tally: Tally, size_bytes: int) -> BaselineEntry:
    return BaselineEntry(
        item=result.item,
        version=result.version,
        model=result.model.name,
        data=result.data.spec,
        tally=tally,
        size_bytes=size_bytes,
    )


def _row(text: bytes, result: RelationResult, where: str) -> Row:
    """Parses a line, which must be a case of ``result``."""
    try:
        row: Row = json.loads(text)
        told = [row[name] for name in ("relation", "model", "data")]
        Outcome(str(row["verdict"]))
    except (KeyError, TypeError, ValueError) as error:
        raise DataError(
            f"{where}: Expected a case of {result.item}, of which the report counts {result.all_cases}, but got "
            f"{text[:60]!r}: the two files are not of one run"
        ) from error
    if told != [result.item, result.model.name, result.data.spec]:
        raise DataError(
            f"{where}: Expected a case of {result.item}, of which the report counts {result.all_cases}, but got one of "
            f"{'-'.join(map(str, told))}: the two files are not of one run"
        )
    return row


def _head(report: Report, items: tuple[BaselineEntry, ...]) -> BaselineHead:
    models, data = {each.model for each in items}, {each.data for each in items}
    return BaselineHead(
        vqamt_version=report.vqamt_version,
        seed=report.seed,
        models=tuple((each.name, each.fingerprint) for each in report.models if each.name in models),
        data=tuple((each.spec, each.digest) for each in report.data if each.spec in data),
        items=items,
        settings=report.settings,
    )


def _packing(packed: IO[bytes]) -> gzip.GzipFile:
    """A gzip member without a name and a time, so that equal reports give equal bytes."""
    return gzip.GzipFile(filename="", mode="wb", fileobj=packed, mtime=0)


def _line(row: Row) -> bytes:
    row.pop("before", None)
    return f"{case_line(row)}\n".encode()


def _written(head: BaselineHead, pieces: IO[bytes], file: Path) -> BlessedFile:
    """Replaces the file by the head and the pieces.

    Raises:
        OSError: the file cannot be written.
    """
    pieces.seek(0)
    with AtomicFile(file) as beside:
        with beside.path.open("wb") as whole:
            with _packing(whole) as first:
                first.write(_line(head_row(head)))
            copyfileobj(pieces, whole)
            size = whole.tell()
        beside.commit()
    return BlessedFile(head, size)
