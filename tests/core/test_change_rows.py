"""Changes, baselines and clusters survive the way through JSON."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vqamt.core.codec import Json
from pytest_vqamt.core.report_json import (
    baseline_of,
    baseline_row,
    change_of,
    change_row,
    clusters_of,
    clusters_row,
    paired_of,
    paired_row,
)
from pytest_vqamt.core.results import BaselineUse, Change, Gate
from pytest_vqamt.core.tallies import Alike, AlikeTwice, Clusters, PairedClusters

count = st.integers(min_value=0, max_value=10**9)
clusters = st.builds(Clusters, st.lists(st.builds(Alike, count, count, count)).map(tuple))
paired = st.builds(PairedClusters, st.lists(st.builds(AlikeTwice, count, count, count, count, count)).map(tuple))
rate = st.floats(min_value=0, max_value=1)
gates = st.builds(Gate, kind=st.just("max-drop"), threshold=rate, on=st.just("holm"), met=st.booleans())
changes = st.builds(
    Change,
    paired=paired,
    interval=st.tuples(rate, rate),
    p=rate,
    p_two_sided=rate,
    p_mcnemar=rate,
    p_holm=st.none() | rate,
    gate=st.none() | gates,
    version_before=count,
    other_judgement=count,
)


def through_json(row: object) -> Json:
    again: Json = json.loads(json.dumps(row))
    return again


@given(clusters)
def test_clusters_come_back(made: Clusters) -> None:
    assert clusters_of(through_json(clusters_row(made))) == made


@given(st.none() | paired)
def test_paired_clusters_come_back_and_so_does_there_being_none(made: PairedClusters | None) -> None:
    assert paired_of(through_json(paired_row(made))) == made


@given(st.none() | changes)
def test_a_change_comes_back(made: Change | None) -> None:
    assert change_of(through_json(change_row(made))) == made


@pytest.mark.parametrize(
    "made", [None, BaselineUse(file="b", digest="d", models=(("tiny", "f"),), missing=("a.b",), new=("c.d",))]
)
def test_a_baseline_comes_back(made: BaselineUse | None) -> None:
    assert baseline_of(through_json(baseline_row(made))) == made


def test_a_change_tells_its_rates_and_counts() -> None:
    # Two scenes with a case that was lost each, and one with a case of each other kind.
    made = Change(
        paired=PairedClusters((AlikeTwice(0, 1, 0, 0, 2), AlikeTwice(1, 0, 1, 1, 1))),
        interval=(-1.0, 0.2),
        p=0.5,
        p_two_sided=1.0,
        p_mcnemar=0.25,
    )
    row = change_row(made)
    assert row is not None
    assert {name: row[name] for name in ("shared", "kept", "lost", "won", "neither")} == {
        "shared": 5, "kept": 1, "lost": 2, "won": 1, "neither": 1
    }  # fmt: skip
    assert (row["before"], row["after"], row["difference"]) == (0.6, 0.4, -0.2)
    assert (row["p_holm"], row["gate"]) == (None, None)


def test_a_report_from_before_there_were_clusters_has_none() -> None:
    assert clusters_of(None) == Clusters()
