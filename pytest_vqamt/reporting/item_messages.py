"""Messages of failed items, and descriptions of results that several outputs share."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum

from pytest_vqamt.core.results import (
    BaselineChange,
    Gate,
    GateState,
    Grounded,
    ModelUse,
    RelationResult,
    StratumResult,
    Undecided,
    ViolationPreview,
)
from pytest_vqamt.core.text import count_noun, quoted, shortened, shown, some_of, visible
from pytest_vqamt.reporting.view.answers import UnreadAnswers
from pytest_vqamt.reporting.view.format import (
    describe_points,
    format_change,
    format_difference,
    format_limit,
    format_p,
    format_percent,
    format_percents,
    format_rate,
    format_usage,
    percent_below,
    wrapped,
)
from pytest_vqamt.reporting.view.model_figures import KindOfTotal, describe_by_chance, total_sentence

MAX_WORDS = 5
"""The most unknown words that a message names."""

_INAPPLICABLE_ROWS = 3
"""Of more items without a case, their names stand in one line."""


class TestOutcome(StrEnum):
    """The outcome of an item's test."""

    __test__ = False  # pytest takes it for a class of tests where one imports it

    PASSED = "passed"
    MISSED = "missed a gate"
    ERRORS = "errors"
    SKIPPED = "skipped"


def outcome_of(result: RelationResult, again: str, max_error_rate: float, *, is_whole: bool) -> tuple[TestOutcome, str]:
    """The outcome of an item's test, in a session and in a JUnit file, with its message.

    A shard, which is not whole, cannot miss a gate: `vqamt merge` checks the gates of the whole run. ``again`` begins
    the replay command.
    """
    # The order is that of causes: without cases or answers no gate means anything.
    if not result.all_cases:
        return TestOutcome.SKIPPED, not_applicable_message(result)
    if result.declined - result.refused == result.all_cases:
        return TestOutcome.SKIPPED, declined_message(result)
    if result.errors > max_error_rate * result.all_cases:
        return TestOutcome.ERRORS, error_rate_message(result, max_error_rate)
    if is_whole and not all(held.met for held in result.gates):
        return TestOutcome.MISSED, missed_gate_message(result, again)
    # After the gates: a gate on an item whose cases were all refused is missed, not skipped.
    if result.refused and not result.total.judged:
        return TestOutcome.SKIPPED, refused_message(result)
    return TestOutcome.PASSED, ""


def drop_outcome_of(
    result: RelationResult,
    undecided: Undecided,
    again: str,
    answers_before: Sequence[str | None] = (),
    *,
    has_failed: bool,
) -> tuple[TestOutcome, str]:
    """The outcome of an item's test against the baseline, in a session and in a JUnit file, with its message.

    Where the item's own test ``has_failed``, that test names the drop, and this one is skipped.
    """
    # A missed gate is named before one that cannot tell.
    if not all(held.met for held in result.drop_gates):
        if has_failed:
            return TestOutcome.SKIPPED, repeated_drop_message(result, missed_drops(result))
        return TestOutcome.MISSED, drop_message(result, answers_before, again)
    if any(map(undecided.fails, result.drop_gates)):
        return TestOutcome.MISSED, undecided_message(result)
    return TestOutcome.PASSED, ""


def missed_gate_message(result: RelationResult, again: str) -> str:
    """The message of an item that missed its gate; ``again`` begins the replay command."""
    lines = [f"{result.item} on {result.model.name}: {missed}" for missed in _missed_gates(result)]
    if any(gate.unread is not None for gate in result.gates):
        lines += _unread_lines(result)
    lines.append(f"  claim: {result.claim}")
    lines += example_lines(result, again)
    return _message(lines)


def _unread_lines(result: RelationResult) -> Iterator[str]:
    # Those of the rate that the gate is on, as in the tables: presumed cases count with no others.
    unread = UnreadAnswers.of([result] if result.tally.cases else result.strata, result.model)
    yield f"  {unread.rates}; unread answers: {unread.named_causes}"
    yield from (f"    {example}" for example in unread.examples)
    yield f"  {unread.advice}"


def _message(lines: Iterable[str]) -> str:
    return "\n".join(visible(line, keep="\n") for line in lines)


def _missed_gates(result: RelationResult) -> Iterator[str]:
    for stratum in result.strata:
        if stratum.gate and not stratum.gate.met:
            which = "" if stratum is result else "presumed cases: "
            yield which + _missed("pass rate", stratum.gate, stratum.tally.pass_rate, stratum.interval, _cases(stratum))
    for grounded in (result.grounded, result.grounded and result.grounded.presumed):
        if grounded and grounded.gate and not grounded.gate.met:
            which = "" if grounded is result.grounded else "presumed contrasts: "
            cases = f"{count_noun(grounded.cells.cases, 'case')} with a contrast, {describe_by_chance(grounded)}"
            missed = _missed("grounded rate", grounded.gate, grounded.rate, grounded.interval, cases)
            yield f"{which}{missed}{_unchanged(grounded)}"


def _cases(stratum: StratumResult) -> str:
    return count_noun(stratum.tally.judged, "case")


def _missed(what: str, gate: Gate, rate: float | None, interval: tuple[float, float], cases: str) -> str:
    """Why a gate on a rate is missed, the figures that decide first."""
    required = format_limit(gate.threshold)
    if gate.unread is not None:
        unread = f"{format_percent(gate.unread)} of the cases are unread, more than --vqamt-max-unread allows"
        if rate is None:
            return unread
        if rate < gate.threshold:
            return f"{what} {percent_below(rate, gate.threshold)} is below {required}; {unread}"
        return f"{unread}; {what} {format_percent(rate)}, required: {required}"
    if rate is None:
        judged = "case with a contrast" if gate.kind == "grounded-under" else "case"
        return f"no {judged} was judged, so there is no {what}; required: {required}"
    # The rate may be above the gate while the lower end of its interval is not.
    if gate.on == "lower-bound":
        low, high = percent_below(interval[0], gate.threshold), format_percent(interval[1])
        within = f"95 % interval {low.removesuffix(' %')} to {high}"
        reached = f"{what} {format_percent(rate)}, {within}, {cases}"
        return f"lower end {low} of the {what}'s interval is below {required} ({reached})"
    within = f"95 % interval {format_percents(interval)}, {cases}"
    return f"{what} {percent_below(rate, gate.threshold)} is below {required} ({within})"


def _unchanged(grounded: Grounded) -> str:
    """A line on cases whose relation holds while their contrast gets the same answer; "" if none holds."""
    cells = grounded.cells
    # Where the relation never holds, the pass rate says it all.
    if not cells.consistent:
        return ""
    return (
        f"\n  in {count_noun(cells.consistent, 'case')} with a contrast the relation holds, and in "
        f"{cells.consistent_unchanged:,} of them the answer about the other picture does not differ as it must"
    )


def example_lines(result: RelationResult, again: str) -> Iterator[str]:
    """The simplest violation with its answers and its replay command, and a violated contrast where it matters.

    A violated contrast is shown if there is no violation, and also if a gate on the grounded rate is missed.
    """
    # A missed gate on the grounded rate is about contrasts, so one is shown besides the violation.
    is_missed = any(not gate.met for gate in result.gates if gate.kind == "grounded-under")
    if result.violation:
        yield from _violation_lines(result, result.violation, again, "simplest violation found")
    if result.ungrounded and (is_missed or not result.violation):
        yield from _violation_lines(result, result.ungrounded, again, "simplest violated contrast")


def _violation_lines(result: RelationResult, violation: ViolationPreview, again: str, what: str) -> Iterator[str]:
    yield f"{what}: scene {violation.scene}, case {violation.id}"
    yield from _answer_lines(violation, [quoted(query.answer) for query in violation.queries])
    yield from _replay_lines(result, violation, again)


def drop_message(result: RelationResult, answers_before: Sequence[str | None], again: str) -> str:
    """The message of an item that missed the gate on the drop since the baseline.

    Args:
        result: of the item.
        answers_before: the baseline's answers to the case that is shown.
        again: the beginning of the replay command.
    """
    grounded = result.grounded.change if result.grounded else None
    lines = [f"{result.item} on {result.model.name}: {drop}" for drop in missed_drops(result)]
    if any(gate.unread is not None for gate in result.drop_gates):
        lines += _unread_lines(result)
    lines.append(f"  claim: {result.claim}")
    violation = result.violation
    if violation:
        # Without the baseline's answers, or with fewer than queries, the rest have none before.
        before = [*answers_before, *(None for _ in violation.queries[len(answers_before) :])]
        answers = [
            f"{quoted(query.answer)} now" if answer is None else f"{quoted(answer)} before, {quoted(query.answer)} now"
            for query, answer in zip(violation.queries, before, strict=True)
        ]
        # Equal answers with another verdict: the reader or the relation has changed, not the model.
        is_regression = list(answers_before) != [query.answer for query in violation.queries]
        what = "simplest regression" if is_regression else "simplest violation"
        lines.append(f"{what} found: scene {violation.scene}, case {violation.id}")
        lines += _answer_lines(violation, answers)
        lines += _replay_lines(result, violation, again)
    if result.ungrounded and grounded and grounded.gate and not grounded.gate.met:
        lines += _violation_lines(result, result.ungrounded, again, "simplest violated contrast")
    return _message(lines)


def drop_title(result: RelationResult) -> str:
    """The heading of an item's test against the baseline."""
    return f"{result.item} on {result.model.name}, {result.data.name}: since the baseline"


def repeated_drop_message(result: RelationResult, drops: Sequence[str]) -> str:
    """Why the test against the baseline is skipped where the item's own test names the drop."""
    return visible(
        f"{drop_title(result)}: {drops[0].splitlines()[0]}; its own test has failed, and names this drop, too"
    )


def missing_message(item: str) -> str:
    """Why the test of an item of the baseline is skipped that is not in this run."""
    return visible(f"{item}: in the baseline, but not in this run, so not compared")


def undecided_message(result: RelationResult) -> str:
    """The message of an item with too few cases to decide its gate on a drop (``--vqamt-undecided=fail``)."""
    return _message(
        f"{result.item} on {result.model.name}: {_describe_undecided(change, is_grounded=is_grounded)}"
        for is_grounded, change in _changes(result)
        if change.gate and change.gate.state is GateState.CANNOT_TELL
    )


def _describe_undecided(change: BaselineChange, *, is_grounded: bool) -> str:
    paired, (low, high) = change.paired, change.interval
    allowed = describe_points(change.gate.threshold) if change.gate else ""
    return (
        f"cannot tell whether the {'grounded' if is_grounded else 'pass'} rate has dropped by more than {allowed}: "
        f"{format_rate(paired.first_rate)} in the baseline, now {format_rate(paired.second_rate)} on the same "
        f"{count_noun(paired.shared, 'case')} (95 % interval of the change {format_difference(low)} to "
        f"{format_difference(high)}); more cases can tell (`vqamt power`), and --vqamt-undecided=pass lets it pass"
    )


def total_message(found: KindOfTotal) -> str:
    """The message where all relations together, or the accuracy, miss the gate on the drop."""
    return _message([f"{found.of}: {total_sentence(found)}"])


def _changes(result: RelationResult) -> Iterator[tuple[bool, BaselineChange]]:
    """The changes since the baseline; the first value is True if the change is of the grounded rate."""
    grounded = result.grounded.change if result.grounded else None
    yield from ((change is grounded, change) for change in result.changes)


def missed_drops(result: RelationResult) -> list[str]:
    """The drops since the baseline that are larger than is allowed, each with its counts on a second line."""
    missed = [(is_grounded, change) for is_grounded, change in _changes(result) if change.gate and not change.gate.met]
    dropped = [
        _describe_drop(change, is_grounded=is_grounded)
        for is_grounded, change in missed
        if change.gate and (change.gate.dropped or change.gate.unread is None)
    ]
    # The unread cases are those of the item, whichever of its rates has the gate.
    unread = [
        _describe_unread(change, has_dropped=bool(dropped))
        for _, change in missed
        if change.gate and change.gate.unread is not None
    ]
    # One line of them, however many gates they miss.
    return [*dropped, *unread[:1]]


def _describe_unread(change: BaselineChange, *, has_dropped: bool) -> str:
    share, before = format_percent(change.gate.unread if change.gate else None), change.unread_before
    earlier = "" if before is None else f" ({format_percent(before)} in the baseline)"
    little = "" if has_dropped else ", so the rate of the others says little"
    return (
        f"the answers of {share} of the cases could not be read{earlier}, more than --vqamt-max-unread allows{little}"
    )


def _describe_drop(change: BaselineChange, *, is_grounded: bool) -> str:
    paired, (low, high) = change.paired, change.interval
    before, after = paired.first_rate, paired.second_rate
    p = "" if change.p_holm is None else f", p {format_p(change.p_holm)} after Holm"
    allowed = f"; allowed drop: {describe_points(change.gate.threshold)}" if change.gate else ""
    return (
        f"the {'grounded' if is_grounded else 'pass'} rate has dropped from {format_rate(before)} to "
        f"{format_rate(after)} on the same {count_noun(paired.shared, 'case')} ({format_change(before, after)} points, "
        f"95 % interval {format_difference(low)} to {format_difference(high)}{p}){allowed}\n"
        f"  {count_noun(paired.first_only, 'regression')}, {count_noun(paired.second_only, 'fix', 'fixes')}"
    )


def _answer_lines(violation: ViolationPreview, answers: Sequence[str]) -> Iterator[str]:
    queries = [shown(query.asked) for query in violation.queries]
    width = max(map(len, queries))
    for query, answer in zip(queries, answers, strict=True):
        yield f"    {query.ljust(width)}  ->  {answer}"


def _replay_lines(result: RelationResult, violation: ViolationPreview, again: str) -> Iterator[str]:
    if not violation.reason.startswith(violation.expected):  # a contrast's says it again
        yield f"  expected: {shown(violation.expected)}"
    yield f"  {shown(violation.reason)}"
    yield f"  replay:   {replay_command(result, violation, again)}"


def replay_command(result: RelationResult, violation: ViolationPreview, again: str) -> str:
    """The pytest command that replays a violation; ``again`` is the beginning of it."""
    options = (
        # Where a model's name does not find it again, the beginning of the command names the model.
        *(() if "--vqamt-model=" in again else (f"--vqamt-model={result.model.typed}",)),
        f"--vqamt-data={result.data.typed}",
        f"--vqamt-replay={violation.id}",
    )
    return f"{again} {shlex.join(options)}"


def error_rate_message(result: RelationResult, tolerated: float) -> str:
    """The message of an item with too many cases without an answer."""
    return visible(
        f"{result.item} on {result.model.name}: {result.errors} of {count_noun(result.all_cases, 'case')} had no "
        f"answer, more than --vqamt-max-error-rate={tolerated:g} allows; the first: {shortened(result.error)}"
    )


def not_applicable_message(result: RelationResult) -> str:
    """Why an item has no case."""
    reasons = ", ".join(f"{reason} ({count_noun(n, 'scene')})" for reason, n in sorted(result.not_applicable.items()))
    return visible(f"not applicable to {result.data.name}: {reasons or 'no case falls to this shard'}")


def refused_message(result: RelationResult) -> str:
    """Why no case of an item was judged, if the model refused all of them."""
    unread = UnreadAnswers.of(result.strata, result.model)
    return visible(
        f"refused: {result.model.name} answers none of the {count_noun(result.all_cases, 'case')} "
        f"({unread.named_causes})"
    )


def declined_message(result: RelationResult) -> str:
    """Why no case of an item was put to the model."""
    words = sorted({word for stratum in result.strata for word in stratum.unknown_words})
    named = f": {some_of(words, MAX_WORDS)}" if words else ""
    return visible(
        f"declined: {result.model.name} takes none of the {count_noun(result.all_cases, 'case')}"
        f"{' for unknown words' if words else ''}{named}"
    )


def describe_queries(use: ModelUse) -> str:
    """The numbers of queries sent to the model, answered from the cache and deduplicated.

    >>> describe_queries(ModelUse(
    ...     name="tiny", fingerprint="f", tasks=("vqa",), queries_needed=2153, queries_asked=955, queries_cached=3
    ... ))
    '955 sent, 3 cached, 1,195 deduplicated'
    """
    return f"{use.queries_asked:,} sent, {use.queries_cached:,} cached, {use.queries_saved:,} deduplicated"


def describe_usage(use: ModelUse) -> str:
    """Tokens and cost of the model's answers; those from the cache were paid for in an earlier run.

    >>> describe_usage(ModelUse(
    ...     name="gpt", fingerprint="f", tasks=("vqa",), queries_asked=955, queries_cached=1200, usage=(("cost", 0.5),)
    ... ))
    'usage: cost 0.5 (of the 955 queries sent now; the 1,200 from the cache were paid for before)'
    """
    text = f"usage: {', '.join(f'{name} {format_usage(value)}' for name, value in use.usage)}"
    if not use.queries_cached:
        return text
    return (
        f"{text} (of the {count_noun(use.queries_asked, 'query', 'queries')} sent now; the {use.queries_cached:,} from "
        "the cache were paid for before)"
    )


def describe_utilisation(use: ModelUse) -> str:
    """The share of the items' running time in which the model was busy; "" if it sent no queries or that is not known.

    >>> describe_utilisation(ModelUse(
    ...     name="tiny", fingerprint="f", tasks=("vqa",), queries_asked=955, busy_s=8.25, items_s=11.0
    ... ))
    '75 % (8.2 s of 11 s)'
    """
    busy_s, items_s = round(use.busy_s, 3), round(use.items_s, 3)  # as in report.json, from which pages are written
    if not use.queries_asked or not busy_s or not items_s:
        return ""
    return f"{min(100, 100 * busy_s / items_s):.0f} % ({_seconds(busy_s)} of {_seconds(items_s)})"


def _seconds(value: float) -> str:
    return f"{value:.2g} s" if value < 10 else f"{value:,.0f} s"


def folds_inapplicable(results: Sequence[RelationResult]) -> bool:
    """True if the items without cases are too many to have rows of their own."""
    return sum(not result.all_cases for result in results) > _INAPPLICABLE_ROWS


def folded_lines(results: Sequence[RelationResult]) -> Iterator[str]:
    """The names of the items without cases; a relation without any case is named once, without its variants."""
    folded = [result.item for result in results if not result.all_cases]
    apply = {_relation(result.item) for result in results if result.all_cases}
    # "lang.switch" rather than six of its variants; with one that applies, each variant is named.
    names = dict.fromkeys(item if _relation(item) in apply else _relation(item) for item in folded)
    of = count_noun(len(results), "relation variant")
    yield from wrapped(
        f"{len(folded)} of {of} do not apply here: {', '.join(names)} (pytest -v and `vqamt list --data` say why)"
    )


def _relation(item: str) -> str:
    return item.partition("[")[0]
