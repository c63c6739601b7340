"""Each pattern that reads answers changes an answer and leaves another that looks alike: ``patterns.toml``."""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
import re
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any, cast

import pytest

from pytest_vqamt import read, read_yes_no
from pytest_vqamt.core.lazy_pattern import LazyPattern
from pytest_vqamt.core.meaning import (
    Annotated,
    Count,
    Group,
    InPicture,
    Label,
    Meaning,
    MovesFirst,
    PartCount,
    Property,
    WhichPicture,
    Written,
)
from pytest_vqamt.language import answers
from pytest_vqamt.language.answers.answer_text import UnreadableAnswer
from pytest_vqamt.language.answers.choices import read_label
from pytest_vqamt.language.answers.counts import Quantifier
from pytest_vqamt.language.answers.vqa_accuracy import normalise_answer
from tests.rows import each_row

TABLE = Path(__file__).with_name("patterns.toml")
ROWS: dict[str, dict[str, dict[str, Any]]] = tomllib.loads(TABLE.read_text(encoding="utf-8"))

WITHOUT_A_ROW = frozenset({
    "content._WORD", "final._BRACE", "final.SOMETHING", "answer_text.MARK", "answer_text._BRACKETS",
    "answer_text._PLAIN_CHARACTERS", "final._SENTENCE", "content._LETTERS", "yes_no._WORD",
    "foreign.forms._WORD", "foreign.gloss._PART", "foreign.gloss._WORD",
})  # fmt: skip
"""Patterns that find words, sentences and marks, or save time, and say nothing of an answer."""

MODULES = {
    found.name.removeprefix(f"{answers.__name__}."): importlib.import_module(found.name)
    for found in pkgutil.walk_packages(answers.__path__, f"{answers.__name__}.")
}
CACHES = tuple(
    {
        id(value): value
        for module in MODULES.values()
        for value in vars(module).values()
        if hasattr(value, "cache_clear") and value.__module__.startswith(answers.__name__)
    }.values()
)
MEANINGS: Mapping[str, Meaning] = {
    "the color of the car": Property(group=Group(name="car"), category="color", values=("black", "red", "white")),
    "the legs of the dog": PartCount(group=Group(name="dog"), part="leg"),
    "the writing KITE": Written(text="KITE"),
    "what the boy rides": Annotated(answers=(), question="What is the boy riding?"),
    "in a picture": InPicture(which=1, meaning=Count(groups=(Group(name="dog"),))),
    "which picture": WhichPicture(group=Group(name="dog")),
    "moves first": MovesFirst(groups=(Group(name="dog"), Group(name="bus"))),
}
"""What no text of a question has as its meaning."""


def constants(module: ModuleType) -> Iterator[tuple[str, object]]:
    """The names that the module gives a value itself, those of single patterns first."""
    made = {
        name.id
        for statement in ast.parse(inspect.getsource(module)).body
        if isinstance(statement, ast.Assign | ast.AnnAssign)
        for target in (statement.targets if isinstance(statement, ast.Assign) else [statement.target])
        for name in ast.walk(target)
        if isinstance(name, ast.Name)
    }
    own = [(name, value) for name, value in vars(module).items() if name in made]
    yield from sorted(own, key=lambda each: not isinstance(each[1], re.Pattern | LazyPattern))


def patterns_in(value: object) -> Iterator[tuple[str, re.Pattern[str]]]:
    """The patterns of a constant, each with its place in a tuple or a dictionary."""
    if isinstance(value, re.Pattern | LazyPattern):
        yield "", cast("re.Pattern[str]", value)
    elif isinstance(value, tuple | dict):
        for place, each in value.items() if isinstance(value, dict) else enumerate(value):
            for found in each if isinstance(each, tuple) else (each,):
                if isinstance(found, re.Pattern | LazyPattern):
                    yield f"[{place}]", cast("re.Pattern[str]", found)


def every_pattern() -> dict[str, re.Pattern[str]]:
    """All patterns by module and name; one that has several names, as Python keeps equal ones once, by the first."""
    named: dict[str, re.Pattern[str]] = {}
    for short, module in MODULES.items():
        for name, value in constants(module):
            for place, pattern in patterns_in(value):
                if not any(pattern is each for each in named.values()):
                    named[f"{short}.{name}{place}"] = pattern
    return named


PATTERNS = every_pattern()


def replaced(value: object, pattern: re.Pattern[str], by: re.Pattern[str]) -> object:
    if value is pattern:
        return by
    if type(value) is tuple:
        new = tuple(replaced(each, pattern, by) for each in value)
        return new if any(one is not other for one, other in zip(new, value, strict=True)) else value
    if type(value) is dict and any(each is pattern for each in value.values()):
        return {key: replaced(each, pattern, by) for key, each in value.items()}
    return value


def clear_caches() -> None:
    for each in CACHES:
        each.cache_clear()


@contextmanager
def without(pattern: re.Pattern[str]) -> Iterator[None]:
    """Puts a pattern that never matches, with as many groups, wherever the package has this one."""
    never = re.compile("(?!)" + "()" * pattern.groups)
    with pytest.MonkeyPatch.context() as patch:
        for module in MODULES.values():
            for name, value in list(vars(module).items()):
                if (new := replaced(value, pattern, never)) is not value:
                    patch.setattr(module, name, new)
        clear_caches()
        yield
    clear_caches()


def reading(row: Mapping[str, Any]) -> bool | int | str:
    """The reading as the table writes it, by the question or by another reader that the row names."""
    answer: str = row["answer"]
    said: object
    match row.get("reader"):
        case None:
            said = read(row["question"], answer, row.get("options", ()))
        case "read_yes_no":
            said = read_yes_no(answer, row["question"])
        case "read_label":
            said = read_label(answer)
        case "normalise_answer":
            said = normalise_answer(answer)
        case name:
            said = read(MEANINGS[name], answer)
    if isinstance(said, UnreadableAnswer):
        return said.reason.value
    if isinstance(said, Quantifier):
        return said.word
    if isinstance(said, Label):
        return said.value
    assert isinstance(said, bool | int | str)
    return said


def same(one: object, other: object) -> bool:
    """Whether two readings are the same; a yes is not the number 1."""
    return one == other and isinstance(one, bool) == isinstance(other, bool)


def test_each_pattern_has_a_row() -> None:
    missing = sorted(PATTERNS.keys() - ROWS.keys() - WITHOUT_A_ROW)
    assert not missing, (
        f"Expected a row in {TABLE.name} for each of these patterns, with an answer that it changes and a near miss "
        f"that it leaves, or its name in WITHOUT_A_ROW if it reads nothing: {missing}"
    )
    gone = sorted((ROWS.keys() | WITHOUT_A_ROW) - PATTERNS.keys())
    assert not gone, f"Expected rows for patterns of the package alone. Delete or rename these: {gone}"


@each_row("name", ROWS)
def test_a_pattern_changes_one_answer_and_leaves_another(name: str) -> None:
    changes, leaves = ROWS[name]["changes"], ROWS[name]["leaves"]
    assert same(reading(changes), changes["reading"]), f"{name} changes {changes}, but it is read as {reading(changes)}"
    assert same(reading(leaves), leaves["reading"]), f"{name} leaves {leaves}, but it is read as {reading(leaves)}"
    with without(PATTERNS[name]):
        assert not same(reading(changes), changes["reading"]), f"without {name} the reading of {changes} is the same"
        assert same(reading(leaves), leaves["reading"]), f"without {name} {leaves} is read as {reading(leaves)}"
