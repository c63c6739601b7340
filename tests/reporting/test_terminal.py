"""The summary of results made by hand: cases that are presumed have a row of their own."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import pytest

from pytest_vqamt.core.pairs import Pairs, PairTally
from pytest_vqamt.core.results import (
    BaselineUse,
    DataUse,
    Gate,
    ModelUse,
    Presumed,
    RelationResult,
    Report,
    ShownCase,
    ShownQuery,
)
from pytest_vqamt.core.tallies import AlikeTwice, PairedClusters, Tally
from pytest_vqamt.reporting.terminal import summary
from pytest_vqamt.stats.model_ranking import rankings
from pytest_vqamt.stats.paired import change, judged_together

TINY = ModelUse(name="tiny", fingerprint="", tasks=("vqa",))
GQA = DataUse(spec="gqa:DIR", scenes=8, digest="0" * 16)


def presumed(*, readings: tuple[str, ...] = (), gate: Gate | None = None) -> Presumed:
    """Four cases: one holds, two do not, one answer is of the wrong kind."""
    tally = Tally(cases=4, holds=1, violated=2, unparsed=1, vacuous=1)
    return Presumed(tally=tally, breakdown={}, readings=Counter(readings), interval=(0.046, 0.699), gate=gate)


def result(
    tally: Tally, apart: Presumed | None, *, tags: tuple[str, ...] = (), gate: Gate | None = None
) -> RelationResult:
    return RelationResult(
        position=0,
        item="ours.rule",
        version=1,
        claim="All is one.",
        model=TINY,
        data=GQA,
        tags=tags,
        tally=tally,
        scenes_not_applicable=0,
        not_applicable={},
        breakdown={},
        readings=Counter({"yes": 10, "no": 10}),
        interval=(0.490, 0.943),
        gate=gate,
        presumed=apart,
    )


def rows(*results: RelationResult) -> list[list[str]]:
    """The table's rows, cell by cell."""
    lines = shown(*results)
    rule = next(number for number, line in enumerate(lines) if line.startswith("---"))
    return [re.split(r" {2,}", line) for line in lines[rule + 1 : lines.index("", rule)]]


def shown(*results: RelationResult, in_full: bool = False) -> list[str]:
    return list(
        summary(
            Report(
                vqamt_version="0",
                seed=0,
                sampler="random",
                max_cases=14,
                shard="1/1",
                started="",
                duration_s=0.0,
                models=(TINY,),
                data=(GQA,),
                relations=results,
            ),
            in_full=in_full,
        )
    )


SURE = Tally(cases=10, holds=8, violated=2)


def test_presumed_cases_have_a_row_and_a_gate_of_their_own() -> None:
    met = Gate(kind="fail-under", threshold=0.7, on="point", met=True)
    missed = Gate(kind="fail-under", threshold=0.7, on="point", met=False)
    assert rows(result(SURE, presumed(gate=missed), gate=met)) == [
        ["ours.rule", "10", "0.800", "0.490 to 0.943", "0%", "0", "0", "met: >= 0.7"],
        ["ours.rule (presumed)", "4", "0.250", "0.046 to 0.699", "25%", "1", "0", "MISSED: >= 0.7"],
    ]
    assert [row[0] for row in rows(result(SURE, None))] == ["ours.rule"]


def test_where_all_cases_are_presumed_theirs_is_the_only_row() -> None:
    (row,) = rows(result(Tally(), presumed(), tags=("baseline",)))
    assert row == ["ours.rule (baseline, presumed)", "4", "0.250", "0.046 to 0.699", "25%", "1", "0", "-"]


def test_the_answers_to_presumed_cases_count_among_all_answers() -> None:
    # 10 of 20 answers are yes, and with thirty more 40 of 50: the share from which an answer is pointed out.
    assert "ours.rule: 80% of all answers are 'yes'" in shown(result(SURE, presumed(readings=("yes",) * 30)))
    assert not any("of all answers are" in line for line in shown(result(SURE, presumed(readings=("yes",) * 29))))


# Of 100 answers to 50 pairs, 90 are yes; 80 is the share from which an answer is pointed out.
NINETY = Counter({"yes": 90, "no": 10})


def tally_of(*, right: int) -> Pairs:
    """Fifty pairs with so many right answers."""
    return Pairs(tally=PairTally(pairs=50, right_first=min(right, 50), right_second=max(right - 50, 0), yes=90, no=10))


@pytest.mark.parametrize(("right", "told"), [(89, True), (90, False), (100, False)])
def test_an_answer_that_is_right_as_often_as_it_is_given_is_not_pointed_out(right: int, told: bool) -> None:
    one = replace(result(SURE, None), readings=NINETY, pairs=tally_of(right=right))
    assert ("ours.rule: 90% of all answers are 'yes'" in shown(one)) is told


def test_the_presumed_pairs_count_for_that_too() -> None:
    # Of 200 answers 190 are yes. Right are 100 of the sure and 89, or 90, of the presumed.
    for right, told in ((89, True), (90, False)):
        apart = replace(presumed(readings=("yes",) * 100), pairs=tally_of(right=right))
        one = replace(result(SURE, apart), readings=NINETY, pairs=tally_of(right=100))
        assert ("ours.rule: 95% of all answers are 'yes'" in shown(one)) is told


def test_without_pairs_nobody_knows_what_is_right() -> None:
    assert "ours.rule: 90% of all answers are 'yes'" in shown(replace(result(SURE, None), readings=NINETY))


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
        "relation           cases  pass rate   95 % interval  vacuous  unparsed  errors  gate",
        "-----------------  -----  ---------  --------------  -------  --------  ------  ----",
        "ours.window[left]     10      0.800  0.490 to 0.943       0%         0       0     -",
        "",
        "4 relation variants do not apply here: ours.mirror, ours.window[right], ours.tv (pytest -v says why)",
    ]


def test_where_all_are_folded_there_is_no_table() -> None:
    lines = shown(*without_cases(*(f"ours.rule_number_{number}" for number in range(7))))
    assert lines[:5] == [
        "tiny on gqa:DIR (8 scenes)",
        "",
        "7 relation variants do not apply here: ours.rule_number_0, ours.rule_number_1, ours.rule_number_2,",
        "  ours.rule_number_3, ours.rule_number_4, ours.rule_number_5, ours.rule_number_6 (pytest -v says",
        "  why)",
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


def shown_of(*results: RelationResult, **of_report: Any) -> list[str]:
    report = Report(
        vqamt_version="0",
        seed=0,
        sampler="random",
        max_cases=14,
        shard="1/1",
        started="",
        duration_s=0.0,
        models=(TINY,),
        data=(GQA,),
        relations=results,
    )
    return list(summary(replace(report, **of_report)))


def test_waived_cases_are_counted_with_the_reasons_that_were_given() -> None:
    waived = replace(SURE, cases=12, waived=2)
    apart = replace(presumed(), tally=Tally(cases=1, waived=1))
    reasons = tuple((f"{n:016x}", "two dogs overlap" if n < 3 else f"reason {n}") for n in range(9))
    lines = shown_of(result(waived, apart), waived=reasons)
    at = lines.index("3 cases were waived, of the 9 that are listed as invalid:")
    assert lines[at + 1 : at + 7] == [
        "  two dogs overlap (3)",
        "  reason 3 (1)",
        "  reason 4 (1)",
        "  reason 5 (1)",
        "  reason 6 (1)",
        "  and 2 more reasons, all in report.json (--vqamt-report=DIR)",
    ]
    one = shown_of(result(replace(SURE, waived=1), None), waived=reasons[:1])
    assert one[one.index("1 case was waived, of the 1 that are listed as invalid:") + 1] == "  two dogs overlap (1)"
    assert not any("waived, of" in line for line in shown_of(result(SURE, None)))


def test_a_baseline_has_its_table_and_its_gate_is_a_gate() -> None:
    paired = PairedClusters((AlikeTwice(0, 1, 0, 0, 9),))
    [held] = judged_together([change(paired)], 0.1, [True])
    use = BaselineUse(file="base.gz", digest="d", models=(("tiny", "f"),))
    lines = shown_of(replace(result(SURE, None), change=held), baseline=use)
    assert "against the baseline base.gz: tiny (f)" in lines
    assert any(line.startswith("ours.rule") and line.endswith("MISSED: drop <= 0.1") for line in lines)
    assert not any(line.startswith("no gate was set") for line in lines)
    assert any(line.startswith("no gate was set") for line in shown_of(result(SURE, None)))


def test_a_violation_that_a_missed_drop_has_told_of_is_not_told_again() -> None:
    case = ShownCase(id="c", scene="s", queries=(), expected="e", reason="r")
    shown_query = ShownQuery(picture="p", text="Is it?", answer="yes")
    violated = replace(result(SURE, None), violation=replace(case, queries=(shown_query,)))
    paired = PairedClusters((AlikeTwice(0, 1, 0, 0, 9),))
    for max_drop, told in ((0.1, False), (1.0, True)):
        [held] = judged_together([change(paired)], max_drop, [True])
        lines = shown_of(replace(violated, change=held))
        assert any("simplest violation found" in line for line in lines) is told


def test_several_models_are_ranked() -> None:
    other = replace(TINY, name="other")
    worse = replace(result(replace(SURE, holds=5, violated=5), None), model=other)
    results = (result(SURE, None), worse)
    lines = shown_of(*results, models=(TINY, other), ranking=rankings(results))
    at = lines.index("models on gqa:DIR, by their mean pass rate over 1 relation variant")
    assert [line.split()[:2] for line in lines[at + 4 : at + 6]] == [["tiny", "0.800"], ["other", "0.500"]]
