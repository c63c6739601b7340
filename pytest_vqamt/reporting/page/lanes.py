"""What one model reaches in a row of the chart."""

from __future__ import annotations

from dataclasses import dataclass

from pytest_vqamt.reporting.page.figures import counted, demanded, percent, rate, signed, span
from pytest_vqamt.reporting.view.lines import Line

MARKS = 8
"""How many models have a mark and a colour of their own; others share them in turn."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lane:
    """A lane of a row, ``height_px`` high, with its middle at ``y`` from the row's top.

    ``rate``, ``low``, ``high``, ``threshold``, ``before`` (the baseline) and ``noise`` are places on the axis, in
    percent of its length; "" where there is none.
    """

    mark: int
    y: float
    height_px: int
    rate: str
    low: str
    high: str
    threshold: str
    before: str
    is_worse: bool
    noise: str
    shown: str
    is_missed: bool
    is_met: bool
    title: str


def lane(line: Line, place: int, height_px: int, noise: float | None) -> Lane:
    """The lane of ``line``, the nth of its row from ``place`` 0; ``noise`` is its model's noise floor."""
    counts, change = line.counted, line.counted.change
    reached, held = counts.tally.pass_rate, counts.gate
    low, high = counts.interval
    before = change.paired.before if change else None
    difference = change.paired.difference if change else None
    return Lane(
        mark=line.model % MARKS,
        y=height_px * (place + 0.5),
        height_px=height_px,
        rate="" if reached is None else percent(reached),
        low=percent(low),
        high=percent(high),
        threshold=percent(held.threshold) if held else "",
        before="" if before is None else percent(before),
        is_worse=difference is not None and difference < 0,
        noise="" if noise is None or noise == 1 else percent(noise),
        shown=rate(reached),
        is_missed=line.is_missed,
        is_met=bool(line.gates) and not line.is_missed,
        title=_in_words(line),
    )


def _in_words(line: Line) -> str:
    counts, change = line.counted, line.counted.change
    told = [f"{line.result.model.name}: {rate(counts.tally.pass_rate)}"]
    if counts.tally.judged:
        told.append(f"({span(counts.interval)}, {counted(counts.tally.judged, 'case')})")
    if change:
        told.append(f"baseline {rate(change.paired.before)}, change {signed(change.paired.difference)}")
    told += [f"{demanded(held)}: {'met' if held.met else 'missed'}" for held in line.gates]
    return ", ".join(told).replace(", (", " (")
