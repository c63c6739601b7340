"""What MetaIC reports of a captioning model, worked out from its items."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vqamt.core.case import Figure, Figures
from pytest_vqamt.core.errors import VqamtError
from pytest_vqamt.core.pairs import Pairs, PairTally
from pytest_vqamt.core.results import Coverage, DataUse, ModelUse, RelationResult, StratumResult, Summary
from pytest_vqamt.core.tallies import Tally
from pytest_vqamt.relations import catalogue
from pytest_vqamt.reporting.paper_tables import summary_table
from pytest_vqamt.stats import papers
from pytest_vqamt.stats.model_tables import summaries
from pytest_vqamt.stats.papers import (
    PUBLISHED_IFR,
    PUBLISHED_MEAN,
    captioning_summary,
    coverage_tables,
    entailment_summary,
    human_reference,
    monotonicity,
    noise_summary,
    r_score,
)
from tests.reporting.running import run_into


def figures(cases: int, **sums: int) -> dict[str, Figure]:
    return {name: Figure(cases, 1_000_000 * total) for name, total in sums.items()}


def result(
    item: str,
    tally: Tally,
    found: Mapping[str, Figure],
    presumed: tuple[Tally, Mapping[str, Figure]] | None = None,
) -> RelationResult:
    apart = presumed and StratumResult(
        tally=presumed[0],
        breakdown={},
        readings=Counter(),
        interval=(0.0, 1.0),
        gate=None,
        figures=presumed[1],
    )
    return RelationResult(
        position=0,
        item=item,
        version=1,
        claim="All is one.",
        model=ModelUse(name="blip", fingerprint="b", tasks=("captioning",)),
        data=DataUse(spec="coco:DIR", scenes=40, digest="0" * 16),
        tags=(),
        tally=tally,
        scenes_not_applicable=0,
        not_applicable={},
        breakdown={},
        readings=Counter(),
        interval=(0.0, 1.0),
        gate=None,
        presumed=apart,
        figures=found,
    )


def summary(*results: RelationResult) -> Summary:
    found = captioning_summary(results, model="blip", data="coco:DIR")
    assert found is not None
    assert (found.kind, found.model, found.data) == ("captioning", "blip", "coco:DIR")
    return found


# 100 pairs, of which 2 could not be read: 30 violate the first relation, and 9 of the others the second.
APPEARANCE = result(
    "metaic.object_appearance[15]",
    Tally(cases=100, holds=68, violated=30, unparsed=2),
    figures(98, suspicious=30, omission=18, misclassification=12),
)
FORMS = result(
    "metaic.singular_plural[15]",
    Tally(cases=100, holds=89, violated=9, unparsed=2, vacuous=30),
    figures(98, suspicious=9, quantity=9),
)


def test_each_item_has_a_row_with_the_kinds_of_error_that_it_can_find() -> None:
    first, second = summary(APPEARANCE, FORMS).rows
    assert dict(first) == {
        "relation": "metaic.object_appearance[15]",
        "cases": 100,
        "unparsed": 2,
        "suspicious": 30,
        "omission": 18,
        "misclassification": 12,
        "quantity": None,
    }
    assert dict(second) == {
        "relation": "metaic.singular_plural[15]",
        "cases": 100,
        "unparsed": 2,
        "suspicious": 9,
        "omission": None,
        "misclassification": None,
        "quantity": 9,
    }
    assert list(first) == list(second)


RANGES = {
    "published issues with errors, of 1,000 pairs at one overlap": "535 to 948",
    "published precision": "0.849 to 0.984",
}
"""Yu et al., section 4.2.2."""


def test_a_pair_is_suspicious_where_it_violates_either_relation() -> None:
    # Yu et al., section 3.4. No pair is counted twice: the second is judged where the first holds.
    assert dict(summary(APPEARANCE, FORMS).totals) == {
        "suspicious issues at overlap 15": 39,
        "share of pairs at overlap 15": 39 / 98,
        **RANGES,
    }


def test_levels_are_told_apart() -> None:
    other = result("metaic.object_appearance[0]", Tally(cases=10, holds=10), figures(10, suspicious=0))
    same = result("metaic.singular_plural[0]", Tally(cases=10, holds=9, violated=1), figures(10, suspicious=1))
    assert dict(summary(other, APPEARANCE, same, FORMS).totals) == {
        "suspicious issues at overlap 0": 1,
        "share of pairs at overlap 0": 0.1,
        "suspicious issues at overlap 15": 39,
        "share of pairs at overlap 15": 39 / 98,
        **RANGES,
    }


def test_one_relation_alone_tells_no_suspicious_issues() -> None:
    assert dict(summary(APPEARANCE).totals) == {}
    assert dict(summary(FORMS).totals) == {}


def test_nor_do_two_that_were_not_run_on_as_many_pairs() -> None:
    fewer = result("metaic.singular_plural[15]", Tally(cases=50, holds=50), figures(50, suspicious=0, quantity=0))
    assert dict(summary(APPEARANCE, fewer).totals) == {}


def test_presumed_cases_are_counted_apart() -> None:
    appearance = result(
        "metaic.object_appearance[0]",
        Tally(cases=10, holds=10),
        figures(10, suspicious=0),
        presumed=(Tally(cases=4, holds=3, violated=1), figures(4, suspicious=1, omission=1, misclassification=0)),
    )
    forms = result(
        "metaic.singular_plural[0]",
        Tally(cases=10, holds=10),
        figures(10, suspicious=0),
        presumed=(Tally(cases=4, holds=4), figures(4, suspicious=0, quantity=0)),
    )
    found = summary(appearance, forms)
    assert [row["relation"] for row in found.rows] == [
        "metaic.object_appearance[0]",
        "metaic.object_appearance[0] (presumed)",
        "metaic.singular_plural[0]",
        "metaic.singular_plural[0] (presumed)",
    ]
    assert found.rows[1]["omission"] == 1
    assert dict(found.totals) == {
        "suspicious issues at overlap 0": 0,
        "share of pairs at overlap 0": 0.0,
        "suspicious issues at overlap 0 (presumed)": 1,
        "share of pairs at overlap 0 (presumed)": 0.25,
        **RANGES,
    }


def test_what_no_caption_could_be_read_of_has_a_row_without_figures() -> None:
    (row,) = summary(result("metaic.singular_plural[30]", Tally(cases=3, unparsed=3), {})).rows
    assert (row["cases"], row["unparsed"], row["suspicious"]) == (3, 3, None)


def test_the_baseline_has_a_row_and_is_in_no_total() -> None:
    baseline = result("metaic.deeptest[blur]", Tally(cases=20, holds=8, violated=12), figures(20, suspicious=12))
    found = summary(baseline)
    assert [(row["relation"], row["suspicious"]) for row in found.rows] == [("metaic.deeptest[blur]", 12)]
    assert dict(found.totals) == {}


def test_without_such_items_or_cases_there_is_no_summary() -> None:
    others = [
        result("metavqa.partition[object]", Tally(cases=3, holds=3), {}),
        result("metaic.object_appearance[0]", Tally(), {}),
        result("metaic.object_appearance[15]", Tally(cases=2, errors=1, waived=1), {}),
    ]
    assert captioning_summary(others, model="blip", data="coco:DIR") is None
    assert captioning_summary([], model="blip", data="coco:DIR") is None


PAPER = Path(__file__).parents[2] / "../shared/papers/carets.txt"

SIX = {
    "carets.rephrase": 0.966,
    "carets.order": 0.988,
    "carets.ontological": 0.940,
    "carets.visual": 0.890,
    "carets.antonym": 0.890,
    "carets.negation": 0.885,
}


def test_consistency_of_people() -> None:
    found = {test: reference.cons for test in SIX if (reference := human_reference(test))}
    assert found == SIX


@pytest.mark.skipif(not PAPER.exists(), reason="the text of the paper is not there")
@pytest.mark.parametrize(
    ("test", "table"),
    [
        ("carets.rephrase", "Table 8: Full results for REPHRASE-INV"),
        ("carets.order", "Table 9: Full results for ORDER-INV"),
        ("carets.ontological", "Table 10: Full results for ONTOLOGICAL-INV"),
        ("carets.antonym", "Table 11: Full results for ANTONYM-DIR"),
        ("carets.negation", "Table 12: Full results for NEGATION-DIR"),
    ],
)
def test_all_figures_are_those_of_the_paper(test: str, table: str) -> None:
    above = PAPER.read_text(encoding="utf-8").partition(table)[0]
    acc, original, perturbed, cons, c_acc = (
        float(each) for each in re.findall(r"^Human\t(.*)$", above, re.M)[-1].split()
    )
    reference = human_reference(test)
    assert reference is not None
    reached = (reference.acc, reference.acc_original, reference.acc_perturbed, reference.c_acc)
    assert reached == pytest.approx((acc / 100, original / 100, perturbed / 100, c_acc / 100))
    assert reference.cons == pytest.approx(cons / 100, abs=0.0005), "Table 1 has it with a digit less"


def test_of_the_variants_people_were_asked_about_two() -> None:
    # Table 2: hyponym against hypernym.
    own = [human_reference(f"carets.ontological[{variant}]") for variant in ("hypernym", "hyponym")]
    assert [each and each.cons for each in own] == [0.91, 0.96]
    others = ("carets.ontological[object_choice]", "carets.order[choices]", "carets.visual[blur3]")
    assert [human_reference(item) for item in others] == [None, None, None]
    assert human_reference("carets.order[choices]", "answers", "choices") is None


def test_the_published_tests_are_held_against_the_same_people() -> None:
    for name, test in {
        "phrasal_invariance": "carets.rephrase",
        "symmetry_invariance": "carets.order",
        "ontological_consistency": "carets.ontological",
        "negation_consistency": "carets.negation",
        "antonym_consistency": "carets.antonym",
    }.items():
        assert human_reference(f"carets.published[{name}]") == human_reference(test)
    assert human_reference("carets.published[one_of_mine]") is None


def test_yes_no_questions_and_choices_apart() -> None:
    # Table 18.
    choices = human_reference("carets.order", "answers", "choices")
    assert choices is not None
    assert (choices.acc, choices.cons, choices.c_acc) == (0.8261, 0.9873, 0.8236)
    assert human_reference("carets.published[symmetry_invariance]", "answers", "choices") == choices
    assert human_reference("carets.order", "choices", "2") is None
    assert human_reference("carets.negation", "answers", "binary") is None


def test_nobody_asked_people_about_other_relations() -> None:
    assert human_reference("metavqa.partition[object]") is None


def test_the_variants_of_a_relation_are_one_test_but_those_of_the_published() -> None:
    assert papers.carets_test_of("carets.visual[mask]") == "carets.visual"
    assert papers.carets_test_of("carets.negation") == "carets.negation"
    assert papers.carets_test_of("carets.published[phrasal_invariance]") == "carets.published[phrasal_invariance]"


def bits(positions: Iterable[int]) -> int:
    return sum(1 << position for position in positions)


def pairs_of(right: Iterable[int], unanswered: Iterable[int] = ()) -> Pairs:
    return Pairs(tally=PairTally(pairs=100), right=bits(right), unanswered=bits(unanswered))


def result_of_coverage(
    item: str, model: str, pairs: Pairs | None, *, data: str = "pictures:500", presumed: Pairs | None = None
) -> RelationResult:
    apart = StratumResult(
        tally=Tally(cases=100), breakdown={}, readings=Counter(), interval=(0.0, 1.0), gate=None, pairs=presumed
    )
    return RelationResult(
        position=0,
        item=item,
        version=1,
        claim="All is one.",
        model=ModelUse(name=model, fingerprint=model, tasks=("vqa",)),
        data=DataUse(spec=data, scenes=500, digest="0" * 16),
        tags=(),
        tally=Tally(cases=100),
        scenes_not_applicable=0,
        not_applicable={},
        breakdown={},
        readings=Counter(),
        interval=(0.0, 1.0),
        gate=None,
        presumed=apart if presumed else None,
        pairs=pairs,
    )


def test_the_share_of_the_column_that_the_row_has_right_too() -> None:
    (table,) = coverage_tables(
        [
            result_of_coverage("carets.order", "first", pairs_of([0, 1, 2, 900])),
            result_of_coverage("carets.order", "second", pairs_of([1, 900])),
            result_of_coverage("carets.order", "third", pairs_of([])),
        ]
    )
    # Of the second's two the first has both, of the first's four the second has two, and of none nobody has any.
    assert table == Coverage(
        test="carets.order",
        data="pictures:500",
        presumed=False,
        models=("first", "second", "third"),
        right=(4, 2, 0),
        shares=((1.0, 1.0, None), (0.5, 1.0, None), (0.0, 0.0, None)),
    )


def test_the_variants_of_a_relation_are_added_up_each_with_a_plan_of_its_own() -> None:
    (table,) = coverage_tables(
        [
            result_of_coverage("carets.visual[blur3]", "a", pairs_of([0, 1])),
            result_of_coverage("carets.visual[crop]", "a", pairs_of([5])),
            result_of_coverage("carets.visual[blur3]", "b", pairs_of([5])),
            result_of_coverage("carets.visual[crop]", "b", pairs_of([5, 0])),
        ]
    )
    # Position 5 of blur3 is another case than position 5 of crop.
    assert (table.test, table.right) == ("carets.visual", (3, 3))
    assert table.shares == ((1.0, 1 / 3), (1 / 3, 1.0))


def test_what_a_model_could_not_answer_does_not_count_against_it() -> None:
    (table,) = coverage_tables(
        [
            result_of_coverage("carets.order", "a", pairs_of([0], unanswered=[1, 2])),
            result_of_coverage("carets.order", "b", pairs_of([0, 1, 2, 3])),
        ]
    )
    assert table.shares == ((1.0, 0.5), (1.0, 1.0))


def test_presumed_cases_and_other_data_have_tables_of_their_own() -> None:
    results = [
        result_of_coverage("carets.order", model, pairs_of([0]), data=data, presumed=pairs_of([1]))
        for model in ("a", "b")
        for data in ("pictures:500", "gqa:DIR")
    ]
    found = [(table.data, table.presumed) for table in coverage_tables(results)]
    assert found == [("pictures:500", False), ("pictures:500", True), ("gqa:DIR", False), ("gqa:DIR", True)]


def test_one_model_alone_and_relations_without_pairs_have_no_table() -> None:
    assert (
        coverage_tables(
            [
                result_of_coverage("carets.order", "a", pairs_of([0])),
                result_of_coverage("carets.negation", "b", pairs_of([0])),
            ]
        )
        == ()
    )
    assert coverage_tables([result_of_coverage("control.repeat", model, None) for model in ("a", "b")]) == ()
    assert coverage_tables([result_of_coverage("carets.order", model, Pairs()) for model in ("a", "b")]) == ()


def test_a_variant_that_one_model_was_not_run_on_is_left_out() -> None:
    (table,) = coverage_tables(
        [
            result_of_coverage("carets.visual[blur3]", "a", pairs_of([0])),
            result_of_coverage("carets.visual[crop]", "a", pairs_of([1, 2])),
            result_of_coverage("carets.visual[blur3]", "b", pairs_of([0, 1])),
        ]
    )
    assert table.right == (1, 2)
    assert table.shares == ((1.0, 0.5), (1.0, 1.0))


def test_any_sets_of_right_pairs() -> None:
    chance = Random(1)
    for _ in range(200):
        models = [
            (
                {n for n in range(40) if chance.random() < 0.4},
                {n for n in range(40, 80) if chance.random() < 0.1},
            )
            for _ in range(3)
        ]
        (table,) = coverage_tables(
            [result_of_coverage("carets.order", str(name), pairs_of(*each)) for name, each in enumerate(models)]
        )
        wanted = tuple(
            tuple(len(ours & theirs) / len(theirs) if theirs else None for theirs, _ in models) for ours, _ in models
        )
        assert table.shares == wanted


PAPER_OF_ENTAILMENT = Path(__file__).parents[2] / "../shared/papers/veglue.txt"
MRS = ("veglue.mr1_joint_erase", "veglue.mr2_linked_erase", "veglue.mr3_unlinked_erase")
WIDTH = 120
"""So many columns a terminal is taken to have."""


def figures_of(cases: int, **sums: int) -> Figures:
    figure = {"issue": "issue", "inconsistent": "inconsistent", "right": "source right"}
    return {figure[name]: Figure(cases, total * 1_000_000) for name, total in sums.items()}


def result_of_entailment(
    item: str, tally: Tally, figures: Figures, presumed: tuple[Tally, Figures] | None = None
) -> RelationResult:
    apart = presumed and StratumResult(
        tally=presumed[0], breakdown={}, readings=Counter(), interval=(0.0, 1.0), gate=None, figures=presumed[1]
    )
    return RelationResult(
        position=0,
        item=item,
        version=1,
        claim="All is one.",
        model=ModelUse(name="mine", fingerprint="mine", tasks=("entailment",)),
        data=DataUse(spec="pictures:500", scenes=500, digest="0" * 16),
        tags=(),
        tally=tally,
        scenes_not_applicable=0,
        not_applicable={},
        breakdown={},
        readings=Counter(),
        interval=(0.0, 1.0),
        gate=None,
        presumed=apart or None,
        figures=figures,
    )


MR1 = result_of_entailment(
    MRS[0], Tally(cases=10, holds=6, violated=3, unparsed=1), figures_of(10, issue=4, inconsistent=2, right=8)
)
MR2 = result_of_entailment(
    MRS[1],
    Tally(cases=4, holds=1, violated=3),
    figures_of(4, issue=3, inconsistent=3, right=4),
    presumed=(Tally(cases=6, holds=6), figures_of(6, issue=0, inconsistent=0, right=3)),
)
MR3 = result_of_entailment(MRS[2], Tally(cases=5, holds=5), figures_of(5, issue=0, inconsistent=0, right=5))


def rows(*results: RelationResult) -> list[Mapping[str, object]]:
    found = entailment_summary(results, model="mine", data="pictures:500")
    return [dict(row) for row in found.rows] if found else []


def test_both_readings_are_kept_apart() -> None:
    assert rows(MR1) == [
        {
            "relation": "veglue.mr1_joint_erase",
            "GNUM": 10,
            "INUM": 4,
            "IFR": 0.4,
            "inconsistent": 0.2,
            "source right": 0.8,
            "published IFR": "0.439 to 0.868",
        }
    ]


def test_what_is_presumed_has_a_row_of_its_own() -> None:
    told = [(row["relation"], row["GNUM"], row["INUM"], row["IFR"]) for row in rows(MR2)]
    assert told == [(MRS[1], 4, 3, 0.75), (f"{MRS[1]} (presumed)", 6, 0, 0.0)]


def test_where_a_label_is_demanded_twice_an_issue_is_still_one_that_is_not_entailment() -> None:
    # Two of eight differ; of the others, three are neutral twice.
    same = result_of_entailment(
        "text.word_substitution",
        Tally(cases=8, holds=6, violated=2),
        figures_of(8, issue=4, inconsistent=1, right=5),
    )
    (row,) = rows(same)
    assert (row["GNUM"], row["INUM"], row["IFR"], row["inconsistent"]) == (8, 4, 0.5, 0.125)


def test_the_total_is_the_mean_of_three_rates_as_in_the_paper() -> None:
    found = entailment_summary([MR1, MR2, MR3], model="mine", data="pictures:500")
    assert found is not None
    assert found.totals["mean IFR of MR1 to MR3"] == pytest.approx((0.4 + 0.3 + 0) / 3)
    for which in ([MR1, MR2], [MR3]):
        partly = entailment_summary(which, model="mine", data="pictures:500")
        assert partly is not None
        assert partly.totals == {}


def test_only_items_with_cases_are_there() -> None:
    others = [
        result_of_entailment("metavqa.reorder[object]", Tally(cases=3, holds=3), {}),
        result_of_entailment(MRS[0], Tally(), {}),
        result_of_entailment("corruption[zoom-global]", Tally(cases=3, holds=3), {}),
    ]
    assert entailment_summary(others, model="mine", data="pictures:500") is None
    errors = result_of_entailment(MRS[0], Tally(cases=3, errors=3), {})
    (row,) = rows(errors)
    assert (row["GNUM"], row["IFR"], row["inconsistent"]) == (0, None, None)


def test_every_item_about_hypotheses_has_published_rates() -> None:
    named = [
        relation.info.item(variant) for relation, variant in catalogue.select(("veglue.*", "text.*"), ("veglue.vqa_*",))
    ]
    assert set(named) == set(PUBLISHED_IFR)


def test_the_table_fits_a_terminal() -> None:
    found = entailment_summary(
        [result_of_entailment(item, Tally(cases=9, holds=9), {}) for item in PUBLISHED_IFR], model="mine", data="x"
    )
    assert found is not None
    table = summary_table(found)
    assert max(map(len, [*table.lines, *table.notes])) < WIDTH - len(" (presumed)")


def test_a_run_tells_them(tmp_path: Path) -> None:
    pytest.importorskip("cv2")
    made = run_into(tmp_path, model="fault:entails-everything", relations=MRS)
    summary, models = summaries(made.relations)
    assert (summary.kind, models.kind) == ("entailment", "issues")
    told = {row["relation"]: (row["IFR"], row["inconsistent"], row["source right"]) for row in summary.rows}
    # It is right before, and sees nothing go.
    assert told == {MRS[0]: (0, 0, 1), MRS[1]: (1, 1, 1), MRS[2]: (0, 0, 1)}
    assert summary.totals["mean IFR of MR1 to MR3"] == pytest.approx(1 / 3)


# ---- the paper's tables


def cells(heading: str, row: str, count: int) -> tuple[float, ...]:
    """Percentages of a table, of the row that begins so, or the one after it."""
    text = PAPER_OF_ENTAILMENT.read_text(encoding="utf-8")
    found = re.findall(r"([\d.]+)%", text.partition(heading)[2].partition(row)[2])
    return tuple(round(float(cell) / 100, 4) for cell in found[:count])


needs_paper = pytest.mark.skipif(not PAPER_OF_ENTAILMENT.exists(), reason="the text of the paper is not there")
SYSTEMS = ("OFA-VE", "ALBEF-VE", "LLaVA", "GPT-4V")


@needs_paper
def test_rates_of_the_relations_are_those_of_the_paper() -> None:
    below = "Table 2: The quality"
    for place, system in enumerate(SYSTEMS):
        own = cells(below, f"\n{system}", 7)
        expected = (
            "text.antonym_swap",
            "text.word_substitution",
            *(f"veglue.corruption[{kind}-global]" for kind in ("impulse", "zoom", "snow", "contrast")),
        )
        assert own[0] == PUBLISHED_MEAN[place]
        assert own[1:] == tuple(PUBLISHED_IFR[item][place] for item in expected)
        relations = cells("VE Systems\tMetrics\tMR1", f"\n{system}", 3)
        assert relations == tuple(PUBLISHED_IFR[item][place] for item in MRS)


@needs_paper
def test_rates_in_boxes_are_those_of_the_paper() -> None:
    for place, system in enumerate(SYSTEMS):
        own = cells("Table 6: The Issue Finding Rate", f"\n{system}\tObject", 8)
        if system == "GPT-4V":
            own = own[::2]  # both regions stand in one row
        kinds = ("impulse", "zoom", "snow", "contrast")
        assert own[:4] == tuple(PUBLISHED_IFR[f"veglue.corruption[{kind}-object]"][place] for kind in kinds)


def test_the_mean_is_that_of_three_rates() -> None:
    for place, mean in enumerate(PUBLISHED_MEAN):
        assert mean == pytest.approx(sum(PUBLISHED_IFR[item][place] for item in MRS) / 3, abs=0.001)


CASES = 200


def result_of_noise(item: str, figures: Mapping[str, float], *, holds: int = 150, cases: int = CASES) -> RelationResult:
    """A result with the mean of each figure over all cases."""
    return RelationResult(
        position=0,
        item=item,
        version=1,
        claim="All is one.",
        model=ModelUse(name="a", fingerprint="a", tasks=("vqa",)),
        data=DataUse(spec="d", scenes=500, digest="0" * 16),
        tags=(),
        tally=Tally(cases=cases, holds=holds, violated=cases - holds),
        scenes_not_applicable=0,
        not_applicable={},
        breakdown={},
        readings=Counter(),
        interval=(0.0, 1.0),
        gate=None,
        figures={name: Figure(CASES, round(mean * CASES * 1_000_000)) for name, mean in figures.items()},
    )


def partition(number: int, noisy: float | None = None, *, holds: int = 150) -> RelationResult:
    figures = {} if noisy is None else {"clean": 0.5802, "noisy": noisy}
    return result_of_noise(f"basic_questions.noise[{number}]", figures, holds=holds)


def summary_of_noise(*results: RelationResult) -> Summary:
    found = noise_summary(results, model="a", data="d")
    assert found is not None
    return found


# Table 2 (f) of Huang et al., LSTM Q+I on test-dev.
LSTM = (0.4447, 0.4275, 0.4097, 0.4086, 0.4070, 0.4019, 0.3921)


def test_the_paper_s_table_from_its_figures() -> None:
    own = {"clean": 0.5802, "noisy": 0.4447, "noisy other": 0.2924, "noisy number": 0.3377, "noisy yes/no": 0.6514}
    found = summary_of_noise(result_of_noise("basic_questions.noise[1]", {**own, "clean other": 0.4340}))
    (row,) = found.rows
    assert (found.kind, found.model, found.data) == ("noise", "a", "d")
    assert list(row) == [
        "relation", "pairs", "same answer", "clean", "noisy", "drop", "R_score", "other", "number", "yes/no",
    ]  # fmt: skip
    assert (row["relation"], row["pairs"], row["same answer"]) == ("basic_questions.noise[1]", 200, 0.75)
    assert [row[name] for name in ("clean", "noisy", "drop", "other", "number", "yes/no")] == pytest.approx(
        [58.02, 44.47, 13.55, 29.24, 33.77, 65.14]
    )
    assert row["R_score"] == pytest.approx(0.19, abs=0.005)


def test_all_seven_in_order_with_the_totals() -> None:
    shuffled = [partition(number, LSTM[number - 1]) for number in (3, 1, 7, 2, 6, 5, 4)]
    found = summary_of_noise(*shuffled, result_of_noise("control.repeat", {"noisy": 1.0}))
    assert [row["relation"] for row in found.rows] == [f"basic_questions.noise[{number}]" for number in range(1, 8)]
    assert found.totals["R_score"] == found.rows[0]["R_score"]
    assert found.totals["monotonicity"] == 1
    swapped = summary_of_noise(
        *(partition(number, noisy) for number, noisy in enumerate((*LSTM[:5], LSTM[6], LSTM[5]), 1))
    )
    assert swapped.totals["monotonicity"] == pytest.approx(19 / 21)


def test_of_some_partitions_there_is_no_trend_and_without_the_first_no_score() -> None:
    found = summary_of_noise(*(partition(number, LSTM[number - 1]) for number in range(2, 8)))
    assert found.totals == {"R_score": None, "monotonicity": None}
    assert summary_of_noise(partition(1, LSTM[0])).totals["monotonicity"] is None


def test_where_no_answer_is_known_the_same_answers_tell_the_trend() -> None:
    found = summary_of_noise(*(partition(number, holds=100 - number) for number in range(1, 8)))
    assert found.totals == {"R_score": None, "monotonicity": 1.0}
    assert {row["clean"] for row in found.rows} == {row["drop"] for row in found.rows} == {None}
    assert found.rows[6]["same answer"] == 93 / 200


def test_a_gain_is_a_negative_drop_and_counts_as_a_loss_does() -> None:
    (row,) = summary_of_noise(partition(1, 0.5802 + 0.1355)).rows
    assert row["drop"] == pytest.approx(-13.55)
    assert row["R_score"] == pytest.approx(0.19, abs=0.005)


def test_without_such_items_or_without_cases_there_is_no_table() -> None:
    assert noise_summary([], model="a", data="d") is None
    assert noise_summary([result_of_noise("carets.order", {"noisy": 1.0})], model="a", data="d") is None
    empty = result_of_noise("basic_questions.noise[1]", {}, holds=0, cases=0)
    assert noise_summary([empty], model="a", data="d") is None
    assert len(summary_of_noise(empty, partition(2, 0.5)).rows) == 1


@pytest.mark.parametrize(
    ("model", "difference", "score"),
    [
        ("LSTM Q+I", 13.55, 0.19),
        ("HieCoAtt (Alt, VGG19)", 5.85, 0.48),
        ("HieCoAtt (Alt, Resnet200)", 6.59, 0.45),
        ("MUTAN without attention", 10.20, 0.30),
        ("MUTAN with attention", 9.13, 0.34),
        ("MLB with attention", 8.67, 0.36),
    ],
)
def test_the_paper_s_models(model: str, difference: float, score: float) -> None:
    # Huang et al., AAAI 2019: differences of Table 2, scores of Table 1.
    assert round(r_score(difference), 2) == score, model


@pytest.mark.parametrize(
    ("difference", "t", "m", "score"),
    [
        (0.0, 0.05, 20.0, 1.0),
        (0.05, 0.05, 20.0, 1.0),
        (20.0, 0.05, 20.0, 0.0),
        (100.0, 0.05, 20.0, 0.0),
        (4.0, 1.0, 9.0, 0.5),  # (3 - 2) / (3 - 1)
        (-4.0, 1.0, 9.0, 0.5),
        (4.0, 0.0, 16.0, 0.5),  # (4 - 2) / 4
    ],
)
def test_it_falls_from_1_at_the_tolerance_to_0_at_the_limit(
    difference: float, t: float, m: float, score: float
) -> None:
    assert r_score(difference, t=t, m=m) == pytest.approx(score)


@pytest.mark.parametrize(("t", "m"), [(20.0, 20.0), (-1.0, 20.0), (0.05, 101.0), (21.0, 20.0)])
def test_parameters_that_make_no_sense_are_refused(t: float, m: float) -> None:
    with pytest.raises(VqamtError, match=f"0 <= t < m <= 100, but got t={t}, m={m}"):
        r_score(5, t=t, m=m)


@given(st.floats(-100, 100), st.floats(-100, 100))
def test_more_change_never_scores_better(one: float, other: float) -> None:
    less, more = sorted((one, other), key=abs)
    assert 1 >= r_score(less) >= r_score(more) >= 0


@pytest.mark.parametrize(
    ("model", "accuracies", "falls"),
    [
        # Table 2, open-ended, All, on test-dev. Each rise between two of the seven takes 2 of 21.
        ("LSTM Q+I", (44.47, 42.75, 40.97, 40.86, 40.70, 40.19, 39.21), 1.0),
        ("HieCoAtt (Alt, VGG19)", (54.63, 52.67, 51.08, 51.34, 49.99, 50.27, 48.92), 17 / 21),
        ("HieCoAtt (Alt, Resnet200)", (55.22, 53.34, 51.84, 51.88, 51.23, 51.12, 49.54), 19 / 21),
        # 46.27 is below the fourth and the fifth, 46.30 below the fifth.
        ("MUTAN without attention", (49.96, 48.67, 46.27, 46.30, 46.41, 46.22, 45.57), 15 / 21),
        ("MUTAN with attention", (56.85, 54.88, 54.00, 53.35, 52.88, 52.46, 52.46), 20 / 21),
        ("MLB with attention", (57.12, 55.98, 55.16, 54.84, 54.05, 53.34, 52.99), 1.0),
    ],
)
def test_monotonicity_of_the_paper_s_models(model: str, accuracies: tuple[float, ...], falls: float) -> None:
    assert monotonicity(accuracies) == pytest.approx(falls), model


@pytest.mark.parametrize(
    ("values", "falls"),
    [((1, 2, 3), -1.0), ((3, 2, 1), 1.0), ((1, 1, 1), 0.0), ((2, 1), 1.0), ((2,), None), ((), None)],
)
def test_monotonicity_by_hand(values: tuple[float, ...], falls: float | None) -> None:
    assert monotonicity(values) == falls


@given(st.lists(st.integers(0, 9), min_size=2, max_size=9))
def test_the_other_way_round_what_fell_rises(values: list[int]) -> None:
    there, back = monotonicity(values), monotonicity(values[::-1])
    assert there is not None
    assert there == -(back or 0)
    assert -1 <= there <= 1
