"""Summaries as tables: the heads are the names of the cells, and figures have three places."""

from __future__ import annotations

from pytest_vqamt.core.results import Summary, summary_row
from pytest_vqamt.reporting.paper_tables import summary_rows, totals_in_words

SUMMARY = Summary(
    kind="entailment",
    model="tiny",
    data="pictures:500",
    rows=(
        {"relation": "veglue.mr2_linked_erase", "GNUM": 100, "IFR": 0.25, "published": "35.4 to 95.1 %"},
        {"relation": "veglue.mr3_unlinked_erase", "GNUM": 0, "IFR": None, "published": None},
    ),
    totals={"IFR of all": 0.25, "tests": 100, "monotone": None},
)


def test_the_heads_are_the_names_of_the_cells() -> None:
    assert summary_rows(SUMMARY) == [
        ("relation", "GNUM", "IFR", "published"),
        ("veglue.mr2_linked_erase", "100", "0.250", "35.4 to 95.1 %"),
        ("veglue.mr3_unlinked_erase", "0", "-", "-"),
    ]


def test_each_total_that_there_is_is_a_line() -> None:
    assert list(totals_in_words(SUMMARY)) == ["IFR of all: 0.250", "tests: 100"]


def test_a_summary_without_rows_is_no_table() -> None:
    assert summary_rows(Summary(kind="noise", model="m", data="d", rows=())) == []


def test_the_row_of_the_report_has_all_of_it() -> None:
    row = summary_row(SUMMARY)
    assert list(row) == ["kind", "model", "data", "rows", "totals"]
    assert row["rows"] == [dict(each) for each in SUMMARY.rows]
