"""What ``--vqamt-preset=today`` costs and finds."""

from __future__ import annotations

import json

import pytest

from pytest_vqamt.data.catalogue import load
from pytest_vqamt.execution.plan import MAX_CASES, Sampling, default_contrast
from pytest_vqamt.relations.catalogue import KINDS, get, kind_of, select
from pytest_vqamt.relations.presets import preset
from tests.soundness.asking import cases, items
from tests.soundness.graded_faults import DATA, FILE

TODAY = preset("today").relations
ITEMS = tuple(item for item in items() if item.name in TODAY)
SHARE = 5.0
"""In percent of the queries."""


def test_it_names_single_variants_of_every_kind_of_failure() -> None:
    assert len(ITEMS) == len(TODAY) == len(select(TODAY)) <= 25
    kinds = {kind_of(item.relation.info.name) for item in ITEMS}
    assert kinds == set(KINDS) - {"noise and faults of the deployment"}


@pytest.mark.full
def test_it_asks_three_thousand_distinct_queries_at_most() -> None:
    sampling = Sampling(max_cases=MAX_CASES, contrast=default_contrast("today"))
    source = load(DATA)
    of_each = {item.name: cases(item, source, sampling) for item in ITEMS}
    queries = {query.id for some in of_each.values() for case in some for query in case.asked}
    assert len(queries) <= 3_500
    # Of models that take one picture and one text; the others are not applicable to them.
    plain = [some for name, some in of_each.items() if not get(name.partition("[")[0]).info.needs]
    assert len({query.id for some in plain for case in some for query in case.asked}) <= 3_000


def test_it_finds_most_faults_of_models_that_answer_questions() -> None:
    smallest = json.loads(FILE.read_text("utf-8"))
    found = {fault for name in TODAY for fault, shares in smallest[name].items() if _is_small(shares)}
    assert len(found) >= 39
    assert {"fixed-scene", "text-keyed-cache", "follows-the-asker", "counts-by-prior", "accepts-premises"} <= found


def _is_small(shares: list[float | None]) -> bool:
    return any(share is not None and share <= SHARE for share in shares)
