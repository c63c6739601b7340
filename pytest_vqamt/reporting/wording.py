"""Results in words, for the terminal and for failure messages."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from pytest_vqamt.core.counts import Tally
from pytest_vqamt.core.gate import Gate
from pytest_vqamt.core.results import RelationResult, ShownCase


def rate_in_words(tally: Tally, interval: tuple[float, float]) -> str:
    """The pass rate with its interval and what it is over."""
    if tally.pass_rate is None:
        return "no case was judged"
    low, high = interval
    return f"pass rate {tally.pass_rate:.3f} (95 % interval {low:.3f} to {high:.3f}, {tally.judged} cases)"


def violation_in_words(result: RelationResult, violation: ShownCase, again: str) -> list[str]:
    """The simplest violation, a line for each question, and how to see it again."""
    lines = [f"simplest violation found: scene {violation.scene}, case {violation.id}"]
    width = max(len(query.asked) for query in violation.queries)
    lines += [f"    {query.asked.ljust(width)}  ->  {query.answer!r}" for query in violation.queries]
    lines += [
        f"  expected: {violation.expected}",
        f"  {violation.reason}",
        f"  replay:   {replay_command(result, violation, again)}",
    ]
    return lines


def replay_command(result: RelationResult, violation: ShownCase, again: str) -> str:
    """What to type to ask the case once more; it begins with ``again``, which finds this session's settings."""
    options = (
        f"--vqamt-model={result.model.name}",
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
