"""One case again: found, asked anew, its pictures written out."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import mkdtemp
from typing import TYPE_CHECKING, cast

from pytest_vqamt.core.case import Case, item_name
from pytest_vqamt.core.case_rows import case_of_row
from pytest_vqamt.core.codec import Json
from pytest_vqamt.core.errors import DataError, OptionError
from pytest_vqamt.core.query import ModelInput
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.data.base import SceneSource
from pytest_vqamt.execution.plan import Plan
from pytest_vqamt.imaging.render import render
from pytest_vqamt.models.base import LoadedModel
from pytest_vqamt.relations import catalogue

if TYPE_CHECKING:
    from pytest_vqamt.integration.session import VqamtSession


def replay(session: VqamtSession, case_id: str) -> str:
    """Asks the case once more, past the cache, and tells what came of it.

    The case is looked for in the report folder, among the violations that were shown before, and in the plan of the
    run that the options describe.

    Raises:
        OptionError: it is in none of them.
    """
    found = next(_found(session, case_id), None)
    if found is None:
        raise OptionError(
            f"Expected the id of a case that a run has shown or would have, but got --vqamt-replay={case_id!r}: "
            "name the model, the data, the seed and the report folder of that run"
        )
    case, source = found
    model = session.model(session.settings.models[0])
    folder = _folder(session) / case_id
    return "\n".join(_told(case, model, source, folder))


def _told(case: Case, model: LoadedModel, source: SceneSource, folder: Path) -> Iterator[str]:
    answers = [
        model.ask(query.task, [ModelInput(query, lambda picture: render(picture, source))])[0] for query in case.queries
    ]
    verdict = catalogue.get(case.relation).judge(case, answers)
    yield f"case {case.id}: {item_name(case.relation, case.variant)}, scene {case.scene}, on {model.name}"
    folder.mkdir(parents=True, exist_ok=True)
    written: dict[str, Path] = {}
    for query, answer in zip(case.queries, answers, strict=True):
        file = written.get(query.picture.digest)
        if file is None:
            file = written[query.picture.digest] = folder / f"{len(written) + 1}.png"
            render(query.picture, source).save(file)
        yield f"    {query.text}  ->  {answer.text!r}  ({file})"
    yield f"  expected: {case.expected}"
    yield f"  {verdict.outcome.value}{f': {verdict.reason}' if verdict.reason else ''}"


def _found(session: VqamtSession, case_id: str) -> Iterator[tuple[Case, SceneSource]]:
    source = session.source(session.settings.data[0])
    for line in _lines(session, case_id):
        row = cast("dict[str, Json]", json.loads(line))
        yield case_of_row(row, _finder(source)), source
    for entry in session.entries:
        job = session.job(entry)
        plan = Plan(
            relation=job.relation, variant=job.variant, source=job.source, sampling=session.settings.terms.sampling
        )
        for case in plan:
            if case.id == case_id:
                yield case, job.source


def _lines(session: VqamtSession, case_id: str) -> Iterator[str]:
    report = session.settings.report
    if report is not None and (file := report / "cases.jsonl").is_file():
        with file.open(encoding="utf-8") as lines:
            yield from (line for line in lines if line.startswith(f'{{"case_id":"{case_id}"'))
    if line := session.stores.of_shown_cases.case(case_id):
        yield line


def _finder(source: SceneSource) -> Callable[[str], Scene]:
    def scene_of(photo_id: str) -> Scene:
        for index in range(len(source)):
            scene = source.scene(index)
            if scene.photo.id == photo_id:
                return scene
        raise DataError(f"Expected a photo of {source.spec}, but got photo={photo_id!r}: name the data of that run")

    return scene_of


def _folder(session: VqamtSession) -> Path:
    base = session.settings.report or session.settings.cache
    return (base / "replay") if base else Path(mkdtemp(prefix="vqamt-replay-"))
