"""How often each answer was given, as it was understood: a model that says "yes" to everything is seen at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from pytest_vqamt.reporting.page.figures import percent
from pytest_vqamt.reporting.page.lanes import MARKS
from pytest_vqamt.reporting.view.lines import Line

_SHOWN = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """How often a model gave an answer; ``share`` is of all its answers."""

    mark: int
    model: str
    share: str
    shown: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """An answer, with a bar for each model."""

    text: str
    bars: tuple[Bar, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Histogram:
    """The answers to one relation variant, the most frequent first; ``others`` are not shown.

    ``sample`` is of how many cases they are, where it is not all; None where it is.
    """

    item: str
    tags: tuple[str, ...]
    data: str
    readings: tuple[Reading, ...]
    others: int
    sample: int | None


def histograms(lines: Sequence[Line]) -> tuple[Histogram, ...]:
    """A histogram for each relation variant and data source that had an answer."""
    places: dict[tuple[str, bool, str], list[Line]] = {}
    for line in lines:
        if line.counted.readings:
            places.setdefault((*line.place, line.result.data.spec), []).append(line)
    return tuple(_histogram(same) for same in places.values())


def _histogram(lines: Sequence[Line]) -> Histogram:
    together: Counter[str] = Counter()
    for line in lines:
        together += line.counted.readings
    ordered = sorted(together, key=lambda reading: (-together[reading], reading))
    first = lines[0]
    return Histogram(
        item=first.result.item,
        tags=first.tags,
        data=first.result.data.spec,
        readings=tuple(
            Reading(text=reading, bars=tuple(_bar(line, reading) for line in lines)) for reading in ordered[:_SHOWN]
        ),
        others=max(0, len(ordered) - _SHOWN),
        sample=max((line.counted.readings_sample or 0 for line in lines), default=0) or None,
    )


def _bar(line: Line, reading: str) -> Bar:
    times = line.counted.readings[reading]
    share = times / (line.counted.readings.total() or 1)
    return Bar(
        mark=line.model % MARKS,
        model=line.result.model.name,
        share=percent(share),
        shown=f"{times:,} ({share:.0%})",
    )
