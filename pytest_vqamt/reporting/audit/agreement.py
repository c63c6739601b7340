"""How far several people agree, and what most of them say."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from pytest_vqamt.reporting.audit.judgements import Judgement
from pytest_vqamt.reporting.audit.sample import Key
from pytest_vqamt.reporting.audit.ticked import Ticked


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """Of the cases that two people have both judged, how many they say the same of.

    Attributes:
        kappa: the agreement beyond chance; None where there is none to be beyond: no case, or one word for all of them.
    """

    first: str
    second: str
    shared: int
    same: int
    kappa: float | None


def agreements(sheets: Sequence[Ticked]) -> tuple[Agreement, ...]:
    """The agreement of each two of them, in the order given."""
    return tuple(_agreement(first, second) for first, second in combinations(sheets, 2))


def _agreement(first: Ticked, second: Ticked) -> Agreement:
    pairs = [(first.said[key], second.said[key]) for key in first.said if key in second.said]
    return Agreement(
        first=first.file.name,
        second=second.file.name,
        shared=len(pairs),
        same=sum(one is other for one, other in pairs),
        kappa=kappa(pairs),
    )


def kappa(pairs: Sequence[tuple[Judgement, Judgement]]) -> float | None:
    """Cohen's kappa, ``(p_o - p_e) / (1 - p_e)``, over the three judgements.

    ``p_o`` is the share of cases that both say the same of, and ``p_e`` the share expected of two people who say each
    word as often as these do, but of cases at random. Cohen, Educational and Psychological Measurement 20 (1960).

    >>> valid, invalid = Judgement.VALID, Judgement.INVALID
    >>> kappa([(valid, valid), (valid, valid), (invalid, invalid), (valid, invalid)])
    0.5
    """
    cases = len(pairs)
    one, other = Counter(each for each, _ in pairs), Counter(each for _, each in pairs)
    by_chance = sum(one[word] * other[word] for word in Judgement)  # times cases * cases
    if by_chance == cases * cases:
        return None
    same = sum(first is second for first, second in pairs)
    return (same * cases - by_chance) / (cases * cases - by_chance)


def most(sheets: Sequence[Ticked]) -> dict[Key, Judgement]:
    """What more than half of those who have judged a case say of it; unsure where there is no such word."""
    words: dict[Key, Counter[Judgement]] = {}
    for sheet in sheets:
        for key, word in sheet.said.items():
            words.setdefault(key, Counter())[word] += 1
    return {key: _most(counted) for key, counted in words.items()}


def _most(counted: Counter[Judgement]) -> Judgement:
    word, times = counted.most_common(1)[0]
    return word if 2 * times > counted.total() else Judgement.UNSURE
