"""The metrics of pairs as rows of ``report.json``, and back."""

from __future__ import annotations

import json

import pytest

from pytest_vqamt.core.pairs import Pairs, PairTally
from pytest_vqamt.core.report_json import Row, coverage_row, metrics_row, pairs_of, reference_of
from pytest_vqamt.core.results import Coverage, Reference

# Ten pairs: seven right first answers, five right second ones, four of them in the same pair.
TALLY = PairTally(
    pairs=10, right_first=7, right_second=5, both_right=4, consistent=8, consistent_authors=9, both_right_authors=6,
    yes=12, no=3, other=1,
)  # fmt: skip
PAIRS = Pairs(
    tally=TALLY, by={"answers": {"choices": PairTally(pairs=2), "binary": TALLY}}, right=0b1000_1011, unanswered=4
)
HUMAN = Reference(cons=0.966, acc=0.8615)


def as_json(row: Row) -> Row:
    again: Row = json.loads(json.dumps(row))
    return again


def test_the_rates_and_the_counts_behind_them() -> None:
    row = as_json(metrics_row(PAIRS, HUMAN))
    rates: Row = {
        "pairs": 10, "acc": 0.6, "acc_original": 0.7, "acc_perturbed": 0.5, "cons": 0.8, "c_acc": 0.4,
        "cons_authors": 0.9, "c_acc_authors": 0.6, "answers": {"yes": 0.75, "no": 0.1875, "other": 0.0625},
    }  # fmt: skip
    assert {name: row[name] for name in rates} == rates
    people: Row = {"acc": 0.8615, "acc_original": None, "acc_perturbed": None, "cons": 0.966, "c_acc": None}
    assert row["reference"] == people
    assert (row["right"], row["unanswered"]) == ("8b", "4")
    by = row["by"]
    assert isinstance(by, dict)
    assert isinstance(by["answers"], dict)
    assert list(by["answers"]) == ["binary", "choices"]
    choices = by["answers"]["choices"]
    assert isinstance(choices, dict)
    assert (choices["acc"], choices["cons"], choices["answers"]) == (0.0, 0.0, None)
    nothing = metrics_row(Pairs(), None)
    assert {nothing[name] for name in ("acc", "acc_original", "acc_perturbed", "cons", "c_acc", "cons_authors")} == {
        None
    }


@pytest.mark.parametrize("pairs", [PAIRS, Pairs(), None])
@pytest.mark.parametrize("reference", [HUMAN, None])
def test_what_is_written_comes_back_equal(pairs: Pairs | None, reference: Reference | None) -> None:
    row = as_json(metrics_row(pairs, reference))
    assert pairs_of(row) == pairs
    assert reference_of(row) == (reference if pairs else None)


def test_a_relation_that_feeds_no_pairs_has_no_metrics() -> None:
    assert metrics_row(None, HUMAN) == {}


@pytest.mark.parametrize("field", ["counts", "by", "right", "unanswered"])
def test_a_row_that_is_not_whole_is_refused(field: str) -> None:
    row = metrics_row(PAIRS, None)
    del row[field]
    with pytest.raises(KeyError):
        pairs_of(row)


def test_bits_and_counts_of_another_type_are_refused() -> None:
    with pytest.raises(TypeError, match="hexadecimal"):
        pairs_of(metrics_row(PAIRS, None) | {"right": 7})
    with pytest.raises(ValueError, match="base 16"):
        pairs_of(metrics_row(PAIRS, None) | {"right": "xyz"})
    with pytest.raises(TypeError, match="whole number"):
        pairs_of(metrics_row(PAIRS, None) | {"counts": {"pairs": 1.5}})


def test_a_row_of_coverage() -> None:
    coverage = Coverage(
        test="carets.order", data="pictures:500", presumed=False, models=("a", "b"), right=(4, 0),
        shares=((1.0, None), (0.0, None)),
    )  # fmt: skip
    wanted: Row = {
        "test": "carets.order", "data": "pictures:500", "presumed": False, "models": ["a", "b"], "right": [4, 0],
        "shares": [[1.0, None], [0.0, None]],
    }  # fmt: skip
    assert as_json(coverage_row(coverage)) == wanted
