"""Runs that ask each query several times, and the noise of models."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce
from operator import add

from pytest_vqamt.core.results import RelationResult, Report
from pytest_vqamt.core.tallies import RepeatedCases, Tally
from pytest_vqamt.reporting.view.format import count_noun, format_rate, wrapped
from pytest_vqamt.reporting.view.rows import results_by_model_and_data
from pytest_vqamt.reporting.view.tables import ViewTable, text_table

_HEAD = ("cases", "flaky", "pass rate", "pass@all", "one trial", "variance within cases", "between cases")
_NAMED = 5


def repeat_tables(report: Report, *, in_full: bool) -> Iterator[ViewTable]:
    """A table for each model and data source whose queries were asked several times; ``in_full`` also by relation."""
    for (model, data), results in results_by_model_and_data(report):
        counted = [(result, repeated) for result in results if (repeated := _repeated(result)) is not None]
        if not counted:
            continue
        rows = [_row("all", [result for result, _ in counted], reduce(add, (each for _, each in counted)))]
        if in_full:
            rows += [_row(result.item, [result], repeated) for result, repeated in counted]
        yield text_table(
            [("relation", *_HEAD), *rows],
            caption=f"{model} on {data}, each query asked {report.repeats} times",
            notes=(
                "flaky: the verdict depends on which of the answers are taken; no rate counts such cases",
                "pass@all: every trial of the case holds; one trial: what a run that asks once would have",
            ),
        )


def _repeated(result: RelationResult) -> RepeatedCases | None:
    counted = [stratum.repeated for stratum in result.strata if stratum.repeated]
    return reduce(add, counted) if counted else None


def _row(name: str, results: Sequence[RelationResult], repeated: RepeatedCases) -> tuple[str, ...]:
    tally = reduce(add, (stratum.tally for result in results for stratum in result.strata), Tally())
    return (
        name,
        f"{repeated.cases:,}",
        f"{tally.flaky:,}",
        format_rate(tally.pass_rate),
        format_rate(repeated.pass_all_rate),
        format_rate(repeated.trial_rate),
        *("-" if each is None else f"{each:.4f}" for each in (repeated.within, repeated.between)),
    )


def noise_lines(results: Sequence[RelationResult], *, of_model: bool = False) -> Iterator[str]:
    """Says which violations noise explains, and whether that is all of a model's; ``of_model`` names the model."""
    known = [
        (result, stratum)
        for result in results
        for stratum in result.strata
        if stratum.noise and "control" not in result.tags
    ]
    for name in dict.fromkeys(result.model.name for result, _ in known):
        violated = [
            (result.item, stratum.tally.judged - stratum.tally.holds, stratum.noise)
            for result, stratum in known
            if result.model.name == name and stratum.tally.judged > stratum.tally.holds
        ]
        explained = [
            (item, violations, noise.expected) for item, violations, noise in violated if noise and noise.explains
        ]
        if not explained:
            continue
        named = ", ".join(
            f"{item} ({times:,}, {expected:.1f} expected)" for item, times, expected in explained[:_NAMED]
        )
        more = f" and {len(explained) - _NAMED:,} more" if len(explained) > _NAMED else ""
        where = (
            "all violations"
            if len(explained) == len(violated)
            else f"the violations in {len(explained):,} of {count_noun(len(violated), 'relation variant')}"
        )
        yield f"noise explains {where}{f' of {name}' if of_model else ''}: {named}{more}"


def wrapped_noise_lines(results: Sequence[RelationResult]) -> Iterator[str]:
    """The same, folded for the terminal."""
    for line in noise_lines(results):
        yield from wrapped(line)
