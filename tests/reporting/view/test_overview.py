"""The first lines of a report: missed gates, significant drops and warnings."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_vqamt.core.codec import replace
from pytest_vqamt.core.results import BaselineTotal, DataUse, Grounded, RelationResult
from pytest_vqamt.core.tallies import GroundedCells, Tally
from pytest_vqamt.reporting.view.headline import Headline, headline, report_warnings
from pytest_vqamt.reporting.view.model_figures import row_figures
from pytest_vqamt.reporting.view.overview import overview_table
from pytest_vqamt.reporting.view.rows import result_rows
from tests.reporting.html.made import BASELINE, OTHER, change, gate, presumed, report, result


def first(*results: RelationResult, **fields: object) -> Headline:
    told = report(*results, **fields)
    return headline(told, result_rows(told))


def warned(*results: RelationResult, left_out: int = 0, **fields: object) -> list[str]:
    told = report(*results, **fields)
    return list(report_warnings(told, result_rows(told), left_out))


MET, MISSED = gate(0.7, met=True), gate(0.9, met=False)
FALLEN = gate(0.1, met=False, kind="max-drop")
KEPT = gate(0.1, met=True, kind="max-drop")
UNSURE = gate(0.1, met=True, kind="max-drop", uncertain=True)


@pytest.mark.parametrize(
    ("results", "fields", "state", "verdict"),
    [
        ([result()], {}, "none", "0 of 1 relation variant gated: no rate here can fail a run."),
        ([result(gate=MET)], {}, "met", "1 of 1 relation variant gated: all met."),
        ([result(gate=MET), result("ours.b", gate=MET)], {}, "met", "2 of 2 relation variants gated: all met."),
        (
            [result(gate=MET), result("ours.b", gate=MISSED)], {}, "missed",
            "2 of 2 relation variants gated: 1 missed, 1 met.",
        ),
        ([result(gate=MISSED)], {"complete": False}, "missed", "1 of 1 relation variant gated: 1 missed, 0 met."),
        ([result(gate=MET)], {"complete": False}, "partial", "Not the whole run. 1 of 1 relation variant gated."),
        (
            [result(gate=MISSED)], {"shard": "1/2"}, "partial",
            "This is shard 1/2, which has only some of the cases: vqamt merge joins the shards and checks the gates on "
            "all cases.",
        ),
        ([result(change=change(lost=5, held=FALLEN))], {}, "missed", "1 of 1 relation variant gated: 1 missed, 0 met."),
        (
            [result(gate=MET, change=change(kept=5, held=UNSURE)), result("ours.b", change=change(kept=5, held=KEPT))],
            {}, "cannot-tell",
            "2 of 2 relation variants gated: none missed, 1 cannot tell (too few cases), 1 met.",
        ),
        (
            [result(gate=MISSED, change=change(kept=5, held=UNSURE)), result("ours.b", change=change(held=UNSURE))],
            {}, "missed",
            "2 of 2 relation variants gated: 1 missed, 1 cannot tell (too few cases), 0 met.",
        ),
    ],
)  # fmt: skip
def test_the_verdict_says_how_many_are_gated(
    results: list[RelationResult], fields: dict[str, object], state: str, verdict: str
) -> None:
    made = first(*results, **fields)
    assert (made.state, made.verdict) == (state, verdict)


def test_what_does_not_apply_is_counted_with_its_gates() -> None:
    without = [result(f"ours.no{n}", tally=Tally(), gate=gate(0.5, met=False) if n else None) for n in (0, 1)]
    met = result(gate=gate(0.5, met=True))
    assert first(met, *without).gates.line == (
        "gates: 1 met, 0 missed, 1 without a case; every relation has one; 2 of 3 relation variants do not apply to "
        "this data and model"
    )


def test_what_does_not_hold_is_violated_or_unread() -> None:
    # Of five judged cases without a reading one holds all the same, and one is violated, as only one side was refused.
    told = result(
        tally=Tally(cases=20, holds=9, violated=4, unparsed=3, declined=4, refused=2, unread_cases=7, unread_holds=1)
    )
    made = first(told)
    table = overview_table(report(told), result_rows(report(told)))
    row = dict(zip((head.name for head in table.heads), (cell.text for cell in table.rows[0]), strict=True))
    assert (row["violated"], row["unread"]) == ("3", "7")
    assert made.about == (
        "tiny on gqa:DIR: 3 violations, 7 unread (1 of them consistent) and 2 declined in 20 cases of 1 relation "
        "variant: 56 % consistent (of the 16 judged), 39 % unread."
    )


EVERY_KIND = Tally(
    cases=30, holds=9, violated=4, unparsed=3, errors=5, declined=4, refused=2, flaky=3, waived=2, unread_cases=7,
    unread_holds=1,
)  # fmt: skip


def test_the_headline_tells_of_cases_that_are_in_no_rate() -> None:
    made = first(result(tally=EVERY_KIND))
    assert made.parts[0].title == (
        "tiny on gqa:DIR: 3 violations, 7 unread (1 of them consistent), 5 without an answer, 2 declined, 3 flaky and "
        "2 waived in 30 cases of 1 relation variant"
    )
    assert "  consistent   56 %  (0 to 100 %)    the answers of the 16 judged cases obey the relation" in [
        *made.parts[0].lines
    ]
    failing = first(result(tally=Tally(cases=12, holds=8, violated=2, errors=2)))
    assert failing.parts[0].title == (
        "tiny on gqa:DIR: 2 violations and 2 without an answer in 12 cases of 1 relation variant"
    )


def test_the_columns_of_the_table_add_up_to_the_cases() -> None:
    told = report(result(tally=EVERY_KIND, presumed=presumed(Tally(cases=4, holds=1, violated=2, errors=1))))
    columns = ("holds", "violated", "unread_cases", "errors", "declined", "flaky", "waived")
    rows = [row_figures(line) for line in result_rows(told)]
    assert [row["cases"] for row in rows] == [30, 4]
    for row in rows:
        assert sum(int(row[name] or 0) for name in columns) - int(row["unread_holds"] or 0) == row["cases"]
    assert [rows[0][name] for name in columns] == [9, 3, 7, 5, 2, 3, 2]


def test_the_title_and_the_tiles_are_about_the_model() -> None:
    told = result(tally=Tally(cases=12, holds=6, violated=2, unparsed=2, declined=2, refused=2, unread_cases=4))
    noise = result("control.repeat", holds=90, violated=10, tags=("control",))
    made = first(told, noise)
    # Controls are apart. 4 of the 12 answered cases have an answer without a reading; 10 were judged.
    assert made.title == "tiny could not be read in 33 % of its cases"
    (figures,) = made.figures
    assert (figures.consistent.rate, figures.grounded.rate) == (0.6, None)
    assert figures.unread.rate == pytest.approx(1 / 3)
    assert figures.consistent.about == "6 of 10 cases of 1 relation variant"
    assert figures.unread.interval[0] < 1 / 3 < figures.unread.interval[1]
    assert first(result()).title == "tiny is consistent in 80 % of its cases"
    assert first(result(), result(model=OTHER, holds=9, violated=1)).title == (
        "tiny: consistent in 80 %; other: consistent in 90 %"
    )
    assert first(told, result(model=OTHER, holds=9, violated=1)).title == (
        "tiny: consistent in 60 %; other: consistent in 90 %; tiny could not be read in 33 %"
    )
    assert (
        first(result(tally=Tally(cases=1, errors=1))).title
        == "NOTHING WAS TESTED: none of 1 relation variant has a judged case (1 without an answer)"
    )


def test_a_run_in_which_all_fails_names_the_error() -> None:
    broken: dict[str, Any] = {"complete": False, "failure": "Expected model 'tiny' to answer, but it raised"}
    made = first(**broken)
    assert made.title == "No case was judged: Expected model 'tiny' to answer, but it raised"
    assert (made.verdict, made.about, made.notes) == ("Not the whole run.", "No relation was run.", ())
    assert warned(**broken) == []
    assert first(result(), **broken).title == "tiny is consistent in 80 % of its cases"
    (warning,) = warned(result(), **broken)
    assert warning == (
        "This report is not complete: an item could not be run (Expected model 'tiny' to answer, but it raised). "
        "Unfinished items are missing."
    )


def test_the_five_weakest_relations_have_their_claim_and_a_link() -> None:
    made = first(
        *(result(f"ours.r{n}", interval=(0.0, n / 10)) for n in (9, 3, 7, 5, 1, 8)),
        result("ours.holds", holds=10, violated=0, interval=(0.7, 0.9)),
        result("control.repeat", interval=(0.0, 0.0), tags=("control",)),
    )
    assert [each.item for each in made.weakest_relations] == ["ours.r1", "ours.r3", "ours.r5", "ours.r7", "ours.r8"]
    weakest = made.weakest_relations[0]
    assert (weakest.link, weakest.rate, weakest.cases) == ("#relation=ours.r1", "80 %", "10 cases")
    assert (weakest.interval, weakest.claim) == ("0 to 10 %", "All is one.")
    assert first(result(holds=10, violated=0)).weakest_relations == ()


def test_what_was_asked_is_counted_with_the_controls_apart() -> None:
    noise = result("control.repeat", holds=9, violated=1, tags=("control",))
    apart = presumed(Tally(cases=7, holds=1, violated=2, unparsed=1, declined=3, refused=3, unread_cases=3))
    made = first(result(presumed=apart), noise, result(model=OTHER))
    # 3 of the 7 presumed cases are violated, and 1 control; 3 are refused.
    assert made.about == (
        "tiny on gqa:DIR: 2 violations in 10 cases of 1 relation variant: 80 % consistent, 0 % unread; "
        "other on gqa:DIR: 2 violations in 10 cases of 1 relation variant: 80 % consistent, 0 % unread; "
        "apart (controls, presumed cases): 4 violations and 3 unread in 17 cases of 2 relation variants over 2 models."
    )


def test_a_missed_gate_says_what_was_reached_and_what_was_demanded() -> None:
    (found,) = first(result(gate=MISSED)).missed
    assert (found.item, found.of, found.link) == ("ours.rule", "", "#relation=ours.rule")
    assert found.why == ("pass rate 80 % (25 to 75 %), required: pass rate >= 90 %",)


def test_a_missed_gate_of_presumed_cases_names_them_and_the_model_where_there_are_several() -> None:
    apart = presumed(Tally(cases=4, holds=1, violated=3), gate=gate(0.5, met=False, on="lower-bound"))
    (found,) = first(result(presumed=apart), result(model=OTHER)).missed
    assert (found.item, found.of) == ("ours.rule (presumed)", "tiny")
    assert found.link == "#relation=ours.rule&model=tiny"
    assert found.why == ("pass rate 25 % (10 to 90 %), required: lower end >= 50 %",)


def test_a_missed_drop_gate_says_how_far_it_fell() -> None:
    dropped = change(kept=6, lost=3, won=1, p_holm=0.004, held=gate(0.05, met=False, kind="max-drop"))
    (found,) = first(result(change=dropped), baseline=BASELINE).missed
    # 9 of 10 held before, 7 of 10 now
    assert found.why == (
        "pass rate 90.0 % in the baseline, now 70.0 %: -20.0 points (-25.0 to -15.0, p = 0.004 after Holm), "
        "3 regressions, 1 fix",
    )


def test_worse_is_a_significant_drop_after_holm() -> None:
    made = first(
        result("ours.sure", change=change(kept=7, lost=3, p=0.001, p_holm=0.01)),
        result("ours.surer", change=change(kept=5, lost=5, p=0.001, p_holm=0.01)),
        result("ours.chance", change=change(kept=7, lost=3, p=0.01, p_holm=0.2)),
        result("ours.better", change=change(kept=7, won=3, p=0.01, p_holm=0.01)),
        result("ours.alone", change=change(kept=8, lost=2, p=0.01)),
        baseline=replace(BASELINE, totals=(total_of(kept=34, lost=13, won=3, p=0.0106),)),
    )
    assert [found.item for found in made.dropped] == ["ours.surer", "ours.sure", "ours.alone"]
    assert made.regressions == 3 + 5 + 3 + 2
    assert made.notes == (
        "Set a gate with --vqamt-fail-under=RATE or GLOB=RATE.",
        "Against the baseline base.json (of old): 94 % -> 74 % of 50 shared cases, 13 regressions, 3 fixes (p = 0.01).",
        "The interval of the change lies below 0 for ours.chance, but the drop is not significant after "
        "Holm's correction.",
    )


def total_of(p: float, model: str = "tiny", **counts: Any) -> BaselineTotal:
    return BaselineTotal(model=model, data="gqa:DIR", change=change(p=p, **counts))


@pytest.mark.parametrize(
    ("p", "counts", "of_relation", "is_told"),
    [
        (0.002, {"kept": 40, "lost": 10}, {"kept": 8, "lost": 2, "p_holm": 0.5}, True),
        (0.06, {"kept": 40, "lost": 10}, {"kept": 8, "lost": 2, "p_holm": 0.5}, False),
        (0.002, {"kept": 40, "lost": 10}, {"kept": 8, "lost": 2, "p_holm": 0.01}, False),
        (0.9, {"kept": 40, "won": 10}, {"kept": 8, "won": 2, "p_holm": 1.0}, False),
    ],
)
def test_a_drop_that_only_the_total_shows_is_a_warning(
    p: float, counts: dict[str, Any], of_relation: dict[str, Any], is_told: bool
) -> None:
    shown = warned(result(change=change(**of_relation)), baseline=replace(BASELINE, totals=(total_of(p, **counts),)))
    told = "All relations together have dropped by 20.0 points (p = 0.002), though no relation alone shows it: "
    assert (f"{told}the page has the regressions." in shown) is is_told
    assert any("All relations together have" in each for each in shown) is is_told


def test_a_total_of_each_model_is_named() -> None:
    totals = (total_of(0.5, kept=8, lost=2), total_of(1.0, "other", kept=9, won=1))
    told = first(result(), result(model=OTHER), baseline=replace(BASELINE, totals=totals)).notes
    assert told[1:3] == (
        "tiny on gqa:DIR, against the baseline base.json (of old): 100 % -> 80 % of 10 shared cases, 2 regressions, "
        "0 fixes (p = 0.5).",
        "other on gqa:DIR, against the baseline base.json (of old): 90 % -> 100 % of 10 shared cases, 0 regressions, "
        "1 fix.",
    )


def test_at_most_eight_drops_are_named() -> None:
    made = first(*(result(f"ours.r{n}", change=change(kept=5, lost=5, p=0.001)) for n in range(11)), baseline=BASELINE)
    assert (len(made.dropped), made.drops_left_out) == (8, 3)


def test_a_baseline_that_nothing_fell_below_is_said_to_be_met() -> None:
    unsure = gate(0.02, met=True, kind="max-drop", uncertain=True)
    same = change(kept=10, held=unsure, p_holm=1.0)
    assert first(result(change=same), baseline=replace(BASELINE, max_drop={"*": 0.02})).notes[1:] == (
        "No relation is significantly worse.",
        "0 of 1 relation variant are shown to be no worse than the baseline by more than 2 points, 0 missed, 1 with "
        "too few cases to tell.",
    )
    wider = change(kept=10, held=gate(0.1, met=True, kind="max-drop"), p_holm=1.0)
    assert first(result(change=wider), baseline=BASELINE).notes[2] == (
        "1 of 1 relation variant is shown to be no worse than the baseline by more than 10 points, 0 missed, 0 with "
        "too few cases to tell."
    )


def test_the_relations_with_a_gate_on_the_drop_add_up() -> None:
    held = [change(kept=10, held=each, p_holm=0.5) for each in (KEPT, KEPT, FALLEN, UNSURE)]
    of_grounded = Grounded(cells=GroundedCells(), interval=(0.0, 1.0), change=change(kept=9, held=UNSURE))
    # One whose pass rate is shown and whose grounded rate is not cannot tell.
    told = [result(f"ours.{n}", change=each) for n, each in enumerate(held)]
    told.append(result("ours.both", change=held[0], grounded=of_grounded))
    assert first(*told, baseline=BASELINE).notes[2] == (
        "2 of 5 relation variants are shown to be no worse than the baseline by more than 10 points, 1 missed, 2 with "
        "too few cases to tell."
    )


def test_a_gate_that_cannot_tell_names_the_rate_and_how_many_cases_can() -> None:
    of_grounded = Grounded(cells=GroundedCells(), interval=(0.0, 1.0), change=change(kept=5, held=UNSURE))
    told = result(gate=MET, change=change(kept=10, held=KEPT), grounded=of_grounded)
    table = overview_table(report(told), result_rows(report(told)))
    (cell,) = (row[1] for row in table.rows)
    assert (table.heads[1].name, cell.state) == ("gate", "cannot-tell")
    assert cell.text == (
        "cannot tell (too few cases): drop of the grounded rate <= 10 points; "
        "met: pass rate >= 70 %, drop of the pass rate <= 10 points"
    )
    # With two gates and no noise, all that is lost is a drop: six losses are significant (2^-6 < 0.05 / 2). The least
    # number of cases of which 20 % are six or more with a chance of 0.8 is 39, and half of the ten have a contrast.
    assert warned(told, baseline=BASELINE) == [
        "1 relation variant has too few cases to tell a drop of more than 10 points from chance: bless a run with "
        "--vqamt-max-cases=78, of more pictures than the 8 here, which rules it out where nothing has changed. To show "
        "a drop takes more (`vqamt power`)."
    ]


def test_no_number_of_cases_shows_that_there_is_no_drop() -> None:
    unsure = gate(0.0, met=True, kind="max-drop", uncertain=True)
    assert warned(result(change=change(kept=10, held=unsure)), baseline=replace(BASELINE, max_drop={})) == [
        "1 relation variant cannot tell: no number of cases shows that a rate has not dropped at all. Allow a drop "
        "with --vqamt-max-drop=RATE."
    ]


def test_without_a_baseline_it_says_how_to_make_one() -> None:
    assert any("vqamt bless" in note for note in first(result()).notes)


def test_a_run_that_is_whole_has_no_warnings() -> None:
    assert warned(result(gate=MET), baseline=BASELINE) == []


@pytest.mark.parametrize(
    ("told", "fields", "said"),
    [
        (result(), {"complete": False}, "not complete"),
        (result(tally=Tally(cases=10, holds=7, errors=3)), {}, "3 of 10 cases had no answer"),
        (result(tally=Tally(cases=10, holds=10, truncated=4)), {}, "In 4 cases a model read only the beginning"),
        (result(data=DataUse(spec="s", scenes=1, digest="", bad_records=("a", "b"))), {}, "2 records of the data"),
        (
            result(tally=Tally(cases=2000, holds=700, violated=1200, unparsed=100)),
            {"left_out": 290},
            "1,010 of 1,300 violated or unread cases have a card on this page: an equal share of each relation "
            "variant, in the order of the case ids",
        ),
    ],
)
def test_what_makes_figures_doubtful_is_said(told: RelationResult, fields: dict[str, object], said: str) -> None:
    (warning,) = warned(told, **fields)  # type: ignore[arg-type] # left_out is a number, the others go to the report
    assert said in warning


def test_items_that_only_one_of_both_runs_has_are_named() -> None:
    from pytest_vqamt.core.codec import replace

    parted = replace(BASELINE, missing=("ours.gone",), new=("ours.new", "ours.newer"))
    assert warned(result(), baseline=parted) == [
        "1 relation variant in the baseline but not in this run: ours.gone.",
        "2 relation variants in this run but not in the baseline: ours.new, ours.newer.",
    ]


@pytest.mark.parametrize(
    ("now", "before", "told"),
    [
        (("a-1",), "a-1", []),
        (("a-2",), "a-1", ["{name} is answered by a-2, as its server says, and was answered by a-1 in the baseline"]),
        (("a-1", "a-2"), "a-1", ["{name} was answered by 2 models, as its server says (a-1, a-2)"]),
        ((), "a-1", []),
    ],
)
def test_another_model_at_the_server_is_told(now: tuple[str, ...], before: str, told: list[str]) -> None:
    (use, *_) = report(result()).models
    use = replace(use, usage=tuple((f"{use.ANSWERS_OF}{name}", 3.0) for name in now))
    held = replace(BASELINE, answered_by=((use.name, before),))
    lines = [line for line in warned(result(), models=(use,), baseline=held) if "answered by" in line]
    assert len(lines) == len(told)
    assert all(line.startswith(start.format(name=use.name)) for line, start in zip(lines, told, strict=True))


@pytest.mark.parametrize(
    ("spec", "answered", "is_told"),
    [
        ("openai:gpt-4o@https://api.example.com/v1", "gpt-4o-2024-08-06", False),
        ("openai:Qwen/Qwen2.5-VL-7B-Instruct@http://127.0.0.1:8000", "qwen2.5-vl-7b-instruct", False),
        ("openai:m@http://127.0.0.1:8000", "gpt-nano", True),
        ("served:http://127.0.0.1:8000", "gpt-nano", False),
    ],
)
def test_another_model_than_the_one_that_was_asked_is_told(spec: str, answered: str, is_told: bool) -> None:
    (use, *_) = report(result()).models
    use = replace(use, spec=spec, kind=spec.partition(":")[0], usage=((f"{use.ANSWERS_OF}{answered}", 3.0),))
    assert any("which is not the" in line for line in warned(result(), models=(use,))) == is_told
