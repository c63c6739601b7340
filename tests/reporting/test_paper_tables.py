"""The tables of several models and of what people judged; worked out by hand."""

from __future__ import annotations

import json

from pytest_vqamt.core.codec import Json, replace, to_row
from pytest_vqamt.core.results import (
    Cell,
    GapToFirst,
    ModelDifference,
    RankedModel,
    Ranking,
    RankingKind,
    Report,
    Summary,
)
from pytest_vqamt.core.tallies import PairedClusters, PairedSceneTally
from pytest_vqamt.reporting.audit.audit_results import audit_tables
from pytest_vqamt.reporting.paper_tables import model_tables, paper_tables, summary_table
from pytest_vqamt.reporting.view.format import ViewTable
from pytest_vqamt.reporting.view.rankings import difference_tables, model_notes_of, ranking_table
from tests.reporting.html.made import OTHER, report, result

PLACES = (
    RankedModel(model="other", mean=0.9, interval=(0.8, 0.95), best_in=2),
    RankedModel(
        model="tiny",
        mean=0.75,
        interval=None,
        best_in=1,
        behind=GapToFirst(difference=-0.15, interval=(-0.2, -0.1), p=0.003),
    ),
)


def difference(item: str, *, lost: int, won: int, p_holm: float | None) -> ModelDifference:
    """Ten cases of a scene each, of which six hold with both models."""
    rows = (PairedSceneTally(1, 0, 0, 0, 6), PairedSceneTally(0, 1, 0, 0, lost), PairedSceneTally(0, 0, 1, 0, won))
    return ModelDifference(
        item=item,
        data="gqa:DIR",
        presumed=False,
        models=("tiny", "other"),
        paired=PairedClusters(tuple(row for row in rows if row.scenes)),
        interval=(-0.1, 0.9),
        p=0.01,
        p_holm=p_holm,
    )


def two_models(kind: RankingKind = RankingKind.RELATIONS) -> Report:
    ranking = Ranking(data="gqa:DIR", kind=kind, items=("ours.a", "ours.b"), places=PLACES)
    found = (
        difference("ours.a", lost=1, won=3, p_holm=0.2),
        difference("ours.b", lost=0, won=4, p_holm=0.02),
        difference("control.repeat", lost=4, won=0, p_holm=None),
    )
    return report(result(), result(model=OTHER), ranking=(ranking,), differences=found)


def texts(table: ViewTable) -> list[list[str]]:
    return [[cell.text for cell in row] for row in table.rows]


def test_models_are_ranked_with_how_far_they_are_from_the_first() -> None:
    told = two_models()
    made = ranking_table(told, told.ranking[0])
    assert made.caption == "models on gqa:DIR: pass rate over all cases of 2 relation variants"
    assert texts(made) == [
        ["other", "90.0 %", "80.0 to 95.0 %", "-", "-", "-", "2"],
        ["tiny", "75.0 %", "-", "-", "-15.0 (-20.0 to -10.0)", "0.0030", "1"],
    ]
    assert made.rows[1][0].link == "#model=tiny"


def test_no_model_is_called_the_best_and_chance_is_no_difference() -> None:
    assert list(model_notes_of(two_models())) == [
        "On gqa:DIR, tiny is consistent less often than other (other less tiny: +15.0 points, +10.0 to "
        "+20.0, two-sided p 0.0030). That alone makes no model the better one."
    ]
    first, second = PLACES
    chance = replace(second, behind=GapToFirst(difference=-0.01, interval=(-0.2, 0.18), p=0.8))
    ranking = Ranking(data="gqa:DIR", kind=RankingKind.RELATIONS, items=("ours.a",), places=(first, chance))
    assert list(model_notes_of(report(result(), result(model=OTHER), ranking=(ranking,)))) == [
        "On gqa:DIR, other and tiny do not differ significantly (other less tiny: +1.0 points, -18.0 to +20.0, "
        "two-sided p 0.8000)."
    ]
    assert list(model_notes_of(two_models(RankingKind.CONTROL))) == []


def test_the_surest_difference_stands_first_and_controls_last() -> None:
    (made,) = difference_tables(two_models())
    assert made.caption == "other against tiny on gqa:DIR: significant difference in 1 of 2 relation variants"
    assert texts(made) == [
        ["ours.b", "60.0 %", "100.0 %", "+40.0 (-10.0 to +90.0)", "0.0200", "0", "4", "10"],
        ["ours.a", "70.0 %", "90.0 %", "+20.0 (-10.0 to +90.0)", "0.2000", "1", "3", "10"],
        ["control.repeat", "100.0 %", "60.0 %", "-40.0 (-10.0 to +90.0)", "-", "4", "0", "10"],
    ]
    assert [row[3].state for row in made.rows] == ["better", "", ""]


def audited(of: str, figure: str, rate: float) -> dict[str, Json]:
    counts: dict[str, Json] = {"judged": 10, "valid": 8, "invalid": 1, "unsure": 1}
    return {
        **counts,
        "of": of,
        "sheet": "ticked.csv",
        figure: rate,
        f"{figure}_interval": [0.5, 0.9],
        "by_item": {"ours.rule": {**counts, figure: None, f"{figure}_interval": [0.0, 1.0]}},
        "without_unsure": 0.875,
        "without_unsure_interval": [0.6, 0.97],
        "not_judged_items": ["ours.b"],
        "agreement": [{"sheets": ["a.csv", "b.csv"], "shared": 1, "same": 1, "kappa": 0.25}],
    }


def test_each_audit_has_a_table_of_its_own() -> None:
    both: dict[str, Json] = {"violations": audited("violations", "precision", 0.8), "all": audited("all", "vtr", 0.7)}
    first, second = audit_tables({**audited("all", "vtr", 0.7), "audits": both})
    assert (first.head_texts[-2:], second.head_texts[-2:]) == (("precision", "95 % interval"), ("VTR", "95 % interval"))
    assert first.row_texts == (
        ("all together", "10", "8", "1", "1", "80.0 %", "50.0 to 90.0 %"),
        ("ours.rule", "10", "8", "1", "1", "-", "-"),
    )
    assert second.row_texts[0][5] == "70.0 %"
    assert first.notes == (
        "Judged on ticked.csv.",
        "Without the unsure ones: 87.5 % (60.0 to 97.0 %).",
        "No case is judged of ours.b: the rate is without them.",
        "a.csv and b.csv agree on 1 of 1 case, Cohen kappa 0.250.",
    )


def test_an_audit_that_stands_alone_has_one_table() -> None:
    (only,) = audit_tables(audited("violations", "precision", 0.8))
    assert only.caption == "Judged by people, a sample of the violations: precision is the share of valid ones"


SUMMARY = Summary(
    kind="entailment",
    model="tiny",
    data="pictures:500",
    rows=(
        {"relation": "veglue.mr2_linked_erase", "GNUM": 100, "IFR": 0.25, "published": "0.354 to 0.951"},
        {"relation": "veglue.mr3_unlinked_erase", "GNUM": 0, "IFR": None, "published": None},
    ),
    totals={"IFR of all": 0.25, "tests": 100, "monotone": None},
)


def test_a_summary_is_a_table_and_its_known_totals_are_notes() -> None:
    table = summary_table(SUMMARY)
    assert table.caption == "Verdicts on hypotheses (VEglue): tiny on pictures:500"
    assert table.head_texts == ("relation", "GNUM", "IFR", "published")
    assert table.row_texts == (
        ("veglue.mr2_linked_erase", "100", "25.0 %", "35.4 % to 95.1 %"),
        ("veglue.mr3_unlinked_erase", "0", "-", "-"),
    )
    assert table.notes == ("IFR of all: 25.0 %", "tests: 100")


def model_row(model: str, source: str, share: float | None, cases: int | None, part: str = "") -> dict[str, Cell]:
    return {"model": model, "source": source, "figure": "CONS", "part": part, "order": share, "order cases": cases}


MODELS = Summary(
    kind="consistency",
    model="",
    data="gqa:DIR",
    rows=(
        model_row("tiny", "run", 0.25, 1_200),
        model_row("other", "run", 0.9999, 1_200),
        model_row("other", "run, presumed", None, 0),
        model_row("other", "run", 0.5, 2, "2 groups"),
        model_row("BAN", "published", 0.6522, None),
    ),
    totals={"published in": "a paper, Table 1"},
)


def test_models_stand_above_the_published_ones_with_their_cases() -> None:
    table, of_cases = model_tables(report(result(), summaries=(SUMMARY, MODELS)))
    assert table.caption == "CARETS: CONS on gqa:DIR"
    assert table.head_texts == ("model", "order")
    assert table.row_texts == (
        ("tiny", "25.0 %"),
        ("other", ">99.9 %"),
        ("other (presumed)", "-"),
        ("other, 2 groups", "50.0 %"),
        ("BAN (published)", "65.2 %"),
    )
    assert of_cases.caption == "CARETS: cases of CONS on gqa:DIR"
    assert of_cases.row_texts == (("tiny", "1,200"), ("other", "1,200"), ("other, 2 groups", "2"))
    assert table.notes == (
        "Published: a paper, Table 1. On other data these rows are for orientation only; "
        "--vqamt-data=carets:DIR has the paper's questions.",
    )
    assert list(model_tables(report(result(), summaries=(SUMMARY, MODELS)), "pictures:500")) == []


def test_the_page_has_them_before_the_tables_of_one_model() -> None:
    captions = [table.caption for table in paper_tables(report(result(), summaries=(SUMMARY, MODELS)))]
    assert captions == [
        "CARETS: CONS on gqa:DIR",
        "CARETS: cases of CONS on gqa:DIR",
        "Verdicts on hypotheses (VEglue): tiny on pictures:500",
    ]


def test_published_models_of_the_same_cases_share_a_row_and_figures_of_the_same_cases_a_table() -> None:
    rows = [
        {**model_row(model, "published", 0.5, 10), "figure": figure}
        for figure in ("ACC", "CONS")
        for model in ("BAN", "MMBT")
    ]
    *_, of_cases = model_tables(report(result(), summaries=(replace(MODELS, rows=tuple(rows)),)))
    assert of_cases.caption == "CARETS: cases of ACC and CONS on gqa:DIR"
    assert of_cases.row_texts == (("each of the published", "10"),)


def test_a_summary_that_a_later_version_wrote_has_no_table() -> None:
    assert list(model_tables(report(result(), summaries=(replace(MODELS, kind="later"),)))) == []


def test_the_row_of_the_report_has_all_of_it() -> None:
    row = to_row(SUMMARY)
    assert list(row) == ["kind", "model", "data", "rows", "totals"]
    assert json.loads(json.dumps(row["rows"])) == [dict(each) for each in SUMMARY.rows]
