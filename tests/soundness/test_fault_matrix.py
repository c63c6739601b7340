"""Each relation catches the faults that it is made for, and every fault is caught by some relation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache

import pytest

from pytest_vqamt.core.case import Case, Outcome
from pytest_vqamt.data.catalogue import load
from pytest_vqamt.data.scene_source import SceneSource
from pytest_vqamt.execution.plan import Sampling
from pytest_vqamt.models.reference.faults import FAULTS
from tests.rows import each_row
from tests.soundness import blind_rates, graded_faults
from tests.soundness.asking import REPRESENTATIVES, Item, cases, each_item_with, items, judged, model
from tests.soundness.fault_effects import NOT_TABLED, OF_FAMILIES, Effect
from tests.soundness.fault_page import CASES, PAGE, page
from tests.soundness.fault_table import TABLE

SAMPLING = Sampling(max_cases=CASES)
"""As a run without options has it, but more: what shows itself in 2 of 100 cases is not to be left to chance."""


TABLED = tuple(fault for fault in FAULTS if fault not in NOT_TABLED)
"""The faults whose effects can be worked out."""


FEW = 60
"""So many cases the default tier draws: enough for each fault that is caught to be."""

FEWER = 20
"""Of so many of them it asks who is not to be caught."""


@cache
def pictures() -> SceneSource:
    return load("pictures")


@cache
def drawn(item: Item, count: int) -> tuple[Case, ...]:
    return tuple(cases(item, pictures(), replace(SAMPLING, max_cases=count)))


def effect(item: Item, spec: str, some: Sequence[Case]) -> Effect:
    """What a model makes of the cases; one that shows its fault is enough."""
    vacuous = True
    for each in judged(item, model(spec), some):
        if each.verdict.outcome is not Outcome.HOLDS:
            return Effect.CAUGHT
        vacuous = vacuous and each.verdict.vacuous
    return Effect.VACUOUS if vacuous else Effect.QUIET


def lacking() -> Iterator[str]:
    for name in (item.name for item in items()):
        row = TABLE.get(name)
        if row is None:
            yield f"TABLE needs a row for {name!r}, with every fault under caught, vacuous or quiet"
            continue
        listed = Counter((*row.caught, *row.vacuous, *row.quiet))
        yield from (f"the row of {name!r} needs {fault!r}" for fault in TABLED if not listed[fault])
        yield from (f"the row of {name!r} has {fault!r} twice" for fault in TABLED if listed[fault] > 1)
        yield from (f"the row of {name!r} has {fault!r}, which is none here" for fault in listed if fault not in TABLED)


def test_the_table_has_every_item_and_every_fault() -> None:
    if found := sorted(lacking()):
        todo = "Say why in a comment, then run: python -m tests.soundness.fault_page"
        pytest.fail("\n".join(("In tests/soundness/fault_table.py, or carets_faults.py", *found, todo)), pytrace=False)
    assert list(TABLE) == [item.name for item in items()], "the rows are in the order of the catalogue"


def test_the_representatives_have_every_row_of_the_table() -> None:
    assert {TABLE[name] for name in REPRESENTATIVES} == set(TABLE.values())


@each_item_with(FEW, many=CASES)
def test_faults_have_the_effects_that_the_table_says_and_the_oracle_is_quiet(item: Item, count: int) -> None:
    some = drawn(item, count)
    assert len(some) == count
    assert effect(item, "oracle", some) is Effect.QUIET
    for fault in TABLED:
        expected = TABLE[item.name].effect(fault)
        enough = FEWER if count == FEW and expected is not Effect.CAUGHT else count
        assert effect(item, f"fault:{fault}", some[:enough]) is expected, fault


def test_every_fault_is_caught_by_some_relation() -> None:
    assert set(TABLED) == {fault for row in TABLE.values() for fault in row.caught}
    assert all(blind_rates.caught_by(fault) for fault in blind_rates.BLIND)


@each_row(
    ("fault", "relation"),
    [
        ("ignores-negation", "carets.negation"),
        ("ignores-not-both", "carets.negation"),
        ("hypernym-blind", "carets.ontological[hypernym]"),
        ("antonym-blind", "carets.antonym"),
        ("first-choice", "carets.order[choices]"),
        ("order-sensitive", "carets.order"),
        ("background-dependent", "carets.visual"),
        ("template-sensitive", "carets.rephrase"),
    ],
)
def test_a_fault_in_reading_or_seeing_is_caught_by_the_test_of_carets_for_it(fault: str, relation: str) -> None:
    own = {name: row.effect(fault) for name, row in TABLE.items() if name.startswith(relation)}
    assert set(own.values()) == {Effect.CAUGHT}, own


def test_the_rates_are_those_of_every_item() -> None:
    expected = [item.name for item in blind_rates.measured_items()]
    for fault, by_item in blind_rates.recorded().items():
        assert list(by_item) == expected, f"{fault}: run: python -m tests.soundness.blind_rates"


def some_of_each() -> tuple[Item, ...]:
    wanted = ("metavqa.reversion[object]", "spatial.mirror[opposite]")
    return tuple(item for item in items() if item.name in wanted)


@pytest.mark.parametrize(
    "measured",
    [some_of_each(), pytest.param(blind_rates.measured_items(), marks=pytest.mark.full)],
    ids=["some", "all"],
)
def test_the_rates_of_models_that_do_not_look_are_those_recorded(measured: tuple[Item, ...]) -> None:
    here = blind_rates.recorded()
    found = blind_rates.measure(measured)
    assert {fault: {item.name: here[fault][item.name] for item in measured} for fault in found} == found, (
        "run: python -m tests.soundness.blind_rates, then python -m tests.soundness.fault_page"
    )


@pytest.mark.parametrize("fault", ["fixed-scene", "text-keyed-cache", "image-hash-8", "prior-only"])
def test_no_relation_is_grounded_for_who_does_not_look(fault: str) -> None:
    assert len(blind_rates.grounded_in(fault)) <= 3


def test_who_sees_every_second_picture_is_half_grounded() -> None:
    rates = blind_rates.recorded()["half-blind"]
    low = [name for name in blind_rates.gated_items() if (rates[name].grounded or 0) < 0.8]
    assert len(low) >= 40


def test_the_smallest_shares_are_those_of_every_item() -> None:
    expected = [item.name for item in graded_faults.measured_items()]
    assert list(graded_faults.recorded()) == expected, "run: python -m tests.soundness.graded_faults"


def test_few_families_take_notice_of_a_fault_of_one() -> None:
    for fault in OF_FAMILIES:
        own = {name.partition(".")[0] for name, row in TABLE.items() if row.effect(fault) is Effect.CAUGHT}
        assert 1 <= len(own) <= 3, (fault, own)


def test_a_fault_of_one_family_is_found_where_one_query_in_twenty_has_it() -> None:
    for fault in OF_FAMILIES:
        shares = [share for by_fault in graded_faults.recorded().values() for share in by_fault.get(fault, ())]
        assert min((share for share in shares if share is not None), default=100.0) <= 5.0, fault


BY_TEXT_ALONE = ("always-yes", "always-no", "always-zero", "fixed-scene", "text-keyed-cache", "prior-only")
DIRECTIONAL = tuple(item for item in items() if item.variant in item.relation.info.directional)


def test_what_needs_no_contrast_says_so() -> None:
    assert [item.name for item in DIRECTIONAL] == [
        "metavqa.insertion_plus",
        "metavqa.removal_plus",
        "spatial.mirror[opposite]",
        "view.recolour[color]",
        "count.prior[more]",
        "count.prior[less]",
        "multi.which",
        "multi.same",
    ]


@pytest.mark.parametrize("item", DIRECTIONAL, ids=lambda item: item.name)
def test_no_case_of_a_directional_relation_holds_for_who_answers_by_the_text_alone(item: Item) -> None:
    for fault in BY_TEXT_ALONE:
        asked = model(f"fault:{fault}")
        asked.meet((pictures(),))
        assert not any(each.verdict.obeys for each in judged(item, asked, drawn(item, FEW))), fault


def test_the_page_is_up_to_date() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run: python -m tests.soundness.fault_page"
