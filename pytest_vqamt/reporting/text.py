"""Results in words, for the terminal and for failure messages."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from textwrap import wrap

from pytest_vqamt.core.results import BaselineChange, Gate, ModelUse, RelationResult, ViolationPreview
from pytest_vqamt.core.tallies import Tally
from pytest_vqamt.reporting.view.lines import counted


def rate_in_words(tally: Tally, interval: tuple[float, float]) -> str:
    """The pass rate with its interval and what it is over."""
    if tally.pass_rate is None:
        return "no case was judged"
    low, high = interval
    return f"pass rate {tally.pass_rate:.3f} (95 % interval {low:.3f} to {high:.3f}, {tally.judged} cases)"


def violation_in_words(result: RelationResult, violation: ViolationPreview, again: str) -> list[str]:
    """The simplest violation, a line for each question, and how to see it again."""
    lines = [f"simplest violation found: scene {violation.scene}, case {violation.id}"]
    width = max(len(query.asked) for query in violation.queries)
    lines += [f"    {query.asked.ljust(width)}  ->  {query.answer!r}" for query in violation.queries]
    return [*lines, *_expected(result, violation, again)]


def _expected(result: RelationResult, violation: ViolationPreview, again: str) -> Iterator[str]:
    yield f"  expected: {violation.expected}"
    yield f"  {violation.reason}"
    yield f"  replay:   {replay_command(result, violation, again)}"


def replay_command(result: RelationResult, violation: ViolationPreview, again: str) -> str:
    """What to type to ask the case once more; it begins with ``again``, which finds this session's settings.

    It names the models itself where a name is not what finds them.
    """
    options = (
        *(() if "--vqamt-model=" in again else (f"--vqamt-model={result.model.name}",)),
        f"--vqamt-data={result.data.spec}",
        f"--vqamt-replay={violation.id}",
    )
    return f"{again} {shlex.join(options)}"


def gate_missed(result: RelationResult, again: str) -> str:
    """Why a gate was missed: the message of a failed item."""
    lines = [f"{result.item} on {result.model.name}: {missed}" for missed in _missed(result)]
    lines.append(f"  claim: {result.claim}")
    if result.violation:
        lines += violation_in_words(result, result.violation, again)
    return "\n".join(lines)


def _missed(result: RelationResult) -> Iterator[str]:
    """Each gate that was missed, in words."""
    if result.gate and not result.gate.met:
        yield f"{rate_in_words(result.tally, result.interval)}; {_demand(result.gate)}"
    apart = result.presumed
    if apart and apart.gate and not apart.gate.met:
        yield f"of the presumed cases, {rate_in_words(apart.tally, apart.interval)}; {_demand(apart.gate)}"


def _demand(gate: Gate) -> str:
    what = "the lower end of its interval" if gate.on == "lower-bound" else "it"
    return f"{what} had to reach {gate.threshold:g}"


def drop_in_words(result: RelationResult, answers_before: Sequence[str | None], again: str) -> str:
    """How far an item has dropped since it was blessed: the message of a regression gate that was missed.

    ``answers_before`` are those to the case that is shown, as it was blessed.
    """
    lines = [
        f"{result.item} on {result.model.name}: {_dropped(change)}"
        for change in result.changes
        if change.gate and not change.gate.met
    ]
    lines.append(f"  claim: {result.claim}")
    if result.violation:
        lines += _broken_in_words(result, result.violation, answers_before, again)
    return "\n".join(lines)


def _dropped(change: BaselineChange) -> str:
    paired, (low, high) = change.paired, change.interval
    before, after, drop = paired.first_rate or 0.0, paired.second_rate or 0.0, -(paired.difference or 0.0)
    p = "" if change.p_holm is None else f", p {p_in_words(change.p_holm)} after Holm"
    allowed = f"; it may drop by {change.gate.threshold:g}" if change.gate else ""
    return (
        f"the pass rate has dropped from {before:.3f} to {after:.3f} on the same {paired.shared} cases (by {drop:.3f}, "
        f"95 % interval {-high:.3f} to {-low:.3f}{p}){allowed}\n"
        f"  {paired.first_only} cases held then and are violated now, {paired.second_only} the other way round"
    )


def p_in_words(p: float) -> str:
    """A p-value to four places; one that would be nought says what it is below.

    >>> p_in_words(0.03125), p_in_words(1e-9)
    ('0.0312', '<0.0001')
    """
    return f"{p:.4f}" if p >= 0.0001 else "<0.0001"


def _broken_in_words(
    result: RelationResult, violation: ViolationPreview, answers_before: Sequence[str | None], again: str
) -> Iterator[str]:
    """A case that held, a line for each question with both answers, and how to see it again."""
    yield f"one of them: scene {violation.scene}, case {violation.id}"
    before = [*answers_before, *(None for _ in violation.queries[len(answers_before) :])]
    width = max(len(query.asked) for query in violation.queries)
    for query, answer in zip(violation.queries, before, strict=True):
        then = "" if answer is None else f"{answer!r} then, "
        yield f"    {query.asked.ljust(width)}  ->  {then}{query.answer!r} now"
    yield from _expected(result, violation, again)


def too_many_errors(result: RelationResult, tolerated: float) -> str:
    """Why an item failed although its rate may be good."""
    return (
        f"{result.item} on {result.model.name}: {result.errors} of {result.all_cases} cases had no answer, "
        f"more than --vqamt-max-error-rate={tolerated:g} allows; the first: {result.error}"
    )


def not_applicable(result: RelationResult) -> str:
    """Why there was no case at all."""
    reasons = ", ".join(f"{reason} ({n} scenes)" for reason, n in sorted(result.not_applicable.items()))
    return f"not applicable to {result.data.spec}: {reasons or 'no case falls to this shard'}"


def asked_in_words(use: ModelUse) -> str:
    """How many queries it was asked, and how many it was spared.

    >>> asked_in_words(ModelUse(
    ...     name="tiny", fingerprint="f", tasks=("vqa",), queries_needed=2153, queries_asked=955, queries_cached=3
    ... ))
    '955 distinct queries, 3 more came from the cache; cases needed 2,153, so asking each once saved 1,195'
    """
    asked = counted(use.queries_asked, "distinct query", "distinct queries")
    told = f"{asked}, {use.queries_cached:,} more came from the cache"
    if use.queries_saved:
        told += f"; cases needed {use.queries_needed:,}, so asking each once saved {use.queries_saved:,}"
    return told


def work_in_words(use: ModelUse) -> str:
    """For which share of the time its items ran it was at work; "" where it was asked nothing, or that is not known.

    >>> work_in_words(ModelUse(
    ...     name="tiny", fingerprint="f", tasks=("vqa",), queries_asked=955, busy_s=8.25, items_s=11.0
    ... ))
    '75 % of the time that its items ran (8.2 s of 11 s)'
    """
    share = use.busy_share
    if share is None or not use.queries_asked or not use.busy_s:
        return ""
    return f"{100 * share:.0f} % of the time that its items ran ({_seconds(use.busy_s)} of {_seconds(use.items_s)})"


def amount(value: float) -> str:
    """What something has cost: whole numbers in full, others to six digits.

    >>> amount(1200), amount(0.1234567)
    ('1,200', '0.123457')
    """
    return f"{value:,.0f}" if value == int(value) else f"{value:,.6g}"


def _seconds(value: float) -> str:
    return f"{value:.2g} s" if value < 10 else f"{value:,.0f} s"


_ROWS_AT_MOST = 3
_WIDTH = 100


def is_to_fold(results: Sequence[RelationResult]) -> bool:
    """Whether more of the results had no case than are shown in rows."""
    return sum(not result.all_cases for result in results) > _ROWS_AT_MOST


def folded_in_words(results: Sequence[RelationResult]) -> Iterator[str]:
    """Which of the results had no case, in lines; a relation none of whose variants had one is named alone."""
    folded = [result.item for result in results if not result.all_cases]
    apply = {_relation(result.item) for result in results if result.all_cases}
    names = dict.fromkeys(item if _relation(item) in apply else _relation(item) for item in folded)
    yield from wrap(
        f"{len(folded)} relation variants do not apply here: {', '.join(names)} (pytest -v says why)",
        width=_WIDTH,
        subsequent_indent="  ",
        break_long_words=False,
        break_on_hyphens=False,
    )


def _relation(item: str) -> str:
    return item.partition("[")[0]


def table(rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    """Rows as aligned lines, the first column to the left, a rule under the head."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for number, row in enumerate(rows):
        cells = [row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))]
        yield "  ".join(cells).rstrip()
        if number == 0:
            yield "  ".join("-" * width for width in widths)
