"""Each sentence of the reports is in a list that a person has read, and none has a hole."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.reporting.sentences import FILE, sentences

PACKAGE = Path(__file__).parents[2] / "pytest_vqamt" / "reporting"
SOURCES = (
    PACKAGE / "item_messages.py",
    *(PACKAGE / "view" / f"{name}.py" for name in ("answers", "headline", "model_figures")),
)
IN_TABLES = ("_tables", "_declined_notes", "_margin_notes", "lines", "folded_lines", "describe_usage")
"""Captions and notes of tables, which other tests print."""


def test_the_list_is_current() -> None:
    told = FILE.read_text(encoding="utf-8")
    assert told == sentences(), "read what has changed: `python -m tests.reporting.sentences`, then `git diff`"


@pytest.mark.parametrize(
    "hole",
    [r"\bNone\b", "  [a-z]", r"\( *\)", r" [,.;:]", r"about (more|cases|questions)", r": *$", r"\bnan\b|-0\.0"],
)
def test_no_sentence_has_a_hole(hole: str) -> None:
    lines = FILE.read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if re.search(hole, line.strip())] == []


def test_no_sentence_has_a_wrong_plural() -> None:
    told = FILE.read_text(encoding="utf-8")
    assert re.findall(r"(?<![.\d])1 (?!is\b|does\b|has\b)\w+s\b", told) == []
    assert re.findall(r"\b(?:none|\d+) of 1 \w+s\b", told) == []


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.stem)
def test_each_sentence_of_the_code_is_in_the_list(source: Path) -> None:
    told = FILE.read_text(encoding="utf-8").casefold()
    assert [each for each in phrases(source) if each.casefold().strip(" .,;:()") not in told] == []


def phrases(source: Path) -> Iterator[str]:
    """The texts of four words or more in the code, without docstrings and what tables have."""
    for node in ast.parse(source.read_text(encoding="utf-8")).body:
        functions = node.body if isinstance(node, ast.ClassDef) else [node]
        for function in functions:
            if getattr(function, "name", "").endswith(IN_TABLES):
                continue
            docstrings = {
                id(each.value)
                for owner in ast.walk(function)
                if isinstance(owner, ast.FunctionDef | ast.ClassDef)
                for each in owner.body
                if isinstance(each, ast.Expr)
            }
            is_docstring = isinstance(function, ast.Expr)
            for each in ast.walk(function):
                if is_docstring or id(each) in docstrings or not isinstance(each, ast.Constant):
                    continue
                if isinstance(each.value, str) and len(each.value.split()) >= 4:
                    yield each.value
