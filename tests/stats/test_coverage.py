"""Which of one model's right pairs another has right, too: by positions of the plan that all models share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from random import Random

from pytest_vqamt.core.pairs import Pairs, PairTally
from pytest_vqamt.core.results import Coverage, DataUse, ModelUse, Presumed, RelationResult
from pytest_vqamt.core.tallies import Tally
from pytest_vqamt.stats.papers import coverage


def bits(positions: Iterable[int]) -> int:
    return sum(1 << position for position in positions)


def pairs_of(right: Iterable[int], unanswered: Iterable[int] = ()) -> Pairs:
    return Pairs(tally=PairTally(pairs=100), right=bits(right), unanswered=bits(unanswered))


def result(
    item: str, model: str, pairs: Pairs | None, *, data: str = "pictures:500", presumed: Pairs | None = None
) -> RelationResult:
    apart = Presumed(
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
    (table,) = coverage(
        [
            result("carets.order", "first", pairs_of([0, 1, 2, 900])),
            result("carets.order", "second", pairs_of([1, 900])),
            result("carets.order", "third", pairs_of([])),
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
    (table,) = coverage(
        [
            result("carets.visual[blur3]", "a", pairs_of([0, 1])),
            result("carets.visual[crop]", "a", pairs_of([5])),
            result("carets.visual[blur3]", "b", pairs_of([5])),
            result("carets.visual[crop]", "b", pairs_of([5, 0])),
        ]
    )
    # Position 5 of blur3 is another case than position 5 of crop.
    assert (table.test, table.right) == ("carets.visual", (3, 3))
    assert table.shares == ((1.0, 1 / 3), (1 / 3, 1.0))


def test_what_a_model_could_not_answer_does_not_count_against_it() -> None:
    (table,) = coverage(
        [
            result("carets.order", "a", pairs_of([0], unanswered=[1, 2])),
            result("carets.order", "b", pairs_of([0, 1, 2, 3])),
        ]
    )
    assert table.shares == ((1.0, 0.5), (1.0, 1.0))


def test_presumed_cases_and_other_data_have_tables_of_their_own() -> None:
    results = [
        result("carets.order", model, pairs_of([0]), data=data, presumed=pairs_of([1]))
        for model in ("a", "b")
        for data in ("pictures:500", "gqa:DIR")
    ]
    found = [(table.data, table.presumed) for table in coverage(results)]
    assert found == [("pictures:500", False), ("pictures:500", True), ("gqa:DIR", False), ("gqa:DIR", True)]


def test_one_model_alone_and_relations_without_pairs_have_no_table() -> None:
    assert coverage([result("carets.order", "a", pairs_of([0])), result("carets.negation", "b", pairs_of([0]))]) == ()
    assert coverage([result("control.repeat", model, None) for model in ("a", "b")]) == ()
    assert coverage([result("carets.order", model, Pairs()) for model in ("a", "b")]) == ()


def test_a_variant_that_one_model_was_not_run_on_is_left_out() -> None:
    (table,) = coverage(
        [
            result("carets.visual[blur3]", "a", pairs_of([0])),
            result("carets.visual[crop]", "a", pairs_of([1, 2])),
            result("carets.visual[blur3]", "b", pairs_of([0, 1])),
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
        (table,) = coverage([result("carets.order", str(name), pairs_of(*each)) for name, each in enumerate(models)])
        wanted = tuple(
            tuple(len(ours & theirs) / len(theirs) if theirs else None for theirs, _ in models) for ours, _ in models
        )
        assert table.shares == wanted
