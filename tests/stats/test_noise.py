"""The table of the seven partitions, from the figures of their items."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import pytest

from pytest_vqamt.core.case import Figure
from pytest_vqamt.core.results import DataUse, ModelUse, RelationResult, Summary
from pytest_vqamt.core.tallies import Tally
from pytest_vqamt.stats.papers import noise

CASES = 200


def result(item: str, figures: Mapping[str, float], *, holds: int = 150, cases: int = CASES) -> RelationResult:
    """A result with the mean of each figure over all cases."""
    return RelationResult(
        position=0,
        item=item,
        version=1,
        claim="All is one.",
        model=ModelUse(name="a", fingerprint="a", tasks=("vqa",)),
        data=DataUse(spec="d", scenes=500, digest="0" * 16),
        tags=(),
        tally=Tally(cases=cases, holds=holds, violated=cases - holds),
        scenes_not_applicable=0,
        not_applicable={},
        breakdown={},
        readings=Counter(),
        interval=(0.0, 1.0),
        gate=None,
        figures={name: Figure(CASES, round(mean * CASES * 1_000_000)) for name, mean in figures.items()},
    )


def partition(number: int, noisy: float | None = None, *, holds: int = 150) -> RelationResult:
    figures = {} if noisy is None else {"clean": 0.5802, "noisy": noisy}
    return result(f"basic_questions.noise[{number}]", figures, holds=holds)


def summary(*results: RelationResult) -> Summary:
    found = noise(results, model="a", data="d")
    assert found is not None
    return found


# Table 2 (f) of Huang et al., LSTM Q+I on test-dev.
LSTM = (0.4447, 0.4275, 0.4097, 0.4086, 0.4070, 0.4019, 0.3921)


def test_the_paper_s_table_from_its_figures() -> None:
    own = {"clean": 0.5802, "noisy": 0.4447, "noisy other": 0.2924, "noisy number": 0.3377, "noisy yes/no": 0.6514}
    found = summary(result("basic_questions.noise[1]", {**own, "clean other": 0.4340}))
    (row,) = found.rows
    assert (found.kind, found.model, found.data) == ("noise", "a", "d")
    assert list(row) == [
        "relation", "pairs", "same answer", "clean", "noisy", "drop", "R_score", "other", "number", "yes/no",
    ]  # fmt: skip
    assert (row["relation"], row["pairs"], row["same answer"]) == ("basic_questions.noise[1]", 200, 0.75)
    assert [row[name] for name in ("clean", "noisy", "drop", "other", "number", "yes/no")] == pytest.approx(
        [58.02, 44.47, 13.55, 29.24, 33.77, 65.14]
    )
    assert row["R_score"] == pytest.approx(0.19, abs=0.005)


def test_all_seven_in_order_with_the_totals() -> None:
    shuffled = [partition(number, LSTM[number - 1]) for number in (3, 1, 7, 2, 6, 5, 4)]
    found = summary(*shuffled, result("control.repeat", {"noisy": 1.0}))
    assert [row["relation"] for row in found.rows] == [f"basic_questions.noise[{number}]" for number in range(1, 8)]
    assert found.totals["R_score"] == found.rows[0]["R_score"]
    assert found.totals["monotonicity"] == 1
    swapped = summary(*(partition(number, noisy) for number, noisy in enumerate((*LSTM[:5], LSTM[6], LSTM[5]), 1)))
    assert swapped.totals["monotonicity"] == pytest.approx(19 / 21)


def test_of_some_partitions_there_is_no_trend_and_without_the_first_no_score() -> None:
    found = summary(*(partition(number, LSTM[number - 1]) for number in range(2, 8)))
    assert found.totals == {"R_score": None, "monotonicity": None}
    assert summary(partition(1, LSTM[0])).totals["monotonicity"] is None


def test_where_no_answer_is_known_the_same_answers_tell_the_trend() -> None:
    found = summary(*(partition(number, holds=100 - number) for number in range(1, 8)))
    assert found.totals == {"R_score": None, "monotonicity": 1.0}
    assert {row["clean"] for row in found.rows} == {row["drop"] for row in found.rows} == {None}
    assert found.rows[6]["same answer"] == 93 / 200


def test_a_gain_is_a_negative_drop_and_counts_as_a_loss_does() -> None:
    (row,) = summary(partition(1, 0.5802 + 0.1355)).rows
    assert row["drop"] == pytest.approx(-13.55)
    assert row["R_score"] == pytest.approx(0.19, abs=0.005)


def test_without_such_items_or_without_cases_there_is_no_table() -> None:
    assert noise([], model="a", data="d") is None
    assert noise([result("carets.order", {"noisy": 1.0})], model="a", data="d") is None
    empty = result("basic_questions.noise[1]", {}, holds=0, cases=0)
    assert noise([empty], model="a", data="d") is None
    assert len(summary(empty, partition(2, 0.5)).rows) == 1
