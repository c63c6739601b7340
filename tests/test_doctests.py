"""The examples in docstrings hold; README is short; links of the documents lead to every page."""

from __future__ import annotations

import doctest
import importlib
import re
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


def test_readme_is_short() -> None:
    assert len((PACKAGE.parent / "README.md").read_text(encoding="utf-8").split()) <= 1030


def test_the_reference_names_every_relation_model_and_source() -> None:
    pages = (PACKAGE.parent / "docs" / "reference").rglob("*.md")
    text = "\n".join(page.read_text(encoding="utf-8") for page in sorted(pages))
    models = {kind.name: (f"`{kind.name}`", f"`{kind.name}:") for kind in MODELS}
    data = {name: (f"`{name}:", f"`{name}[") for name in sources.TABLE}
    rules = {name: (f"`{name}`", f"`{name}[") for name in (*relations.TABLE, *relations.ON_REQUEST)}
    assert [
        name for name, forms in {**models, **data, **rules}.items() if not any(form in text for form in forms)
    ] == []


_LINK = re.compile(r"\]\(([^)\s#]*)(?:#([^)\s]+))?\)")


def test_every_page_and_picture_is_linked_and_every_link_leads_somewhere() -> None:
    root = PACKAGE.parent
    reached: set[Path] = set()
    broken: list[str] = []
    coming = [root / "README.md", root / "CONTRIBUTING.md", root / "docs/index.md"]
    while coming:
        page = coming.pop()
        reached.add(page)
        text = page.read_text(encoding="utf-8") if page.suffix == ".md" else ""
        for path, anchor in _LINK.findall(text):
            if path.startswith("http"):
                continue
            target = (page.parent / path).resolve() if path else page
            if not target.exists() or (anchor and anchor not in _anchors(target)):
                broken.append(f"{page.relative_to(root)}: {path}#{anchor}")
            elif target not in reached and target.is_file():
                coming.append(target)
    assert broken == []
    pages = {path for path in (root / "docs").rglob("*") if path.suffix in {".md", ".png"}}
    assert sorted(pages - reached) == []


def _anchors(page: Path) -> set[str]:
    """The anchors that GitHub makes of a page's headings."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}
