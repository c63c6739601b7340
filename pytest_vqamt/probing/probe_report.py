"""The results of a probe as terminal lines, as JSON, and as one HTML page that loads nothing."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from importlib.resources import files
from typing import TypeAlias

from pytest_vqamt.core.codec import Json
from pytest_vqamt.core.text import count_noun, shortened, visible
from pytest_vqamt.probing.against import AgainstResult
from pytest_vqamt.probing.asking import SentRequest
from pytest_vqamt.probing.cards import Card, render_card
from pytest_vqamt.probing.findings import ProbeFinding
from pytest_vqamt.probing.gate import Gate
from pytest_vqamt.probing.probing import Figure, ProbeResult

Result: TypeAlias = ProbeResult | AgainstResult

_SHOWN = 6
"""Requests that the terminal and the cards of the page show for a finding."""

_SHOWN_FINDINGS = 3
"""Findings that the terminal tells of in full: the first is mostly the cause of the others."""

_THUMBNAIL_BYTES = 6_000
"""The most bytes of the picture of a card on the page, which holds dozens of them."""

_LONG, _END = 160, 48
"""A text of more characters is shown by its end, of so many: filler comes first and the question last."""


def probe_lines(result: ProbeResult, allowed: Sequence[str] = ()) -> Iterator[str]:
    """The result as lines for a terminal, about 25 of them."""
    yield f"probed {result.model} with {count_noun(len(result.log), 'request')}: {_count(result, allowed)}"
    if result.read:
        yield f"reads {reading(result)}"
    shown = _SHOWN_FINDINGS
    for finding in result.findings[:shown]:
        cause = finding.cause
        yield ""
        mark = " (allowed)" if finding.kind.value in allowed else ""
        yield f"{finding.kind.value}{mark}: {cause.title}"
        yield f"  {summary(finding)}"
        yield f"  likely cause: {cause.cause}"
        yield f"  do first: {cause.advice}"
        # One is enough to see what is wrong; the page has more.
        for sent in evidence(result.log, finding.requests)[:1]:
            yield f"  request {sent.number}: {brief(sent.look)}; {brief(sent.text)!r} -> {_quoted(sent.answer)}"
    if more := result.findings[shown:]:
        yield f"and {', '.join(each.kind.value for each in more)}"
    yield ""
    if result.figures:
        yield f"measured: {'; '.join(figure_words(each) for each in result.figures)}"
    for fact in result.facts:
        yield f"{fact.name}: {brief(visible(fact.value))}"
    yield f"checked: {', '.join(result.checked) or 'nothing'}"
    by_reason: dict[str, list[str]] = {}
    for name, reason in result.skipped:
        by_reason.setdefault(reason, []).append(name)
    for reason, names in by_reason.items():
        yield f"not checked: {', '.join(names)}: {reason}"


def gate_lines(found: Gate) -> Iterator[str]:
    """What fails against a baseline, as lines for a terminal."""
    if found.known:
        yield f"in the baseline, too: {', '.join(found.known)}"
    for drop in found.drops:
        yield f"dropped since the baseline: {drop}"


def reading(result: ProbeResult) -> str:
    """How much of the reference cards the model reads: "18 of 18 numbers, 17 of 18 colours"."""
    return ", ".join(f"{right} of {tries} {name}" for name, (right, tries) in result.read.items())


def figure_words(figure: Figure) -> str:
    """A figure as "effective resolution at 1,024 px 336 px"."""
    return f"{figure.name}: {figure.words or f'{figure.value:g} {figure.unit}'}"


def summary(finding: ProbeFinding) -> str:
    """A finding in one line: its comparisons, p-value and detail."""
    detail = f"; {finding.detail}" if finding.detail else ""
    not_it = f"; not with {' or '.join(finding.ruled_out)}" if finding.ruled_out else ""
    return (
        f"seen in {finding.differing} of {finding.compared} comparisons (by chance: p = {finding.p_value:.1e})"
        f"{detail}{not_it}"
    )


def _count(result: ProbeResult, allowed: Sequence[str]) -> str:
    found = [each for each in result.findings if each.kind.value not in allowed]
    waived = len(result.findings) - len(found)
    also = f", and {waived} allowed" if waived else ""
    return f"{count_noun(len(found), 'finding')}{also}"


def against_lines(result: AgainstResult) -> Iterator[str]:
    """The comparison as lines for a terminal."""
    first, second = result.models
    yield f"A = {first}"
    yield f"B = {second}"
    for each in result.stages:
        mark = "DIFFERENT" if each.is_finding else "alike"
        yield (
            f"{each.stage.value}: {mark}; {len(each.differing)} of {each.compared} differ twice, {each.wavering} once, "
            f"p = {each.p_value:.1e}; "
            f"right: A {each.right[0]}, B {each.right[1]}"
        )
        for one, other in each.differing[:2]:
            answers = f"A {_quoted(one.answer)}, B {_quoted(other.answer)}"
            yield f"  {one.card.look}; {one.text!r}: {answers}"
    yield f"tokens in: {result.tokens or 'the same, or not counted'}"
    if not result.complete:
        yield "not all stages were compared: the requests were spent"
    yield f"they part at {result.parted}" if result.parted else "no difference beyond chance"


def brief(text: str) -> str:
    """The text; of a long one its length and its end, where the question is.

    >>> brief("filler " * 100 + "Which number?")
    '(713 characters) ... filler filler filler filler filler Which number?'
    """
    return text if len(text) <= _LONG else f"({len(text):,} characters) ... {text[-_END:].lstrip()}"


def _quoted(text: str) -> str:
    return repr(visible(shortened(text)))


def evidence(log: Sequence[SentRequest], numbers: Sequence[int]) -> list[SentRequest]:
    """The requests of these numbers."""
    return [log[number - 1] for number in numbers]


def result_json(result: Result) -> str:
    """The result with all its requests, as JSON."""
    return json.dumps(_against_row(result) if isinstance(result, AgainstResult) else _probe_row(result), indent=1)


def _probe_row(result: ProbeResult) -> dict[str, Json]:
    return {
        "model": result.model,
        "requests": len(result.log),
        "subject": result.subject,
        "read": {name: [right, tries] for name, (right, tries) in result.read.items()},
        "flips": result.flips,
        "findings": [
            {
                "kind": each.kind.value,
                "title": each.cause.title,
                "cause": each.cause.cause,
                "advice": each.cause.advice,
                "differing": each.differing,
                "compared": each.compared,
                "p_value": each.p_value,
                "detail": each.detail,
                "ruled_out": list(each.ruled_out),
                "requests": list(each.requests),
            }
            for each in result.findings
        ],
        "figures": {each.name: {"value": each.value, "unit": each.unit} for each in result.figures},
        "facts": {each.name: each.value for each in result.facts},
        "checked": list(result.checked),
        "skipped": dict(result.skipped),
        "log": [_request_row(each) for each in result.log],
    }


def _against_row(result: AgainstResult) -> dict[str, Json]:
    return {
        "models": list(result.models),
        "stages": [
            {
                "stage": each.stage.value,
                "compared": each.compared,
                "differing": [[one.number, other.number] for one, other in each.differing],
                "wavering": each.wavering,
                "right": list(each.right),
                "p_value": each.p_value,
                "is_finding": each.is_finding,
            }
            for each in result.stages
        ],
        "tokens": result.tokens,
        "parted": result.parted,
        "complete": result.complete,
        "logs": [[_request_row(each) for each in log] for log in result.logs],
    }


def _request_row(sent: SentRequest) -> dict[str, Json]:
    return {
        "number": sent.number,
        "sent": sent.look,
        "text": sent.text,
        "answer": sent.answer,
        "failure": sent.failure,
        "tokens_in": sent.tokens_in,
        "batch": sent.batch,
    }


def result_html(result: Result, allowed: Sequence[str] = ()) -> str:
    """The HTML page, which loads nothing and runs no script."""
    from markupsafe import Markup

    from pytest_vqamt.reporting.html.page import inline_source, page_template

    own = (files(__package__) / "templates" / "probe.css").read_text("utf-8")
    shared = (files("pytest_vqamt.reporting.html") / "assets" / "page.css").read_text("utf-8")
    style = f"{shared}\n{own}"
    return page_template("pytest_vqamt.probing", "probe.html").render(
        result=result,
        against=isinstance(result, AgainstResult),
        count=_count(result, allowed) if isinstance(result, ProbeResult) else "",
        allowed=allowed,
        # A page of answers of a stranger's model, which may hold markup.
        policy=(
            f"default-src 'none'; img-src data:; style-src {inline_source(style)}; base-uri 'none'; form-action 'none'"
        ),
        style=Markup(style),
        evidence=evidence,
        summary=summary,
        reading=reading,
        figure_words=figure_words,
        shown=_SHOWN,
        short=shortened,
        brief=brief,
        thumbnail=_thumbnail,
    )


def _thumbnail(card: Card) -> str:
    from pytest_vqamt.reporting.html.case_cards import thumbnail

    return thumbnail(render_card(card), _THUMBNAIL_BYTES).uri
