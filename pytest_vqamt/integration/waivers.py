"""Reads and extends the file of waivers: cases that a person judged invalid."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from pathlib import Path

from pytest_vqamt.core.atomic_write import unwritable_file, write_file
from pytest_vqamt.core.errors import DataError, OptionError
from pytest_vqamt.core.events import Event, Judged
from pytest_vqamt.core.input_files import read_text
from pytest_vqamt.core.text import count_noun, some_of

_HEAD = "# Cases that a person judged invalid, each with the reason. --vqamt-waive=FILE leaves them out of the rates.\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class Waivers:
    """The waivers of a file, by case id."""

    reasons: Mapping[str, str]
    """Why a case is judged invalid, of the waivers that hold."""
    expired: Mapping[str, date]
    """The last days of the waivers that no longer hold."""


def read_waivers(file: Path, option: str = "--vqamt-waive", *, today: date | None = None) -> Waivers:
    """Reads lines ``CASE-ID reason`` or ``CASE-ID until=DATE reason``; lines that begin with # are skipped.

    A waiver holds up to and including the day that it names, by UTC. ``today`` is the day by which it is decided.
    Of several lines on one case the last counts.

    Raises:
        OptionError: the file cannot be read.
        DataError: a line names no case, gives no reason, or has a date that is none.
    """
    try:
        lines = read_text(file).splitlines()
    except OSError as error:
        raise OptionError(f"Expected {option} to name a text file, but got {str(file)!r}: {error}") from error
    today = today or datetime.now(UTC).date()
    reasons: dict[str, str] = {}
    expired: dict[str, date] = {}
    for number, line in enumerate(lines, start=1):
        case_id, _, reason = line.strip().partition(" ")
        if not case_id or case_id.startswith("#"):
            continue
        where = f"{line.strip()!r} ({file}, line {number})"
        until = None
        if found := re.match(r"\s*until=(\S*)", reason):
            until, reason = _day(found[1], where), reason[found.end() :]
        if not re.fullmatch(r"[0-9a-f]{16}", case_id) or not reason.strip():
            raise DataError(f"Expected a case id of 16 hexadecimal digits and a reason, but got {where}")
        # A second date, or one at the end of the reason, would be taken for words.
        if re.search(r"(^|\s)until=", reason):
            raise DataError(f"Expected until=DATE once, right after the case id, but got {where}")
        # The last line on a case counts, whichever way it decides.
        reasons.pop(case_id, None)
        expired.pop(case_id, None)
        if until is not None and until < today:
            expired[case_id] = until
        else:
            reasons[case_id] = reason.strip()
    return Waivers(reasons=reasons, expired=expired)


def _day(text: str, where: str) -> date:
    try:
        # `fromisoformat` also takes 20260131 and 2026-W05-6, which people read otherwise.
        if re.fullmatch(r"\d{4}-\d{2}-\d{2}", text, re.ASCII):
            return date.fromisoformat(text)
    except ValueError:
        pass
    raise DataError(f"Expected a day as until=YYYY-MM-DD, but got until={text} in {where}")


def add_waivers(file: Path, reasons: Mapping[str, str]) -> tuple[str, ...]:
    """Adds lines for the case ids that no waiver of the file holds for, and returns these ids.

    Raises:
        OptionError: the file cannot be read or written.
        DataError: a line of it names no case.
    """
    # An expired waiver is no waiver: the case gets a new line.
    known = read_waivers(file, "--waivers").reasons if file.exists() else {}
    new = tuple(sorted(reasons.keys() - known.keys()))
    if not new:
        return ()
    try:
        before = read_text(file) if file.exists() else _HEAD
    except OSError as error:
        raise unwritable_file(file, "--waivers", error) from error
    # The last line of a file edited by hand may have no line end.
    ended = before if not before or before.endswith("\n") else f"{before}\n"
    write_file(file, ended + "".join(f"{each} {reasons[each]}\n" for each in new), "--waivers")
    return new


@dataclass(slots=True)
class WaivedCaseIds:
    """A listener that collects the ids of waived cases."""

    ids: list[str] = field(default_factory=list)
    """In the order in which the cases were judged."""

    def __call__(self, event: Event) -> None:
        if isinstance(event, Judged) and event.waived:
            self.ids.append(event.case.id)


def stale_waivers_note(waived: Mapping[str, str], seen: Collection[str]) -> str:
    """The note on waived ids that no case of a run has; "" if all have one.

    >>> stale_waivers_note({"0123456789abcdef": "cut off"}, [])
    '1 of 1 waived id is of no case of this run (0123456789abcdef)'
    """
    stale = [case_id for case_id in waived if case_id not in seen]
    if not stale:
        return ""
    verb = "is" if len(stale) == 1 else "are"
    return f"{len(stale)} of {count_noun(len(waived), 'waived id')} {verb} of no case of this run ({some_of(stale, 3)})"
