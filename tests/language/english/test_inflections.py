"""The kept inflections are those of inflect, so that the words of our tables are inflected as all others are."""

from __future__ import annotations

from pytest_vqamt.language.english import nouns
from tools import inflections


def test_the_file_is_what_inflect_says_today() -> None:
    """To write it anew: ``python -m tools.inflections``."""
    assert inflections.FILE.read_text(encoding="utf-8") == inflections.text()


def test_a_word_that_is_not_kept_is_put_to_inflect() -> None:
    assert "gherkin" not in nouns._known()["plural"]
    assert (nouns.plural("gherkin"), nouns.singular("gherkins")) == ("gherkins", "gherkin")
    assert nouns.with_article("igloo of gherkins") == "an igloo of gherkins"
