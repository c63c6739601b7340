"""What a run took of its models stands below it, in the terminal, in the summary and on the page, each figure once."""

from __future__ import annotations

import pytest

from pytest_vqamt.core.codec import replace
from pytest_vqamt.core.results import ModelUse, Report
from pytest_vqamt.reporting.html.page import run_facts
from pytest_vqamt.reporting.item_messages import describe_queries, describe_utilisation
from pytest_vqamt.reporting.markdown import summary_page
from pytest_vqamt.reporting.terminal import summary

TINY = ModelUse(
    name="tiny",
    fingerprint="f",
    tasks=("vqa",),
    queries_needed=2000,
    queries_asked=1200,
    queries_cached=300,
    busy_s=45.0,
    items_s=60.0,
    usage=(("tokens in", 7.0),),
)
IDLE = replace(TINY, name="idle", queries_needed=3, queries_asked=0, queries_cached=3, busy_s=0.0, usage=())


def report(*models: ModelUse) -> Report:
    return Report(
        vqamt_version="0",
        seed=0,
        sampler="random",
        max_cases=14,
        shard="1/1",
        started="2026-11-22T00:00:00+00:00",
        duration_s=90.0,
        models=models,
        data=(),
    )


USAGE = "usage: tokens in 7 (of the 1,200 queries sent now; the 300 from the cache were paid for before)"
QUERIES = "1,200 sent, 300 cached, 500 deduplicated"
UTILISATION = "75 % (45 s of 60 s)"


def test_the_terminal_has_them_in_lines_of_each_model() -> None:
    assert list(summary(report(TINY, IDLE)))[:4] == [
        f"tiny queries: {QUERIES}",
        f"tiny model utilisation {UTILISATION}",
        f"tiny {USAGE}",
        "idle queries: 0 sent, 3 cached, 0 deduplicated",
    ]


def test_the_summary_has_them_in_its_last_lines() -> None:
    *_, took, tiny, idle = summary_page(report(TINY, IDLE)).splitlines()
    assert took.endswith("took 90 s.")
    assert tiny == f"tiny queries: {QUERIES}; model utilisation {UTILISATION}; {USAGE}."
    assert idle == "idle queries: 0 sent, 3 cached, 0 deduplicated."


def test_the_page_has_them_among_its_facts_and_all_of_them_vary() -> None:
    found = [(fact.name, fact.value) for fact in run_facts(report(TINY, IDLE)) if fact.varies]
    assert found[2:] == [
        ("queries", QUERIES),
        ("model utilisation", UTILISATION),
        ("usage: tokens in", "7"),
        ("queries", "0 sent, 3 cached, 0 deduplicated"),
        ("model utilisation", "-"),
    ]


def test_the_counts_add_up_to_the_queries_needed() -> None:
    assert describe_queries(replace(TINY, queries_needed=1500)) == "1,200 sent, 300 cached, 0 deduplicated"
    once = replace(TINY, queries_needed=2, queries_asked=1, queries_cached=0)
    assert describe_queries(once) == "1 sent, 0 cached, 1 deduplicated"


@pytest.mark.parametrize(
    ("busy_s", "items_s", "words"),
    [
        (0.0016, 0.4, "0 % (0.002 s of 0.4 s)"),
        (9.96, 10.0, "100 % (10 s of 10 s)"),
        (7200.4, 14400.0, "50 % (7,200 s of 14,400 s)"),
        (2.0, 1.0, "100 % (2 s of 1 s)"),
        (0.0, 5.0, ""),
        (0.0, 0.0, ""),
    ],
)
def test_shares_of_the_time(busy_s: float, items_s: float, words: str) -> None:
    assert describe_utilisation(replace(TINY, busy_s=busy_s, items_s=items_s)) == words
