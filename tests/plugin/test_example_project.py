"""The example runs with its own settings and shows what the catalogue has."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from pytest_vqamt.relations import catalogue
from tests.plugin.conftest import Run

EXAMPLE = Path(__file__).parents[2] / "example_project"


def paper(item: str) -> str:
    """What an item's name begins with."""
    return re.split(r"[.\[]", item)[0]


def test_it_has_something_of_every_paper_and_a_relation_of_its_own(pytester: pytest.Pytester, run: Run) -> None:
    result = run(str(EXAMPLE), "--vqamt-report=out", "--vqamt-fail-under=1", "-p", "no:cacheprovider", max_cases=2)
    relations = json.loads((pytester.path / "out" / "report.json").read_text(encoding="utf-8"))["relations"]
    items = [each["id"] for each in relations]
    result.assert_outcomes(passed=len(items))
    assert {paper(item) for item in items} == {*map(paper, catalogue.TABLE), "ours"}
    assert {each["holds"] for each in relations} == {2}
