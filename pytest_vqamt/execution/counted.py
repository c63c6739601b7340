"""The cases of an item that are counted together: the ordinary ones, or those that are presumed."""

from __future__ import annotations

from dataclasses import dataclass

from pytest_vqamt.core.pairs import PairCounts
from pytest_vqamt.core.results import Change
from pytest_vqamt.core.tallies import Counts, PairedClusters
from pytest_vqamt.execution.baseline import Blessed
from pytest_vqamt.relations.base import Relation
from pytest_vqamt.stats.paired import change


@dataclass(slots=True)
class Counted:
    """Their counts.

    Attributes:
        blessed: what they are held against, where the item was blessed.
        judged_otherwise: how many of them came out otherwise when they were blessed, from the same answers.
    """

    counts: Counts
    blessed: Blessed | None = None
    judged_otherwise: int = 0

    @classmethod
    def of(cls, relation: Relation, blessed: Blessed | None) -> Counted:
        """None so far, of cases of ``relation``."""
        kind = relation.info.pairs
        return cls(Counts(pairs=PairCounts(kind) if kind else None), blessed)

    @property
    def paired(self) -> PairedClusters | None:
        """The cases that were blessed, as they came out then and now; None where the item was not blessed."""
        return self.counts.spread.paired if self.blessed else None

    @property
    def change(self) -> Change | None:
        """What became of them since, by themselves: without what needs all items of the run."""
        if self.blessed is None:
            return None
        return change(
            self.counts.spread.paired,
            version_before=self.blessed.item.version,
            other_judgement=self.judged_otherwise,
        )
