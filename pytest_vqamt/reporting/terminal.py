"""The summary at the end of a session, as a table that a person can read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import reduce
from operator import add

from pytest_vqamt.core.pairs import PairTally
from pytest_vqamt.core.results import Gate, RelationResult, Report, Summary, data_used
from pytest_vqamt.core.tallies import Tally
from pytest_vqamt.reporting.baseline_table import baseline_lines
from pytest_vqamt.reporting.costs import amount, asked_in_words, work_in_words
from pytest_vqamt.reporting.folding import folded_in_words, is_to_fold
from pytest_vqamt.reporting.paper_tables import coverage_rows, pair_rows, pair_rows_in_full
from pytest_vqamt.reporting.rankings_table import ranking_lines
from pytest_vqamt.reporting.summary_tables import summary_rows, totals_in_words
from pytest_vqamt.reporting.text import not_applicable, violation_in_words
from pytest_vqamt.reporting.text_table import table

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
    (data,) = data_used(results)
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
