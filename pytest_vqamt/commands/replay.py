"""``vqamt replay``: writes a case, runs a model on it again, or renders the pictures of a todo list."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, cast

from pytest_vqamt.commands.main import ExitStatus
from pytest_vqamt.core.atomic_write import replacing
from pytest_vqamt.core.codec import Json
from pytest_vqamt.core.errors import DataError, OptionError, RenderError
from pytest_vqamt.core.input_files import is_id, lines_of, open_input, parse_json
from pytest_vqamt.core.query import Task
from pytest_vqamt.core.recipes import picture_from_recipe
from pytest_vqamt.core.report_json import case_from_row
from pytest_vqamt.core.text import count_noun
from pytest_vqamt.data.scene_source import SceneSource, scenes_by_photo
from pytest_vqamt.imaging.render import render
from pytest_vqamt.integration.options import add_option_argument, parse_settings
from pytest_vqamt.integration.replaying import (
    SHEET,
    AnsweredCase,
    FoundCase,
    find_case,
    load_recorded_source,
    load_source,
    recorded_verdict,
    relation_of,
    rerun_case,
    unused_note,
    write_case,
)
from pytest_vqamt.models.answers_file import parse_row
from pytest_vqamt.models.catalogue import ModelCatalogue
from pytest_vqamt.models.protocol import ModelOptions
from pytest_vqamt.relations.base import Relation

if TYPE_CHECKING:
    from PIL import Image


_OUT = Path("vqamt-replay")
"""Where cases are written, each in a folder of its id."""

INDEX = "index.jsonl"
"""The file in DIR that says which picture belongs to which query."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of the command."""
    indent = " " * len(parser.prog)
    parser.usage = (
        f"{parser.prog} CASE-ID [--report DIR] [--data SPEC] [--option NAME=VALUE] [--out DIR]\n"
        f"       {indent} [--model SPEC [--device DEVICE] [--dtype DTYPE]]\n"
        f"       {parser.prog} --render DIR FILE.todo.jsonl [--data SPEC] [--option NAME=VALUE]"
    )
    parser.epilog = (
        f"For a case: each picture as a file, and {SHEET} with all of them side by side, the edits and the objects of "
        "the questions outlined. With --model the model is run again, without the cache, next to its earlier answers; "
        "the exit status is 1 if the case is still violated, or its contrast still is. With --render: "
        f"each picture of the list once, and DIR/{INDEX}, one JSON object a line: the id of a query, the file of its "
        "picture within DIR, its task and its text."
    )
    parser.add_argument(
        "what",
        metavar="CASE-ID | FILE.todo.jsonl",
        help="a case of a report, by its id or the beginning of it; or the list that a run with answers:FILE has made",
    )
    parser.add_argument(
        "--report",
        metavar="DIR",
        type=Path,
        help="the report, or a baseline (default: the reports at most two folders below this one)",
    )
    parser.add_argument(
        "--data", metavar="SPEC", help="the data of that run (default: what the report says; for a list, pictures)"
    )
    add_option_argument(parser, "that run or of the model")
    parser.add_argument(
        "-o", "--out", metavar="DIR", type=Path, help=f"where to write a case (default: {_OUT}/CASE-ID)"
    )
    parser.add_argument(
        "--model", metavar="SPEC", action="append", default=[], help="a model to run on the case; may be given again"
    )
    parser.add_argument("--device", metavar="DEVICE", help="where it computes, as --vqamt-device")
    parser.add_argument("--dtype", metavar="DTYPE", help="the precision of its weights, as --vqamt-dtype")
    parser.add_argument("--render", metavar="DIR", type=Path, help="where to write the pictures of a list")


def run(arguments: argparse.Namespace) -> int:
    """Writes the pictures, and prints the answers or the place of the index."""
    of_relations, of_models = parse_settings(
        arguments.option, "--option", ModelCatalogue().settings_of(arguments.model)
    )
    if (arguments.device or arguments.dtype) and not arguments.model:
        raise OptionError("Expected --device and --dtype with --model SPEC, but got no --model: name the model to run")
    if arguments.render is not None:
        return _render(arguments)
    # An id of a case has no dot: the list of a run was meant, without --render.
    if arguments.what.endswith(".jsonl"):
        raise OptionError(
            f"Expected the id of a case, but got {arguments.what!r}: a list of queries takes --render DIR, too, the "
            "folder to write their pictures into"
        )
    options = ModelOptions(device=arguments.device or "auto", dtype=arguments.dtype, settings=of_models)
    # Checked before the case is searched in reports that may be large.
    for spec in arguments.model:
        ModelCatalogue().check(spec, options)
    found = find_case(arguments.what, arguments.report)
    if note := unused_note(found.settings, of_relations):
        print(f"vqamt: {note}", file=sys.stderr)
    relation = _relation(found, of_relations) if arguments.model else None
    recorded = _recorded(found, arguments.data)
    rerun = _rerun(recorded, relation, arguments.model, options) if relation else ()
    also = f"; also in {', '.join(map(str, found.also_in))}: name one with --report" if found.also_in else ""
    print(f"from {found.file}{also}")
    # A model that ran again has its earlier answers next to the new ones, in one row.
    now = {each.model for each in rerun}
    others = [replace(each, model=f"{each.model} in that run") for each in recorded if each.model not in now]
    for line in write_case([*others, *rerun] if rerun else recorded, arguments.out or _OUT / found.id):
        print(line)
    return ExitStatus.FINDING if any(each.now.violates for each in rerun) else ExitStatus.OK


def _render(arguments: argparse.Namespace) -> int:
    if arguments.report or arguments.out or arguments.model:
        raise OptionError(
            "Expected --render DIR and a list of queries alone, but got --report, --out or --model, too: leave it off"
        )
    source = load_source(arguments.data or "pictures")
    queries, pictures = render_todo_list(Path(arguments.what), source, arguments.render)
    print(f"{count_noun(queries, 'query', 'queries')} on {count_noun(pictures, 'picture')}: {arguments.render / INDEX}")
    return ExitStatus.OK


def _relation(found: FoundCase, given: Mapping[str, str]) -> Relation:
    """The relation that judges the case, as it was set in that run and as is ``given`` now."""
    where, row = found.rows[0]
    if not isinstance(item := row.get("relation"), str):
        raise DataError(f"{where}: Expected a whole line of a report, but got no relation: make the report anew")
    return relation_of(found.id, item, {**found.settings.used, **given})


def _recorded(found: FoundCase, data: str | None) -> list[AnsweredCase]:
    """The recorded verdicts of the case, on the data of the report or of the user."""
    named = None if data is None else load_source(data)
    load = cache(load_recorded_source)

    def source_of(row: dict[str, Json], where: str) -> SceneSource:
        if named is not None:
            return named
        if "data" not in row:
            raise DataError(f"{where}: Expected a whole line of a report, but got no data: make the report anew")
        return load(str(row.get("data_spec", row["data"])), where)

    return [_answered(row, where, source_of(row, where)) for where, row in found.rows]


def _answered(row: dict[str, Json], where: str, source: SceneSource) -> AnsweredCase:
    verdict = recorded_verdict(row, where)
    try:
        case = case_from_row(row, scenes_by_photo(source))
    except DataError as error:
        raise DataError(f"{where}: {error}; if that run had other data, name it with --data") from error
    return AnsweredCase(case=case, source=source, model=str(row["model"]), now=verdict)


def _rerun(
    recorded: Sequence[AnsweredCase], relation: Relation, models: Sequence[str], options: ModelOptions
) -> list[AnsweredCase]:
    """Runs models on the case."""
    # By name: the same model under another name has no earlier answers here.
    before = {each.model: each.now for each in recorded}
    first = recorded[0]
    loaded = [ModelCatalogue().load(spec, options) for spec in models]
    return [rerun_case(first.case, first.source, model, relation, before.get(model.name)) for model in loaded]


def render_todo_list(file: Path, source: SceneSource, folder: Path) -> tuple[int, int]:
    """Writes each picture of the list once, and an index of the queries; returns the numbers of queries and pictures.

    Raises:
        VqamtError: the list or the folder cannot be used, or a picture cannot be rendered.
    """
    _check(file, source)
    with _usable(folder):
        folder.mkdir(parents=True, exist_ok=True)
        return _write(file, source, folder)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Recipe:
    """A picture of a query."""

    row: Json
    """The photo and the edits that make the picture."""
    photo: str
    """The photo's id in the source."""
    digest: str
    """The picture's digest, which names its file."""

    @property
    def file(self) -> str:
        return f"{self.digest}.png"


@dataclass(frozen=True, slots=True, kw_only=True)
class _TodoRow:
    """A query that a run has listed because its model has no answer to it."""

    where: str
    """Its place in the file, for messages."""
    id: str
    """The query's id, which its answer must have."""
    task: Task
    """What the model is to do with the picture."""
    text: str
    """The question or hypothesis; "" for a caption."""
    pictures: tuple[_Recipe, ...]
    """At least one; in the order in which they are shown."""
    turns: list[Json] | None
    """The conversation as the index has it; None for one picture and one text."""


def _check(file: Path, source: SceneSource) -> None:
    """Checks the whole list, so that a bad row or other data are reported before rendering."""
    known: set[str] = set()
    for todo in _todo_rows(file):
        # Thousands of queries are about a few photos.
        for photo in {recipe.photo for recipe in todo.pictures} - known:
            try:
                scenes_by_photo(source)(photo)
            except DataError as error:
                raise DataError(
                    f"{todo.where}: Expected a photo of {source.spec}, but got photo={photo!r}: "
                    "name the data of that run with --data"
                ) from error
            known.add(photo)


def _write(file: Path, source: SceneSource, folder: Path) -> tuple[int, int]:
    """Returns the numbers of queries and pictures; one picture at a time is in memory."""
    queries: set[str] = set()
    pictures: set[str] = set()
    with replacing(folder / INDEX) as part, part.open("w", encoding="utf-8") as index:
        for todo in _todo_rows(file):
            if todo.id in queries:
                continue  # several workers may have written it
            queries.add(todo.id)
            for recipe in todo.pictures:
                if recipe.digest not in pictures:
                    _rendered(recipe, source, todo.where).save(folder / recipe.file)
                    pictures.add(recipe.digest)
            row: dict[str, Json] = {"id": todo.id, "file": todo.pictures[0].file, "task": todo.task, "text": todo.text}
            if todo.turns is not None:
                row["turns"] = todo.turns
            index.write(json.dumps(row, ensure_ascii=False) + "\n")
    return len(queries), len(pictures)


def _rendered(recipe: _Recipe, source: SceneSource, where: str) -> Image.Image:
    try:
        return render(picture_from_recipe(recipe.row, scenes_by_photo(source)), source)
    except DataError as error:
        raise DataError(f"{where}: {error}") from error
    except (OSError, RenderError) as error:
        raise RenderError(f"{where}: {error}") from error


def _todo_rows(file: Path) -> Iterator[_TodoRow]:
    try:
        with open_input(file) as lines:
            for number, line in enumerate(lines_of(lines), start=1):
                if line.strip():
                    yield _todo_row(line.rstrip(), f"{file}:{number}")
    except OSError as error:
        raise DataError(
            f"Expected the list FILE.todo.jsonl of a run with answers:FILE, but got file={str(file)!r} "
            f"({error.strerror}): name what that run has written"
        ) from error


def _todo_row(line: bytes, where: str) -> _TodoRow:
    row = parse_row(line, where)  # which has checked the roles and the parts of turns
    fields = cast("dict[str, Json]", parse_json(line))
    turns = cast("list[dict[str, Json]] | None", fields.get("turns"))
    rows = [fields.get("picture")]
    if turns is not None:
        rows += [part.get("picture") for part in _parts(turns) if "text" not in part]
    recipes = list(filter(None, map(_recipe, rows)))
    if row.id is not None and row.text is not None and row.task is not None and len(recipes) == len(rows):
        shown = None if turns is None else [_shown(turn) for turn in turns]
        return _TodoRow(where=where, id=row.id, task=row.task, text=row.text, pictures=tuple(recipes), turns=shown)
    raise DataError(
        f"{where}: Expected a row as a run lists it, with 'id', 'task', 'text' and a 'picture' of 'photo', 'digest' "
        f"and 'edits', but got id={row.id!r}: leave its fields as they were"
    )


def _parts(turns: list[dict[str, Json]]) -> Iterator[dict[str, Json]]:
    for turn in turns:
        yield from cast("list[dict[str, Json]]", turn["parts"])


def _recipe(row: Json) -> _Recipe | None:
    # The digest becomes a file name: anything but 16 hexadecimal digits could leave the folder.
    match row:
        case {"photo": str(photo), "digest": str(digest)} if is_id(digest):
            return _Recipe(row=row, photo=photo, digest=digest)
        case _:
            return None


def _shown(turn: dict[str, Json]) -> Json:
    """A turn with the files of its pictures."""
    return {"role": turn["role"], "parts": [_shown_part(part) for part in _parts([turn])]}


def _shown_part(part: dict[str, Json]) -> Json:
    recipe = None if "text" in part else _recipe(part.get("picture"))
    return {"text": part.get("text")} if recipe is None else {"file": recipe.file}


@contextmanager
def _usable(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise OptionError(
            f"Expected a folder that can be written, but got --render={str(folder)!r} ({error.strerror or error}): "
            "name another"
        ) from error
