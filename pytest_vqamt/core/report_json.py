"""The rows of ``report.json``, baselines and ``cases.jsonl``. xdist's workers hand their results over as such rows."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from typing import TypeVar, cast

from pytest_vqamt.core.case import Case, Fact, Outcome, Verdict, figures_from_row, figures_row, item_name
from pytest_vqamt.core.codec import Json, decode, encode, fields_row, from_fields
from pytest_vqamt.core.errors import DataError
from pytest_vqamt.core.meaning import MEANINGS, Meaning
from pytest_vqamt.core.pairs import Pairs, PairTally
from pytest_vqamt.core.query import Answer, Failure, Query, Task, is_truncated
from pytest_vqamt.core.recipes import picture_from_recipe, picture_recipe
from pytest_vqamt.core.results import (
    BaselineChange,
    BaselineEntry,
    BaselineHead,
    BaselineUse,
    DataUse,
    Gate,
    HumanReference,
    JudgedCases,
    ModelDifference,
    ModelUse,
    RankedModel,
    Ranking,
    RelationResult,
    Report,
    StratumResult,
    ViolationPreview,
)
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.core.tallies import Clusters, PairedClusters, PairedSceneTally, SceneTally, Tally

SCHEMA = 1
"""Raised when a field of ``report.json`` is renamed or removed; additions keep it."""

BASELINE_SCHEMA = 1
"""Raised when a field of a baseline's head is renamed or removed; additions keep it."""

Row = dict[str, Json]
T = TypeVar("T")

_BASELINE_COUNTS = ("cases", "holds", "violated", "unparsed", "errors")
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
        "shard": report.shard,
        "started": report.started,
        "duration_s": round(report.duration_s, 3),
        "complete": report.complete,
        "settings": dict(report.settings),
        "models": [model_row(model) for model in report.models],
        "data": [fields_row(data) for data in report.data],
        "relations": [relation_row(result) for result in report.relations],
        "coverage": [fields_row(coverage) for coverage in report.coverage],
        "summaries": [fields_row(summary) for summary in report.summaries],
        "ranking": [ranking_row(ranking) for ranking in report.ranking],
        "differences": [difference_row(difference) for difference in report.differences],
        "baseline": baseline_row(report.baseline),
        "waived": [{"case_id": case_id, "reason": reason} for case_id, reason in report.waived],
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
        "data": result.data.spec,
        "tags": list(result.tags),
        "resources": dict(result.resources),
        **fields_row(result.tally),
        "scenes_not_applicable": result.scenes_not_applicable,
        "not_applicable": dict(sorted(result.not_applicable.items())),
        **_stratum_row(result, result.reference),
        "presumed": {**fields_row(presumed.tally), **_stratum_row(presumed, result.reference)} if presumed else None,
    }


def worker_row(result: RelationResult) -> Row:
    """A result as a worker hands it over: the entry of ``relations`` with what the report has elsewhere or not at all.

    The violation is not in the report, as how far it is simplified depends on the time budget and the shard.
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
        "data": fields_row(result.data),
    }


def result_from_worker_row(row: Row) -> RelationResult:
    """The result that ``worker_row`` made ``row`` from.

    Raises:
        DataError: the row is not whole.
    """
    try:
        presumed, judged = row.get("presumed"), row.get("judged")
        stratum = _stratum(row, row.get("paired"))
        return RelationResult(
            **{each.name: getattr(stratum, each.name) for each in fields(StratumResult)},
            position=_int(row["position"]),
            item=str(row["id"]),
            version=_int(row["version"]),
            claim=str(row["claim"]),
            model=model_from_row(cast("Row", row["model"])),
            data=from_fields(DataUse, row["data"], optional=("bad_records",)),
            tags=tuple(cast("list[str]", row["tags"])),
            scenes_not_applicable=_int(row["scenes_not_applicable"]),
            not_applicable=cast("dict[str, int]", row["not_applicable"]),
            error=str(row["error"]),
            violation=_violation(cast("Row | None", row["violation"])),
            presumed=_stratum(cast("Row", presumed), row.get("presumed_paired")) if presumed is not None else None,
            reference=reference_from_row(cast("Row", row.get("metrics", {}))),
            resources=tuple(cast("dict[str, str]", row["resources"]).items()),
            judged=None if judged is None else JudgedCases.from_text(str(judged)),
        )
    except (AttributeError, KeyError, TypeError, ValueError, IndexError) as error:
        raise DataError(f"Expected a whole result, but got id={row.get('id')!r}: {error!r}") from error


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


def model_from_row(row: Row) -> ModelUse:
    """The model that ``model_row`` made ``row`` from; older reports lack ``queries_needed``, times and usage."""
    sent = _int(row["queries_asked"]) + _int(row["queries_cached"])
    return from_fields(
        ModelUse,
        {"queries_needed": sent, **row},
        optional=("busy_s", "items_s"),
        usage=tuple((name, float(cast("float", value))) for name, value in cast("Row", row.get("usage") or {}).items()),
    )


def baseline_row(baseline: BaselineUse | None) -> Row | None:
    """``baseline`` of the report; None in a run without one."""
    if baseline is None:
        return None
    return {**fields_row(baseline), "models": _objects(baseline.models, "name", "fingerprint")}


def baseline_from_row(row: Json) -> BaselineUse | None:
    """The baseline that ``baseline_row`` made ``row`` from.

    Raises:
        KeyError, TypeError, ValueError: the row is not whole.
    """
    if row is None:
        return None
    models = _from_objects(cast("Row", row)["models"], "name", "fingerprint")
    return from_fields(BaselineUse, row, models=models)


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
        "version_before": change.version_before,
        "other_judgement": change.other_judgement,
        "clusters": paired_row(paired),
    }


def change_from_row(row: Json) -> BaselineChange | None:
    """The change that ``change_row`` made ``row`` from.

    Raises:
        KeyError, TypeError, ValueError: the row is not whole.
    """
    if row is None:
        return None
    paired = paired_from_row(cast("Row", row)["clusters"]) or PairedClusters()
    return from_fields(BaselineChange, row, paired=paired)


def ranking_row(ranking: Ranking) -> Row:
    """One entry of ``ranking``."""
    return {
        "data": ranking.data,
        "kind": ranking.kind.value,
        "items": list(ranking.items),
        "models": [_renamed(fields_row(place), "model", "name") for place in ranking.places],
    }


def ranking_from_row(row: Row) -> Ranking:
    """The ranking that ``ranking_row`` made ``row`` from.

    Raises:
        KeyError, TypeError, ValueError: the row is not whole.
    """
    places = [_renamed(each, "name", "model") for each in cast("list[Row]", row["models"])]
    return from_fields(Ranking, row, places=tuple(from_fields(RankedModel, place) for place in places))


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
    """The difference that ``difference_row`` made ``row`` from.

    Raises:
        KeyError, TypeError, ValueError: the row is not whole.
    """
    paired = paired_from_row(row["clusters"]) or PairedClusters()
    return from_fields(ModelDifference, row, item=str(row["id"]), paired=paired)


def clusters_row(clusters: Clusters) -> list[Json]:
    """A list ``[holds, judged, scenes]`` for each group of scenes."""
    return [list(row) for row in clusters.rows]


def clusters_from_row(row: Json) -> Clusters:
    """The clusters that ``clusters_row`` made ``row`` from; empty in reports from before there were any.

    Raises:
        TypeError, ValueError: the row is not whole.
    """
    return Clusters(tuple(SceneTally(*map(int, each)) for each in cast("list[list[int]]", row or [])))


def paired_row(paired: PairedClusters | None) -> list[Json] | None:
    """A list ``[both, first_only, second_only, neither, scenes]`` for each group of scenes, or None."""
    return None if paired is None else [list(row) for row in paired.rows]


def paired_from_row(row: Json) -> PairedClusters | None:
    """The clusters that ``paired_row`` made ``row`` from.

    Raises:
        TypeError, ValueError: the row is not whole.
    """
    if row is None:
        return None
    return PairedClusters(tuple(PairedSceneTally(*map(int, each)) for each in cast("list[list[int]]", row)))


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


def pairs_from_row(row: Row) -> Pairs | None:
    """The pairs that ``metrics_row`` made ``row`` from.

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
    """The human reference in ``metrics``."""
    return from_fields(HumanReference, row["reference"]) if row.get("reference") else None


def head_row(head: BaselineHead) -> Row:
    """The first line of a baseline."""
    return {
        "baseline": BASELINE_SCHEMA,
        "vqamt_version": head.vqamt_version,
        "seed": head.seed,
        "settings": dict(head.settings),
        "models": _objects(head.models, "name", "fingerprint"),
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
        KeyError, TypeError, ValueError: the row is not whole.
    """
    return BaselineHead(
        vqamt_version=str(row["vqamt_version"]),
        seed=_count(row["seed"]),
        settings=tuple(sorted(cast("dict[str, str]", row["settings"]).items())),
        models=_from_objects(row["models"], "name", "fingerprint"),
        data=_from_objects(row["data"], "spec", "digest"),
        items=tuple(
            BaselineEntry(
                item=str(each["relation"]),
                version=_count(each["version"]),
                model=str(each["model"]),
                data=str(each["data"]),
                tally=Tally(**{name: _count(each[name]) for name in _BASELINE_COUNTS}),
                size_bytes=_count(each["size_bytes"]),
            )
            for each in cast("list[Row]", row["items"])
        ),
    )


def case_row(
    case: Case,
    answers: Sequence[Answer | Failure],
    verdict: Verdict,
    *,
    model: str,
    data: str,
    waived: bool = False,
    before: Outcome | None = None,
) -> Row:
    """One line of ``cases.jsonl``; the answer to a failed query is null.

    ``before`` is the outcome of the case in the baseline, if it has the case.
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
        )
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise DataError(f"Expected a whole case, but got case_id={row.get('case_id')!r}: {error!r}") from error


def _stratum_row(stratum: StratumResult, reference: HumanReference | None) -> Row:
    return {
        "pass_rate": stratum.tally.pass_rate,
        "interval": list(stratum.interval),
        "scenes": stratum.clusters.scenes,
        "clusters": clusters_row(stratum.clusters),
        "gate": _gate_row(stratum.gate),
        "change": change_row(stratum.change),
        "breakdown": _nested(stratum.breakdown, fields_row),
        "metrics": metrics_row(stratum.pairs, reference),
        "figures": figures_row(stratum.figures),
        "readings": dict(sorted(stratum.readings.items())),
        "readings_sample": stratum.readings_sample,
    }


def _stratum(row: Row, paired: Json) -> StratumResult:
    breakdown = cast("dict[str, Row]", row["breakdown"])
    return from_fields(
        StratumResult,
        row,
        optional=("readings_sample",),
        tally=_tally(row),
        breakdown={
            fact: {value: _tally(tally) for value, tally in values.items()} for fact, values in breakdown.items()
        },
        readings=Counter(cast("dict[str, int]", row["readings"])),
        pairs=pairs_from_row(cast("Row", row.get("metrics", {}))),
        figures=figures_from_row(row.get("figures")),
        clusters=clusters_from_row(row.get("clusters")),
        paired=paired_from_row(paired),
        change=change_from_row(row.get("change")),
    )


def _tally(row: Json) -> Tally:
    return from_fields(Tally, row, optional=("truncated",))


def _pair_tally_row(tally: PairTally) -> Row:
    answers = tally.binary_answers
    return {
        "pairs": tally.pairs,
        **{name: getattr(tally, name) for name in (*_PAIR_SHARES, "cons_authors", "c_acc_authors")},
        "answers": {name: getattr(tally, name) / answers for name in ("yes", "no", "other")} if answers else None,
        "counts": fields_row(tally),
    }


def _pair_tally(row: Row) -> PairTally:
    return from_fields(PairTally, row["counts"])


def _nested(tallies: Mapping[str, Mapping[str, T]], row_of: Callable[[T], Row]) -> Row:
    return {
        fact: {value: row_of(tally) for value, tally in sorted(values.items())}
        for fact, values in sorted(tallies.items())
    }


def _gate_row(gate: Gate | None) -> Row | None:
    return fields_row(gate) if gate else None


def _violation_row(case: ViolationPreview | None) -> Row | None:
    return None if case is None else _renamed(fields_row(case), "id", "case_id")


def _violation(row: Row | None) -> ViolationPreview | None:
    return None if row is None else from_fields(ViolationPreview, _renamed(row, "case_id", "id"))


def _renamed(row: Row, name: str, new_name: str) -> Row:
    return {new_name if key == name else key: value for key, value in row.items()}


def _objects(pairs: tuple[tuple[str, str], ...], first: str, second: str) -> list[Json]:
    return [{first: one, second: other} for one, other in pairs]


def _from_objects(rows: Json, first: str, second: str) -> tuple[tuple[str, str], ...]:
    return tuple((str(each[first]), str(each[second])) for each in cast("list[Row]", rows))


def _bits(value: Json) -> int:
    if not isinstance(value, str):
        raise TypeError(f"expected hexadecimal digits, got {value!r}")
    return int(value, 16)


def _int(value: Json) -> int:
    if not isinstance(value, int):
        raise TypeError(f"expected a whole number, got {value!r}")
    return value


def _count(value: Json) -> int:
    if _int(value) < 0:
        raise ValueError(f"expected a whole number from 0 up, got {value!r}")
    return _int(value)


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
    return row


def _query(row: Row, scene_of: Callable[[str], Scene]) -> Query:
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
