"""The table of the overview: a row for each line of the report, in numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from pytest_vqamt.core.results import ModelDifference, RankedModel, Ranking, RankingKind, Report
from pytest_vqamt.reporting.view.lines import (
    Line,
    broke,
    change_in_words,
    chosen,
    counted,
    demanded,
    difference,
    is_worse,
    people,
    published_rates,
    rate,
    signed,
    since_baseline,
    span,
    stands,
)
from pytest_vqamt.stats.paired import SIGNIFICANT, ChangeStatus

_STANDINGS: Mapping[ChangeStatus | None, str] = MappingProxyType(
    {ChangeStatus.NO_WORSE: "shown to be no worse", ChangeStatus.UNCERTAIN: "too few cases to tell"}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """What is shown; ``key`` is what its column is sorted by, a number written out or a text.

    ``link`` chooses its cases, ``notes`` stand beside it, ``state`` is "missed", "met", "worse" or "better".
    """

    text: str
    key: str
    link: str = ""
    notes: tuple[str, ...] = ()
    state: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Column:
    """A column; an optional one is left out where none of its cells has anything to say."""

    name: str
    cell: Callable[[Line], Cell]
    is_number: bool = True
    is_optional: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnHead:
    """The head of a column; numbers stand to the right."""

    name: str
    is_number: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Overview:
    """The table; its rows have a cell for each head."""

    heads: tuple[ColumnHead, ...]
    rows: tuple[tuple[Cell, ...], ...]


def overview(report: Report, lines: Sequence[Line]) -> Overview:
    """The table, with those columns that have something to say of this report."""
    several_models, several_data = len(report.models) > 1, len(report.data) > 1
    filled = [
        (column, cells)
        for column in _COLUMNS
        if (column.name != "model" or several_models) and (column.name != "data" or several_data)
        for cells in [[column.cell(line) for line in lines]]
        if not column.is_optional or any(cell.text not in ("-", "0") for cell in cells)
    ]
    return Overview(
        heads=tuple(ColumnHead(name=column.name, is_number=column.is_number) for column, _ in filled),
        rows=tuple(zip(*(cells for _, cells in filled), strict=True)),
    )


def _relation(line: Line) -> Cell:
    result = line.result
    link = chosen(relation=result.item, model=result.model.name, data=result.data.spec)
    return Cell(text=result.item, key=result.item, link=link, notes=line.tags)


def _gate(line: Line) -> Cell:
    gates = line.gates
    if not gates:
        return Cell(text="-", key="2")
    told = "; ".join(
        f"{word}: {', '.join(demanded(held) for held in gates if held.met is met)}"
        for word, met in (("missed", False), ("met", True))
        if any(held.met is met for held in gates)
    )
    known = stands(line)
    return Cell(
        text=told,
        key="0" if line.is_missed else "1",
        state="missed" if line.is_missed else "met",
        notes=(_STANDINGS[known],) if known in _STANDINGS else (),
    )


def _change(line: Line) -> Cell:
    change = line.counted.change
    if change is None or change.paired.difference is None:
        return Cell(text="-", key="")
    low, high = change.interval
    return Cell(
        text=f"{signed(change.paired.difference)} ({signed(low)} to {signed(high)})",
        key=repr(change.paired.difference),
        state="worse" if is_worse(line) else "better" if low > 0 else "",
    )


def _before(line: Line) -> Cell:
    change = line.counted.change
    return _of_rate(change.paired.first_rate if change else None)


def _people(line: Line) -> Cell:
    known = people(line.result)
    if known is None:
        return _of_rate(None)
    return Cell(text=rate(known.rate), key=repr(known.rate), notes=("whole test",) if known.of_whole_test else ())


def _published(line: Line) -> Cell:
    rates = published_rates(line.result.item)
    return Cell(text=span((rates[0], rates[-1])), key=repr(rates[0])) if rates else _of_rate(None)


def _interval(line: Line) -> Cell:
    if not line.counted.tally.judged:
        return _of_rate(None)
    return Cell(text=span(line.counted.interval), key=repr(line.counted.interval[0]))


def _of_rate(value: float | None) -> Cell:
    return Cell(text=rate(value), key="" if value is None else repr(value))


def _of_count(name: str) -> Callable[[Line], Cell]:
    def cell(line: Line) -> Cell:
        count: int = getattr(line.counted.tally, name)
        return Cell(text=f"{count:,}" if count else "0", key=str(count))

    return cell


def _of_text(text: str) -> Cell:
    return Cell(text=text, key=text)


_COLUMNS: tuple[_Column, ...] = (
    _Column(name="relation", cell=_relation, is_number=False),
    _Column(name="model", cell=lambda line: _of_text(line.result.model.name), is_number=False),
    _Column(name="data", cell=lambda line: _of_text(line.result.data.spec), is_number=False),
    _Column(name="gate", cell=_gate, is_number=False),
    _Column(name="pass rate", cell=lambda line: _of_rate(line.counted.tally.pass_rate)),
    _Column(name="95 % interval", cell=_interval),
    _Column(name="baseline", cell=_before, is_optional=True),
    _Column(name="change", cell=_change, is_optional=True),
    _Column(name="cases", cell=_of_count("cases")),
    _Column(name="violated", cell=_of_count("violated")),
    _Column(name="unparsed", cell=_of_count("unparsed")),
    _Column(name="vacuous", cell=_of_count("vacuous")),
    _Column(name="errors", cell=_of_count("errors")),
    _Column(name="waived", cell=_of_count("waived"), is_optional=True),
    _Column(name="truncated", cell=_of_count("truncated"), is_optional=True),
    _Column(name="people", cell=_people, is_optional=True),
    _Column(name="published models", cell=_published, is_optional=True),
)


def cautions(report: Report, lines: Sequence[Line], left_out: int) -> Iterator[str]:
    """A sentence each; ``left_out`` violations have no card."""
    if not report.complete:
        yield (
            "This report is not complete: an item could not be run, or the run was stopped before its end. What was "
            "not run to its end is missing here."
        )
    if report.shard != "1/1":
        yield (
            f"This is shard {report.shard}: it has a part of the cases alone. `vqamt merge` joins the shards and holds "
            "the whole against the gates."
        )
    errors = sum(line.counted.tally.errors for line in lines)
    if errors:
        cases = sum(line.counted.tally.cases for line in lines)
        yield f"{errors:,} of {counted(cases, 'case')} had no answer (a model or a file failed): no rate counts them."
    bad = sum(len(source.bad_records) for source in report.data)
    if bad:
        yield f"{counted(bad, 'record')} of the data could not be used and {'was' if bad == 1 else 'were'} left out."
    truncated = sum(line.counted.tally.truncated for line in lines)
    if truncated:
        yield f"In {counted(truncated, 'case')} a model read only the beginning of a question."
    if report.baseline is not None:
        yield from _not_compared("in the baseline and not in this run", report.baseline.missing)
        yield from _not_compared("in this run and not in the baseline", report.baseline.new)
    if left_out:
        violations = sum(line.counted.tally.violated + line.counted.tally.unparsed for line in lines)
        yield (
            f"{violations - left_out:,} of {counted(violations, 'violation')} have a card on this page: "
            f"{'first those that broke since the baseline, then ' if report.baseline else ''}of each relation variant "
            "its fair share, those whose case ids come first, which is as good as drawn at random. All figures are "
            "over all cases."
        )


def _not_compared(where: str, items: Sequence[str]) -> Iterator[str]:
    if items:
        yield f"{counted(len(items), 'relation variant')} {where}: {', '.join(items)}."


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


_OVER: Mapping[RankingKind, str] = MappingProxyType(
    {
        RankingKind.RELATIONS: "",
        RankingKind.PRESUMED: ", presumed cases",
        RankingKind.BASELINE: ", relations tagged baseline",
        RankingKind.CONTROL: ", controls",
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Captioned:
    """A table with what stands above it."""

    caption: str
    table: Overview


def rankings(report: Report) -> tuple[Captioned, ...]:
    """A table for each ranking of the report."""
    return tuple(map(_ranking, report.ranking))


def differences(report: Report) -> tuple[Captioned, ...]:
    """A table for every two models on each data source, the surest differences first."""
    pairs: dict[tuple[str, tuple[str, str]], list[ModelDifference]] = {}
    for each in report.differences:
        pairs.setdefault((each.data, each.models), []).append(each)
    return tuple(_differences(data, models, found) for (data, models), found in pairs.items())


def best(report: Report) -> Iterator[str]:
    """Who is first in each ranking over relations, and how far ahead of the second."""
    for ranking in report.ranking:
        if ranking.kind is not RankingKind.RELATIONS:
            continue
        first, second = ranking.places[:2]
        told = (
            f"On {ranking.data}, {first.model} has the highest mean of {counted(len(ranking.items), 'pass rate')}, "
            f"{rate(first.mean)}; {second.model} has {rate(second.mean)}"
        )
        if second.behind:
            low, high = second.behind.interval
            told += f" ({signed(second.behind.difference)}, {signed(low)} to {signed(high)})"
        yield f"{told}."


def _ranking(ranking: Ranking) -> Captioned:
    heads = ("model", "mean pass rate", "95 % interval", "behind the first", "best in")
    return Captioned(
        caption=(
            f"{ranking.data}{_OVER[ranking.kind]}: mean of {counted(len(ranking.items), 'pass rate')}, each relation "
            "variant counting alike"
        ),
        table=Overview(
            heads=tuple(ColumnHead(name=name, is_number=bool(place)) for place, name in enumerate(heads)),
            rows=tuple(map(_place, ranking.places)),
        ),
    )


def _place(ranked: RankedModel) -> tuple[Cell, ...]:
    behind = ranked.behind
    return (
        Cell(text=ranked.model, key=ranked.model, link=chosen(model=ranked.model)),
        Cell(text=rate(ranked.mean), key=repr(ranked.mean)),
        Cell(text="-", key="")
        if ranked.interval is None
        else Cell(text=span(ranked.interval), key=repr(ranked.interval[0])),
        Cell(text="-", key="")
        if behind is None
        else Cell(text=_between(behind.difference, behind.interval), key=repr(behind.difference)),
        Cell(text=f"{ranked.best_in:,}", key=str(ranked.best_in)),
    )


def _differences(data: str, models: tuple[str, str], found: list[ModelDifference]) -> Captioned:
    first, second = models
    heads = (
        "relation",
        first,
        second,
        "difference",
        "p after Holm",
        "first alone holds",
        "second alone holds",
        "cases",
    )
    ordered = sorted(found, key=lambda each: (_p(each), each.p))
    surely = sum(_p(each) < SIGNIFICANT for each in found)
    tested = sum(each.p_holm is not None for each in found)
    return Captioned(
        caption=(
            f"{second} against {first} on {data}: they differ beyond chance in {surely:,} of "
            f"{counted(tested, 'relation variant')}"
        ),
        table=Overview(
            heads=tuple(ColumnHead(name=name, is_number=bool(place)) for place, name in enumerate(heads)),
            rows=tuple(_difference(each) for each in ordered),
        ),
    )


def _difference(each: ModelDifference) -> tuple[Cell, ...]:
    paired = each.paired
    apart = paired.difference or 0.0
    surely = _p(each) < SIGNIFICANT
    return (
        Cell(
            text=each.item,
            key=each.item,
            link=chosen(relation=each.item, data=each.data),
            notes=("presumed",) if each.presumed else (),
        ),
        Cell(text=rate(paired.first_rate), key=repr(paired.first_rate)),
        Cell(text=rate(paired.second_rate), key=repr(paired.second_rate)),
        Cell(
            text=_between(apart, each.interval),
            key=repr(apart),
            state=("worse" if apart < 0 else "better") if surely else "",
        ),
        Cell(
            text="-" if each.p_holm is None else f"{each.p_holm:.2g}",
            key="" if each.p_holm is None else repr(each.p_holm),
        ),
        Cell(text=f"{paired.first_only:,}", key=str(paired.first_only)),
        Cell(text=f"{paired.second_only:,}", key=str(paired.second_only)),
        Cell(text=f"{paired.shared:,}", key=str(paired.shared)),
    )


def _p(each: ModelDifference) -> float:
    """Of a control, which is not tested, 1."""
    return 1.0 if each.p_holm is None else each.p_holm


def _between(difference: float, interval: tuple[float, float]) -> str:
    low, high = interval
    return f"{signed(difference)} ({signed(low)} to {signed(high)})"
