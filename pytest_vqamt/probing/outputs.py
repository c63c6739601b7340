"""How far two outputs of a model are apart: by the log-probabilities of its tokens, or by its text alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import log
from statistics import fmean

from pytest_vqamt.probing.asking import SentRequest
from pytest_vqamt.stats import candidates
from pytest_vqamt.stats.candidates import Candidates, likeliest, shares

FARTHEST = 20.0
"""The distance of two outputs of which one is a failure, or that share no token."""

_LIKELIEST = 5
"""Tokens of a step that are compared: those behind them are noise in 16 bits."""
_PART = "\ufffd"
"""Part of a character."""


def distance(first: SentRequest, second: SentRequest) -> float:
    """The largest difference of log-probabilities, over the tokens up to the first where the answers part.

    Until then both answers have the same beginning, so each step is teacher-forced with the tokens of the other. Of a
    step the five likeliest tokens of either are compared. Without log-probabilities: 0 for equal texts, else 1.
    """
    if first.failure or second.failure:
        return 0.0 if first.failure and second.failure else FARTHEST
    if not first.steps or not second.steps:
        return float(first.answer != second.answer)
    return max(map(_apart, *zip(*_forced(first, second), strict=True)), default=0.0)


def first_distance(first: SentRequest, second: SentRequest) -> float:
    """As ``distance``, of the first tokens alone: what 16 bits change grows from token to token."""
    if first.failure or second.failure or not first.steps or not second.steps:
        return distance(first, second)
    return _apart(first.steps[0], second.steps[0])


def divergence(first: SentRequest, second: SentRequest) -> float | None:
    """The Kullback-Leibler divergence of the first tokens, in nats; None where one has no log-probabilities.

    Tokens that only one of them lists are one further outcome, so the value is a lower bound.
    """
    if not first.steps or not second.steps:
        return None
    return candidates.divergence(first.steps[0], second.steps[0])


def parted_at(first: SentRequest, second: SentRequest) -> int | None:
    """The number of tokens (without log-probabilities: of characters) that both begin with; None for equal answers."""
    if first.answer == second.answer:
        return None
    if first.steps and second.steps:
        return len(list(_forced(first, second))) - 1
    alike = (a == b for a, b in zip(first.answer, second.answer, strict=False))
    return next((place for place, same in enumerate(alike) if not same), min(len(first.answer), len(second.answer)))


def is_flip(first: SentRequest, second: SentRequest) -> bool:
    """True if the likeliest first tokens differ; without log-probabilities, the answers."""
    if not first.steps or not second.steps:
        return first.reading != second.reading
    return likeliest(shares(first.steps[0])) != likeliest(shares(second.steps[0]))


def mean(values: Iterable[float | None]) -> float | None:
    """The mean of what is there; None without any."""
    known = [value for value in values if value is not None]
    return fmean(known) if known else None


def _forced(first: SentRequest, second: SentRequest) -> Iterable[tuple[Candidates, Candidates]]:
    """The steps of both up to the first whose likeliest tokens may differ, and that one."""
    for step, other in zip(first.steps, second.steps, strict=False):
        yield step, other
        top = likeliest(shares(step))
        # Parts of characters look alike where a server tells no bytes, and may be two tokens: what follows is not
        # forced (equal requests to llama.cpp were 3.1 apart behind a tie of two bytes).
        if top != likeliest(shares(other)) or _PART in top:
            return


def _apart(step: Candidates, other: Candidates) -> float:
    known, others = _logs(step), _logs(other)
    if not known or not others:
        return 0.0 if not known and not others else FARTHEST
    compared = [*_top(known), *_top(others)]
    both = [label for label in compared if label in known and label in others]
    if not both:
        return FARTHEST
    # A token that is likely here and not listed there is less likely there than all that are listed.
    listed = [
        max(0.0, here[label] - min(there.values()))
        for here, there in ((known, others), (others, known))
        for label in _top(here)[:1]
        if label not in there
    ]
    return min(FARTHEST, max([*(abs(known[label] - others[label]) for label in both), *listed]))


def _top(logs: Mapping[str, float]) -> list[str]:
    return sorted(logs, key=lambda label: (-logs[label], label))[:_LIKELIEST]


def _logs(step: Candidates) -> dict[str, float]:
    return {label: log(share) for label, share in shares(step).items() if share > 0}
