"""The result of a probe for other tools: Markdown for a comment, and JUnit XML for a CI server."""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree import ElementTree as ET

from pytest_vqamt.core.text import count_noun, visible
from pytest_vqamt.probing.gate import Gate
from pytest_vqamt.probing.probe_report import figure_words, reading, summary
from pytest_vqamt.probing.probing import ProbeResult


def result_markdown(result: ProbeResult, gate: Gate) -> str:
    """The result as a card of Markdown: what was read, each finding, the figures, and what has dropped."""
    state = "failed" if gate.fails else "passed"
    lines = [f"**vqamt probe: {state}** for `{_code(result.model)}`, {count_noun(len(result.log), 'request')}", ""]
    if result.read:
        lines += [f"Reads {reading(result)}.", ""]
    if result.findings:
        lines += ["| finding | what | likely cause |", "| --- | --- | --- |"]
        for each in result.findings:
            known = "" if each.kind.value in gate.new else " (allowed or known)"
            lines.append(
                f"| `{each.kind.value}`{known} | {_cell(each.cause.title)}: {_cell(summary(each))} | "
                f"{_cell(each.cause.cause)} {_cell(each.cause.advice)} |"
            )
        lines.append("")
    lines += [f"- Dropped: {_cell(each)}" for each in gate.drops]
    if result.figures:
        lines.append(f"Measured: {'; '.join(_cell(figure_words(each)) for each in result.figures)}.")
    return "\n".join(lines).rstrip() + "\n"


def result_junit(result: ProbeResult, gate: Gate, allowed: Sequence[str]) -> str:
    """The result as JUnit XML: a test case for each check and each finding, and one for the baseline's figures."""
    suite = ET.Element("testsuite", name="vqamt probe")
    failed = 0
    for name in result.checked:
        _case(suite, name)
    for name, reason in result.skipped:
        ET.SubElement(_case(suite, name), "skipped", message=visible(reason))
    for finding in result.findings:
        case = _case(suite, f"finding: {finding.kind.value}")
        if finding.kind.value in gate.new:
            failed += 1
            told = f"{finding.cause.title}\n{summary(finding)}\n{finding.cause.cause}\n{finding.cause.advice}"
            ET.SubElement(case, "failure", message=finding.cause.title).text = visible(told)
        else:
            reason = "allowed" if finding.kind.value in allowed else "in the baseline"
            ET.SubElement(case, "skipped", message=f"{reason}: {finding.cause.title}")
    for drop in gate.drops:
        failed += 1
        ET.SubElement(_case(suite, "figures against the baseline"), "failure", message=visible(drop))
    suite.set("tests", str(len(suite)))
    suite.set("failures", str(failed))
    suite.set("skipped", str(len(suite.findall("testcase/skipped"))))
    suites = ET.Element("testsuites")
    suites.append(suite)
    ET.indent(suites)
    return ET.tostring(suites, encoding="unicode", xml_declaration=True) + "\n"


def _case(suite: ET.Element, name: str) -> ET.Element:
    return ET.SubElement(suite, "testcase", classname="vqamt.probe", name=name)


def _cell(text: str) -> str:
    return visible(text).replace("|", "\\|").replace("\n", " ")


def _code(text: str) -> str:
    return visible(text).replace("`", "'")
