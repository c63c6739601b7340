"""Two distributions over the candidates for one token, or for one answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import exp, log
from typing import TypeAlias

Candidates: TypeAlias = Sequence[tuple[str, float]]
"""Texts with scores of any kind that ``probabilities`` takes."""

_LEAST_SHARE = 1e-9


def probabilities(scores: Sequence[float]) -> list[float]:
    """Scores as probabilities: as they are from 0 to 1, of logarithms the exponentials, of others the softmax.

    >>> probabilities([0.75, 0.25]), [round(each, 2) for each in probabilities([-0.69, -1.39])]
    ([0.75, 0.25], [0.5, 0.25])
    >>> [round(each, 2) for each in probabilities([2.0, 0.0])]
    [0.88, 0.12]
    """
    if all(0 <= score <= 1 for score in scores):
        return list(scores)
    # Natural logarithms, as OpenAI's and vLLM's servers send.
    if all(score <= 0 for score in scores):
        return [exp(score) for score in scores]
    # Less the largest, so that exp does not overflow for logits of several hundred.
    most = max(scores)
    weights = [exp(score - most) for score in scores]
    return [weight / sum(weights) for weight in weights]


def shares(candidates: Candidates) -> dict[str, float]:
    """The probability of each candidate; engines write the space before a word, or not.

    >>> shares([(" yes", 0.7), ("no", 0.2), ("yes", 0.1)])
    {'yes': 0.7999999999999999, 'no': 0.2}
    """
    found: dict[str, float] = {}
    scores = probabilities([score for _, score in candidates])
    for (label, _), share in zip(candidates, scores, strict=True):
        # Parts of characters all look alike: their sum is the same on every engine.
        found[label.strip()] = found.get(label.strip(), 0.0) + share
    return found


def likeliest(found: Mapping[str, float]) -> str:
    """The likeliest candidate, of equal ones the first by its text; "" of none."""
    return min(found, key=lambda label: (-found[label], label), default="")


def divergence(first: Candidates, second: Candidates) -> float:
    """The Kullback-Leibler divergence from the first to the second, in nats, over the candidates of both.

    What only one of them lists is one further outcome, so the value is a lower bound.

    >>> divergence([("yes", 0.9), ("no", 0.1)], [("yes", 0.9), ("no", 0.1)])
    0.0
    """
    known, others = shares(first), shares(second)
    pairs = [(known[label], others[label]) for label in sorted(known.keys() & others.keys())]
    pairs.append((1 - sum(p for p, _ in pairs), 1 - sum(q for _, q in pairs)))
    terms = (p * log(p / max(q, _LEAST_SHARE)) for p, q in pairs if p > _LEAST_SHARE)
    return max(0.0, sum(terms))
