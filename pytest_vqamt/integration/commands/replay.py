"""``vqamt replay``: a case to look at, or the pictures of queries that are to be answered elsewhere."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import cast

from pytest_vqamt.core.case_rows import case_of_row
from pytest_vqamt.core.codec import Json
from pytest_vqamt.core.errors import DataError, OptionError, VqamtError
from pytest_vqamt.data import catalogue as sources
from pytest_vqamt.data.base import SceneSource
from pytest_vqamt.integration.case_files import SHEET, AnsweredCase, scenes_by_photo, write_case
from pytest_vqamt.integration.commands.main import ExitStatus
from pytest_vqamt.integration.listed_pictures import INDEX, write_listed
from pytest_vqamt.integration.named_settings import settings_given
from pytest_vqamt.integration.reported_cases import find

_OUT = Path("vqamt-replay")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.usage = (
        f"{parser.prog} CASE-ID [--report DIR] [--data SPEC] [--option NAME=VALUE] [--out DIR]\n"
        f"       {parser.prog} --render DIR FILE.todo.jsonl [--data SPEC] [--option NAME=VALUE]"
    )
    parser.epilog = (
        f"Of a case: each picture as a file, and {SHEET} with all of them side by side, what was edited and what is "
        "asked about outlined. No model is asked: `pytest --vqamt-replay=CASE-ID` does that. With --render: each "
        f"picture of the list once, and DIR/{INDEX}, one JSON object a line: the id of a query, the file of its "
        "picture within DIR, its task and its text."
    )
    parser.add_argument(
        "what",
        metavar="CASE-ID | FILE.todo.jsonl",
        help="a case of a report, by its id or the beginning of it; or the list that a run with answers:FILE has made",
    )
    parser.add_argument(
        "--report", metavar="DIR", type=Path, help="the report (default: those at most two folders below this one)"
    )
    parser.add_argument(
        "--data", metavar="SPEC", help="the data of that run (default: what the report says; for a list, pictures)"
    )
    parser.add_argument(
        "--option",
        metavar="NAME=VALUE",
        action="append",
        default=[],
        help="a setting of that run: inpaint=lama:PATH where its pictures were made with a checkpoint",
    )
    parser.add_argument("--out", metavar="DIR", type=Path, help=f"where to write a case (default: {_OUT}/CASE-ID)")
    parser.add_argument("--render", metavar="DIR", type=Path, help="where to write the pictures of a list")


def run(arguments: argparse.Namespace) -> int:
    """Writes the pictures, and prints what was said or where the index is.

    Raises:
        VqamtError: the case, the list, the data or the folder cannot be used.
    """
    settings_given(arguments.option, "--option")
    if arguments.render is None:
        _replay(arguments.what, arguments.report, arguments.data, arguments.out)
    elif arguments.report or arguments.out:
        raise OptionError(
            "Expected --render DIR and a list of queries alone, but got --report or --out, too: leave it off"
        )
    else:
        source = _loaded(arguments.data or "pictures")
        queries, pictures = write_listed(Path(arguments.what), source, arguments.render)
        print(f"{queries} queries on {pictures} pictures: {arguments.render / INDEX}")
    return ExitStatus.OK


def _replay(case_id: str, report: Path | None, data: str | None, out: Path | None) -> None:
    if case_id.endswith(".jsonl"):
        raise OptionError(
            f"Expected the id of a case, but got {case_id!r}: a list of queries takes --render DIR, too, the folder to "
            "write their pictures into"
        )
    found = find(case_id, report)
    named = None if data is None else _loaded(data)
    load = cache(_loaded)
    answered = [
        _answered(row, where, _recorded(row, where, load) if named is None else named) for where, row in found.rows
    ]
    print(f"from {found.file}{_also(found.also_in)}")
    for line in write_case(answered, out or _OUT / found.id):
        print(line)


def _also(files: tuple[Path, ...]) -> str:
    return f"; also in {', '.join(map(str, files))}: name one with --report" if files else ""


def _loaded(spec: str) -> SceneSource:
    """The source without its bad records: no case of that run is of one."""
    return sources.load(spec, allow_bad_records=True)


def _recorded(row: dict[str, Json], where: str, load: Callable[[str], SceneSource]) -> SceneSource:
    """The source that the row names."""
    try:
        return load(str(row["data"]))
    except KeyError as error:
        raise DataError(
            f"{where}: Expected a whole line of a report, but got none of its data: make the report anew"
        ) from error
    except VqamtError as error:
        raise DataError(
            f"{where}: {error}; a relative path is followed from the current folder: name the data of that run with "
            "--data"
        ) from error


def _answered(row: dict[str, Json], where: str, source: SceneSource) -> AnsweredCase:
    try:
        case = case_of_row(row, scenes_by_photo(source))
        answers = tuple(cast("list[str | None]", row["answers"]))
        if len(answers) != len(case.queries):
            raise ValueError(f"{len(answers)} answers to {len(case.queries)} texts")
        return AnsweredCase(
            case=case,
            source=source,
            model=str(row["model"]),
            answers=answers,
            outcome=str(row["verdict"]),
            reason=str(row["reason"]),
        )
    except DataError as error:
        raise DataError(f"{where}: {error}; if that run had other data, name it with --data") from error
    except (KeyError, TypeError, ValueError) as error:
        raise DataError(
            f"{where}: Expected a whole line of a report, but got {error!r}: make the report anew"
        ) from error
