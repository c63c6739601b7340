"""What is expected to become of a scene's cases, against scipy's distributions and against what it is to mean."""

from __future__ import annotations

from collections import defaultdict

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import dirichlet_multinomial, multinomial  # type: ignore[import-untyped]  # stubs are another package

from pytest_vqamt.core.errors import VqamtError
from pytest_vqamt.stats.power import Prospect

prospects = st.builds(
    Prospect,
    drop=st.floats(0, 0.5),
    differ=st.sampled_from([0.0, 0.01, 0.1275, 0.4]),
    sizes=st.sampled_from([((1, 1.0),), ((4, 1.0),), ((1, 0.25), (3, 0.5), (7, 0.25))]),
    icc=st.sampled_from([0.0, 0.05, 0.3, 0.9, 1.0]),
)


def by_scipy(size: int, shares: tuple[float, float, float], icc: float) -> dict[tuple[int, int], float]:
    expected: defaultdict[tuple[int, int], float] = defaultdict(float)
    for lost in range(size + 1):
        for won in range(size + 1 - lost):
            counts = [lost, won, size - lost - won]
            chance = (
                dirichlet_multinomial.pmf(counts, [each * (1 / icc - 1) for each in shares], size)
                if icc
                else multinomial.pmf(counts, size, shares)
            )
            expected[size, won - lost] += float(chance)
    return expected


@pytest.mark.parametrize("icc", [0.0, 0.1, 0.5, 0.95])
def test_net_changes_are_as_scipy_has_them(icc: float) -> None:
    found = Prospect(drop=0.1, differ=0.2, sizes=((5, 1.0),), icc=icc).net_changes()
    expected = by_scipy(5, (0.2, 0.1, 0.7), icc)
    assert found == {key: pytest.approx(chance, abs=1e-9) for key, chance in expected.items()}


@given(prospects)
def test_the_chances_add_up_and_the_rate_drops_by_what_is_expected(prospect: Prospect) -> None:
    changes = prospect.net_changes()
    assert sum(changes.values()) == pytest.approx(1)
    won = sum(net * chance for (_, net), chance in changes.items())
    assert won / prospect.cases_a_scene == pytest.approx(-prospect.drop, abs=1e-12)


@given(prospects)
def test_what_becomes_of_two_cases_of_a_scene_correlates_as_is_said(prospect: Prospect) -> None:
    # Of scenes of two cases: var(sum) = 2 var(one) (1 + icc).
    two = Prospect(drop=prospect.drop, differ=prospect.differ, sizes=((2, 1.0),), icc=prospect.icc)
    variance = sum(net * net * chance for (_, net), chance in two.net_changes().items()) - 4 * prospect.drop**2
    of_one = prospect.lost + prospect.won - prospect.drop**2
    assert variance == pytest.approx(2 * of_one * (1 + prospect.icc), abs=1e-9)


def test_scenes_that_are_wholly_alike_have_one_fate() -> None:
    found = Prospect(drop=0.1, differ=0.2, sizes=((3, 1.0),), icc=1.0).net_changes()
    assert {net: chance for (_, net), chance in found.items() if chance} == pytest.approx({-3: 0.2, 3: 0.1, 0: 0.7})


@pytest.mark.parametrize(("drop", "differ", "icc"), [(0.9, 0.3, 0.0), (-0.2, 0.1, 0.0), (0.05, 0.1, 1.5)])
def test_shares_that_cannot_be_are_refused(drop: float, differ: float, icc: float) -> None:
    with pytest.raises(VqamtError, match="Expected shares of cases"):
        Prospect(drop=drop, differ=differ, icc=icc)
