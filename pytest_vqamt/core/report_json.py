"""The rows of ``report.json``, baselines and ``cases.jsonl``."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import TypeVar, cast

from pytest_vqamt.core.case import (
    MILLION,
    Case,
    Change,
    Contrast,
    ContrastVerdict,
    Fact,
    Outcome,
    Verdict,
    item_name,
)
from pytest_vqamt.core.codec import Json, decode, encode, from_row, to_row
from pytest_vqamt.core.errors import DataError
from pytest_vqamt.core.input_files import MAX_REPORT_BYTES, describe_broken, parse_json, read_text
from pytest_vqamt.core.meaning import meaning_from_row
from pytest_vqamt.core.pairs import Pairs, PairTally
from pytest_vqamt.core.query import Answer, Failure, Query, Task, is_truncated
from pytest_vqamt.core.recipes import picture_from_recipe, picture_recipe
from pytest_vqamt.core.results import (
    BaselineChange,
    BaselineHead,
    BaselineUse,
    DataUse,
    Gate,
    Grounded,
    HumanReference,
    ModelDifference,
    ModelUse,
    Ranking,
    RelationResult,
    Report,
    StratumResult,
    merge_data_uses,
)
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.core.tallies import GradedCases, RepeatedCases, Tally

REPORT_FILE = "report.json"

SCHEMA = 1
"""Raised when a field of ``report.json`` is renamed or removed; additions keep it."""

BASELINE_SCHEMA = 1
"""Raised when a field of a baseline's head is renamed or removed; additions keep it."""

Row = dict[str, Json]
T = TypeVar("T")

_COUNTS = tuple(each.name for each in fields(Tally))
_STRATUM = ("interval", "gate", "breakdown", "readings", "readings_sample", "unknown_words", "noise")
"""The fields of ``StratumResult`` that a row has as they are."""
_BASELINE_COUNTS = (
    "cases", "holds", "violated", "unparsed", "errors", "declined", "refused", "flaky", "unread_cases", "unread_holds",
)  # fmt: skip
BEFORE = ("before", "figures_before")
"""The members of a row that are about the baseline; those of a contrast are in its own object."""
_PAIR_SHARES = ("acc", "acc_original", "acc_perturbed", "cons", "c_acc")
_LINE = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def report_row(report: Report) -> Row:
    """The whole of ``report.json``."""
    return {
        "schema": SCHEMA,
        "vqamt_version": report.vqamt_version,
        "seed": report.seed,
        "sampler": report.sampler,
        "max_cases": report.max_cases,
        "contrast": report.contrast,
        "repeats": report.repeats,
        "max_unread": report.max_unread,
        "max_error_rate": report.max_error_rate,
        "undecided": report.undecided.value,
        "shard": report.shard,
        "started": report.started,
        "duration_s": round(report.duration_s, 3),
        "complete": report.complete,
        **({"failure": report.failure} if report.failure else {}),
        "settings": dict(report.settings),
        "models": [model_row(model) for model in report.models],
        "data": [data_row(data) for data in report.data],
        "relations": [relation_row(result) for result in report.relations],
        "coverage": [to_row(coverage) for coverage in report.coverage],
        "summaries": [to_row(summary) for summary in report.summaries],
        "ranking": [ranking_row(ranking) for ranking in report.ranking],
        "differences": [difference_row(difference) for difference in report.differences],
        "baseline": baseline_row(report.baseline),
        "waived": [{"case_id": case_id, "reason": reason} for case_id, reason in report.waived],
        "expired_waivers": [{"case_id": case_id, "until": day} for case_id, day in report.expired_waivers],
    }


def report_text(report: Report) -> str:
    """The text of ``report.json``."""
    return json.dumps(report_row(report), ensure_ascii=False, indent=1) + "\n"


def relation_row(result: RelationResult) -> Row:
    """One entry of ``relations``."""
    presumed = result.presumed
    return {
        "id": result.item,
        "version": result.version,
        "claim": result.claim,
        "model": result.model.name,
        "data": result.data.name,
        "tags": list(result.tags),
        "resources": dict(result.resources),
        **to_row(result.tally),
        "scenes_not_applicable": result.scenes_not_applicable,
        "not_applicable": dict(sorted(result.not_applicable.items())),
        **_stratum_row(result, result.reference),
        "presumed": {**to_row(presumed.tally), **_stratum_row(presumed, result.reference)} if presumed else None,
        "directional": result.directional,
        "grounded": grounded_row(result.grounded),
    }


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
    what = f"{error} is missing" if isinstance(error, KeyError) else error
    return DataError(
        f"Expected a whole report, but got {str(file)!r}: {what}; read it with the version of pytest-vqamt that "
        "wrote it, or run the tests again"
    )


def report_from_row(row: Row) -> Report:
    """The report that ``report_row`` made ``row`` from, without coverage and summaries, which follow from the results.

    The file has no example violations, and query counts only for each model: every relation has those of its model.

    Raises:
        DataError: a result is not whole.
        AttributeError, KeyError, TypeError, ValueError: the row is not whole.
    """
    models = {str(model["name"]): _model(model) for model in _rows(row["models"])}
    data = {str(each.get("name", each["spec"])): _data(each) for each in _rows(row["data"])}
    relations = tuple(
        _result(position, relation, models, data) for position, relation in enumerate(_rows(row["relations"]))
    )
    used = {relation.model.name: relation.model for relation in relations}
    whole = from_row(
        {
            **row,
            "models": [],
            "data": [],
            "relations": [],
            "settings": _sorted_items(row["settings"]),
            "coverage": [],
            "summaries": [],
            "baseline": _baseline(row["baseline"]),
            "ranking": [_ranking(each) for each in _rows(row["ranking"])],
            "differences": [_difference(each) for each in _rows(row["differences"])],
            "waived": [[each["case_id"], each["reason"]] for each in _rows(row["waived"])],
            "expired_waivers": [[each["case_id"], each["until"]] for each in _rows(row["expired_waivers"])],
        },
        Report,
    )
    return replace(whole, models=tuple(used.values()), data=merge_data_uses(relations), relations=relations)


def _rows(value: Json) -> list[Row]:
    return cast("list[Row]", value)


def _sorted_items(value: Json) -> list[Json]:
    return [list(each) for each in sorted(cast("Row", value).items())]


def _result(position: int, row: Row, models: dict[str, Row], data: dict[str, Row]) -> RelationResult:
    try:
        presumed = row["presumed"]
        return from_row(
            {
                **row,
                **_stratum(row),
                "position": position,
                "item": row["id"],
                "model": models[str(row["model"])],
                "data": data[str(row["data"])],
                "presumed": None if presumed is None else _stratum(cast("Row", presumed)),
                "reference": cast("Row", row["metrics"]).get("reference"),
                "directional": row["directional"],
                "grounded": _grounded(row["grounded"]),
                "resources": [list(each) for each in cast("Row", row["resources"]).items()],
            },
            RelationResult,
        )
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        what = f"no {error}" if isinstance(error, KeyError) else error
        raise DataError(f"Expected a whole result, but got id={row.get('id')!r}: {what}") from error


def model_row(model: ModelUse) -> Row:
    """One entry of ``models``."""
    return {
        "name": model.name,
        "kind": model.kind,
        "fingerprint": model.fingerprint,
        "tasks": list(model.tasks),
        "queries_needed": model.queries_needed,
        "queries_asked": model.queries_asked,
        "queries_cached": model.queries_cached,
        "queries_saved": model.queries_saved,
        "busy_s": round(model.busy_s, 3),
        "items_s": round(model.items_s, 3),
        "usage": dict(model.usage),
        **(
            {"calls": model.calls, "calls_raised": model.calls_raised, "raised_example": model.raised_example}
            if model.calls_raised
            else {}
        ),
        **({"answers_cut": model.answers_cut} if model.answers_cut else {}),
        **({"ran_on": model.ran_on, "ran_on_example": model.ran_on_example} if model.ran_on else {}),
        **({"spec": model.spec} if model.spec else {}),
    }


def data_row(data: DataUse) -> Row:
    """One entry of ``data``; results and cases have its name, which is its spec unless the user named it."""
    row = to_row(data)
    short_name = row.pop("short_name")
    return {"name": short_name, **row} if short_name else row


def _data(row: Row) -> Row:
    """The fields of ``DataUse``."""
    return {**row, "short_name": row.get("name") or ""}


def _model(row: Row) -> Row:
    """The fields of ``ModelUse``."""
    return {**row, "usage": [list(each) for each in cast("Row", row["usage"]).items()]}


def baseline_row(baseline: BaselineUse | None) -> Row | None:
    """``baseline`` of the report; None in a run without one."""
    if baseline is None:
        return None
    return {
        **to_row(baseline),
        "models": _objects(baseline.models, "name", "fingerprint"),
        "answered_by": _objects(baseline.answered_by, "name", "model"),
        **{
            name: [{"model": each.model, "data": each.data, "change": change_row(each.change)} for each in totals]
            for name, totals in (("totals", baseline.totals), ("accuracy", baseline.accuracy))
        },
    }


def _baseline(row: Json) -> Json:
    if row is None:
        return None
    baseline = cast("Row", row)
    return {
        **baseline,
        "models": _from_objects(baseline["models"], "name", "fingerprint"),
        "answered_by": _from_objects(baseline["answered_by"], "name", "model"),
        **{
            name: [{**each, "change": _change(each["change"])} for each in _rows(baseline[name])]
            for name in ("totals", "accuracy")
        },
    }


def change_row(change: BaselineChange | None) -> Row | None:
    """The change of an item since the baseline; None without one."""
    if change is None:
        return None
    paired = change.paired
    return {
        "shared": paired.shared,
        "kept": paired.both,
        "lost": paired.first_only,
        "won": paired.second_only,
        "neither": paired.neither,
        "before": paired.first_rate,
        "after": paired.second_rate,
        "difference": paired.difference,
        "interval": list(change.interval),
        "p": change.p,
        "p_holm": change.p_holm,
        "p_two_sided": change.p_two_sided,
        "p_mcnemar": change.p_mcnemar,
        "gate": _gate_row(change.gate),
        "unread_before": change.unread_before,
        "version_before": change.version_before,
        "other_judgement": change.other_judgement,
        "clusters": _lists(paired.rows),
    }


def _change(row: Json) -> Json:
    return None if row is None else {**cast("Row", row), "paired": {"rows": cast("Row", row)["clusters"]}}


def ranking_row(ranking: Ranking) -> Row:
    """One entry of ``ranking``."""
    return {
        "data": ranking.data,
        "kind": ranking.kind.value,
        "items": list(ranking.items),
        "models": [_renamed(to_row(place), "model", "name") for place in ranking.places],
    }


def _ranking(row: Row) -> Row:
    return {**row, "places": [_renamed(each, "name", "model") for each in _rows(row["models"])]}


def difference_row(difference: ModelDifference) -> Row:
    """One entry of ``differences``."""
    paired = difference.paired
    return {
        "id": difference.item,
        "data": difference.data,
        "presumed": difference.presumed,
        "models": list(difference.models),
        "shared": paired.shared,
        "both": paired.both,
        "first_only": paired.first_only,
        "second_only": paired.second_only,
        "neither": paired.neither,
        "pass_rates": [paired.first_rate, paired.second_rate],
        "difference": paired.difference,
        "interval": list(difference.interval),
        "p": difference.p,
        "p_holm": difference.p_holm,
        "clusters": _lists(paired.rows),
    }


def _difference(row: Row) -> Row:
    return {**row, "item": row["id"], "paired": {"rows": row["clusters"]}}


def _lists(rows: Iterable[tuple[int, ...]]) -> list[Json]:
    """The counts of ``Clusters``, ``[holds, judged, scenes]``, or those of ``PairedClusters``, as lists."""
    return [list(row) for row in rows]


def grounded_row(grounded: Grounded | None) -> Row | None:
    """``grounded`` of an entry; None if no case has a contrast."""
    if grounded is None:
        return None
    cells = to_row(grounded.cells)
    outside = {name: cells.pop(name) for name in ("errors", "declined", "flaky")}
    return {
        "cases": grounded.cells.cases,
        "rate": grounded.rate,
        "interval": list(grounded.interval),
        "chance": grounded.chance.mean,
        "chance_sum": grounded.chance.total,
        "cells": cells,
        **outside,
        "clusters": _lists(grounded.clusters.rows),
        "gate": _gate_row(grounded.gate),
        "change": change_row(grounded.change),
        "presumed": grounded_row(grounded.presumed),
    }


def _grounded(row: Json) -> Json:
    """The fields of ``Grounded``."""
    if not row:
        return None
    found = cast("Row", row)
    return {
        **{name: found[name] for name in ("interval", "gate")},
        "cells": {
            **cast("Row", found["cells"]),
            **{name: found[name] for name in ("errors", "declined", "flaky")},
        },
        "chance": {"cases": found["cases"], "millionths": round(cast("float", found["chance_sum"]) * MILLION)},
        "clusters": {"rows": found["clusters"]},
        "change": _change(found["change"]),
        "presumed": _grounded(found["presumed"]),
    }


def metrics_row(pairs: Pairs | None, reference: HumanReference | None) -> Row:
    """``metrics`` of an entry; empty if the relation has no pairs. Sets of cases are written in hexadecimal digits."""
    if pairs is None:
        return {}
    return {
        **_pair_tally_row(pairs.tally),
        "reference": {name: getattr(reference, name) for name in _PAIR_SHARES} if reference else None,
        "by": _nested(pairs.by, _pair_tally_row),
        "right": f"{pairs.right:x}",
        "unanswered": f"{pairs.unanswered:x}",
    }


def _pairs(row: Json) -> Json:
    """The fields of ``Pairs``; None if the relation has no pairs."""
    if not row:
        return None
    metrics = cast("Row", row)
    return {
        "tally": metrics["counts"],
        "by": {
            fact: {value: cast("Row", tally)["counts"] for value, tally in values.items()}
            for fact, values in cast("dict[str, Row]", metrics["by"]).items()
        },
        **{name: int(cast("str", metrics[name]), 16) for name in ("right", "unanswered")},
    }


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


def _stratum_row(stratum: StratumResult, reference: HumanReference | None) -> Row:
    return {
        "pass_rate": stratum.tally.pass_rate,
        "interval": list(stratum.interval),
        "scenes": stratum.clusters.scenes,
        "clusters": _lists(stratum.clusters.rows),
        "gate": _gate_row(stratum.gate),
        "change": change_row(stratum.change),
        "breakdown": _nested(stratum.breakdown, to_row),
        "metrics": metrics_row(stratum.pairs, reference),
        "figures": {
            name: {"cases": figure.cases, "sum": figure.total, "mean": figure.mean}
            for name, figure in sorted(stratum.figures.items())
        },
        "readings": dict(sorted(stratum.readings.items())),
        "readings_sample": stratum.readings_sample,
        "unread_rate": stratum.tally.unread_rate,
        "readable_pass_rate": stratum.tally.readable_rate,
        "unread": {
            cause: {**count._asdict(), "example": count.example._asdict() if count.example else None}
            for cause, count in sorted(stratum.unread.items())
        },
        "unknown_words": dict(sorted(stratum.unknown_words.items())),
        "repeated": _repeated_row(stratum.repeated),
        "graded": _graded_row(stratum.graded),
        "noise": to_row(stratum.noise) if stratum.noise else None,
    }


def _graded_row(graded: GradedCases | None) -> Row | None:
    if graded is None:
        return None
    return {
        **{
            name: {"cases": margins.cases, "sum": margins.total, "mean": margins.mean}
            for name, margins in (("violated_margin", graded.violated), ("held_margin", graded.held))
        },
        "confident_violations": graded.confident,
        "calibration": [
            {"answers": each.answers, "right": each.right, "probability_sum": each.millionths / MILLION}
            for each in graded.calibration
        ],
        "calibration_error": graded.calibration_error,
    }


def _graded(row: Json) -> Json:
    """The fields of ``GradedCases``."""
    if not row:
        return None
    found = cast("Row", row)
    violated, held = (cast("dict[str, float]", found[name]) for name in ("violated_margin", "held_margin"))
    return {
        **{
            name: {"cases": each["cases"], "millionths": round(each["sum"] * MILLION)}
            for name, each in (("violated", violated), ("held", held))
        },
        "confident": found["confident_violations"],
        "calibration": [
            [each["answers"], each["right"], round(cast("float", each["probability_sum"]) * MILLION)]
            for each in _rows(found["calibration"])
        ],
    }


def _repeated_row(repeated: RepeatedCases | None) -> Row | None:
    if repeated is None:
        return None
    return {
        "cases": repeated.cases,
        "pass_all": repeated.pass_all,
        "pass_all_rate": repeated.pass_all_rate,
        "trial_rate": repeated.trial_rate,
        "variance_within": repeated.within,
        "variance_between": repeated.between,
        "by_holding_trials": _lists(repeated.rows),
        "noise": repeated.noise.total,
    }


def _repeated(row: Json) -> Json:
    """The fields of ``RepeatedCases``."""
    if not row:
        return None
    found = cast("Row", row)
    noise = {"cases": found["cases"], "millionths": round(cast("float", found["noise"]) * MILLION)}
    return {"rows": found["by_holding_trials"], "noise": noise}


def _stratum(row: Row) -> Row:
    """The fields of ``StratumResult``."""
    figures = cast("dict[str, dict[str, float]]", row["figures"])
    return {
        **{name: row[name] for name in _STRATUM},
        "unread": {
            cause: [count["source"], count["follow_up"], _example(count["example"])]
            for cause, count in cast("dict[str, Row]", row["unread"]).items()
        },
        "repeated": _repeated(row["repeated"]),
        "graded": _graded(row["graded"]),
        "tally": {name: row[name] for name in _COUNTS},
        "pairs": _pairs(row["metrics"]),
        "figures": {
            name: {"cases": each["cases"], "millionths": round(each["sum"] * MILLION)} for name, each in figures.items()
        },
        "clusters": {"rows": row["clusters"]},
        "change": _change(row["change"]),
    }


def _example(row: Json) -> Json:
    return list(cast("Row", row).values()) if row else None


def _pair_tally_row(tally: PairTally) -> Row:
    answers = tally.binary_answers
    return {
        "pairs": tally.pairs,
        **{name: getattr(tally, name) for name in (*_PAIR_SHARES, "cons_authors", "c_acc_authors")},
        "answers": {name: getattr(tally, name) / answers for name in ("yes", "no", "other")} if answers else None,
        "counts": to_row(tally),
    }


def _nested(tallies: Mapping[str, Mapping[str, T]], row_of: Callable[[T], Row]) -> Row:
    return {
        fact: {value: row_of(tally) for value, tally in sorted(values.items())}
        for fact, values in sorted(tallies.items())
    }


def _gate_row(gate: Gate | None) -> Row | None:
    return to_row(gate) if gate else None


def _renamed(row: Row, name: str, new_name: str) -> Row:
    return {new_name if key == name else key: value for key, value in row.items()}


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
    return row


def _query(row: Row, scene_of: Callable[[str], Scene]) -> Query:
    picture = picture_from_recipe(row["picture"], scene_of)
    reasoning: object = row.get("reasoning")
    if not isinstance(reasoning, bool | None):
        raise TypeError(f"expected true, false or null, got reasoning={reasoning!r}")
    return Query(
        picture=picture,
        text=str(row["text"]),
        meaning=meaning_from_row(row["meaning"]),
        task=Task(str(row["task"])),
        trial=int(cast("int", row.get("trial", 0))),
        reasoning=reasoning,
    )
