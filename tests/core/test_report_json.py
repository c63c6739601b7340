"""Changes, baselines and clusters survive the way through JSON."""

from __future__ import annotations

import json
import re
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vqamt.core.case import Figure
from pytest_vqamt.core.codec import Json, from_row, replace, to_row
from pytest_vqamt.core.pairs import Pairs, PairTally
from pytest_vqamt.core.report_json import (
    Row,
    change_row,
    difference_row,
    metrics_row,
    relation_row,
    report_from_row,
    report_row,
)
from pytest_vqamt.core.report_rows import SCHEMA
from pytest_vqamt.core.results import (
    BaselineChange,
    BaselineTotal,
    BaselineUse,
    Coverage,
    DataUse,
    GapToFirst,
    Gate,
    HumanReference,
    JudgedCases,
    ModelDifference,
    ModelUse,
    Noise,
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
    CalibrationBin,
    Clusters,
    GradedCases,
    PairedClusters,
    PairedSceneTally,
    RepeatedCases,
    SceneTally,
    Tally,
    TrialTally,
    UnreadCount,
    UnreadExample,
)

count = st.integers(min_value=0, max_value=10**9)
clusters = st.builds(Clusters, st.lists(st.builds(SceneTally, count, count, count)).map(tuple))
paired = st.builds(PairedClusters, st.lists(st.builds(PairedSceneTally, count, count, count, count, count)).map(tuple))
rate = st.floats(min_value=0, max_value=1)
gates = st.builds(Gate, kind=st.just("max-drop"), threshold=rate, on=st.just("holm"), met=st.booleans())
changes = st.builds(
    BaselineChange,
    paired=paired,
    interval=st.tuples(rate, rate),
    p=rate,
    p_two_sided=rate,
    p_mcnemar=rate,
    p_holm=st.none() | rate,
    gate=st.none() | gates,
    version_before=count,
    other_judgement=count,
)


def test_a_change_tells_its_rates_and_counts() -> None:
    # Two scenes with a case that was lost each, and one with a case of each other kind.
    made = BaselineChange(
        paired=PairedClusters((PairedSceneTally(0, 1, 0, 0, 2), PairedSceneTally(1, 0, 1, 1, 1))),
        interval=(-1.0, 0.2),
        p=0.5,
        p_two_sided=1.0,
        p_mcnemar=0.25,
    )
    row = change_row(made)
    assert row is not None
    assert {name: row[name] for name in ("shared", "kept", "lost", "won", "neither")} == {
        "shared": 5, "kept": 1, "lost": 2, "won": 1, "neither": 1
    }  # fmt: skip
    assert (row["before"], row["after"], row["difference"]) == (0.6, 0.4, -0.2)
    assert (row["p_holm"], row["gate"]) == (None, None)


# Ten pairs: seven right first answers, five right second ones, four of them in the same pair.
TALLY = PairTally(
    pairs=10, right_first=7, right_second=5, both_right=4, consistent=8, consistent_authors=9, both_right_authors=6,
    yes=12, no=3, other=1,
)  # fmt: skip
PAIRS = Pairs(
    tally=TALLY, by={"answers": {"choices": PairTally(pairs=2), "binary": TALLY}}, right=0b1000_1011, unanswered=4
)
HUMAN = HumanReference(cons=0.966, acc=0.8615)


def as_json(row: Row) -> Row:
    again: Row = json.loads(json.dumps(row))
    return again


METRICS = as_json(metrics_row(PAIRS, HUMAN))


def test_the_rates_and_the_counts_behind_them() -> None:
    row = as_json(metrics_row(PAIRS, HUMAN))
    rates: Row = {
        "pairs": 10, "acc": 0.6, "acc_original": 0.7, "acc_perturbed": 0.5, "cons": 0.8, "c_acc": 0.4,
        "cons_authors": 0.9, "c_acc_authors": 0.6, "answers": {"yes": 0.75, "no": 0.1875, "other": 0.0625},
    }  # fmt: skip
    assert {name: row[name] for name in rates} == rates
    people: Row = {"acc": 0.8615, "acc_original": None, "acc_perturbed": None, "cons": 0.966, "c_acc": None}
    assert row["reference"] == people
    assert (row["right"], row["unanswered"]) == ("8b", "4")
    by = row["by"]
    assert isinstance(by, dict)
    assert isinstance(by["answers"], dict)
    assert list(by["answers"]) == ["binary", "choices"]
    choices = by["answers"]["choices"]
    assert isinstance(choices, dict)
    assert (choices["acc"], choices["cons"], choices["answers"]) == (0.0, 0.0, None)
    nothing = metrics_row(Pairs(), None)
    assert {nothing[name] for name in ("acc", "acc_original", "acc_perturbed", "cons", "c_acc", "cons_authors")} == {
        None
    }


def test_a_relation_that_feeds_no_pairs_has_no_metrics() -> None:
    assert metrics_row(None, HUMAN) == {}


def test_a_row_of_coverage() -> None:
    coverage = Coverage(
        test="carets.order", data="pictures:500", presumed=False, models=("a", "b"), right=(4, 0),
        shares=((1.0, None), (0.0, None)),
    )  # fmt: skip
    wanted: Row = {
        "test": "carets.order", "data": "pictures:500", "presumed": False, "models": ["a", "b"], "right": [4, 0],
        "shares": [[1.0, None], [0.0, None]],
    }  # fmt: skip
    assert as_json(to_row(coverage)) == wanted


RANKING = Ranking(
    data="pictures:500",
    kind=RankingKind.BASELINE,
    items=("a.b[c]", "d.e"),
    places=(
        RankedModel(model="good", mean=0.75, interval=(0.5, 0.9), best_in=2),
        RankedModel(
            model="bad",
            mean=0.5,
            interval=None,
            best_in=0,
            behind=GapToFirst(difference=-0.25, interval=(-0.5, 0.1), p=0.2),
        ),
    ),
)
DIFFERENCE = ModelDifference(
    item="a.b[c]",
    data="pictures:500",
    presumed=True,
    models=("good", "bad"),
    paired=PairedClusters((PairedSceneTally(1, 2, 0, 1, 5),)),
    interval=(-0.6, -0.2),
    p=0.001,
    p_holm=None,
)


def test_a_difference_tells_its_counts_and_rates() -> None:
    row = as_json(to_row(difference_row(DIFFERENCE)))
    assert [row[name] for name in ("shared", "both", "first_only", "second_only", "neither")] == [20, 5, 10, 0, 5]
    assert (row["pass_rates"], row["difference"]) == ([0.75, 0.25], -0.5)


PAIRED = PairedClusters((PairedSceneTally(0, 1, 0, 0, 2), PairedSceneTally(2, 0, 1, 1, 1)))
CHANGE = BaselineChange(
    paired=PAIRED,
    interval=(-0.6, 0.3),
    p=0.5,
    p_two_sided=1.0,
    p_holm=0.75,
    gate=Gate(kind="max-drop", threshold=0.05, on="holm", met=True),
    version_before=3,
    other_judgement=1,
)
TOTAL = BaselineTotal(model="tiny", data="gqa:DIR", change=replace(CHANGE, gate=None, p_holm=None))
RESULT = RelationResult(
    position=3,
    item="metavqa.partition[object]",
    version=2,
    claim="The count of two groups together equals the sum of their counts.",
    model=ModelUse(
        name="tiny",
        fingerprint="abc",
        tasks=("vqa", "captioning"),
        queries_needed=41,
        queries_asked=30,
        queries_cached=4,
        busy_s=1.5,
        items_s=6.25,
        usage=(("tokens in", 7.0),),
    ),
    data=DataUse(spec="pictures:500", scenes=500, digest="d" * 16, bad_records=("photos.jsonl:7: no box",)),
    tags=("presumed",),
    tally=Tally(cases=10, holds=5, violated=2, unparsed=1, errors=1, waived=1, vacuous=2, truncated=3),
    scenes_not_applicable=7,
    not_applicable={"no two kinds of things have surely no thing in common": 7},
    breakdown={"present_groups": {"2": Tally(cases=6, holds=4, violated=2), "0": Tally(cases=2, holds=1, unparsed=1)}},
    readings=Counter({"yes": 12, "unparsed": 1}),
    interval=(0.3057, 0.8632),
    gate=Gate(kind="fail-under", threshold=0.8, on="point", met=False),
    clusters=Clusters((SceneTally(0, 1, 3), SceneTally(1, 1, 3), SceneTally(2, 2, 1))),
    paired=PAIRED,
    change=CHANGE,
    judged=JudgedCases(bytearray(range(34))),
    error="out of memory",
    violation=ViolationPreview(
        id="0123456789abcdef",
        scene="pictures-0-7",
        queries=(QueryPreview(picture="pictures-0-7", text="How many dogs?", answer="3", edits="erased (white)"),),
        expected="first = second + third",
        reason="expected 1 + 1 = 2, but got 3, 1, 1",
    ),
    presumed=StratumResult(
        tally=Tally(cases=2, holds=1, violated=1),
        breakdown={"shape": {"one name": Tally(cases=2, holds=1, violated=1)}},
        readings=Counter({"no": 4}),
        readings_sample=7,
        interval=(0.0945, 0.9055),
        gate=Gate(kind="fail-under", threshold=0.4, on="point", met=True),
        pairs=Pairs(tally=PairTally(pairs=2, right_first=1), unanswered=1),
        figures={"clean": Figure.of(0.3)},
        clusters=Clusters((SceneTally(1, 2, 1),)),
        paired=PairedClusters((PairedSceneTally(0, 0, 1, 1, 1),)),
        change=replace(CHANGE, paired=PairedClusters((PairedSceneTally(0, 0, 1, 1, 1),)), p_holm=None, gate=None),
    ),
    pairs=Pairs(
        tally=PairTally(pairs=8, right_first=5, both_right=3, yes=9),
        by={"truth": {"yes": PairTally(pairs=3, both_right=3)}},
        right=0b1011_0000,
    ),
    reference=HumanReference(cons=0.885, acc=0.7825),
    figures={"clean": Figure.of(0.1) + Figure.of(0.2), "omission": Figure.of(0.0)},
    repeated=RepeatedCases((TrialTally(0, 5, 3), TrialTally(5, 5, 5)), Figure(8, 250_000)),
    graded=GradedCases(Figure.of(0.9), Figure.of(0.5), 1, (CalibrationBin(3, 2, 150_000),) * 10),
    noise=Noise(expected=0.125, explains=True),
)
BARE = replace(
    RESULT,
    position=0,
    tags=(),
    tally=Tally(),
    not_applicable={},
    breakdown={},
    readings=Counter(),
    interval=(0.0, 1.0),
    gate=None,
    error="",
    violation=None,
    presumed=None,
    pairs=None,
    reference=None,
    clusters=Clusters(),
    paired=None,
    change=None,
    judged=None,
    repeated=None,
    graded=None,
    noise=None,
)
COVERAGE = Coverage(
    test="carets.order", data="pictures:500", presumed=False, models=("tiny", "oracle"), right=(0, 1), shares=((None,),)
)
REPORT = Report(
    vqamt_version="0.1.0",
    seed=7,
    sampler="random",
    max_cases=100,
    shard="1/1",
    started="2026-01-01T00:00:00+00:00",
    duration_s=1.23456,
    models=(RESULT.model,),
    data=(RESULT.data,),
    relations=(BARE, RESULT),
    coverage=(COVERAGE,),
    baseline=BaselineUse(
        file="blessed.gz",
        digest="b" * 16,
        models=(("tiny", "old"),),
        missing=("a.b",),
        totals=(TOTAL,),
        accuracy=(TOTAL,),
        max_drop={"*": 0.1, "all-relations": 0.05},
    ),
    waived=(("0123456789abcdef", "two dogs overlap"),),
    repeats=5,
)


@pytest.mark.parametrize("result", [RESULT, BARE], ids=["full", "bare"])
def test_a_result_that_a_worker_hands_over_comes_back_equal(result: RelationResult) -> None:
    again = from_row(as_json(to_row(result)), RelationResult)
    assert again == result
    assert isinstance(again.readings, Counter)


def read(**fields: object) -> Report:
    """Reads a report with these fields of its results in place of those that they have."""
    row = as_json(report_row(replace(REPORT, ranking=(RANKING,), differences=(DIFFERENCE,))))
    relations: list[Row] = row["relations"]  # type: ignore[assignment]  # JSON
    relations[1] |= fields  # type: ignore[arg-type]  # JSON
    return report_from_row(row)


def test_a_report_comes_back_but_for_what_it_has_not() -> None:
    again = read()
    left_out = {"error": "", "violation": None, "paired": None, "judged": None}
    assert RESULT.presumed is not None
    result = replace(RESULT, **left_out, position=1, presumed=replace(RESULT.presumed, paired=None))
    assert again.relations == (replace(BARE, position=0), result)
    assert isinstance(again.relations[1].readings, Counter)
    assert again == replace(
        REPORT,
        duration_s=1.235,
        relations=again.relations,
        coverage=(),
        ranking=(RANKING,),
        differences=(DIFFERENCE,),
    )


@given(change=st.none() | changes, clusters=clusters)
def test_changes_and_clusters_come_back(change: BaselineChange | None, clusters: Clusters) -> None:
    result = replace(RESULT, change=change, clusters=clusters)
    again = report_from_row(as_json(report_row(replace(REPORT, relations=(result,))))).relations[0]
    assert (again.change, again.clusters) == (change, clusters)


def test_pairs_come_back() -> None:
    for pairs in (PAIRS, Pairs()):
        result = replace(RESULT, pairs=pairs, reference=HUMAN)
        again = report_from_row(as_json(report_row(replace(REPORT, relations=(result,))))).relations[0]
        assert (again.pairs, again.reference) == (pairs, HUMAN)


DERIVED = {"pass_rate", "unread_rate", "readable_pass_rate", "scenes"}


@pytest.mark.parametrize("field", sorted(relation_row(RESULT).keys() - DERIVED))
def test_a_result_that_is_not_whole_is_refused(field: str) -> None:
    row = as_json(report_row(REPORT))
    relations: list[Row] = row["relations"]  # type: ignore[assignment]  # JSON
    del relations[1][field]
    with pytest.raises(ValueError, match=rf"relations\[1\] has no {field}"):
        report_from_row(row)


@pytest.mark.parametrize(
    ("field", "value", "wrong"),
    [
        ("cases", "ten", "expected a whole number as relations[1].cases, but got a text"),
        ("cases", 1.5, "expected a whole number as relations[1].cases, but got a number"),
        ("version", None, "expected a whole number as relations[1].version, but got null"),
        ("interval", [], "expected a list of 2 as relations[1].interval, but got one of 0"),
        ("interval", None, "expected a list as relations[1].interval, but got null"),
        ("model", None, "expected a text as relations[1].model, but got null"),
        ("model", "another", "relations[1].model is 'another', which the report does not list"),
        ("gate", "met", "expected an object or null as relations[1].gate, but got a text"),
        ("breakdown", ["present_groups"], "expected an object as relations[1].breakdown, but got a list"),
        ("metrics", {"pairs": 3}, "relations[1].metrics has no acc"),
        ("metrics", [3], "expected an object as relations[1].metrics, but got a list"),
        ("metrics", METRICS | {"counts": {"pairs": 1.5}}, "a whole number as relations[1].metrics.counts.pairs, but"),
        ("metrics", METRICS | {"right": "xyz"}, "relations[1].metrics.right is 'xyz', which is no hexadecimal number"),
        ("metrics", METRICS | {"right": 7}, "expected a text as relations[1].metrics.right, but got a whole number"),
        ("clusters", [[1, 2]], "expected a list of 3 as relations[1].clusters[0], but got one of 2"),
        ("change", {"p": 0.5}, "relations[1].change has no shared"),
    ],
)
def test_a_field_of_another_type_is_refused(field: str, value: Json, wrong: str) -> None:
    with pytest.raises(ValueError, match=re.escape(wrong)):
        read(**{field: value})


def test_the_report_has_every_field_that_others_read() -> None:
    row = as_json(report_row(REPORT))
    assert row["schema"] == SCHEMA == 1
    assert {"schema", "vqamt_version", "seed", "started", "duration_s", "models", "data", "relations"} <= row.keys()
    assert row["models"] == [
        {
            "name": "tiny",
            "kind": "",
            "fingerprint": "abc",
            "tasks": ["vqa", "captioning"],
            "queries_needed": 41,
            "queries_asked": 30,
            "queries_cached": 4,
            "queries_saved": 7,
            "busy_s": 1.5,
            "items_s": 6.25,
            "usage": {"tokens in": 7.0},
        }
    ]
    assert row["data"] == [
        {
            "spec": "pictures:500",
            "scenes": 500,
            "digest": "d" * 16,
            "bad_records": ["photos.jsonl:7: no box"],
            "given": "",
        }
    ]
    assert row["duration_s"] == 1.235
    assert row["relations"] == [as_json(relation_row(BARE)), as_json(relation_row(RESULT))]
    assert row["baseline"] == {
        "file": "blessed.gz",
        "digest": "b" * 16,
        "models": [{"name": "tiny", "fingerprint": "old"}],
        "answered_by": [],
        "missing": ["a.b"],
        "new": [],
        "totals": [{"model": "tiny", "data": "gqa:DIR", "change": as_json({"of": change_row(TOTAL.change)})["of"]}],
        "accuracy": [{"model": "tiny", "data": "gqa:DIR", "change": as_json({"of": change_row(TOTAL.change)})["of"]}],
        "max_drop": {"*": 0.1, "all-relations": 0.05},
    }
    assert row["waived"] == [{"case_id": "0123456789abcdef", "reason": "two dogs overlap"}]
    assert (row["ranking"], row["differences"]) == ([], [])
    assert isinstance(row["coverage"], list)
    assert [isinstance(each, dict) and each["models"] for each in row["coverage"]] == [["tiny", "oracle"]]


def test_a_relation_has_every_field_that_others_read() -> None:
    row = as_json(relation_row(RESULT))
    promised: Row = {
        "id": "metavqa.partition[object]", "version": 2, "model": "tiny", "data": "pictures:500", "tags": ["presumed"],
        "cases": 10, "holds": 5, "violated": 2, "unparsed": 1, "errors": 1, "waived": 1, "vacuous": 2,
        "scenes_not_applicable": 7, "pass_rate": 0.625, "interval": [0.3057, 0.8632],
        "metrics": as_json(metrics_row(RESULT.pairs, RESULT.reference)),
        "scenes": 7, "clusters": [[0, 1, 3], [1, 1, 3], [2, 2, 1]],
    }  # fmt: skip
    assert {name: row[name] for name in promised} == promised
    assert row["gate"] == {
        "kind": "fail-under",
        "threshold": 0.8,
        "met": False,
        "on": "point",
        "unread": None,
        "uncertain": False,
        "dropped": False,
    }
    assert isinstance(row["breakdown"], dict)
    assert row["breakdown"].keys() == {"present_groups"}


def test_presumed_cases_have_a_place_of_their_own() -> None:
    row = as_json(relation_row(RESULT))
    counts: Row = {"cases": 2, "holds": 1, "violated": 1}
    none = ("unparsed", "errors", "waived", "vacuous", "truncated", "declined", "refused", "flaky")
    counts |= dict.fromkeys((*none, "unread_cases", "unread_holds"), 0)
    gate: Row = {"kind": "fail-under", "threshold": 0.4, "on": "point", "met": True, "unread": None, "uncertain": False}
    gate["dropped"] = False
    breakdown: Row = {"shape": {"one name": counts}}
    rest: Row = {"unread_rate": 0.0, "readable_pass_rate": 0.5}
    rest |= {"pass_rate": 0.5, "interval": [0.0945, 0.9055], "gate": gate, "readings": {"no": 4}}
    rest |= {"readings_sample": 7, "unread": {}, "unknown_words": {}, "repeated": None, "graded": None, "noise": None}
    assert RESULT.presumed is not None
    rest |= {"scenes": 1, "clusters": [[1, 2, 1]], "change": as_json({"of": change_row(RESULT.presumed.change)})["of"]}
    metrics = as_json(metrics_row(RESULT.presumed.pairs, RESULT.reference))
    figures: Row = {"clean": {"cases": 1, "sum": 0.3, "mean": 0.3}}
    assert row["presumed"] == counts | rest | {"breakdown": breakdown, "metrics": metrics, "figures": figures}
    assert (relation_row(BARE)["presumed"], relation_row(BARE)["metrics"]) == (None, {})


def test_nothing_judged_has_no_pass_rate_and_no_demand_no_gate() -> None:
    row = relation_row(BARE)
    assert (row["pass_rate"], row["gate"]) == (None, None)


def test_what_was_found_in_another_order_gives_the_same_row() -> None:
    turned = replace(
        RESULT,
        readings=Counter({"unparsed": 1, "yes": 12}),
        breakdown={"present_groups": dict(reversed(RESULT.breakdown["present_groups"].items()))},
    )
    assert json.dumps(relation_row(turned)) == json.dumps(relation_row(RESULT))


def test_what_only_people_see_and_what_cases_jsonl_has_is_no_part_of_the_report() -> None:
    assert relation_row(RESULT) == relation_row(replace(RESULT, violation=None, error="", position=9, judged=None))


def test_what_is_demanded_of_drops_is_told_of_the_cases_and_of_the_presumed_ones() -> None:
    assert RESULT.changes == (RESULT.change, RESULT.presumed and RESULT.presumed.change)
    assert RESULT.drop_gates == (CHANGE.gate,)
    assert (BARE.changes, BARE.drop_gates) == ((), ())


def test_examples_of_unread_answers_come_back() -> None:
    unread = {"refusal": UnreadCount(2, 1, UnreadExample("a", "How many?", "I can't.")), "cut off": UnreadCount(1, 0)}
    again = report_from_row(as_json(report_row(replace(REPORT, relations=(replace(RESULT, unread=unread),)))))
    assert again.relations[0].unread == unread
