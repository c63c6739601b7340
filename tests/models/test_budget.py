"""The budget of a run, and the tokens that queries are forecast to take."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from threading import Barrier, Thread

import pytest

from pytest_vqamt.core.meaning import Describe
from pytest_vqamt.core.query import Answer, Query, Task
from pytest_vqamt.models.budget import Budget, BudgetSpentError
from pytest_vqamt.models.token_forecast import (
    TokenForecaster,
    claude_area,
    gemini_tiles,
    openai_patches,
    openai_tiles,
    pixtral_patches,
    qwen_patches,
)
from pytest_vqamt.picture_world.source import PictureWorld
from tests.rows import each_row

WORLD = PictureWorld(count=3)


def test_it_ends_before_it_would_be_exceeded() -> None:
    budget = Budget(1.0)
    for _ in range(3):
        assert budget.start(lambda: True)
        budget.finish(0.3)
    with pytest.raises(BudgetSpentError, match=r"--vqamt-max-cost=1, but 0\.9 is spent"):
        budget.start(lambda: True)


def test_the_first_request_goes_alone_and_many_never_spend_more() -> None:
    budget, begun, dearest = Budget(1.0), Barrier(4), []

    def work() -> None:
        begun.wait()
        try:
            while budget.start(lambda: True):
                dearest.append(budget.spent)
                budget.finish(0.08)
        except BudgetSpentError:
            pass

    threads = [Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert budget.spent == pytest.approx(0.96)
    assert len(dearest) == 12


def test_a_request_waits_for_those_in_flight_and_not_for_what_nobody_wants() -> None:
    budget = Budget(1.0)
    assert budget.start(lambda: True)
    wanted = iter((True, False))
    assert not budget.start(lambda: next(wanted)), "the cost is not known, so the second waits"
    budget.finish(0.6)
    with pytest.raises(BudgetSpentError):
        budget.start(lambda: True)


def test_a_request_without_a_cost_takes_nothing() -> None:
    budget = Budget(1.0)
    for _ in range(5):
        assert budget.start(lambda: True)
        budget.finish(None)
    assert budget.spent == 0


def test_processes_share_it_by_a_file(tmp_path: Path) -> None:
    one, other = (Budget(1.0, tmp_path / "costs", processes=2) for _ in range(2))
    for budget in (one, other, one):
        budget.start(lambda: True)
        budget.finish(0.25)
    assert one.spent == other.spent == 0.75
    other.start(lambda: True)
    other.finish(0.25)
    with pytest.raises(BudgetSpentError):
        one.start(lambda: True)


@each_row(
    "tokens, size, wanted",
    [
        # The examples of each vendor's page; see the sources of the functions.
        (openai_tiles(85, 170), (1024, 1024), 765),
        (openai_tiles(85, 170), (2048, 4096), 1105),
        (openai_patches(1.0), (1024, 1024), 1024),
        (openai_patches(1.0), (1800, 2400), 1452),
        (claude_area, (200, 200), 53.3),
        (claude_area, (1000, 1000), 1333.3),
        (gemini_tiles, (384, 300), 258),
        (gemini_tiles, (960, 540), 6 * 258),
        (pixtral_patches, (512, 512), 33 * 32),
        # 640 x 480 becomes 644 x 476.
        (qwen_patches(28, 3136, 12_845_056), (640, 480), 23 * 17 + 2),
        (qwen_patches(28, 3136, 200_704), (1000, 1000), 16 * 16 + 2),
        (qwen_patches(28, 3136, 200_704), (20, 20), 4 + 2),
    ],
)
def test_pictures_take_what_their_vendors_say(
    tokens: Callable[[int, int], float], size: tuple[int, int], wanted: float
) -> None:
    assert tokens(*size) == pytest.approx(wanted, abs=0.1)


def questions(count: int) -> list[Query]:
    return [
        Query(picture=WORLD.scene(number % 3).picture, text=f"What is there, {number}?", meaning=Describe())
        for number in range(count)
    ]


def test_measured_answers_replace_the_formula() -> None:
    forecaster = TokenForecaster("nobody-knows", lambda query: query.text, lambda _: 16)
    known, rest = questions(8), questions(20)[8:]
    measured = [(query, Answer("a dog", tokens_in=1234, tokens_out=5)) for query in known]
    by_formula = forecaster.forecast(rest, measured[:7])
    assert by_formula.basis.startswith("a guess, a token for 750 pixels")
    assert (by_formula.tokens_out, by_formula.tokens_out_most) == (24, 192)
    found = forecaster.forecast(rest, measured)
    assert found.basis == "measured on 8 answers"
    assert found.tokens_in == pytest.approx(12 * 1234, rel=0.01)
    assert found.tokens_out == 60
    captions = [Query(picture=WORLD.scene(0).picture, meaning=Describe(), task=Task.CAPTIONING)]
    assert forecaster.forecast(captions, measured).tokens_out == 16, "no caption was measured; at most the longest"
