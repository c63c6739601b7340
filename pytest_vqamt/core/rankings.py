"""Several models of one run: which is better on the whole, and where they differ."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from pytest_vqamt.core.clusters import PairedClusters


class RankedKind(StrEnum):
    """Which cases a ranking is over; none is over two kinds."""

    RELATIONS = "relations"
    PRESUMED = "presumed"
    BASELINE = "baseline"
    CONTROL = "control"


@dataclass(frozen=True, slots=True, kw_only=True)
class Behind:
    """How far a mean pass rate is below the first one's: the difference and its 95 % interval, by scene."""

    difference: float
    interval: tuple[float, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranked:
    """A model's place in a ranking.

    Attributes:
        mean: of its pass rates, each item counting alike.
        interval: the 95 % interval of that mean, by scene over all the items; None where the cases are not known.
        best_in: in how many items no model has a higher pass rate.
        behind: how far it is behind the first model; None for that one, and where the cases are not known.
    """

    model: str
    mean: float
    interval: tuple[float, float] | None
    best_in: int
    behind: Behind | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranking:
    """Models on one data source by the mean of their pass rates over the items that all of them have, best first.

    Attributes:
        items: what the mean is over.
    """

    data: str
    kind: RankedKind
    items: tuple[str, ...]
    places: tuple[Ranked, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """Two models on the cases of an item that both have judged.

    Attributes:
        models: their names, in the order of the run.
        presumed: whether it is of the presumed cases alone; the others are without them.
        paired: those cases, the first model's verdicts before the second's.
        interval: the 95 % interval of the second pass rate less the first, by scene.
        p: how likely a difference as large as this, in either direction, would be by chance.
        p_holm: the same, corrected by Holm for all items of these two models on this data; None for a control.
    """

    item: str
    data: str
    presumed: bool
    models: tuple[str, str]
    paired: PairedClusters
    interval: tuple[float, float]
    p: float
    p_holm: float | None
