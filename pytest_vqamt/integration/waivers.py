"""Cases that a person judged invalid."""

from __future__ import annotations

import re
from pathlib import Path

from pytest_vqamt.core.errors import DataError, OptionError


def read_waivers(file: Path) -> dict[str, str]:
    """Case ids with the reason of each, from lines ``CASE-ID reason``; those that begin with # are skipped.

    Raises:
        OptionError: the file cannot be read.
        DataError: a line names no case, or gives no reason.
    """
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise OptionError(f"Expected --vqamt-waive to name a text file, but got {str(file)!r}: {error}") from error
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
