"""Where things stand on the chart, and the same in numbers: worked out by hand."""

from __future__ import annotations

from collections import Counter

from pytest_vqamt.core.codec import replace
from pytest_vqamt.core.results import DataUse, HumanReference, RelationResult, Report
from pytest_vqamt.core.tallies import Tally
from pytest_vqamt.reporting.html.charts import ChartRow, breakdowns, charts, histograms, legend_entries, mosaics
from pytest_vqamt.reporting.view.overview import overview_table
from pytest_vqamt.reporting.view.rows import result_rows
from tests.reporting.grounded import grounded
from tests.reporting.html.made import GQA, OTHER, change, gate, presumed, report, result


def rows(*results: RelationResult) -> list[ChartRow]:
    told = report(*results)
    return [row for chart in charts(told, result_rows(told)) for of_paper in chart.groups.values() for row in of_paper]


def test_a_rate_stands_at_its_place_between_the_ends_of_its_interval() -> None:
    (row,) = rows(result(gate=gate(0.9, met=False), change=change(kept=6, lost=3, won=1)))
    (lane,) = row.lanes
    assert (lane.low, lane.rate, lane.high) == ("25%", "80%", "75%")  # the interval of a result made by hand
    assert (lane.threshold, lane.state) == ("90%", "missed")
    assert (lane.before, lane.is_worse) == ("90%", True)
    assert (lane.shown, row.height_px, lane.y) == ("80 %", 22, 11.0)
    assert lane.title == (
        "tiny: 80 % (25 to 75 %, 10 cases), baseline 90.0 %, change -20.0 points, pass rate >= 90 %: missed"
    )


def test_the_models_of_a_row_have_a_lane_each_in_the_order_of_the_run() -> None:
    first, second = rows(result(), result(model=OTHER, holds=5, violated=5), result("ours.b", model=OTHER))
    assert [(lane.mark, lane.y, lane.shown) for lane in first.lanes] == [(0, 7.5, "80 %"), (1, 22.5, "50 %")]
    assert [(lane.mark, lane.y) for lane in second.lanes] == [(1, 7.5)]


def test_rows_are_grouped_by_paper_and_charts_made_by_data() -> None:
    coco = DataUse(spec="coco:DIR", scenes=3, digest="")
    told = report(
        result("metavqa.partition[object]"), result("carets.negation"), result("metavqa.removal_plus"),
        result("ours.rule", data=coco), result("metavqa.cutting[count]", tally=Tally(), data=coco),
    )  # fmt: skip
    made = charts(told, result_rows(told))
    assert [
        (chart.data, [(paper, [row.name for row in rows]) for paper, rows in chart.groups.items()]) for chart in made
    ] == [
        (
            "gqa:DIR",
            [
                ("MetaVQA (Yuan et al., CVPR 2021)", ["metavqa.partition[object]", "metavqa.removal_plus"]),
                ("CARETS (Jimenez et al., ACL 2022)", ["carets.negation"]),
            ],
        ),
        ("coco:DIR", [("ours", ["ours.rule"])]),
    ]
    assert next(iter(made[0].groups.values()))[0].link == "#relation=metavqa.partition%5Bobject%5D&data=gqa%3ADIR"


def test_presumed_cases_have_a_row_of_their_own() -> None:
    usual, apart = rows(result(tags=("baseline",), presumed=presumed(Tally(cases=2, holds=1, violated=1))))
    assert (usual.tags, apart.tags) == (("baseline",), ("baseline", "presumed"))
    assert [row.lanes[0].shown for row in (usual, apart)] == ["80 %", "50 %"]


def test_where_nothing_was_judged_there_is_no_dot() -> None:
    (row,) = rows(result(tally=Tally(cases=3, errors=3)))
    assert (row.lanes[0].rate, row.lanes[0].shown) == ("", "-")


def test_people_and_published_models_stand_where_the_papers_say() -> None:
    # CARETS, Table 1: negation 88.5 % of people; visual perturbation 89.0 %, of the whole test.
    told = rows(
        result("carets.negation", reference=HumanReference(cons=0.885)),
        result("carets.visual[crop]"),
        result("veglue.mr2_linked_erase"),
        result("ours.rule"),
    )
    assert [(row.people, row.is_people_of_whole_test) for row in told] == [
        ("88.5%", False), ("89%", True), ("", False), ("", False),
    ]  # fmt: skip
    # VEglue, Table 2: IFR of 0.758, 0.951, 0.826 and 0.354.
    assert told[2].published == ("4.9%", "17.4%", "24.2%", "64.6%")
    assert told[2].published_width == "59.7%"


def test_published_models_are_left_out_where_an_issue_is_no_violation() -> None:
    same = rows(result("veglue.corruption[snow-object]"), result("text.word_substitution"))
    assert [row.published for row in same] == [(), ()]
    (other,) = rows(result("text.antonym_swap"))
    assert other.published == ("51.3%", "60%", "67.3%", "77.9%")  # IFR of 0.487, 0.400, 0.327 and 0.221


def test_the_noise_floor_is_the_least_rate_of_the_controls_and_drawn_where_it_is_below_one() -> None:
    controls = (
        result("control.repeat", holds=9, violated=1, tags=("control",)),
        result("control.reencode", holds=10, violated=0, tags=("control",)),
        result("control.repeat", holds=10, violated=0, tags=("control",), model=OTHER),
    )
    told = report(result(), result(model=OTHER), *controls)
    (chart,) = charts(told, result_rows(told))
    relations, controls_drawn = chart.groups.values()
    assert [lane.noise for lane in relations[0].lanes] == ["90%", ""]
    assert [lane.noise for row in controls_drawn for lane in row.lanes] == ["", "", ""]
    assert chart.noise == (("tiny", "90 %"), ("other", "100 %"))


def test_the_legend_explains_what_is_drawn_and_nothing_else() -> None:
    def of(*results: RelationResult) -> set[str]:
        told = report(*results)
        found = legend_entries(charts(told, result_rows(told)))
        return {name for name, is_drawn in found.items() if is_drawn}

    assert of(result()) == set()
    assert of(result(gate=gate(0.5, met=True))) == {"threshold"}
    assert of(result("veglue.mr2_linked_erase", change=change(kept=1))) == {"published", "before"}
    assert of(result("carets.visual[crop]")) == {"whole"}


def cells(told: Report) -> dict[str, list[str]]:
    made = overview_table(told, result_rows(told))
    columns = zip(*([cell.text for cell in row] for row in made.rows), strict=True)
    return {head.name: list(column) for head, column in zip(made.heads, columns, strict=True)}


def test_the_table_has_the_same_in_numbers() -> None:
    tally = Tally(cases=1012, holds=700, violated=200, unparsed=100, errors=12, vacuous=7, unread_cases=100)
    told = report(result(tally=tally, gate=gate(0.5, met=True)), result("ours.b", tally=Tally(cases=1, errors=1)))
    assert cells(told) == {
        "relation": ["ours.rule", "ours.b"],
        "pass rate": ["70 %", "-"],
        "gate": ["met: pass rate >= 50 %", "-"],
        "cases": ["1,012", "1"],
        "violated": ["200", "0"],
        "unread": ["100", "0"],
        "readable pass rate": ["78 %", "-"],
        "apart": ["12 errors, 7 vacuous", "1 error"],
    }


def test_columns_come_with_what_they_tell() -> None:
    several = report(
        result(change=change(kept=6, lost=3, won=1, p_holm=0.01, held=gate(0.1, met=False, kind="max-drop"))),
        result("carets.negation", model=OTHER, tally=Tally(cases=2, holds=1, waived=1)),
    )
    made = cells(several)
    assert made["model"] == ["tiny", "other"]
    assert made["change"] == ["-20.0", "-"]
    assert made["gate"] == ["missed: drop of the pass rate <= 10 points", "-"]
    assert made["apart"] == ["-", "1 waived"]
    assert made["reference"] == ["-", "humans 88 % (whole test)"]
    assert "data" not in made
    assert cells(replace(several, data=(GQA, replace(GQA, spec="other"))))["data"] == ["gqa:DIR", "gqa:DIR"]


def test_answers_are_counted_most_frequent_first() -> None:
    told = report(
        result(readings=Counter({"no": 1, "yes": 3})),
        result(model=OTHER, readings=Counter({"no": 5, **{f"a{n}": 1 for n in range(9)}})),
    )
    (made,) = histograms(result_rows(told))
    assert [reading.text for reading in made.readings] == ["no", "yes", "a0", "a1", "a2", "a3", "a4", "a5"]
    assert made.others == 3
    assert [(bar.share, bar.shown) for bar in made.readings[0].bars] == [("25%", "1 (25 %)"), ("35.71%", "5 (36 %)")]


def test_answers_of_a_sample_say_so() -> None:
    few = result(readings=Counter(yes=3))
    many = result("metaic.deeptest[blur]", readings=Counter({f"a{n}": 1 for n in range(9)}), readings_sample=5000)
    assert [made.sample for made in histograms(result_rows(report(few, many)))] == [None, 5000]


def test_breakdowns_are_in_the_order_of_numbers_and_tell_of_each_model() -> None:
    ten = {
        "groups": {
            "10": Tally(cases=4, holds=1, violated=3),
            "2": Tally(cases=1, holds=1),
            "none": Tally(cases=1, errors=1),
        }
    }
    (made,) = breakdowns(result_rows(report(result(breakdown=ten), result(model=OTHER, breakdown={}))))
    assert [value.text for value in made.values] == ["2", "10", "none"]
    assert [[part and (part.shown, part.judged) for part in value.parts] for value in made.values] == [
        [("100 %", 1), None], [("25 %", 4), None], [None, None],
    ]  # fmt: skip


def test_a_square_has_the_shares_of_its_cells() -> None:
    told = report(
        replace(result(), grounded=grounded(30, 50, 15, 5)), replace(result("ours.all"), grounded=grounded(4, 0))
    )
    first, second = mosaics(told, result_rows(told))
    places = {cell.kind: (cell.x, cell.y, cell.width, cell.height) for cell in first.cells}
    assert places == {
        "consistent_changed": (0, 62.5, 80, 37.5),
        "consistent_unchanged": (0, 0, 80, 62.5),
        "inconsistent_changed": (80, 25, 20, 75),
        "inconsistent_unchanged": (80, 0, 20, 25),
    }
    for cell in first.cells:
        assert cell.width * cell.height / 10_000 == first.counts[cell.kind] / 100
    assert first.chance is not None
    assert first.chance.width * first.chance.height == 2_500, "a quarter by guessing"
    assert (first.chance.y + first.chance.height, first.chance.width) == (100, 80)
    assert first.shown.startswith("30 % (")
    assert [(cell.width, cell.height) for cell in second.cells] == [(100, 100), (100, 0), (0, 0), (0, 0)]
    never = report(replace(result(), grounded=grounded(0, 0, 3, 1)))
    assert [each.chance for each in mosaics(never, result_rows(never))] == [None]
    without = report(replace(result(), grounded=grounded(3, 1), directional=True), result("ours.plain"))
    assert mosaics(without, result_rows(without)) == ()
