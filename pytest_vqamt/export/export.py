"""The cases of a report as labelled training data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path

from pytest_vqamt.core.codec import Json
from pytest_vqamt.core.errors import DataError, OptionError, VqamtError, did_you_mean
from pytest_vqamt.core.identity import matches
from pytest_vqamt.data import catalogue
from pytest_vqamt.data.base import SceneSource
from pytest_vqamt.export.about import About
from pytest_vqamt.export.cases import ReportedQueries, ReportedQuery, Wanted, read
from pytest_vqamt.export.certainty import is_certain
from pytest_vqamt.export.evaluation import Evaluation, evaluation
from pytest_vqamt.export.labels import label
from pytest_vqamt.export.rows import Example, Layout
from pytest_vqamt.export.sides import TEST, TRAIN, photos_in, side_of
from pytest_vqamt.export.writing import Writer, in_place, sorting_in

_MOST_LABELS = 100
"""So many different answers are told of; captions are nearly all different."""

Progress = Callable[[str, int], Callable[[], object]]
"""Told what begins and of how many steps it is; what it gives is called after each."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """What an export is to be.

    Attributes:
        split: the share of photos that is to be trained on; the others are the test side.
        evaluation: specs, files and ids that name evaluation data.
        skip_evaluation: leave its rows out, rather than refuse to export.
        published: whether the held-out splits of published data sets count as evaluation data unnamed.
    """

    layout: Layout = Layout.IMAGEFOLDER
    wanted: Wanted = field(default_factory=Wanted)
    split: float = 0.8
    seed: int = 0
    evaluation: tuple[str, ...] = ()
    skip_evaluation: bool = False
    published: bool = True


@dataclass(slots=True)
class Side:
    """How much is on one side of the split."""

    rows: int = 0
    pictures: int = 0
    scenes: set[str] = field(default_factory=set)


@dataclass(slots=True, kw_only=True)
class Exported:
    """What was exported, and what was not.

    Attributes:
        labels: how often each label is right, by task.
        relations: how many rows each relation variant has a case for.
        cases_left_out, rows_left_out: how many, by reason.
    """

    sides: dict[str, Side] = field(default_factory=lambda: {TRAIN: Side(), TEST: Side()})
    labels: dict[str, Counter[str]] = field(default_factory=dict)
    relations: Counter[str] = field(default_factory=Counter)
    cases_left_out: Counter[str] = field(default_factory=Counter)
    rows_left_out: Counter[str] = field(default_factory=Counter)

    @property
    def rows(self) -> int:
        return sum(side.rows for side in self.sides.values())


def export_report(
    report: Path, out: Path, terms: Terms | None = None, *, data: str | None = None, progress: Progress | None = None
) -> Exported:
    """Writes the cases of the report in the folder ``report`` to ``out``, a new folder, and gives what there is in it.

    Every query of a case is a row, each picture a file, and the label is the right answer by the scene. ``data`` is the
    spec of the source that the report was made on, where it is not to be found by what the report calls it.

    Raises:
        VqamtError: the report, its data or the folder cannot be used; nothing is left to be exported; or some of it is
            evaluation data.
    """
    terms = terms or Terms()
    if not 0 < terms.split <= 1:
        raise OptionError(f"Expected a share above 0 and up to 1 to train on, but got split={terms.split!r}")
    about = About.of(report)
    for glob in terms.wanted.relations:
        if not any(matches(glob, item) for item in about.tags):
            hint = did_you_mean(glob, about.tags)
            raise OptionError(f"Expected --relations to name relations of the report, but {glob!r} names none; {hint}")
    with in_place(out) as folder, sorting_in(folder) as beside:
        found = read(report, terms.wanted, about.tags, beside)
        if not found:
            reasons = f"; left out are those {counted(found.left_out)}" if found.left_out else ""
            raise OptionError(f"Expected cases to export in {str(found.cases)!r}, but there are none{reasons}")
        loaded = _sources(found, data)
        evaluating = evaluation(terms.evaluation, report, loaded, published=terms.published)
        exported = _checked(found, loaded, evaluating, terms, progress or _silent)
        ahead = (progress or _silent)("writing", len(found))
        vqamt = version("pytest-vqamt")
        with Writer(folder, terms.layout, vqamt) as writer:
            for asked in found.each(loaded):
                example = _example(asked, evaluating, terms)
                if isinstance(example, Example):
                    drawn = writer.pictures
                    writer.write(example)
                    exported.sides[example.side].pictures += writer.pictures - drawn
                ahead()
            writer.about({"vqamt_version": vqamt, **about.facts, **_facts(terms, evaluating, exported)})
    return exported


def _silent(_what: str, _steps: int) -> Callable[[], object]:
    return lambda: None


@dataclass(frozen=True, slots=True)
class _LeftOut:
    """Why a query gives no row; ``evaluation`` where it is of evaluation data."""

    why: str
    evaluation: bool = False


def _example(asked: ReportedQuery, evaluating: Evaluation, terms: Terms) -> Example | _LeftOut:
    query = asked.query
    right, certain = label(query), is_certain(query)
    if right is None:
        return _LeftOut("to which the scene gives no right answer")
    if not certain and not terms.wanted.presumed:
        return _LeftOut("whose answer the annotations leave open")
    photos = photos_in(query.picture)
    if why := evaluating.why(asked.scene, photos, asked.source):
        return _LeftOut(why, evaluation=True)
    sides = {side_of(photo, terms.split, terms.seed) for photo in photos}
    if len(sides) > 1:
        return _LeftOut("of pictures with a thing cut out of a photo of the other side of the split")
    return Example(asked=asked, label=right, certain=certain, side=sides.pop())


def _checked(
    found: ReportedQueries,
    loaded: Mapping[str, SceneSource],
    evaluating: Evaluation,
    terms: Terms,
    progress: Progress,
) -> Exported:
    """What there is to be exported; looked through before anything is drawn.

    Raises:
        OptionError: some of it is evaluation data, or nothing is left.
    """
    exported = Exported(cases_left_out=found.left_out)
    refused: list[tuple[ReportedQuery, str]] = []
    ahead = progress("checking", len(found))
    rows = 0
    for asked in found.each(loaded):
        example = _example(asked, evaluating, terms)
        if isinstance(example, Example):
            side = exported.sides[example.side]
            side.rows += 1
            side.scenes.add(asked.scene)
            exported.labels.setdefault(asked.query.task.value, Counter())[example.label] += 1
            exported.relations.update({use.item for use in asked.uses})
        elif example.evaluation and not terms.skip_evaluation:
            rows += 1
            refused = refused or [(asked, example.why)]
        else:
            exported.rows_left_out["of evaluation data" if example.evaluation else example.why] += 1
        ahead()
    for first, why in refused:
        raise OptionError(
            f"Expected no evaluation data to train on, but got {rows} rows of it, the first of scene {first.scene!r} "
            f"of {first.source.spec} ({why}): make the report on other scenes, or leave these rows out with "
            "--skip-evaluation" + (", or say --allow-evaluation-data" if _is_published(why, evaluating) else "")
        )
    if not exported.rows:
        reasons = counted(exported.rows_left_out)
        raise OptionError(f"Expected a row that can be exported, but all {len(found)} are left out, {reasons}")
    return exported


def _is_published(why: str, evaluating: Evaluation) -> bool:
    return why not in {each.name for each in evaluating.named}


def _sources(found: ReportedQueries, data: str | None) -> dict[str, SceneSource]:
    if data is not None and len(found.data) > 1:
        raise OptionError(
            f"Expected a report on one source of data where --data names it, but got {len(found.data)}: "
            f"{', '.join(found.data)}"
        )
    loaded = {}
    for spec in found.data:
        try:
            # No case of that run is of a bad record.
            loaded[spec] = catalogue.load(data or spec, allow_bad_records=True)
        except VqamtError as error:
            hint = "" if data else (
                "; a relative path is followed from the current folder: name the data of that run with --data"
            )  # fmt: skip
            raise DataError(f"{error}{hint}") from error
    return loaded


def counted(reasons: Counter[str]) -> str:
    """How many were left out for each reason, the most frequent first.

    >>> counted(Counter({"waived": 2, "that hold": 3}))
    'that hold (3), waived (2)'
    """
    return ", ".join(f"{why} ({count:,})" for why, count in reasons.most_common())


def _facts(terms: Terms, evaluating: Evaluation, exported: Exported) -> dict[str, Json]:
    """What was asked for and what came of it, for ``export.json``."""
    return {
        "layout": terms.layout.value,
        "only": terms.wanted.only.value,
        "relations_wanted": list(terms.wanted.relations),
        "presumed": terms.wanted.presumed,
        "split": terms.split,
        "seed": terms.seed,
        "evaluation": [each.name for each in evaluating.named],
        "sides": {
            name: {"rows": side.rows, "pictures": side.pictures, "scenes": len(side.scenes)}
            for name, side in exported.sides.items()
        },
        "labels": {task: dict(counted.most_common(_MOST_LABELS)) for task, counted in exported.labels.items()},
        "relations": dict(sorted(exported.relations.items())),
        "cases_left_out": dict(exported.cases_left_out.most_common()),
        "rows_left_out": dict(exported.rows_left_out.most_common()),
    }
