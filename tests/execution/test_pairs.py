"""Pairs are counted on the way: apart where presumed, not where there is an error, by their place in the plan."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import reduce
from operator import add

from pytest_vqamt.core.case import Case, NotApplicable, PairKind, RelationInfo, Verdict
from pytest_vqamt.core.events import Event, Judged
from pytest_vqamt.core.meaning import Absent, Exists, Meaning
from pytest_vqamt.core.pairs import Pairs
from pytest_vqamt.core.query import Answer, Query, Task
from pytest_vqamt.core.results import RelationResult
from pytest_vqamt.execution.answer_cache import AnswerStores
from pytest_vqamt.execution.plan import Job, RunOptions, Sampling
from pytest_vqamt.execution.run_item import run_item
from pytest_vqamt.relations import expectations
from pytest_vqamt.relations.draw import Draw
from pytest_vqamt.sampling.chooser import Sampler
from pytest_vqamt.stats.papers import human_reference
from tests.execution.worlds import Model, Rule, Scenes, loaded
from tests.making import group_of


@dataclass(frozen=True, slots=True)
class Negated:
    """Whether there is a dog or a cat, and whether there is none; by thousands, so that no two cases are alike.

    Every scene has a dog and no cat. Cases of odd numbers are presumed.
    """

    presumes: bool = False
    name: str = "ours.negated"

    @property
    def info(self) -> RelationInfo:
        return RelationInfo(
            name=self.name, task=Task.VQA, claim="One yes, one no.", source="here", breakdown=("truth",),
            pairs=PairKind.OPPOSITE,
        )  # fmt: skip

    def derive(self, draw: Draw) -> Case | NotApplicable:
        number = draw.choose.between(0, 999)
        there = number % 4 < 2
        group = group_of("dog" if there else "cat")
        texts = (f"{group.name} {number}", f"no {group.name} {number}")
        meanings: tuple[Meaning, ...] = (Exists(group=group), Absent(group=group))
        return Case(
            relation=self.name,
            variant=draw.variant,
            scene=draw.scene.id,
            queries=tuple(
                Query(picture=draw.picture, text=text, meaning=meaning)
                for text, meaning in zip(texts, meanings, strict=True)
            ),
            expected="one yes, one no",
            facts=(("truth", there),),
            tags=("presumed",) if self.presumes and number % 2 else (),
        )

    def judge(self, case: Case, answers: Sequence[Answer]) -> Verdict:
        return expectations.opposite_answer(case, answers)


def sees_dogs(text: str) -> str:
    """Right about dogs, deaf to "no", and silent about some numbers."""
    if text.endswith("7"):
        raise RuntimeError("seven")
    return "yes" if "dog" in text else "no"


@dataclass(slots=True)
class Told:
    judged: list[Judged] = field(default_factory=list)

    def __call__(self, event: Event) -> None:
        if isinstance(event, Judged):
            self.judged.append(event)


def result_of(
    rule: Negated | Rule,
    *,
    shard: tuple[int, int] = (1, 1),
    told: Told | None = None,
    waived: tuple[str, ...] = (),
    shrink: int = 0,
) -> RelationResult:
    terms = RunOptions(
        sampling=Sampling(max_cases=60, sampler=Sampler.RANDOM, shard=shard),
        shrink=shrink,
        waived=dict.fromkeys(waived, "unclear"),
    )
    job = Job(relation=rule, variant="", model=loaded(Model(reply=sees_dogs)), source=Scenes(5))
    stores = AnswerStores(None)
    try:
        return run_item(job, terms, stores, told or Told())
    finally:
        stores.close()


def pairs(result: RelationResult) -> Pairs:
    assert result.pairs is not None
    return result.pairs


def is_silent(case: Case) -> bool:
    return any(query.text.endswith("7") for query in case.queries)


def test_every_pair_that_was_judged_is_counted() -> None:
    told = Told()
    found = pairs(result_of(Negated(), told=told, shrink=10))
    answered = [each.case for each in told.judged if not is_silent(each.case)]
    dogs = [case for case in answered if "dog" in case.queries[0].text]
    tally = found.tally
    assert (tally.pairs, tally.binary_answers, tally.yes) == (len(answered), 2 * len(answered), 2 * len(dogs))
    # Whether there is a dog it knows, and whether there is a cat; the negated questions it takes for the plain ones.
    assert (tally.right_first, tally.right_second, tally.both_right) == (len(answered), 0, 0)
    assert (tally.consistent, tally.consistent_authors) == (0, 0)
    assert {value: each.pairs for value, each in found.by["truth"].items()} == {
        "true": len(dogs),
        "false": len(answered) - len(dogs),
    }
    assert 0 < found.unanswered.bit_count() == 60 - len(answered)


def test_the_bits_are_places_in_the_plan_of_all_shards() -> None:
    told = Told()
    whole = result_of(Negated(), told=told)
    silent = [place for place, each in enumerate(told.judged) if is_silent(each.case)]
    assert pairs(whole).unanswered == sum(1 << place for place in silent)
    shares = [pairs(result_of(Negated(), shard=(number, 3))) for number in (1, 2, 3)]
    assert all(share.tally.pairs for share in shares)
    assert reduce(add, shares) == pairs(whole)


def test_presumed_pairs_are_counted_apart() -> None:
    result = result_of(Negated(presumes=True))
    assert result.presumed is not None
    assert result.presumed.pairs is not None
    sure, presumed = pairs(result), result.presumed.pairs
    assert sure.tally.pairs + presumed.tally.pairs == pairs(result_of(Negated())).tally.pairs
    assert presumed.tally.pairs == result.presumed.tally.judged > 0
    assert sure.unanswered == 0 < presumed.unanswered, "numbers that end in 7 are odd"


def test_waived_pairs_are_in_no_metric() -> None:
    told = Told()
    before = pairs(result_of(Negated(), told=told))
    waived = tuple(each.case.id for each in told.judged[:10])
    after = pairs(result_of(Negated(), waived=waived))
    answered = sum(not is_silent(each.case) for each in told.judged[:10])
    assert after.tally.pairs == before.tally.pairs - answered
    assert after.unanswered == before.unanswered >> 10 << 10


def test_what_people_reach_stands_beside_it() -> None:
    assert result_of(Negated(name="carets.negation")).reference == human_reference("carets.negation")
    assert result_of(Negated()).reference is None


def test_a_relation_that_feeds_no_pairs_has_none() -> None:
    assert result_of(Rule()).pairs is None
