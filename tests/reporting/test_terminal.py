"""The summary of results made by hand: cases that are presumed have a row of their own."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from pytest_vqamt.core.codec import replace
from pytest_vqamt.core.pairs import Pairs, PairTally
from pytest_vqamt.core.results import (
    MAX_UNREAD,
    BaselineChange,
    BaselineUse,
    GapToFirst,
    Gate,
    Grounded,
    ModelDifference,
    ModelUse,
    QueryPreview,
    RankedModel,
    Ranking,
    RankingKind,
    RelationResult,
    Report,
    StratumResult,
    ViolationPreview,
)
from pytest_vqamt.core.tallies import (
    GroundedCells,
    PairedClusters,
    PairedSceneTally,
    Tally,
    UnreadCount,
    UnreadExample,
)
from pytest_vqamt.reporting.markdown import summary_page
from pytest_vqamt.reporting.terminal import (
    LINES,
    SummaryLine,
    baseline_lines,
    brief_summary,
    ranking_lines,
    short_summary,
    summary,
)
from pytest_vqamt.reporting.view.answers import UnreadAnswers
from pytest_vqamt.stats.conclude import rankings, with_baseline_gates
from pytest_vqamt.stats.paired import change_of, with_holm_gates
from tests.reporting.html import made
from tests.reporting.html.made import TINY, report
from tests.reporting.running import run_into


def presumed(*, readings: tuple[str, ...] = (), gate: Gate | None = None) -> StratumResult:
    """Four cases, of which one holds."""
    tally = Tally(cases=4, holds=1, violated=3, vacuous=1)
    return StratumResult(tally=tally, breakdown={}, readings=Counter(readings), interval=(0.046, 0.699), gate=gate)


def result(tally: Tally, apart: StratumResult | None, **fields: Any) -> RelationResult:
    told: dict[str, Any] = {"readings": Counter({"yes": 10, "no": 10}), "interval": (0.490, 0.943)}
    return made.result(tally=tally, presumed=apart, **{**told, **fields})


def rows(*results: RelationResult) -> list[list[str]]:
    """The table's rows, cell by cell."""
    lines = shown(*results)
    rule = next(number for number, line in enumerate(lines) if line.startswith("---"))
    return [re.split(r" {2,}", line) for line in lines[rule + 1 : lines.index("", rule)]]


def shown(*results: RelationResult, in_full: bool = False, **of_report: object) -> list[str]:
    return list(summary(report(*results, **of_report), in_full=in_full))


SURE = Tally(cases=10, holds=8, violated=2)


def test_presumed_cases_have_a_row_and_a_gate_of_their_own() -> None:
    met = Gate(kind="fail-under", threshold=0.7, on="point", met=True)
    missed = Gate(kind="fail-under", threshold=0.7, on="point", met=False)
    assert rows(result(SURE, presumed(gate=missed), gate=met)) == [
        ["ours.rule", "10", "80.0 %", "49.0 to 94.3 %", "0 %", "2", "0", "0", "met: >= 70 %"],
        ["ours.rule (presumed)", "4", "25.0 %", "4.6 to 69.9 %", "25 %", "3", "0", "0", "MISSED: >= 70 %"],
    ]
    assert [row[0] for row in rows(result(SURE, None))] == ["ours.rule"]


def test_where_all_cases_are_presumed_theirs_is_the_only_row() -> None:
    (row,) = rows(result(Tally(), presumed(), tags=("baseline",)))
    assert row == ["ours.rule (baseline, presumed)", "4", "25.0 %", "4.6 to 69.9 %", "25 %", "3", "0", "0", "-"]


def test_the_answers_to_presumed_cases_count_among_all_answers() -> None:
    # 10 of 20 answers are yes, and with thirty more 40 of 50: the share from which an answer is pointed out.
    assert "ours.rule: 80 % of all answers are 'yes'" in shown(result(SURE, presumed(readings=("yes",) * 30)))
    assert not any("of all answers are" in line for line in shown(result(SURE, presumed(readings=("yes",) * 29))))


# Of 100 answers to 50 pairs, 90 are yes; 80 is the share from which an answer is pointed out.
NINETY = Counter({"yes": 90, "no": 10})


def tally_of(*, right: int) -> Pairs:
    """Fifty pairs with so many right answers."""
    return Pairs(tally=PairTally(pairs=50, right_first=min(right, 50), right_second=max(right - 50, 0), yes=90, no=10))


@pytest.mark.parametrize(("right", "told"), [(89, True), (90, False), (100, False)])
def test_an_answer_that_is_right_as_often_as_it_is_given_is_not_pointed_out(right: int, told: bool) -> None:
    one = replace(result(SURE, None), readings=NINETY, pairs=tally_of(right=right))
    assert ("ours.rule: 90 % of all answers are 'yes'" in shown(one)) is told


def test_the_presumed_pairs_count_for_that_too() -> None:
    # Of 200 answers 190 are yes. Right are 100 of the sure and 89, or 90, of the presumed.
    for right, told in ((89, True), (90, False)):
        apart = replace(presumed(readings=("yes",) * 100), pairs=tally_of(right=right))
        one = replace(result(SURE, apart), readings=NINETY, pairs=tally_of(right=100))
        assert ("ours.rule: 95 % of all answers are 'yes'" in shown(one)) is told


def test_without_pairs_nobody_knows_what_is_right() -> None:
    assert "ours.rule: 90 % of all answers are 'yes'" in shown(replace(result(SURE, None), readings=NINETY))


def test_what_a_relation_drew_on_stands_at_the_head_where_it_had_a_case() -> None:
    drawing = replace(result(SURE, None), resources=(("wordnet", "WordNet 3.0 (bundled, 0123)"),))
    assert shown(drawing, replace(drawing, item="ours.other"))[:3] == [
        "tiny on gqa:DIR (8 scenes)",
        "wordnet: WordNet 3.0 (bundled, 0123)",
        "",
    ]
    assert shown(replace(drawing, tally=Tally(), presumed=presumed()))[1].startswith("wordnet: ")
    assert shown(replace(drawing, tally=Tally()))[1] == ""


def without_cases(*items: str) -> Iterable[RelationResult]:
    for item in items:
        yield replace(result(Tally(), None), item=item, readings=Counter(), not_applicable={"no mirror": 8})


TWO = ("ours.mirror[left]", "ours.mirror[right]")


def test_three_without_a_case_have_a_row_each() -> None:
    found = rows(result(SURE, None), *without_cases(*TWO, "ours.door"))
    assert [(row[0], row[-1]) for row in found] == [
        ("ours.rule", "-"),
        *((item, "not applicable") for item in (*TWO, "ours.door")),
    ]


def test_more_without_a_case_are_folded() -> None:
    left = replace(result(SURE, None), item="ours.window[left]")
    folded = tuple(without_cases(*TWO, "ours.window[right]", "ours.tv"))
    assert shown(folded[0], left, *folded[1:])[:7] == [
        "tiny on gqa:DIR (8 scenes)",
        "",
        "relation           cases  pass rate   95 % interval  vacuous  violated  unread  errors  gate",
        "-----------------  -----  ---------  --------------  -------  --------  ------  ------  ----",
        "ours.window[left]     10     80.0 %  49.0 to 94.3 %      0 %         2       0       0     -",
        "",
        "4 of 5 relation variants do not apply here: ours.mirror, ours.window[right], ours.tv (pytest -v and",
    ]


def test_where_all_are_folded_there_is_no_table() -> None:
    lines = shown(*without_cases(*(f"ours.rule_number_{number}" for number in range(7))))
    assert lines[:5] == [
        "tiny on gqa:DIR (8 scenes)",
        "",
        "7 of 7 relation variants do not apply here: ours.rule_number_0, ours.rule_number_1,",
        "  ours.rule_number_2, ours.rule_number_3, ours.rule_number_4, ours.rule_number_5, ours.rule_number_6",
        "  (pytest -v and `vqamt list --data` say why)",
    ]


def test_all_of_them_and_why_where_all_is_asked_for() -> None:
    items = (*TWO, "ours.window", "ours.door")
    lines = shown(result(SURE, None), *without_cases(*items), in_full=True)
    assert [line.split()[0] for line in lines if line.endswith("not applicable")] == list(items)
    assert [line for line in lines if "no mirror" in line] == [
        f"{item}: not applicable to gqa:DIR: no mirror (8 scenes)" for item in items
    ]
    assert not any("do not apply" in line for line in lines)


def test_presumed_cases_are_cases() -> None:
    apart = tuple(replace(result(Tally(), presumed()), item=f"ours.rule{number}") for number in range(4))
    assert len(rows(*apart)) == 4


def test_waived_cases_are_counted_with_the_reasons_that_were_given() -> None:
    waived = replace(SURE, cases=12, waived=2)
    apart = replace(presumed(), tally=Tally(cases=1, waived=1))
    reasons = tuple((f"{n:016x}", "two dogs overlap" if n < 3 else f"reason {n}") for n in range(9))
    lines = shown(result(waived, apart), waived=reasons)
    at = lines.index("3 cases were waived, of the 9 that are listed as invalid:")
    assert lines[at + 1 : at + 7] == [
        "  two dogs overlap (3)",
        "  reason 3 (1)",
        "  reason 4 (1)",
        "  reason 5 (1)",
        "  reason 6 (1)",
        "  and 2 more reasons, all in report.json (--vqamt-report=DIR)",
    ]
    one = shown(result(replace(SURE, waived=1), None), waived=reasons[:1])
    assert one[one.index("1 case was waived, of the 1 that are listed as invalid:") + 1] == "  two dogs overlap (1)"
    assert not any("waived, of" in line for line in shown(result(SURE, None)))


def test_a_baseline_has_its_table_and_its_gate_is_a_gate() -> None:
    paired = PairedClusters((PairedSceneTally(0, 1, 0, 0, 9),))
    [held] = with_holm_gates([change_of(paired)], [0.1])
    use = BaselineUse(file="base.gz", digest="d", models=(("tiny", "f"),))
    lines = shown(replace(result(SURE, None), change=held), baseline=use)
    assert "against the baseline base.gz: tiny (f)" in lines
    assert any(line.startswith("ours.rule") and line.endswith("MISSED: drop <= 10 points") for line in lines)
    assert not any(line.startswith("no gate was set") for line in lines)
    assert any(line.startswith("no gate was set") for line in shown(result(SURE, None)))


def test_a_violation_that_a_missed_drop_has_told_of_is_not_told_again() -> None:
    case = ViolationPreview(id="c", scene="s", queries=(), expected="e", reason="r")
    shown_query = QueryPreview(picture="p", text="Is it?", answer="yes")
    violated = replace(result(SURE, None), violation=replace(case, queries=(shown_query,)))
    paired = PairedClusters((PairedSceneTally(0, 1, 0, 0, 9),))
    for max_drop, told in ((0.1, False), (1.0, True)):
        [held] = with_holm_gates([change_of(paired)], [max_drop])
        lines = shown(replace(violated, change=held))
        assert any("simplest violation found" in line for line in lines) is told


def test_several_models_are_ranked() -> None:
    other = replace(TINY, name="other")
    worse = replace(result(replace(SURE, holds=5, violated=5), None), model=other)
    results = (result(SURE, None), worse)
    lines = shown(*results, models=(TINY, other), ranking=rankings(results))
    at = lines.index("models on gqa:DIR: pass rate over all cases of 1 relation variant")
    assert [re.split(r" {2,}", line)[:2] for line in lines[at + 4 : at + 6]] == [
        ["tiny", "80.0 %"],
        ["other", "50.0 %"],
    ]


USE = BaselineUse(file="ours.gz", digest="d", models=(("tiny", "0f"),))


def lines(report: Report) -> list[str]:
    return list(baseline_lines(report))


def compared(report: Report, *paired: PairedClusters | None, max_drop: float = 0.0) -> Report:
    """The report with what became of its items."""
    relations = [
        replace(result, change=None if each is None else change_of(each, version_before=1))
        for result, each in zip(report.relations, paired, strict=True)
    ]
    return replace(report, relations=with_baseline_gates(relations, {"*": max_drop}, MAX_UNREAD), baseline=USE)


def test_without_a_baseline_nothing_is_said(tmp_path: Path) -> None:
    assert lines(run_into(tmp_path, max_cases=1, relations=["control.repeat"])) == []


def test_a_row_for_each_item_with_what_became_of_it(tmp_path: Path) -> None:
    report = run_into(tmp_path, max_cases=1)
    regressions = PairedClusters(
        (PairedSceneTally(0, 1, 0, 0, 10), PairedSceneTally(1, 0, 0, 0, 29), PairedSceneTally(0, 0, 1, 0, 1))
    )
    said = lines(compared(report, regressions, None, PairedClusters((PairedSceneTally(1, 0, 0, 0, 5),))))
    assert said[0] == "against the baseline ours.gz: tiny (0f)"
    rows = {line.split()[0]: re.split(r" {2,}", line) for line in said if "." in line.split(" ")[0] and " " in line}
    # 39 held of 40 before, 30 now; McNemar of 10 regressions and 1 fix: 12 in 2048 ways.
    item = rows["metavqa.partition[object]"]
    assert item[1:5] == ["40", "97.5 %", "75.0 %", "-22.5"]
    assert item[-2:] == ["0.0059", "MISSED: drop <= 0 points"]
    assert "metavqa.partition[property]" not in rows, "nobody has blessed it"
    control = rows["control.repeat"]
    assert control[:5] == ["control.repeat (control)", "5", "100.0 %", "100.0 %", "0.0"]
    assert control[-2:] == ["-", "-"], "neither a p-value nor a gate"


def test_items_of_one_run_alone_are_named(tmp_path: Path) -> None:
    report = run_into(tmp_path, max_cases=1, relations=["control.repeat"])
    use = replace(USE, missing=("ours.gone-tiny-pictures:20", "ours.lost-tiny-pictures:20"), new=("ours.new-tiny-a:b",))
    said = " ".join(" ".join(lines(replace(report, baseline=use))).split())
    gone = "ours.gone-tiny-pictures:20, ours.lost-tiny-pictures:20"
    assert f"2 relation variants in the baseline but not in this run: {gone}" in said
    assert "1 relation variant in this run but not in the baseline, so not compared: ours.new-tiny-a:b" in said


def test_another_version_and_another_judgement_are_said(tmp_path: Path) -> None:
    report = run_into(tmp_path, max_cases=1, relations=["control.repeat"])
    (result,) = report.relations
    made = change_of(PairedClusters((PairedSceneTally(1, 0, 0, 0, 5),)), version_before=1, other_judgement=1)
    said = lines(replace(report, baseline=USE, relations=(replace(result, change=made),)))
    assert f"control.repeat: relation version 1 in the baseline, {result.version} now" in said
    assert ("control.repeat: 1 baseline case has another verdict now for the same answers; both columns use it") in said


RANKING = Ranking(
    data="gqa:DIR",
    kind=RankingKind.RELATIONS,
    items=("ours.a", "ours.b"),
    places=(
        RankedModel(model="good", mean=0.75, interval=(0.7, 0.8), best_in=2),
        RankedModel(
            model="bad",
            mean=0.5,
            interval=(0.4, 0.6),
            best_in=1,
            behind=GapToFirst(difference=-0.25, interval=(-0.3, -0.2), p=0.01),
        ),
    ),
)
# Of ten cases the first model has three that the second has not, and the second one.
DIFFERENCE = ModelDifference(
    item="ours.a",
    data="gqa:DIR",
    presumed=False,
    models=("bad", "good"),
    paired=PairedClusters(
        (PairedSceneTally(0, 0, 0, 1, 1), PairedSceneTally(0, 0, 1, 0, 3), PairedSceneTally(1, 0, 0, 0, 6))
    ),
    interval=(0.1, 0.5),
    p=0.01,
    p_holm=0.02,
)


def lines_of_rankings_table(
    rankings: tuple[Ranking, ...], differences: tuple[ModelDifference, ...], *, in_full: bool = False
) -> list[str]:
    return list(ranking_lines(report(ranking=rankings, differences=differences), in_full=in_full))


def test_of_one_model_nothing_is_said() -> None:
    assert lines_of_rankings_table((), ()) == []


def test_the_models_stand_in_the_order_of_their_rates_and_differences_are_the_second_less_the_first() -> None:
    assert lines_of_rankings_table((RANKING,), (DIFFERENCE,)) == [
        "models on gqa:DIR: pass rate over all cases of 2 relation variants",
        "",
        "model  pass rate   95 % interval  grounded  points against the first       p  alone first in",
        "-----  ---------  --------------  --------  ------------------------  ------  --------------",
        "good      75.0 %  70.0 to 80.0 %         -                         -       -               2",
        "bad       50.0 %  40.0 to 60.0 %         -    -25.0 (-30.0 to -20.0)  0.0100               1",
        "",
        "on gqa:DIR, 1 of 1 comparison of two models on a relation variant shows a significant difference "
        "(Holm-adjusted p < 0.05)",
        "",
        "relation  shared cases  first model  second model  points   95 % interval  p (Holm)",
        "--------  ------------  -----------  ------------  ------  --------------  --------",
        "ours.a              10   bad 60.0 %   good 90.0 %   +30.0  +10.0 to +50.0    0.0200",
        "",
    ]


def test_of_the_models_exchanged_the_signs_are() -> None:
    turned = replace(
        DIFFERENCE,
        models=("good", "bad"),
        paired=PairedClusters(
            (PairedSceneTally(0, 0, 0, 1, 1), PairedSceneTally(0, 1, 0, 0, 3), PairedSceneTally(1, 0, 0, 0, 6))
        ),
        interval=(-0.5, -0.1),
    )
    assert lines_of_rankings_table((), (turned,))[4].split() == (
        ["ours.a", "10", "good", "90.0", "%", "bad", "60.0", "%", "-30.0", "-50.0", "to", "-10.0", "0.0200"]
    )


def test_chance_and_controls_are_not_shown_and_of_many_only_the_largest() -> None:
    chance = replace(DIFFERENCE, item="ours.chance", p_holm=0.05)
    control = replace(DIFFERENCE, item="control.repeat", p_holm=None)
    assert lines_of_rankings_table((), (chance, control)) == [
        "on gqa:DIR, 0 of 1 comparison of two models on a relation variant shows a significant difference "
        "(Holm-adjusted p < 0.05)",
        "",
    ]
    many = tuple(
        replace(
            DIFFERENCE,
            item=f"ours.{n}",
            paired=PairedClusters((PairedSceneTally(0, 0, 1, 0, n), PairedSceneTally(1, 0, 0, 0, 5))),
        )
        for n in range(1, 13)
    )
    found = lines_of_rankings_table((), many)
    assert [line.split()[0] for line in found[4:14]] == [f"ours.{n}" for n in range(12, 2, -1)]
    assert found[15].startswith("and 2 smaller ones")
    assert [line.split()[0] for line in lines_of_rankings_table((), many, in_full=True)[4:16]] == [
        f"ours.{n}" for n in range(12, 0, -1)
    ]


def test_presumed_cases_baselines_and_controls_are_ranked_where_all_is_asked_for() -> None:
    rankings = tuple(replace(RANKING, kind=kind) for kind in RankingKind)
    assert sum(line.startswith("models on") for line in lines_of_rankings_table(rankings, ())) == 1
    heads = [line for line in lines_of_rankings_table(rankings, (), in_full=True) if line.startswith("models on")]
    assert [head.partition("variants")[2] for head in heads] == [
        "",
        ", presumed cases",
        ", relations tagged baseline",
        ", controls",
    ]


# The short summary.


def short(*results: RelationResult, **of_report: object) -> list[SummaryLine]:
    return list(short_summary(report(*results, **of_report), lambda _result, violation: f"vqamt replay {violation.id}"))


def texts(*results: RelationResult, **of_report: object) -> list[str]:
    return [line.text for line in short(*results, **of_report)]


VIOLATION = ViolationPreview(
    id="c4c965ee40f19e27",
    scene="s",
    queries=(
        QueryPreview(picture="p", text="Is there a dog?", answer="yes"),
        QueryPreview(picture="q", text="Is there a dog?", answer="yes", edits="dog erased"),
    ),
    expected="one yes, one no",
    reason="one answer must be yes and the other no, but got yes, yes",
)


def test_the_short_summary_of_two_relations() -> None:
    met = Gate(kind="fail-under", threshold=0.7, on="point", met=True)
    weak = result(Tally(cases=10, holds=4, violated=6), None, item="ours.weak", violation=VIOLATION)
    control = result(Tally(cases=10, violated=10), None, item="control.repeat", tags=("control",))
    assert texts(result(SURE, None, gate=met), weak, control) == [
        "tiny on gqa:DIR: 8 violations in 20 cases of 2 relation variants",
        "  consistent   60 %  (0 to 100 %)    the answers obey the relation (with the 95 % interval)",
        "  unread        0 %  (0 to 16 %)     an answer could not be read",
        "  apart (controls): 10 violations in 10 cases of 1 relation variant",
        "gates: 1 met, 0 missed; 1 of 2 relation variants (controls apart) has none",
        "",
        "weakest relations  consistent  grounded          gate",
        "-----------------  ----------  --------  ------------",
        "ours.weak                40 %         -             -",
        "ours.rule                80 %         -  met: >= 70 %",
        "",
        "ours.weak: one answer must be yes and the other no, but got yes, yes  vqamt replay c4c965ee40f19e27",
        "  Is there a dog? -> 'yes'; [dog erased] -> 'yes'",
    ]


def test_with_a_baseline_the_rates_before_and_the_gate_that_matters_are_shown() -> None:
    kept, unsure, missed = (
        Gate(kind="max-drop", threshold=0.1, on="holm", met=met, uncertain=uncertain)
        for met, uncertain in ((True, False), (True, True), (False, False))
    )

    def since(before: int, after: int, gate: Gate) -> BaselineChange:
        """Of 20 cases of one scene each, so many held."""
        rows = ((1, 0, 0, 0, after), (0, 1, 0, 0, before - after), (0, 0, 0, 1, 20 - before))
        paired = PairedClusters(tuple(PairedSceneTally(*row) for row in rows))
        return BaselineChange(paired=paired, interval=(-0.2, 0.1), p=0.3, p_two_sided=0.6, p_holm=0.3, gate=gate)

    def of_both(item: str, own: Gate, of_grounded: Gate) -> RelationResult:
        cells = GroundedCells(consistent_changed=8, consistent_unchanged=12)
        grounded = Grounded(cells=cells, interval=(0.2, 0.6), change=since(16, 8, of_grounded))
        held = Gate(kind="fail-under", threshold=0.7, on="point", met=True)
        return replace(
            result(Tally(cases=20, holds=16, violated=4), None, item=item, gate=held),
            change=since(18, 16, own), grounded=grounded,
        )  # fmt: skip

    lines = texts(of_both("ours.a", kept, missed), of_both("ours.b", kept, unsure), of_both("ours.c", kept, kept))
    assert "gates: 1 met, 1 missed, 1 cannot tell (too few cases); every relation has one" in lines
    table = lines[lines.index("") + 1 :]
    assert [" ".join(line.split()) for line in table if line.startswith(("weakest", "ours."))][:4] == [
        "weakest relations consistent before grounded before gate",
        "ours.a 80 % 90 % 40 % 80 % missed: grounded drop <= 10 points",
        "ours.b 80 % 90 % 40 % 80 % cannot tell: grounded drop <= 10 points",
        "ours.c 80 % 90 % 40 % 80 % met: >= 70 %",
    ]


def test_violations_with_readable_answers_come_before_unread_ones() -> None:
    unread = replace(VIOLATION, id="unread")
    worst = result(Tally(cases=9, unparsed=9, unread_cases=9), None, item="ours.unread", violation=unread)
    better = result(Tally(cases=9, holds=8, violated=1), None, item="ours.violated", violation=VIOLATION)
    shown = [text for text in texts(worst, better) if "vqamt replay" in text]
    assert [text.partition(":")[0] for text in shown] == ["ours.violated", "ours.unread"]


@pytest.mark.parametrize(
    ("holds", "told"),
    [(9, "and 3 more rows, 100 % consistent"), (3, "and 3 more rows, 33 % consistent or more")],
)
def test_the_line_for_the_other_relations_says_how_consistent_they_are_at_least(holds: int, told: str) -> None:
    tally = Tally(cases=9, holds=holds, violated=9 - holds)
    lines = short(*(result(tally, None, item=f"ours.{number}") for number in range(13)))
    assert told in [line.text for line in lines]


CHATTY = {
    "neither yes nor no": UnreadCount(9, 4, UnreadExample("a", "Is there a dog?", "What a lovely day " * 9)),
    "refusal": UnreadCount(0, 2, UnreadExample("b", "How many cats?", "I can't help with that.")),
}


@pytest.mark.parametrize(
    ("kind", "told", "not_told"),
    [
        ("python", "make the function a class and give the model `each.prompt`", "prompt-question"),
        ("", "make the function a class and give the model `each.prompt`", "prompt-question"),
        ("tiny", "asked for: write a reader (--vqamt-option=reader=MODULE:FUNC)", "prompt"),
        ("blip", "asked for: write a reader", "prompt"),
        ("openai", "change the prompt (--vqamt-option=prompt-question=TEXT), or write a reader", "each."),
    ],
)
def test_the_advice_on_unread_answers_fits_the_kind_of_model(kind: str, told: str, not_told: str) -> None:
    unread = UnreadAnswers(tally=Tally(cases=1, unparsed=1), causes=(("no number", UnreadCount(1, 0)),), kind=kind)
    assert told in unread.advice
    assert not_told not in unread.advice


def test_the_kind_is_not_read_off_a_name() -> None:
    # A user's object or short name may be called as a kind is, and "openai:" in it is no address.
    made = result(Tally(cases=9, unparsed=9, unread_cases=9), None, unread={"no number": UnreadCount(9, 0)})
    usage = ((f"{ModelUse.ANSWERS_OF}gpt-x", 3.0),)
    use = replace(made.model, name="openai:ours", kind="", usage=usage)
    lines = [line.text for line in short(replace(made, model=use))]
    assert any("make the function a class" in line for line in lines)
    assert not any("that was asked" in line for line in lines)


@pytest.mark.parametrize("kind", ["python", "tiny", "openai"])
def test_the_advice_on_the_form_of_answers_is_not_cut(kind: str) -> None:
    made = result(Tally(cases=9, unparsed=9, unread_cases=9), None, unread={"no number": UnreadCount(9, 0)})
    lines = short(replace(made, model=replace(made.model, kind=kind)))
    assert any(line.text.endswith("reader (--vqamt-option=reader=MODULE:FUNC)") for line in lines)


def test_unread_answers_have_a_banner_with_examples_and_advice() -> None:
    tally = Tally(cases=20, holds=9, violated=1, unparsed=8, declined=2, refused=2, unread_cases=10)
    lines = short(result(tally, None, unread=CHATTY))
    place = next(place for place, line in enumerate(lines) if line.text.startswith("UNREAD: "))
    assert [line.text for line in lines[place : place + 4]] == [
        "UNREAD: 50 % of 20 cases could not be read (15 answers: neither yes nor no 13, refusal 2)",
        "  90 % of the 10 readable cases hold; with unread ones as violations, 50 %",
        "  neither yes nor no: Is there a dog? -> 'What a lovely day Wh...ay What a lovely day'",
        "  refusal: How many cats? -> 'I can't help with that.'",
    ]
    assert "  the answers are not of the kind asked for: write a reader" in lines[place + 4].text
    assert {line.state for line in lines[place : place + 4]} == {"warning"}
    seldom = replace(tally, holds=18, violated=0, unparsed=2, declined=0, refused=0, unread_cases=2)
    assert not any(text.startswith("UNREAD") for text in texts(result(seldom, None, unread=CHATTY))), "a tenth is none"
    full = shown(result(tally, None, unread=CHATTY))
    assert full[0].startswith("UNREAD: tiny on gqa:DIR: 50 % of 20 cases")


def test_with_too_many_unread_a_gate_says_so() -> None:
    held = Gate(kind="fail-under", threshold=0.7, on="point", met=False, unread=0.5)
    (row,) = (text for text in texts(result(SURE, None, gate=held)) if text.startswith("ours.rule"))
    assert row.split("  ")[-1] == "missed: 50 % unread"


def test_it_has_at_most_thirty_lines_whatever_there_is_to_say() -> None:
    models = [replace(TINY, name=f"a model with a long name, number {number}") for number in range(7)]
    tally = Tally(cases=90, holds=9, violated=1, unparsed=50, errors=10, declined=20, refused=10, unread_cases=60)
    blind = Grounded(cells=GroundedCells(consistent_unchanged=90), interval=(0.0, 0.1))
    found = [
        result(
            tally,
            None,
            item=f"ours.{'very_' * 12}long_name_{number}",
            model=model,
            position=number,
            violation=VIOLATION,
            unread=CHATTY,
            grounded=blind,
        )
        for model in models
        for number in range(9)
    ]
    lines = texts(*found, complete=False)
    assert len(lines) <= LINES
    assert max(map(len, lines)) <= 120
    assert sum("vqamt replay" in line for line in lines) >= 1
    assert sum("ours.very" in line for line in lines) >= 4, "three rows and a violation"
    alone = texts(*(each for each in found if each.model == models[0]))
    assert len(alone) <= LINES
    assert sum("vqamt replay" in line for line in alone) == 3


def test_what_a_model_or_a_case_says_cannot_write_to_the_terminal() -> None:
    evil = replace(
        VIOLATION, reason="got \x1b[31m\nred", queries=(QueryPreview(picture="", text="\x1b[2J", answer="\x07"),)
    )
    lines = texts(result(Tally(cases=2, violated=2), None, violation=evil))
    assert not re.search(r"[\x00-\x1f]", "".join(lines))


def test_an_answer_that_is_given_to_all_questions_is_pointed_out() -> None:
    always = result(Tally(cases=100, holds=50, violated=50), None, readings=Counter({"yes": 190, "no": 10}))
    always = replace(always, data=replace(always.data, scenes=10))
    assert "95 % of all yes/no answers are 'yes'" in texts(always)
    right = replace(always, tally=Tally(cases=100, holds=90, violated=10))
    assert not any("of all yes/no answers" in text for text in texts(right))
    few = replace(always, data=replace(always.data, scenes=9))  # these may well all have the answer yes
    assert not any("of all yes/no answers" in text for text in texts(few))


def test_quiet_has_figures_and_gates_alone() -> None:
    told = [line.text for line in brief_summary(report(result(SURE, None, violation=VIOLATION)))]
    assert told[0] == "tiny on gqa:DIR: 2 violations in 10 cases of 1 relation variant"
    assert len(told) == 4


def test_quiet_tells_of_records_that_were_left_out() -> None:
    made = result(SURE, None)
    for bad, line in (
        (("line 3: broken",), "1 record of the data could not be used and was left out"),
        (("line 3", "line 5"), "2 records of the data could not be used and were left out"),
    ):
        told = brief_summary(report(replace(made, data=replace(made.data, bad_records=bad))))
        assert [(each.text, each.state) for each in told][-1] == (line, "warning")


def test_a_shard_says_once_that_it_has_a_part_of_the_cases() -> None:
    part = report(made.result(), shard="1/2")
    named = "has only some of the cases"
    short = " ".join(line.text.strip() for line in short_summary(part, lambda _result, violation: violation.id))
    brief = " ".join(line.text.strip() for line in brief_summary(part))
    page = made.page(made.result(), shard="1/2")
    for text in (short, brief, " ".join(summary(part, "", in_full=True)), summary_page(part), page):
        assert text.count(named) == 1
    assert named not in summary_page(report(made.result()))
