"""Readings counted: over all cases where they repeat, over the first by their ids where nearly each is another one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vqamt.core import tallies as module
from pytest_vqamt.core.identity import digest
from pytest_vqamt.core.tallies import DIFFERENT_AT_MOST, SAMPLE_CASES, Readings

IDS = [digest(str(number)) for number in range(3 * SAMPLE_CASES)]


def readings(cases: Sequence[tuple[str, tuple[str, ...]]]) -> Readings:
    found = Readings()
    for case_id, told in cases:
        found.add(case_id, told)
    return found


def test_few_different_readings_are_counted_over_all_cases_however_many() -> None:
    found = readings([(case_id, ("yes", str(place % 100))) for place, case_id in enumerate(IDS)])
    assert found.sample is None
    assert found.counted == Counter({"yes": len(IDS), **{str(number): len(IDS) // 100 for number in range(100)}})


def test_few_cases_are_counted_however_different_their_readings() -> None:
    assert 2 * SAMPLE_CASES > DIFFERENT_AT_MOST
    found = readings([(case_id, (case_id, f"not {case_id}")) for case_id in IDS[:SAMPLE_CASES]])
    assert (found.sample, len(found.counted)) == (None, 2 * SAMPLE_CASES)


def test_of_many_different_ones_those_of_the_first_cases_are_counted() -> None:
    # Every second case says the same, so that a share of the sample can be held against that of all.
    cases = [(case_id, ("a dog",) if int(case_id, 16) % 2 else (case_id,)) for case_id in IDS]
    found = readings(cases)
    first = sorted(cases)[:SAMPLE_CASES]
    assert found.sample == SAMPLE_CASES
    assert found.counted == Counter(reading for _, told in first for reading in told)
    assert abs(found.counted["a dog"] / SAMPLE_CASES - 0.5) < 0.05


def test_a_case_without_an_answer_has_no_part_in_the_sample() -> None:
    some = [(case_id, (case_id,)) for case_id in IDS[: SAMPLE_CASES + 1]]
    assert readings(some).sample == SAMPLE_CASES
    none: list[tuple[str, tuple[str, ...]]] = [(case_id, ()) for case_id in IDS[SAMPLE_CASES + 1 :]]
    assert readings([*none, *some]).counted == readings(some).counted


@given(cases=st.dictionaries(st.text("ab", max_size=4), st.lists(st.sampled_from("xyz"), max_size=2)), data=st.data())
def test_the_order_of_the_cases_does_not_matter(cases: dict[str, list[str]], data: st.DataObject) -> None:
    told = [(case_id, tuple(readings)) for case_id, readings in cases.items()]
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(module, "SAMPLE_CASES", 3)
        patched.setattr(module, "DIFFERENT_AT_MOST", 2)
        one, other = readings(told), readings(data.draw(st.permutations(told)))
        assert (one.counted, one.sample) == (other.counted, other.sample)
