"""The metrics of the published pairs agree with ones worked out from the authors' files alone, by their definitions."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import pytest

from pytest_vqamt.core.case import Case, PairKind
from pytest_vqamt.core.pairs import PairCounter, PairTally
from pytest_vqamt.core.tallies import CaseCounter
from pytest_vqamt.data.carets import load
from pytest_vqamt.execution.plan import Plan, Sampling
from pytest_vqamt.relations.published import PUBLISHED_TESTS, PublishedPairs
from tests.making import answers_of

REAL = Path(__file__).parents[3] / "../shared/data/carets"
GARBAGE = ("banana", "maybe")
"""Neither yes nor no, and no choice of any published question."""

pytestmark = [
    pytest.mark.skipif(not REAL.is_dir(), reason="the data of ../shared/data is not here"),
    pytest.mark.filterwarnings("ignore:.*which is not there:UserWarning"),
]

DIRECTIONAL = ("antonym_consistency", "negation_consistency")
FILES: Mapping[str, tuple[str, ...]] = {
    "antonym_consistency": ("*_antonym_test.json",),
    "ontological_consistency": ("*_ontology_ontology_test.json",),
    "phrasal_invariance": ("*_template_test.json",),
    "symmetry_invariance": ("*_symmetric_test.json",),
    "negation_consistency": ("*_negation_test.json",),
}
"""By what the names of the files say, and not by default.yml."""


@dataclass(frozen=True)
class Row:
    """Two records of a file that stand one after the other there: original and perturbed."""

    name: str
    first: str
    second: str
    options: tuple[str, ...]

    @property
    def is_binary(self) -> bool:
        return not self.options


def rows(test: str) -> list[Row]:
    found = []
    for pattern in FILES[test]:
        for file in REAL.glob(pattern):
            records: list[dict[str, Any]] = json.loads(file.read_text())
            for one, other in zip(records[::2], records[1::2], strict=True):
                assert other["question_id"].rpartition("-")[0] == one["question_id"]
                options = [value for key, value in one["assignment"].items() if "options" in key]
                [first], [second] = one["label"], other["label"]
                name = f"{file.name}:{other['question_id']}"
                found.append(Row(name, first, second, tuple(options[0]) if options else ()))
    return found


def predictions(row: Row, random: Random, right: float) -> tuple[str, str]:
    """An answer to each question: right with this probability, else anything."""
    wrong = (*(row.options or ("yes", "no")), *GARBAGE)
    first, second = (said if random.random() < right else random.choice(wrong) for said in (row.first, row.second))
    return first, second


def metrics(test: str, pairs: list[tuple[Row, tuple[str, str]]]) -> dict[str, float]:
    """Section 5.3 of the paper, and what the authors' own scorer makes of the same answers.

    That takes a directional pair whose answers differ, and an ontological one also where the first answer is wrong; a
    pair is comprehended where it takes it and the first answer is right.
    """
    total: dict[str, float] = defaultdict(float)
    for row, (one, other) in pairs:
        right = one == row.first, other == row.second
        if test in DIRECTIONAL:
            keeps, keeps_authors = sorted((one, other)) == ["no", "yes"], one != other
        else:
            keeps = keeps_authors = one == other
            if test == "ontological_consistency":
                keeps_authors = keeps or not right[0]
        total["acc"] += sum(right) / 2
        total["acc_original"] += right[0]
        total["acc_perturbed"] += right[1]
        total["cons"] += keeps
        total["c_acc"] += all(right)
        total["cons_authors"] += keeps_authors
        total["c_acc_authors"] += keeps_authors and right[0]
        total["pass_rate"] += keeps and not {one, other} & set(GARBAGE)
    return {name: total[name] / len(pairs) for name in NAMES}


NAMES = ("acc", "acc_original", "acc_perturbed", "cons", "c_acc", "cons_authors", "c_acc_authors", "pass_rate")


def rates(tally: PairTally, pass_rate: float | None) -> dict[str, float | None]:
    return {name: getattr(tally, name) for name in NAMES[:-1]} | {"pass_rate": pass_rate}


@pytest.fixture(scope="module")
def cases() -> dict[str, dict[str, Case]]:
    """Every case of each test by the name of its perturbed question."""
    source, sampling = load(str(REAL)), Sampling(all_published=True)
    plans = {
        test: Plan(relation=PublishedPairs(), variant=test, source=source, sampling=sampling)
        for test in PUBLISHED_TESTS
    }
    return {test: {str(case.fact("published")): case for case in plan} for test, plan in plans.items()}


def random_sets(test: str, sets: int) -> Iterator[list[tuple[Row, tuple[str, str]]]]:
    found = rows(test)
    for number in range(sets):
        random = Random(f"{test} {number}")
        right = random.random()
        yield [(row, predictions(row, random, right)) for row in found]


@pytest.mark.parametrize("sets", [20, pytest.param(1000, marks=pytest.mark.full)])
@pytest.mark.parametrize("test", PUBLISHED_TESTS)
def test_they_agree_on_random_predictions(test: str, sets: int, cases: dict[str, dict[str, Case]]) -> None:
    relation = PublishedPairs()
    assert {row.name for row in rows(test)} == set(cases[test])
    for predicted in random_sets(test, sets):
        counts = CaseCounter(pairs=PairCounter(PairKind.SAME))
        for position, (row, texts) in enumerate(predicted):
            case, answers = cases[test][row.name], answers_of(*texts)
            verdict = relation.judge(case, answers)
            counts.add(case, verdict, relation.info.breakdown, answers=answers, position=position)
        assert counts.pairs is not None
        told = counts.pairs.counted
        assert rates(told.tally, counts.tally.pass_rate) == pytest.approx(metrics(test, predicted))
        parts = {
            ("answers", "binary"): [each for each in predicted if each[0].is_binary],
            ("answers", "choices"): [each for each in predicted if not each[0].is_binary],
            ("choices", "2"): [each for each in predicted if len(each[0].options) == 2],
            ("choices", "3"): [each for each in predicted if len(each[0].options) == 3],
        }
        for (fact, value), part in parts.items():
            tally = told.by.get(fact, {}).get(value)
            assert (tally is None) == (not part)
            if tally:
                pass_rate = counts.breakdown[fact][value].pass_rate
                assert rates(tally, pass_rate) == pytest.approx(metrics(test, part))
        binary = [text for row, texts in predicted if row.is_binary for text in texts]
        assert (told.tally.yes, told.tally.no) == (binary.count("yes"), binary.count("no"))
        assert told.tally.other == sum(text in GARBAGE for text in binary)
        bits = sum(1 << place for place, (row, texts) in enumerate(predicted) if texts == (row.first, row.second))
        assert told.right == bits


def test_the_garbage_is_no_choice() -> None:
    every = {option for test in PUBLISHED_TESTS for row in rows(test) for option in row.options}
    assert not every & set(GARBAGE)
    assert len(every) > 50
