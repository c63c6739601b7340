"""The names of ``pytest_vqamt``: found by users, by mypy and in the documents."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import pytest_vqamt as vqamt
from pytest_vqamt.relations import catalogue

ROOT = Path(vqamt.__file__).parents[1]
TREE = ast.parse(Path(vqamt.__file__).read_text(encoding="utf-8"))
DOCS = ("README.md", "docs/tutorial/first-relation.md")


def test_mypy_sees_just_the_names_that_are_there() -> None:
    declared = {
        alias.asname or alias.name: node.module
        for block in TREE.body
        if isinstance(block, ast.If)
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert sorted(declared) == sorted(vqamt.__all__)
    for name, module in declared.items():
        found = getattr(vqamt, name)
        assert module is not None
        if inspect.isclass(found) or inspect.isfunction(found):
            assert found.__module__.startswith(module), name
    # A function __getattr__ outside of "if not TYPE_CHECKING" makes any misspelt name an object.
    assert "__getattr__" not in [node.name for node in TREE.body if isinstance(node, ast.FunctionDef)]


def test_a_misspelt_name_is_no_attribute() -> None:
    with pytest.raises(AttributeError, match=r"no attribute 'same_anwser'; did you mean 'same_answer'\?"):
        vqamt.same_anwser  # type: ignore[attr-defined]  # noqa: B018 - and mypy says so


def test_every_name_is_documented() -> None:
    api = (ROOT / "docs/reference/api.md").read_text(encoding="utf-8")
    assert sorted(re.findall(r"^::: pytest_vqamt\.(\w+)$", api, re.MULTILINE)) == sorted(vqamt.__all__)
    undocumented = [name for name in vqamt.__all__ if callable(found := getattr(vqamt, name)) and not found.__doc__]
    assert undocumented == ["Expectation"], "a type alias has no docstring of its own"


def test_every_edit_has_a_docstring() -> None:
    methods = {name: each for name, each in vars(vqamt.Picture).items() if inspect.isfunction(each) and name[0] != "_"}
    assert [name for name, each in methods.items() if not each.__doc__] == []


def relations_of(page: str) -> Iterator[str]:
    text = (ROOT / page).read_text(encoding="utf-8")
    yield from (each for each in re.findall(r"```python\n(.*?)```", text, re.DOTALL) if "@vqamt.relation(" in each)


@pytest.mark.parametrize("page", DOCS)
def test_the_relations_of_the_documents_are_sound(page: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalogue, "_registered", {})
    blocks = list(relations_of(page))
    for block in blocks:
        exec(compile(block, page, "exec"), {"__name__": "conftest"})
    report = vqamt.run(model="oracle", data="pictures:40", relations="ours.*", max_cases=20, sampler="random")
    assert len(report.relations) == len(blocks)
    assert [(each.item, each.pass_rate) for each in report.relations if each.pass_rate != 1] == []
