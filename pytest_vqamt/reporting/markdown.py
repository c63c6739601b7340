"""The summary of a report as GitHub-flavoured Markdown, in which text from data or models is never markup."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TypeAlias, cast

from pytest_vqamt.core.case import Outcome
from pytest_vqamt.core.case_store import case_rows
from pytest_vqamt.core.codec import Json
from pytest_vqamt.core.errors import DataError
from pytest_vqamt.core.report_json import REPORT_FILE, Row
from pytest_vqamt.core.results import GateState, Report
from pytest_vqamt.core.text import count_noun, shown
from pytest_vqamt.reporting.audit.audit_results import audit_tables
from pytest_vqamt.reporting.html.case_selection import WRONG
from pytest_vqamt.reporting.item_messages import describe_queries, describe_usage, describe_utilisation, folded_lines
from pytest_vqamt.reporting.paper_tables import model_tables
from pytest_vqamt.reporting.terminal import short_gate
from pytest_vqamt.reporting.view.answers import OFTEN_UNREAD
from pytest_vqamt.reporting.view.format import TableCell, ViewTable, format_percent, format_percents
from pytest_vqamt.reporting.view.headline import ReportFinding, headline, link_of, report_warnings
from pytest_vqamt.reporting.view.overview import overview_table
from pytest_vqamt.reporting.view.rankings import summary_tables
from pytest_vqamt.reporting.view.rows import ResultRow, result_rows

_MARKUP = re.compile(
    r"[\\`*\[\]<#!|~&@$]|(?<![a-zA-Z0-9])_|_(?![a-zA-Z0-9])|:(?=//|[a-zA-Z_+-][\w+-]*:|100:|1234:)|www\."
)
"""What begins or ends markup on GitHub: a link, a tag, a cell, a mention, a formula, an emoji; no _ within a word."""
_NOT_IN_CODE = re.compile(r"[`|\\]")
"""A backtick ends code, and a bar ends a table cell even within code."""

_MOST_OF_A_TEXT = 2_000
_COMMAND = re.compile(r"`((?:vqamt |--vqamt)[^`|\\]*)`")

_SPACES = re.compile(" {2,}")

VARIABLE = "GITHUB_STEP_SUMMARY"

CaseLines: TypeAlias = Mapping[tuple[str, str], Sequence[str]]
"""Lines on cases of findings, by the link and the item of the finding."""

_CASES_NAMED = 3
_ASKED = 140
"""The characters of the questions of a named case."""

SUMMARY_FILE = "summary.md"
MARKER = "<!-- pytest-vqamt -->"
"""The first line of summary.md, by which a workflow finds the comment that it posted before. Nobody sees it."""
BYTES_AT_MOST = 1024 * 1024
"""GitHub's limit for the summary of one step; a larger one is refused."""
COMMENT_BYTES_AT_MOST = 65_536
"""GitHub's limit for a comment, in characters: ``summary.md`` can be posted as it is."""

_WHOLE_REPORT = "The whole report, with each violation and its pictures, is `report.html` beside this file."
_NAMES = ("relation", "model", "data")

_COLORS = {"missed": "red", "cannot-tell": "yellow", "met": "brightgreen", "none": "blue", "partial": "lightgrey"}

_APART = {"unread": "unread_cases", **{name: name for name in ("errors", "declined", "flaky", "waived")}}
"""Columns of counts that most reports leave out, with the names of the counts."""


def escape(text: str) -> str:
    r"""``text`` on one line, with punctuation that is markup as character references, and with all of its spaces.

    >>> escape("<b>|x\ny"), escape("see www.a.b"), escape("how  many")
    ('&#60;b>&#124;x&#92;ny', 'see www&#46;a.b', 'how&nbsp; many')
    """
    # Markdown shows several spaces as one.
    return _SPACES.sub(lambda found: f"{'&nbsp;' * (len(found[0]) - 1)} ", _escaped(_one_line(text)))


def code(text: str) -> str:
    """``text`` as code, or escaped if it contains what would end the code or a table cell.

    >>> code("metavqa.partition[object]"), code("a|b")
    ('`metavqa.partition[object]`', 'a&#124;b')
    """
    line = _one_line(text)
    return _escaped(line) if not line or _NOT_IN_CODE.search(line) else f"`{line}`"


def prose(text: str, names: Collection[str] = ()) -> str:
    """A sentence of ours: commands in backticks stay code, ``names`` become code, and the rest is escaped.

    >>> prose("`vqamt power` says how many cases of `_a_`")
    '`vqamt power` says how many cases of &#96;&#95;a&#95;&#96;'
    """
    # Split by a group: every second piece is a command.
    pieces = _COMMAND.split(_one_line(text))
    return "".join(f"`{each}`" if place % 2 else _with_names(each, names) for place, each in enumerate(pieces))


def _with_names(text: str, names: Collection[str]) -> str:
    # "a.b[c]" before "a.b", which would match first within it.
    longest_first = sorted(map(_one_line, names), key=len, reverse=True)
    pattern = "|".join(re.escape(name) for name in longest_first if name)
    pieces = re.split(rf"(?<!\w)({pattern})(?!\w)", text) if pattern else [text]
    return "".join(code(each) if place % 2 else _escaped(each) for place, each in enumerate(pieces))


def markdown_table(head: Sequence[str], rows: Sequence[Sequence[str]], *, numbers_from: int = 1) -> Iterator[str]:
    """The lines of a table of Markdown cells, as wide as its columns; those from ``numbers_from`` on have numbers."""
    # The rule "--:" takes three characters.
    widths = [max(3, *map(len, column)) for column in zip(head, *rows, strict=True)]

    def line(cells: Sequence[str]) -> str:
        padded = (
            cell.rjust(width) if place >= numbers_from else cell.ljust(width)
            for place, (cell, width) in enumerate(zip(cells, widths, strict=True))
        )
        return f"| {' | '.join(padded)} |"

    yield line(head)
    yield line([f"{'-' * (width - 1)}{'-' if place < numbers_from else ':'}" for place, width in enumerate(widths)])
    yield from map(line, rows)


def _escaped(line: str) -> str:
    # Only the last character becomes a reference: that of "www." is its dot.
    return _MARKUP.sub(lambda found: f"{found[0][:-1]}&#{ord(found[0][-1])};", line)


def _one_line(text: str) -> str:
    return shown(text, _MOST_OF_A_TEXT).strip()


def append_step_summary(report: Report, folder: Path | None) -> str:
    """Appends the summary to the file that ``GITHUB_STEP_SUMMARY`` names, if the variable is set.

    Call it once a run, in the process that has the whole report. Returns an error message, or "": a summary that
    cannot be written does not fail the run.
    """
    named = os.environ.get(VARIABLE, "")
    if not named:
        return ""
    file = Path(named)
    try:
        before = file.stat().st_size if file.exists() else 0
        # The file may have text already; the 1 is the line end between.
        room = BYTES_AT_MOST - before - 1
        cases = case_lines(report, folder) if folder is not None and (folder / REPORT_FILE).is_file() else {}
        text = summary_page(report, cases=cases, whole=_report_location(folder), room=room)
        if not text:
            return f"the summary was not added to {VARIABLE}={named!r}: it is full"
        with file.open("a", encoding="utf-8") as summaries:
            summaries.write(f"\n{text}" if before else text)
    except (OSError, DataError) as error:
        return f"the summary was not added to {VARIABLE}={named!r}: {error}"
    return ""


def case_lines(report: Report, folder: Path) -> CaseLines:
    """Up to three cases of each missed relation in the report in ``folder``.

    Regressions come first, then violations with readable answers. Nothing is read where no gate is missed.

    Raises:
        DataError: the file of cases is gone, or a line of it is broken.
    """
    missed = {(found.link, found.item) for found in headline(report, result_rows(report)).missed}
    best: dict[tuple[str, str], list[tuple[bool, bool, str, str]]] = {}
    for row in case_rows(folder) if missed else ():
        relation, model, data = (str(row[name]) for name in ("relation", "model", "data"))
        is_presumed = "presumed" in cast("list[str]", row.get("tags") or [])
        finding = link_of(report, relation, model, data), f"{relation} (presumed)" if is_presumed else relation
        if finding not in missed or row.get("waived") or row["verdict"] not in WRONG:
            continue
        asked = " / ".join(dict.fromkeys(str(query["text"]) for query in cast("list[Row]", row["queries"])))
        asked = asked if len(asked) <= _ASKED else f"{asked[: _ASKED - 3].rstrip()}..."
        # False sorts first: regressions, then readable answers, then by case id.
        case = (row.get("before") != Outcome.HOLDS, bool(row.get("unread")), str(row["case_id"]), asked)
        # Three of each are in memory, however many cases the file has.
        best[finding] = sorted([*best.get(finding, ()), case])[:_CASES_NAMED]
    return {
        finding: [f"`vqamt replay {case_id}`: {escape(asked)}" for *_, case_id, asked in cases]
        for finding, cases in best.items()
    }


def _report_location(folder: Path | None) -> str:
    if folder is None:
        return "No report was written: with `--vqamt-report=DIR` there is one, with each violation and its pictures."
    return (
        "The whole report, with each violation and its pictures, is `report.html` in the folder "
        f"{code(folder.name)} of `--vqamt-report`: keep it as an artifact of this job to look at it."
    )


def summary_page(
    report: Report,
    *,
    audit: Mapping[str, Json] | None = None,
    cases: CaseLines = MappingProxyType({}),
    whole: str = _WHOLE_REPORT,
    room: int = BYTES_AT_MOST,
) -> str:
    """The summary as GitHub-flavoured Markdown of at most ``room`` bytes.

    Args:
        report: of a run.
        audit: of the report.
        cases: of missed relations, as ``case_lines`` has them.
        whole: says where the whole report is.
        room: the most bytes.
    """
    return _truncate(room, [*_lines(report, audit, cases), whole, "", *_footer(report)])


def comment_page(
    report: Report,
    *,
    audit: Mapping[str, Json] | None = None,
    cases: CaseLines = MappingProxyType({}),
) -> str:
    """The summary as a comment on a pull request, with the marker by which the next run finds it."""
    room = COMMENT_BYTES_AT_MOST - len(MARKER) - 1
    return f"{MARKER}\n{summary_page(report, audit=audit, cases=cases, whole=_WHOLE_REPORT, room=room)}"


def badge(report: Report) -> dict[str, Json]:
    """The headline as a badge: https://shields.io/badges/endpoint-badge. It is red where a gate is missed."""
    first = headline(report, result_rows(report))
    known = [each for each in first.figures if each.consistent.rate is not None]
    parts = ["nothing tested"]
    if known:
        # Of several models no one is picked: who never looks is often the most consistent.
        parts = [_range(each.consistent.rate for each in known)]
        grounded = [each.grounded.rate for each in known if each.grounded.rate is not None]
        parts += [f"grounded {_range(grounded)}"] if grounded else []
        often = max(each.unread.rate or 0.0 for each in known)
        parts += [f"{format_percent(often)} unread"] if often > OFTEN_UNREAD else []
        # Before the rates, which are then ranges.
        parts[:0] = [f"{len(known)} models"] if len(known) > 1 else []
    parts += [f"{count_noun(first.gates.misses, 'gate')} missed"] if first.gates.misses else []
    # A run without any judged case is no success, whatever its gates.
    color = _COLORS[first.state] if known else "red"
    return {"schemaVersion": 1, "label": "consistency", "message": ", ".join(parts), "color": color}


def _range(rates: Iterable[float | None]) -> str:
    """The only rate, or the lowest and the highest."""
    known = [rate for rate in rates if rate is not None]
    return format_percents((min(known), max(known))) if min(known) < max(known) else format_percent(known[0])


def _lines(report: Report, audit: Mapping[str, Json] | None, cases: CaseLines) -> Iterator[str]:
    rows = result_rows(report)
    first = headline(report, rows)
    names = _names(report)
    yield f"## vqamt: {prose(first.title, names)}"
    yield ""
    yield f"**{escape(first.verdict)}** {prose(first.about, names)}"
    yield ""
    yield from _list(first.causes, names)
    # What must be acted on comes first: missed gates, then significant drops.
    for title, findings in (("Missed", first.missed), ("Significantly worse than the baseline", first.dropped)):
        if findings:
            yield f"### {title}"
            yield ""
            for found in findings:
                yield from _finding(found)
                yield from (f"  - {line}" for line in cases.get((found.link, found.item), ()))
            if findings is first.dropped and first.drops_left_out:
                yield f"- and {first.drops_left_out:,} more"
            yield ""
    yield from _list((*report_warnings(report, rows, 0), *first.notes), names)
    yield from _overview(report, rows)
    for table in summary_tables(report):
        yield from _captioned(table, names)
    if not all(result.all_cases for result in report.relations):
        yield escape(" ".join(line.strip() for line in folded_lines(report.relations)))
        yield ""
    for judged in audit_tables(audit) if audit else ():
        yield from _captioned(judged, names)
    if figures := [line for table in model_tables(report) for line in _captioned(table, names)]:
        # Folded, because a comment is about the gates; one item, because a cut within would fold what follows, too.
        folded = ["<details><summary>Figures of the papers</summary>", "", *figures, "</details>", ""]
        yield "\n".join(folded)


def _names(report: Report) -> frozenset[str]:
    """Names that a sentence has as code; one word of letters reads well as it is."""
    found = {name for each in report.relations for name in (each.item, each.model.name, each.data.name)}
    found |= {name for name, _ in report.baseline.models} if report.baseline else set()
    return frozenset(name for name in found if not name.isalnum())


def _list(sentences: Sequence[str], names: Collection[str]) -> Iterator[str]:
    yield from (f"- {prose(sentence, names)}" for sentence in sentences)
    if sentences:
        yield ""


def _captioned(table: ViewTable, names: Collection[str]) -> Iterator[str]:
    yield f"{prose(table.caption, names)}:"
    yield ""
    yield from markdown_table(table.head_texts, [[code(row[0]), *map(escape, row[1:])] for row in table.row_texts])
    yield ""
    yield from _list(table.notes, names)


def _finding(found: ReportFinding) -> Iterator[str]:
    of = f" ({escape(found.of)})" if found.of else ""
    one, *more = map(escape, found.why)
    if not more:
        yield f"- **{code(found.item)}**{of}: {one}"
        return
    yield f"- **{code(found.item)}**{of}:"
    yield from (f"  - {why}" for why in (one, *more))


def _overview(report: Report, rows: Sequence[ResultRow]) -> Iterator[str]:
    """The figures of each relation variant in a few narrow columns, those that missed a gate first."""
    table = overview_table(report, rows)
    places = {head.name: place for place, head in enumerate(table.heads)}
    # Rows have no hash, as their results hold dicts.
    of_row = {id(line): cells for line, cells in zip(rows, table.rows, strict=True)}
    columns: dict[str, list[str]] = {name: [] for name in (*_NAMES, "gate") if name in places}
    if not rows:
        return
    texts = len(columns)
    columns |= {name: [] for name in ("pass rate", "grounded", "change", "cases", "violated") if name in places}
    columns |= {name: [] for name in ("pass@all", *_APART) if name in places or name in _APART}
    for line in sorted(rows, key=lambda each: not each.is_missed):
        cells = of_row[id(line)]
        for name, column in columns.items():
            if name in _APART:
                column.append(f"{getattr(line.counted.tally, _APART[name]):,}")
            elif name == "gate":
                column.append(_gates(line))
            else:
                column.append(_cell(name, cells[places[name]]))
    # Counts that are 0 in all rows are left out.
    shown = {name: column for name, column in columns.items() if name not in _APART or set(column) != {"0"}}
    yield from markdown_table(tuple(shown), list(zip(*shown.values(), strict=True)), numbers_from=texts)
    yield ""


def _gates(line: ResultRow) -> str:
    """The missed gates, or else the undecided ones, each kind once; "met" if all are."""
    state = line.gate_state
    if state is None or state is GateState.MET:
        return state.value if state else "-"
    named = dict.fromkeys(
        # Without its state, which stands once before all.
        short_gate(gate, is_grounded=line.is_of_grounded(gate)).partition(": ")[2]
        for gate in line.gates
        if gate.state is state
    )
    word = f"**{state.value}**" if state is GateState.MISSED else state.value
    return f"{word}: {escape(', '.join(named).replace('<=', '≤').replace('>=', '≥'))}"


def _cell(column: str, cell: TableCell) -> str:
    """A cell of the page's table without its notes, but for the interval of the pass rate."""
    if column in _NAMES:
        return f"{code(cell.text)} ({', '.join(map(escape, cell.notes))})" if cell.notes else code(cell.text)
    text = f"{cell.text} ({cell.notes[0]})" if column == "pass rate" and cell.notes else cell.text
    return f"**{escape(text)}**" if cell.state in ("missed", "worse") else escape(text)


def _footer(report: Report) -> Iterator[str]:
    """Times and query counts, which differ from run to run: the last paragraph."""
    yield escape(
        f"pytest-vqamt {report.vqamt_version}, seed {report.seed}, shard {report.shard}, "
        f"started {report.started}, took {report.duration_s:,.0f} s."
    )
    for model in report.models:
        utilisation, usage = describe_utilisation(model), describe_usage(model) if model.usage else ""
        line = f"{model.name} queries: {describe_queries(model)}"
        line += f"; model utilisation {utilisation}" if utilisation else ""
        yield prose(f"{line}; {usage}." if usage else f"{line}.", _names(report))


def _truncate(room: int, lines: Sequence[str]) -> str:
    """The lines, with a note in place of the last ones if they take more than ``room`` bytes."""
    whole = "\n".join(lines) + "\n"
    if len(whole.encode()) <= room:
        return whole
    note = f"\n(cut here, at {room:,} bytes: the rest is in report.html and report.json)\n"
    left = room - len(note.encode())
    if left < 0:
        return ""
    fitting: list[str] = []
    for line in lines:
        left -= len(line.encode()) + 1
        if left < 0:
            break
        fitting.append(line)
    return "".join(f"{line}\n" for line in fitting) + note
