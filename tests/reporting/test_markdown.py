"""Nothing that came from data or a model is markup: a reader of markdown finds the text that it was."""

from __future__ import annotations

import html
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vqamt.core.results import Report
from pytest_vqamt.core.text import visible
from pytest_vqamt.reporting.markdown import append_step_summary, code, escape, markdown_table, prose
from tests.reporting.running import run_into

MARKUP = re.compile(r"[|`<\[\]*\\@$~!]|(?<![a-zA-Z0-9])_|_(?![a-zA-Z0-9])|&(?!#\d+;)|(?<!&)#|\n|://|www\.|:[a-z]+:")
TEXTS = st.text(st.characters(exclude_categories=("C", "Z")) | st.sampled_from("|`*_<>&[]()\\#@:$~!. \n\r\t\"'"))
HOSTILE = (
    "a|b",
    "`a`",
    "a\\|b",
    "<img src=x onerror=alert(1)>",
    "[x](javascript:alert(1))",
    "![x](http://a/b.png)",
    "# head",
    "one\n\n| two |",
    "</td></table>",
    "&lt;b&gt;",
    "@somebody #12",
    "$x^2$",
    "**bold** __bold__ ~~gone~~",
    "https://example.com www.example.com",
    ":smile:",
)


def read(written: str) -> str:
    """The text that a reader of Markdown makes of it; spaces that do not break are spaces."""
    return html.unescape(written).replace("\xa0", " ")


def seen(text: str) -> str:
    """A text as it is seen: line breaks are escapes."""
    return visible(text).strip()


@pytest.mark.parametrize("text", HOSTILE)
def test_nothing_of_a_text_is_markup(text: str) -> None:
    written = escape(text)
    assert not MARKUP.search(written), written
    assert read(written) == seen(text)


@given(TEXTS)
def test_every_text_is_read_as_it_was(text: str) -> None:
    assert read(escape(text)) == seen(text)
    written = code(text)
    if written.startswith("`"):
        assert (written[1:-1], written[-1]) == (seen(text), "`")
        assert not set(written[1:-1]) & set("`|\\\n")
    else:
        assert read(written) == seen(text)


@given(st.lists(st.tuples(TEXTS, TEXTS), max_size=4))
def test_a_table_has_the_cells_that_it_was_given(rows: list[tuple[str, str]]) -> None:
    head, rule, *lines = markdown_table(("a", "b"), [(code(one), escape(other)) for one, other in rows])
    assert (head[:4], head[-4:], rule[:5], rule[-4:]) == ("| a ", " b |", "| ---", "-: |")
    assert len({len(line) for line in (head, rule, *lines)}) == 1, "columns are aligned"
    cells = [line.removeprefix("| ").removesuffix(" |").split(" | ") for line in lines]
    assert [len(row) for row in cells] == [2] * len(rows)


@pytest.mark.parametrize("text", HOSTILE)
def test_a_reader_of_markdown_finds_a_table_with_that_text(text: str) -> None:
    reader = pytest.importorskip("markdown_it").MarkdownIt("commonmark").enable(["table", "strikethrough"])
    lines = [f"before {escape(text)} after", "", *markdown_table(("a", "b"), [(code(text), escape(text))] * 2), ""]
    tokens = reader.parse("\n".join(lines))
    inline = [token for token in tokens if token.type == "inline"]
    kinds = {child.type for token in inline for child in token.children}
    assert kinds <= {"text", "text_special", "code_inline"}, kinds
    said = ["".join(child.content for child in token.children) for token in inline]
    assert said == [f"before {seen(text)} after", "a", "b", *[seen(text)] * 4]


@pytest.mark.parametrize("text", HOSTILE)
def test_of_a_sentence_only_commands_are_code(text: str) -> None:
    assert prose(text) == escape(text)
    assert prose(f"{text} `vqamt power` {text}") == f"{escape(text)} `vqamt power` {escape(text)}"


def test_what_nobody_sees_is_an_escape() -> None:
    assert html.unescape(escape("a\x00b\u202ec\u200bd")) == r"a\x00b\u202ec\u200bd"
    assert html.unescape(code("a\u202eb")) == r"a\u202eb"
    assert html.unescape(escape("half of a pair \ud800")) == r"half of a pair \ud800"


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Report:
    return run_into(tmp_path_factory.mktemp("run"), relations=["metavqa.partition[object]"], max_cases=5)


@pytest.fixture
def summaries(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summaries.md"))
    return tmp_path / "summaries.md"


def test_it_is_added_to_what_is_there(report: Report, summaries: Path) -> None:
    assert append_step_summary(report, None) == ""
    assert summaries.read_text(encoding="utf-8").startswith("## vqamt: ")
    assert "`--vqamt-report=DIR`" in summaries.read_text(encoding="utf-8")
    summaries.write_text("of another tool\n")
    assert append_step_summary(report, Path("/somewhere/deep/out")) == ""
    text = summaries.read_text(encoding="utf-8")
    assert text.startswith("of another tool\n\n## vqamt: ")
    assert "`report.html` in the folder `out` of `--vqamt-report`" in text
    assert "somewhere" not in text


@pytest.mark.parametrize("value", [None, ""])
def test_nothing_is_written_where_nothing_is_named(
    report: Report, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, value: str | None
) -> None:
    monkeypatch.chdir(tmp_path)
    if value is None:
        monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    else:
        monkeypatch.setenv("GITHUB_STEP_SUMMARY", value)
    assert append_step_summary(report, None) == ""
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_cannot_be_written_is_told_and_no_error(
    report: Report, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path))
    told = append_step_summary(report, None)
    assert told.startswith(f"the summary was not added to GITHUB_STEP_SUMMARY={str(tmp_path)!r}: ")
    assert "\n" not in told


def test_together_with_what_is_there_it_stays_within_the_size(report: Report, summaries: Path) -> None:
    summaries.write_text("x" * (2**20 - 400))
    assert append_step_summary(report, None) == ""
    assert 2**20 - 200 < summaries.stat().st_size <= 2**20
    assert summaries.read_text().endswith("the rest is in report.html and report.json)\n")
    summaries.write_text("x" * (2**20 - 10))
    assert append_step_summary(report, None).endswith(": it is full")
    assert summaries.stat().st_size == 2**20 - 10
