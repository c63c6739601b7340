"""The papers' tables as LaTeX, in which text from data or models is never markup."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from pytest_vqamt.core.results import Report
from pytest_vqamt.core.text import shown
from pytest_vqamt.reporting.paper_tables import named_paper_tables
from pytest_vqamt.reporting.table_export import write_tables
from pytest_vqamt.reporting.view.format import ColumnHead, ColumnUnit, ViewTable

_ESCAPES = {
    **{letter: f"\\{letter}" for letter in "&%$#_{}"},
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    # In LaTeX's first encoding these three are other characters, and so is "--", a dash.
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "-": "-{}",
}
_MARKUP = re.compile(r"[&%$#_{}\\~^<>|]|-(?=-)|[^\x20-\x7e]")
_LETTERS = frozenset("ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÑÒÓÔÕÖØÙÚÛÜÝßàáâãäåæçèéêëìíîïñòóôõöøùúûüýÿ")
"""The letters beyond ASCII that every LaTeX since 2018 sets without a package."""
_MOST_OF_A_TEXT = 2_000
"""In characters."""

ROWS_AT_MOST = 45
"""The rows of one float: LaTeX breaks none over pages."""


def latex_escape(text: str) -> str:
    r"""``text`` on one line as LaTeX shows it; a letter that needs a package becomes its code point.

    >>> latex_escape("a_b 5 %"), latex_escape("gqa:C:\\x"), latex_escape("--k")
    ('a\\_b 5 \\%', 'gqa:C:\\textbackslash{}x', '-{}-k')
    >>> latex_escape("café 猫")
    'café U+732B'
    """
    return _MARKUP.sub(lambda found: _escaped(found[0]), shown(text, _MOST_OF_A_TEXT))


def _escaped(character: str) -> str:
    if character in _LETTERS:
        return character
    return _ESCAPES.get(character, f"U+{ord(character):04X}")


def latex_table(table: ViewTable, label: str) -> str:
    """A table float with caption and label, for a document with the package booktabs; more floats for many rows."""
    starts = range(0, max(1, len(table.rows)), ROWS_AT_MOST)
    return (
        "\n".join(
            line
            for start in starts
            for line in _lines(
                replace(table, rows=table.rows[start : start + ROWS_AT_MOST]),
                # The first float has the label itself, so that references to short and long tables are alike.
                f"{label}-{start // ROWS_AT_MOST + 1}" if start else label,
                is_continued=start > 0,
            )
        )
        + "\n"
    )


def _lines(table: ViewTable, label: str, *, is_continued: bool) -> Iterator[str]:
    # Without percent signs, and over both columns of a page, the tables fit the pages of most conferences.
    # The notes are in the caption of the first float alone.
    caption = [f"{table.caption}, continued"] if is_continued else [table.caption, *table.notes]
    yield r"% \usepackage{booktabs}"
    yield r"\begin{table*}"
    yield r"\centering\small\setlength{\tabcolsep}{4pt}"
    yield rf"\caption{{{latex_escape(' '.join(map(_sentence, caption)))}}}"
    yield rf"\label{{tab:{label}}}"
    yield rf"\begin{{tabular}}{{{''.join('r' if head.is_number else 'l' for head in table.heads)}}}"
    yield r"\toprule"
    yield _row([head.bare for head in table.heads])
    if any(head.unit for head in table.heads):
        yield _row([f"({head.unit.value})" if head.unit else "" for head in table.heads])
    yield r"\midrule"
    for row in table.row_texts:
        yield _row([_without_percent(*cell) for cell in zip(table.heads, row, strict=True)])
    yield r"\bottomrule"
    yield r"\end{tabular}"
    yield r"\end{table*}"


def _without_percent(head: ColumnHead, text: str) -> str:
    return text.replace(" %", "") if head.unit is ColumnUnit.PERCENT else text


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}" + ("" if text.endswith(".") else ".")


def _row(texts: Sequence[str]) -> str:
    first, *others = texts
    name = first.lstrip(" ")
    # Two spaces in front mark a part of the row above.
    indent = r"\quad " if name != first else ""
    # Behind the end of a row, "[" would begin the space between the rows, and "*" forbid a page break.
    guard = "{}" if name.startswith(("[", "*")) else ""
    cells = " & ".join([f"{indent}{guard}{latex_escape(name)}", *map(latex_escape, others)])
    return rf"{cells} \\"


def write_latex(report: Report, folder: Path) -> int:
    """Writes each table of the papers into a file of its own in ``folder``, and returns their number.

    Raises:
        OptionError: a file cannot be written.
    """
    tables = named_paper_tables(report)
    return write_tables(folder, ((f"{name}.tex", latex_table(table, name)) for name, table in tables), "--latex")
