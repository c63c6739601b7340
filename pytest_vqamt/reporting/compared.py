"""What a comparison of two runs found: the values that its table, its markdown and its JSON are made of."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from pytest_vqamt.core.results import Change


class Standing(StrEnum):
    """What is to be said of an item of two runs."""

    WORSE = "worse"
    """It has dropped, by more than is allowed where there is a demand, and that is no chance."""

    BETTER = "better"
    """It has risen, and that is no chance."""

    NO_WORSE = "no worse"
    """The whole 95 % interval of the difference lies above the drop that is allowed."""

    UNCHANGED = "unchanged"
    """No verdict is another one."""

    UNCERTAIN = "uncertain"
    """None of these: more cases are needed to tell."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedRun:
    """One of the two runs.

    Attributes:
        name: as the user named it.
        model, fingerprint: of the models that are compared, each, in the order of the other run's.
        data: the spec and the digest of each source.
    """

    name: str
    vqamt_version: str
    seed: int
    models: tuple[tuple[str, str], ...]
    data: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenTwice:
    """A query with the answers of both runs; None where it had none."""

    text: str
    edits: str
    before: str | None
    after: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class MovedCase:
    """A case that held in one of the runs alone.

    Attributes:
        mended: whether it holds now; otherwise it broke.
        reason: why it did not hold in the run in which it did not.
    """

    case_id: str
    item: str
    model: str
    data: str
    scene: str
    mended: bool
    queries: tuple[SeenTwice, ...]
    expected: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedItem:
    """A relation variant in two runs, its presumed cases apart.

    Attributes:
        models: the names of the two.
        data: the specs of the two, which are mostly the same.
        tags: of the relation.
        version: of the relation now; ``change`` has the one before.
        p_gain: how likely a rise as large as this would be by chance, after Holm for all that are gated together.
        only_before, only_after: how many cases only one of the runs has.
        unjudged: how many cases both have, of which one of them has no verdict, or which a person judged invalid.
        other_verdict: of how many the verdict is another one although every answer is the same.
        broke, mended: the ids of the cases that held before alone, or hold now alone, in their order.
    """

    item: str
    models: tuple[str, str]
    data: tuple[str, str]
    presumed: bool
    tags: tuple[str, ...]
    version: int
    change: Change
    p_gain: float | None
    standing: Standing
    only_before: int
    only_after: int
    unjudged: int
    other_verdict: int
    broke: tuple[str, ...]
    mended: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Two runs, case by case.

    Attributes:
        notes: what else differs between them and may be why, or why little can be said, a sentence each.
        only_before, only_after: items that only one of them has.
        shown: some of the cases that broke or were mended, those of the surest changes first.
        max_drop: how far an item may drop; None where nothing is demanded.
    """

    before: ComparedRun
    after: ComparedRun
    items: tuple[ComparedItem, ...]
    notes: tuple[str, ...]
    only_before: tuple[str, ...]
    only_after: tuple[str, ...]
    shown: tuple[MovedCase, ...]
    max_drop: float | None

    @property
    def missed(self) -> tuple[ComparedItem, ...]:
        """The items that have dropped further than is allowed, beyond chance."""
        return tuple(each for each in self.items if each.change.gate and not each.change.gate.met)
