"""Two runs are compared on the cases that both have judged, paired by their ids."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from pytest_vqamt.core.errors import DataError, OptionError
from pytest_vqamt.core.results import Gate, ModelUse, Undecided
from pytest_vqamt.core.tallies import PairedClusters, PairedSceneTally
from pytest_vqamt.reporting.blessing import bless
from pytest_vqamt.reporting.compare.comparison import ComparedItem, Comparison, Conclusion, compare
from pytest_vqamt.reporting.compare.runs import open_report_run, open_run
from pytest_vqamt.stats.conclude import differences
from pytest_vqamt.stats.paired import change_of, with_holm_gates
from tests.reporting.comparing import RULE, Made, case_id, write_run
from tests.reporting.running import run_into
from tests.stats.judging import result


def compared(
    tmp_path: Path, before: Made | tuple[Made, ...], after: Made | tuple[Made, ...], **options: Any
) -> Comparison:
    """The comparison of two runs of these items."""
    sides = []
    for name, made in (("old", before), ("new", after)):
        write_run(tmp_path / name, *(made if isinstance(made, tuple) else (made,)))
        sides.append(open_report_run(tmp_path / name))
    return compare(*sides, **options)


def only(comparison: Comparison) -> ComparedItem:
    [item] = comparison.items
    return item


def test_every_case_is_counted_in_one_place(tmp_path: Path) -> None:
    #          kept, lost, lost, won, neither; then an error or a waiver in either; then only in one.
    before = Made(verdicts="+++--" + "!+w+" + "++ ", scenes="aabbcdddddde")
    after = Made(verdicts="+-?+-" + "+!+w" + "  -", scenes="aabbcdddddde")
    found = only(compared(tmp_path, before, after))
    assert found.change.paired == PairedClusters(
        (PairedSceneTally(0, 0, 0, 1, 1), PairedSceneTally(0, 1, 1, 0, 1), PairedSceneTally(1, 1, 0, 0, 1))
    )
    assert (found.unjudged, found.only_before, found.only_after) == (4, 2, 1)
    assert (found.regressions, found.fixes) == ((case_id(1), case_id(2)), (case_id(3),))


def brute(folder: Path) -> Mapping[tuple[str, str], dict[str, Any]]:
    rows = map(json.loads, (folder / "cases.jsonl").read_text().splitlines())
    return {(row["relation"], row["case_id"]): row for row in rows}


def test_real_runs_give_what_two_dictionaries_give(tmp_path: Path) -> None:
    for name, model, cases in (("old", "oracle", 25), ("new", "fault:order-sensitive", 30)):
        run_into(tmp_path / name, model=model, max_cases=cases)
    found = compare(*(open_report_run(tmp_path / name) for name in ("old", "new")))
    before, after = brute(tmp_path / "old"), brute(tmp_path / "new")
    assert len(before.keys() & after.keys()) == 75
    for item in found.items:
        both = [(before[key], after[key]) for key in sorted(before.keys() & after.keys()) if key[0] == item.item]
        broke = [new["case_id"] for old, new in both if old["verdict"] == "holds" != new["verdict"]]
        assert list(item.regressions) == broke
        assert (item.change.paired.shared, item.change.paired.first_only) == (len(both), len(broke))
        assert (item.only_before, item.only_after) == (0, 5)
    assert [len(item.regressions) > 3 for item in found.items] == [True, True, False]


def test_the_items_are_judged_together_as_those_of_a_gated_run_are(tmp_path: Path) -> None:
    items = {"ours.a": ("+" * 9, "-" * 9), "ours.b": ("+" * 9, "-----++++"), "ours.c": ("+" * 9, "+" * 9)}
    made = [tuple(Made(item=item, verdicts=each[run]) for item, each in items.items()) for run in (0, 1)]
    found = compared(tmp_path, *made, max_drop={"*": 0.3}).items
    plain = [change_of(each.change.paired) for each in found]
    assert tuple(each.change for each in found) == with_holm_gates(plain, [0.3] * 3, families=2)
    # Nine of nine: 3 x 2^-9; five of five: 2 x 2^-5. All twice, as all together have a gate, too.
    assert [each.change.p_holm for each in found] == pytest.approx([6 / 512, 4 / 32, 1])
    assert [each.change.gate and each.change.gate.met for each in found] == [False, True, True]
    assert [each.standing for each in found] == [Conclusion.WORSE, Conclusion.UNCERTAIN, Conclusion.UNCHANGED]


def test_without_a_demand_there_is_no_gate_but_what_is_sure_is_said(tmp_path: Path) -> None:
    items = {"ours.a": ("+" * 9, "-" * 9), "ours.b": ("-" * 9, "+" * 9), "ours.c": ("++", "+-")}
    made = [tuple(Made(item=item, verdicts=each[run]) for item, each in items.items()) for run in (0, 1)]
    found = compared(tmp_path, *made)
    assert [each.standing for each in found.items] == [Conclusion.WORSE, Conclusion.BETTER, Conclusion.UNCERTAIN]
    assert [each.p_gain for each in found.items] == pytest.approx([1, 3 / 512, 1])
    assert (found.missed, [each.change.gate for each in found.items]) == ((), [None] * 3)


def test_no_worse_is_said_where_the_interval_lies_above_what_is_allowed(tmp_path: Path) -> None:
    before, after = Made(verdicts="+" * 200), Made(verdicts="-" + "+" * 199)
    assert only(compared(tmp_path, before, after, max_drop={"*": 0.1})).standing is Conclusion.NO_WORSE
    assert only(compared(tmp_path, before, after, max_drop={"*": 0.01})).standing is Conclusion.UNCERTAIN


def test_what_cannot_be_read_misses_the_gate_and_is_noted(tmp_path: Path) -> None:
    before, after = Made(verdicts="+" * 9 + "?"), Made(verdicts="+" * 7 + "???")
    found = compared(tmp_path, before, after, max_drop={"*": 0.8})
    assert only(found).unread == (0.1, 0.3)
    assert only(found).change.gate == Gate(kind="max-drop", threshold=0.8, on="holm", met=False, unread=0.3)
    assert "cases with an answer that could not be read: ours.rule (10 % before, 30 % now)" in found.notes
    allowed = compared(tmp_path, before, after, max_drop={"*": 0.8}, max_unread=0.3)
    assert only(allowed).change.gate == Gate(kind="max-drop", threshold=0.8, on="holm", met=True)


def test_what_cannot_fall_so_far_has_no_gate(tmp_path: Path) -> None:
    found = compared(tmp_path, Made(verdicts="+" * 9 + "-"), Made(verdicts="-" * 10), max_drop={"*": 0.9})
    assert (only(found).change.gate, found.fails) == (None, False)


@pytest.mark.parametrize("tags", [("control",), ("baseline",)])
def test_controls_and_baselines_are_shown_and_never_gated(tmp_path: Path, tags: tuple[str, ...]) -> None:
    found = compared(
        tmp_path,
        (Made(verdicts="+" * 9, item="ours.apart", tags=tags), Made(verdicts="+" * 9)),
        (Made(verdicts="-" * 9, item="ours.apart", tags=tags), Made(verdicts="-" * 9)),
        max_drop={"*": 0.1},
    )
    apart, rule = found.items
    assert (apart.change.gate, apart.change.p_holm, apart.p_gain) == (None, None, None)
    assert (apart.standing, apart.change.p) == (Conclusion.WORSE, 1 / 512)
    assert rule.change.p_holm == 1 / 512
    assert found.missed == (rule,)


def test_presumed_cases_have_a_row_of_their_own_and_are_not_gated(tmp_path: Path) -> None:
    found = compared(
        tmp_path,
        Made(verdicts="+" * 12, presumed=range(3, 12)),
        Made(verdicts="+++" + "-" * 9, presumed=range(3, 12)),
        max_drop={"*": 0.1},
    )
    sure, presumed = found.items
    assert [(each.presumed, each.change.paired.shared) for each in found.items] == [(False, 3), (True, 9)]
    assert sure.change.gate == Gate(kind="max-drop", threshold=0.1, on="holm", met=True, uncertain=True)
    assert (presumed.change.gate, presumed.standing) == (None, Conclusion.WORSE)


def test_items_that_only_one_run_has_are_named(tmp_path: Path) -> None:
    found = compared(
        tmp_path,
        (Made(verdicts="+", item="ours.gone"), Made(verdicts="+"), Made(verdicts="", item="ours.no_case")),
        (Made(verdicts="+"), Made(verdicts="+", item="ours.new")),
    )
    assert (found.only_before, found.only_after) == (("ours.gone-tiny-pictures:9",), ("ours.new-tiny-pictures:9",))
    assert [each.item for each in found.items] == [RULE]


def test_the_total_is_over_all_gated_items_by_scene(tmp_path: Path) -> None:
    names = "ours.a", "ours.b", "control.c"
    tags = {"control.c": ("control",)}
    before = tuple(Made(verdicts="+++++", scenes="abcde", item=each, tags=tags.get(each, ())) for each in names)
    after = tuple(Made(verdicts="-----", scenes="abcde", item=each, tags=tags.get(each, ())) for each in names)
    found = compared(tmp_path, before, after, max_drop={"*": 0.1})
    (total,) = found.totals
    # Five scenes that lose two cases each.
    assert (total.change.paired.shared, total.change.paired.scenes, total.change.p) == (10, 5, 2**-5)
    # The gate is the only one of its kind, and has half of the significance level: 2 x 2^-5 is no proof.
    assert (total.standing, total.change.p_holm) == (Conclusion.UNCERTAIN, 2 * 2**-5)
    assert total.change.gate == Gate(kind="max-drop", threshold=0.1, on="holm", met=True, uncertain=True)
    assert not any("total" in each.item for each in found.missed)
    assert not found.fails
    again = compare(
        *(open_report_run(tmp_path / name) for name in ("old", "new")), max_drop={"*": 0.1}, undecided=Undecided.FAIL
    )
    assert again.fails


def test_all_together_may_fail_where_no_item_does(tmp_path: Path) -> None:
    # Of each item four scenes of four break: 2 x 2 x 2^-4 at best. Together it is eight scenes: 2 x 2^-8.
    names = {"ours.a": "abcd", "ours.b": "efgh"}
    before = tuple(Made(verdicts="++++", scenes=scenes, item=each) for each, scenes in names.items())
    after = tuple(Made(verdicts="----", scenes=scenes, item=each) for each, scenes in names.items())
    found = compared(tmp_path, before, after, max_drop={"*": 0.1})
    (total,) = found.totals
    assert total.change.p_holm == pytest.approx(2 * 2**-8)
    assert (found.missed, found.fails, total.standing) == ((), True, Conclusion.WORSE)


def test_two_models_are_compared_as_in_the_run_of_both(tmp_path: Path) -> None:
    items = {"ours.a": ("+" * 9, "-" * 8 + "+"), "ours.b": ("+++------", "++++-----")}
    both = tuple(
        Made(item=item, verdicts=verdicts[place], model=model)
        for place, model in enumerate(("first", "second"))
        for item, verdicts in items.items()
    )
    folder = write_run(tmp_path / "both", *both)
    run = open_report_run(folder)
    found = compare(run, run, models=("first", "second"))
    assert found.two_sided
    # Eight scenes of one sign: 2 x 2^-8, and of two items the smaller p-value counts twice.
    assert [each.change.p_holm for each in found.items] == [pytest.approx(4 / 256), 1.0]
    assert [each.standing for each in found.items] == [Conclusion.WORSE, Conclusion.UNCERTAIN]
    results = [
        result(
            item,
            model,
            {case_id(n): (f"scene {n}", letter == "+") for n, letter in enumerate(verdicts[place])},
            data="pictures:9",
        )
        for place, model in enumerate(("first", "second"))
        for item, verdicts in items.items()
    ]
    for each, of_run in zip(found.items, differences(results), strict=True):
        change = each.change
        assert (of_run.item, of_run.paired, of_run.interval) == (each.item, change.paired, change.interval)
        assert (of_run.p, of_run.p_holm) == (change.p_two_sided, change.p_holm)
    swapped = compare(run, run, models=("second", "first"))
    assert [each.change.p_holm for each in swapped.items] == [each.change.p_holm for each in found.items]
    assert [each.standing for each in swapped.items] == [Conclusion.BETTER, Conclusion.UNCERTAIN]
    assert not compare(run, run, models=("first", "second"), max_drop={"*": 0.1}).two_sided, "a gate asks for a drop"


def test_the_order_of_the_items_may_be_another_one(tmp_path: Path) -> None:
    first, second = Made(verdicts="+-", item="ours.a"), Made(verdicts="--+", item="ours.b")
    found = compared(tmp_path, (first, second), (second, first))
    assert [(each.item, each.change.paired.shared, each.standing) for each in found.items] == [
        ("ours.b", 3, Conclusion.UNCHANGED),
        ("ours.a", 2, Conclusion.UNCHANGED),
    ]


def test_data_is_found_by_its_content_where_it_lies_elsewhere(tmp_path: Path) -> None:
    old = write_run(tmp_path / "old", Made(verdicts="+", data="coco:/old"), digests={"coco:/old": "a"})
    new = write_run(tmp_path / "new", Made(verdicts="-", data="coco:/new"), digests={"coco:/new": "a"})
    found = compare(open_report_run(old), open_report_run(new))
    assert only(found).data == ("coco:/old", "coco:/new")
    assert "coco:/old is coco:/new now, with the same content" in found.notes
    other = write_run(tmp_path / "other", Made(verdicts="-", data="coco:/new"), digests={"coco:/new": "b"})
    with pytest.raises(DataError, match="none: their data are coco:/old and coco:/new; run both on the same data"):
        compare(open_report_run(old), open_report_run(other))


def test_models_are_the_only_ones_or_those_of_one_name_or_those_that_are_named(tmp_path: Path) -> None:
    one = write_run(tmp_path / "one", Made(verdicts="+", model="a"))
    other = write_run(tmp_path / "other", Made(verdicts="-", model="b"))
    two = write_run(tmp_path / "two", Made(verdicts="+", model="b"), Made(verdicts="-", model="c"))
    assert only(compare(open_report_run(one), open_report_run(other))).models == ("a", "b")
    found = compare(open_report_run(other), open_report_run(two))
    assert only(found).models == ("b", "b")
    assert f"{two} has models that are not compared: c" in found.notes
    within = compare(open_report_run(two), open_report_run(two), models=("b", "c"))
    assert (only(within).models, only(within).regressions) == (("b", "c"), (case_id(0),))
    with pytest.raises(OptionError, match=r"has a and .* has b, c: name one of each with --models OLD NEW"):
        compare(open_report_run(one), open_report_run(two))
    with pytest.raises(OptionError, match=r"Expected --models to name a model of .*two, but got 'd'; known: b, c"):
        compare(open_report_run(one), open_report_run(two), models=("a", "d"))


def test_several_models_of_the_same_names_are_compared_each_with_itself(tmp_path: Path) -> None:
    made = (Made(verdicts="+", model="a"), Made(verdicts="-", model="b"))
    found = compared(tmp_path, made, tuple(reversed(made)))
    assert [(each.models, each.standing) for each in found.items] == [
        (("b", "b"), Conclusion.UNCHANGED),
        (("a", "a"), Conclusion.UNCHANGED),
    ]


def test_what_else_differs_is_noted(tmp_path: Path) -> None:
    old = write_run(
        tmp_path / "old", Made(verdicts="++"), settings=(("erase", "white"),), shard="1/2", digests={"pictures:9": "1"}
    )
    new = write_run(
        tmp_path / "new",
        Made(verdicts="+-", version=2, answers={1: "answer +"}),
        vqamt_version="1.3.0",
        seed=7,
        settings=(("erase", "mean"), ("pool", "x")),
        complete=False,
        digests={"pictures:9": "2"},
    )
    assert compare(open_report_run(old), open_report_run(new)).notes == (
        f"{old} is shard 1/2 of a run: `vqamt merge` puts the shards together",
        f"{new} is not complete: an item could not be run, or the session was stopped",
        "tiny has the same fingerprint in both runs: differences have another cause, or the model is not deterministic",
        "pytest-vqamt was 1.2.3 and is 1.3.0",
        "the content of pictures:9 has changed: only cases with the same pictures are compared",
        "the seed was 0 and is 7: the runs may have few cases in common",
        "the setting erase was white and is mean",
        "the setting pool was not given and is x",
        "ours.rule was version 1 and is version 2, whose cases and verdicts may differ",
        "another verdict for the same answers: 1 case",
    )


def test_a_model_that_does_not_say_what_it_is_is_not_called_the_same(tmp_path: Path) -> None:
    runs = [
        write_run(tmp_path / name, Made(verdicts="+"), fingerprints={"tiny": "undeclared:tiny"})
        for name in ("old", "new")
    ]
    assert compare(*map(open_report_run, runs)).notes == ()


def test_a_few_cases_are_shown_with_both_answers_those_of_the_surest_changes_first(tmp_path: Path) -> None:
    before = (Made(verdicts="+++", item="ours.few"), Made(verdicts="+" * 9 + "-", item="ours.many"))
    after = (Made(verdicts="-++", item="ours.few"), Made(verdicts="-" * 9 + "+", item="ours.many"))
    shown = compared(tmp_path, before, after, show=3).shown
    assert [(each.item, each.case_id, each.is_fix) for each in shown] == [
        ("ours.many", case_id(0), False),
        ("ours.few", case_id(0), False),
        ("ours.many", case_id(1), False),
        ("ours.many", case_id(9), True),
    ]
    [query] = shown[0].queries
    assert (query.text, query.before, query.after) == ("question 0", "answer +", "answer -")
    assert (shown[0].reason, shown[3].reason) == ("because it is violated",) * 2
    assert compared(tmp_path, before, after, show=0).shown == ()


def test_a_baseline_is_as_good_as_the_report_that_was_blessed(tmp_path: Path) -> None:
    for name, model in (("old", "oracle"), ("new", "fault:order-sensitive")):
        run_into(tmp_path / name, model=model)
    bless(tmp_path / "old", tmp_path / "base.gz")
    new = open_report_run(tmp_path / "new")
    of_report = compare(open_report_run(tmp_path / "old"), new, max_drop={"*": 0.1})
    of_baseline = compare(open_run(tmp_path / "base.gz"), new, max_drop={"*": 0.1})
    assert of_baseline.items == of_report.items
    assert of_baseline.shown == of_report.shown
    assert len(of_report.missed) == 2


def test_runs_without_a_common_case_are_refused(tmp_path: Path) -> None:
    old = write_run(tmp_path / "old", Made(verdicts="+ "))
    new = write_run(tmp_path / "new", Made(verdicts=" +"))
    with pytest.raises(DataError, match="none, although relations are in both: run both with the same options"):
        compare(open_report_run(old), open_report_run(new))
    other = write_run(tmp_path / "other", Made(verdicts=" +"), seed=3)
    with pytest.raises(DataError, match="none: their seeds are 0 and 3; run both with the same --vqamt-seed"):
        compare(open_report_run(old), open_report_run(other))
    elsewhere = write_run(tmp_path / "elsewhere", Made(verdicts="+", item="ours.other"))
    with pytest.raises(DataError, match="none: no relation is in both"):
        compare(open_report_run(old), open_report_run(elsewhere))


@pytest.mark.parametrize(
    ("change_lines", "told"),
    [
        (lambda lines: lines[:-1], r"Expected 3 cases of ours\.rule, as the report counts, but got 2 in"),
        (lambda lines: [*lines, lines[-1]], "Expected no more cases than the report counts"),
        (lambda lines: [lines[1], lines[0], lines[2]], "in the order of their ids"),
        (lambda lines: ["{", *lines[1:]], "Expected a whole line of a report"),
        (
            lambda lines: [lines[0].replace('"answers":["answer +"]', '"answers":3'), *lines[1:]],
            "Expected a whole line of a report",
        ),
    ],
)
def test_files_that_are_not_of_one_run_are_refused_in_a_line(tmp_path: Path, change_lines: Any, told: str) -> None:
    old, new = (write_run(tmp_path / name, Made(verdicts=each)) for name, each in (("old", "+++"), ("new", "-++")))
    file = old / "cases.jsonl"
    file.write_text("".join(f"{line}\n" for line in change_lines(file.read_text().splitlines())))
    with pytest.raises(DataError, match=told) as refused:
        compare(open_report_run(old), open_report_run(new))
    assert "\n" not in str(refused.value)


def test_what_is_neither_a_report_nor_a_baseline_is_refused_in_a_line(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "text").write_text("no gzip")
    good = write_run(tmp_path / "good", Made(verdicts="+"))
    bless(good, tmp_path / "base.gz")
    whole = (tmp_path / "base.gz").read_bytes()
    (tmp_path / "cut").write_bytes(whole[: len(whole) // 3])
    (tmp_path / "head").write_bytes(whole[: whole.index(b"\x1f\x8b", 2)])
    (tmp_path / "short").write_bytes(whole[:-9])
    for name, told in (
        ("nowhere", "or a file that `vqamt bless` wrote, but got .*nowhere', which is not there"),
        ("empty", r"but got .*empty': it has no report\.json"),
        ("text", r"text, line 1: Expected a file that `vqamt bless` wrote, which is gzip, but it is none"),
        ("cut", r"cut, line 1: Expected a file that `vqamt bless` wrote, but it was cut off"),
        ("head", r"Expected a baseline of \d+ bytes, as its first line says, but .*head has \d+"),
        ("short", r"Expected a baseline of \d+ bytes, as its first line says, but .*short has \d+"),
    ):
        with pytest.raises(DataError, match=told) as refused:
            compare(open_run(tmp_path / name), open_report_run(good))
        assert "\n" not in str(refused.value)


def test_costs_are_shown_side_by_side(tmp_path: Path) -> None:
    def used(cost: float, queries: int) -> ModelUse:
        return ModelUse(
            name="tiny", fingerprint=f"{cost}", tasks=("vqa",), queries_asked=queries, usage=(("cost", cost),)
        )

    old = write_run(tmp_path / "old", Made(verdicts="+"), models=(used(1.5, 2000),))
    new = write_run(tmp_path / "new", Made(verdicts="+"), models=(used(0.25, 300),))
    assert compare(open_report_run(old), open_report_run(new)).notes == (
        "tiny cost 1.50 for 2,000 queries sent, and 0.25 for 300",
    )
