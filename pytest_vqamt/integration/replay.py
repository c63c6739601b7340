"""One case again: found, asked anew, its pictures written out."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from tempfile import mkdtemp
from typing import TYPE_CHECKING, cast

from pytest_vqamt.core.case import Case
from pytest_vqamt.core.case_rows import case_of_row
from pytest_vqamt.core.codec import Json
from pytest_vqamt.core.errors import OptionError
from pytest_vqamt.core.query import ModelInput
from pytest_vqamt.data.base import SceneSource
from pytest_vqamt.execution.plan import Plan
from pytest_vqamt.imaging.render import render
from pytest_vqamt.integration.case_files import AnsweredCase, scenes_by_photo, write_case
from pytest_vqamt.models.base import LoadedModel
from pytest_vqamt.relations import catalogue

if TYPE_CHECKING:
    from pytest_vqamt.integration.resources import Resources


def replay(session: Resources, case_id: str) -> str:
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
    case, source, spec = found
    model = session.model(spec)
    folder = _folder(session) / case_id
    return "\n".join(write_case([_answered(case, model, source)], folder))


def _answered(case: Case, model: LoadedModel, source: SceneSource) -> AnsweredCase:
    answers = [
        model.ask(query.task, [ModelInput(query, lambda picture: render(picture, source))])[0] for query in case.queries
    ]
    verdict = catalogue.get(case.relation).judge(case, answers)
    return AnsweredCase(
        case=case,
        source=source,
        model=model.name,
        answers=tuple(answer.text for answer in answers),
        outcome=verdict.outcome.value,
        reason=verdict.reason,
    )


def _found(session: Resources, case_id: str) -> Iterator[tuple[Case, SceneSource, str]]:
    """The case, the source of its scene, and the spec of the model that it is to be asked of."""
    rows = [cast("dict[str, Json]", json.loads(line)) for line in _lines(session, case_id)]
    models = session.settings.models
    for row in sorted(rows, key=lambda row: row.get("model") not in models):
        source = _source(session, row.get("data"))
        model = row.get("model")
        yield case_of_row(row, scenes_by_photo(source)), source, str(model) if model in models else models[0]
    for entry in session.entries:
        job = session.job(entry)
        plan = Plan(
            relation=job.relation, variant=job.variant, source=job.source, sampling=session.settings.terms.sampling
        )
        for case in plan:
            if case.id == case_id:
                yield case, job.source, entry.model


def _source(session: Resources, recorded: Json) -> SceneSource:
    """The session's source that a row has ``recorded``; the first where it is none of them."""
    found = (source for spec in session.settings.data if (source := session.source(spec)).spec == recorded)
    return next(found, session.source(session.settings.data[0]))


def _lines(session: Resources, case_id: str) -> Iterator[str]:
    report = session.settings.report
    if report is not None and (file := report / "cases.jsonl").is_file():
        with file.open(encoding="utf-8") as lines:
            yield from (line for line in lines if line.startswith(f'{{"case_id":"{case_id}"'))
    if line := session.stores.of_shown_cases.case(case_id):
        yield line


def _folder(session: Resources) -> Path:
    base = session.settings.report or session.settings.cache
    return (base / "replay") if base else Path(mkdtemp(prefix="vqamt-replay-"))
