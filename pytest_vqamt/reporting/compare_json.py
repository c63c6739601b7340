"""A comparison as JSON, for programs."""

from __future__ import annotations

import json

from pytest_vqamt.core.codec import Json
from pytest_vqamt.core.report_json import change_row
from pytest_vqamt.reporting.compared import ComparedItem, ComparedRun, Comparison, MovedCase

SCHEMA = 1
"""Raised when a field is renamed or removed; additions keep it."""

Row = dict[str, Json]


def comparison_json(comparison: Comparison) -> str:
    """The whole comparison as one JSON object."""
    return json.dumps(comparison_row(comparison), ensure_ascii=False, indent=1)


def comparison_row(comparison: Comparison) -> Row:
    """The fields, as docs/comparing.md names them."""
    return {
        "schema": SCHEMA,
        "before": _run_row(comparison.before),
        "after": _run_row(comparison.after),
        "max_drop": comparison.max_drop,
        "met": None if comparison.max_drop is None else not comparison.missed,
        "notes": list(comparison.notes),
        "only_before": list(comparison.only_before),
        "only_after": list(comparison.only_after),
        "relations": [_item(item) for item in comparison.items],
        "shown": [_case_row(case) for case in comparison.shown],
    }


def _run_row(run: ComparedRun) -> Row:
    return {
        "name": run.name,
        "vqamt_version": run.vqamt_version,
        "seed": run.seed,
        "models": [{"name": name, "fingerprint": fingerprint} for name, fingerprint in run.models],
        "data": [{"spec": spec, "digest": digest} for spec, digest in run.data],
    }


def _item(item: ComparedItem) -> Row:
    return {
        "id": item.item,
        "version": item.version,
        "models": list(item.models),
        "data": list(item.data),
        "presumed": item.presumed,
        "tags": list(item.tags),
        "standing": item.standing.value,
        "change": change_row(item.change),
        "p_gain": item.p_gain,
        "only_before": item.only_before,
        "only_after": item.only_after,
        "unjudged": item.unjudged,
        "other_verdict": item.other_verdict,
        "broke": list(item.broke),
        "mended": list(item.mended),
    }


def _case_row(case: MovedCase) -> Row:
    return {
        "case_id": case.case_id,
        "id": case.item,
        "model": case.model,
        "data": case.data,
        "scene": case.scene,
        "mended": case.mended,
        "expected": case.expected,
        "reason": case.reason,
        "queries": [
            {"text": query.text, "edits": query.edits, "before": query.before, "after": query.after}
            for query in case.queries
        ],
    }
