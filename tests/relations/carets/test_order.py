"""The order in which things or choices are named does not change the answer."""

from __future__ import annotations

import pytest

from pytest_vqamt.core.case import Outcome
from pytest_vqamt.core.meaning import Both, Choice, Either
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.relations.carets import Order
from tests.making import answers_of, scene_of
from tests.relations.carets.draws import cases
from tests.rows import each_row

ORDER = Order()
VARIANTS = ORDER.info.variants
FARM = scene_of(
    "cow", "dog", "cat", "sitting cat", "standing dog", "lamp", "white bench", "blue car", "white car", id="farm"
)


def test_there_is_a_variant_of_each_that_can_be_put_in_another_order() -> None:
    assert VARIANTS == ("conjunction", "disjunction", "choices")


@each_row("variant", VARIANTS)
def test_the_same_is_asked_in_really_another_order(yard: Scene, variant: str) -> None:
    found = cases(ORDER, yard, FARM, variant=variant)
    assert len(found) > 200
    for case in found:
        before, after = (query.meaning for query in case.queries)
        match before, after:
            case (Both(groups=first), Both(groups=second)) | (Either(groups=first), Either(groups=second)):
                assert second == first[::-1] != first
            case Choice(what=what, options=some), Choice(what=same, options=others):
                assert what == same
                assert some[0] != others[0]
                assert sorted(some) == sorted(others)
            case _:
                pytest.fail(f"{before} became {after}")
        assert case.queries[0].text != case.queries[1].text
        assert case.fact("template") == case.fact("other_template")


def test_each_order_in_which_another_of_three_choices_comes_first_is_as_likely(yard: Scene) -> None:
    found = cases(ORDER, yard, FARM, variant="choices", draws=3000)
    orders: dict[tuple[int, ...], int] = {}
    for case in found:
        first, second = (query.meaning for query in case.queries)
        assert isinstance(first, Choice)
        assert isinstance(second, Choice)
        if len(first.options) == 3:
            order = tuple(first.options.index(option) for option in second.options)
            orders[order] = orders.get(order, 0) + 1
    assert set(orders) == {(1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)}
    # About 1200 of 3000; a standard deviation of a quarter of them is 1.3 points.
    total = sum(orders.values())
    assert total > 900
    assert all(abs(n / total - 0.25) < 0.055 for n in orders.values()), orders


def test_nothing_but_the_order_changes_so_that_no_case_is_presumed() -> None:
    loose = scene_of("brown dog", "red car", "sitting cat")
    for variant in VARIANTS:
        found = cases(ORDER, loose, FARM, variant=variant)
        assert found
        assert not any(case.is_presumed for case in found)


def test_it_is_violated_by_who_takes_the_first(yard: Scene) -> None:
    case = cases(ORDER, yard, FARM, variant="choices")[0]
    first, second = (query.meaning for query in case.queries)
    assert isinstance(first, Choice)
    assert isinstance(second, Choice)
    different = answers_of(first.options[0], next(each for each in second.options if each != first.options[0]))
    assert ORDER.judge(case, different).outcome is Outcome.VIOLATED
    assert ORDER.judge(case, answers_of(first.options[0], first.options[0])).outcome is Outcome.HOLDS
    assert ORDER.judge(case, answers_of(first.options[0], "hm")).outcome is Outcome.UNPARSED
