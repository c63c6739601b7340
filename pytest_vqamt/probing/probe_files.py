"""The result of a probe for other tools: Markdown for a comment, JUnit XML for a CI server, and a badge."""

from __future__ import annotations

import json
from xml.etree import ElementTree as ET

from pytest_vqamt.core.codec import Json
from pytest_vqamt.core.text import count_noun, shown
from pytest_vqamt.probing.findings import FindingState, ProbeFinding
from pytest_vqamt.probing.gate import Gate
from pytest_vqamt.probing.probe_report import example, extent, figure_words, is_partial, reading, summary, verdict
from pytest_vqamt.probing.results import ProbeResult
from pytest_vqamt.reporting.markdown import COMMENT_BYTES_AT_MOST, code, escape, prose

_ROOM = COMMENT_BYTES_AT_MOST - 4_096
"""The bytes of the table of findings: the lines around it have a bound of their own. GitLab takes a million."""
_MOST_LISTED = 20
"""The figures and drops of a comment."""


def result_markdown(result: ProbeResult, found: Gate) -> str:
    """The result as a comment on GitHub or GitLab: what was read, each finding, the figures, and what has dropped."""
    lines = [f"**vqamt probe: {verdict(result, found)}**", "", f"{code(result.model[:200])}: {extent(result)}.", ""]
    if result.read:
        lines += [f"Reads {escape(reading(result))}.", ""]
    lines += [f"- dropped since the baseline: {escape(each)}" for each in found.drops[:_MOST_LISTED]]
    lines += ["" for _ in found.drops[:1]]
    table = ["| finding | what | likely cause | do first |", "| --- | --- | --- | --- |"]
    used = 0
    for told, each in enumerate(result.findings):
        row = _row(result, found, each)
        used += len(row.encode())
        if used > _ROOM:
            table += ["", f"{count_noun(len(result.findings) - told, 'more finding')} on the page."]
            break
        table.append(row)
    lines += [*table, ""] if result.findings else []
    if result.figures:
        lines += [f"Measured: {'; '.join(escape(figure_words(each)) for each in result.figures[:_MOST_LISTED])}.", ""]
    if found.not_found:
        lines.append(f"`--allow` names {', '.join(map(code, found.not_found))}: not found in this probe.")
    return "\n".join(lines).rstrip() + "\n"


def _row(result: ProbeResult, found: Gate, finding: ProbeFinding) -> str:
    mark = f" ({escape(found.mark(finding))})" if found.mark(finding) else ""
    seen = f"{finding.kind.observed}: {summary(finding)}"
    shown_by = example(result.log, finding)
    # Each cell by itself, so that a long detail does not cost the example its place.
    what = "<br>".join(escape(shown(each)) for each in (seen, shown_by) if each)
    kind = finding.kind
    return f"| {code(kind.value)}{mark} | {what} | {prose(kind.cause)} | {prose(kind.advice)} |"


def result_badge(result: ProbeResult, found: Gate) -> str:
    """The verdict as a badge: https://shields.io/badges/endpoint-badge, as ``badge.json`` of a report is."""
    # A probe that could not check anything is no success, and one that left out most checks no whole one.
    if found.fails or not result.checked:
        return badge(verdict(result, found), "red")
    return badge(verdict(result, found), "yellow" if is_partial(result) else "brightgreen")


def badge(message: str, color: str) -> str:
    """A badge as shields.io reads it."""
    row: dict[str, Json] = {
        "schemaVersion": 1,
        "label": "vqamt probe",
        "message": message,
        "color": color,
    }
    return json.dumps(row) + "\n"


def result_junit(result: ProbeResult, found: Gate) -> str:
    """The result as JUnit XML: a test case for each check and each finding, and one for the baseline's figures."""
    suite = ET.Element("testsuite", name="vqamt probe")
    properties = ET.SubElement(suite, "properties")
    told = [("model", result.model), ("requests", f"{len(result.log)}")]
    told += [(f"{name} read", f"{right} of {tries}") for name, (right, tries) in result.read.items()]
    told += [(each.name, f"{each.value:g} {each.unit}") for each in result.figures]
    for name, value in told:
        ET.SubElement(properties, "property", name=shown(name), value=shown(value))
    for name in result.checked:
        junit_case(suite, name)
    # GitLab takes two cases of one name for one.
    for name, reason in dict(result.skipped).items():
        ET.SubElement(junit_case(suite, name), "skipped", message=shown(reason))
    for finding in result.findings:
        case = junit_case(suite, f"finding: {finding.kind.value}")
        if found.state(finding) is FindingState.FAILS:
            title = f"{finding.kind.observed} (do first: {finding.kind.advice})"
            ET.SubElement(case, "failure", message=shown(title), type=finding.kind.value).text = _text(result, finding)
        else:
            ET.SubElement(case, "skipped", message=shown(f"{found.mark(finding)}: {finding.kind.observed}"))
    if found.drops:
        message = f"{count_noun(len(found.drops), 'figure')} dropped since the baseline: {found.drops[0]}"
        failure = ET.SubElement(junit_case(suite, "figures against the baseline"), "failure", message=shown(message))
        failure.set("type", "dropped")
        failure.text = "\n".join(map(shown, found.drops[:_MOST_LISTED]))
    return junit_text(suite)


def junit_text(suite: ET.Element) -> str:
    """A test suite as JUnit XML, with its counts."""
    cases = suite.findall("testcase")
    suite.set("tests", str(len(cases)))
    suite.set("failures", str(sum(case.find("failure") is not None for case in cases)))
    suite.set("skipped", str(sum(case.find("skipped") is not None for case in cases)))
    suites = ET.Element("testsuites")
    suites.append(suite)
    ET.indent(suites)
    return ET.tostring(suites, encoding="unicode", xml_declaration=True) + "\n"


def _text(result: ProbeResult, finding: ProbeFinding) -> str:
    kind = finding.kind
    told = (kind.observed, summary(finding), f"likely cause: {kind.cause}", f"do first: {kind.advice}")
    return "\n".join(shown(each) for each in (*told, example(result.log, finding)) if each)


def junit_case(suite: ET.Element, name: str) -> ET.Element:
    """A test case of a suite."""
    return ET.SubElement(suite, "testcase", classname="vqamt.probe", name=name)
