"""What a server tells of its cost is summed; what is no number is passed over."""

from __future__ import annotations

import pytest

from pytest_vqamt.models.openai.settings import Usage


@pytest.mark.parametrize(
    ("told", "sums"),
    [
        (None, {}),
        ("free", {}),
        ([1], {}),
        ({}, {}),
        ({"prompt_tokens": 5, "completion_tokens": 2, "total_tokens": 7}, {"tokens in": 5, "tokens out": 2}),
        ({"prompt_tokens": 5, "cost": 0.00025, "cost_details": {}}, {"tokens in": 5, "cost": 0.00025}),
        ({"prompt_tokens": "5", "completion_tokens": None, "cost": True}, {}),
        ({"prompt_tokens": -5, "cost": float("nan")}, {}),
        ({"prompt_tokens": 0}, {"tokens in": 0}),
    ],
)
def test_what_can_be_summed_is(told: object, sums: dict[str, float]) -> None:
    usage = Usage()
    usage.replied(told)
    assert usage.sums() == sums


def test_sums_grow() -> None:
    usage = Usage()
    for tokens in (1, 2, 3):
        usage.sent()
        usage.replied({"prompt_tokens": tokens})
    before = usage.sums()
    assert before == {"requests": 3, "tokens in": 6}
    usage.sent()
    assert before["requests"] == 3
