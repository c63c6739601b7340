"""Cases that a run has reported, found again by their ids."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pytest_vqamt.core.codec import Json
from pytest_vqamt.core.errors import DataError, OptionError
from pytest_vqamt.execution.answer_store import AnswerStore
from pytest_vqamt.reporting.cases_file import FILE

_USUAL = (FILE, f"*/{FILE}", f"*/*/{FILE}")
_SHOWN = Path(".pytest_cache", "d", "vqamt", "answers.sqlite")
"""Where a run keeps the violations that it has shown, unless its options say otherwise."""
_NAMED = 5
"""How many of several ids a message names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportedCase:
    """What is reported on one case.

    Attributes:
        id: whole.
        rows: where each stands and its fields, one for each model and data source that were asked.
        file: what they come from.
        also_in: other reports that have the case.
    """

    id: str
    rows: tuple[tuple[str, dict[str, Json]], ...]
    file: Path
    also_in: tuple[Path, ...] = ()


def find(typed: str, report: Path | None) -> ReportedCase:
    """The case whose id is ``typed``, or the only one whose id begins so.

    It is looked for in ``report``, or where that is None in every report at most two folders below the current one;
    and last among the violations that pytest has shown here, which need not be in a report, by the whole id.

    Raises:
        OptionError: there is none, or there are several.
        DataError: ``report`` has no cases, or a line is broken.
    """
    files = _files(report)
    ids: dict[str, None] = {}
    lines: dict[Path, list[tuple[str, str]]] = {}
    for file in files:
        for where, case_id, line in _beginning(typed, file):
            ids[case_id] = None
            if len(ids) == 1:
                lines.setdefault(file, []).append((where, line))
    if len(ids) > 1:
        named = ", ".join([*list(ids)[:_NAMED], *(["..."] if len(ids) > _NAMED else [])])
        raise OptionError(
            f"Expected the id of one case, but got {typed!r}, with which {len(ids)} begin ({named}): type more of it"
        )
    if not ids and (shown := _shown(typed)):
        ids, lines = {typed: None}, {_SHOWN: [(str(_SHOWN), shown)]}
    for case_id in ids:
        file, *others = lines
        rows = tuple((where, _row(line, where)) for where, line in lines[file])
        return ReportedCase(id=case_id, rows=rows, file=file, also_in=tuple(others))
    raise OptionError(
        f"Expected the id of a case of a report, or its beginning, but got {typed!r}: "
        f"{_looked_in(files)}; name the folder of its report with --report"
    )


def _files(report: Path | None) -> list[Path]:
    if report is None:
        return [file for pattern in _USUAL for file in sorted(Path().glob(pattern)) if file.is_file()]
    if not (report / FILE).is_file():
        raise DataError(
            f"Expected a folder that --vqamt-report wrote, but got --report={str(report)!r}: it has no {FILE}"
        )
    return [report / FILE]


def _beginning(typed: str, file: Path) -> Iterator[tuple[str, str, str]]:
    """The lines on cases whose id begins so: where each is, the id, and the line."""
    start = f'{{"case_id":"{typed}'
    try:
        with file.open(encoding="utf-8") as lines:
            for number, line in enumerate(lines, start=1):
                if line.startswith(start):
                    yield f"{file}:{number}", line.split('"', 4)[3], line
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"Expected a file of cases that can be read, but got {str(file)!r}: {error}") from error


def _shown(case_id: str) -> str | None:
    if not _SHOWN.is_file():
        return None
    with AnswerStore(_SHOWN) as store:
        return store.case(case_id)


def _row(line: str, where: str) -> dict[str, Json]:
    try:
        row: Json = json.loads(line)
    except ValueError as error:
        raise DataError(f"{where}: Expected a whole line of a report, but got {error}: make the report anew") from error
    if not isinstance(row, dict):
        raise DataError(f"{where}: Expected a JSON object, but got {line[:60]!r}: make the report anew")
    return row


def _looked_in(files: list[Path]) -> str:
    looked = ", ".join(map(str, files)) if files else "no report, for there is none in " + ", ".join(_USUAL)
    shown = f"{_SHOWN}{'' if _SHOWN.is_file() else ' (which is not there)'}"
    return f"looked in {looked}, and for a violation that was shown in {shown}"
