"""What became of items between two runs, and the gate that looks at all of them together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from enum import StrEnum

from pytest_vqamt.core.results import Change, Gate
from pytest_vqamt.core.tallies import PairedClusters
from pytest_vqamt.stats.holm import holm
from pytest_vqamt.stats.paired import drop_p, mcnemar_p, paired_interval, two_sided_p

SIGNIFICANT = 0.05
"""A p-value below this one is no chance."""


class Standing(StrEnum):
    """What a comparison has shown of an item, for a drop that is still tolerated."""

    WORSE = "worse"
    """It has dropped by more than is tolerated, and that is no chance: its gate is missed."""

    NO_WORSE = "no worse"
    """The whole 95 % interval of the difference lies above the drop that is tolerated: shown not to be worse."""

    UNCERTAIN = "uncertain"
    """Neither: more cases are needed to tell."""


def change(paired: PairedClusters, *, version_before: int = 1, other_judgement: int = 0) -> Change:
    """The comparison of one item by itself; ``judged_together`` adds what needs all of them."""
    return Change(
        paired=paired,
        interval=paired_interval(paired),
        p=drop_p(paired),
        p_two_sided=two_sided_p(paired),
        version_before=version_before,
        other_judgement=other_judgement,
        p_mcnemar=mcnemar_p(paired),
    )


def judged_together(changes: Sequence[Change], max_drop: float, gated: Sequence[bool]) -> tuple[Change, ...]:
    """The changes, in the order given: those that are gated with Holm's p-value over all of them, and their gate.

    A gate is missed where the drop is both larger than ``max_drop`` and significant after Holm. Those that are not
    gated have neither.
    """
    adjusted = iter(holm([each.p for each, counts in zip(changes, gated, strict=True) if counts]))
    return tuple(
        _with_gate(each, max_drop, next(adjusted)) if counts else replace(each, p_holm=None, gate=None)
        for each, counts in zip(changes, gated, strict=True)
    )


def standing(change: Change, max_drop: float) -> Standing:
    """What ``change`` (one that ``judged_together`` gave) has shown, of the three that there are.

    One that is not gated is taken by itself: its p-value as it stands, without Holm.
    """
    if _too_large(change, max_drop) and _p(change) < SIGNIFICANT:
        return Standing.WORSE
    return Standing.NO_WORSE if change.interval[0] > -max_drop else Standing.UNCERTAIN


def _with_gate(change: Change, max_drop: float, p_holm: float) -> Change:
    met = not (_too_large(change, max_drop) and p_holm < SIGNIFICANT)
    return replace(change, p_holm=p_holm, gate=Gate(kind="max-drop", threshold=max_drop, on="holm", met=met))


def _too_large(change: Change, max_drop: float) -> bool:
    difference = change.paired.difference
    return difference is not None and -difference > max_drop


def _p(change: Change) -> float:
    return change.p if change.p_holm is None else change.p_holm
