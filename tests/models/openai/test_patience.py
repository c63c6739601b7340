"""How long is waited: twice as long each time, the same in every run, and no longer than the server asks."""

from __future__ import annotations

import pytest

from pytest_vqamt.models.openai import patience
from pytest_vqamt.models.openai.patience import back_off


def test_waits_double_up_to_half_a_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patience, "_FIRST_S", 0.5)
    for failures, longest in ((1, 0.5), (2, 1), (3, 2), (6, 16), (7, 30), (1000, 30)):
        waits = [back_off(f"query {number}", failures) for number in range(50)]
        assert all(longest / 2 <= wait < longest for wait in waits)
        assert len(set(waits)) == 50, "no two come back at once"
        assert max(waits) - min(waits) > longest / 4


def test_waits_are_the_same_in_every_run() -> None:
    assert [back_off("q", 3), back_off("q", 4)] == [back_off("q", 3), back_off("q", 4)]
