"""Results as rows of ``report.json``, and back. The same rows travel from xdist's workers."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import cast

from pytest_vqamt.core.case import Case, Fact, Outcome, Verdict, figures_from_row, figures_row, item_name
from pytest_vqamt.core.codec import Json, decode, encode
from pytest_vqamt.core.errors import DataError
from pytest_vqamt.core.meaning import MEANINGS, Meaning
from pytest_vqamt.core.pairs import PAIR_COUNT_NAMES, Pairs, PairTally
from pytest_vqamt.core.query import Answer, Failure, Query, Task, is_truncated
from pytest_vqamt.core.recipes import picture_from_recipe, picture_recipe
from pytest_vqamt.core.results import (
    BaselineChange,
    BaselineUse,
    Coverage,
    DataUse,
    GapToFirst,
    Gate,
    HumanReference,
    JudgedCases,
    ModelDifference,
    ModelUse,
    PresumedResult,
    QueryPreview,
    RankedModel,
    Ranking,
    RankingKind,
    RelationResult,
    Report,
    ViolationPreview,
    summary_row,
)
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.core.tallies import Clusters, PairedClusters, PairedSceneTally, SceneTally, Tally

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


def worker_row(result: RelationResult) -> Row:
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


def result_from_worker_row(row: Row) -> RelationResult:
    """The result that ``worker_row`` was made of.

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
            model=model_from_row(cast("Row", row["model"])),
            data=_data(cast("Row", row["data"])),
            tags=tuple(cast("list[str]", row["tags"])),
            tally=_tally(row),
            scenes_not_applicable=_int(row["scenes_not_applicable"]),
            not_applicable=cast("dict[str, int]", row["not_applicable"]),
            breakdown=_breakdown(cast("Row", row["breakdown"])),
            readings=Counter(cast("dict[str, int]", row["readings"])),
            interval=(interval[0], interval[1]),
            gate=gate_from_row(row["gate"]),
            error=str(row["error"]),
            violation=_violation(cast("Row | None", row["violation"])),
            presumed=_presumed(cast("Row | None", row.get("presumed")), row.get("presumed_paired")),
            pairs=pairs_from_row(cast("Row", row.get("metrics", {}))),
            reference=reference_from_row(cast("Row", row.get("metrics", {}))),
            resources=tuple(cast("dict[str, str]", row["resources"]).items()),
            figures=figures_from_row(row.get("figures")),
            clusters=clusters_from_row(row.get("clusters")),
            paired=paired_from_row(row.get("paired")),
            change=change_from_row(row.get("change")),
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


def _presumed(row: Row | None, paired: Json) -> PresumedResult | None:
    if row is None:
        return None
    low, high = cast("list[float]", row["interval"])
    return PresumedResult(
        tally=_tally(row),
        breakdown=_breakdown(cast("Row", row["breakdown"])),
        readings=Counter(cast("dict[str, int]", row["readings"])),
        interval=(low, high),
        gate=gate_from_row(row["gate"]),
        pairs=pairs_from_row(cast("Row", row.get("metrics", {}))),
        figures=figures_from_row(row.get("figures")),
        clusters=clusters_from_row(row.get("clusters")),
        paired=paired_from_row(paired),
        change=change_from_row(row.get("change")),
        readings_sample=_int_or_none(row.get("readings_sample")),
    )


def model_from_row(row: Row) -> ModelUse:
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


def _violation_row(case: ViolationPreview | None) -> Row | None:
    if case is None:
        return None
    return {
        "case_id": case.id,
        "scene": case.scene,
        "queries": [{"picture": q.picture, "text": q.text, "answer": q.answer, "edits": q.edits} for q in case.queries],
        "expected": case.expected,
        "reason": case.reason,
    }


def _violation(row: Row | None) -> ViolationPreview | None:
    if row is None:
        return None
    return ViolationPreview(
        id=str(row["case_id"]),
        scene=str(row["scene"]),
        queries=tuple(
            QueryPreview(picture=str(q["picture"]), text=str(q["text"]), answer=str(q["answer"]), edits=str(q["edits"]))
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


def change_row(change: BaselineChange | None) -> Row | None:
    """The change of an item; None where there is no other run."""
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
        "gate": gate_row(change.gate),
        "version_before": change.version_before,
        "other_judgement": change.other_judgement,
        "clusters": paired_row(paired),
    }


def change_from_row(row: Json) -> BaselineChange | None:
    """The change that ``change_row`` was made of.

    Raises:
        KeyError, TypeError, ValueError: the row is not whole.
    """
    if row is None:
        return None
    told = cast("Row", row)
    low, high = cast("list[float]", told["interval"])
    p_holm = told["p_holm"]
    return BaselineChange(
        paired=paired_from_row(told["clusters"]) or PairedClusters(),
        interval=(low, high),
        p=float(cast("float", told["p"])),
        p_two_sided=float(cast("float", told["p_two_sided"])),
        p_mcnemar=float(cast("float", told["p_mcnemar"])),
        p_holm=None if p_holm is None else float(cast("float", p_holm)),
        gate=gate_from_row(told["gate"]),
        version_before=int(cast("int", told["version_before"])),
        other_judgement=int(cast("int", told["other_judgement"])),
    )


def baseline_row(baseline: BaselineUse | None) -> Row | None:
    """What the run was held against; None where it was held against nothing."""
    if baseline is None:
        return None
    return {
        "file": baseline.file,
        "digest": baseline.digest,
        "models": [{"name": name, "fingerprint": fingerprint} for name, fingerprint in baseline.models],
        "missing": list(baseline.missing),
        "new": list(baseline.new),
    }


def baseline_from_row(row: Json) -> BaselineUse | None:
    """The baseline that ``baseline_row`` was made of.

    Raises:
        KeyError, TypeError: the row is not whole.
    """
    if row is None:
        return None
    told = cast("Row", row)
    return BaselineUse(
        file=str(told["file"]),
        digest=str(told["digest"]),
        models=tuple((str(each["name"]), str(each["fingerprint"])) for each in cast("list[Row]", told["models"])),
        missing=tuple(cast("list[str]", told["missing"])),
        new=tuple(cast("list[str]", told["new"])),
    )


def clusters_row(clusters: Clusters) -> list[Json]:
    """A list ``[holds, judged, scenes]`` for each kind of scene."""
    return [list(row) for row in clusters.rows]


def clusters_from_row(row: Json) -> Clusters:
    """The clusters that ``clusters_row`` was made of; none where a report is older than they are.

    Raises:
        TypeError, ValueError: the row is not whole.
    """
    return Clusters(tuple(SceneTally(*map(int, each)) for each in cast("list[list[int]]", row or [])))


def paired_row(paired: PairedClusters | None) -> list[Json] | None:
    """A list ``[kept, lost, won, neither, scenes]`` for each kind of scene; None where there is no other run."""
    return None if paired is None else [list(row) for row in paired.rows]


def paired_from_row(row: Json) -> PairedClusters | None:
    """The clusters that ``paired_row`` was made of.

    Raises:
        TypeError, ValueError: the row is not whole.
    """
    if row is None:
        return None
    return PairedClusters(tuple(PairedSceneTally(*map(int, each)) for each in cast("list[list[int]]", row)))


def gate_row(gate: Gate | None) -> dict[str, Json] | None:
    """A gate as an object; None where nothing is demanded."""
    return {"kind": gate.kind, "threshold": gate.threshold, "on": gate.on, "met": gate.met} if gate else None


def gate_from_row(row: Json) -> Gate | None:
    """The gate that ``gate_row`` was made of.

    Raises:
        KeyError, TypeError, ValueError: the row is not whole.
    """
    if row is None:
        return None
    told = cast("dict[str, Json]", row)
    threshold = float(cast("float", told["threshold"]))
    return Gate(kind=str(told["kind"]), threshold=threshold, on=str(told["on"]), met=bool(told["met"]))


_FIGURES = ("acc", "acc_original", "acc_perturbed", "cons", "c_acc")


def metrics_row(pairs: Pairs | None, reference: HumanReference | None) -> Row:
    """``metrics`` of an entry; empty where the relation feeds no pairs. The bits stand in hexadecimal digits."""
    if pairs is None:
        return {}
    return {
        **_pair_tally_row(pairs.tally),
        "reference": {name: getattr(reference, name) for name in _FIGURES} if reference else None,
        "by": {
            fact: {value: _pair_tally_row(tally) for value, tally in sorted(values.items())}
            for fact, values in sorted(pairs.by.items())
        },
        "right": f"{pairs.right:x}",
        "unanswered": f"{pairs.unanswered:x}",
    }


def pairs_from_row(row: Row) -> Pairs | None:
    """What ``metrics_row`` was made of.

    Raises:
        KeyError, TypeError, ValueError: the row is not whole.
    """
    if not row:
        return None
    return Pairs(
        tally=_pair_tally(row),
        by={
            fact: {value: _pair_tally(cast("Row", tally)) for value, tally in values.items()}
            for fact, values in cast("dict[str, Row]", row["by"]).items()
        },
        right=_bits(row["right"]),
        unanswered=_bits(row["unanswered"]),
    )


def reference_from_row(row: Row) -> HumanReference | None:
    """The reference in ``metrics``."""
    told = cast("dict[str, float] | None", row.get("reference"))
    return HumanReference(**{name: told[name] for name in _FIGURES}) if told else None


def coverage_row(coverage: Coverage) -> Row:
    """One entry of ``coverage``."""
    return {
        "test": coverage.test,
        "data": coverage.data,
        "presumed": coverage.presumed,
        "models": list(coverage.models),
        "right": list(coverage.right),
        "shares": [list(row) for row in coverage.shares],
    }


def _pair_tally_row(tally: PairTally) -> Row:
    answers = tally.binary_answers
    return {
        "pairs": tally.pairs,
        **{name: getattr(tally, name) for name in (*_FIGURES, "cons_authors", "c_acc_authors")},
        "answers": {name: getattr(tally, name) / answers for name in ("yes", "no", "other")} if answers else None,
        "counts": {name: getattr(tally, name) for name in PAIR_COUNT_NAMES},
    }


def _pair_tally(row: Row) -> PairTally:
    counts = cast("Row", row["counts"])
    return PairTally(**{name: _count(counts[name]) for name in PAIR_COUNT_NAMES})


def _count(value: Json) -> int:
    if not isinstance(value, int):
        raise TypeError(f"expected a whole number, got {value!r}")
    return value


def _bits(value: Json) -> int:
    if not isinstance(value, str):
        raise TypeError(f"expected hexadecimal digits, got {value!r}")
    return int(value, 16)


def ranking_row(ranking: Ranking) -> Row:
    """One entry of ``ranking``."""
    return {
        "data": ranking.data,
        "kind": ranking.kind.value,
        "items": list(ranking.items),
        "models": [_place_row(place) for place in ranking.places],
    }


def ranking_from_row(row: Row) -> Ranking:
    """The ranking that ``ranking_row`` was made of.

    Raises:
        KeyError, TypeError, ValueError: the row is not whole.
    """
    return Ranking(
        data=str(row["data"]),
        kind=RankingKind(str(row["kind"])),
        items=tuple(cast("list[str]", row["items"])),
        places=tuple(_place(each) for each in cast("list[Row]", row["models"])),
    )


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
        "clusters": paired_row(paired),
    }


def difference_from_row(row: Row) -> ModelDifference:
    """The difference that ``difference_row`` was made of.

    Raises:
        KeyError, TypeError, ValueError: the row is not whole.
    """
    first, second = cast("list[str]", row["models"])
    p_holm = row["p_holm"]
    return ModelDifference(
        item=str(row["id"]),
        data=str(row["data"]),
        presumed=row["presumed"] is True,
        models=(str(first), str(second)),
        paired=paired_from_row(row["clusters"]) or PairedClusters(),
        interval=_ends(row["interval"]),
        p=float(cast("float", row["p"])),
        p_holm=None if p_holm is None else float(cast("float", p_holm)),
    )


def _place_row(place: RankedModel) -> Row:
    behind = place.behind
    return {
        "name": place.model,
        "mean": place.mean,
        "interval": list(place.interval) if place.interval else None,
        "best_in": place.best_in,
        "behind": {"difference": behind.difference, "interval": list(behind.interval)} if behind else None,
    }


def _place(row: Row) -> RankedModel:
    behind = cast("Row | None", row["behind"])
    return RankedModel(
        model=str(row["name"]),
        mean=float(cast("float", row["mean"])),
        interval=_ends(row["interval"]) if row["interval"] else None,
        best_in=int(cast("int", row["best_in"])),
        behind=GapToFirst(difference=float(cast("float", behind["difference"])), interval=_ends(behind["interval"]))
        if behind
        else None,
    )


def _ends(row: Json) -> tuple[float, float]:
    low, high = cast("list[float]", row)
    return low, high


# The file is JSON Lines, compressed with gzip: the head as a piece of its own, and one piece for each item, so that the
# cases of an item can be read without the others. All pieces in a row are one file to any tool that reads gzip.


BASELINE_SCHEMA = 1
"""Raised when a field of the head is renamed or removed; additions keep it."""

_COUNTS = ("cases", "holds", "violated", "unparsed", "errors")


@dataclass(frozen=True, slots=True, kw_only=True)
class BaselineEntry:
    """One relation variant on one model and one data source, as it was blessed.

    Attributes:
        item: "metavqa.partition[object]".
        version: of the relation.
        tally: how its cases came out; those that a person had waived are not among them.
        size_bytes: how many its piece of the file has.
    """

    item: str
    version: int
    model: str
    data: str
    tally: Tally
    size_bytes: int

    @property
    def id(self) -> str:
        """What follows ``vqamt::`` in the id of the item that was blessed."""
        return f"{self.item}-{self.model}-{self.data}"


@dataclass(frozen=True, slots=True, kw_only=True)
class BaselineHead:
    """What was blessed, without the cases.

    Attributes:
        models: the name and the fingerprint of each.
        data: the spec and the digest of each.
        settings: those that relations were given.
    """

    vqamt_version: str
    seed: int
    models: tuple[tuple[str, str], ...]
    data: tuple[tuple[str, str], ...]
    items: tuple[BaselineEntry, ...]
    settings: tuple[tuple[str, str], ...] = ()


def head_row(head: BaselineHead) -> Row:
    """The first line of the file."""
    return {
        "baseline": BASELINE_SCHEMA,
        "vqamt_version": head.vqamt_version,
        "seed": head.seed,
        "settings": dict(head.settings),
        "models": [{"name": name, "fingerprint": fingerprint} for name, fingerprint in head.models],
        "data": [{"spec": spec, "digest": digest} for spec, digest in head.data],
        "items": [
            {
                "relation": each.item,
                "version": each.version,
                "model": each.model,
                "data": each.data,
                **{name: getattr(each.tally, name) for name in _COUNTS},
                "size_bytes": each.size_bytes,
            }
            for each in head.items
        ],
    }


def head_from_row(row: Row) -> BaselineHead:
    """The head that ``head_row`` made the row of.

    Raises:
        KeyError, TypeError, ValueError: the row is not whole.
    """
    return BaselineHead(
        vqamt_version=str(row["vqamt_version"]),
        seed=_whole(row["seed"]),
        settings=tuple(sorted(cast("dict[str, str]", row["settings"]).items())),
        models=tuple((str(each["name"]), str(each["fingerprint"])) for each in cast("list[Row]", row["models"])),
        data=tuple((str(each["spec"]), str(each["digest"])) for each in cast("list[Row]", row["data"])),
        items=tuple(
            BaselineEntry(
                item=str(each["relation"]),
                version=_whole(each["version"]),
                model=str(each["model"]),
                data=str(each["data"]),
                tally=Tally(**{name: _whole(each[name]) for name in _COUNTS}),
                size_bytes=_whole(each["size_bytes"]),
            )
            for each in cast("list[Row]", row["items"])
        ),
    )


def _whole(value: Json) -> int:
    if not isinstance(value, int) or value < 0:
        raise ValueError(f"expected a whole number from 0 up, got {value!r}")
    return value


_LINE = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def case_row(
    case: Case,
    answers: Sequence[Answer | Failure],
    verdict: Verdict,
    *,
    model: str,
    data: str,
    waived: bool = False,
    before: Outcome | None = None,
) -> dict[str, Json]:
    """One line of ``cases.jsonl``; an answer is null where the query failed.

    ``before`` is what became of the case in the blessed run, where there is one.
    """
    row: dict[str, Json] = {
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
    if verdict.figures:
        row["figures"] = dict(verdict.figures)
    if case.tags:
        row["tags"] = list(case.tags)
    if waived:
        row["waived"] = True
    if before is not None:
        row["before"] = before.value
    if any(isinstance(answer, Answer) and answer.scores for answer in answers):
        row["scores"] = [encode(answer.scores) if isinstance(answer, Answer) else None for answer in answers]
    if is_truncated(answers):
        row["truncated"] = [isinstance(answer, Answer) and answer.truncated for answer in answers]
    return row


def case_line(row: dict[str, Json]) -> str:
    """The row as a line, without the line's end."""
    return _LINE.encode(row)


def case_from_row(row: dict[str, Json], scene_of: Callable[[str], Scene]) -> Case:
    """The case that ``row`` was written from; ``scene_of`` finds a scene by the id of its photo.

    Raises:
        DataError: the row is not whole, or the photo is not the one the case was made on.
    """
    try:
        relation, _, variant = str(row["relation"]).removesuffix("]").partition("[")
        queries = tuple(_query(cast("dict[str, Json]", each), scene_of) for each in cast("list[Json]", row["queries"]))
        facts = cast("dict[str, Fact]", row.get("facts") or {})
        return Case(
            relation=relation,
            variant=variant,
            scene=str(row["scene"]),
            queries=queries,
            expected=str(row["expected"]),
            facts=tuple(facts.items()),
            tags=tuple(str(tag) for tag in cast("list[Json]", row.get("tags") or [])),
        )
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise DataError(f"Expected a whole case, but got case_id={row.get('case_id')!r}: {error!r}") from error


def _query_row(query: Query) -> dict[str, Json]:
    row: dict[str, Json] = {
        "id": query.id,
        "task": query.task.value,
        "picture": picture_recipe(query.picture),
        "text": query.text,
        "meaning": encode(query.meaning),
    }
    if query.trial:
        row["trial"] = query.trial
    return row


def _query(row: dict[str, Json], scene_of: Callable[[str], Scene]) -> Query:
    picture = picture_from_recipe(row["picture"], scene_of)
    meaning = decode(row["meaning"])
    if not isinstance(meaning, MEANINGS):
        raise TypeError(f"expected a meaning, got {meaning!r}")
    return Query(
        picture=picture,
        text=str(row["text"]),
        meaning=cast("Meaning", meaning),
        task=Task(str(row["task"])),
        trial=int(cast("int", row.get("trial", 0))),
    )
