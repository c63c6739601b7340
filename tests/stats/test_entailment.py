"""VEglue's figures of items about hypotheses: counts, both readings, and what is published."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import pytest

from pytest_vqamt.core.case import Figure, Figures
from pytest_vqamt.core.results import DataUse, ModelUse, Presumed, RelationResult
from pytest_vqamt.core.tallies import Tally
from pytest_vqamt.relations import catalogue
from pytest_vqamt.reporting.paper_tables import summary_rows, totals_in_words
from pytest_vqamt.reporting.text import table
from pytest_vqamt.stats.papers import PUBLISHED_IFR, PUBLISHED_MEAN, entailment, summaries
from tests.reporting.running import run_into

PAPER = Path(__file__).parents[2] / "../shared/papers/veglue.txt"
MRS = ("veglue.mr1_joint_erase", "veglue.mr2_linked_erase", "veglue.mr3_unlinked_erase")
WIDTH = 120
"""So many columns a terminal is taken to have."""


def figures_of(cases: int, **sums: int) -> Figures:
    figure = {"issue": "issue", "inconsistent": "inconsistent", "right": "source right"}
    return {figure[name]: Figure(cases, total * 1_000_000) for name, total in sums.items()}


def result(item: str, tally: Tally, figures: Figures, presumed: tuple[Tally, Figures] | None = None) -> RelationResult:
    apart = presumed and Presumed(
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


MR1 = result(MRS[0], Tally(cases=10, holds=6, violated=3, unparsed=1), figures_of(10, issue=4, inconsistent=2, right=8))
MR2 = result(
    MRS[1],
    Tally(cases=4, holds=1, violated=3),
    figures_of(4, issue=3, inconsistent=3, right=4),
    presumed=(Tally(cases=6, holds=6), figures_of(6, issue=0, inconsistent=0, right=3)),
)
MR3 = result(MRS[2], Tally(cases=5, holds=5), figures_of(5, issue=0, inconsistent=0, right=5))


def rows(*results: RelationResult) -> list[Mapping[str, object]]:
    found = entailment(results, model="mine", data="pictures:500")
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
    same = result(
        "text.word_substitution",
        Tally(cases=8, holds=6, violated=2),
        figures_of(8, issue=4, inconsistent=1, right=5),
    )
    (row,) = rows(same)
    assert (row["GNUM"], row["INUM"], row["IFR"], row["inconsistent"]) == (8, 4, 0.5, 0.125)


def test_the_total_is_the_mean_of_three_rates_as_in_the_paper() -> None:
    found = entailment([MR1, MR2, MR3], model="mine", data="pictures:500")
    assert found is not None
    assert found.totals["mean IFR of MR1 to MR3"] == pytest.approx((0.4 + 0.3 + 0) / 3)
    for which in ([MR1, MR2], [MR3]):
        partly = entailment(which, model="mine", data="pictures:500")
        assert partly is not None
        assert partly.totals == {}


def test_only_items_with_cases_are_there() -> None:
    others = [
        result("metavqa.reorder[object]", Tally(cases=3, holds=3), {}),
        result(MRS[0], Tally(), {}),
        result("corruption[zoom-global]", Tally(cases=3, holds=3), {}),
    ]
    assert entailment(others, model="mine", data="pictures:500") is None
    errors = result(MRS[0], Tally(cases=3, errors=3), {})
    (row,) = rows(errors)
    assert (row["GNUM"], row["IFR"], row["inconsistent"]) == (0, None, None)


def test_every_item_about_hypotheses_has_published_rates() -> None:
    named = [
        relation.info.item(variant) for relation, variant in catalogue.select(("veglue.*", "text.*"), ("veglue.vqa_*",))
    ]
    assert set(named) == set(PUBLISHED_IFR)


def test_the_table_fits_a_terminal() -> None:
    found = entailment([result(item, Tally(cases=9, holds=9), {}) for item in PUBLISHED_IFR], model="mine", data="x")
    assert found is not None
    lines = [*table(summary_rows(found)), *totals_in_words(found)]
    assert max(map(len, lines)) < WIDTH - len(" (presumed)")


def test_a_run_tells_them(tmp_path: Path) -> None:
    made = run_into(tmp_path, model="fault:entails-everything", relations=MRS)
    (summary,) = summaries(made.relations)
    told = {row["relation"]: (row["IFR"], row["inconsistent"], row["source right"]) for row in summary.rows}
    # It is right before, and sees nothing go.
    assert told == {MRS[0]: (0, 0, 1), MRS[1]: (1, 1, 1), MRS[2]: (0, 0, 1)}
    assert summary.totals["mean IFR of MR1 to MR3"] == pytest.approx(1 / 3)


# ---- the paper's tables


def cells(heading: str, row: str, count: int) -> tuple[float, ...]:
    """Percentages of a table, of the row that begins so, or the one after it."""
    text = PAPER.read_text(encoding="utf-8")
    found = re.findall(r"([\d.]+)%", text.partition(heading)[2].partition(row)[2])
    return tuple(round(float(cell) / 100, 4) for cell in found[:count])


needs_paper = pytest.mark.skipif(not PAPER.exists(), reason="the text of the paper is not there")
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
