"""What judgements say of a report: rates, their intervals, and how far judges agree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations, product
from math import sqrt
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_vqamt.core.tallies import Clusters, SceneTally
from pytest_vqamt.reporting.audit.judgements import (
    AuditStratum,
    JudgedSheet,
    Judgement,
    ValidRate,
    agreements,
    audit_figures,
    cohen_kappa,
    combine_strata,
    figures_by_item,
    majority,
)
from pytest_vqamt.reporting.audit.sample import AuditCase, AuditTarget, CaseKey, Sample, SampleSettings
from pytest_vqamt.stats.intervals import pass_rate_interval, wilson
from tests.reporting.audit.made_reports import row

VALID, INVALID, UNSURE = Judgement

Words = Mapping[str, Sequence[Judgement | None]]
"""What is said of the cases of each item, None of those that are not judged."""


def of(
    words: Words, population: Mapping[str, int], *, per_relation: int | None = None
) -> tuple[Sample, dict[CaseKey, Judgement]]:
    """A sample with those cases, each of a scene of its own, and what is said of them."""
    cases = [
        (AuditCase(row=row(number, item=item), where="", item=item, model="tiny"), word)
        for item, said in words.items()
        for number, word in enumerate(said)
    ]
    sample = Sample(
        draw=SampleSettings(of=AuditTarget.VIOLATIONS, per_relation=per_relation),
        cases=tuple(case for case, _ in cases),
        population=population,
    )
    return sample, {case.key: word for case, word in cases if word is not None}


def test_one_that_a_person_is_unsure_of_is_not_valid_and_told_of_apart() -> None:
    words = [VALID] * 7 + [INVALID] * 2 + [UNSURE] + [None] * 3
    told = audit_figures(*of({"ours.one": words}, {"ours.one": 50}))
    assert (told.population, told.drawn, told.judged, told.valid, told.invalid, told.unsure) == (50, 13, 10, 7, 2, 1)
    assert told.share == ValidRate(rate=0.7, interval=wilson(7, 10))
    assert told.decided == ValidRate(rate=7 / 9, interval=wilson(7, 9))


def test_with_nothing_judged_nothing_is_known() -> None:
    told = audit_figures(*of({"ours.one": [None, None]}, {"ours.one": 9}))
    assert told.share == told.decided == ValidRate(rate=None, interval=(0.0, 1.0))
    unsure = audit_figures(*of({"ours.one": [UNSURE]}, {"ours.one": 9}))
    assert (unsure.share.rate, unsure.decided.rate) == (0.0, None)


def test_the_interval_is_by_scene() -> None:
    cases = tuple(
        AuditCase(row=row(number, scene=f"scene {number // 4}"), where="", item="ours.one", model="tiny")
        for number in range(40)
    )
    sample = Sample(draw=SampleSettings(of=AuditTarget.ALL), cases=cases, population={"ours.one": 40})
    said = {case.key: VALID if number < 20 else INVALID for number, case in enumerate(cases)}
    told = audit_figures(sample, said)
    # Five scenes of four valid cases, and five of four invalid ones.
    assert told.share.interval == pass_rate_interval(Clusters((SceneTally(0, 4, 5), SceneTally(4, 4, 5))))
    assert told.share.interval[1] - told.share.interval[0] > 1.4 * (wilson(20, 40)[1] - wilson(20, 40)[0])


def test_each_item_has_its_own_figures() -> None:
    sample, said = of(
        {"ours.one": [VALID, VALID], "ours.two": [INVALID, None]}, {"ours.one": 5, "ours.three": 4, "ours.two": 9}
    )
    told = figures_by_item(sample, said)
    assert list(told) == ["ours.one", "ours.two"]
    assert (told["ours.one"].share.rate, told["ours.one"].population) == (1.0, 5)
    assert (told["ours.two"].share.rate, told["ours.two"].drawn, told["ours.two"].judged) == (0.0, 2, 1)


def test_a_sample_of_all_together_is_not_weighted() -> None:
    told = audit_figures(*of({"ours.one": [VALID] * 4, "ours.two": [INVALID]}, {"ours.one": 10, "ours.two": 990}))
    assert told.share.rate == 0.8
    assert told.unseen == ()


def test_where_each_relation_was_drawn_from_by_itself_each_weighs_as_much_as_it_has_cases() -> None:
    words = {"ours.one": [VALID] * 8, "ours.two": [VALID] * 2 + [INVALID] * 6}
    told = audit_figures(*of(words, {"ours.one": 100, "ours.two": 300}, per_relation=8))
    rate = 0.25 * 1 + 0.75 * 0.25
    assert told.share.rate == pytest.approx(rate)
    (one, _), (low, high) = wilson(8, 8), wilson(2, 8)
    of_strata = rate - sqrt((0.25 * (1 - one)) ** 2 + (0.75 * (0.25 - low)) ** 2), rate + 0.75 * (high - 0.25)
    worth = 1 / (0.25**2 / 8 + 0.75**2 / 8)
    of_all = wilson(rate * worth, worth)
    assert (of_all[0] < of_strata[0], of_all[1] < of_strata[1]) == (True, True), "one gives each end"
    assert told.share.interval == pytest.approx((of_all[0], of_strata[1]))


def test_a_relation_of_which_none_is_judged_is_named_and_left_out_of_the_rate() -> None:
    words: Words = {"ours.one": [VALID, INVALID], "ours.two": [None]}
    told = audit_figures(*of(words, {"ours.one": 10, "ours.two": 990}, per_relation=2))
    assert (told.share.rate, told.unseen) == (0.5, ("ours.two",))


def test_the_weighted_rate_is_unbiased() -> None:
    """Over all samples there are of two of each item, its mean is the rate of all cases."""
    truth = {"ours.one": [VALID, VALID, INVALID], "ours.two": [VALID, INVALID, INVALID, INVALID, INVALID]}
    population = {item: len(words) for item, words in truth.items()}
    rates = []
    for drawn in product(*(combinations(words, 2) for words in truth.values())):
        words: dict[str, Sequence[Judgement]] = dict(zip(truth, drawn, strict=True))
        told = audit_figures(*of(words, population, per_relation=2))
        assert told.share.rate is not None
        rates.append(told.share.rate)
    assert len(rates) == 3 * 10
    assert sum(rates) / len(rates) == pytest.approx(3 / 8)


@pytest.mark.parametrize(
    "items",
    [
        pytest.param([(400, 0.95, 10), (100, 0.6, 10), (50, 0.9, 10)], id="three"),
        pytest.param([(60, 1.0, 5)] * 10 + [(400, 0.85, 5)], id="one large one"),
        pytest.param([(200, 0.5, 20), (200, 0.98, 20)], id="unlike each other"),
        pytest.param([(100, 0.95, 5)] * 40, id="many small samples", marks=pytest.mark.full),
        pytest.param(
            [(60 + 10 * place, rate, 3) for place, rate in enumerate([0.95, 0.9, 0.99, 0.7] * 8)],
            id="of many sizes",
            marks=pytest.mark.full,
        ),
    ],
)
def test_the_weighted_interval_covers_the_truth(items: list[tuple[int, float, int]]) -> None:
    """Nineteen times in twenty or more often, by simulation, but for its own error of three standard deviations."""
    random = Random(5)
    total = sum(size for size, _, _ in items)
    truth = sum(round(size * rate) for size, rate, _ in items) / total
    runs, covered = 500, 0
    for _ in range(runs):
        strata = []
        for size, rate, drawn in items:
            valid = round(size * rate)
            right = sum(place < valid for place in random.sample(range(size), drawn))
            strata.append(AuditStratum(size, Clusters((SceneTally(0, 1, drawn - right), SceneTally(1, 1, right)))))
        low, high = combine_strata(strata).interval
        covered += low <= truth <= high
    assert covered / runs >= 0.95 - 3 * sqrt(0.95 * 0.05 / runs)


def sheet(name: str, words: Sequence[Judgement | None]) -> JudgedSheet:
    said = {(f"{number:016x}", "", "pictures:6"): word for number, word in enumerate(words) if word is not None}
    return JudgedSheet(file=Path("sheets", name), judgements=said, notes={})


def test_kappa_of_a_worked_example() -> None:
    """Of Cohen's kind: 50 cases, both say valid of 20 and invalid of 15; 5 and 10 are disputed: (0.7 - 0.5) / 0.5."""
    pairs = [(VALID, VALID)] * 20 + [(VALID, INVALID)] * 5 + [(INVALID, VALID)] * 10 + [(INVALID, INVALID)] * 15
    assert cohen_kappa(pairs) == pytest.approx(0.4)


@settings(max_examples=40)
@given(st.lists(st.tuples(st.sampled_from(Judgement), st.sampled_from(Judgement)), min_size=1, max_size=40))
def test_kappa_is_that_of_scikit_learn(pairs: list[tuple[Judgement, Judgement]]) -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    ours = cohen_kappa(pairs)
    words = {word for pair in pairs for word in pair}
    if len(words) == 1:
        assert ours is None
    else:
        labels = [word.value for word in Judgement]
        theirs = metrics.cohen_kappa_score(
            [one.value for one, _ in pairs], [two.value for _, two in pairs], labels=labels
        )
        assert ours == pytest.approx(theirs, abs=1e-9)


def test_judges_agree_over_what_both_have_judged() -> None:
    first, second = sheet("a.csv", [VALID, INVALID, VALID, None]), sheet("b.csv", [VALID, VALID, None, UNSURE])
    (told,) = agreements([first, second])
    assert (told.first, told.second, told.shared, told.same) == ("a.csv", "b.csv", 2, 1)
    (apart,) = agreements([sheet("a.csv", [VALID, None]), sheet("b.csv", [None, VALID])])
    assert (apart.shared, apart.kappa) == (0, None)
    assert len(agreements([first, second, first])) == 3
    assert agreements([first]) == ()


@pytest.mark.parametrize(
    ("words", "decided"),
    [
        ([VALID, None, None], VALID),
        ([VALID, VALID, INVALID], VALID),
        ([INVALID, INVALID, INVALID], INVALID),
        ([VALID, INVALID, None], UNSURE),
        ([VALID, INVALID, UNSURE], UNSURE),
        ([VALID, VALID, INVALID, INVALID], UNSURE),
        ([UNSURE, UNSURE, VALID], UNSURE),
    ],
)
def test_what_most_judges_say(words: list[Judgement | None], decided: Judgement) -> None:
    sheets = [sheet(f"{number}.csv", [word]) for number, word in enumerate(words)]
    assert list(majority(sheets).values()) == [decided]
