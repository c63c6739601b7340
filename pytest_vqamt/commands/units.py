"""``vqamt units``: splits hypotheses into their object description units."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from contextlib import nullcontext

from pytest_vqamt.commands.main import ExitStatus
from pytest_vqamt.core.errors import DataError
from pytest_vqamt.core.input_files import describe_broken, open_input, parse_json
from pytest_vqamt.data.json_io import STANDARD_INPUT, json_line
from pytest_vqamt.language.units import units_of

_LONGEST_LINE = 10_000
"""Bytes; a file without line ends is no list of hypotheses."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of the command."""
    parser.epilog = (
        'A line is a hypothesis, or a JSON object with the field "hypothesis" or "sentence"; blank lines are left out. '
        "Printed is one JSON object a line: the hypothesis and its units, each with its object and its property."
    )
    parser.add_argument("file", metavar="FILE", help="a text file with one hypothesis a line; - for standard input")


def run(arguments: argparse.Namespace) -> int:
    """Splits the hypotheses, and prints each."""
    for hypothesis in _hypotheses(arguments.file):
        units = [{"object": unit.object, "property": unit.property} for unit in units_of(hypothesis)]
        print(json_line({"hypothesis": hypothesis, "units": units}))
    return ExitStatus.OK


def _hypotheses(file: str) -> Iterator[str]:
    try:
        # Standard input is not ours to close.
        with nullcontext(sys.stdin.buffer) if file == STANDARD_INPUT else open_input(file) as lines:
            for number, line in enumerate(iter(lambda: lines.readline(_LONGEST_LINE + 1), b""), start=1):
                if hypothesis := _hypothesis(line, f"{file}, line {number}"):
                    yield hypothesis
    except OSError as error:
        raise DataError(
            f"{file}: expected a file with one hypothesis a line, but got {error.strerror or error}"
        ) from error


def _hypothesis(line: bytes, where: str) -> str:
    """The hypothesis in a line; empty if the line is blank."""
    if len(line) > _LONGEST_LINE:
        raise DataError(f"{where}: expected a hypothesis, but got a line of more than {_LONGEST_LINE} bytes")
    try:
        # A byte order mark is no part of the first hypothesis.
        text = line.decode("utf-8-sig").strip()
    except UnicodeDecodeError as error:
        raise DataError(f"{where}: expected text in UTF-8, but got {error.reason} at byte {error.start}") from None
    return _of_record(text, where) if text.startswith("{") else text


def _of_record(text: str, where: str) -> str:
    expected = f'{where}: expected a JSON object with a text "hypothesis" or "sentence"'
    try:
        record = parse_json(text)
    except ValueError as error:
        raise DataError(f"{expected}, but got {text[:60]!r} ({describe_broken(error)})") from None
    if not isinstance(record, dict):
        raise DataError(f"{expected}, but got {text[:60]!r}")
    # "sentence" is its name in the lines of snli-ve.
    found = record.get("hypothesis", record.get("sentence"))
    if not isinstance(found, str) or not found.strip():
        raise DataError(f"{expected}, but got {found!r} in the fields {', '.join(map(str, record)) or '(none)'}")
    return found.strip()
