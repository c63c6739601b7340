"""The six tests of CARETS: which items belong to which, and what people reach.

Human figures from Jimenez et al., ACL 2022: CONS of Table 1, the others of Tables 8 to 12; hypernym against hyponym of
Table 2; yes/no questions against choices of Table 18. The last two headings of Table 1 are exchanged: Tables 11 and 12
show which is which.
"""

from __future__ import annotations

from collections.abc import Mapping

from pytest_vqamt.core.results import Reference

PUBLISHED_PAIRS = "carets.published"
"""The relation each of whose variants is a test by itself, named as in the authors' default.yml."""

_PUBLISHED_TESTS: Mapping[str, str] = {
    "phrasal_invariance": "carets.rephrase",
    "symmetry_invariance": "carets.order",
    "ontological_consistency": "carets.ontological",
    "negation_consistency": "carets.negation",
    "antonym_consistency": "carets.antonym",
}

_HUMAN: Mapping[str, Reference] = {
    "carets.rephrase": Reference(cons=0.966, acc=0.8615, acc_original=0.8674, acc_perturbed=0.8556, c_acc=0.8528),
    "carets.order": Reference(cons=0.988, acc=0.7910, acc_original=0.7938, acc_perturbed=0.7883, c_acc=0.7876),
    "carets.ontological": Reference(cons=0.940, acc=0.9600, acc_original=0.9600, acc_perturbed=0.9600, c_acc=0.9400),
    "carets.ontological[hypernym]": Reference(cons=0.91),
    "carets.ontological[hyponym]": Reference(cons=0.96),
    "carets.visual": Reference(cons=0.890),
    "carets.antonym": Reference(cons=0.890, acc=0.8750, acc_original=0.8600, acc_perturbed=0.8900, c_acc=0.8400),
    "carets.negation": Reference(cons=0.885, acc=0.7825, acc_original=0.8250, acc_perturbed=0.7400, c_acc=0.7450),
}

_HUMAN_BY_ANSWERS: Mapping[tuple[str, str], Reference] = {
    ("carets.rephrase", "binary"): Reference(cons=0.9850, acc=0.8800, c_acc=0.8750),
    ("carets.rephrase", "choices"): Reference(cons=0.9453, acc=0.8419, c_acc=0.8292),
    ("carets.order", "binary"): Reference(cons=0.9900, acc=0.7250, c_acc=0.7200),
    ("carets.order", "choices"): Reference(cons=0.9873, acc=0.8261, c_acc=0.8236),
}


def test_of(item: str) -> str:
    """The test that an item belongs to: its relation, whose variants are added up.

    >>> test_of("carets.visual[blur3]"), test_of("carets.published[phrasal_invariance]")
    ('carets.visual', 'carets.published[phrasal_invariance]')
    """
    relation, _, _ = item.partition("[")
    return item if relation == PUBLISHED_PAIRS else relation


def human(item: str, fact: str = "", value: str = "") -> Reference | None:
    """What people reach on an item or a test, or on its pairs with a value of a fact; None where nobody asked."""
    relation, _, variant = item.partition("[")
    test = _PUBLISHED_TESTS.get(variant.removesuffix("]"), item) if relation == PUBLISHED_PAIRS else item
    if fact:
        return _HUMAN_BY_ANSWERS.get((test, value)) if fact == "answers" else None
    return _HUMAN.get(test)
