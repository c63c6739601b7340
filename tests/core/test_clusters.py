"""Cases are gathered by scene, and what is kept of them is the same in whatever order they come."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from pytest_vqamt.core.case import Outcome
from pytest_vqamt.core.tallies import Alike, AlikeTwice, Clusters, PairedClusters, Spread

HOLDS, VIOLATED, UNPARSED, ERROR = Outcome

Judged = tuple[str, Outcome, Outcome | None]

judged = st.tuples(st.sampled_from("abcd"), st.sampled_from(Outcome), st.none() | st.sampled_from(Outcome))


def spread(cases: Sequence[Judged]) -> Spread:
    gathered = Spread()
    for scene, outcome, before in cases:
        gathered.add(scene, outcome, before)
    return gathered


def test_scenes_that_are_alike_are_counted_together_in_ascending_order() -> None:
    gathered = spread(
        [("c", HOLDS, None), ("a", HOLDS, None), ("c", VIOLATED, None), ("b", HOLDS, None), ("d", UNPARSED, None)]
    )
    assert gathered.clusters == Clusters((Alike(0, 1, 1), Alike(1, 1, 2), Alike(1, 2, 1)))
    assert (gathered.clusters.scenes, gathered.clusters.judged, gathered.clusters.holds) == (4, 5, 3)


def test_an_error_is_no_case_of_its_scene() -> None:
    assert spread([("a", ERROR, HOLDS)]) == Spread()


def test_a_case_is_paired_where_both_runs_have_judged_it() -> None:
    gathered = spread(
        [
            ("a", HOLDS, HOLDS),  # kept
            ("a", VIOLATED, HOLDS),  # lost
            ("a", UNPARSED, HOLDS),  # lost
            ("b", HOLDS, VIOLATED),  # won
            ("b", HOLDS, UNPARSED),  # won
            ("c", VIOLATED, UNPARSED),  # neither
            ("d", HOLDS, None),
            ("d", HOLDS, ERROR),
        ]
    )
    assert gathered.paired == PairedClusters(
        (AlikeTwice(0, 0, 0, 1, 1), AlikeTwice(0, 0, 2, 0, 1), AlikeTwice(1, 2, 0, 0, 1))
    )
    paired = gathered.paired
    assert (paired.kept, paired.lost, paired.won, paired.neither, paired.scenes) == (1, 2, 2, 1, 3)
    assert (paired.shared, paired.before, paired.after, paired.difference) == (6, 0.5, 0.5, 0.0)


def test_what_got_worse_has_a_negative_difference() -> None:
    paired = PairedClusters((AlikeTwice(1, 2, 0, 1, 5),))  # of 20 cases 15 held, and 5 do
    assert (paired.before, paired.after, paired.difference) == (0.75, 0.25, -0.5)


def test_nothing_shared_has_no_rates() -> None:
    nothing = PairedClusters()
    assert (nothing.shared, nothing.before, nothing.after, nothing.difference) == (0, None, None, None)


@given(st.lists(judged), st.integers(min_value=0))
def test_the_order_of_the_cases_makes_no_difference(cases: list[Judged], at: int) -> None:
    middle = at % (len(cases) + 1)
    turned = [*reversed(cases[middle:]), *cases[:middle]]
    assert spread(turned).clusters == spread(cases).clusters
    assert spread(turned).paired == spread(cases).paired


@given(st.lists(judged))
def test_every_judged_case_is_in_one_scene(cases: list[Judged]) -> None:
    clusters, paired = spread(cases).clusters, spread(cases).paired
    told = [(outcome, before) for _, outcome, before in cases if outcome is not ERROR]
    assert (clusters.judged, clusters.holds) == (len(told), sum(outcome is HOLDS for outcome, _ in told))
    twice = [(outcome, before) for outcome, before in told if before not in (None, ERROR)]
    assert paired.shared == len(twice)
    assert paired.kept + paired.lost == sum(before is HOLDS for _, before in twice)
    assert paired.kept + paired.won == sum(outcome is HOLDS for outcome, _ in twice)
