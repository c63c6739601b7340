"""Both choosers: one meaning, within bounds, as often as the weights say."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import islice
from random import Random
from typing import TypeVar

import pytest
from hypothesis import find, given
from hypothesis import strategies as st

from pytest_vqamt.sampling.chooser import Chooser, RandomChooser, Sampler, draws
from pytest_vqamt.sampling.hypothesis import HypothesisChooser

T = TypeVar("T")

LETTERS = "abcd"


@st.composite
def over_hypothesis(draw: st.DrawFn) -> Chooser:
    return HypothesisChooser(draw)


def over_random() -> st.SearchStrategy[Chooser]:
    return st.integers(0, 2**32).map(lambda seed: RandomChooser(Random(seed)))


BOTH = pytest.mark.parametrize("choosers", [over_hypothesis(), over_random()], ids=list(Sampler))


@BOTH
@given(data=st.data())
def test_one_is_one_of_the_options(choosers: st.SearchStrategy[Chooser], data: st.DataObject) -> None:
    options = data.draw(st.lists(st.integers(), min_size=1))
    assert data.draw(choosers).one(options) in options


@BOTH
@given(data=st.data())
def test_several_takes_no_position_twice(choosers: st.SearchStrategy[Chooser], data: st.DataObject) -> None:
    options = list(enumerate(data.draw(st.lists(st.sampled_from(LETTERS), max_size=8))))
    k = data.draw(st.integers(0, len(options)))
    taken = data.draw(choosers).several(options, k)
    assert len(taken) == len(set(taken)) == k
    assert set(taken) <= set(options)
    assert isinstance(taken, tuple)


@BOTH
@given(data=st.data())
def test_a_number_lies_between_its_ends(choosers: st.SearchStrategy[Chooser], data: st.DataObject) -> None:
    lo = data.draw(st.integers(-50, 50))
    hi = data.draw(st.integers(lo, 60))
    assert lo <= data.draw(choosers).between(lo, hi) <= hi


@BOTH
@given(data=st.data())
def test_what_has_no_weight_is_never_chosen(choosers: st.SearchStrategy[Chooser], data: st.DataObject) -> None:
    assert data.draw(choosers).weighted(("never", "a", "nor this", "b", "nor that"), (0, 0.25, 0, 3, 0)) in ("a", "b")


@BOTH
@given(data=st.data())
def test_the_impossible_never_and_the_certain_always(choosers: st.SearchStrategy[Chooser], data: st.DataObject) -> None:
    choose = data.draw(choosers)
    assert choose.chance(0) is False
    assert choose.chance(1) is True


@BOTH
@given(data=st.data())
def test_a_single_option_is_taken(choosers: st.SearchStrategy[Chooser], data: st.DataObject) -> None:
    choose = data.draw(choosers)
    assert choose.one(["only"]) == "only"
    assert choose.weighted(["only"], [0.1]) == "only"
    assert choose.several(["only"], 1) == ("only",)
    assert choose.between(7, 7) == 7


@pytest.mark.parametrize("sampler", Sampler)
def test_every_choice_can_be_made(sampler: Sampler) -> None:
    def choices(choose: Chooser) -> tuple[str, tuple[str, ...], int, bool]:
        return choose.one("ab"), choose.several("ab", 2), choose.between(0, 1), choose.chance(0.5)

    made = drawn(sampler, choices, 200)
    assert {each[0] for each in made} == {"a", "b"}
    assert {each[1] for each in made} == {("a", "b"), ("b", "a")}
    assert {each[2] for each in made} == {0, 1}
    assert {each[3] for each in made} == {False, True}


def chi_square(counts: Counter[T], weights: dict[T, float]) -> float:
    """The sum of (observed - expected)^2 / expected."""
    n, total = counts.total(), sum(weights.values())
    return sum((counts[each] - n * weight / total) ** 2 / (n * weight / total) for each, weight in weights.items())


FREQUENCIES: dict[str, tuple[Callable[[Chooser], object], dict[object, float]]] = {
    "one": (lambda choose: choose.one(LETTERS), dict.fromkeys(LETTERS, 1.0)),
    "weighted": (lambda choose: choose.weighted((2, 1, 0), (0.7, 0.2, 0.1)), {2: 0.7, 1: 0.2, 0: 0.1}),
    "weights that do not add up to 1": (lambda choose: choose.weighted("ab", (3, 9)), {"a": 3, "b": 9}),
    "chance": (lambda choose: choose.chance(0.7), {True: 0.7, False: 0.3}),
    "between": (lambda choose: choose.between(5, 8), dict.fromkeys((5, 6, 7, 8), 1.0)),
    "several": (
        lambda choose: choose.several("abc", 2),
        dict.fromkeys([(a, b) for a in "abc" for b in "abc" if a != b], 1.0),
    ),
}
_AT_MOST = 20.5
"""The 99.9th percentile of chi-square with 5 degrees of freedom, the most that any of these has."""


@pytest.mark.parametrize(("sampler", "draws"), [(Sampler.RANDOM, 5000), (Sampler.HYPOTHESIS, 300)])
@pytest.mark.parametrize(("choice", "weights"), FREQUENCIES.values(), ids=FREQUENCIES.keys())
def test_options_are_chosen_as_often_as_they_should(
    choice: Callable[[Chooser], object], weights: dict[object, float], sampler: Sampler, draws: int
) -> None:
    def among_others(choose: Chooser) -> object:
        # A choice made alone has few outcomes, and Hypothesis need not draw one of them twice.
        choose.between(0, 1 << 40)
        return choice(choose)

    counts = Counter(drawn(sampler, among_others, draws))
    assert set(counts) == set(weights)
    assert chi_square(counts, weights) < _AT_MOST


def drawn(sampler: Sampler, choice: Callable[[Chooser], T], n: int) -> Sequence[T]:
    return list(islice(draws(sampler, choice, lambda part: 1 + part), n))


@pytest.mark.parametrize(
    ("choice", "simplest"),
    [
        (lambda choose: choose.one(LETTERS), "a"),
        (lambda choose: choose.several(LETTERS, 2), ("a", "b")),
        (lambda choose: choose.weighted(LETTERS, (0.1, 0.2, 0.3, 0.4)), "a"),
        (lambda choose: choose.chance(0.9), False),
        (lambda choose: choose.between(3, 9), 3),
    ],
    ids=["one", "several", "weighted", "chance", "between"],
)
def test_hypothesis_shrinks_to_the_first_option(choice: Callable[[Chooser], object], simplest: object) -> None:
    # Three more choices: what is shrunk is all of them.
    found = find(
        st.tuples(over_hypothesis().map(choice), over_hypothesis().map(lambda choose: choose.between(0, 99))),
        lambda made: made[1] >= 40,
    )
    assert found == (simplest, 40)
