"""What became of a line since the baseline, and how sure that is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from pytest_vqamt.core.results import Change, Report
from pytest_vqamt.reporting.page.figures import counted, rate, signed
from pytest_vqamt.reporting.view.lines import Line
from pytest_vqamt.stats.paired import SIGNIFICANT, Standing, standing

_NAMED = 5


def is_worse(line: Line) -> bool:
    """Whether its rate has fallen beyond chance, after Holm where the line is gated with others."""
    change = line.counted.change
    return change is not None and difference(line) < 0 and _p(change) < SIGNIFICANT


def difference(line: Line) -> float:
    """By how much its rate has changed, 0 where nothing is known."""
    change = line.counted.change
    return (change.paired.difference or 0.0) if change else 0.0


def stands(line: Line) -> Standing | None:
    """What its comparison has shown for the drop that is allowed; None where no drop is gated."""
    change = line.counted.change
    return standing(change, change.gate.threshold) if change and change.gate else None


def change_in_words(change: Change) -> str:
    """The two rates, their difference, how sure it is, and how many cases it is made of."""
    low, high = change.interval
    p = f"p = {_p(change):.2g}{'' if change.p_holm is None else ' after Holm'}"
    return (
        f"{rate(change.paired.before)} in the baseline, now {rate(change.paired.after)}: "
        f"{signed(change.paired.difference)} ({signed(low)} to {signed(high)}, {p}), "
        f"{counted(change.paired.lost, 'case')} broke, {change.paired.won:,} mended"
    )


def broke(lines: Sequence[Line]) -> int:
    """How many cases held in the baseline and do not now."""
    return sum(line.counted.change.paired.lost for line in lines if line.counted.change)


def since_baseline(report: Report, lines: Sequence[Line]) -> Iterator[str]:
    """What to know of the comparison as a whole, a sentence each."""
    if report.baseline is None:
        yield "There is no baseline to say what has changed: `vqamt bless DIR -o FILE` makes one of a report."
        return
    changes = [line.counted.change for line in lines if line.counted.change]
    shared = sum(change.paired.shared for change in changes)
    won = sum(change.paired.won for change in changes)
    models = ", ".join(name for name, _ in report.baseline.models)
    yield (
        f"Against the baseline {report.baseline.file} (of {models}), on {counted(shared, 'shared case')}: "
        f"{broke(lines):,} broke, {won:,} mended."
    )
    if not any(map(is_worse, lines)):
        yield "No relation has got worse beyond chance."
    doubtful = [line.result.item for line in lines if _is_doubtful(line)]
    if doubtful:
        more = f" and {len(doubtful) - _NAMED} more" if len(doubtful) > _NAMED else ""
        yield (
            f"The interval of the change lies below 0 for {', '.join(doubtful[:_NAMED])}{more}, but among so many "
            "comparisons that may be chance (Holm)."
        )
    yield from _standings(lines)


def _standings(lines: Sequence[Line]) -> Iterator[str]:
    known = Counter(each for line in lines if (each := stands(line)))
    if not known.total():
        return
    largest = max(
        line.counted.change.gate.threshold for line in lines if line.counted.change and line.counted.change.gate
    )
    told = (
        f"{known[Standing.NO_WORSE]:,} of {counted(known.total(), 'relation')} shown to be no worse than the baseline "
        f"by more than {largest:g}"
    )
    uncertain = known[Standing.UNCERTAIN]
    yield f"{told}; of {uncertain:,} there are too few cases to tell (`vqamt power`)." if uncertain else f"{told}."


def _is_doubtful(line: Line) -> bool:
    change = line.counted.change
    return change is not None and change.interval[1] < 0 and not is_worse(line)


def _p(change: Change) -> float:
    return change.p if change.p_holm is None else change.p_holm
