"""What a case is, and what makes two cases the same."""

from __future__ import annotations

from copy import deepcopy
from itertools import permutations

import pytest

from pytest_vqamt.core.case import (
    Case,
    Figure,
    Outcome,
    RelationInfo,
    Verdict,
    add_figures,
    item_name,
)
from pytest_vqamt.core.codec import replace
from pytest_vqamt.core.meaning import Absent, Exists, Group
from pytest_vqamt.core.query import Query, Task
from pytest_vqamt.core.scene import Photo
from tests.making import scene_of

DOG = Group(name="dog")
PICTURE = replace(scene_of("dog"), photo=Photo(id="photo.png", digest="0123456789abcdef")).picture
IS_ANY = Query(picture=PICTURE, text="Is there a dog?", meaning=Exists(group=DOG))
IS_NONE = Query(picture=PICTURE, text="Is there no dog?", meaning=Absent(group=DOG))
CASE = Case(
    relation="metavqa.reversion",
    variant="object",
    scene="a scene",
    queries=(IS_ANY, IS_NONE),
    expected="one yes, one no",
    facts=(("present_groups", 1), ("wording", 0)),
)


def test_an_id_never_changes() -> None:
    # sha256sum of relation, variant and the ids of the two queries, joined by \x1f
    assert CASE.id == "9f63d2e3c87dc51f"


@pytest.mark.parametrize(
    "other",
    [
        replace(CASE, relation="metavqa.reorder"),
        replace(CASE, variant="property"),
        replace(CASE, variant=""),
        replace(CASE, queries=(IS_NONE, IS_ANY)),
        replace(CASE, queries=(IS_ANY,)),
        replace(CASE, queries=(IS_ANY, replace(IS_NONE, text="Are there no dogs?"))),
        replace(CASE, queries=(IS_ANY, replace(IS_NONE, picture=PICTURE.reencode()))),
        replace(CASE, queries=(IS_ANY, replace(IS_NONE, trial=1))),
    ],
)
def test_another_relation_variant_picture_or_text_is_another_case(other: Case) -> None:
    assert other.id != CASE.id


@pytest.mark.parametrize(
    "other",
    [
        replace(CASE, facts=()),
        replace(CASE, expected="opposite"),
        replace(CASE, tags=("presumed",)),
        replace(CASE, queries=(IS_ANY, replace(IS_NONE, meaning=Exists(group=DOG)))),
    ],
)
def test_what_is_only_said_of_a_case_does_not_change_its_id(other: Case) -> None:
    assert other.id == CASE.id


def test_facts_are_found_by_name() -> None:
    assert CASE.fact("present_groups") == 1
    assert CASE.fact("wording") == 0
    assert CASE.fact("axis") is None


@pytest.mark.parametrize(
    ("outcome", "obeys", "violates"),
    [
        (Outcome.HOLDS, True, False),
        (Outcome.VIOLATED, False, True),
        (Outcome.UNPARSED, False, True),
        (Outcome.ERROR, False, False),
    ],
)
def test_an_error_neither_obeys_nor_violates(outcome: Outcome, obeys: bool, violates: bool) -> None:
    verdict = Verdict(outcome=outcome)
    assert (verdict.obeys, verdict.violates) == (obeys, violates)


def test_items_are_named_as_users_type_them() -> None:
    info = RelationInfo(name="metavqa.partition", task=Task.VQA, claim="", source="", variants=("object",))
    assert info.item("object") == item_name("metavqa.partition", "object") == "metavqa.partition[object]"
    assert info.item("") == "metavqa.partition"


def total(amounts: list[float]) -> Figure:
    return sum(map(Figure.of, amounts), Figure())


def test_the_order_makes_no_difference() -> None:
    # As floating-point numbers these add up to 0.6000000000000001 or to 0.6.
    sums = {total(list(order)) for order in permutations([0.1, 0.2, 0.3])}
    assert sums == {Figure(3, 600_000)}


def test_a_figure_has_a_total_and_a_mean() -> None:
    figure = total([1.0, 0.0, 0.3, 0.9])
    assert (figure.cases, figure.total, figure.mean) == (4, 2.2, 0.55)


def test_nothing_has_no_mean() -> None:
    assert Figure().mean is None


def test_a_third_is_kept_to_a_millionth() -> None:
    assert Figure.of(1 / 3).millionths == 333_333


def test_figures_are_put_together_by_name() -> None:
    one, other = {"clean": Figure(2, 5), "noisy": Figure(2, 3)}, {"noisy": Figure(1, 4), "omission": Figure(1, 0)}
    assert add_figures(one, other) == {"clean": Figure(2, 5), "noisy": Figure(3, 7), "omission": Figure(1, 0)}
    assert one["noisy"] == Figure(2, 3)


def test_an_id_is_computed_and_not_given() -> None:
    with pytest.raises(TypeError, match="`Case` has no field 'id'"):
        replace(CASE, id="mine")
    assert deepcopy(CASE).id == CASE.id
