"""The results of a probe in words, as rows of ``probe.json``, and as one HTML page that loads nothing."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files
from typing import TYPE_CHECKING, TypeAlias

from pytest_vqamt.core.text import count_noun, quoted, shortened, visible
from pytest_vqamt.probing.against.comparison import AgainstResult
from pytest_vqamt.probing.asking import SentRequest
from pytest_vqamt.probing.cards import SIDE_PX, Card, colour_name, render_card
from pytest_vqamt.probing.findings import FindingState, ProbeFinding
from pytest_vqamt.probing.gate import Gate
from pytest_vqamt.probing.probe_rows import PROBE_SCHEMA, ProbeFigureRow, ProbeFindingRow, ProbeRow, sent_rows
from pytest_vqamt.probing.results import Figure, ProbeResult

if TYPE_CHECKING:
    from markupsafe import Markup

Result: TypeAlias = ProbeResult | AgainstResult

_SHOWN = 6
"""Requests that the terminal and the cards of the page show for a finding."""

_MOST_OF_AN_ANSWER = 60
"""The characters of the answer of an example."""

_THUMBNAIL_BYTES = 6_000
"""The most bytes of the picture of a card on the page, which holds dozens of them."""

_LONG, _END = 160, 48
"""A text of more characters is shown by its end, of so many: filler comes first and the question last."""


def verdict(result: ProbeResult, found: Gate) -> str:
    """What comes first everywhere: "failed, 1 finding, 2 allowed, 1 figure dropped"."""
    states = [found.state(each) for each in result.findings]
    parts = [
        "failed" if found.fails else _passed(result),
        count_noun(states.count(FindingState.FAILS), "finding"),
        *([f"{waived:,} allowed"] if (waived := states.count(FindingState.ALLOWED)) else []),
        *([f"{known:,} known from the baseline"] if (known := states.count(FindingState.KNOWN)) else []),
        *([f"{count_noun(len(found.drops), 'figure')} dropped"] if found.drops else []),
    ]
    return ", ".join(parts)


def _passed(result: ProbeResult) -> str:
    if not result.checked:
        return "nothing was checked"
    return "passed in part" if is_partial(result) else "passed"


def result_class(result: ProbeResult, found: Gate) -> str:
    """The class of the page's head, and so its colour."""
    if found.fails or not result.checked:
        return "missed"
    return "" if is_partial(result) else "met"


def is_partial(result: ProbeResult) -> bool:
    """True if most checks were left out: a model that reads little cannot show most faults."""
    return len(result.skipped) > len(result.checked)


def extent(result: ProbeResult) -> str:
    """How much was tried: "25 checks (2 not made), 335 requests"."""
    left_out = f" ({len(result.skipped):,} not made)" if result.skipped else ""
    return f"{count_noun(len(result.checked), 'check')}{left_out}, {count_noun(len(result.log), 'request')}"


def example(log: Sequence[SentRequest], finding: ProbeFinding) -> str:
    """One request that shows the finding, with its answer and what is right; "" where none is known."""
    # One is enough to see what is wrong; the page has more.
    sent = next(iter(evidence(log, finding.requests)), None)
    if sent is None:
        return ""
    answered = "no answer" if sent.failure else quoted(sent.answer, _MOST_OF_AN_ANSWER)
    # Weights that read nothing are never right.
    is_told = not sent.is_right and any(each.is_right for each in log)
    right = f" (right: {sent.request.right})" if sent.request.right and is_told else ""
    # The question is a part of a conversation.
    asked = conversation(sent.look) if sent.request.turns else f"{brief(sent.look)}; {brief(sent.text)!r}"
    return f"request {sent.number}: {asked} -> {answered}{right}"


def conversation(look: str) -> str:
    """The beginning of a conversation, where its pictures are, and its end, where the question is."""
    if len(look) <= _LONG:
        return look
    # At spaces, unless a word is longer than that.
    first, last = look[: _LONG // 2], look[-_LONG // 2 :]
    return f"{first.rpartition(' ')[0] or first} ... {last.partition(' ')[2] or last}"


def reading(result: ProbeResult) -> str:
    """How much of the reference cards the model reads: "18 of 18 numbers, 17 of 18 colours"."""
    return ", ".join(f"{right} of {tries} {name}" for name, (right, tries) in result.read.items())


def figure_words(figure: Figure) -> str:
    """A figure as "effective resolution at 1,024 px 336 px"."""
    if figure.words:
        return f"{figure.name}: {figure.words}"
    # As "1,024" and "0.5": the format "g" alone gives "1e+06" for large ones.
    value = f"{figure.value:,.0f}" if float(figure.value).is_integer() else f"{figure.value:g}"
    return f"{figure.name}: {value} {figure.unit}"


def seen_in(finding: ProbeFinding) -> str:
    """In how many comparisons a finding was seen, and how likely that is by chance."""
    seen = f"seen in {finding.differing:,} of {finding.compared:,} comparisons"
    # What no sane deployment does has no chance.
    return f"{seen} (by chance: p = {finding.p_value:.1e})" if finding.p_value else seen


def not_it(finding: ProbeFinding) -> str:
    """What was tried, and is not the cause; "" where nothing was."""
    return "; nor ".join(finding.ruled_out)


def summary(finding: ProbeFinding) -> str:
    """A finding in one line: its comparisons, detail, and what it is not."""
    detail = f"; {finding.detail}" if finding.detail else ""
    tried = f"; it is not {not_it(finding)}" if finding.ruled_out else ""
    return f"{seen_in(finding)}{detail}{tried}"


def brief(text: str) -> str:
    """The text; of a long one its length and its end, where the question is.

    >>> brief("filler " * 100 + "Which number?")
    '(713 characters) ... filler filler filler filler filler Which number?'
    """
    return text if len(text) <= _LONG else f"({len(text):,} characters) ... {text[-_END:].lstrip()}"


def _quoted(text: str) -> str:
    return repr(visible(shortened(text)))


def compared_with(log: Sequence[SentRequest], sent: SentRequest) -> SentRequest | None:
    """The most alike request about the same number that was answered rightly; None where there is none."""
    right = str(sent.card.number)
    if sent.is_right or sent.request.right != right:
        return None  # of a colour or a corner no other card is the same
    alike = (each for each in log if each.request.right == right and each.is_right)
    # Of equally alike ones the first, which is a reference.
    return min(alike, key=lambda each: _differences(each, sent), default=None)


def _differences(one: SentRequest, other: SentRequest) -> int:
    """In how many ways two requests differ, and of equally many how far the first is from the plainest."""
    mine, its = _ways(one), _ways(other)
    return 100 * sum(a != b for a, b in zip(mine, its, strict=True)) + sum(map(bool, mine))


def _ways(sent: SentRequest) -> tuple[object, ...]:
    card = sent.card
    file = card.file and card.file.words
    size = "" if card.size == (SIDE_PX, SIDE_PX) else card.size
    shown = (card.ink, card.digit_px, card.dots, card.corners, size, file)
    return (*shown, len(sent.request.turns), len(sent.text) > _LONG, bool(sent.batch), colour_name(card.ground) == "")


def evidence(log: Sequence[SentRequest], numbers: Sequence[int]) -> list[SentRequest]:
    """The requests of these numbers: wrong answers first, one of each way of sending before others."""
    sent = sorted((log[number - 1] for number in numbers), key=lambda each: each.is_right)
    first = {_ways(each): each for each in reversed(sent)}
    return sorted(sent, key=lambda each: (each.is_right, first[_ways(each)] is not each))


def probe_row(result: ProbeResult, found: Gate) -> ProbeRow:
    """The probe as it is written."""
    return ProbeRow(
        schema=PROBE_SCHEMA,
        model=result.model,
        is_by_scores=result.is_by_scores,
        passed=not found.fails and bool(result.checked),
        requests=len(result.log),
        subject=result.subject,
        read=dict(result.read),
        flips=result.flips,
        findings=tuple(
            ProbeFindingRow(
                kind=each.kind.value,
                state=found.state(each),
                reason=found.allowed.get(each.kind.value, ""),
                title=each.kind.observed,
                cause=each.kind.cause,
                advice=each.kind.advice,
                differing=each.differing,
                compared=each.compared,
                p_value=each.p_value,
                detail=each.detail,
                ruled_out=each.ruled_out,
                requests=each.requests,
            )
            for each in result.findings
        ),
        drops=found.drops,
        not_found=found.not_found,
        figures={
            each.name: ProbeFigureRow(
                value=each.value, unit=each.unit, is_better_high=each.is_better_high, is_gated=each.is_gated
            )
            for each in result.figures
        },
        facts={each.name: each.value for each in result.facts},
        checked=tuple(result.checked),
        skipped=dict(result.skipped),
        log=sent_rows(result.log),
    )


def result_html(result: Result, found: Gate | None = None) -> str:
    """The HTML page, which loads nothing and runs no script."""
    from markupsafe import Markup

    from pytest_vqamt.reporting.html.page import inline_source, page_template

    own = (files(__package__) / "templates" / "probe.css").read_text("utf-8")
    shared = (files("pytest_vqamt.reporting.html") / "assets" / "page.css").read_text("utf-8")
    style = f"{shared}\n{own}"
    return page_template("pytest_vqamt.probing", "probe.html").render(
        result=result,
        against=isinstance(result, AgainstResult),
        marked=_reads(result),
        verdict=verdict,
        head=result_class,
        extent=extent,
        found=found,
        findings=_failing_first(result, found) if isinstance(result, ProbeResult) and found else (),
        with_code=_with_code,
        # A page of answers of a stranger's model, which may hold markup.
        policy=(
            f"default-src 'none'; img-src data:; style-src {inline_source(style)}; base-uri 'none'; form-action 'none'"
        ),
        style=Markup(style),
        evidence=evidence,
        seen_in=seen_in,
        not_it=not_it,
        compared_with=compared_with,
        reading=reading,
        figure_words=figure_words,
        shown=_SHOWN,
        short=shortened,
        visible=visible,
        conversation=conversation,
        brief=brief,
        thumbnail=_thumbnail,
    )


def _reads(result: Result) -> bool:
    """True if right and wrong say something: a model of random weights is always wrong."""
    if isinstance(result, AgainstResult):
        return any(any(each.right) for each in result.stages)
    return bool(result.read)


def _failing_first(result: ProbeResult, found: Gate) -> list[ProbeFinding]:
    return sorted(result.findings, key=lambda each: bool(found.mark(each)))


def _with_code(text: str) -> Markup:
    """A sentence of ours with its commands as code."""
    from markupsafe import Markup, escape

    parts = enumerate(text.split("`"))
    return Markup("").join(
        Markup("<code>{}</code>").format(each) if place % 2 else escape(each) for place, each in parts
    )


def _thumbnail(card: Card) -> str:
    from pytest_vqamt.reporting.html.case_cards import thumbnail

    return thumbnail(render_card(card), _THUMBNAIL_BYTES).uri
