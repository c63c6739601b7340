"""The rows of ``report.json``, baselines and ``cases.jsonl``."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar, cast

from msgspec.structs import asdict

from pytest_vqamt.core.case import (
    MILLION,
    Case,
    Change,
    Contrast,
    ContrastVerdict,
    Fact,
    Figure,
    Outcome,
    Verdict,
    item_name,
)
from pytest_vqamt.core.codec import Json, decode, encode, from_row, made, to_row
from pytest_vqamt.core.conversation import Part, Reply, Role, Turn
from pytest_vqamt.core.errors import DataError, VqamtError
from pytest_vqamt.core.input_files import MAX_REPORT_BYTES, describe_broken, parse_json, read_text
from pytest_vqamt.core.meaning import meaning_from_row
from pytest_vqamt.core.pairs import Pairs, PairTally
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.query import Answer, Failure, Query, Task, is_truncated
from pytest_vqamt.core.recipes import picture_from_recipe, picture_recipe
from pytest_vqamt.core.report_rows import (
    SCHEMA,
    BaselineRow,
    BaselineTotalRow,
    BlessedAnswerer,
    BlessedModel,
    CalibrationRow,
    ChangeRow,
    DifferenceRow,
    ExpiredWaiverRow,
    FigureRow,
    GradedRow,
    GroundedCellsRow,
    GroundedRow,
    MetricsRow,
    ModelRow,
    PairRatesRow,
    RelationRow,
    RepeatedRow,
    ReportRow,
    StratumRow,
    WaivedRow,
    YesNoShares,
)
from pytest_vqamt.core.results import (
    BaselineChange,
    BaselineHead,
    BaselineTotal,
    BaselineUse,
    DataUse,
    Grounded,
    HumanReference,
    ModelDifference,
    ModelUse,
    RelationResult,
    Report,
    StratumResult,
    merge_data_uses,
)
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.core.tallies import (
    CalibrationBin,
    Clusters,
    GradedCases,
    GroundedCells,
    PairedClusters,
    RepeatedCases,
    Tally,
)

REPORT_FILE = "report.json"

BASELINE_SCHEMA = 1
"""Raised when a field of a baseline's head is renamed or removed; additions keep it."""

Row = dict[str, Json]
T = TypeVar("T")

_FIRST = (
    "id", "version", "claim", "model", "data", "tags", "resources", *Tally.__struct_fields__, "scenes_not_applicable",
    "not_applicable",
)  # fmt: skip
"""The members of an entry of ``relations`` that stand before those of its stratum."""
_PAIR_RATES = ("acc", "acc_original", "acc_perturbed", "cons", "c_acc", "cons_authors", "c_acc_authors")
_BASELINE_COUNTS = (
    "cases", "holds", "violated", "unparsed", "errors", "declined", "refused", "flaky", "unread_cases", "unread_holds",
)  # fmt: skip
BEFORE = ("before", "figures_before")
"""The members of a row that are about the baseline; those of a contrast are in its own object."""
_LINE = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def report_row(report: Report) -> Row:
    """The whole of ``report.json``."""
    row = to_row(
        made(
            ReportRow,
            report,
            schema=SCHEMA,
            duration_s=round(report.duration_s, 3),
            settings=dict(report.settings),
            models=tuple(map(_model_row, report.models)),
            relations=(),
            differences=tuple(map(difference_row, report.differences)),
            baseline=baseline_row(report.baseline) if report.baseline else None,
            waived=tuple(WaivedRow(case_id=case_id, reason=reason) for case_id, reason in report.waived),
            expired_waivers=tuple(ExpiredWaiverRow(case_id=name, until=day) for name, day in report.expired_waivers),
        )
    )
    row["relations"] = list(map(relation_row, report.relations))
    return row


def report_text(report: Report) -> str:
    """The text of ``report.json``."""
    return json.dumps(report_row(report), ensure_ascii=False, indent=1) + "\n"


def relation_row(result: RelationResult) -> Row:
    """One entry of ``relations``, which begins with what it is of and its counts.

    In the order of its type those of ``StratumRow``, which it shares with ``presumed``, would come first.
    """
    row = to_row(_relation_row(result))
    return {**{name: row[name] for name in _FIRST}, **row}


def read_report_row(folder: Path) -> Row:
    """Reads ``report.json`` in ``folder``.

    Raises:
        DataError: there is none, or it is none of this schema.
    """
    file = folder / REPORT_FILE
    try:
        row: object = parse_json(read_text(file, MAX_REPORT_BYTES))
    except FileNotFoundError as error:
        lacks = f"it has no {REPORT_FILE}" if folder.is_dir() else "there is no such folder"
        raise DataError(
            f"Expected a folder that --vqamt-report wrote, but got {str(folder)!r}: {lacks}; "
            "name that of a finished run"
        ) from error
    except (OSError, ValueError) as error:
        raise DataError(
            f"Expected a report, but got {str(file)!r}: {describe_broken(error)}; copy it anew, or run the tests again"
        ) from error
    if not isinstance(row, dict) or "schema" not in row:
        raise DataError(
            f"Expected a report, but got {str(file)!r}, which --vqamt-report did not write: it has no schema; name "
            "the folder of a finished run"
        )
    if row["schema"] != SCHEMA:
        raise DataError(
            f"Expected a report of schema {SCHEMA}, but got schema={row['schema']!r} in {str(file)!r}: read it with "
            "the version of pytest-vqamt that wrote it"
        )
    return cast("Row", row)


def not_whole(file: Path, error: Exception) -> DataError:
    """The error of a report that lacks a field, or has another value there."""
    what = f"it has no {error}" if isinstance(error, KeyError) else error
    return DataError(
        f"Expected a whole report, but got {str(file)!r}: {what}; read it with the version of pytest-vqamt that "
        "wrote it, or run the tests again"
    )


def report_from_row(row: Row) -> Report:
    """The report that ``report_row`` made ``row`` from, without coverage and summaries, which follow from the results.

    The file has no example violations, and query counts only for each model: every relation has those of its model.

    Raises:
        ValueError: the row is not whole; the message has the path of what is wrong.
    """
    read = from_row(row, ReportRow)
    models = {model.name: made(ModelUse, model, usage=tuple(model.usage.items())) for model in read.models}
    data = {each.name: each for each in read.data}
    relations = tuple(_result(position, each, models, data) for position, each in enumerate(read.relations))
    used = {relation.model.name: relation.model for relation in relations}
    return made(
        Report,
        read,
        models=tuple(used.values()),
        data=merge_data_uses(relations),
        relations=relations,
        settings=tuple(sorted(read.settings.items())),
        coverage=(),
        summaries=(),
        differences=tuple(
            made(ModelDifference, each, item=each.id, paired=PairedClusters(each.clusters)) for each in read.differences
        ),
        baseline=_baseline(read.baseline) if read.baseline else None,
        waived=tuple((each.case_id, each.reason) for each in read.waived),
        expired_waivers=tuple((each.case_id, each.until) for each in read.expired_waivers),
    )


def _rows(value: Json) -> list[Row]:
    return cast("list[Row]", value)


def _sorted_items(value: Json) -> list[Json]:
    return [list(each) for each in sorted(cast("Row", value).items())]


def _by_key(values: Mapping[str, T]) -> dict[str, T]:
    return dict(sorted(values.items()))


def _relation_row(result: RelationResult) -> RelationRow:
    presumed = result.presumed
    return made(
        RelationRow,
        result,
        **_stratum_members(result, result.reference),
        id=result.item,
        model=result.model.name,
        data=result.data.name,
        resources=dict(result.resources),
        not_applicable=_by_key(result.not_applicable),
        presumed=StratumRow(**_stratum_members(presumed, result.reference)) if presumed else None,
        grounded=_grounded_row(result.grounded) if result.grounded else None,
    )


def _result(position: int, row: RelationRow, models: dict[str, ModelUse], data: dict[str, DataUse]) -> RelationResult:
    for name, kind, known in ((row.model, "model", models.keys()), (row.data, "data", data.keys())):
        if name not in known:
            raise ValueError(f"relations[{position}].{kind} is {name!r}, which the report does not list")
    reference = row.metrics.get("reference")
    return made(
        RelationResult,
        row,
        **_stratum_fields(row, f"relations[{position}]"),
        position=position,
        item=row.id,
        model=models[row.model],
        data=data[row.data],
        resources=tuple(row.resources.items()),
        presumed=(
            StratumResult(**_stratum_fields(row.presumed, f"relations[{position}].presumed")) if row.presumed else None
        ),
        reference=from_row(reference, HumanReference) if reference else None,
        grounded=_grounded(row.grounded) if row.grounded else None,
    )


def _stratum_members(stratum: StratumResult, reference: HumanReference | None) -> dict[str, Any]:
    """The members of ``StratumRow`` by name."""
    tally = stratum.tally
    return {
        **asdict(tally),
        "pass_rate": tally.pass_rate,
        "interval": stratum.interval,
        "scenes": stratum.clusters.scenes,
        "clusters": stratum.clusters.rows,
        "gate": stratum.gate,
        "change": _change_row(stratum.change),
        "breakdown": {fact: _by_key(values) for fact, values in sorted(stratum.breakdown.items())},
        "metrics": metrics_row(stratum.pairs, reference),
        "figures": {name: _figure_row(figure) for name, figure in sorted(stratum.figures.items())},
        "readings": _by_key(stratum.readings),
        "readings_sample": stratum.readings_sample,
        "unread_rate": tally.unread_rate,
        "readable_pass_rate": tally.readable_rate,
        "unread": _by_key(stratum.unread),
        "unknown_words": _by_key(stratum.unknown_words),
        "repeated": _repeated_row(stratum.repeated) if stratum.repeated else None,
        "graded": _graded_row(stratum.graded) if stratum.graded else None,
        "noise": stratum.noise,
    }


def _stratum_fields(row: StratumRow, where: str) -> dict[str, Any]:
    """The fields of ``StratumResult`` by name."""
    same = ("interval", "gate", "breakdown", "readings_sample", "unread", "unknown_words", "noise")
    return {
        **{name: getattr(row, name) for name in same},
        "tally": made(Tally, row),
        "readings": Counter(row.readings),
        "pairs": _pairs(row.metrics, where),
        "figures": {name: _figure(each) for name, each in row.figures.items()},
        "clusters": Clusters(row.clusters),
        "change": _change(row.change),
        "repeated": _repeated(row.repeated) if row.repeated else None,
        "graded": _graded(row.graded) if row.graded else None,
    }


def _model_row(model: ModelUse) -> ModelRow:
    return made(
        ModelRow,
        model,
        queries_saved=model.queries_saved,
        busy_s=round(model.busy_s, 3),
        items_s=round(model.items_s, 3),
        usage=dict(model.usage),
        # The number of calls depends on how batches were cut, so it stands only where it says how many of them raised.
        calls=model.calls if model.calls_raised else 0,
    )


def baseline_row(baseline: BaselineUse) -> BaselineRow:
    """``baseline`` of the report."""
    totals, accuracy = (
        tuple(made(BaselineTotalRow, each, change=_change_row(each.change)) for each in some)
        for some in (baseline.totals, baseline.accuracy)
    )
    return made(
        BaselineRow,
        baseline,
        models=tuple(BlessedModel(name=name, fingerprint=fingerprint) for name, fingerprint in baseline.models),
        answered_by=tuple(BlessedAnswerer(name=name, model=model) for name, model in baseline.answered_by),
        totals=totals,
        accuracy=accuracy,
    )


def _baseline(row: BaselineRow) -> BaselineUse:
    totals, accuracy = (
        tuple(made(BaselineTotal, each, change=_change(each.change)) for each in some)
        for some in (row.totals, row.accuracy)
    )
    return made(
        BaselineUse,
        row,
        models=tuple((each.name, each.fingerprint) for each in row.models),
        answered_by=tuple((each.name, each.model) for each in row.answered_by),
        totals=totals,
        accuracy=accuracy,
    )


def _change_row(change: BaselineChange | None) -> ChangeRow | None:
    if change is None:
        return None
    paired = change.paired
    return made(
        ChangeRow,
        change,
        shared=paired.shared,
        kept=paired.both,
        lost=paired.first_only,
        won=paired.second_only,
        neither=paired.neither,
        before=paired.first_rate,
        after=paired.second_rate,
        difference=paired.difference,
        clusters=paired.rows,
    )


def change_row(change: BaselineChange | None) -> Row | None:
    """The change of an item since the baseline; None without one."""
    row = _change_row(change)
    return None if row is None else to_row(row)


def _change(row: ChangeRow | None) -> BaselineChange | None:
    return None if row is None else made(BaselineChange, row, paired=PairedClusters(row.clusters))


def difference_row(difference: ModelDifference) -> DifferenceRow:
    """One entry of ``differences``."""
    paired = difference.paired
    return made(
        DifferenceRow,
        difference,
        **{name: getattr(paired, name) for name in ("shared", "both", "first_only", "second_only", "neither")},
        id=difference.item,
        pass_rates=(paired.first_rate, paired.second_rate),
        difference=paired.difference,
        clusters=paired.rows,
    )


def _grounded_row(grounded: Grounded) -> GroundedRow:
    cells = grounded.cells
    return made(
        GroundedRow,
        grounded,
        cases=cells.cases,
        rate=grounded.rate,
        chance=grounded.chance.mean,
        chance_sum=grounded.chance.total,
        cells=made(GroundedCellsRow, cells),
        errors=cells.errors,
        declined=cells.declined,
        flaky=cells.flaky,
        clusters=grounded.clusters.rows,
        change=_change_row(grounded.change),
        presumed=_grounded_row(grounded.presumed) if grounded.presumed else None,
    )


def _grounded(row: GroundedRow) -> Grounded:
    return made(
        Grounded,
        row,
        cells=made(GroundedCells, row.cells, errors=row.errors, declined=row.declined, flaky=row.flaky),
        chance=Figure(row.cases, round(row.chance_sum * MILLION)),
        clusters=Clusters(row.clusters),
        change=_change(row.change),
        presumed=_grounded(row.presumed) if row.presumed else None,
    )


def metrics_row(pairs: Pairs | None, reference: HumanReference | None) -> Row:
    """``metrics`` of an entry; empty if the relation has no pairs. Sets of cases are written in hexadecimal digits."""
    if pairs is None:
        return {}
    by = {fact: {each: _pair_rates(tally) for each, tally in sorted(some.items())} for fact, some in pairs.by.items()}
    return to_row(
        made(
            MetricsRow,
            _pair_rates(pairs.tally),
            reference=reference,
            by=_by_key(by),
            right=f"{pairs.right:x}",
            unanswered=f"{pairs.unanswered:x}",
        )
    )


def _pair_rates(tally: PairTally) -> PairRatesRow:
    answers = tally.binary_answers
    return PairRatesRow(
        pairs=tally.pairs,
        **{name: getattr(tally, name) for name in _PAIR_RATES},
        answers=YesNoShares(yes=tally.yes / answers, no=tally.no / answers, other=tally.other / answers)
        if answers
        else None,
        counts=tally,
    )


def _pairs(metrics: Row, where: str) -> Pairs | None:
    """The pairs that ``metrics`` is of; None if the relation has none."""
    if not metrics:
        return None
    row = from_row(metrics, MetricsRow, f"{where}.metrics")
    bits: list[int] = []
    for name, digits in (("right", row.right), ("unanswered", row.unanswered)):
        try:
            bits.append(int(digits, 16))
        except ValueError as error:
            raise ValueError(f"{where}.metrics.{name} is {digits!r}, which is no hexadecimal number") from error
    by = {fact: {value: rates.counts for value, rates in values.items()} for fact, values in row.by.items()}
    return Pairs(tally=row.counts, by=by, right=bits[0], unanswered=bits[1])


def _figure_row(figure: Figure) -> FigureRow:
    return FigureRow(cases=figure.cases, sum=figure.total, mean=figure.mean)


def _figure(row: FigureRow) -> Figure:
    return Figure(row.cases, round(row.sum * MILLION))


def _graded_row(graded: GradedCases) -> GradedRow:
    return GradedRow(
        violated_margin=_figure_row(graded.violated),
        held_margin=_figure_row(graded.held),
        confident_violations=graded.confident,
        calibration=tuple(
            CalibrationRow(answers=each.answers, right=each.right, probability_sum=each.millionths / MILLION)
            for each in graded.calibration
        ),
        calibration_error=graded.calibration_error,
    )


def _graded(row: GradedRow) -> GradedCases:
    bins = (CalibrationBin(each.answers, each.right, round(each.probability_sum * MILLION)) for each in row.calibration)
    return GradedCases(_figure(row.violated_margin), _figure(row.held_margin), row.confident_violations, tuple(bins))


def _repeated_row(repeated: RepeatedCases) -> RepeatedRow:
    return RepeatedRow(
        cases=repeated.cases,
        pass_all=repeated.pass_all,
        pass_all_rate=repeated.pass_all_rate,
        trial_rate=repeated.trial_rate,
        variance_within=repeated.within,
        variance_between=repeated.between,
        by_holding_trials=repeated.rows,
        noise=repeated.noise.total,
    )


def _repeated(row: RepeatedRow) -> RepeatedCases:
    return RepeatedCases(row.by_holding_trials, Figure(row.cases, round(row.noise * MILLION)))


def head_row(head: BaselineHead) -> Row:
    """The first line of a baseline."""
    return {
        "baseline": BASELINE_SCHEMA,
        "vqamt_version": head.vqamt_version,
        "seed": head.seed,
        "settings": dict(head.settings),
        "models": _objects(head.models, "name", "fingerprint"),
        **({"answered_by": _objects(head.answered_by, "name", "model")} if head.answered_by else {}),
        "data": _objects(head.data, "spec", "digest"),
        "items": [
            {
                "relation": each.item,
                "version": each.version,
                "model": each.model,
                "data": each.data,
                **{name: getattr(each.tally, name) for name in _BASELINE_COUNTS},
                "size_bytes": each.size_bytes,
            }
            for each in head.items
        ],
    }


def head_from_row(row: Row) -> BaselineHead:
    """The head that ``head_row`` made ``row`` from.

    Raises:
        AttributeError, KeyError, TypeError, ValueError: the row is not whole.
    """
    head = from_row(
        {
            **row,
            "settings": _sorted_items(row["settings"]),
            "models": _from_objects(row["models"], "name", "fingerprint"),
            "answered_by": _from_objects(row.get("answered_by") or [], "name", "model"),
            "data": _from_objects(row["data"], "spec", "digest"),
            "items": [
                {**each, "item": each["relation"], "tally": {name: each[name] for name in _BASELINE_COUNTS}}
                for each in _rows(row["items"])
            ],
        },
        BaselineHead,
    )
    if any(each.size_bytes < 0 or each.tally.cases < 0 for each in head.items):
        raise ValueError("expected whole numbers from 0 up for size_bytes and cases")
    return head


def case_row(
    case: Case,
    answers: Sequence[Answer | Failure],
    verdict: Verdict,
    *,
    model: str,
    data: str,
    data_spec: str = "",
    waived: bool = False,
    before: Verdict | None = None,
) -> Row:
    """One line of ``cases.jsonl``; the answer to a failed query is null.

    ``data_spec`` is the spec of data with a short name; ``before`` is the verdict on the case in the baseline, if it
    has the case. ``BEFORE`` names what the row has of it.
    """
    row: Row = {
        "case_id": case.id,
        "relation": item_name(case.relation, case.variant),
        "model": model,
        "data": data,
        "scene": case.scene,
        "queries": [_query_row(query) for query in case.queries],
        "answers": [answer.text if isinstance(answer, Answer) else None for answer in answers],
        "expected": case.expected,
        "verdict": verdict.outcome.value,
        "reason": verdict.reason,
        "vacuous": verdict.vacuous,
        "readings": list(verdict.readings),
        "facts": dict(case.facts),
    }
    if data_spec:
        row["data_spec"] = data_spec
    if any(verdict.unread):
        row["unread"] = list(verdict.unread)
    if verdict.figures:
        row["figures"] = dict(verdict.figures)
    if case.tags:
        row["tags"] = list(case.tags)
    if waived:
        row["waived"] = True
    if before is not None:
        row["before"] = before.outcome.value
        if before.figures:
            row["figures_before"] = dict(before.figures)
    if case.contrast is not None:
        row["contrast"] = _contrast_row(case.contrast, verdict.contrast, before)
    if any(isinstance(answer, Answer) and answer.scores for answer in answers):
        row["scores"] = [encode(answer.scores) if isinstance(answer, Answer) else None for answer in answers]
    if any(grade is not None for grade in verdict.grades):
        row["grades"] = [None if grade is None else cast("Row", grade._asdict()) for grade in verdict.grades]
        row["margin"] = verdict.margin
    if is_truncated(answers):
        row["truncated"] = [isinstance(answer, Answer) and answer.truncated for answer in answers]
    if verdict.trials is not None:
        row["trials"] = {
            "outcomes": [outcome.value for outcome in verdict.trials.outcomes],
            "texts": [list(map(_trial_row, each)) for each in verdict.trials.answers],
        }
    if any(isinstance(answer, Answer) and answer.declined for answer in answers):
        row["declined"] = [_declined_row(answer) for answer in answers]
    return row


def _declined_row(answer: Answer | Failure) -> Row | None:
    if isinstance(answer, Failure) or not answer.declined:
        return None
    return {"reason": answer.declined, "unknown_words": list(answer.unknown_words)}


def answer_from_row(text: str, scores: Json = None, truncated: Json = None, declined: Json = None) -> Answer:
    """The answer with the parts that ``case_row`` wrote."""
    given = cast("Row", declined or {})
    return Answer(
        text,
        cast("tuple[tuple[str, float], ...] | None", decode(scores, tuple[tuple[str, float], ...] | None)),
        bool(truncated),
        str(given.get("reason", "")),
        tuple(map(str, cast("list[Json]", given.get("unknown_words") or []))),
    )


def _trial_row(answer: Answer | Failure) -> Json:
    """The text of an answer, or an object if the adapter declined the query; null for a failure."""
    if isinstance(answer, Failure):
        return None
    return _declined_row(answer) or answer.text


def trial_from_row(row: Json) -> Answer:
    """The answer that ``case_row`` wrote as one of several."""
    return Answer(row) if isinstance(row, str) else answer_from_row("", declined=row)


def tally_of_row(row: Row) -> Tally:
    """The counts of the case that a line of ``cases.jsonl`` is of."""
    unread = tuple(map(str, cast("list[Json]", row.get("unread") or [])))
    return Tally.of(Verdict(outcome=Outcome(str(row["verdict"])), unread=unread), waived=bool(row.get("waived")))


def case_line(row: Row) -> str:
    """The row as a line of JSON, without a line break."""
    return _LINE.encode(row)


def case_from_row(row: Row, scene_of: Callable[[str], Scene]) -> Case:
    """The case that ``row`` was written from; ``scene_of`` finds a scene by the id of its photo.

    Raises:
        DataError: the row is not whole, or its photo has changed.
    """
    try:
        relation, _, variant = str(row["relation"]).removesuffix("]").partition("[")
        queries = tuple(_query(cast("Row", each), scene_of) for each in cast("list[Json]", row["queries"]))
        facts = cast("dict[str, Fact]", row.get("facts") or {})
        return Case(
            relation=relation,
            variant=variant,
            scene=str(row["scene"]),
            queries=queries,
            expected=str(row["expected"]),
            facts=tuple(facts.items()),
            tags=tuple(str(tag) for tag in cast("list[Json]", row.get("tags") or [])),
            contrast=_contrast(row.get("contrast"), scene_of, len(queries)),
        )
    except DataError:
        raise
    except VqamtError as error:  # of a turn or a conversation that cannot be
        raise DataError(f"Expected a whole case, but got case_id={row.get('case_id')!r}: {error}") from error
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise DataError(f"Expected a whole case, but got case_id={row.get('case_id')!r}: {error!r}") from error


def _contrast_row(contrast: Contrast, verdict: ContrastVerdict | None, before: Verdict | None) -> Row:
    row: Row = {
        "of": contrast.of,
        "query": _query_row(contrast.query),
        "scene": contrast.scene,
        "change": contrast.change.value,
    }
    if contrast.names:
        row["names"] = list(contrast.names)
    if contrast.presumed:
        row["presumed"] = True
    if verdict is not None:
        answer = verdict.answer
        row["answer"] = answer.text if isinstance(answer, Answer) else None
        if (declined := _declined_row(answer)) is not None:
            row["declined"] = declined
        row |= {"verdict": verdict.outcome.value, "reason": verdict.reason, "reading": verdict.reading}
    if before is not None and before.contrast is not None:
        row["before"] = before.grounded.value
    return row


def _contrast(value: Json, scene_of: Callable[[str], Scene], queries: int) -> Contrast | None:
    if value is None:
        return None
    row = cast("Row", value)
    of = int(cast("int", row["of"]))
    if not 0 <= of < queries:
        raise ValueError(f"the contrast is of query {of}, but there are {queries}")
    return Contrast(
        of=of,
        query=_query(cast("Row", row["query"]), scene_of),
        scene=str(row["scene"]),
        change=Change(str(row["change"])),
        names=tuple(str(name) for name in cast("list[Json]", row.get("names") or [])),
        presumed=bool(row.get("presumed", False)),
    )


def _objects(pairs: tuple[tuple[str, str], ...], first: str, second: str) -> list[Json]:
    return [{first: one, second: other} for one, other in pairs]


def _from_objects(rows: Json, first: str, second: str) -> list[Json]:
    return [[each[first], each[second]] for each in _rows(rows)]


def _query_row(query: Query) -> Row:
    row: Row = {
        "id": query.id,
        "task": query.task.value,
        "picture": picture_recipe(query.picture),
        "text": query.text,
        "meaning": encode(query.meaning),
    }
    if query.trial:
        row["trial"] = query.trial
    if query.reasoning is not None:
        row["reasoning"] = query.reasoning
    if query.turns:
        row["turns"] = [
            {"role": turn.role.value, "parts": [_part_row(part) for part in turn.parts]} for turn in query.turns
        ]
    return row


def _part_row(part: Part) -> Row:
    if isinstance(part, str):
        return {"text": part}
    return {"picture": picture_recipe(part)} if isinstance(part, Picture) else {"reply_to": part.to}


def _query(row: Row, scene_of: Callable[[str], Scene]) -> Query:
    picture = picture_from_recipe(row["picture"], scene_of)
    reasoning: object = row.get("reasoning")
    if not isinstance(reasoning, bool | None):
        raise TypeError(f"expected true, false or null, got reasoning={reasoning!r}")
    query = Query(
        picture=picture,
        text=str(row["text"]),
        meaning=meaning_from_row(row["meaning"]),
        task=Task(str(row["task"])),
        trial=int(cast("int", row.get("trial", 0))),
        reasoning=reasoning,
        turns=tuple(_turn(each, scene_of) for each in _rows(row.get("turns") or [])),
    )
    if query.turns:
        said = Query.of(*query.turns, meaning=query.meaning)
        if (said.picture, said.text) != (query.picture, query.text):
            raise ValueError("the picture and the text of a conversation must be its first picture and its last text")
    return query


def _turn(row: Row, scene_of: Callable[[str], Scene]) -> Turn:
    return Turn(tuple(_part(each, scene_of) for each in _rows(row["parts"])), Role(str(row["role"])))


def _part(row: Row, scene_of: Callable[[str], Scene]) -> Part:
    if "text" in row:
        return str(row["text"])
    return (
        picture_from_recipe(row["picture"], scene_of) if "picture" in row else Reply(int(cast("int", row["reply_to"])))
    )
