"""What the page says first: what got worse, and whether this can be released."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from pytest_vqamt.core.results import Report
from pytest_vqamt.reporting.page.figures import counted, demanded, rate, span
from pytest_vqamt.reporting.page.links import chosen
from pytest_vqamt.reporting.page.ranking import best
from pytest_vqamt.reporting.page.since import broke, change_in_words, difference, is_worse, since_baseline
from pytest_vqamt.reporting.view.lines import Line

_DROPS_SHOWN = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """An item that is named first, with why; ``link`` chooses its cases."""

    item: str
    link: str
    of: str
    why: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PageHead:
    """The first lines of the page.

    Attributes:
        state: "missed", "met" or "none" (no gate was set); "partial" where what is met is not all there is to meet.
        title: the answer in a few words.
        about: which models on which data, and how many cases.
        missed: items that missed a gate.
        dropped: other items that have got worse since the baseline, beyond chance; ``drops_left_out`` more have.
        notes: what else to know of gates, baseline and models.
        broke: how many cases held in the baseline and do not now.
    """

    state: str
    title: str
    about: str
    missed: tuple[Finding, ...]
    dropped: tuple[Finding, ...]
    drops_left_out: int
    notes: tuple[str, ...]
    broke: int


def head(report: Report, lines: Sequence[Line]) -> PageHead:
    """What to say first of a report."""
    state, title = _verdict(report, lines)
    dropped = sorted((line for line in lines if not line.is_missed and is_worse(line)), key=difference)
    return PageHead(
        state=state,
        title=title,
        about=_about(report, lines),
        missed=tuple(_finding(report, line) for line in lines if line.is_missed),
        dropped=tuple(_finding(report, line) for line in dropped[:_DROPS_SHOWN]),
        drops_left_out=max(0, len(dropped) - _DROPS_SHOWN),
        notes=tuple(_notes(report, lines)),
        broke=broke(lines),
    )


def _verdict(report: Report, lines: Sequence[Line]) -> tuple[str, str]:
    gates = [held for line in lines for held in line.gates]
    missed = sum(not held.met for held in gates)
    if report.shard != "1/1":
        return "partial", f"Shard {report.shard} of a run"
    if missed:
        return "missed", f"{missed} of {counted(len(gates), 'gate')} missed"
    if not report.complete:
        return "partial", "Not the whole run"
    if not gates:
        return "none", "No gate was set"
    return "met", "The gate is met" if len(gates) == 1 else f"All {len(gates)} gates are met"


def _about(report: Report, lines: Sequence[Line]) -> str:
    models = ", ".join(model.name for model in report.models)
    data = ", ".join(source.spec for source in report.data)
    cases = sum(line.counted.tally.cases for line in lines)
    wrong, noise = (_violations(line for line in lines if line.is_noise is controls) for controls in (False, True))
    items = len({line.result.item for line in lines})
    in_controls = f" and {noise:,} in controls" if noise else ""
    return (
        f"{models} on {data}: {counted(cases, 'case')} of {counted(items, 'relation variant')}, "
        f"{counted(wrong, 'violation')}{in_controls}."
    )


def _violations(lines: Iterable[Line]) -> int:
    return sum(line.counted.tally.violated + line.counted.tally.unparsed for line in lines)


def _finding(report: Report, line: Line) -> Finding:
    result = line.result
    of = [result.model.name] if len(report.models) > 1 else []
    of += [result.data.spec] if len(report.data) > 1 else []
    link = {"relation": result.item, **({"model": result.model.name} if of else {})}
    return Finding(
        item=f"{result.item} (presumed)" if line.is_presumed else result.item,
        link=chosen(**link, **({"data": result.data.spec} if len(report.data) > 1 else {})),
        of=" on ".join(of),
        why=tuple(_why(line)),
    )


def _why(line: Line) -> Iterator[str]:
    counts, change = line.counted, line.counted.change
    for held in line.gates:
        if not held.met:
            reached = f"pass rate {rate(counts.tally.pass_rate)} ({span(counts.interval)}), "
            yield f"{reached if held.kind == 'fail-under' else ''}demanded: {demanded(held)}"
    if change is not None and (is_worse(line) or (change.gate and not change.gate.met)):
        yield change_in_words(change)


def _notes(report: Report, lines: Sequence[Line]) -> Iterator[str]:
    if not any(line.gates for line in lines) and report.shard == "1/1":
        yield "Nothing here can fail a run: set a gate with --vqamt-fail-under=RATE or GLOB=RATE."
    yield from since_baseline(report, lines)
    yield from best(report)
