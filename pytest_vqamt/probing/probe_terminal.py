"""The result of a probe on a terminal: at most 25 lines of 100 columns, what decides first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from unicodedata import east_asian_width

from pytest_vqamt.core.text import count_noun, shortened, some_of, visible
from pytest_vqamt.probing.asking import SentRequest
from pytest_vqamt.probing.findings import FindingState, ProbeFinding
from pytest_vqamt.probing.gate import Gate, gate
from pytest_vqamt.probing.probe_report import example, extent, figure_words, not_it, reading, seen_in, verdict
from pytest_vqamt.probing.results import ProbeResult
from pytest_vqamt.reporting.view.format import WIDTH

MOST_LINES = 25
"""So many fit an ordinary window, with the command above them."""

_PAGE_LINES = 1
"""The command prints the place of the page once it is written."""
_MOST_DROPS = 3
_MOST_PASSING = 3
"""Findings that do not fail have a line each."""
_FEWEST_LINES = 3
"""Of a finding in brief, with the blank line before it."""
_MOST_FACTS = 4


def probe_lines(result: ProbeResult, found: Gate | None = None, *, has_page: bool = False) -> list[str]:
    """The result as at most 24 lines for a terminal, which leaves one for the place of the page.

    What does not fit is counted in the last line: the page and ``probe.json`` have it.

    Args:
        result: the probe.
        found: what of it fails; None where nothing is allowed or known.
        has_page: True if the page is written.
    """
    found = gate(result) if found is None else found
    room = MOST_LINES - _PAGE_LINES
    head = [
        *folded(f"{verdict(result, found)}: {result.model}; {extent(result)}", 2),
        *folded(reading_line(result), 2),
    ]
    head += _first_of([f"dropped since the baseline: {each}" for each in found.drops], _MOST_DROPS, "dropped figures")
    tail = [*folded(_measured(result), 2), *folded(_unneeded(found), 1)]
    # A line is left for what was not checked, and one for what does not fit.
    told, cut = _findings(result, found, room - len(head) - len(tail) - 2)
    facts, more_facts = _facts(result, room - len(head) - len(told) - len(tail) - 2)
    skipped = _skipped(result, room - len(head) - len(told) - len(tail) - len(facts) - 1)
    left = [
        *([count_noun(cut, "more finding")] if cut else []),
        *([count_noun(more_facts, "more fact")] if more_facts else []),
    ]
    where = "on the page" if has_page else "--out DIR"
    return [*head, *told, *tail, *facts, *skipped, *([f"{' and '.join(left)}: {where}"] if left else [])]


def page_line(file: Path) -> str:
    """Where the page is, in one line; of a long path its end."""
    text = visible(f"page: {file}")
    if _columns(text) <= WIDTH:
        return text
    end = text[-WIDTH:]
    while _columns(end) > WIDTH - len("page: ..."):
        end = end[1:]
    return f"page: ...{end}"


def reading_line(result: ProbeResult) -> str:
    """How much the model reads; "" where it was not measured."""
    return f"reads {reading(result)}" if result.read else ""


def _measured(result: ProbeResult) -> str:
    # What varies by itself first, then the largest pictures, which come last: the line may be cut.
    figures = sorted([*reversed(result.figures)], key=lambda each: each.is_gated)
    return f"measured: {'; '.join(map(figure_words, figures))}" if figures else ""


def _unneeded(found: Gate) -> str:
    return f"--allow {', '.join(found.not_found)}: not found in this probe" if found.not_found else ""


def _findings(result: ProbeResult, found: Gate, room: int) -> tuple[list[str], int]:
    """The findings in so many lines, and how many are not told in full."""
    failing = [each for each in result.findings if found.state(each) is FindingState.FAILS]
    passing = [each for each in result.findings if found.state(each) is not FindingState.FAILS]
    if not result.findings:
        return [], 0
    others = [
        line
        for each in passing[:_MOST_PASSING]
        for line in folded(f"{found.mark(each)}: {each.kind.value}: {each.kind.observed}", 1)
    ]
    names = [each.kind.value for each in passing[_MOST_PASSING:]]
    others += folded(f"not failing either: {', '.join(names)}" if names else "", 1)
    # With a blank line before them, and one after all.
    room -= len(others) + 1 + bool(others)
    log = result.log
    # The first is mostly the cause of the others: it is told in full, as many others as fit in brief.
    for told in range(min(len(failing), room // _FEWEST_LINES), 0, -1):
        for in_full in range(told, -1, -1):
            lines = [line for each in failing[:in_full] for line in ("", *_in_full(each, log))]
            lines += [line for each in failing[in_full:told] for line in ("", *_in_brief(each))]
            rest = ", ".join(each.kind.value for each in failing[told:])
            lines += folded(f"also found: {rest}" if rest else "", 1)
            if len(lines) <= room:
                return [*lines, *(["", *others] if others else []), ""], len(result.findings) - in_full
    names = [each.kind.value for each in failing]
    named = folded(f"found: {', '.join(names)}" if names else "", 1)
    return ["", *named, *others, ""], len(result.findings)


def _in_full(finding: ProbeFinding, log: Sequence[SentRequest]) -> Iterator[str]:
    kind = finding.kind
    yield from folded(f"{kind.value}: {kind.observed}", 1)
    detail = f": {finding.detail}" if finding.detail else ""
    yield from folded(f"  {seen_in(finding)}{detail}", 2)
    if finding.ruled_out:
        yield from folded(f"  it is not {not_it(finding)}", 2)
    yield from folded(f"  likely cause: {kind.cause}", 2)
    yield from folded(f"  do first: {kind.advice}", 2)
    shown = example(log, finding)
    yield from folded(f"  {shown}" if shown else "", 3)


def _in_brief(finding: ProbeFinding) -> Iterator[str]:
    yield from folded(f"{finding.kind.value}: {finding.kind.observed}", 1)
    yield from folded(f"  do first: {finding.kind.advice}", 2)


def _facts(result: ProbeResult, room: int) -> tuple[list[str], int]:
    """The facts that may help to decide, a line each, and how many there are besides."""
    some = [each for each in result.facts if not each.is_minor][: max(0, min(room, _MOST_FACTS))]
    lines = [line for each in some for line in folded(f"{each.name}: {shortened(each.value)}", 1)]
    return lines, len(result.facts) - len(some)


def _skipped(result: ProbeResult, room: int) -> list[str]:
    """What was not checked, a line for each reason if all fit, else one line without reasons."""
    lines = [
        line
        for reason, names in result.skipped_by_reason().items()
        for line in folded(f"not checked: {some_of(names, 4)}: {reason}", 2)
    ]
    return lines if len(lines) <= room else folded(f"not checked: {', '.join(name for name, _ in result.skipped)}", 1)


def _first_of(texts: Sequence[str], most: int, noun: str) -> list[str]:
    """A line for each text, the last one for how many more there are."""
    shown = texts if len(texts) <= most else texts[: most - 1]
    lines = [line for each in shown for line in folded(each, 1)]
    return lines + ([f"and {len(texts) - len(shown)} more {noun}"] if len(shown) < len(texts) else [])


def folded(text: str, most: int) -> list[str]:
    """The text as at most ``most`` lines of ``WIDTH`` columns, the last one cut; none for an empty text.

    ``view.format.wrapped`` never breaks a word, and counts characters: answers and addresses of models may be one word
    of any length, in letters of two columns.
    """
    # Of an answer of any length so much is more than is shown.
    text = text[: (most + 1) * WIDTH]
    words = visible(text).split(" ")
    indent = " " * (len(text) - len(text.lstrip(" ")))
    lines: list[str] = []
    line = ""
    for word in words:
        joined = f"{line} {word}" if line.strip() else f"{line}{word}" if word else f"{line} "
        if _columns(joined) <= WIDTH:
            line = joined
            continue
        if line.strip():
            lines.append(line)
        line = f"{indent}  {word}" if lines else f"{indent}{word}"
        while _columns(line) > WIDTH and len(lines) <= most:
            head = _beginning(line, WIDTH)
            lines.append(head)
            line = f"{indent}  {line[len(head) :]}"
    lines += [line] if line.strip() else []
    if len(lines) > most:
        lines[most - 1 :] = [f"{_beginning(lines[most - 1], WIDTH - 3).rstrip()}..."]
    return lines


def _beginning(text: str, columns: int) -> str:
    """As much of the beginning as fits."""
    if _columns(text) <= columns:
        return text
    used = 0
    for place, letter in enumerate(text):
        used += _columns(letter)
        if used > columns:
            return text[:place]
    return text


def _columns(text: str) -> int:
    """How wide a text is on a terminal: letters of China, Japan and Korea, and emoji, take two columns."""
    return len(text) if text.isascii() else sum(1 + (east_asian_width(each) in "WF") for each in text)
