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
    from pytest_vqamt.core.case import Case, NotApplicable, Outcome, PairKind, Verdict
    from pytest_vqamt.core.conversation import Reply, Role, Turn
    from pytest_vqamt.core.corpus import Corpus
    from pytest_vqamt.core.edits import Corruption, Cutout, FileForm, Fill
    from pytest_vqamt.core.errors import VqamtError
    from pytest_vqamt.core.meaning import (
        NO_SUCH_THING,
        NONE_OF_THESE,
        Absent,
        Annotated,
        Both,
        Choice,
        Count,
        Describe,
        Either,
        Entails,
        Exists,
        Group,
        Has,
        InAll,
        InPicture,
        Label,
        Located,
        Neither,
        NotBoth,
        PartCount,
        Property,
        Related,
        ShowSame,
        Side,
        Unit,
        WhichPicture,
        WhichThere,
        Written,
        truth,
    )
    from pytest_vqamt.core.pairs import PairTally
    from pytest_vqamt.core.picture import Picture
    from pytest_vqamt.core.query import Answer, Declined, ModelInput, Query, Task
    from pytest_vqamt.core.scene import Region, Relationship, Scene, Thing
    from pytest_vqamt.integration.items import Consistency
    from pytest_vqamt.integration.run import run
    from pytest_vqamt.integration.run_report import Report
    from pytest_vqamt.language.answers.answer_text import UnreadableAnswer
    from pytest_vqamt.language.answers.counts import Quantifier
    from pytest_vqamt.language.answers.reading import read, read_choice, read_count, read_yes_no
    from pytest_vqamt.language.questions import ask
    from pytest_vqamt.language.questions.simple import Question
    from pytest_vqamt.models.reference.oracle import right_answer
    from pytest_vqamt.relations.expectations import (
        Expectation,
        all_yes,
        any_yes,
        at_most_the_first,
        becomes_no,
        becomes_none_of_these,
        denied_where_absent,
        different_answers,
        exactly_one_yes,
        expectation,
        not_both_yes,
        one_less,
        one_more,
        opposite_answer,
        other_value,
        parts_of_sum,
        read_answer,
        same_and_read,
        same_answer,
        same_if_read,
        sum_of_parts,
        the_other_option,
        unchanged,
        yes_if_all_are,
    )
    from pytest_vqamt.relations.user import Draft, case, case_of, relation
    from pytest_vqamt.sampling.chooser import Chooser


_NAMES = {
    "core.box": "Box",
    "core.case": "Case NotApplicable Outcome PairKind Verdict",
    "core.conversation": "Reply Role Turn",
    "core.corpus": "Corpus",
    "core.edits": "Corruption Cutout FileForm Fill",
    "core.errors": "VqamtError",
    "core.meaning": (
        "NO_SUCH_THING NONE_OF_THESE Absent Annotated Both Choice Count Describe Either Entails Exists Group "
        "Has InAll InPicture Label Located Neither NotBoth PartCount Property Related ShowSame Side Unit WhichPicture "
        "WhichThere Written truth"
    ),
    "core.pairs": "PairTally",
    "core.picture": "Picture",
    "core.query": "Answer Declined ModelInput Query Task",
    "core.scene": "Region Relationship Scene Thing",
    "integration.items": "Consistency",
    "integration.run_report": "Report",
    "integration.run": "run",
    "language.answers.counts": "Quantifier",
    "language.answers.reading": "read read_choice read_count read_yes_no",
    "language.answers.answer_text": "UnreadableAnswer",
    "language.questions": "ask",
    "language.questions.simple": "Question",
    "models.reference.oracle": "right_answer",
    "relations.user": "Draft case case_of relation",
    "relations.expectations": (
        "Expectation all_yes any_yes at_most_the_first becomes_no becomes_none_of_these denied_where_absent "
        "different_answers exactly_one_yes expectation not_both_yes one_less one_more opposite_answer "
        "other_value parts_of_sum read_answer same_and_read same_answer same_if_read sum_of_parts "
        "the_other_option unchanged yes_if_all_are"
    ),
    "sampling.chooser": "Chooser",
}
"""The public names of each module, which is imported when one of them is first touched."""

_MODULES = {name: f"{__name__}.{module}" for module, names in _NAMES.items() for name in names.split()}

__all__ = [
    "NONE_OF_THESE",
    "NO_SUCH_THING",
    "Absent",
    "Annotated",
    "Answer",
    "Both",
    "Box",
    "Case",
    "Choice",
    "Chooser",
    "Consistency",
    "Corpus",
    "Corruption",
    "Count",
    "Cutout",
    "Declined",
    "Describe",
    "Draft",
    "Either",
    "Entails",
    "Exists",
    "Expectation",
    "FileForm",
    "Fill",
    "Group",
    "Has",
    "InAll",
    "InPicture",
    "Label",
    "Located",
    "ModelInput",
    "Neither",
    "NotApplicable",
    "NotBoth",
    "Outcome",
    "PairKind",
    "PairTally",
    "PartCount",
    "Picture",
    "Property",
    "Quantifier",
    "Query",
    "Question",
    "Region",
    "Related",
    "Relationship",
    "Reply",
    "Report",
    "Role",
    "Scene",
    "ShowSame",
    "Side",
    "Task",
    "Thing",
    "Turn",
    "Unit",
    "UnreadableAnswer",
    "Verdict",
    "VqamtError",
    "WhichPicture",
    "WhichThere",
    "Written",
    "all_yes",
    "any_yes",
    "ask",
    "at_most_the_first",
    "becomes_no",
    "becomes_none_of_these",
    "case",
    "case_of",
    "denied_where_absent",
    "different_answers",
    "exactly_one_yes",
    "expectation",
    "not_both_yes",
    "one_less",
    "one_more",
    "opposite_answer",
    "other_value",
    "parts_of_sum",
    "read",
    "read_answer",
    "read_choice",
    "read_count",
    "read_yes_no",
    "relation",
    "right_answer",
    "run",
    "same_and_read",
    "same_answer",
    "same_if_read",
    "sum_of_parts",
    "the_other_option",
    "truth",
    "unchanged",
    "yes_if_all_are",
]

if not TYPE_CHECKING:  # mypy would take any misspelt name for one of this function's

    def __getattr__(name: str) -> object:
        if name not in _MODULES:
            from pytest_vqamt.core.errors import did_you_mean

            hint = "" if name.startswith("__") else f"; {did_you_mean(name, _MODULES, ['docs/reference/api.md'])}"
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}{hint}")
        if name == "ask":
            return import_module(f"{_MODULES[name]}.ask")
        return getattr(import_module(_MODULES[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
