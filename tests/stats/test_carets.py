"""What people reach on the tests of CARETS: the figures of the paper."""

from __future__ import annotations

import re
from dataclasses import astuple
from pathlib import Path

import pytest

from pytest_vqamt.stats import papers
from pytest_vqamt.stats.papers import human

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
    found = {test: reference.cons for test in SIX if (reference := human(test))}
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
    reference = human(test)
    assert reference is not None
    assert astuple(reference)[1:] == pytest.approx((acc / 100, original / 100, perturbed / 100, c_acc / 100))
    assert reference.cons == pytest.approx(cons / 100, abs=0.0005), "Table 1 has it with a digit less"


def test_of_the_variants_people_were_asked_about_two() -> None:
    # Table 2: hyponym against hypernym.
    own = [human(f"carets.ontological[{variant}]") for variant in ("hypernym", "hyponym")]
    assert [each and each.cons for each in own] == [0.91, 0.96]
    others = ("carets.ontological[object_choice]", "carets.order[choices]", "carets.visual[blur3]")
    assert [human(item) for item in others] == [None, None, None]
    assert human("carets.order[choices]", "answers", "choices") is None


def test_the_published_tests_are_held_against_the_same_people() -> None:
    for name, test in {
        "phrasal_invariance": "carets.rephrase",
        "symmetry_invariance": "carets.order",
        "ontological_consistency": "carets.ontological",
        "negation_consistency": "carets.negation",
        "antonym_consistency": "carets.antonym",
    }.items():
        assert human(f"carets.published[{name}]") == human(test)
    assert human("carets.published[one_of_mine]") is None


def test_yes_no_questions_and_choices_apart() -> None:
    # Table 18.
    choices = human("carets.order", "answers", "choices")
    assert choices is not None
    assert (choices.acc, choices.cons, choices.c_acc) == (0.8261, 0.9873, 0.8236)
    assert human("carets.published[symmetry_invariance]", "answers", "choices") == choices
    assert human("carets.order", "choices", "2") is None
    assert human("carets.negation", "answers", "binary") is None


def test_nobody_asked_people_about_other_relations() -> None:
    assert human("metavqa.partition[object]") is None


def test_the_variants_of_a_relation_are_one_test_but_those_of_the_published() -> None:
    assert papers.test_of("carets.visual[mask]") == "carets.visual"
    assert papers.test_of("carets.negation") == "carets.negation"
    assert papers.test_of("carets.published[phrasal_invariance]") == "carets.published[phrasal_invariance]"
