"""Cases that rest on an absence are counted apart, and gated only where they are named."""

from __future__ import annotations

import pytest

from pytest_vqamt.core.events import Event
from pytest_vqamt.core.results import Gate, RelationResult
from pytest_vqamt.execution.answer_cache import AnswerStores
from pytest_vqamt.execution.plan import Job, RunOptions, Sampling
from pytest_vqamt.execution.run_item import run_item
from pytest_vqamt.sampling.chooser import Sampler
from pytest_vqamt.stats.thresholds import Threshold
from tests.execution.worlds import Model, Rule, Scenes, loaded


def is_even(number: int) -> bool:
    return number % 2 == 0


def always(number: int) -> bool:
    return True


def wrong_where_even(text: str) -> str:
    """Obeys the relation for odd numbers alone."""
    word, _, number = text.partition(" ")
    return word if is_even(int(number)) else "same"


def _silent(event: Event) -> None:
    """Listens to nothing."""


def result_of(rule: Rule, *thresholds: str, shard: tuple[int, int] = (1, 1), shrink: int = 0) -> RelationResult:
    terms = RunOptions(
        sampling=Sampling(max_cases=40, sampler=Sampler.RANDOM, shard=shard),
        thresholds=tuple(map(Threshold.parse, thresholds)),
        shrink=shrink,
    )
    job = Job(relation=rule, variant="", model=loaded(Model(reply=wrong_where_even)), source=Scenes(5))
    stores = AnswerStores(None)
    try:
        return run_item(job, terms, stores, _silent)
    finally:
        stores.close()


def test_presumed_cases_are_in_no_other_count() -> None:
    result = result_of(Rule(presumes=is_even))
    assert result.presumed is not None
    sure, presumed = result.tally, result.presumed.tally
    assert (sure.holds, sure.violated) == (sure.cases, 0)
    assert (presumed.holds, presumed.violated) == (0, presumed.cases)
    assert sure.cases + presumed.cases == result.all_cases == 40
    assert set(result.readings) == {"same"}
    assert set(result.presumed.readings) == {"first", "second"}
    assert result.presumed.interval[0] == 0 < result.interval[0]


def test_without_presumed_cases_nothing_is_counted_apart() -> None:
    assert result_of(Rule()).presumed is None


@pytest.mark.parametrize(
    ("threshold", "gated"),
    [("0.9", False), ("*=0.9", False), ("ours.*=0.9", True), ("ours.rule=0.9", True)],
)
def test_they_are_gated_only_by_a_pattern_that_names_the_relation(threshold: str, gated: bool) -> None:
    result = result_of(Rule(presumes=is_even), threshold)
    assert result.presumed is not None
    assert result.gate == Gate(kind="fail-under", threshold=0.9, on="point", met=True)
    assert result.presumed.gate == (Gate(kind="fail-under", threshold=0.9, on="point", met=False) if gated else None)
    assert len(result.gates) == 1 + gated


def test_where_all_is_presumed_nothing_else_is_held_against_a_gate() -> None:
    result = result_of(Rule(presumes=always), "0.9")
    assert (result.tally.cases, result.all_cases, result.gates) == (0, 40, ())


def test_the_violation_shown_is_a_sure_one_where_there_is_one() -> None:
    def small(number: int) -> bool:
        return number < 500_000

    result = result_of(Rule(presumes=small), shrink=20)
    assert result.violation is not None
    assert int(result.violation.queries[0].text.split()[1]) >= 500_000
