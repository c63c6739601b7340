"""Metamorphic relations for vision-language models, as parametrized pytest tests.

The names that users need are here, loaded when they are first touched::

    import pytest_vqamt as vqamt

    report = vqamt.run(model="tiny", data="pictures", max_cases=50)
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest_vqamt.core.box import Box
    from pytest_vqamt.core.case import Case, NotApplicable, Outcome, Verdict
    from pytest_vqamt.core.corpus import Corpus
    from pytest_vqamt.core.errors import VqamtError
    from pytest_vqamt.core.meaning import (
        Absent,
        Both,
        Choice,
        Count,
        Either,
        Exists,
        Group,
        Has,
        Located,
        Neither,
        NotBoth,
        PartCount,
        Property,
        WhichThere,
        Written,
    )
    from pytest_vqamt.core.query import Answer, Declined, ModelInput
    from pytest_vqamt.core.results import Report
    from pytest_vqamt.core.scene import Scene, Thing
    from pytest_vqamt.execution.run import run
    from pytest_vqamt.integration.items import Consistency
    from pytest_vqamt.language.answers.counts import Quantifier
    from pytest_vqamt.language.answers.reading import read, read_choice, read_count, read_yes_no
    from pytest_vqamt.language.answers.text import UnreadableAnswer
    from pytest_vqamt.language.questions import ask
    from pytest_vqamt.language.questions.simple import Question
    from pytest_vqamt.relations.catalogue import Draft, case, relation
    from pytest_vqamt.relations.expectations import (
        all_yes,
        any_yes,
        at_most_the_first,
        becomes_no,
        different_answers,
        exactly_one_yes,
        not_both_yes,
        one_less,
        one_more,
        opposite_answer,
        same_answer,
        sum_of_parts,
        yes_if_all_are,
    )
    from pytest_vqamt.sampling.chooser import Chooser


_WHERE = {
    "Absent": "pytest_vqamt.core.meaning",
    "Answer": "pytest_vqamt.core.query",
    "Both": "pytest_vqamt.core.meaning",
    "Box": "pytest_vqamt.core.box",
    "Case": "pytest_vqamt.core.case",
    "Choice": "pytest_vqamt.core.meaning",
    "Chooser": "pytest_vqamt.sampling.chooser",
    "Consistency": "pytest_vqamt.integration.items",
    "Corpus": "pytest_vqamt.core.corpus",
    "Count": "pytest_vqamt.core.meaning",
    "Declined": "pytest_vqamt.core.query",
    "Draft": "pytest_vqamt.relations.catalogue",
    "Either": "pytest_vqamt.core.meaning",
    "Exists": "pytest_vqamt.core.meaning",
    "Group": "pytest_vqamt.core.meaning",
    "Has": "pytest_vqamt.core.meaning",
    "Located": "pytest_vqamt.core.meaning",
    "ModelInput": "pytest_vqamt.core.query",
    "Neither": "pytest_vqamt.core.meaning",
    "NotApplicable": "pytest_vqamt.core.case",
    "NotBoth": "pytest_vqamt.core.meaning",
    "PartCount": "pytest_vqamt.core.meaning",
    "Property": "pytest_vqamt.core.meaning",
    "WhichThere": "pytest_vqamt.core.meaning",
    "Written": "pytest_vqamt.core.meaning",
    "Outcome": "pytest_vqamt.core.case",
    "Quantifier": "pytest_vqamt.language.answers.counts",
    "Question": "pytest_vqamt.language.questions.simple",
    "Report": "pytest_vqamt.core.results",
    "Scene": "pytest_vqamt.core.scene",
    "Thing": "pytest_vqamt.core.scene",
    "UnreadableAnswer": "pytest_vqamt.language.answers.text",
    "Verdict": "pytest_vqamt.core.case",
    "VqamtError": "pytest_vqamt.core.errors",
    "all_yes": "pytest_vqamt.relations.expectations",
    "any_yes": "pytest_vqamt.relations.expectations",
    "at_most_the_first": "pytest_vqamt.relations.expectations",
    "becomes_no": "pytest_vqamt.relations.expectations",
    "different_answers": "pytest_vqamt.relations.expectations",
    "exactly_one_yes": "pytest_vqamt.relations.expectations",
    "case": "pytest_vqamt.relations.catalogue",
    "not_both_yes": "pytest_vqamt.relations.expectations",
    "one_less": "pytest_vqamt.relations.expectations",
    "one_more": "pytest_vqamt.relations.expectations",
    "opposite_answer": "pytest_vqamt.relations.expectations",
    "read": "pytest_vqamt.language.answers.reading",
    "read_choice": "pytest_vqamt.language.answers.reading",
    "read_count": "pytest_vqamt.language.answers.reading",
    "read_yes_no": "pytest_vqamt.language.answers.reading",
    "relation": "pytest_vqamt.relations.catalogue",
    "run": "pytest_vqamt.execution.run",
    "same_answer": "pytest_vqamt.relations.expectations",
    "sum_of_parts": "pytest_vqamt.relations.expectations",
    "yes_if_all_are": "pytest_vqamt.relations.expectations",
}

__all__ = [
    "Absent",
    "Answer",
    "Both",
    "Box",
    "Case",
    "Choice",
    "Chooser",
    "Consistency",
    "Corpus",
    "Count",
    "Declined",
    "Draft",
    "Either",
    "Exists",
    "Group",
    "Has",
    "Located",
    "ModelInput",
    "Neither",
    "NotApplicable",
    "NotBoth",
    "Outcome",
    "PartCount",
    "Property",
    "Quantifier",
    "Question",
    "Report",
    "Scene",
    "Thing",
    "UnreadableAnswer",
    "Verdict",
    "VqamtError",
    "WhichThere",
    "Written",
    "all_yes",
    "any_yes",
    "ask",
    "at_most_the_first",
    "becomes_no",
    "case",
    "different_answers",
    "exactly_one_yes",
    "not_both_yes",
    "one_less",
    "one_more",
    "opposite_answer",
    "read",
    "read_choice",
    "read_count",
    "read_yes_no",
    "relation",
    "run",
    "same_answer",
    "sum_of_parts",
    "yes_if_all_are",
]


def __getattr__(name: str) -> object:
    if name == "ask":
        return import_module("pytest_vqamt.language.questions.ask")
    if name not in _WHERE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_WHERE[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
