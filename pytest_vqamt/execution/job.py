"""What is to be run, and on which terms."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from pytest_vqamt.data.base import SceneSource
from pytest_vqamt.execution.baseline import Blessed
from pytest_vqamt.execution.plan import Plan, Sampling
from pytest_vqamt.models.protocol import LoadedModel
from pytest_vqamt.relations.base import Relation
from pytest_vqamt.stats.gates import GateOn, Threshold


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One relation variant on one model and one data source; ``position`` is its place among the items of the run.

    Where it is ``blessed``, the cases that were blessed are asked, and no others are drawn.
    """

    relation: Relation
    variant: str
    model: LoadedModel
    source: SceneSource
    position: int = 0
    blessed: Blessed | None = None

    @property
    def item(self) -> str:
        return self.relation.info.item(self.variant)

    def plan(self, sampling: Sampling) -> Plan:
        """Its cases."""
        return Plan(self.relation, self.variant, self.source, sampling, self.blessed)


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """How a run is made, the same for all its items.

    ``waived`` maps case ids to reasons. With ``keeps_judged``, results tell of their cases one by one.
    """

    sampling: Sampling = field(default_factory=Sampling)
    thresholds: tuple[Threshold, ...] = ()
    gate_on: GateOn = GateOn.POINT
    shrink: int = 30
    waived: Mapping[str, str] = field(default_factory=dict)
    keeps_judged: bool = False
