"""The summary of a report as GitHub-flavoured Markdown, in which text from data or models is never markup."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from pytest_vqamt.core.codec import Json
from pytest_vqamt.core.plain_text import shown
from pytest_vqamt.core.results import Report
from pytest_vqamt.reporting.audit.results import audit_tables
from pytest_vqamt.reporting.text import describe_queries, describe_usage, describe_utilisation, folded_lines
from pytest_vqamt.reporting.view.headline import Finding, headline, report_warnings
from pytest_vqamt.reporting.view.overview import overview_table
from pytest_vqamt.reporting.view.rankings import summary_tables
from pytest_vqamt.reporting.view.rows import ResultRow, result_rows
from pytest_vqamt.reporting.view.tables import TableCell, ViewTable

_MARKUP = re.compile(r"[\\`*_\[\]<#!|~&@$]|:(?=//|[a-zA-Z_+-][\w+-]*:|100:|1234:)|www\.")
"""What begins or ends markup on GitHub: a link, a tag, a cell, a mention, a formula, an emoji."""
_NOT_IN_CODE = re.compile(r"[`|\\]")
_MOST_OF_A_TEXT = 2_000
_COMMAND = re.compile(r"`((?:vqamt |--vqamt)[^`|\\]*)`")

_SPACES = re.compile(" {2,}")


def escape(text: str) -> str:
    r"""``text`` on one line, with punctuation that is markup as character references, and with all of its spaces.

    >>> escape("<b>|x\ny"), escape("see www.a.b"), escape("how  many")
    ('&#60;b>&#124;x&#92;ny', 'see www&#46;a.b', 'how&nbsp; many')
    """
    return _SPACES.sub(lambda found: f"{'&nbsp;' * (len(found[0]) - 1)} ", _escaped(_one_line(text)))


def code(text: str) -> str:
    """``text`` as code, or escaped if it contains what would end the code or a table cell.

    >>> code("metavqa.partition[object]"), code("a|b")
    ('`metavqa.partition[object]`', 'a&#124;b')
    """
    line = _one_line(text)
    return _escaped(line) if not line or _NOT_IN_CODE.search(line) else f"`{line}`"


def prose(text: str) -> str:
    """A sentence of ours: commands in backticks stay code, and the rest is escaped.

    >>> prose("`vqamt power` says how many cases of `_a_`")
    '`vqamt power` says how many cases of &#96;&#95;a&#95;&#96;'
    """
    line = _one_line(text)
    pieces = _COMMAND.split(line)
    return "".join(f"`{each}`" if place % 2 else _escaped(each) for place, each in enumerate(pieces))


def markdown_table(head: Sequence[str], rows: Sequence[Sequence[str]], *, numbers_from: int = 1) -> Iterator[str]:
    """The lines of a table of Markdown cells; the columns from ``numbers_from`` on are aligned to the right."""
    yield f"| {' | '.join(head)} |"
    yield f"|{'|'.join(' --- ' if place < numbers_from else ' ---: ' for place in range(len(head)))}|"
    for row in rows:
        yield f"| {' | '.join(row)} |"


def _escaped(line: str) -> str:
    return _MARKUP.sub(lambda found: f"{found[0][:-1]}&#{ord(found[0][-1])};", line)


def _one_line(text: str) -> str:
    return shown(text, _MOST_OF_A_TEXT).strip()


VARIABLE = "GITHUB_STEP_SUMMARY"


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
        room = BYTES_AT_MOST - before - 1
        text = summary_page(report, whole=_report_location(folder), room=room)
        if not text:
            return f"the summary was not added to {VARIABLE}={named!r}: it is full"
        with file.open("a", encoding="utf-8") as summaries:
            summaries.write(f"\n{text}" if before else text)
    except OSError as error:
        return f"the summary was not added to {VARIABLE}={named!r}: {error}"
    return ""


def _report_location(folder: Path | None) -> str:
    if folder is None:
        return "No report was written: with `--vqamt-report=DIR` there is one, with each violation and its pictures."
    return (
        "The whole report, with each violation and its pictures, is `report.html` in the folder "
        f"{code(folder.name)} of `--vqamt-report`: keep it as an artifact of this job to look at it."
    )


SUMMARY_FILE = "summary.md"
BYTES_AT_MOST = 1024 * 1024
"""GitHub's limit for the summary of one step; a larger one is refused."""

_WHOLE_REPORT = "The whole report, with each violation and its pictures, is `report.html` beside this file."
_NAMES = ("relation", "model", "data")
_FIGURES = ("gate", "pass rate", "grounded", "change", "cases", "violated", "unparsed", "unread", "pass@all", "apart")


def summary_page(
    report: Report, *, audit: Mapping[str, Json] | None = None, whole: str = _WHOLE_REPORT, room: int = BYTES_AT_MOST
) -> str:
    """The summary as GitHub-flavoured Markdown of at most ``room`` bytes; ``whole`` says where the whole report is."""
    return _truncate(room, [*_lines(report, audit), whole, "", _footer(report)])


def _lines(report: Report, audit: Mapping[str, Json] | None) -> Iterator[str]:
    rows = result_rows(report)
    first = headline(report, rows)
    yield f"## vqamt: {escape(first.title)}"
    yield ""
    yield f"**{escape(first.verdict)}** {escape(first.about)}"
    yield ""
    # What must be acted on comes first: missed gates, then significant drops.
    for title, findings in (("Missed", first.missed), ("Significantly worse than the baseline", first.dropped)):
        if findings:
            yield f"### {title}"
            yield ""
            yield from map(_finding, findings)
            if findings is first.dropped and first.drops_left_out:
                yield f"- and {first.drops_left_out:,} more"
            yield ""
    yield from _list((*report_warnings(report, rows, 0), *first.notes))
    yield from _overview(report, rows)
    for table in summary_tables(report):
        yield from _captioned(table)
    if not all(result.all_cases for result in report.relations):
        yield escape(" ".join(line.strip() for line in folded_lines(report.relations)))
        yield ""
    for judged in audit_tables(audit) if audit else ():
        yield from _captioned(judged)


def _list(sentences: Sequence[str]) -> Iterator[str]:
    yield from (f"- {prose(sentence)}" for sentence in sentences)
    if sentences:
        yield ""


def _captioned(table: ViewTable) -> Iterator[str]:
    yield f"{escape(table.caption)}:"
    yield ""
    yield from markdown_table(table.head_texts, [[code(row[0]), *map(escape, row[1:])] for row in table.row_texts])
    yield ""
    yield from _list(table.notes)


def _finding(found: Finding) -> str:
    of = f" ({escape(found.of)})" if found.of else ""
    return f"- **{code(found.item)}**{of}: {escape('; '.join(found.why))}"


def _overview(report: Report, rows: Sequence[ResultRow]) -> Iterator[str]:
    table = overview_table(report, rows)
    places = {head.name: place for place, head in enumerate(table.heads)}
    shown = [name for name in (*_NAMES, *_FIGURES) if name in places]
    cells = [[_cell(name, row[places[name]]) for name in shown] for row in table.rows]
    if cells:
        texts = sum(not table.heads[places[name]].is_number for name in shown)
        yield from markdown_table(shown, cells, numbers_from=texts)
        yield ""


def _cell(column: str, cell: TableCell) -> str:
    text = code(cell.text) if column in _NAMES else escape(cell.text)
    text = f"**{text}**" if cell.state in ("missed", "worse") else text
    return f"{text} ({', '.join(map(escape, cell.notes))})" if cell.notes else text


def _footer(report: Report) -> str:
    """Times and query counts, which differ from run to run, all on the last line."""
    models = [
        f"{model.name} queries: {describe_queries(model)}"
        + (f"; model utilisation {utilisation}" if (utilisation := describe_utilisation(model)) else "")
        + (f"; {describe_usage(model)}" if model.usage else "")
        for model in report.models
    ]
    return escape(
        f"pytest-vqamt {report.vqamt_version}, seed {report.seed}, shard {report.shard}, "
        f"started {report.started}, took {report.duration_s:,.0f} s. {'. '.join(models)}"
    )


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
