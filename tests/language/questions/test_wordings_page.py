"""docs/reference/relations/wordings.md shows every template as it is."""

from __future__ import annotations

from pytest_vqamt.language.questions.templates import TEMPLATES
from tests.language.questions.wordings_page import PAGE, page


def test_the_page_is_up_to_date() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run: python -m tests.language.questions.wordings_page"


def test_every_template_is_on_it_once() -> None:
    rows = [row for row in page().splitlines() if row.startswith("| ") and row.split("|")[1].strip().isdecimal()]
    assert len(rows) == sum(len(each.plain) + len(each.related) for each in TEMPLATES.values())
    assert len({row.split("|")[2] for row in rows}) == len(rows)
