"""Reads and extends the file of waivers: cases that a person judged invalid."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from pytest_vqamt.core.atomic_write import replacing
from pytest_vqamt.core.errors import DataError, OptionError
from pytest_vqamt.core.events import Event, Judged
from pytest_vqamt.core.input_files import read_text

_HEAD = "# Cases that a person judged invalid, each with the reason. --vqamt-waive=FILE leaves them out of the rates.\n"


def read_waivers(file: Path, option: str = "--vqamt-waive") -> dict[str, str]:
    """Reads the reasons by case id from lines ``CASE-ID reason``; lines that begin with # are skipped.

    Raises:
        OptionError: the file cannot be read.
        DataError: a line names no case, or gives no reason.
    """
    try:
        lines = read_text(file).splitlines()
    except OSError as error:
        raise OptionError(f"Expected {option} to name a text file, but got {str(file)!r}: {error}") from error
    waived: dict[str, str] = {}
    for number, line in enumerate(lines, start=1):
        case_id, _, reason = line.strip().partition(" ")
        if not case_id or case_id.startswith("#"):
            continue
        if not re.fullmatch(r"[0-9a-f]{16}", case_id) or not reason.strip():
            raise DataError(
                f"Expected a case id of 16 hexadecimal digits and a reason, but got {line.strip()!r} "
                f"({file}, line {number})"
            )
        waived[case_id] = reason.strip()
    return waived


def add_waivers(file: Path, reasons: Mapping[str, str]) -> tuple[str, ...]:
    """Adds lines for the case ids that the file does not have yet, and returns these ids.

    Raises:
        OptionError: the file cannot be read or written.
        DataError: a line of it names no case.
    """
    known = read_waivers(file, "--waivers") if file.exists() else {}
    new = tuple(sorted(reasons.keys() - known.keys()))
    if not new:
        return ()
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        before = read_text(file) if file.exists() else _HEAD
        ended = before if not before or before.endswith("\n") else f"{before}\n"
        with replacing(file) as part:
            part.write_text(ended + "".join(f"{each} {reasons[each]}\n" for each in new), encoding="utf-8")
    except OSError as error:
        raise OptionError(
            f"Expected --waivers to name a file that can be written, but got {str(file)!r} "
            f"({error.strerror or error}): name another"
        ) from error
    return new


@dataclass(slots=True)
class WaivedCaseIds:
    """A listener that keeps the ids of waived cases."""

    ids: list[str] = field(default_factory=list)

    def __call__(self, event: Event) -> None:
        if isinstance(event, Judged) and event.waived:
            self.ids.append(event.case.id)


def stale_waivers_note(waived: Mapping[str, str], seen: Collection[str]) -> str:
    """The note on waived ids that no case of a run has; "" if all have one.

    >>> stale_waivers_note({"0123456789abcdef": "cut off"}, [])
    '1 of 1 waived ids is of no case of this run (0123456789abcdef)'
    """
    stale = [case_id for case_id in waived if case_id not in seen]
    if not stale:
        return ""
    named = ", ".join([*stale[:3], *(["..."] if len(stale) > 3 else [])])
    verb = "is" if len(stale) == 1 else "are"
    return f"{len(stale)} of {len(waived)} waived ids {verb} of no case of this run ({named})"
