"""Grounded rates as every report shows them: made by hand, so that the figures are known."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from pytest_vqamt.core.codec import replace
from pytest_vqamt.core.results import (
    Grounded,
    QueryPreview,
    RelationResult,
    StratumResult,
    ViolationPreview,
)
from pytest_vqamt.core.tallies import PairedClusters, PairedSceneTally, Tally
from pytest_vqamt.reporting.item_messages import drop_message, missed_gate_message
from pytest_vqamt.reporting.junit import properties
from pytest_vqamt.reporting.markdown import summary_page
from pytest_vqamt.reporting.terminal import baseline_lines, summary
from pytest_vqamt.reporting.view.format import format_percents
from pytest_vqamt.reporting.view.headline import headline, report_warnings
from pytest_vqamt.reporting.view.model_figures import is_misleading
from pytest_vqamt.reporting.view.overview import overview_table
from pytest_vqamt.reporting.view.rows import result_rows
from pytest_vqamt.stats.paired import change_of, with_holm_gates
from tests.reporting.grounded import grounded
from tests.reporting.html import made
from tests.reporting.html.made import BASELINE, gate, report

MISSED = gate(0.5, met=False, kind="grounded-under")


def result(found: Grounded | None, *, item: str = "ours.rule", **fields: Any) -> RelationResult:
    """An item of 100 cases, of which 98 hold."""
    told: dict[str, Any] = {"readings": Counter({"yes": 10, "no": 10}), "interval": (0.93, 0.995), "grounded": found}
    return made.result(item, holds=98, violated=2, **{**told, **fields})


def preview(case_id: str, *, elsewhere: str = "scene 12") -> ViolationPreview:
    return ViolationPreview(
        id=case_id,
        scene="3",
        queries=(
            QueryPreview(picture="a", text="Is there a dog?", answer="yes"),
            QueryPreview(picture="b", text="Is there a dog?", answer="Yes.", edits=elsewhere),
        ),
        expected="the answer must be another than about the case's picture",
        reason="the answer must be another than about the case's picture, but got yes",
    )


def shown(*results: RelationResult) -> list[str]:
    return list(summary(report(*results)))


def row(*results: RelationResult) -> str:
    """The table's head and its first row."""
    head, _, first, *_ = (line for line in shown(*results) if "  " in line)
    return f"{head}\n{first}"


def test_one_narrow_column_only_where_there_are_contrasts() -> None:
    assert row(result(grounded(3, 7))).splitlines()[0].split() == (
        [
            "relation",
            "cases",
            "pass",
            "rate",
            "95",
            "%",
            "interval",
            "grounded",
            "vacuous",
            "violated",
            "unread",
            "errors",
            "gate",
        ]
    )
    assert " 30.0 % " in row(result(grounded(3, 7)))
    assert "grounded" not in row(result(None))
    assert "30.0 % (50.0 % presumed)" in row(result(grounded(3, 7, presumed=grounded(1, 1))))
    assert "- (50.0 % presumed)" in row(result(grounded(0, 0, presumed=grounded(1, 1))))


def test_presumed_contrasts_stand_in_the_row_of_presumed_cases_where_there_is_one() -> None:
    apart = StratumResult(
        tally=Tally(cases=4, holds=4), breakdown={}, readings=Counter(), interval=(0.4, 1.0), gate=None
    )
    made = result(grounded(3, 7, presumed=grounded(1, 1, gate=MISSED)), presumed=apart)
    ordinary, presumed = result_rows(report(made))
    assert [part.rate for part in ordinary.grounded] == [0.3]
    assert [part.rate for part in presumed.grounded] == [0.5]
    assert (ordinary.gates, presumed.gates) == ((), (MISSED,))
    assert " 30.0 % " in row(made)


@pytest.mark.parametrize(
    ("cells", "misleads"),
    [
        ((0, 100), True),
        ((41, 59), False),  # the interval reaches beyond a half
        ((30, 70), True),
        ((0, 3), False),  # too few to be sure
        ((98, 2), False),
        ((0, 80, 10, 10), True),
        ((0, 79, 11, 10), False),  # it does not hold often enough to mislead
        ((0, 0), False),
    ],
)
def test_what_misleads(cells: tuple[int, ...], misleads: bool) -> None:
    assert is_misleading(grounded(*cells)) is misleads


def test_one_line_in_words_for_each_item_and_one_for_all_where_there_are_many() -> None:
    lines = " ".join(shown(result(grounded(3, 97))))
    assert "the model hardly looks in ours.rule: 3 % grounded (by guessing 25 %), though 100 % of the cases" in lines
    assert "hardly looks" not in " ".join(shown(result(grounded(90, 10))))
    assert "hardly looks" not in " ".join(shown(result(grounded(3, 97), directional=True)))
    many = " ".join(shown(*(result(grounded(number, 100 - number), item=f"ours.{number}") for number in range(9))))
    assert many.count("hardly") == 1
    assert "the model hardly looks in 9 relation variants: " in many
    assert "0 to 8 % grounded, though at least 80 % of the cases" in many.replace("  ", " ")
    assert "and 3 more" in many.replace("  ", " ")


def test_a_contrast_is_shown_where_the_relation_has_no_violation_and_of_the_least_grounded_items() -> None:
    lines = shown(result(grounded(3, 97), ungrounded=preview("cafe")))
    assert "simplest violated contrast: scene 3, case cafe" in lines
    assert "    Is there a dog?             ->  'yes'" in lines
    assert "    Is there a dog? [scene 12]  ->  'Yes.'" in lines
    assert "  replay:   pytest --vqamt-model=tiny --vqamt-data=gqa:DIR --vqamt-replay=cafe" in lines
    assert "\n".join(lines).count("must be another") == 1
    both = "\n".join(shown(result(grounded(3, 97), ungrounded=preview("cafe"), violation=preview("beef"))))
    assert "case beef" in both
    assert "case cafe" not in both
    many = [
        result(grounded(number, 100 - number), item=f"ours.{number}", ungrounded=preview(f"case{number}"))
        for number in (50, 10, 30, 20, 40)
    ]
    text = "\n".join(shown(*many))
    assert [number for number in (10, 20, 30, 40, 50) if f"case{number}" in text] == [10, 20, 30]


def test_a_missed_gate_has_rate_interval_chance_and_the_contrast() -> None:
    found = grounded(3, 95, 1, 1, gate=MISSED)
    made = result(found, ungrounded=preview("cafe"), violation=preview("beef"))
    low, high = found.interval
    assert missed_gate_message(made, "pytest --vqamt-model=tiny").splitlines() == [
        f"ours.rule on tiny: grounded rate 3 % is below 50 % (95 % interval {100 * low:.0f} to {100 * high:.0f} %, "
        "100 cases with a contrast, by guessing 25 %)",
        "  in 98 cases with a contrast the relation holds, and in 95 of them the answer about the other picture does "
        "not differ as it must",
        "  claim: All is one.",
        "simplest violation found: scene 3, case beef",
        "    Is there a dog?             ->  'yes'",
        "    Is there a dog? [scene 12]  ->  'Yes.'",
        "  the answer must be another than about the case's picture, but got yes",
        "  replay:   pytest --vqamt-model=tiny --vqamt-data=gqa:DIR --vqamt-replay=beef",
        "simplest violated contrast: scene 3, case cafe",
        "    Is there a dog?             ->  'yes'",
        "    Is there a dog? [scene 12]  ->  'Yes.'",
        "  the answer must be another than about the case's picture, but got yes",
        "  replay:   pytest --vqamt-model=tiny --vqamt-data=gqa:DIR --vqamt-replay=cafe",
    ]
    assert "MISSED: grounded >= 50 %" in row(made)
    met = replace(MISSED, on="lower-bound", met=True)
    assert "met: grounded lower end >= 50 %" in row(result(grounded(98, 2, gate=met)))
    none = missed_gate_message(result(grounded(0, 0, gate=MISSED)), "pytest")
    assert "no case with a contrast was judged" in none
    apart = missed_gate_message(result(grounded(0, 0, presumed=grounded(1, 9, gate=MISSED))), "pytest")
    assert "tiny: presumed contrasts: grounded rate 10 % is below 50 %" in apart


def test_pages_have_rate_interval_chance_and_gate() -> None:
    made = report(result(grounded(3, 97, gate=MISSED)))
    rows = result_rows(made)
    table = overview_table(made, rows)
    cells = {head.name: cell for head, cell in zip(table.heads, table.rows[0], strict=True)}
    low, high = rows[0].grounded[0].interval
    assert cells["grounded"].text == "3 %"
    assert cells["grounded"].notes == (format_percents((low, high)), "by guessing 25 %")
    assert cells["gate"].text == "missed: grounded rate >= 50 %"
    assert headline(made, rows).missed[0].why == (
        f"grounded rate 3 % ({format_percents((low, high))}, by guessing 25 %), required: grounded rate >= 50 %",
    )
    assert any("The model hardly looks" in line for line in report_warnings(made, rows, 0))
    page = summary_page(made)
    assert "**missed**: grounded ≥ 50 %" in page
    assert f"grounded rate 3 % ({format_percents((low, high))}, by guessing 25 %)" in page
    assert "|  **3 %** |" in page
    assert "grounded" not in summary_page(report(result(None)))


def test_properties_of_junit() -> None:
    found = dict(properties(result(grounded(3, 95, 1, 1, gate=MISSED, presumed=grounded(1, 1)))))
    assert found["vqamt_grounded_cases"] == 100
    assert found["vqamt_grounded_rate"] == pytest.approx(0.03)
    assert found["vqamt_grounded_chance"] == pytest.approx(0.25)
    assert found["vqamt_grounded_consistent_unchanged"] == 95
    assert found["vqamt_grounded_gate"] == "grounded-under"
    assert found["vqamt_grounded_gate_met"] == "false"
    assert found["vqamt_grounded_presumed_rate"] == pytest.approx(0.5)


def test_a_drop_of_the_grounded_rate_is_told_as_one() -> None:
    paired = PairedClusters((PairedSceneTally(0, 1, 0, 0, 40), PairedSceneTally(1, 0, 0, 0, 60)))
    (change,) = with_holm_gates([change_of(paired)], [0.1])
    assert change.gate is not None
    assert not change.gate.met
    made = result(replace(grounded(60, 40), change=change), ungrounded=preview("cafe"), violation=preview("beef"))
    message = drop_message(made, (), "pytest")
    assert "the grounded rate has dropped from 100.0 % to 60.0 % on the same 100 cases" in message
    assert "case cafe" in message
    assert result_rows(report(made))[0].is_missed
    lines = "\n".join(baseline_lines(replace(report(made), baseline=BASELINE)))
    assert "ours.rule (grounded)" in lines
    assert "MISSED: drop <= 10 points" in lines
