"""``vqamt check-captions``: applies MetaIC's verdicts to existing captions."""

from __future__ import annotations

import argparse

from pytest_vqamt.commands.json_lines import json_line, read_records
from pytest_vqamt.commands.main import ExitStatus
from pytest_vqamt.core.errors import DataError
from pytest_vqamt.data.records import Record
from pytest_vqamt.language.captions.reading import CaptionReading
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
        action="store_true",
        help="read captions as the paper's tool does, for comparison (see docs/captions.md)",
    )
    parser.add_argument("--fail", action="store_true", help="end with status 1 where a row is violated")


def run(arguments: argparse.Namespace) -> int:
    """Judges each row, and prints it at once."""
    reading = CaptionReading.STRICT if arguments.strict else CaptionReading.REFINED
    found = False
    for record in read_records(arguments.file):
        verdict = _verdict(record, reading)
        found = found or verdict.violated
        result = {"violated": verdict.violated, "relation": verdict.relation or None, "kind": verdict.kind or None}
        print(json_line({**record.row, **result}))
    return ExitStatus.FINDING if found and arguments.fail else ExitStatus.OK


def _verdict(record: Record, reading: CaptionReading) -> CaptionVerdict:
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
