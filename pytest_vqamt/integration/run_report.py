"""The report that ``vqamt.run`` returns, for notebooks and scripts: its cases with their pictures, tables, files."""

from __future__ import annotations

import shutil
import warnings
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cache, partial
from pathlib import Path
from tempfile import mkdtemp
from typing import TYPE_CHECKING, TypeAlias, cast

from pytest_vqamt.core import results
from pytest_vqamt.core.case import Outcome
from pytest_vqamt.core.case_store import FILE_NAMES, SIMPLIFIED_NAME, case_rows
from pytest_vqamt.core.codec import Json, made
from pytest_vqamt.core.errors import OptionError, VqamtError
from pytest_vqamt.core.identity import matches
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.recipes import picture_from_recipe
from pytest_vqamt.core.report_json import REPORT_FILE, Row, tally_of_row
from pytest_vqamt.data.scene_source import SceneSource, scenes_by_photo
from pytest_vqamt.integration.options import read_arguments
from pytest_vqamt.reporting.compare.comparison import Comparison, compare
from pytest_vqamt.reporting.compare.comparison_text import comparison_lines
from pytest_vqamt.reporting.compare.runs import open_report_run
from pytest_vqamt.reporting.files import read_report, write_pages
from pytest_vqamt.reporting.html.case_cards import describe_edits, rows_with_pictures, said_in
from pytest_vqamt.reporting.html.case_selection import Images
from pytest_vqamt.reporting.view.headline import headline, rows_of_parts
from pytest_vqamt.reporting.view.model_figures import row_figures
from pytest_vqamt.reporting.view.rows import result_rows
from pytest_vqamt.stats.thresholds import drops_of

if TYPE_CHECKING:
    from pandas import DataFrame  # type: ignore[import-untyped]  # it has no types
    from PIL.Image import Image

SourceOf: TypeAlias = Callable[[str], SceneSource | None]
"""Finds data by its spec; None where it is not available."""

_WRONG = (Outcome.VIOLATED, Outcome.UNPARSED)

Rates: TypeAlias = str | float | Sequence[str | float] | Mapping[str, float]
"""Rates as gates take them: RATE, "GLOB=RATE", several of them, or {GLOB: RATE}."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportedQuery:
    """A query of a case with the model's answer."""

    text: str
    """The question or hypothesis; "" for a caption."""
    said: tuple[tuple[str, str], ...]
    """Who says what in a conversation, "[picture]" for a picture and "[answer 1]" for the model's answer to the first
    query: (("user", "[picture] Is there a dog?"),). One turn for one picture and a text."""
    answer: str | None
    """The answer in the model's own words; None without one."""
    reading: str | None
    """How the answer was understood; None for a case without a verdict."""
    edits: str
    """The edits of the picture, in words; "" for the photo as it is."""
    _pictures: tuple[Callable[[], Image], ...] = field(repr=False, compare=False)
    """Renders each picture, which needs the data."""

    @property
    def picture(self) -> Image:
        """The picture, of a conversation the first, in full size (RGB, uint8), rendered anew each time.

        Raises:
            VqamtError: the data is not available, or its photo cannot be read.
        """
        return self._pictures[0]()

    @property
    def pictures(self) -> tuple[Image, ...]:
        """The pictures of a conversation in the order in which they are shown, as ``picture``."""
        return tuple(render() for render in self._pictures)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportedCase:
    """A case of a report."""

    id: str
    """As ``vqamt replay`` takes it."""
    relation: str
    """With the variant, "metavqa.partition[object]"."""
    model: str
    """The model's name in the report."""
    data: str
    """The name of its data in the report."""
    scene: str
    """The id of the scene that it was derived from."""
    verdict: Outcome
    expected: str
    """The answers that the relation expects, in words."""
    reason: str
    """Why the case is violated, or holds."""
    facts: dict[str, Json]
    """The relation's facts on the case, by name."""
    presumed: bool
    """True if it rests on an absence that the annotations do not guarantee."""
    waived: bool
    """True if a person judged it invalid."""
    is_unread: bool
    """True if an answer could not be read, so that the case counts as unread."""
    before: Outcome | None
    """The verdict in the baseline; None without one."""
    queries: tuple[ReportedQuery, ...]
    """The source query first."""
    _row: Row = field(repr=False, compare=False)
    """Its line in the file of cases, for the card in notebooks."""
    _source: Callable[[], SceneSource | None] = field(repr=False, compare=False)
    """Opens its data; None where the data is not here."""

    @property
    def pictures(self) -> tuple[Image, ...]:
        """The picture of each query, as ``ReportedQuery.picture``: of conversations the first."""
        return tuple(query.picture for query in self.queries)

    def _repr_html_(self) -> str:
        from pytest_vqamt.reporting.html.page import cases_html  # brings jinja2

        return cases_html([(self._row, self._source())])


class TemporaryFolder:
    """A folder that is removed with this object, or at the end of the process."""

    def __init__(self) -> None:
        self.path = Path(mkdtemp(prefix="vqamt-"))
        # A finaliser also runs at exit, which ``__del__`` need not.
        weakref.finalize(self, shutil.rmtree, self.path, ignore_errors=True)


class ReportComparison(Comparison):
    """A comparison that shows itself much as ``vqamt compare`` prints it."""

    def __repr__(self) -> str:
        return "\n".join(comparison_lines(self, in_python=True))


class Report(results.Report, frozen=True, kw_only=True):
    """A finished run with its cases and, in a notebook, with a view of its own.

    ``relations`` has the result of each relation variant on each model and data source, with all figures.
    """

    folder: Path
    """Holds ``report.json`` and the file of cases. Without a folder of the user's it is a temporary one, which is
    removed with the report: ``save`` keeps it.
    """
    _source_of: SourceOf
    """Opens data of the report, by its name there."""
    _temporary: TemporaryFolder | None = None
    """Owns a temporary ``folder``; None if the folder is the user's."""

    def __eq__(self, other: object) -> bool:
        """Two reports are equal if their figures are, wherever they lie."""
        if not isinstance(other, Report):
            return NotImplemented
        return all(getattr(self, name) == getattr(other, name) for name in results.Report.__struct_fields__)

    __hash__ = None  # type: ignore[assignment]  # as before: it holds mappings

    @classmethod
    def read(cls, folder: str | Path, *, data: str | Sequence[str] = ()) -> Report:
        """Reads what ``--vqamt-report``, ``save`` or ``vqamt merge`` wrote.

        Args:
            folder: of the report.
            data: where its data is now, if it has moved: specs as in ``--vqamt-data``. Pictures need the data.

        Raises:
            VqamtError: there is no whole report in the folder, or ``data`` is not that of the report.
        """
        from pytest_vqamt.integration.replaying import ReportData

        path = Path(folder)
        plain = read_report(path)
        found = ReportData(plain, (data,) if isinstance(data, str) else tuple(data), str(path / REPORT_FILE))

        # A source that cannot be opened is not tried again for each of its cases.
        @cache
        def source_of(spec: str) -> SceneSource | None:
            try:
                return found(spec)
            except VqamtError:
                return None

        return cls.of(plain, path, source_of)

    @classmethod
    def of(
        cls,
        plain: results.Report,
        folder: Path,
        source_of: SourceOf,
        temporary: TemporaryFolder | None = None,
    ) -> Report:
        """The report with the cases in ``folder``."""
        return made(cls, plain, folder=folder, _source_of=source_of, _temporary=temporary)

    def __repr__(self) -> str:
        head = headline(self, result_rows(self))
        return f"<vqamt.Report: {head.title}. {head.about} {head.verdict}>"

    def _repr_html_(self) -> str:
        from pytest_vqamt.reporting.html.page import report_fragment  # brings jinja2

        return report_fragment(self, self.folder, self._source_of)

    def cases(
        self, relation: str = "*", *, model: str | None = None, verdict: str | Sequence[str] | None = None
    ) -> Iterator[ReportedCase]:
        """Yields the cases in the order of the report, one in memory at a time.

        Args:
            relation: a glob of relation variants, as in ``--vqamt-relations``.
            model: the name of a model.
            verdict: one or several of "holds", "violated", "unparsed", "error", "declined" and "flaky".

        Raises:
            OptionError: there is no such verdict.
            DataError: the file of cases is gone, or a line of it is broken.
        """
        wanted = _outcomes(verdict)
        for row in case_rows(self.folder):
            if (
                (model is None or row["model"] == model)
                and row["verdict"] in wanted
                and matches(relation, str(row["relation"]))
            ):
                yield _case(row, self._source_of)

    @property
    def violations(self) -> tuple[ReportedCase, ...]:
        """The violated cases that the headline counts, in the order of the report.

        All answers of these cases could be read; ``unread`` has the others. Pictures are rendered when asked for. Not
        counted are waived cases and, where the model has others, presumed ones and those of controls and of relations
        tagged "baseline": ``cases(verdict="violated")`` has all.
        """
        return tuple(case for case in self._counted() if case.verdict in _WRONG and not case.is_unread)

    @property
    def unread(self) -> tuple[ReportedCase, ...]:
        """The cases with an answer that could not be read, as the headline counts them, in the order of the report."""
        return tuple(case for case in self._counted() if case.is_unread)

    @property
    def errors(self) -> tuple[ReportedCase, ...]:
        """The cases without an answer, as the headline counts them: the model raised an exception or timed out."""
        return tuple(case for case in self._counted() if case.verdict is Outcome.ERROR)

    def _counted(self) -> Iterator[ReportedCase]:
        """The cases that count in the headline."""
        counted = {
            (row.result.item, *part, row.is_presumed)
            for part, rows in rows_of_parts(self, result_rows(self))
            for row in rows
        }
        for case in self.cases():
            if not case.waived and (case.relation, case.model, case.data, case.presumed) in counted:
                yield case

    def to_dataframe(self) -> DataFrame:
        """A pandas DataFrame with a row for each relation variant, model and data source, and for its presumed cases.

        Columns: relation, model, data, tags, cases, holds, violated, unread_cases, unread_holds (how many of these
        hold), errors, declined, flaky, waived, pass_rate, pass_rate_low, pass_rate_high (its 95 % interval), grounded,
        grounded_low, grounded_high, unread (shares from 0 to 1), gate ("met", "missed", "cannot tell" or None) and
        claim. A share is missing where no case has one. Refusals in words are unread, not declined. ``cases`` is
        ``holds + violated + unread_cases - unread_holds + errors + declined + flaky + waived``.

        Raises:
            OptionError: pandas is not installed.
        """
        try:
            import pandas as pd
        except ImportError as error:
            raise OptionError(
                "Expected pandas for Report.to_dataframe, but it is not installed: pip install 'pytest-vqamt[notebook]'"
            ) from error
        return pd.DataFrame([row_figures(line) for line in result_rows(self)])

    def save(self, folder: str | Path, *, images: str = "violations") -> Path:
        """Writes ``report.json``, the cases, ``report.html`` and ``summary.md`` into a folder, and returns it.

        Args:
            folder: is made if it is not there; files of an earlier report in it are replaced.
            images: "violations", "all" or "none": whose pictures the page shows.

        Raises:
            OptionError: ``images`` is none of these.
            VqamtError: the folder cannot be written to.
        """
        if images not in list(Images):
            raise OptionError(f"Expected images to be one of {', '.join(Images)}, but got images={images!r}")
        path = Path(folder)
        try:
            path.mkdir(parents=True, exist_ok=True)
            # Saving into its own folder only writes the pages again.
            if path.resolve() != self.folder.resolve():
                # The folder may hold cases.jsonl of an earlier report where this one has cases.jsonl.gz.
                for name in (*FILE_NAMES, SIMPLIFIED_NAME):
                    (path / name).unlink(missing_ok=True)
                for name in (*FILE_NAMES, SIMPLIFIED_NAME, REPORT_FILE):
                    if (self.folder / name).is_file():
                        shutil.copyfile(self.folder / name, path / name)
        except OSError as error:
            raise VqamtError(f"Expected a folder that can be written to, but got {str(path)!r}: {error}") from error
        # A warning, not an error: the report is whole but for some pictures.
        if undrawn := write_pages(path, source_of=self._source_of, images=Images(images)):
            warnings.warn(undrawn, stacklevel=2)
        return path

    def compare(
        self, other: Report | str | Path, *, max_drop: Rates | None = None, models: tuple[str, str] | None = None
    ) -> ReportComparison:
        """Compares this run with a later one case by case, as ``vqamt compare`` does.

        Args:
            other: the later report, or its folder.
            max_drop: the drop of a rate that is allowed, as ``vqamt.run`` takes it; ``missed`` of the comparison has
                the items that dropped more.
            models: a model of each run, where their names differ.

        Raises:
            OptionError: a model is missing or ambiguous, or ``max_drop`` is none.
            DataError: a file is incomplete, or the runs have no judged case in common.
        """
        drops = None if max_drop is None else drops_of(read_arguments({"max_drop": max_drop}).max_drop)
        theirs = other.folder if isinstance(other, Report) else Path(other)
        found = compare(open_report_run(self.folder), open_report_run(theirs), models=models, max_drop=drops)
        values = {each.name: getattr(found, each.name) for each in fields(found)}
        # The name of a temporary folder says nothing to the reader.
        if self._temporary:
            values["before"] = replace(found.before, name="this report")
        if isinstance(other, Report) and other._temporary:
            values["after"] = replace(found.after, name="the other report")
        return ReportComparison(**values)


def _outcomes(verdict: str | Sequence[str] | None) -> frozenset[str]:
    if verdict is None:
        return frozenset(Outcome)
    named = (verdict,) if isinstance(verdict, str) else tuple(verdict)
    if not named:
        raise OptionError(f"Expected verdict to be one or several of {', '.join(Outcome)}, but got verdict={verdict!r}")
    for each in named:
        if each not in list(Outcome):
            raise OptionError(f"Expected verdict to be one of {', '.join(Outcome)}, but got verdict={each!r}")
    return frozenset(map(str, named))


def _case(row: Row, source_of: SourceOf) -> ReportedCase:
    spec = str(row["data"])
    queries, answers = cast("list[Row]", row["queries"]), cast("list[str | None]", row["answers"])
    readings = cast("list[str]", row["readings"])
    # A case that ended in an error has no readings, or too few.
    padded = (*readings, *[None] * (len(queries) - len(readings)))
    before = row.get("before")
    return ReportedCase(
        id=str(row["case_id"]),
        relation=str(row["relation"]),
        model=str(row["model"]),
        data=spec,
        scene=str(row["scene"]),
        verdict=Outcome(str(row["verdict"])),
        expected=str(row["expected"]),
        reason=str(row["reason"]),
        facts=dict(cast("Row", row.get("facts") or {})),
        # In the file of cases this is one of the tags.
        presumed="presumed" in cast("list[str]", row.get("tags") or []),
        waived=bool(row.get("waived")),
        # As the headline counts it, so that both agree.
        is_unread=tally_of_row(row).unread_cases > 0,
        before=None if before is None else Outcome(str(before)),
        queries=tuple(
            ReportedQuery(
                text=str(query["text"]),
                said=said_in(query),
                answer=answer,
                reading=reading,
                edits=describe_edits(query),
                _pictures=tuple(partial(_rendered, shown, spec, source_of) for shown in rows_with_pictures(query)),
            )
            for query, answer, reading in zip(queries, answers, padded, strict=False)
        ),
        _row=row,
        _source=lambda: source_of(spec),
    )


def _rendered(shown: Row, spec: str, source_of: SourceOf) -> Image:
    from pytest_vqamt.imaging.render import render  # brings PIL

    source = source_of(spec)
    if source is None:
        raise VqamtError(
            f"Expected the data {spec} to draw a picture, but it is not here: name it with "
            "vqamt.Report.read(FOLDER, data=SPEC)"
        )
    picture: Picture = picture_from_recipe(shown["picture"], scenes_by_photo(source))
    return render(picture, source)
