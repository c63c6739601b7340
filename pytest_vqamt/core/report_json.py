"""Results as rows of ``report.json``, and back. The same rows travel from xdist's workers."""

from __future__ import annotations

from collections import Counter
from typing import cast

from pytest_vqamt.core.change_rows import baseline_row, change_of, change_row
from pytest_vqamt.core.cluster_rows import clusters_of, clusters_row, paired_of, paired_row
from pytest_vqamt.core.codec import Json
from pytest_vqamt.core.errors import DataError
from pytest_vqamt.core.figures import figures_of, figures_row
from pytest_vqamt.core.gate_rows import gate_of, gate_row
from pytest_vqamt.core.judged_cases import JudgedCases
from pytest_vqamt.core.pair_rows import coverage_row, metrics_row, pairs_of, reference_of
from pytest_vqamt.core.ranking_rows import difference_row, ranking_row
from pytest_vqamt.core.results import DataUse, ModelUse, Presumed, RelationResult, Report, ShownCase, ShownQuery
from pytest_vqamt.core.summaries import summary_row
from pytest_vqamt.core.tallies import Tally

SCHEMA = 1
"""Raised when a field of ``report.json`` is renamed or removed; additions keep it."""

Row = dict[str, Json]


def report_row(report: Report) -> Row:
    """The whole of ``report.json``."""
    return {
        "schema": SCHEMA,
        "vqamt_version": report.vqamt_version,
        "seed": report.seed,
        "sampler": report.sampler,
        "max_cases": report.max_cases,
        "shard": report.shard,
        "started": report.started,
        "duration_s": round(report.duration_s, 3),
        "complete": report.complete,
        "settings": dict(report.settings),
        "models": [model_row(model) for model in report.models],
        "data": [data_row(data) for data in report.data],
        "relations": [relation_row(result) for result in report.relations],
        "coverage": [coverage_row(coverage) for coverage in report.coverage],
        "summaries": [summary_row(summary) for summary in report.summaries],
        "ranking": [ranking_row(ranking) for ranking in report.ranking],
        "differences": [difference_row(difference) for difference in report.differences],
        "baseline": baseline_row(report.baseline),
        "waived": [{"case_id": case_id, "reason": reason} for case_id, reason in report.waived],
    }


def model_row(model: ModelUse) -> Row:
    """One entry of ``models``."""
    return {
        "name": model.name,
        "fingerprint": model.fingerprint,
        "tasks": list(model.tasks),
        "queries_needed": model.queries_needed,
        "queries_asked": model.queries_asked,
        "queries_cached": model.queries_cached,
        "queries_saved": model.queries_saved,
        "busy_s": round(model.busy_s, 3),
        "items_s": round(model.items_s, 3),
        "usage": dict(model.usage),
    }


def data_row(data: DataUse) -> Row:
    """One entry of ``data``."""
    return {
        "spec": data.spec,
        "scenes": data.scenes,
        "digest": data.digest,
        "bad_records": list(data.bad_records),
    }


def relation_row(result: RelationResult) -> Row:
    """One entry of ``relations``."""
    return {
        "id": result.item,
        "version": result.version,
        "claim": result.claim,
        "model": result.model.name,
        "data": result.data.spec,
        "tags": list(result.tags),
        "resources": dict(result.resources),
        **_tally_row(result.tally),
        "scenes_not_applicable": result.scenes_not_applicable,
        "not_applicable": dict(sorted(result.not_applicable.items())),
        "pass_rate": result.pass_rate,
        "interval": list(result.interval),
        "scenes": result.clusters.scenes,
        "clusters": clusters_row(result.clusters),
        "gate": gate_row(result.gate),
        "change": change_row(result.change),
        "breakdown": _breakdown_row(result.breakdown),
        "metrics": metrics_row(result.pairs, result.reference),
        "figures": figures_row(result.figures),
        "readings": dict(sorted(result.readings.items())),
        "readings_sample": result.readings_sample,
        "presumed": _presumed_row(result),
    }


def hand_over(result: RelationResult) -> Row:
    """A result as a worker tells it: the row of the report, what the report has elsewhere, and what only people see.

    The violation that is shown is no part of the report: how far it was simplified depends on the budget and the shard.
    """
    return {
        **relation_row(result),
        "error": result.error,
        "violation": _violation_row(result.violation),
        "paired": paired_row(result.paired),
        "presumed_paired": paired_row(result.presumed.paired if result.presumed else None),
        "judged": None if result.judged is None else result.judged.text,
        "position": result.position,
        "model": model_row(result.model),
        "data": data_row(result.data),
    }


def taken_over(row: Row) -> RelationResult:
    """The result that ``hand_over`` was made of.

    Raises:
        DataError: the row is not whole.
    """
    try:
        interval = cast("list[float]", row["interval"])
        return RelationResult(
            position=_int(row["position"]),
            item=str(row["id"]),
            version=_int(row["version"]),
            claim=str(row["claim"]),
            model=model_of(cast("Row", row["model"])),
            data=_data(cast("Row", row["data"])),
            tags=tuple(cast("list[str]", row["tags"])),
            tally=_tally(row),
            scenes_not_applicable=_int(row["scenes_not_applicable"]),
            not_applicable=cast("dict[str, int]", row["not_applicable"]),
            breakdown=_breakdown(cast("Row", row["breakdown"])),
            readings=Counter(cast("dict[str, int]", row["readings"])),
            interval=(interval[0], interval[1]),
            gate=gate_of(row["gate"]),
            error=str(row["error"]),
            violation=_violation(cast("Row | None", row["violation"])),
            presumed=_presumed(cast("Row | None", row.get("presumed")), row.get("presumed_paired")),
            pairs=pairs_of(cast("Row", row.get("metrics", {}))),
            reference=reference_of(cast("Row", row.get("metrics", {}))),
            resources=tuple(cast("dict[str, str]", row["resources"]).items()),
            figures=figures_of(row.get("figures")),
            clusters=clusters_of(row.get("clusters")),
            paired=paired_of(row.get("paired")),
            change=change_of(row.get("change")),
            judged=_judged(row.get("judged")),
            readings_sample=_int_or_none(row.get("readings_sample")),
        )
    except (AttributeError, KeyError, TypeError, ValueError, IndexError) as error:
        raise DataError(f"Expected a whole result, but got id={row.get('id')!r}: {error!r}") from error


_TALLY = ("cases", "holds", "violated", "unparsed", "errors", "waived", "vacuous", "truncated")


def _tally_row(tally: Tally) -> Row:
    return {name: getattr(tally, name) for name in _TALLY}


def _tally(row: Row) -> Tally:
    return Tally(**{name: _int(row.get(name, 0) if name == "truncated" else row[name]) for name in _TALLY})


def _breakdown_row(breakdown: dict[str, dict[str, Tally]]) -> Row:
    return {
        fact: {value: _tally_row(tally) for value, tally in sorted(values.items())}
        for fact, values in sorted(breakdown.items())
    }


def _breakdown(row: Row) -> dict[str, dict[str, Tally]]:
    return {
        fact: {value: _tally(cast("Row", tally)) for value, tally in cast("Row", values).items()}
        for fact, values in row.items()
    }


def _judged(told: Json) -> JudgedCases | None:
    return None if told is None else JudgedCases.of_text(str(told))


def _presumed_row(result: RelationResult) -> Row | None:
    presumed = result.presumed
    if presumed is None:
        return None
    return {
        **_tally_row(presumed.tally),
        "pass_rate": presumed.tally.pass_rate,
        "interval": list(presumed.interval),
        "scenes": presumed.clusters.scenes,
        "clusters": clusters_row(presumed.clusters),
        "gate": gate_row(presumed.gate),
        "change": change_row(presumed.change),
        "breakdown": _breakdown_row(presumed.breakdown),
        "metrics": metrics_row(presumed.pairs, result.reference),
        "figures": figures_row(presumed.figures),
        "readings": dict(sorted(presumed.readings.items())),
        "readings_sample": presumed.readings_sample,
    }


def _presumed(row: Row | None, paired: Json) -> Presumed | None:
    if row is None:
        return None
    low, high = cast("list[float]", row["interval"])
    return Presumed(
        tally=_tally(row),
        breakdown=_breakdown(cast("Row", row["breakdown"])),
        readings=Counter(cast("dict[str, int]", row["readings"])),
        interval=(low, high),
        gate=gate_of(row["gate"]),
        pairs=pairs_of(cast("Row", row.get("metrics", {}))),
        figures=figures_of(row.get("figures")),
        clusters=clusters_of(row.get("clusters")),
        paired=paired_of(paired),
        change=change_of(row.get("change")),
        readings_sample=_int_or_none(row.get("readings_sample")),
    )


def model_of(row: Row) -> ModelUse:
    """The model that ``model_row`` was made of; older reports do not tell what was saved, nor any times."""
    asked, cached = _int(row["queries_asked"]), _int(row["queries_cached"])
    return ModelUse(
        name=str(row["name"]),
        fingerprint=str(row["fingerprint"]),
        tasks=tuple(cast("list[str]", row["tasks"])),
        queries_needed=_int(row.get("queries_needed", asked + cached)),
        queries_asked=asked,
        queries_cached=cached,
        busy_s=float(cast("float", row.get("busy_s", 0.0))),
        items_s=float(cast("float", row.get("items_s", 0.0))),
        usage=tuple((name, float(cast("float", value))) for name, value in cast("Row", row.get("usage") or {}).items()),
    )


def _data(row: Row) -> DataUse:
    bad = cast("list[str]", row.get("bad_records") or [])
    return DataUse(
        spec=str(row["spec"]), scenes=_int(row["scenes"]), digest=str(row["digest"]), bad_records=tuple(map(str, bad))
    )


def _violation_row(case: ShownCase | None) -> Row | None:
    if case is None:
        return None
    return {
        "case_id": case.id,
        "scene": case.scene,
        "queries": [{"picture": q.picture, "text": q.text, "answer": q.answer, "edits": q.edits} for q in case.queries],
        "expected": case.expected,
        "reason": case.reason,
    }


def _violation(row: Row | None) -> ShownCase | None:
    if row is None:
        return None
    return ShownCase(
        id=str(row["case_id"]),
        scene=str(row["scene"]),
        queries=tuple(
            ShownQuery(picture=str(q["picture"]), text=str(q["text"]), answer=str(q["answer"]), edits=str(q["edits"]))
            for q in cast("list[Row]", row["queries"])
        ),
        expected=str(row["expected"]),
        reason=str(row["reason"]),
    )


def _int_or_none(value: Json) -> int | None:
    return None if value is None else _int(value)


def _int(value: Json) -> int:
    if not isinstance(value, int):
        raise TypeError(f"expected a whole number, got {value!r}")
    return value
