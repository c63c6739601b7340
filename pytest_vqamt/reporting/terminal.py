"""The summary at the end of a session, as a table that a person can read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import reduce
from operator import add
from textwrap import wrap

from pytest_vqamt.core.pairs import PairTally
from pytest_vqamt.core.results import (
    BaselineChange,
    BaselineUse,
    Gate,
    ModelDifference,
    Ranking,
    RankingKind,
    RelationResult,
    Report,
    Summary,
    merge_data_uses,
)
from pytest_vqamt.core.tallies import Tally
from pytest_vqamt.reporting.paper_tables import (
    coverage_rows,
    pair_rows,
    pair_rows_in_full,
    summary_rows,
    totals_in_words,
)
from pytest_vqamt.reporting.text import (
    amount,
    asked_in_words,
    folded_in_words,
    is_to_fold,
    not_applicable,
    p_in_words,
    table,
    violation_in_words,
    work_in_words,
)
from pytest_vqamt.reporting.view.lines import counted

_HEAD = ("relation", "cases", "pass rate", "95 % interval", "vacuous", "unparsed", "errors", "gate")
_DOMINANT = 0.8
"""An answer that makes up this share of all is pointed out, unless it is right as often: a model that says "0" or "yes"
to everything."""

_NOISE = "control"
_BAD_SHOWN = 5
_REASONS_SHOWN = 5


def summary(report: Report, again: str = "pytest", *, in_full: bool = False) -> Iterator[str]:
    """The lines of the summary; a command that replays a case begins with ``again``.

    ``in_full`` shows all metrics, and why items had no case.
    """
    for model in report.models:
        for data in report.data:
            results = [r for r in report.relations if (r.model.name, r.data.spec) == (model.name, data.spec)]
            if results:
                summaries = [each for each in report.summaries if (each.model, each.data) == (model.name, data.spec)]
                yield from _block(results, summaries, again, in_full)
                yield ""
    yield from _coverage(report)
    yield from ranking_lines(report, in_full=in_full)
    if compared := list(baseline_lines(report)):
        yield from (*compared, "")
    yield from _waived(report)
    if not report.complete:
        yield "this report is not complete: an item could not be run, or the session was stopped"
    for model in report.models:
        yield f"{model.name} was asked {asked_in_words(model)}"
        if work := work_in_words(model):
            yield f"{model.name} was at work for {work}"
        if model.usage:
            yield f"{model.name} used {', '.join(f'{name} {amount(value)}' for name, value in model.usage)}"
    if report.shard != "1/1":
        yield f"this is shard {report.shard}: `vqamt merge` joins the shards and holds the whole against the gates"
    elif report.relations and not any(result.gates or result.drop_gates for result in report.relations):
        yield "no gate was set, so no pass rate can fail the run: set one with --vqamt-fail-under=RATE or GLOB=RATE"


def _block(results: Sequence[RelationResult], summaries: Sequence[Summary], again: str, in_full: bool) -> Iterator[str]:
    first = results[0]
    yield f"{first.model.name} on {first.data.spec} ({first.data.scenes} scenes)"
    yield from _left_out(results)
    for what, which in dict.fromkeys(each for result in results if result.all_cases for each in result.resources):
        yield f"{what}: {which}"
    folded = not in_full and is_to_fold(results)
    rows = [row for result in results if result.all_cases or not folded for row in _rows(result)]
    if rows:
        yield ""
        yield from table([_HEAD, *rows])
    if folded:
        yield ""
        yield from folded_in_words(results)
    for rows in pair_rows_in_full(results) if in_full else pair_rows(results):
        yield ""
        yield from table(rows)
    for each in summaries:
        yield ""
        yield from table(summary_rows(each))
        yield from totals_in_words(each)
    yield from _remarks(results, in_full)
    for result in results:
        if result.violation and _NOISE not in result.tags and not _told_as_failure(result):
            yield ""
            yield f"{result.item}: {result.claim}"
            yield from violation_in_words(result, result.violation, again)


def _coverage(report: Report) -> Iterator[str]:
    """Whether the models have the same pairs right, a table for each data source."""
    for data in report.data:
        if rows := coverage_rows(report.coverage, data.spec):
            yield f"on {data.spec}, of the pairs that the column's model has right, the share that the row's has too"
            yield ""
            yield from table(rows)
            yield ""


def _waived(report: Report) -> Iterator[str]:
    """How many cases a person judged invalid, and why."""
    of_run = sum(
        tally.waived
        for result in report.relations
        for tally in (result.tally, result.presumed.tally if result.presumed else Tally())
    )
    if not report.waived:
        return
    listed = f"of the {len(report.waived)} that are listed as invalid"
    yield f"{of_run} {'case was' if of_run == 1 else 'cases were'} waived, {listed}:"
    reasons = Counter(reason for _, reason in report.waived).most_common()
    yield from (f"  {reason} ({times})" for reason, times in reasons[:_REASONS_SHOWN])
    if len(reasons) > _REASONS_SHOWN:
        yield f"  and {len(reasons) - _REASONS_SHOWN} more reasons, all in report.json (--vqamt-report=DIR)"


def _left_out(results: Sequence[RelationResult]) -> Iterator[str]:
    """What was wrong with records that could not be used, the first few of them."""
    (data,) = merge_data_uses(results)
    bad = data.bad_records
    if bad:
        yield f"{len(bad)} bad record{'s were' if len(bad) > 1 else ' was'} left out:"
        yield from (f"  {line}" for line in bad[:_BAD_SHOWN])
        if len(bad) > _BAD_SHOWN:
            yield f"  and {len(bad) - _BAD_SHOWN} more, listed in report.json (--vqamt-report=DIR)"


def _told_as_failure(result: RelationResult) -> bool:
    """Whether the violation stands in the message of a failed item already."""
    return any(not held.met for held in (*result.gates, *result.drop_gates))


def _rows(result: RelationResult) -> Iterator[tuple[str, ...]]:
    """A row for the cases of an item, and one for those that are presumed."""
    presumed = result.presumed
    if result.tally.cases or presumed is None:
        yield _row(_named(result, result.tags), result.tally, result.interval, result.gate)
    if presumed is not None:
        yield _row(_named(result, (*result.tags, "presumed")), presumed.tally, presumed.interval, presumed.gate)


def _named(result: RelationResult, tags: Sequence[str]) -> str:
    return f"{result.item} ({', '.join(tags)})" if tags else result.item


def _row(name: str, tally: Tally, interval: tuple[float, float], gate: Gate | None) -> tuple[str, ...]:
    if not tally.cases:
        return name, "0", "-", "-", "-", "-", "-", "not applicable"
    low, high = interval
    rate = "-" if tally.pass_rate is None else f"{tally.pass_rate:.3f}"
    vacuous = f"{tally.vacuous / tally.judged:.0%}" if tally.judged else "-"
    waived = f" ({tally.waived} waived)" if tally.waived else ""
    shown = f"{low:.3f} to {high:.3f}" if tally.judged else "-"
    return (
        name,
        f"{tally.cases}{waived}",
        rate,
        shown,
        vacuous,
        str(tally.unparsed),
        str(tally.errors),
        _gate(gate),
    )


def _gate(gate: Gate | None) -> str:
    if gate is None:
        return "-"
    sign = ">=" if gate.on == "point" else "lower end >="
    return f"{'met' if gate.met else 'MISSED'}: {sign} {gate.threshold:g}"


def _remarks(results: Sequence[RelationResult], in_full: bool) -> Iterator[str]:
    remarks = [remark for result in results for remark in _remark(result, in_full)]
    if remarks:
        yield ""
        yield from remarks


def _remark(result: RelationResult, in_full: bool) -> Iterator[str]:
    if in_full and not result.all_cases:
        yield f"{result.item}: {not_applicable(result)}"
    readings = result.readings + (result.presumed.readings if result.presumed else Counter())
    total = readings.total()
    if total:
        reading, times = min(readings.items(), key=lambda pair: (-pair[1], pair[0]))
        share = times / total
        if share >= _DOMINANT and not _right_as_often(result, share):
            yield f"{result.item}: {share:.0%} of all answers are {reading!r}"
    cut = result.truncated
    if cut:
        yield f"{result.item}: in {cut} of {result.all_cases} cases the model read only the beginning of a question"
    if result.error:
        yield f"{result.item}: {result.errors} of {result.all_cases} cases had no answer; the first: {result.error}"


def _right_as_often(result: RelationResult, share: float) -> bool:
    """Whether it is known of at least this share of the answers that they are right."""
    fed = (result.pairs, result.presumed.pairs if result.presumed else None)
    acc = reduce(add, (pairs.tally for pairs in fed if pairs is not None), PairTally()).acc
    return acc is not None and acc >= share


_SIGNIFICANT = 0.05
_LARGEST = 10
"""How many differences are shown where not all are."""

_PLACES = ("model", "mean pass rate", "95 % interval", "behind the first", "best in")
_DIFFERENCES = ("relation", "shared cases", "better", "worse", "difference", "95 % interval", "p (Holm)")

_OVER = {
    RankingKind.RELATIONS: "",
    RankingKind.PRESUMED: ", their presumed cases alone",
    RankingKind.BASELINE: ", those with the tag baseline",
    RankingKind.CONTROL: ", the controls",
}


def ranking_lines(report: Report, *, in_full: bool = False) -> Iterator[str]:
    """The rankings on each data source, and the surest differences; all of both ``in_full``. Nothing of one model."""
    for data in report.data:
        rankings = [each for each in report.ranking if each.data == data.spec]
        for ranking in rankings:
            if in_full or ranking.kind is RankingKind.RELATIONS:
                yield from _ranking(ranking)
        differences = [each for each in report.differences if each.data == data.spec]
        if differences:
            yield from _differences(data.spec, differences, in_full=in_full)


def _ranking(ranking: Ranking) -> Iterator[str]:
    variants = counted(len(ranking.items), "relation variant")
    yield f"models on {ranking.data}, by their mean pass rate over {variants}{_OVER[ranking.kind]}"
    yield ""
    yield from table(
        [
            _PLACES,
            *(
                (
                    place.model,
                    f"{place.mean:.3f}",
                    _interval(place.interval, sign=""),
                    "-" if place.behind is None else _behind(place.behind.difference, place.behind.interval),
                    str(place.best_in),
                )
                for place in ranking.places
            ),
        ]
    )
    yield ""


def _differences(data: str, differences: Sequence[ModelDifference], *, in_full: bool) -> Iterator[str]:
    sure = [each for each in differences if each.p_holm is not None and each.p_holm < _SIGNIFICANT]
    tested = sum(each.p_holm is not None for each in differences)
    yield (
        f"on {data}, {len(sure)} of {counted(tested, 'comparison')} of two models on a relation variant "
        f"{'shows' if len(sure) == 1 else 'show'} a difference beyond chance (p below {_SIGNIFICANT:g} after Holm)"
    )
    shown = sorted(sure, key=_size)
    if not in_full:
        shown = shown[:_LARGEST]
    if shown:
        yield ""
        yield from table([_DIFFERENCES, *map(_difference, shown)])
    if len(shown) < len(sure):
        yield ""
        yield f"and {len(sure) - len(shown)} smaller ones (pytest -v shows all; report.json has all comparisons)"
    yield ""


def _size(difference: ModelDifference) -> float:
    """Sorts the largest first."""
    return -abs(difference.paired.difference or 0.0)


def _difference(each: ModelDifference) -> tuple[str, ...]:
    paired = each.paired
    told = [(rate, name) for rate, name in zip((paired.first_rate, paired.second_rate), each.models, strict=True)]
    worse, better = sorted(told, key=lambda one: one[0] or 0.0)
    difference = abs(paired.difference or 0.0)
    low, high = each.interval
    turned = (low, high) if better[1] == each.models[1] else (-high, -low)
    return (
        f"{each.item} (presumed)" if each.presumed else each.item,
        str(paired.shared),
        *(f"{name} {rate:.3f}" for rate, name in (better, worse)),
        f"{difference:.3f}",
        _interval(turned, sign="+"),
        "-" if each.p_holm is None else p_in_words(each.p_holm),
    )


def _behind(difference: float, interval: tuple[float, float]) -> str:
    return f"{difference:+.3f} ({_interval(interval, sign='+')})"


def _interval(interval: tuple[float, float] | None, *, sign: str) -> str:
    if interval is None:
        return "-"
    low, high = interval
    return f"{low:{sign}.3f} to {high:{sign}.3f}"


_BASELINE_HEAD = ("relation", "shared cases", "before", "now", "change", "95 % interval", "p (Holm)", "gate")
_WIDTH = 100


def baseline_lines(report: Report) -> Iterator[str]:
    """A table for each model and data source, and what was blessed or run alone; nothing where there is no baseline."""
    use = report.baseline
    if use is None:
        return
    yield f"against the baseline {use.file}: {', '.join(f'{name} ({mark})' for name, mark in use.models)}"
    for model in report.models:
        for data in report.data:
            results = [r for r in report.relations if (r.model.name, r.data.spec) == (model.name, data.spec)]
            yield from _baseline_block(results)
    yield from _named_alone(use)


def _baseline_block(results: Sequence[RelationResult]) -> Iterator[str]:
    from pytest_vqamt.reporting.text import table  # which uses this module

    rows = [row for result in results for row in _baseline_rows(result)]
    if not rows:
        return
    yield ""
    yield f"{results[0].model.name} on {results[0].data.spec}"
    yield ""
    yield from table([_BASELINE_HEAD, *rows])
    remarks = [remark for result in results for remark in _baseline_warnings(result)]
    if remarks:
        yield ""
        yield from remarks


def _baseline_rows(result: RelationResult) -> Iterator[tuple[str, ...]]:
    apart = result.presumed.change if result.presumed else None
    if result.change and (result.change.paired.shared or not apart):
        yield _baseline_row(result.item, result.tags, result.change)
    if apart:
        yield _baseline_row(result.item, (*result.tags, "presumed"), apart)


def _baseline_row(item: str, tags: Sequence[str], change: BaselineChange) -> tuple[str, ...]:
    name = f"{item} ({', '.join(tags)})" if tags else item
    before, after, difference = change.paired.first_rate, change.paired.second_rate, change.paired.difference
    if before is None or after is None or difference is None:
        return name, "0", *("-" for _ in _BASELINE_HEAD[2:])
    low, high = change.interval
    return (
        name,
        str(change.paired.shared),
        f"{before:.3f}",
        f"{after:.3f}",
        f"{difference:+.3f}",
        f"{low:+.3f} to {high:+.3f}",
        "-" if change.p_holm is None else p_in_words(change.p_holm),
        _baseline_gate(change.gate),
    )


def _baseline_gate(gate: Gate | None) -> str:
    if gate is None:
        return "-"
    return f"{'met' if gate.met else 'MISSED'}: drop <= {gate.threshold:g}"


def _baseline_warnings(result: RelationResult) -> Iterator[str]:
    changes = [change for change in (result.change, result.presumed and result.presumed.change) if change]
    versions = {change.version_before for change in changes if change.paired.shared} - {result.version}
    for version in sorted(versions):
        yield f"{result.item}: blessed by version {version} of the relation, judged by version {result.version} now"
    other = sum(change.other_judgement for change in changes)
    if other:
        yield (
            f"{result.item}: {other} of the blessed cases {'is' if other == 1 else 'are'} judged otherwise than then, "
            "from the same answers: before and now are both as they are judged now"
        )


def _named_alone(use: BaselineUse) -> Iterator[str]:
    for items, what in (
        (use.missing, "blessed, and not in this run"),
        (use.new, "new in this run, and held against nothing until blessed"),
    ):
        if items:
            yield ""
            yield from wrap(
                f"{len(items)} {'item' if len(items) == 1 else 'items'} {what}: {', '.join(items)}",
                width=_WIDTH,
                subsequent_indent="  ",
                break_long_words=False,
                break_on_hyphens=False,
            )
