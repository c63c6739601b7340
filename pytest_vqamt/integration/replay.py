"""One case again: found, asked anew, its pictures written out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import mkdtemp
from typing import TYPE_CHECKING

from pytest_vqamt.core.case import Case, item_name
from pytest_vqamt.core.case_store import NAMES
from pytest_vqamt.core.codec import Json
from pytest_vqamt.core.errors import DataError, OptionError
from pytest_vqamt.core.report_json import case_of_row
from pytest_vqamt.data.base import SceneSource
from pytest_vqamt.integration.asked_again import ask_again, judging, relation_of
from pytest_vqamt.integration.case_files import Said, scenes_by_photo, write_case
from pytest_vqamt.integration.reported_cases import ReportedCase, find_in, said_in
from pytest_vqamt.models.protocol import LoadedModel

if TYPE_CHECKING:
    from pytest_vqamt.integration.resources import Resources


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    """A case, the source of its scene, what models have said of it, and what relations were set to."""

    case: Case
    source: SceneSource
    said: Mapping[str, Said] = field(default_factory=dict)
    settings: Mapping[str, str] = field(default_factory=dict)


def replay(session: Resources, case_id: str) -> str:
    """Asks every model of the session that does what the case asks for, past the cache, and tells what came of it.

    The case is looked for in the report folder, in the baseline, among the violations that were shown before, and in
    the plan of the run that the options describe.

    Raises:
        OptionError: it is in none of them.
        VqamtError: it cannot be asked of a model.
    """
    found = _reported(session, case_id) or _planned(session, case_id)
    if found is None:
        raise OptionError(
            f"Expected the id of a case that a run has shown or would have, but got --vqamt-replay={case_id!r}: "
            "name the report that has it (--vqamt-report=DIR), or the model, the data and the seed of that run"
        )
    case = found.case
    settings = {**judging(found.settings), **session.settings.relation_settings}
    relation = relation_of(case.id, item_name(case.relation, case.variant), settings)
    models, unable = _models(session, case)
    answered = [ask_again(case, found.source, model, relation, found.said.get(model.name)) for model in models]
    return "\n".join([*write_case(answered, _folder(session) / case.id), *unable])


def _models(session: Resources, case: Case) -> tuple[list[LoadedModel], list[str]]:
    """The session's models that can be asked the case, and a line on each of the others.

    Raises:
        OptionError: there is none.
    """
    tasks = tuple(dict.fromkeys(query.task for query in case.queries))
    models = [session.model(spec) for spec in session.settings.models]
    able = [model for model in models if all(task in model.tasks for task in tasks)]
    others = [f"{model.name!r} ({', '.join(model.tasks)})" for model in models if model not in able]
    if not able:
        raise OptionError(
            f"Expected a model that does {', '.join(tasks)}, as case {case.id} asks for, but got {', '.join(others)}"
        )
    return able, [f"  not asked: {', '.join(others)}"] if others else []


def _reported(session: Resources, case_id: str) -> _Found | None:
    settings = session.settings
    files = [settings.report / name for name in NAMES] if settings.report else []
    files += [settings.baseline] if settings.baseline else []
    reported = find_in(case_id, [file for file in files if file.is_file()], session.stores.of_shown_cases.case)
    if reported is None:
        return None
    where, row = _preferred(reported, settings.data)
    case, source = _made(session, row, where)
    said = {str(row.get("model")): said_in(row, where) for where, row in reported.rows}
    return _Found(case=case, source=source, said=said, settings=reported.settings)


def _preferred(reported: ReportedCase, data: tuple[str, ...]) -> tuple[str, dict[str, Json]]:
    """One of the rows on the case: of data that the session names, where there is one."""
    return next((each for each in reported.rows if each[1].get("data") in data), reported.rows[0])


def _made(session: Resources, row: dict[str, Json], where: str) -> tuple[Case, SceneSource]:
    """The case and the source that it is of: the one that the row names, else the first that has its pictures.

    Raises:
        DataError: none has them.
    """
    recorded = row.get("data")
    sources = [session.source(spec) for spec in session.settings.data]
    trouble: list[DataError] = []
    for source in sorted(sources, key=lambda source: source.spec != recorded):
        try:
            return case_of_row(row, scenes_by_photo(source)), source
        except DataError as error:
            trouble.append(error)
    raise DataError(
        f"{trouble[0]}; the case is of data {recorded!r} ({where}): name them, where they are now, with --vqamt-data"
    ) from trouble[0]


def _planned(session: Resources, case_id: str) -> _Found | None:
    for entry in session.entries:
        job = session.job(entry)
        for case in job.plan(session.settings.terms.sampling):
            if case.id == case_id:
                return _Found(case=case, source=job.source)
    return None


def _folder(session: Resources) -> Path:
    base = session.settings.report or session.settings.cache
    return (base / "replay") if base else Path(mkdtemp(prefix="vqamt-replay-"))
