"""Cases that a run has reported, or that were blessed, found again by their ids."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from pytest_vqamt.core.case_store import NAMES, PLAIN, cases_in, opened
from pytest_vqamt.core.codec import Json
from pytest_vqamt.core.errors import DataError, OptionError
from pytest_vqamt.execution.answer_cache import AnswerStore
from pytest_vqamt.execution.baseline import Baseline
from pytest_vqamt.integration.case_files import Said

_USUAL = ("", "*/", "*/*/")
"""Where reports are looked for."""
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

    @property
    def settings(self) -> dict[str, str]:
        """What relations were set to in the run that it is from, as far as its files tell.

        Raises:
            DataError: the file is a baseline that cannot be read.
        """
        if self.file.name not in NAMES:
            return dict(Baseline(self.file).head.settings) if self.file != _SHOWN else {}
        try:
            report: Json = json.loads(self.file.with_name("report.json").read_text(encoding="utf-8"))
            return dict(cast("dict[str, str]", cast("dict[str, Json]", report)["settings"]))
        except (OSError, KeyError, TypeError, ValueError):
            return {}  # the cases may lie there alone


def find(typed: str, report: Path | None) -> ReportedCase:
    """The case whose id is ``typed``, or the only one whose id begins so.

    It is looked for in ``report``, a folder or the file of a baseline, or where that is None in every report at most
    two folders below the current one; and last among the violations that pytest has shown here, which need not be in a
    report, by the whole id.

    Raises:
        OptionError: there is none, or there are several.
        DataError: ``report`` has no cases, or a line is broken.
    """
    files = _files(report)
    if found := find_in(typed, files, _shown):
        return found
    raise OptionError(
        f"Expected the id of a case of a report, or its beginning, but got {typed!r}: "
        f"{_looked_in(files)}; name the folder of its report with --report"
    )


def find_in(typed: str, files: Sequence[Path], kept: Callable[[str], str | None]) -> ReportedCase | None:
    """The case of those in ``files``, or the one that was ``kept`` by its whole id; None where there is none.

    Raises:
        OptionError: there are several.
        DataError: a file cannot be read, or a line is broken.
    """
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
    if not ids and (shown := kept(typed)):
        ids, lines = {typed: None}, {_SHOWN: [(str(_SHOWN), shown)]}
    for case_id in ids:
        file, *others = lines
        rows = tuple((where, _row(line, where)) for where, line in lines[file])
        return ReportedCase(id=case_id, rows=rows, file=file, also_in=tuple(others))
    return None


def said_in(row: dict[str, Json], where: str) -> Said:
    """What a model has said, from the row of a report; ``where`` it stands is for messages.

    Raises:
        DataError: the row is not whole.
    """
    try:
        answers = tuple(cast("list[str | None]", row["answers"]))
        asked = len(cast("list[Json]", row["queries"]))
        if len(answers) != asked:
            raise ValueError(f"{len(answers)} answers to {asked} texts")
        _ = row["model"]
        return Said(answers=answers, outcome=str(row["verdict"]), reason=str(row["reason"]))
    except (KeyError, TypeError, ValueError) as error:
        raise DataError(
            f"{where}: Expected a whole line of a report, but got {error!r}: make the report anew"
        ) from error


def _files(report: Path | None) -> list[Path]:
    if report is None:
        patterns = (f"{folder}{name}" for folder in _USUAL for name in NAMES)
        return [file for pattern in patterns for file in sorted(Path().glob(pattern)) if file.is_file()]
    if report.is_file():
        return [report if report.name in NAMES else Baseline(report).file]
    return [cases_in(report)]


def _beginning(typed: str, file: Path) -> Iterator[tuple[str, str, str]]:
    """The lines on cases whose id begins so: where each is, the id, and the line."""
    start = f'{{"case_id":"{typed}'.encode("utf-8", "surrogateescape")
    try:
        with opened(file) as lines:
            for number, line in enumerate(lines, start=1):
                if line.startswith(start):
                    text = line.decode()
                    yield f"{file}:{number}", text.split('"', 4)[3], text
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
    looked = (
        ", ".join(map(str, files))
        if files
        else "no report, for there is none in " + ", ".join(f"{folder}{PLAIN}" for folder in _USUAL)
    )
    shown = f"{_SHOWN}{'' if _SHOWN.is_file() else ' (which is not there)'}"
    return f"looked in {looked}, and for a violation that was shown in {shown}"
