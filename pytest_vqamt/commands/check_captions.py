"""``vqamt check-captions``: applies MetaIC's verdicts to existing captions."""

from __future__ import annotations

import argparse
import sys

from pytest_vqamt.commands.main import ExitStatus
from pytest_vqamt.core.errors import DataError
from pytest_vqamt.core.text import count_noun
from pytest_vqamt.data.json_io import json_line, read_records
from pytest_vqamt.data.records import Record
from pytest_vqamt.language.captions.caption_reader import CaptionReading
from pytest_vqamt.language.captions.verdicts import CaptionVerdict, check_captions

_FIELDS = ("background_caption", "inserted_caption", "inserted")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of the command."""
    parser.epilog = (
        'A row is a JSON object with "background_caption", "inserted_caption" and "inserted", the name of the thing '
        "that was inserted; its other fields are kept. Printed is the same row, one a line, with "
        '"violated", "relation" (object_appearance, singular_plural or null) and "kind" (misclassification, omission, '
        "quantity or null). The exit status is 0 whatever the verdicts, unless --fail is given."
    )
    parser.add_argument(
        "file", metavar="PAIRS.jsonl", help="pairs of captions, one JSON object a line; - for standard input"
    )
    parser.add_argument(
        "--strict",
        action="store_const",
        const=CaptionReading.STRICT,
        default=CaptionReading.REFINED,
        help="read captions as the paper's tool does, for comparison (see docs/reference/relations/captions.md)",
    )
    # An option of its own, so that "--strict FILE" does not take the file for its value.
    parser.add_argument(
        "--strict=published",
        dest="strict",
        action="store_const",
        const=CaptionReading.PUBLISHED,
        help="the same, and a class of two words is never named, as in the paper's tool",
    )
    parser.add_argument(
        "--allow-bad-records",
        action="store_true",
        help="leave out rows that cannot be read, with one line for each on standard error",
    )
    parser.add_argument("--fail", action="store_true", help="end with status 1 where a row is violated")


def run(arguments: argparse.Namespace) -> int:
    """Judges each row, and prints it at once."""
    found, judged, bad = False, 0, 0

    def leave_out(error: DataError) -> None:
        nonlocal bad
        # The first bad row ends the command; rows before it are printed already.
        if not arguments.allow_bad_records:
            raise error
        bad += 1
        print(f"vqamt: {error}", file=sys.stderr)

    for record in read_records(arguments.file, leave_out):
        try:
            verdict = _verdict(record, arguments.strict)
        except DataError as error:
            leave_out(error)
            continue
        found, judged = found or verdict.violated, judged + 1
        result = {"violated": verdict.violated, "relation": verdict.relation or None, "kind": verdict.kind or None}
        print(json_line({**record.row, **result}))
    if bad:
        print(f"vqamt: {count_noun(judged, 'row')} judged, {bad} left out, which cannot be read", file=sys.stderr)
    # Nothing was judged: the file is of another kind.
    if bad and not judged:
        return ExitStatus.USAGE
    return ExitStatus.FINDING if found and arguments.fail else ExitStatus.OK


def _verdict(record: Record, reading: CaptionReading) -> CaptionVerdict:
    # Empty captions are judged: a model may have said nothing.
    before, after, inserted = (_text(record, field) for field in _FIELDS)
    try:
        return check_captions(before, after, inserted, reading)
    except DataError as error:
        raise DataError(f"{record.label('inserted')}: {error}") from error


def _text(record: Record, field: str) -> str:
    """The text of a field; a caption may be empty."""
    value = record.row.get(field)
    if not isinstance(value, str):
        raise record.wrong(field, "a text")
    return value
