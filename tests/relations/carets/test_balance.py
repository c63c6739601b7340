"""As many yes as no: a model that always says the same is right half of the time, whatever relation it is asked by."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from pytest_vqamt.core.case import Case
from pytest_vqamt.data.base import SceneSource
from pytest_vqamt.data.catalogue import load
from pytest_vqamt.relations import catalogue
from pytest_vqamt.sampling.chooser import RandomChooser

BALANCED = (
    ("carets.rephrase", ""),
    ("carets.order", "conjunction"),
    ("carets.order", "disjunction"),
    ("carets.negation", ""),
    ("carets.antonym", ""),
    ("carets.visual", "blur3"),
    ("carets.visual", "mask"),
    ("carets.visual", "crop"),
)
each_that_is = pytest.mark.parametrize(("name", "variant"), BALANCED, ids=[f"{a}[{b}]" for a, b in BALANCED])


@pytest.fixture(scope="module")
def pictures() -> SceneSource:
    return load("pictures")


@pytest.fixture(scope="module")
def many_pictures() -> SceneSource:
    return load("pictures:3000")


def truths(source: SceneSource, name: str, variant: str, wanted: int) -> Counter[tuple[str, str]]:
    """How often each truth was drawn, by the type of question, in so many yes/no cases."""
    relation, choose, found = catalogue.get(name), RandomChooser(Random(5)), Counter[tuple[str, str]]()
    while found.total() < wanted:
        case = relation.derive(source.scene(choose.between(0, len(source) - 1)), source.corpus, choose, variant)
        if isinstance(case, Case) and case.fact("answers") == "binary":
            found[str(case.fact("question_type")), str(case.fact("truth"))] += 1
    return found


def share(found: Counter[tuple[str, str]], type_: str = "") -> float:
    of_type = {key: n for key, n in found.items() if type_ in ("", key[0])}
    return sum(n for (_, truth), n in of_type.items() if truth == "yes") / sum(of_type.values())


@each_that_is
def test_half_are_true(pictures: SceneSource, name: str, variant: str) -> None:
    # Of 1000 a standard deviation is 1.6 points.
    found = truths(pictures, name, variant, 1000)
    assert share(found) == pytest.approx(0.5, abs=0.05)
    assert {truth for _, truth in found} == {"yes", "no"}


@pytest.mark.slow
@each_that_is
def test_half_of_10_000_are_true(many_pictures: SceneSource, name: str, variant: str) -> None:
    # Of 10,000 a standard deviation is 0.5 points; of one type in four it is 1.
    found = truths(many_pictures, name, variant, 10_000)
    assert share(found) == pytest.approx(0.5, abs=0.02)
    for type_ in {type_ for type_, _ in found}:
        assert share(found, type_) == pytest.approx(0.5, abs=0.045), type_


def test_the_share_is_of_what_is_true() -> None:
    found = Counter({("a", "yes"): 3, ("a", "no"): 1, ("b", "no"): 4})
    assert (share(found), share(found, "a"), share(found, "b")) == (3 / 8, 3 / 4, 0)
