"""The gates of items: thresholds on the pass rate, and limits on its drop since the baseline."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from pytest_vqamt.core.errors import OptionError
from pytest_vqamt.core.identity import matches
from pytest_vqamt.core.results import Gate, RelationResult
from pytest_vqamt.core.tallies import Tally
from pytest_vqamt.stats.paired import with_holm_gates

_GATED_ONLY_BY_NAME = {"baseline", "presumed"}
_NEVER_GATED = "control"


class GateOn(StrEnum):
    """The figure that must reach the threshold (``--vqamt-gate``)."""

    POINT = "point"
    LOWER_BOUND = "lower-bound"


@dataclass(frozen=True, slots=True, kw_only=True)
class Threshold:
    """The least pass rate of the items that ``pattern`` matches; a bare rate has the pattern "*"."""

    pattern: str
    rate: float

    @classmethod
    def parse(cls, text: str) -> Threshold:
        """Parses ``RATE`` or ``GLOB=RATE``.

        Raises:
            OptionError: the rate is not a number from 0 to 1.
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
    def names_relations(self) -> bool:
        return any(character.isalnum() for character in self.pattern)

    @property
    def literal_length(self) -> int:
        return len(self.pattern.replace("*", ""))


def threshold_for(item: str, tags: Sequence[str], thresholds: Sequence[Threshold]) -> Threshold | None:
    """Returns the threshold that applies to an item: that with the most literal characters, then the later one.

    Controls are never gated; items tagged "baseline" or "presumed" only by a pattern that names them.
    """
    if _NEVER_GATED in tags:
        return None
    must_name = bool(_GATED_ONLY_BY_NAME.intersection(tags))
    fitting = [
        each for each in thresholds if matches(each.pattern, item) and not (must_name and not each.names_relations)
    ]
    return max(enumerate(fitting), key=lambda pair: (pair[1].literal_length, pair[0]))[1] if fitting else None


def gate(
    item: str,
    tags: Sequence[str],
    tally: Tally,
    interval: tuple[float, float],
    thresholds: Sequence[Threshold],
    on: GateOn,
) -> Gate | None:
    """Returns the gate of an item, or None without a threshold. An item without judged cases misses its gate.

    ``interval`` is that of the pass rate.
    """
    threshold = threshold_for(item, tags, thresholds)
    if threshold is None:
        return None
    reached = tally.pass_rate if on is GateOn.POINT else interval[0]
    met = tally.judged > 0 and reached is not None and reached >= threshold.rate
    return Gate(kind="fail-under", threshold=threshold.rate, on=on.value, met=met)


def with_baseline_gates(results: Sequence[RelationResult], max_drop: float) -> tuple[RelationResult, ...]:
    """Returns the results in the same order, with Holm-adjusted p-values and gates for those in the baseline.

    Every item that shares judged cases with the baseline is gated, except controls and relations tagged "baseline".
    Presumed cases are compared but not gated.
    """
    places = [place for place, result in enumerate(results) if result.change is not None]
    changes = [change for result in results if (change := result.change) is not None]
    gated = [
        change.paired.shared > 0 and not {_NEVER_GATED, "baseline"}.intersection(results[place].tags)
        for place, change in zip(places, changes, strict=True)
    ]
    held = dict(zip(places, with_holm_gates(changes, max_drop, gated), strict=True))
    return tuple(replace(result, change=held.get(place)) for place, result in enumerate(results))
