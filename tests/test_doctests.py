"""The examples in the docstrings show what the code does, and README names all there is."""

from __future__ import annotations

import doctest
import importlib
from pathlib import Path

import pytest

import pytest_vqamt
from pytest_vqamt.data import catalogue as sources
from pytest_vqamt.models.catalogue import MODELS
from pytest_vqamt.relations import catalogue as relations

PACKAGE = Path(pytest_vqamt.__file__).parent
MODULES = sorted(
    path.relative_to(PACKAGE.parent).with_suffix("").as_posix().replace("/", ".").removesuffix(".__init__")
    for path in PACKAGE.rglob("*.py")
    if ">>> " in path.read_text(encoding="utf-8")
)


@pytest.mark.parametrize("module", MODULES)
def test_examples_in_docstrings(module: str) -> None:
    outcome = doctest.testmod(importlib.import_module(module), optionflags=doctest.ELLIPSIS)
    assert outcome.attempted > 0
    assert outcome.failed == 0


def test_readme_names_every_relation_model_and_source() -> None:
    text = (PACKAGE.parent / "README.md").read_text(encoding="utf-8")
    models = {kind.name: (f"`{kind.name}`", f"`{kind.name}:") for kind in MODELS}
    data = {name: (f"`{name}:", f"`{name}[") for name in sources.TABLE}
    rules = {name: (f"`{name}`", f"`{name}[") for name in (*relations.TABLE, *relations.ON_REQUEST)}
    assert [
        name for name, forms in {**models, **data, **rules}.items() if not any(form in text for form in forms)
    ] == []
