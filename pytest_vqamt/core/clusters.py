"""Cases by the scene that they are of: those of one picture are not independent of each other.

What is kept of an item is how many scenes are alike, not which: enough for every interval and test, and small.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import NamedTuple

from pytest_vqamt.core.case import Outcome

_JUDGED = (Outcome.HOLDS, Outcome.VIOLATED, Outcome.UNPARSED)


class Alike(NamedTuple):
    """So many ``scenes`` have ``judged`` judged cases each, of which ``holds`` hold."""

    holds: int
    judged: int
    scenes: int


class AlikeTwice(NamedTuple):
    """So many ``scenes`` have each, of the cases that two runs have judged, so many that hold in both (``kept``).

    ``lost`` ones held in the first alone, ``won`` ones in the second alone, and ``neither`` in none of them.
    """

    kept: int
    lost: int
    won: int
    neither: int
    scenes: int


@dataclass(frozen=True, slots=True)
class Clusters:
    """The judged cases of an item, by scene: each kind of scene once, in ascending order.

    >>> Clusters((Alike(0, 1, 3), Alike(2, 2, 5))).scenes
    8
    """

    rows: tuple[Alike, ...] = ()

    @property
    def scenes(self) -> int:
        return sum(row.scenes for row in self.rows)

    @property
    def judged(self) -> int:
        return sum(row.judged * row.scenes for row in self.rows)

    @property
    def holds(self) -> int:
        return sum(row.holds * row.scenes for row in self.rows)


@dataclass(frozen=True, slots=True)
class PairedClusters:
    """The cases that two runs have judged, by scene: each kind of scene once, in ascending order."""

    rows: tuple[AlikeTwice, ...] = ()

    @property
    def scenes(self) -> int:
        return sum(row.scenes for row in self.rows)

    @property
    def kept(self) -> int:
        return sum(row.kept * row.scenes for row in self.rows)

    @property
    def lost(self) -> int:
        return sum(row.lost * row.scenes for row in self.rows)

    @property
    def won(self) -> int:
        return sum(row.won * row.scenes for row in self.rows)

    @property
    def neither(self) -> int:
        return sum(row.neither * row.scenes for row in self.rows)

    @property
    def shared(self) -> int:
        """How many cases both runs have judged."""
        return self.kept + self.lost + self.won + self.neither

    @property
    def before(self) -> float | None:
        """The pass rate of the first run on them, None where there are none."""
        return (self.kept + self.lost) / self.shared if self.shared else None

    @property
    def after(self) -> float | None:
        """The pass rate of the second run on them, None where there are none."""
        return (self.kept + self.won) / self.shared if self.shared else None

    @property
    def difference(self) -> float | None:
        """The second pass rate less the first: negative where it has got worse."""
        return (self.won - self.lost) / self.shared if self.shared else None


@dataclass(slots=True)
class Spread:
    """Cases by scene, as they come; one that is waived is not to be added."""

    _by_scene: dict[str, list[int]] = field(default_factory=dict)
    _twice: dict[str, list[int]] = field(default_factory=dict)

    def add(self, scene: str, outcome: Outcome, before: Outcome | None = None) -> None:
        """Counts a case of ``scene``, unless it is an error; ``before`` is what became of it in an earlier run."""
        if outcome not in _JUDGED:
            return
        here = self._by_scene.setdefault(scene, [0, 0])
        holds = outcome is Outcome.HOLDS
        here[0] += holds
        here[1] += 1
        if before in _JUDGED:
            held = before is Outcome.HOLDS
            place = 2 * (not held) + (not holds)  # kept, lost, won, neither
            self._twice.setdefault(scene, [0, 0, 0, 0])[place] += 1

    @property
    def clusters(self) -> Clusters:
        counted = Counter((holds, judged) for holds, judged in self._by_scene.values())
        return Clusters(tuple(Alike(*kind, scenes) for kind, scenes in sorted(counted.items())))

    @property
    def paired(self) -> PairedClusters:
        counted = Counter((kept, lost, won, neither) for kept, lost, won, neither in self._twice.values())
        return PairedClusters(tuple(AlikeTwice(*kind, scenes) for kind, scenes in sorted(counted.items())))
