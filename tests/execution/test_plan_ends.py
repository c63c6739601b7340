"""However little a source gives, drawing comes to an end."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from pytest_vqamt.core.scene import Scene
from pytest_vqamt.execution.plan import Plan, Sampling
from pytest_vqamt.sampling.samplers import Sampler
from tests.execution.worlds import Rule, Scenes

SAMPLERS = pytest.mark.parametrize("sampler", Sampler)


class Seldom:
    """Lets every ``nth`` draw give a case, and counts the draws."""

    def __init__(self, nth: int) -> None:
        self._nth = nth
        self.draws = 0

    def __call__(self, scene: Scene) -> str | None:
        assert scene.objects
        self.draws += 1
        return "seldom" if self.draws % self._nth else None


def cases(applies: Callable[[Scene], str | None], sampler: Sampler, *, max_cases: int, numbers: int = 1_000_000) -> int:
    sampling = Sampling(max_cases=max_cases, sampler=sampler)
    return sum(
        1
        for _ in Plan(relation=Rule(numbers=numbers, applies=applies), variant="", source=Scenes(5), sampling=sampling)
    )


@SAMPLERS
def test_where_there_is_never_anything_new(sampler: Sampler) -> None:
    never = Seldom(10**9)
    assert cases(never, sampler, max_cases=100) == 0
    assert 1000 <= never.draws < 2000


@SAMPLERS
def test_where_there_is_seldom_anything_new(sampler: Sampler) -> None:
    seldom = Seldom(500)
    # At most twenty draws a case and a thousand: of 1200, the 500th and the 1000th give one.
    assert cases(seldom, sampler, max_cases=10) == 2
    assert 1200 <= seldom.draws < 2000


@SAMPLERS
def test_where_all_has_been_seen(sampler: Sampler) -> None:
    always = Seldom(1)
    assert cases(always, sampler, max_cases=1000, numbers=1) == 5
    assert always.draws < 2000


@SAMPLERS
def test_no_more_is_drawn_than_is_wanted(sampler: Sampler) -> None:
    always = Seldom(1)
    assert cases(always, sampler, max_cases=10) == 10
    assert always.draws <= 200
