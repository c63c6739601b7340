"""Counts are summable: those of the parts added up are those of the whole."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import reduce
from operator import add

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vqamt.core.case import Outcome, Verdict
from pytest_vqamt.core.tallies import Counts, Tally
from tests.making import case_of

HOLDS, VIOLATED, UNPARSED, ERROR = (Verdict(outcome=outcome) for outcome in Outcome)
VACUOUS = Verdict(outcome=Outcome.HOLDS, vacuous=True)

judged = st.tuples(
    st.builds(Verdict, outcome=st.sampled_from(Outcome), vacuous=st.booleans(), readings=st.just(("2",))),
    st.booleans(),
)


def tally(cases: Sequence[tuple[Verdict, bool]]) -> Tally:
    return reduce(add, (Tally.of(verdict, waived=waived) for verdict, waived in cases), Tally())


@pytest.mark.parametrize(
    ("verdict", "counted"),
    [
        (HOLDS, Tally(cases=1, holds=1)),
        (VACUOUS, Tally(cases=1, holds=1, vacuous=1)),
        (VIOLATED, Tally(cases=1, violated=1)),
        (UNPARSED, Tally(cases=1, unparsed=1)),
        (ERROR, Tally(cases=1, errors=1)),
        (replace(VACUOUS, outcome=Outcome.VIOLATED), Tally(cases=1, violated=1)),
    ],
)
def test_the_tally_of_one_case(verdict: Verdict, counted: Tally) -> None:
    assert Tally.of(verdict) == counted


@pytest.mark.parametrize("verdict", [HOLDS, VACUOUS, VIOLATED, UNPARSED, ERROR])
def test_a_waived_case_counts_as_waived_whatever_its_verdict(verdict: Verdict) -> None:
    assert Tally.of(verdict, waived=True) == Tally(cases=1, waived=1)


def test_the_pass_rate_is_over_what_was_judged() -> None:
    # 6 hold of 6 + 2 + 2 judged; errors and waived cases stand aside.
    found = Tally(cases=20, holds=6, violated=2, unparsed=2, errors=7, waived=3, vacuous=4)
    assert (found.judged, found.pass_rate) == (10, 0.6)


def test_nothing_judged_has_no_pass_rate() -> None:
    assert Tally(cases=5, errors=3, waived=2).pass_rate is None


@given(st.lists(judged), st.integers(min_value=0))
def test_the_sum_of_two_parts_is_the_whole(cases: list[tuple[Verdict, bool]], at: int) -> None:
    middle = at % (len(cases) + 1)
    assert tally(cases[:middle]) + tally(cases[middle:]) == tally(cases)


@given(st.lists(judged))
def test_every_case_comes_out_one_way(cases: list[tuple[Verdict, bool]]) -> None:
    whole = tally(cases)
    assert whole.cases == len(cases)
    assert whole.cases == whole.judged + whole.errors + whole.waived
    assert whole.vacuous <= whole.holds


def test_counts_break_down_by_the_named_facts_alone() -> None:
    counts = Counts()
    for present, verdict in ((2, HOLDS), (2, VIOLATED), (0, VACUOUS)):
        case = replace(case_of(), facts=(("present_groups", present), ("wording", 4), ("negated", present == 2)))
        counts.add(case, replace(verdict, readings=("yes", "3")), ("present_groups", "negated", "no such fact"))
    assert counts.tally == Tally(cases=3, holds=2, violated=1, vacuous=1)
    assert counts.breakdown == {
        "present_groups": {"2": Tally(cases=2, holds=1, violated=1), "0": Tally(cases=1, holds=1, vacuous=1)},
        "negated": {"true": Tally(cases=2, holds=1, violated=1), "false": Tally(cases=1, holds=1, vacuous=1)},
    }
    assert counts.readings.counted == Counter({"yes": 3, "3": 3})


def test_a_waived_case_is_in_no_breakdown_and_its_readings_do_not_count() -> None:
    counts = Counts()
    case = replace(case_of(), facts=(("present_groups", 2),))
    counts.add(case, replace(VIOLATED, readings=("7",)), ("present_groups",), waived=True)
    assert counts.tally == Tally(cases=1, waived=1)
    assert not counts.breakdown
    assert not counts.readings.counted


@given(st.lists(st.tuples(st.sampled_from((0, 1, 2)), judged)))
def test_a_breakdown_adds_up_to_the_tally_without_what_is_waived(
    cases: list[tuple[int, tuple[Verdict, bool]]],
) -> None:
    counts = Counts()
    for present, (verdict, waived) in cases:
        counts.add(
            replace(case_of(), facts=(("present_groups", present),)), verdict, ("present_groups",), waived=waived
        )
    parts = counts.breakdown.get("present_groups", {}).values()
    assert reduce(add, parts, Tally()) == tally([each for _, each in cases if not each[1]])
