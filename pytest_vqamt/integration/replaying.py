"""Replays one case: finds it, runs the model on it again, and writes its pictures."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple, cast

from PIL import Image

from pytest_vqamt.core.case import Case, Outcome, item_name
from pytest_vqamt.core.case_store import FILE_NAMES, SIMPLIFIED_NAME, find_cases_file, lines_of_case
from pytest_vqamt.core.codec import Json
from pytest_vqamt.core.errors import DataError, ModelError, OptionError, VqamtError
from pytest_vqamt.core.identity import name_of
from pytest_vqamt.core.input_files import (
    RecordedSettings,
    check_data,
    check_id,
    describe_broken,
    parse_json,
    recorded_settings,
)
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.query import Answer, Failure, Query
from pytest_vqamt.core.report_json import REPORT_FILE, case_from_row, not_whole, read_report_row
from pytest_vqamt.core.results import Report
from pytest_vqamt.core.text import count_noun, quoted, shown, some_of, visible
from pytest_vqamt.data import catalogue as sources
from pytest_vqamt.data.scene_source import SceneSource, scenes_by_photo
from pytest_vqamt.execution.answer_cache import ANSWERS_FILE, AnswerStore
from pytest_vqamt.execution.baseline import Baseline
from pytest_vqamt.execution.judging import judge_trials
from pytest_vqamt.execution.prefetch import InputPipeline
from pytest_vqamt.execution.resources import answer_reader
from pytest_vqamt.execution.waves import ask_in_waves
from pytest_vqamt.imaging.contact_sheet import Strip, case_strip, sheet
from pytest_vqamt.imaging.render import render
from pytest_vqamt.models.wrapped import LoadedModel
from pytest_vqamt.relations import catalogue
from pytest_vqamt.relations.base import Relation

if TYPE_CHECKING:
    from pytest_vqamt.execution.resources import Resources
    from pytest_vqamt.integration.settings import Settings


REPORT_FOLDERS = ("", "*/", "*/*/")
"""Patterns of the folders in which reports are searched."""

DEFAULT_CACHE = Path(".pytest_cache", "d", "vqamt")
"""Where pytest puts the answer cache if none is named."""

_SHOWN_CASES = DEFAULT_CACHE / ANSWERS_FILE
"""The default place of the violations that runs have shown."""

_MAX_NAMED = 5
"""The most ids that a message names."""

SHEET = "sheet.png"
"""The file with all pictures of a case side by side."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _LocatedCase:
    """A case, the source of its scene, the recorded verdicts by model, and the settings of its relation."""

    case: Case
    """The case, with the pictures of the data that is here."""
    source: SceneSource
    """The source of its scene."""
    verdicts: Mapping[str, ModelVerdict] = field(default_factory=dict)
    """The recorded verdicts, by model; empty if the case was found in the plan of a run."""
    settings: RecordedSettings = field(default_factory=RecordedSettings)
    """The settings of its relation in that run."""


def replay(settings: Settings, resources: Resources, case_id: str) -> str:
    """Runs a case on every model of the session that has its tasks, without the cache, and returns the output.

    The case is searched in the report folder, in the baseline, among the violations shown before, and in the plan of
    the run that the options describe.

    Raises:
        OptionError: it is in none of them.
        VqamtError: a model cannot be run on it.
    """
    # A report first: the plan of a run is derived case by case.
    found = _reported(settings, resources, case_id) or _planned(resources, case_id)
    if found is None:
        raise OptionError(
            f"Expected the id of a case that a run has shown or would have, but got --vqamt-replay={case_id!r}: "
            "name the report that has it (--vqamt-report=DIR), or the model, the data and the seed of that run"
        )
    case = found.case
    # What the user gives now goes before what the run had.
    of_relations = {**found.settings.used, **settings.relation_settings}
    relation = relation_of(case.id, item_name(case.relation, case.variant), of_relations)
    models, unable = _models(resources, case)
    repeats = settings.terms.sampling.repeats
    answered = [
        rerun_case(case, found.source, model, relation, found.verdicts.get(model.name), of_relations, repeats)
        for model in models
    ]
    # Settings that name files or programs are not taken from a report, which may come from anybody.
    note = unused_note(found.settings, settings.relation_settings)
    return "\n".join([*write_case(answered, _folder(settings) / case.id), *unable, *([f"  {note}"] if note else [])])


def _models(resources: Resources, case: Case) -> tuple[list[LoadedModel], list[str]]:
    """The session's models that have the tasks of the case, and a line on the others."""
    tasks = tuple(dict.fromkeys(query.task for query in case.queries))
    models = [resources.model(spec) for spec in resources.settings.models]
    able = [model for model in models if all(task in model.tasks for task in tasks)]
    others = [f"{model.name!r} ({', '.join(model.tasks)})" for model in models if model not in able]
    if not able:
        raise OptionError(
            f"Expected a model that does {', '.join(tasks)}, as case {case.id} asks for, but got {', '.join(others)}"
        )
    return able, [f"  not asked: {', '.join(others)}"] if others else []


def _reported(settings: Settings, resources: Resources, case_id: str) -> _LocatedCase | None:
    files = [settings.report / name for name in (*FILE_NAMES, SIMPLIFIED_NAME)] if settings.report else []
    files += [settings.baseline] if settings.baseline else []
    kept = resources.stores.of_shown_cases
    kept_file = kept.file or _SHOWN_CASES
    # The violations that this cache has shown can be replayed without any report.
    shown = (_Line(kept_file, str(kept_file), row) for row in kept.cases(case_id).values())
    reported = _first_with_case(case_id, _lines_in_files(files, case_id), shown)
    if reported is None:
        return None
    where, row = _preferred(reported, settings.data)
    case, source = _made(resources, row, where)
    verdicts = {str(row.get("model")): recorded_verdict(row, where) for where, row in reported.rows}
    return _LocatedCase(case=case, source=source, verdicts=verdicts, settings=reported.settings)


def _preferred(reported: FoundCase, data: tuple[str, ...]) -> tuple[str, dict[str, Json]]:
    """One of the rows of the case, preferably of data that the session names."""
    names = [name_of(spec) for spec in data]
    return next((each for each in reported.rows if each[1].get("data") in names), reported.rows[0])


def _made(resources: Resources, row: dict[str, Json], where: str) -> tuple[Case, SceneSource]:
    """The case and its source: the one that the row names, or the first that has its pictures."""
    recorded = row.get("data")
    errors: list[DataError] = []
    # The data of that name first; moved or renamed data may have the photo as well.
    for spec in sorted(resources.settings.data, key=lambda spec: resources.data_name(spec) != recorded):
        source = resources.source(spec)
        try:
            return case_from_row(row, scenes_by_photo(source)), source
        except DataError as error:
            errors.append(error)
    raise DataError(
        f"{errors[0]}; the case is of data {recorded!r} ({where}): name them, where they are now, with --vqamt-data"
    ) from errors[0]


def _planned(resources: Resources, case_id: str) -> _LocatedCase | None:
    for spec in resources.item_specs:
        job = resources.job(spec)
        for case in job.plan(resources.settings.terms.sampling):
            if case.id == case_id:
                return _LocatedCase(case=case, source=job.source)
    return None


def _folder(settings: Settings) -> Path:
    # Without a report or a cache nothing of the session lasts: a temporary folder.
    base = settings.report or settings.cache
    return (base / "replay") if base else Path(mkdtemp(prefix="vqamt-replay-"))


def relation_of(case_id: str, item: str, settings: Mapping[str, str]) -> Relation:
    """The relation of a case, with ``settings``.

    Raises:
        OptionError: the relation is not known here.
    """
    name = item.partition("[")[0]
    if advice := catalogue.now_probed(name):
        raise OptionError(f"Expected a relation that is known here, but case {case_id} is of {item!r}; {advice}")
    # A relation of a user is known only where its conftest.py is loaded.
    if name not in catalogue.names():
        raise OptionError(
            f"Expected a relation that is known here, but case {case_id} is of {item!r}: run a model with "
            f"`pytest --vqamt-replay={case_id}` where the conftest.py is that has it, or see the pictures with "
            f"`vqamt replay {case_id}`"
        )
    return catalogue.get(name, settings)


def settings_of_run(recorded: Mapping[str, object]) -> RecordedSettings:
    """The settings of a report or a baseline, without any that names a file, a module or a program."""
    return recorded_settings(recorded, catalogue.settings_known())


def unused_note(settings: RecordedSettings, given: Mapping[str, str]) -> str:
    """The note on settings of that run which are not used and not ``given`` anew; "" for none."""
    left_out = {name: value for name, value in settings.left_out.items() if name not in given}
    return visible(settings._replace(left_out=left_out).note)


def rerun_case(
    case: Case,
    source: SceneSource,
    model: LoadedModel,
    relation: Relation,
    before: ModelVerdict | None,
    settings: Mapping[str, str] = MappingProxyType({}),
    repeats: int = 1,
) -> AnsweredCase:
    """Runs ``model`` on the case, each query ``repeats`` times; ``before`` is its recorded verdict.

    Raises:
        ModelError: the model lacks the task, fails, or lacks a written answer.
        RenderError: a picture cannot be rendered.
        DataError: a photo cannot be read.
    """
    asked = case.trials(repeats)

    def ask(queries: Iterable[Query]) -> dict[str, Answer | Failure]:
        listed = list(queries)
        answers = answer_queries(listed, source, model, lossless=relation.info.exact_pixels)
        return {query.id: answer for query, answer in zip(listed, answers, strict=True)}

    (trials,) = ask_in_waves([asked], ask)
    made = judge_trials(
        relation, case, cast("tuple[tuple[Answer | Failure, ...], ...]", trials), answer_reader(settings)
    )
    own = [each for each in made.answers if isinstance(each, Answer)]
    verdict, of_contrast = made.verdict, made.verdict.contrast
    return AnsweredCase(
        case=case,
        source=source,
        model=model.name,
        now=ModelVerdict(
            answers=tuple(answer.text for answer in own),
            outcome=verdict.outcome.value,
            reason=verdict.reason,
            contrast=ContrastReply(of_contrast.answer.text, of_contrast.outcome.value, of_contrast.reason)
            if of_contrast and isinstance(of_contrast.answer, Answer)
            else None,
        ),
        before=before,
    )


def answer_queries(
    queries: Sequence[Query], source: SceneSource, model: LoadedModel, *, lossless: bool = False
) -> list[Answer]:
    """Runs the queries one by one, so that batching cannot change the answers; ``lossless`` is as in ``ModelInput``.

    Raises:
        ModelError: the model fails, or lacks a written answer.
    """
    # A model of written answers: what it lacks goes to its list, as in a run.
    if model.deferred and (lacking := [query for query in queries if model.deferred.lacks(query)]):
        model.deferred.todo(lacking)
        raise ModelError(
            f"Expected model {model.name!r} to hold an answer to every query, but it lacks {len(lacking)}: they are "
            f"listed in {model.deferred.todo_file}; add their answers and ask again"
        )

    # As a run does before its first query: some models look at the scenes.
    model.meet((source,))
    answers: list[Answer] = []
    # The pipeline of a run, so that a server is sent the same files.
    with closing(InputPipeline(source, batch_size=1)) as pipeline:
        for query in queries:
            try:
                answers += model.ask(query.task, pipeline.inputs([query], lossless=lossless))
            except VqamtError:
                raise
            except Exception as error:  # a model may raise anything
                raised = ModelError(
                    f"Expected model {model.name!r} to answer {query.text or query.task.value!r}, but it raised "
                    f"{type(error).__name__}: {' '.join(str(error).split())}"
                )
                raise (raised.about(error, str(raised)) if model.is_users else raised) from error
    return answers


def shown_cases_files() -> list[Path]:
    """The files with the violations that pytest has shown, in the current folder and in those up to two below it."""
    return newest_below(_SHOWN_CASES)


def newest_below(*names: str | Path) -> list[Path]:
    """The files of these names in the current folder and in those up to two below it, the newest first."""
    found = {file for folder in REPORT_FOLDERS for name in names for file in Path().glob(f"{folder}{name}")}
    return sorted((file for file in found if file.is_file()), key=lambda file: (-file.stat().st_mtime_ns, file))


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundCase:
    """A case that was searched by its id, as a report, a baseline or the answer cache has it."""

    id: str
    """The whole id."""
    rows: tuple[tuple[str, dict[str, Json]], ...]
    """A place and a row for each model and data source."""
    file: Path
    """The file of the rows."""
    also_in: tuple[Path, ...] = ()
    """Other reports that have the case."""

    @property
    def settings(self) -> RecordedSettings:
        """The settings of relations in its run, as far as its files have them.

        Raises:
            DataError: the report or the baseline cannot be read.
        """
        # A baseline has the settings in its head; the answer cache keeps cases without settings.
        if self.file.name not in (*FILE_NAMES, SIMPLIFIED_NAME):
            return settings_of_run(
                dict(Baseline(self.file).head.settings) if self.file.name != _SHOWN_CASES.name else {}
            )
        file = self.file.with_name(REPORT_FILE)
        if not file.exists():  # the file of cases may be alone in its folder
            return settings_of_run({})
        try:
            return settings_of_run(dict(cast("dict[str, object]", read_report_row(file.parent)["settings"])))
        except (KeyError, TypeError, ValueError) as error:
            raise not_whole(file, error) from error


def find_case(typed: str, report: Path | None) -> FoundCase:
    """Finds a case by its id ``typed``, or by the beginning of it.

    It is searched in ``report``, a folder or the file of a baseline, or by default in every report at most two folders
    below the current one, and then among the violations that pytest has shown here.

    Raises:
        OptionError: no case has this id, or several begin with it.
        DataError: ``report`` has no cases, or a line is broken.
    """
    files = _files(report)
    simplified = [file.with_name(SIMPLIFIED_NAME) for file in files] if report else newest_below(SIMPLIFIED_NAME)
    shown = () if report else shown_cases_files()
    if found := _first_with_case(
        typed, _lines_in_files(files, typed), _lines_in_files(simplified, typed), _shown_lines(shown, typed)
    ):
        return found
    looked = sorted((*files, *shown), key=lambda file: (len(file.parts), file))
    raise OptionError(
        f"Expected the id of a case of a report, or its beginning, but got {typed!r}: "
        + (f"it is not in {', '.join(map(str, looked))}" if looked else "there is no report in this folder or below it")
        + (f" or {SIMPLIFIED_NAME} beside it" if report else "; if the report is elsewhere, name it with --report=DIR")
    )


class _Line(NamedTuple):
    """A line on a case: its file, its place for messages, and its text."""

    file: Path
    where: str
    text: str

    @property
    def case_id(self) -> str:
        # Lines begin with {"case_id": "..."}: parsing each line of a large report takes long.
        return self.text.split('"', 4)[3]


def _lines_in_files(files: Iterable[Path], typed: str) -> Iterator[_Line]:
    """The lines on cases whose ids begin with ``typed``, in those of the files that are there."""
    for file in files:
        if file.is_file():
            for where, line in lines_of_case(file, typed):
                yield _Line(file, where, line.decode("utf-8", "replace"))


def _first_with_case(typed: str, *places: Iterable[_Line]) -> FoundCase | None:
    """The case in the first of ``places`` that has one; its other files are named with it."""
    for place in places:
        lines: dict[str, dict[Path, list[_Line]]] = {}
        for line in place:
            # By file, since several reports may have the case; the first file has its rows.
            of_case = lines.setdefault(line.case_id, {})
            # From the second id on, only the ids count: they make the message about an ambiguous beginning.
            if len(lines) == 1:
                of_case.setdefault(line.file, []).append(line)
        if len(lines) > 1:
            raise OptionError(
                f"Expected the id of one case, but got {typed!r}, with which {len(lines)} begin "
                f"({some_of(list(lines), _MAX_NAMED)}): type more "
                "of it"
            )
        for case_id, (file, *others) in lines.items():
            rows = tuple((line.where, _row(line)) for line in lines[case_id][file])
            return FoundCase(id=case_id, rows=rows, file=file, also_in=tuple(others))
    return None


def recorded_verdict(row: dict[str, Json], where: str) -> ModelVerdict:
    """The verdict in a row of a report; ``where`` is its place, for messages.

    Raises:
        DataError: the row is incomplete.
    """
    try:
        answers = tuple(cast("list[str | None]", row["answers"]))
        queries = len(cast("list[Json]", row["queries"]))
        if len(answers) != queries:
            raise ValueError(f"{count_noun(len(answers), 'answer')} to {count_noun(queries, 'text')}")
        # Only its presence is checked here: readers of the row rely on it.
        _ = row["model"]
        contrast = cast("dict[str, Json]", row.get("contrast") or {})
        reply = (
            ContrastReply(cast("str | None", contrast["answer"]), str(contrast["verdict"]), str(contrast["reason"]))
            if contrast.get("verdict") is not None
            else None
        )
        return ModelVerdict(answers=answers, outcome=str(row["verdict"]), reason=str(row["reason"]), contrast=reply)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise DataError(
            f"{where}: Expected a whole line of a report, but got {error!r}: make the report anew"
        ) from error


def _files(report: Path | None) -> list[Path]:
    if report is None:
        return newest_below(*FILE_NAMES)
    if report.is_file():
        # Any other file must be a baseline; opening it checks that.
        return [report if report.name in FILE_NAMES else Baseline(report).file]
    return [find_cases_file(report)]


def _shown_lines(files: Iterable[Path], typed: str) -> Iterator[_Line]:
    for file in files:
        with AnswerStore(file) as store:
            for row in store.cases(typed).values():
                yield _Line(file, str(file), row)


def _row(line: _Line) -> dict[str, Json]:
    try:
        row = cast("Json", parse_json(line.text))
        if not isinstance(row, dict):
            raise TypeError("expected an object")
        # The id was cut out of the text: a key that comes twice, or another first key, would mislead.
        if check_id(row.get("case_id")) != line.case_id:
            raise ValueError("expected one case_id")
    except (TypeError, ValueError) as error:
        raise DataError(
            f"{line.where}: Expected a whole line of a report, but got {quoted(line.text, 60)} "
            f"({describe_broken(error)}): make the report anew"
        ) from error
    return row


class ContrastReply(NamedTuple):
    """The answer of a model to the contrast of a case, None without an answer, and the verdict on it."""

    answer: str | None
    """In the model's own words; None without an answer."""
    outcome: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelVerdict:
    """The answers of a model to a case, and the verdict."""

    answers: tuple[str | None, ...]
    """One for each query; None without an answer."""
    outcome: str
    """"holds", "violated", ... as ``Outcome`` has it."""
    reason: str
    """Why, in words; "" for none."""
    contrast: ContrastReply | None = None
    """The answer to the contrast; None if it was not sent."""

    @property
    def verdict(self) -> str:
        return f"{self.outcome}: {self.reason}" if self.reason else self.outcome

    @property
    def violates(self) -> bool:
        """True if the case or its contrast is violated or unread."""
        outcomes = (self.outcome, self.contrast.outcome if self.contrast else "")
        return any(outcome in (Outcome.VIOLATED, Outcome.UNPARSED) for outcome in outcomes)


@dataclass(frozen=True, slots=True, kw_only=True)
class AnsweredCase:
    """A case with a model's verdict."""

    case: Case
    """The case that was answered."""
    source: SceneSource
    """The source of its scene."""
    model: str
    """The model's name, which may end with "in that run"."""
    now: ModelVerdict
    """The verdict to show."""
    before: ModelVerdict | None = None
    """An earlier verdict of the same model, for comparison; None without one."""

    @property
    def item(self) -> str:
        return item_name(self.case.relation, self.case.variant)

    @property
    def answers(self) -> tuple[str, ...]:
        """The answers as text, with the earlier ones."""
        if self.before is None:
            return tuple(map(_answer_text, self.now.answers))
        return tuple(
            f"{_answer_text(now)}  (was {_answer_text(was)})"
            for now, was in zip(self.now.answers, self.before.answers, strict=True)
        )

    @property
    def contrast_answer(self) -> tuple[str, ...]:
        """The answer to the contrast as text, with the earlier one; nothing without a contrast."""
        if self.case.contrast is None:
            return ()
        answer = _answer_text(self.now.contrast.answer) if self.now.contrast else "not asked"
        if self.before is None or self.before.contrast is None:
            return (answer,)
        return (f"{answer}  (was {_answer_text(self.before.contrast.answer)})",)

    @property
    def contrast_verdict(self) -> str:
        """The line on the contrast: how its answer differs, with the earlier verdict; "" without a contrast."""
        contrast, reply = self.case.contrast, self.now.contrast
        if contrast is None:
            return ""
        if reply is None:
            return contrast.expected
        # A reason may begin with what was expected: it is not said twice.
        reason = reply.reason if reply.reason.startswith(contrast.expected) else contrast.expected
        found = f"{reply.outcome}: {reason}"
        if reply.reason and reason is not reply.reason:
            found += f", but: {reply.reason}"
        return f"{found}  (was {self.before.contrast.outcome})" if self.before and self.before.contrast else found

    @property
    def verdict(self) -> str:
        """The verdict as text, with the earlier one."""
        return self.now.verdict if self.before is None else f"{self.now.verdict}  (was {self.before.outcome})"


def write_case(answered: Sequence[AnsweredCase], folder: Path) -> Iterator[str]:
    """Writes each picture once, and ``sheet.png``, and yields lines with the queries, their edits and the answers.

    Raises:
        VqamtError: a picture cannot be rendered, or the folder cannot be written.
    """
    yield from map(visible, _case_lines(answered, folder))


def _case_lines(answered: Sequence[AnsweredCase], folder: Path) -> Iterator[str]:
    files: dict[str, Path] = {}
    for each in answered:
        yield f"case {each.case.id}: {each.item}, scene {each.case.scene}, on {each.model}"
        for query in each.case.asked:
            for picture in query.pictures:
                # The queries of a case often share a picture: it is one file.
                if picture.digest not in files:
                    files[picture.digest] = folder / f"{len(files) + 1}.png"
                    save(render(picture, each.source), files[picture.digest])
        # Beside a long conversation a short question keeps its answer near.
        width = min(100, max(len(query_line(query)) for query in each.case.queries))
        for query, answer in zip(each.case.queries, each.answers, strict=True):
            yield f"    {query_line(query).ljust(width)}  ->  {answer}  ({_files_of(query, files)})"
        yield f"  expected: {shown(each.case.expected)}"
        yield f"  {shown(each.verdict)}"
        if (contrast := each.case.contrast) is not None:
            text, file = query_line(contrast.query), _files_of(contrast.query, files)
            yield f"  contrast, scene {contrast.scene}: {text}  ->  {each.contrast_answer[0]}  ({file})"
            yield f"  {shown(each.contrast_verdict)}"
    save(sheet(_strip(each, files) for each in answered), folder / SHEET)
    yield f"  side by side: {folder / SHEET}"


def _files_of(query: Query, files: dict[str, Path]) -> str:
    return ", ".join(str(files[picture.digest]) for picture in query.pictures)


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


def query_line(query: Query) -> str:
    """The query as one line: its text or task, the edits of its picture, and its manner ("with reasoning")."""
    if query.turns:
        return shown(query.words)
    notes, text = query.notes, query.text or f"({query.task.value})"
    return shown(f"{text} [{notes}]" if notes else text)


def _answer_text(answer: str | None) -> str:
    return "no answer" if answer is None else quoted(answer)


def _strip(each: AnsweredCase, files: dict[str, Path]) -> Strip:
    def image_of(picture: Picture) -> Image.Image:
        with Image.open(files[picture.digest]) as image:
            return image.convert("RGB")

    case = each.case
    return case_strip(
        case,
        (*each.answers, *each.contrast_answer),
        title=f"{each.item}: {each.now.outcome}",
        notes=(
            f"case {case.id}, scene {case.scene} of {each.source.spec}, answered by {each.model}",
            f"expected: {case.expected}",
            *([each.verdict] if each.now.reason or each.before else []),
            *([f"contrast, the last text: {each.contrast_verdict}"] if each.case.contrast else []),
        ),
        image_of=image_of,
        scene_of=scenes_by_photo(each.source),
    )


def load_source(spec: str) -> SceneSource:
    """Opens a source without its bad records, of which a report has no case.

    Raises:
        VqamtError: the source cannot be opened.
    """
    return sources.load(spec, allow_bad_records=True)


def load_recorded_source(spec: str, where: str) -> SceneSource:
    """Opens the source that a report names; ``where`` is the place in the report.

    Raises:
        DataError: there is no such source here.
    """
    try:
        return load_source(check_data(spec, sources.TABLE))
    except VqamtError as error:
        raise DataError(
            f"{where}: {error}; a relative path is followed from the current folder: name the data of that run with "
            "--data"
        ) from error


class ReportData:
    """The sources of a report, by the report's names or at the places that the user named."""

    def __init__(self, report: Report, named: Sequence[str], where: str) -> None:
        self._where = where
        self._specs = {data.name: data.spec for data in report.data}
        self._load = cache(load_recorded_source)
        self._moved: dict[str, SceneSource] = {}
        # Opened at once: a wrong --data is reported before anything is written.
        for spec in named:
            source = load_source(spec)
            self._moved[_recorded(source, report, spec)] = source

    @property
    def named(self) -> tuple[str, ...]:
        """The report's names of the data that the user named."""
        return tuple(self._moved)

    def __call__(self, recorded: str) -> SceneSource:
        """The source that the report calls ``recorded``.

        Raises:
            DataError: there is no such source here.
        """
        if recorded in self._moved:
            return self._moved[recorded]
        return self._load(self._specs.get(recorded, recorded), self._where)


def _recorded(source: SceneSource, report: Report, spec: str) -> str:
    """The report's name for ``source``: by its spec, by its content, or because there is no other."""
    for data in report.data:
        if {data.spec, data.name} & {spec, source.spec, name_of(spec)}:
            return data.name
    # The same records at another path; with one source in the report any other path is taken for it.
    same = [data.name for data in report.data if data.digest == source.digest]
    if len(same) == 1 or len(report.data) == 1:
        return same[0] if same else report.data[0].name
    known = ", ".join(f"{data.name} (digest {data.digest})" for data in report.data)
    raise OptionError(
        f"Expected --data to name data of the report ({known}), but got {spec!r} with digest {source.digest}: "
        "name the same data"
    )
