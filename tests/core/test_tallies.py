"""Cases are gathered by scene, and what is kept of them is the same in whatever order they come."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import reduce
from operator import add

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vqamt.core import tallies as module
from pytest_vqamt.core.case import Outcome, Verdict
from pytest_vqamt.core.codec import replace
from pytest_vqamt.core.identity import digest
from pytest_vqamt.core.tallies import (
    MAX_DISTINCT_READINGS,
    READINGS_SAMPLE_CASES,
    CaseCounter,
    Clusters,
    PairedClusters,
    PairedSceneTally,
    ReadingCounter,
    SceneCounter,
    SceneTally,
    Tally,
    UnreadCount,
    UnreadExample,
)
from tests.making import case_of

HOLDS, VIOLATED, UNPARSED, ERROR, DECLINED, FLAKY = Outcome

Judged = tuple[str, Outcome, Outcome | None]

judged = st.tuples(st.sampled_from("abcd"), st.sampled_from(Outcome), st.none() | st.sampled_from(Outcome))


def spread(cases: Sequence[Judged]) -> SceneCounter:
    gathered = SceneCounter()
    for scene, outcome, before in cases:
        gathered.add(scene, outcome, before)
    return gathered


def test_scenes_that_are_alike_are_counted_together_in_ascending_order() -> None:
    gathered = spread(
        [("c", HOLDS, None), ("a", HOLDS, None), ("c", VIOLATED, None), ("b", HOLDS, None), ("d", UNPARSED, None)]
    )
    assert gathered.clusters == Clusters((SceneTally(0, 1, 1), SceneTally(1, 1, 2), SceneTally(1, 2, 1)))
    assert (gathered.clusters.scenes, gathered.clusters.judged, gathered.clusters.holds) == (4, 5, 3)


def test_an_error_is_no_case_of_its_scene() -> None:
    assert spread([("a", ERROR, HOLDS)]) == SceneCounter()


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
        (PairedSceneTally(0, 0, 0, 1, 1), PairedSceneTally(0, 0, 2, 0, 1), PairedSceneTally(1, 2, 0, 0, 1))
    )
    paired = gathered.paired
    assert (paired.both, paired.first_only, paired.second_only, paired.neither, paired.scenes) == (1, 2, 2, 1, 3)
    assert (paired.shared, paired.first_rate, paired.second_rate, paired.difference) == (6, 0.5, 0.5, 0.0)


def test_what_got_worse_has_a_negative_difference() -> None:
    paired = PairedClusters((PairedSceneTally(1, 2, 0, 1, 5),))  # of 20 cases 15 held, and 5 do
    assert (paired.first_rate, paired.second_rate, paired.difference) == (0.75, 0.25, -0.5)


def test_nothing_shared_has_no_rates() -> None:
    nothing = PairedClusters()
    assert (nothing.shared, nothing.first_rate, nothing.second_rate, nothing.difference) == (0, None, None, None)


@given(st.lists(judged), st.integers(min_value=0))
def test_the_order_of_the_cases_makes_no_difference(cases: list[Judged], at: int) -> None:
    middle = at % (len(cases) + 1)
    turned = [*reversed(cases[middle:]), *cases[:middle]]
    assert spread(turned).clusters == spread(cases).clusters
    assert spread(turned).paired == spread(cases).paired


@given(st.lists(judged))
def test_every_judged_case_is_in_one_scene(cases: list[Judged]) -> None:
    clusters, paired = spread(cases).clusters, spread(cases).paired
    told = [(outcome, before) for _, outcome, before in cases if outcome not in (ERROR, DECLINED, FLAKY)]
    assert (clusters.judged, clusters.holds) == (len(told), sum(outcome is HOLDS for outcome, _ in told))
    twice = [(outcome, before) for outcome, before in told if before not in (None, ERROR, DECLINED, FLAKY)]
    assert paired.shared == len(twice)
    assert paired.both + paired.first_only == sum(before is HOLDS for _, before in twice)
    assert paired.both + paired.second_only == sum(outcome is HOLDS for outcome, _ in twice)


HOLDS_OF_COUNTS, VIOLATED_OF_COUNTS, UNPARSED_OF_COUNTS, ERROR_OF_COUNTS, REFUSED_OF_COUNTS, FLAKY_OF_COUNTS = (
    Verdict(outcome=outcome) for outcome in Outcome
)
VACUOUS = Verdict(outcome=Outcome.HOLDS, vacuous=True)

judged_of_counts = st.tuples(
    st.builds(Verdict, outcome=st.sampled_from(Outcome), vacuous=st.booleans(), readings=st.just(("2",))),
    st.booleans(),
)


def tally(cases: Sequence[tuple[Verdict, bool]]) -> Tally:
    return reduce(add, (Tally.of(verdict, waived=waived) for verdict, waived in cases), Tally())


@pytest.mark.parametrize(
    ("verdict", "counted"),
    [
        (HOLDS_OF_COUNTS, Tally(cases=1, holds=1)),
        (VACUOUS, Tally(cases=1, holds=1, vacuous=1)),
        (VIOLATED_OF_COUNTS, Tally(cases=1, violated=1)),
        (UNPARSED_OF_COUNTS, Tally(cases=1, unparsed=1)),
        (ERROR_OF_COUNTS, Tally(cases=1, errors=1)),
        (REFUSED_OF_COUNTS, Tally(cases=1, declined=1, refused=1)),
        (FLAKY_OF_COUNTS, Tally(cases=1, flaky=1)),
        (replace(REFUSED_OF_COUNTS, unread=("", "declined")), Tally(cases=1, declined=1)),
        (replace(VACUOUS, outcome=Outcome.VIOLATED), Tally(cases=1, violated=1)),
    ],
)
def test_the_tally_of_one_case(verdict: Verdict, counted: Tally) -> None:
    assert Tally.of(verdict) == counted


@pytest.mark.parametrize("verdict", [HOLDS_OF_COUNTS, VACUOUS, VIOLATED_OF_COUNTS, UNPARSED_OF_COUNTS, ERROR_OF_COUNTS])
def test_a_waived_case_counts_as_waived_whatever_its_verdict(verdict: Verdict) -> None:
    assert Tally.of(verdict, waived=True) == Tally(cases=1, waived=1)


def test_the_pass_rate_is_over_what_was_judged() -> None:
    # 6 hold of 6 + 2 + 2 judged; errors and waived cases stand aside.
    found = Tally(cases=20, holds=6, violated=2, unparsed=2, errors=7, waived=3, vacuous=4)
    assert (found.judged, found.pass_rate) == (10, 0.6)


def test_nothing_judged_has_no_pass_rate() -> None:
    assert Tally(cases=5, errors=3, waived=2).pass_rate is None


@given(st.lists(judged_of_counts), st.integers(min_value=0))
def test_the_sum_of_two_parts_is_the_whole(cases: list[tuple[Verdict, bool]], at: int) -> None:
    middle = at % (len(cases) + 1)
    assert tally(cases[:middle]) + tally(cases[middle:]) == tally(cases)


@given(st.lists(judged_of_counts))
def test_every_case_comes_out_one_way(cases: list[tuple[Verdict, bool]]) -> None:
    whole = tally(cases)
    assert whole.cases == len(cases)
    assert whole.cases == whole.judged + whole.errors + whole.declined + whole.flaky + whole.waived
    assert whole.vacuous <= whole.holds


def test_counts_break_down_by_the_named_facts_alone() -> None:
    counts = CaseCounter()
    for present, verdict in ((2, HOLDS_OF_COUNTS), (2, VIOLATED_OF_COUNTS), (0, VACUOUS)):
        case = replace(case_of(), facts=(("present_groups", present), ("wording", 4), ("negated", present == 2)))
        counts.add(case, replace(verdict, readings=("yes", "3")), ("present_groups", "negated", "no such fact"))
    assert counts.tally == Tally(cases=3, holds=2, violated=1, vacuous=1)
    assert counts.breakdown == {
        "present_groups": {"2": Tally(cases=2, holds=1, violated=1), "0": Tally(cases=1, holds=1, vacuous=1)},
        "negated": {"true": Tally(cases=2, holds=1, violated=1), "false": Tally(cases=1, holds=1, vacuous=1)},
    }
    assert counts.readings.counted == Counter({"yes": 3, "3": 3})


def test_a_waived_case_is_in_no_breakdown_and_its_readings_do_not_count() -> None:
    counts = CaseCounter()
    case = replace(case_of(), facts=(("present_groups", 2),))
    counts.add(case, replace(VIOLATED_OF_COUNTS, readings=("7",)), ("present_groups",), waived=True)
    assert counts.tally == Tally(cases=1, waived=1)
    assert not counts.breakdown
    assert not counts.readings.counted


@given(st.lists(st.tuples(st.sampled_from((0, 1, 2)), judged_of_counts)))
def test_a_breakdown_adds_up_to_the_tally_without_what_is_waived(
    cases: list[tuple[int, tuple[Verdict, bool]]],
) -> None:
    counts = CaseCounter()
    for present, (verdict, waived) in cases:
        counts.add(
            replace(case_of(), facts=(("present_groups", present),)), verdict, ("present_groups",), waived=waived
        )
    parts = counts.breakdown.get("present_groups", {}).values()
    assert reduce(add, parts, Tally()) == tally([each for _, each in cases if not each[1]])


IDS = [digest(str(number)) for number in range(3 * READINGS_SAMPLE_CASES)]


def readings(cases: Sequence[tuple[str, tuple[str, ...]]]) -> ReadingCounter:
    found = ReadingCounter()
    for case_id, told in cases:
        found.add(case_id, told)
    return found


def test_few_different_readings_are_counted_over_all_cases_however_many() -> None:
    found = readings([(case_id, ("yes", str(place % 100))) for place, case_id in enumerate(IDS)])
    assert found.sample is None
    assert found.counted == Counter({"yes": len(IDS), **{str(number): len(IDS) // 100 for number in range(100)}})


def test_few_cases_are_counted_however_different_their_readings() -> None:
    assert 2 * READINGS_SAMPLE_CASES > MAX_DISTINCT_READINGS
    found = readings([(case_id, (case_id, f"not {case_id}")) for case_id in IDS[:READINGS_SAMPLE_CASES]])
    assert (found.sample, len(found.counted)) == (None, 2 * READINGS_SAMPLE_CASES)


def test_of_many_different_ones_those_of_the_first_cases_are_counted() -> None:
    # Every second case says the same, so that a share of the sample can be held against that of all.
    cases = [(case_id, ("a dog",) if int(case_id, 16) % 2 else (case_id,)) for case_id in IDS]
    found = readings(cases)
    first = sorted(cases)[:READINGS_SAMPLE_CASES]
    assert found.sample == READINGS_SAMPLE_CASES
    assert found.counted == Counter(reading for _, told in first for reading in told)
    assert abs(found.counted["a dog"] / READINGS_SAMPLE_CASES - 0.5) < 0.05


def test_a_case_without_an_answer_has_no_part_in_the_sample() -> None:
    some = [(case_id, (case_id,)) for case_id in IDS[: READINGS_SAMPLE_CASES + 1]]
    assert readings(some).sample == READINGS_SAMPLE_CASES
    none: list[tuple[str, tuple[str, ...]]] = [(case_id, ()) for case_id in IDS[READINGS_SAMPLE_CASES + 1 :]]
    assert readings([*none, *some]).counted == readings(some).counted


@given(cases=st.dictionaries(st.text("ab", max_size=4), st.lists(st.sampled_from("xyz"), max_size=2)), data=st.data())
def test_the_order_of_the_cases_does_not_matter(cases: dict[str, list[str]], data: st.DataObject) -> None:
    told = [(case_id, tuple(readings)) for case_id, readings in cases.items()]
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(module, "READINGS_SAMPLE_CASES", 3)
        patched.setattr(module, "MAX_DISTINCT_READINGS", 2)
        one, other = readings(told), readings(data.draw(st.permutations(told)))
        assert (one.counted, one.sample) == (other.counted, other.sample)


class TestUnreadCases:
    """A case with an answer that has no reading, whatever its outcome, if the model was heard."""

    @pytest.mark.parametrize(
        ("outcome", "unread", "counts"),
        [
            (Outcome.UNPARSED, ("", "no number"), (1, 0)),
            (Outcome.VIOLATED, ("refusal", ""), (1, 0)),
            (Outcome.VIOLATED, (), (0, 0)),
            (Outcome.HOLDS, ("no number", "no number"), (1, 1)),
            (Outcome.HOLDS, (), (0, 0)),
            (Outcome.DECLINED, ("refusal", "refusal"), (1, 0)),
            (Outcome.DECLINED, ("declined", "declined"), (0, 0)),
            (Outcome.FLAKY, ("", "no number"), (0, 0)),
            (Outcome.ERROR, (), (0, 0)),
        ],
    )
    def test_by_outcome(self, outcome: Outcome, unread: tuple[str, ...], counts: tuple[int, int]) -> None:
        found = Tally.of(Verdict(outcome=outcome, unread=unread))
        assert (found.unread_cases, found.unread_holds) == counts
        assert Tally.of(Verdict(outcome=outcome, unread=unread), waived=True).unread_cases == 0

    def test_the_rates(self) -> None:
        tally = Tally(
            cases=12, holds=4, violated=2, unparsed=1, errors=1, declined=4, refused=3, unread_cases=5, unread_holds=1
        )
        assert tally.answered == 10
        assert tally.unread_rate == 0.5
        assert tally.readable == 5
        assert tally.readable_rate == 0.6
        assert tally.pass_rate == 4 / 7
        assert (Tally().unread_rate, Tally().readable_rate) == (None, None)

    def test_the_example_is_that_of_the_smallest_id_in_any_order(self) -> None:
        one, other = (UnreadCount(1, 0, UnreadExample(name, "?", "!")) for name in ("b", "a"))
        assert one.plus(other) == other.plus(one) == UnreadCount(2, 0, UnreadExample("a", "?", "!"))
        assert one.plus(UnreadCount(0, 2)) == UnreadCount(1, 2, one.example)
