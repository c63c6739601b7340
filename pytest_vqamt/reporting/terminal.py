"""The summary in the terminal at the end of a session."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from pytest_vqamt.core.pairs import PairTally
from pytest_vqamt.core.results import (
    BaselineChange,
    Gate,
    QueryPreview,
    RelationResult,
    Report,
    Summary,
    ViolationPreview,
    merge_data_uses,
)
from pytest_vqamt.core.text import count_noun, cut, one_line, quoted, shortened, visible
from pytest_vqamt.reporting.html.case_selection import fair_shares
from pytest_vqamt.reporting.item_messages import (
    describe_queries,
    describe_usage,
    describe_utilisation,
    example_lines,
    folded_lines,
    folds_inapplicable,
    not_applicable_message,
)
from pytest_vqamt.reporting.paper_tables import coverage_table, model_tables, pair_tables, summary_table
from pytest_vqamt.reporting.view.answers import wrapped_noise_lines
from pytest_vqamt.reporting.view.format import (
    WIDTH,
    ViewTable,
    aligned_table,
    changes_table,
    describe_points,
    format_limit,
    format_percent,
    tagged,
    wrapped,
)
from pytest_vqamt.reporting.view.headline import (
    Headline,
    bad_records_line,
    cannot_fall_lines,
    expired_waivers_line,
    headline,
    is_broken,
    model_notes,
    report_warnings,
    run_parts,
    shard_line,
    together_lines,
    total_drop_lines,
    total_notes,
    undecided_lines,
)
from pytest_vqamt.reporting.view.model_figures import wrapped_misleading_lines
from pytest_vqamt.reporting.view.overview import results_table
from pytest_vqamt.reporting.view.rankings import largest_differences, summary_tables
from pytest_vqamt.reporting.view.rows import ResultRow, result_rows, results_by_model_and_data

_DOMINANT = 0.8
"""An answer with this share of all is pointed out unless it is right as often: a model that always says "yes"."""

_BAD_RECORDS_SHOWN = 5

_REASONS_SHOWN = 5
"""Reasons of waivers, the most frequent first."""

_DIFFERENCES_SHOWN = 10
"""Differences of two models on one relation variant, the largest first."""

_CONTRASTS_SHOWN = 3
"""Violations of contrasts of items without a violation: with more, a blind model would fill the terminal."""

LINES = 30
"""The most lines of the short summary, with its title and the notes below it."""

_AROUND_ROWS = 4
"""The lines of the table that are no rows: its head with the rule, the number of other relations, and a note."""

_PARTS_SHOWN = 3
"""Models on data sources that have a line of figures each."""

_ROWS_SHOWN = 10
_FEWEST_ROWS = 3
"""The table of the weakest relations has so many rows before a violation takes their room."""

_WARNING_LINES = 8
_VIOLATIONS_SHOWN = 3

_KINDS_OF_READING = {"yes": "yes/no answers", "no": "yes/no answers"}
_FEWEST_ANSWERS = 100
"""Of fewer, most may be alike by chance."""

_FEWEST_SCENES = 10
"""Fewer scenes may well all have the same right answer."""

_OF_CONTRASTS = "grounded: of the cases with a contrast alone, so it can be above the rate of all cases"

_BEFORE = "before"
_WORST_HEAD = ("weakest relations", "consistent", _BEFORE, "grounded", _BEFORE, "gate")
"""Without a baseline the columns of rates before are left out."""

_NAME_CHARS = 64

_QUERIES_SHOWN = 3
"""Of a violation; "..." stands for the others."""


class SummaryLength(StrEnum):
    """``--vqamt-summary``."""

    SHORT = "short"
    FULL = "full"
    NONE = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryLine:
    """A line of the short summary; ``state`` decides its colour."""

    text: str
    """Without control characters."""
    state: str = ""
    """"missed", "met", "warning" or ""."""


def short_summary(
    report: Report,
    replay: Callable[[RelationResult, ViolationPreview], str],
    *,
    room: int = LINES,
    awaits_baseline: bool = False,
) -> Iterator[SummaryLine]:
    """The lines of the short summary.

    Args:
        report: of the session.
        replay: makes the command that replays a violation of a result.
        room: the most lines.
        awaits_baseline: the gates will come with a baseline, so that no other is advised.
    """
    rows = result_rows(report)
    head = headline(report, rows)
    first = _first_lines(head, report, awaits_baseline=awaits_baseline)
    # Figures and warnings take what they need; table and violations share the rest.
    warnings = _short_warnings(report, head, rows)
    left = room - len(first) - len(warnings) - 3  # an empty line between two parts
    fewest = min(_FEWEST_ROWS, len(head.weakest)) + _AROUND_ROWS if head.weakest else 0
    violations: list[SummaryLine] = []
    for lines in _worst_violations(head, replay):
        # A later violation may be shorter, and fit.
        if len(violations) + len(lines) <= left - fewest:
            violations += lines
    table = _worst_table(report, head, min(_ROWS_SHOWN, left - len(violations) - _AROUND_ROWS))
    for place, part in enumerate(each for each in (first, warnings, table, violations) if each):
        if place:
            yield SummaryLine(text="")
        yield from (replace(line, text=visible(line.text)) for line in part)


def brief_summary(report: Report, *, awaits_baseline: bool = False) -> Iterator[SummaryLine]:
    """The figures, the gates and the records left out, for ``-q``."""
    lines = _first_lines(headline(report, result_rows(report)), report, awaits_baseline=awaits_baseline)
    if bad := bad_records_line(report):
        lines += _wrapped(bad, "warning")
    yield from (replace(line, text=visible(line.text)) for line in lines)


def _wrapped(text: str, state: str = "", most: int = 2) -> list[SummaryLine]:
    """The text as at most ``most`` lines."""
    lines = list(wrapped(text))
    if len(lines) > most:
        rest = " ".join(line.strip() for line in lines[most - 1 :])
        # As ``wrapped`` indents: from the second line on, or all of a text that is indented.
        indent = "  " if most > 1 or text.startswith(" ") else ""
        lines[most - 1 :] = [f"{indent}{cut(one_line(rest), WIDTH - len(indent))}"]
    return [SummaryLine(text=line, state=state) for line in lines]


def _first_lines(head: Headline, report: Report, *, awaits_baseline: bool) -> list[SummaryLine]:
    """The figures of each model on each data source, what they cost, the changes since the baseline, and the gates."""
    shown = head.parts[0].lines if len(head.parts) == 1 else [part.line for part in head.parts[:_PARTS_SHOWN]]
    lines = [line for text in shown for line in _wrapped(text, most=2)]
    if len(head.parts) > _PARTS_SHOWN:
        lines.append(SummaryLine(text=f"and {len(head.parts) - _PARTS_SHOWN} more (--vqamt-summary=full)"))
    if head.apart:
        lines.append(SummaryLine(text=f"{'  ' if len(head.parts) == 1 else ''}{head.apart}"))
    lines += [line for text in head.causes for line in _wrapped(text, "warning", most=3)]
    paid = [use for use in report.models if any(name.startswith("cost") for name, _ in use.usage)]
    lines += [line for use in paid[:1] for line in _wrapped(f"{use.name} {describe_usage(use)}", most=1)]
    lines += [line for text in model_notes(report) for line in _wrapped(text, "warning")]
    if report.baseline is not None:
        lines += [line for text in total_notes(report)[:_PARTS_SHOWN] for line in _wrapped(text)]
    if report.shard != "1/1":
        lines += _wrapped(shard_line(report), "warning")
    # Before a first baseline its gates do not exist yet: "no relation has a gate" would mislead.
    elif report.relations and (head.gates.gated or head.gates.together or not awaits_baseline):
        state = "warning" if not head.gates.gated or head.gates.cannot_tell else "met"
        # With --vqamt-undecided=fail a gate that cannot tell is red, too.
        state = "missed" if head.gates.fail else state
        lines += _wrapped(head.gates.line, state, most=4)
        lines += [line for text in together_lines(report) for line in _wrapped(text, "warning", most=3)]
    return lines


def _short_warnings(report: Report, head: Headline, rows: Sequence[ResultRow]) -> list[SummaryLine]:
    """The worst unread answers, then other warnings in two lines each, as far as there is room."""
    often = sorted(
        (part for part in head.parts if part.unread.is_often), key=lambda part: -(part.tally.unread_rate or 0.0)
    )
    lines: list[SummaryLine] = []
    # One model in full with examples and advice; each other one has a line below.
    for part in often[:1]:
        of = f"{part.model} on {part.data}: " if len(head.parts) > 1 else ""
        unread = part.unread
        lines += _wrapped(f"UNREAD: {of}{unread.headline}", "warning")
        lines += [
            line
            for text in (unread.rates, *unread.examples, unread.advice)
            for line in _wrapped(f"  {text}", "warning", 2 if text == unread.advice else 1)
        ]
    others = [f"{part.model} on {part.data}: {part.unread.headline}" for part in often[1:]]
    together = set(together_lines(report))  # below the gates
    warnings = (line for line in report_warnings(report, rows, 0, with_unread=False) if line not in together)
    # Lines of a terminal, not sentences of a page.
    others += [line.removesuffix(".") for line in warnings]
    others += dominant_lines(report)
    for place, text in enumerate(others):
        wanted = _wrapped(text, "warning", most=2)
        # Unless this is the last one, a line must be left for "and N more warnings".
        if len(lines) + len(wanted) + (place < len(others) - 1) > _WARNING_LINES:
            more = count_noun(len(others) - place, "more warning")
            lines.append(SummaryLine(text=f"and {more} (--vqamt-summary=full)", state="warning"))
            break
        lines += wanted
    return lines


def dominant_lines(report: Report) -> Iterator[str]:
    """A warning where one answer makes up most of its kind, and the relations do not hold as often."""
    for (model, data), results in results_by_model_and_data(report):
        if results[0].data.scenes < _FEWEST_SCENES:
            continue
        counted: dict[str, Counter[str]] = {}
        holds = judged = 0
        for result in results:
            if "control" in result.tags or result.directional:
                continue
            for stratum in result.strata:
                for reading, times in stratum.readings.items():
                    kind = _KINDS_OF_READING.get(reading) or ("numbers" if reading.isdecimal() else "")
                    if kind:
                        counted.setdefault(kind, Counter())[reading] += times
            holds += result.total.holds
            judged += result.total.judged
        for kind, readings in counted.items():
            reading, times = min(readings.items(), key=lambda pair: (-pair[1], pair[0]))
            total = readings.total()
            if total >= _FEWEST_ANSWERS and times >= _DOMINANT * total and holds < _DOMINANT * judged:
                of = f"{model} on {data}: " if len(report.models) * len(report.data) > 1 else ""
                yield f"{of}{format_percent(times / total)} of all {kind} are {quoted(reading)}"


def _worst_table(report: Report, head: Headline, most: int) -> list[SummaryLine]:
    shown = head.weakest[:most]
    if not shown:
        return []
    several = len(report.models) > 1 or len(report.data) > 1
    table = [_WORST_HEAD, *(_worst_cells(row, several=several) for row in shown)]
    columns = [
        place for place, name in enumerate(_WORST_HEAD) if name != _BEFORE or any(row[place] for row in table[1:])
    ]
    lines = [*aligned_table([tuple(row[place] or "-" for place in columns) for row in table])]
    # Two lines are the head and its rule.
    states = ["", "", *("missed" if row.is_missed else "" for row in shown)]
    found = [SummaryLine(text=text, state=state) for text, state in zip(lines, states, strict=True)]
    if rest := head.weakest[most:]:
        # Sorted by gate before rate, so the first of the rest need not be the lowest.
        least = min(row.counted.tally.pass_rate or 0.0 for row in rest)
        rates = f"{format_percent(least)} consistent{' or more' if least < 1 else ''}"
        missed = sum(row.is_missed for row in rest)  # those that miss a gate come first, whatever their rate
        also = f" ({missed} of them missed, too)" if missed else ""
        text = f"and {count_noun(len(rest), 'more row')}{also}, {rates}"
        found.append(SummaryLine(text=text, state="missed" if missed else ""))
    if any(map(_is_grounded_more, shown)):
        found.append(SummaryLine(text=_OF_CONTRASTS))
    return found


def _is_grounded_more(row: ResultRow) -> bool:
    rates = [part.rate or 0.0 for part in row.grounded[:1]]
    return any(rate > (row.counted.tally.pass_rate or 0.0) for rate in rates)


def _worst_cells(row: ResultRow, *, several: bool) -> tuple[str, ...]:
    """The cells for ``_WORST_HEAD``, a rate before as "" if there is none."""
    name = tagged(row.result.item, row.tags)
    if several:
        name = f"{name}, {row.result.model.name} on {row.result.data.name}"
    # One gate stands for all: the first in the worst state.
    worst = [gate for gate in row.gates if gate.state is row.gate_state]
    of_grounded = row.grounded[0] if row.grounded else None
    return (
        shortened_name(name),
        format_percent(row.counted.tally.pass_rate),
        _rate_before(row.counted.change),
        format_percent(of_grounded.rate if of_grounded else None),
        _rate_before(of_grounded.change if of_grounded else None),
        short_gate(worst[0], is_grounded=row.is_of_grounded(worst[0])) if worst else "-",
    )


def _rate_before(change: BaselineChange | None) -> str:
    before = change.paired.first_rate if change else None
    return "" if before is None else format_percent(before)


def shortened_name(name: str) -> str:
    """A name that leaves room for the other columns."""
    return cut(name, _NAME_CHARS)


def short_gate(gate: Gate, *, is_grounded: bool = False) -> str:
    """A gate in a few words; with ``is_grounded`` it is on the grounded rate.

    >>> short_gate(Gate(kind="grounded-under", threshold=0.6, on="point", met=False))
    'missed: grounded >= 60 %'
    >>> short_gate(Gate(kind="max-drop", threshold=0.1, on="holm", met=True, uncertain=True), is_grounded=True)
    'cannot tell: grounded drop <= 10 points'
    """
    state = gate.state.value
    what = "grounded " if is_grounded or gate.kind == "grounded-under" else ""
    # The rate itself may be above the gate, so that naming it would puzzle.
    if gate.unread is not None and not gate.dropped:
        return f"missed: {format_percent(gate.unread)} unread"
    if gate.kind == "max-drop":
        return f"{state}: {what}drop <= {describe_points(gate.threshold)}"
    return f"{state}: {what}{'lower end ' if gate.on == 'lower-bound' else ''}>= {format_limit(gate.threshold)}"


def _worst_violations(
    head: Headline, replay: Callable[[RelationResult, ViolationPreview], str]
) -> Iterator[list[SummaryLine]]:
    """The simplest violations of the weakest relations, those with unread answers last.

    Those of missed gates are in the messages of their tests.
    """
    results = {id(row.result): row.result for row in head.weakest if not row.is_missed}.values()
    found = [(result, shown) for result in results if (shown := result.violation or result.ungrounded)]
    # A stable sort: within both parts the weakest relation stays first.
    found.sort(key=lambda each: _is_unread(each[0]))
    several = len({result.model.name for result, _ in found}) > 1
    for result, violation in found[:_VIOLATIONS_SHOWN]:
        command = replay(result, violation)
        # On the line of the reason if that leaves two thirds of it for the reason.
        is_short = len(command) <= WIDTH // 3
        of = f" of {result.model.name}" if several else ""
        what = cut(one_line(f"{result.item}{of}: {violation.reason}"), WIDTH - 2 - len(command) if is_short else WIDTH)
        answers = f"  {_answered(violation.queries, WIDTH - 2)}"
        texts = (f"{what}  {command}", answers) if is_short else (what, answers, f"  {command}")
        yield [SummaryLine(text=text) for text in texts]


def _is_unread(result: RelationResult) -> bool:
    """True if the simplest violation has an unread answer: a readable one would be taken before it."""
    wrong = (stratum.tally for stratum in result.strata if stratum.tally.judged > stratum.tally.holds)
    first = next(wrong, None)
    return first is not None and not first.violations


def _answered(queries: Sequence[QueryPreview], room: int) -> str:
    """The texts with their answers, shortened to ``room`` characters."""
    rest, queries = queries[_QUERIES_SHOWN:], queries[:_QUERIES_SHOWN]
    room -= len(" -> ''; ") * len(queries)
    asked = [
        # Of an edited picture with the same text, the edit is what differs.
        f"[{query.edits}]" if place and query.edits and query.text == queries[0].text else query.asked
        for place, query in enumerate(queries)
    ]
    # Texts and answers share the room, so that a short answer leaves its part to a long text.
    lengths = [len(text) for query, asks in zip(queries, asked, strict=True) for text in (asks, query.answer)]
    widths = fair_shares(lengths, max(room, len(lengths)))
    pieces = [
        f"{cut(one_line(text), width)} -> '{cut(one_line(query.answer), of_answer)}'"
        for query, text, width, of_answer in zip(queries, asked, widths[::2], widths[1::2], strict=True)
    ]
    return "; ".join([*pieces, *(["..."] if rest else [])])


def summary(report: Report, again: str = "pytest", *, in_full: bool = False) -> Iterator[str]:
    """The lines of the summary.

    Args:
        report: of the session.
        again: the beginning of replay commands.
        in_full: show all metrics, and why items have no case.
    """
    yield from map(visible, _lines(report, again, in_full=in_full))


def _lines(report: Report, again: str, *, in_full: bool) -> Iterator[str]:
    for part in run_parts(report, result_rows(report)):
        if part.unread.is_often:
            yield f"UNREAD: {part.model} on {part.data}: {part.unread.headline}"
            yield f"  {part.unread.rates}"
            yield from (f"  {example}" for example in part.unread.examples)
            yield f"  {part.unread.advice}"
            yield ""
    for names, results in results_by_model_and_data(report):
        summaries = [each for each in report.summaries if (each.model, each.data) == names]
        yield from _block(results, summaries, again, in_full)
        yield ""
    for data in report.data:
        for table in model_tables(report, data.name):
            yield from _captioned(table)
        if shared := coverage_table(report, data.name):
            yield from _captioned(shared)
    yield from ranking_lines(report, in_full=in_full)
    if compared := list(baseline_lines(report)):
        yield from (*compared, "")
    yield from _waived(report)
    if not report.complete and not is_broken(report):
        yield "this report is not complete: an item could not be run, or the session was stopped"
    for use in report.models:
        yield f"{use.name} queries: {describe_queries(use)}"
        if utilisation := describe_utilisation(use):
            yield f"{use.name} model utilisation {utilisation}"
        if use.usage:
            yield f"{use.name} {describe_usage(use)}"
    yield from model_notes(report)
    if report.shard != "1/1":
        yield shard_line(report)
    elif (
        report.relations
        and not report.total_gates
        and not any(result.gates or result.drop_gates for result in report.relations)
    ):
        yield "no gate was set, so no pass rate can fail the run: set one with --vqamt-fail-under=RATE or GLOB=RATE"


def _block(results: Sequence[RelationResult], summaries: Sequence[Summary], again: str, in_full: bool) -> Iterator[str]:
    first = results[0]
    yield f"{first.model.name} on {first.data.name} ({count_noun(first.data.scenes, 'scene')})"
    yield from _bad_records(results)
    for what, which in dict.fromkeys(each for result in results if result.all_cases for each in result.resources):
        yield f"{what}: {which}"
    # Many relations that do not apply would hide those that do.
    folded = not in_full and folds_inapplicable(results)
    table = results_table([result for result in results if result.all_cases or not folded])
    if table.rows:
        yield ""
        yield from table.lines
        if any(_is_grounded_more(ResultRow(result=each, counted=each, model=0)) for each in results):
            yield _OF_CONTRASTS
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
    # A model that never looks violates all contrasts: a few of them show it.
    least_grounded = sorted(without_violation, key=_grounded_rate)[:_CONTRASTS_SHOWN]
    for result in results:
        # The message of its failed test has the violation.
        is_failure = any(not gate.met for gate in (*result.gates, *result.drop_gates))
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
            yield f"{result.item}: {format_percent(share)} of all answers are {quoted(reading)}"
    if result.truncated:
        yield (
            f"{result.item}: in {result.truncated:,} of {count_noun(result.all_cases, 'case')} the model read "
            "only the beginning of a question"
        )
    if result.error:
        first = shortened(result.error)
        of = count_noun(result.all_cases, "case")
        yield f"{result.item}: {result.errors} of {of} had no answer; the first: {first}"


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
    if report.expired_waivers:
        yield expired_waivers_line(report)
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


def paper_lines(report: Report) -> Iterator[str]:
    """The tables of the papers, with the models of the run above the published rows."""
    for table in model_tables(report):
        yield ""
        # Without the empty line at the end: one stands before each table.
        yield from map(visible, list(_captioned(table))[:-1])


def ranking_lines(report: Report, *, in_full: bool = False) -> Iterator[str]:
    """The rankings and the largest significant differences on each data source; ``in_full`` all of both."""
    for table in summary_tables(report, in_full=in_full):
        yield from _captioned(table)
    for data in report.data:
        if found := [each for each in report.differences if each.data == data.name]:
            yield from _captioned(largest_differences(data.name, found, len(found) if in_full else _DIFFERENCES_SHOWN))


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
    rows = result_rows(report)
    yield ""
    yield from total_notes(report)
    yield from total_drop_lines(report, rows)
    yield from together_lines(report)
    yield from undecided_lines(report, rows)
    yield from cannot_fall_lines(report, rows)
    for items, where in (
        (use.missing, "in the baseline but not in this run"),
        (use.new, "in this run but not in the baseline, so not compared"),
    ):
        if items:
            yield ""
            yield from wrapped(f"{count_noun(len(items), 'relation variant')} {where}: {', '.join(items)}")


def _baseline_warnings(result: RelationResult) -> Iterator[str]:
    versions = {change.version_before for change in result.changes if change.paired.shared} - {result.version}
    for version in sorted(versions):
        yield f"{result.item}: relation version {version} in the baseline, {result.version} now"
    if other := sum(change.other_judgement for change in result.changes):
        yield (
            f"{result.item}: {count_noun(other, 'baseline case')} {'has' if other == 1 else 'have'} another verdict "
            "now for the same answers; both columns use it"
        )
