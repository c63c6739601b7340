"""JUnit files: the properties of an item's test case, and the file of a report that is here, merged or read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias
from xml.etree import ElementTree as ET

from pytest_vqamt.core.atomic_write import writing
from pytest_vqamt.core.results import BaselineChange, Gate, Grounded, RelationResult, Report, StratumResult
from pytest_vqamt.core.text import shown, visible
from pytest_vqamt.reporting.item_messages import (
    TestOutcome,
    drop_outcome_of,
    missed_drops,
    missing_message,
    outcome_of,
    total_message,
)
from pytest_vqamt.reporting.view.model_figures import KindOfTotal, totals_of
from pytest_vqamt.reporting.view.rows import p_value

Property = tuple[str, object]
"""A name and a text, a number or a truth: what xdist sends as it is."""

CLASS = "vqamt"
BASELINE_CLASS = "vqamt.baseline"
"""The ``classname`` of items, and of their tests against the baseline, as pytest writes it for those of a session."""

ElementName: TypeAlias = Literal["passed", "failure", "error", "skipped"]
"""The element of a test case that did not pass, or "passed"."""

_ELEMENTS: Mapping[TestOutcome, ElementName] = {
    TestOutcome.PASSED: "passed",
    TestOutcome.SKIPPED: "skipped",
    TestOutcome.MISSED: "failure",
    # It is raised within the test, a failure in JUnit; "error" is for items that could not be run.
    TestOutcome.ERRORS: "failure",
}


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
        # "true" rather than Python's "True", here and below.
        yield f"{name}_noise_explains", str(counted.noise.explains).lower()
    if counted.gate:
        yield from _gate(f"{name}_gate", counted.gate)
    yield from _change(name, counted.change)


def _grounded(name: str, grounded: Grounded) -> Iterator[Property]:
    cells = grounded.cells
    yield f"{name}_cases", cells.cases
    for cell in cells.__struct_fields__:
        yield f"{name}_{cell}", getattr(cells, cell)
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
        yield f"{name}_baseline_p", p_value(change)
        if change.gate:
            yield from _gate(f"{name}_baseline_gate", change.gate)
            yield f"{name}_baseline_gate_uncertain", str(change.gate.uncertain).lower()


def _gate(name: str, gate: Gate) -> Iterator[Property]:
    yield name, gate.kind
    yield f"{name}_threshold", gate.threshold
    yield f"{name}_on", gate.on
    yield f"{name}_met", str(gate.met).lower()


def write_junit(report: Report, page: Path, file: Path) -> None:
    """Writes the tests of a session with this report as JUnit XML for dashboards; ``page`` is the report's page.

    Names, outcomes, figures and the first lines of messages are those that ``--junitxml`` of the session would have,
    where the plugin has added its items. A report has no example violations, so failures name its page for them. It has
    no times of single items either, and of items that could not be run only the first reason.
    """
    cases = list(_test_cases(report, f"  each violation: {page}"))
    counts = {kind: sum(case.outcome == kind for case in cases) for kind in ("error", "failure", "skipped")}
    suite = ET.Element(
        "testsuite",
        name="pytest",
        errors=str(counts["error"]),
        failures=str(counts["failure"]),
        skipped=str(counts["skipped"]),
        tests=str(len(cases)),
        time=f"{report.duration_s:.3f}",
        timestamp=report.started,
    )
    suite.extend(case.element() for case in cases)
    root = ET.Element("testsuites", name="pytest tests")
    root.append(suite)
    ET.indent(root, " ")
    with writing(file, "--junitxml") as part:
        ET.ElementTree(root).write(part, encoding="utf-8", xml_declaration=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class _TestCase:
    classname: str
    """"vqamt" or "vqamt.baseline"."""
    name: str
    """As pytest names the item."""
    outcome: ElementName = "passed"
    """"failure" and "error" as JUnit tells them apart."""
    message: str = ""
    """What is said of a failed or skipped one: the first line is the heading."""
    properties: tuple[Property, ...] = ()
    """Figures, as ``user_properties`` of the session's item."""

    def element(self) -> ET.Element:
        element = ET.Element("testcase", classname=self.classname, name=self.name)
        if self.properties:
            listed = ET.SubElement(element, "properties")
            for name, value in self.properties:
                ET.SubElement(listed, "property", name=name, value=str(value))
        if self.outcome != "passed":
            found = ET.SubElement(element, self.outcome, message=self.message.partition("\n")[0])
            if self.outcome == "skipped":
                # As pytest writes it.
                found.set("type", "pytest.skip")
            found.text = self.message
        return element


def _test_cases(report: Report, page: str) -> Iterator[_TestCase]:
    is_whole = report.shard == "1/1"
    failed = set()
    for result in report.relations:
        outcome, message = outcome_of(result, "pytest", report.max_error_rate, is_whole=is_whole)
        # A failed item names its drops too, since its test against the baseline is skipped then.
        is_failed = outcome in (TestOutcome.MISSED, TestOutcome.ERRORS)
        if is_failed:
            failed.add(result.position)
            message = "\n".join((_heading_first(result, message), *(missed_drops(result) if is_whole else ()), page))
        yield _TestCase(
            classname=CLASS,
            name=visible(result.id),
            outcome=_ELEMENTS[outcome],
            message=visible(message, keep="\n"),
            properties=tuple(properties(result)),
        )
    if not report.complete:
        message = visible(report.failure or "the run was stopped early", keep="\n")
        yield _TestCase(classname=CLASS, name="unfinished items", outcome="error", message=message)
    if is_whole:
        yield from _baseline_cases(report, page, failed)


def _heading_first(result: RelationResult, message: str) -> str:
    """The message without the relation and the model, which are in the name of the test."""
    return message.removeprefix(f"{result.item} on {result.model.name}: ")


def _baseline_cases(report: Report, page: str, failed: set[int]) -> Iterator[_TestCase]:
    """The tests against the baseline; an item whose own test has ``failed`` has a skipped one."""
    for result in report.relations:
        if not result.drop_gates:
            continue
        outcome, message = drop_outcome_of(result, report.undecided, "pytest", has_failed=result.position in failed)
        yield _TestCase(
            classname=BASELINE_CLASS,
            name=visible(result.id_in_baseline),
            outcome=_ELEMENTS[outcome],
            message=f"{_heading_first(result, message)}\n{page}" if outcome is TestOutcome.MISSED else message,
            properties=tuple(properties(result)),
        )
    for total in totals_of(report.baseline):
        if total.gate:
            is_missed = report.undecided.fails(total.gate)
            yield _TestCase(
                classname=BASELINE_CLASS,
                name=visible(total.id),
                outcome="failure" if is_missed else "passed",
                message=f"{total_message(total).removeprefix(f'{total.of}: ')}\n{page}" if is_missed else "",
                properties=tuple(total_properties(total)),
            )
    for item in report.baseline.missing if report.baseline else ():
        yield _TestCase(classname=BASELINE_CLASS, name=visible(item), outcome="skipped", message=missing_message(item))
