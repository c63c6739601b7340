"""GitHub-flavoured markdown in which nothing that came from data or a model is markup."""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from pytest_vqamt.core.codec import Json
from pytest_vqamt.core.results import RankingKind, Report
from pytest_vqamt.reporting.html.page import audit_tables
from pytest_vqamt.reporting.text import asked_in_words, folded_in_words, work_in_words
from pytest_vqamt.reporting.view.lines import Line, counted, lines, rate, span
from pytest_vqamt.reporting.view.overview import Cell, Finding, PageHead, cautions, head, overview

_MARKUP = re.compile(r"[\\`*_\[\]<#!|~&@$]|:(?=//|[a-zA-Z_+-][\w+-]*:|100:|1234:)|www\.")
"""What can begin or end something in GitHub's markdown: a link, a tag, a cell, a mention, a formula, an emoji."""
_NOT_IN_CODE = re.compile(r"[`|\\]")
_COMMAND = re.compile(r"`((?:vqamt |--vqamt)[^`|\\]*)`")


def plain(text: str) -> str:
    r"""``text`` as it would be read, on one line: punctuation with a meaning stands as character references.

    >>> plain("<b>|x\ny"), plain("see www.a.b")
    ('&#60;b>&#124;x y', 'see www&#46;a.b')
    """
    return _escaped(_one_line(text))


def code(text: str) -> str:
    """``text`` as code; as plain text where it has what would end the code or the cell of a table.

    >>> code("metavqa.partition[object]"), code("a|b")
    ('`metavqa.partition[object]`', 'a&#124;b')
    """
    line = _one_line(text)
    return plain(line) if not line or _NOT_IN_CODE.search(line) else f"`{line}`"


def prose(text: str) -> str:
    """A sentence of ours: commands in backticks stay code, and all else in it is ``plain``.

    >>> prose("`vqamt power` says how many cases of `_a_`")
    '`vqamt power` says how many cases of &#96;&#95;a&#95;&#96;'
    """
    line = _one_line(text)
    pieces = _COMMAND.split(line)
    said = (f"`{each}`" if place % 2 else _escaped(each) for place, each in enumerate(pieces))
    return "".join(said)


def table(head: Sequence[str], rows: Sequence[Sequence[str]], *, numbers_from: int = 1) -> Iterator[str]:
    """The lines of a table of cells that are markdown; the columns from ``numbers_from`` on stand to the right."""
    yield f"| {' | '.join(head)} |"
    yield f"|{'|'.join(' --- ' if place < numbers_from else ' ---: ' for place in range(len(head)))}|"
    for row in rows:
        yield f"| {' | '.join(row)} |"


def _escaped(line: str) -> str:
    return _MARKUP.sub(lambda found: _referred(found[0]), line)


def _one_line(text: str) -> str:
    """Without line breaks, and without characters that nobody sees or that turn the text around."""
    spaced = "".join(" " if each.isspace() else each for each in text)
    seen = (each for each in spaced if unicodedata.category(each) not in ("Cc", "Cf", "Cs", "Co", "Cn"))
    return " ".join("".join(seen).split())


def _referred(found: str) -> str:
    return f"{found[:-1]}&#{ord(found[-1])};"


VARIABLE = "GITHUB_STEP_SUMMARY"


def append_step_summary(report: Report, folder: Path | None) -> str:
    """Appends the summary to the file that ``GITHUB_STEP_SUMMARY`` names; does nothing where the variable is not set.

    To be called once a run, by the one process that has the whole report, with or without a ``folder`` that the report
    was written to. Gives what went wrong, in a line, "" where nothing did: a run is not worse for it.
    """
    named = os.environ.get(VARIABLE, "")
    if not named:
        return ""
    file = Path(named)
    try:
        before = file.stat().st_size if file.exists() else 0
        room = BYTES_AT_MOST - before - 1
        text = summary_page(report, whole=_where(folder), room=room)
        if not text:
            return f"the summary was not added to {VARIABLE}={named!r}: it is full"
        with file.open("a", encoding="utf-8") as summaries:
            summaries.write(f"\n{text}" if before else text)
    except OSError as error:
        return f"the summary was not added to {VARIABLE}={named!r}: {error}"
    return ""


def _where(folder: Path | None) -> str:
    if folder is None:
        return "No report was written: with `--vqamt-report=DIR` there is one, with each violation and its pictures."
    return (
        "The whole report, with each violation and its pictures, is `report.html` in the folder "
        f"{code(folder.name)} of `--vqamt-report`: keep it as an artifact of this job to look at it."
    )


# What must be acted on comes first: gates that were missed, then what got worse. Times and counts of queries, which
# differ from run to run, are all in the last line.


FILE = "summary.md"
BYTES_AT_MOST = 1024 * 1024
"""What GitHub shows of one step: a larger summary is refused whole."""

_WHOLE = "The whole report, with each violation and its pictures, is `report.html` beside this file."
_NAMES = ("relation", "model", "data")
_FIGURES = ("gate", "pass rate", "95 % interval", "baseline", "change", "cases", "unparsed", "errors")


def summary_page(
    report: Report, *, audit: Mapping[str, Json] | None = None, whole: str = _WHOLE, room: int = BYTES_AT_MOST
) -> str:
    """The summary as GitHub-flavoured markdown, of at most ``room`` bytes; ``whole`` says where all of it is."""
    return _within(room, [*_lines(report, audit), whole, "", _ran(report)])


def _lines(report: Report, audit: Mapping[str, Json] | None) -> Iterator[str]:
    told = lines(report)
    first = head(report, told)
    yield f"## vqamt: {plain(first.title)}"
    yield ""
    yield plain(first.about)
    yield ""
    yield from _first(report, told, first)
    yield from _table(report, told)
    yield from _ranking(report)
    yield from _folded(report)
    if audit:
        yield from _audit(audit)


def _first(report: Report, told: Sequence[Line], first: PageHead) -> Iterator[str]:
    """Lists of what to look at, and of what the figures are worth."""
    for title, findings in (("Missed", first.missed), ("Worse since the baseline", first.dropped)):
        if findings:
            yield f"### {title}"
            yield ""
            yield from map(_finding, findings)
            if findings is first.dropped and first.drops_left_out:
                yield f"- and {first.drops_left_out:,} more"
            yield ""
    remarks = (*cautions(report, told, 0), *first.notes)
    yield from (f"- {prose(remark)}" for remark in remarks)
    if remarks:
        yield ""


def _finding(found: Finding) -> str:
    of = f" ({plain(found.of)})" if found.of else ""
    return f"- **{code(found.item)}**{of}: {plain('; '.join(found.why))}"


def _table(report: Report, told: Sequence[Line]) -> Iterator[str]:
    made = overview(report, told)
    places = {each.name: place for place, each in enumerate(made.heads)}
    shown = [name for name in (*_NAMES, *_FIGURES) if name in places]
    rows = [[_cell(name, row[places[name]]) for name in shown] for row in made.rows]
    if rows:
        yield from table(shown, rows, numbers_from=sum(not made.heads[places[name]].is_number for name in shown))
        yield ""


def _cell(column: str, cell: Cell) -> str:
    text = code(cell.text) if column in _NAMES else plain(cell.text)
    text = f"**{text}**" if cell.state in ("missed", "worse") else text
    return f"{text} ({', '.join(map(plain, cell.notes))})" if cell.notes else text


def _ranking(report: Report) -> Iterator[str]:
    for ranking in report.ranking:
        if ranking.kind is not RankingKind.RELATIONS:
            continue
        yield f"Models on {code(ranking.data)}, by the mean of {counted(len(ranking.items), 'pass rate')}:"
        yield ""
        rows = [
            (code(each.model), rate(each.mean), span(each.interval) if each.interval else "-", f"{each.best_in:,}")
            for each in ranking.places
        ]
        yield from table(("model", "mean pass rate", "95 % interval", "best in"), rows)
        yield ""


def _folded(report: Report) -> Iterator[str]:
    if not all(result.all_cases for result in report.relations):
        yield plain(" ".join(line.strip() for line in folded_in_words(report.relations)))
        yield ""


def _audit(audit: Mapping[str, Json]) -> Iterator[str]:
    for made in audit_tables(audit):
        yield f"{plain(made.caption)}:"
        yield ""
        yield from table(made.head, [[code(row[0]), *map(plain, row[1:])] for row in made.rows])
        yield ""
        yield from (f"- {prose(note)}" for note in made.notes)
        if made.notes:
            yield ""


def _ran(report: Report) -> str:
    took = [
        f"{model.name} was asked {asked_in_words(model)}"
        + (f"; it was at work for {work}" if (work := work_in_words(model)) else "")
        for model in report.models
    ]
    return plain(
        f"pytest-vqamt {report.vqamt_version}, seed {report.seed}, shard {report.shard}, "
        f"started {report.started}, took {report.duration_s:,.0f} s. {'. '.join(took)}"
    )


def _within(room: int, text: Sequence[str]) -> str:
    """The lines, without as many of the last ones as do not fit, and with one in their stead that says so."""
    whole = "\n".join(text) + "\n"
    if len(whole.encode()) <= room:
        return whole
    told = f"\n(cut here, at {room:,} bytes: the rest is in report.html and report.json)\n"
    left = room - len(told.encode())
    kept: list[str] = []
    for line in text:
        left -= len(line.encode()) + 1
        if left < 0:
            break
        kept.append(line)
    return "".join(f"{line}\n" for line in kept) + told if len(told.encode()) <= room else ""
