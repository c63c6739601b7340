"""The properties of an item's test case in a JUnit file."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields

from pytest_vqamt.core.plain_text import shown
from pytest_vqamt.core.results import BaselineChange, Gate, Grounded, RelationResult, StratumResult
from pytest_vqamt.reporting.view.totals import KindOfTotal

Property = tuple[str, object]
"""A name and a text, a number or a truth: what xdist sends as it is."""


def properties(result: RelationResult) -> list[Property]:
    """The figures of an item for pytest's ``user_properties``.

    xdist sends them with the test's report, and ``--junitxml`` writes each as a property.
    """
    found: list[Property] = [
        ("vqamt_relation", result.item),
        ("vqamt_version", result.version),
        ("vqamt_model", result.model.name),
        ("vqamt_fingerprint", result.model.fingerprint),
        ("vqamt_data", result.data.name),
        ("vqamt_data_digest", result.data.digest),
        ("vqamt_tags", " ".join(result.tags)),
        *_figures("vqamt", result),
        *(_figures("vqamt_presumed", result.presumed) if result.presumed else ()),
        *(_grounded("vqamt_grounded", result.grounded) if result.grounded else ()),
    ]
    return [(name, shown(value) if isinstance(value, str) else value) for name, value in found]


def total_properties(found: KindOfTotal) -> list[Property]:
    """The figures of the change of all relations together, or of the accuracy."""
    total = found.total
    return [
        ("vqamt_relation", found.kind.id),
        ("vqamt_model", shown(total.model)),
        ("vqamt_data", shown(total.data)),
        *_change("vqamt", total.change),
    ]


def _figures(name: str, counted: RelationResult | StratumResult) -> Iterator[Property]:
    tally = counted.tally
    yield f"{name}_cases", tally.cases
    yield f"{name}_holds", tally.holds
    yield f"{name}_violated", tally.violated
    yield f"{name}_unparsed", tally.unparsed
    yield f"{name}_errors", tally.errors
    yield f"{name}_declined", tally.declined
    yield f"{name}_flaky", tally.flaky
    yield f"{name}_waived", tally.waived
    yield f"{name}_vacuous", tally.vacuous
    for cause, count in sorted(counted.unread.items()):
        yield f"{name}_unread_{cause.replace(' ', '_')}", count.answers
    if tally.unread_rate is not None:
        yield f"{name}_unread_cases", tally.unread_cases
        yield f"{name}_unread_rate", tally.unread_rate
    if tally.readable_rate is not None:
        yield f"{name}_readable_pass_rate", tally.readable_rate
    if tally.pass_rate is not None:
        yield f"{name}_pass_rate", tally.pass_rate
        yield f"{name}_interval_low", counted.interval[0]
        yield f"{name}_interval_high", counted.interval[1]
    if counted.repeated and counted.repeated.rows:
        yield f"{name}_pass_all_rate", counted.repeated.pass_all_rate
        yield f"{name}_trial_rate", counted.repeated.trial_rate
    if counted.noise:
        yield f"{name}_noise_expected", counted.noise.expected
        yield f"{name}_noise_explains", str(counted.noise.explains).lower()
    if counted.gate:
        yield from _gate(f"{name}_gate", counted.gate)
    yield from _change(name, counted.change)


def _grounded(name: str, grounded: Grounded) -> Iterator[Property]:
    cells = grounded.cells
    yield f"{name}_cases", cells.cases
    for cell in fields(cells):
        yield f"{name}_{cell.name}", getattr(cells, cell.name)
    if grounded.rate is not None:
        yield f"{name}_rate", grounded.rate
        yield f"{name}_interval_low", grounded.interval[0]
        yield f"{name}_interval_high", grounded.interval[1]
        yield f"{name}_chance", grounded.chance.mean
    if grounded.gate:
        yield from _gate(f"{name}_gate", grounded.gate)
    yield from _change(name, grounded.change)
    if grounded.presumed:
        yield from _grounded(f"{name}_presumed", grounded.presumed)


def _change(name: str, change: BaselineChange | None) -> Iterator[Property]:
    if change:
        difference = change.paired.difference
        yield f"{name}_baseline_cases", change.paired.shared
        if difference is not None:
            yield f"{name}_baseline_difference", difference
            yield f"{name}_baseline_difference_low", change.interval[0]
            yield f"{name}_baseline_difference_high", change.interval[1]
        yield f"{name}_baseline_p", change.p if change.p_holm is None else change.p_holm
        if change.gate:
            yield from _gate(f"{name}_baseline_gate", change.gate)
            yield f"{name}_baseline_gate_uncertain", str(change.gate.uncertain).lower()


def _gate(name: str, gate: Gate) -> Iterator[Property]:
    yield name, gate.kind
    yield f"{name}_threshold", gate.threshold
    yield f"{name}_on", gate.on
    yield f"{name}_met", str(gate.met).lower()
