"""What became of a relation between two runs, on the cases that both have judged."""

from __future__ import annotations

from dataclasses import dataclass

from pytest_vqamt.core.clusters import PairedClusters
from pytest_vqamt.core.gate import Gate


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """The paired comparison of one item.

    Attributes:
        paired: the cases that both runs have judged.
        interval: the 95 % interval of the difference of the pass rates, by scene.
        p: how likely a drop as large as this would be by chance, were the runs equally good (one-sided, by scene).
        p_holm: the same, corrected by Holm for all items of the comparison; None where it stands alone so far.
        p_two_sided: how likely a difference as large as this, in either direction, would be by chance.
        p_mcnemar: the same by McNemar's exact test, which takes all cases for independent: what other tools give.
        gate: what was demanded of the drop ("max-drop"), and whether that was met; None where nothing was.
        version_before: the version of the relation in the first run, which may word or sample its cases otherwise.
        other_judgement: how many cases of the first run are judged otherwise by this version of the package, from the
            same answers; they count as they are judged now.
    """

    paired: PairedClusters
    interval: tuple[float, float]
    p: float
    p_two_sided: float
    p_holm: float | None = None
    gate: Gate | None = None
    version_before: int = 1
    other_judgement: int = 0
    p_mcnemar: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class BaselineUse:
    """The blessed run that a gated run was held against.

    Attributes:
        file: its name, without the folder.
        digest: of its content.
        models: the name and the fingerprint of each model that was blessed.
        missing: items that were blessed and are not in this run.
        new: items of this run that were not blessed.
    """

    file: str
    digest: str
    models: tuple[tuple[str, str], ...]
    missing: tuple[str, ...] = ()
    new: tuple[str, ...] = ()
