"""One case again: found, asked anew, its pictures written out."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import TYPE_CHECKING, cast

from PIL import Image

from pytest_vqamt.core.case import Case, Outcome, item_name
from pytest_vqamt.core.case_store import FILE_NAMES, PLAIN_NAME, find_cases_file, open_cases
from pytest_vqamt.core.codec import Json
from pytest_vqamt.core.edits import describe_edit
from pytest_vqamt.core.errors import DataError, ModelError, OptionError, VqamtError
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.query import Answer, ModelInput, Query
from pytest_vqamt.core.report_json import case_from_row
from pytest_vqamt.core.results import Report
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.data import catalogue as sources
from pytest_vqamt.data.base import SceneSource
from pytest_vqamt.execution.answer_cache import AnswerStore
from pytest_vqamt.execution.baseline import Baseline
from pytest_vqamt.imaging.contact_sheet import Strip, case_strip, sheet
from pytest_vqamt.imaging.inpainting import method_of
from pytest_vqamt.imaging.render import render
from pytest_vqamt.models.base import LoadedModel
from pytest_vqamt.relations import catalogue
from pytest_vqamt.relations.base import Relation
from pytest_vqamt.relations.edits import INPAINT

if TYPE_CHECKING:
    from pytest_vqamt.integration.resources import Resources


@dataclass(frozen=True, slots=True, kw_only=True)
class _LocatedCase:
    """A case, the source of its scene, what models have said of it, and what relations were set to."""

    case: Case
    source: SceneSource
    said: Mapping[str, ModelVerdict] = field(default_factory=dict)
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
    settings = {**portable_settings(found.settings), **session.settings.relation_settings}
    relation = relation_of(case.id, item_name(case.relation, case.variant), settings)
    models, unable = _models(session, case)
    answered = [rerun_case(case, found.source, model, relation, found.said.get(model.name)) for model in models]
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


def _reported(session: Resources, case_id: str) -> _LocatedCase | None:
    settings = session.settings
    files = [settings.report / name for name in FILE_NAMES] if settings.report else []
    files += [settings.baseline] if settings.baseline else []
    reported = find_case_in(case_id, [file for file in files if file.is_file()], session.stores.of_shown_cases.case)
    if reported is None:
        return None
    where, row = _preferred(reported, settings.data)
    case, source = _made(session, row, where)
    said = {str(row.get("model")): recorded_verdict(row, where) for where, row in reported.rows}
    return _LocatedCase(case=case, source=source, said=said, settings=reported.settings)


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
            return case_from_row(row, scenes_by_photo(source)), source
        except DataError as error:
            trouble.append(error)
    raise DataError(
        f"{trouble[0]}; the case is of data {recorded!r} ({where}): name them, where they are now, with --vqamt-data"
    ) from trouble[0]


def _planned(session: Resources, case_id: str) -> _LocatedCase | None:
    for entry in session.entries:
        job = session.job(entry)
        for case in job.plan(session.settings.terms.sampling):
            if case.id == case_id:
                return _LocatedCase(case=case, source=job.source)
    return None


def _folder(session: Resources) -> Path:
    base = session.settings.report or session.settings.cache
    return (base / "replay") if base else Path(mkdtemp(prefix="vqamt-replay-"))


def relation_of(case_id: str, item: str, settings: Mapping[str, str]) -> Relation:
    """The relation of a case, which judges it, set as ``settings`` say where they name one of its own.

    Raises:
        OptionError: it is none that is known here.
    """
    name = item.partition("[")[0]
    if name not in catalogue.names():
        raise OptionError(
            f"Expected a relation that is known here, but case {case_id} is of {item!r}: ask a model with "
            f"`pytest --vqamt-replay={case_id}` where the conftest.py is that has it, or see the pictures with "
            f"`vqamt replay {case_id}`"
        )
    return catalogue.get(name, settings)


def portable_settings(settings: Mapping[str, str]) -> dict[str, str]:
    """Those of a report's settings that mean the same everywhere: none that name a file."""
    return {
        setting.name: settings[setting.name]
        for setting in catalogue.settings_known()
        if settings.get(setting.name) in setting.values
    }


def rerun_case(
    case: Case, source: SceneSource, model: LoadedModel, relation: Relation, before: ModelVerdict | None
) -> AnsweredCase:
    """What ``model`` makes of the case now; ``before`` is what it has said of it.

    Raises:
        ModelError: it does not do what is asked, cannot be asked, or lacks a written answer.
        RenderError: a picture cannot be drawn.
        DataError: a photo cannot be read.
    """
    answers = _answers(case.queries, source, model)
    verdict = relation.judge(case, answers)
    return AnsweredCase(
        case=case,
        source=source,
        model=model.name,
        said=ModelVerdict(
            answers=tuple(answer.text for answer in answers), outcome=verdict.outcome.value, reason=verdict.reason
        ),
        before=before,
    )


def _answers(queries: Sequence[Query], source: SceneSource, model: LoadedModel) -> list[Answer]:
    """The answers one by one, so that a batch cannot change them."""
    if model.deferred and (lacking := [query for query in queries if model.deferred.lacks(query)]):
        model.deferred.todo(lacking)
        raise ModelError(
            f"Expected model {model.name!r} to hold an answer to every query, but it lacks {len(lacking)}: they are "
            f"listed in {model.deferred.todo_file}; add their answers and ask again"
        )

    def drawn(picture: Picture) -> Image.Image:
        return render(picture, source)

    answers: list[Answer] = []
    for query in queries:
        try:
            answers += model.ask(query.task, [ModelInput(query, drawn)])
        except VqamtError:
            raise
        except Exception as error:  # a model may raise anything
            raise ModelError(
                f"Expected model {model.name!r} to answer {query.text or query.task.value!r}, but it raised "
                f"{type(error).__name__}: {' '.join(str(error).split())}"
            ) from error
    return answers


_USUAL = ("", "*/", "*/*/")
"""Where reports are looked for."""
_SHOWN = Path(".pytest_cache", "d", "vqamt", "answers.sqlite")
"""Where a run keeps the violations that it has shown, unless its options say otherwise."""
_NAMED = 5
"""How many of several ids a message names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportedCase:
    """What is reported on one case.

    Attributes:
        id: whole.
        rows: where each stands and its fields, one for each model and data source that were asked.
        file: what they come from.
        also_in: other reports that have the case.
    """

    id: str
    rows: tuple[tuple[str, dict[str, Json]], ...]
    file: Path
    also_in: tuple[Path, ...] = ()

    @property
    def settings(self) -> dict[str, str]:
        """What relations were set to in the run that it is from, as far as its files tell.

        Raises:
            DataError: the file is a baseline that cannot be read.
        """
        if self.file.name not in FILE_NAMES:
            return dict(Baseline(self.file).head.settings) if self.file != _SHOWN else {}
        try:
            report: Json = json.loads(self.file.with_name("report.json").read_text(encoding="utf-8"))
            return dict(cast("dict[str, str]", cast("dict[str, Json]", report)["settings"]))
        except (OSError, KeyError, TypeError, ValueError):
            return {}  # the cases may lie there alone


def find_case(typed: str, report: Path | None) -> ReportedCase:
    """The case whose id is ``typed``, or the only one whose id begins so.

    It is looked for in ``report``, a folder or the file of a baseline, or where that is None in every report at most
    two folders below the current one; and last among the violations that pytest has shown here, which need not be in a
    report, by the whole id.

    Raises:
        OptionError: there is none, or there are several.
        DataError: ``report`` has no cases, or a line is broken.
    """
    files = _files(report)
    if found := find_case_in(typed, files, _shown):
        return found
    raise OptionError(
        f"Expected the id of a case of a report, or its beginning, but got {typed!r}: "
        f"{_looked_in(files)}; name the folder of its report with --report"
    )


def find_case_in(typed: str, files: Sequence[Path], kept: Callable[[str], str | None]) -> ReportedCase | None:
    """The case of those in ``files``, or the one that was ``kept`` by its whole id; None where there is none.

    Raises:
        OptionError: there are several.
        DataError: a file cannot be read, or a line is broken.
    """
    ids: dict[str, None] = {}
    lines: dict[Path, list[tuple[str, str]]] = {}
    for file in files:
        for where, case_id, line in _beginning(typed, file):
            ids[case_id] = None
            if len(ids) == 1:
                lines.setdefault(file, []).append((where, line))
    if len(ids) > 1:
        named = ", ".join([*list(ids)[:_NAMED], *(["..."] if len(ids) > _NAMED else [])])
        raise OptionError(
            f"Expected the id of one case, but got {typed!r}, with which {len(ids)} begin ({named}): type more of it"
        )
    if not ids and (shown := kept(typed)):
        ids, lines = {typed: None}, {_SHOWN: [(str(_SHOWN), shown)]}
    for case_id in ids:
        file, *others = lines
        rows = tuple((where, _row(line, where)) for where, line in lines[file])
        return ReportedCase(id=case_id, rows=rows, file=file, also_in=tuple(others))
    return None


def recorded_verdict(row: dict[str, Json], where: str) -> ModelVerdict:
    """What a model has said, from the row of a report; ``where`` it stands is for messages.

    Raises:
        DataError: the row is not whole.
    """
    try:
        answers = tuple(cast("list[str | None]", row["answers"]))
        asked = len(cast("list[Json]", row["queries"]))
        if len(answers) != asked:
            raise ValueError(f"{len(answers)} answers to {asked} texts")
        _ = row["model"]
        return ModelVerdict(answers=answers, outcome=str(row["verdict"]), reason=str(row["reason"]))
    except (KeyError, TypeError, ValueError) as error:
        raise DataError(
            f"{where}: Expected a whole line of a report, but got {error!r}: make the report anew"
        ) from error


def _files(report: Path | None) -> list[Path]:
    if report is None:
        patterns = (f"{folder}{name}" for folder in _USUAL for name in FILE_NAMES)
        return [file for pattern in patterns for file in sorted(Path().glob(pattern)) if file.is_file()]
    if report.is_file():
        return [report if report.name in FILE_NAMES else Baseline(report).file]
    return [find_cases_file(report)]


def _beginning(typed: str, file: Path) -> Iterator[tuple[str, str, str]]:
    """The lines on cases whose id begins so: where each is, the id, and the line."""
    start = f'{{"case_id":"{typed}'.encode("utf-8", "surrogateescape")
    try:
        with open_cases(file) as lines:
            for number, line in enumerate(lines, start=1):
                if line.startswith(start):
                    text = line.decode()
                    yield f"{file}:{number}", text.split('"', 4)[3], text
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"Expected a file of cases that can be read, but got {str(file)!r}: {error}") from error


def _shown(case_id: str) -> str | None:
    if not _SHOWN.is_file():
        return None
    with AnswerStore(_SHOWN) as store:
        return store.case(case_id)


def _row(line: str, where: str) -> dict[str, Json]:
    try:
        row: Json = json.loads(line)
    except ValueError as error:
        raise DataError(f"{where}: Expected a whole line of a report, but got {error}: make the report anew") from error
    if not isinstance(row, dict):
        raise DataError(f"{where}: Expected a JSON object, but got {line[:60]!r}: make the report anew")
    return row


def _looked_in(files: list[Path]) -> str:
    looked = (
        ", ".join(map(str, files))
        if files
        else "no report, for there is none in " + ", ".join(f"{folder}{PLAIN_NAME}" for folder in _USUAL)
    )
    shown = f"{_SHOWN}{'' if _SHOWN.is_file() else ' (which is not there)'}"
    return f"looked in {looked}, and for a violation that was shown in {shown}"


SHEET = "sheet.png"


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelVerdict:
    """What a model made of a case.

    Attributes:
        answers: one to each query; None where it has none.
        outcome, reason: the verdict.
    """

    answers: tuple[str | None, ...]
    outcome: str
    reason: str

    @property
    def verdict(self) -> str:
        """The verdict in words."""
        return f"{self.outcome}: {self.reason}" if self.reason else self.outcome

    @property
    def violates(self) -> bool:
        return self.outcome in (Outcome.VIOLATED, Outcome.UNPARSED)


@dataclass(frozen=True, slots=True, kw_only=True)
class AnsweredCase:
    """A case with what a model made of it.

    Attributes:
        source: where its scene comes from.
        before: what the same model has said earlier, where that is to stand beside it.
    """

    case: Case
    source: SceneSource
    model: str
    said: ModelVerdict
    before: ModelVerdict | None = None

    @property
    def item(self) -> str:
        return item_name(self.case.relation, self.case.variant)

    @property
    def answers(self) -> tuple[str, ...]:
        """The answers in words, with those of before."""
        if self.before is None:
            return tuple(map(_in_words, self.said.answers))
        return tuple(
            f"{_in_words(now)}  (was {_in_words(was)})"
            for now, was in zip(self.said.answers, self.before.answers, strict=True)
        )

    @property
    def verdict(self) -> str:
        """The verdict in words, with that of before."""
        return self.said.verdict if self.before is None else f"{self.said.verdict}  (was {self.before.outcome})"


def scenes_by_photo(source: SceneSource) -> Callable[[str], Scene]:
    """What finds a scene of ``source`` by the id of its photo; it raises DataError where there is none."""
    return lambda photo_id: source.scene(source.place(photo_id))


def write_case(answered: Sequence[AnsweredCase], folder: Path) -> Iterator[str]:
    """Writes each picture once, and ``sheet.png``, and tells line by line what was asked of which edits, and said.

    ``answered`` is one case or more: the same one as several models answered it, say.

    Raises:
        VqamtError: a picture cannot be drawn, or the folder not be written to.
    """
    files: dict[str, Path] = {}
    for each in answered:
        yield f"case {each.case.id}: {each.item}, scene {each.case.scene}, on {each.model}"
        width = max(len(_asked(query)) for query in each.case.queries)
        for query, answer in zip(each.case.queries, each.answers, strict=True):
            digest = query.picture.digest
            if digest not in files:
                files[digest] = folder / f"{len(files) + 1}.png"
                save(render(query.picture, each.source), files[digest])
            yield f"    {_asked(query).ljust(width)}  ->  {answer}  ({files[digest]})"
        yield f"  expected: {each.case.expected}"
        yield f"  {each.verdict}"
    save(sheet(_strip(each, files) for each in answered), folder / SHEET)
    yield f"  side by side: {folder / SHEET}"


def save(image: Image.Image, file: Path) -> None:
    """Writes ``image`` as PNG.

    Raises:
        OptionError: the file cannot be written.
    """
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        image.save(file, format="PNG")
    except OSError as error:
        raise OptionError(
            f"Expected a file that can be written, but got file={str(file)!r} ({error.strerror or error}): name another"
        ) from error


def _asked(query: Query) -> str:
    """The text, with how its picture was edited, as the violation of a run is shown."""
    edits = "; ".join(map(describe_edit, query.picture.edits))
    return f"{query.text} [{edits}]" if edits else query.text


def _in_words(answer: str | None) -> str:
    return "no answer" if answer is None else repr(answer)


def _strip(each: AnsweredCase, files: dict[str, Path]) -> Strip:
    def image_of(picture: Picture) -> Image.Image:
        with Image.open(files[picture.digest]) as image:
            return image.convert("RGB")

    case = each.case
    return case_strip(
        case,
        each.answers,
        title=f"{each.item}: {each.said.outcome}",
        notes=(
            f"case {case.id}, scene {case.scene} of {each.source.spec}, answered by {each.model}",
            f"expected: {case.expected}",
            *([each.verdict] if each.said.reason or each.before else []),
        ),
        image_of=image_of,
        scene_of=scenes_by_photo(each.source),
    )


def load_source(spec: str) -> SceneSource:
    """The source without its bad records: no case of a report is of one.

    Raises:
        VqamtError: it cannot be opened.
    """
    return sources.load(spec, allow_bad_records=True)


def load_recorded_source(spec: str, where: str) -> SceneSource:
    """The source that a report names; ``where`` is the place that it does.

    Raises:
        DataError: it is not to be had here under this name.
    """
    try:
        return load_source(spec)
    except VqamtError as error:
        raise DataError(
            f"{where}: {error}; a relative path is followed from the current folder: name the data of that run with "
            "--data"
        ) from error


class ReportData:
    """The data of a whole report: each source as the report names it, or as the user does who knows where it is now."""

    def __init__(self, report: Report, named: Sequence[str], where: str) -> None:
        self._where = where
        self._load = cache(load_recorded_source)
        self._moved: dict[str, SceneSource] = {}
        for spec in named:
            source = load_source(spec)
            self._moved[_recorded(source, report, spec)] = source

    @property
    def named(self) -> tuple[str, ...]:
        """What the report calls the data that the user has named."""
        return tuple(self._moved)

    def __call__(self, recorded: str) -> SceneSource:
        """The source that the report calls ``recorded``.

        Raises:
            DataError: it is not to be had here under this name.
        """
        return self._moved[recorded] if recorded in self._moved else self._load(recorded, self._where)


def _recorded(source: SceneSource, report: Report, spec: str) -> str:
    """What the report calls ``source``: by its spec, by its content, or because there is no other."""
    for data in report.data:
        if data.spec in (spec, source.spec):
            return data.spec
    same = [data.spec for data in report.data if data.digest == source.digest]
    if len(same) == 1 or len(report.data) == 1:
        return same[0] if same else report.data[0].spec
    told = ", ".join(f"{data.spec} (digest {data.digest})" for data in report.data)
    raise OptionError(
        f"Expected --data to name data of the report ({told}), but got {spec!r} with digest {source.digest}: "
        "name the same data"
    )


def register_inpainter(settings: Mapping[str, str]) -> None:
    """Finds the checkpoint of the inpainter where a report says that it was; if it is elsewhere now, a user says so."""
    if INPAINT.name in settings:
        with suppress(OptionError):
            method_of(settings[INPAINT.name])
