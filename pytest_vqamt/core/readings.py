"""How often each reading of an answer occurred: over all cases or, where nearly every one is another, over a sample."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

DIFFERENT_AT_MOST = 1_000
"""So many different readings are counted over all cases, however many these are. Captions have more."""
SAMPLE_CASES = 5_000
"""So many cases are counted else: those whose ids come first, which are digests, so as good as drawn at random."""


@dataclass(slots=True)
class Readings:
    """The readings as they come, case by case; in what order does not matter, and few cases are in memory.

    >>> seen = Readings()
    >>> seen.add("1", ("yes", "no"))
    >>> seen.add("2", ("yes",))
    >>> seen.counted["yes"], seen.sample
    (2, None)
    """

    _all: Counter[str] | None = field(default_factory=Counter)
    _first: list[tuple[str, tuple[str, ...]]] = field(default_factory=list)
    _last_id: str = ""
    _cases: int = 0

    def add(self, case_id: str, readings: Sequence[str]) -> None:
        """Adds those of a case; one without an answer has none."""
        if not readings:
            return
        self._cases += 1
        if self._all is not None:
            self._all.update(readings)
            if len(self._all) > DIFFERENT_AT_MOST:
                self._all = None
        if not self._last_id or case_id < self._last_id:
            self._first.append((case_id, tuple(readings)))
            if len(self._first) == 2 * SAMPLE_CASES:
                self._keep_first()

    @property
    def counted(self) -> Counter[str]:
        """How often each occurred, of all cases or of the sample."""
        if self._all is not None:
            return self._all
        self._keep_first()
        return Counter(reading for _, readings in self._first for reading in readings)

    @property
    def sample(self) -> int | None:
        """Of how many cases they are counted; None where it is all."""
        return None if self._all is not None or self._cases <= SAMPLE_CASES else SAMPLE_CASES

    def _keep_first(self) -> None:
        self._first.sort()
        del self._first[SAMPLE_CASES:]
        if len(self._first) == SAMPLE_CASES:
            self._last_id = self._first[-1][0]
