"""Two runs are compared case by case, those that were trained on apart from the others."""

from __future__ import annotations

import pytest

from pytest_vqamt.core.case import Outcome
from tools.tiny.compare import Outcomes, changes, table

HOLDS, VIOLATED = Outcome.HOLDS, Outcome.VIOLATED


def told(**items: str) -> Outcomes:
    """Each item's cases, each of a scene of its own: "+" holds, "-" is violated."""
    return Outcomes(
        by_item={
            item: {
                f"{item} {number}": (f"scene {number}", HOLDS if sign == "+" else VIOLATED)
                for number, sign in enumerate(signs)
            }
            for item, signs in items.items()
        }
    )


def test_a_drop_is_corrected_over_what_was_not_trained_on() -> None:
    """By hand: six cases lost and none won has p = 1 / 2^6, twice that after Holm over the two; nothing lost has 1."""
    before = told(trained="--------", lost="++++++--", same="++------")
    after = told(trained="++++++++", lost="--------", same="++------")
    found = changes(before, after, ["trained"])
    assert found["lost"].p == pytest.approx(1 / 64)
    assert found["lost"].p_holm == pytest.approx(2 / 64)
    assert found["same"].p_holm == 1
    assert found["trained"].p_holm is None
    assert found["trained"].interval[0] > 0
    lines = list(table(found))
    assert lines[2].startswith("| trained | 8 | 0.0% | 100.0% | +100.0 (")
    assert lines[2].endswith("| trained on |")
    assert lines[3].startswith("| lost | 8 | 75.0% | 0.0% | -75.0 (")
    assert lines[3].endswith("| 0.031 |")


def test_other_cases_are_no_comparison() -> None:
    with pytest.raises(ValueError, match="the same cases"):
        changes(told(one="++"), told(one="+++"), [])
