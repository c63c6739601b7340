"""The comparison of two deployments for other tools: Markdown for a comment, JUnit XML for a CI server, and a badge."""

from __future__ import annotations

from xml.etree import ElementTree as ET

from pytest_vqamt.core.text import count_noun, quoted, shortened, shown
from pytest_vqamt.probing.against.comparison import AgainstResult, StageResult
from pytest_vqamt.probing.against.terminal import stage_words, tokens, verdict
from pytest_vqamt.probing.probe_files import badge, junit_case, junit_text
from pytest_vqamt.probing.probe_report import brief
from pytest_vqamt.reporting.markdown import code, escape

_EXAMPLES = 3


def against_markdown(result: AgainstResult) -> str:
    """The comparison as a comment on GitHub or GitLab: the verdict, stages that differ, and figures."""
    lines = [f"**vqamt probe --against: {escape(verdict(result))}**", ""]
    lines += [f"- {name} is {code(model[:200])}" for name, model in zip("AB", result.models, strict=True)]
    differing = [each for each in result.stages if each.is_finding]
    if differing:
        lines += ["", "| stage | answers that differ | an example |", "| --- | --- | --- |"]
        lines += [
            f"| {each.stage.value} | {escape(stage_words(each))} | {escape(_example(each))} |" for each in differing
        ]
    alike = len(result.stages) - len(differing)
    lines += ["", f"{count_noun(alike, 'stage')} alike. Compared by {escape(result.scale)}; {escape(tokens(result))}."]
    if result.explanation is not None and result.explanation.smallest:
        lines += ["", f"The smallest picture that separates them: {escape(result.explanation.smallest)}."]
    if result.figures:
        lines += ["", f"Measured: {'; '.join(escape(str(each)) for each in result.figures)}."]
    return "\n".join(lines).rstrip() + "\n"


def against_badge(result: AgainstResult) -> str:
    """The verdict as a badge, as that of a probe."""
    if result.parted or not result.stages:
        return badge(verdict(result), "red")
    return badge(verdict(result), "brightgreen" if result.complete else "yellow")


def against_junit(result: AgainstResult) -> str:
    """The comparison as JUnit XML: test cases for the verdict, each stage and each figure."""
    suite = ET.Element("testsuite", name="vqamt probe --against")
    properties = ET.SubElement(suite, "properties")
    told = [*zip("AB", result.models, strict=True), ("compared by", result.scale), ("tokens", tokens(result))]
    for name, value in told:
        ET.SubElement(properties, "property", name=name, value=shown(value))
    # What parts them may be no single stage, such as sampling.
    case = junit_case(suite, "verdict")
    if result.parted:
        ET.SubElement(case, "failure", message=shown(verdict(result)), type="differs")
    elif not result.complete:
        ET.SubElement(case, "skipped", message=shown(verdict(result)))
    for stage in result.stages:
        case = junit_case(suite, stage.stage.value)
        if stage.is_finding:
            failure = ET.SubElement(case, "failure", message=shown(stage_words(stage)), type="differs")
            failure.text = shown(_example(stage))
    for figure in result.figures:
        case = junit_case(suite, figure.first.name)
        if figure.has_dropped:
            ET.SubElement(case, "failure", message=shown(str(figure)), type="dropped")
    return junit_text(suite)


def _example(stage: StageResult) -> str:
    """Requests that show it, with the answers of both."""
    return "; ".join(
        f"{brief(one.look)}, {quoted(brief(one.text))}: A {quoted(shortened(one.answer))}, "
        f"B {quoted(shortened(other.answer))}"
        for one, other in stage.differing[:_EXAMPLES]
    )
