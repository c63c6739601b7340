"""What MetaIC reports of a captioning model, worked out from its items."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from pytest_vqamt.core.case import Figure
from pytest_vqamt.core.results import DataUse, ModelUse, Presumed, RelationResult, Summary
from pytest_vqamt.core.tallies import Tally
from pytest_vqamt.stats.papers import captioning


def figures(cases: int, **sums: int) -> dict[str, Figure]:
    return {name: Figure(cases, 1_000_000 * total) for name, total in sums.items()}


def result(
    item: str,
    tally: Tally,
    found: Mapping[str, Figure],
    presumed: tuple[Tally, Mapping[str, Figure]] | None = None,
) -> RelationResult:
    apart = presumed and Presumed(
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
    found = captioning(results, model="blip", data="coco:DIR")
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


def test_a_pair_is_suspicious_where_it_violates_either_relation() -> None:
    # Yu et al., section 3.4. No pair is counted twice: the second is judged where the first holds.
    assert dict(summary(APPEARANCE, FORMS).totals) == {
        "suspicious issues at overlap 15": 39,
        "share of pairs at overlap 15": 39 / 98,
    }


def test_levels_are_told_apart() -> None:
    other = result("metaic.object_appearance[0]", Tally(cases=10, holds=10), figures(10, suspicious=0))
    same = result("metaic.singular_plural[0]", Tally(cases=10, holds=9, violated=1), figures(10, suspicious=1))
    assert dict(summary(other, APPEARANCE, same, FORMS).totals) == {
        "suspicious issues at overlap 0": 1,
        "share of pairs at overlap 0": 0.1,
        "suspicious issues at overlap 15": 39,
        "share of pairs at overlap 15": 39 / 98,
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
    assert captioning(others, model="blip", data="coco:DIR") is None
    assert captioning([], model="blip", data="coco:DIR") is None
