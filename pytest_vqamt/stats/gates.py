"""What is demanded of relations, of their pass rates and of how far these may fall, and whether they do it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from pytest_vqamt.core.errors import OptionError
from pytest_vqamt.core.identity import matches
from pytest_vqamt.core.results import Gate, RelationResult
from pytest_vqamt.core.tallies import Tally
from pytest_vqamt.stats.paired import judged_together

_NAMED_ONLY = {"baseline", "presumed"}
_NEVER = "control"


class GateOn(StrEnum):
    """What is held against the threshold: ``--vqamt-gate``."""

    POINT = "point"
    LOWER_BOUND = "lower-bound"


@dataclass(frozen=True, slots=True, kw_only=True)
class Threshold:
    """A pass rate to be reached by the items that ``pattern`` names; "*" stands for a bare rate."""

    pattern: str
    rate: float

    @classmethod
    def parse(cls, text: str) -> Threshold:
        """A threshold from ``RATE`` or ``GLOB=RATE``.

        Raises:
            OptionError: the rate is no number from 0 to 1.
        """
        pattern, found, number = (part.strip() for part in text.rpartition("="))
        try:
            rate = float(number)
        except ValueError:
            rate = -1.0
        if not 0 <= rate <= 1 or (found and not pattern):
            raise OptionError(
                f"Expected a pass rate from 0 to 1, as RATE or GLOB=RATE, but got --vqamt-fail-under={text!r}"
            )
        return cls(pattern=pattern or "*", rate=rate)

    @property
    def names_something(self) -> bool:
        """Whether the pattern names relations, and does not just take all of them."""
        return any(character.isalnum() for character in self.pattern)

    @property
    def exactness(self) -> int:
        """How many characters of the pattern are literal."""
        return len(self.pattern.replace("*", ""))


def threshold_for(item: str, tags: Sequence[str], thresholds: Sequence[Threshold]) -> Threshold | None:
    """The threshold that applies to an item: the most exact pattern wins, then the later one.

    Controls are never gated; items tagged "baseline" or "presumed" only by a pattern that names them.
    """
    if _NEVER in tags:
        return None
    must_name = bool(_NAMED_ONLY.intersection(tags))
    fitting = [
        each for each in thresholds if matches(each.pattern, item) and not (must_name and not each.names_something)
    ]
    return max(enumerate(fitting), key=lambda pair: (pair[1].exactness, pair[0]))[1] if fitting else None


def gate(
    item: str,
    tags: Sequence[str],
    tally: Tally,
    interval: tuple[float, float],
    thresholds: Sequence[Threshold],
    on: GateOn,
) -> Gate | None:
    """The gate of an item, or None where nothing is demanded of it. With nothing judged, no gate is met.

    ``interval`` is that of the pass rate.
    """
    threshold = threshold_for(item, tags, thresholds)
    if threshold is None:
        return None
    reached = tally.pass_rate if on is GateOn.POINT else interval[0]
    met = tally.judged > 0 and reached is not None and reached >= threshold.rate
    return Gate(kind="fail-under", threshold=threshold.rate, on=on.value, met=met)


def held_against_baseline(results: Sequence[RelationResult], max_drop: float) -> tuple[RelationResult, ...]:
    """The results, in the order given, those of blessed items with the p-value and the gate that need all of them.

    Gated are all items of which a case was judged both times, but for controls and baselines: a rate for all names none
    of those. Presumed cases are compared, and not gated.
    """
    places = [place for place, result in enumerate(results) if result.change is not None]
    changes = [change for result in results if (change := result.change) is not None]
    gated = [
        change.paired.shared > 0 and not {_NEVER, "baseline"}.intersection(results[place].tags)
        for place, change in zip(places, changes, strict=True)
    ]
    held = dict(zip(places, judged_together(changes, max_drop, gated), strict=True))
    return tuple(replace(result, change=held.get(place)) for place, result in enumerate(results))
