"""The rates of relations over several reports."""

from __future__ import annotations

from pytest_vqamt.core.results import Report
from pytest_vqamt.reporting.compare.trend_table import trend_lines, trend_page, trends
from tests.reporting.html.made import report, result
from tests.reporting.sentences import contrasts


def runs() -> list[tuple[str, Report]]:
    return [
        ("late", report(result(holds=2, violated=8), started="2026-11-22T12:00:00+00:00")),
        ("early", report(result(holds=10, violated=0), started="2026-11-20T12:00:00+00:00")),
        (
            "between",
            report(result("ours.other", holds=5, violated=5, version=2), started="2026-11-21T12:00:00+00:00"),
        ),
    ]


def test_reports_are_taken_in_the_order_of_their_start() -> None:
    found = trends(runs(), lambda _: True)
    assert [name for name, _ in found.reports] == ["early", "between", "late"]
    by_item = {line.item: line for line in found.lines}
    assert by_item["ours.rule"].rates == (1.0, None, 0.2)
    assert by_item[""].rates == (1.0, 0.5, 0.2)
    assert by_item["ours.other"].rates == (None, 0.5, None)


def test_a_row_has_the_first_and_the_last_rate_and_a_sparkline() -> None:
    lines = list(trend_lines(trends(runs(), lambda item: item == "ours.rule")))
    row = next(line for line in lines if line.startswith("  ours.rule"))
    assert row.split() == ["ours.rule", "100.0", "%", "20.0", "%", "-80.0", "2", "█·▂"]
    assert not any("ours.other" in line for line in lines)


def test_the_page_has_a_line_for_each_and_asks_for_nothing() -> None:
    text = trend_page(trends(runs(), lambda _: True))
    assert text.count("<polyline") == 3
    assert "<script" not in text
    assert "default-src &#39;none&#39;" in text


def test_grounded_rates_have_lines_of_their_own() -> None:
    made = [
        (name, report(result(grounded=contrasts(grounded, 10 - grounded)), started=f"2026-11-2{day}T12:00:00+00:00"))
        for day, (name, grounded) in enumerate((("early", 9), ("late", 1)))
    ]
    told = list(trend_lines(trends(made, lambda _: True)))
    rows = {line.rpartition("  ")[0].split("  ")[0 if line[0] != " " else 1].strip(): line.split() for line in told[5:]}
    assert list(rows) == ["tiny, all relations", "tiny, all relations, grounded", "ours.rule (grounded)", "ours.rule"]
    for name in ("tiny, all relations, grounded", "ours.rule (grounded)"):
        assert rows[name][-7:-2] == ["90.0", "%", "10.0", "%", "-80.0"]
