"""The summary in the terminal at the end of a session."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from pytest_vqamt.core.pairs import PairTally
from pytest_vqamt.core.plain_text import quoted, shortened, visible
from pytest_vqamt.core.results import (
    RelationResult,
    Report,
    Summary,
    merge_data_uses,
)
from pytest_vqamt.reporting.paper_tables import coverage_table, pair_tables, summary_table
from pytest_vqamt.reporting.text import (
    describe_queries,
    describe_usage,
    describe_utilisation,
    example_lines,
    folded_lines,
    folds_inapplicable,
    not_applicable_message,
)
from pytest_vqamt.reporting.view.answers import wrapped_noise_lines
from pytest_vqamt.reporting.view.format import count_noun, wrapped
from pytest_vqamt.reporting.view.grounding import wrapped_misleading_lines
from pytest_vqamt.reporting.view.overview import results_table
from pytest_vqamt.reporting.view.rankings import largest_differences, summary_tables
from pytest_vqamt.reporting.view.rows import results_by_model_and_data
from pytest_vqamt.reporting.view.tables import ViewTable, changes_table

_DOMINANT = 0.8
"""An answer with this share of all is pointed out unless it is right as often: a model that always says "yes"."""

_BAD_RECORDS_SHOWN = 5
_REASONS_SHOWN = 5
_DIFFERENCES_SHOWN = 10
_CONTRASTS_SHOWN = 3
"""Violations of contrasts of items without a violation: with more, a blind model would fill the terminal."""


def summary(report: Report, again: str = "pytest", *, in_full: bool = False) -> Iterator[str]:
    """The lines of the summary.

    Args:
        report: of the session.
        again: the beginning of replay commands.
        in_full: show all metrics, and why items have no case.
    """
    yield from map(visible, _lines(report, again, in_full=in_full))


def _lines(report: Report, again: str, *, in_full: bool) -> Iterator[str]:
    for names, results in results_by_model_and_data(report):
        summaries = [each for each in report.summaries if (each.model, each.data) == names]
        yield from _block(results, summaries, again, in_full)
        yield ""
    for data in report.data:
        if table := coverage_table(report, data.spec):
            yield from _captioned(table)
    yield from ranking_lines(report, in_full=in_full)
    if compared := list(baseline_lines(report)):
        yield from (*compared, "")
    yield from _waived(report)
    if not report.complete:
        yield "this report is not complete: an item could not be run, or the session was stopped"
    for use in report.models:
        yield f"{use.name} queries: {describe_queries(use)}"
        if utilisation := describe_utilisation(use):
            yield f"{use.name} model utilisation {utilisation}"
        if use.usage:
            yield f"{use.name} {describe_usage(use)}"
    if report.shard != "1/1":
        yield f"this is shard {report.shard}: `vqamt merge` joins the shards and checks the gates on all cases"
    elif report.relations and not any(result.gates or result.drop_gates for result in report.relations):
        yield "no gate was set, so no pass rate can fail the run: set one with --vqamt-fail-under=RATE or GLOB=RATE"


def _block(results: Sequence[RelationResult], summaries: Sequence[Summary], again: str, in_full: bool) -> Iterator[str]:
    first = results[0]
    yield f"{first.model.name} on {first.data.spec} ({first.data.scenes} scenes)"
    yield from _bad_records(results)
    for what, which in dict.fromkeys(each for result in results if result.all_cases for each in result.resources):
        yield f"{what}: {which}"
    folded = not in_full and folds_inapplicable(results)
    table = results_table([result for result in results if result.all_cases or not folded])
    if table.rows:
        yield ""
        yield from table.lines
    if folded:
        yield ""
        yield from folded_lines(results)
    for table in (*pair_tables(results, in_full=in_full), *map(summary_table, summaries)):
        yield ""
        yield from table.lines
        yield from table.notes
    if warnings := [warning for result in results for warning in _warnings(result, in_full)]:
        yield ""
        yield from warnings
    if misleading := list(wrapped_misleading_lines(results)):
        yield ""
        yield from misleading
    if noisy := list(wrapped_noise_lines(results)):
        yield ""
        yield from noisy
    without_violation = [result for result in results if result.ungrounded and not result.violation]
    least_grounded = sorted(without_violation, key=_grounded_rate)[:_CONTRASTS_SHOWN]
    for result in results:
        is_failure = any(not gate.met for gate in (*result.gates, *result.drop_gates))  # its message has the violation
        if not is_failure and (result.violation or result in least_grounded):
            yield ""
            yield f"{result.item}: {result.claim}"
            yield from example_lines(result, again)


def _grounded_rate(result: RelationResult) -> float:
    rate = result.grounded.rate if result.grounded else None
    return 1.0 if rate is None else rate


def _bad_records(results: Sequence[RelationResult]) -> Iterator[str]:
    (data,) = merge_data_uses(results)
    bad = data.bad_records
    if bad:
        yield f"{len(bad)} bad record{'s were' if len(bad) > 1 else ' was'} left out:"
        yield from (f"  {line}" for line in bad[:_BAD_RECORDS_SHOWN])
        if len(bad) > _BAD_RECORDS_SHOWN:
            yield f"  and {len(bad) - _BAD_RECORDS_SHOWN} more, listed in report.json (--vqamt-report=DIR)"


def _warnings(result: RelationResult, in_full: bool) -> Iterator[str]:
    if in_full and not result.all_cases:
        yield f"{result.item}: {not_applicable_message(result)}"
    readings = sum((stratum.readings for stratum in result.strata), Counter[str]())
    is_judged = any(stratum.tally.judged for stratum in result.strata)
    if (total := readings.total()) and is_judged:
        reading, times = min(readings.items(), key=lambda pair: (-pair[1], pair[0]))
        share = times / total
        if share >= _DOMINANT and not _is_right_as_often(result, share):
            yield f"{result.item}: {share:.0%} of all answers are {quoted(reading)}"
    if result.truncated:
        yield (
            f"{result.item}: in {result.truncated} of {result.all_cases} cases the model read only the beginning of a "
            "question"
        )
    if result.error:
        first = shortened(result.error)
        yield f"{result.item}: {result.errors} of {result.all_cases} cases had no answer; the first: {first}"


def _is_right_as_often(result: RelationResult, share: float) -> bool:
    acc = sum((stratum.pairs.tally for stratum in result.strata if stratum.pairs), PairTally()).acc
    return acc is not None and acc >= share


def _captioned(table: ViewTable) -> Iterator[str]:
    yield table.caption
    if table.rows:
        yield ""
        yield from table.lines
    for note in table.notes:
        yield ""
        yield note
    yield ""


def _waived(report: Report) -> Iterator[str]:
    if not report.waived:
        return
    waived = sum(stratum.tally.waived for result in report.relations for stratum in result.strata)
    yield (
        f"{waived} {'case was' if waived == 1 else 'cases were'} waived, of the {len(report.waived)} that are listed "
        "as invalid:"
    )
    reasons = Counter(reason for _, reason in report.waived).most_common()
    yield from (f"  {reason} ({times})" for reason, times in reasons[:_REASONS_SHOWN])
    if len(reasons) > _REASONS_SHOWN:
        yield f"  and {len(reasons) - _REASONS_SHOWN} more reasons, all in report.json (--vqamt-report=DIR)"


def ranking_lines(report: Report, *, in_full: bool = False) -> Iterator[str]:
    """The rankings and the largest significant differences on each data source; ``in_full`` all of both."""
    for table in summary_tables(report, in_full=in_full):
        yield from _captioned(table)
    for data in report.data:
        if found := [each for each in report.differences if each.data == data.spec]:
            yield from _captioned(largest_differences(data.spec, found, len(found) if in_full else _DIFFERENCES_SHOWN))


def baseline_lines(report: Report) -> Iterator[str]:
    """The changes since the baseline, a table for each model and data source; nothing without a baseline."""
    use = report.baseline
    if use is None:
        return
    yield f"against the baseline {use.file}: {', '.join(f'{name} ({mark})' for name, mark in use.models)}"
    for (model, data), results in results_by_model_and_data(report):
        table = changes_table(results)
        if not table.rows:
            continue
        yield ""
        yield f"{model} on {data}"
        yield ""
        yield from table.lines
        if warnings := [warning for result in results for warning in _baseline_warnings(result)]:
            yield ""
            yield from warnings
    for items, where in (
        (use.missing, "in the baseline but not in this run"),
        (use.new, "in this run but not in the baseline, so not compared"),
    ):
        if items:
            yield ""
            yield from wrapped(f"{count_noun(len(items), 'item')} {where}: {', '.join(items)}")


def _baseline_warnings(result: RelationResult) -> Iterator[str]:
    versions = {change.version_before for change in result.changes if change.paired.shared} - {result.version}
    for version in sorted(versions):
        yield f"{result.item}: relation version {version} in the baseline, {result.version} now"
    if other := sum(change.other_judgement for change in result.changes):
        yield (
            f"{result.item}: {count_noun(other, 'baseline case')} {'has' if other == 1 else 'have'} another verdict "
            "now for the same answers; both columns use it"
        )
