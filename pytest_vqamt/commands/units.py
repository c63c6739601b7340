"""``vqamt units``: splits hypotheses into their object description units."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Generator, Iterable, Iterator
from contextlib import closing, nullcontext
from importlib.util import find_spec
from typing import TypeAlias

from pytest_vqamt.commands.json_lines import STANDARD_INPUT, json_line
from pytest_vqamt.commands.main import ExitStatus
from pytest_vqamt.core.errors import DataError, OptionError
from pytest_vqamt.core.input_files import MAX_EMPTY_LINES, describe_broken, open_input, parse_json
from pytest_vqamt.language.units import DescriptionUnit, splitter

Units: TypeAlias = tuple[DescriptionUnit, ...]

_OPENAI_PREFIX = "openai:"
_BY_PATTERN = re.compile(r"rules|spacy(:.+)?|openai:.*", re.DOTALL)
_LONGEST_LINE = 10_000
"""Bytes; a file without line ends is no list of hypotheses."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of the command."""
    parser.epilog = (
        'A line is a hypothesis, or a JSON object with the field "hypothesis" or "sentence"; blank lines are left out. '
        "Printed is one JSON object a line: the hypothesis and its units, each with its object and its property."
    )
    parser.add_argument("file", metavar="FILE", help="a text file with one hypothesis a line; - for standard input")
    parser.add_argument(
        "--by",
        metavar="HOW",
        default="rules",
        help="rules (the default); spacy or spacy:MODEL, a parser; openai:MODEL@URL, a language model behind an API",
    )


def run(arguments: argparse.Namespace) -> int:
    """Splits the hypotheses, and prints each."""
    file: str = arguments.file
    if not _BY_PATTERN.fullmatch(arguments.by):
        raise OptionError(f"Expected --by rules, spacy, spacy:MODEL or openai:MODEL@URL, but got {arguments.by!r}")
    with closing(_split(arguments.by, _hypotheses(file))) as pairs:
        for hypothesis, units in pairs:
            rows = [{"object": unit.object, "property": unit.property} for unit in units]
            print(json_line({"hypothesis": hypothesis, "units": rows}))
    return ExitStatus.OK


def _split(by: str, hypotheses: Iterable[str]) -> Generator[tuple[str, Units], None, None]:
    if by.startswith(_OPENAI_PREFIX):
        if find_spec("httpx2") is None:
            raise OptionError(
                f"--by {by.partition('@')[0]}: expected the package httpx2; pip install 'pytest-vqamt[http]'"
            )
        # Imported here: the rules work without httpx2.
        from pytest_vqamt.models.openai.hypothesis_units import units_by_model

        yield from units_by_model(by.removeprefix(_OPENAI_PREFIX), hypotheses)
        return
    take_apart = splitter(by)
    for hypothesis in hypotheses:
        yield hypothesis, take_apart(hypothesis)


def _hypotheses(file: str) -> Iterator[str]:
    empty = 0
    try:
        with nullcontext(sys.stdin.buffer) if file == STANDARD_INPUT else open_input(file) as lines:
            for number, line in enumerate(iter(lambda: lines.readline(_LONGEST_LINE + 1), b""), start=1):
                if hypothesis := _hypothesis(line, f"{file}, line {number}"):
                    yield hypothesis
                    continue
                empty += 1
                if empty > MAX_EMPTY_LINES:
                    raise DataError(f"{file}: expected hypotheses, but got more than {MAX_EMPTY_LINES:,} empty lines")
    except OSError as error:
        raise DataError(
            f"{file}: expected a file with one hypothesis a line, but got {error.strerror or error}"
        ) from error


def _hypothesis(line: bytes, where: str) -> str:
    """The hypothesis in a line; empty if the line is blank."""
    if len(line) > _LONGEST_LINE:
        raise DataError(f"{where}: expected a hypothesis, but got a line of more than {_LONGEST_LINE} bytes")
    try:
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
    found = record.get("hypothesis", record.get("sentence"))
    if not isinstance(found, str) or not found.strip():
        raise DataError(f"{expected}, but got {found!r} in the fields {', '.join(map(str, record)) or '(none)'}")
    return found.strip()
