"""The bar tells how far an item is, also where only the first of its cases are planned."""

from __future__ import annotations

from io import StringIO

import pytest

from pytest_vqamt.core.events import Answered, Planned
from pytest_vqamt.reporting import progress
from pytest_vqamt.reporting.progress import ProgressBar


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "_DELAY_S", -1.0)


def shown(cases: float, *events: Planned | Answered) -> str:
    """The last that the bar has said."""
    file = StringIO()
    bar = ProgressBar(file, lambda: 0, cases)
    for event in events:
        bar(event)
    assert bar._bar is not None
    bar._bar.refresh()
    last = file.getvalue().rpartition("\r")[2]
    bar.close()
    return last


def planned(cases: int, queries: int, cached: int = 0) -> Planned:
    return Planned(item="ours.rule", cases=cases, queries=queries, cached=cached)


def answered(queries: int) -> Answered:
    return Answered(item="ours.rule", queries=queries)


def test_an_item_that_is_planned_at_once_has_just_its_queries() -> None:
    assert "| 15/25 [" in shown(10, planned(10, 30, cached=5), answered(10), answered(5))


def test_of_many_cases_the_others_are_taken_to_be_like_the_first() -> None:
    # 1,000 of 4,000 cases have 2,000 queries, so there will be 8,000; then 3,500 are known of 2,000 cases.
    first = (planned(1000, 2000), answered(2000))
    assert "ours.rule:  25%|" in shown(4000, *first)
    assert "| 2000/8000 [" in shown(4000, *first)
    assert "| 2100/7000 [" in shown(4000, *first, planned(1000, 1500), answered(100))


def test_more_cases_than_were_expected_are_no_trouble() -> None:
    assert "| 300/2000 [" in shown(100, planned(1000, 2000), answered(300))


def test_the_cost_so_far_and_of_the_whole_run_is_shown() -> None:
    # Two of five items are done, and half of the third: what is left costs as much again.
    file = StringIO()
    bar = ProgressBar(file, lambda: 0, 10, done=2, items=5)
    bar(planned(10, 40))
    bar(Answered(item="ours.rule", queries=20, cost=1.5))
    assert "cost 1.50 of about 3.00" in file.getvalue()
    bar.close()
