"""Rankings and differences survive the way through JSON."""

from __future__ import annotations

import json

import pytest

from pytest_vqamt.core.report_json import difference_of, difference_row, ranking_of, ranking_row
from pytest_vqamt.core.results import Behind, Difference, Ranked, RankedKind, Ranking
from pytest_vqamt.core.tallies import AlikeTwice, PairedClusters

RANKING = Ranking(
    data="pictures:500",
    kind=RankedKind.BASELINE,
    items=("a.b[c]", "d.e"),
    places=(
        Ranked(model="good", mean=0.75, interval=(0.5, 0.9), best_in=2),
        Ranked(model="bad", mean=0.5, interval=None, best_in=0, behind=Behind(difference=-0.25, interval=(-0.5, 0.1))),
    ),
)
DIFFERENCE = Difference(
    item="a.b[c]",
    data="pictures:500",
    presumed=True,
    models=("good", "bad"),
    paired=PairedClusters((AlikeTwice(1, 2, 0, 1, 5),)),
    interval=(-0.6, -0.2),
    p=0.001,
    p_holm=None,
)


def test_a_ranking_comes_back() -> None:
    assert ranking_of(json.loads(json.dumps(ranking_row(RANKING)))) == RANKING


def test_a_difference_comes_back() -> None:
    assert difference_of(json.loads(json.dumps(difference_row(DIFFERENCE)))) == DIFFERENCE


def test_a_difference_tells_its_counts_and_rates() -> None:
    row = difference_row(DIFFERENCE)
    assert [row[name] for name in ("shared", "both", "first_only", "second_only", "neither")] == [20, 5, 10, 0, 5]
    assert (row["pass_rates"], row["difference"]) == ([0.75, 0.25], -0.5)


@pytest.mark.parametrize("field", sorted({*ranking_row(RANKING)}))
def test_a_ranking_that_is_not_whole_is_refused(field: str) -> None:
    row = ranking_row(RANKING)
    del row[field]
    with pytest.raises(KeyError):
        ranking_of(row)
