"""Tables with a row for each model, and the published rows of the papers; worked out by hand."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from pytest_vqamt.core.case import MILLION, Figure
from pytest_vqamt.core.codec import replace
from pytest_vqamt.core.pairs import Pairs, PairTally
from pytest_vqamt.core.results import ModelUse, RelationResult, Summary
from pytest_vqamt.core.tallies import Tally
from pytest_vqamt.stats.model_tables import summaries
from pytest_vqamt.stats.papers import (
    CARETS_ACC,
    CARETS_C_ACC,
    CARETS_CONS,
    METAIC_RANGES,
    METAVQA_ERROR_RATES,
    NOISE_ACCURACY,
    NOISE_R_SCORE,
)
from tests.reporting.html.made import OTHER, TINY, presumed, result

PAPERS = Path(__file__).parents[2] / "../shared/papers"
needs_papers = pytest.mark.skipif(not PAPERS.exists(), reason="the texts of the papers are not there")


def text_of(paper: str) -> str:
    return (PAPERS / f"{paper}.txt").read_text(encoding="utf-8")


def summary(kind: str, *results: RelationResult) -> Summary:
    (found,) = (each for each in summaries(results) if each.kind == kind)
    assert found.model == ""
    return found


def of_metavqa(variant: str, tally: Tally, groups: Mapping[str, Tally], model: ModelUse = TINY, **fields: Any) -> Any:
    breakdown = {"present_groups": dict(groups)}
    return result(f"metavqa.{variant}", tally=tally, breakdown=breakdown, model=model, **fields)


# Of 10 cases 6 hold, 3 are violated and 1 is unread: 4 errors. Of the 5 of the other variant, which has an error of
# the model besides, 1 is violated: 5 errors of 15.
OBJECT = of_metavqa(
    "partition[object]",
    Tally(cases=10, holds=6, violated=3, unparsed=1),
    {"0": Tally(cases=4, holds=4), "2": Tally(cases=6, holds=2, violated=3, unparsed=1)},
)
PROPERTY = of_metavqa(
    "partition[property]",
    Tally(cases=6, holds=4, violated=1, errors=1),
    {"0": Tally(cases=1, errors=1), "1": Tally(cases=5, holds=4, violated=1)},
)
PLUS = of_metavqa("removal_plus", Tally(cases=4, violated=4), {"1": Tally(cases=4, violated=4)}, OTHER)
COLUMNS = ("partition", "partition cases", "removal_plus", "removal_plus cases")


def rows_of(found: Summary, source: str, figure: str) -> list[tuple[object, ...]]:
    return [
        tuple(row[name] for name in ("model", "part", *COLUMNS))
        for row in found.rows
        if (row["source"], row["figure"]) == (source, figure)
    ]


def test_error_rates_of_two_models_and_of_the_paper_s_ten() -> None:
    found = summary("perception", OBJECT, PROPERTY, PLUS)
    assert list(found.rows[0]) == ["model", "source", "figure", "part", *COLUMNS]
    assert rows_of(found, "run", "error rate") == [
        ("tiny", "", 5 / 15, 15, None, 0),
        ("other", "", None, 0, 1.0, 4),
    ]
    published = rows_of(found, "published", "error rate")
    assert len(published) == 10
    assert published[0] == ("GridFeat+MoVie+", "", pytest.approx(0.9497), 142_213, pytest.approx(0.8812), 105_847)
    assert published[7] == ("ViLBERT", "", pytest.approx(0.2393), 142_213, pytest.approx(0.9974), 105_847)
    assert found.totals == {"published in": "Yuan et al., CVPR 2021, Table 4"}


def test_error_rates_by_how_many_groups_are_in_the_picture() -> None:
    found = summary("perception", OBJECT, PROPERTY, PLUS)
    figure = "error rate by groups in the picture"
    assert rows_of(found, "run", figure) == [
        ("tiny", "0 groups", 0.0, 4, None, 0),
        ("tiny", "1 group", 0.2, 5, None, 0),
        ("tiny", "2 groups", 4 / 6, 6, None, 0),
        ("other", "1 group", None, 0, 1.0, 4),
    ]
    assert rows_of(found, "published", figure) == []


def test_presumed_cases_are_not_added_to_the_others() -> None:
    both = replace(OBJECT, presumed=presumed(Tally(cases=2, holds=1, violated=1)))
    found = summary("perception", both)
    columns = [(row["source"], row["partition"], row["partition cases"]) for row in found.rows if not row["part"]]
    assert columns[:2] == [("run", 0.4, 10), ("run, presumed", 0.5, 2)]


def test_insertion_plus_and_other_relations_have_no_column() -> None:
    assert summaries([of_metavqa("insertion_plus", Tally(cases=4, holds=4), {}), result("ours.rule")]) == ()
    assert summaries([of_metavqa("reorder[object]", Tally(cases=4, errors=4), {})]) == ()


def test_models_on_other_data_have_a_table_of_their_own() -> None:
    elsewhere = replace(PROPERTY, data=replace(PROPERTY.data, spec="pictures:9"))
    found = [(each.data, each.rows[0]["partition cases"]) for each in summaries([OBJECT, elsewhere])]
    assert found == [("gqa:DIR", 10), ("pictures:9", 5)]


@needs_papers
def test_error_rates_are_those_of_the_paper() -> None:
    table = text_of("metavqa").partition("VQA Models\tPartition\tReversion\tReordering\t")[2].partition("\nTotal")[0]
    head, *lines = table.splitlines()
    assert head.startswith("Cutting\tInsetion\tRemoval\tRemoval"), "the columns are in this order"
    counts, *models = lines
    assert [int(each.replace(",", "")) for each in counts.split("\t") if each] == list(METAVQA_ERROR_RATES.cases)
    rates = [tuple(float(each) for each in re.findall(r"([\d.]+)%", line)) for line in models]
    assert rates == list(METAVQA_ERROR_RATES.models.values())


def of_carets(item: str, model: ModelUse = TINY, **counts: int) -> RelationResult:
    tally = Tally(cases=counts["pairs"], holds=counts["pairs"])
    return result(item, tally=tally, pairs=Pairs(tally=PairTally(**counts)), model=model)


def test_carets_beside_six_models_and_people() -> None:
    found = summary(
        "consistency",
        # CONS 3 + 1 of 5, ACC 4 + 2 + 1 + 1 of 10, C-ACC 2 + 1 of 5.
        of_carets("carets.visual[crop]", pairs=4, consistent=3, right_first=4, right_second=2, both_right=2),
        of_carets("carets.visual[mask]", pairs=1, consistent=1, right_first=1, right_second=1, both_right=1),
        of_carets("carets.published[negation_consistency]", OTHER, pairs=2, consistent=1),
        of_carets("ours.opposite", OTHER, pairs=2),
    )
    rows: dict[tuple[object, object], tuple[object, ...]] = {
        (row["model"], row["figure"]): (row["visual"], row["visual cases"], row["negation"]) for row in found.rows
    }
    assert rows["tiny", "CONS"] == rows["tiny", "ACC"] == (0.8, 5, None)
    assert rows["tiny", "C-ACC"] == (0.6, 5, None)
    assert rows["other", "CONS"] == (None, 0, 0.5)
    assert rows["LXMERT", "CONS"] == pytest.approx((0.786, None, 0.2811))
    assert rows["people", "C-ACC"] == (None, None, 0.745)
    assert len(rows) == 3 * (2 + 6 + 1)
    assert "rephrase" not in found.rows[0]


@needs_papers
@pytest.mark.parametrize(
    ("column", "table"),
    [
        ("rephrase", "Table 8: Full results for REPHRASE-INV"),
        ("order", "Table 9: Full results for ORDER-INV"),
        ("ontological", "Table 10: Full results for ONTOLOGICAL-INV"),
        ("antonym", "Table 11: Full results for ANTONYM-DIR"),
        ("negation", "Table 12: Full results for NEGATION-DIR"),
    ],
)
def test_carets_figures_are_those_of_the_paper(column: str, table: str) -> None:
    above = text_of("carets").partition(table)[0]
    for model in CARETS_CONS.models:
        name = model.replace("VisualBERT", "Visual BERT")
        acc, _, _, cons, c_acc = map(float, re.findall(rf"^{re.escape(name)}\t(.*)$", above, re.M)[-1].split())
        place = CARETS_CONS.columns.index(column)
        own = tuple(each.models[model][place] for each in (CARETS_ACC, CARETS_CONS, CARETS_C_ACC))
        assert own == (acc, cons, c_acc)


@needs_papers
def test_visual_consistency_is_that_of_table_1() -> None:
    table = text_of("carets").partition("Reph.\tOrder\tOnto.\tVis.")[2]
    for model, figures in CARETS_CONS.models.items():
        found = re.search(rf"^{re.escape(model)}\t(.*)$", table, re.M)
        assert found
        assert figures[CARETS_CONS.columns.index("visual")] == float(found[1].split()[3])


def test_issues_of_entailment_models_and_their_mean() -> None:
    items = ("veglue.mr1_joint_erase", "veglue.mr2_linked_erase", "veglue.mr3_unlinked_erase")
    tallies = (Tally(cases=4, holds=3, violated=1), Tally(cases=2, violated=2), Tally(cases=5, holds=5))
    results = [result(item, tally=tally) for item, tally in zip(items, tallies, strict=True)]
    own, first, *_ = summary("issues", *results, result(items[0], model=OTHER, tally=tallies[0])).rows[::2]
    assert [own[name] for name in ("MR1", "MR1 cases", "MR2", "MR3", "mean")] == [
        0.25,
        4,
        1.0,
        0.0,
        pytest.approx(5 / 12),
    ]
    assert [first[name] for name in ("model", "MR1", "MR1 cases", "mean")] == ["OFA-VE", 0.439, None, 0.474]
    (one,) = (row for row in summary("issues", *results[:2]).rows if row["source"] == "run")
    assert "mean" not in one, "a mean of three"


def of_noise(number: int, noisy: int, model: ModelUse = TINY) -> RelationResult:
    """Ten cases, of which eight have the right answer without noise."""
    figures = {"clean": Figure(10, 8 * MILLION), "noisy": Figure(10, noisy * MILLION)}
    return result(f"basic_questions.noise[{number}]", figures=figures, model=model)


def test_accuracy_under_noise() -> None:
    found = summary("accuracy", of_noise(1, 7), of_noise(7, 5), of_noise(7, 6, OTHER))
    first, second, *published = found.rows
    assert [first[name] for name in ("clean", "clean cases", "1", "7", "7 cases")] == [0.8, 10, 0.7, 0.5, 10]
    # d = 10 points: (sqrt(20) - sqrt(10)) / (sqrt(20) - sqrt(0.05)) = 1.30986 / 4.24853.
    assert first["R_score"] == pytest.approx(0.30831, abs=1e-5)
    assert (second["model"], second["1"], second["7"], second["R_score"]) == ("other", None, 0.6, None)
    assert [published[0][name] for name in ("model", "clean", "7", "R_score")] == [
        "LSTM Q+I", pytest.approx(0.5802), pytest.approx(0.3921), 0.19,
    ]  # fmt: skip
    assert len(published) == 6
    assert "2" not in first


def test_without_known_answers_there_is_no_accuracy() -> None:
    assert [each.kind for each in summaries([result("basic_questions.noise[1]")])] == ["noise"]


@needs_papers
def test_accuracies_are_those_of_the_paper() -> None:
    tables = text_of("basic_questions").partition("Table 2: The table shows")[2].split("| Task Type |")[1:]
    names = (
        "MUTAN without attention", "MUTAN with attention", "HieCoAtt (Alt, VGG19)", "HieCoAtt (Alt, Resnet200)",
        "MLB with attention", "LSTM Q+I",
    )  # fmt: skip
    for name, table in zip(names, tables, strict=True):
        of_all = dict(re.findall(r"^\| (\w+)-dev \|(?: [\d.]+ \|){3} ([\d.]+) \|", table, re.M))
        order = ("Original", "First", "Second", "Third", "Fourth", "Fifth", "Sixth", "Seventh")
        assert tuple(float(of_all[each]) for each in order) == NOISE_ACCURACY.models[name]
    scores = re.search(r"R_\{score1\} \|(.*)\|", text_of("basic_questions"))
    assert scores
    assert [float(each) for each in scores[1].split("|")] == list(NOISE_R_SCORE.values())
    assert list(NOISE_R_SCORE) == list(NOISE_ACCURACY.models)


@needs_papers
def test_the_ranges_of_metaic_stand_in_the_paper() -> None:
    text = text_of("metaic")
    assert "The precision of MetaIC ranges from 84.9% to 98.4%" in text
    assert "MetaIC reports 535 to 948 erroneous issues" in text
    assert "construct 1,000 synthesized images for every overlapping ratio interval" in text
    assert list(METAIC_RANGES.values()) == ["535 to 948", "0.849 to 0.984"]
